//! Certificates: who signed, whether the signature is of that key, and whether a trusted root
//! vouches for it (RFC 5280, 6, without policies; revocation is looked at in `revocation`).

use aws_lc_rs::digest::Digest;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA384_ASN1, ECDSA_P256_SHA512_ASN1, ECDSA_P384_SHA256_ASN1,
    ECDSA_P384_SHA384_ASN1, ECDSA_P384_SHA512_ASN1, ECDSA_P521_SHA256_ASN1, ECDSA_P521_SHA384_ASN1,
    ECDSA_P521_SHA512_ASN1, ED25519, RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY,
    RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY,
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPssSaltLength, UnparsedPublicKey,
    VerificationAlgorithm,
};
use const_oid::ObjectIdentifier;
use const_oid::db::rfc5280::{ANY_EXTENDED_KEY_USAGE, ID_KP_CLIENT_AUTH, ID_KP_EMAIL_PROTECTION};
use const_oid::db::rfc5912::{
    ECDSA_WITH_SHA_256, ECDSA_WITH_SHA_384, ECDSA_WITH_SHA_512, ID_EC_PUBLIC_KEY, ID_MGF_1, ID_RSASSA_PSS, ID_SHA_1,
    ID_SHA_256, ID_SHA_384, ID_SHA_512, RSA_ENCRYPTION, SECP_256_R_1, SECP_384_R_1, SECP_521_R_1,
    SHA_1_WITH_RSA_ENCRYPTION, SHA_256_WITH_RSA_ENCRYPTION, SHA_384_WITH_RSA_ENCRYPTION, SHA_512_WITH_RSA_ENCRYPTION,
};
use const_oid::db::rfc8410::ID_ED_25519;
use der::asn1::AnyRef;
use der::{Decode, Encode, Reader, SliceReader, Tag, Tagged};
use jiff::Timestamp;
use x509_cert::Certificate;
use x509_cert::ext::pkix::{BasicConstraints, ExtendedKeyUsage, KeyUsage, SubjectKeyIdentifier};
use x509_cert::time::Time;

use super::{Fault, Identity, TrustedRoots};
use crate::cms::{Algorithm, SignedMessage, SignerId};

/// The longest path from a signer to a root, in certificates.
const MAX_PATH: usize = 8;
/// How many certificates of a message are looked at.
pub(super) const MAX_POOL: usize = 64;
/// How many signatures of certificates are checked; each costs up to a millisecond.
const MAX_CHECKS: usize = 64;

/// Extensions whose meaning is honoured, or touches nothing here, so that they may be critical:
/// key usage, subject alternative name, basic constraints, certificate policies, extended key usage.
const UNDERSTOOD: &[&str] = &["2.5.29.15", "2.5.29.17", "2.5.29.19", "2.5.29.32", "2.5.29.37"];

/// A certificate with the bytes that it is made of.
pub(crate) struct Certified<'a> {
    /// All of it.
    pub(crate) der: &'a [u8],
    /// What its issuer signed.
    to_be_signed: &'a [u8],
    certificate: Certificate,
}

impl<'a> Certified<'a> {
    pub(crate) fn parse(der: &'a [u8]) -> Option<Self> {
        let certificate = Certificate::from_der(der).ok()?;
        let whole = AnyRef::from_der(der).ok()?;
        let to_be_signed = SliceReader::new(whole.value()).ok()?.tlv_bytes().ok()?;
        Some(Self {
            der,
            to_be_signed,
            certificate,
        })
    }

    /// The certificate among `pool` that a message names as its signer's.
    pub(crate) fn find(signer: SignerId<'_>, pool: impl Iterator<Item = &'a [u8]>) -> Option<Self> {
        pool.take(MAX_POOL)
            .filter_map(Self::parse)
            .find(|candidate| candidate.is(signer))
    }

    /// An extension, and whether it is critical; none where it is missing or cannot be read.
    pub(crate) fn extension<T: der::oid::AssociatedOid + for<'d> Decode<'d, Error = der::Error>>(
        &self,
    ) -> Option<(bool, T)> {
        let found = self.certificate.tbs_certificate().get_extension::<T>();
        found.ok().flatten()
    }

