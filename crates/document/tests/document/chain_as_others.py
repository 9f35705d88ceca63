"""Extends signed PDFs as other programs do: with pyHanko, by validation data, document timestamps and further signatures.

    python chain_as_others.py FOLDER DEPTH

FOLDER holds the files to extend: closed-*.pdf, whose signatures permit nothing but validation data and timestamps, and
open-*.pdf. Written are root.pem and, for each chain of DEPTH steps, a file NAME.pdf; the names are printed.
"""

import datetime
import functools
import io
import itertools
import logging
import sys

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign import fields, signers
from pyhanko.sign.validation.dss import DocumentSecurityStore
from pyhanko_certvalidator import ValidationContext
from sign_as_others import FOLDER, NOW, authority, for_pyhanko, issue, middle, middle_key, root, signer

# The authority reads its RSA key again for each timestamp, which takes longer than all the rest: the primes are tested.
serialization.load_der_private_key = functools.cache(serialization.load_der_private_key)
AUTHORITY = authority("Authority", 3000, NOW)
SIGNER = signer(ec.generate_private_key(ec.SECP256R1()))
# Certificates of nobody, one for each store that is added.
CERTIFICATES = [
    for_pyhanko(issue(f"Certificate {number}", middle_key, "Other intermediate", middle_key, False)) for number in range(9)
]


def writer_of(pdf):
    # It extends hybrid files only if it is not strict.
    return IncrementalPdfFileWriter(io.BytesIO(pdf), strict=False)


def add_store(pdf, step):
    """Adds validation data, of which some speak of the newest signature."""
    signature = PdfFileReader(io.BytesIO(pdf), strict=False).embedded_signatures[-1]
    output = io.BytesIO(pdf)
    certificates = [for_pyhanko(root), for_pyhanko(middle), CERTIFICATES[step]]
    contents = signature.pkcs7_content.hex().encode().upper() if step % 2 == 0 else None
    DocumentSecurityStore.add_dss(output, contents, certs=certificates, strict=False)
    return output.getvalue()


def stamp(pdf, step):
    return signers.PdfTimeStamper(AUTHORITY).timestamp_pdf(writer_of(pdf), "sha256").getvalue()


def sign(pdf, step, **options):
    """Signs in a new field; in every other step one that shows."""
    name = f"Further{step}"
    box = (20 + 60 * step, 20, 70 + 60 * step, 60) if step % 2 else None
    metadata = signers.PdfSignatureMetadata(
        field_name=name, md_algorithm="sha256", subfilter=fields.SigSeedSubFilter.PADES, **options
    )
    specification = fields.SigFieldSpec(name, box=box)
    pdf_signer = signers.PdfSigner(metadata, SIGNER, timestamper=AUTHORITY, new_field_spec=specification)
    return pdf_signer.sign_pdf(writer_of(pdf)).getvalue()


def sign_for_long(pdf, step):
    """Signs at level B-LTA: with validation data and a document timestamp."""
    context = ValidationContext(
        trust_roots=[for_pyhanko(root)],
        other_certs=[for_pyhanko(middle)],
        allow_fetching=False,
        moment=NOW.replace(tzinfo=datetime.timezone.utc),
    )
    return sign(pdf, step, embed_validation_info=True, use_pades_lta=True, validation_context=context)


CLOSED = {"store": add_store, "stamp": stamp}
OPEN = {
    **CLOSED,
    "sign": sign,
    "long": sign_for_long,
}


def main():
    logging.disable(logging.CRITICAL)
    depth = int(sys.argv[2])
    (FOLDER / "root.pem").write_bytes(root.public_bytes(serialization.Encoding.PEM))
    for path in sorted(FOLDER.glob("*-*.pdf")):
        steps = CLOSED if path.name.startswith("closed") else OPEN
        made = {(): path.read_bytes()}
        for length in range(1, depth + 1):
            for chain in itertools.product(steps, repeat=length):
                made[chain] = steps[chain[-1]](made[chain[:-1]], length)
        for chain, pdf in made.items():
            if len(chain) == depth:
                name = "+".join((path.stem, *chain))
                (FOLDER / f"{name}.pdf").write_bytes(pdf)
                print(name)


main()
