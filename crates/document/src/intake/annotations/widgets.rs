//! Widgets whose appearance the file leaves to viewers: list boxes, check boxes, radio buttons, push buttons. `flatten`
//! draws text fields when the form becomes part of the page.

use domain::field::measures::{LARGEST_AUTOMATIC, LINE_HEIGHT};
use domain::field::{Alignment, TextPlace};

use super::super::Refused;
use super::super::look::{Look, dict};
use super::appearance::{Appearance, with_box};
use super::canvas::{Border, Canvas, Colour, shrunk};
use super::texts::{DefaultAppearance, Texts, moved};
use crate::pdf::edit::Edits;
use crate::pdf::geometry::{Matrix, Rectangle};
use crate::pdf::{Dict, Name, Object, Ref};
use crate::text::layout::TextStyle;

/// Maximum nesting of fields.
const DEEPEST: usize = 32;
/// Field flags (Tables 229, 233), as bits.
const RADIO: i64 = 1 << 15;
const PUSH_BUTTON: i64 = 1 << 16;
const COMBO: i64 = 1 << 17;
/// Background of a selected option in `PDFium`.
const CHOSEN: [f64; 3] = [0.0, 0.2, 0.44];

/// Returns the value of a key in a widget, or in the fields above it.
pub(super) fn inherited<'o>(objects: &'o impl Look, widget: &'o Dict, key: &[u8]) -> Option<&'o Object> {
    let mut node = widget;
    for _ in 0..DEEPEST {
        match objects.value_in(node, key) {
            None | Some(Object::Null) => node = objects.dict_in(node, b"Parent")?,
            found => return found,
        }
    }
    None
}

/// The kind of field that a widget belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    PushButton,
    Check,
    Radio,
    ListBox,
    Text,
    Other,
}

impl Kind {
    fn of(objects: &impl Look, widget: &Dict) -> Self {
        let flags = inherited(objects, widget, b"Ff").and_then(Object::as_i64).unwrap_or(0);
        let Some(name) = inherited(objects, widget, b"FT").and_then(Object::as_name) else {
            return Self::Other;
        };
        match &*name.bytes() {
            b"Btn" if flags & PUSH_BUTTON != 0 => Self::PushButton,
            b"Btn" if flags & RADIO != 0 => Self::Radio,
            b"Btn" => Self::Check,
            b"Ch" if flags & COMBO == 0 => Self::ListBox,
            b"Tx" | b"Ch" => Self::Text,
            _ => Self::Other,
        }
    }
}

/// Returns whether viewers draw content for the widget that is not in the file.
pub(super) fn is_left_to_viewers(objects: &impl Look, widget: &Dict) -> bool {
    let appearance = Appearance::of(objects, widget);
    let is_missing = appearance == Appearance::None;
    let has_area = objects
        .rectangle_in(widget, b"Rect")
        .is_some_and(|area| area.has_area());
    has_area
        && match Kind::of(objects, widget) {
            Kind::Text => is_missing && has_value(objects, widget),
            Kind::ListBox => is_missing && !options(objects, widget).is_empty(),
            Kind::Check | Kind::Radio => {
                matches!(appearance, Appearance::WithoutBox(_)) || (is_missing && state(objects, widget).is_some())
            }
            Kind::PushButton => {
                let characteristics = objects.dict_in(widget, b"MK");
                is_missing && characteristics.is_some_and(|own| own.has(b"CA") || own.has(b"I"))
            }
            Kind::Other => false,
        }
}

/// Returns whether the widget has a visible value.
pub(super) fn has_value(objects: &impl Look, widget: &Dict) -> bool {
    match inherited(objects, widget, b"V") {
        Some(Object::Str(text)) => !text.text().trim().is_empty(),
        Some(Object::Array(several)) => !several.is_empty(),
        Some(Object::Stream(_)) => true,
        _ => false,
    }
}

