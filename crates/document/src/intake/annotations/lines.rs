//! Lines with their ends, leader lines and captions (ISO 32000-2, 12.5.6.7, Table 179).

use super::super::look::Look;
use super::canvas::{Border, Canvas, Colour, Point, number_in};
use super::markup::{points, reach};
use super::texts::Texts;
use crate::pdf::Dict;
use crate::pdf::edit::Edits;
use crate::pdf::geometry::{Matrix, Rectangle};

/// Size of a line ending, as a multiple of the line width.
const END: f64 = 6.0;
/// Font size of a caption.
const CAPTION: f32 = 9.0;

/// Style of a line ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    None,
    Square,
    Circle,
    Diamond,
    OpenArrow,
    ClosedArrow,
    Butt,
    ReversedOpenArrow,
    ReversedClosedArrow,
    Slash,
}

impl End {
    /// Reads a line ending. Unknown styles count as none.
    fn of(name: &[u8]) -> Self {
        match name {
            b"Square" => Self::Square,
            b"Circle" => Self::Circle,
            b"Diamond" => Self::Diamond,
            b"OpenArrow" => Self::OpenArrow,
            b"ClosedArrow" => Self::ClosedArrow,
            b"Butt" => Self::Butt,
            b"ROpenArrow" => Self::ReversedOpenArrow,
            b"RClosedArrow" => Self::ReversedClosedArrow,
            b"Slash" => Self::Slash,
            _ => Self::None,
        }
    }

    /// Returns whether the ending encloses an area. The line stops at its edge.
    fn is_area(self) -> bool {
        matches!(self, Self::Square | Self::Circle | Self::Diamond | Self::ClosedArrow)
    }
}

/// The coordinate frame of a line: an origin, the direction of the line, and the direction to its left.
#[derive(Debug, Clone, Copy)]
struct Frame {
    origin: Point,
    along: Point,
}

impl Frame {
    fn new(from: Point, to: Point) -> (Self, f64) {
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let along = if length > 0.0 {
            ((to.0 - from.0) / length, (to.1 - from.1) / length)
        } else {
            (1.0, 0.0)
        };
        (Self { origin: from, along }, length)
    }

    fn at(self, ahead: f64, left: f64) -> Point {
        let (x, y) = self.along;
        (
            self.origin.0 + x * ahead - y * left,
            self.origin.1 + y * ahead + x * left,
        )
    }

    /// Returns the frame at another point along the line, in the opposite direction.
    fn turned(self, ahead: f64) -> Self {
        Self {
            origin: self.at(ahead, 0.0),
            along: (-self.along.0, -self.along.1),
        }
    }
}

/// Style of a line.
struct Pen {
    border: Border,
    /// Fill colour of the line endings.
    filling: Option<Colour>,
    ends: (End, End),
}

impl Pen {
    /// Reads and sets the colours. `None` if nothing is drawn.
    fn read(objects: &impl Look, annotation: &Dict, canvas: &mut Canvas) -> Option<Self> {
        let border = Border::read(objects, annotation);
        let colour = Colour::of_lines(objects, annotation).filter(|_| border.width > 0.0)?;
        canvas.stroke_with(&colour, &border);
        let filling = Colour::read(objects, annotation, b"IC");
        if let Some(colour) = &filling {
            canvas.fill_with(colour);
        }
        Some(Self {
            border,
            filling,
            ends: ends(objects, annotation),
        })
    }

    fn size(&self, length: f64) -> f64 {
        (END * self.border.width).min(length / 2.0)
    }

    /// Draws the ending of a line that ends at the frame's origin.
    fn end(&self, canvas: &mut Canvas, frame: Frame, end: End, size: f64) {
        let pad = reach(&self.border);
        let half = size / 2.0;
        let rise = size * std::f64::consts::FRAC_PI_6.tan();
        match end {
            End::None => return,
            End::Square => {
                let corners = [(0.0, half), (size, half), (size, -half), (0.0, -half)];
                canvas.path(&corners.map(|(ahead, left)| frame.at(ahead, left)), pad);
            }
            End::Diamond => {
                let corners = [(0.0, 0.0), (half, half), (size, 0.0), (half, -half)];
                canvas.path(&corners.map(|(ahead, left)| frame.at(ahead, left)), pad);
            }
            End::Circle => {
                let (x, y) = frame.at(half, 0.0);
                let area = Rectangle {
                    left: x - half,
                    bottom: y - half,
                    right: x + half,
                    top: y + half,
                };
                canvas.ellipse(&area, pad);
            }
            End::OpenArrow | End::ClosedArrow => {
                let corners = [(size, rise), (0.0, 0.0), (size, -rise)];
                canvas.path(&corners.map(|(ahead, left)| frame.at(ahead, left)), pad);
            }
            End::ReversedOpenArrow | End::ReversedClosedArrow => {
                let corners = [(-size, rise), (0.0, 0.0), (-size, -rise)];
                canvas.path(&corners.map(|(ahead, left)| frame.at(ahead, left)), pad);
            }
            End::Butt => canvas.path(&[frame.at(0.0, half), frame.at(0.0, -half)], pad),
            End::Slash => canvas.path(&[frame.at(-half / 2.0, -half), frame.at(half / 2.0, half)], pad),
        }
        if end.is_area() || end == End::ReversedClosedArrow {
            canvas.op(format_args!("h"));
            canvas.paint(self.filling.is_some(), true);
        } else {
            canvas.paint(false, true);
        }
    }
}

fn ends(objects: &impl Look, annotation: &Dict) -> (End, End) {
    let of = |place: usize| {
        let name = match objects.value_in(annotation, b"LE")? {
            // A callout has one ending.
            name if place == 0 && name.as_name().is_some() => name,
            several => objects.follow(several.as_array()?.get(place)?),
        };
        Some(End::of(&name.as_name()?.bytes()))
    };
    (of(0).unwrap_or(End::None), of(1).unwrap_or(End::None))
}

