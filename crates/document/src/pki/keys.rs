//! Seal keys, with which companies seal documents.
//!
//! Sealing uses a key only through [`Signer`]: its algorithm, its certificates, and a signature over some bytes (the
//! signed attributes of a CMS message). A [`SealKey`] may be in this process, in a token or in a key service
//! ([`ExternalKey`]).
//!
//! The private key is passed as PKCS#8 DER in a [`Zeroizing`] buffer, so that no copy outlives its use. Code that
//! stores it encrypts it at rest. All cryptographic computation is done by aws-lc, which also provides randomness for
//! new keys and ECDSA nonces.

use std::sync::Arc;

use aws_lc_rs::digest;
use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair,
    RSA_PKCS1_SHA256, RsaKeyPair,
};
use const_oid::ObjectIdentifier;
use const_oid::db::rfc5912;
use const_oid::db::rfc8410::ID_ED_25519;
use der::asn1::{Any, BitString, Uint};
use der::{Decode, Encode, Sequence};
use jiff::Timestamp;
use p12_keystore::{KeyStore, KeyStoreEntry, Pkcs12ImportPolicy};
use spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};
use thiserror::Error;
use x509_cert::Certificate;
use x509_cert::ext::pkix::BasicConstraints;
use x509_cert::time::Time;
use zeroize::Zeroizing;

use crate::pki::certificates;
use crate::pki::revocation;

/// Data that is signed to prove that a key works.
const PROBE: &[u8] = b"proof";

/// Reasons why a key cannot be used.
#[derive(Debug, Error)]
pub enum KeyError {
    /// The bytes are no PKCS#8 private key, or its kind cannot seal.
    #[error(
        "this private key cannot seal: use a key for ECDSA on P-256 or P-384, for Ed25519, or for RSA with 2048 \
        to 8192 bits (PKCS#8)"
    )]
    UnsupportedKey,
    /// There is no certificate.
    #[error("the seal key has no certificate; add its certificate")]
    NoCertificate,
    /// A certificate cannot be read.
    #[error("certificate {position} of the chain cannot be read: {reason}")]
    UnreadableCertificate {
        /// Position in the chain, starting at 1.
        position: usize,
        /// The reader's reason.
        reason: String,
    },
    /// The PEM text cannot be read.
    #[error("the PEM text cannot be read: {0}")]
    UnreadablePem(String),
    /// The first certificate is for another key.
    #[error("the certificate belongs to another key; use the one that was issued for this key")]
    CertificateForAnotherKey,
    /// The certificate is not valid at this time.
    #[error("the seal certificate is valid only from {not_before} to {not_after}; renew the company's seal key")]
    NotInItsTime {
        not_before: Timestamp,
        not_after: Timestamp,
        /// The intended time of the seal.
        at: Timestamp,
    },
    /// A PKCS#12 file cannot be read.
    #[error("the PKCS#12 file cannot be read: {0}; check the password, and that the file is complete")]
    UnreadablePkcs12(String),
    /// A PKCS#12 file contains no private key with a certificate.
    #[error("the PKCS#12 file contains no private key with a certificate")]
    NoKeyInPkcs12,
    /// A certificate is not followed by that of its issuer.
    #[error("certificate {position} of the chain was not issued by the one that follows it")]
    BrokenChain {
        /// Position in the chain, starting at 1.
        position: usize,
    },
    /// The certificate does not allow seals.
    #[error("the certificate is not allowed to sign documents: {0}")]
    NotForSealing(String),
    /// A key in a token cannot be used.
    #[error("the key in the token cannot be used: {0}")]
    Token(String),
    /// The token is missing. We look for it again whenever the key is needed.
    #[error("the token is not connected: {0}; connect it")]
    TokenAway(String),
    /// A token refuses the PIN. We do not try the same PIN again.
    #[error(
        "the token {token:?} refused the PIN: {refusal}; we do not try it again, because a few wrong tries lock \
        the token: correct pkcs11.pin_file (or pkcs11.pin), then restart countersign"
    )]
    PinRefused {
        /// The token's label.
        token: String,
        refusal: PinRefusal,
    },
    /// The private key is stored elsewhere, so it cannot be returned.
    #[error("the private key is in a token, so it cannot be exported")]
    Elsewhere,
    /// The key could not be created.
    #[error("the key could not be created")]
    Generation,
    /// Signing failed.
    #[error("the key refused to sign: {0}")]
    Signing(String),
    /// A value could not be encoded as DER.
    #[error("DER: {0}")]
    Encoding(#[from] der::Error),
}

