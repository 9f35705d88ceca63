//! Makes the form part of the pages.
//!
//! What is filled in here goes through us, onto the pages, and is sealed there. Fields that stayed in
//! the file could be filled in past us, and contradict what was signed. So each widget's appearance is
//! drawn into its page, in the place and order in which viewers show it, and the form is removed. Where
//! the form's fields become those of a template, only their boxes are drawn, for their values become
//! defaults that are drawn when all have signed.
//!
//! Values that have no appearance (the file leaves it to the viewer), or one that the form calls stale
//! (`NeedAppearances`, 12.7.3: the value wins), are handed back as marks, which the stamp draws.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use domain::field::measures::LINE_HEIGHT;
use domain::field::{Field, FieldKind, Placement, TextPlace};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

use super::FormValues;
use super::content;
use super::form_fields::{self, Fate, Shown};
use crate::marks::stamp::{Mark, MarkContent};
use crate::pdf::form;
use crate::pdf::geometry::{Matrix, Rectangle, inherited};
use crate::text::layout::TextStyle;

/// Bytes of a look that is searched for what it shows; a larger one shows something.
const LARGEST_LOOK: usize = 1 << 20;

/// What was done.
#[derive(Debug, Default)]
pub(super) struct Flattened {
    /// How many widgets there were.
    pub(super) widgets: u32,
    /// The fields that a template may have.
    pub(super) fields: Vec<Field>,
    /// Values that the file did not show by itself, each with the name of its field.
    pub(super) marks: Vec<(String, Mark)>,
    /// How many widgets got another look than the file has for them.
    pub(super) made: u32,
    /// How many fields have larger boxes than the form gives them.
    pub(super) enlarged: u32,
    /// The names of fields that a template does not have, for their boxes are too small.
    pub(super) too_small: Vec<String>,
    /// The names of fields that a template does not have, for their values cannot be its; they are on the pages as they look.
    pub(super) values_kept: Vec<String>,
    /// The names of fields that hold a value and a look that shows none.
    pub(super) unshown: Vec<String>,
}

/// What becomes of the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// What the file shows by itself: the pages look as before.
    OfTheFile,
    /// The same, and the values that it leaves to viewers.
    OfViewers(FormValues),
}

/// Has it widgets, or a form at all?
pub(super) fn has_form(document: &Document) -> bool {
    let listed = document
        .catalog()
        .ok()
        .and_then(|catalog| form::dictionary(document, catalog, b"AcroForm"))
        .is_some();
    listed || !form_fields::widgets(document).is_empty()
}

/// A widget's part in its page.
struct Piece {
    page: ObjectId,
    widget: Option<ObjectId>,
    /// The appearance and the map to the place where it shows.
    drawn: Option<(Object, Matrix)>,
}

/// Flattens the form, in place.
pub(super) fn flatten(document: &mut Document, look: Look) -> Flattened {
    let (values, is_drawn) = match look {
        Look::OfTheFile => (FormValues::Shown, false),
        Look::OfViewers(values) => (values, true),
    };
    let is_stale = is_drawn && needs_appearances(document);
    let mut done = Flattened::default();
    let mut pieces = Vec::new();
    for widget in form_fields::widgets(document) {
        done.widgets = done.widgets.saturating_add(1);
        let mut piece = Piece {
            page: widget.page,
            widget: widget.id,
            drawn: None,
        };
        if !widget.is_unseen(document) {
            done.fields.extend(widget.field.clone());
            match widget.fate {
                Fate::Plain => {}
                Fate::Enlarged => done.enlarged = done.enlarged.saturating_add(1),
                Fate::TooSmall => done.too_small.push(widget.name.clone()),
                Fate::ValueKept => done.values_kept.push(widget.name.clone()),
            }
            let taken = widget.field.clone().filter(|_| values == FormValues::Taken);
            let own = appearance(document, widget.dictionary, taken.as_ref());
            let has_look = form::dictionary(document, widget.dictionary, b"AP").is_some_and(|look| look.has(b"N"));
            let is_made = is_drawn && taken.is_none() && (!has_look || (is_stale && widget.is_text));
            let has_value = widget.is_text || matches!(widget.shown, Shown::Tick | Shown::Dot);
            let keeps_look = has_value && has_look && !is_made && taken.is_none();
            if keeps_look && is_blank(document, own.as_ref(), &widget.shown) {
                done.unshown.push(widget.name.clone());
            }
            let appearance = if is_made {
                box_of(document, widget.dictionary)
            } else {
                own
            };
            let rectangle = widget
                .dictionary
                .get(b"Rect")
                .ok()
                .and_then(|rect| Rectangle::read(document, rect));
            piece.drawn = appearance.clone().zip(rectangle).and_then(|(object, rectangle)| {
                let matrix = placing(document, &object, &rectangle)?;
                Some((object, matrix))
            });
            if is_made && let Some((page, placement)) = widget.place {
                let before = done.marks.len();
                let marks = marks(&widget.shown, rectangle.as_ref(), page, placement);
                done.marks
                    .extend(marks.into_iter().map(|mark| (widget.name.clone(), mark)));
                let was_shown = has_look && widget.is_text;
                done.made = done
                    .made
                    .saturating_add(u32::from(was_shown || done.marks.len() > before));
            }
        }
        pieces.push(piece);
    }
    draw(document, &pieces);
    remove(document, &pieces);
    done
}

