//! Converts the fields of an upload's form (ISO 32000-2, 12.7) to those of a template.
//!
//! The search goes from the pages to their widgets and up through the parents of these, so it finds every visible
//! field, even if the form does not list it. A widget becomes a box. Kind, options, limits and value come from its
//! field.
//!
//! A field must be valid in a template. If it is too small to be filled in, it is enlarged around its centre. If nobody
//! can have seen it ([`LEAST_SIDE`]), or if its value cannot be a default that looks the same, it stays on its page
//! unchanged.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use domain::field::{Alignment, Field, FieldKind, FontSize, Lines, Placement, TextPlace};
use domain::template::PageSize;

use super::look::Look;
use crate::pdf::geometry::PageGeometry;
use crate::pdf::object::Str;
use crate::pdf::{Dict, Object, Objects, PdfDefect, Ref};
use crate::text::layout::TextStyle;

/// Maximum nesting of fields.
const DEEPEST: usize = 32;
/// Limits of FIELDS.json.
const NAME_LENGTH: usize = 128;
const MOST_OPTIONS: usize = 200;
const MOST_CELLS: u32 = 100;
/// Maximum size in bytes of a value that is a stream.
const LONGEST_TEXT: usize = 1 << 20;
/// The state of a button that is off.
const OFF: &[u8] = b"Off";

/// Minimum side in points. Smaller fields are for programs, not people, and are not enlarged.
const LEAST_SIDE: f64 = 2.0;

/// Field flags (Tables 227, 229, 231, 233), as bits.
const READ_ONLY: i64 = 1;
const REQUIRED: i64 = 1 << 1;
const MULTILINE: i64 = 1 << 12;
const RADIO: i64 = 1 << 15;
const PUSH_BUTTON: i64 = 1 << 16;
const FILE_SELECT: i64 = 1 << 20;
const PASSWORD: i64 = 1 << 13;
const COMBO: i64 = 1 << 17;
const COMB: i64 = 1 << 24;
/// Annotation flags (12.5.3): `Hidden`, `NoView`.
const UNSEEN: i64 = 1 << 1 | 1 << 5;

/// A widget on its page.
pub(super) struct Widget<'a> {
    pub(super) page: Ref,
    /// Index among the page's annotations, starting at 0.
    pub(super) index: usize,
    pub(super) dict: &'a Dict,
    /// The template field, if the widget can become one.
    pub(super) field: Option<Field>,
    /// Result of the conversion to a template field.
    pub(super) fate: Fate,
    /// The field's name for people.
    pub(super) name: String,
    pub(super) shown: Shown,
    /// Whether this is a text or choice field, which viewers redraw if the form asks for it (`NeedAppearances`).
    pub(super) is_text: bool,
    /// Position on the page, if the widget is visible.
    pub(super) place: Option<(u32, Placement)>,
    pub(super) spoken: Spoken,
}

/// A widget's meaning for assistive technology.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spoken {
    /// The field's role when it can no longer be changed (14.8.5.6).
    pub(super) role: &'static str,
    /// For a button, whether it is on.
    pub(super) is_on: Option<bool>,
    /// The field's name for people.
    pub(super) words: Option<String>,
}

/// Result of converting a widget to the box of a template's field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Converted unchanged, or left out without a loss for people.
    Plain,
    /// Enlarged, because the box was too small to be filled in.
    Enlarged,
    /// Left out, because the box is too small for people.
    TooSmall,
    /// Left out, because no template field can have its value.
    ValueKept,
}

/// The visible part of a field's value in a widget.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shown {
    Nothing,
    Text {
        text: String,
        style: TextStyle,
    },
    Tick,
    Dot,
    /// The selection of a list, which its appearance shows ([`super::annotations`]).
    List,
}

/// Returns whether an annotation is never visible.
pub(super) fn is_unseen(objects: &impl Objects, annotation: &Dict) -> bool {
    let flags = objects.value_in(annotation, b"F").and_then(Object::as_i64);
    flags.is_some_and(|flags| flags & UNSEEN != 0)
}

pub(super) fn is_widget(objects: &impl Objects, annotation: &Dict) -> bool {
    objects.is_name_in(annotation, b"Subtype", b"Widget")
}

