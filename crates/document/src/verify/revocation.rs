//! Whether a certificate had been revoked: from the lists (RFC 5280, 5) and answers (OCSP, RFC 6960) that the file holds or
//! the verifier brings along.
//!
//! What is read counts only where the certificate's own issuer signed it, or, for an answer, somebody whom that issuer has
//! certified for answering; anybody can put a list into a file. A list or an answer speaks of the moment in question where
//! it was issued later, or was still valid then. None of them means that nothing is known, which is said, and is no fault.

use const_oid::ObjectIdentifier;
use const_oid::db::rfc5280::ID_KP_OCSP_SIGNING;
use const_oid::db::rfc5912::{ID_SHA_1, ID_SHA_256};
use der::asn1::GeneralizedTime;
use der::{Decode, Encode, Tag, TagNumber};
use jiff::Timestamp;
use lopdf::{Document, Object};
use serde::{Deserialize, Serialize};
use x509_cert::crl::CertificateList;
use x509_cert::ext::pkix::ExtendedKeyUsage;

use super::certificates::{self, Certified, Pool};
use super::changes::MAX_STORE;
use crate::cms::{Algorithm, CmsError, Element, Elements, algorithm, context, sequence};
use crate::form;

/// More lists, answers or certificates than a file holds.
const MAX_ITEMS: usize = 256;
/// `id-pkix-ocsp-basic`.
const OCSP_BASIC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.1.1");
/// `adbe-revocationInfoArchival`, which Adobe's programs sign along (ISO 32000-2, 12.8.3.3.2).
pub(super) const ARCHIVAL: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113583.1.1.8");
/// Critical extensions of a list under which it still speaks of every certificate of its issuer: none but its number and
/// the key's identifier, which are not critical.
const ISSUING_DISTRIBUTION_POINT: &str = "2.5.29.28";

/// Revocation lists and OCSP responses, DER each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevocationData {
    /// Certificate revocation lists.
    pub lists: Vec<Vec<u8>>,
    /// OCSP responses.
    pub responses: Vec<Vec<u8>>,
}

impl RevocationData {
    pub(super) fn extend(&mut self, other: Self) {
        for (own, more) in [(&mut self.lists, other.lists), (&mut self.responses, other.responses)] {
            for item in more {
                if own.len() < MAX_ITEMS && !own.contains(&item) {
                    own.push(item);
                }
            }
        }
    }
}

/// A revocation list as it lies in a file, DER or PEM; none where it is neither. The answer is DER.
pub fn list_from_pem_or_der(bytes: Vec<u8>) -> Option<Vec<u8>> {
    const LABEL: &str = "X509 CRL";
    let der = match der::pem::decode_vec(&bytes) {
        Ok((LABEL, der)) => der,
        Ok(_) => return None,
        Err(_) => bytes,
    };
    <CertificateList>::from_der(&der).is_ok().then_some(der)
}

/// What a file holds for its verifiers.
#[derive(Debug, Default)]
pub(super) struct Embedded {
    pub(super) certificates: Vec<Vec<u8>>,
    pub(super) revocation: RevocationData,
    pub(super) is_present: bool,
}

impl Embedded {
    /// The document security store (ISO 32000-2, 12.8.4.3).
    pub(super) fn of(document: &Document) -> Self {
        let store = document
            .catalog()
            .ok()
            .and_then(|catalog| form::dictionary(document, catalog, b"DSS"));
        let Some(store) = store else {
            return Self::default();
        };
        let mut left = MAX_STORE;
        let mut items = |key: &[u8]| -> Vec<Vec<u8>> {
            form::array(document, store, key)
                .unwrap_or_default()
                .iter()
                .take(MAX_ITEMS)
                .filter_map(|entry| {
                    let Object::Stream(stream) = form::resolve(document, entry) else {
                        return None;
                    };
                    let item = stream.get_plain_content_with_limit(left).ok()?;
                    left = left.saturating_sub(item.len());
                    Some(item)
                })
                .collect()
        };
        Self {
            certificates: items(b"Certs"),
            revocation: RevocationData {
                lists: items(b"CRLs"),
                responses: items(b"OCSPs"),
            },
            is_present: true,
        }
    }
}

/// `RevocationInfoArchival`: lists under 0, responses under 1.
pub(super) fn archived(attribute: &[u8]) -> Result<RevocationData, CmsError> {
    let mut data = RevocationData::default();
    let mut parts = sequence(attribute)?;
    while let Some(part) = parts.optional()? {
        let Tag::ContextSpecific { number, .. } = part.tag else {
            continue;
        };
        let target = match number.value() {
            0 => &mut data.lists,
            1 => &mut data.responses,
            _ => continue,
        };
        let mut items = part.children()?.expect(Tag::Sequence)?.children()?;
        while let Some(item) = items.optional()? {
            if target.len() < MAX_ITEMS {
                target.push(item.raw.to_vec());
            }
        }
    }
    Ok(data)
}

