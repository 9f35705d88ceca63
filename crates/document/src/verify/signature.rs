//! A single signature: its byte range, value, digest and signer, and the changes after it. `trust` judges the signers
//! and the earliest proven time of all signatures together.

use std::ops::Range;

use aws_lc_rs::digest;
use const_oid::db::rfc3161::{ID_AA_TIME_STAMP_TOKEN, ID_CT_TST_INFO};
use const_oid::db::rfc5911::{ID_DATA, ID_SIGNING_TIME};
use der::Decode;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use x509_cert::time::Time;

use super::changes::{self, Changes};
use super::places::named_fields;
use super::reading::Reading;
use super::rules::{self, Rules};
use super::{Fault, Found, Note, OF_TEST, SignatureKind, SignatureReport, TimestampReport};
use crate::pdf::lex::is_white;
use crate::pdf::{Dict, File, Object};
use crate::pki::algorithms::{SignatureFault, legacy_digest, secure_digest};
use crate::pki::ber;
use crate::pki::certificates::{self, Certified};
use crate::pki::cms::{CmsError, SignedMessage};
use crate::pki::revocation::{self, RevocationData};
use crate::pki::timestamp::{TimestampError, TimestampToken};

/// Maximum number of timestamps per signature.
const MAX_TOKENS: usize = 16;

/// A signature, checked on its own.
pub(super) struct Examined {
    pub(super) report: SignatureReport,
    /// Whether the digest and the signature are correct, which proves what it covers.
    pub(super) is_sound: bool,
    /// Whether nothing follows it except a little white space, validation data or document timestamps.
    pub(super) is_last_word: bool,
    /// The revision it covers, if it covers exactly one.
    pub(super) revision: Option<usize>,
    /// Whether the covered revision has validation data.
    pub(super) covers_validation_data: bool,
    pub(super) rules: Rules,
    /// The signer's certificate (DER).
    pub(super) signer: Option<Vec<u8>>,
    /// The certificates included in the signature (DER).
    pub(super) certificates: Vec<Vec<u8>>,
    /// The revocation data in the signed attributes.
    pub(super) revocation: RevocationData,
    /// The time of a document timestamp.
    pub(super) stamped_at: Option<Timestamp>,
    pub(super) tokens: Vec<Token>,
}

/// A timestamp of a signature, or the error in it.
pub(super) struct Token {
    pub(super) at: Timestamp,
    /// The authority's certificate (DER).
    pub(super) signer: Vec<u8>,
    pub(super) certificates: Vec<Vec<u8>>,
}

pub(super) fn examine(file: &File, current: &Reading<'_>, found: &Found<'_>) -> Examined {
    let dict = found.dict;
    let sub_filter = current
        .name(dict, b"SubFilter")
        .map(|name| String::from_utf8_lossy(&name).into_owned())
        .unwrap_or_default();
    let kind = kind(current, found, &sub_filter);
    let level = match kind {
        SignatureKind::Certification { level } => Some(level),
        _ => None,
    };
    let is_test = dict.get(OF_TEST).and_then(Object::as_bool) == Some(true);
    let mut examined = Examined {
        report: SignatureReport {
            field: found.name.clone(),
            kind,
            sub_filter,
            level: None,
            signer: None,
            claimed_at: current.text(dict, b"M").and_then(|text| pdf_date(&text)),
            proved_at: None,
            timestamps: Vec::new(),
            reason: current.text(dict, b"Reason"),
            name: current.text(dict, b"Name"),
            location: current.text(dict, b"Location"),
            covered: 0,
            permits: Rules::default(),
            later: Vec::new(),
            notes: is_test.then_some(Note::IsTest).into_iter().collect(),
            faults: Vec::new(),
        },
        is_sound: false,
        is_last_word: false,
        revision: None,
        covers_validation_data: false,
        rules: Rules::of(current, &found.fields, dict, level),
        signer: None,
        certificates: Vec::new(),
        revocation: RevocationData::default(),
        stamped_at: None,
        tokens: Vec::new(),
    };
    examined.report.permits = examined.rules.clone();
    let covered = match Covered::new(file, current, dict) {
        Ok(covered) => covered,
        Err(fault) => {
            examined.report.faults.push(fault);
            return examined;
        }
    };
    examined.report.covered = u64::try_from(covered.end).unwrap_or(u64::MAX);
    let revision = covered.revision(file);
    let signed = revision.and_then(|revision| Reading::of(file.at(revision)).ok());
    examined.revision = revision.filter(|_| signed.is_some());
    match covered.value(signed.as_ref().unwrap_or(current), found) {
        Ok(value) => {
            let value = ber::definite(&value);
            if let Err(fault) = examined.check(&covered, &value) {
                examined.report.faults.push(fault);
            }
        }
        Err(fault) => examined.report.faults.push(fault),
    }
    match &signed {
        Some(signed) => examined.compare(file, current, signed, &covered, found),
        None => examined.push(Fault::ChangedAfterSigning {
            changes: vec![changes::Change::unreadable()],
        }),
    }
    examined.is_sound = !examined.report.faults.iter().any(Fault::concerns_soundness);
    examined
}