    fn is(&self, signer: SignerId<'_>) -> bool {
        let body = self.certificate.tbs_certificate();
        match signer {
            SignerId::IssuerAndSerial { issuer, serial } => {
                body.issuer().to_der().is_ok_and(|der| der == issuer) && body.serial_number().as_bytes() == serial
            }
            SignerId::KeyIdentifier(identifier) => body
                .get_extension::<SubjectKeyIdentifier>()
                .ok()
                .flatten()
                .is_some_and(|(_, own)| own.0.as_bytes() == identifier),
        }
    }

    pub(super) fn subject(&self) -> String {
        self.certificate.tbs_certificate().subject().to_string()
    }

    pub(super) fn issuer(&self) -> String {
        self.certificate.tbs_certificate().issuer().to_string()
    }

    pub(super) fn identity(&self) -> Option<Identity> {
        let body = self.certificate.tbs_certificate();
        let validity = body.validity();
        Some(Identity {
            common_name: name_part(body.subject(), const_oid::db::rfc4519::CN),
            organization: name_part(body.subject(), const_oid::db::rfc4519::O),
            subject: self.subject(),
            issuer: self.issuer(),
            serial: hex::encode(body.serial_number().as_bytes()),
            not_before: timestamp(validity.not_before)?,
            not_after: timestamp(validity.not_after)?,
            fingerprint: hex::encode(aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, self.der).as_ref()),
        })
    }

    /// Whether the message's signature is of this certificate's key; over its signed attributes, or, where it has none,
    /// over `content`.
    pub(super) fn verify_message_over(&self, message: &SignedMessage<'_>, content: &Digest) -> Result<(), Fault> {
        let algorithm = message.signature_algorithm;
        let over = if message.signed_attributes.is_empty() {
            Over::Digest(content)
        } else {
            Over::Message(&message.signed_attributes)
        };
        self.verify_with_key(
            algorithm.oid,
            algorithm.parameters,
            Some(message.digest_algorithm.oid),
            over,
            message.signature,
        )
    }

    /// Whether the message's signature over its signed attributes is of this certificate's key.
    pub(crate) fn verify_message(&self, message: &SignedMessage<'_>) -> Result<(), Fault> {
        let algorithm = message.signature_algorithm;
        self.verify_with_key(
            algorithm.oid,
            algorithm.parameters,
            Some(message.digest_algorithm.oid),
            Over::Message(&message.signed_attributes),
            message.signature,
        )
    }

    /// Whether this certificate's key signed `message`: a list or an answer about certificates.
    pub(super) fn has_signed(&self, algorithm: Algorithm<'_>, message: &[u8], signature: &[u8]) -> bool {
        self.verify_with_key(
            algorithm.oid,
            algorithm.parameters,
            None,
            Over::Message(message),
            signature,
        )
        .is_ok()
    }

    /// Whether `issuer`'s key signed this certificate.
    pub(super) fn is_signed_by(&self, issuer: &Self) -> bool {
        let algorithm = self.certificate.signature_algorithm();
        let Some(signature) = self.certificate.signature().as_bytes() else {
            return false;
        };
        let named = Algorithm {
            oid: algorithm.oid,
            parameters: algorithm.parameters.as_ref().map(AnyRef::from),
        };
        // RFC 5280, 4.1.1.2: the outer algorithm must be the signed one.
        self.certificate.tbs_certificate().signature() == algorithm
            && issuer.has_signed(named, self.to_be_signed, signature)
    }

    /// The number of the certificate, as its issuer gave it.
    pub(super) fn serial_number(&self) -> &[u8] {
        self.certificate.tbs_certificate().serial_number().as_bytes()
    }

    /// The subject's name, DER.
    pub(super) fn subject_der(&self) -> Option<Vec<u8>> {
        self.certificate.tbs_certificate().subject().to_der().ok()
    }

    /// The key itself, without its algorithm.
    pub(super) fn key(&self) -> &[u8] {
        self.certificate
            .tbs_certificate()
            .subject_public_key_info()
            .subject_public_key
            .raw_bytes()
    }

    /// The certificate's last moment.
    pub(super) fn not_after(&self) -> Option<Timestamp> {
        timestamp(self.certificate.tbs_certificate().validity().not_after)
    }

    /// Whether `at` lies between the certificate's first and last moment.
    pub(super) fn is_in_its_time(&self, at: Timestamp) -> bool {
        in_its_time(self, at).is_ok()
    }

    /// Whether it is one of an authority that issues certificates.
    pub(super) fn is_authority(&self) -> bool {
        self.extension::<BasicConstraints>()
            .is_some_and(|(_, constraints)| constraints.ca)
    }

    /// Whether it says that `issuer` issued it.
    pub(super) fn names_as_issuer(&self, issuer: &Self) -> bool {
        self.certificate.tbs_certificate().issuer() == issuer.certificate.tbs_certificate().subject()
    }

    /// Whether the key may sign revocation lists; certificates without key usage may be used for anything.
    pub(super) fn may_sign_lists(&self) -> bool {
        matches!(key_usage(self), Ok(None)) || matches!(key_usage(self), Ok(Some(usage)) if usage.crl_sign())
    }

    fn verify_with_key(
        &self,
        algorithm: ObjectIdentifier,
        parameters: Option<AnyRef<'_>>,
        digest: Option<ObjectIdentifier>,
        over: Over<'_>,
        signature: &[u8],
    ) -> Result<(), Fault> {
        let key = self.certificate.tbs_certificate().subject_public_key_info();
        let curve = key
            .algorithm
            .parameters
            .as_ref()
            .and_then(|curve| curve.decode_as::<ObjectIdentifier>().ok());
        let raw = key.subject_public_key.raw_bytes();
        let matches = |verification: &'static dyn VerificationAlgorithm| {
            let key = UnparsedPublicKey::new(verification, raw);
            match over {
                Over::Message(message) => key.verify(message, signature),
                Over::Digest(digest) => key.verify_digest(digest, signature),
            }
            .map_err(|_| Fault::SignatureMismatch)
        };
        // What is broken is still looked at: a signature that does not even fit is no weak one.
        if let Some((verification, name)) = weak(key.algorithm.oid, raw, algorithm, digest) {
            matches(verification)?;
            return Err(Fault::WeakAlgorithm { name });
        }
        let verification = verification(key.algorithm.oid, curve, algorithm, parameters, digest).ok_or_else(|| {
            Fault::UnsupportedAlgorithm {
                name: algorithm_name(algorithm),
            }
        })?;
        matches(verification)
    }
}

