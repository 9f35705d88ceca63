//! Makes the form part of the pages.
//!
//! Signers enter values in our product, and we stamp and seal them. Form fields left in the file could be filled in
//! elsewhere and contradict the signed values. So we draw each widget's appearance into its page, in the same position
//! and order as viewers show it, together with other annotations beneath it, and remove the form. If the form's fields
//! become those of a template, we draw only their boxes: their values become defaults, which are drawn after everyone
//! has signed.
//!
//! Values without an appearance (the file leaves it to the viewer), or with one that the form calls stale
//! (`NeedAppearances`, 12.7.3: the value takes precedence), are returned as marks, which the stamp draws.
//!
//! In a tagged file, `tags` adds the drawn content to the structure.

mod tags;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use domain::field::{Field, FieldKind, Placement};

use super::FormValues;
use super::content;
use super::form_fields::{self, Fate, Shown, Widget};
use super::look::{Look, dict, edit_catalog, edit_dict, name};
use crate::marks::stamp::{Mark, MarkContent};
use crate::pdf::edit::Edits;
use crate::pdf::geometry::{Matrix, Rectangle};
use crate::pdf::{Dict, Name, Number, Object, Objects, PdfDefect, Ref, Stream};
use tags::{Says, Tags};

/// Maximum size in bytes of an appearance that is searched for content. A larger one counts as visible.
const LARGEST_LOOK: usize = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct Flattened {
    /// Number of widgets.
    pub(super) widgets: u32,
    /// Number of other annotations below a widget that became part of the pages too.
    pub(super) beneath: u32,
    /// The fields that a template can use.
    pub(super) fields: Vec<Field>,
    /// Values that the file itself did not show, each with the name of its field.
    pub(super) marks: Vec<(String, Mark)>,
    /// Number of widgets with a new appearance.
    pub(super) made: u32,
    /// Whether a widget got a background or border that the file leaves to viewers.
    pub(super) has_boxes: bool,
    /// Number of fields with larger boxes than in the form.
    pub(super) enlarged: u32,
    /// Names of fields that a template cannot use because their boxes are too small.
    pub(super) too_small: Vec<String>,
    /// Names of fields that a template cannot use because of their values. The pages show them unchanged.
    pub(super) values_kept: Vec<String>,
    /// Names of fields that have a value, but an appearance that does not show it.
    pub(super) unshown: Vec<String>,
}

/// Selects the field values that the pages show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shows {
    /// Only values that the file itself shows, so the pages look as before.
    OfTheFile,
    /// Also the values that the file leaves to viewers.
    OfViewers(FormValues),
}

/// Returns whether the file has widgets or a form.
pub(super) fn has_form(objects: &impl Objects) -> Result<bool, PdfDefect> {
    Ok(objects.dict_of_catalog(b"AcroForm").is_some() || !form_fields::widgets(objects)?.is_empty())
}

/// An annotation, or a part of it, to draw into its page.
struct Piece {
    page: Ref,
    /// Index among the page's annotations, starting at 0.
    index: usize,
    /// The appearance, and the matrix that positions it.
    drawn: Option<Drawn>,
}

/// An appearance and its position.
struct Drawn {
    look: Object,
    matrix: Matrix,
    place: Rectangle,
    says: Says,
}

impl Drawn {
    /// Positions an appearance in the rectangle of its annotation.
    fn new(objects: &impl Objects, look: Object, annotation: &Dict, says: Says) -> Option<Self> {
        let place = objects.rectangle_in(annotation, b"Rect")?;
        let matrix = placing(objects, &look, &place)?;
        Some(Self {
            look,
            matrix,
            place,
            says,
        })
    }
}

