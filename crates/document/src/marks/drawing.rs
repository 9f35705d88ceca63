//! Drawn signatures and signature stamps: outlines that depend only on a [`Drawing`].
//!
//! The function [`figure`] creates the preview that signers see while choosing (SVG), the drawing on the page, the
//! stamped paths (filled, so sharp at every size) and the picture (PNG) that programs get as the field's file, so these
//! cannot differ. The fonts are part of the program and operators cannot change them, so the same description results
//! in the same outlines ([decision 13](../../../docs/adr/0013-drawn-signatures.md)).
//!
//! If the chosen handwriting font lacks a letter, another one is used. A letter that no font contains is refused by
//! name. So is a letter with an empty outline, which some fonts have for letters that they do not really support, so
//! that no drawing is ever blank.
//!
//! A drawing is trimmed to its ink, and is as large as its box allows without distortion, like a picture. Signature
//! stamps are laid out by `seal_design`.

use std::sync::LazyLock;

use domain::drawing::{Drawing, Hand, Writing};
use domain::text::is_visible;
use domain::value::characters;
use image::{ImageFormat, Rgba, RgbaImage};
use skrifa::MetadataProvider as _;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use thiserror::Error;

use crate::marks::seal_design;
use crate::pdf::geometry::DisplayedBox;
use crate::text::fonts::{self, FontUnreadable, Fonts};
use crate::text::layout::{self, GlyphPen, PathPen, TextFault, TextStyle};

/// The colour of a typed name, which is also the colour for drawing on the page.
pub const INK: [u8; 3] = [0x14, 0x20, 0x5a];
/// The colour of signature stamps.
pub const SEAL_RED: [u8; 3] = [0xc4, 0x1e, 0x1a];
/// Longer side of a drawing's PNG image, in pixels.
const PICTURE_SIDE: f32 = 1_200.0;
/// Font size of outlines. Drawings are scaled to their boxes.
pub(super) const EM: f32 = 100.0;
/// Margin around a typed name.
const MARGIN: f32 = 4.0;
/// Minimum extent used to scale a typed name. Without it, a single stroke would fill its box.
const LEAST_EXTENT: f32 = 0.8 * EM;

/// Space between words whose letters were moved closer together.
const BLANK: f32 = 0.28 * EM;

static FONTS: LazyLock<Result<Fonts, FontUnreadable>> = LazyLock::new(Fonts::of_drawings);

/// Reasons why a drawing cannot be created.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DrawingFault {
    /// No handwriting font contains these characters.
    #[error(transparent)]
    Text(#[from] TextFault),
    /// The drawing would be empty.
    #[error("there is nothing to draw; enter a name")]
    Nothing,
    /// An embedded font is broken, so the build is.
    #[error(transparent)]
    Font(#[from] FontUnreadable),
    /// The picture could not be created.
    #[error("the drawing could not be turned into a picture: {0}")]
    Picture(String),
}

/// A point in a drawing: x to the right, y downwards.
pub(super) type Point = (f32, f32);

/// A part of an outline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Segment {
    Move(Point),
    Line(Point),
    Quad(Point, Point),
    Cubic(Point, Point, Point),
    Close,
}

impl Segment {
    /// Returns the segment with every point moved.
    pub(super) fn map(self, place: &impl Fn(Point) -> Point) -> Self {
        match self {
            Self::Move(end) => Self::Move(place(end)),
            Self::Line(end) => Self::Line(place(end)),
            Self::Quad(control, end) => Self::Quad(place(control), place(end)),
            Self::Cubic(first, second, end) => Self::Cubic(place(first), place(second), place(end)),
            Self::Close => Self::Close,
        }
    }

    /// Returns the points, including the control points of a curve.
    fn points(self) -> impl Iterator<Item = Point> {
        let [first, second, third] = match self {
            Self::Move(end) | Self::Line(end) => [Some(end), None, None],
            Self::Quad(control, end) => [Some(control), Some(end), None],
            Self::Cubic(first, second, end) => [Some(first), Some(second), Some(end)],
            Self::Close => [None; 3],
        };
        [first, second, third].into_iter().flatten()
    }
}

/// The extent of an outline: left, top, right, bottom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extent {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) right: f32,
    pub(super) bottom: f32,
}

impl Extent {
    /// Returns the extent of an outline. `None` if it is empty.
    pub(super) fn of(outline: &[Segment]) -> Option<Self> {
        outline
            .iter()
            .flat_map(|segment| segment.points())
            .fold(None, |extent: Option<Self>, (x, y)| {
                let known = extent.unwrap_or(Self {
                    left: x,
                    top: y,
                    right: x,
                    bottom: y,
                });
                Some(Self {
                    left: known.left.min(x),
                    top: known.top.min(y),
                    right: known.right.max(x),
                    bottom: known.bottom.max(y),
                })
            })
    }

    pub(super) fn width(&self) -> f32 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f32 {
        self.bottom - self.top
    }