/// Whether the key of `issuer` signed `certificate` (both DER), and its name is the issuer's.
pub(crate) fn is_issued_by(certificate: &[u8], issuer: &[u8]) -> bool {
    match (Certified::parse(certificate), Certified::parse(issuer)) {
        (Some(certificate), Some(issuer)) => certificate.names_as_issuer(&issuer) && certificate.is_signed_by(&issuer),
        _ => false,
    }
}

/// Whether the key of `certificate` (DER) signed `message`.
pub(crate) fn is_signed_by_key_of(
    certificate: &[u8],
    algorithm: &spki::AlgorithmIdentifierOwned,
    message: &[u8],
    signature: &[u8],
) -> bool {
    let parameters = algorithm.parameters.as_ref().map(AnyRef::from);
    Certified::parse(certificate).is_some_and(|certificate| {
        certificate
            .verify_with_key(algorithm.oid, parameters, None, Over::Message(message), signature)
            .is_ok()
    })
}

/// What a signature is over.
#[derive(Clone, Copy)]
enum Over<'a> {
    /// The whole of it.
    Message(&'a [u8]),
    /// Something of which only the digest is at hand.
    Digest(&'a Digest),
}

/// Bits of an RSA key below which it is no longer secure (NIST SP 800-131A).
const LEAST_RSA_BITS: usize = 2048;

/// The bits of an RSA key's modulus, from `RSAPublicKey` (RFC 8017, A.1.1).
fn rsa_bits(key: &[u8]) -> Option<usize> {
    let sequence = AnyRef::from_der(key).ok()?;
    let mut reader = SliceReader::new(sequence.value()).ok()?;
    let modulus = AnyRef::decode(&mut reader).ok()?;
    let octets: Vec<u8> = modulus
        .value()
        .iter()
        .copied()
        .skip_while(|octet| *octet == 0)
        .collect();
    let zeros = octets.first()?.leading_zeros();
    Some(octets.len() * 8 - usize::try_from(zeros).ok()?)
}

/// An algorithm that is known and no longer secure, with its name for people: RSA with SHA-1, or with a short key.
fn weak(
    key: ObjectIdentifier,
    raw: &[u8],
    algorithm: ObjectIdentifier,
    digest: Option<ObjectIdentifier>,
) -> Option<(&'static RsaParameters, String)> {
    if key != RSA_ENCRYPTION {
        return None;
    }
    let hash = match algorithm {
        RSA_ENCRYPTION => digest?,
        SHA_1_WITH_RSA_ENCRYPTION => ID_SHA_1,
        SHA_256_WITH_RSA_ENCRYPTION => ID_SHA_256,
        SHA_512_WITH_RSA_ENCRYPTION => ID_SHA_512,
        _ => return None,
    };
    if hash == ID_SHA_1 {
        return Some((
            &const { RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY },
            "SHA-1".to_owned(),
        ));
    }
    let bits = rsa_bits(raw).filter(|bits| *bits < LEAST_RSA_BITS)?;
    let verification = match hash {
        ID_SHA_256 => &const { RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY },
        ID_SHA_512 => &const { RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY },
        _ => return None,
    };
    Some((verification, format!("RSA, {bits} bits")))
}

/// The algorithm for a key and an algorithm identifier; none where they do not fit each other.
fn verification(
    key: ObjectIdentifier,
    curve: Option<ObjectIdentifier>,
    algorithm: ObjectIdentifier,
    parameters: Option<AnyRef<'_>>,
    digest: Option<ObjectIdentifier>,
) -> Option<&'static dyn VerificationAlgorithm> {
    // Many signers write plain rsaEncryption and leave the digest to its own field (RFC 3370, 3.2), and some do so with
    // the key of an elliptic curve.
    let hash = match algorithm {
        RSA_ENCRYPTION | ID_EC_PUBLIC_KEY => digest?,
        SHA_256_WITH_RSA_ENCRYPTION | ECDSA_WITH_SHA_256 => ID_SHA_256,
        SHA_384_WITH_RSA_ENCRYPTION | ECDSA_WITH_SHA_384 => ID_SHA_384,
        SHA_512_WITH_RSA_ENCRYPTION | ECDSA_WITH_SHA_512 => ID_SHA_512,
        ID_RSASSA_PSS if matches!(key, RSA_ENCRYPTION | ID_RSASSA_PSS) => {
            let (hash, salt) = pss_parameters(parameters?)?;
            return pss(hash, salt);
        }
        ID_ED_25519 if key == ID_ED_25519 => return Some(&ED25519),
        _ => return None,
    };
    let is_ecdsa = matches!(
        algorithm,
        ID_EC_PUBLIC_KEY | ECDSA_WITH_SHA_256 | ECDSA_WITH_SHA_384 | ECDSA_WITH_SHA_512
    );
    match (key, curve, hash) {
        (ID_EC_PUBLIC_KEY, Some(SECP_256_R_1), ID_SHA_256) if is_ecdsa => Some(&ECDSA_P256_SHA256_ASN1),
        (ID_EC_PUBLIC_KEY, Some(SECP_256_R_1), ID_SHA_384) if is_ecdsa => Some(&ECDSA_P256_SHA384_ASN1),
        (ID_EC_PUBLIC_KEY, Some(SECP_256_R_1), ID_SHA_512) if is_ecdsa => Some(&ECDSA_P256_SHA512_ASN1),
        (ID_EC_PUBLIC_KEY, Some(SECP_384_R_1), ID_SHA_256) if is_ecdsa => Some(&ECDSA_P384_SHA256_ASN1),
        (ID_EC_PUBLIC_KEY, Some(SECP_384_R_1), ID_SHA_384) if is_ecdsa => Some(&ECDSA_P384_SHA384_ASN1),
        (ID_EC_PUBLIC_KEY, Some(SECP_384_R_1), ID_SHA_512) if is_ecdsa => Some(&ECDSA_P384_SHA512_ASN1),
        (ID_EC_PUBLIC_KEY, Some(SECP_521_R_1), ID_SHA_256) if is_ecdsa => Some(&ECDSA_P521_SHA256_ASN1),
        (ID_EC_PUBLIC_KEY, Some(SECP_521_R_1), ID_SHA_384) if is_ecdsa => Some(&ECDSA_P521_SHA384_ASN1),
        (ID_EC_PUBLIC_KEY, Some(SECP_521_R_1), ID_SHA_512) if is_ecdsa => Some(&ECDSA_P521_SHA512_ASN1),
        (RSA_ENCRYPTION, _, _) if !is_ecdsa => match hash {
            ID_SHA_256 => Some(&RSA_PKCS1_2048_8192_SHA256),
            ID_SHA_384 => Some(&RSA_PKCS1_2048_8192_SHA384),
            ID_SHA_512 => Some(&RSA_PKCS1_2048_8192_SHA512),
            _ => None,
        },
        _ => None,
    }
}