/// Draws a straight line.
pub(super) fn line(edits: &mut Edits<'_>, annotation: &Dict, canvas: &mut Canvas, texts: &mut Texts) -> Option<()> {
    let numbers = edits.numbers_in(annotation, b"L")?;
    let [from, to] = points(&numbers)[..] else {
        return None;
    };
    let pen = Pen::read(edits, annotation, canvas)?;
    let length_of = |key: &[u8]| number_in(edits, annotation, key).unwrap_or(0.0);
    let (leader, extension, offset) = (length_of(b"LL"), length_of(b"LLE").max(0.0), length_of(b"LLO").max(0.0));
    let (frame, length) = Frame::new(from, to);
    let side = if leader < 0.0 { -1.0 } else { 1.0 };
    let raised = if leader == 0.0 { 0.0 } else { leader + side * offset };
    let main = Frame {
        origin: frame.at(0.0, raised),
        ..frame
    };
    let pad = reach(&pen.border);
    if raised != 0.0 {
        for ahead in [0.0, length] {
            let foot = frame.at(ahead, side * offset);
            canvas.path(&[foot, frame.at(ahead, raised + side * extension)], pad);
            canvas.op(format_args!("S"));
        }
    }
    let caption = caption(edits, annotation);
    let width = match &caption {
        Some(text) => texts.width(text, CAPTION),
        None => 0.0,
    };
    let end_length = pen.size(length);
    let shortened = |end: End| if end.is_area() { end_length } else { 0.0 };
    let (start, stop) = (shortened(pen.ends.0), length - shortened(pen.ends.1));
    let is_above = edits.is_name_in(annotation, b"CP", b"Top") || width + 8.0 > stop - start;
    let middle = f64::midpoint(start, stop);
    let pieces = if caption.is_some() && !is_above {
        let gap = width / 2.0 + 2.0;
        vec![(start, middle - gap), (middle + gap, stop)]
    } else {
        vec![(start, stop)]
    };
    for (start, stop) in pieces {
        canvas.path(&[main.at(start, 0.0), main.at(stop, 0.0)], pad);
        canvas.op(format_args!("S"));
    }
    pen.end(canvas, main, pen.ends.0, end_length);
    pen.end(canvas, main.turned(length), pen.ends.1, end_length);
    if let Some(text) = caption {
        let shifted = edits.numbers_in(annotation, b"CO").unwrap_or_default();
        let (right, up) = match shifted[..] {
            [right, up] => (right, up),
            _ => (0.0, 0.0),
        };
        write_caption(
            edits,
            canvas,
            texts,
            (&text, width),
            (main, middle + right, up, is_above),
        );
    }
    Some(())
}

/// Returns the text shown on a line.
pub(super) fn caption(objects: &impl Look, annotation: &Dict) -> Option<String> {
    let is_shown = objects.value_in(annotation, b"Cap")?.as_bool()?;
    let text = objects.text_in(annotation, b"Contents").filter(|_| is_shown)?;
    (!text.trim().is_empty()).then_some(text)
}

fn write_caption(
    edits: &mut Edits<'_>,
    canvas: &mut Canvas,
    texts: &mut Texts,
    (text, width): (&str, f64),
    (line, middle, up, is_above): (Frame, f64, f64, bool),
) {
    let (box_width, box_height) = (width + 6.0, f64::from(CAPTION) * 1.5);
    let foot = if is_above { 2.0 } else { -box_height / 2.0 } + up;
    let (left, right) = (middle - box_width / 2.0, middle + box_width / 2.0);
    for (ahead, height) in [
        (left, foot),
        (right, foot),
        (left, foot + box_height),
        (right, foot + box_height),
    ] {
        canvas.cover(line.at(ahead, height), 1.0);
    }
    let form = texts.caption(edits, text, CAPTION, (box_width, box_height));
    let (x, y) = line.at(left, foot);
    canvas.form(
        form,
        Matrix {
            a: line.along.0,
            b: line.along.1,
            c: -line.along.1,
            d: line.along.0,
            e: x,
            f: y,
        },
    );
}

/// Draws a line from point to point.
pub(super) fn polyline(objects: &impl Look, annotation: &Dict, canvas: &mut Canvas) -> Option<()> {
    let vertices = points(&objects.numbers_in(annotation, b"Vertices")?);
    through(objects, annotation, canvas, &vertices, true)
}

/// Draws the line from a subject to its text.
pub(super) fn callout(objects: &impl Look, annotation: &Dict, canvas: &mut Canvas) -> Option<()> {
    let knees = points(&objects.numbers_in(annotation, b"CL")?);
    through(objects, annotation, canvas, &knees, false)
}

fn through(
    objects: &impl Look,
    annotation: &Dict,
    canvas: &mut Canvas,
    vertices: &[Point],
    is_coloured: bool,
) -> Option<()> {
    let [first, second, ..] = *vertices else { return None };
    let [.., before, last] = *vertices else { return None };
    // The colour of a callout is the colour of its text, which is already set.
    let pen = if is_coloured {
        Pen::read(objects, annotation, canvas)?
    } else {
        Pen {
            border: Border::read(objects, annotation),
            filling: None,
            ends: ends(objects, annotation),
        }
    };
    canvas.path(vertices, reach(&pen.border));
    canvas.op(format_args!("S"));
    let (frame, length) = Frame::new(first, second);
    pen.end(canvas, frame, pen.ends.0, pen.size(length));
    let (frame, length) = Frame::new(last, before);
    pen.end(canvas, frame, pen.ends.1, pen.size(length));
    Some(())
}
