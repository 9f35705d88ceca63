//! The values for the template of the signing page: pages, and fields on top of them.

use std::collections::{BTreeMap, BTreeSet};

use app::template::PAGE_IMAGE_DPI;
use app::{BoxLook, FieldLook};
use domain::{Colour, Field, FieldKind, FontSize, Language, PageSize, Placement, TextPlace, WriterDetail};
use serde::Serialize;

const POINTS_PER_INCH: f64 = 72.0;

/// A page of the document.
#[derive(Debug, Clone, Serialize)]
pub struct PageView {
    /// From 1.
    pub number: usize,
    /// Address of its picture.
    pub src: String,
    /// Address of its text.
    pub text: String,
    /// The picture's width in pixels.
    pub width: u32,
    /// The picture's height in pixels.
    pub height: u32,
    /// The paper's width, which font sizes are relative to.
    pub width_points: f64,
    pub height_points: f64,
    /// The boxes on it, in reading order.
    pub fields: Vec<BoxView>,
}

/// The letters of a value as they will be stamped, as a path over the box.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ink {
    /// Data of an SVG path, in points from the box's top left.
    pub path: String,
    /// `#rrggbb`
    pub color: String,
}

impl Ink {
    /// `None` for content without letters.
    pub fn of(look: &BoxLook) -> Option<Self> {
        let outline = look.outline.as_ref()?;
        Some(Self {
            path: outline.path.clone(),
            color: Colour(outline.colour).to_string(),
        })
    }
}

/// A field's value after it was saved, for the browser code.
#[derive(Debug, Serialize)]
pub struct Look {
    name: String,
    boxes: Vec<BoxShown>,
    /// Why the value will be refused. Empty if it will not.
    message: String,
}

#[derive(Debug, Serialize)]
struct BoxShown {
    /// The box's ID in the page.
    id: String,
    shown: String,
    ink: Option<Ink>,
}

impl Look {
    /// In the page's language.
    pub fn of(look: &FieldLook, language: Language) -> Self {
        let boxes = look.boxes.iter().map(|(index, look)| BoxShown {
            id: id(*index),
            shown: look.shown.clone(),
            ink: Ink::of(look),
        });
        Self {
            name: look.name.clone(),
            boxes: boxes.collect(),
            message: look
                .fault
                .as_ref()
                .map(|fault| fault.message(language))
                .unwrap_or_default(),
        }
    }
}

/// A field's box in the page: its place among the template's.
fn id(index: usize) -> String {
    format!("field-{index}")
}

/// A field on a page.
#[derive(Debug, Clone, Serialize)]
#[allow(clippy::struct_excessive_bools)] // flags of a template, not states
pub struct BoxView {
    /// The ID in the page. Its control has this ID with `-control` at the end.
    pub id: String,
    /// Whether it is another box of a field whose control is elsewhere.
    pub again: bool,
    pub name: String,
    /// The field's name for people.
    pub label: String,
    /// The sender's words that help to fill it.
    pub help: Option<String>,
    /// `text`, `number`, …
    pub kind: &'static str,
    /// Whether this signer can fill it in.
    pub mine: bool,
    pub required: bool,
    /// Whether it is a company's seal, not the signer's own.
    pub company_seal: bool,
    /// Whether it is a picture.
    pub picture: bool,
    /// Whether it is a file that is not drawn.
    pub attachment: bool,
    /// Whether its box accepts several lines.
    pub multiline: bool,
    /// Whether it has a value (a check: it is on; a radio button: it is selected).
    pub filled: bool,
    /// Whether its signer's turn is still to come.
    pub waiting: bool,
    /// Millionths of the page.
    pub x: u32,
    /// Millionths of the page.
    pub y: u32,
    /// Millionths of the page.
    pub width: u32,
    /// Millionths of the page.
    pub height: u32,
    /// The width in points, the unit of the path of its letters.
    pub width_points: f64,
    /// The height in points.
    pub height_points: f64,
    /// `start`, `left`, `center`, `right`
    pub alignment: &'static str,
    /// The font size in points, if the template sets it.
    pub font_size: Option<f32>,
    /// The limit in characters, if the template sets one.
    pub max_length: Option<u32>,
    /// The number of cells, with one character each.
    pub cells: Option<u32>,
    /// The most decimals of a number.
    pub decimals: Option<u32>,
    /// The letters as they will be stamped.
    pub ink: Option<Ink>,
    /// Why the value will be refused.
    pub fault: String,
    /// The value as the form sends it.
    pub value: String,
    /// The value as people read it on the page.
    pub shown: String,
    /// The person who fills or filled it in, if it is someone else.
    pub note: String,
    /// Address of its picture.
    pub src: Option<String>,
    /// The options of a list.
    pub options: Vec<String>,
    /// The option of a radio button.
    pub option: String,
    /// The words on an empty picture.
    pub ask: String,
    /// The icon on an empty picture.
    pub symbol: &'static str,
}

