//! One signature: its byte range, its value, its digest, its signer, and what followed it.

use aws_lc_rs::digest;
use const_oid::ObjectIdentifier;
use const_oid::db::rfc5912::{ID_SHA_256, ID_SHA_384, ID_SHA_512};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use lopdf::{Dictionary, Document, Object};

use super::certificates::{self, Certified};
use super::{Fault, Found, SignatureKind, SignatureReport, TrustedRoots, changes, load};
use crate::cms::SignedMessage;
use crate::form;

/// The default of `/P` (ISO 32000-2, table 257).
const DEFAULT_LEVEL: u8 = 2;

/// A report, and whether digest and signature are right, so that what it covers is known.
pub(super) struct Dated {
    pub(super) report: SignatureReport,
    pub(super) is_sound: bool,
}

pub(super) fn examine(
    pdf: &[u8],
    document: &Document,
    found: &Found<'_>,
    roots: &TrustedRoots,
    at: Timestamp,
) -> Dated {
    let dictionary = found.dictionary;
    let sub_filter = form::name(document, dictionary, b"SubFilter")
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .unwrap_or_default();
    let mut report = SignatureReport {
        field: found.name.clone(),
        kind: kind(document, found, &sub_filter),
        sub_filter,
        signer: None,
        claimed_at: form::text(document, dictionary, b"M").and_then(|text| pdf_date(&text)),
        reason: form::text(document, dictionary, b"Reason"),
        name: form::text(document, dictionary, b"Name"),
        location: form::text(document, dictionary, b"Location"),
        covered: 0,
        faults: Vec::new(),
    };
    let is_sound = match Covered::new(pdf, document, dictionary) {
        Ok(covered) => {
            report.covered = u64::try_from(covered.end).unwrap_or(u64::MAX);
            let before = report.faults.len();
            match covered.value(document, dictionary) {
                Ok(value) => check_value(&covered, &value, roots, at, &mut report),
                Err(fault) => report.faults.push(fault),
            }
            let is_sound = report.faults.iter().skip(before).all(Fault::concerns_trust);
            let changes = changes_since(pdf, document, &covered, found, report.kind);
            if !changes.is_empty() {
                report.faults.push(Fault::ChangedAfterSigning { changes });
            }
            is_sound
        }
        Err(fault) => {
            report.faults.push(fault);
            false
        }
    };
    Dated { report, is_sound }
}

fn kind(document: &Document, found: &Found<'_>, sub_filter: &str) -> SignatureKind {
    if sub_filter == "ETSI.RFC3161" {
        return SignatureKind::DocumentTimestamp;
    }
    let named_by_catalog = document
        .catalog()
        .ok()
        .and_then(|catalog| form::dictionary(document, catalog, b"Perms"))
        .and_then(|permissions| permissions.get(b"DocMDP").ok())
        .and_then(|signature| signature.as_reference().ok())
        .is_some_and(|id| Some(id) == found.id);
    match modification_level(document, found.dictionary) {
        Some(level) => SignatureKind::Certification { level },
        None if named_by_catalog => SignatureKind::Certification { level: DEFAULT_LEVEL },
        None => SignatureKind::Approval,
    }
}

/// The level of a signature's DocMDP transform, if it has one.
fn modification_level(document: &Document, signature: &Dictionary) -> Option<u8> {
    let reference = transform(document, signature, b"DocMDP")?;
    let level = form::dictionary(document, reference, b"TransformParams")
        .and_then(|parameters| parameters.get(b"P").ok())
        .and_then(|level| form::resolve(document, level).as_i64().ok())
        .and_then(|level| u8::try_from(level).ok());
    Some(level.unwrap_or(DEFAULT_LEVEL))
}

/// The signature reference dictionary of a transform method (ISO 32000-2, 12.8.2).
fn transform<'a>(document: &'a Document, signature: &'a Dictionary, method: &[u8]) -> Option<&'a Dictionary> {
    form::array(document, signature, b"Reference")?
        .iter()
        .filter_map(|reference| form::resolve(document, reference).as_dict().ok())
        .find(|reference| form::name(document, reference, b"TransformMethod") == Some(method))
}