/// Does a look show nothing of a value that there is? A ground and a border of rectangles say nothing of a text, whose letters
/// may be text or outlines; whatever is painted may be a tick.
fn is_blank(document: &Document, look: Option<&Object>, shown: &Shown) -> bool {
    let is_tick = match shown {
        Shown::Nothing | Shown::Rows { .. } => return false,
        Shown::Text { .. } => false,
        Shown::Tick | Shown::Dot => true,
    };
    let Some(Object::Stream(stream)) = look.map(|look| form::resolve(document, look)) else {
        return true;
    };
    let paints = |word: &[u8]| match word {
        b"Tj" | b"TJ" | b"'" | b"\"" | b"Do" | b"BI" | b"sh" => true,
        b"l" | b"c" | b"v" | b"y" => !is_tick,
        b"f" | b"F" | b"f*" | b"S" | b"s" | b"B" | b"B*" | b"b" | b"b*" => is_tick,
        _ => false,
    };
    let content = stream.get_plain_content_with_limit(LARGEST_LOOK);
    content.is_ok_and(|content| {
        !content::instructions(&content)
            .iter()
            .any(|one| paints(one.word(&content)))
    })
}

/// Does the form ask viewers to make the look of its values anew?
fn needs_appearances(document: &Document) -> bool {
    document
        .catalog()
        .ok()
        .and_then(|catalog| form::dictionary(document, catalog, b"AcroForm"))
        .and_then(|form| form.get(b"NeedAppearances").ok())
        .is_some_and(|needs| matches!(form::resolve(document, needs), Object::Boolean(true)))
}

/// A value as marks.
fn marks(shown: &Shown, rectangle: Option<&Rectangle>, page: u32, placement: Placement) -> Vec<Mark> {
    let mark = |placement, content| Mark {
        page,
        placement,
        content,
    };
    match shown {
        Shown::Nothing => Vec::new(),
        Shown::Tick => vec![mark(placement, MarkContent::Check)],
        Shown::Dot => vec![mark(placement, MarkContent::Dot)],
        Shown::Text { text, style } => {
            let (text, style) = (text.clone(), style.clone());
            vec![mark(placement, MarkContent::FormText { text, style })]
        }
        Shown::Rows { rows, size } => {
            let height = rectangle.map_or(0.0, Rectangle::height).max(1.0);
            let line = f64::from(*size) * f64::from(LINE_HEIGHT);
            // The part of the box that a row takes; the last one is cut off.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "at most the box's height"
            )]
            let step = ((line / height).min(1.0) * f64::from(placement.height)) as u32;
            let mut marks = Vec::new();
            let mut top = 0_u32;
            for (text, is_chosen) in rows {
                let row = step.min(placement.height.saturating_sub(top));
                if row == 0 {
                    break;
                }
                let style = TextStyle {
                    place: Some(TextPlace::OneLine),
                    size: Some(*size),
                    bold: *is_chosen,
                    ..TextStyle::default()
                };
                // Viewers lay a ground under what is chosen; on paper a sign before it tells it as well.
                let text = if *is_chosen {
                    format!("\u{25A0} {text}")
                } else {
                    text.clone()
                };
                let place = Placement {
                    y: placement.y.saturating_add(top),
                    height: row,
                    ..placement
                };
                marks.push(mark(place, MarkContent::FormText { text, style }));
                top = top.saturating_add(row);
            }
            marks
        }
    }
}

