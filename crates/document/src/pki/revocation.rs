//! Revocation: the list issued by the installation's root, and revocation data for other certificates.
//!
//! [`issue_list`] creates a certificate revocation list (RFC 5280, 5). [`Sources`] reads the addresses of the issuer's
//! certificate, list and OCSP responder from a certificate. [`ocsp_request`] creates a request to the responder (RFC
//! 6960). The answers must meet the same rules as the data that a verifier finds in a file, checked by the same code:
//! [`check_list`] and [`check_answer`] accept only current data that the certificate's issuer vouches for.
//!
//! This module reads data from the network, so it never panics, and its work is limited by the length of the data.

mod reading;

pub(crate) use reading::{ARCHIVAL, MAX_ITEMS, Status, archived, status};
pub use reading::{RevocationData, list_from_pem_or_der};

use aws_lc_rs::digest;
use const_oid::db::rfc5912::{ID_AD_CA_ISSUERS, ID_AD_OCSP, ID_SHA_1};
use der::asn1::{Any, BitString, GeneralizedTime, Int, Null, OctetString, Uint};
use der::{Decode, Encode, Sequence};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use spki::AlgorithmIdentifierOwned;
use thiserror::Error;
use x509_cert::Certificate;
use x509_cert::certificate::Version;
use x509_cert::crl::{CertificateList, RevokedCert, TbsCertList};
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::crl::CrlReason;
use x509_cert::ext::pkix::name::{DistributionPointName, GeneralName};
use x509_cert::ext::pkix::{AuthorityInfoAccessSyntax, AuthorityKeyIdentifier, CrlDistributionPoints, CrlNumber};
use x509_cert::serial_number::SerialNumber;

use crate::pki::authority::{AuthorityError, certificate_time, extension, key_identifier};
use crate::pki::certificates::{self, Certified};
use crate::pki::cms::CmsError;
use crate::pki::keys::{KeyError, SealKey, Signer};

/// Media type of a revocation list (RFC 2585, 4.2; RFC 5280, 4.2.1.13 specifies the file type).
pub const LIST_MEDIA_TYPE: &str = "application/pkix-crl";
/// Media type of an OCSP request (RFC 6960, A.1).
pub const OCSP_REQUEST_MEDIA_TYPE: &str = "application/ocsp-request";
/// Maximum number of addresses read from a certificate. None needs more.
const MOST_ADDRESSES: usize = 4;

/// Reasons why revocation data could not be created or read.
#[derive(Debug, Error)]
pub enum RevocationError {
    /// A list cannot be issued.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    /// The revocation data is malformed.
    #[error("the revocation data cannot be read: {0}")]
    Malformed(#[from] CmsError),
    /// The responder returned an error status instead of a response.
    #[error("the OCSP responder returned status {0} instead of a response")]
    NoAnswer(u8),
    /// The answer is about other certificates.
    #[error("the OCSP response is about a different certificate")]
    AnotherCertificate,
    /// The responder does not know the certificate.
    #[error("the OCSP responder does not know the certificate")]
    UnknownCertificate,
    /// The certificate is revoked.
    #[error("the certificate has been revoked since {0}")]
    Revoked(Timestamp),
    /// The data was not signed by the certificate's issuer.
    #[error("it is not signed by the certificate's issuer, or by a responder that the issuer certified")]
    NotTheIssuers,
    /// The list covers only some certificates or reasons, and does not cover this certificate.
    #[error("the list does not cover the certificate: {0}")]
    NotCovered(&'static str),
    /// The data was issued after the certificate expired, so a revocation may no longer be listed.
    #[error(
        "it was issued after the certificate expired ({0}), and does not say that it still covers expired \
            certificates"
    )]
    AfterItsEnd(Timestamp),
    /// The data is valid only from a time in the future.
    #[error("it was issued at {0}, which is in the future")]
    NotYet(Timestamp),
    /// The data is too old.
    #[error("it is valid only until {0}")]
    OutOfDate(Timestamp),
}

impl From<der::Error> for RevocationError {
    fn from(error: der::Error) -> Self {
        Self::Malformed(error.into())
    }
}