/// Returns whether an annotation is the widget of a signed signature field.
pub(super) fn is_signed(objects: &impl Objects, annotation: &Dict) -> bool {
    let chain = Chain::of(objects, annotation);
    is_widget(objects, annotation)
        && chain.kind().as_deref() == Some(b"Sig")
        && matches!(chain.get(b"V"), Some(Object::Dict(_)))
}

/// Returns all widgets, page by page in drawing order.
pub(super) fn widgets<O: Objects>(objects: &O) -> Result<Vec<Widget<'_>>, PdfDefect> {
    let mut found = Vec::new();
    for (page, page_number) in objects.pages()?.into_iter().zip(1_u32..) {
        let dict = objects.page(page)?;
        let geometry = PageGeometry::of(objects, dict).ok();
        let annotations = objects.array_in(dict, b"Annots").unwrap_or_default();
        for (index, annotation) in annotations.iter().enumerate() {
            let Object::Dict(widget) = objects.follow(annotation) else {
                continue;
            };
            if !is_widget(objects, widget) {
                continue;
            }
            let place = objects
                .rectangle_in(widget, b"Rect")
                .and_then(|rectangle| geometry.as_ref()?.placement(&rectangle))
                .map(|placement| (page_number, placement));
            let chain = Chain::of(objects, widget);
            let shown = chain.shown();
            let size = geometry.as_ref().map(PageGeometry::displayed_size);
            let whole = place
                .zip(size)
                .and_then(|((page, placement), size)| Some((chain.field(page, placement)?, size)));
            let name = whole
                .as_ref()
                .map_or_else(|| chain.name(), |(field, _)| field.name.clone());
            let (field, fate) = match whole {
                Some((field, _)) if chain.loses_value(&field, &shown) => (None, Fate::ValueKept),
                Some((field, size)) => fitted(field, &size),
                None => (None, Fate::Plain),
            };
            found.push(Widget {
                page,
                index,
                dict: widget,
                field,
                fate,
                name,
                shown,
                is_text: matches!(chain.kind().as_deref(), Some(b"Tx" | b"Ch")),
                place,
                spoken: chain.spoken(),
            });
        }
    }
    settle_names(&mut found);
    Ok(found)
}

/// Returns the field in a box that is large enough to be filled in, if that is possible.
fn fitted(mut field: Field, page: &PageSize) -> (Option<Field>, Fate) {
    if !field.is_too_small(page) {
        return (Some(field), Fate::Plain);
    }
    let (width, height) = field.placement.size_on(page);
    // Wider cells would not line up with those on the page.
    if width < field.least_size().0 {
        field.cells = None;
    }
    match field.placement.enlarged_on(page, field.least_size()) {
        Some(placement) if width.min(height) >= LEAST_SIDE => (Some(Field { placement, ..field }), Fate::Enlarged),
        _ => (None, Fate::TooSmall),
    }
}

/// Makes field names unique. Radio buttons with the same name are one field.
fn settle_names(widgets: &mut [Widget<'_>]) {
    let mut choices: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut boxes: BTreeMap<String, usize> = BTreeMap::new();
    for field in widgets.iter().filter_map(|widget| widget.field.as_ref()) {
        *boxes.entry(field.name.clone()).or_default() += 1;
        if let Some(option) = &field.option {
            let options = choices.entry(field.name.clone()).or_default();
            if !options.contains(option) {
                options.push(option.clone());
            }
        }
    }
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    for widget in widgets.iter_mut() {
        let Some(field) = &mut widget.field else { continue };
        // Check boxes with the same name and different values exclude each other like radio buttons.
        let is_choice = choices.get(&field.name).is_some_and(|options| options.len() > 1);
        if field.kind == FieldKind::Check && is_choice {
            field.kind = FieldKind::Radio;
            field.default = field
                .default
                .take()
                .filter(|value| value == "Y")
                .and(field.option.clone());
        }
        if field.kind == FieldKind::Check {
            field.option = None;
        }
        if field.kind == FieldKind::Radio {
            let option = field.option.clone().unwrap_or_default();
            // A second widget of the same choice looks like the first.
            if !seen.insert((field.name.clone(), option)) {
                widget.field = None;
                if widget.shown != Shown::Nothing {
                    widget.fate = Fate::ValueKept;
                }
            }
            continue;
        }
        let mut name = field.name.clone();
        let mut number = 2;
        while boxes.get(&name).is_some_and(|_| name != field.name) || !taken.insert(name.clone()) {
            let suffix = format!(" ({number})");
            let stem: String = field.name.chars().take(NAME_LENGTH - suffix.chars().count()).collect();
            name = format!("{stem}{suffix}");
            number += 1;
        }
        field.name = name;
    }
}

/// A widget and its ancestors, from which it inherits values.
struct Chain<'a, O> {
    objects: &'a O,
    nodes: Vec<&'a Dict>,
}