/// The appearance that is shown: of a button that of its state, of a value that is taken none but the box.
fn appearance(document: &Document, widget: &Dictionary, taken: Option<&Field>) -> Option<Object> {
    let normal = form::dictionary(document, widget, b"AP").and_then(|appearances| appearances.get(b"N").ok());
    match (normal, taken) {
        (Some(normal), Some(field)) if matches!(field.kind, FieldKind::Check | FieldKind::Radio) => {
            match form::resolve(document, normal) {
                Object::Dictionary(states) => states.get(b"Off").ok().cloned(),
                _ => None,
            }
        }
        (_, Some(_)) => box_of(document, widget),
        (Some(normal), None) => match form::resolve(document, normal) {
            Object::Stream(_) => Some(normal.clone()),
            Object::Dictionary(states) => {
                let state = form::name(document, widget, b"AS").unwrap_or(b"Off");
                let chosen = states.get(state).or_else(|_| states.get(b"Off")).ok()?;
                matches!(form::resolve(document, chosen), Object::Stream(_)).then(|| chosen.clone())
            }
            _ => None,
        },
        (None, None) => None,
    }
}

/// The box of a field as its characteristics have it (Table 192): background and border.
fn box_of(document: &Document, widget: &Dictionary) -> Option<Object> {
    let characteristics = form::dictionary(document, widget, b"MK")?;
    let rectangle = Rectangle::read(document, widget.get(b"Rect").ok()?)?;
    let colour = |key: &[u8], operators: [&str; 3]| {
        let parts: Vec<f64> = form::array(document, characteristics, key)?
            .iter()
            .filter_map(|part| crate::pdf::geometry::read_number(document, part))
            .collect();
        let operator = match parts.len() {
            1 => operators[0],
            3 => operators[1],
            4 => operators[2],
            _ => return None,
        };
        let parts: Vec<String> = parts.iter().map(|part| format!("{part:.4}")).collect();
        Some(format!("{} {operator}", parts.join(" ")))
    };
    let (width, height) = (rectangle.width(), rectangle.height());
    let mut content = String::new();
    if let Some(background) = colour(b"BG", ["g", "rg", "k"]) {
        // Writing into a string does not fail.
        let _ = writeln!(content, "{background} 0 0 {width:.4} {height:.4} re f");
    }
    let line = form::dictionary(document, widget, b"BS")
        .and_then(|style| crate::pdf::geometry::read_number(document, style.get(b"W").ok()?))
        .unwrap_or(1.0);
    if line > 0.0
        && let Some(border) = colour(b"BC", ["G", "RG", "K"])
    {
        let _ = writeln!(
            content,
            "{border} {line:.4} w {:.4} {:.4} {:.4} {:.4} re S",
            line / 2.0,
            line / 2.0,
            width - line,
            height - line
        );
    }
    if content.is_empty() {
        return None;
    }
    let mut form = Stream::new(
        dictionary! { "Type" => "XObject", "Subtype" => "Form", "Resources" => Dictionary::new() },
        content.into_bytes(),
    );
    #[expect(clippy::cast_possible_truncation, reason = "lengths on a page")]
    let corner = |length: f64| Object::Real(length as f32);
    form.dict
        .set("BBox", vec![0.into(), 0.into(), corner(width), corner(height)]);
    Some(Object::Stream(form))
}

/// The map that brings an appearance into its rectangle (12.5.5, "Algorithm: appearance streams").
#[expect(clippy::many_single_char_names, reason = "a matrix has these names (8.3.4)")]
fn placing(document: &Document, appearance: &Object, rectangle: &Rectangle) -> Option<Matrix> {
    let Object::Stream(stream) = form::resolve(document, appearance) else {
        return None;
    };
    let bounds = Rectangle::read(document, stream.dict.get(b"BBox").ok()?)?;
    let numbers: Option<Vec<f64>> = form::array(document, &stream.dict, b"Matrix").map(|parts| {
        parts
            .iter()
            .filter_map(|part| crate::pdf::geometry::read_number(document, part))
            .collect()
    });
    let matrix = match numbers.as_deref() {
        Some([a, b, c, d, e, f]) => Matrix {
            a: *a,
            b: *b,
            c: *c,
            d: *d,
            e: *e,
            f: *f,
        },
        _ => Matrix {
            a: 1.0,
            b: 0.0,
            c: 0.0,
            d: 1.0,
            e: 0.0,
            f: 0.0,
        },
    };
    let corners = [
        (bounds.left, bounds.bottom),
        (bounds.right, bounds.bottom),
        (bounds.left, bounds.top),
        (bounds.right, bounds.top),
    ]
    .map(|corner| matrix.apply(corner));
    let (mut left, mut bottom) = (f64::INFINITY, f64::INFINITY);
    let (mut right, mut top) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for (x, y) in corners {
        left = left.min(x);
        right = right.max(x);
        bottom = bottom.min(y);
        top = top.max(y);
    }
    let (width, height) = (right - left, top - bottom);
    if !(width > 0.0 && height > 0.0 && rectangle.has_area()) {
        return None;
    }
    let (across, up) = (rectangle.width() / width, rectangle.height() / height);
    Some(Matrix {
        a: across,
        b: 0.0,
        c: 0.0,
        d: up,
        e: rectangle.left - across * left,
        f: rectangle.bottom - up * bottom,
    })
}

