//! Content of our own pages: texts, lines, boxes and QR codes with positions in points from the top left of the page.

use krilla::color::rgb;
use krilla::geom::{PathBuilder, Rect};
use krilla::num::NormalizedF32;
use krilla::paint::{Fill, FillRule, Stroke};
use krilla::surface::Surface;

use crate::text::fonts::Fonts;
use crate::text::layout::Lines;

/// Width of an A4 page in points.
pub const A4_WIDTH: f32 = 595.28;
/// Height of an A4 page in points.
pub const A4_HEIGHT: f32 = 841.89;

const RULE: [u8; 3] = [208, 212, 220];

/// A positioned item on a page.
pub enum Item {
    /// Lines of text.
    Text {
        lines: Box<Lines>,
        /// Distance from the left of the page.
        x: f32,
        /// Distance from the top of the page.
        y: f32,
    },
    /// A box of one colour.
    Box {
        /// Distance from the left of the page.
        x: f32,
        /// Distance from the top of the page.
        y: f32,
        width: f32,
        height: f32,
        /// Red, green and blue.
        colour: [u8; 3],
    },
    /// A thin horizontal line.
    Rule {
        /// Distance from the left of the page.
        x: f32,
        /// Distance from the top of the page.
        y: f32,
        width: f32,
    },
    /// A QR code.
    Qr {
        code: Box<qrcodegen::QrCode>,
        /// Distance from the left of the page.
        x: f32,
        /// Distance from the top of the page.
        y: f32,
        /// Width and height.
        side: f32,
    },
}

impl Item {
    /// Places lines with the top left corner of their column at `x`, `y`.
    pub fn text(lines: Lines, x: f32, y: f32) -> Self {
        Self::Text {
            lines: Box::new(lines),
            x,
            y,
        }
    }

    pub fn draw(&self, fonts: &Fonts, surface: &mut Surface<'_>) {
        match self {
            Self::Text { lines, x, y } => lines.draw(fonts, surface, *x, *y),
            Self::Box {
                x,
                y,
                width,
                height,
                colour,
            } => {
                fill_rectangles(surface, *colour, [Rect::from_xywh(*x, *y, *width, *height)]);
            }
            Self::Rule { x, y, width } => {
                let mut path = PathBuilder::new();
                path.move_to(*x, *y);
                path.line_to(x + width, *y);
                if let Some(path) = path.finish() {
                    surface.set_fill(None);
                    surface.set_stroke(Some(Stroke {
                        width: 0.5,
                        paint: colour(RULE).into(),
                        ..Stroke::default()
                    }));
                    surface.draw_path(&path);
                    surface.set_stroke(None);
                }
            }
            Self::Qr { code, x, y, side } => draw_qr(surface, code, *x, *y, *side),
        }
    }
}

fn colour([red, green, blue]: [u8; 3]) -> rgb::Color {
    rgb::Color::new(red, green, blue)
}

fn fill_rectangles(surface: &mut Surface<'_>, ink: [u8; 3], rectangles: impl IntoIterator<Item = Option<Rect>>) {
    let mut path = PathBuilder::new();
    rectangles
        .into_iter()
        .flatten()
        .for_each(|rectangle| path.push_rect(rectangle));
    if let Some(path) = path.finish() {
        surface.set_stroke(None);
        surface.set_fill(Some(Fill {
            paint: colour(ink).into(),
            opacity: NormalizedF32::ONE,
            rule: FillRule::default(),
        }));
        surface.draw_path(&path);
    }
}

fn draw_qr(surface: &mut Surface<'_>, code: &qrcodegen::QrCode, x: f32, y: f32, side: f32) {
    let modules = code.size();
    #[expect(clippy::cast_precision_loss, reason = "a QR code has at most 177 modules a side")]
    let at = |module: i32| side / modules as f32 * module as f32;
    // Joins dark modules into runs, so that no hairline shows between them.
    let mut runs = Vec::new();
    for row in 0..modules {
        let mut column = 0;
        while column < modules {
            let start = column;
            while column < modules && code.get_module(column, row) {
                column += 1;
            }
            if column > start {
                runs.push(Rect::from_xywh(x + at(start), y + at(row), at(column - start), at(1)));
            }
            column += 1;
        }
    }
    fill_rectangles(surface, [0, 0, 0], runs);
}