impl<'a, O: Objects> Chain<'a, O> {
    fn of(objects: &'a O, widget: &'a Dict) -> Self {
        let mut nodes = vec![widget];
        let mut node = widget;
        while nodes.len() < DEEPEST
            && let Some(parent) = objects.dict_in(node, b"Parent")
        {
            nodes.push(parent);
            node = parent;
        }
        Self { objects, nodes }
    }

    fn get(&self, key: &[u8]) -> Option<&'a Object> {
        let objects = self.objects;
        self.nodes.iter().find_map(|node| objects.value_in(node, key))
    }

    fn number(&self, key: &[u8]) -> Option<i64> {
        self.get(key)?.as_i64()
    }

    fn kind(&self) -> Option<Cow<'a, [u8]>> {
        Some(self.get(b"FT")?.as_name()?.bytes())
    }

    fn flags(&self) -> i64 {
        self.number(b"Ff").unwrap_or(0)
    }

    /// Returns the names from the top down, separated by periods (12.7.4.2).
    fn name(&self) -> String {
        let parts: Vec<String> = self
            .nodes
            .iter()
            .rev()
            .filter_map(|node| self.objects.text_in(node, b"T"))
            .collect();
        clean(&parts.join("."), NAME_LENGTH)
    }

    fn spoken(&self) -> Spoken {
        let role = match self.kind().as_deref() {
            Some(b"Btn") if self.flags() & PUSH_BUTTON != 0 => "pb",
            Some(b"Btn") if self.flags() & RADIO != 0 => "rb",
            Some(b"Btn") => "cb",
            Some(b"Ch") => "lb",
            _ => "tv",
        };
        let words = self.get(b"TU").and_then(Object::as_str).map(Str::text);
        Spoken {
            role,
            is_on: matches!(role, "rb" | "cb").then(|| matches!(self.shown(), Shown::Tick | Shown::Dot)),
            words: words.filter(|words| !words.trim().is_empty()),
        }
    }

    fn field(&self, page: u32, placement: Placement) -> Option<Field> {
        let flags = self.flags();
        let kind = match &*self.kind()? {
            b"Tx" if flags & FILE_SELECT != 0 => FieldKind::Attachment,
            b"Tx" => FieldKind::Text,
            b"Btn" if flags & PUSH_BUTTON != 0 => return None,
            b"Btn" if flags & RADIO != 0 => FieldKind::Radio,
            b"Btn" => FieldKind::Check,
            b"Ch" => FieldKind::Select,
            b"Sig" => FieldKind::Signature,
            _ => return None,
        };
        let options = if kind == FieldKind::Select {
            self.options()
        } else {
            Vec::new()
        };
        // Nobody can fill in a list without choices.
        if kind == FieldKind::Select && options.is_empty() {
            return None;
        }
        let is_button = matches!(kind, FieldKind::Check | FieldKind::Radio);
        let option = is_button.then(|| self.state()).flatten();
        if kind == FieldKind::Radio && option.is_none() {
            return None;
        }
        let max_length = self
            .number(b"MaxLen")
            .and_then(|length| u32::try_from(length).ok())
            .filter(|length| kind == FieldKind::Text && (1..=Field::TEXT_LIMIT).contains(length));
        let cells = max_length.filter(|length| flags & COMB != 0 && *length <= MOST_CELLS);
        let lines = if flags & MULTILINE != 0 {
            Lines::Many
        } else {
            Lines::One
        };
        let read_only = flags & READ_ONLY != 0;
        let mut name = self.name();
        if name.is_empty() {
            name = format!("{} {page}", kind.code());
        }
        Some(Field {
            required: flags & REQUIRED != 0 && !read_only,
            read_only,
            default: self.default(kind, &options, option.as_deref(), max_length, flags),
            options,
            option,
            max_length,
            cells,
            // Cells are always on one line.
            lines: (kind == FieldKind::Text && cells.is_none()).then_some(lines),
            font_size: self.font_size(),
            alignment: match self.number(b"Q") {
                Some(1) => Alignment::Center,
                Some(2) => Alignment::Right,
                _ => Alignment::Left,
            },
            label: self
                .get(b"TU")
                .and_then(text_of)
                .map(|text| clean(&text, NAME_LENGTH))
                .filter(|text| !text.is_empty()),
            // A form has no steps, so the field belongs to the first.
            ..Field::new(name, kind, 1, page, placement)
        })
    }

    /// Returns the displayed choices. Each entry is a text, or a pair of value and text.
    fn options(&self) -> Vec<String> {
        let mut options = Vec::new();
        for (_, shown) in self.pairs() {
            let shown = clean(&shown, NAME_LENGTH);
            if !shown.is_empty() && !options.contains(&shown) && options.len() < MOST_OPTIONS {
                options.push(shown);
            }
        }
        options
    }

    fn pairs(&self) -> Vec<(String, String)> {
        let text = |object: &Object| text_of(self.objects.follow(object)).unwrap_or_default();
        let Some(Object::Array(entries)) = self.get(b"Opt") else {
            return Vec::new();
        };
        entries
            .iter()
            .map(|entry| match self.objects.follow(entry) {
                Object::Array(pair) => (
                    pair.first().map(text).unwrap_or_default(),
                    pair.get(1).map(text).unwrap_or_default(),
                ),
                other => (text(other), text(other)),
            })
            .collect()
    }

    /// Returns the on state of a button: the name of its appearance that is not `Off`.
    fn state(&self) -> Option<String> {
        let widget = self.nodes.first()?;
        let appearances = self.objects.dict_in(widget, b"AP");
        let appearances = appearances.and_then(|appearances| self.objects.dict_in(appearances, b"N"));
        let on = appearances
            .and_then(|states| states.iter().map(|(name, _)| name.bytes()).find(|name| **name != *OFF))
            .or_else(|| self.objects.name_in(widget, b"AS").filter(|name| **name != *OFF))?;
        let on = String::from_utf8_lossy(&on).into_owned();
        // Buttons may be numbered by their index in the list of options (12.7.5.2.3).
        let listed = on
            .parse::<usize>()
            .ok()
            .and_then(|index| self.pairs().get(index).cloned());
        let name = clean(&listed.map_or(on, |(_, shown)| shown), NAME_LENGTH);
        (!name.is_empty()).then_some(name)
    }

    fn is_on(&self) -> bool {
        let Some(widget) = self.nodes.first() else { return false };
        self.objects.name_in(widget, b"AS").is_some_and(|state| *state != *OFF)
    }

    fn default(
        &self,
        kind: FieldKind,
        options: &[String],
        option: Option<&str>,
        max_length: Option<u32>,
        flags: i64,
    ) -> Option<String> {
        match kind {
            FieldKind::Check => self.is_on().then(|| "Y".to_owned()),
            FieldKind::Radio => option.filter(|_| self.is_on()).map(str::to_owned),
            FieldKind::Select => {
                let text = self.shown_text().map(|text| clean(&text, NAME_LENGTH));
                text.filter(|text| options.contains(text))
            }
            // A form hides passwords, so the value must not become visible.
            FieldKind::Text if flags & PASSWORD != 0 => None,
            FieldKind::Text => {
                let text = self.shown_text()?;
                let lines = flags & MULTILINE != 0;
                let text: String = text
                    .replace("\r\n", "\n")
                    .replace('\r', "\n")
                    .chars()
                    .map(|character| match character {
                        '\n' if lines => '\n',
                        other if other.is_control() => ' ',
                        other => other,
                    })
                    .collect();
                let limit = usize::try_from(max_length.unwrap_or(Field::TEXT_LIMIT)).unwrap_or(usize::MAX);
                (!text.trim().is_empty() && text.chars().count() <= limit).then_some(text)
            }
            _ => None,
        }
    }

    /// Returns whether the value differs from the field's default.
    fn loses_value(&self, field: &Field, shown: &Shown) -> bool {
        let has_text = || match self.get(b"V") {
            Some(Object::Array(several)) => !several.is_empty(),
            Some(Object::Stream(stream)) => self.objects.view().raw(stream).is_ok_and(|raw| !raw.is_empty()),
            _ => self.shown_text().is_some_and(|text| !text.trim().is_empty()),
        };
        match field.kind {
            FieldKind::Select => {
                let has_several = matches!(self.get(b"V"), Some(Object::Array(several)) if several.len() > 1);
                has_several || (field.default.is_none() && has_text())
            }
            FieldKind::Text | FieldKind::Attachment => field.default.is_none() && has_text(),
            _ => field.default.is_none() && *shown != Shown::Nothing,
        }
    }

    /// Returns the value that viewers show without an appearance.
    fn shown(&self) -> Shown {
        let flags = self.flags();
        let style = |place| TextStyle {
            place: Some(place),
            size: self.font_size().map(FontSize::points),
            alignment: match self.number(b"Q") {
                Some(1) => Alignment::Center,
                Some(2) => Alignment::Right,
                _ => Alignment::Left,
            },
            ..TextStyle::default()
        };
        let text = |text: String, style| match text.trim() {
            "" => Shown::Nothing,
            _ => Shown::Text { text, style },
        };
        match self.kind().as_deref() {
            Some(b"Btn") if flags & PUSH_BUTTON != 0 => {
                let characteristics = self
                    .nodes
                    .first()
                    .and_then(|widget| self.objects.dict_in(widget, b"MK"));
                let caption = characteristics.and_then(|characteristics| self.objects.text_in(characteristics, b"CA"));
                let style = TextStyle {
                    alignment: Alignment::Center,
                    ..style(TextPlace::OneLine)
                };
                text(caption.unwrap_or_default(), style)
            }
            Some(b"Btn") => {
                let state = self.get(b"AS").or_else(|| self.get(b"V"));
                match state.and_then(Object::as_name) {
                    None => Shown::Nothing,
                    Some(state) if state.is(OFF) => Shown::Nothing,
                    Some(_) if flags & RADIO != 0 => Shown::Dot,
                    Some(_) => Shown::Tick,
                }
            }
            Some(b"Ch") if flags & COMBO == 0 => Shown::List,
            _ => {
                let value = self.shown_text().unwrap_or_default();
                if flags & PASSWORD != 0 {
                    return text("*".repeat(value.chars().count()), style(TextPlace::OneLine));
                }
                let cells = self
                    .number(b"MaxLen")
                    .and_then(|length| u32::try_from(length).ok())
                    .filter(|length| flags & COMB != 0 && (1..=MOST_CELLS).contains(length));
                let place = match cells {
                    Some(cells) => TextPlace::Cells(cells),
                    None if flags & MULTILINE != 0 => TextPlace::ManyLines,
                    None => TextPlace::OneLine,
                };
                text(value, style(place))
            }
        }
    }

    /// Returns the displayed value of a text or choice field.
    fn shown_text(&self) -> Option<String> {
        let is_text = matches!(&*self.kind()?, b"Tx" | b"Ch");
        let value = self.get(b"V").filter(|_| is_text)?;
        let value = match value {
            Object::Array(several) => self.objects.follow(several.first()?),
            Object::Stream(stream) => {
                let decoded = self.objects.decode(stream, LONGEST_TEXT).ok()?;
                return Some(Str::hex(&decoded.bytes).text());
            }
            other => other,
        };
        let text = text_of(value).filter(|text| !text.is_empty())?;
        let shown = self.pairs().into_iter().find(|(value, _)| *value == text);
        Some(shown.map_or(text, |(_, shown)| shown))
    }

    /// Returns the size in the default appearance. 0 means that the size adapts to the box.
    fn font_size(&self) -> Option<FontSize> {
        let appearance = self.get(b"DA")?.as_str()?.bytes();
        let appearance = String::from_utf8_lossy(&appearance).into_owned();
        let words: Vec<&str> = appearance.split_whitespace().collect();
        let operator = words.iter().rposition(|word| *word == "Tf")?;
        FontSize::from_points(words.get(operator.checked_sub(1)?)?.parse().ok()?)
    }
}

fn text_of(object: &Object) -> Option<String> {
    object.as_str().map(Str::text)
}

/// Removes control characters and truncates the text to `most` characters.
fn clean(text: &str, most: usize) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(most)
        .collect();
    text.trim().to_owned()
}
