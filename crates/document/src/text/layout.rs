//! The layout of a text in its box, which is the same on the page in the browser and in the PDF.
//!
//! - The box has a padding of [`PADDING`] points on each side.
//! - *One line*: line breaks become spaces, and the line is vertically centred.
//! - *Several lines*: the text wraps at word boundaries (or anywhere, if a word is wider than the box), keeps its line
//!   breaks and begins at the top.
//! - *Cells*: the box is divided into equal cells side by side, and each character (a letter with its accents, an emoji
//!   with its parts) is centred in its own cell, all in the same size. A space leaves its cell empty. If the text is
//!   aligned to the right, the last character is in the last cell. Right-to-left text begins in the last cell. There is
//!   no padding, and more characters than cells are refused.
//! - If a template does not specify the layout ([`domain::Field::text_place`]), a text box with room for two lines has
//!   several lines.
//! - Without a given size, the text is as large as the box allows, at most [`LARGEST_AUTOMATIC`].
//! - A text that does not fit is made smaller, down to [`SMALLEST`] (or the given size, if that is smaller). If it
//!   still does not fit, it is refused before anyone signs.
//! - The height of a line is [`LINE_HEIGHT`] times its font size, regardless of the fonts in it.
//! - Tabs are spaces. Spaces at the end are dropped, spaces between words are kept.
//! - The first letter with a direction decides the direction of the text (UAX #9, P2), and its alignment if the field
//!   does not specify one.
//! - A character that no font contains is refused by name. Nothing is ever drawn as an empty box.
//!
//! Shaping, bidirectional ordering and line breaking are done by parley. The result is drawn into a PDF
//! ([`crate::marks::stamp`]), or returned as outlines ([`Outline`]), so that the page in the browser shows the exact
//! stamp regardless of the reader's fonts.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

pub use domain::field::measures::{LARGEST_AUTOMATIC, LINE_HEIGHT, PADDING, SMALLEST};
use domain::field::{Alignment, TextPlace, measures};
use domain::language::Language;
use domain::text::is_private_use;
use krilla::color::rgb;
use krilla::geom::Point;
use krilla::num::NormalizedF32;
use krilla::paint::Fill;
use krilla::surface::Surface;
use krilla::text::{GlyphId, KrillaGlyph};
use parley::style::{FontWeight, LineHeight, OverflowWrap, StyleProperty, TextWrapMode, WordBreak};
use parley::{AlignmentOptions, Layout};
use skrifa::MetadataProvider as _;
use skrifa::outline::{DrawSettings, OutlinePen};
use thiserror::Error;

use crate::text::fonts::{Fonts, Ink};

/// Tolerance for rounding in parley and in the boxes. A line that is wider by less than this still fits.
const SLACK: f32 = 0.01;

/// Reasons why a text cannot be drawn in its box.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TextFault {
    /// No font contains these characters.
    #[error("no font has {}; remove them from the text, or add a font that has them", quoted(.characters))]
    MissingCharacters {
        /// The characters, each once, in order.
        characters: Vec<char>,
    },
    /// The text does not fit even at the smallest size.
    #[error("the text is too long for its box, even at the smallest font size; shorten it or enlarge the box")]
    DoesNotFit,
}

fn quoted(characters: &[char]) -> String {
    let names: Vec<String> = characters
        .iter()
        .map(|c| format!("{c:?} (U+{:04X})", u32::from(*c)))
        .collect();
    names.join(", ")
}

/// The style of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct TextStyle {
    /// Layout of the text in its box. `None` means several lines if the box has room for two.
    pub place: Option<TextPlace>,
    /// The family that is tried first.
    pub font: Option<Arc<str>>,
    /// Font size in points. `None` fits the text to the box.
    pub size: Option<f32>,
    /// Edge of the box to which the text is aligned.
    pub alignment: Alignment,
    /// Selects the shapes of Han characters.
    pub language: Language,
    pub bold: bool,
    /// Red, green, blue.
    pub colour: [u8; 3],
}

impl Default for TextStyle {
    fn default() -> Self {
        Self {
            place: None,
            font: None,
            size: None,
            alignment: Alignment::Left,
            language: Language::Ko,
            bold: false,
            colour: [0, 0, 0],
        }
    }
}

