//! How a text stands in its box: one rule for the page in the browser and for the PDF.
//!
//! - The box has a padding of [`PADDING`] points on each side.
//! - A box in which two lines of the chosen size fit is *many lines*: the text wraps at word
//!   boundaries (anywhere, where a word is wider than the box), keeps its line breaks and begins
//!   at the top. Any other box is *one line*: line breaks become spaces and the line stands in
//!   the middle of the box's height.
//! - Without a given size the letters are as large as the box allows, at most [`LARGEST_AUTOMATIC`].
//! - A text that does not fit is set smaller, down to [`SMALLEST`] (or to the given size, where
//!   that is smaller); one that still does not fit is refused, before anybody signs.
//! - A line is [`LINE_HEIGHT`] times its size high, whatever fonts it mixes.
//! - Tabs are spaces, trailing blanks are dropped, blanks between words are kept.
//! - A character that no font has is refused by name; nothing is ever drawn as an empty box.
//!
//! Shaping, order of writing and line breaking are parley's.

use std::ops::Range;

use domain::field::Alignment;
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
use thiserror::Error;

use crate::fonts::{Fonts, Ink};

/// Between a box's edge and its text, in points.
pub const PADDING: f32 = 2.0;
/// Height of a line as a multiple of its size of letters.
pub const LINE_HEIGHT: f32 = 1.25;
/// Size of letters, in points, below which nothing is shrunk.
pub const SMALLEST: f32 = 6.0;
/// Size of letters, in points, where neither the field nor its box asks for less.
pub const LARGEST_AUTOMATIC: f32 = 12.0;

/// Rounding of parley and of the boxes; a line that is wider by less is not too wide.
const SLACK: f32 = 0.01;

/// Why a text cannot be drawn in its box.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TextFault {
    /// No font has these characters.
    #[error("no font has {}; write the text without, or add a font that has them", quoted(.characters))]
    MissingCharacters {
        /// Each once, in order.
        characters: Vec<char>,
    },
    /// The text does not fit even in the smallest letters.
    #[error("the text is too long for its box even in the smallest letters; shorten it or enlarge the box")]
    DoesNotFit,
}

fn quoted(characters: &[char]) -> String {
    let names: Vec<String> = characters
        .iter()
        .map(|c| format!("{c:?} (U+{:04X})", u32::from(*c)))
        .collect();
    names.join(", ")
}

/// How a text is to look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextStyle {
    /// Size of letters in points; `None`: as the box allows.
    pub size: Option<f32>,
    /// At which edge of the box.
    pub alignment: Alignment,
    /// Which shapes of Han characters are preferred.
    pub language: Language,
    /// Bold letters.
    pub bold: bool,
    /// Red, green, blue.
    pub colour: [u8; 3],
}

impl Default for TextStyle {
    fn default() -> Self {
        Self {
            size: None,
            alignment: Alignment::Left,
            language: Language::Ko,
            bold: false,
            colour: [0, 0, 0],
        }
    }
}

