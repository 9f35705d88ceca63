//! The text of a page in reading order and with positions, for screen readers, search and copying.
//!
//! A page is shown as an image, and its text is laid over the image as transparent text. The words come from hayro's
//! interpreter: each glyph with the characters that it represents (`ToUnicode`, the glyph's name, `ActualText`, ISO
//! 32000-2, 9.10 and 14.9.4) and its position. Text that is not painted is included, because it may be the text
//! recognised by a scanner.
//!
//! Files rarely define a reading order, so the order is inferred from the positions (`order`): successive glyphs on a
//! baseline form a line, columns of prose are read one after the other, tables are read row by row. Right-to-left words
//! are in spoken order.
//!
//! Like rendering, this module reads untrusted files and is limited by the process in which it runs. The module itself
//! limits only the size of the result. A glyph is left out if the file does not specify its characters.

pub(crate) mod codes;
mod order;

use domain::template::PageSize;
use hayro::hayro_interpret::font::{Glyph as DrawnGlyph, GlyphRun, PositionedGlyph};
use hayro::hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache, SoftMask,
    TransformExt, interpret_page,
};
use hayro::hayro_syntax::object::{Dict, String as PdfString};
use hayro::kurbo::{Affine, BezPath, Point, Rect, Vec2};
use serde::{Deserialize, Serialize};

use codes::{Codes, codes_of};
use order::reading_order;

use crate::pages::render::{Opened, RenderFault, Rendering};
use crate::pdf::shared_bytes::SharedBytes;

/// Maximum number of glyphs on one page, which equals 50 pages of dense print. Further glyphs are left out.
const MOST_GLYPHS: usize = 100_000;
/// Maximum length of a word. A longer one is split.
const LONGEST_WORD: usize = 64;
/// Maximum number of ideographs or syllables placed together. More would drift from their positions.
const LONGEST_IDEOGRAPHS: usize = 12;

/// Relative to the font size.
const ASCENT: f64 = 0.8;
const WORD_GAP: f64 = 0.15;
const IDEOGRAPH_GAP: f64 = 0.25;
const LINE_GAP: f64 = 1.0;
const BACKWARDS: f64 = 0.3;
const SAME_BASELINE: f64 = 0.2;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageText {
    /// BCP 47 tag, declared in the file or inferred from its letters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The lines in reading order.
    pub lines: Vec<TextLine>,
}

/// Words on one baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextLine {
    /// Left edge of the line before rotation, in points from the displayed page's left edge.
    pub x: f32,
    /// Top of the line before rotation, in points from the displayed page's top edge.
    pub y: f32,
    /// Height of the line, which is the font size, in points.
    pub size: f32,
    /// Clockwise rotation around the upper left corner, in degrees.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub angle: f32,
    /// Whether the line is read from right to left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub right_to_left: bool,
    /// Words in spoken order.
    pub words: Vec<Word>,
}

/// A word, or a separately placed part of one: its text with the space that follows, its start from the line's left
/// end, and its width without that space, both in points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Word(pub String, pub f32, pub f32);

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
fn is_zero(angle: &f32) -> bool {
    *angle == 0.0
}

impl PageText {
    /// Returns the text, one line per text line.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            for Word(word, ..) in &line.words {
                text.push_str(word);
            }
            text.push('\n');
        }
        text
    }

    /// Returns whether this can be the text of a page of that size. Checks the answer of a child process.
    pub fn is_sound(&self, size: PageSize) -> bool {
        let longest = size.width_points.hypot(size.height_points) * 2.0;
        let fits = |value: f32| value.is_finite() && f64::from(value).abs() <= longest;
        let language_is_sound = self
            .language
            .as_deref()
            .is_none_or(|tag| clean_language(tag).as_deref() == Some(tag));
        language_is_sound
            && self.lines.iter().map(|line| line.words.len()).sum::<usize>() <= MOST_GLYPHS
            && self.lines.iter().all(|line| {
                [line.x, line.y, line.size].into_iter().all(fits)
                    && line.angle.is_finite()
                    && line
                        .words
                        .iter()
                        .all(|Word(text, start, width)| fits(*start) && fits(*width) && !text.contains('\0'))
            })
    }
}

