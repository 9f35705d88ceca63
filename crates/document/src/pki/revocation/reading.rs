//! Determines whether a certificate was revoked, from the lists (RFC 5280, 5) and OCSP answers (RFC 6960) provided with
//! a file.
//!
//! Anyone can put a list into a file, so data counts only if the certificate's own issuer signed it or, for an answer,
//! if a responder certified by that issuer did. A list or an answer applies to a moment if it was issued later, or was
//! still valid at that moment. Without such data, the status is unknown, which is reported but is not a fault.
//!
//! Data issued after the certificate expired proves that it was not revoked only if the data states that it reaches
//! back far enough, because expired certificates may be removed from the list (RFC 5280, 3.3). A stated revocation
//! always counts.
//!
//! Indirect lists (by another issuer), lists for some reasons only, and delta lists are not accepted. A list for a part
//! of the certificates is accepted if the certificate belongs to that part (RFC 5280, 5.2.5 and 6.3.3).

use const_oid::AssociatedOid;
use const_oid::ObjectIdentifier;
use const_oid::db::rfc5280::ID_KP_OCSP_SIGNING;
use const_oid::db::rfc5912::{ID_SHA_1, ID_SHA_256};
use const_oid::db::rfc6960::ID_PKIX_OCSP_ARCHIVE_CUTOFF;
use der::asn1::GeneralizedTime;
use der::{Decode, Encode, Tag, TagNumber};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use x509_cert::crl::{CertificateList, RevokedCert};
use x509_cert::ext::pkix::crl::CrlReason;
use x509_cert::ext::pkix::name::DistributionPointName;
use x509_cert::ext::pkix::{CrlDistributionPoints, ExtendedKeyUsage, IssuingDistributionPoint};

use super::{Revocation, RevocationError, RevocationReason, Validity};
use crate::pki::certificates::{self, Certified};
use crate::pki::cms::{Algorithm, CmsError, Element, Elements, algorithm, context, sequence};

/// Maximum number of lists, responses or certificates that we read.
pub(crate) const MAX_ITEMS: usize = 256;
/// `id-pkix-ocsp-basic`.
const OCSP_BASIC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.1.1");
/// `adbe-revocationInfoArchival`, a signed attribute added by Adobe's programs (ISO 32000-2, 12.8.3.3.2).
pub(crate) const ARCHIVAL: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113583.1.1.8");
/// Extension of a list (RFC 5280, 5.2): issuing distribution point.
const ISSUING_DISTRIBUTION_POINT: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.28");
/// Delta list indicator: the list contains only changes.
const DELTA_INDICATOR: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.27");
/// Time since which a list keeps expired certificates: `expiredCertsOnCRL` (ITU-T X.509).
pub(super) const EXPIRED_CERTS_ON_CRL: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.60");
/// Validity of data without the time of the next issue, which RFC 5280 requires for lists but RFC 6960 does not require
/// for answers. A responder that omits this time always has newer data (RFC 6960, 4.2.2.1).
const COUNTS_WITHOUT_END: SignedDuration = SignedDuration::from_hours(24);
/// Maximum time by which an issuer's clock may be ahead of ours.
const CLOCKS_DIFFER: SignedDuration = SignedDuration::from_mins(5);

/// Revocation lists and OCSP responses, as DER.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevocationData {
    /// Certificate revocation lists.
    pub lists: Vec<Vec<u8>>,
    /// OCSP responses.
    pub responses: Vec<Vec<u8>>,
}

impl RevocationData {
    pub(crate) fn extend(&mut self, other: Self) {
        for (own, more) in [(&mut self.lists, other.lists), (&mut self.responses, other.responses)] {
            for item in more {
                if !own.contains(&item) {
                    own.push(item);
                }
            }
        }
    }

    /// Returns whether there is more data than we read from a file.
    pub(crate) fn is_too_much(&self) -> bool {
        self.lists.len().max(self.responses.len()) > MAX_ITEMS
    }
}