/// A byte range that is what a signature's must be: all of a revision but one gap.
struct Covered<'a> {
    before: &'a [u8],
    gap: &'a [u8],
    after: &'a [u8],
    end: usize,
}

impl<'a> Covered<'a> {
    fn new(pdf: &'a [u8], document: &Document, dictionary: &Dictionary) -> Result<Self, Fault> {
        let wrong = |reason: &str| Fault::ByteRange {
            reason: reason.to_owned(),
        };
        let array = form::array(document, dictionary, b"ByteRange").ok_or_else(|| wrong("it is missing"))?;
        let numbers: Vec<usize> = array
            .iter()
            .filter_map(|number| number.as_i64().ok())
            .filter_map(|number| usize::try_from(number).ok())
            .collect();
        let [start, first, second, last] = numbers.as_slice() else {
            return Err(wrong("it is not four offsets and lengths"));
        };
        if array.len() != 4 {
            return Err(wrong("it is not four offsets and lengths"));
        }
        if *start != 0 {
            return Err(wrong("it does not begin at the file's first byte"));
        }
        if second <= first {
            return Err(wrong("its parts overlap"));
        }
        let beyond = || wrong("it reaches beyond the file's end");
        let end = second.checked_add(*last).ok_or_else(beyond)?;
        Ok(Self {
            before: pdf.get(..*first).ok_or_else(beyond)?,
            gap: pdf.get(*first..*second).ok_or_else(beyond)?,
            after: pdf.get(*second..end).ok_or_else(beyond)?,
            end,
        })
    }

    /// The signature's value, which must be all that the gap holds.
    fn value(&self, document: &Document, dictionary: &Dictionary) -> Result<Vec<u8>, Fault> {
        let digits = self
            .gap
            .strip_prefix(b"<")
            .and_then(|rest| rest.strip_suffix(b">"))
            .filter(|digits| digits.len() % 2 == 0)
            .ok_or(Fault::GapIsNotValue)?;
        let value: Vec<u8> = digits
            .chunks_exact(2)
            .map(|pair| match pair {
                [high, low] => Some(hex_digit(*high)? << 4 | hex_digit(*low)?),
                _ => None,
            })
            .collect::<Option<_>>()
            .ok_or(Fault::GapIsNotValue)?;
        match dictionary
            .get(b"Contents")
            .map(|object| form::resolve(document, object))
        {
            Ok(Object::String(contents, _)) if *contents == value => Ok(value),
            _ => Err(Fault::GapIsNotValue),
        }
    }

    fn digest(&self, algorithm: ObjectIdentifier) -> Result<digest::Digest, Fault> {
        let mut context = digest::Context::new(digest_algorithm(algorithm)?);
        context.update(self.before);
        context.update(self.after);
        Ok(context.finish())
    }
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

pub(super) fn digest_algorithm(oid: ObjectIdentifier) -> Result<&'static digest::Algorithm, Fault> {
    match oid {
        ID_SHA_256 => Ok(&digest::SHA256),
        ID_SHA_384 => Ok(&digest::SHA384),
        ID_SHA_512 => Ok(&digest::SHA512),
        _ => Err(Fault::UnsupportedAlgorithm {
            name: certificates::algorithm_name(oid),
        }),
    }
}

