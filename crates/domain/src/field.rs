//! Fields: named boxes on a page that a writer fills.

use serde::{Deserialize, Serialize};

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// Free text.
    Text,
    /// A decimal number.
    Number,
    /// A calendar day.
    Date,
    /// A mark that is there or not.
    Check,
    /// One of several marks; fields of one name form the choice.
    Radio,
    /// One of a list of texts.
    Select,
    /// A drawn or uploaded signature.
    Signature,
    /// Drawn or uploaded initials.
    Initials,
    /// The picture of a seal.
    Seal,
    /// Any picture.
    Image,
    /// A file that goes with the document and is not drawn on its pages.
    Attachment,
    /// The sender's text.
    Label,
    /// What is known of the writer already: see [`WriterDetail`].
    Writer,
    /// The result of a formula over number fields.
    Calc,
}

impl FieldKind {
    /// All kinds, for messages and tests.
    pub const ALL: [Self; 14] = [
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
    ];

    /// The word of FIELDS.json and of the database.
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
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == text)
    }

    /// Is its value a PNG or JPEG picture?
    pub const fn is_picture(self) -> bool {
        matches!(self, Self::Signature | Self::Initials | Self::Seal | Self::Image)
    }

    /// Is its value a file, picture or not?
    pub const fn is_file(self) -> bool {
        self.is_picture() || matches!(self, Self::Attachment)
    }

    /// May a writer write it at all? The others fill themselves or belong to the sender.
    pub const fn is_written_by_writer(self) -> bool {
        !matches!(self, Self::Label | Self::Writer | Self::Calc)
    }

    /// Does writing it make consent to sign electronically necessary first?
    pub const fn is_signature(self) -> bool {
        matches!(self, Self::Signature | Self::Initials | Self::Seal)
    }
}

/// Where on its page a field lies: millionths of the displayed page's width and height, origin
/// top left. Integers, so that nothing drifts between editor, page and PDF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Placement {
    /// Left edge.
    pub x: u32,
    /// Upper edge.
    pub y: u32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl Placement {
    /// The whole page's width or height.
    pub const WHOLE: u32 = 1_000_000;

    /// Does it have an area, and lie within its page?
    pub const fn is_on_page(&self) -> bool {
        self.width > 0
            && self.height > 0
            && self.x as u64 + self.width as u64 <= Self::WHOLE as u64
            && self.y as u64 + self.height as u64 <= Self::WHOLE as u64
    }
}

/// A size of letters in hundredths of a point; written as a number of points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FontSize {
    /// Hundredths of a point.
    pub hundredths: u16,
}

impl FontSize {
    /// From points; `None` outside 4 to 72.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within 400..=7200
    pub fn from_points(points: f64) -> Option<Self> {
        (4.0..=72.0).contains(&points).then(|| Self {
            hundredths: (points * 100.0).round() as u16,
        })
    }

    /// In points.
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
        Self::from_points(points).ok_or_else(|| serde::de::Error::custom("a font size is 4 to 72 points"))
    }
}

/// How a text stands in its box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alignment {
    /// At the left edge.
    #[default]
    Left,
    /// In the middle.
    Center,
    /// At the right edge.
    Right,
}

/// What a [`FieldKind::Writer`] field shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriterDetail {
    /// The writer's name.
    #[default]
    Name,
    /// The writer's e-mail address.
    Email,
    /// The writer's telephone number.
    Phone,
    /// The name of the sending company.
    Company,
}

/// A field of a template version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name; unique in the template, but for the radio fields of one choice.
    pub name: String,
    /// What it holds.
    pub kind: FieldKind,
    /// The step whose writer fills it.
    pub step: u32,
    /// The role, where the step has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The page, from 1.
    pub page: u32,
    /// Where on the page.
    #[serde(flatten)]
    pub placement: Placement,
    /// Must it be filled before its writer can approve?
    #[serde(default)]
    pub required: bool,
    /// Is what the sender gave final?
    #[serde(default)]
    pub read_only: bool,
    /// What may be chosen (`select`, and all options of a `radio` choice).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The option that this one `radio` field stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// The value it has from the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The most characters a text may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// Size of letters; without it, what fits the box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub font_size: Option<FontSize>,
    /// How a text stands in the box.
    #[serde(default)]
    pub alignment: Alignment,
    /// What a `writer` field shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<WriterDetail>,
    /// The formula of a `calc` field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
}

impl Field {
    /// The most characters of a text where the field itself sets no limit.
    pub const TEXT_LIMIT: u32 = 4_000;

    /// Does the writer of this step and role fill it?
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