    pub(super) fn middle(&self) -> Point {
        (
            f32::midpoint(self.left, self.right),
            f32::midpoint(self.top, self.bottom),
        )
    }
}

/// A finished drawing: one outline in one colour (filled by the non-zero rule), in its own box.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub(super) width: f32,
    pub(super) height: f32,
    pub(super) colour: [u8; 3],
    pub(super) outline: Vec<Segment>,
}

/// Creates the outlines of a drawing.
pub fn figure(drawing: &Drawing) -> Result<Figure, DrawingFault> {
    match drawing {
        Drawing::Typed { text, hand } => typed(text, *hand),
        Drawing::Seal(seal) => seal_design::figure(seal),
    }
}

/// Returns whether this handwriting font contains every letter of the text. Such fonts are offered first.
#[must_use]
pub fn has_all(hand: Hand, text: &str) -> bool {
    let Some(font) = fonts::drawing_file(family(hand)).and_then(|file| skrifa::FontRef::new(file).ok()) else {
        return false;
    };
    let (map, glyphs) = (font.charmap(), font.outline_glyphs());
    let is_drawn = |character: char| {
        let Some(glyph) = map.map(character).and_then(|id| glyphs.get(id)) else {
            return false;
        };
        let mut pen = SegmentPen::default();
        let settings = DrawSettings::unhinted(Size::new(EM), LocationRef::default());
        glyph.draw(settings, &mut pen).is_ok() && !pen.outline.is_empty()
    };
    text.chars()
        .filter(|character| !character.is_whitespace())
        .all(is_drawn)
}

fn loaded() -> Result<&'static Fonts, DrawingFault> {
    FONTS.as_ref().map_err(|error| error.clone().into())
}

fn family(hand: Hand) -> &'static str {
    match hand {
        Hand::NanumPen => fonts::NANUM_PEN,
        Hand::Gaegu => fonts::GAEGU,
        Hand::YujiSyuku => fonts::YUJI_SYUKU,
        Hand::ZenKurenaido => fonts::ZEN_KURENAIDO,
        Hand::Caveat => fonts::CAVEAT,
        Hand::DancingScript => fonts::DANCING_SCRIPT,
    }
}

fn typed(text: &str, hand: Hand) -> Result<Figure, DrawingFault> {
    let outline = match closer(hand) {
        0.0 => letters(text, family(hand))?,
        tracking => closed_up(text, family(hand), tracking)?,
    };
    let extent = Extent::of(&outline).ok_or(DrawingFault::Nothing)?;
    let width = extent.width().max(LEAST_EXTENT) + 2.0 * MARGIN;
    let height = extent.height().max(LEAST_EXTENT) + 2.0 * MARGIN;
    let (x, y) = extent.middle();
    let place = |(right, down): Point| (right - x + width / 2.0, down - y + height / 2.0);
    Ok(Figure {
        width,
        height,
        colour: INK,
        outline: outline.into_iter().map(|segment| segment.map(&place)).collect(),
    })
}

/// Returns how much closer the letters of a handwriting font are than in print.
const fn closer(hand: Hand) -> f32 {
    match hand {
        Hand::Gaegu => 0.17 * EM,
        Hand::YujiSyuku | Hand::ZenKurenaido => 0.05 * EM,
        Hand::NanumPen | Hand::Caveat | Hand::DancingScript => 0.0,
    }
}

/// Returns the outlines of a line of text whose Hangul, Han and kana letters are moved closer together. These letters
/// do not join, so each is drawn separately. Other words are drawn whole.
fn closed_up(text: &str, family: &str, tracking: f32) -> Result<Vec<Segment>, DrawingFault> {
    let mut pieces: Vec<String> = Vec::new();
    for letter in characters(text) {
        match pieces.last_mut() {
            Some(word) if Writing::of(letter) == Writing::Lines && Writing::of(word) == Writing::Lines => {
                word.push_str(letter);
            }
            _ => pieces.push(letter.to_owned()),
        }
    }
    let fonts = loaded()?;
    let mut whole = letters(text, family)?;
    whole.clear();
    let mut left = 0.0;
    for piece in pieces {
        let style = style(family);
        let lines = layout::in_column(fonts, &piece, &style, EM, None)?;
        let mut pen = SegmentPen::default();
        lines.outline(left, 0.0, &mut pen);
        whole.append(&mut pen.outline);
        left += match Writing::of(&piece) {
            Writing::Lines if piece.trim().is_empty() => BLANK,
            Writing::Lines if piece.ends_with(char::is_whitespace) => lines.width() + BLANK,
            Writing::Lines => lines.width(),
            _ => lines.width() - tracking,
        };
    }
    Ok(whole)
}

fn style(family: &str) -> TextStyle {
    TextStyle {
        font: Some(family.into()),
        ..TextStyle::default()
    }
}

