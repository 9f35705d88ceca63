//! RFC 3161 timestamps: requests to a time-stamp authority, and verification of its answers.
//!
//! [`TimestampRequest`] requests a timestamp of a SHA-256 digest, with a nonce, and the authority's certificate
//! (`certReq`). [`TimestampRequest::accept`] reads the response and returns the token only if it answers this request:
//! granted, under the requested policy, over the same digest, with the same nonce, signed by the authority whose
//! certificate it binds (RFC 3161, 2.4.2; RFC 5816).
//!
//! [`TimestampToken`] reads a token from any source: in a signature (EN 319 122-1, 5.3) or in a document timestamp (ISO
//! 32000-2, 12.8.5). [`TimestampToken::verify`] proves that the token covers a digest and that its signer signed it.
//! The verifier ([`mod@crate::verify`]) decides whether to trust the signer, and at which time its certificate must be
//! valid.
//!
//! Bytes in, bytes out: a [`TimestampSource`] sends the request. All data read here is untrusted, so this module never
//! panics, and its work is limited by the length of the data.

use aws_lc_rs::digest;
use const_oid::ObjectIdentifier;
use const_oid::db::rfc3161::ID_CT_TST_INFO;
use const_oid::db::rfc5280::ID_KP_TIME_STAMPING;
use const_oid::db::rfc5912::ID_SHA_256;
use der::asn1::{Any, Int, OctetString};
use der::{Encode, Sequence, Tag};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use spki::AlgorithmIdentifierOwned;
use thiserror::Error;
use x509_cert::ext::pkix::ExtendedKeyUsage;

use crate::pki::algorithms::{SignatureFault, secure_digest};
use crate::pki::certificates::Certified;
use crate::pki::cms::{self, CmsError, Element, SignedMessage};

/// Media type of a request (RFC 3161, 3.4).
pub const QUERY_MEDIA_TYPE: &str = "application/timestamp-query";
/// Media type of a response.
pub const REPLY_MEDIA_TYPE: &str = "application/timestamp-reply";
/// A time-stamp policy, by its object identifier. Parsed from text such as `1.2.3.4`.
pub type Policy = ObjectIdentifier;
/// Number of random bytes in a nonce.
pub const NONCE_BYTES: usize = 16;

/// Reasons why there is no usable timestamp.
#[derive(Debug, Error)]
pub enum TimestampError {
    /// The authority could not be reached, or did not respond. Only this error may be temporary.
    #[error("the time-stamp authority cannot be reached: {0}")]
    Unreachable(String),
    /// The authority responded without a timestamp.
    #[error("the time-stamp authority returned no timestamp: {status}{}", described(.failures, .text))]
    Refused {
        status: ResponseStatus,
        /// The failure codes, if there are any.
        failures: Vec<FailureInfo>,
        /// The authority's message.
        text: String,
    },
    /// The answer is not a time-stamp response.
    #[error("the time-stamp response cannot be read: {0}")]
    Unreadable(#[from] CmsError),
    /// The response is granted but contains no token.
    #[error("the time-stamp response contains no token")]
    NoToken,
    /// The token is not a timestamp, or its version is unknown.
    #[error("the timestamp cannot be used: {0}")]
    Unusable(&'static str),
    /// The timestamp covers other data.
    #[error("the timestamp is for other data")]
    WrongImprint,
    /// The response answers another request.
    #[error("the timestamp belongs to another request: its nonce differs")]
    WrongNonce,
    /// The timestamp was issued under another policy.
    #[error("the timestamp was made under policy {found} instead of {asked}")]
    WrongPolicy {
        /// The requested policy.
        asked: ObjectIdentifier,
        /// The policy of the timestamp.
        found: ObjectIdentifier,
    },
    /// The signer's certificate is missing.
    #[error("the timestamp does not contain its signer's certificate")]
    CertificateMissing,
    /// The token binds another certificate, or none.
    #[error("the timestamp is not bound to its signer's certificate")]
    WrongCertificate,
    /// The signer's certificate does not belong to a time-stamp authority.
    #[error(
        "the timestamp's signer is not a time-stamp authority: its certificate is not restricted to \
            timestamps"
    )]
    NotAnAuthority,
    /// Digest or signature is wrong.
    #[error("the timestamp is not valid: {0}")]
    Invalid(SignatureFault),
}

fn described(failures: &[FailureInfo], text: &str) -> String {
    let mut described = String::new();
    for failure in failures {
        described.push_str(", ");
        described.push_str(&failure.to_string());
    }
    if !text.is_empty() {
        described.push_str(" (“");
        described.push_str(text);
        described.push_str("”)");
    }
    described
}