/// The hash and the length of the salt in `RSASSA-PSS-params` (RFC 4055, 3.1), where the mask's hash is the
/// same, as signers write it.
fn pss_parameters(parameters: AnyRef<'_>) -> Option<(ObjectIdentifier, u16)> {
    let mut reader = SliceReader::new(parameters.value()).ok()?;
    // RFC 4055, 3.1: what is left out is SHA-1, and a salt of 20 octets.
    let (mut hash, mut mask_hash, mut salt) = (None, None, 20);
    while !reader.is_finished() {
        let element = AnyRef::decode(&mut reader).ok()?;
        let Tag::ContextSpecific { number, .. } = element.tag() else {
            return None;
        };
        match number.value() {
            0 => hash = Some(algorithm_oid(element.value())?.0),
            1 => {
                let (function, parameters) = algorithm_oid(element.value())?;
                if function != ID_MGF_1 {
                    return None;
                }
                mask_hash = Some(algorithm_oid(&parameters?)?.0);
            }
            2 => salt = u16::from_der(element.value()).ok()?,
            _ => {}
        }
    }
    (mask_hash == hash).then_some((hash?, salt))
}

/// The algorithm for a salt as long as a hash, or as long as the key allows; signers use no others.
fn pss(hash: ObjectIdentifier, salt: u16) -> Option<&'static dyn VerificationAlgorithm> {
    const TWENTY: RsaPssSaltLength = RsaPssSaltLength::Custom(20);
    const THIRTY_TWO: RsaPssSaltLength = RsaPssSaltLength::Custom(32);
    const MAX: RsaPssSaltLength = RsaPssSaltLength::Max;
    Some(match (hash, salt) {
        (ID_SHA_256, 32) => &RSA_PSS_2048_8192_SHA256,
        (ID_SHA_384, 48) => &RSA_PSS_2048_8192_SHA384,
        (ID_SHA_512, 64) => &RSA_PSS_2048_8192_SHA512,
        (ID_SHA_256, 20) => &const { RSA_PSS_2048_8192_SHA256.with_pss_salt_length(TWENTY) },
        (ID_SHA_384, 20) => &const { RSA_PSS_2048_8192_SHA384.with_pss_salt_length(TWENTY) },
        (ID_SHA_512, 20) => &const { RSA_PSS_2048_8192_SHA512.with_pss_salt_length(TWENTY) },
        (ID_SHA_384, 32) => &const { RSA_PSS_2048_8192_SHA384.with_pss_salt_length(THIRTY_TWO) },
        (ID_SHA_512, 32) => &const { RSA_PSS_2048_8192_SHA512.with_pss_salt_length(THIRTY_TWO) },
        (ID_SHA_256, _) => &const { RSA_PSS_2048_8192_SHA256.with_pss_salt_length(MAX) },
        (ID_SHA_384, _) => &const { RSA_PSS_2048_8192_SHA384.with_pss_salt_length(MAX) },
        (ID_SHA_512, _) => &const { RSA_PSS_2048_8192_SHA512.with_pss_salt_length(MAX) },
        _ => return None,
    })
}

