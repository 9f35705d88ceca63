//! A picture, signature or seal on a page of our own.

use krilla::surface::Surface;

use super::stamp::{MarkContent, MarkFault, Prepared, draw_mark, prepared};
use crate::pdf::geometry::DisplayedBox;
use crate::text::fonts::Fonts;

/// A picture in its own proportions, at its place.
pub(crate) struct PictureOnPage {
    place: DisplayedBox,
    picture: Prepared,
}

impl PictureOnPage {
    /// As large as `most` (width and height) allows, its top left corner at `corner`, in points.
    pub(crate) fn new(
        fonts: &Fonts,
        content: &MarkContent,
        (x, y): (f32, f32),
        (width, height): (f32, f32),
    ) -> Result<Self, MarkFault> {
        let room = DisplayedBox {
            x: f64::from(x),
            y: f64::from(y),
            width: f64::from(width),
            height: f64::from(height),
        };
        let picture = prepared(fonts, content, &room)?;
        let fitted = match &picture {
            Prepared::Picture(picture) => picture.fitted(&room),
            Prepared::Figure(figure) => figure.fitted(&room).0,
            _ => room,
        };
        let place = DisplayedBox {
            x: room.x,
            y: room.y,
            ..fitted
        };
        Ok(Self { place, picture })
    }

    /// The same at another place.
    pub(crate) fn at(self, x: f32, y: f32) -> Self {
        let place = DisplayedBox {
            x: f64::from(x),
            y: f64::from(y),
            ..self.place
        };
        Self { place, ..self }
    }

    #[expect(clippy::cast_possible_truncation, reason = "a length in points")]
    pub(crate) fn height(&self) -> f32 {
        self.place.height as f32
    }

    /// `None` if it has no size.
    pub(crate) fn draw(&self, fonts: &Fonts, surface: &mut Surface<'_>) -> Option<()> {
        draw_mark(fonts, surface, &self.place, &self.picture)
    }
}
