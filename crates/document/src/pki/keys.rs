//! Seal keys: what a company signs with.
//!
//! [`Signer`] is all that sealing knows of a key: which algorithm it signs with, the certificates
//! that go with it, and a signature over some bytes (the signed attributes of a CMS message). A key
//! held in this process and one in a token or a key service ([`ExternalKey`]) look the same to it as [`SealKey`].
//!
//! The private key travels as PKCS#8 DER in a [`Zeroizing`] buffer, so that a copy does not outlive
//! its use; its keeper encrypts it at rest. All arithmetic is aws-lc's. Randomness for
//! new keys and for the nonces of ECDSA comes from aws-lc too.

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

/// The data that is signed to prove that a key works.
const PROBE: &[u8] = b"proof";

/// Why a key cannot be used.
#[derive(Debug, Error)]
pub enum KeyError {
    /// The bytes are not a PKCS#8 private key of a kind that can seal.
    #[error(
        "this private key cannot seal: use a key for ECDSA on P-256 or P-384, for Ed25519, or for RSA with 2048 \
        to 8192 bits (PKCS#8)"
    )]
    UnsupportedKey,
    /// There is no certificate.
    #[error("a seal key needs its certificate; add it")]
    NoCertificate,
    /// A certificate cannot be read.
    #[error("certificate {position} of the chain cannot be read: {reason}")]
    UnreadableCertificate {
        /// Its place in the chain, from 1.
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
        /// The time at which it was to seal.
        at: Timestamp,
    },
    /// A PKCS#12 file cannot be read.
    #[error("the PKCS#12 file cannot be read: {0}; check the password, and that the file is complete")]
    UnreadablePkcs12(String),
    /// A PKCS#12 file contains no private key with a certificate.
    #[error("the PKCS#12 file contains no private key with a certificate")]
    NoKeyInPkcs12,
    /// A certificate is not followed by its issuer's.
    #[error("certificate {position} of the chain was not issued by the one that follows it")]
    BrokenChain {
        /// Its place in the chain, from 1.
        position: usize,
    },
    /// The certificate does not allow seals.
    #[error("the certificate does not allow document signatures: {0}")]
    NotForSealing(String),
    /// A key in a token cannot be used.
    #[error("the key in the token cannot be used: {0}")]
    Token(String),
    /// The token is missing now. We look for it again each time the key is needed.
    #[error("the token is not connected: {0}; connect it")]
    TokenAway(String),
    /// A token refuses the PIN. It is not asked again with the same one.
    #[error(
        "the token {token:?} refused the PIN: {refusal}; we do not try it again, because a few wrong tries lock \
        the token: correct pkcs11.pin_file (or pkcs11.pin), then restart countersign"
    )]
    PinRefused {
        /// The token's label.
        token: String,
        refusal: PinRefusal,
    },
    /// A key that lives elsewhere was asked for.
    #[error("the private key is in a token and cannot be exported")]
    Elsewhere,
    /// The key could not be created.
    #[error("the key could not be created")]
    Generation,
    /// Signing failed.
    #[error("the key refused to sign: {0}")]
    Signing(String),
    /// Something could not be written as DER.
    #[error("DER: {0}")]
    Encoding(#[from] der::Error),
}

/// Why a token refuses a PIN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PinRefusal {
    #[error("it is wrong")]
    Wrong,
    /// Too many wrong tries have locked the token.
    #[error("the token is locked; its security officer must set a new PIN")]
    Locked,
    /// It must be changed first.
    #[error("it has expired; change it with the token vendor's tool")]
    Expired,
    /// One more wrong one locks the token, so it is not tried here at all.
    #[error("one more wrong try would lock the token; log in once with the token vendor's tool")]
    LastTry,
    /// The token has no PIN yet.
    #[error("the token has no user PIN yet; its security officer must set one")]
    NotSet,
}

/// The kinds of keys that we create.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyKind {
    /// ECDSA on the curve P-256: small and fast, the default.
    #[default]
    EcdsaP256,
    /// RSA of 3072 bits, for receivers whose software knows nothing else.
    Rsa3072,
}

