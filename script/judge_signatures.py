"""Judges the signatures of PDF files with pyHanko: one JSON line a file, a list of complaints (empty: content).

    .tools/venv/bin/python script/judge_signatures.py ROOT.pem FILE.pdf...

Nothing is fetched: a file must hold all that its judgement needs, but the trust in ROOT. Signatures that others made
before ours, whose signers lead to other roots, must be intact and valid, and what was added after them must be allowed.
"""

import json
import logging
import sys

from pyhanko.keys import load_cert_from_pemder
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature, validate_pdf_timestamp
from pyhanko.sign.validation.status import SignatureCoverageLevel
from pyhanko_certvalidator import ValidationContext


def is_of_others(signature, root):
    signer = signature.signer_cert
    return signer is None or signer.authority_key_identifier != root.key_identifier


def complaints(path, root):
    with open(path, "rb") as file:
        signatures = list(PdfFileReader(file).embedded_signatures)
        if not signatures:
            yield "there is no signature"
        for number, signature in enumerate(signatures, 1):
            name = signature.field_name
            context = ValidationContext(trust_roots=[root], allow_fetching=False)
            if number < len(signatures) and is_of_others(signature, root):
                is_timestamp = signature.sig_object.get("/Type") == "/DocTimeStamp"
                status = (validate_pdf_timestamp if is_timestamp else validate_pdf_signature)(signature, context)
                if not (status.intact and status.valid and status.docmdp_ok is not False):
                    yield f"{name}: the earlier signature does not hold any more ({status.summary()})"
                continue
            status = validate_pdf_signature(signature, context)
            if not status.intact:
                yield f"{name}: the signed bytes were changed"
            if not status.valid:
                yield f"{name}: the signature is not valid"
            if not status.trusted:
                yield f"{name}: the signer is not trusted"
            if not status.bottom_line:
                yield f"{name}: {status.summary()}"
            if number == len(signatures) and status.coverage != SignatureCoverageLevel.ENTIRE_FILE:
                yield f"{name}: covers {status.coverage.name}, not the entire file"


def main():
    logging.disable(logging.CRITICAL)
    root = load_cert_from_pemder(sys.argv[1])
    for path in sys.argv[2:]:
        try:
            found = list(complaints(path, root))
        except Exception as error:  # whatever pyHanko refuses is a complaint
            found = [f"{type(error).__name__}: {error}"]
        print(json.dumps(found), flush=True)


main()
