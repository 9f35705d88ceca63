//! The installation's own certification authority: one root, and a seal certificate a company.
//!
//! Someone who has the root's certificate can check every seal of this installation with no access
//! to the server. The root signs seal certificates and its revocation list ([`crate::pki::revocation`]) and
//! nothing else; path length 0 keeps it from making further authorities. Certificates follow RFC 5280:
//! basic constraints and key usage are critical, key identifiers are the first 160 bits of SHA-256
//! over the public key (RFC 7093, method 1), serial numbers have 127 random bits.
//!
//! Keys, serial numbers and nonces take their randomness from aws-lc; the time comes from the
//! caller. A private key leaves here only as [`SealKey`]; who keeps it encrypts it.

use aws_lc_rs::rand::{SecureRandom, SystemRandom};
use const_oid::db::rfc4519;
use const_oid::{AssociatedOid, ObjectIdentifier};
use der::asn1::{Any, BitString, Ia5String, Int, OctetString, SetOfVec, UtcTime, Utf8StringRef};
use der::{DateTime, Decode, Encode, Sequence};
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use sha2::{Digest, Sha256};
use spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};
use thiserror::Error;
use x509_cert::Certificate;
use x509_cert::attr::AttributeTypeAndValue;
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::crl::dp::DistributionPoint;
use x509_cert::ext::pkix::name::{DistributionPointName, GeneralName};
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, CrlDistributionPoints, KeyUsage, KeyUsages, SubjectKeyIdentifier,
};
use x509_cert::name::{Name, RdnSequence, RelativeDistinguishedName};
use x509_cert::time::{Time, Validity};

use crate::pki::keys::{KeyError, KeyKind, PrivateKey, SealKey, Signer};

/// How long seal certificates are valid.
const VALID_YEARS: i64 = 10;
/// How long the root is valid. A seal certificate ends with its root, so after ten years there must still be a root to
/// renew one.
const ROOT_YEARS: i64 = 30;
/// The upper bound of a common name or an organisation name in X.520, in characters.
const MAX_NAME: usize = 64;
/// A certificate is valid from a day earlier, so that a verifier whose clock is behind takes it, and so that a server whose
/// clock is set right after its company was made can seal at once.
const BACKDATED_MINUTES: i64 = 24 * 60;

/// Why a certificate cannot be issued.
#[derive(Debug, Error)]
pub enum AuthorityError {
    /// A key cannot be created or used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// Something does not fit into a certificate.
    #[error("the certificate cannot be written: {0}")]
    Encoding(#[from] der::Error),
    /// No random numbers.
    #[error("the machine's random number generator failed")]
    NoRandomness,
    /// The time cannot be written into a certificate.
    #[error("the time {0} cannot be written into a certificate")]
    Time(Timestamp),
    /// The issuer's certificate is not an authority's.
    #[error("the issuer's certificate is not that of a certification authority")]
    NotAnAuthority,
}

/// The subject of a seal certificate.
#[derive(Debug, Clone)]
pub struct SealSubject<'a> {
    /// The company's name, shown as the signer; cut to the 64 characters that X.520 allows.
    pub company_name: &'a str,
    /// The company's id within the installation.
    pub company_id: &'a str,
    /// The address of the root's revocation list, where it is served to everybody; without one the certificate names none,
    /// and a verifier finds the list only in the sealed files themselves.
    pub revocation_list: Option<&'a str>,
}

/// Makes the installation's root: a new key and its self-signed certificate.
pub fn create_root(name: &str, kind: KeyKind, at: Timestamp) -> Result<SealKey, AuthorityError> {
    let key = PrivateKey::generate(kind)?;
    let subject = distinguished_name(&[(rfc4519::CN, name)])?;
    let certificate = root_certificate(&key, &subject, &key.public_key_info()?, validity(at, ROOT_YEARS, None)?)?;
    Ok(SealKey::from_key(key, vec![certificate])?)
}

/// Another certificate (DER) for the root's key and name, which ends later. It begins when the old one did, so existing
/// certificates lead to either.
pub fn renew_root(root: &SealKey, at: Timestamp) -> Result<Vec<u8>, AuthorityError> {
    let certificate = Certificate::from_der(root.certificates().first().ok_or(KeyError::NoCertificate)?)?;
    let certified = certificate.tbs_certificate();
    let begins = certified.validity().not_before;
    let ends = validity(at, ROOT_YEARS, None)?.not_after;
    root_certificate(
        root,
        certified.subject(),
        certified.subject_public_key_info(),
        Validity::new(begins, ends),
    )
}

