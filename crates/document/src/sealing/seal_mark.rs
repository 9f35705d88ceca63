//! The mark of a seal: a small, unobtrusive text in a corner of a page with the company that sealed the document, and
//! the time.
//!
//! On the page of the seal's own field, the mark is the appearance of its widget (ISO 32000-2, 12.7.5.5), so readers
//! show the signature when it is clicked. On other pages it is an ordinary mark, drawn by [`crate::marks::stamp`]. It
//! proves nothing, because anyone can draw one. It is in the margin, in the first corner without a field of the
//! template, and is left out if there is no such corner.

use domain::Language;
use domain::field::{Alignment, Placement};
use domain::template::PageSize;

use crate::marks::stamp::{self, Mark, MarkContent, StampError};
use crate::pdf::edit::Edits;
use crate::pdf::geometry::{DisplayedBox, PageGeometry, displayed_box, placement_of};
use crate::pdf::{Objects, Ref};
use crate::sealing::SealError;
use crate::sealing::signature_field::Look;
use crate::text::fonts::Fonts;
use crate::text::layout::TextStyle;

/// Maximum width and height in points, and distance from the edges.
const WIDTH: f64 = 216.0;
const HEIGHT: f64 = 22.0;
const MARGIN: f64 = 14.0;
/// Font size in points, if the text fits.
const LETTERS: f32 = 7.0;
/// A grey that is easy to read on white (contrast 7 : 1).
const GREY: [u8; 3] = [85, 85, 85];

/// Creates the mark for a page of `size`: two short lines in the first corner that does not overlap any of `taken`.
/// `None` if there is no such corner.
pub fn in_corner(page: u32, size: &PageSize, text: &str, language: Language, taken: &[Placement]) -> Option<Mark> {
    let width = WIDTH.min(size.width_points - 2.0 * MARGIN);
    let (right, bottom) = (size.width_points - MARGIN - width, size.height_points - MARGIN - HEIGHT);
    if width < WIDTH / 3.0 || bottom < MARGIN {
        return None;
    }
    let taken: Vec<DisplayedBox> = taken.iter().map(|placement| displayed_box(size, placement)).collect();
    let corners = [
        (right, bottom, Alignment::Right),
        (MARGIN, bottom, Alignment::Left),
        (right, MARGIN, Alignment::Right),
        (MARGIN, MARGIN, Alignment::Left),
    ];
    corners.into_iter().find_map(|(x, y, alignment)| {
        let place = DisplayedBox {
            x,
            y,
            width,
            height: HEIGHT,
        };
        let style = TextStyle {
            size: Some(LETTERS),
            alignment,
            language,
            colour: GREY,
            ..TextStyle::default()
        };
        (!taken.iter().any(|other| touch(&place, other))).then(|| Mark {
            page,
            placement: placement_of(size, &place),
            content: MarkContent::Aside {
                text: text.to_owned(),
                style,
            },
        })
    })
}

fn touch(one: &DisplayedBox, other: &DisplayedBox) -> bool {
    one.x < other.x + other.width
        && other.x < one.x + one.width
        && one.y < other.y + other.height
        && other.y < one.y + one.height
}

/// A finished mark for the seal's own field.
#[derive(Debug, Clone)]
pub struct SealMark {
    page: u32,
    place: DisplayedBox,
    drawing: Vec<u8>,
}

impl SealMark {
    /// Draws a mark for a page of `size`.
    pub fn draw(fonts: &Fonts, size: &PageSize, mark: &Mark) -> Result<Self, StampError> {
        let (place, drawing) = stamp::draw_alone(fonts, size, mark)?;
        Ok(Self {
            page: mark.page,
            place,
            drawing,
        })
    }

    /// Adds the mark to a file, and returns its page and appearance.
    pub(super) fn put(&self, pages: &[Ref], edits: &mut Edits<'_>) -> Result<(Ref, Look), SealError> {
        let page = usize::try_from(self.page)
            .ok()
            .and_then(|page| pages.get(page.checked_sub(1)?).copied())
            .ok_or(SealError::NoPage)?;
        let geometry = PageGeometry::of(edits, edits.page(page)?)
            .map_err(|fault| StampError::Geometry { page: self.page, fault })?;
        let appearance = stamp::import_alone(&self.drawing, &geometry, &self.place, edits)?;
        let look = Look {
            rectangle: geometry.user_rectangle(&self.place),
            appearance,
        };
        Ok((page, look))
    }
}