/// Returns the name of a button's on state.
fn state(objects: &impl Look, widget: &Dict) -> Option<Name> {
    let is_on = |name: &&Name| !name.is(b"Off");
    match objects.value_in(widget, b"AS").and_then(Object::as_name) {
        Some(name) => Some(name).filter(is_on).cloned(),
        // Only the appearances could show which widget the value refers to.
        None if Kind::of(objects, widget) == Kind::Radio => None,
        None => inherited(objects, widget, b"V")?.as_name().filter(is_on).cloned(),
    }
}

/// Returns the widget with an appearance, if viewers draw one that is not in the file. `is_stale` means that the form
/// asks viewers to redraw every field (`NeedAppearances`).
pub(super) fn drawn(
    edits: &mut Edits<'_>,
    widget: &Dict,
    texts: &mut Texts,
    is_stale: bool,
) -> Result<Option<Dict>, Refused> {
    let mut widget = widget.clone();
    let is_settled = settle_state(edits, &mut widget);
    let appearance = Appearance::of(edits, &widget);
    let look: Option<Object> = match (Kind::of(edits, &widget), appearance) {
        (_, Appearance::WithoutBox(look)) => match with_box(edits, look, &widget) {
            Some(stream) => {
                let look = edits.add(stream);
                Some(of_state(edits, &widget, look))
            }
            None => None,
        },
        (Kind::PushButton, Appearance::None) if has_icon(edits, &widget) => return Err(texts.whose.refused()),
        (Kind::PushButton, Appearance::None) => push_button(edits, &widget, texts).map(Object::from),
        (Kind::ListBox, Appearance::None) => list_box(edits, &widget, texts).map(Object::from),
        (Kind::ListBox, _) if is_stale => list_box(edits, &widget, texts).map(Object::from),
        (kind @ (Kind::Check | Kind::Radio), Appearance::None | Appearance::NoneForState) => {
            button(edits, &mut widget, kind, appearance)
        }
        _ => None,
    };
    if let Some(look) = look {
        widget.set(b"AP", dict([(b"N", look)]));
        return Ok(Some(widget));
    }
    Ok(is_settled.then_some(widget))
}

/// If there are appearances for states but no current state, sets the state that viewers use: the value, or `Off`.
fn settle_state(objects: &impl Look, widget: &mut Dict) -> bool {
    let looks = objects.dict_in(widget, b"AP");
    let Some(states) = looks.and_then(|looks| objects.dict_in(looks, b"N")) else {
        return false;
    };
    if objects.name_in(widget, b"AS").is_some() {
        return false;
    }
    let value = inherited(objects, widget, b"V").and_then(Object::as_name);
    let state = value.filter(|value| states.has(&value.bytes())).cloned();
    widget.set(b"AS", state.unwrap_or_else(|| Name::new(b"Off")));
    true
}

/// Replaces the current appearance.
fn of_state(objects: &impl Look, widget: &Dict, look: Ref) -> Object {
    let looks = objects.dict_in(widget, b"AP");
    match (
        looks.and_then(|looks| objects.dict_in(looks, b"N")),
        objects.name_in(widget, b"AS"),
    ) {
        (Some(states), Some(state)) => {
            let mut states = states.clone();
            let shown: &[u8] = if states.has(&state) { &state } else { b"Off" };
            states.set(shown, look);
            states.into()
        }
        _ => look.into(),
    }
}

/// The box of a widget as drawn, with the rotation from its characteristics (Table 192, `R`).
struct Frame {
    canvas: Canvas,
    /// The box, relative to the origin.
    area: Rectangle,
    matrix: Option<Matrix>,
    border: f64,
}