/// A text that has been shaped and broken into lines.
pub struct Lines {
    text: String,
    layout: Layout<Ink>,
    /// The chosen font size.
    pub(crate) size: f32,
    /// Distance from the top of the box or column to the top of the first line.
    top: f32,
    /// The lines to draw, which are all unless the text was split.
    shown: Range<usize>,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Lines")
            .field("text", &self.text)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

/// A text laid out for its box.
#[derive(Debug)]
pub(crate) struct BoxText {
    /// The parts, with the distance of each column from the box's left edge.
    parts: Vec<(f32, Lines)>,
    colour: Ink,
}

/// Lays `text` out in a box of `width` by `height` points, by the rules above.
pub(crate) fn in_box(
    fonts: &Fonts,
    text: &str,
    style: &TextStyle,
    width: f32,
    height: f32,
) -> Result<BoxText, TextFault> {
    let size = style.size.unwrap_or_else(|| measures::automatic_size(height));
    let place = style.place.unwrap_or(if measures::takes_two_lines(height, size) {
        TextPlace::ManyLines
    } else {
        TextPlace::OneLine
    });
    let text = cleaned(text, place == TextPlace::ManyLines);
    refuse_missing(fonts, &text, style)?;
    let parts = match place {
        _ if text.is_empty() => Vec::new(),
        TextPlace::OneLine => vec![(PADDING, on_one_line(fonts, text, style, size, (width, height))?)],
        TextPlace::ManyLines => vec![(PADDING, on_many_lines(fonts, &text, style, size, (width, height))?)],
        TextPlace::Cells(cells) => in_cells(fonts, &text, style, size, (width, height), cells)?,
    };
    Ok(BoxText {
        parts,
        colour: style.colour,
    })
}

/// Like [`in_box`], but a text that does not fit is set at the smallest size, and the caller clips it to the box, as
/// viewers do with the value of a form.
pub(crate) fn cut_to_box(
    fonts: &Fonts,
    text: &str,
    style: &TextStyle,
    width: f32,
    height: f32,
) -> Result<BoxText, TextFault> {
    let fitted = in_box(fonts, text, style, width, height);
    if fitted.as_ref().err() != Some(&TextFault::DoesNotFit) {
        return fitted;
    }
    let size = style.size.unwrap_or(SMALLEST).min(SMALLEST);
    let many = style.place == Some(TextPlace::ManyLines);
    let inner_width = (width - 2.0 * PADDING).max(1.0);
    let mut lines = set(fonts, cleaned(text, many), style, size, many.then_some(inner_width));
    lines.top = if many {
        PADDING
    } else {
        (height - lines.layout.height()) / 2.0
    };
    let left = if !many && lines.layout.is_rtl() {
        width - PADDING - lines.width()
    } else {
        PADDING
    };
    Ok(BoxText {
        parts: vec![(left, lines)],
        colour: style.colour,
    })
}

type Extent = (f32, f32);

/// A single line may use the full height of its box, but not its full width. Its width is proportional to its size, so
/// the second try fits. Hinting has no effect in a PDF.
fn on_one_line(
    fonts: &Fonts,
    text: String,
    style: &TextStyle,
    size: f32,
    (width, height): Extent,
) -> Result<Lines, TextFault> {
    let inner_width = width - 2.0 * PADDING;
    let fitting_height = (height / LINE_HEIGHT).max(1.0);
    let floor = SMALLEST.min(size).min(fitting_height);
    let mut size = size.min(fitting_height);
    let mut lines = set(fonts, text, style, size, None);
    let natural = lines.width();
    let too_wide = natural > inner_width;
    if too_wide {
        // Round down to tenths.
        size = (size * inner_width / natural * 10.0).floor() / 10.0;
    }
    if size < floor || inner_width <= 0.0 {
        return Err(TextFault::DoesNotFit);
    }
    if too_wide {
        lines = set(fonts, lines.text, style, size, None);
    }
    lines.align(style.alignment, inner_width);
    lines.top = (height - lines.layout.height()) / 2.0;
    Ok(lines)
}

fn on_many_lines(
    fonts: &Fonts,
    text: &str,
    style: &TextStyle,
    size: f32,
    (width, height): Extent,
) -> Result<Lines, TextFault> {
    let (inner_width, inner_height) = (width - 2.0 * PADDING, height - 2.0 * PADDING);
    if inner_width <= 0.0 {
        return Err(TextFault::DoesNotFit);
    }
    largest_fitting(size, SMALLEST.min(size), |size| {
        let mut lines = set(fonts, text.to_owned(), style, size, Some(inner_width));
        lines.top = PADDING;
        let fits = lines.layout.height() <= inner_height + SLACK && lines.width() <= inner_width + SLACK;
        fits.then_some(lines)
    })
    .ok_or(TextFault::DoesNotFit)
}

#[expect(clippy::cast_precision_loss, reason = "at most a few hundred cells")]
fn in_cells(
    fonts: &Fonts,
    text: &str,
    style: &TextStyle,
    size: f32,
    (width, height): Extent,
    cells: u32,
) -> Result<Vec<(f32, Lines)>, TextFault> {
    let characters: Vec<&str> = domain::value::characters(text).collect();
    let cells = cells as usize;
    let Some(free) = cells.checked_sub(characters.len()) else {
        return Err(TextFault::DoesNotFit);
    };
    let cell = width / cells as f32;
    let fitting_height = (height / LINE_HEIGHT).max(1.0);
    let floor = SMALLEST.min(size).min(fitting_height);
    let mut size = size.min(fitting_height);
    let each = |size| -> Vec<Lines> {
        let one = |character: &&str| set(fonts, (*character).to_owned(), style, size, None);
        characters.iter().map(one).collect()
    };
    let widest = each(size).iter().map(Lines::width).fold(0.0, f32::max);
    if widest > cell {
        size = (size * cell / widest * 10.0).floor() / 10.0;
    }
    if size < floor {
        return Err(TextFault::DoesNotFit);
    }
    let runs_left = set(fonts, text.to_owned(), style, size, None).layout.is_rtl();
    let before = match (style.alignment, runs_left) {
        (Alignment::Left, _) | (Alignment::Start, false) => 0,
        (Alignment::Right, _) | (Alignment::Start, true) => free,
        (Alignment::Center, _) => free / 2,
    };
    let last = characters.len().saturating_sub(1);
    let parts = each(size).into_iter().enumerate().map(|(index, mut lines)| {
        let place = before + if runs_left { last - index } else { index };
        lines.top = (height - lines.layout.height()) / 2.0;
        let left = place as f32 * cell + (cell - lines.width()) / 2.0;
        (left, lines)
    });
    Ok(parts.collect())
}

/// Returns the result for the largest of `size`, `size` − 0.5, … `floor` that has one. Laying out a long untrusted text
/// is expensive, so this is a binary search.
fn largest_fitting<T>(size: f32, floor: f32, mut try_size: impl FnMut(f32) -> Option<T>) -> Option<T> {
    const STEP: f32 = 0.5;
    if let Some(found) = try_size(size) {
        return Some(found);
    }
    if size <= floor {
        return None;
    }
    let mut best = try_size(floor)?;
    let (mut too_large, mut fitting) = (size, floor);
    // Only whole steps below `size` remain between them.
    loop {
        let steps = ((too_large - fitting) / STEP).ceil() - 1.0;
        if steps < 1.0 {
            return Some(best);
        }
        let middle = too_large - f32::midpoint(steps, 1.0).floor() * STEP;
        match try_size(middle) {
            Some(found) => {
                best = found;
                fitting = middle;
            }
            None => too_large = middle,
        }
    }
}

/// Lays `text` out in a column of `width` points and unlimited height. Without a width, sets it on one line. Does not
/// shrink the text or add padding.
pub fn in_column(
    fonts: &Fonts,
    text: &str,
    style: &TextStyle,
    size: f32,
    width: Option<f32>,
) -> Result<Lines, TextFault> {
    let text = cleaned(text, width.is_some());
    refuse_missing(fonts, &text, style)?;
    Ok(set(fonts, text, style, size, width))
}

fn refuse_missing(fonts: &Fonts, text: &str, style: &TextStyle) -> Result<(), TextFault> {
    let characters = missing_in(fonts, text, style);
    if characters.is_empty() {
        Ok(())
    } else {
        Err(TextFault::MissingCharacters { characters })
    }
}

fn cleaned(text: &str, many_lines: bool) -> String {
    let text = text
        .replace("\r\n", "\n")
        .replace(['\r', '\u{2028}', '\u{2029}', '\u{85}'], "\n")
        .replace('\t', " ");
    let text = text.trim_end();
    if many_lines {
        text.to_owned()
    } else {
        text.replace('\n', " ")
    }
}

fn set(fonts: &Fonts, text: String, style: &TextStyle, size: f32, width: Option<f32>) -> Lines {
    let mut layout = fonts.with_contexts(|contexts| {
        let mut builder = contexts.layout.ranged_builder(&mut contexts.fonts, &text, 1.0, false);
        builder.push_default(StyleProperty::Brush(style.colour));
        builder.push_default(StyleProperty::FontFamily(
            fonts.families(style.language, style.font.as_deref()),
        ));
        builder.push_default(StyleProperty::FontSize(size));
        builder.push_default(StyleProperty::LineHeight(LineHeight::FontSizeRelative(LINE_HEIGHT)));
        if style.bold {
            builder.push_default(StyleProperty::FontWeight(FontWeight::BOLD));
        }
        builder.push_default(StyleProperty::Locale(
            parley::fontique::Language::parse(style.language.locale()).ok(),
        ));
        // Korean text breaks at spaces, as readers expect. Hashes and addresses break anywhere.
        let korean = style.language == Language::Ko;
        builder.push_default(StyleProperty::WordBreak(if korean {
            WordBreak::KeepAll
        } else {
            WordBreak::Normal
        }));
        builder.push_default(StyleProperty::OverflowWrap(OverflowWrap::Anywhere));
        if width.is_none() {
            builder.push_default(StyleProperty::TextWrapMode(TextWrapMode::NoWrap));
        }
        builder.build(&text)
    });
    layout.break_all_lines(width);
    let shown = 0..layout.len();
    let mut lines = Lines {
        text,
        layout,
        size,
        top: 0.0,
        shown,
    };
    if width.is_some() {
        lines
            .layout
            .align(parley_alignment(style.alignment), AlignmentOptions::default());
    }
    lines
}

fn parley_alignment(alignment: Alignment) -> parley::Alignment {
    match alignment {
        Alignment::Start => parley::Alignment::Start,
        Alignment::Left => parley::Alignment::Left,
        Alignment::Center => parley::Alignment::Center,
        Alignment::Right => parley::Alignment::Right,
    }
}

/// Returns the characters of `text` for which layout finds no glyph (`.notdef`, glyph 0).
pub(super) fn missing_characters(fonts: &Fonts, text: &str) -> Vec<char> {
    missing_in(fonts, text, &TextStyle::default())
}

fn missing_in(fonts: &Fonts, text: &str, style: &TextStyle) -> Vec<char> {
    let text = cleaned(text, true);
    if text
        .chars()
        .all(|character| character == '\n' || fonts.stands_alone(character))
    {
        return Vec::new();
    }
    missing_when_laid_out(fonts, text, style)
}

pub(super) fn missing_when_laid_out(fonts: &Fonts, text: String, style: &TextStyle) -> Vec<char> {
    let mut missing: Vec<char> = Vec::new();
    let mut note = |character: char| {
        if !missing.contains(&character) {
            missing.push(character);
        }
    };
    // Shapers make control characters invisible, but in these texts they are an error of the sender. The meaning of
    // private-use characters depends on the font they were written for.
    let control = |character: char| (character.is_control() && character != '\n') || is_private_use(character);
    let lines = set(fonts, text, style, LARGEST_AUTOMATIC, None);
    for line in lines.layout.lines() {
        for run in line.runs() {
            for cluster in run.clusters() {
                let part = lines.text.get(cluster.text_range()).unwrap_or_default();
                let absent = cluster.glyphs().any(|glyph| glyph.id == 0);
                part.chars()
                    .filter(|character| control(*character) || (absent && *character != '\n'))
                    .for_each(&mut note);
            }
        }
    }
    missing
}

impl Lines {
    /// Returns the width of the longest line without trailing spaces.
    pub(crate) fn width(&self) -> f32 {
        self.layout.width()
    }

