//! Fields: named boxes on a page that a signer fills in.
//!
//! A [`Field`] is one box. Boxes with the same name are one field with one value: the options of a radio choice, the
//! year, month and day of one date, initials on every page. Rules about the value (whether it is required, its maximum
//! length, how a number is rounded) are the same in all of them, but their appearance may differ.

use serde::{Deserialize, Serialize};

use crate::number::{NumberFormat, Rounding};
use crate::template::PageSize;

/// The kind of value in a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// Free text.
    Text,
    Number,
    Date,
    /// A check mark that is on or off.
    Check,
    /// One of several options. Fields with the same name form the choice.
    Radio,
    /// One of a list of texts.
    Select,
    /// A drawn or uploaded signature.
    Signature,
    /// Drawn or uploaded initials.
    Initials,
    /// An image of a seal.
    Seal,
    Image,
    /// A file that belongs to the document but is not drawn on its pages.
    Attachment,
    Label,
    /// Known data about the signer: see [`WriterDetail`].
    Writer,
    /// The result of a formula over number fields.
    Calc,
    /// The day on which its signer signs, in the document's time zone.
    SignedOn,
}

impl FieldKind {
    pub const ALL: [Self; 15] = [
        Self::Text,
        Self::Number,
        Self::Date,
        Self::Check,
        Self::Radio,
        Self::Select,
        Self::Signature,
        Self::Initials,
        Self::Seal,
        Self::Image,
        Self::Attachment,
        Self::Label,
        Self::Writer,
        Self::Calc,
        Self::SignedOn,
    ];

    /// Returns the word used in `FIELDS.json` and in the database.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Date => "date",
            Self::Check => "check",
            Self::Radio => "radio",
            Self::Select => "select",
            Self::Signature => "signature",
            Self::Initials => "initials",
            Self::Seal => "seal",
            Self::Image => "image",
            Self::Attachment => "attachment",
            Self::Label => "label",
            Self::Writer => "writer",
            Self::Calc => "calc",
            Self::SignedOn => "signed_on",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == text)
    }

    /// Whether its value is a PNG or JPEG image.
    pub const fn is_picture(self) -> bool {
        matches!(self, Self::Signature | Self::Initials | Self::Seal | Self::Image)
    }

    /// Whether its value is a file of any kind.
    pub const fn is_file(self) -> bool {
        self.is_picture() || matches!(self, Self::Attachment)
    }

    /// Whether it gets its value when its signer signs, and accepts none.
    pub const fn fills_itself(self) -> bool {
        matches!(self, Self::Writer | Self::Calc | Self::SignedOn)
    }

    /// Whether a signer can fill it in. Other fields are filled automatically or by the sender.
    pub const fn is_written_by_writer(self) -> bool {
        !self.fills_itself() && !matches!(self, Self::Label)
    }

    /// Whether the signer must consent to electronic signing before filling it in.
    pub const fn is_signature(self) -> bool {
        matches!(self, Self::Signature | Self::Initials | Self::Seal)
    }
}

/// A field's box on its page, in millionths of the displayed page's width and height, from the top left. Integers
/// prevent rounding differences between editor, page and PDF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Placement {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

impl Placement {
    /// The whole page's width or height.
    pub const WHOLE: u32 = 1_000_000;

    /// Whether it has an area and is inside its page.
    pub const fn is_on_page(&self) -> bool {
        self.width > 0
            && self.height > 0
            && self.x as u64 + self.width as u64 <= Self::WHOLE as u64
            && self.y as u64 + self.height as u64 <= Self::WHOLE as u64
    }

    /// Returns its width and height on a page of this size, in points.
    pub fn size_on(&self, page: &PageSize) -> (f64, f64) {
        let share = |part: u32| f64::from(part) / f64::from(Self::WHOLE);
        (
            share(self.width) * page.width_points,
            share(self.height) * page.height_points,
        )
    }