fn kind(reading: &Reading<'_>, found: &Found<'_>, sub_filter: &str) -> SignatureKind {
    if sub_filter == "ETSI.RFC3161" {
        return SignatureKind::DocumentTimestamp;
    }
    let named_by_catalog = || {
        let permissions = reading.dict(reading.catalog()?, b"Perms")?;
        permissions.get(b"DocMDP")?.as_ref()
    };
    match rules::modification_level(reading, found.dict) {
        Some(level) => SignatureKind::Certification { level },
        None if found.id.is_some() && named_by_catalog() == found.id => SignatureKind::Certification {
            level: rules::UNSTATED_LEVEL,
        },
        None => SignatureKind::Approval,
    }
}

impl Examined {
    /// Whether the format is a PAdES format.
    pub(super) fn is_pades(&self) -> bool {
        self.report.sub_filter == "ETSI.CAdES.detached"
    }

    /// Checks the value. Pushes every fault except the one that ends the check.
    fn check(&mut self, covered: &Covered<'_>, value: &[u8]) -> Result<(), Fault> {
        match self.report.sub_filter.as_str() {
            "ETSI.CAdES.detached" => self.check_message(covered, value, true),
            "adbe.pkcs7.detached" => self.check_message(covered, value, false),
            "adbe.pkcs7.sha1" => self.check_message_over_digest(covered, value),
            "ETSI.RFC3161" => self.check_timestamp(covered, value),
            other => Err(Fault::UnsupportedFormat { name: other.to_owned() }),
        }
    }

    /// Checks a CMS message over the covered bytes.
    fn check_message(&mut self, covered: &Covered<'_>, value: &[u8], is_cades: bool) -> Result<(), Fault> {
        let message = SignedMessage::parse(value).map_err(|error| unreadable(&error))?;
        if message.content.is_some() {
            self.push(not_cms("the signature value contains unexpected content"));
        }
        let digest = covered.digest(legacy_digest(message.digest_algorithm.oid)?);
        self.check_signer(&message, &digest, is_cades)
    }

    /// Checks the old format, which signs a SHA-1 digest of the covered bytes (ISO 32000-1, 12.8.3.3.1; not in PDF
    /// 2.0).
    fn check_message_over_digest(&mut self, covered: &Covered<'_>, value: &[u8]) -> Result<(), Fault> {
        let message = SignedMessage::parse(value).map_err(|error| unreadable(&error))?;
        self.push(Fault::WeakAlgorithm {
            name: "SHA-1".to_owned(),
        });
        let digest = covered.digest(&digest::SHA1_FOR_LEGACY_USE_ONLY);
        match message.content {
            Some(content) if content == digest.as_ref() => {
                let digest = digest::digest(legacy_digest(message.digest_algorithm.oid)?, content);
                self.check_signer(&message, &digest, false)
            }
            Some(_) => Err(Fault::DigestMismatch),
            None => Err(not_cms("the signature value contains no digest")),
        }
    }