/// What is known of one certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// It was not revoked.
    Good,
    /// It was revoked at that time.
    Revoked(Timestamp),
    /// Nothing is known.
    Unknown,
}

/// What is known of `certificate` at the moment `at`; what was issued after `now` does not count.
pub(super) fn status(
    certificate: &Certified<'_>,
    issuer: &Certified<'_>,
    pool: &Pool<'_>,
    data: &RevocationData,
    (at, now): (Timestamp, Timestamp),
) -> Status {
    let mut status = Status::Unknown;
    let listed = data
        .lists
        .iter()
        .map(|list| in_list(certificate, issuer, list, at, now).unwrap_or(Status::Unknown));
    let answered = data
        .responses
        .iter()
        .map(|response| in_response(certificate, issuer, pool, response, at, now).unwrap_or(Status::Unknown));
    for found in listed.chain(answered) {
        match found {
            Status::Revoked(_) => return found,
            Status::Good => status = Status::Good,
            Status::Unknown => {}
        }
    }
    status
}

/// Whether what was issued at `this` and says until when it holds speaks of the moment `at`.
fn speaks_of(at: Timestamp, now: Timestamp, this: Timestamp, next: Option<Timestamp>) -> bool {
    this <= now && (this >= at || next.is_none_or(|next| next >= at))
}

fn in_list(
    certificate: &Certified<'_>,
    issuer: &Certified<'_>,
    der: &[u8],
    at: Timestamp,
    now: Timestamp,
) -> Option<Status> {
    let list = <CertificateList>::from_der(der).ok()?;
    let body = &list.tbs_cert_list;
    if body.issuer.to_der().ok()? != issuer.subject_der()? || body.signature != list.signature_algorithm {
        return None;
    }
    let this = certificates::timestamp(body.this_update)?;
    let next = match body.next_update {
        Some(next) => Some(certificates::timestamp(next)?),
        None => None,
    };
    // A list of a part of the certificates, or of changes alone, says nothing of the others.
    let is_whole = body
        .crl_extensions
        .iter()
        .flatten()
        .all(|extension| !extension.critical && extension.extn_id.to_string() != ISSUING_DISTRIBUTION_POINT);
    if !is_whole || !issuer.may_sign_lists() {
        return None;
    }
    let signed = sequence(der).ok()?.next().ok()?.raw;
    let named = Algorithm {
        oid: list.signature_algorithm.oid,
        parameters: list
            .signature_algorithm
            .parameters
            .as_ref()
            .map(der::asn1::AnyRef::from),
    };
    if !issuer.has_signed(named, signed, list.signature.as_bytes()?) {
        return None;
    }
    let entry = body
        .revoked_certificates
        .iter()
        .flatten()
        .find(|entry| entry.serial_number.as_bytes() == certificate.serial_number());
    match entry.map(|entry| certificates::timestamp(entry.revocation_date)) {
        // An old list that revokes does so for ever.
        Some(Some(since)) if since <= at => Some(Status::Revoked(since)),
        Some(None) => None,
        _ => speaks_of(at, now, this, next).then_some(Status::Good),
    }
}

fn in_response(
    certificate: &Certified<'_>,
    issuer: &Certified<'_>,
    pool: &Pool<'_>,
    der: &[u8],
    at: Timestamp,
    now: Timestamp,
) -> Option<Status> {
    let response = OcspResponse::parse(der).ok()?;
    let own: Vec<Certified<'_>> = response
        .certificates
        .iter()
        .filter_map(|der| Certified::parse(der))
        .collect();
    let is_signed =
        |responder: &Certified<'_>| responder.has_signed(response.algorithm, response.signed, response.signature);
    // RFC 6960, 4.2.2.2: the issuer itself, or whom it has certified for answering.
    let may_answer = |responder: &Certified<'_>| {
        let is_for_answers = responder
            .extension::<ExtendedKeyUsage>()
            .is_some_and(|(_, usage)| usage.0.contains(&ID_KP_OCSP_SIGNING));
        is_for_answers && responder.is_in_its_time(response.produced) && responder.is_signed_by(issuer)
    };
    let is_of_issuer = is_signed(issuer)
        || own
            .iter()
            .any(|responder| may_answer(responder) && is_signed(responder))
        || pool
            .others()
            .iter()
            .any(|responder| may_answer(responder) && is_signed(responder));
    if !is_of_issuer {
        return None;
    }
    let mut found = None;
    for single in &response.answers {
        if !single.is_about(certificate, issuer) {
            continue;
        }
        match single.revoked {
            Some(since) if since <= at => return Some(Status::Revoked(since)),
            _ if single.is_known && speaks_of(at, now, single.this, single.next) => found = Some(Status::Good),
            _ => {}
        }
    }
    found
}

/// `BasicOCSPResponse` (RFC 6960, 4.2.1).
struct OcspResponse<'a> {
    signed: &'a [u8],
    algorithm: Algorithm<'a>,
    signature: &'a [u8],
    certificates: Vec<&'a [u8]>,
    produced: Timestamp,
    answers: Vec<Answer<'a>>,
}

