//! Seals a finished PDF with one PAdES signature (ETSI EN 319 142-1) by the company's key.
//!
//! [`seal`] creates level B-B. It appends one revision with the signature dictionary, a signature field and its widget
//! (invisible on the first page, unless it has a mark), and then fills in the byte range and the signature value as
//! hexadecimal digits, with space for 16 KiB (more for a long chain of certificates). The signature covers every byte
//! of the file except that hexadecimal string and its angle brackets. [`seal_with_timestamp`] creates level B-T: a
//! time-stamp authority stamps the signature's value, and the timestamp is an unsigned attribute of the signature (EN
//! 319 122-1, 5.3). Levels B-LT and B-LTA append the data that a later verifier needs ([`validation_data`]).
//!
//! An unsigned file gets a certification signature that forbids every later change (DocMDP, P = 1; ISO 32000-2,
//! 12.8.2.2 still permits validation data and document timestamps). A file with signatures gets an approval signature
//! that locks all fields. Certifying it would break the existing signatures, so [`SealError::AlreadySigned`] refuses.
//!
//! The caller provides the claimed time. If a time-stamp authority does not answer, the whole seal fails, and the
//! caller decides whether to seal without a timestamp.
//!
//! May use all modules except `evidence` and `intake`. It reads the certificates of a file with the code of `verify`,
//! so that sealing and verifying agree.

pub mod seal_mark;
mod signature_field;
pub mod validation_data;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use thiserror::Error;

use crate::marks::stamp::StampError;
use crate::pdf::append::{AppendError, append};
use crate::pdf::edit::Edits;
use crate::pdf::shared_bytes::SharedBytes;
use crate::pdf::{Dict, File, Object, Objects, PdfDefect, Ref, Str, acro_form};
use crate::pki::cms::{CmsError, UnfinishedMessage};
use crate::pki::keys::Signer;
use crate::pki::timestamp::{TimestampError, TimestampSource};
use crate::sealing::seal_mark::SealMark;
use crate::sealing::signature_field::Field;
use crate::verify::OF_TEST;

/// Space for the parts of a signature value other than certificates: the signature, its attributes, and a timestamp.
const BESIDE_CHAIN: usize = 10 * 1024;

