//! A signature field with a signature dictionary, whose value is filled in after the rest has been written.
//!
//! Seals and document timestamps are created in the same way (ISO 32000-2, 12.8.1). [`placeholders`] reserves space for
//! byte range and value in the signature dictionary. [`add`] adds the dictionary to a field of the form and of a page,
//! invisible unless it has an appearance. After the revision is written, [`fill`] sets the byte range, passes on the
//! digest of everything except the gap, and inserts the value. The byte range has a fixed width, and the gap is exactly
//! the hexadecimal string with its angle brackets.

use aws_lc_rs::digest;

use crate::pdf::acro_form;
use crate::pdf::append::Appended;
use crate::pdf::edit::Edits;
use crate::pdf::geometry::Rectangle;
use crate::pdf::object::hexadecimal;
use crate::pdf::structure::Structure;
use crate::pdf::{Dict, Object, PdfDefect, Ref, Str};
use crate::sealing::SealError;

/// Space for the signature value in bytes, each of which takes two digits in the file. A seal with its chain has about
/// 2 KiB, a timestamp with its chain 3 to 8 KiB.
pub(super) const ROOM: usize = 16 * 1024;
/// A number with ten digits, like the largest offset of the format.
const WIDE_NUMBER: i64 = 9_999_999_999;

/// Builds a signature dictionary with space for the byte range and for a value of `room` bytes. The placeholders come
/// first, because they are found by searching, and later text may be untrusted.
pub(super) fn placeholders(room: usize) -> Dict {
    let wide = || Object::from(WIDE_NUMBER);
    Dict::of([
        ("ByteRange", vec![0.into(), wide(), wide(), wide()].into()),
        ("Contents", Str::hex(&vec![0; room]).into()),
    ])
}

/// The properties of a signature's field.
pub(super) struct Field<'a> {
    /// Prefix of the field's name. A number makes the name unique.
    pub(super) stem: &'a str,
    /// Description for people who cannot see the field (12.7.4.1: `TU`).
    pub(super) words: String,
    /// Whether the field locks all fields of the form.
    pub(super) locks: bool,
    /// Whether the structure of a tagged file gets an element for the field. Earlier signatures do not permit that.
    pub(super) is_in_structure: bool,
    /// The field's appearance, if it is visible.
    pub(super) look: Option<Look>,
}

/// A field's appearance on its page.
pub(super) struct Look {
    /// Position in user space.
    pub(super) rectangle: Rectangle,
    /// The drawing.
    pub(super) appearance: Ref,
}

/// Adds a field with the signature dictionary `signature`.
pub(super) fn add(edits: &mut Edits<'_>, page: Ref, signature: Ref, field: &Field<'_>) -> Result<(), PdfDefect> {
    let name = acro_form::free_field_name(edits, field.stem)?;
    let mut widget = Dict::of([
        ("Type", Object::name("Annot")),
        ("Subtype", Object::name("Widget")),
        ("FT", Object::name("Sig")),
        ("T", Object::text(&name)),
        ("TU", Object::text(&field.words)),
    ]);
    if let Some(look) = &field.look {
        widget.set(b"Rect", look.rectangle.object());
        widget.set(b"AP", Dict::of([("N", look.appearance.into())]));
    } else {
        widget.set(b"Rect", Object::numbers([0.0; 4]));
    }
    widget.set(b"F", acro_form::PRINTED_AND_LOCKED);
    widget.set(b"P", page);
    widget.set(b"V", signature);
    if field.locks {
        // The lock of a signature field is an indirect object (Table 236).
        let lock = edits.add(acro_form::lock());
        widget.set(b"Lock", lock);
    }
    let widget = edits.add(widget);
    if field.is_in_structure {
        add_to_structure(edits, page, widget)?;
    }
    acro_form::add_to_page(edits, page, widget)?;
    acro_form::add_to_form(edits, widget)
}

/// Adds a structure element for a widget (14.8.4.8.3), and orders the page's annotations by structure, as such a page
/// requires.
fn add_to_structure(edits: &mut Edits<'_>, page: Ref, widget: Ref) -> Result<(), PdfDefect> {
    let Some(mut structure) = Structure::of(edits)? else {
        return Ok(());
    };
    let object = Dict::of([
        ("Type", Object::name("OBJR")),
        ("Pg", page.into()),
        ("Obj", widget.into()),
    ]);
    let element = structure.add(
        Dict::of([("S", Object::name("Form")), ("Pg", page.into()), ("K", object.into())]),
        edits,
    );
    let key = structure.key(element);
    structure.write(edits)?;
    if let Some(widget) = edits.edit_dict(widget)? {
        widget.set(b"StructParent", key);
    }
    if let Some(page) = edits.edit_dict(page)? {
        page.set(b"Tabs", Object::name("S"));
    }
    Ok(())
}

/// Sets the byte range of the signature dictionary `signature`, which has `room` bytes of space. `sign` returns the
/// value for the digest of everything except the gap, and the value is inserted there.
pub(super) fn fill(
    appended: Appended,
    signature: Ref,
    room: usize,
    algorithm: &'static digest::Algorithm,
    sign: impl FnOnce(&[u8]) -> Result<Vec<u8>, SealError>,
) -> Result<Vec<u8>, SealError> {
    let Appended { mut bytes, written } = appended;
    let written = written.get(&signature).ok_or(SealError::PlaceholderLost)?;
    let gap = Gap::find(&bytes, written, room)?;
    gap.write_byte_range(&mut bytes)?;
    let digest = gap.digest(&bytes, algorithm)?;
    gap.write_value(&mut bytes, &sign(digest.as_ref())?)?;
    Ok(bytes)
}

/// Position of the signature value, from its `<` to after its `>`.
struct Gap {
    byte_range: std::ops::Range<usize>,
    start: usize,
    end: usize,
}

impl Gap {
    /// `written` is the range of the signature dictionary.
    fn find(bytes: &[u8], written: &std::ops::Range<usize>, room: usize) -> Result<Self, SealError> {
        let after = |from: usize, pattern: &[u8]| {
            let rest = bytes.get(from..written.end)?;
            let position = rest.windows(pattern.len()).position(|window| window == pattern)?;
            Some(from + position + pattern.len())
        };
        let find = || {
            let key = after(written.start, b"/ByteRange")?;
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