/// Reads a revocation list from a file, DER or PEM. Returns DER, or `None` if the file is neither.
pub fn list_from_pem_or_der(bytes: Vec<u8>) -> Option<Vec<u8>> {
    const LABEL: &str = "X509 CRL";
    let der = match der::pem::decode_vec(&bytes) {
        Ok((LABEL, der)) => der,
        Ok(_) => return None,
        Err(_) => bytes,
    };
    <CertificateList>::from_der(&der).is_ok().then_some(der)
}

/// Reads `RevocationInfoArchival`: lists under tag 0, responses under tag 1.
pub(crate) fn archived(attribute: &[u8]) -> Result<RevocationData, CmsError> {
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
            target.push(item.raw.to_vec());
        }
    }
    Ok(data)
}

/// The revocation status of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// The certificate was not revoked.
    Good,
    /// The certificate was revoked.
    Revoked(Revocation),
    /// The status is unknown.
    Unknown,
}

/// Returns the status of `certificate` at the time `at`, ignoring data issued after `now`. `others` may contain
/// responder certificates of the issuer.
pub(crate) fn status(
    certificate: &Certified<'_>,
    issuer: &Certified<'_>,
    others: &[Certified<'_>],
    data: &RevocationData,
    (at, now): (Timestamp, Timestamp),
) -> Status {
    let mut status = Status::Unknown;
    let listed = data
        .lists
        .iter()
        .map(|list| in_list(certificate, issuer, list, at, now));
    let answered = data
        .responses
        .iter()
        .map(|response| in_response(certificate, issuer, others, response, at, now));
    // Ignore unusable data.
    for (found, _) in listed.chain(answered).flatten() {
        match found {
            Status::Revoked(_) => return found,
            Status::Good => status = Status::Good,
            Status::Unknown => {}
        }
    }
    status
}

/// Checks that data valid for `validity` covers the moment `at`.
fn speaks_of(at: Timestamp, validity: Validity) -> Result<(), RevocationError> {
    let Validity {
        this_update,
        next_update,
    } = validity;
    let until = next_update.unwrap_or_else(|| this_update.saturating_add(COUNTS_WITHOUT_END).unwrap_or(this_update));
    // A list issued later contains everything revoked by then, with its time.
    if this_update >= at || until >= at {
        Ok(())
    } else {
        Err(RevocationError::OutOfDate(until))
    }
}

/// Checks that data issued at `this_update`, which covers certificates that expired at `kept_since` or later, would
/// still list `certificate` (RFC 5280, 3.3).
fn remembers(
    certificate: &Certified<'_>,
    this_update: Timestamp,
    kept_since: Option<Timestamp>,
) -> Result<(), RevocationError> {
    let end = certificate
        .not_after()
        .ok_or(CmsError::Unusable("the certificate's expiry date is out of range"))?;
    if this_update <= end || kept_since.is_some_and(|since| since <= end) {
        Ok(())
    } else {
        Err(RevocationError::AfterItsEnd(end))
    }
}

/// Returns the time since which a list keeps expired certificates.
fn list_kept_since(list: &CertificateList) -> Result<Option<Timestamp>, CmsError> {
    list.tbs_cert_list
        .crl_extensions
        .iter()
        .flatten()
        .find(|extension| extension.extn_id == EXPIRED_CERTS_ON_CRL)
        .map(|extension| moment(extension.extn_value.as_bytes()))
        .transpose()
}

/// Checks that `now` is not before the time of issue, because earlier data does not count.
fn has_begun(this_update: Timestamp, now: Timestamp) -> Result<(), RevocationError> {
    if this_update > now.saturating_add(CLOCKS_DIFFER).unwrap_or(now) {
        return Err(RevocationError::NotYet(this_update));
    }
    Ok(())
}

/// Returns the validity of a list.
pub(super) fn validity_of_list(list: &CertificateList) -> Result<Validity, RevocationError> {
    let unreadable = CmsError::Unusable("the list's time is out of range");
    let body = &list.tbs_cert_list;
    let next_update = body
        .next_update
        .map(|next| certificates::timestamp(next).ok_or(unreadable))
        .transpose()?;
    Ok(Validity {
        this_update: certificates::timestamp(body.this_update)
            .ok_or(CmsError::Unusable("the list's time is out of range"))?,
        next_update,
    })
}

/// Returns the status in a list (DER) of `certificate` at the time `at`. The list must be valid at `now`.
pub(super) fn in_list(
    certificate: &Certified<'_>,
    issuer: &Certified<'_>,
    der: &[u8],
    at: Timestamp,
    now: Timestamp,
) -> Result<(Status, Validity), RevocationError> {
    let list = <CertificateList>::from_der(der)?;
    let body = &list.tbs_cert_list;
    if Some(body.issuer.to_der()?) != issuer.subject_der()
        || body.signature != list.signature_algorithm
        || !issuer.may_sign_lists()
    {
        return Err(RevocationError::NotTheIssuers);
    }
    let signed = sequence(der)?.next()?.raw;
    let named = Algorithm {
        oid: list.signature_algorithm.oid,
        parameters: list
            .signature_algorithm
            .parameters
            .as_ref()
            .map(der::asn1::AnyRef::from),
    };
    let signature = list.signature.as_bytes().ok_or(RevocationError::NotTheIssuers)?;
    if !issuer.has_signed(named, signed, signature) {
        return Err(RevocationError::NotTheIssuers);
    }
    covers(&list, certificate)?;
    let validity = validity_of_list(&list)?;
    has_begun(validity.this_update, now)?;
    let entry = body
        .revoked_certificates
        .iter()
        .flatten()
        .find(|entry| entry.serial_number.as_bytes() == certificate.serial_number());
    if let Some(entry) = entry {
        let since = certificates::timestamp(entry.revocation_date)
            .ok_or(CmsError::Unusable("the time of a revocation is out of range"))?;
        // A revocation in an old list stays in effect.
        if since <= at {
            let reason = reason(entry);
            return Ok((Status::Revoked(Revocation { since, reason }), validity));
        }
    } else {
        remembers(certificate, validity.this_update, list_kept_since(&list)?)?;
    }
    speaks_of(at, validity)?;
    Ok((Status::Good, validity))
}

/// Returns the reason of a list's entry, if stated (RFC 5280, 5.3.1).
fn reason(entry: &RevokedCert) -> RevocationReason {
    entry
        .crl_entry_extensions
        .iter()
        .flatten()
        .find(|extension| extension.extn_id == CrlReason::OID)
        .and_then(|extension| CrlReason::from_der(extension.extn_value.as_bytes()).ok())
        .map(Into::into)
        .unwrap_or_default()
}

/// Checks that a list covers `certificate` completely.
fn covers(list: &CertificateList, certificate: &Certified<'_>) -> Result<(), RevocationError> {
    let not = |reason| Err(RevocationError::NotCovered(reason));
    for extension in list.tbs_cert_list.crl_extensions.iter().flatten() {
        match extension.extn_id {
            DELTA_INDICATOR => return not("it is a delta list, which contains only changes"),
            // This extension restricts nothing.
            EXPIRED_CERTS_ON_CRL => {}
            ISSUING_DISTRIBUTION_POINT => {
                let point = IssuingDistributionPoint::from_der(extension.extn_value.as_bytes())?;
                if point.indirect_crl {
                    return not("it is an indirect list, with certificates of other issuers");
                }
                if point.only_some_reasons.is_some() {
                    return not("it covers only some reasons");
                }
                let is_authority = certificate.is_authority();
                if point.only_contains_attribute_certs
                    || point.only_contains_user_certs && is_authority
                    || point.only_contains_ca_certs && !is_authority
                {
                    return not("it covers other kinds of certificates");
                }
                if let Some(named) = &point.distribution_point
                    && !is_distributed_at(certificate, named)
                {
                    return not("it is for a different distribution point");
                }
            }
            _ if extension.critical => return not("it has an unknown critical extension"),
            _ => {}
        }
    }
    // For example, `certificateIssuer` means that the entry is for another issuer (RFC 5280, 5.3).
    let is_unknown = list
        .tbs_cert_list
        .revoked_certificates
        .iter()
        .flatten()
        .flat_map(|entry| entry.crl_entry_extensions.iter().flatten())
        .any(|extension| extension.critical);
    if is_unknown {
        return not("an entry has an unknown critical extension");
    }
    Ok(())
}

/// Returns whether the certificate refers to this distribution point as complete for it (RFC 5280, 6.3.3, b.2.i).
fn is_distributed_at(certificate: &Certified<'_>, point: &DistributionPointName) -> bool {
    let DistributionPointName::FullName(names) = point else {
        return false;
    };
    let Some((_, own)) = certificate.extension::<CrlDistributionPoints>() else {
        return false;
    };
    own.0
        .iter()
        .filter(|own| own.reasons.is_none() && own.crl_issuer.is_none())
        .any(|own| {
            matches!(&own.distribution_point, Some(DistributionPointName::FullName(own))
                if own.iter().any(|name| names.contains(name)))
        })
}

/// Returns the status in an OCSP response (DER) of `certificate` at the time `at`. The response must be valid at `now`.
/// Searches for the responder in the response and among `others`.
pub(super) fn in_response(
    certificate: &Certified<'_>,
    issuer: &Certified<'_>,
    others: &[Certified<'_>],
    der: &[u8],
    at: Timestamp,
    now: Timestamp,
) -> Result<(Status, Validity), RevocationError> {
    let response = OcspResponse::parse(der)?;
    let own: Vec<Certified<'_>> = response
        .certificates
        .iter()
        .filter_map(|der| Certified::parse(der))
        .collect();
    let has_signed =
        |responder: &Certified<'_>| responder.has_signed(response.algorithm, response.signed, response.signature);
    // The responder is the issuer itself, or is certified by it for answering (RFC 6960, 4.2.2.2).
    let may_answer = |responder: &Certified<'_>| {
        let is_for_answers = responder
            .extension::<ExtendedKeyUsage>()
            .is_some_and(|(_, usage)| usage.0.contains(&ID_KP_OCSP_SIGNING));
        is_for_answers
            && responder.is_in_its_time(response.produced)
            && responder.names_as_issuer(issuer)
            && responder.is_signed_by(issuer)
    };
    let is_of_issuer = has_signed(issuer)
        || own
            .iter()
            .chain(others)
            .any(|responder| may_answer(responder) && has_signed(responder));
    if !is_of_issuer {
        return Err(RevocationError::NotTheIssuers);
    }
    let mut outcome = Err(RevocationError::AnotherCertificate);
    for single in &response.answers {
        if !single.is_about(certificate, issuer) {
            continue;
        }
        // An answer about a later time than that of the response itself cannot be true. It could come from a responder
        // whose certificate has expired since.
        let judged = has_begun(single.validity.this_update, response.produced)
            .and_then(|()| single.judged(certificate, at, now));
        match judged {
            Ok((Status::Revoked(_), _)) => return judged,
            Ok((Status::Good, _)) => outcome = judged,
            _ if outcome.is_err() => outcome = judged,
            _ => {}
        }
    }
    outcome
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
    revoked: Option<Revocation>,
    validity: Validity,
    /// Time since which the responder keeps expired certificates.
    kept_since: Option<Timestamp>,
}

impl Answer<'_> {
    /// Returns the status of the answer's `certificate` at the time `at`.
    fn judged(
        &self,
        certificate: &Certified<'_>,
        at: Timestamp,
        now: Timestamp,
    ) -> Result<(Status, Validity), RevocationError> {
        has_begun(self.validity.this_update, now)?;
        if let Some(revocation) = self.revoked
            && revocation.since <= at
        {
            return Ok((Status::Revoked(revocation), self.validity));
        }
        if !self.is_known {
            return Ok((Status::Unknown, self.validity));
        }
        if self.revoked.is_none() {
            remembers(certificate, self.validity.this_update, self.kept_since)?;
        }
        speaks_of(at, self.validity)?;
        Ok((Status::Good, self.validity))
    }

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
    fn parse(der: &'a [u8]) -> Result<Self, RevocationError> {
        let mut outer = sequence(der)?;
        let status = outer.expect(Tag::Enumerated)?.value;
        if status != [0] {
            return Err(RevocationError::NoAnswer(status.first().copied().unwrap_or(u8::MAX)));
        }
        let mut bytes = outer
            .expect(context(0))?
            .children()?
            .expect(Tag::Sequence)?
            .children()?;
        if bytes.expect(Tag::ObjectIdentifier)?.decode::<ObjectIdentifier>()? != OCSP_BASIC {
            return Err(CmsError::Unusable("the response is of an unknown type").into());
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
            return Err(CmsError::Unusable("the response does not identify the responder").into());
        }
        let produced = time(fields.expect(Tag::GeneralizedTime)?)?;
        let mut answers = Vec::new();
        let mut list = fields.expect(Tag::Sequence)?.children()?;
        while let Some(single) = list.optional()? {
            answers.push(Answer::parse(single.children()?)?);
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
            return Err(CmsError::Unusable("the response contains no status"));
        };
        let revoked = match number {
            TagNumber(1) => Some(revocation(status.children()?)?),
            _ => None,
        };
        let this_update = time(fields.expect(Tag::GeneralizedTime)?)?;
        let (mut next_update, mut kept_since) = (None, None);
        while let Some(field) = fields.optional()? {
            if field.tag == context(0) {
                next_update = Some(time(field.children()?.expect(Tag::GeneralizedTime)?)?);
            } else if field.tag == context(1) {
                kept_since = archive_cutoff(field)?;
            }
        }
        Ok(Self {
            hash,
            issuer_name,
            issuer_key,
            serial,
            // A certificate revoked after `at` was still good at that time.
            is_known: matches!(number, TagNumber(0 | 1)),
            revoked,
            validity: Validity {
                this_update,
                next_update,
            },
            kept_since,
        })
    }
}