/// The object identifier of an algorithm identifier, and the DER of its parameters.
fn algorithm_oid(der: &[u8]) -> Option<(ObjectIdentifier, Option<Vec<u8>>)> {
    let sequence = AnyRef::from_der(der).ok()?;
    let mut reader = SliceReader::new(sequence.value()).ok()?;
    let oid = ObjectIdentifier::decode(&mut reader).ok()?;
    if reader.is_finished() {
        return Some((oid, None));
    }
    Some((oid, Some(reader.tlv_bytes().ok()?.to_vec())))
}

/// A readable name of an algorithm, or its number.
pub(super) fn algorithm_name(oid: ObjectIdentifier) -> String {
    const_oid::db::DB
        .by_oid(&oid)
        .map_or_else(|| oid.to_string(), |name| format!("{name} ({oid})"))
}

/// The certificates among which paths are looked for.
pub(super) struct Pool<'a> {
    roots: Vec<Certified<'a>>,
    others: Vec<Certified<'a>>,
}

impl<'a> Pool<'a> {
    pub(super) fn new(roots: &'a TrustedRoots, others: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut seen = std::collections::BTreeSet::new();
        Self {
            roots: roots
                .certificates()
                .iter()
                .filter_map(|der| Certified::parse(der))
                .collect(),
            others: others
                .filter(|der| seen.insert(*der))
                .filter_map(Certified::parse)
                .collect(),
        }
    }