    /// Returns the height of the lines.
    pub fn height(&self) -> f32 {
        if self.text.is_empty() {
            0.0
        } else {
            self.line_top(self.shown.end) - self.line_top(self.shown.start)
        }
    }

    /// Returns the distance from the top of the first line to the top of `line`.
    fn line_top(&self, line: usize) -> f32 {
        self.layout
            .get(line)
            .map_or(self.layout.height(), |line| line.metrics().block_min_coord)
    }

    /// Splits the text between lines into parts. The first part is at most `first` high, and empty if not even one line
    /// fits. The others are at most `other` high, but have at least one line.
    pub(crate) fn cut(self, first: f32, other: f32) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut start = self.shown.start;
        let mut room = first;
        while start < self.shown.end {
            let mut end = start;
            while end < self.shown.end && self.line_top(end + 1) - self.line_top(start) <= room + SLACK {
                end += 1;
            }
            if end == start && room >= other {
                end += 1;
            }
            parts.push(start..end);
            start = end;
            room = other;
        }
        parts
            .into_iter()
            .map(|shown| Self {
                text: self.text.clone(),
                layout: self.layout.clone(),
                size: self.size,
                top: self.top,
                shown,
            })
            .collect()
    }

    /// Returns the number of lines.
    pub(crate) fn count(&self) -> usize {
        self.layout.len()
    }

