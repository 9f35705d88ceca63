//! Seals a finished PDF: one PAdES signature of level B-B (ETSI EN 319 142-1) by the company's key.
//!
//! [`seal`] appends one revision that holds the signature dictionary, an invisible signature field
//! and its widget on the first page, and then fills the two placeholders: the byte range, of fixed
//! width, and the signature value, 16 KiB of hexadecimal digits. The signature covers every byte of
//! the file but that hexadecimal string and its angle brackets.
//!
//! A file that nobody has signed gets a certification signature that forbids every later change
//! (DocMDP, P = 1; ISO 32000-2, 12.8.2.2 still lets validation data and document timestamps follow).
//! A file that has signatures gets an approval signature that locks all fields; certifying it would
//! break the others, so [`SealError::AlreadySigned`] refuses.
//!
//! The claimed time is the caller's. Level B-T and above need a time-stamp authority and are added
//! as later revisions; the placeholder leaves room for a timestamp within the signature.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lopdf::{Dictionary, Document, Object, ObjectId, StringFormat, text_string};
use thiserror::Error;

use crate::cms::{self, CmsError};
use crate::form;
use crate::keys::Signer;
use crate::revision::{RevisionError, RevisionWriter};

/// Room for the signature value, in bytes; each takes two digits in the file.
pub const PLACEHOLDER_BYTES: usize = 16 * 1024;
/// Ten digits, as wide as any offset of the format.
const WIDE_NUMBER: i64 = 9_999_999_999;
/// `Print` and `Locked` (12.5.3).
const WIDGET_FLAGS: i64 = 4 | 128;