/// The algorithms that a seal is signed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureAlgorithm {
    /// ECDSA with SHA-256; the signature is the DER form of r and s.
    EcdsaSha256,
    /// ECDSA with SHA-384, for keys on P-384.
    EcdsaSha384,
    /// Ed25519.
    Ed25519,
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    RsaPkcs1Sha256,
}

impl SignatureAlgorithm {
    /// The algorithm as CMS and X.509 write it (RFC 5758, RFC 4055, RFC 8410).
    pub fn identifier(self) -> AlgorithmIdentifierOwned {
        let (oid, parameters) = match self {
            Self::EcdsaSha256 => (rfc5912::ECDSA_WITH_SHA_256, None),
            Self::EcdsaSha384 => (rfc5912::ECDSA_WITH_SHA_384, None),
            Self::Ed25519 => (ID_ED_25519, None),
            Self::RsaPkcs1Sha256 => (rfc5912::SHA_256_WITH_RSA_ENCRYPTION, Some(Any::null())),
        };
        AlgorithmIdentifierOwned { oid, parameters }
    }

    /// The digest of the content that goes with it in a CMS message (RFC 5754, 3; for Ed25519 RFC 8419, 3.1).
    pub fn digest(self) -> (ObjectIdentifier, &'static digest::Algorithm) {
        match self {
            Self::EcdsaSha256 | Self::RsaPkcs1Sha256 => (rfc5912::ID_SHA_256, &digest::SHA256),
            Self::EcdsaSha384 => (rfc5912::ID_SHA_384, &digest::SHA384),
            Self::Ed25519 => (rfc5912::ID_SHA_512, &digest::SHA512),
        }
    }
}

/// Something that can sign: a key in this process, in a token, in a key service.
pub trait Signer: Send + Sync {
    /// The algorithm that [`Signer::sign`] uses.
    fn algorithm(&self) -> SignatureAlgorithm;
    /// The signer's certificate (DER), then those of its issuers, as far as known.
    fn certificates(&self) -> &[Vec<u8>];
    /// Signs `message`, which is not hashed yet.
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyError>;
}

/// A private key outside of this process: in a token, in a key service.
pub trait ExternalKey: Send + Sync {
    /// The algorithm that [`ExternalKey::sign`] uses.
    fn algorithm(&self) -> SignatureAlgorithm;
    /// Signs `message`, which is not hashed yet.
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyError>;
}

/// The DER form (RFC 3279, 2.2.3) of an ECDSA signature that a token returns as r and s.
pub fn ecdsa_signature(raw: &[u8]) -> Result<Vec<u8>, KeyError> {
    let (r, s) = raw.split_at(raw.len() / 2);
    if r.is_empty() || r.len() != s.len() {
        return Err(KeyError::Token(format!("its signature has {} bytes", raw.len())));
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
    /// Creates a new key. RSA takes some tenths of a second.
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

    /// The key as PKCS#8 DER, to be encrypted and kept.
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

    /// The algorithm that this key signs with.
    pub fn algorithm(&self) -> SignatureAlgorithm {
        match self.0 {
            Pair::P256(_) => SignatureAlgorithm::EcdsaSha256,
            Pair::P384(_) => SignatureAlgorithm::EcdsaSha384,
            Pair::Ed25519(_) => SignatureAlgorithm::Ed25519,
            Pair::Rsa(_) => SignatureAlgorithm::RsaPkcs1Sha256,
        }
    }

    /// The public key as X.509 writes it.
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

    /// Signs `message`, which is not hashed yet.
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyError> {
        let refused = |_| KeyError::Signing("aws-lc reports no reason".to_owned());
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

/// Where a seal key's private part is stored.
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

/// A private key with its certificate: what a company seals with.
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

    /// Like [`SealKey::new`], with the key already read.
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

    /// Like [`SealKey::new`], with a key elsewhere. A signature proves that they belong together.
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
            // Verifiers want all certificates of the chain to be valid.
            let validity = certificate.tbs_certificate().validity();
            not_before = not_before.max(timestamp(validity.not_before)?);
            not_after = not_after.min(timestamp(validity.not_after)?);
            own.get_or_insert(certificate);
        }
        Ok((own.ok_or(KeyError::NoCertificate)?, not_before, not_after))
    }

    /// Reads a key and its certificates from a PKCS#12 file. The certificates are put in order, from the key's own towards the
    /// root, as far as the file holds them; what belongs to something else is left out.
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

    /// Checks that each certificate of the chain was issued by the next, and that the first is not an authority's.
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
            let reason = "it is one of a certification authority";
            return Err(KeyError::NotForSealing(reason.to_owned()));
        }
        Ok(())
    }

    /// Checks that this key can seal at the time `at`: its certificate is valid, and it signs.
    pub fn prove(&self, at: Timestamp) -> Result<(), KeyError> {
        self.prove_in_its_time(at)?;
        self.sign(PROBE).map(drop)
    }

    /// Checks a key that was [checked](Self::prove) before: its certificate is still valid, and a token still signs.
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

    /// The subject and issuer of the certificate.
    pub fn names(&self) -> Result<(String, String), KeyError> {
        let own = self.certificates.first().ok_or(KeyError::NoCertificate)?;
        let own = Certificate::from_der(own)?;
        let body = own.tbs_certificate();
        Ok((body.subject().to_string(), body.issuer().to_string()))
    }

    /// When the key can seal no longer: the end of its certificate, or of an issuer's in the chain that ends sooner.
    pub fn not_after(&self) -> Timestamp {
        self.not_after
    }

    /// The private key as PKCS#8 DER, to be encrypted and kept.
    pub fn to_pkcs8(&self) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        match &self.key {
            Holder::Here(key) => key.to_pkcs8(),
            Holder::Elsewhere(_) => Err(KeyError::Elsewhere),
        }
    }

    /// The own certificate as PEM.
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

