//! Marks on text, and shapes, drawn as in `PDFium` and Poppler if the file leaves them to viewers.

use super::super::look::Look;
use super::canvas::{Border, Canvas, Colour, Point, shrunk};
use crate::pdf::geometry::Rectangle;
use crate::pdf::{Dict, Object};

/// Maximum number of waves in the squiggly lines of one annotation.
const MOST_WAVES: f64 = 40_000.0;

/// A marked piece of text: the ends of its upper and lower edges, in reading direction.
struct Quad {
    upper: (Point, Point),
    lower: (Point, Point),
}

impl Quad {
    /// Reads the corners. Files list them by row or around the area (12.5.6.10), from the top or the bottom, so their
    /// geometry decides.
    fn of(corners: &[f64]) -> Option<Self> {
        let [ax, ay, bx, by, cx, cy, dx, dy] = *corners else {
            return None;
        };
        let first = ((ax, ay), (bx, by));
        let mut second = ((cx, cy), (dx, dy));
        let along = (bx - ax, by - ay);
        if along.0 * (dx - cx) + along.1 * (dy - cy) < 0.0 {
            second = (second.1, second.0);
        }
        let up = (ax + bx - cx - dx, ay + by - cy - dy);
        Some(if along.0 * up.1 - along.1 * up.0 >= 0.0 {
            Self {
                upper: first,
                lower: second,
            }
        } else {
            Self {
                upper: second,
                lower: first,
            }
        })
    }
}

fn quads(objects: &impl Look, annotation: &Dict) -> Vec<Quad> {
    let numbers = objects.numbers_in(annotation, b"QuadPoints").unwrap_or_default();
    numbers.chunks(8).filter_map(Quad::of).collect()
}

fn between((ax, ay): Point, (bx, by): Point) -> Point {
    (f64::midpoint(ax, bx), f64::midpoint(ay, by))
}

/// Returns the unit vector towards another point.
fn towards((ax, ay): Point, (bx, by): Point) -> Point {
    let length = (bx - ax).hypot(by - ay);
    if length > 0.0 {
        ((bx - ax) / length, (by - ay) / length)
    } else {
        (0.0, 0.0)
    }
}

/// Darkens the marked text. The default colour is yellow, as in `PDFium`, so that words stay readable.
pub(super) fn highlight(objects: &impl Look, annotation: &Dict, canvas: &mut Canvas) {
    let colour = Colour::read(objects, annotation, b"C").unwrap_or_else(|| Colour::rgb(1.0, 1.0, 0.0));
    canvas.multiply();
    canvas.fill_with(&colour);
    for quad in quads(objects, annotation) {
        canvas.path(&[quad.upper.0, quad.upper.1, quad.lower.1, quad.lower.0], 0.0);
        canvas.op(format_args!("h f"));
    }
}

/// Draws a line through the middle of the marked text, or along its lower edge.
pub(super) fn line_on_text(objects: &impl Look, annotation: &Dict, canvas: &mut Canvas, is_through: bool) {
    let Some(colour) = Colour::of_lines(objects, annotation) else {
        return;
    };
    canvas.stroke_with(&colour, &thin());
    for quad in quads(objects, annotation) {
        let (start, end) = if is_through {
            (between(quad.upper.0, quad.lower.0), between(quad.upper.1, quad.lower.1))
        } else {
            let raised = |lower: Point, upper: Point| {
                let up = towards(lower, upper);
                (lower.0 + up.0, lower.1 + up.1)
            };
            (raised(quad.lower.0, quad.upper.0), raised(quad.lower.1, quad.upper.1))
        };
        canvas.path(&[start, end], 1.0);
        canvas.op(format_args!("S"));
    }
}

/// Draws waves along the lower edge.
pub(super) fn squiggly(objects: &impl Look, annotation: &Dict, canvas: &mut Canvas) {
    let Some(colour) = Colour::of_lines(objects, annotation) else {
        return;
    };
    canvas.stroke_with(&colour, &thin());
    let quads = quads(objects, annotation);
    #[expect(clippy::cast_precision_loss, reason = "of a number that only bounds work")]
    let most = (MOST_WAVES / quads.len() as f64).max(4.0);
    for quad in quads {
        let (start, end) = quad.lower;
        let length = (end.0 - start.0).hypot(end.1 - start.1);
        let (along, up) = (towards(start, end), towards(quad.lower.0, quad.upper.0));
        let step = (length / most).max(2.0);
        let mut waves = Vec::new();
        let mut at = 0.0;
        while at <= length {
            let height = if waves.len() % 2 == 0 { 1.0 } else { 3.0 };
            waves.push((
                start.0 + along.0 * at + up.0 * height,
                start.1 + along.1 * at + up.1 * height,
            ));
            at += step;
        }
        canvas.path(&waves, 1.0);
        canvas.op(format_args!("S"));
    }
}

fn thin() -> Border {
    Border {
        width: 1.0,
        dashes: Vec::new(),
        is_underline: false,
    }
}

/// The shapes that fill a rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Square,
    Circle,
}