/// Reasons why a token refuses a PIN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PinRefusal {
    #[error("it is wrong")]
    Wrong,
    /// The token is locked after too many wrong PINs.
    #[error("the token is locked; ask its security officer to set a new PIN")]
    Locked,
    /// The PIN must be changed first.
    #[error("the PIN has expired; change it with the token vendor's tool")]
    Expired,
    /// One more wrong PIN would lock the token, so we do not try at all.
    #[error("one more wrong try would lock the token; log in once with the token vendor's tool")]
    LastTry,
    /// The token has no PIN yet.
    #[error("the token has no user PIN yet; ask its security officer to set one")]
    NotSet,
}

/// The kinds of keys that we create.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyKind {
    /// ECDSA on the curve P-256: small and fast, the default.
    #[default]
    EcdsaP256,
    /// RSA with 3072 bits, for receivers whose software supports nothing else.
    Rsa3072,
}

/// Algorithms for signing seals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureAlgorithm {
    /// ECDSA with SHA-256. The signature is the DER form of r and s.
    EcdsaSha256,
    /// ECDSA with SHA-384, for keys on P-384.
    EcdsaSha384,
    /// Ed25519.
    Ed25519,
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    RsaPkcs1Sha256,
}

impl SignatureAlgorithm {
    /// Returns the algorithm identifier for CMS and X.509 (RFC 5758, RFC 4055, RFC 8410).
    pub fn identifier(self) -> AlgorithmIdentifierOwned {
        let (oid, parameters) = match self {
            Self::EcdsaSha256 => (rfc5912::ECDSA_WITH_SHA_256, None),
            Self::EcdsaSha384 => (rfc5912::ECDSA_WITH_SHA_384, None),
            Self::Ed25519 => (ID_ED_25519, None),
            Self::RsaPkcs1Sha256 => (rfc5912::SHA_256_WITH_RSA_ENCRYPTION, Some(Any::null())),
        };
        AlgorithmIdentifierOwned { oid, parameters }
    }

    /// Returns the content digest to use with this algorithm in a CMS message (RFC 5754, 3; for Ed25519 RFC 8419, 3.1).
    pub fn digest(self) -> (ObjectIdentifier, &'static digest::Algorithm) {
        match self {
            Self::EcdsaSha256 | Self::RsaPkcs1Sha256 => (rfc5912::ID_SHA_256, &digest::SHA256),
            Self::EcdsaSha384 => (rfc5912::ID_SHA_384, &digest::SHA384),
            Self::Ed25519 => (rfc5912::ID_SHA_512, &digest::SHA512),
        }
    }
}

/// A key that can sign: in this process, in a token, or in a key service.
pub trait Signer: Send + Sync {
    /// Returns the algorithm that [`Signer::sign`] uses.
    fn algorithm(&self) -> SignatureAlgorithm;
    /// Returns the signer's certificate (DER), then those of its issuers, as far as known.
    fn certificates(&self) -> &[Vec<u8>];
    /// Signs `message`, which must not be hashed yet.
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyError>;
}

/// A private key outside of this process: in a token or in a key service.
pub trait ExternalKey: Send + Sync {
    /// Returns the algorithm that [`ExternalKey::sign`] uses.
    fn algorithm(&self) -> SignatureAlgorithm;
    /// Signs `message`, which must not be hashed yet.
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyError>;
}

