//! Data for the template of the signing page: pages and their fields.

use std::collections::{BTreeMap, BTreeSet};

use app::template::PAGE_IMAGE_DPI;
use app::{BoxLook, FieldLook};
use domain::{Colour, Field, FieldKind, FontSize, Language, PageSize, Placement, TextPlace, WriterDetail};
use serde::Serialize;

const POINTS_PER_INCH: f64 = 72.0;

/// A page of the document.
#[derive(Debug, Clone, Serialize)]
pub struct PageView {
    /// Page number, from 1.
    pub number: usize,
    pub src: String,
    pub text: String,
    /// The image's width in pixels.
    pub width: u32,
    /// The image's height in pixels.
    pub height: u32,
    /// The page's width in points, to which a field's font size is relative.
    pub width_points: f64,
    pub height_points: f64,
    /// The fields in reading order.
    pub fields: Vec<BoxView>,
}

/// The letters of a value as they will be stamped, as a path over the box.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ink {
    /// SVG path data, in points from the box's top left.
    pub path: String,
    /// `#rrggbb`
    pub color: String,
}

impl Ink {
    /// Returns the letters. `None` if there are none.
    pub fn of(look: &BoxLook) -> Option<Self> {
        let outline = look.outline.as_ref()?;
        Some(Self {
            path: outline.path.clone(),
            color: Colour(outline.colour).to_string(),
        })
    }
}

/// A field's rendered value after it was saved, for the script.
#[derive(Debug, Serialize)]
pub struct Look {
    name: String,
    boxes: Vec<BoxShown>,
    /// Why the value will be refused. Empty if it will not.
    message: String,
}

#[derive(Debug, Serialize)]
struct BoxShown {
    /// The id of the box in the page.
    id: String,
    shown: String,
    ink: Option<Ink>,
}

impl Look {
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

/// Returns the id of a field's box in the page: its index among the template's fields.
fn id(index: usize) -> String {
    format!("field-{index}")
}

/// A field on a page.
#[derive(Debug, Clone, Serialize)]
#[allow(clippy::struct_excessive_bools)] // flags of a template, not states
pub struct BoxView {
    /// The id in the page. The control's id ends in `-control`.
    pub id: String,
    /// Whether another box contains the field's control.
    pub again: bool,
    pub name: String,
    /// The name shown to people.
    pub label: String,
    /// The sender's help text.
    pub help: Option<String>,
    /// `text`, `number`, …
    pub kind: &'static str,
    /// Whether this signer may fill in the field.
    pub mine: bool,
    /// Whether the signer must fill in the field.
    pub required: bool,
    /// Whether this is the company's stamp rather than the signer's.
    pub company_seal: bool,
    pub picture: bool,
    /// Whether this is a file that is not drawn.
    pub attachment: bool,
    /// Whether the box has several lines.
    pub multiline: bool,
    /// Whether it has a value. For a check, whether it is on. For a radio choice, whether this option is chosen.
    pub filled: bool,
    /// Whether its signer has not signed yet.
    pub waiting: bool,
    /// Millionths of the page.
    pub x: u32,
    /// Millionths of the page.
    pub y: u32,
    /// Millionths of the page.
    pub width: u32,
    /// Millionths of the page.
    pub height: u32,
    /// The width in points, like the path of its letters.
    pub width_points: f64,
    /// The height in points.
    pub height_points: f64,
    /// `start`, `left`, `center`, `right`
    pub alignment: &'static str,
    /// Font size in points, if the template sets it.
    pub font_size: Option<f32>,
    /// Maximum number of characters, if the template sets it.
    pub max_length: Option<u32>,
    /// Number of cells, each with one character.
    pub cells: Option<u32>,
    /// Maximum number of decimals.
    pub decimals: Option<u32>,
    pub ink: Option<Ink>,
    pub fault: String,
    /// The value as sent by the form.
    pub value: String,
    /// The value as shown on the page.
    pub shown: String,
    /// The person who fills in or filled in the field, if it is someone else.
    pub note: String,
    pub src: Option<String>,
    pub options: Vec<String>,
    /// The option of this radio choice.
    pub option: String,
    /// The text in an empty image box.
    pub ask: String,
    /// The icon in an empty image box.
    pub symbol: &'static str,
}

/// The owner of a field, as seen by the reader of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// The reader, who may fill it in.
    Mine,
    /// The sender, who has filled it in.
    Sender,
    /// Another signer, who has filled it in.
    Done(String),
    /// Another signer, who has not signed yet.
    Waiting(String),
}