/// Flattens the form, in place.
pub(super) fn flatten(edits: &mut Edits<'_>, shows: Shows) -> Result<Flattened, PdfDefect> {
    let (values, is_drawn) = match shows {
        Shows::OfTheFile => (FormValues::Shown, false),
        Shows::OfViewers(values) => (values, true),
    };
    let read = &*edits;
    let is_stale = is_drawn && needs_appearances(read);
    let mut done = Flattened::default();
    let mut pieces = Vec::new();
    for widget in form_fields::widgets(read)? {
        done.widgets = done.widgets.saturating_add(1);
        let drawn = if form_fields::is_unseen(read, widget.dict) {
            None
        } else {
            done.fields.extend(widget.field.clone());
            match widget.fate {
                Fate::Plain => {}
                Fate::Enlarged => done.enlarged = done.enlarged.saturating_add(1),
                Fate::TooSmall => done.too_small.push(widget.name.clone()),
                Fate::ValueKept => done.values_kept.push(widget.name.clone()),
            }
            let taken = widget.field.clone().filter(|_| values == FormValues::Taken);
            drawn_of(read, &widget, taken.as_ref(), (is_drawn, is_stale), &mut done)
        };
        pieces.push(Piece {
            page: widget.page,
            index: widget.index,
            drawn,
        });
    }
    let beneath = beneath(read, &pieces)?;
    done.beneath = u32::try_from(beneath.len()).unwrap_or(u32::MAX);
    pieces.extend(beneath);
    let mut pages: BTreeMap<Ref, BTreeMap<usize, Option<Drawn>>> = BTreeMap::new();
    for piece in pieces {
        pages.entry(piece.page).or_default().insert(piece.index, piece.drawn);
    }
    let mut tags = Tags::of(edits)?;
    for (page, pieces) in pages {
        let removed: BTreeSet<usize> = pieces.keys().copied().collect();
        let annotations = edits.dict_at(page).and_then(|page| edits.array_in(page, b"Annots"));
        let annotations = annotations.unwrap_or_default().to_vec();
        let looks = pieces.into_iter().filter_map(|(index, drawn)| {
            let annotation = annotations.get(index).and_then(Object::as_ref);
            Some((annotation, drawn?))
        });
        draw(edits, page, looks.collect(), tags.as_mut());
        remove(edits, page, &removed);
    }
    if let Some(tags) = tags {
        tags.write(edits)?;
    }
    if let Some(catalog) = edit_catalog(edits) {
        catalog.remove(b"AcroForm");
    }
    Ok(done)
}

/// Returns the drawing for a visible widget. `is_drawn` is set if values left to viewers are drawn, and `is_stale` if
/// all values are redrawn.
fn drawn_of(
    objects: &impl Objects,
    widget: &Widget<'_>,
    taken: Option<&Field>,
    (is_drawn, is_stale): (bool, bool),
    done: &mut Flattened,
) -> Option<Drawn> {
    let own = appearance(objects, widget.dict, taken);
    let has_entry = objects.dict_in(widget.dict, b"AP").is_some_and(|look| look.has(b"N"));
    // An appearance without a box counts as none, because viewers draw something else, or nothing.
    let has_look = has_entry && own.as_ref().is_none_or(|own| box_of_look(objects, own).is_some());
    let is_made =
        is_drawn && taken.is_none() && (!has_look || (is_stale && widget.is_text && widget.shown != Shown::List));
    let has_value = widget.is_text || matches!(widget.shown, Shown::Tick | Shown::Dot);
    let keeps_look = has_value && has_look && !is_made && taken.is_none();
    if keeps_look && is_blank(objects, own.as_ref(), &widget.shown) {
        done.unshown.push(widget.name.clone());
    }
    if is_made && let Some((page, placement)) = widget.place {
        let before = done.marks.len();
        let marks = marks(&widget.shown, page, placement);
        done.marks
            .extend(marks.into_iter().map(|mark| (widget.name.clone(), mark)));
        let was_shown = has_look && widget.is_text;
        done.made = done
            .made
            .saturating_add(u32::from(was_shown || done.marks.len() > before));
    }
    let look = if is_made { box_of(objects, widget.dict) } else { own };
    done.has_boxes |= is_made && look.is_some();
    let says = if is_made || taken.is_some() {
        Says::Nothing
    } else {
        Says::Field(widget.spoken.clone())
    };
    Drawn::new(objects, look?, widget.dict, says)
}

/// Returns the other annotations that are partly or fully below the drawing. Viewers paint annotations in order.
fn beneath(objects: &impl Objects, pieces: &[Piece]) -> Result<Vec<Piece>, PdfDefect> {
    let mut pages: BTreeMap<Ref, BTreeMap<usize, Rectangle>> = BTreeMap::new();
    for piece in pieces {
        if let Some(drawn) = &piece.drawn {
            pages.entry(piece.page).or_default().insert(piece.index, drawn.place);
        }
    }
    let mut beneath = Vec::new();
    for (page, mut above) in pages {
        let annotations = objects.array_in(objects.page(page)?, b"Annots").unwrap_or_default();
        let last = above.last_key_value().map_or(0, |(index, _)| *index);
        for (index, annotation) in annotations.iter().enumerate().take(last).rev() {
            let Object::Dict(annotation) = objects.follow(annotation) else {
                continue;
            };
            if form_fields::is_widget(objects, annotation) || form_fields::is_unseen(objects, annotation) {
                continue;
            }
            let look = appearance(objects, annotation, None);
            let Some(drawn) = look.and_then(|look| Drawn::new(objects, look, annotation, Says::Annotation)) else {
                continue;
            };
            if above
                .range(index..)
                .any(|(_, place)| place.intersection(&drawn.place).has_area())
            {
                above.insert(index, drawn.place);
                beneath.push(Piece {
                    page,
                    index,
                    drawn: Some(drawn),
                });
            }
        }
    }
    Ok(beneath)
}

