//! A drawing that becomes the appearance of an annotation (ISO 32000-2, 12.5.5).

use std::fmt::Write as _;

use super::super::look::{Look, dict, name};
use crate::pdf::edit::Edits;
use crate::pdf::geometry::{Matrix, Rectangle};
use crate::pdf::{Dict, Number, Object, Ref, Stream};

/// Maximum width of a line. Files may ask for more.
const WIDEST: f64 = 1_000.0;
/// Maximum number of parts in a dash pattern.
const MOST_DASHES: usize = 16;

/// A point in the page's user space.
pub(super) type Point = (f64, f64);

/// A colour of an annotation (12.5.2, `C`): one, three or four components.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Colour(Vec<f64>);

impl Colour {
    pub(super) fn grey(level: f64) -> Self {
        Self(vec![level])
    }

    pub(super) fn rgb(red: f64, green: f64, blue: f64) -> Self {
        Self(vec![red, green, blue])
    }

    /// Creates a colour from its components. `None` if it is transparent or undefined.
    pub(super) fn of(parts: &[f64]) -> Option<Self> {
        let parts: Vec<f64> = parts.iter().map(|part| part.clamp(0.0, 1.0)).collect();
        matches!(parts.len(), 1 | 3 | 4).then_some(Self(parts))
    }

    /// Reads the colour under a key.
    pub(super) fn read(objects: &impl Look, annotation: &Dict, key: &[u8]) -> Option<Self> {
        Self::of(&objects.numbers_in(annotation, key)?)
    }

    /// Reads the colour of lines: black by default, `None` if the file makes them transparent.
    pub(super) fn of_lines(objects: &impl Look, annotation: &Dict) -> Option<Self> {
        match objects.numbers_in(annotation, b"C") {
            None => Some(Self::grey(0.0)),
            Some(parts) => Self::of(&parts),
        }
    }

    /// Returns red, green and blue, for text.
    pub(super) fn ink(&self) -> [u8; 3] {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and 255"
        )]
        let byte = |part: f64| (part.clamp(0.0, 1.0) * 255.0).round() as u8;
        match self.0[..] {
            [grey] => [byte(grey); 3],
            [red, green, blue] => [byte(red), byte(green), byte(blue)],
            [cyan, magenta, yellow, black] => [cyan, magenta, yellow].map(|part| byte((1.0 - part) * (1.0 - black))),
            _ => [0; 3],
        }
    }

    fn operator(&self, of_one: &str, of_three: &str, of_four: &str) -> String {
        let operator = match self.0.len() {
            1 => of_one,
            3 => of_three,
            _ => of_four,
        };
        let parts: Vec<String> = self.0.iter().map(|part| format!("{part:.4}")).collect();
        format!("{} {operator}", parts.join(" "))
    }
}

/// Style of a border (12.5.4).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Border {
    pub(super) width: f64,
    pub(super) dashes: Vec<f64>,
    /// Whether the border is only a line along the lower edge.
    pub(super) is_underline: bool,
}

impl Border {
    /// Reads the border. `BS` takes precedence over `Border`. Without either, the border is a line one unit wide.
    pub(super) fn read(objects: &impl Look, annotation: &Dict) -> Self {
        let mut border = Self {
            width: 1.0,
            dashes: Vec::new(),
            is_underline: false,
        };
        if let Some(style) = objects.dict_in(annotation, b"BS") {
            border.width = number_in(objects, style, b"W").unwrap_or(1.0);
            border.is_underline = objects.is_name_in(style, b"S", b"U");
            if objects.is_name_in(style, b"S", b"D") {
                border.dashes = objects.numbers_in(style, b"D").unwrap_or_else(|| vec![3.0]);
            }
        } else if let Some(items) = objects.array_in(annotation, b"Border") {
            border.width = items.get(2).and_then(|width| objects.number_of(width)).unwrap_or(1.0);
            if let Some(Object::Array(dashes)) = items.get(3).map(|dashes| objects.follow(dashes)) {
                border.dashes = dashes.iter().filter_map(|dash| objects.number_of(dash)).collect();
            }
        }
        border.width = border.width.clamp(0.0, WIDEST);
        border.dashes.truncate(MOST_DASHES);
        // An invalid pattern results in a solid line (8.4.3.6).
        if border.dashes.iter().any(|dash| *dash < 0.0) || border.dashes.iter().sum::<f64>() <= 0.0 {
            border.dashes.clear();
        }
        border
    }
}