    fn check_signer(
        &mut self,
        message: &SignedMessage<'_>,
        digest: &digest::Digest,
        is_cades: bool,
    ) -> Result<(), Fault> {
        if let Err(fault) = secure_digest(message.digest_algorithm.oid) {
            self.push(fault.into());
        }
        if message.signed_attributes.is_empty() {
            if is_cades {
                self.push(not_cms("the signed attributes are missing"));
            }
            if message.content_type != ID_DATA {
                self.push(not_cms("without signed attributes, the content type must be data"));
            }
        } else {
            match message.content_type_agrees() {
                Ok(true) => {}
                Ok(false) => self.push(not_cms(
                    "the signed content type is missing, or does not match the content",
                )),
                Err(error) => self.push(unreadable(&error)),
            }
            match message.message_digest() {
                Ok(signed) if digest.as_ref() == signed => {}
                Ok(_) => self.push(Fault::DigestMismatch),
                Err(error) => self.push(unreadable(&error)),
            }
        }
        self.certificates = message.certificates.iter().map(|der| der.to_vec()).collect();
        let signer = Certified::find(message.signer, message.certificates.iter().copied())
            .ok_or(Fault::SignerCertificateMissing)?;
        let verified = signer.verify_message_over(message, digest);
        let is_without_attributes = message.signed_attributes.is_empty();
        match verified {
            // Without attributes, the signature itself covers the content.
            Err(SignatureFault::SignatureMismatch) if is_without_attributes => self.push(Fault::DigestMismatch),
            Err(fault) => self.push(fault.into()),
            Ok(()) => {}
        }
        if let Err(fault) = binds(message, &signer, is_cades) {
            self.push(fault);
        }
        if self.report.claimed_at.is_none() {
            self.report.claimed_at = signing_time(message);
        }
        if let Ok(Some(archived)) = message.attribute(revocation::ARCHIVAL) {
            let whole = der::Encode::to_der(&archived).unwrap_or_default();
            let archived = revocation::archived(&whole).unwrap_or_default();
            if archived.is_too_much() {
                self.push(Fault::TooMuchValidationData);
            } else {
                self.revocation = archived;
            }
        }
        self.report.signer = signer.identity();
        self.signer = Some(signer.der.to_vec());
        self.read_tokens(message);
        Ok(())
    }

    /// Reads the timestamps of the signature (EN 319 122-1, 5.3).
    fn read_tokens(&mut self, message: &SignedMessage<'_>) {
        let tokens = match message.unsigned_attribute(ID_AA_TIME_STAMP_TOKEN) {
            Ok(tokens) => tokens,
            Err(error) => return self.push(unreadable(&error)),
        };
        for token in tokens.into_iter().take(MAX_TOKENS) {
            match read_token(token, |algorithm| digest::digest(algorithm, message.signature)) {
                Ok(token) => self.tokens.push(token),
                Err(error) => self.unusable_token(token, &error),
            }
        }
    }

    /// Records an unusable timestamp. An invalid timestamp, or one for other data, is a manipulation. One with outdated
    /// algorithms proves nothing and is harmless.
    fn unusable_token(&mut self, token: &[u8], error: &TimestampError) {
        let fault = Fault::TimestampInvalid {
            reason: error.to_string(),
        };
        let is_too_old = match error {
            TimestampError::Unusable(_) | TimestampError::WrongCertificate => true,
            TimestampError::Invalid(fault) => matches!(
                fault,
                SignatureFault::WeakAlgorithm(_) | SignatureFault::UnsupportedAlgorithm(_)
            ),
            _ => false,
        };
        let bytes = ber::definite(token);
        match TimestampToken::parse(&bytes) {
            Ok(token) if is_too_old => self.report.timestamps.push(TimestampReport {
                at: token.at,
                authority: None,
                fault: Some(fault),
            }),
            _ => self.push(fault),
        }
    }