/// Returns the texts of the given pages, in the same order. Page numbers start at 1.
pub fn page_texts(pdf: impl Into<SharedBytes>, pages: &[u32]) -> Result<Vec<PageText>, RenderFault> {
    let file = Opened::new(pdf)?;
    let rendering = Rendering::new();
    let cache = InterpreterCache::new();
    let declared = declared_language(&file);
    pages
        .iter()
        .map(|page| page_text(&file, &rendering, &cache, *page, declared.as_deref()))
        .collect()
}

fn page_text<'a>(
    file: &'a Opened,
    rendering: &Rendering<'a>,
    cache: &InterpreterCache<'a>,
    number: u32,
    declared: Option<&str>,
) -> Result<PageText, RenderFault> {
    let page = file.page(number)?;
    let unit = f64::from(crate::pages::render::user_unit(page));
    let (width, height) = page.render_dimensions();
    let shown = Rect::new(0.0, 0.0, f64::from(width) * unit, f64::from(height) * unit);
    let transform = Affine::scale(unit) * page.initial_transform(true).to_kurbo();
    let mut context = Context::new(transform, shown, cache, page.xref(), rendering.settings.clone());
    let mut collector = Collector {
        shown,
        glyphs: Vec::new(),
        replacements: Vec::new(),
        last_run: None,
        codes: codes_of(page),
    };
    interpret_page(page, &mut context, &mut collector);
    let lines = reading_order(lines_of(collector.glyphs));
    let language = declared.map(str::to_owned).or_else(|| language_of(&lines));
    Ok(PageText {
        language,
        lines: lines.into_iter().filter_map(Line::into_text).collect(),
    })
}

// ---- What the file draws -------------------------------------------------------------------------------------------

/// A glyph on the displayed page.
#[derive(Debug, Clone)]
struct Glyph {
    text: String,
    /// The angle of the baseline in clockwise degrees, rounded if it is nearly a whole number.
    angle: f64,
    /// Start and end along the baseline.
    start: f64,
    end: f64,
    /// Position of the baseline across the writing direction, measured downwards.
    baseline: f64,
    size: f64,
}

impl Glyph {
    fn is_space(&self) -> bool {
        self.text.chars().all(char::is_whitespace)
    }
}

/// Receives everything that hayro's interpreter draws, and collects the text.
struct Collector {
    shown: Rect,
    glyphs: Vec<Glyph>,
    /// One entry for each open marked content: its replacement text, and the number of glyphs before it.
    replacements: Vec<Option<(String, usize)>>,
    /// Position of the last run, and its number of glyphs.
    last_run: Option<([f64; 6], usize)>,
    /// Codes of the page's fonts without a `ToUnicode` map.
    codes: Vec<Codes>,
}

impl Collector {
    fn place(&mut self, text: String, glyph_to_page: Affine, advance: f64, vertical: bool) {
        if self.glyphs.len() >= MOST_GLYPHS {
            return;
        }
        // Glyph space has 1000 units per em.
        let origin = glyph_to_page * Point::ORIGIN;
        let right: Vec2 = glyph_to_page * Point::new(1.0, 0.0) - origin;
        let up: Vec2 = glyph_to_page * Point::new(0.0, 1.0) - origin;
        let size = up.hypot() * 1000.0;
        if !(size.is_finite() && size > 0.1 && origin.is_finite() && right.hypot() > 0.0) {
            return;
        }
        // Vertical text runs down the page. The top of its line is at the right.
        let (origin, along, length) = if vertical {
            (
                origin + up * (1000.0 * ASCENT) + right * (1000.0 * (1.0 - ASCENT)),
                -up,
                size,
            )
        } else {
            (origin, right, advance.max(0.0) * right.hypot())
        };
        let middle = origin + along.normalize() * (length / 2.0);
        if !self.shown.contains(middle) || !length.is_finite() {
            return;
        }
        let angle = along.y.atan2(along.x).to_degrees();
        let whole = angle.round();
        let angle = if (angle - whole).abs() < 0.3 { whole } else { angle };
        let angle = if angle <= -180.0 { angle + 360.0 } else { angle };
        let (start, baseline) = turned(origin, angle);
        self.glyphs.push(Glyph {
            text,
            angle,
            start,
            end: start + length,
            baseline,
            size,
        });
    }
}

