//! Values of fields.
//!
//! A value arrives as text from a program, a form or the template's default. If its field's kind refuses it, the result
//! is a [`ValueFault`]. Otherwise it is stored with its type and sent with [`FieldValue::to_wire`]. Pages and PDFs show
//! [`FieldValue::shown`].

use std::fmt;

use base64::Engine as _;
use serde::{Deserialize, Serialize};

use crate::chain::ChainFormat;
use crate::date_pattern::DatePattern;
use crate::drawing::DrawnValue;
use crate::field::{Field, FieldKind};
use crate::number::{Decimal, of_usual_width};
use crate::text::{MOST_PARTS, has_overlong_character, is_direction_control, is_visible};

/// SHA-256 of a file's bytes, which is also the file's name in the blob store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobHash(pub [u8; 32]);

impl BlobHash {
    pub fn of(bytes: &[u8]) -> Self {
        use sha2::Digest as _;
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// Parses 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        Some(Self(bytes))
    }
}

impl fmt::Display for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlobHash({self})")
    }
}

impl Serialize for BlobHash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BlobHash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a SHA-256 in hexadecimal"))
    }
}

/// A file in a field: a signature, an image, an attachment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileValue {
    /// The name in webhooks and responses.
    pub file_name: String,
    /// The media type, detected from the bytes.
    pub media_type: String,
    /// Hash of the file's bytes.
    pub hash: BlobHash,
    /// Length in bytes.
    pub length: u64,
    /// Width and height of an image that a document worker re-encoded. `None` for other files, and for images from
    /// versions that kept the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pixels: Option<(u32, u32)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type", content = "value")]
pub enum FieldValue {
    /// Text, including `label`, `writer` and `calc` values.
    Text(String),
    /// A number with the digits as entered.
    Number(String),
    Date(jiff::civil::Date),
    /// A check mark that is on or off.
    Check(bool),
    Choice(String),
    File(FileValue),
    /// A signature or seal that is drawn from its description.
    Drawn(DrawnValue),
}

/// Reasons why a field's kind refuses a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueFault {
    /// A character has too many code points.
    #[error("the text contains a character with more than {MOST_PARTS} accents or other marks")]
    OverlongCharacter,
    /// The text contains U+0000 or another control character.
    #[error("the value contains a control character; remove it")]
    ControlCharacter,
    /// The text contains a character that changes the reading direction of others.
    #[error("the value contains a control character that changes the text direction; remove it")]
    DirectionControl,
    #[error("the value has {length} characters; at most {limit} are allowed")]
    TooLong { length: usize, limit: u32 },
    #[error("the value is not a decimal number")]
    NotNumber,
    /// A number with more decimals than its field shows.
    #[error("the number has more than {limit} digits after the decimal point")]
    TooManyDecimals { limit: u32 },
    #[error("the value is not a date in the form YYYY-MM-DD")]
    NotDate,
    /// The text is neither yes nor no.
    #[error("the value is not one of Y, N, 1, 0, true, false")]
    NotCheck,
    #[error("the value is not one of the field's options: {}", options.join(", "))]
    NotOption { options: Vec<String> },
    #[error("the value is not base64")]
    NotBase64,
    #[error("the value is not a PNG or JPEG picture in base64")]
    NotPicture,
    #[error("the file is larger than {limit} bytes")]
    FileTooLarge { limit: usize },
    /// A drawing's text contains nothing visible.
    #[error("there is nothing to draw; enter a name")]
    NothingToDraw,
    #[error("fields of this kind are filled in automatically and accept no value")]
    FillsItself,
}

/// An image decoded from a program's or page's request.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    pub bytes: Vec<u8>,
    /// `image/png` or `image/jpeg`, by its first bytes.
    pub media_type: &'static str,
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({}, {} bytes)", self.media_type, self.bytes.len())
    }
}

impl Picture {
    /// Maximum size of an image, in bytes.
    pub const LIMIT: usize = 5 * 1024 * 1024;