fn root_certificate(
    key: &dyn Issuer,
    subject: &Name,
    public_key: &SubjectPublicKeyInfoOwned,
    validity: Validity,
) -> Result<Vec<u8>, AuthorityError> {
    let extensions = vec![
        extension(
            true,
            &BasicConstraints {
                ca: true,
                path_len_constraint: Some(0),
            },
        )?,
        extension(true, &KeyUsage(KeyUsages::KeyCertSign | KeyUsages::CRLSign))?,
        extension(false, &SubjectKeyIdentifier(key_identifier(public_key)?))?,
    ];
    issue(key, subject, subject, public_key, extensions, validity)
}

/// Creates a company's seal key and lets the root certify it. The chain contains the root too, so that a seal has
/// everything that verifiers need except their trust.
pub fn issue_seal_certificate(
    root: &SealKey,
    subject: &SealSubject<'_>,
    kind: KeyKind,
    at: Timestamp,
) -> Result<SealKey, AuthorityError> {
    let root_der = root.certificates().first().ok_or(KeyError::NoCertificate)?;
    let issuer = Certificate::from_der(root_der)?;
    let issuer = issuer.tbs_certificate();
    let is_authority = issuer
        .get_extension::<BasicConstraints>()?
        .is_some_and(|(_, constraints)| constraints.ca);
    if !is_authority {
        return Err(AuthorityError::NotAnAuthority);
    }
    let key = PrivateKey::generate(kind)?;
    let name = distinguished_name(&[
        (rfc4519::CN, subject.company_name),
        (rfc4519::O, subject.company_name),
        (rfc4519::OU, subject.company_id),
    ])?;
    let public_key = key.public_key_info()?;
    let mut extensions = vec![
        extension(
            true,
            &BasicConstraints {
                ca: false,
                path_len_constraint: None,
            },
        )?,
        extension(true, &KeyUsage(KeyUsages::DigitalSignature | KeyUsages::NonRepudiation))?,
        extension(false, &SubjectKeyIdentifier(key_identifier(&public_key)?))?,
        extension(
            false,
            &AuthorityKeyIdentifier {
                key_identifier: Some(key_identifier(issuer.subject_public_key_info())?),
                ..AuthorityKeyIdentifier::default()
            },
        )?,
    ];
    if let Some(address) = subject.revocation_list {
        extensions.push(extension(false, &distribution_points(address)?)?);
    }
    let ends = issuer.validity().not_after;
    let certificate = issue(
        root,
        issuer.subject(),
        &name,
        &public_key,
        extensions,
        validity(at, VALID_YEARS, Some(ends))?,
    )?;
    let mut chain = vec![certificate];
    chain.extend(root.certificates().iter().cloned());
    Ok(SealKey::from_key(key, chain)?)
}

/// The contents of a certificate that is neither the root's nor a seal's, such as for the time-stamp authorities of
/// tests.
#[derive(Debug, Clone)]
pub struct CertificateRequest<'a> {
    pub common_name: &'a str,
    /// Its extensions, in addition to the key identifiers.
    pub extensions: Vec<Extension>,
    /// From when on it is valid.
    pub not_before: Timestamp,
    pub not_after: Timestamp,
}

/// Has `issuer` certify `key`; an authority without an issuer certifies itself. The answer is the certificate, DER.
pub fn issue_certificate(
    issuer: Option<&SealKey>,
    key: &PrivateKey,
    request: CertificateRequest<'_>,
) -> Result<Vec<u8>, AuthorityError> {
    let subject = distinguished_name(&[(rfc4519::CN, request.common_name)])?;
    let public_key = key.public_key_info()?;
    let mut extensions = request.extensions;
    extensions.push(extension(false, &SubjectKeyIdentifier(key_identifier(&public_key)?))?);
    let validity = Validity::new(
        certificate_time(request.not_before)?,
        certificate_time(request.not_after)?,
    );
    let Some(issuer) = issuer else {
        return issue(key, &subject, &subject, &public_key, extensions, validity);
    };
    let certificate = Certificate::from_der(issuer.certificates().first().ok_or(KeyError::NoCertificate)?)?;
    let certified = certificate.tbs_certificate();
    let identifier = AuthorityKeyIdentifier {
        key_identifier: Some(key_identifier(certified.subject_public_key_info())?),
        ..AuthorityKeyIdentifier::default()
    };
    extensions.push(extension(false, &identifier)?);
    let name = certified.subject();
    issue(issuer, name, &subject, &public_key, extensions, validity)
}

/// The extension that names the address of a revocation list (RFC 5280, 4.2.1.13).
pub fn distribution_points(address: &str) -> Result<CrlDistributionPoints, AuthorityError> {
    let address = GeneralName::UniformResourceIdentifier(Ia5String::new(address)?);
    Ok(CrlDistributionPoints(vec![DistributionPoint {
        distribution_point: Some(DistributionPointName::FullName(vec![address])),
        reasons: None,
        crl_issuer: None,
    }]))
}