/// A text that has been shaped and broken into lines, ready to draw.
pub(crate) struct Lines {
    text: String,
    layout: Layout<Ink>,
    /// Size of letters that was chosen.
    pub(crate) size: f32,
    /// From the top of the box (in a box) or of the column to the top of the first line.
    top: f32,
    /// The lines that are drawn; all of them, unless the text was cut.
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

/// Lays `text` out for a box of `width` by `height` points, by the rule above.
pub(crate) fn in_box(
    fonts: &Fonts,
    text: &str,
    style: &TextStyle,
    width: f32,
    height: f32,
) -> Result<Lines, TextFault> {
    let inner_width = width - 2.0 * PADDING;
    let inner_height = height - 2.0 * PADDING;
    let fitting_height = (height / LINE_HEIGHT).max(1.0);
    let size = style.size.unwrap_or_else(|| LARGEST_AUTOMATIC.min(fitting_height));
    let many_lines = inner_height >= 2.0 * LINE_HEIGHT * size;
    let text = cleaned(text, many_lines);
    refuse_missing(fonts, &text)?;
    if text.is_empty() {
        return Ok(set(fonts, text, style, size, None));
    }
    let floor = SMALLEST.min(size);
    if many_lines {
        return largest_fitting(size, floor, |size| {
            let mut lines = set(fonts, text.clone(), style, size, Some(inner_width));
            lines.top = PADDING;
            let fits = lines.layout.height() <= inner_height + SLACK && lines.width() <= inner_width + SLACK;
            fits.then_some(lines)
        })
        .ok_or(TextFault::DoesNotFit);
    }
    // A single line may use the height of its box to the edge, but not its width. Its width is
    // proportional to its size, so that the second try fits; hinting plays no part in a PDF.
    let mut size = size.min(fitting_height);
    let mut lines = set(fonts, text, style, size, None);
    let natural = lines.width();
    let too_wide = natural > inner_width;
    if too_wide {
        // Rounded down to tenths.
        size = (size * inner_width / natural * 10.0).floor() / 10.0;
    }
    if size < floor.min(fitting_height) || inner_width <= 0.0 {
        return Err(TextFault::DoesNotFit);
    }
    if too_wide {
        lines = set(fonts, lines.text, style, size, None);
    }
    lines.align(style.alignment, inner_width);
    lines.top = (height - lines.layout.height()) / 2.0;
    Ok(lines)
}

/// The result for the largest of `size`, `size` − 0.5, … `floor` that has one. A stranger's long text costs much to lay
/// out, so the sizes between are halved, not tried one after the other.
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
    // Between them lie only whole steps below `size`.
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

/// Lays `text` out in a column of `width` points, as long as it becomes; without a width, on one
/// line. Nothing is shrunk and nothing added around it.
pub(crate) fn in_column(
    fonts: &Fonts,
    text: &str,
    style: &TextStyle,
    size: f32,
    width: Option<f32>,
) -> Result<Lines, TextFault> {
    let text = cleaned(text, width.is_some());
    refuse_missing(fonts, &text)?;
    Ok(set(fonts, text, style, size, width))
}

fn refuse_missing(fonts: &Fonts, text: &str) -> Result<(), TextFault> {
    let characters = missing_characters(fonts, text);
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
        builder.push_default(StyleProperty::FontFamily(Fonts::families(style.language)));
        builder.push_default(StyleProperty::FontSize(size));
        builder.push_default(StyleProperty::LineHeight(LineHeight::FontSizeRelative(LINE_HEIGHT)));
        if style.bold {
            builder.push_default(StyleProperty::FontWeight(FontWeight::BOLD));
        }
        builder.push_default(StyleProperty::Locale(
            parley::fontique::Language::parse(style.language.locale()).ok(),
        ));
        // Korean breaks at spaces as its readers expect, hashes and addresses anywhere.
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
        Alignment::Left => parley::Alignment::Left,
        Alignment::Center => parley::Alignment::Center,
        Alignment::Right => parley::Alignment::Right,
    }
}

/// The characters of `text` for which layout finds no glyph (`.notdef`, glyph 0).
pub(crate) fn missing_characters(fonts: &Fonts, text: &str) -> Vec<char> {
    let text = cleaned(text, true);
    if text
        .chars()
        .all(|character| character == '\n' || fonts.stands_alone(character))
    {
        return Vec::new();
    }
    missing_when_laid_out(fonts, text)
}