/// Returns the distances of a point of the page along a direction and across it.
fn turned(point: Point, angle: f64) -> (f64, f64) {
    let (sin, cos) = angle.to_radians().sin_cos();
    (point.x * cos + point.y * sin, point.y * cos - point.x * sin)
}

/// Converts distances along and across a direction back to a point of the page.
fn straight(along: f64, across: f64, angle: f64) -> (f64, f64) {
    let (sin, cos) = angle.to_radians().sin_cos();
    (along * cos - across * sin, along * sin + across * cos)
}

impl<'a> Device<'a> for Collector {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        let glyph_to_page = |glyph: &PositionedGlyph<'_>| props.transform * glyph.transform();
        let run_begins = run
            .glyphs()
            .first()
            .map(|first| (glyph_to_page(first).as_coeffs(), run.glyphs().len()));
        // A run that is filled and stroked is reported twice.
        if matches!(mode, DrawMode::Stroke(_)) && run_begins == self.last_run {
            return;
        }
        self.last_run = run_begins;
        let vertical = run.writing_mode() == WritingMode::Vertical;
        for glyph in run.glyphs() {
            let told = glyph.as_unicode().or_else(|| {
                let code = glyph.char_code();
                self.codes.iter().find_map(|codes| codes.characters(code))
            });
            // Each replaced glyph counts with its width.
            let replaced = self.replacements.iter().any(Option::is_some);
            let Some(text) = told.map(characters).or_else(|| replaced.then(String::new)) else {
                continue;
            };
            let advance = match &**glyph {
                DrawnGlyph::Outline(outline) => outline.advance_width(),
                DrawnGlyph::Type3(drawn) => drawn.advance_width(),
            };
            self.place(
                text,
                glyph_to_page(glyph),
                f64::from(advance.unwrap_or(500.0)),
                vertical,
            );
        }
    }

    fn begin_marked_content(&mut self, _tag: &[u8], properties: Option<&Dict<'_>>) {
        let actual = properties
            .and_then(|properties| properties.get::<PdfString<'_>>(&b"ActualText"[..]))
            .map(|text| (text_string(text.as_bytes()), self.glyphs.len()));
        self.replacements.push(actual);
    }

    fn end_marked_content(&mut self) {
        let Some(Some((text, first))) = self.replacements.pop() else {
            return;
        };
        // One glyph replaces all of them, with their total width.
        let replaced = self.glyphs.split_off(first.min(self.glyphs.len()));
        let mut replaced = replaced.into_iter();
        let Some(mut glyph) = replaced.next() else { return };
        for other in replaced {
            glyph.start = glyph.start.min(other.start);
            glyph.end = glyph.end.max(other.end);
        }
        glyph.text = text;
        self.glyphs.push(glyph);
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}
    fn draw_rect(&mut self, _: &Rect, _: DrawProps<'a>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_clip_rect(&mut self, _: &Rect) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

/// Returns the characters of a glyph, without those that never occur in text.
fn characters(found: BfString) -> String {
    let mut text = String::new();
    let mut push = |character: char| match character {
        '\u{a0}' | '\t' | '\n' | '\r' => text.push(' '),
        // Soft hyphens in the text are visible.
        '\u{ad}' => text.push('-'),
        // Ligatures only affect the appearance. People search for the separate letters.
        '\u{fb00}' => text.push_str("ff"),
        '\u{fb01}' => text.push_str("fi"),
        '\u{fb02}' => text.push_str("fl"),
        '\u{fb03}' => text.push_str("ffi"),
        '\u{fb04}' => text.push_str("ffl"),
        '\u{fb05}' | '\u{fb06}' => text.push_str("st"),
        _ if character.is_control() => {}
        _ => text.push(character),
    };
    match found {
        BfString::Char(character) => push(character),
        BfString::String(string) => string.chars().for_each(push),
    }
    text
}

/// Decodes a text string (ISO 32000-2, 7.9.2.2): UTF-16 or UTF-8 by its byte order mark, otherwise `PDFDocEncoding`, of
/// which only the Latin part is supported.
fn text_string(bytes: &[u8]) -> String {
    let text = if let Some(utf16) = bytes.strip_prefix(&[0xFE, 0xFF]) {
        let units: Vec<u16> = utf16
            .as_chunks::<2>()
            .0
            .iter()
            .map(|pair| u16::from_be_bytes(*pair))
            .collect();
        String::from_utf16_lossy(&units)
    } else if let Some(utf8) = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]) {
        String::from_utf8_lossy(utf8).into_owned()
    } else {
        bytes.iter().map(|byte| char::from(*byte)).collect()
    };
    text.chars().filter(|character| !character.is_control()).collect()
}

