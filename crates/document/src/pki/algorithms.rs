//! Accepted algorithms for digests, and for signatures with the key of a certificate.
//!
//! Broken and unknown algorithms are different faults: a signature with a broken algorithm proves nothing, and the
//! verdict says so.

use aws_lc_rs::digest;
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
use const_oid::db::rfc5912::{
    ECDSA_WITH_SHA_256, ECDSA_WITH_SHA_384, ECDSA_WITH_SHA_512, ID_EC_PUBLIC_KEY, ID_MGF_1, ID_RSASSA_PSS, ID_SHA_1,
    ID_SHA_256, ID_SHA_384, ID_SHA_512, RSA_ENCRYPTION, SECP_256_R_1, SECP_384_R_1, SECP_521_R_1,
    SHA_1_WITH_RSA_ENCRYPTION, SHA_256_WITH_RSA_ENCRYPTION, SHA_384_WITH_RSA_ENCRYPTION, SHA_512_WITH_RSA_ENCRYPTION,
};
use const_oid::db::rfc8410::ID_ED_25519;
use der::asn1::AnyRef;
use der::{Decode, Reader, SliceReader, Tag, Tagged};
use spki::SubjectPublicKeyInfoOwned;
use thiserror::Error;

/// A problem with a signature, considering only the signed content and the signer's key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SignatureFault {
    /// The content was changed after it was signed.
    #[error("the signed bytes were changed")]
    DigestMismatch,
    /// The signature was not made with the signer's key.
    #[error("the signature was not made by the key of the signer's certificate")]
    SignatureMismatch,
    /// The algorithm is broken, so anyone could have made the signature.
    #[error("the algorithm {0} is no longer secure, so the signature proves nothing")]
    WeakAlgorithm(String),
    /// We do not know the algorithm.
    #[error("the algorithm {0} is not supported")]
    UnsupportedAlgorithm(String),
}

/// The content that a signature covers.
#[derive(Clone, Copy)]
pub(super) enum Over<'a> {
    Message(&'a [u8]),
    /// The digest of unknown content.
    Digest(&'a digest::Digest),
}

/// The algorithms stated in a signature.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    pub(super) algorithm: ObjectIdentifier,
    pub(super) parameters: Option<AnyRef<'a>>,
    /// The digest algorithm, if the signature has a separate field for it.
    pub(super) digest: Option<ObjectIdentifier>,
}

/// Checks that the signature was made with `key`.
pub(super) fn verify(
    key: &SubjectPublicKeyInfoOwned,
    named: Named<'_>,
    over: Over<'_>,
    signature: &[u8],
) -> Result<(), SignatureFault> {
    let Named {
        algorithm,
        parameters,
        digest,
    } = named;
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
        .map_err(|_| SignatureFault::SignatureMismatch)
    };
    // Signatures with broken algorithms are checked too, because a wrong signature is worse than a weak one.
    if let Some((verification, name)) = weak(key.algorithm.oid, raw, algorithm, digest) {
        matches(verification)?;
        return Err(SignatureFault::WeakAlgorithm(name));
    }
    let verification = verification(key.algorithm.oid, curve, algorithm, parameters, digest)
        .ok_or_else(|| SignatureFault::UnsupportedAlgorithm(name(algorithm)))?;
    // No library verifies signatures with keys of this length.
    if let Some(bits) = short_rsa(key.algorithm.oid, raw) {
        return Err(SignatureFault::WeakAlgorithm(rsa_name(bits)));
    }
    matches(verification)
}

/// Returns a digest algorithm that is still secure.
pub(crate) fn secure_digest(oid: ObjectIdentifier) -> Result<&'static digest::Algorithm, SignatureFault> {
    match oid {
        ID_SHA_256 => Ok(&digest::SHA256),
        ID_SHA_384 => Ok(&digest::SHA384),
        ID_SHA_512 => Ok(&digest::SHA512),
        ID_SHA_1 => Err(SignatureFault::WeakAlgorithm("SHA-1".to_owned())),
        _ => Err(SignatureFault::UnsupportedAlgorithm(name(oid))),
    }
}

/// Returns a known digest algorithm. It may be broken, if the caller allows it.
pub(crate) fn legacy_digest(oid: ObjectIdentifier) -> Result<&'static digest::Algorithm, SignatureFault> {
    if oid == ID_SHA_1 {
        return Ok(&digest::SHA1_FOR_LEGACY_USE_ONLY);
    }
    secure_digest(oid)
}

/// Minimum length of a secure RSA key in bits (NIST SP 800-131A).
const LEAST_RSA_BITS: usize = 2048;

/// Returns the length in bits of an RSA key's modulus, from `RSAPublicKey` (RFC 8017, A.1.1).
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

/// Returns the length in bits of an RSA key that is too short.
fn short_rsa(key: ObjectIdentifier, raw: &[u8]) -> Option<usize> {
    let is_rsa = matches!(key, RSA_ENCRYPTION | ID_RSASSA_PSS);
    rsa_bits(raw).filter(|bits| is_rsa && *bits < LEAST_RSA_BITS)
}

fn rsa_name(bits: usize) -> String {
    format!("RSA, {bits} bits")
}

/// Returns a known algorithm that is no longer secure, with its name for people: RSA with SHA-1, or with a short key.
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
    let bits = short_rsa(key, raw)?;
    let verification = match hash {
        ID_SHA_256 => &const { RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY },
        ID_SHA_512 => &const { RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY },
        _ => return None,
    };
    Some((verification, rsa_name(bits)))
}

/// Returns the algorithm for a key and an algorithm identifier. `None` if they do not match.
fn verification(
    key: ObjectIdentifier,
    curve: Option<ObjectIdentifier>,
    algorithm: ObjectIdentifier,
    parameters: Option<AnyRef<'_>>,
    digest: Option<ObjectIdentifier>,
) -> Option<&'static dyn VerificationAlgorithm> {
    // Many signers write plain rsaEncryption and specify the digest in its own field (RFC 3370, 3.2). Some even do so
    // with elliptic-curve keys.
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

/// Reads the hash and the salt length from `RSASSA-PSS-params` (RFC 4055, 3.1), if the mask uses the same hash, as it
/// does in practice.
fn pss_parameters(parameters: AnyRef<'_>) -> Option<(ObjectIdentifier, u16)> {
    let mut reader = SliceReader::new(parameters.value()).ok()?;
    // The defaults are SHA-1 and a salt of 20 octets (RFC 4055, 3.1).
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

/// Returns the algorithm for a salt as long as the hash, or as long as the key allows. Signers use no other lengths.
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

/// Returns the object identifier of an algorithm identifier, and the DER of its parameters.
fn algorithm_oid(der: &[u8]) -> Option<(ObjectIdentifier, Option<Vec<u8>>)> {
    let sequence = AnyRef::from_der(der).ok()?;
    let mut reader = SliceReader::new(sequence.value()).ok()?;
    let oid = ObjectIdentifier::decode(&mut reader).ok()?;
    if reader.is_finished() {
        return Some((oid, None));
    }
    Some((oid, Some(reader.tlv_bytes().ok()?.to_vec())))
}

/// Returns a readable name of an algorithm, or its object identifier.
fn name(oid: ObjectIdentifier) -> String {
    const_oid::db::DB
        .by_oid(&oid)
        .map_or_else(|| oid.to_string(), |name| format!("{name} ({oid})"))
}