/// The instructions of a drawing, and its extent.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    content: String,
    extent: Option<Rectangle>,
    state: Dict,
    forms: Dict,
}

impl Canvas {
    /// Creates a drawing with the opacity of the annotation.
    pub(super) fn new(objects: &impl Look, annotation: &Dict) -> Self {
        let opacity = |key: &[u8]| number_in(objects, annotation, key);
        let lines = opacity(b"CA").unwrap_or(1.0).clamp(0.0, 1.0);
        let areas = opacity(b"ca").unwrap_or(lines).clamp(0.0, 1.0);
        let mut canvas = Self::default();
        if lines < 1.0 || areas < 1.0 {
            canvas.state.set(b"CA", number(lines));
            canvas.state.set(b"ca", number(areas));
        }
        canvas
    }

    /// Makes the drawing darken the content below it, like a highlighter.
    pub(super) fn multiply(&mut self) {
        self.state.set(b"BM", name(b"Multiply"));
    }

    pub(super) fn op(&mut self, instruction: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.content.write_fmt(instruction);
        self.content.push('\n');
    }

    pub(super) fn stroke_with(&mut self, colour: &Colour, border: &Border) {
        self.op(format_args!("{}", colour.operator("G", "RG", "K")));
        self.op(format_args!("{:.4} w", border.width));
        if !border.dashes.is_empty() {
            let dashes: Vec<String> = border.dashes.iter().map(|dash| format!("{dash:.4}")).collect();
            self.op(format_args!("[{}] 0 d", dashes.join(" ")));
        }
    }

    pub(super) fn fill_with(&mut self, colour: &Colour) {
        self.op(format_args!("{}", colour.operator("g", "rg", "k")));
    }

    pub(super) fn move_to(&mut self, (x, y): Point, pad: f64) {
        self.cover((x, y), pad);
        self.op(format_args!("{x:.4} {y:.4} m"));
    }

    pub(super) fn line_to(&mut self, (x, y): Point, pad: f64) {
        self.cover((x, y), pad);
        self.op(format_args!("{x:.4} {y:.4} l"));
    }

    pub(super) fn curve_to(&mut self, first: Point, second: Point, end: Point, pad: f64) {
        for point in [first, second, end] {
            self.cover(point, pad);
        }
        let ((ax, ay), (bx, by), (x, y)) = (first, second, end);
        self.op(format_args!("{ax:.4} {ay:.4} {bx:.4} {by:.4} {x:.4} {y:.4} c"));
    }

    /// Adds straight lines from point to point.
    pub(super) fn path(&mut self, points: &[Point], pad: f64) {
        for (place, point) in points.iter().enumerate() {
            if place == 0 {
                self.move_to(*point, pad);
            } else {
                self.line_to(*point, pad);
            }
        }
    }

    pub(super) fn rectangle(&mut self, area: &Rectangle, pad: f64) {
        self.cover((area.left, area.bottom), pad);
        self.cover((area.right, area.top), pad);
        let (width, height) = (area.width(), area.height());
        self.op(format_args!(
            "{:.4} {:.4} {width:.4} {height:.4} re",
            area.left, area.bottom
        ));
    }