/// The owner of a field, as the page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// The reader's own field, which they can fill in.
    Mine,
    /// A field that the sender filled in and nobody else will.
    Sender,
    /// The field of another signer, who has filled it in.
    Done(String),
    /// The field of another signer, whose turn is still to come.
    Waiting(String),
}

/// The current state of a field.
#[derive(Debug)]
pub struct Filled<'a> {
    pub field: &'a Field,
    pub owner: Owner,
    /// Its value as text; of a file its name.
    pub value: Option<&'a str>,
    pub look: BoxLook,
    /// Why it will be refused.
    pub fault: Option<String>,
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
    // The first box in reading order contains the control.
    let mut seen: BTreeSet<&str> = BTreeSet::new();
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
                    .map(|(index, filled)| BoxView {
                        again: filled.field.kind != FieldKind::Radio && !seen.insert(&filled.field.name),
                        ..view(language, size, index, filled)
                    })
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
        look,
        fault,
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
        // Typed text is shown even if it cannot be accepted.
        _ if look.shown.is_empty() => value.clone(),
        _ => look.shown.clone(),
    };
    let place = field.text_place(size);
    let multiline = matches!(field.kind, FieldKind::Text | FieldKind::Label) && place == TextPlace::ManyLines;
    // A control of one line would drop line breaks; on paper they are spaces.
    let value = if multiline {
        value
    } else {
        value.replace(['\r', '\n'], " ")
    };
    let company_seal = field.kind == FieldKind::Seal && field.detail == Some(WriterDetail::Company);
    let ask = if company_seal && mine {
        i18n::text(language, "sign-field-company-seal", &[])
    } else if (picture || attachment) && mine {
        i18n::text(language, &format!("sign-field-{}", field.kind.code()), &[])
    } else {
        String::new()
    };
    BoxView {
        id: id(index),
        again: false,
        name: field.name.clone(),
        label: field.shown_name().to_owned(),
        help: field.help.clone(),
        kind: field.kind.code(),
        mine,
        required: field.required && mine,
        company_seal,
        picture,
        attachment,
        multiline,
        filled: is_filled,
        waiting: matches!(owner, Owner::Waiting(_)),
        x: field.placement.x,
        y: field.placement.y,
        width: field.placement.width,
        height: field.placement.height,
        width_points: points(field.placement.width, size.width_points),
        height_points: points(field.placement.height, size.height_points),
        alignment: field.alignment.code(),
        font_size: field.font_size.map(FontSize::points),
        max_length: field.max_length,
        cells: field.cells,
        decimals: field.decimals,
        ink: Ink::of(look),
        fault: fault.clone().unwrap_or_default(),
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

/// A side of a box, in points.
fn points(millionths: u32, side: f64) -> f64 {
    let length = f64::from(millionths) / f64::from(Placement::WHOLE) * side;
    (length * 1_000.0).round() / 1_000.0
}
