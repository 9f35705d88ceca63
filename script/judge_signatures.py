"""Judges the signatures of PDF files with pyHanko: one JSON line a file, a list of complaints (empty: content).

    .tools/venv/bin/python script/judge_signatures.py [--long-term] [--at MOMENT] [--list FILE.crl] ROOTS.pem FILE.pdf...

Nothing is fetched: a file must hold all that its judgement needs, but the trust in ROOTS. With --long-term every signature
must stand the validation of EN 319 102-1 for signatures with archive timestamps, with the revocation of each signer proved
by what the file holds. MOMENT (ISO 8601, with its offset) is when the judge lives; now, where none is given. A revocation
list is what the judge would fetch at that moment: the status of the last timestamp's own signer, which no file can hold. Signatures
that others made before ours, whose signers lead to other roots, must be intact and valid, and what was added after them must
be allowed.
"""

import argparse
import asyncio
import datetime
import json
import logging

from asn1crypto.crl import CertificateList
from pyhanko.keys import load_certs_from_pemder
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.ades.report import AdESPassed
from pyhanko.sign.validation import ades, validate_pdf_signature, validate_pdf_timestamp
from pyhanko.sign.validation.dss import DocumentSecurityStore
from pyhanko.sign.validation.errors import NoDSSFoundError
from pyhanko.sign.validation.policy_decl import (
    LocalKnowledge,
    PdfSignatureValidationSpec,
    RevinfoOnlineFetchingRule,
    RevocationInfoGatheringSpec,
    SignatureValidationSpec,
)
from pyhanko.sign.validation.status import SignatureCoverageLevel
from pyhanko_certvalidator import ValidationContext
from pyhanko_certvalidator.authority import CertTrustAnchor
from pyhanko_certvalidator.context import CertValidationPolicySpec
from pyhanko_certvalidator.ltv import ades_past, poe
from pyhanko_certvalidator.ltv.types import ValidationTimingInfo
from pyhanko_certvalidator.policy_decl import CertRevTrustPolicy, RevocationCheckingPolicy, RevocationCheckingRule
from pyhanko_certvalidator.registry import SimpleTrustManager
from pyhanko_certvalidator.revinfo.archival import CRLContainer


def is_of_others(signature, roots):
    signer = signature.signer_cert
    return signer is None or all(
        signer.authority_key_identifier != root.key_identifier for root in roots
    )


def live_at(at):
    """Lets the modules that ask for the present moment themselves, whatever moment they are given, live at `at`."""

    class Then(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return at.astimezone(tz)

    for module in (ades, ades_past, poe):
        module.datetime = Then


def context(reader, roots, at, lists):
    arguments = {"trust_roots": roots, "allow_fetching": False, "moment": at, "crls": lists}
    try:
        return DocumentSecurityStore.read_dss(reader).as_validation_context(arguments)
    except NoDSSFoundError:
        return ValidationContext(**arguments)


def long_term(reader, roots, at, lists):
    """What is against the signatures as signatures with archive timestamps."""
    required = RevocationCheckingRule.CRL_OR_OCSP_REQUIRED
    policy = CertValidationPolicySpec(
        trust_manager=SimpleTrustManager.build([CertTrustAnchor(root) for root in roots]),
        revinfo_policy=CertRevTrustPolicy(
            RevocationCheckingPolicy(ee_certificate_rule=required, intermediate_ca_cert_rule=required)
        ),
    )
    specification = PdfSignatureValidationSpec(
        SignatureValidationSpec(
            cert_validation_policy=policy,
            local_knowledge=LocalKnowledge(known_crls=[CRLContainer(content) for content in lists]),
            revinfo_gathering_policy=RevocationInfoGatheringSpec(
                online_fetching_rule=RevinfoOnlineFetchingRule.LOCAL_ONLY
            ),
        )
    )
    timing = ValidationTimingInfo(validation_time=at, best_signature_time=at, point_in_time_validation=False)
    if not reader.embedded_timestamp_signatures:
        yield "there is no document timestamp"
    for signature in reader.embedded_regular_signatures:
        result = asyncio.run(ades.ades_lta_validation(signature, specification, timing))
        name = signature.field_name
        if result.ades_subindic != AdESPassed.OK:
            yield f"{name}: {result.ades_subindic.standard_name}: {result.failure_msg}"
        elif result.oldest_evidence_record_timestamp is None:
            yield f"{name}: no document timestamp proves it"


def complaints(path, roots, at, lists, is_long_term):
    with open(path, "rb") as file:
        reader = PdfFileReader(file)
        signatures = list(reader.embedded_signatures)
        if not signatures:
            yield "there is no signature"
        if is_long_term:
            yield from long_term(reader, roots, at, lists)
        last = len(signatures)
        for number, signature in enumerate(signatures, 1):
            name = signature.field_name
            if is_long_term and number < last:
                continue  # its own certificate may be over; judged above
            is_timestamp = signature.sig_object_type == "/DocTimeStamp"
            if number < last and is_of_others(signature, roots):
                status = (validate_pdf_timestamp if is_timestamp else validate_pdf_signature)(
                    signature, context(reader, roots, at, lists)
                )
                if not (status.intact and status.valid and status.docmdp_ok is not False):
                    yield f"{name}: the earlier signature does not hold any more ({status.summary()})"
                continue
            if is_timestamp:
                status = validate_pdf_timestamp(signature, context(reader, roots, at, lists))
            else:
                validation = context(reader, roots, at, lists)
                status = validate_pdf_signature(
                    signature, validation, ts_validation_context=context(reader, roots, at, lists)
                )
                if not status.bottom_line:
                    yield f"{name}: {status.summary()}"
            if not status.intact:
                yield f"{name}: the signed bytes were changed"
            if not status.valid:
                yield f"{name}: the signature is not valid"
            if not status.trusted:
                yield f"{name}: the signer is not trusted"
            if number == last and status.coverage != SignatureCoverageLevel.ENTIRE_FILE:
                yield f"{name}: covers {status.coverage.name}, not the entire file"


def main():
    logging.disable(logging.CRITICAL)
    parser = argparse.ArgumentParser()
    parser.add_argument("--long-term", action="store_true")
    parser.add_argument("--at", type=datetime.datetime.fromisoformat)
    parser.add_argument("--list", action="append", default=[], dest="lists")
    parser.add_argument("roots")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    roots = list(load_certs_from_pemder([arguments.roots]))
    lists = []
    for path in arguments.lists:
        with open(path, "rb") as file:
            lists.append(CertificateList.load(file.read()))
    at = arguments.at or datetime.datetime.now(datetime.timezone.utc)
    live_at(at)
    for path in arguments.files:
        try:
            found = list(complaints(path, roots, at, lists, arguments.long_term))
        except Exception as error:  # whatever pyHanko refuses is a complaint
            found = [f"{type(error).__name__}: {error}"]
        print(json.dumps(found), flush=True)


main()