/// Returns the language declared in the file (ISO 32000-2, 14.9.2).
fn declared_language(file: &Opened) -> Option<String> {
    let xref = file.pdf.xref();
    let catalog = xref.get::<Dict<'_>>(xref.root_id())?;
    let language = catalog.get::<PdfString<'_>>(&b"Lang"[..])?;
    clean_language(&text_string(language.as_bytes()))
}

fn clean_language(tag: &str) -> Option<String> {
    let tag = tag.trim();
    let is_tag = (2..=35).contains(&tag.len())
        && tag
            .split('-')
            .all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        && tag.bytes().take(2).all(|byte| byte.is_ascii_alphabetic());
    is_tag.then(|| tag.to_owned())
}

/// Returns the language of most letters, if the script determines it.
fn language_of(lines: &[Line]) -> Option<String> {
    let (mut hangul, mut kana, mut latin, mut others) = (0_usize, 0_usize, 0_usize, 0_usize);
    for character in lines
        .iter()
        .flat_map(|line| &line.glyphs)
        .flat_map(|glyph| glyph.text.chars())
    {
        match character {
            '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{AC00}'..='\u{D7A3}' => hangul += 1,
            '\u{3040}'..='\u{30FF}' => kana += 1,
            _ if character.is_ascii_alphabetic() => latin += 1,
            _ if character.is_alphabetic() => others += 1,
            _ => {}
        }
    }
    // A syllable counts as several letters, because a page with Latin names is still Korean or Japanese.
    if hangul > kana && hangul * 4 > latin {
        Some("ko".to_owned())
    } else if kana > 0 && (kana + others) * 4 > latin {
        Some("ja".to_owned())
    } else if latin > others * 4 {
        Some("en".to_owned())
    } else {
        None
    }
}

// ---- Lines ---------------------------------------------------------------------------------------------------------

/// Glyphs on one baseline, from left to right.
#[derive(Debug, Clone)]
struct Line {
    glyphs: Vec<Glyph>,
    angle: f64,
    baseline: f64,
    size: f64,
    start: f64,
    end: f64,
}

impl Line {
    fn of(glyph: Glyph) -> Self {
        Self {
            angle: glyph.angle,
            baseline: glyph.baseline,
            size: glyph.size,
            start: glyph.start,
            end: glyph.end,
            glyphs: vec![glyph],
        }
    }

    fn top(&self) -> f64 {
        self.baseline - self.size * ASCENT
    }

    fn bottom(&self) -> f64 {
        self.baseline + self.size * (1.0 - ASCENT)
    }

    fn push(&mut self, glyph: Glyph) {
        self.start = self.start.min(glyph.start);
        self.end = self.end.max(glyph.end);
        self.glyphs.push(glyph);
    }

    /// Returns whether the glyph continues the line in file order.
    fn continues_with(&self, glyph: &Glyph) -> bool {
        let Some(last) = self.glyphs.last() else { return false };
        let size = last.size.max(glyph.size);
        let gap = glyph.start - last.end;
        (glyph.angle - self.angle).abs() < 0.01
            && (glyph.baseline - last.baseline).abs() < SAME_BASELINE * size
            && gap > -BACKWARDS * size
            && gap < LINE_GAP * size
    }