/// A revoked certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revoked<'a> {
    /// Serial number, as the octets of an INTEGER.
    pub serial_number: &'a [u8],
    pub at: Timestamp,
    pub reason: RevocationReason,
}

/// Time and reason of a revocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revocation {
    pub since: Timestamp,
    pub reason: RevocationReason,
}

/// Reasons for revoking a certificate (RFC 5280, 5.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RevocationReason {
    /// The reason is unknown, or one that companies of this product do not use.
    #[default]
    Unspecified,
    /// An unauthorised person may have the key.
    KeyCompromise,
    /// The certificate was replaced.
    Superseded,
    /// The company no longer signs with this product.
    CessationOfOperation,
}

impl RevocationReason {
    /// Returns the standard's name, such as `keyCompromise`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Unspecified => "unspecified",
            Self::KeyCompromise => "keyCompromise",
            Self::Superseded => "superseded",
            Self::CessationOfOperation => "cessationOfOperation",
        }
    }

    /// Parses the standard's name.
    pub fn parse(text: &str) -> Option<Self> {
        [
            Self::Unspecified,
            Self::KeyCompromise,
            Self::Superseded,
            Self::CessationOfOperation,
        ]
        .into_iter()
        .find(|reason| reason.code() == text)
    }
}

impl From<CrlReason> for RevocationReason {
    fn from(reason: CrlReason) -> Self {
        match reason {
            CrlReason::KeyCompromise => Self::KeyCompromise,
            CrlReason::Superseded => Self::Superseded,
            CrlReason::CessationOfOperation => Self::CessationOfOperation,
            _ => Self::Unspecified,
        }
    }
}

/// Returns the serial number of a certificate (DER), as the octets of an INTEGER.
pub fn serial_number(certificate: &[u8]) -> Result<Vec<u8>, RevocationError> {
    let certificate = Certificate::from_der(certificate)?;
    Ok(certificate.tbs_certificate().serial_number().as_bytes().to_vec())
}

/// Issues the list of all certificates that `issuer` has ever revoked, including expired ones, which the list states
/// (`expiredCertsOnCRL`). Each list has a higher number than the previous one.
pub fn issue_list(
    issuer: &SealKey,
    revoked: &[Revoked<'_>],
    number: u64,
    at: Timestamp,
    next_update: Timestamp,
) -> Result<Vec<u8>, RevocationError> {
    let own = issuer
        .certificates()
        .first()
        .ok_or(AuthorityError::Key(KeyError::NoCertificate))?;
    let certificate = Certificate::from_der(own)?;
    let certified = certificate.tbs_certificate();
    let kept_since = GeneralizedTime::from_date_time(certified.validity().not_before.to_date_time());
    let entries = revoked.iter().map(entry).collect::<Result<Vec<_>, RevocationError>>()?;
    let algorithm = issuer.algorithm().identifier();
    let body = TbsCertList {
        version: Version::V2,
        signature: algorithm.clone(),
        issuer: certified.subject().clone(),
        this_update: certificate_time(at)?,
        next_update: Some(certificate_time(next_update)?),
        // Without entries, the field is absent, not empty (RFC 5280, 5.1.2.6).
        revoked_certificates: (!entries.is_empty()).then_some(entries),
        crl_extensions: Some(vec![
            extension(
                false,
                &AuthorityKeyIdentifier {
                    key_identifier: Some(key_identifier(certified.subject_public_key_info())?),
                    ..AuthorityKeyIdentifier::default()
                },
            )?,
            extension(false, &CrlNumber(Uint::new(&number.to_be_bytes())?))?,
            Extension {
                extn_id: reading::EXPIRED_CERTS_ON_CRL,
                critical: false,
                extn_value: OctetString::new(kept_since.to_der()?)?,
            },
        ]),
    };
    let signature = issuer.sign(&body.to_der()?).map_err(AuthorityError::Key)?;
    let list = CertificateList {
        tbs_cert_list: body,
        signature_algorithm: algorithm,
        signature: BitString::from_bytes(&signature)?,
    };
    Ok(list.to_der()?)
}

fn entry(revoked: &Revoked<'_>) -> Result<RevokedCert, RevocationError> {
    let reason = match revoked.reason {
        // An unspecified reason is left out (RFC 5280, 5.3.1).
        RevocationReason::Unspecified => None,
        RevocationReason::KeyCompromise => Some(CrlReason::KeyCompromise),
        RevocationReason::Superseded => Some(CrlReason::Superseded),
        RevocationReason::CessationOfOperation => Some(CrlReason::CessationOfOperation),
    };
    let extensions = reason.map(|reason| extension(false, &reason)).transpose()?;
    Ok(RevokedCert {
        serial_number: SerialNumber::new(revoked.serial_number)?,
        revocation_date: certificate_time(revoked.at)?,
        crl_entry_extensions: extensions.map(|extension| vec![extension]),
    })
}

/// Time of issue of a revocation list or response, and the end of its validity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    pub this_update: Timestamp,
    /// Time of the next issue, if stated.
    pub next_update: Option<Timestamp>,
}