/// Returns the DER form (RFC 3279, 2.2.3) of an ECDSA signature that a token returns as r and s.
pub fn ecdsa_signature(raw: &[u8]) -> Result<Vec<u8>, KeyError> {
    let (r, s) = raw.split_at(raw.len() / 2);
    if r.is_empty() || r.len() != s.len() {
        return Err(KeyError::Token(format!(
            "its signature has an unexpected length of {} bytes",
            raw.len()
        )));
    }
    let number = |bytes: &[u8]| Uint::new(bytes);
    Ok(EcdsaSignature {
        r: number(r)?,
        s: number(s)?,
    }
    .to_der()?)
}

/// `ECDSA-Sig-Value` of RFC 3279.
#[derive(Sequence)]
struct EcdsaSignature {
    r: Uint,
    s: Uint,
}

/// A private key in this process, without a certificate.
pub struct PrivateKey(Pair);

enum Pair {
    P256(EcdsaKeyPair),
    P384(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Rsa(RsaKeyPair),
}

impl std::fmt::Debug for PrivateKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "PrivateKey({:?})", self.algorithm())
    }
}

impl PrivateKey {
    /// Creates a new key. For RSA, this takes some tenths of a second.
    pub fn generate(kind: KeyKind) -> Result<Self, KeyError> {
        let pair = match kind {
            KeyKind::EcdsaP256 => EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).map(Pair::P256),
            KeyKind::Rsa3072 => RsaKeyPair::generate(KeySize::Rsa3072).map(Pair::Rsa),
        };
        pair.map(Self).map_err(|_| KeyError::Generation)
    }

    /// Reads a key from PKCS#8 DER.
    fn from_pkcs8(der: &[u8]) -> Result<Self, KeyError> {
        let ecdsa = |signing| EcdsaKeyPair::from_pkcs8(signing, der);
        ecdsa(&ECDSA_P256_SHA256_ASN1_SIGNING)
            .map(Pair::P256)
            .or_else(|_| ecdsa(&ECDSA_P384_SHA384_ASN1_SIGNING).map(Pair::P384))
            .or_else(|_| Ed25519KeyPair::from_pkcs8(der).map(Pair::Ed25519))
            .or_else(|_| RsaKeyPair::from_pkcs8(der).map(Pair::Rsa))
            .map(Self)
            .map_err(|_| KeyError::UnsupportedKey)
    }

    /// Returns the key as PKCS#8 DER. Encrypt it before storing it.
    pub fn to_pkcs8(&self) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        let generation = |_| KeyError::Generation;
        let bytes = match &self.0 {
            Pair::P256(pair) | Pair::P384(pair) => pair.to_pkcs8v1().map_err(generation)?.as_ref().to_vec(),
            Pair::Ed25519(pair) => pair.to_pkcs8v1().map_err(generation)?.as_ref().to_vec(),
            Pair::Rsa(pair) => {
                let document: Pkcs8V1Der<'_> = pair.as_der().map_err(generation)?;
                document.as_ref().to_vec()
            }
        };
        Ok(Zeroizing::new(bytes))
    }

    pub fn algorithm(&self) -> SignatureAlgorithm {
        match self.0 {
            Pair::P256(_) => SignatureAlgorithm::EcdsaSha256,
            Pair::P384(_) => SignatureAlgorithm::EcdsaSha384,
            Pair::Ed25519(_) => SignatureAlgorithm::Ed25519,
            Pair::Rsa(_) => SignatureAlgorithm::RsaPkcs1Sha256,
        }
    }

    /// Returns the public key in X.509 form.
    pub(super) fn public_key_info(&self) -> Result<SubjectPublicKeyInfoOwned, KeyError> {
        let (oid, parameters) = match self.0 {
            Pair::P256(_) => (rfc5912::ID_EC_PUBLIC_KEY, Some(Any::from(rfc5912::SECP_256_R_1))),
            Pair::P384(_) => (rfc5912::ID_EC_PUBLIC_KEY, Some(Any::from(rfc5912::SECP_384_R_1))),
            Pair::Ed25519(_) => (ID_ED_25519, None),
            Pair::Rsa(_) => (rfc5912::RSA_ENCRYPTION, Some(Any::null())),
        };
        Ok(SubjectPublicKeyInfoOwned {
            algorithm: AlgorithmIdentifierOwned { oid, parameters },
            subject_public_key: BitString::from_bytes(self.public_key())?,
        })
    }

    fn public_key(&self) -> &[u8] {
        match &self.0 {
            Pair::P256(pair) | Pair::P384(pair) => pair.public_key().as_ref(),
            Pair::Ed25519(pair) => pair.public_key().as_ref(),
            Pair::Rsa(pair) => pair.public_key().as_ref(),
        }
    }

    /// Signs `message`, which must not be hashed yet.
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyError> {
        let refused = |_| KeyError::Signing("aws-lc gave no reason".to_owned());
        let random = SystemRandom::new();
        match &self.0 {
            Pair::P256(pair) | Pair::P384(pair) => {
                let signature = pair.sign(&random, message).map_err(refused)?;
                Ok(signature.as_ref().to_vec())
            }
            Pair::Ed25519(pair) => Ok(pair.sign(message).as_ref().to_vec()),
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature)
                    .map_err(refused)?;
                Ok(signature)
            }
        }
    }
}