impl Frame {
    /// Draws background and border. `None` if there is no box.
    fn new(objects: &impl Look, widget: &Dict) -> Option<Self> {
        let rectangle = objects.rectangle_in(widget, b"Rect").filter(Rectangle::has_area)?;
        let empty = Dict::new();
        let characteristics = objects.dict_in(widget, b"MK").unwrap_or(&empty);
        let turned = objects
            .integer(characteristics, b"R")
            .ok()
            .flatten()
            .map_or(0, |degrees| degrees.rem_euclid(360) / 90);
        let (width, height) = if turned % 2 == 1 {
            (rectangle.height(), rectangle.width())
        } else {
            (rectangle.width(), rectangle.height())
        };
        let matrix = |a, b, c, d, e, f| Some(Matrix { a, b, c, d, e, f });
        let matrix = match turned {
            1 => matrix(0.0, 1.0, -1.0, 0.0, height, 0.0),
            2 => matrix(-1.0, 0.0, 0.0, -1.0, width, height),
            3 => matrix(0.0, -1.0, 1.0, 0.0, 0.0, width),
            _ => None,
        };
        let area = Rectangle {
            left: 0.0,
            bottom: 0.0,
            right: width,
            top: height,
        };
        let mut canvas = Canvas::default();
        if let Some(colour) = Colour::read(objects, characteristics, b"BG") {
            canvas.fill_with(&colour);
            canvas.rectangle(&area, 0.0);
            canvas.op(format_args!("f"));
        }
        let mut border = Border::read(objects, widget);
        let colour = Colour::read(objects, characteristics, b"BC").filter(|_| border.width > 0.0);
        border.width = border.width.min(width / 2.0).min(height / 2.0);
        if let Some(colour) = &colour {
            let half = border.width / 2.0;
            canvas.stroke_with(colour, &border);
            if border.is_underline {
                canvas.path(&[(0.0, half), (width, half)], 0.0);
            } else {
                canvas.rectangle(&shrunk(&area, half), 0.0);
            }
            canvas.op(format_args!("S"));
        }
        Some(Self {
            canvas,
            area,
            matrix,
            border: if colour.is_some() { border.width } else { 0.0 },
        })
    }

    fn finish(self, edits: &mut Edits<'_>) -> Ref {
        self.canvas.finish_in(edits, &self.area, self.matrix)
    }
}

fn default_appearance(objects: &impl Look, widget: &Dict) -> DefaultAppearance {
    let own = inherited(objects, widget, b"DA")
        .and_then(Object::as_str)
        .map(crate::pdf::Str::text);
    let of_form = || objects.text_in(objects.dict_of_catalog(b"AcroForm")?, b"DA");
    DefaultAppearance::parse(&own.or_else(of_form).unwrap_or_default())
}

/// Returns whether a button has an icon. Viewers scale and place icons differently.
fn has_icon(objects: &impl Look, widget: &Dict) -> bool {
    let icon = objects
        .dict_in(widget, b"MK")
        .and_then(|own| objects.value_in(own, b"I"));
    matches!(icon, Some(Object::Stream(_)))
}

fn push_button(edits: &mut Edits<'_>, widget: &Dict, texts: &mut Texts) -> Option<Ref> {
    let characteristics = edits.dict_in(widget, b"MK")?.clone();
    let mut frame = Frame::new(edits, widget)?;
    let caption = edits.text_in(&characteristics, b"CA").unwrap_or_default();
    if !caption.trim().is_empty() {
        let appearance = default_appearance(edits, widget);
        let style = TextStyle {
            place: Some(TextPlace::OneLine),
            size: Some(appearance.size.unwrap_or(LARGEST_AUTOMATIC)),
            alignment: Alignment::Center,
            colour: appearance.colour.ink(),
            ..TextStyle::default()
        };
        let form = texts.add(edits, &caption, style, (frame.area.width(), frame.area.height()));
        frame.canvas.form(form, moved(0.0, 0.0));
    }
    let has_box = characteristics.has(b"BG") || characteristics.has(b"BC");
    (has_box || !caption.trim().is_empty()).then(|| frame.finish(edits))
}