    fn align(&mut self, alignment: Alignment, width: f32) {
        self.layout.break_all_lines(Some(width));
        self.layout
            .align(parley_alignment(alignment), AlignmentOptions::default());
    }

    /// Passes the outlines of all glyphs to `pen`, with the top left corner of the column at `x`, `y`.
    pub(crate) fn outline(&self, x: f32, y: f32, pen: &mut impl GlyphPen) {
        for line in self.shown.clone().filter_map(|line| self.layout.get(line)) {
            let baseline = y + line.metrics().baseline - self.line_top(self.shown.start);
            let mut at = x + line.metrics().offset;
            for run in line.runs() {
                let font = run.font();
                let outlines = skrifa::FontRef::from_index(font.data.data(), font.index)
                    .ok()
                    .map(|font| font.outline_glyphs());
                let size = skrifa::instance::Size::new(run.font_size());
                let clusters = run
                    .visual_clusters()
                    .filter(|cluster| !cluster.is_ligature_continuation());
                for glyph in clusters.flat_map(|cluster| cluster.glyphs().collect::<Vec<_>>()) {
                    let outline = outlines
                        .as_ref()
                        .and_then(|outlines| outlines.get(skrifa::GlyphId::new(glyph.id)));
                    if let Some(outline) = outline {
                        pen.start_glyph(at + glyph.x, baseline - glyph.y);
                        // A glyph that has no outline here has none in the PDF either.
                        let settings = DrawSettings::unhinted(size, skrifa::instance::LocationRef::default());
                        let _ = outline.draw(settings, pen);
                    }
                    at += glyph.advance;
                }
            }
        }
    }