/// Draws the pieces behind the content of their pages.
fn draw(document: &mut Document, pieces: &[Piece]) {
    let pages: BTreeSet<ObjectId> = pieces
        .iter()
        .filter(|piece| piece.drawn.is_some())
        .map(|piece| piece.page)
        .collect();
    for page in pages {
        let mut resources = match inherited(document, page, b"Resources") {
            Some(Object::Dictionary(resources)) => resources.clone(),
            _ => Dictionary::new(),
        };
        let mut forms = form::dictionary(document, &resources, b"XObject")
            .cloned()
            .unwrap_or_default();
        let mut content = String::from("\nQ\n");
        let drawn = pieces
            .iter()
            .filter(|piece| piece.page == page)
            .filter_map(|piece| piece.drawn.clone());
        for (number, (appearance, matrix)) in drawn.enumerate() {
            let mut name = format!("CsField{number}");
            while forms.has(name.as_bytes()) {
                name.push('x');
            }
            let id = match appearance {
                Object::Reference(id) => id,
                direct => document.add_object(direct),
            };
            // Viewers take an appearance as a form even where it does not say so.
            if let Ok(Object::Stream(stream)) = document.get_object_mut(id) {
                stream.dict.set("Type", "XObject");
                stream.dict.set("Subtype", "Form");
            }
            forms.set(name.as_str(), Object::Reference(id));
            let _ = writeln!(content, "q {matrix} cm /{name} Do Q");
        }
        resources.set("XObject", forms);
        let before = document.add_object(Stream::new(Dictionary::new(), b"q\n".to_vec()));
        let after = document.add_object(Stream::new(Dictionary::new(), content.into_bytes()));
        let old = document
            .get_dictionary(page)
            .and_then(|page| page.get(b"Contents"))
            .cloned();
        let mut contents = vec![Object::Reference(before)];
        if let Ok(old) = old {
            match form::resolve(document, &old) {
                Object::Array(parts) => contents.extend(parts.iter().cloned()),
                Object::Stream(_) => contents.push(old),
                _ => {}
            }
        }
        contents.push(Object::Reference(after));
        if let Ok(page) = document.get_dictionary_mut(page) {
            page.set("Resources", resources);
            page.set("Contents", contents);
        }
    }
}

/// Removes widgets and form.
fn remove(document: &mut Document, pieces: &[Piece]) {
    let widgets: BTreeSet<ObjectId> = pieces.iter().filter_map(|piece| piece.widget).collect();
    let pages: BTreeSet<ObjectId> = pieces.iter().map(|piece| piece.page).collect();
    for page in pages {
        let annotations = document
            .get_dictionary(page)
            .ok()
            .and_then(|page| form::array(document, page, b"Annots"))
            .unwrap_or_default();
        let kept: Vec<Object> = annotations
            .iter()
            .filter(|annotation| {
                let is_widget = matches!(form::resolve(document, annotation), Object::Dictionary(dictionary)
                    if form::name(document, dictionary, b"Subtype") == Some(b"Widget"));
                !is_widget
            })
            .cloned()
            .collect();
        if let Ok(page) = document.get_dictionary_mut(page) {
            if kept.is_empty() {
                page.remove(b"Annots");
            } else {
                page.set("Annots", kept);
            }
        }
    }
    // The structure of a tagged file may still name them; nothing of their values stays.
    for id in widgets {
        if let Ok(widget) = document.get_dictionary_mut(id) {
            let rectangle = widget.get(b"Rect").cloned().unwrap_or(Object::Null);
            *widget = dictionary! { "Type" => "Annot", "Subtype" => "Widget", "Rect" => rectangle, "F" => 2 };
        }
    }
    if let Ok(catalog) = document.catalog_mut() {
        catalog.remove(b"AcroForm");
    }
}
