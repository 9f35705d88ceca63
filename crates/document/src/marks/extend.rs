//! Draws values on the pages of a file with existing signatures.
//!
//! If the content of a page changes after it was signed, viewers report the signature as broken. Only more signature
//! fields may follow an approval signature (ISO 32000-2, 12.8.2), so the marks of each page become the appearance of a
//! signature field of the same size, drawn by the same code that [`crate::marks::stamp`] uses for pages. The seal is
//! then the value of all these fields and locks them. Until then they wait for it (`acro_form::waiting_for_seal`).
//!
//! The bytes of a signed file are untrusted. Intake has already had the same reader parse them in a process with
//! limited memory, time and stack.

use crate::marks::stamp::{Mark, Sheet, StampError, Where, as_appearance, stamp_onto};
use crate::marks::tagging::Meaning;
use crate::pdf::acro_form;
use crate::pdf::edit::Edits;
use crate::pdf::geometry::DisplayedBox;
use crate::pdf::shared_bytes::SharedBytes;
use crate::pdf::{Dict, Object, PdfDefect, Ref};
use crate::text::fonts::Fonts;

/// Stack size for reading a signed file, which is the same as in the process in which intake read it.
pub const STACK: usize = 64 * 1024 * 1024;
/// Margin around a box in points, because letters may extend over its edges.
const MARGIN: f64 = 4.0;

/// Draws all `marks` as appearances of new signature fields, and returns the file with its new revision, or unchanged
/// if there are no marks.
pub fn stamp(pdf: impl Into<SharedBytes>, fonts: &Fonts, marks: &[Mark]) -> Result<Vec<u8>, StampError> {
    stamp_onto(pdf.into(), fonts, marks, Where::InFields)
}

pub(super) fn add_field(sheet: &Sheet, drawing: Ref, edits: &mut Edits<'_>) -> Result<(), PdfDefect> {
    let size = sheet.geometry.displayed_size();
    let place = surrounding(
        sheet.marks.iter().map(|(place, _)| place),
        size.width_points,
        size.height_points,
    );
    as_appearance(drawing, &sheet.geometry, &place, edits)?;
    let name = acro_form::free_field_name(edits, &format!("{}{}Part", acro_form::WAITING_PREFIX, sheet.number))?;
    // Table 236: the lock of a signature field is an indirect object.
    let lock = edits.add(acro_form::lock());
    let field = edits.add(widget(sheet, &place, &name, drawing, lock));
    acro_form::add_to_page(edits, sheet.page, field)?;
    acro_form::add_to_form(edits, field)
}

fn widget(sheet: &Sheet, place: &DisplayedBox, name: &str, drawing: Ref, lock: Ref) -> Dict {
    let words: Vec<&str> = sheet.meanings.iter().map(Meaning::words).collect();
    let words = words.join("\n");
    let words = if words.trim().is_empty() { name } else { &words };
    Dict::of([
        ("Type", Object::name("Annot")),
        ("Subtype", Object::name("Widget")),
        ("FT", Object::name("Sig")),
        ("T", Object::text(name)),
        ("TU", Object::text(words)),
        ("Rect", sheet.geometry.user_rectangle(place).object()),
        ("F", acro_form::PRINTED_AND_LOCKED.into()),
        ("P", sheet.page.into()),
        ("AP", Dict::of([("N", drawing.into())]).into()),
        ("Lock", lock.into()),
    ])
}

/// Returns the box around all places, with a margin, within the page.
fn surrounding<'a>(places: impl Iterator<Item = &'a DisplayedBox>, width: f64, height: f64) -> DisplayedBox {
    let (mut left, mut top, mut right, mut bottom) = (width, height, 0.0_f64, 0.0_f64);
    for place in places {
        left = left.min(place.x - MARGIN);
        top = top.min(place.y - MARGIN);
        right = right.max(place.x + place.width + MARGIN);
        bottom = bottom.max(place.y + place.height + MARGIN);
    }
    let (left, top) = (left.max(0.0), top.max(0.0));
    DisplayedBox {
        x: left,
        y: top,
        width: right.min(width) - left,
        height: bottom.min(height) - top,
    }
}