    /// Returns the box enlarged around its centre to at least this width and height in points, without leaving the
    /// page. `None` if the page is too small.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within 0..=WHOLE
    pub fn enlarged_on(&self, page: &PageSize, (width, height): (f64, f64)) -> Option<Self> {
        let grown = |start: u32, length: u32, least: f64, side: f64| {
            let least = (least / side * f64::from(Self::WHOLE)).ceil();
            if least.is_nan() || least > f64::from(Self::WHOLE) {
                return None;
            }
            let longer = length.max(least as u32);
            let start = start.saturating_sub((longer - length) / 2);
            Some((start.min(Self::WHOLE.saturating_sub(longer)), longer))
        };
        let (x, width) = grown(self.x, self.width, width, page.width_points)?;
        let (y, height) = grown(self.y, self.height, height, page.height_points)?;
        Some(Self { x, y, width, height })
    }
}

/// A font size in hundredths of a point, serialised in points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FontSize {
    pub hundredths: u16,
}

impl FontSize {
    /// Converts from points. `None` outside 4 to 72.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within 400..=7200
    pub fn from_points(points: f64) -> Option<Self> {
        (4.0..=72.0).contains(&points).then(|| Self {
            hundredths: (points * 100.0).round() as u16,
        })
    }

    pub fn points(self) -> f32 {
        f32::from(self.hundredths) / 100.0
    }
}

impl Serialize for FontSize {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.hundredths) / 100.0)
    }
}

impl<'de> Deserialize<'de> for FontSize {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let points = f64::deserialize(deserializer)?;
        Self::from_points(points).ok_or_else(|| serde::de::Error::custom("a font size must be from 4 to 72 points"))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alignment {
    /// The start edge of the text's direction: right for Arabic and Hebrew, otherwise left.
    #[default]
    Start,
    Left,
    Center,
    Right,
}

impl Alignment {
    pub const ALL: [Self; 4] = [Self::Start, Self::Left, Self::Center, Self::Right];

    /// Returns the word used in `FIELDS.json` and in the database.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Left => "left",
            Self::Center => "center",
            Self::Right => "right",
        }
    }
}

/// Number of lines that a text may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lines {
    /// One line: line breaks become spaces.
    One,
    /// As many lines as fit into the box.
    Many,
}

/// The layout of a text in its box: see `document::text::layout`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextPlace {
    /// One line, vertically centred.
    OneLine,
    /// Wrapped lines from the top.
    ManyLines,
    /// One character in each of this many equal cells side by side.
    Cells(u32),
}

/// Dimensions of text in a box, in points, shared by page, stamp and template.
pub mod measures {
    /// Distance between a box's edge and its text.
    pub const PADDING: f32 = 2.0;
    /// Line height as a multiple of the font size.
    pub const LINE_HEIGHT: f32 = 1.25;
    /// Text is never shrunk below this font size.
    pub const SMALLEST: f32 = 6.0;
    /// Minimum width of a cell relative to the font size: a digit's width, rounded up.
    pub const CELL_WIDTH: f32 = 0.65;
    /// Minimum visible side of a check mark or radio option.
    pub const SMALLEST_MARK: f32 = 5.0;
    /// Minimum visible side of an image: a signature, initials or a seal.
    pub const SMALLEST_PICTURE: f32 = 10.0;
    /// The font size if neither the field nor its box requires a smaller one.
    pub const LARGEST_AUTOMATIC: f32 = 12.0;

    /// Returns the font size for a box of this height if the field sets none.
    pub fn automatic_size(height: f32) -> f32 {
        LARGEST_AUTOMATIC.min((height / LINE_HEIGHT).max(1.0))
    }

    /// Whether two lines of this size fit into a box of this height.
    pub fn takes_two_lines(height: f32, size: f32) -> bool {
        height - 2.0 * PADDING >= 2.0 * LINE_HEIGHT * size
    }
}

/// A text colour or a company's colour: red, green, blue, written as `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Colour(pub [u8; 3]);

impl Colour {
    /// Parses `#rrggbb`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = [0; 3];
        hex::decode_to_slice(text.strip_prefix('#')?, &mut parts).ok()?;
        Some(Self(parts))
    }
}

impl std::fmt::Display for Colour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}", hex::encode(self.0))
    }
}

impl Serialize for Colour {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Colour {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("a colour must be written as #rrggbb"))
    }
}

/// The information that a [`FieldKind::Writer`] field shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriterDetail {
    #[default]
    Name,
    Email,
    Phone,
    /// The name of the sending company.
    Company,
}