/// `PKIStatus` of RFC 3161, 2.4.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ResponseStatus {
    /// 0: granted as requested, with a token.
    #[error("granted")]
    Granted,
    /// 1: granted with modifications, with a token.
    #[error("granted with modifications")]
    GrantedWithModifications,
    /// 2: refused.
    #[error("rejected")]
    Rejection,
    /// 3: not yet.
    #[error("waiting: the request has not been processed yet")]
    Waiting,
    /// 4: a revocation is imminent.
    #[error("a revocation of the authority is imminent")]
    RevocationWarning,
    /// 5: a revocation has occurred.
    #[error("the authority was revoked")]
    RevocationNotification,
    /// Any other number.
    #[error("unknown status {0}")]
    Unknown(u32),
}

impl ResponseStatus {
    fn from_number(number: u32) -> Self {
        match number {
            0 => Self::Granted,
            1 => Self::GrantedWithModifications,
            2 => Self::Rejection,
            3 => Self::Waiting,
            4 => Self::RevocationWarning,
            5 => Self::RevocationNotification,
            other => Self::Unknown(other),
        }
    }
}

/// `PKIFailureInfo` of RFC 3161, 2.4.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FailureInfo {
    /// 0: the hash algorithm is unknown or not supported.
    #[error("the hash algorithm is not supported")]
    BadAlgorithm,
    /// 2: the transaction is not permitted or supported.
    #[error("this kind of request is not permitted or supported")]
    BadRequest,
    /// 5: the data has the wrong format.
    #[error("the request has the wrong format")]
    BadDataFormat,
    /// 14: the source of time is not available.
    #[error("its source of time is not available")]
    TimeNotAvailable,
    /// 15: the policy is not supported.
    #[error("the requested policy is not supported")]
    UnacceptedPolicy,
    /// 16: the extension is not supported.
    #[error("the requested extension is not supported")]
    UnacceptedExtension,
    /// 17: the additional information is not available.
    #[error("the requested additional information is not available")]
    AdditionalInformationNotAvailable,
    /// 25: the authority itself failed.
    #[error("the authority failed")]
    SystemFailure,
    /// Any other bit.
    #[error("unknown failure {0}")]
    Unknown(usize),
}

impl FailureInfo {
    fn from_bit(bit: usize) -> Self {
        match bit {
            0 => Self::BadAlgorithm,
            2 => Self::BadRequest,
            5 => Self::BadDataFormat,
            14 => Self::TimeNotAvailable,
            15 => Self::UnacceptedPolicy,
            16 => Self::UnacceptedExtension,
            17 => Self::AdditionalInformationNotAvailable,
            25 => Self::SystemFailure,
            other => Self::Unknown(other),
        }
    }
}

/// A source of timestamps. Creates the request, sends it and [accepts](TimestampRequest::accept) the response.
pub trait TimestampSource: Send + Sync {
    /// Returns a timestamp token (DER) of a SHA-256 digest.
    fn timestamp(&self, digest: &[u8; 32]) -> Result<Vec<u8>, TimestampError>;
}

#[derive(Sequence)]
struct MessageImprint {
    algorithm: AlgorithmIdentifierOwned,
    digest: OctetString,
}

/// `TimeStampReq` of RFC 3161, 2.4.1.
#[derive(Sequence)]
struct TimeStampReq {
    version: u8,
    message_imprint: MessageImprint,
    #[asn1(optional = "true")]
    policy: Option<ObjectIdentifier>,
    nonce: Int,
    certificate_wanted: bool,
}

/// A request to a time-stamp authority.
#[derive(Debug, Clone)]
pub struct TimestampRequest {
    digest: [u8; 32],
    nonce: [u8; NONCE_BYTES],
    policy: Option<ObjectIdentifier>,
}

impl TimestampRequest {
    /// Creates a request for a timestamp of a SHA-256 `digest`. The nonce must be random and used only once.
    pub fn new(digest: [u8; 32], mut nonce: [u8; NONCE_BYTES], policy: Option<ObjectIdentifier>) -> Self {
        // The cleared top bit and the set next bit make any random bytes a positive INTEGER in its shortest form.
        if let Some(first) = nonce.first_mut() {
            *first = (*first & 0x7f) | 0x40;
        }
        Self { digest, nonce, policy }
    }

    /// Encodes the request as DER.
    pub fn to_der(&self) -> Result<Vec<u8>, TimestampError> {
        let request = || {
            TimeStampReq {
                version: 1,
                message_imprint: MessageImprint {
                    algorithm: AlgorithmIdentifierOwned {
                        oid: ID_SHA_256,
                        // RFC 5754 omits the parameters, but some authorities refuse a request without them.
                        parameters: Some(Any::null()),
                    },
                    digest: OctetString::new(self.digest.as_slice())?,
                },
                policy: self.policy,
                nonce: Int::new(&self.nonce)?,
                certificate_wanted: true,
            }
            .to_der()
        };
        Ok(request().map_err(CmsError::from)?)
    }

