//! Draws values on the pages of a file that others have signed.
//!
//! Whoever changes the content of a page after it was signed makes viewers call the signature
//! broken. What may follow an approval signature are further signature fields (ISO 32000-2, 12.8.2),
//! so the marks of each page become the appearance of a signature field of its own, drawn by the same
//! hand as [`crate::marks::stamp`] draws them into pages, as large as the marks are. The seal that follows is the
//! value of all these fields, and locks them; until then they wait for it (`form::waiting_for_seal`).
//!
//! The bytes of a signed file are a stranger's. Intake has had them parsed by the same reader, in a
//! process with limited memory, time and stack, before they come here.

use lopdf::{Dictionary, Document, ObjectId, dictionary, text_string};

use crate::marks::stamp::{Mark, Sheet, StampError, as_appearance, reals, stamp_onto};
use crate::pdf::form;
use crate::pdf::geometry::{DisplayedBox, PageGeometry};
use crate::pdf::revision::{RevisionError, RevisionWriter};
use crate::text::fonts::Fonts;

/// The stack on which a signed file is read: as large as that of the process in which intake read it.
pub const STACK: usize = 64 * 1024 * 1024;
/// Letters may reach over the edges of their box; so many points are left around it.
const MARGIN: f64 = 4.0;
/// `Print` and `Locked` (12.5.3).
const WIDGET_FLAGS: i64 = 4 | 128;

/// Draws all `marks` as appearances of new signature fields, and returns the file with its new
/// revision; without marks, as it was.
pub fn stamp(pdf: &[u8], fonts: &Fonts, marks: &[Mark]) -> Result<Vec<u8>, StampError> {
    stamp_onto(pdf, fonts, marks, |document, sheet, drawing, revision| {
        add_field(document, sheet, drawing, revision).map_err(StampError::from)
    })
}

fn add_field(
    document: &Document,
    sheet: &Sheet,
    drawing: ObjectId,
    revision: &mut RevisionWriter<'_>,
) -> Result<(), RevisionError> {
    let size = sheet.geometry.displayed_size();
    let place = surrounding(
        sheet.marks.iter().map(|(place, _)| place),
        size.width_points,
        size.height_points,
    );
    as_appearance(drawing, &sheet.geometry, &place, revision)?;
    let name = form::free_field_name(document, &format!("{}{}Part", form::WAITING_PREFIX, sheet.number));
    // Table 236: the lock of a signature field is an indirect object.
    let lock = revision.add(dictionary! { "Type" => "SigFieldLock", "Action" => "All" });
    let field = revision.add(widget(sheet.page, &sheet.geometry, &place, &name, drawing, lock));
    form::add_to_page(revision, sheet.page, field)?;
    form::add_to_form(revision, field)
}

fn widget(
    page: ObjectId,
    geometry: &PageGeometry,
    place: &DisplayedBox,
    name: &str,
    drawing: ObjectId,
    lock: ObjectId,
) -> Dictionary {
    let corners = geometry.user_rectangle(place);
    dictionary! {
        "Type" => "Annot",
        "Subtype" => "Widget",
        "FT" => "Sig",
        "T" => text_string(name),
        "Rect" => reals([corners.left, corners.bottom, corners.right, corners.top]),
        "F" => WIDGET_FLAGS,
        "P" => page,
        "AP" => dictionary! { "N" => drawing },
        "Lock" => lock,
    }
}

/// The box around all of them, with a margin, within the page.
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