/// Draws a button with its box, and with its mark if it is on.
fn button(edits: &mut Edits<'_>, widget: &mut Dict, kind: Kind, appearance: Appearance) -> Option<Object> {
    let state = state(edits, widget);
    let looks = edits.dict_in(widget, b"AP");
    let mut states = looks
        .and_then(|looks| edits.dict_in(looks, b"N"))
        .cloned()
        .unwrap_or_default();
    if appearance == Appearance::NoneForState {
        // An appearance shows nothing if its state has no entry.
        let broken = states.has(&state.as_ref().map_or((&b"Off"[..]).into(), Name::bytes));
        if !broken {
            return None;
        }
    }
    let characteristics = edits.dict_in(widget, b"MK");
    let has_box = characteristics.is_some_and(|own| own.has(b"BG") || own.has(b"BC"));
    if state.is_none() && !has_box {
        return None;
    }
    let off = Frame::new(edits, widget)?.finish(edits);
    if !matches!(states.get(b"Off").map(|off| edits.follow(off)), Some(Object::Stream(_))) {
        states.set(b"Off", off);
    }
    let name = state.unwrap_or_else(|| Name::new(b"Off"));
    if !name.is(b"Off") {
        let mut frame = Frame::new(edits, widget)?;
        let style = edits.dict_in(widget, b"MK").and_then(|own| edits.text_in(own, b"CA"));
        let colour = default_appearance(edits, widget).colour;
        mark(&mut frame, style.as_deref(), kind, &colour);
        let on = frame.finish(edits);
        states.set(&name.bytes(), on);
    }
    widget.set(b"AS", name);
    Some(states.into())
}

/// Draws the mark of a button that is on. `CA` selects it by a letter in Zapf Dingbats.
fn mark(frame: &mut Frame, style: Option<&str>, kind: Kind, colour: &Colour) {
    let (width, height) = (frame.area.width(), frame.area.height());
    let side = (width.min(height) - 2.0 * frame.border).max(1.0);
    let (left, bottom) = ((width - side) / 2.0, (height - side) / 2.0);
    let at = |right: f64, up: f64| (left + right * side, bottom + up * side);
    let canvas = &mut frame.canvas;
    canvas.fill_with(colour);
    let line = Border {
        width: side * 0.1,
        dashes: Vec::new(),
        is_underline: false,
    };
    let style = style.and_then(|style| style.chars().next());
    match style.unwrap_or(if kind == Kind::Radio { 'l' } else { '4' }) {
        '8' => {
            canvas.stroke_with(colour, &line);
            canvas.op(format_args!("[] 0 d"));
            canvas.path(&[at(0.15, 0.15), at(0.85, 0.85)], 0.0);
            canvas.path(&[at(0.15, 0.85), at(0.85, 0.15)], 0.0);
            canvas.op(format_args!("S"));
        }
        'l' => {
            let (lower, upper) = (at(0.22, 0.22), at(0.78, 0.78));
            let area = Rectangle {
                left: lower.0,
                bottom: lower.1,
                right: upper.0,
                top: upper.1,
            };
            canvas.ellipse(&area, 0.0);
            canvas.op(format_args!("f"));
        }
        'u' => {
            canvas.path(&[at(0.5, 0.1), at(0.9, 0.5), at(0.5, 0.9), at(0.1, 0.5)], 0.0);
            canvas.op(format_args!("f"));
        }
        'n' => {
            canvas.path(&[at(0.2, 0.2), at(0.8, 0.2), at(0.8, 0.8), at(0.2, 0.8)], 0.0);
            canvas.op(format_args!("f"));
        }
        'H' => {
            let points: Vec<(f64, f64)> = (0..10)
                .map(|corner| {
                    let radius = if corner % 2 == 0 { 0.45 } else { 0.18 };
                    let angle = std::f64::consts::FRAC_PI_2 + f64::from(corner) * std::f64::consts::PI / 5.0;
                    at(0.5 + radius * angle.cos(), 0.5 + radius * angle.sin())
                })
                .collect();
            canvas.path(&points, 0.0);
            canvas.op(format_args!("f"));
        }
        _ => {
            canvas.stroke_with(colour, &line);
            canvas.op(format_args!("[] 0 d 1 J 1 j"));
            canvas.path(&[at(0.18, 0.46), at(0.41, 0.22), at(0.84, 0.78)], 0.0);
            canvas.op(format_args!("S"));
        }
    }
}

