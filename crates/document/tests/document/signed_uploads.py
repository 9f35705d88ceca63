"""Uploads that others signed, in many ways, and what pyHanko says of each signature.

    python signed_uploads.py sign FOLDER COUNT
    python signed_uploads.py judge MOMENT ROOT.pem FILE...

`sign` takes FOLDER/plain-0.pdf, plain-1.pdf and so on in turn, writes 0.pdf, 1.pdf and so on and root.pem, and prints for
each file, as a line of JSON, whether its signatures leave room for another. `judge` prints for each file what holds of each
signature at that moment (ISO 8601).
"""

import datetime
import io
import json
import logging
import sys
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from pyhanko.keys import load_certs_from_pemder
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign import fields, signers
from pyhanko.sign.validation import validate_pdf_signature, validate_pdf_timestamp
from pyhanko_certvalidator import ValidationContext

from sign_as_others import NOW, authority, root, signer, stamp

# How the first signature restricts what comes later: of ten files, eight have room for more.
WITH_ROOM = ["none", "locks-itself", "none", "locks-others"]
WITHOUT = ["certified-1", "locks-all", "certified-2", "locks-form", "certified-3"]


def restriction_of(number):
    return WITHOUT[number // 5 % len(WITHOUT)] if number % 5 == 4 else WITH_ROOM[number // 5 % len(WITH_ROOM)]


def restricted(restriction, name):
    """The options of the signature, and those of its field."""
    lock = fields.FieldMDPSpec
    action = fields.FieldMDPAction
    level = fields.MDPPerm
    return {
        "none": ({}, {}),
        "certified-1": ({"certify": True, "docmdp_permissions": level.NO_CHANGES}, {}),
        "certified-2": ({"certify": True, "docmdp_permissions": level.FILL_FORMS}, {}),
        "certified-3": ({"certify": True, "docmdp_permissions": level.ANNOTATE}, {}),
        "locks-itself": ({}, {"field_mdp_spec": lock(action.INCLUDE, [name])}),
        "locks-others": ({}, {"field_mdp_spec": lock(action.INCLUDE, ["Amount", "Date"])}),
        "locks-all": ({}, {"field_mdp_spec": lock(action.ALL)}),
        "locks-form": (
            {},
            {"field_mdp_spec": lock(action.ALL), "doc_mdp_update_value": level.NO_CHANGES},
        ),
    }[restriction]


def signed(plain, number, by, timestamper):
    restriction = restriction_of(number)
    signatures = 1 if restriction in WITHOUT else 1 + number // 3 % 3
    pdf = plain
    for place in range(signatures):
        name = f"Signer {place + 1}" if number % 5 else f"서명 {place + 1}"
        options, of_field = restricted(restriction if place == 0 else "none", name)
        is_visible = (number + place) % 2 == 0
        box = (60 + 150 * place, 60, 180 + 150 * place, 110) if is_visible else None
        formats = fields.SigSeedSubFilter
        metadata = signers.PdfSignatureMetadata(
            field_name=name,
            md_algorithm=["sha256", "sha384", "sha512"][number % 3],
            subfilter=formats.PADES if number % 4 else formats.ADOBE_PKCS7_DETACHED,
            reason="계약",
            **options,
        )
        pdf = signers.sign_pdf(
            IncrementalPdfFileWriter(io.BytesIO(pdf)),
            metadata,
            by[(number + place) % len(by)],
            timestamper=timestamper if number % 6 == 5 else None,
            new_field_spec=fields.SigFieldSpec(name, on_page=(number + place) % 2 - 1, box=box, **of_field),
        ).getvalue()
    if number % 7 == 6 and restriction not in WITHOUT:
        pdf = stamp(pdf, timestamper)
    return pdf, restriction


def sign(folder, count):
    (folder / "root.pem").write_bytes(root.public_bytes(serialization.Encoding.PEM))
    plain = [path.read_bytes() for path in sorted(folder.glob("plain-*.pdf"))]
    by = [
        signer(ec.generate_private_key(ec.SECP256R1())),
        signer(rsa.generate_private_key(65537, 2048)),
        signer(ec.generate_private_key(ec.SECP384R1())),
    ]
    timestamper = authority("Authority", 3000, NOW)
    for number in range(count):
        pdf, restriction = signed(plain[number % len(plain)], number, by, timestamper)
        (folder / f"{number}.pdf").write_bytes(pdf)
        print(json.dumps({"restriction": restriction, "has_room": restriction in WITH_ROOM}))


def judge(moment, roots, files):
    for path in files:
        found = {}
        with open(path, "rb") as file:
            for signature in PdfFileReader(file).embedded_signatures:
                context = ValidationContext(trust_roots=roots, allow_fetching=False, moment=moment)
                is_timestamp = signature.sig_object_type == "/DocTimeStamp"
                validate = validate_pdf_timestamp if is_timestamp else validate_pdf_signature
                status = validate(signature, context)
                found[signature.field_name] = {
                    "intact": status.intact,
                    "valid": status.valid,
                    "trusted": status.trusted,
                    "allowed": status.docmdp_ok is not False,
                }
        print(json.dumps(found), flush=True)


def main():
    logging.disable(logging.CRITICAL)
    if sys.argv[1] == "sign":
        sign(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        moment, root_file, *files = sys.argv[2:]
        judge(datetime.datetime.fromisoformat(moment), list(load_certs_from_pemder([root_file])), files)


main()