/// Reasons why a file cannot be sealed.
#[derive(Debug, Error)]
pub enum SealError {
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    Unreadable(#[from] PdfDefect),
    /// Nothing can be appended to the file.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The signature value cannot be created.
    #[error(transparent)]
    Cms(#[from] CmsError),
    /// The time-stamp authority returned no usable timestamp.
    #[error(transparent)]
    Timestamp(#[from] TimestampError),
    /// The file has no page.
    #[error("the file has no pages")]
    NoPage,
    /// A certification signature must be a file's first one.
    #[error("the file is already signed; it can be approved, but no longer certified")]
    AlreadySigned,
    /// The signature value is larger than the placeholder.
    #[error("the signature value has {0} bytes and does not fit; shorten the certificate chain")]
    TooLarge(usize),
    /// With its timestamp, the signature value is larger than the placeholder. A document timestamp would fit
    /// ([`crate::sealing::validation_data::add_archive_timestamp`]).
    #[error("the signature value has {0} bytes with its timestamp, and does not fit")]
    TimestampTooLarge(usize),
    /// The seal's mark cannot be drawn.
    #[error("the seal's mark cannot be drawn: {0}")]
    Mark(#[from] StampError),
    /// The placeholders are not at their expected positions, which is a bug in this program.
    #[error("the signature's placeholders were not found in the written revision")]
    PlaceholderLost,
}

/// Information in the seal about itself.
#[derive(Debug, Clone)]
pub struct SealDetails {
    /// Reason for sealing (`/Reason`).
    pub reason: String,
    /// Name of the sealing company (`/Name`).
    pub name: String,
    /// Place of sealing (`/Location`), if any.
    pub location: Option<String>,
    /// The claimed time (`/M`).
    pub at: Timestamp,
    /// Whether to certify (an unsigned file) or to approve (a signed one).
    pub certify: bool,
    /// Whether the document is a test, which the signature says.
    pub is_test: bool,
    /// The seal's visible mark on a page, if any.
    pub mark: Option<SealMark>,
}

/// Seals `pdf`, which our own intake wrote, at level B-B.
pub fn seal(pdf: impl Into<SharedBytes>, signer: &dyn Signer, details: &SealDetails) -> Result<Vec<u8>, SealError> {
    seal_at_level(pdf.into(), signer, details, None)
}

/// Seals `pdf` at level B-T, with a timestamp of the signature.
pub fn seal_with_timestamp(
    pdf: impl Into<SharedBytes>,
    signer: &dyn Signer,
    details: &SealDetails,
    timestamps: &dyn TimestampSource,
) -> Result<Vec<u8>, SealError> {
    seal_at_level(pdf.into(), signer, details, Some(timestamps))
}

fn seal_at_level(
    pdf: SharedBytes,
    signer: &dyn Signer,
    details: &SealDetails,
    timestamps: Option<&dyn TimestampSource>,
) -> Result<Vec<u8>, SealError> {
    let file = File::open(pdf, None)?;
    let mut edits = Edits::new(file.latest());
    if details.certify && !acro_form::signatures(&edits)?.is_empty() {
        return Err(SealError::AlreadySigned);
    }
    let chain: usize = signer.certificates().iter().map(Vec::len).sum();
    let room = signature_field::ROOM.max(chain.saturating_add(BESIDE_CHAIN));
    let pages = edits.pages()?;
    let signature = signature_dictionary(details, room, edits.root()?);
    let signature = edits.add(signature);
    let (page, look) = match &details.mark {
        None => (*pages.first().ok_or(SealError::NoPage)?, None),
        Some(mark) => {
            let (page, look) = mark.put(&pages, &mut edits)?;
            (page, Some(look))
        }
    };
    let field = Field {
        stem: "Seal",
        words: words(details),
        locks: !details.certify,
        is_in_structure: details.certify,
        look,
    };
    signature_field::add(&mut edits, page, signature, &field)?;
    if details.certify {
        certify(&mut edits, signature)?;
    } else {
        // In a signed file, entries are shown in separate fields, which this seal signs too.
        for field in acro_form::waiting_for_seal(&edits)? {
            if let Some(field) = edits.edit_dict(field)? {
                field.set(b"V", signature);
            }
        }
    }
    let (_, algorithm) = signer.algorithm().digest();
    signature_field::fill(append(edits)?, signature, room, algorithm, |digest| {
        let message = UnfinishedMessage::sign(signer, digest)?;
        let timestamp = timestamps
            .map(|source| source.timestamp(&message.signature_digest()))
            .transpose()?;
        let value = message.finish(timestamp.as_deref())?;
        if timestamp.is_some() && value.len() > room {
            return Err(SealError::TimestampTooLarge(value.len()));
        }
        Ok(value)
    })
}

/// Returns the seal's description of itself.
fn words(details: &SealDetails) -> String {
    match (details.name.as_str(), details.reason.as_str()) {
        ("", "") => "Seal".to_owned(),
        (name, "") => name.to_owned(),
        ("", reason) => reason.to_owned(),
        (name, reason) => format!("{name}: {reason}"),
    }
}

fn signature_dictionary(details: &SealDetails, room: usize, catalog: Ref) -> Dict {
    let at = details
        .at
        .to_zoned_datetime(TimeZone::UTC)
        .strftime("D:%Y%m%d%H%M%SZ")
        .to_string();
    let mut parameters = Dict::of([("Type", Object::name("TransformParams")), ("V", Object::name("1.2"))]);
    let method = if details.certify {
        parameters.set(b"P", 1);
        "DocMDP"
    } else {
        parameters.set(b"Action", Object::name("All"));
        "FieldMDP"
    };
    let mut reference = Dict::of([
        ("Type", Object::name("SigRef")),
        ("TransformMethod", Object::name(method)),
        ("TransformParams", parameters.into()),
    ]);
    if !details.certify {
        // The object that the method applies to (Table 255), which FieldMDP requires.
        reference.set(b"Data", catalog);
    }
    let mut dict = signature_field::placeholders(room);
    for (key, value) in [
        ("Type", Object::name("Sig")),
        ("Filter", Object::name("Adobe.PPKLite")),
        ("SubFilter", Object::name("ETSI.CAdES.detached")),
        ("M", Str::literal(at.as_bytes()).into()),
        ("Name", Object::text(&details.name)),
        ("Reason", Object::text(&details.reason)),
        ("Reference", vec![reference.into()].into()),
    ] {
        dict.set(key.as_bytes(), value);
    }
    if details.is_test {
        dict.set(OF_TEST, true);
    }
    if let Some(location) = &details.location {
        dict.set(b"Location", Object::text(location));
    }
    dict
}

fn certify(edits: &mut Edits<'_>, signature: Ref) -> Result<(), PdfDefect> {
    let mut permissions = edits.dict(edits.catalog()?, b"Perms")?.cloned().unwrap_or_default();
    permissions.set(b"DocMDP", signature);
    let root = edits.root()?;
    if let Some(catalog) = edits.edit_dict(root)? {
        catalog.set(b"Perms", permissions);
    }
    Ok(())
}
