//! The layout of signature stamps.
//!
//! Hangul, Han and kana are set in columns from right to left, and every letter is stretched to fill its part of the
//! stamp, as an engraver would cut it. A square is divided into columns of equal width, and each column into parts of
//! equal height. A circle is such a square, bent. Other scripts are set in lines, one word each. A company's name runs
//! clockwise between the two rings of its stamp, with the feet of the letters towards the centre, over the upper part
//! or, if the name is long, around the whole ring. A star separates its end from its beginning.
//!
//! A letter is stretched within limits (一 stays a stroke) and never leaves its part, so a stamp never exceeds its box.

use std::f32::consts::{PI, TAU};

use domain::drawing::{Seal, SealShape, Writing};
use domain::text::is_visible;
use domain::value::characters;

use crate::marks::drawing::{DrawingFault, EM, Extent, Figure, Point, SEAL_RED, Segment, letters};
use crate::text::fonts;

/// Side of a stamp's box. An oval has the same height and a smaller width.
const SIDE: f32 = 200.0;
const MIDDLE: f32 = SIDE / 2.0;
/// Width of an oval, relative to its height.
const OVAL: f32 = 0.74;
/// Distance from the box to the outer edge of the rim, so that the edge is never cut off.
const EDGE: f32 = 1.0;
const RIM: f32 = 8.0;
/// Width of a double ring's inner rim.
const INNER_RIM: f32 = 4.0;
/// Radius of the inner rim's outer edge.
const INNER_RADIUS: f32 = 57.0;
/// Distance between rim and letters.
const PADDING: f32 = 6.5;
/// Share of its part that a letter fills.
const FILL: f32 = 0.9;
/// A letter thinner than this is not stretched to fill its part.
const LEAST_INK: f32 = 0.6 * EM;
/// Maximum ratio between a letter's horizontal and vertical stretch.
const MOST_STRETCH: f32 = 1.9;
/// Maximum ratio for words of a line, which tolerate less stretching, and for letters of a ring, which may have space
/// beside them.
const MOST_STRETCH_OF_WORDS: f32 = 1.5;
const MOST_STRETCH_OF_RING: f32 = 1.35;
/// Maximum angle of one letter on a ring, so that a short name does not spread around the whole ring.
const WIDEST_ANGLE: f32 = TAU / 9.0;
/// Angle of the ring that a star occupies.
const STAR_ANGLE: f32 = TAU / 14.0;

