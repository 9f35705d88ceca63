//! What the template of the signing page is given: pages, and fields laid over them.

use std::collections::BTreeMap;

use app::template::PAGE_IMAGE_DPI;
use domain::{Alignment, Field, FieldKind, FontSize, Language, PageSize};
use serde::Serialize;

const POINTS_PER_INCH: f64 = 72.0;

/// The rule of `document::text_layout`.
const PADDING: f64 = 2.0;
const LINE_HEIGHT: f64 = 1.25;
const LARGEST_AUTOMATIC: f64 = 12.0;

/// A page of the document.
#[derive(Debug, Clone, Serialize)]
pub struct PageView {
    /// From 1.
    pub number: usize,
    /// Address of its picture.
    pub src: String,
    /// Address of its text.
    pub text: String,
    /// Of the picture, in pixels.
    pub width: u32,
    /// Of the picture, in pixels.
    pub height: u32,
    /// Of the paper: what a field's size of letters is measured against.
    pub width_points: f64,
    /// Of the paper.
    pub height_points: f64,
    /// What lies on it, in reading order.
    pub fields: Vec<BoxView>,
}

/// A field on a page.
#[derive(Debug, Clone, Serialize)]
#[allow(clippy::struct_excessive_bools)] // flags of a template, not states
pub struct BoxView {
    /// Of its control in the page.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What people read as its name.
    pub label: String,
    /// `text`, `number`, …
    pub kind: &'static str,
    /// May this writer fill it?
    pub mine: bool,
    /// Must he?
    pub required: bool,
    /// Is it a picture?
    pub picture: bool,
    /// Is it a file that is not drawn?
    pub attachment: bool,
    /// Does its box take several lines?
    pub multiline: bool,
    /// Does it have a value (a check: is it on; a radio: is this one chosen)?
    pub filled: bool,
    /// Has its writer still to come?
    pub waiting: bool,
    /// Millionths of the page.
    pub x: u32,
    /// Millionths of the page.
    pub y: u32,
    /// Millionths of the page.
    pub width: u32,
    /// Millionths of the page.
    pub height: u32,
    /// `left`, `center`, `right`
    pub alignment: &'static str,
    /// In points, where the template says so.
    pub font_size: Option<f32>,
    /// In characters, where the template says so.
    pub max_length: Option<u32>,
    /// The value as the form sends it.
    pub value: String,
    /// The value as people read it on the page.
    pub shown: String,
    /// Who fills or filled it, where that is another.
    pub note: String,
    /// Address of its picture.
    pub src: Option<String>,
    /// For a list.
    pub options: Vec<String>,
    /// The option that a radio mark stands for.
    pub option: String,
    /// The words on an empty picture.
    pub ask: String,
    /// The icon on an empty picture.
    pub symbol: &'static str,
}

/// Whose a field is, as the page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// Of the writer who reads the page, and open to him.
    Mine,
    /// Of nobody who still writes: the sender gave it.
    Sender,
    /// Of another writer, who has filled it in.
    Done(String),
    /// Of another writer, who has still to come.
    Waiting(String),
}

/// What is known of a field at this moment.
#[derive(Debug)]
pub struct Filled<'a> {
    /// The field.
    pub field: &'a Field,
    /// Whose it is.
    pub owner: Owner,
    /// Its value as text; of a file its name.
    pub value: Option<&'a str>,
    /// The address of its picture.
    pub src: Option<String>,
}