/// Reads the validity of a list (DER). Does not check its issuer, so it is only for our own lists.
pub fn list_validity(der: &[u8]) -> Result<Validity, RevocationError> {
    reading::validity_of_list(&CertificateList::from_der(der)?)
}

/// Checks that a list (DER) shows that `certificate`, issued by `issuer` (both DER), is valid at `now`.
pub fn check_list(list: &[u8], certificate: &[u8], issuer: &[u8], now: Timestamp) -> Result<Validity, RevocationError> {
    let (certificate, issuer) = (parsed(certificate)?, parsed(issuer)?);
    let (status, validity) = reading::in_list(&certificate, &issuer, list, now, now)?;
    good(status, validity)
}

/// Checks that an OCSP response (DER) shows that `certificate`, issued by `issuer` (both DER), is valid at `now`.
pub fn check_answer(
    response: &[u8],
    certificate: &[u8],
    issuer: &[u8],
    now: Timestamp,
) -> Result<Validity, RevocationError> {
    let (certificate, issuer) = (parsed(certificate)?, parsed(issuer)?);
    let (status, validity) = reading::in_response(&certificate, &issuer, &[], response, now, now)?;
    good(status, validity)
}

fn good(status: Status, validity: Validity) -> Result<Validity, RevocationError> {
    match status {
        Status::Good => Ok(validity),
        Status::Revoked(revocation) => Err(RevocationError::Revoked(revocation.since)),
        Status::Unknown => Err(RevocationError::UnknownCertificate),
    }
}

fn parsed(certificate: &[u8]) -> Result<Certified<'_>, RevocationError> {
    Certified::parse(certificate).ok_or(CmsError::Unusable("the certificate cannot be read").into())
}

/// An address from a certificate. It was chosen by the certificate's issuer, not by the operator of this installation.
/// Only [`Sources::of`] creates one, so that these addresses and the operator's cannot be confused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceAddress(String);

impl SourceAddress {
    /// Returns the address as written in the certificate.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for SourceAddress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Addresses in a certificate at which verifiers find more data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// Addresses of OCSP responders.
    pub responders: Vec<SourceAddress>,
    /// Addresses of revocation lists.
    pub lists: Vec<SourceAddress>,
    /// Addresses of the issuer's certificate.
    pub issuers: Vec<SourceAddress>,
}

impl Sources {
    /// Reads the `http` and `https` addresses from a certificate (DER).
    pub fn of(certificate: &[u8]) -> Result<Self, RevocationError> {
        let certificate = Certificate::from_der(certificate)?;
        let body = certificate.tbs_certificate();
        let mut sources = Self::default();
        if let Ok(Some((_, access))) = body.get_extension::<AuthorityInfoAccessSyntax>() {
            for description in access.0 {
                let list = match description.access_method {
                    ID_AD_OCSP => &mut sources.responders,
                    ID_AD_CA_ISSUERS => &mut sources.issuers,
                    _ => continue,
                };
                list.extend(address(&description.access_location));
            }
        }
        if let Ok(Some((_, points))) = body.get_extension::<CrlDistributionPoints>() {
            for point in points.0 {
                // A list for some reasons only, or by another issuer, is not sufficient.
                if point.reasons.is_some() || point.crl_issuer.is_some() {
                    continue;
                }
                if let Some(DistributionPointName::FullName(names)) = point.distribution_point {
                    sources.lists.extend(names.iter().filter_map(address));
                }
            }
        }
        for list in [&mut sources.responders, &mut sources.lists, &mut sources.issuers] {
            list.truncate(MOST_ADDRESSES);
        }
        Ok(sources)
    }
}