    /// The certificates that came with the file.
    pub(super) fn others(&self) -> &[Certified<'a>] {
        &self.others
    }

    /// The path of certificates from a signer to a trusted root, each in its time at the moment `at` and allowed to do
    /// what it does.
    pub(super) fn path<'p>(
        &'p self,
        signer: &'p Certified<'a>,
        at: Timestamp,
    ) -> Result<Vec<&'p Certified<'a>>, Fault> {
        let mut path = vec![signer];
        let mut checks = 0;
        if !extend_to_root(&mut path, &self.others, &self.roots, &mut checks) {
            let end = path.last().unwrap_or(&signer);
            return Err(Fault::UntrustedSigner {
                subject: end.subject(),
                issuer: end.issuer(),
            });
        }
        may_sign(signer)?;
        for (below, certificate) in path.iter().enumerate() {
            in_its_time(certificate, at)?;
            understood(certificate)?;
            if below > 0 {
                may_issue(certificate, below - 1)?;
            }
        }
        Ok(path)
    }
}

/// Extends a path, depth first, until it ends in a root; the longest dead end stays where none does.
fn extend_to_root<'p, 'd>(
    path: &mut Vec<&'p Certified<'d>>,
    pool: &'p [Certified<'d>],
    roots: &'p [Certified<'d>],
    checks: &mut usize,
) -> bool {
    let Some(end) = path.last().copied() else {
        return false;
    };
    if roots.iter().any(|root| root.der == end.der) {
        return true;
    }
    if path.len() >= MAX_PATH {
        return false;
    }
    let issuer = end.certificate.tbs_certificate().issuer();
    for candidate in roots.iter().chain(pool) {
        let is_on_path = path.iter().any(|certificate| certificate.der == candidate.der);
        if is_on_path || candidate.certificate.tbs_certificate().subject() != issuer {
            continue;
        }
        *checks += 1;
        if *checks > MAX_CHECKS {
            return false;
        }
        if !end.is_signed_by(candidate) {
            continue;
        }
        path.push(candidate);
        if extend_to_root(path, pool, roots, checks) {
            return true;
        }
        path.pop();
    }
    false
}

fn unusable(certificate: &Certified<'_>, reason: &str) -> Fault {
    Fault::CertificateUnusable {
        subject: certificate.subject(),
        reason: reason.to_owned(),
    }
}

fn key_usage(certificate: &Certified<'_>) -> Result<Option<KeyUsage>, Fault> {
    certificate
        .certificate
        .tbs_certificate()
        .get_extension::<KeyUsage>()
        .map(|found| found.map(|(_, usage)| usage))
        .map_err(|_| unusable(certificate, "its key usage cannot be read"))
}