    /// Decodes base64 (standard or URL alphabet, padded or not), with or without a `data:` prefix.
    pub fn from_base64(text: &str) -> Result<Self, ValueFault> {
        let text = text.trim();
        let data = if text.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("data:")) {
            let (head, data) = text.split_once(',').ok_or(ValueFault::NotBase64)?;
            if !head.to_ascii_lowercase().ends_with(";base64") {
                return Err(ValueFault::NotBase64);
            }
            data
        } else {
            text
        };
        if data.len() / 4 * 3 > Self::LIMIT + 3 {
            return Err(ValueFault::FileTooLarge { limit: Self::LIMIT });
        }
        let data: String = data
            .chars()
            .filter(|c| !c.is_ascii_whitespace())
            .map(|c| match c {
                '-' => '+',
                '_' => '/',
                other => other,
            })
            .collect();
        let bytes = base64::engine::general_purpose::STANDARD_NO_PAD
            .decode(data.trim_end_matches('='))
            .map_err(|_| ValueFault::NotBase64)?;
        Self::from_bytes(bytes)
    }

    /// Detects the type of a file from its first bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ValueFault> {
        let media_type = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            "image/png"
        } else if bytes.starts_with(b"\xff\xd8\xff") {
            "image/jpeg"
        } else {
            return Err(ValueFault::NotPicture);
        };
        if bytes.len() > Self::LIMIT {
            return Err(ValueFault::FileTooLarge { limit: Self::LIMIT });
        }
        Ok(Self { bytes, media_type })
    }

    /// Returns a file name for an image without one.
    pub fn file_name(&self, field: &Field) -> String {
        let end = if self.media_type == "image/png" { "png" } else { "jpg" };
        format!("{}.{end}", field.name)
    }
}

/// Returns a number in the form used for comparison in searches.
pub fn compared_number(text: &str) -> Option<String> {
    let text = of_usual_width(text);
    Decimal::parse(text.trim()).map(|number| number.exact().to_string())
}

/// A date in the form in which searches compare it.
pub fn compared_date(text: &str) -> Option<String> {
    parse_date(of_usual_width(text).trim()).map(|date| FieldValue::Date(date).to_wire())
}

impl FieldValue {
    /// Parses a text as a value of the field. Files use [`Picture`] instead.
    pub fn parse(field: &Field, text: &str) -> Result<Self, ValueFault> {
        let multi_line = matches!(field.kind, FieldKind::Text | FieldKind::Label);
        if text
            .chars()
            .any(|c| c.is_control() && !(multi_line && matches!(c, '\n' | '\r' | '\t')))
        {
            return Err(ValueFault::ControlCharacter);
        }
        if text.chars().any(is_direction_control) {
            return Err(ValueFault::DirectionControl);
        }
        if has_overlong_character(text) {
            return Err(ValueFault::OverlongCharacter);
        }
        let value = Self::parse_kind(field, text)?;
        if let Some(limit) = field.cells {
            let length = characters(&value.shown(field)).count();
            if length > limit as usize {
                return Err(ValueFault::TooLong { length, limit });
            }
        }
        Ok(value)
    }

    fn parse_kind(field: &Field, text: &str) -> Result<Self, ValueFault> {
        match field.kind {
            FieldKind::Text | FieldKind::Label => {
                let length = text.chars().count();
                let limit = field.max_length.unwrap_or(Field::TEXT_LIMIT);
                if length > limit as usize {
                    return Err(ValueFault::TooLong { length, limit });
                }
                Ok(Self::Text(text.replace("\r\n", "\n").replace('\r', "\n")))
            }
            FieldKind::Number => {
                let text = of_usual_width(text);
                let text = text.trim();
                let number = Decimal::parse(text).ok_or(ValueFault::NotNumber)?;
                match field.decimals {
                    Some(limit) if number.decimals() > limit as usize => Err(ValueFault::TooManyDecimals { limit }),
                    _ => Ok(Self::Number(text.to_owned())),
                }
            }
            FieldKind::Date => parse_date(of_usual_width(text).trim())
                .map(Self::Date)
                .ok_or(ValueFault::NotDate),
            FieldKind::Check => match text.trim().to_ascii_lowercase().as_str() {
                "y" | "1" | "true" => Ok(Self::Check(true)),
                "n" | "0" | "false" | "" => Ok(Self::Check(false)),
                _ => Err(ValueFault::NotCheck),
            },
            FieldKind::Radio | FieldKind::Select => {
                if field.options.iter().any(|option| option == text) {
                    Ok(Self::Choice(text.to_owned()))
                } else {
                    Err(ValueFault::NotOption {
                        options: field.options.clone(),
                    })
                }
            }
            FieldKind::Signature | FieldKind::Initials | FieldKind::Seal | FieldKind::Image | FieldKind::Attachment => {
                Err(ValueFault::NotPicture)
            }
            FieldKind::Writer | FieldKind::Calc | FieldKind::SignedOn => Err(ValueFault::FillsItself),
        }
    }

