"""Signs a PDF as other programs do: with pyHanko, and certificates of an authority with an intermediate one.

    python sign_as_others.py FOLDER

FOLDER holds plain.pdf. Written are root.pem and, for each way of signing, a file NAME.pdf; the names are printed.
"""

import datetime
import io
import logging
import sys
from pathlib import Path

from asn1crypto import keys as asn1_keys, x509 as asn1_x509
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign import fields, signers
from pyhanko.sign.timestamps import DummyTimeStamper
from pyhanko_certvalidator.registry import SimpleCertificateStore

# The tests' clock stands at this day.
NOW = datetime.datetime(2026, 11, 28, 1, 2, 3)
FOLDER = Path(sys.argv[1])


def issue(subject, key, issuer, issuer_key, authority, days=365, usage=None, serial=None):
    def name(text):
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    builder = (
        x509.CertificateBuilder()
        .subject_name(name(subject))
        .issuer_name(name(issuer))
        .public_key(key.public_key())
        .serial_number(serial or x509.random_serial_number())
        .not_valid_before(NOW - datetime.timedelta(days=1))
        .not_valid_after(NOW + datetime.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .add_extension(
            x509.KeyUsage(
                digital_signature=not authority,
                content_commitment=not authority,
                key_encipherment=False,
                data_encipherment=False,
                key_agreement=False,
                key_cert_sign=authority,
                crl_sign=authority,
                encipher_only=False,
                decipher_only=False,
            ),
            critical=True,
        )
    )
    if usage:
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=True)
    return builder.sign(issuer_key, hashes.SHA256())


def for_pyhanko(certificate):
    return asn1_x509.Certificate.load(certificate.public_bytes(serialization.Encoding.DER))


root_key = ec.generate_private_key(ec.SECP384R1())
root = issue("Other root", root_key, "Other root", root_key, True, days=3650)
middle_key = rsa.generate_private_key(65537, 2048)
middle = issue("Other intermediate", middle_key, "Other root", root_key, True, days=3650)


def pkcs8(key):
    der = key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return asn1_keys.PrivateKeyInfo.load(der)


def authority(name, days, at):
    """A time-stamp authority whose certificate ends after some days, and whose clock stands."""
    key = rsa.generate_private_key(65537, 2048)
    certificate = issue(name, key, "Other root", root_key, False, days, ExtendedKeyUsageOID.TIME_STAMPING)
    store = SimpleCertificateStore()
    store.register(for_pyhanko(root))
    return DummyTimeStamper(
        for_pyhanko(certificate), pkcs8(key), certs_to_embed=store, fixed_dt=at.replace(tzinfo=datetime.timezone.utc)
    )


def list_of_revoked(revoked, at):
    builder = (
        x509.CertificateRevocationListBuilder()
        .issuer_name(middle.subject)
        .last_update(at)
        .next_update(at + datetime.timedelta(days=7))
    )
    for serial, since in revoked:
        entry = x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(since).build()
        builder = builder.add_revoked_certificate(entry)
    return builder.sign(middle_key, hashes.SHA256())


REVOKED = 4711


def signer(key, serial=None, **options):
    certificate = issue("Other signer", key, "Other intermediate", middle_key, False, serial=serial)
    store = SimpleCertificateStore()
    store.register_multiple([for_pyhanko(middle), for_pyhanko(root)])
    return signers.SimpleSigner(
        signing_cert=for_pyhanko(certificate),
        signing_key=pkcs8(key),
        cert_registry=store,
        **options,
    )


def sign(
    pdf, by, digest="sha256", field="Signature1", subfilter=fields.SigSeedSubFilter.PADES, timestamper=None, **options
):
    metadata = signers.PdfSignatureMetadata(
        field_name=field, md_algorithm=digest, subfilter=subfilter, reason="계약", location="서울", **options
    )
    writer = IncrementalPdfFileWriter(io.BytesIO(pdf))
    return signers.sign_pdf(writer, metadata, by, timestamper=timestamper).getvalue()


def stamp(pdf, timestamper):
    """Appends a document timestamp."""
    writer = IncrementalPdfFileWriter(io.BytesIO(pdf))
    return signers.PdfTimeStamper(timestamper).timestamp_pdf(writer, "sha256").getvalue()


def main():
    logging.disable(logging.CRITICAL)
    (FOLDER / "root.pem").write_bytes(root.public_bytes(serialization.Encoding.PEM))
    plain = (FOLDER / "plain.pdf").read_bytes()
    rsa_key = rsa.generate_private_key(65537, 2048)
    p256 = signer(ec.generate_private_key(ec.SECP256R1()))
    p384 = signer(ec.generate_private_key(ec.SECP384R1()))
    plain_format = fields.SigSeedSubFilter.ADOBE_PKCS7_DETACHED
    first = sign(plain, p256)
    day = datetime.timedelta(days=1)
    first_authority = authority("First authority", 30, NOW)
    stamped = sign(plain, p256, timestamper=first_authority)
    renewed = stamp(stamped, authority("Second authority", 3000, NOW + 20 * day))
    revoked = signer(ec.generate_private_key(ec.SECP256R1()), serial=REVOKED)
    for name, since in [("before", NOW - day / 24), ("after", NOW + 3 * day)]:
        crl = list_of_revoked([(REVOKED, since)], NOW + 4 * day)
        (FOLDER / f"revoked-{name}.crl").write_bytes(crl.public_bytes(serialization.Encoding.DER))
    made = {
        "rsa-pkcs1-sha256": sign(plain, signer(rsa_key)),
        "rsa-pkcs1-sha512": sign(plain, signer(rsa_key), "sha512"),
        "rsa-pss-sha256": sign(plain, signer(rsa_key, prefer_pss=True)),
        "rsa-pss-sha384": sign(plain, signer(rsa_key, prefer_pss=True), "sha384"),
        "ecdsa-p256-sha256": first,
        "ecdsa-p384-sha384": sign(plain, p384, "sha384"),
        "ecdsa-p521-sha512": sign(plain, signer(ec.generate_private_key(ec.SECP521R1())), "sha512"),
        "ed25519": sign(plain, signer(ed25519.Ed25519PrivateKey.generate()), "sha512"),
        "pkcs7-detached": sign(plain, p256, subfilter=plain_format),
        "certified": sign(plain, p256, certify=True, docmdp_permissions=fields.MDPPerm.FILL_FORMS),
        "signed-twice": sign(first, p384, "sha384", field="Signature2"),
        "time-stamped": stamped,
        "time-renewed": renewed,
        "time-too-late": stamp(stamped, authority("Late authority", 3000, NOW + 40 * day)),
        "time-revoked": sign(plain, revoked, timestamper=first_authority),
        "weak-sha1": sign(plain, signer(rsa_key), "sha1"),
        "weak-rsa-1024": sign(plain, signer(rsa.generate_private_key(65537, 1024))),
    }
    for name, pdf in made.items():
        (FOLDER / f"{name}.pdf").write_bytes(pdf)
        print(name)


if __name__ == "__main__":
    main()