    fn is_blank(&self) -> bool {
        self.glyphs.iter().all(Glyph::is_space)
    }

    /// Returns whether both lines are the same text, drawn twice with a slight offset to look bold.
    fn repeats(&self, other: &Self) -> bool {
        (self.start - other.start).abs() < 0.2 * self.size
            && self.glyphs.len() == other.glyphs.len()
            && self
                .glyphs
                .iter()
                .zip(&other.glyphs)
                .all(|(mine, others)| mine.text == others.text)
    }

    fn is_right_to_left(&self) -> bool {
        let (mut right, mut left) = (0_usize, 0_usize);
        for character in self.glyphs.iter().flat_map(|glyph| glyph.text.chars()) {
            if is_right_to_left(character) {
                right += 1;
            } else if character.is_alphabetic() {
                left += 1;
            }
        }
        right > left
    }

    fn into_text(self) -> Option<TextLine> {
        let right_to_left = self.is_right_to_left();
        let start = self.start;
        let mut words = words_of(&self.glyphs);
        if right_to_left {
            words = spoken_order(words);
        }
        let last = words.len().checked_sub(1)?;
        let words = words
            .into_iter()
            .enumerate()
            .map(|(index, piece)| {
                let mut text = piece.text(right_to_left);
                // The end of a line is a break anyway.
                if piece.space_after && index < last {
                    text.push(' ');
                }
                Word(
                    text,
                    hundredths(piece.start - start),
                    hundredths(piece.end - piece.start),
                )
            })
            .collect();
        let (x, y) = straight(self.start, self.top(), self.angle);
        Some(TextLine {
            x: hundredths(x),
            y: hundredths(y),
            size: hundredths(self.size),
            angle: hundredths(self.angle),
            right_to_left,
            words,
        })
    }
}

#[expect(clippy::cast_possible_truncation, reason = "places on a page, in points")]
fn hundredths(value: f64) -> f32 {
    let rounded = (value * 100.0).round() / 100.0;
    // No -0.
    (rounded + 0.0) as f32
}

fn is_right_to_left(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFF}')
}

/// Returns whether a character is written without spaces between words, with the same width for each sign.
fn is_ideograph(character: char) -> bool {
    matches!(character,
        '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}'
        | '\u{20000}'..='\u{3FFFF}')
}

/// Joins glyphs to lines in the order in which the file draws them, then joins adjacent lines.
fn lines_of(glyphs: Vec<Glyph>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for glyph in glyphs {
        match lines.last_mut() {
            Some(line) if line.continues_with(&glyph) => line.push(glyph),
            _ => lines.push(Line::of(glyph)),
        }
    }
    lines.retain(|line| !line.is_blank());
    joined(lines)
}

fn joined(mut lines: Vec<Line>) -> Vec<Line> {
    lines.sort_by(|a, b| {
        a.angle
            .total_cmp(&b.angle)
            .then(a.baseline.total_cmp(&b.baseline))
            .then(a.start.total_cmp(&b.start))
    });
    let mut result: Vec<Line> = Vec::with_capacity(lines.len());
    for row in rows(lines) {
        let first_of_row = result.len();
        for line in row {
            // The nearest line of this row, not of earlier rows, that this line continues.
            let found = result.iter_mut().skip(first_of_row).rev().find(|other| {
                let size = other.size.max(line.size);
                let gap = line.start - other.end;
                line.repeats(other) || (gap > -BACKWARDS * size && gap < LINE_GAP * size)
            });
            match found {
                Some(other) if line.repeats(other) => {}
                Some(other) => {
                    if line.glyphs.len() > other.glyphs.len() {
                        (other.baseline, other.size) = (line.baseline, line.size);
                    }
                    for glyph in line.glyphs {
                        other.push(glyph);
                    }
                }
                None => result.push(line),
            }
        }
    }
    for line in &mut result {
        line.glyphs.sort_by(|a, b| a.start.total_cmp(&b.start));
    }
    result
}