    /// Returns the value for responses and webhooks: a check as `Y` or `N`, a file as its name.
    pub fn to_wire(&self) -> String {
        match self {
            Self::Text(text) | Self::Number(text) | Self::Choice(text) => text.clone(),
            Self::Date(date) => format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day()),
            Self::Check(true) => "Y".to_owned(),
            Self::Check(false) => "N".to_owned(),
            Self::File(file) => file.file_name.clone(),
            Self::Drawn(drawn) => drawn.file_name.clone(),
        }
    }

    /// Returns the value for comparison in searches: as in responses, but with numbers compared by value, in any
    /// notation.
    pub fn compared(&self) -> String {
        match self {
            Self::Number(text) => compared_number(text).unwrap_or_else(|| text.clone()),
            other => other.to_wire(),
        }
    }

    /// Returns the value as shown in this box: a number with its separators and zeros, a date in its pattern.
    pub fn shown(&self, field: &Field) -> String {
        match self {
            // Older versions stored calculated values as texts.
            Self::Number(text) | Self::Text(text) if matches!(field.kind, FieldKind::Number | FieldKind::Calc) => {
                let format = field.number_format();
                match Decimal::parse(text) {
                    Some(number) if format != crate::number::NumberFormat::default() => number.format(format),
                    _ => text.clone(),
                }
            }
            Self::Date(date) => field
                .pattern
                .as_deref()
                .and_then(DatePattern::parse)
                .map_or_else(|| self.to_wire(), |pattern| pattern.format(*date)),
            other => other.to_wire(),
        }
    }

    /// Whether the value satisfies a required field. A text without visible characters or an unchecked box does not.
    pub fn is_filled(&self) -> bool {
        match self {
            Self::Text(text) | Self::Number(text) | Self::Choice(text) => is_visible(text),
            Self::Check(checked) => *checked,
            Self::Date(_) | Self::File(_) | Self::Drawn(_) => true,
        }
    }

    /// Whether the value is provided as a file. A drawing is, because an image is made from it.
    pub fn is_file(&self) -> bool {
        matches!(self, Self::File(_) | Self::Drawn(_))
    }

    /// Returns the file, if the value is a stored one.
    pub fn file(&self) -> Option<&FileValue> {
        match self {
            Self::File(file) => Some(file),
            _ => None,
        }
    }

    /// Returns SHA-256 over a salt and the value. The salt prevents guessing a short value (`Y`, a date) from the
    /// chain.
    pub fn salted_hash(&self, salt: &[u8], format: ChainFormat) -> BlobHash {
        use sha2::Digest as _;
        let mut hash = sha2::Sha256::new();
        hash.update((salt.len() as u64).to_be_bytes());
        hash.update(salt);
        match self {
            // The value as stored, including all properties of a file.
            value if format == ChainFormat::Two => hash.update(serde_json::to_vec(value).unwrap_or_default()),
            Self::File(file) => hash.update(file.hash.0),
            // Its properties have a fixed order, so the same drawing always produces the same bytes.
            Self::Drawn(drawn) => hash.update(serde_json::to_vec(&drawn.drawing).unwrap_or_default()),
            other => hash.update(other.to_wire().as_bytes()),
        }
        BlobHash(hash.finalize().into())
    }
}