/// `SingleResponse`.
struct Answer<'a> {
    hash: ObjectIdentifier,
    issuer_name: &'a [u8],
    issuer_key: &'a [u8],
    serial: &'a [u8],
    is_known: bool,
    revoked: Option<Timestamp>,
    this: Timestamp,
    next: Option<Timestamp>,
}

impl Answer<'_> {
    fn is_about(&self, certificate: &Certified<'_>, issuer: &Certified<'_>) -> bool {
        let hash = match self.hash {
            ID_SHA_1 => &aws_lc_rs::digest::SHA1_FOR_LEGACY_USE_ONLY,
            ID_SHA_256 => &aws_lc_rs::digest::SHA256,
            _ => return false,
        };
        let is = |value: &[u8], expected: &[u8]| aws_lc_rs::digest::digest(hash, value).as_ref() == expected;
        self.serial == certificate.serial_number()
            && issuer.subject_der().is_some_and(|name| is(&name, self.issuer_name))
            && is(issuer.key(), self.issuer_key)
    }
}

impl<'a> OcspResponse<'a> {
    fn parse(der: &'a [u8]) -> Result<Self, CmsError> {
        let mut outer = sequence(der)?;
        if outer.expect(Tag::Enumerated)?.value != [0] {
            return Err(CmsError::Unusable("the responder gave no answer"));
        }
        let mut bytes = outer
            .expect(context(0))?
            .children()?
            .expect(Tag::Sequence)?
            .children()?;
        if bytes.expect(Tag::ObjectIdentifier)?.decode::<ObjectIdentifier>()? != OCSP_BASIC {
            return Err(CmsError::Unusable("the answer is of an unknown kind"));
        }
        let mut basic = sequence(bytes.expect(Tag::OctetString)?.value)?;
        let data = basic.expect(Tag::Sequence)?;
        let algorithm = algorithm(basic.expect(Tag::Sequence)?)?;
        let signature = bits(basic.expect(Tag::BitString)?)?;
        let mut certificates = Vec::new();
        if let Some(set) = basic.optional()? {
            let mut set = set.children()?.expect(Tag::Sequence)?.children()?;
            while let Some(certificate) = set.optional()? {
                if certificates.len() < MAX_ITEMS {
                    certificates.push(certificate.raw);
                }
            }
        }
        let mut fields = data.children()?;
        let mut element = fields.next()?;
        if element.tag == context(0) {
            element = fields.next()?;
        }
        if !matches!(element.tag, Tag::ContextSpecific { .. }) {
            return Err(CmsError::Unusable("the responder is not named"));
        }
        let produced = time(fields.expect(Tag::GeneralizedTime)?)?;
        let mut answers = Vec::new();
        let mut list = fields.expect(Tag::Sequence)?.children()?;
        while let Some(single) = list.optional()? {
            if answers.len() < MAX_ITEMS {
                answers.push(Answer::parse(single.children()?)?);
            }
        }
        Ok(Self {
            signed: data.raw,
            algorithm,
            signature,
            certificates,
            produced,
            answers,
        })
    }
}

impl<'a> Answer<'a> {
    fn parse(mut fields: Elements<'a>) -> Result<Self, CmsError> {
        let mut id = fields.expect(Tag::Sequence)?.children()?;
        let hash = algorithm(id.expect(Tag::Sequence)?)?.oid;
        let issuer_name = id.expect(Tag::OctetString)?.value;
        let issuer_key = id.expect(Tag::OctetString)?.value;
        let serial = id.expect(Tag::Integer)?.value;
        let status = fields.next()?;
        let Tag::ContextSpecific { number, .. } = status.tag else {
            return Err(CmsError::Unusable("the answer has no status"));
        };
        let revoked = match number {
            TagNumber(1) => Some(time(status.children()?.expect(Tag::GeneralizedTime)?)?),
            _ => None,
        };
        let this = time(fields.expect(Tag::GeneralizedTime)?)?;
        let next = match fields.optional()? {
            Some(next) if next.tag == context(0) => Some(time(next.children()?.expect(Tag::GeneralizedTime)?)?),
            _ => None,
        };
        Ok(Self {
            hash,
            issuer_name,
            issuer_key,
            serial,
            // Revoked later than the moment in question means good then.
            is_known: matches!(number, TagNumber(0 | 1)),
            revoked,
            this,
            next,
        })
    }
}

/// The octets of a bit string without unused bits.
fn bits(element: Element<'_>) -> Result<&[u8], CmsError> {
    match element.value.split_first() {
        Some((0, octets)) => Ok(octets),
        _ => Err(CmsError::Unusable("the signature has no whole octets")),
    }
}

fn time(element: Element<'_>) -> Result<Timestamp, CmsError> {
    let time = GeneralizedTime::from_der(element.raw)?;
    i64::try_from(time.to_unix_duration().as_secs())
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok())
        .ok_or(CmsError::Unusable("a time cannot be read"))
}