    /// Draws with the top left corner of the column at `x`, `y`.
    pub(crate) fn draw(&self, fonts: &Fonts, surface: &mut Surface<'_>, x: f32, y: f32) {
        let y = y - self.line_top(self.shown.start);
        for line in self.shown.clone().filter_map(|line| self.layout.get(line)) {
            let baseline = y + line.metrics().baseline;
            let mut pen = x + line.metrics().offset;
            for run in line.runs() {
                let size = run.font_size();
                let start = pen;
                let mut ink: Ink = [0, 0, 0];
                let mut glyphs: Vec<KrillaGlyph> = Vec::new();
                // The parts of a ligature whose glyph follows, because in right-to-left text it is last.
                let mut before: Option<Range<usize>> = None;
                // The glyphs of the last cluster, which together represent the same text.
                let mut last = 0;
                for cluster in run.visual_clusters() {
                    let mut range = cluster.text_range();
                    if cluster.is_ligature_continuation() {
                        // A ligature's glyphs represent the text of all its parts.
                        if run.is_rtl() {
                            before = Some(before.map_or(range.clone(), |before| joined(&before, &range)));
                        }
                        for glyph in glyphs.iter_mut().skip(last).filter(|_| !run.is_rtl()) {
                            glyph.text_range = joined(&glyph.text_range, &range);
                        }
                        continue;
                    }
                    if let Some(before) = before.take() {
                        range = joined(&before, &range);
                    }
                    ink = cluster.style().brush;
                    last = glyphs.len();
                    for glyph in cluster.glyphs() {
                        glyphs.push(KrillaGlyph::new(
                            GlyphId::new(glyph.id),
                            glyph.advance / size,
                            glyph.x / size,
                            glyph.y / size,
                            0.0,
                            range.clone(),
                            None,
                        ));
                        pen += glyph.advance;
                    }
                }
                let Some(face) = fonts.face(run.font()) else {
                    continue;
                };
                if glyphs.is_empty() {
                    continue;
                }
                let [red, green, blue] = ink;
                surface.set_fill(Some(Fill {
                    paint: rgb::Color::new(red, green, blue).into(),
                    opacity: NormalizedF32::ONE,
                    rule: krilla::paint::FillRule::default(),
                }));
                surface.draw_glyphs(
                    Point::from_xy(start, baseline),
                    &glyphs,
                    face.clone(),
                    &self.text,
                    size,
                    false,
                );
            }
        }
    }
}