    /// Adds the ellipse within a rectangle.
    pub(super) fn ellipse(&mut self, area: &Rectangle, pad: f64) {
        /// With the usual four cubic curves, a circle is accurate to 0.03 % of its radius.
        const HANDLE: f64 = 0.552_284_8;
        let (x, y) = (
            f64::midpoint(area.left, area.right),
            f64::midpoint(area.bottom, area.top),
        );
        let (across, up) = (area.width() / 2.0, area.height() / 2.0);
        let at = |right: f64, above: f64| (x + right * across, y + above * up);
        self.move_to(at(1.0, 0.0), pad);
        self.curve_to(at(1.0, HANDLE), at(HANDLE, 1.0), at(0.0, 1.0), pad);
        self.curve_to(at(-HANDLE, 1.0), at(-1.0, HANDLE), at(-1.0, 0.0), pad);
        self.curve_to(at(-1.0, -HANDLE), at(-HANDLE, -1.0), at(0.0, -1.0), pad);
        self.curve_to(at(HANDLE, -1.0), at(1.0, -HANDLE), at(1.0, 0.0), pad);
        self.op(format_args!("h"));
    }

    /// Paints the path: filled, stroked, both or neither.
    pub(super) fn paint(&mut self, is_filled: bool, is_stroked: bool) {
        self.op(format_args!(
            "{}",
            match (is_filled, is_stroked) {
                (true, true) => "B",
                (true, false) => "f",
                (false, true) => "S",
                (false, false) => "n",
            }
        ));
    }

    /// Draws a form, such as a text, with a transformation matrix.
    pub(super) fn form(&mut self, form: Ref, matrix: Matrix) {
        let name = format!("T{}", self.forms.len());
        self.op(format_args!("q {matrix} cm /{name} Do Q"));
        self.forms.set(name.as_bytes(), form);
    }

    /// Extends the drawing's area to `pad` around this point.
    pub(super) fn cover(&mut self, (x, y): Point, pad: f64) {
        let extent = self.extent.get_or_insert(Rectangle {
            left: x,
            bottom: y,
            right: x,
            top: y,
        });
        extent.left = extent.left.min(x - pad);
        extent.bottom = extent.bottom.min(y - pad);
        extent.right = extent.right.max(x + pad);
        extent.top = extent.top.max(y + pad);
    }

    /// Returns the appearance and its rectangle. `None` if nothing was drawn.
    pub(super) fn finish(self, edits: &mut Edits<'_>) -> Option<(Ref, Rectangle)> {
        let extent = self.extent.filter(Rectangle::has_area)?;
        Some((self.finish_in(edits, &extent, None), extent))
    }

    /// Returns the appearance with its own box and matrix.
    pub(super) fn finish_in(self, edits: &mut Edits<'_>, area: &Rectangle, matrix: Option<Matrix>) -> Ref {
        let mut resources = Dict::new();
        let mut content = self.content;
        if !self.state.is_empty() {
            resources.set(b"ExtGState", dict([(b"G0", self.state.into())]));
            content.insert_str(0, "/G0 gs\n");
        }
        if !self.forms.is_empty() {
            resources.set(b"XObject", self.forms);
        }
        let mut form = dict([
            (b"Type", name(b"XObject")),
            (b"Subtype", name(b"Form")),
            (b"BBox", corners(area)),
            (b"Resources", resources.into()),
        ]);
        if let Some(matrix) = matrix {
            let numbers = [matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f];
            form.set(b"Matrix", numbers.map(number).to_vec());
        }
        edits.add(Stream::new(form, content.into_bytes()))
    }
}

/// Reads the number under a key.
pub(super) fn number_in(objects: &impl Look, dict: &Dict, key: &[u8]) -> Option<f64> {
    objects.number_of(dict.get(key)?)
}

/// Rounds a number to four decimals.
pub(super) fn number(value: f64) -> Object {
    let rounded = (value * 10_000.0).round() / 10_000.0;
    // A drawing of infinite size is not visible.
    Number::try_from(rounded).map_or(Object::from(0), Object::from)
}

/// Returns a rectangle as a PDF array.
pub(super) fn corners(area: &Rectangle) -> Object {
    [area.left, area.bottom, area.right, area.top]
        .map(number)
        .to_vec()
        .into()
}

/// Returns a rectangle without a rim of this width.
pub(super) fn shrunk(area: &Rectangle, rim: f64) -> Rectangle {
    Rectangle {
        left: area.left + rim,
        bottom: area.bottom + rim,
        right: area.right - rim,
        top: area.top - rim,
    }
}