/// Returns whether an appearance hides the value. Backgrounds and borders do not count as text, but letters may be text
/// or outlines. A tick may be any painting.
fn is_blank(objects: &impl Objects, look: Option<&Object>, shown: &Shown) -> bool {
    let is_tick = match shown {
        Shown::Nothing | Shown::List => return false,
        Shown::Text { .. } => false,
        Shown::Tick | Shown::Dot => true,
    };
    let Some(Object::Stream(stream)) = look.map(|look| objects.follow(look)) else {
        return true;
    };
    let paints = |word: &[u8]| match word {
        b"Tj" | b"TJ" | b"'" | b"\"" | b"Do" | b"BI" | b"sh" => true,
        b"l" | b"c" | b"v" | b"y" => !is_tick,
        b"f" | b"F" | b"f*" | b"S" | b"s" | b"B" | b"B*" | b"b" | b"b*" => is_tick,
        _ => false,
    };
    objects.decode(stream, LARGEST_LOOK).is_ok_and(|decoded| {
        !content::instructions(&decoded.bytes)
            .iter()
            .any(|one| paints(one.word(&decoded.bytes)))
    })
}

/// Returns whether the form asks viewers to redraw its values.
fn needs_appearances(objects: &impl Objects) -> bool {
    let needs = objects
        .dict_of_catalog(b"AcroForm")
        .and_then(|form| objects.value_in(form, b"NeedAppearances"));
    needs.and_then(Object::as_bool) == Some(true)
}

/// Converts a value to marks.
fn marks(shown: &Shown, page: u32, placement: Placement) -> Vec<Mark> {
    let mark = |placement, content| Mark {
        page,
        placement,
        content,
    };
    match shown {
        Shown::Nothing | Shown::List => Vec::new(),
        Shown::Tick => vec![mark(placement, MarkContent::Check)],
        Shown::Dot => vec![mark(placement, MarkContent::Dot)],
        Shown::Text { text, style } => {
            let (text, style) = (text.clone(), style.clone());
            vec![mark(placement, MarkContent::FormText { text, style })]
        }
    }
}

/// Returns the visible appearance. For a button, that of its state; for a removed value, only the box.
fn appearance(objects: &impl Objects, annotation: &Dict, taken: Option<&Field>) -> Option<Object> {
    let normal = objects
        .dict_in(annotation, b"AP")
        .and_then(|appearances| appearances.get(b"N"));
    match (normal, taken) {
        (Some(normal), Some(field)) if matches!(field.kind, FieldKind::Check | FieldKind::Radio) => {
            match objects.follow(normal) {
                Object::Dict(states) => states.get(b"Off").cloned(),
                _ => None,
            }
        }
        (_, Some(_)) => box_of(objects, annotation),
        (Some(normal), None) => match objects.follow(normal) {
            Object::Stream(_) => Some(normal.clone()),
            Object::Dict(states) => {
                let state = objects.name_in(annotation, b"AS");
                let chosen = state
                    .and_then(|state| states.get(&state))
                    .or_else(|| states.get(b"Off"))?;
                matches!(objects.follow(chosen), Object::Stream(_)).then(|| chosen.clone())
            }
            _ => None,
        },
        (None, None) => None,
    }
}

/// Draws the box of a field from its characteristics (Table 192): background and border.
fn box_of(objects: &impl Objects, widget: &Dict) -> Option<Object> {
    let characteristics = objects.dict_in(widget, b"MK")?;
    let rectangle = objects.rectangle_in(widget, b"Rect")?;
    let colour = |key: &[u8], operators: [&str; 3]| {
        let parts = objects.numbers_in(characteristics, key)?;
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
        // Writing to a string cannot fail.
        let _ = writeln!(content, "{background} 0 0 {width:.4} {height:.4} re f");
    }
    let line = objects
        .dict_in(widget, b"BS")
        .and_then(|style| objects.number_of(style.get(b"W")?))
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
    let corner = |length: f64| Number::try_from(length).map_or(Object::Null, Object::from);
    let form = dict([
        (b"Type", name(b"XObject")),
        (b"Subtype", name(b"Form")),
        (b"Resources", Dict::new().into()),
        (b"BBox", vec![0.into(), 0.into(), corner(width), corner(height)].into()),
    ]);
    Some(Stream::new(form, content.into_bytes()).into())
}