/// Returns the options of a list: the name in the file and the displayed name of each.
fn options(objects: &impl Look, widget: &Dict) -> Vec<(String, String)> {
    let text = |object: &Object| {
        let text = objects.follow(object).as_str().map(crate::pdf::Str::text);
        text.unwrap_or_default()
    };
    let Some(Object::Array(entries)) = inherited(objects, widget, b"Opt") else {
        return Vec::new();
    };
    entries
        .iter()
        .map(|entry| match objects.follow(entry) {
            Object::Array(pair) => (
                pair.first().map(text).unwrap_or_default(),
                pair.get(1).map(text).unwrap_or_default(),
            ),
            other => (text(other), text(other)),
        })
        .collect()
}

/// Returns which options are selected, by their index or by the value.
fn chosen(objects: &impl Look, widget: &Dict, options: &[(String, String)]) -> Vec<bool> {
    if let Some(Object::Array(places)) = inherited(objects, widget, b"I") {
        let places: Vec<usize> = places
            .iter()
            .filter_map(|place| objects.follow(place).as_usize())
            .collect();
        return (0..options.len()).map(|place| places.contains(&place)).collect();
    }
    let values: Vec<String> = match inherited(objects, widget, b"V") {
        Some(Object::Array(several)) => several
            .iter()
            .filter_map(|value| Some(objects.follow(value).as_str()?.text()))
            .collect(),
        Some(Object::Str(one)) => vec![one.text()],
        _ => Vec::new(),
    };
    options
        .iter()
        .map(|(value, shown)| values.contains(value) || values.contains(shown))
        .collect()
}

fn list_box(edits: &mut Edits<'_>, widget: &Dict, texts: &mut Texts) -> Option<Ref> {
    let mut frame = Frame::new(edits, widget)?;
    let options = options(edits, widget);
    let chosen = chosen(edits, widget, &options);
    let first = inherited(edits, widget, b"TI").and_then(Object::as_usize).unwrap_or(0);
    let appearance = default_appearance(edits, widget);
    let size = appearance.size.unwrap_or(LARGEST_AUTOMATIC);
    let height = f64::from(size * LINE_HEIGHT).max(1.0);
    let (left, width) = (frame.border, frame.area.width() - 2.0 * frame.border);
    let lowest = frame.border;
    let mut top = frame.area.top - frame.border;
    // Text that does not fit is scrolled out of view.
    let inner = Rectangle {
        left,
        bottom: lowest,
        right: left + width,
        top,
    };
    if !inner.has_area() {
        return Some(frame.finish(edits));
    }
    frame.canvas.op(format_args!("q"));
    frame.canvas.rectangle(&inner, 0.0);
    frame.canvas.op(format_args!("W n"));
    for ((_, text), is_chosen) in options.iter().zip(chosen).skip(first) {
        if top <= lowest {
            break;
        }
        let row = Rectangle {
            bottom: top - height,
            top,
            ..inner
        };
        if is_chosen {
            frame.canvas.fill_with(&Colour::rgb(CHOSEN[0], CHOSEN[1], CHOSEN[2]));
            frame.canvas.rectangle(&row, 0.0);
            frame.canvas.op(format_args!("f"));
        }
        if !text.trim().is_empty() {
            let style = TextStyle {
                place: Some(TextPlace::OneLine),
                size: Some(size),
                colour: if is_chosen { [255; 3] } else { appearance.colour.ink() },
                ..TextStyle::default()
            };
            let form = texts.add(edits, text, style, (width, height));
            frame.canvas.form(form, moved(left, row.bottom));
        }
        top -= height;
    }
    frame.canvas.op(format_args!("Q"));
    Some(frame.finish(edits))
}