    fn check_timestamp(&mut self, covered: &Covered<'_>, value: &[u8]) -> Result<(), Fault> {
        let token = read_token(value, |algorithm| covered.digest(algorithm)).map_err(|error| match error {
            TimestampError::WrongImprint => Fault::DigestMismatch,
            TimestampError::Invalid(fault) => fault.into(),
            error => Fault::TimestampInvalid {
                reason: error.to_string(),
            },
        })?;
        self.stamped_at = Some(token.at);
        self.report.signer = Certified::parse(&token.signer).and_then(|signer| signer.identity());
        self.signer = Some(token.signer);
        self.certificates = token.certificates;
        Ok(())
    }

    fn push(&mut self, fault: Fault) {
        if !self.report.faults.contains(&fault) {
            self.report.faults.push(fault);
        }
    }

    /// Checks the changes after the signature, and that the signature was part of the file it signs.
    fn compare(
        &mut self,
        file: &File,
        current: &Reading<'_>,
        signed: &Reading<'_>,
        covered: &Covered<'_>,
        found: &Found<'_>,
    ) {
        self.covers_validation_data = signed.catalog().is_some_and(|catalog| catalog.has(b"DSS"));
        if covered.end == file.bytes().len() {
            self.is_last_word = true;
            return;
        }
        // The dictionary must be byte for byte as it was signed. Otherwise it is a copy.
        let is_its_own = match found.id {
            Some(id) => signed.object(id) == current.object(id),
            None => named_fields(signed)
                .iter()
                .any(|field| field.is_signature && signed.dict(field.dict, b"V") == Some(found.dict)),
        };
        if !is_its_own {
            return self.push(Fault::NotInItsRevision);
        }
        let changes = changes::between(signed, current, &self.rules);
        let rest = file.bytes().get(covered.end..).unwrap_or_default();
        let is_white = rest.iter().all(|byte| is_white(*byte));
        self.is_last_word = file.ends_with_newest_revision() && (is_white || changes.are_only_validation_data());
        let Changes {
            permitted, forbidden, ..
        } = changes;
        self.report.later = permitted;
        if !forbidden.is_empty() {
            self.push(Fault::ChangedAfterSigning { changes: forbidden });
        }
    }
}

/// Reads a timestamp over the data hashed by `imprint`, and checks the signature of its signer.
fn read_token(
    bytes: &[u8],
    imprint: impl FnOnce(&'static digest::Algorithm) -> digest::Digest,
) -> Result<Token, TimestampError> {
    let bytes = ber::definite(bytes);
    let token = TimestampToken::parse(&bytes)?;
    if token.message.content_type != ID_CT_TST_INFO {
        return Err(TimestampError::Unusable("its content is not a TSTInfo"));
    }
    let algorithm = token.digest_algorithm().ok_or(TimestampError::Unusable(
        "its digest algorithm is unknown or no longer secure",
    ))?;
    let signer = token.verify(imprint(algorithm).as_ref(), &[])?;
    Ok(Token {
        at: token.at,
        signer: signer.to_vec(),
        certificates: token.message.certificates.iter().map(|der| der.to_vec()).collect(),
    })
}

/// Whether the signed attributes name the signer's certificate (RFC 5035; the older RFC 2634 names it by SHA-1).
fn binds(message: &SignedMessage<'_>, signer: &Certified<'_>, is_cades: bool) -> Result<(), Fault> {
    if message.signed_attributes.is_empty() {
        return Ok(());
    }
    if let Some((algorithm, hash)) = message.signing_certificate().map_err(|error| unreadable(&error))? {
        let algorithm = secure_digest(algorithm)?;
        return if digest::digest(algorithm, signer.der).as_ref() == hash {
            Ok(())
        } else {
            Err(Fault::SigningCertificateMismatch)
        };
    }
    match message.old_signing_certificate().map_err(|error| unreadable(&error))? {
        Some(hash) if digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, signer.der).as_ref() == hash => Ok(()),
        Some(_) => Err(Fault::SigningCertificateMismatch),
        None if is_cades => Err(Fault::SigningCertificateMissing),
        None => Ok(()),
    }
}