/// Splits a text into characters as people count them: a letter with its accents, an emoji with its parts.
pub fn characters(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    use unicode_segmentation::UnicodeSegmentation as _;
    text.graphemes(true)
}

/// Parses `YYYY-MM-DD`, also with dots or slashes, or eight digits.
fn parse_date(text: &str) -> Option<jiff::civil::Date> {
    let digits = |part: &str| (!part.is_empty() && part.bytes().all(|b| b.is_ascii_digit())).then(|| part.to_owned());
    let (year, month, day) = if text.len() == 8 && digits(text).is_some() {
        (text.get(..4)?, text.get(4..6)?, text.get(6..)?)
    } else {
        let separator = ['-', '.', '/'].into_iter().find(|s| text.contains(*s))?;
        let mut parts = text.split(separator);
        let found = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        found
    };
    if year.len() != 4 || month.len() > 2 || day.len() > 2 {
        return None;
    }
    let year = digits(year)?.parse().ok()?;
    // No calendar in use has a year 0.
    if year == 0 {
        return None;
    }
    jiff::civil::Date::new(year, digits(month)?.parse().ok()?, digits(day)?.parse().ok()?).ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::field::Placement;

    pub(crate) fn field(kind: FieldKind) -> Field {
        let placement = Placement {
            x: 0,
            y: 0,
            width: 100_000,
            height: 20_000,
        };
        Field {
            options: vec!["red".to_owned(), "blue".to_owned()],
            ..Field::new("field", kind, 1, 1, placement)
        }
    }

    #[test]
    fn checks_take_several_spellings_and_go_out_as_one() {
        for (text, wire) in [
            ("Y", "Y"),
            ("y", "Y"),
            ("1", "Y"),
            ("true", "Y"),
            ("N", "N"),
            ("0", "N"),
            ("false", "N"),
        ] {
            let value = FieldValue::parse(&field(FieldKind::Check), text).unwrap();
            assert_eq!(value.to_wire(), wire, "{text}");
        }
        assert_eq!(
            FieldValue::parse(&field(FieldKind::Check), "yes"),
            Err(ValueFault::NotCheck)
        );
    }

    #[test]
    fn numbers_keep_their_digits() {
        for text in ["0", "-12.50", "1,234,567.8", "+3", "1234567"] {
            assert_eq!(
                FieldValue::parse(&field(FieldKind::Number), text).unwrap().to_wire(),
                text
            );
        }
        for text in ["", "-", "1.", ".5", "1,23", "12e3", "0x1", "①", "1 2", "NaN"] {
            assert_eq!(
                FieldValue::parse(&field(FieldKind::Number), text),
                Err(ValueFault::NotNumber),
                "{text}"
            );
        }
    }

    #[test]
    fn digits_of_full_width_are_the_digits_that_they_are() {
        let wire = |kind, text: &str| FieldValue::parse(&field(kind), text).map(|value| value.to_wire());
        for (text, number) in [
            ("３，５００，０００", "3,500,000"),
            ("−１２．５", "-12.5"),
            ("ー５", "-5"),
            ("　＋7", "+7"),
        ] {
            assert_eq!(wire(FieldKind::Number, text).as_deref(), Ok(number));
        }
        assert_eq!(wire(FieldKind::Number, "３ー５"), Err(ValueFault::NotNumber));
        assert_eq!(wire(FieldKind::Date, "２０２６／３／７").as_deref(), Ok("2026-03-07"));
        // Text is kept as written.
        assert_eq!(wire(FieldKind::Text, "１２").as_deref(), Ok("１２"));
    }

    #[test]
    fn a_number_keeps_its_digits_and_is_shown_in_its_format() {
        let mut price = field(FieldKind::Number);
        price.thousands = true;
        price.decimals = Some(2);
        let value = FieldValue::parse(&price, "1234567.5").unwrap();
        assert_eq!(value.to_wire(), "1234567.5");
        assert_eq!(value.shown(&price), "1,234,567.50");
        assert!(FieldValue::parse(&price, "1.500").is_ok());
        assert_eq!(
            FieldValue::parse(&price, "1.505"),
            Err(ValueFault::TooManyDecimals { limit: 2 })
        );
    }

    #[test]
    fn a_date_is_kept_as_a_day_and_shown_by_its_pattern() {
        let mut day = field(FieldKind::Date);
        let value = FieldValue::parse(&day, "2026-03-07").unwrap();
        for (pattern, shown) in [
            ("yyyy년 M월 d일", "2026년 3월 7일"),
            ("yyyy", "2026"),
            ("dd/MM/yyyy", "07/03/2026"),
        ] {
            day.pattern = Some(pattern.to_owned());
            assert_eq!(value.shown(&day), shown);
            assert_eq!(value.to_wire(), "2026-03-07");
        }
    }

    #[test]
    fn cells_take_as_many_characters_as_there_are_cells() {
        let mut cells = field(FieldKind::Text);
        cells.cells = Some(4);
        assert!(FieldValue::parse(&cells, "김e\u{301}👨‍👩‍👧 ").is_ok());
        assert_eq!(
            FieldValue::parse(&cells, "12345"),
            Err(ValueFault::TooLong { length: 5, limit: 4 })
        );
    }

    #[test]
    fn dates_are_days_of_the_calendar() {
        for text in ["2025-03-01", "2025.3.1", "2025/03/01", "20250301"] {
            assert_eq!(
                FieldValue::parse(&field(FieldKind::Date), text).unwrap().to_wire(),
                "2025-03-01",
                "{text}"
            );
        }
        for text in ["2025-02-29", "25-03-01", "2025-03", "2025-03-01-01", "3/1/2025", ""] {
            assert_eq!(
                FieldValue::parse(&field(FieldKind::Date), text),
                Err(ValueFault::NotDate),
                "{text}"
            );
        }
    }

    #[test]
    fn choices_are_options() {
        assert!(FieldValue::parse(&field(FieldKind::Select), "red").is_ok());
        assert!(matches!(
            FieldValue::parse(&field(FieldKind::Radio), "green"),
            Err(ValueFault::NotOption { options }) if options == ["red", "blue"]
        ));
    }

    #[test]
    fn texts_have_a_limit_in_characters_and_no_controls() {
        let mut name = field(FieldKind::Text);
        name.max_length = Some(3);
        assert!(FieldValue::parse(&name, "김민준").is_ok());
        assert_eq!(
            FieldValue::parse(&name, "김민준님"),
            Err(ValueFault::TooLong { length: 4, limit: 3 })
        );
        assert_eq!(FieldValue::parse(&name, "a\0"), Err(ValueFault::ControlCharacter));
        assert_eq!(
            FieldValue::parse(&field(FieldKind::Text), "a\r\nb").unwrap(),
            FieldValue::Text("a\nb".to_owned())
        );
    }

    #[test]
    fn pictures_come_with_or_without_a_data_prefix() {
        let png = base64::engine::general_purpose::STANDARD.encode(b"\x89PNG\r\n\x1a\nrest");
        for text in [
            png.clone(),
            format!("data:image/png;base64,{png}"),
            png.trim_end_matches('=').to_owned(),
        ] {
            assert_eq!(Picture::from_base64(&text).unwrap().media_type, "image/png");
        }
        for text in ["", "R0lGODlh"] {
            assert_eq!(Picture::from_base64(text), Err(ValueFault::NotPicture), "{text}");
        }
        for text in ["data:", "data:image/png,abc", "%%%"] {
            assert_eq!(Picture::from_base64(text), Err(ValueFault::NotBase64), "{text}");
        }
        let huge = "A".repeat(Picture::LIMIT * 2);
        assert_eq!(
            Picture::from_base64(&huge),
            Err(ValueFault::FileTooLarge { limit: Picture::LIMIT })
        );
    }

    #[test]
    fn a_salted_hash_depends_on_salt_and_value() {
        let yes = FieldValue::Check(true);
        assert_ne!(
            yes.salted_hash(b"a", ChainFormat::One),
            yes.salted_hash(b"b", ChainFormat::One)
        );
        assert_ne!(
            yes.salted_hash(b"a", ChainFormat::One),
            FieldValue::Check(false).salted_hash(b"a", ChainFormat::One)
        );
    }
}