/// `TBSCertificate` of RFC 5280, 4.1, version 3.
#[derive(Sequence)]
struct CertificateBody {
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    version: u8,
    serial_number: Int,
    signature: AlgorithmIdentifierOwned,
    issuer: Name,
    validity: Validity,
    subject: Name,
    subject_public_key_info: SubjectPublicKeyInfoOwned,
    #[asn1(context_specific = "3", tag_mode = "EXPLICIT")]
    extensions: Vec<Extension>,
}

/// `Certificate` of RFC 5280, 4.1.
#[derive(Sequence)]
struct Signed {
    body: CertificateBody,
    algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
}

/// An issuer of certificates: a key alone, for its own certificate, or with its certificate.
trait Issuer {
    fn algorithm(&self) -> AlgorithmIdentifierOwned;
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyError>;
}

impl Issuer for PrivateKey {
    fn algorithm(&self) -> AlgorithmIdentifierOwned {
        self.algorithm().identifier()
    }

    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyError> {
        self.sign(message)
    }
}

impl Issuer for SealKey {
    fn algorithm(&self) -> AlgorithmIdentifierOwned {
        Signer::algorithm(self).identifier()
    }

    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyError> {
        Signer::sign(self, message)
    }
}

fn issue(
    issuer_key: &dyn Issuer,
    issuer: &Name,
    subject: &Name,
    public_key: &SubjectPublicKeyInfoOwned,
    extensions: Vec<Extension>,
    validity: Validity,
) -> Result<Vec<u8>, AuthorityError> {
    let algorithm = issuer_key.algorithm();
    let body = CertificateBody {
        version: 2,
        serial_number: serial_number()?,
        signature: algorithm.clone(),
        issuer: issuer.clone(),
        validity,
        subject: subject.clone(),
        subject_public_key_info: public_key.clone(),
        extensions,
    };
    let signature = issuer_key.sign(&body.to_der()?)?;
    let signed = Signed {
        body,
        algorithm,
        signature: BitString::from_bytes(&signature)?,
    };
    Ok(signed.to_der()?)
}

/// A positive number of 127 random bits (RFC 5280 allows 20 octets and demands uniqueness; the
/// CA/Browser Forum's rule is 64 bits).
fn serial_number() -> Result<Int, AuthorityError> {
    let mut bytes = [0; 16];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| AuthorityError::NoRandomness)?;
    // The top bit clear keeps it positive, the next one set keeps the length, and DER, minimal.
    bytes[0] = (bytes[0] & 0x7f) | 0x40;
    Ok(Int::new(&bytes)?)
}

fn validity(at: Timestamp, years: i64, no_longer_than: Option<Time>) -> Result<Validity, AuthorityError> {
    let unrepresentable = || AuthorityError::Time(at);
    let begin = at
        .checked_sub(BACKDATED_MINUTES.minutes())
        .map_err(|_| unrepresentable())?;
    let end = at
        .to_zoned_datetime(TimeZone::UTC)
        .checked_add(years.years())
        .map_err(|_| unrepresentable())?
        .timestamp();
    let mut not_after = certificate_time(end)?;
    if let Some(limit) = no_longer_than
        && limit.to_unix_duration() < not_after.to_unix_duration()
    {
        not_after = limit;
    }
    Ok(Validity::new(certificate_time(begin)?, not_after))
}

/// `UTCTime` up to 2049, `GeneralizedTime` after (RFC 5280, 4.1.2.5).
pub(super) fn certificate_time(at: Timestamp) -> Result<Time, AuthorityError> {
    let seconds = u64::try_from(at.as_second()).map_err(|_| AuthorityError::Time(at))?;
    let date_time = DateTime::from_unix_duration(std::time::Duration::from_secs(seconds))?;
    Ok(UtcTime::from_date_time(date_time).map_or_else(|_| Time::from(date_time), Time::from))
}

fn distinguished_name(parts: &[(ObjectIdentifier, &str)]) -> Result<Name, AuthorityError> {
    let mut names = RdnSequence::default();
    for (oid, value) in parts {
        let value: String = value.chars().take(MAX_NAME).collect();
        let value = Any::from(Utf8StringRef::new(&value)?);
        let part = AttributeTypeAndValue { oid: *oid, value };
        names.push(RelativeDistinguishedName::from(SetOfVec::try_from(vec![part])?));
    }
    Ok(Name::from_der(&names.to_der()?)?)
}

pub(super) fn key_identifier(key: &SubjectPublicKeyInfoOwned) -> Result<OctetString, AuthorityError> {
    let digest = Sha256::digest(key.subject_public_key.raw_bytes());
    let first: Vec<u8> = digest.iter().take(20).copied().collect();
    Ok(OctetString::new(first)?)
}

/// An extension as it appears in certificates and lists.
pub fn extension<T: Encode + AssociatedOid>(critical: bool, value: &T) -> Result<Extension, AuthorityError> {
    Ok(Extension {
        extn_id: T::OID,
        critical,
        extn_value: OctetString::new(value.to_der()?)?,
    })
}