/// Returns the outlines of a line of text at size [`EM`], with the top left of the line at the origin.
pub(super) fn letters(text: &str, family: &str) -> Result<Vec<Segment>, DrawingFault> {
    let fonts = loaded()?;
    let mut missing: Vec<char> = Vec::new();
    for letter in characters(text).filter(|letter| is_visible(letter)) {
        let lacking = match outlines(fonts, letter, family) {
            // Some fonts have glyphs without an outline.
            Ok(outline) if outline.is_empty() => letter.chars().collect(),
            Ok(_) => continue,
            Err(TextFault::MissingCharacters { characters }) => characters,
            Err(other) => return Err(other.into()),
        };
        for character in lacking {
            // A combining mark on a space keeps the space.
            if !character.is_whitespace() && !missing.contains(&character) {
                missing.push(character);
            }
        }
    }
    if missing.is_empty() {
        Ok(outlines(fonts, text, family)?)
    } else {
        Err(TextFault::MissingCharacters { characters: missing }.into())
    }
}

fn outlines(fonts: &Fonts, text: &str, family: &str) -> Result<Vec<Segment>, TextFault> {
    let mut pen = SegmentPen::default();
    layout::in_column(fonts, text, &style(family), EM, None)?.outline(0.0, 0.0, &mut pen);
    Ok(pen.outline)
}

/// Collects outlines, with y pointing downwards.
#[derive(Default)]
struct SegmentPen {
    outline: Vec<Segment>,
    origin: Point,
}

impl SegmentPen {
    fn at(&self, x: f32, y: f32) -> Point {
        (self.origin.0 + x, self.origin.1 - y)
    }
}

impl GlyphPen for SegmentPen {
    fn start_glyph(&mut self, x: f32, baseline: f32) {
        self.origin = (x, baseline);
    }
}

impl OutlinePen for SegmentPen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.outline.push(Segment::Move(self.at(x, y)));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.outline.push(Segment::Line(self.at(x, y)));
    }

    fn quad_to(&mut self, cx0: f32, cy0: f32, x: f32, y: f32) {
        self.outline.push(Segment::Quad(self.at(cx0, cy0), self.at(x, y)));
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        self.outline
            .push(Segment::Cubic(self.at(cx0, cy0), self.at(cx1, cy1), self.at(x, y)));
    }

    fn close(&mut self) {
        self.outline.push(Segment::Close);
    }
}

impl Figure {
    /// Returns the drawing for browsers: one path, without scripts or external references.
    #[must_use]
    pub fn svg(&self) -> String {
        let mut pen = PathPen::default();
        for segment in &self.outline {
            match *segment {
                Segment::Move((x, y)) => pen.move_to(x, -y),
                Segment::Line((x, y)) => pen.line_to(x, -y),
                Segment::Quad((cx, cy), (x, y)) => pen.quad_to(cx, -cy, x, -y),
                Segment::Cubic((ax, ay), (bx, by), (x, y)) => pen.curve_to(ax, -ay, bx, -by, x, -y),
                Segment::Close => pen.close(),
            }
        }
        let [red, green, blue] = self.colour;
        let (width, height) = (self.width, self.height);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.2}\" height=\"{height:.2}\" \
             viewBox=\"0 0 {width:.2} {height:.2}\">\
             <path fill=\"#{red:02x}{green:02x}{blue:02x}\" d=\"{}\"/></svg>",
            pen.path
        )
    }

    /// Returns the drawing as a PNG with a transparent background, 1,200 pixels on its longer side.
    pub fn png(&self) -> Result<Vec<u8>, DrawingFault> {
        let failed = |reason: String| DrawingFault::Picture(reason);
        // Black on white, so that a pixel's darkness shows how much of it is covered by ink.
        let black = Self {
            colour: [0, 0, 0],
            ..self.clone()
        };
        let page = crate::marks::stamp::figure_page(&black).map_err(|error| failed(error.to_string()))?;
        let dots_per_inch = PICTURE_SIDE / self.width.max(self.height) * 72.0;
        let mut pictures = crate::pages::render::each_page(&page, &[1], dots_per_inch, |_, picture| Ok(picture))
            .map_err(|error| failed(error.to_string()))?;
        let picture = pictures.pop().ok_or_else(|| failed("no page".to_owned()))?;
        let covered: Vec<u8> = picture.rgba.chunks_exact(4).map(|pixel| 255 - pixel[0]).collect();
        let [red, green, blue] = self.colour;
        let mut image = RgbaImage::new(picture.width, picture.height);
        for (pixel, alpha) in image.pixels_mut().zip(covered) {
            *pixel = Rgba([red, green, blue, alpha]);
        }
        let mut bytes = std::io::Cursor::new(Vec::new());
        image
            .write_to(&mut bytes, ImageFormat::Png)
            .map_err(|error| failed(error.to_string()))?;
        Ok(bytes.into_inner())
    }

    /// Returns the largest box with the drawing's proportions, centred in `place`, and the scale.
    pub(super) fn fitted(&self, place: &DisplayedBox) -> (DisplayedBox, f64) {
        let (width, height) = (f64::from(self.width), f64::from(self.height));
        let scale = (place.width / width).min(place.height / height);
        (place.centred(width * scale, height * scale), scale)
    }
}
