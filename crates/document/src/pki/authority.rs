//! The installation's own certification authority: one root, and a seal certificate for each company.
//!
//! With the root's certificate, anyone can verify every seal of this installation without access to the server. The
//! root signs only seal certificates and its revocation list ([`crate::pki::revocation`]). Path length 0 prevents it
//! from creating further authorities. Certificates follow RFC 5280: basic constraints and key usage are critical, key
//! identifiers are the first 160 bits of SHA-256 over the public key (RFC 7093, method 1), serial numbers have 127
//! random bits.
//!
//! Randomness for keys, serial numbers and nonces comes from aws-lc. The caller provides the time. A private key is
//! returned only as a [`SealKey`], and callers that store one must encrypt it.

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

/// Validity of seal certificates.
const VALID_YEARS: i64 = 10;
/// Validity of the root. A seal certificate expires with its root, so the root must outlast it, to renew the
/// certificate.
const ROOT_YEARS: i64 = 30;
/// Maximum length of a common name or an organisation name in X.520, in characters.
const MAX_NAME: usize = 64;
/// A certificate is valid from a day earlier, so that a verifier with a slow clock accepts it, and so that a server
/// whose clock is corrected after its company was created can seal at once.
const BACKDATED_MINUTES: i64 = 24 * 60;

/// Reasons why a certificate cannot be issued.
#[derive(Debug, Error)]
pub enum AuthorityError {
    /// A key cannot be created or used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A value cannot be encoded in a certificate.
    #[error("the certificate cannot be written: {0}")]
    Encoding(#[from] der::Error),
    /// No random numbers are available.
    #[error("the machine's random number generator failed")]
    NoRandomness,
    /// The time cannot be encoded in a certificate.
    #[error("the time {0} is out of range for a certificate")]
    Time(Timestamp),
    /// The issuer's certificate does not belong to an authority.
    #[error("the issuer's certificate does not belong to a certification authority")]
    NotAnAuthority,
}

/// The subject of a seal certificate.
#[derive(Debug, Clone)]
pub struct SealSubject<'a> {
    /// The company's name, shown as the signer. Truncated to the 64 characters that X.520 allows.
    pub company_name: &'a str,
    /// The company's id in this installation.
    pub company_id: &'a str,
    /// The public address of the root's revocation list. Without one, the certificate contains none, and verifiers find
    /// the list only in the sealed files themselves.
    pub revocation_list: Option<&'a str>,
}

/// Creates the installation's root: a new key and its self-signed certificate.
pub fn create_root(name: &str, kind: KeyKind, at: Timestamp) -> Result<SealKey, AuthorityError> {
    let key = PrivateKey::generate(kind)?;
    let subject = distinguished_name(&[(rfc4519::CN, name)])?;
    let certificate = root_certificate(&key, &subject, &key.public_key_info()?, validity(at, ROOT_YEARS, None)?)?;
    Ok(SealKey::from_key(key, vec![certificate])?)
}

/// Issues another certificate (DER) for the root's key and name, with a later end. It starts at the same time as the
/// old one, so existing certificates chain to both.
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

/// Creates a company's seal key and a certificate issued by the root. The chain also contains the root, so that a seal
/// contains everything that verifiers need except their trust.
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

/// The contents of any other certificate, such as one for the time-stamp authorities in tests.
#[derive(Debug, Clone)]
pub struct CertificateRequest<'a> {
    pub common_name: &'a str,
    /// Extensions in addition to the key identifiers.
    pub extensions: Vec<Extension>,
    /// Start of the validity.
    pub not_before: Timestamp,
    pub not_after: Timestamp,
}

/// Issues a certificate for `key`, signed by `issuer`. An authority without an issuer signs its own. Returns the
/// certificate as DER.
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

/// Builds the extension with the address of a revocation list (RFC 5280, 4.2.1.13).
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

/// An issuer of certificates: only a key, for its own certificate, or a key with its certificate.
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

/// Returns a positive number with 127 random bits (RFC 5280 allows 20 octets and requires uniqueness; the CA/Browser
/// Forum requires 64 bits).
fn serial_number() -> Result<Int, AuthorityError> {
    let mut bytes = [0; 16];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| AuthorityError::NoRandomness)?;
    // The cleared top bit keeps the number positive. The next bit is set, so that the length is constant and the DER
    // minimal.
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

/// Returns `UTCTime` up to 2049 and `GeneralizedTime` after that (RFC 5280, 4.1.2.5).
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

/// Encodes an extension of a certificate or list.
pub fn extension<T: Encode + AssociatedOid>(critical: bool, value: &T) -> Result<Extension, AuthorityError> {
    Ok(Extension {
        extn_id: T::OID,
        critical,
        extn_value: OctetString::new(value.to_der()?)?,
    })
}