#[derive(Debug)]
pub struct Filled<'a> {
    pub field: &'a Field,
    pub owner: Owner,
    /// The value as text. For a file, its name.
    pub value: Option<&'a str>,
    pub look: BoxLook,
    /// The reason why the value will be refused.
    pub fault: Option<String>,
    pub src: Option<String>,
}

/// Places the fields on their pages, from top to bottom and left to right, so that the tab order is the reading order.
/// `address` returns the URL of a page's image (`pages`) or text (`texts`).
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
    let names = app::shown_names(language, fields.iter().map(|filled| filled.field));
    // The first box in reading order contains the control.
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    (1_u32..)
        .zip(sizes)
        .map(|(number, size)| {
            let mut on_page = by_page.remove(&number).unwrap_or_default();
            on_page.sort_by_key(|(index, filled)| {
                let placement = &filled.field.placement;
                // Boxes whose vertical centres differ by less than a line are on the same line.
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
                        label: names.get(index).cloned().unwrap_or_default(),
                        ..view(language, size, index, filled)
                    })
                    .collect(),
            }
        })
        .collect()
}

/// Returns the side of a page's image in pixels.
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
        // Show the entry as typed, even if it will be refused.
        _ if look.shown.is_empty() => value.clone(),
        _ => look.shown.clone(),
    };
    let place = field.text_place(size);
    let multiline = matches!(field.kind, FieldKind::Text | FieldKind::Label) && place == TextPlace::ManyLines;
    // A single-line control would drop line breaks, which are printed as spaces.
    let value = if multiline {
        value
    } else {
        value.replace(['\r', '\n'], " ")
    };
    let company_seal = field.kind == FieldKind::Seal && field.detail == Some(WriterDetail::Company);
    BoxView {
        id: id(index),
        again: false,
        name: field.name.clone(),
        label: String::new(),
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
        note: note(language, owner, field.kind),
        src: src.clone(),
        options: field.options.clone(),
        option,
        ask: if mine {
            ask(language, field.kind, company_seal)
        } else {
            String::new()
        },
        symbol: symbol(field.kind),
    }
}

/// Returns the icon in an empty file box.
fn symbol(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Seal => "seal",
        FieldKind::Image => "image",
        FieldKind::Attachment => "clip",
        _ => "pen",
    }
}

/// Returns the signer's final action: sign if they have a signature, initials or seal field, otherwise approve.
pub fn act(filled: &[Filled<'_>]) -> &'static str {
    let is_signed = |filled: &Filled<'_>| {
        let kind = filled.field.kind;
        filled.owner == Owner::Mine && matches!(kind, FieldKind::Signature | FieldKind::Initials | FieldKind::Seal)
    };
    if filled.iter().any(is_signed) {
        "sign"
    } else {
        "approve"
    }
}

/// Returns the person who fills in or filled in a field, if it is someone else.
fn note(language: Language, owner: &Owner, kind: FieldKind) -> String {
    match owner {
        Owner::Mine => String::new(),
        Owner::Sender if kind == FieldKind::SignedOn => i18n::text(language, "sign-field-signed-on", &[]),
        Owner::Sender if kind.fills_itself() => i18n::text(language, "sign-field-automatic", &[]),
        Owner::Sender => i18n::text(language, "sign-field-given", &[]),
        Owner::Done(name) => i18n::text(language, "sign-field-other", &[("name", name)]),
        Owner::Waiting(name) => i18n::text(language, "sign-field-waiting", &[("name", name)]),
    }
}

/// Returns the text in an empty image or file box.
fn ask(language: Language, kind: FieldKind, is_company_seal: bool) -> String {
    if is_company_seal {
        i18n::text(language, "sign-field-company-seal", &[])
    } else if kind.is_picture() || kind == FieldKind::Attachment {
        i18n::text(language, &format!("sign-field-{}", kind.code()), &[])
    } else {
        String::new()
    }
}

/// Returns the side of a box in points.
fn points(millionths: u32, side: f64) -> f64 {
    let length = f64::from(millionths) / f64::from(Placement::WHOLE) * side;
    (length * 1_000.0).round() / 1_000.0
}