/// Location of a seal key's private part.
enum Holder {
    Here(PrivateKey),
    Elsewhere(Arc<dyn ExternalKey>),
}

impl std::fmt::Debug for Holder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Here(key) => key.fmt(formatter),
            Self::Elsewhere(key) => write!(formatter, "ExternalKey({:?})", key.algorithm()),
        }
    }
}

/// A private key with its certificate, used by a company to seal documents.
#[derive(Debug)]
pub struct SealKey {
    key: Holder,
    certificates: Vec<Vec<u8>>,
    not_before: Timestamp,
    not_after: Timestamp,
}

impl SealKey {
    /// Combines a key (PKCS#8 DER) and its certificate chain (DER, own certificate first), and checks that they belong
    /// together.
    pub fn new(pkcs8: &[u8], certificates: Vec<Vec<u8>>) -> Result<Self, KeyError> {
        Self::from_key(PrivateKey::from_pkcs8(pkcs8)?, certificates)
    }

    /// Like [`SealKey::new`], for a key that has already been read.
    pub fn from_key(key: PrivateKey, certificates: Vec<Vec<u8>>) -> Result<Self, KeyError> {
        let (own, not_before, not_after) = Self::own_certificate(&certificates)?;
        let certified = own.tbs_certificate().subject_public_key_info();
        if certified.subject_public_key.as_bytes() != Some(key.public_key()) {
            return Err(KeyError::CertificateForAnotherKey);
        }
        Ok(Self {
            key: Holder::Here(key),
            certificates,
            not_before,
            not_after,
        })
    }

    /// Like [`SealKey::new`], for a key outside of this process. A test signature proves that key and certificate
    /// belong together.
    pub fn external(key: Arc<dyn ExternalKey>, certificates: Vec<Vec<u8>>) -> Result<Self, KeyError> {
        let (_, not_before, not_after) = Self::own_certificate(&certificates)?;
        let own = certificates.first().ok_or(KeyError::NoCertificate)?;
        let signature = key.sign(PROBE)?;
        if !certificates::is_signed_by_key_of(own, &key.algorithm().identifier(), PROBE, &signature) {
            return Err(KeyError::CertificateForAnotherKey);
        }
        Ok(Self {
            key: Holder::Elsewhere(key),
            certificates,
            not_before,
            not_after,
        })
    }

    fn own_certificate(certificates: &[Vec<u8>]) -> Result<(Certificate, Timestamp, Timestamp), KeyError> {
        let mut own = None;
        let (mut not_before, mut not_after) = (Timestamp::MIN, Timestamp::MAX);
        for (index, der) in certificates.iter().enumerate() {
            let certificate = Certificate::from_der(der).map_err(|error| KeyError::UnreadableCertificate {
                position: index + 1,
                reason: error.to_string(),
            })?;
            // Verifiers require all certificates of the chain to be valid.
            let validity = certificate.tbs_certificate().validity();
            not_before = not_before.max(timestamp(validity.not_before)?);
            not_after = not_after.min(timestamp(validity.not_after)?);
            own.get_or_insert(certificate);
        }
        Ok((own.ok_or(KeyError::NoCertificate)?, not_before, not_after))
    }