/// Returns the signing time claimed in the message, which is also unproven.
fn signing_time(message: &SignedMessage<'_>) -> Option<Timestamp> {
    let value = message.attribute(ID_SIGNING_TIME).ok()??;
    let whole = der::Encode::to_der(&value).ok()?;
    certificates::timestamp(Time::from_der(&whole).ok()?)
}

fn unreadable(error: &CmsError) -> Fault {
    Fault::UnreadableValue {
        reason: error.to_string(),
    }
}

fn not_cms(reason: &str) -> Fault {
    Fault::UnreadableValue {
        reason: reason.to_owned(),
    }
}

/// A valid byte range: a whole revision except one gap.
struct Covered<'a> {
    before: &'a [u8],
    after: &'a [u8],
    gap: Range<usize>,
    end: usize,
    /// Offset where the file's body starts. The file's own offsets count from here.
    header: usize,
}

impl<'a> Covered<'a> {
    fn new(file: &'a File, reading: &Reading<'_>, signature: &Dict) -> Result<Self, Fault> {
        let pdf = file.bytes();
        let wrong = |reason: &str| Fault::ByteRange {
            reason: reason.to_owned(),
        };
        let array = reading
            .array(signature, b"ByteRange")
            .ok_or_else(|| wrong("it is missing"))?;
        let numbers: Option<Vec<usize>> = array.iter().map(Object::as_usize).collect();
        let Some([start, first, second, last]) = numbers.as_deref() else {
            return Err(wrong("it does not consist of two pairs of offset and length"));
        };
        if *start != 0 {
            return Err(wrong("it does not begin at the file's first byte"));
        }
        if second <= first {
            return Err(wrong("its parts overlap"));
        }
        let beyond = || wrong("it extends beyond the end of the file");
        let end = second.checked_add(*last).ok_or_else(beyond)?;
        Ok(Self {
            before: pdf.get(..*first).ok_or_else(beyond)?,
            after: pdf.get(*second..end).ok_or_else(beyond)?,
            gap: *first..*second,
            end,
            header: pdf.len() - file.body().len(),
        })
    }

    fn revision(&self, file: &File) -> Option<usize> {
        file.revision_that_ends(self.end.checked_sub(self.header)?)
    }

    /// Returns the signature's value, which must fill the gap.
    fn value(&self, reading: &Reading<'_>, found: &Found<'_>) -> Result<Vec<u8>, Fault> {
        let (object, path) = found.place.ok_or(Fault::GapIsNotValue)?;
        let span = reading.view().span_of(object, path).ok_or(Fault::GapIsNotValue)?;
        let value = reading
            .get(found.dict, b"Contents")
            .as_str()
            .filter(|value| value.is_hex());
        let value = value.ok_or(Fault::GapIsNotValue)?;
        let is_gap = self.gap == (self.header + span.start..self.header + span.end);
        let has_spaces = value.spelling().iter().any(|byte| is_white(*byte));
        if is_gap && !has_spaces && value.spelling().len() % 2 == 0 {
            Ok(value.bytes())
        } else {
            Err(Fault::GapIsNotValue)
        }
    }

    fn digest(&self, algorithm: &'static digest::Algorithm) -> digest::Digest {
        let mut context = digest::Context::new(algorithm);
        context.update(self.before);
        context.update(self.after);
        context.finish()
    }
}

/// Parses a date of the form `D:YYYYMMDDHHmmSSOHH'mm'` (ISO 32000-2, 7.9.4), complete to the second.
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