/// Whether a certificate (DER) is for this key.
fn belongs_to(certificate: &[u8], key: &PrivateKey) -> bool {
    Certificate::from_der(certificate).is_ok_and(|certificate| {
        let certified = certificate.tbs_certificate().subject_public_key_info();
        certified.subject_public_key.as_bytes() == Some(key.public_key())
    })
}

/// A certificate's time as a moment.
pub(crate) fn timestamp(time: Time) -> Result<Timestamp, KeyError> {
    i64::try_from(time.to_unix_duration().as_secs())
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok())
        .ok_or_else(|| KeyError::UnreadableCertificate {
            position: 1,
            reason: format!("its time {time} is out of range"),
        })
}

/// Uses the cryptographic library once. The first use takes some tens of milliseconds, which is better spent at the
/// start than in a request.
pub fn warm_up() -> Result<(), KeyError> {
    PrivateKey::generate(KeyKind::EcdsaP256)?.sign(b"warm").map(drop)
}

/// When a key with these certificates (PEM) can seal no longer.
pub fn end_of_certificates(pem: &str) -> Result<Timestamp, KeyError> {
    let (_, _, not_after) = SealKey::own_certificate(&certificates_from_pem(pem)?)?;
    Ok(not_after)
}

/// A certificate (DER) as PEM text.
fn certificate_to_pem(der: &[u8]) -> String {
    // The only error is a length beyond what Base64 can count.
    der::pem::encode_string("CERTIFICATE", der::pem::LineEnding::LF, der).unwrap_or_default()
}

/// Several certificates (DER) as one PEM text.
pub fn certificates_to_pem(certificates: &[Vec<u8>]) -> String {
    certificates.iter().map(|der| certificate_to_pem(der)).collect()
}

/// What lies where a certificate names its issuer's (`caIssuers`; RFC 5280, 4.2.2.1): one certificate, or a CMS message
/// of certificates alone, of which a limited number are read. `None` if it is neither. The answer is DER.
pub fn certificates_of_issuers(bytes: &[u8]) -> Vec<Vec<u8>> {
    const MOST: usize = 64;
    if Certificate::from_der(bytes).is_ok() {
        return vec![bytes.to_vec()];
    }
    let bundled = crate::pki::cms::bundled_certificates(bytes).unwrap_or_default();
    bundled.into_iter().take(MOST).map(<[u8]>::to_vec).collect()
}

/// Reads the certificates of a PEM text, in their order, as DER.
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