/// Groups lines of one direction into rows if their heights overlap by half. Each row is sorted from left to right. The
/// input is sorted by baseline.
fn rows(lines: Vec<Line>) -> Vec<Vec<Line>> {
    let mut rows: Vec<Vec<Line>> = Vec::new();
    for line in lines {
        let joins = rows.last().and_then(|row| row.first()).is_some_and(|first| {
            let overlap = first.bottom().min(line.bottom()) - first.top().max(line.top());
            (first.angle - line.angle).abs() < 0.01 && overlap > 0.5 * first.size.min(line.size)
        });
        match rows.last_mut() {
            Some(row) if joins => row.push(line),
            _ => rows.push(vec![line]),
        }
    }
    for row in &mut rows {
        row.sort_by(|a, b| a.start.total_cmp(&b.start));
    }
    rows
}

// ---- Words ---------------------------------------------------------------------------------------------------------

/// Glyphs that are placed together.
#[derive(Debug)]
struct Piece<'l> {
    glyphs: Vec<&'l Glyph>,
    start: f64,
    end: f64,
    space_after: bool,
}

impl Piece<'_> {
    fn has_right_to_left(&self) -> bool {
        self.glyphs.iter().any(|glyph| glyph.text.chars().any(is_right_to_left))
    }

    fn text(&self, in_right_to_left: bool) -> String {
        let texts = self.glyphs.iter().map(|glyph| glyph.text.trim());
        if in_right_to_left && self.has_right_to_left() {
            texts.rev().collect()
        } else {
            texts.collect()
        }
    }
}

fn words_of(glyphs: &[Glyph]) -> Vec<Piece<'_>> {
    let mut words: Vec<Piece<'_>> = Vec::new();
    let mut space = false;
    for glyph in glyphs {
        if glyph.is_space() {
            if let Some(word) = words.last_mut() {
                word.space_after = true;
            }
            space = true;
            continue;
        }
        let mut joins = false;
        if let Some(word) = words.last_mut() {
            let ideograph = |glyph: &Glyph| glyph.text.trim().chars().next().is_some_and(is_ideograph);
            let last = word.glyphs.last().is_some_and(|last| ideograph(last));
            let both = last && ideograph(glyph);
            let last_size = word.glyphs.last().map_or(0.0, |last| last.size);
            let gap = (glyph.start - word.end) / glyph.size.max(last_size);
            if gap > if both { IDEOGRAPH_GAP } else { WORD_GAP } {
                word.space_after = true;
            }
            let length = word.glyphs.len();
            let is_full = length >= LONGEST_WORD || (both && length >= LONGEST_IDEOGRAPHS);
            joins = !space && !word.space_after && last == ideograph(glyph) && !is_full;
            if joins {
                word.end = word.end.max(glyph.end);
                word.glyphs.push(glyph);
            }
        }
        if !joins {
            words.push(Piece {
                glyphs: vec![glyph],
                start: glyph.start,
                end: glyph.end,
                space_after: false,
            });
        }
        space = false;
    }
    words
}

/// Puts the words of a right-to-left line, given from left to right, in spoken order: from right to left, but with
/// numbers and words of other scripts unchanged.
fn spoken_order(words: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    // The space between two words belongs to the one spoken first, which is the right one.
    let spaces: Vec<bool> = words.iter().map(|word| word.space_after).collect();
    let mut words: Vec<(usize, Piece<'_>)> = words.into_iter().enumerate().rev().collect();
    let mut from = 0;
    while from < words.len() {
        // Earlier words already have their positions.
        let length = words
            .iter()
            .skip(from)
            .take_while(|(_, word)| !word.has_right_to_left())
            .count();
        if let Some(run) = words.get_mut(from..from + length) {
            run.reverse();
        }
        from += length.max(1);
    }
    let places: Vec<usize> = words.iter().map(|(place, _)| *place).collect();
    words
        .into_iter()
        .enumerate()
        .map(|(index, (place, mut word))| {
            let next = places.get(index + 1).copied();
            // The left word gets the space between adjacent words. When the order jumps, words are not adjacent.
            word.space_after = next.is_some_and(|next| {
                let left = place.min(next);
                place.abs_diff(next) > 1 || spaces.get(left).copied().unwrap_or(false)
            });
            word
        })
        .collect()
}
