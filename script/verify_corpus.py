"""Compares our verdicts on signed PDF files with pyHanko's and pdfsig's: one line a signature, by hand.

    .tools/venv/bin/python script/verify_corpus.py COUNTERSIGN FOLDER...

COUNTERSIGN is the built program. Nobody is trusted, nothing is fetched: compared is whether a signature is intact and
what came after it. A line that begins with '!' is one where the three do not agree.
"""

import json
import logging
import subprocess
import sys
from pathlib import Path

from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature, validate_pdf_timestamp
from pyhanko_certvalidator import ValidationContext

SECONDS = 60


def ours(program, path):
    run = subprocess.run(
        [program, "verify", "--json", path], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if run.returncode not in (0, 1):
        return f"unreadable ({run.returncode})", {}
    verdict = json.loads(run.stdout)
    signatures = {}
    for signature, words in zip(verdict["signatures"], verdict["words"]["signatures"], strict=True):
        faults = [fault["fault"] for fault in signature["faults"]]
        level = signature["level"] or "-"
        signatures[signature["field"]] = (words["standing"] != "not_valid", f"{words['standing']} {level} {faults}")
    return f"{verdict['outcome']} {[fault[:60] for fault in verdict['faults']]}", signatures


def pyhanko(path):
    found = {}
    try:
        with open(path, "rb") as file:
            for signature in PdfFileReader(file, strict=False).embedded_signatures:
                context = ValidationContext(trust_roots=[], allow_fetching=False)
                try:
                    if signature.sig_object.get("/Type") == "/DocTimeStamp":
                        status = validate_pdf_timestamp(signature, context)
                        found[signature.field_name] = (status.intact and status.valid, status.coverage.name)
                        continue
                    status = validate_pdf_signature(signature, context)
                    good = status.intact and status.valid and status.docmdp_ok is not False
                    changed = status.modification_level.name if status.modification_level else "-"
                    found[signature.field_name] = (
                        good,
                        f"intact={status.intact} valid={status.valid} docmdp={status.docmdp_ok} "
                        f"{status.coverage.name} changed={changed}",
                    )
                except Exception as error:
                    found[signature.field_name] = (False, f"{type(error).__name__}: {str(error)[:80]}")
    except Exception as error:
        found[""] = (False, f"{type(error).__name__}: {str(error)[:80]}")
    return found


def pdfsig(path):
    run = subprocess.run(
        ["pdfsig", "-nocert", path], capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False
    )
    found, name = {}, ""
    for line in run.stdout.splitlines():
        line = line.strip().lstrip("- ")
        if line.startswith("Signature Field Name:"):
            name = line.split(":", 1)[1].strip()
        elif line.startswith("Signature Validation:"):
            said = line.split(":", 1)[1].strip()
            found[name] = (said == "Signature is Valid.", said)
    return found


def main():
    logging.disable(logging.CRITICAL)
    program, *folders = sys.argv[1:]
    files = sorted(path for folder in folders for path in Path(folder).rglob("*.pdf"))
    for path in files:
        if b"/ByteRange" not in path.read_bytes() and b"/Sig" not in path.read_bytes():
            continue
        others, third = pyhanko(path), pdfsig(path)
        outcome, own = ours(program, path)
        if not (others or third or own):
            continue
        print(f"{path.name}: {outcome}")
        for field in sorted(set(own) | set(others) | set(third)):
            said = [answers.get(field) for answers in (own, others, third)]
            agree = len({answer[0] for answer in said if answer}) <= 1
            print(f"{' ' if agree else '!'}  {field or '(no field)'}")
            for who, answer in zip(("ours", "pyHanko", "pdfsig"), said, strict=True):
                print(f"      {who:8} {answer[1] if answer else '-'}")


main()
