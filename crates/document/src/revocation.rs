//! Revocation: the list that the installation's root issues, and where other people's certificates say that theirs is found.
//!
//! [`issue_list`] makes a certificate revocation list (RFC 5280, 5). [`Sources`] reads from a certificate where its
//! issuer's certificate, list and OCSP responder are; [`ocsp_request`] asks the responder (RFC 6960). What comes back is read
//! here only so far that nothing useless is embedded in a document, and that it is known how long it may be used
//! ([`RevocationList`], [`ocsp_answer`]); whether its signature is right is judged where a document is verified.
//!
//! What is read here comes over the network: it never panics, and its work is bounded by the length of what is read.

use aws_lc_rs::digest;
use const_oid::ObjectIdentifier;
use const_oid::db::rfc5912::{ID_AD_CA_ISSUERS, ID_AD_OCSP, ID_SHA_1};
use der::asn1::{Any, BitString, Int, Null, OctetString, Uint};
use der::{Decode, Encode, Sequence, Tag};
use jiff::Timestamp;
use spki::AlgorithmIdentifierOwned;
use thiserror::Error;
use x509_cert::Certificate;
use x509_cert::certificate::Version;
use x509_cert::crl::{CertificateList, RevokedCert, TbsCertList};
use x509_cert::ext::pkix::crl::CrlReason;
use x509_cert::ext::pkix::name::{DistributionPointName, GeneralName};
use x509_cert::ext::pkix::{AuthorityInfoAccessSyntax, AuthorityKeyIdentifier, CrlDistributionPoints, CrlNumber};
use x509_cert::serial_number::SerialNumber;

use crate::authority::{AuthorityError, certificate_time, extension, key_identifier};
use crate::cms::{self, CmsError, context};
use crate::keys::{KeyError, SealKey, Signer};
use crate::timestamp::generalized_time;

/// The media type of a revocation list (RFC 5280, 4.2.1.13 names its file type; RFC 2585, 4.2).
pub const LIST_MEDIA_TYPE: &str = "application/pkix-crl";
/// The media type of an OCSP request (RFC 6960, A.1).
pub const OCSP_REQUEST_MEDIA_TYPE: &str = "application/ocsp-request";
/// `id-pkix-ocsp-basic` (RFC 6960, 4.2.1).
const OCSP_BASIC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.1.1");
/// More addresses than a certificate needs.
const MOST_ADDRESSES: usize = 4;

/// Why something about revocation could not be made or read.
#[derive(Debug, Error)]
pub enum RevocationError {
    /// A list cannot be issued.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    /// What was read is malformed.
    #[error("this is no readable revocation data: {0}")]
    Malformed(#[from] CmsError),
    /// The responder gave no answer.
    #[error("the OCSP responder answered with status {0} instead of an answer")]
    NoAnswer(u8),
    /// The answer is about other certificates.
    #[error("the OCSP responder's answer is about another certificate")]
    AnotherCertificate,
    /// The certificate is revoked, or not known.
    #[error("the OCSP responder says that the certificate is {0}")]
    NotGood(&'static str),
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
    /// Since when.
    pub at: Timestamp,
    /// Why.
    pub reason: RevocationReason,
}

/// Why a certificate is revoked (RFC 5280, 5.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RevocationReason {
    /// Nobody says.
    #[default]
    Unspecified,
    /// Somebody else may have the key.
    KeyCompromise,
    /// It was replaced.
    Superseded,
    /// The company does not sign here any more.
    CessationOfOperation,
}

impl RevocationReason {
    /// As the standard names it: `keyCompromise` and so on.
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

/// The serial number of a certificate (DER), as the octets of an INTEGER.
pub fn serial_number(certificate: &[u8]) -> Result<Vec<u8>, RevocationError> {
    let certificate = Certificate::from_der(certificate)?;
    Ok(certificate.tbs_certificate().serial_number().as_bytes().to_vec())
}

/// Issues the list of the certificates that `issuer` has revoked. Each list has a higher number than the one before.
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

/// What a revocation list says of itself.
#[derive(Debug, Clone, Copy)]
pub struct RevocationList<'a> {
    /// The issuer's name, DER.
    pub issuer: &'a [u8],
    /// When it was issued.
    pub this_update: Timestamp,
    /// When the next one is there at the latest, if it says so.
    pub next_update: Option<Timestamp>,
}

impl<'a> RevocationList<'a> {
    /// Reads a list (DER).
    pub fn parse(der: &'a [u8]) -> Result<Self, RevocationError> {
        let mut body = cms::sequence(der)?.expect(Tag::Sequence)?.children()?;
        let mut element = body.next()?;
        if element.tag == Tag::Integer {
            element = body.next()?;
        }
        // The algorithm, then the issuer.
        if element.tag != Tag::Sequence {
            return Err(CmsError::Unusable("the list's algorithm is missing").into());
        }
        let issuer = body.expect(Tag::Sequence)?.raw;
        let this_update = time(body.next()?)?.ok_or(CmsError::Unusable("the list has no time"))?;
        let next_update = match body.optional()? {
            Some(element) => time(element)?,
            None => None,
        };
        Ok(Self {
            issuer,
            this_update,
            next_update,
        })
    }
}

/// `UTCTime` or `GeneralizedTime`; none for anything else.
fn time(element: cms::Element<'_>) -> Result<Option<Timestamp>, RevocationError> {
    if !matches!(element.tag, Tag::UtcTime | Tag::GeneralizedTime) {
        return Ok(None);
    }
    let time = x509_cert::time::Time::from_der(element.raw)?;
    let seconds = i64::try_from(time.to_unix_duration().as_secs()).unwrap_or(i64::MAX);
    Ok(Timestamp::from_second(seconds).ok())
}

/// Where a certificate says that what its verifier needs is found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// OCSP responders.
    pub responders: Vec<String>,
    /// Revocation lists.
    pub lists: Vec<String>,
    /// The issuer's certificate.
    pub issuers: Vec<String>,
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

fn address(name: &GeneralName) -> Option<String> {
    let GeneralName::UniformResourceIdentifier(address) = name else {
        return None;
    };
    let address = address.as_str();
    (address.starts_with("http://") || address.starts_with("https://")).then(|| address.to_owned())
}

/// Whether `issuer` (DER) has the name and the key that `certificate` (DER) says of its issuer. Signatures are not checked.
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

/// Whether a certificate (DER) names itself as its issuer: nobody else can revoke it.
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

/// What an OCSP response says of a certificate that is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OcspAnswer {
    /// When this was known to be so.
    pub this_update: Timestamp,
    /// When more will be known, if it says so.
    pub next_update: Option<Timestamp>,
}