/// Why a file cannot be sealed.
#[derive(Debug, Error)]
pub enum SealError {
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    Unreadable(#[from] lopdf::Error),
    /// No revision can be appended.
    #[error(transparent)]
    Revision(#[from] RevisionError),
    /// The signature value cannot be made.
    #[error(transparent)]
    Cms(#[from] CmsError),
    /// The file has no page.
    #[error("the file has no page")]
    NoPage,
    /// A certification signature must be a file's first one.
    #[error("the file is signed already; it can be approved, but no longer certified")]
    AlreadySigned,
    /// The signature value is larger than the placeholder.
    #[error("the signature value has {0} bytes and does not fit; shorten the certificate chain")]
    TooLarge(usize),
    /// The placeholders are not where they were written: an error of this program.
    #[error("the signature's placeholders were not found in the written revision")]
    PlaceholderLost,
}

/// What a seal says of itself.
#[derive(Debug, Clone)]
pub struct SealDetails {
    /// Why the document was sealed (`/Reason`).
    pub reason: String,
    /// Who sealed (`/Name`): the company.
    pub name: String,
    /// Where (`/Location`), if it is to be said.
    pub location: Option<String>,
    /// The claimed time (`/M`).
    pub at: Timestamp,
    /// Certify (an unsigned file), or approve (a signed one).
    pub certify: bool,
}

/// Seals `pdf`, which our own intake wrote.
pub fn seal(pdf: &[u8], signer: &dyn Signer, details: &SealDetails) -> Result<Vec<u8>, SealError> {
    let document = Document::load_mem(pdf)?;
    if details.certify && !form::signatures(&document).is_empty() {
        return Err(SealError::AlreadySigned);
    }
    let page = document.page_iter().next().ok_or(SealError::NoPage)?;
    let mut writer = RevisionWriter::new(pdf, &document)?;
    let signature = writer.add(signature_dictionary(details));
    let widget = add_widget(&mut writer, page, signature, details.certify);
    form::add_to_page(&mut writer, page, widget)?;
    form::add_to_form(&mut writer, widget)?;
    // What was filled in on a signed file shows in fields of their own, which this seal signs too.
    if !details.certify {
        for field in form::waiting_for_seal(&document) {
            writer.edit_dictionary(field)?.set("V", signature);
        }
    }
    if details.certify {
        certify(&mut writer, signature)?;
    }
    let revision = writer.finish()?;
    let written = revision
        .written
        .get(&signature)
        .ok_or(SealError::PlaceholderLost)?
        .clone();
    let mut bytes = revision.bytes;
    let gap = Gap::find(&bytes, written.start)?;
    gap.write_byte_range(&mut bytes)?;
    let digest = gap.digest(&bytes)?;
    let value = cms::sign(signer, &digest)?;
    gap.write_value(&mut bytes, &value)?;
    Ok(bytes)
}

fn signature_dictionary(details: &SealDetails) -> Dictionary {
    let mut dictionary = Dictionary::new();
    // The placeholders come first: they are searched for, and what follows is the caller's text.
    dictionary.set(
        "ByteRange",
        vec![
            Object::Integer(0),
            WIDE_NUMBER.into(),
            WIDE_NUMBER.into(),
            WIDE_NUMBER.into(),
        ],
    );
    dictionary.set(
        "Contents",
        Object::String(vec![0; PLACEHOLDER_BYTES], StringFormat::Hexadecimal),
    );
    dictionary.set("Type", "Sig");
    dictionary.set("Filter", "Adobe.PPKLite");
    dictionary.set("SubFilter", "ETSI.CAdES.detached");
    let at = details
        .at
        .to_zoned_datetime(TimeZone::UTC)
        .strftime("D:%Y%m%d%H%M%SZ")
        .to_string();
    dictionary.set("M", Object::string_literal(at));
    dictionary.set("Name", text_string(&details.name));
    dictionary.set("Reason", text_string(&details.reason));
    if let Some(location) = &details.location {
        dictionary.set("Location", text_string(location));
    }
    let mut parameters = Dictionary::new();
    parameters.set("Type", "TransformParams");
    parameters.set("V", "1.2");
    let method = if details.certify {
        parameters.set("P", 1);
        "DocMDP"
    } else {
        parameters.set("Action", "All");
        "FieldMDP"
    };
    let mut reference = Dictionary::new();
    reference.set("Type", "SigRef");
    reference.set("TransformMethod", method);
    reference.set("TransformParams", parameters);
    dictionary.set("Reference", vec![Object::Dictionary(reference)]);
    dictionary
}

fn add_widget(writer: &mut RevisionWriter<'_>, page: ObjectId, signature: ObjectId, certify: bool) -> ObjectId {
    let name = form::free_field_name(writer.document(), "Seal");
    let mut widget = Dictionary::new();
    widget.set("Type", "Annot");
    widget.set("Subtype", "Widget");
    widget.set("FT", "Sig");
    widget.set("T", text_string(&name));
    widget.set("Rect", vec![0.into(), 0.into(), 0.into(), 0.into()]);
    widget.set("F", WIDGET_FLAGS);
    widget.set("P", page);
    widget.set("V", signature);
    if !certify {
        let mut lock = Dictionary::new();
        lock.set("Type", "SigFieldLock");
        lock.set("Action", "All");
        // Table 236: the lock of a signature field is an indirect object.
        let lock = writer.add(lock);
        widget.set("Lock", lock);
    }
    writer.add(widget)
}

fn certify(writer: &mut RevisionWriter<'_>, signature: ObjectId) -> Result<(), SealError> {
    let root = writer.root();
    let entry = writer.edit_dictionary(root)?.get(b"Perms").ok().cloned();
    let mut permissions = match entry.as_ref().map(|object| writer.resolve(object)) {
        Some(Object::Dictionary(dictionary)) => dictionary.clone(),
        _ => Dictionary::new(),
    };
    permissions.set("DocMDP", signature);
    writer.edit_dictionary(root)?.set("Perms", permissions);
    Ok(())
}

/// Where the signature value lies: from its `<` to behind its `>`.
struct Gap {
    byte_range: std::ops::Range<usize>,
    start: usize,
    end: usize,
}

impl Gap {
    fn find(bytes: &[u8], from: usize) -> Result<Self, SealError> {
        let after = |from: usize, pattern: &[u8]| {
            let rest = bytes.get(from..)?;
            let position = rest.windows(pattern.len()).position(|window| window == pattern)?;
            Some(from + position + pattern.len())
        };
        let find = || {
            let key = after(from, b"/ByteRange")?;
            let open = after(key, b"[")?;
            let close = after(open, b"]")?;
            let key = after(close, b"/Contents")?;
            let start = after(key, b"<")? - 1;
            let end = start + 2 + 2 * PLACEHOLDER_BYTES;
            (bytes.get(end - 1) == Some(&b'>')).then_some(Self {
                byte_range: open - 1..close,
                start,
                end,
            })
        };
        find().ok_or(SealError::PlaceholderLost)
    }

    fn write_byte_range(&self, bytes: &mut [u8]) -> Result<(), SealError> {
        let rest = bytes.len().checked_sub(self.end).ok_or(SealError::PlaceholderLost)?;
        let text = format!("[0 {} {} {rest}", self.start, self.end);
        let target = bytes
            .get_mut(self.byte_range.clone())
            .ok_or(SealError::PlaceholderLost)?;
        let width = target.len().saturating_sub(1);
        if text.len() > width {
            return Err(SealError::PlaceholderLost);
        }
        let text = format!("{text:width$}]");
        target.copy_from_slice(text.as_bytes());
        Ok(())
    }

    fn digest(&self, bytes: &[u8]) -> Result<Vec<u8>, SealError> {
        let before = bytes.get(..self.start).ok_or(SealError::PlaceholderLost)?;
        let after = bytes.get(self.end..).ok_or(SealError::PlaceholderLost)?;
        let mut context = aws_lc_rs::digest::Context::new(&aws_lc_rs::digest::SHA256);
        context.update(before);
        context.update(after);
        Ok(context.finish().as_ref().to_vec())
    }

    fn write_value(&self, bytes: &mut [u8], value: &[u8]) -> Result<(), SealError> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        if value.len() > PLACEHOLDER_BYTES {
            return Err(SealError::TooLarge(value.len()));
        }
        let target = bytes
            .get_mut(self.start + 1..self.end - 1)
            .ok_or(SealError::PlaceholderLost)?;
        for (pair, byte) in target.chunks_exact_mut(2).zip(value) {
            if let [high, low] = pair {
                *high = DIGITS[usize::from(byte >> 4)];
                *low = DIGITS[usize::from(byte & 15)];
            }
        }
        Ok(())
    }
}