    /// Reads a key and its certificates from a PKCS#12 file. Sorts the certificates from the key's own towards the
    /// root, as far as the file contains them, and leaves out unrelated ones.
    pub fn from_pkcs12(file: &[u8], password: &str) -> Result<Self, KeyError> {
        let store = KeyStore::from_pkcs12(file, password, Pkcs12ImportPolicy::Relaxed)
            .map_err(|error| KeyError::UnreadablePkcs12(error.to_string()))?;
        let (_, chain) = store.private_key_chain().ok_or(KeyError::NoKeyInPkcs12)?;
        let key = PrivateKey::from_pkcs8(chain.key().as_der())?;
        let mut others: Vec<Vec<u8>> = chain
            .certs()
            .iter()
            .map(|certificate| certificate.as_der().to_vec())
            .collect();
        for (_, entry) in store.entries() {
            if let KeyStoreEntry::Certificate(certificate) = entry {
                others.push(certificate.as_der().to_vec());
            }
        }
        let own = others
            .iter()
            .position(|der| belongs_to(der, &key))
            .ok_or(KeyError::NoKeyInPkcs12)?;
        let mut certificates = vec![others.swap_remove(own)];
        while let Some(last) = certificates.last()
            && !revocation::is_self_issued(last)
            && let Some(place) = others.iter().position(|der| revocation::names_issuer(last, der))
        {
            certificates.push(others.swap_remove(place));
        }
        Self::from_key(key, certificates)
    }

    /// Checks that each certificate of the chain was issued by the next, and that the first does not belong to an
    /// authority.
    pub(crate) fn prove_chain(&self) -> Result<(), KeyError> {
        for (index, pair) in self.certificates.windows(2).enumerate() {
            if let [certificate, issuer] = pair
                && !certificates::is_issued_by(certificate, issuer)
            {
                return Err(KeyError::BrokenChain { position: index + 1 });
            }
        }
        let own = self.certificates.first().ok_or(KeyError::NoCertificate)?;
        let own = Certificate::from_der(own)?;
        let body = own.tbs_certificate();
        let constraints = body.get_extension::<BasicConstraints>()?;
        if constraints.is_some_and(|(_, constraints)| constraints.ca) {
            let reason = "it belongs to a certification authority";
            return Err(KeyError::NotForSealing(reason.to_owned()));
        }
        Ok(())
    }

    /// Checks that this key can seal at the time `at`: its certificate is valid, and signing works.
    pub fn prove(&self, at: Timestamp) -> Result<(), KeyError> {
        self.prove_in_its_time(at)?;
        self.sign(PROBE).map(drop)
    }

    /// Repeats the check for a key that was [checked](Self::prove) before: its certificate is still valid, and a token
    /// still signs.
    pub fn prove_again(&self, at: Timestamp) -> Result<(), KeyError> {
        match self.key {
            Holder::Here(_) => self.prove_in_its_time(at),
            Holder::Elsewhere(_) => self.prove(at),
        }
    }

    fn prove_in_its_time(&self, at: Timestamp) -> Result<(), KeyError> {
        let (not_before, not_after) = (self.not_before, self.not_after);
        if at < not_before || at > not_after {
            return Err(KeyError::NotInItsTime {
                not_before,
                not_after,
                at,
            });
        }
        Ok(())
    }

    /// Returns the subject and issuer of the certificate.
    pub fn names(&self) -> Result<(String, String), KeyError> {
        let own = self.certificates.first().ok_or(KeyError::NoCertificate)?;
        let own = Certificate::from_der(own)?;
        let body = own.tbs_certificate();
        Ok((body.subject().to_string(), body.issuer().to_string()))
    }

    /// Returns the time until which the key can seal: the earliest end of a certificate in its chain.
    pub fn not_after(&self) -> Timestamp {
        self.not_after
    }