fn joined(one: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    one.start.min(other.start)..one.end.max(other.end)
}

impl BoxText {
    /// Draws the text in the box with the top left corner `x`, `y`.
    pub(crate) fn draw(&self, fonts: &Fonts, surface: &mut Surface<'_>, x: f32, y: f32) {
        for (left, lines) in &self.parts {
            lines.draw(fonts, surface, x + left, y + lines.top);
        }
    }

    /// Returns the path that [`Self::draw`] draws.
    pub(crate) fn outline(&self) -> Outline {
        let mut pen = PathPen::default();
        for (left, lines) in &self.parts {
            lines.outline(*left, lines.top, &mut pen);
        }
        Outline {
            path: pen.path,
            colour: self.colour,
        }
    }
}

/// The filled outlines of a text in its box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// SVG path data (non-zero winding), in points from the top left of the box, with y pointing downwards.
    pub path: String,
    /// Red, green, blue.
    pub colour: [u8; 3],
}

/// Receives the outlines of glyphs one by one.
pub(crate) trait GlyphPen: OutlinePen {
    /// Sets the origin of the next outline, whose own y points upwards.
    fn start_glyph(&mut self, x: f32, baseline: f32);
}

impl GlyphPen for PathPen {
    fn start_glyph(&mut self, x: f32, baseline: f32) {
        self.origin = (x, baseline);
    }
}

/// Writes outlines as relative path commands in hundredths of a point. Each command starts at the rounded end of the
/// previous one, so that rounding errors do not add up.
#[derive(Default)]
pub(crate) struct PathPen {
    pub(crate) path: String,
    origin: (f32, f32),
    /// Current position in hundredths of a point.
    at: (i32, i32),
    start: (i32, i32),
}

impl PathPen {
    #[expect(clippy::cast_possible_truncation, reason = "hundredths of a point on a page")]
    fn hundredths(&self, x: f32, y: f32) -> (i32, i32) {
        let place = |length: f32| (length * 100.0).round() as i32;
        (place(self.origin.0 + x), place(self.origin.1 - y))
    }

    fn command(&mut self, letter: char, points: &[(f32, f32)]) {
        self.path.push(letter);
        let from = self.at;
        for (index, (x, y)) in points.iter().enumerate() {
            let to = self.hundredths(*x, *y);
            self.number(to.0 - from.0, index == 0);
            self.number(to.1 - from.1, false);
            self.at = to;
        }
        if letter == 'm' {
            self.start = self.at;
        }
    }

    /// Writes a number without insignificant zeros, and without a space before a sign.
    fn number(&mut self, hundredths: i32, first: bool) {
        if !first && hundredths >= 0 {
            self.path.push(' ');
        }
        if hundredths < 0 {
            self.path.push('-');
        }
        let (whole, part) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
        // Writing to a string cannot fail.
        let _ = match (whole, part) {
            (whole, 0) => write!(self.path, "{whole}"),
            (0, part) if part % 10 == 0 => write!(self.path, ".{}", part / 10),
            (0, part) => write!(self.path, ".{part:02}"),
            (whole, part) if part % 10 == 0 => write!(self.path, "{whole}.{}", part / 10),
            (whole, part) => write!(self.path, "{whole}.{part:02}"),
        };
    }
}

impl OutlinePen for PathPen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.command('m', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.command('l', &[(x, y)]);
    }

    fn quad_to(&mut self, cx0: f32, cy0: f32, x: f32, y: f32) {
        self.command('q', &[(cx0, cy0), (x, y)]);
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        self.command('c', &[(cx0, cy0), (cx1, cy1), (x, y)]);
    }

    fn close(&mut self) {
        self.path.push('z');
        self.at = self.start;
    }
}

#[cfg(test)]
mod tests;
