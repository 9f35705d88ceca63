//! A word across every page, through which the page stays readable: what says that a document is a test.

use domain::Language;
use domain::field::{Alignment, Placement, TextPlace};
use domain::template::PageSize;

use super::stamp::{self, Mark, MarkContent, StampError};
use crate::pdf::geometry::PageGeometry;
use crate::pdf::shared_bytes::SharedBytes;
use crate::pdf::{File, Objects};
use crate::text::fonts::Fonts;
use crate::text::layout::TextStyle;

/// The height of its letters, as a share of the page's shorter side.
const LETTERS: f64 = 0.22;
const RED: [u8; 3] = [190, 20, 20];

/// The word across the middle of a page.
#[allow(clippy::cast_possible_truncation)] // a length in points
pub fn on_page(page: u32, size: &PageSize, word: &str, language: Language) -> Mark {
    let shorter = size.width_points.min(size.height_points);
    let style = TextStyle {
        place: Some(TextPlace::OneLine),
        size: Some((shorter * LETTERS) as f32),
        alignment: Alignment::Center,
        language,
        bold: true,
        colour: RED,
        ..TextStyle::default()
    };
    Mark {
        page,
        placement: Placement {
            x: 0,
            y: 0,
            width: Placement::WHOLE,
            height: Placement::WHOLE,
        },
        content: MarkContent::Watermark {
            text: word.to_owned(),
            style,
        },
    }
}

/// Draws the word across every page of a file.
pub fn stamp(pdf: Vec<u8>, fonts: &Fonts, word: &str, language: Language) -> Result<Vec<u8>, StampError> {
    let pdf = SharedBytes::from(pdf);
    let file = File::open(pdf.clone(), None)?;
    let objects = file.latest();
    let mut marks = Vec::new();
    for (number, page) in (1..).zip(objects.pages()?) {
        let geometry = PageGeometry::of(&objects, objects.page(page)?)
            .map_err(|fault| StampError::Geometry { page: number, fault })?;
        marks.push(on_page(number, &geometry.displayed_size(), word, language));
    }
    stamp::stamp(pdf, fonts, &marks)
}