    /// Returns the token of a response, if it answers this request and is valid.
    pub fn accept(&self, response: &[u8]) -> Result<Vec<u8>, TimestampError> {
        let token_der = read_response(response)?;
        let token = TimestampToken::parse(token_der)?;
        token.verify(&self.digest, &[])?;
        if token.imprint_algorithm != ID_SHA_256 {
            return Err(TimestampError::WrongImprint);
        }
        if token.nonce != Some(&self.nonce) {
            return Err(TimestampError::WrongNonce);
        }
        if let Some(asked) = self.policy
            && asked != token.policy
        {
            return Err(TimestampError::WrongPolicy {
                asked,
                found: token.policy,
            });
        }
        Ok(token_der.to_vec())
    }
}

/// Returns the token in a `TimeStampResp`.
fn read_response(response: &[u8]) -> Result<&[u8], TimestampError> {
    let mut parts = cms::sequence(response)?;
    let mut status_info = parts.expect(Tag::Sequence)?.children()?;
    let number = status_info.expect(Tag::Integer)?.decode::<u32>()?;
    let status = ResponseStatus::from_number(number);
    if !matches!(
        status,
        ResponseStatus::Granted | ResponseStatus::GrantedWithModifications
    ) {
        let mut text = String::new();
        let mut failures = Vec::new();
        while let Some(element) = status_info.optional()? {
            match element.tag {
                Tag::Sequence => text = free_text(element)?,
                Tag::BitString => failures = failure_bits(element.value),
                _ => {}
            }
        }
        return Err(TimestampError::Refused { status, failures, text });
    }
    let token = parts.optional()?.ok_or(TimestampError::NoToken)?;
    Ok(token.raw)
}

/// Reads `PKIFreeText`, a text for people, without characters that could corrupt a log.
fn free_text(element: Element<'_>) -> Result<String, TimestampError> {
    const LONGEST: usize = 300;
    let mut words = Vec::new();
    let mut lines = element.children()?;
    while let Some(line) = lines.optional()? {
        words.push(String::from_utf8_lossy(line.value).into_owned());
    }
    Ok(words
        .join(" ")
        .chars()
        .filter(|character| !character.is_control())
        .take(LONGEST)
        .collect())
}

fn failure_bits(bit_string: &[u8]) -> Vec<FailureInfo> {
    let bits = bit_string.get(1..).unwrap_or_default();
    bits.iter()
        .enumerate()
        .flat_map(|(index, byte)| {
            (0..8)
                .filter(move |bit| byte & (0x80 >> bit) != 0)
                .map(move |bit| FailureInfo::from_bit(index * 8 + bit))
        })
        .collect()
}

/// A timestamp token: a CMS message over `TSTInfo` (RFC 3161, 2.4.2). It borrows from the input.
#[derive(Debug)]
pub struct TimestampToken<'a> {
    /// The message, with its signer and certificates.
    pub message: SignedMessage<'a>,
    /// Time of the timestamp. The stamped data existed at that time.
    pub at: Timestamp,
    /// Policy of the authority.
    pub policy: ObjectIdentifier,
    /// Algorithm of the stamped digest.
    pub imprint_algorithm: ObjectIdentifier,
    /// The stamped digest.
    pub imprint: &'a [u8],
    /// The token's serial number, as the octets of an INTEGER.
    pub serial_number: &'a [u8],
    nonce: Option<&'a [u8]>,
}

impl<'a> TimestampToken<'a> {
    /// Reads a token, which may be followed by zeros, as in a signature dictionary.
    pub fn parse(padded: &'a [u8]) -> Result<Self, TimestampError> {
        let message = SignedMessage::parse(padded)?;
        if message.content_type != ID_CT_TST_INFO {
            return Err(TimestampError::Unusable("its content is not a TSTInfo"));
        }
        let content = message
            .content
            .ok_or(TimestampError::Unusable("its content is missing"))?;
        let mut fields = cms::sequence(content)?;
        if fields.expect(Tag::Integer)?.value != [1] {
            return Err(TimestampError::Unusable("its version is not 1"));
        }
        let policy = fields.expect(Tag::ObjectIdentifier)?.decode()?;
        let mut imprint = fields.expect(Tag::Sequence)?.children()?;
        let algorithm = imprint
            .expect(Tag::Sequence)?
            .children()?
            .expect(Tag::ObjectIdentifier)?;
        let imprint_algorithm = algorithm.decode()?;
        let imprint = imprint.expect(Tag::OctetString)?.value;
        let serial_number = fields.expect(Tag::Integer)?.value;
        let at = generalized_time(fields.expect(Tag::GeneralizedTime)?.value)
            .ok_or(TimestampError::Unusable("its time cannot be read"))?;
        let mut nonce = None;
        // Accuracy, ordering, the authority's name and extensions do not affect what we check.
        while let Some(element) = fields.optional()? {
            if element.tag == Tag::Integer {
                nonce = Some(element.value);
            }
        }
        Ok(Self {
            message,
            at,
            policy,
            imprint_algorithm,
            imprint,
            serial_number,
            nonce,
        })
    }

