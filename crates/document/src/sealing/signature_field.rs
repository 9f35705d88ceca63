//! A signature field with a signature dictionary, and the value that is filled in once the rest is written.
//!
//! Seals and document timestamps are made alike (ISO 32000-2, 12.8.1): [`placeholders`] keeps the places of byte range and
//! value in the signature dictionary, [`add`] hangs it into a field of the form and of a page, invisible unless it has a look, and
//! [`fill`], after the revision is written, sets the byte range, hands out the digest of all but the gap, and puts the value
//! in. The byte range has a fixed width, and the gap is exactly the hexadecimal string with its angle brackets.

use aws_lc_rs::digest;
use lopdf::{Dictionary, Object, ObjectId, StringFormat, dictionary, text_string};

use crate::marks::stamp::reals;
use crate::pdf::form;
use crate::pdf::geometry::Rectangle;
use crate::pdf::revision::{Revision, RevisionWriter, hexadecimal};
use crate::sealing::SealError;

/// Room for the signature value, in bytes; each takes two digits in the file. A seal with its chain has about 2 KiB, a
/// timestamp with its own 3 to 8 KiB.
pub(super) const ROOM: usize = 16 * 1024;
/// Ten digits, as wide as any offset of the format.
const WIDE_NUMBER: i64 = 9_999_999_999;
/// `Print` and `Locked` (12.5.3).
const WIDGET_FLAGS: i64 = 4 | 128;

/// A signature dictionary with room for the byte range, and for so many bytes of a value. They come first: they are searched
/// for, and what follows may be anybody's text.
pub(super) fn placeholders(room: usize) -> Dictionary {
    let mut dictionary = Dictionary::new();
    let wide = Object::Integer(WIDE_NUMBER);
    dictionary.set("ByteRange", vec![Object::Integer(0), wide.clone(), wide.clone(), wide]);
    dictionary.set("Contents", Object::String(vec![0; room], StringFormat::Hexadecimal));
    dictionary
}

/// What the field of a signature is like.
pub(super) struct Field<'a> {
    /// Its name begins so; a number makes it unique.
    pub(super) stem: &'a str,
    /// Whether it locks all fields of the form.
    pub(super) locks: bool,
    /// What it shows; nothing, if not given.
    pub(super) look: Option<Look>,
}

/// What a field shows on its page.
pub(super) struct Look {
    /// Where, in user space.
    pub(super) rectangle: Rectangle,
    /// The drawing.
    pub(super) appearance: ObjectId,
}

/// Adds a field that holds the signature dictionary `signature`.
pub(super) fn add(
    writer: &mut RevisionWriter<'_>,
    page: ObjectId,
    signature: ObjectId,
    field: &Field<'_>,
) -> Result<(), SealError> {
    let widget = add_widget(writer, page, signature, field);
    form::add_to_page(writer, page, widget)?;
    form::add_to_form(writer, widget)?;
    Ok(())
}

fn add_widget(writer: &mut RevisionWriter<'_>, page: ObjectId, signature: ObjectId, field: &Field<'_>) -> ObjectId {
    let name = form::free_field_name(writer.document(), field.stem);
    let mut widget = Dictionary::new();
    widget.set("Type", "Annot");
    widget.set("Subtype", "Widget");
    widget.set("FT", "Sig");
    widget.set("T", text_string(&name));
    if let Some(look) = &field.look {
        let Rectangle {
            left,
            bottom,
            right,
            top,
        } = look.rectangle;
        widget.set("Rect", reals([left, bottom, right, top]));
        widget.set("AP", dictionary! { "N" => look.appearance });
    } else {
        widget.set("Rect", vec![0.into(), 0.into(), 0.into(), 0.into()]);
    }
    widget.set("F", WIDGET_FLAGS);
    widget.set("P", page);
    widget.set("V", signature);
    if field.locks {
        let mut lock = Dictionary::new();
        lock.set("Type", "SigFieldLock");
        lock.set("Action", "All");
        // Table 236: the lock of a signature field is an indirect object.
        let lock = writer.add(lock);
        widget.set("Lock", lock);
    }
    writer.add(widget)
}

/// Sets the byte range of the signature dictionary `signature`, which has `room`, and puts the value in that `sign` makes of
/// the digest of everything but the gap.
pub(super) fn fill(
    revision: Revision,
    signature: ObjectId,
    room: usize,
    algorithm: &'static digest::Algorithm,
    sign: impl FnOnce(&[u8]) -> Result<Vec<u8>, SealError>,
) -> Result<Vec<u8>, SealError> {
    let written = revision.written.get(&signature).ok_or(SealError::PlaceholderLost)?;
    let start = written.start;
    let mut bytes = revision.bytes;
    let gap = Gap::find(&bytes, start, room)?;
    gap.write_byte_range(&mut bytes)?;
    let digest = gap.digest(&bytes, algorithm)?;
    gap.write_value(&mut bytes, &sign(digest.as_ref())?)?;
    Ok(bytes)
}

/// Where the signature value lies: from its `<` to behind its `>`.
struct Gap {
    byte_range: std::ops::Range<usize>,
    start: usize,
    end: usize,
}

impl Gap {
    fn find(bytes: &[u8], from: usize, room: usize) -> Result<Self, SealError> {
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
            let end = start + 2 + 2 * room;
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

    fn digest(&self, bytes: &[u8], algorithm: &'static digest::Algorithm) -> Result<digest::Digest, SealError> {
        let before = bytes.get(..self.start).ok_or(SealError::PlaceholderLost)?;
        let after = bytes.get(self.end..).ok_or(SealError::PlaceholderLost)?;
        let mut context = digest::Context::new(algorithm);
        context.update(before);
        context.update(after);
        Ok(context.finish())
    }

    fn write_value(&self, bytes: &mut [u8], value: &[u8]) -> Result<(), SealError> {
        let target = bytes
            .get_mut(self.start + 1..self.end - 1)
            .ok_or(SealError::PlaceholderLost)?;
        if value.len() > target.len() / 2 {
            return Err(SealError::TooLarge(value.len()));
        }
        for (pair, byte) in target.chunks_exact_mut(2).zip(value) {
            pair.copy_from_slice(&hexadecimal(*byte));
        }
        Ok(())
    }
}