/// Creates the outlines of a signature stamp.
pub(super) fn figure(seal: &Seal) -> Result<Figure, DrawingFault> {
    let mut outline = Vec::new();
    let width = if seal.shape == SealShape::Oval {
        SIDE * OVAL
    } else {
        SIDE
    };
    match seal.shape {
        SealShape::Round => {
            let radius = MIDDLE - EDGE;
            ring(&mut outline, MIDDLE, radius, radius, RIM);
            let inner = radius - RIM - PADDING;
            grid(&mut outline, &columns(seal, Form::Round)?, &|place| {
                bent(place, MIDDLE, inner, inner)
            });
        }
        SealShape::Oval => {
            let (across, along) = (width / 2.0 - EDGE, MIDDLE - EDGE);
            ring(&mut outline, width / 2.0, across, along, RIM);
            let inner = RIM + PADDING;
            let parts = columns(seal, Form::Oval)?;
            grid(&mut outline, &parts, &|place| {
                bent(place, width / 2.0, across - inner, along - inner)
            });
        }
        SealShape::Square => {
            rounded_square(&mut outline, MIDDLE - EDGE, 14.0, false);
            rounded_square(&mut outline, MIDDLE - EDGE - RIM, 8.0, true);
            let inner = MIDDLE - EDGE - RIM - PADDING;
            grid(&mut outline, &columns(seal, Form::Square)?, &|(x, y)| {
                (MIDDLE + x * inner, MIDDLE + y * inner)
            });
        }
        SealShape::DoubleRing => {
            let radius = MIDDLE - EDGE;
            ring(&mut outline, MIDDLE, radius, radius, RIM);
            ring(&mut outline, MIDDLE, INNER_RADIUS, INNER_RADIUS, INNER_RIM);
            around(&mut outline, &seal.name, radius - RIM, INNER_RADIUS)?;
            let inner = INNER_RADIUS - INNER_RIM - PADDING * 0.7;
            if is_visible(&seal.title) {
                let parts = in_columns(&seal.title, "", Form::Round)?;
                grid(&mut outline, &parts, &|place| bent(place, MIDDLE, inner, inner));
            }
        }
    }
    Ok(Figure {
        width,
        height: SIDE,
        colour: SEAL_RED,
        outline,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Round,
    Oval,
    Square,
}

/// A letter (or in a line, a word), and its part of the square from -1 to 1.
struct Part {
    outline: Vec<Segment>,
    place: Extent,
    most_stretch: f32,
}

fn columns(seal: &Seal, form: Form) -> Result<Vec<Part>, DrawingFault> {
    in_columns(&seal.name, &seal.title, form)
}

fn in_columns(name: &str, title: &str, form: Form) -> Result<Vec<Part>, DrawingFault> {
    if Writing::of(name) == Writing::Lines && Writing::of(title) == Writing::Lines {
        return in_lines(name, title, form);
    }
    let all: Vec<&str> = [name, title]
        .into_iter()
        .flat_map(characters)
        .filter(|letter| is_visible(letter))
        .collect();
    let lengths = column_lengths(all.len(), Writing::of(name), form);
    let (half_width, half_height) = taken(&lengths, form);
    let column_width = 2.0 * half_width / count(lengths.len());
    let mut parts = Vec::with_capacity(all.len());
    let mut rest = all.as_slice();
    for (column, length) in lengths.iter().enumerate() {
        let (own, others) = rest.split_at_checked(*length).unwrap_or((rest, &[]));
        rest = others;
        let right = half_width - count(column) * column_width;
        let height = 2.0 * half_height / count(own.len().max(1));
        for (row, letter) in own.iter().enumerate() {
            let top = count(row) * height - half_height;
            parts.push(Part {
                outline: standing(letter)?,
                place: Extent {
                    left: right - column_width,
                    top,
                    right,
                    bottom: top + height,
                },
                most_stretch: MOST_STRETCH,
            });
        }
    }
    Ok(parts)
}

/// Returns the number of letters in each column, from the right.
fn column_lengths(letters: usize, writing: Writing, form: Form) -> Vec<usize> {
    let columns = match (letters, form) {
        (_, Form::Oval) | (0..=2, _) => 1,
        // 認印 have one column. In a three-letter Korean name, the family name is in a column of its own.
        (3, Form::Round) if writing == Writing::Han => 1,
        (3..=5, _) | (6, Form::Round) => 2,
        // The smallest square with room for all letters.
        _ => (3..=letters).find(|side| side * side >= letters).unwrap_or(letters),
    };
    let (each, more) = (letters / columns, letters % columns);
    (0..columns)
        .map(|column| {
            // If there are two columns, the second is longer (김 | 민준, 남궁 | 민수인). If there are more, the first ones are,
            // so that the last column has fewer, larger letters (株式会 | 社青空 | 之印).
            let is_longer = if columns == 2 {
                column == 1 && more == 1
            } else {
                column < more
            };
            each + usize::from(is_longer)
        })
        .collect()
}

/// Returns the part of the square that the columns use, because few letters are not stretched to fill all of it.
fn taken(lengths: &[usize], form: Form) -> (f32, f32) {
    match (lengths, form) {
        ([1], Form::Round) => (0.8, 0.8),
        ([2], Form::Round | Form::Square) => (0.76, 1.0),
        ([3], Form::Round) => (0.62, 1.0),
        ([1], Form::Oval) => (0.9, 0.6),
        _ => (1.0, 1.0),
    }
}

/// Returns the outline of a letter in an upright column. Dashes are rotated.
fn standing(letter: &str) -> Result<Vec<Segment>, DrawingFault> {
    let outline = letters(letter, seal_family(letter))?;
    let lies = letter
        .chars()
        .all(|character| "ー－-–—−~〜～…()（）[]「」『』".contains(character));
    if !lies {
        return Ok(outline);
    }
    Ok(outline
        .into_iter()
        .map(|segment| segment.map(&|(x, y)| (-y, x)))
        .collect())
}

/// Returns the font of a letter in a stamp: a print font for Hangul and Latin, a brush font for Han and kana.
fn seal_family(text: &str) -> &'static str {
    match Writing::of(text) {
        Writing::Han => fonts::YUJI_SYUKU,
        Writing::Hangul | Writing::Lines => fonts::SONG_MYUNG,
    }
}

/// Sets words one below the other. Short words share a line.
fn in_lines(name: &str, title: &str, form: Form) -> Result<Vec<Part>, DrawingFault> {
    let words: Vec<&str> = name.split_whitespace().chain(title.split_whitespace()).collect();
    let longest = words
        .iter()
        .map(|word| characters(word).count())
        .max()
        .unwrap_or(1)
        .max(4);
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if characters(line).count() + characters(word).count() < longest => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    let (half_width, half_height) = match (form, lines.len()) {
        (Form::Square, 1) => (0.94, 0.6),
        (Form::Square, _) => (0.94, 0.94),
        (_, 1) => (0.9, 0.5),
        (_, 2) => (0.88, 0.72),
        _ => (0.86, 0.9),
    };
    let height = 2.0 * half_height / count(lines.len().max(1));
    lines
        .iter()
        .enumerate()
        .map(|(row, line)| {
            let top = count(row) * height - half_height;
            Ok(Part {
                outline: letters(line, seal_family(line))?,
                place: Extent {
                    left: -half_width,
                    top,
                    right: half_width,
                    bottom: top + height,
                },
                most_stretch: MOST_STRETCH_OF_WORDS,
            })
        })
        .collect()
}

/// Draws each letter in its part. `bend` maps the square from -1 to 1 into the stamp.
fn grid(outline: &mut Vec<Segment>, parts: &[Part], bend: &impl Fn(Point) -> Point) {
    for part in parts {
        let Some(fitted) = Fitted::new(
            &part.outline,
            part.place.width(),
            part.place.height(),
            part.most_stretch,
        ) else {
            continue;
        };
        let (x, y) = part.place.middle();
        draw(outline, &part.outline, &|point| {
            let (right, down) = fitted.place(point);
            bend((x + right, y + down))
        });
    }
}

/// A letter scaled to fit a part around zero.
struct Fitted {
    middle: Point,
    across: f32,
    down: f32,
}

impl Fitted {
    fn new(outline: &[Segment], width: f32, height: f32, most_stretch: f32) -> Option<Self> {
        let extent = Extent::of(outline)?;
        let across = FILL * width / extent.width().max(LEAST_INK);
        let down = FILL * height / extent.height().max(LEAST_INK);
        Some(Self {
            middle: extent.middle(),
            across: across.min(down * most_stretch),
            down: down.min(across * most_stretch),
        })
    }

    fn place(&self, (x, y): Point) -> Point {
        ((x - self.middle.0) * self.across, (y - self.middle.1) * self.down)
    }
}

/// Draws an outline through `place`. A straight line is drawn as a curve, so that it bends with its surroundings.
fn draw(onto: &mut Vec<Segment>, outline: &[Segment], place: &impl Fn(Point) -> Point) {
    let between =
        |from: Point, to: Point, part: f32| (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
    let mut at = (0.0, 0.0);
    let mut start = at;
    for segment in outline {
        let cubic = match *segment {
            Segment::Move(end) => {
                onto.push(Segment::Move(place(end)));
                (at, start) = (end, end);
                continue;
            }
            Segment::Close => {
                onto.push(Segment::Close);
                at = start;
                continue;
            }
            Segment::Line(end) => (between(at, end, 1.0 / 3.0), between(at, end, 2.0 / 3.0), end),
            Segment::Quad(control, end) => (between(at, control, 2.0 / 3.0), between(end, control, 2.0 / 3.0), end),
            Segment::Cubic(first, second, end) => (first, second, end),
        };
        onto.push(Segment::Cubic(place(cubic.0), place(cubic.1), place(cubic.2)));
        at = cubic.2;
    }
}

/// Bends the square from -1 to 1 into an ellipse around the centre of the box: its corners are mapped to the ellipse,
/// and its sides follow.
fn bent((x, y): Point, middle: f32, across: f32, along: f32) -> Point {
    // The elliptical map turns the square into a whole disc, which distorts the corners. Mixing it with the square
    // inside the circle keeps letters legible.
    const ROUND: f32 = 0.7;
    const SQUARE: f32 = 0.74;
    let mix = |straight: f32, round: f32| (1.0 - ROUND) * SQUARE * straight + ROUND * round;
    let right = mix(x, x * (1.0 - y * y / 2.0).max(0.0).sqrt());
    let down = mix(y, y * (1.0 - x * x / 2.0).max(0.0).sqrt());
    // Corners stay inside the ellipse.
    let outside = right.hypot(down).max(1.0);
    (middle + right / outside * across, MIDDLE + down / outside * along)
}

/// Sets the name between two circles, clockwise.
fn around(outline: &mut Vec<Segment>, name: &str, outer: f32, inner: f32) -> Result<(), DrawingFault> {
    let radius = f32::midpoint(outer, inner);
    let height = (outer - inner) * 0.84;
    let writing = Writing::of(name);
    let mut placed: Vec<(Vec<Segment>, f32)> = Vec::new();
    for letter in characters(name) {
        if is_visible(letter) {
            let drawn = letters(letter, seal_family(letter))?;
            // In lines, every letter has its own width. In columns, all letters have the same.
            let width = match writing {
                Writing::Lines => Extent::of(&drawn).map_or(0.0, |extent| extent.width()) + 0.11 * EM,
                _ => EM,
            };
            placed.push((drawn, width));
        } else {
            placed.push((Vec::new(), 0.4 * EM));
        }
    }
    let all: f32 = placed.iter().map(|(_, width)| width).sum();
    let widest = match writing {
        // Natural width at this height.
        Writing::Lines => height * 1.05 / EM / radius,
        _ => WIDEST_ANGLE / EM,
    };
    let each = widest.min((TAU - STAR_ANGLE) / all.max(1.0));
    let free = TAU - each * all;
    let ascent = Baseline::of(&placed);
    let mut angle = -each * all / 2.0;
    for (letter, width) in &placed {
        let part = each * width;
        let middle = angle + part / 2.0;
        angle += part;
        let fitted = match writing {
            Writing::Lines => ascent.fitted(letter, part * radius, height),
            _ => Fitted::new(letter, part * radius, height, MOST_STRETCH_OF_RING),
        };
        let Some(fitted) = fitted else { continue };
        draw(outline, letter, &|point| {
            let (right, down) = fitted.place(point);
            polar(middle + right / radius, (radius - down).clamp(inner, outer))
        });
    }
    if free > STAR_ANGLE * 0.9 && !placed.is_empty() {
        star(outline, polar(PI, radius), (outer - inner) * 0.2);
    }
    Ok(())
}

/// The common position and height of the letters in a line.
struct Baseline {
    top: f32,
    bottom: f32,
}

impl Baseline {
    fn of(letters: &[(Vec<Segment>, f32)]) -> Self {
        let extents = letters.iter().filter_map(|(letter, _)| Extent::of(letter));
        let (top, bottom) = extents.fold((f32::MAX, f32::MIN), |(top, bottom), extent| {
            (top.min(extent.top), bottom.max(extent.bottom))
        });
        Self { top, bottom }
    }

    /// Fits a letter with the common height and baseline.
    fn fitted(&self, letter: &[Segment], width: f32, height: f32) -> Option<Fitted> {
        let extent = Extent::of(letter)?;
        let down = height / (self.bottom - self.top).max(LEAST_INK);
        let across = down.min(width / extent.width().max(1.0));
        Some(Fitted {
            middle: (extent.middle().0, f32::midpoint(self.top, self.bottom)),
            across,
            down,
        })
    }
}

/// Returns a point on a circle around the centre, at an angle measured clockwise from the top.
fn polar(angle: f32, radius: f32) -> Point {
    (MIDDLE + radius * angle.sin(), MIDDLE - radius * angle.cos())
}

fn star(outline: &mut Vec<Segment>, (x, y): Point, radius: f32) {
    for corner in 0..10_u8 {
        let reach = if corner % 2 == 0 { radius } else { radius * 0.42 };
        let angle = f32::from(corner) * PI / 5.0;
        let place = (x + reach * angle.sin(), y - reach * angle.cos());
        outline.push(if corner == 0 {
            Segment::Move(place)
        } else {
            Segment::Line(place)
        });
    }
    outline.push(Segment::Close);
}

/// Draws an ellipse with a hole. The outline of the hole runs in the opposite direction.
fn ring(outline: &mut Vec<Segment>, middle: f32, across: f32, along: f32, width: f32) {
    ellipse(outline, middle, across, along, 1.0);
    ellipse(outline, middle, across - width, along - width, -1.0);
}

fn ellipse(outline: &mut Vec<Segment>, middle: f32, across: f32, along: f32, turn: f32) {
    // With the usual four cubic curves, a circle is accurate to 0.03 % of the radius.
    const HANDLE: f32 = 0.552_284_8;
    let at = |right: f32, down: f32| (middle + right * across, MIDDLE + down * turn * along);
    outline.push(Segment::Move(at(1.0, 0.0)));
    for (from, to) in [
        ((1.0, 0.0), (0.0, 1.0)),
        ((0.0, 1.0), (-1.0, 0.0)),
        ((-1.0, 0.0), (0.0, -1.0)),
        ((0.0, -1.0), (1.0, 0.0)),
    ] {
        outline.push(Segment::Cubic(
            at(from.0 + to.0 * HANDLE, from.1 + to.1 * HANDLE),
            at(to.0 + from.0 * HANDLE, to.1 + from.1 * HANDLE),
            at(to.0, to.1),
        ));
    }
    outline.push(Segment::Close);
}

fn rounded_square(outline: &mut Vec<Segment>, half: f32, radius: f32, is_hole: bool) {
    let turn = if is_hole { -1.0 } else { 1.0 };
    let at = |right: f32, down: f32| (MIDDLE + right, MIDDLE + down * turn);
    let flat = half - radius;
    outline.push(Segment::Move(at(-flat, -half)));
    // Draws the four sides clockwise, each with the corner at its end: (along, across) of each side.
    for (along, across) in [
        ((1.0, 0.0), (0.0, -1.0)),
        ((0.0, 1.0), (1.0, 0.0)),
        ((-1.0, 0.0), (0.0, 1.0)),
        ((0.0, -1.0), (-1.0, 0.0)),
    ] {
        let place = |forth: f32, out: f32| at(along.0 * forth + across.0 * out, along.1 * forth + across.1 * out);
        let handle = radius * (1.0 - 0.552_284_8);
        outline.push(Segment::Line(place(flat, half)));
        outline.push(Segment::Cubic(
            place(half - handle, half),
            place(half, half - handle),
            place(half, flat),
        ));
    }
    outline.push(Segment::Close);
}

#[expect(clippy::cast_precision_loss, reason = "counts letters of a name")]
fn count(number: usize) -> f32 {
    number as f32
}
