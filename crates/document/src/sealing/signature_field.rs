//! A signature field with a signature dictionary, and the value that is filled in once the rest is written.
//!
//! Seals and document timestamps are created in the same way (ISO 32000-2, 12.8.1): [`placeholders`] keeps the places
//! of byte range and value in the signature dictionary, [`add`] hangs it into a field of the form and of a page,
//! invisible unless it has a look, and [`fill`], after the revision is written, sets the byte range, hands out the
//! digest of all but the gap, and puts the value in. The byte range has a fixed width, and the gap is exactly the
//! hexadecimal string with its angle brackets.

use aws_lc_rs::digest;

use crate::pdf::acro_form;
use crate::pdf::append::Appended;
use crate::pdf::edit::Edits;
use crate::pdf::geometry::Rectangle;
use crate::pdf::object::hexadecimal;
use crate::pdf::structure::Structure;
use crate::pdf::{Dict, Object, PdfDefect, Ref, Str};
use crate::sealing::SealError;

/// Space for the signature value, in bytes; each takes two digits in the file. A seal with its chain has about 2 KiB, a
/// timestamp with its own 3 to 8 KiB.
pub(super) const ROOM: usize = 16 * 1024;
/// Ten digits, as wide as any offset of the format.
const WIDE_NUMBER: i64 = 9_999_999_999;

/// A signature dictionary with space for the byte range, and for this many bytes of a value. They come first, because
/// they are searched for, and later text may come from anyone.
pub(super) fn placeholders(room: usize) -> Dict {
    let wide = || Object::from(WIDE_NUMBER);
    Dict::of([
        ("ByteRange", vec![0.into(), wide(), wide(), wide()].into()),
        ("Contents", Str::hex(&vec![0; room]).into()),
    ])
}

/// The properties of a signature's field.
pub(super) struct Field<'a> {
    /// Its name begins so; a number makes it unique.
    pub(super) stem: &'a str,
    /// Its description for people who do not see it (12.7.4.1: `TU`).
    pub(super) words: String,
    /// Whether it locks all fields of the form.
    pub(super) locks: bool,
    /// Whether the structure of a tagged file gets an element for it. No signature before this one permits that.
    pub(super) is_in_structure: bool,
    /// What it shows. `None`: nothing.
    pub(super) look: Option<Look>,
}

/// A field's appearance on its page.
pub(super) struct Look {
    /// In user space.
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
        // Table 236: the lock of a signature field is an indirect object.
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

/// An element for a widget (14.8.4.8.3), and what such a page has: annotations in the order of the structure.
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

/// Sets the byte range of the signature dictionary `signature`, which has `room`, and puts the value in that `sign` makes of
/// the digest of everything but the gap.
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

/// Where the signature value is, from its `<` to after its `>`.
struct Gap {
    byte_range: std::ops::Range<usize>,
    start: usize,
    end: usize,
}

impl Gap {
    /// `written` is where the signature dictionary is.
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