/// A field of a template version. Properties missing in old versions get their defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // options of a template, not states
pub struct Field {
    /// The field's name. Boxes with the same name are one field.
    pub name: String,
    /// The name shown to signers. `None` means `name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Instructions for the signer, in the sender's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    pub kind: FieldKind,
    /// The step whose signer fills it in.
    pub step: u32,
    /// The role, if the step has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Page number, from 1.
    pub page: u32,
    #[serde(flatten)]
    pub placement: Placement,
    /// Whether it must be filled in before its signer can approve.
    #[serde(default)]
    pub required: bool,
    /// Whether the sender's value is final. For a `label`, whether it always shows its default.
    #[serde(default)]
    pub read_only: bool,
    /// The choices of a `select`, or all options of a `radio` choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The option of this `radio` field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Maximum number of characters of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// One line or many. If `None`, the box's height decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
    /// Number of equal cells, each with one character.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<u32>,
    /// Whether a number is shown with thousands separators (commas).
    #[serde(default, skip_serializing_if = "is_false")]
    pub thousands: bool,
    /// Number of decimals shown, and the maximum accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u32>,
    /// The rounding of a `calc` result to its decimals.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rounding: Rounding,
    /// The date format: see [`crate::date_pattern`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The preferred font family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub font: Option<String>,
    /// Whether to use bold letters, if the family has them.
    #[serde(default, skip_serializing_if = "is_false")]
    pub bold: bool,
    #[serde(default, rename = "color", skip_serializing_if = "is_default")]
    pub colour: Colour,
    /// The font size. If `None`, chosen to fit the box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub font_size: Option<FontSize>,
    #[serde(default)]
    pub alignment: Alignment,
    /// The information shown by a `writer` field. For a `seal`, its owner: the signer, or the company they sign for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<WriterDetail>,
    /// The formula of a `calc` field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// Whether the file of an `attachment` becomes part of the sealed PDF.
    #[serde(default, skip_serializing_if = "is_false")]
    pub embed: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's signature
fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Field {
    /// Maximum number of characters of a text if the field itself sets no limit.
    pub const TEXT_LIMIT: u32 = 4_000;

    /// Creates a field with only the required properties.
    pub fn new(name: impl Into<String>, kind: FieldKind, step: u32, page: u32, placement: Placement) -> Self {
        Self {
            name: name.into(),
            label: None,
            help: None,
            kind,
            step,
            role: None,
            page,
            placement,
            required: false,
            read_only: false,
            options: Vec::new(),
            option: None,
            default: None,
            max_length: None,
            lines: None,
            cells: None,
            thousands: false,
            decimals: None,
            rounding: Rounding::default(),
            pattern: None,
            font: None,
            bold: false,
            colour: Colour::default(),
            font_size: None,
            alignment: Alignment::default(),
            detail: None,
            formula: None,
            embed: false,
        }
    }

    /// Returns the name shown to people.
    pub fn shown_name(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }

    /// Returns the number format of this field.
    pub fn number_format(&self) -> NumberFormat {
        NumberFormat {
            thousands: self.thousands,
            decimals: self.decimals,
        }
    }

    /// Whether the field is fixed text from the template, which nobody enters or changes.
    pub fn is_fixed_text(&self) -> bool {
        self.kind == FieldKind::Label && self.read_only
    }

    /// Returns the layout of its text on a page of this size. If the template does not set one, a text has many lines
    /// if its box has room for two.
    #[allow(clippy::cast_possible_truncation)] // a length in points
    pub fn text_place(&self, page: &PageSize) -> TextPlace {
        if let Some(cells) = self.cells {
            return TextPlace::Cells(cells);
        }
        match self.lines {
            Some(Lines::One) => TextPlace::OneLine,
            Some(Lines::Many) => TextPlace::ManyLines,
            None if !matches!(self.kind, FieldKind::Text | FieldKind::Label) => TextPlace::OneLine,
            None => {
                let share = f64::from(self.placement.height) / f64::from(Placement::WHOLE);
                let height = (share * page.height_points) as f32;
                let size = self
                    .font_size
                    .map_or_else(|| measures::automatic_size(height), FontSize::points);
                if measures::takes_two_lines(height, size) {
                    TextPlace::ManyLines
                } else {
                    TextPlace::OneLine
                }
            }
        }
    }

    /// Returns the minimum width and height of its box, in points. Anything smaller would be unreadable. An attachment
    /// is not drawn, so its box has no minimum.
    #[allow(clippy::cast_precision_loss)] // at most a hundred cells
    pub fn least_size(&self) -> (f64, f64) {
        let (width, height) = match self.kind {
            FieldKind::Attachment => (0.0, 0.0),
            FieldKind::Check | FieldKind::Radio => (measures::SMALLEST_MARK, measures::SMALLEST_MARK),
            FieldKind::Signature | FieldKind::Initials | FieldKind::Seal | FieldKind::Image => {
                (measures::SMALLEST_PICTURE, measures::SMALLEST_PICTURE)
            }
            FieldKind::Text
            | FieldKind::Number
            | FieldKind::Date
            | FieldKind::Select
            | FieldKind::Label
            | FieldKind::Writer
            | FieldKind::Calc
            | FieldKind::SignedOn => {
                let letters = self
                    .font_size
                    .map_or(measures::SMALLEST, |size| size.points().min(measures::SMALLEST));
                let width = match self.cells {
                    Some(cells) => cells as f32 * measures::CELL_WIDTH * letters,
                    None => letters + 2.0 * measures::PADDING,
                };
                let line = letters * measures::LINE_HEIGHT;
                let is_padded = self.cells.is_none() && self.lines == Some(Lines::Many);
                (
                    width,
                    if is_padded {
                        line + 2.0 * measures::PADDING
                    } else {
                        line
                    },
                )
            }
        };
        (f64::from(width), f64::from(height))
    }

    /// Whether its box is smaller than [`Field::least_size`] on a page of this size.
    pub fn is_too_small(&self, page: &PageSize) -> bool {
        // The rounding error of a placement's millionths.
        const SLACK: f64 = 0.02;
        let (width, height) = self.placement.size_on(page);
        let (least_width, least_height) = self.least_size();
        width + SLACK < least_width || height + SLACK < least_height
    }

    /// Whether the signer with this step and role fills it in.
    pub fn belongs_to(&self, step: u32, role: Option<&str>) -> bool {
        self.step == step
            && match (&self.role, role) {
                (Some(own), Some(role)) => own == role,
                _ => true,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_word() {
        for kind in FieldKind::ALL {
            assert_eq!(FieldKind::parse(kind.code()), Some(kind));
            assert_eq!(
                serde_json::to_value(kind).unwrap(),
                serde_json::Value::from(kind.code())
            );
        }
        assert_eq!(FieldKind::parse("Text"), None);
    }

    #[test]
    fn a_placement_stays_on_its_page() {
        let at = |x, y, width, height| Placement { x, y, width, height };
        assert!(at(0, 0, 1_000_000, 1_000_000).is_on_page());
        assert!(!at(1, 0, 1_000_000, 1_000_000).is_on_page());
        assert!(!at(0, 0, 0, 5).is_on_page());
        assert!(!at(u32::MAX, 0, u32::MAX, 5).is_on_page());
    }

    #[test]
    fn a_field_of_an_older_version_is_read_with_defaults() {
        let old = r#"{"name":"a","kind":"text","step":1,"page":1,"x":0,"y":0,"width":10,"height":10,
            "required":true,"read_only":false,"alignment":"left"}"#;
        let placement = Placement {
            x: 0,
            y: 0,
            width: 10,
            height: 10,
        };
        let expected = Field {
            required: true,
            alignment: Alignment::Left,
            ..Field::new("a", FieldKind::Text, 1, 1, placement)
        };
        let read: Field = serde_json::from_str(old).unwrap();
        assert_eq!(read, expected);
        let again: Field = serde_json::from_str(&serde_json::to_string(&read).unwrap()).unwrap();
        assert_eq!(again, expected);
    }

    #[test]
    fn without_a_word_of_the_template_the_height_of_a_text_box_says_how_many_lines_it_takes() {
        let page = PageSize {
            width_points: 595.0,
            height_points: 842.0,
        };
        let mut field = Field::new(
            "a",
            FieldKind::Text,
            1,
            1,
            Placement {
                x: 0,
                y: 0,
                width: 400_000,
                height: 70_000,
            },
        );
        assert_eq!(field.text_place(&page), TextPlace::ManyLines);
        field.lines = Some(Lines::One);
        assert_eq!(field.text_place(&page), TextPlace::OneLine);
        field.lines = None;
        field.placement.height = 20_000;
        assert_eq!(field.text_place(&page), TextPlace::OneLine);
        field.lines = Some(Lines::Many);
        assert_eq!(field.text_place(&page), TextPlace::ManyLines);
        field.cells = Some(6);
        assert_eq!(field.text_place(&page), TextPlace::Cells(6));
    }

    #[test]
    fn a_box_holds_its_smallest_letters_and_a_mark_can_be_seen() {
        let page = PageSize {
            width_points: 1_000.0,
            height_points: 1_000.0,
        };
        // On this page, a thousand millionths equal one point.
        let field = |kind, width, height| {
            Field::new(
                "a",
                kind,
                1,
                1,
                Placement {
                    x: 999_000,
                    y: 0,
                    width,
                    height,
                },
            )
        };
        for (kind, width, height) in [
            (FieldKind::Text, 10_000, 7_500),
            (FieldKind::Number, 10_000, 7_500),
            (FieldKind::Check, 5_000, 5_000),
            (FieldKind::Radio, 5_000, 5_000),
            (FieldKind::Signature, 10_000, 10_000),
            (FieldKind::Initials, 10_000, 10_000),
            (FieldKind::Seal, 10_000, 10_000),
            (FieldKind::Image, 10_000, 10_000),
            (FieldKind::Attachment, 1, 1),
        ] {
            assert!(!field(kind, width, height).is_too_small(&page), "{kind:?}");
            if kind == FieldKind::Attachment {
                continue;
            }
            for (width, height) in [(width - 100, height), (width, height - 100)] {
                let small = field(kind, width, height);
                assert!(small.is_too_small(&page), "{kind:?}");
                let placement = small.placement.enlarged_on(&page, small.least_size()).unwrap();
                assert!(placement.is_on_page(), "{placement:?}");
                assert!(!Field { placement, ..small }.is_too_small(&page), "{kind:?}");
            }
        }
    }

    #[test]
    fn how_small_a_box_of_text_may_be_depends_on_its_letters_lines_and_cells() {
        let page = PageSize {
            width_points: 1_000.0,
            height_points: 1_000.0,
        };
        let field = |width, height| {
            let placement = Placement {
                x: 0,
                y: 0,
                width,
                height,
            };
            Field::new("a", FieldKind::Text, 1, 1, placement)
        };
        let text = field(50_000, 5_500);
        assert!(text.is_too_small(&page));
        let four = FontSize::from_points(4.0);
        assert!(
            !Field {
                font_size: four,
                ..text.clone()
            }
            .is_too_small(&page)
        );
        let large = FontSize::from_points(72.0);
        let text = field(50_000, 7_500);
        assert!(
            !Field {
                font_size: large,
                ..text.clone()
            }
            .is_too_small(&page)
        );
        assert!(
            Field {
                lines: Some(Lines::Many),
                ..text.clone()
            }
            .is_too_small(&page)
        );
        assert!(
            !Field {
                cells: Some(12),
                ..text.clone()
            }
            .is_too_small(&page)
        );
        assert!(
            Field {
                cells: Some(13),
                ..text
            }
            .is_too_small(&page)
        );
        let tiny = PageSize {
            width_points: 5.0,
            height_points: 5.0,
        };
        assert_eq!(field(1, 1).placement.enlarged_on(&tiny, (10.0, 7.5)), None);
    }

    #[test]
    fn colours_are_six_hexadecimal_digits() {
        assert_eq!(Colour::parse("#1a2B3c"), Some(Colour([0x1a, 0x2b, 0x3c])));
        assert_eq!(Colour([1, 2, 255]).to_string(), "#0102ff");
        for text in ["", "#", "123456", "#12345", "#1234567", "#gggggg", "red"] {
            assert_eq!(Colour::parse(text), None, "{text}");
        }
    }

    #[test]
    fn font_sizes_are_points() {
        let size = FontSize::from_points(10.5).unwrap();
        assert_eq!(serde_json::to_string(&size).unwrap(), "10.5");
        assert_eq!(
            serde_json::from_str::<FontSize>("10.5").unwrap(),
            FontSize { hundredths: 1050 }
        );
        assert!(FontSize::from_points(f64::NAN).is_none());
        assert!(serde_json::from_str::<FontSize>("3").is_err());
    }
}