fn may_sign(certificate: &Certified<'_>) -> Result<(), Fault> {
    match key_usage(certificate)? {
        Some(usage) if !usage.digital_signature() && !usage.non_repudiation() => {
            Err(unusable(certificate, "its key usage does not allow signatures"))
        }
        _ => Ok(()),
    }
}

/// The purposes of a certificate's key for which documents are signed, by whoever states them: any; client authentication, by
/// which many authorities that serve people mean the person; electronic mail (S/MIME); documents (RFC 9336); and the two older
/// numbers for documents of Microsoft and Adobe.
const OF_DOCUMENTS: [ObjectIdentifier; 6] = [
    ANY_EXTENDED_KEY_USAGE,
    ID_KP_CLIENT_AUTH,
    ID_KP_EMAIL_PROTECTION,
    ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.36"),
    ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.10.3.12"),
    ObjectIdentifier::new_unwrap("1.2.840.113583.1.1.5"),
];

/// Whether a certificate's key may sign documents: one that states no purpose may, one that states others alone may not
/// (RFC 5280, 4.2.1.12).
pub(super) fn may_sign_documents(certificate: &Certified<'_>) -> Result<(), Fault> {
    let stated = certificate
        .certificate
        .tbs_certificate()
        .get_extension::<ExtendedKeyUsage>()
        .map_err(|_| unusable(certificate, "its extended key usage cannot be read"))?;
    match stated {
        Some((_, usage)) if !usage.0.iter().any(|purpose| OF_DOCUMENTS.contains(purpose)) => Err(unusable(
            certificate,
            "its extended key usage is for other things than signing documents",
        )),
        _ => Ok(()),
    }
}

fn may_issue(certificate: &Certified<'_>, authorities_below: usize) -> Result<(), Fault> {
    let constraints = certificate
        .certificate
        .tbs_certificate()
        .get_extension::<BasicConstraints>()
        .map_err(|_| unusable(certificate, "its basic constraints cannot be read"))?
        .map(|(_, constraints)| constraints);
    let Some(constraints) = constraints.filter(|constraints| constraints.ca) else {
        return Err(unusable(certificate, "it is no certification authority"));
    };
    if constraints
        .path_len_constraint
        .is_some_and(|most| authorities_below > usize::from(most))
    {
        return Err(unusable(certificate, "the path below it is longer than it allows"));
    }
    match key_usage(certificate)? {
        Some(usage) if !usage.key_cert_sign() => Err(unusable(
            certificate,
            "its key usage does not allow issuing certificates",
        )),
        _ => Ok(()),
    }
}

fn in_its_time(certificate: &Certified<'_>, at: Timestamp) -> Result<(), Fault> {
    let validity = certificate.certificate.tbs_certificate().validity();
    let unreadable = || unusable(certificate, "its validity cannot be read");
    let not_before = timestamp(validity.not_before).ok_or_else(unreadable)?;
    let not_after = timestamp(validity.not_after).ok_or_else(unreadable)?;
    let subject = certificate.subject();
    if at < not_before {
        return Err(Fault::CertificateNotYetValid { subject, not_before });
    }
    if at > not_after {
        return Err(Fault::CertificateExpired { subject, not_after });
    }
    Ok(())
}

fn understood(certificate: &Certified<'_>) -> Result<(), Fault> {
    let extensions = certificate.certificate.tbs_certificate().extensions();
    let unknown = extensions
        .into_iter()
        .flatten()
        .find(|extension| extension.critical && !UNDERSTOOD.contains(&extension.extn_id.to_string().as_str()));
    match unknown {
        Some(extension) => Err(unusable(
            certificate,
            &format!(
                "it has the critical extension {}, which is unknown here",
                extension.extn_id
            ),
        )),
        None => Ok(()),
    }
}

pub(super) fn timestamp(time: Time) -> Option<Timestamp> {
    let seconds = i64::try_from(time.to_unix_duration().as_secs()).ok()?;
    Timestamp::from_second(seconds).ok()
}

fn name_part(name: &x509_cert::name::Name, oid: ObjectIdentifier) -> Option<String> {
    let part = name.iter().find(|part| part.oid == oid)?;
    String::from_utf8(part.value.value().to_vec()).ok()
}