/// Reads an OCSP response (DER) about `certificate` (DER); an error unless it says that the certificate is good.
pub fn ocsp_answer(response: &[u8], certificate: &[u8]) -> Result<OcspAnswer, RevocationError> {
    let certificate = Certificate::from_der(certificate)?;
    let serial_number = certificate.tbs_certificate().serial_number().as_bytes();
    let mut parts = cms::sequence(response)?;
    let status = parts.expect(Tag::Enumerated)?;
    if status.value != [0] {
        return Err(RevocationError::NoAnswer(
            status.value.first().copied().unwrap_or(u8::MAX),
        ));
    }
    let mut bytes = parts
        .expect(context(0))?
        .children()?
        .expect(Tag::Sequence)?
        .children()?;
    if bytes.expect(Tag::ObjectIdentifier)?.decode::<ObjectIdentifier>()? != OCSP_BASIC {
        return Err(CmsError::Unusable("the response is of an unknown type").into());
    }
    let basic = bytes.expect(Tag::OctetString)?.value;
    let mut body = cms::sequence(basic)?.expect(Tag::Sequence)?.children()?;
    // The version, the responder's name and the time come first.
    let responses = loop {
        let element = body.next()?;
        if element.tag == Tag::Sequence {
            break element;
        }
    };
    let mut responses = responses.children()?;
    while let Some(single) = responses.optional()? {
        let mut single = single.children()?;
        let mut id = single.expect(Tag::Sequence)?.children()?;
        id.expect(Tag::Sequence)?;
        id.expect(Tag::OctetString)?;
        id.expect(Tag::OctetString)?;
        if id.expect(Tag::Integer)?.value != serial_number {
            continue;
        }
        match single.next()?.tag {
            Tag::ContextSpecific { number, .. } if number.value() == 0 => {}
            Tag::ContextSpecific { number, .. } if number.value() == 1 => {
                return Err(RevocationError::NotGood("revoked"));
            }
            _ => return Err(RevocationError::NotGood("unknown")),
        }
        let unreadable = CmsError::Unusable("the response's time cannot be read");
        let this_update = generalized_time(single.expect(Tag::GeneralizedTime)?.value).ok_or(unreadable)?;
        let next_update = match single.optional()? {
            Some(element) if element.tag == context(0) => {
                generalized_time(element.children()?.expect(Tag::GeneralizedTime)?.value)
            }
            _ => None,
        };
        return Ok(OcspAnswer {
            this_update,
            next_update,
        });
    }
    Err(RevocationError::AnotherCertificate)
}