    /// Returns the private key as PKCS#8 DER. Encrypt it before storing it.
    pub fn to_pkcs8(&self) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        match &self.key {
            Holder::Here(key) => key.to_pkcs8(),
            Holder::Elsewhere(_) => Err(KeyError::Elsewhere),
        }
    }

    /// Returns the key's own certificate as PEM.
    pub fn certificate_pem(&self) -> String {
        self.certificates
            .first()
            .map_or_else(String::new, |der| certificate_to_pem(der))
    }
}

impl Signer for SealKey {
    fn algorithm(&self) -> SignatureAlgorithm {
        match &self.key {
            Holder::Here(key) => key.algorithm(),
            Holder::Elsewhere(key) => key.algorithm(),
        }
    }

    fn certificates(&self) -> &[Vec<u8>] {
        &self.certificates
    }

    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyError> {
        match &self.key {
            Holder::Here(key) => key.sign(message),
            Holder::Elsewhere(key) => key.sign(message),
        }
    }
}

/// Returns whether a certificate (DER) is for this key.
fn belongs_to(certificate: &[u8], key: &PrivateKey) -> bool {
    Certificate::from_der(certificate).is_ok_and(|certificate| {
        let certified = certificate.tbs_certificate().subject_public_key_info();
        certified.subject_public_key.as_bytes() == Some(key.public_key())
    })
}

/// Converts a time in a certificate.
pub(crate) fn timestamp(time: Time) -> Result<Timestamp, KeyError> {
    i64::try_from(time.to_unix_duration().as_secs())
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok())
        .ok_or_else(|| KeyError::UnreadableCertificate {
            position: 1,
            reason: format!("its time {time} is out of range"),
        })
}

/// Uses the cryptographic library once. Its first use takes some tens of milliseconds, which are better spent at
/// start-up than in a request.
pub fn warm_up() -> Result<(), KeyError> {
    PrivateKey::generate(KeyKind::EcdsaP256)?.sign(b"warm").map(drop)
}

/// Returns the time until which a key with these certificates (PEM) can seal.
pub fn end_of_certificates(pem: &str) -> Result<Timestamp, KeyError> {
    let (_, _, not_after) = SealKey::own_certificate(&certificates_from_pem(pem)?)?;
    Ok(not_after)
}

/// Encodes a certificate (DER) as PEM text.
fn certificate_to_pem(der: &[u8]) -> String {
    // The only possible error is a length that Base64 cannot encode.
    der::pem::encode_string("CERTIFICATE", der::pem::LineEnding::LF, der).unwrap_or_default()
}

/// Encodes several certificates (DER) as one PEM text.
pub fn certificates_to_pem(certificates: &[Vec<u8>]) -> String {
    certificates.iter().map(|der| certificate_to_pem(der)).collect()
}

/// Reads a file from the address of an issuer's certificate (`caIssuers`; RFC 5280, 4.2.2.1): one certificate, or a CMS
/// message that contains only certificates, of which a limited number are read. Returns them as DER, or nothing if the
/// file is neither.
pub fn certificates_of_issuers(bytes: &[u8]) -> Vec<Vec<u8>> {
    const MOST: usize = 64;
    if Certificate::from_der(bytes).is_ok() {
        return vec![bytes.to_vec()];
    }
    let bundled = crate::pki::cms::bundled_certificates(bytes).unwrap_or_default();
    bundled.into_iter().take(MOST).map(<[u8]>::to_vec).collect()
}

/// Reads the certificates of a PEM text in order, as DER.
pub fn certificates_from_pem(pem: &str) -> Result<Vec<Vec<u8>>, KeyError> {
    let unreadable = |error: der::Error| KeyError::UnreadablePem(error.to_string());
    let certificates = Certificate::load_pem_chain(pem.as_bytes()).map_err(unreadable)?;
    if certificates.is_empty() {
        return Err(KeyError::NoCertificate);
    }
    certificates
        .iter()
        .map(|certificate| certificate.to_der().map_err(KeyError::Encoding))
        .collect()
}