fn address(name: &GeneralName) -> Option<SourceAddress> {
    let GeneralName::UniformResourceIdentifier(address) = name else {
        return None;
    };
    let address = address.as_str();
    (address.starts_with("http://") || address.starts_with("https://")).then(|| SourceAddress(address.to_owned()))
}

/// Returns whether `issuer` (DER) has the name and key identifier stated in `certificate` (DER). Does not check
/// signatures.
pub fn names_issuer(certificate: &[u8], issuer: &[u8]) -> bool {
    let (Ok(certificate), Ok(issuer)) = (Certificate::from_der(certificate), Certificate::from_der(issuer)) else {
        return false;
    };
    let (certificate, issuer) = (certificate.tbs_certificate(), issuer.tbs_certificate());
    if certificate.issuer() != issuer.subject() {
        return false;
    }
    let wanted = certificate.get_extension::<AuthorityKeyIdentifier>().ok().flatten();
    let own = issuer
        .get_extension::<x509_cert::ext::pkix::SubjectKeyIdentifier>()
        .ok()
        .flatten();
    match (wanted.and_then(|(_, wanted)| wanted.key_identifier), own) {
        (Some(wanted), Some((_, own))) => wanted == own.0,
        _ => true,
    }
}

/// Returns whether `certificate` (DER) states `issuer` (DER) as its issuer and was signed by its key.
pub fn is_issued_by(certificate: &[u8], issuer: &[u8]) -> bool {
    certificates::is_issued_by(certificate, issuer)
}

/// Returns whether a certificate (DER) is its own issuer. If so, no other issuer can revoke it.
pub fn is_self_issued(certificate: &[u8]) -> bool {
    names_issuer(certificate, certificate)
}

/// `CertID` of RFC 6960, 4.1.1.
#[derive(Sequence)]
struct CertId {
    hash_algorithm: AlgorithmIdentifierOwned,
    issuer_name_hash: OctetString,
    issuer_key_hash: OctetString,
    serial_number: Int,
}

#[derive(Sequence)]
struct SingleRequest {
    certificate: CertId,
}

#[derive(Sequence)]
struct RequestBody {
    requests: Vec<SingleRequest>,
}

#[derive(Sequence)]
struct OcspRequest {
    body: RequestBody,
}

/// Computes SHA-1, with which OCSP identifies certificates. No security depends on it.
pub fn sha1(bytes: &[u8]) -> Vec<u8> {
    digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, bytes)
        .as_ref()
        .to_vec()
}

/// Builds an OCSP request about `certificate`, issued by `issuer` (both DER). There is no nonce, so responders may
/// return prepared answers. The times in the answer limit its use.
pub fn ocsp_request(certificate: &[u8], issuer: &[u8]) -> Result<Vec<u8>, RevocationError> {
    let certificate = Certificate::from_der(certificate)?;
    let issuer = Certificate::from_der(issuer)?;
    let sha1 = |bytes: &[u8]| OctetString::new(sha1(bytes));
    let key = issuer.tbs_certificate().subject_public_key_info();
    let certificate = CertId {
        hash_algorithm: AlgorithmIdentifierOwned {
            oid: ID_SHA_1,
            parameters: Some(Any::from(Null)),
        },
        issuer_name_hash: sha1(&certificate.tbs_certificate().issuer().to_der()?)?,
        issuer_key_hash: sha1(key.subject_public_key.raw_bytes())?,
        serial_number: Int::new(certificate.tbs_certificate().serial_number().as_bytes())?,
    };
    let request = OcspRequest {
        body: RequestBody {
            requests: vec![SingleRequest { certificate }],
        },
    };
    Ok(request.to_der()?)
}