/// Lays the fields on their pages, each page's from top to bottom and left to right, so that the
/// order of the keyboard is the order of reading. `address` is where a part (`pages`: the pictures, `texts`) of a page is.
pub fn pages(
    language: Language,
    sizes: &[PageSize],
    fields: &[Filled<'_>],
    address: impl Fn(&str, u32) -> String,
) -> Vec<PageView> {
    let mut by_page: BTreeMap<u32, Vec<(usize, &Filled<'_>)>> = BTreeMap::new();
    for (index, filled) in fields.iter().enumerate() {
        by_page.entry(filled.field.page).or_default().push((index, filled));
    }
    (1_u32..)
        .zip(sizes)
        .map(|(number, size)| {
            let mut on_page = by_page.remove(&number).unwrap_or_default();
            on_page.sort_by_key(|(index, filled)| {
                let placement = &filled.field.placement;
                // Boxes whose middles differ by less than a line are on one line.
                (
                    placement.y.saturating_add(placement.height / 2) / 12_000,
                    placement.x,
                    *index,
                )
            });
            PageView {
                number: number as usize,
                src: address("pages", number),
                text: address("texts", number),
                width: pixels(size.width_points),
                height: pixels(size.height_points),
                width_points: size.width_points,
                height_points: size.height_points,
                fields: on_page
                    .into_iter()
                    .map(|(index, filled)| view(language, size, index, filled))
                    .collect(),
            }
        })
        .collect()
}

/// A side of a page's picture.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within 1..=100,000
pub fn pixels(points: f64) -> u32 {
    (points / POINTS_PER_INCH * f64::from(PAGE_IMAGE_DPI))
        .round()
        .clamp(1.0, 100_000.0) as u32
}

fn view(language: Language, size: &PageSize, index: usize, filled: &Filled<'_>) -> BoxView {
    let Filled {
        field,
        owner,
        value,
        src,
    } = filled;
    let mine = *owner == Owner::Mine;
    let note = match owner {
        Owner::Mine => String::new(),
        Owner::Sender => i18n::text(language, "sign-field-given", &[]),
        Owner::Done(name) => i18n::text(language, "sign-field-other", &[("name", name)]),
        Owner::Waiting(name) => i18n::text(language, "sign-field-waiting", &[("name", name)]),
    };
    let value = value.unwrap_or_default().to_owned();
    let option = field.option.clone().unwrap_or_default();
    let is_filled = match field.kind {
        FieldKind::Radio => !value.is_empty() && value == option,
        FieldKind::Check => value == "Y",
        _ => domain::text::is_visible(&value),
    };
    let picture = field.kind.is_picture();
    let attachment = field.kind == FieldKind::Attachment;
    let shown = match field.kind {
        FieldKind::Check | FieldKind::Radio => String::new(),
        _ if picture => String::new(),
        _ => value.clone(),
    };
    let ask = if (picture || attachment) && mine {
        i18n::text(language, &format!("sign-field-{}", field.kind.code()), &[])
    } else {
        String::new()
    };
    BoxView {
        id: format!("field-{index}"),
        name: field.name.clone(),
        label: field.name.clone(),
        kind: field.kind.code(),
        mine,
        required: field.required && mine,
        picture,
        attachment,
        multiline: matches!(field.kind, FieldKind::Text | FieldKind::Label) && many_lines(field, size),
        filled: is_filled,
        waiting: matches!(owner, Owner::Waiting(_)),
        x: field.placement.x,
        y: field.placement.y,
        width: field.placement.width,
        height: field.placement.height,
        alignment: match field.alignment {
            Alignment::Left => "left",
            Alignment::Center => "center",
            Alignment::Right => "right",
        },
        font_size: field.font_size.map(FontSize::points),
        max_length: field.max_length,
        value,
        shown,
        note,
        src: src.clone(),
        options: field.options.clone(),
        option,
        ask,
        symbol: match field.kind {
            FieldKind::Seal => "seal",
            FieldKind::Image => "image",
            FieldKind::Attachment => "clip",
            _ => "pen",
        },
    }
}

/// The stamp's rule: a box in which two lines of its letters fit takes many.
fn many_lines(field: &Field, page: &PageSize) -> bool {
    let height = f64::from(field.placement.height) / 1_000_000.0 * page.height_points;
    let automatic = LARGEST_AUTOMATIC.min((height / LINE_HEIGHT).max(1.0));
    let letters = field.font_size.map_or(automatic, |size| f64::from(size.points()));
    height - 2.0 * PADDING >= 2.0 * LINE_HEIGHT * letters
}