    /// Returns the hash algorithm of the stamped data. `None` if it is unknown or broken.
    pub(crate) fn digest_algorithm(&self) -> Option<&'static digest::Algorithm> {
        secure_digest(self.imprint_algorithm).ok()
    }

    /// Proves that this is a timestamp of data with the digest `imprint` (by `digest_algorithm`), signed by a
    /// time-stamp authority whose certificate the token binds. Returns that certificate (DER), which may be in the
    /// token or among `candidates`. Does not check whether the certificate is trusted, or when.
    pub fn verify<'c>(&self, imprint: &[u8], candidates: &[&'c [u8]]) -> Result<&'c [u8], TimestampError>
    where
        'a: 'c,
    {
        let algorithm = self.digest_algorithm().ok_or(TimestampError::Unusable(
            "its digest algorithm is unknown or no longer secure",
        ))?;
        if imprint.len() != algorithm.output_len() || imprint != self.imprint {
            return Err(TimestampError::WrongImprint);
        }
        let message = &self.message;
        if !message.content_type_agrees()? {
            return Err(TimestampError::Unusable(
                "its signed content type does not match its content",
            ));
        }
        let content = message.content.unwrap_or_default();
        let content_algorithm = secure_digest(message.digest_algorithm.oid)
            .map_err(|_| TimestampError::Unusable("its digest algorithm is unknown or no longer secure"))?;
        if digest::digest(content_algorithm, content).as_ref() != message.message_digest()? {
            return Err(TimestampError::Invalid(SignatureFault::DigestMismatch));
        }
        let pool = message.certificates.iter().copied().chain(candidates.iter().copied());
        let signer = Certified::find(message.signer, pool).ok_or(TimestampError::CertificateMissing)?;
        signer.verify_message(message).map_err(TimestampError::Invalid)?;
        self.binds(signer.der)?;
        is_authority(&signer)?;
        Ok(signer.der)
    }

    /// Checks that the signed attributes identify the certificate, by SHA-1 in the old attribute or by any other digest
    /// in the new one (RFC 3161, 2.4.1 and RFC 5816).
    fn binds(&self, certificate: &[u8]) -> Result<(), TimestampError> {
        let hash = |algorithm| digest::digest(algorithm, certificate);
        let bound = if let Some((algorithm, hash_value)) = self.message.signing_certificate()? {
            secure_digest(algorithm).is_ok_and(|algorithm| hash(algorithm).as_ref() == hash_value)
        } else {
            self.message
                .old_signing_certificate()?
                .is_some_and(|hash_value| hash(&digest::SHA1_FOR_LEGACY_USE_ONLY).as_ref() == hash_value)
        };
        if bound {
            Ok(())
        } else {
            Err(TimestampError::WrongCertificate)
        }
    }
}

/// Checks that the certificate has exactly one extended key usage, timestamping, and that it is critical (RFC 3161,
/// 2.3).
fn is_authority(certificate: &Certified<'_>) -> Result<(), TimestampError> {
    let usage = certificate.extension::<ExtendedKeyUsage>();
    match usage {
        Some((true, usage)) if usage.0.as_slice() == [ID_KP_TIME_STAMPING] => Ok(()),
        _ => Err(TimestampError::NotAnAuthority),
    }
}

/// Parses `GeneralizedTime` in DER form, in UTC, with any fraction of a second (RFC 3161, 2.4.2).
fn generalized_time(text: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if whole.len() != 14 || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let year = whole.get(..4)?.parse().ok()?;
    let part = |from: usize| whole.get(from..from + 2)?.parse::<i8>().ok();
    let nanoseconds = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
    let at = DateTime::new(year, part(4)?, part(6)?, part(8)?, part(10)?, part(12)?, nanoseconds).ok()?;
    Some(at.to_zoned_datetime(TimeZone::UTC).ok()?.timestamp())
}
