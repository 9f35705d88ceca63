//! Revocation: the list that the installation's root issues, and where other people's certificates say that theirs is found.
//!
//! [`issue_list`] makes a certificate revocation list (RFC 5280, 5). [`Sources`] reads from a certificate where its
//! issuer's certificate, list and OCSP responder are; [`ocsp_request`] asks the responder (RFC 6960). What comes back is held
//! to the same rules as what a verifier finds in a file, by the same code: [`check_list`] and [`check_answer`] take only what
//! the certificate's issuer vouches for and what speaks of now.
//!
//! What is read here comes over the network: it never panics, and its work is bounded by the length of what is read.

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

/// The media type of a revocation list (RFC 5280, 4.2.1.13 names its file type; RFC 2585, 4.2).
pub const LIST_MEDIA_TYPE: &str = "application/pkix-crl";
/// The media type of an OCSP request (RFC 6960, A.1).
pub const OCSP_REQUEST_MEDIA_TYPE: &str = "application/ocsp-request";
/// More addresses than a certificate needs.
const MOST_ADDRESSES: usize = 4;

/// Why revocation data could not be created or read.
#[derive(Debug, Error)]
pub enum RevocationError {
    /// A list cannot be issued.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    /// The revocation data is malformed.
    #[error("the revocation data cannot be read: {0}")]
    Malformed(#[from] CmsError),
    /// The responder returned no response.
    #[error("the OCSP responder answered with status {0} instead of an answer")]
    NoAnswer(u8),
    /// The answer is about other certificates.
    #[error("the OCSP responder's answer is about another certificate")]
    AnotherCertificate,
    /// The responder does not know the certificate.
    #[error("the OCSP responder does not know the certificate")]
    UnknownCertificate,
    /// The certificate is revoked.
    #[error("the certificate has been revoked since {0}")]
    Revoked(Timestamp),
    /// Someone else signed it.
    #[error("it is signed neither by the certificate's issuer nor by a responder that the issuer certified")]
    NotTheIssuers,
    /// The list covers only some certificates or reasons, and not this one.
    #[error("the list does not cover the certificate: {0}")]
    NotCovered(&'static str),
    /// It was issued after the certificate expired, when its revocation may no longer be listed.
    #[error(
        "it was issued after the certificate expired ({0}), and does not say that it still covers expired \
            certificates"
    )]
    AfterItsEnd(Timestamp),
    /// It is about a time in the future.
    #[error("it was issued at {0}, which is in the future")]
    NotYet(Timestamp),
    /// It is too old.
    #[error("it is valid only until {0}")]
    OutOfDate(Timestamp),
}

impl From<der::Error> for RevocationError {
    fn from(error: der::Error) -> Self {
        Self::Malformed(error.into())
    }
}

/// A certificate that is no longer good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revoked<'a> {
    /// Its serial number, as the octets of an INTEGER.
    pub serial_number: &'a [u8],
    pub at: Timestamp,
    pub reason: RevocationReason,
}

/// Since when a certificate is revoked, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revocation {
    pub since: Timestamp,
    pub reason: RevocationReason,
}

/// Why a certificate is revoked (RFC 5280, 5.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RevocationReason {
    /// No reason is known, or one that companies of this product do not use.
    #[default]
    Unspecified,
    /// Someone else may have the key.
    KeyCompromise,
    /// It was replaced.
    Superseded,
    /// The company no longer signs here.
    CessationOfOperation,
}

impl RevocationReason {
    /// The standard's name: `keyCompromise` and so on.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Unspecified => "unspecified",
            Self::KeyCompromise => "keyCompromise",
            Self::Superseded => "superseded",
            Self::CessationOfOperation => "cessationOfOperation",
        }
    }

    /// Reads a code.
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

/// The serial number of a certificate (DER), as the octets of an INTEGER.
pub fn serial_number(certificate: &[u8]) -> Result<Vec<u8>, RevocationError> {
    let certificate = Certificate::from_der(certificate)?;
    Ok(certificate.tbs_certificate().serial_number().as_bytes().to_vec())
}

/// Issues the list of the certificates that `issuer` has revoked: all that it ever revoked, whether they have ended or not,
/// which the list says (`expiredCertsOnCRL`). Each list has a higher number than the one before.
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
        // RFC 5280, 5.1.2.6: without entries the list is absent, not empty.
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
        // RFC 5280, 5.3.1: an unspecified reason is left out.
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

/// When a revocation list or a response was issued, and how long it is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    pub this_update: Timestamp,
    /// When the next one is due, if it says so.
    pub next_update: Option<Timestamp>,
}

/// Reads when a list (DER) was issued. Whose it is, is not looked at: for our own.
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

/// An address from a certificate. Its issuer chose it, not the operator of this installation.
/// Only [`Sources::of`] makes one, so that no address of the operator's is taken for one, nor the other way round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceAddress(String);

impl SourceAddress {
    /// As the certificate has it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for SourceAddress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Where a certificate says that its verifier finds more data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// OCSP responders.
    pub responders: Vec<SourceAddress>,
    /// Revocation lists.
    pub lists: Vec<SourceAddress>,
    /// The issuer's certificate.
    pub issuers: Vec<SourceAddress>,
}

impl Sources {
    /// The sources that a certificate (DER) names, as far as they are `http` or `https` addresses.
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
                // A list for some reasons only, or by another issuer, does not answer the question.
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

/// Whether `issuer` (DER) has the name and key that `certificate` (DER) names as its issuer's. Does not check
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

/// Whether the key of `issuer` (DER) signed `certificate` (DER), whose issuer it names.
pub fn is_issued_by(certificate: &[u8], issuer: &[u8]) -> bool {
    certificates::is_issued_by(certificate, issuer)
}

/// Whether a certificate (DER) is its own issuer. If so, nobody else can revoke it.
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

/// SHA-1: OCSP names certificates by it, and nothing secret hangs on it.
pub fn sha1(bytes: &[u8]) -> Vec<u8> {
    digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, bytes)
        .as_ref()
        .to_vec()
}

/// Asks an OCSP responder about `certificate`, which `issuer` issued (both DER). There is no nonce, so that responders may
/// answer with what they have ready; the answer's own times bound its use.
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