/// The box of an appearance.
fn box_of_look(objects: &impl Objects, look: &Object) -> Option<Rectangle> {
    objects.rectangle_in(&objects.follow(look).as_stream()?.dict, b"BBox")
}

/// Returns the matrix that maps an appearance to its rectangle (12.5.5, "Algorithm: appearance streams").
#[expect(clippy::many_single_char_names, reason = "a matrix has these names (8.3.4)")]
fn placing(objects: &impl Objects, look: &Object, rectangle: &Rectangle) -> Option<Matrix> {
    let bounds = box_of_look(objects, look)?;
    let stream = objects.follow(look).as_stream()?;
    let numbers = objects.numbers_in(&stream.dict, b"Matrix");
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

/// Draws appearances after the content of a page.
fn draw(edits: &mut Edits<'_>, page: Ref, looks: Vec<(Option<Ref>, Drawn)>, tags: Option<&mut Tags>) {
    if looks.is_empty() {
        return;
    }
    let mut resources = match edits.inherited_by(page, b"Resources") {
        Some(Object::Dict(resources)) => resources.clone(),
        _ => Dict::new(),
    };
    let mut forms = edits.dict_in(&resources, b"XObject").cloned().unwrap_or_default();
    let mut content = String::from("\nQ\n");
    match tags {
        Some(tags) => {
            let form = tags.form(edits, page, looks);
            let name = add_form(&mut forms, "CsFields", form);
            let _ = writeln!(content, "/{name} Do");
        }
        None => {
            for (number, (_, drawn)) in looks.into_iter().enumerate() {
                content.push_str(&show(edits, &mut forms, number, drawn));
            }
        }
    }
    resources.set(b"XObject", forms);
    let before = edits.add(Stream::new(Dict::new(), b"q\n".to_vec()));
    let after = edits.add(Stream::new(Dict::new(), content.into_bytes()));
    let old = edits.dict_at(page).and_then(|page| page.get(b"Contents"));
    let mut contents = vec![Object::Ref(before)];
    if let Some(old) = old {
        match edits.follow(old) {
            Object::Array(parts) => contents.extend(parts.iter().cloned()),
            Object::Stream(_) => contents.push(old.clone()),
            _ => {}
        }
    }
    contents.push(after.into());
    if let Some(page) = edit_dict(edits, page) {
        page.set(b"Resources", resources);
        page.set(b"Contents", contents);
    }
}

/// Adds an appearance to the forms of a page or of another form. Returns the content that draws it.
fn show(edits: &mut Edits<'_>, forms: &mut Dict, number: usize, drawn: Drawn) -> String {
    let id = match drawn.look {
        Object::Ref(id) => id,
        direct => edits.add(direct),
    };
    // Viewers treat an appearance as a form even if it is not marked as one.
    if let Ok(Object::Stream(stream)) = edits.edit(id) {
        stream.dict.set(b"Type", Name::new(b"XObject"));
        stream.dict.set(b"Subtype", Name::new(b"Form"));
    }
    let name = add_form(forms, &format!("CsField{number}"), id);
    format!("q {} cm /{name} Do Q\n", drawn.matrix)
}

/// Adds a form under a new name with this prefix.
fn add_form(forms: &mut Dict, name: &str, form: Ref) -> String {
    let mut name = name.to_owned();
    while forms.has(name.as_bytes()) {
        name.push('x');
    }
    forms.set(name.as_bytes(), form);
    name
}

/// Removes annotations that became part of their page.
fn remove(edits: &mut Edits<'_>, page: Ref, removed: &BTreeSet<usize>) {
    let annotations = edits.dict_at(page).and_then(|page| edits.array_in(page, b"Annots"));
    let (gone, kept): (Vec<_>, Vec<_>) = annotations
        .unwrap_or_default()
        .to_vec()
        .into_iter()
        .enumerate()
        .partition(|(index, _)| removed.contains(index));
    if let Some(page) = edit_dict(edits, page) {
        if kept.is_empty() {
            page.remove(b"Annots");
        } else {
            let kept: Vec<Object> = kept.into_iter().map(|(_, annotation)| annotation).collect();
            page.set(b"Annots", kept);
        }
    }
    // The structure of a tagged file may still refer to them, but their values must not stay.
    for id in gone.iter().filter_map(|(_, annotation)| annotation.as_ref()) {
        if let Some(annotation) = edit_dict(edits, id) {
            let left = |key: &[u8]| annotation.get(key).cloned().unwrap_or(Object::Null);
            *annotation = dict([
                (b"Type", name(b"Annot")),
                (b"Subtype", left(b"Subtype")),
                (b"Rect", left(b"Rect")),
                (b"F", 2.into()),
            ]);
        }
    }
}