/// Checks the CMS message; pushes every fault that it finds.
fn check_value(covered: &Covered<'_>, value: &[u8], roots: &TrustedRoots, at: Timestamp, report: &mut SignatureReport) {
    let is_cades = match report.sub_filter.as_str() {
        "ETSI.CAdES.detached" => true,
        "adbe.pkcs7.detached" => false,
        "ETSI.RFC3161" => {
            report.faults.push(Fault::TimestampNotExamined);
            return;
        }
        other => {
            report.faults.push(Fault::UnsupportedFormat { name: other.to_owned() });
            return;
        }
    };
    let unreadable = |error: crate::cms::CmsError| Fault::UnreadableValue {
        reason: error.to_string(),
    };
    let message = match SignedMessage::parse(value) {
        Ok(message) => message,
        Err(error) => {
            report.faults.push(unreadable(error));
            return;
        }
    };
    let faults = &mut report.faults;
    if message.content.is_some() {
        faults.push(Fault::UnreadableValue {
            reason: "the signature value holds a content of its own".to_owned(),
        });
    }
    match message.content_type_agrees() {
        Ok(true) => {}
        Ok(false) => faults.push(Fault::UnreadableValue {
            reason: "the signed content type is missing or another than that of the content".to_owned(),
        }),
        Err(error) => faults.push(unreadable(error)),
    }
    match (covered.digest(message.digest_algorithm.oid), message.message_digest()) {
        (Ok(digest), Ok(signed)) if digest.as_ref() == signed => {}
        (Ok(_), Ok(_)) => faults.push(Fault::DigestMismatch),
        (Err(fault), _) => faults.push(fault),
        (_, Err(error)) => faults.push(unreadable(error)),
    }
    let Some(signer) = Certified::find_signer(&message) else {
        faults.push(Fault::SignerCertificateMissing);
        return;
    };
    if let Err(fault) = signer.verify_message(&message) {
        faults.push(fault);
    }
    match message.signing_certificate() {
        Ok(Some((algorithm, hash))) => match digest_algorithm(algorithm) {
            Ok(algorithm) if digest::digest(algorithm, signer.der).as_ref() == hash => {}
            Ok(_) => faults.push(Fault::SigningCertificateMismatch),
            Err(fault) => faults.push(fault),
        },
        Ok(None) if is_cades => faults.push(Fault::SigningCertificateMissing),
        Ok(None) => {}
        Err(error) => faults.push(unreadable(error)),
    }
    report.signer = signer.identity();
    if let Err(fault) = certificates::trust(&signer, &message.certificates, roots, at) {
        report.faults.push(fault);
    }
}

fn changes_since(
    pdf: &[u8],
    document: &Document,
    covered: &Covered<'_>,
    found: &Found<'_>,
    kind: SignatureKind,
) -> Vec<changes::Change> {
    if covered.end == pdf.len() {
        return Vec::new();
    }
    let revision = match pdf.get(..covered.end).map(load) {
        Some(Ok(revision)) => revision,
        Some(Err(fault)) => return vec![changes::Change::unreadable(&fault)],
        None => return Vec::new(),
    };
    let forbids_signatures = matches!(kind, SignatureKind::Certification { level: 0 | 1 })
        || transform(document, found.dictionary, b"FieldMDP").is_some();
    changes::between(&revision, document, !forbids_signatures)
}

/// A date of the form `D:YYYYMMDDHHmmSSOHH'mm'` (ISO 32000-2, 7.9.4), complete to the second.
fn pdf_date(text: &str) -> Option<Timestamp> {
    let text = text.strip_prefix("D:").unwrap_or(text);
    let part = |range: std::ops::Range<usize>| text.get(range)?.parse::<i16>().ok();
    let small = |range: std::ops::Range<usize>| text.get(range)?.parse::<i8>().ok();
    let local = DateTime::new(
        part(0..4)?,
        small(4..6)?,
        small(6..8)?,
        small(8..10)?,
        small(10..12)?,
        small(12..14)?,
        0,
    )
    .ok()?;
    let utc = local.to_zoned_datetime(TimeZone::UTC).ok()?.timestamp();
    let sign = match text.get(14..15) {
        None | Some("Z") => return Some(utc),
        Some("+") => -1,
        Some("-") => 1,
        Some(_) => return None,
    };
    let hours = i64::from(small(15..17)?);
    let minutes = text.get(18..20).map_or(Some(0), |minutes| minutes.parse().ok())?;
    utc.checked_add(SignedDuration::from_secs(sign * (hours * 3600 + minutes * 60)))
        .ok()
}