/// Draws a rectangle or an ellipse. Cloudy borders (`BE`) are ignored, as in both viewers.
pub(super) fn shape(objects: &impl Look, annotation: &Dict, canvas: &mut Canvas, shape: Shape) {
    let Some(area) = objects.rectangle_in(annotation, b"Rect").filter(Rectangle::has_area) else {
        return;
    };
    let border = Border::read(objects, annotation);
    let line = Colour::of_lines(objects, annotation).filter(|_| border.width > 0.0);
    let filling = Colour::read(objects, annotation, b"IC");
    if line.is_none() && filling.is_none() {
        return;
    }
    if let Some(colour) = &filling {
        canvas.fill_with(colour);
    }
    if let Some(colour) = &line {
        canvas.stroke_with(colour, &border);
    }
    let half = (border.width / 2.0).min(area.width() / 2.0).min(area.height() / 2.0);
    let inner = shrunk(&area, half);
    canvas.cover((area.left, area.bottom), 0.0);
    canvas.cover((area.right, area.top), 0.0);
    match shape {
        Shape::Square => canvas.rectangle(&inner, 0.0),
        Shape::Circle => canvas.ellipse(&inner, 0.0),
    }
    canvas.paint(filling.is_some(), line.is_some());
}

/// Reads pairs of numbers as points.
pub(super) fn points(numbers: &[f64]) -> Vec<Point> {
    let pairs = numbers.chunks_exact(2);
    pairs.filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect()
}

/// Draws freehand lines.
pub(super) fn ink(objects: &impl Look, annotation: &Dict, canvas: &mut Canvas) {
    let border = Border::read(objects, annotation);
    let Some(colour) = Colour::of_lines(objects, annotation).filter(|_| border.width > 0.0) else {
        return;
    };
    canvas.stroke_with(&colour, &border);
    for line in objects.array_in(annotation, b"InkList").unwrap_or_default() {
        let Object::Array(numbers) = objects.follow(line) else {
            continue;
        };
        let numbers: Vec<f64> = numbers.iter().filter_map(|number| objects.number_of(number)).collect();
        canvas.path(&points(&numbers), reach(&border));
        canvas.op(format_args!("S"));
    }
}

/// Returns the maximum distance that a line extends around its points. Corners extend up to ten times the line width
/// (8.4.3.5).
pub(super) fn reach(border: &Border) -> f64 {
    border.width * 5.0 + 1.0
}

/// Draws a polygon.
pub(super) fn polygon(objects: &impl Look, annotation: &Dict, canvas: &mut Canvas) {
    let border = Border::read(objects, annotation);
    let line = Colour::of_lines(objects, annotation).filter(|_| border.width > 0.0);
    let filling = Colour::read(objects, annotation, b"IC");
    let vertices = points(&objects.numbers_in(annotation, b"Vertices").unwrap_or_default());
    if vertices.is_empty() || (line.is_none() && filling.is_none()) {
        return;
    }
    if let Some(colour) = &filling {
        canvas.fill_with(colour);
    }
    if let Some(colour) = &line {
        canvas.stroke_with(colour, &border);
    }
    canvas.path(&vertices, reach(&border));
    canvas.op(format_args!("h"));
    canvas.paint(filling.is_some(), line.is_some());
}

/// Draws the insertion sign: an arrowhead between two lines of text.
pub(super) fn caret(objects: &impl Look, annotation: &Dict, canvas: &mut Canvas) {
    let Some(area) = objects.rectangle_in(annotation, b"Rect") else {
        return;
    };
    let area = inset(objects, annotation, &area);
    let Some(colour) = Colour::of_lines(objects, annotation).filter(|_| area.has_area()) else {
        return;
    };
    canvas.fill_with(&colour);
    let middle = f64::midpoint(area.left, area.right);
    let (foot, head) = (area.bottom, area.top);
    let knee = foot + area.height() * 0.2;
    canvas.move_to((area.left, foot), 0.0);
    canvas.curve_to((middle, knee), (middle, knee), (middle, head), 0.0);
    canvas.curve_to((middle, knee), (middle, knee), (area.right, foot), 0.0);
    canvas.op(format_args!("h f"));
}

/// Returns the rectangle without the margins in `RD`.
pub(super) fn inset(objects: &impl Look, annotation: &Dict, area: &Rectangle) -> Rectangle {
    let taken = objects.numbers_in(annotation, b"RD").unwrap_or_default();
    let [left, bottom, right, top] = taken[..] else {
        return *area;
    };
    let inner = Rectangle {
        left: area.left + left.max(0.0),
        bottom: area.bottom + bottom.max(0.0),
        right: area.right - right.max(0.0),
        top: area.top - top.max(0.0),
    };
    if inner.has_area() { inner } else { *area }
}

/// Draws the border of a link as in the standard. Poppler draws it, `PDFium` does not.
pub(super) fn link(objects: &impl Look, annotation: &Dict, canvas: &mut Canvas) {
    let Some(area) = objects.rectangle_in(annotation, b"Rect").filter(Rectangle::has_area) else {
        return;
    };
    let border = Border::read(objects, annotation);
    let Some(colour) = Colour::of_lines(objects, annotation).filter(|_| border.width > 0.0) else {
        return;
    };
    canvas.stroke_with(&colour, &border);
    let half = border.width / 2.0;
    if border.is_underline {
        let y = area.bottom + half;
        canvas.path(&[(area.left, y), (area.right, y)], half);
    } else {
        canvas.rectangle(&area, half);
    }
    canvas.op(format_args!("S"));
}