pub(crate) fn missing_when_laid_out(fonts: &Fonts, text: String) -> Vec<char> {
    let mut missing: Vec<char> = Vec::new();
    let mut note = |character: char| {
        if !missing.contains(&character) {
            missing.push(character);
        }
    };
    // Shapers make control characters invisible; here they are a mistake of whoever sent them.
    // What private characters mean, no font that they come from can know.
    let control = |character: char| (character.is_control() && character != '\n') || is_private_use(character);
    let lines = set(fonts, text, &TextStyle::default(), LARGEST_AUTOMATIC, None);
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
    /// Width of the longest line without the blanks at its end.
    pub(crate) fn width(&self) -> f32 {
        self.layout.width()
    }

    /// Height of the lines.
    pub(crate) fn height(&self) -> f32 {
        if self.text.is_empty() {
            0.0
        } else {
            self.line_top(self.shown.end) - self.line_top(self.shown.start)
        }
    }

    /// From the top of the first of all lines to the top of `line`.
    fn line_top(&self, line: usize) -> f32 {
        self.layout
            .get(line)
            .map_or(self.layout.height(), |line| line.metrics().block_min_coord)
    }

    /// Cuts between lines into parts of which the first is at most `first` high (and empty where not
    /// even one line is that low) and the others at most `other`, but at least one line.
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

    /// Number of lines.
    pub(crate) fn count(&self) -> usize {
        self.layout.len()
    }

    fn align(&mut self, alignment: Alignment, width: f32) {
        self.layout.break_all_lines(Some(width));
        self.layout
            .align(parley_alignment(alignment), AlignmentOptions::default());
    }

    /// Draws in the box whose top left corner is `x`, `y`.
    pub(crate) fn draw_in_box(&self, fonts: &Fonts, surface: &mut Surface<'_>, x: f32, y: f32) {
        self.draw(fonts, surface, x + PADDING, y + self.top);
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
                for cluster in run.visual_clusters() {
                    if cluster.is_ligature_continuation() {
                        // The ligature's one glyph stands for the text of all its parts.
                        if let Some(glyph) = glyphs.last_mut() {
                            glyph.text_range.end = glyph.text_range.end.max(cluster.text_range().end);
                            glyph.text_range.start = glyph.text_range.start.min(cluster.text_range().start);
                        }
                        continue;
                    }
                    ink = cluster.style().brush;
                    for glyph in cluster.glyphs() {
                        glyphs.push(KrillaGlyph::new(
                            GlyphId::new(glyph.id),
                            glyph.advance / size,
                            glyph.x / size,
                            glyph.y / size,
                            0.0,
                            cluster.text_range(),
                            None,
                        ));
                        pen += glyph.advance;
                    }
                }
                let Some(face) = fonts.face(run.font().data.id()) else {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn fonts() -> Fonts {
        Fonts::embedded().expect("the embedded fonts load")
    }

    fn style(size: f32) -> TextStyle {
        TextStyle {
            size: Some(size),
            ..TextStyle::default()
        }
    }

    #[test]
    fn the_largest_size_that_fits_is_found_in_few_tries() {
        for (size, floor) in [(72.0_f32, 6.0_f32), (12.0, 6.0), (11.8, 6.0), (6.5, 6.0), (4.0, 4.0)] {
            let mut sizes = vec![size];
            while sizes.last().is_some_and(|last| *last > floor) {
                sizes.push((sizes[sizes.len() - 1] - 0.5).max(floor));
            }
            for expected in &sizes {
                let mut tries = 0;
                let found = largest_fitting(size, floor, |tried| {
                    tries += 1;
                    (tried <= expected + 0.001).then_some(tried)
                });
                let found = found.expect("one fits");
                assert!((found - expected).abs() < 0.001, "{found} is not {expected}");
                assert!(tries <= 10, "{tries} tries from {size} to {expected}");
            }
            let mut tries = 0;
            let none = largest_fitting(size, floor, |_| {
                tries += 1;
                None::<()>
            });
            assert!(none.is_none() && tries <= 2, "{tries}");
        }
    }

    #[test]
    fn what_fits_keeps_its_size() {
        let lines = in_box(&fonts(), "홍길동", &style(11.0), 200.0, 20.0).expect("fits");
        assert!((lines.size - 11.0).abs() < f32::EPSILON);
        assert_eq!(lines.count(), 1);
    }

    #[test]
    fn without_a_size_the_box_decides() {
        let fonts = fonts();
        let small = in_box(&fonts, "홍길동", &TextStyle::default(), 200.0, 10.0).expect("fits");
        assert!((small.size - 8.0).abs() < 0.001, "{}", small.size);
        let large = in_box(&fonts, "홍길동", &TextStyle::default(), 200.0, 200.0).expect("fits");
        assert!((large.size - LARGEST_AUTOMATIC).abs() < f32::EPSILON);
    }

    #[test]
    fn a_long_line_shrinks_to_its_box() {
        let fonts = fonts();
        let text = "Wolfeschlegelsteinhausenbergerdorff, Hubert Blaine";
        let lines = in_box(&fonts, text, &style(12.0), 200.0, 20.0).expect("fits when smaller");
        assert!(lines.size < 12.0 && lines.size >= SMALLEST, "{}", lines.size);
        assert!(lines.width() <= 200.0 - 2.0 * PADDING + SLACK, "{}", lines.width());
    }

    /// A 125-character prefill in a large font.
    #[test]
    fn a_text_that_fits_in_no_size_is_refused() {
        let fonts = fonts();
        let text = "가".repeat(125);
        assert_eq!(
            in_box(&fonts, &text, &style(24.0), 200.0, 20.0).err(),
            Some(TextFault::DoesNotFit)
        );
        let fitting = in_box(&fonts, &text, &style(24.0), 300.0, 120.0).expect("fits on many lines");
        assert!(fitting.count() > 1 && fitting.height() <= 120.0 - 2.0 * PADDING + SLACK);
    }

    #[test]
    fn line_breaks_hold_where_two_lines_fit_and_are_spaces_elsewhere() {
        let fonts = fonts();
        assert_eq!(
            in_box(&fonts, "서울\r\n부산", &style(10.0), 200.0, 60.0)
                .expect("fits")
                .count(),
            2
        );
        assert_eq!(
            in_box(&fonts, "서울\n부산", &style(10.0), 200.0, 20.0)
                .expect("fits")
                .count(),
            1
        );
    }

    #[test]
    fn a_word_wider_than_its_box_is_broken() {
        let fonts = fonts();
        let hash = "0123456789abcdef".repeat(8);
        let lines = in_column(&fonts, &hash, &TextStyle::default(), 8.0, Some(120.0)).expect("drawable");
        assert!(lines.count() > 3, "{}", lines.count());
        assert!(lines.width() <= 120.0 + SLACK, "{}", lines.width());
    }

    #[test]
    fn missing_characters_are_named() {
        let fault = in_box(&fonts(), "서명 𓀀", &style(10.0), 200.0, 20.0).expect_err("no hieroglyphs");
        assert_eq!(
            fault,
            TextFault::MissingCharacters {
                characters: vec!['𓀀']
            }
        );
        assert!(fault.to_string().contains("U+13000"), "{fault}");
    }

    #[test]
    fn hangul_falls_back_from_the_japanese_first_font() {
        let fonts = fonts();
        let japanese = TextStyle {
            language: Language::Ja,
            ..style(10.0)
        };
        let lines = in_box(&fonts, "山田と김민준", &japanese, 200.0, 20.0).expect("fits");
        let faces: std::collections::BTreeSet<u64> = lines
            .layout
            .lines()
            .flat_map(|line| line.runs().map(|run| run.font().data.id()).collect::<Vec<_>>())
            .collect();
        assert_eq!(faces.len(), 2, "kana and Han from one font, Hangul from another");
    }

    #[test]
    fn alignment_moves_a_line_within_its_box() {
        let fonts = fonts();
        let offset = |alignment| {
            let lines = in_box(
                &fonts,
                "12",
                &TextStyle {
                    alignment,
                    ..style(10.0)
                },
                100.0,
                20.0,
            )
            .expect("fits");
            let line = lines.layout.lines().next().expect("a line");
            line.metrics().offset
        };
        let (left, centre, right) = (
            offset(Alignment::Left),
            offset(Alignment::Center),
            offset(Alignment::Right),
        );
        assert!(left.abs() < 0.01, "{left}");
        assert!((centre - right / 2.0).abs() < 0.01, "{centre} {right}");
        assert!(right > 80.0, "{right}");
    }
}