/// Reads `RevokedInfo` (RFC 6960, 4.2.1).
fn revocation(mut fields: Elements<'_>) -> Result<Revocation, CmsError> {
    let since = time(fields.expect(Tag::GeneralizedTime)?)?;
    let reason = match fields.optional()? {
        Some(field) => RevocationReason::from(field.children()?.expect(Tag::Enumerated)?.decode::<CrlReason>()?),
        None => RevocationReason::default(),
    };
    Ok(Revocation { since, reason })
}

/// Reads `archiveCutoff` (RFC 6960, 4.4.4) from the extensions of an answer.
fn archive_cutoff(extensions: Element<'_>) -> Result<Option<Timestamp>, CmsError> {
    let mut list = extensions.children()?.expect(Tag::Sequence)?.children()?;
    while let Some(extension) = list.optional()? {
        let mut fields = extension.children()?;
        if fields.expect(Tag::ObjectIdentifier)?.decode::<ObjectIdentifier>()? != ID_PKIX_OCSP_ARCHIVE_CUTOFF {
            continue;
        }
        let mut value = fields.next()?;
        if value.tag == Tag::Boolean {
            value = fields.next()?;
        }
        return moment(value.value).map(Some);
    }
    Ok(None)
}

/// Returns the octets of a bit string without unused bits.
fn bits(element: Element<'_>) -> Result<&[u8], CmsError> {
    match element.value.split_first() {
        Some((0, octets)) => Ok(octets),
        _ => Err(CmsError::Unusable("the signature is not a whole number of bytes")),
    }
}

fn time(element: Element<'_>) -> Result<Timestamp, CmsError> {
    moment(element.raw)
}

/// Reads a `GeneralizedTime` from DER.
fn moment(der: &[u8]) -> Result<Timestamp, CmsError> {
    let time = GeneralizedTime::from_der(der)?;
    i64::try_from(time.to_unix_duration().as_secs())
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok())
        .ok_or(CmsError::Unusable("a time cannot be read"))
}
