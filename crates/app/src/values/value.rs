//! Values as entered, and as marks on the pages.
//!
//! Anything that could fail at sealing already fails here, when the value is entered: it has the wrong kind, no font
//! has one of its characters, it does not fit into its box, or its picture cannot be read. Only a document worker,
//! which redraws pictures (`pictures`), turns a picture into a value, so no other code decodes data from strangers.

use std::collections::BTreeMap;

use base64::Engine as _;
use document::marks::drawing::DrawingFault;
use document::marks::stamp::{Mark, MarkContent, MarkFault};
use document::text::fonts::Fonts;
use document::text::layout::{Outline, TextFault, TextStyle};
use domain::number::Decimal;
use domain::text::{is_direction_control, is_visible};
use domain::{
    BlobHash, Field, FieldKind, FieldValue, FileValue, Language, PageSize, Picture, TemplateVersion, ValueFault,
    WriterDetail,
};
use store::workflow_value::StoredValue;

use crate::base::documents::picture_code;
use crate::base::error::{Error, Fault, FaultCode};

/// Maximum size of an attachment in bytes.
const LARGEST_ATTACHMENT: usize = 10 * 1024 * 1024;

/// An entered value of a field.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct GivenField {
    pub name: Option<String>,
    /// The value as text. Numbers are written as digits, booleans as `true` and `false`.
    pub value: Option<String>,
    /// The name of a file or picture.
    #[serde(default)]
    pub file_name: Option<String>,
}

/// A picture as sent. Its first bytes identify a PNG or JPEG, and its header states an accepted size. It is not a value
/// yet.
#[derive(Debug, Clone)]
pub(crate) struct GivenPicture {
    pub(crate) file_name: String,
    pub(crate) bytes: Vec<u8>,
}

/// A value that was read. Its files are not in the file store yet.
#[derive(Debug, Clone)]
pub(crate) enum NewValue {
    Plain(FieldValue),
    /// A picture that a worker still has to re-encode.
    Picture(GivenPicture),
    File {
        value: FileValue,
        bytes: Vec<u8>,
    },
    /// A stored file, which was checked on upload.
    Kept(FileValue),
    /// An empty text, which leaves the field without a value.
    Nothing,
}

impl NewValue {
    /// Checks name and type of a file, and returns it as a value.
    pub(crate) fn file(field: &Field, file_name: Option<&str>, bytes: Vec<u8>) -> Result<NewValue, ValueFault> {
        if field.kind.is_picture() {
            let picture = Picture::from_bytes(bytes)?;
            let name = file_name.map_or_else(|| picture.file_name(field), str::to_owned);
            return Ok(NewValue::Picture(GivenPicture {
                file_name: safe_file_name(&name, &field.name),
                bytes: picture.bytes,
            }));
        }
        if bytes.len() > LARGEST_ATTACHMENT {
            return Err(ValueFault::FileTooLarge {
                limit: LARGEST_ATTACHMENT,
            });
        }
        let value = FileValue {
            file_name: safe_file_name(file_name.unwrap_or(&field.name), &field.name),
            media_type: "application/octet-stream".to_owned(),
            hash: BlobHash::of(&bytes),
            length: bytes.len() as u64,
            pixels: None,
        };
        Ok(NewValue::File { value, bytes })
    }

    /// Reads an entry of a list: a file has the name that the entry gives it.
    pub(crate) fn of_entry(field: &Field, entry: &GivenField) -> Result<NewValue, ValueFault> {
        let read = Self::read(field, entry.value.as_deref().unwrap_or_default())?;
        let Some(name) = entry.file_name.as_deref().filter(|name| is_visible(name)) else {
            return Ok(read);
        };
        let file_name = safe_file_name(name, &field.name);
        Ok(match read {
            Self::Picture(picture) => Self::Picture(GivenPicture { file_name, ..picture }),
            Self::File { value, bytes } => Self::File {
                value: FileValue { file_name, ..value },
                bytes,
            },
            other => other,
        })
    }

    /// Reads a text as the field's value.
    pub(crate) fn read(field: &Field, text: &str) -> Result<NewValue, ValueFault> {
        if field.kind.is_file() {
            if text.trim().is_empty() {
                return Ok(NewValue::Nothing);
            }
            let bytes = if field.kind.is_picture() {
                Picture::from_base64(text)?.bytes
            } else {
                attachment(text)?
            };
            return NewValue::file(field, None, bytes);
        }
        if text.is_empty() && field.kind.is_written_by_writer() && field.kind != FieldKind::Check {
            return Ok(NewValue::Nothing);
        }
        FieldValue::parse(field, text).map(NewValue::Plain)
    }

    /// The value, if there is one.
    pub(crate) fn value(&self) -> Option<FieldValue> {
        match self {
            NewValue::Plain(value) => Some(value.clone()),
            NewValue::File { value, .. } | NewValue::Kept(value) => Some(FieldValue::File(value.clone())),
            NewValue::Picture(_) | NewValue::Nothing => None,
        }
    }
}

fn attachment(text: &str) -> Result<Vec<u8>, ValueFault> {
    let data = match text.trim() {
        url if url.starts_with("data:") => url.split_once(',').map_or("", |(_, data)| data),
        other => other,
    };
    if data.len() / 4 * 3 > LARGEST_ATTACHMENT + 3 {
        return Err(ValueFault::FileTooLarge {
            limit: LARGEST_ATTACHMENT,
        });
    }
    base64::engine::general_purpose::STANDARD_NO_PAD
        .decode(data.trim_end_matches('='))
        .map_err(|_| ValueFault::NotBase64)
}

/// Returns a name that is safe in paths, headers and log lines.
pub(crate) fn safe_file_name(name: &str, otherwise: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let safe: String = last
        .chars()
        .filter(|character| {
            let is_shown = !character.is_control() && !is_direction_control(*character);
            is_shown && !"<>:\"|?*".contains(*character)
        })
        .take(120)
        .collect();
    let safe = safe.trim().trim_start_matches('.').to_owned();
    if is_visible(&safe) { safe } else { otherwise.to_owned() }
}

/// Returns the fault of a field's value at a path.
pub(crate) fn value_fault(path: String, field: &Field, fault: &ValueFault) -> Fault {
    value_fault_of_kind(path, field.kind, fault)
}

/// Returns the fault of a value that a field of this kind refuses.
pub(crate) fn value_fault_of_kind(path: String, kind: FieldKind, fault: &ValueFault) -> Fault {
    match fault {
        ValueFault::NotNumber => Fault::new(path, FaultCode::InvalidNumber),
        ValueFault::TooManyDecimals { limit } => Fault::new(path, FaultCode::TooManyDecimals).with("max", limit),
        ValueFault::NotDate => Fault::new(path, FaultCode::InvalidDate),
        ValueFault::NotCheck => Fault::new(path, FaultCode::InvalidCheck),
        ValueFault::NotOption { options } => {
            Fault::new(path, FaultCode::InvalidOption).with("allowed", options.join(", "))
        }
        ValueFault::NotBase64 if kind.is_picture() => Fault::new(path, FaultCode::PictureNotBase64),
        ValueFault::NotPicture if kind.is_picture() => Fault::new(path, FaultCode::InvalidPicture),
        ValueFault::FileTooLarge { .. } if kind.is_picture() => Fault::new(path, FaultCode::PictureTooLarge),
        ValueFault::NotBase64 | ValueFault::NotPicture | ValueFault::FileTooLarge { .. } => {
            Fault::new(path, FaultCode::InvalidFile)
        }
        ValueFault::FillsItself => Fault::new(path, FaultCode::NoValueTaken),
        ValueFault::ControlCharacter
        | ValueFault::DirectionControl
        | ValueFault::OverlongCharacter
        | ValueFault::TooLong { .. }
        | ValueFault::NothingToDraw => text_value_fault(path, fault),
    }
}

/// Returns the fault of a text of any kind.
pub(crate) fn text_value_fault(path: String, fault: &ValueFault) -> Fault {
    match fault {
        ValueFault::ControlCharacter => Fault::new(path, FaultCode::ControlCharacter),
        ValueFault::DirectionControl => Fault::new(path, FaultCode::DirectionControl),
        ValueFault::OverlongCharacter => Fault::new(path, FaultCode::OverlongCharacter),
        ValueFault::TooLong { limit, .. } => Fault::new(path, FaultCode::TooLong).with("max", limit),
        _ => Fault::new(path, FaultCode::Required),
    }
}

/// Checks that a value can be drawn in each box of its field. Files were already checked when they became values.
pub(crate) fn prove(
    template: &TemplateVersion,
    field: &Field,
    value: &NewValue,
    language: Language,
    fonts: &Fonts,
    path: &str,
) -> Result<(), Fault> {
    let Some(known) = value.value().filter(|value| value.file().is_none()) else {
        return Ok(());
    };
    for place in template.boxes(&field.name) {
        let size = page_size(template, place)
            .ok_or_else(|| Fault::new(path, FaultCode::PageOutOfRange).with("pages", template.page_count()))?;
        prove_in_box(size, place, &known, language, fonts, path)?;
    }
    Ok(())
}

/// Checks that a value other than a file can be drawn in one box, on a page of `size`.
pub(crate) fn prove_in_box(
    size: &PageSize,
    place: &Field,
    value: &FieldValue,
    language: Language,
    fonts: &Fonts,
    path: &str,
) -> Result<(), Fault> {
    let Ok(mark) = box_mark(size, place, value, language, |_, _| {
        Ok::<_, std::convert::Infallible>(Vec::new())
    });
    match mark {
        Some(mark) => document::marks::stamp::prove(fonts, size, &mark).map_err(|fault| mark_fault(path, &fault)),
        None => Ok(()),
    }
}

pub(crate) fn page_size<'t>(template: &'t TemplateVersion, field: &Field) -> Option<&'t PageSize> {
    template.pages.get((field.page as usize).checked_sub(1)?)
}

/// Returns the outlines of a value's letters in one of its boxes, as they will be stamped. `None` if it is not text.
pub(in crate::values) fn outline(
    template: &TemplateVersion,
    field: &Field,
    value: &FieldValue,
    language: Language,
    fonts: &Fonts,
) -> Result<Option<Outline>, Fault> {
    let no_bytes = |_: &PictureBox<'_>, _: &FileValue| Ok::<_, std::convert::Infallible>(Vec::new());
    // Pictures and drawings are shown as files.
    let Some(size) = page_size(template, field).filter(|_| !field.kind.is_file()) else {
        return Ok(None);
    };
    let Ok(Some(mark)) = box_mark(size, field, value, language, no_bytes) else {
        return Ok(None);
    };
    document::marks::stamp::outline(fonts, size, &mark).map_err(|fault| mark_fault(&field.name, &fault))
}

/// Checks that a text on the certificate can be drawn.
pub(crate) fn prove_text(text: &str, fonts: &Fonts, path: &str) -> Result<(), Fault> {
    let missing = fonts.missing_characters(text);
    if missing.is_empty() {
        Ok(())
    } else {
        Err(missing_glyph(path, &missing))
    }
}

fn missing_glyph(path: &str, characters: &[char]) -> Fault {
    let named: Vec<String> = characters
        .iter()
        .map(|character| format!("{character} (U+{:04X})", u32::from(*character)))
        .collect();
    Fault::new(path, FaultCode::MissingGlyph).with("characters", named.join(", "))
}

fn mark_fault(path: &str, fault: &MarkFault) -> Fault {
    match fault {
        MarkFault::Text(fault) => text_fault(path, fault),
        MarkFault::Drawing(fault) => drawing_fault(path, fault),
        MarkFault::Picture(fault) => Fault::new(path, picture_code(fault)),
        MarkFault::NoSuchPage | MarkFault::OffPage => Fault::new(path, FaultCode::NotDrawable),
    }
}

fn text_fault(path: &str, fault: &TextFault) -> Fault {
    match fault {
        TextFault::MissingCharacters { characters } => missing_glyph(path, characters),
        TextFault::DoesNotFit => Fault::new(path, FaultCode::DoesNotFit),
    }
}

/// Returns the fault of a signature or seal that cannot be drawn.
pub(crate) fn drawing_fault(path: &str, fault: &DrawingFault) -> Fault {
    match fault {
        DrawingFault::Text(fault) => text_fault(path, fault),
        DrawingFault::Nothing => Fault::new(path, FaultCode::Required),
        DrawingFault::Font(_) | DrawingFault::Picture(_) => Fault::new(path, FaultCode::NotDrawable),
    }
}

/// Returns all values of a document as marks.
pub(crate) fn marks(
    template: &TemplateVersion,
    values: &BTreeMap<String, FieldValue>,
    language: Language,
    bytes: impl Fn(&PictureBox<'_>, &FileValue) -> Result<Vec<u8>, Error>,
) -> Result<Vec<Mark>, Error> {
    let mut all = Vec::new();
    for field in &template.fields {
        let (Some(value), Some(size)) = (values.get(&field.name), page_size(template, field)) else {
            continue;
        };
        all.extend(box_mark(size, field, value, language, &bytes)?);
    }
    // Sorted in reading order, so that the same values produce the same bytes.
    all.sort_by_key(|mark| (mark.page, mark.placement.y, mark.placement.x));
    Ok(all)
}

/// The box of a picture.
pub(crate) struct PictureBox<'t> {
    pub(crate) page: &'t PageSize,
    pub(crate) field: &'t Field,
}

/// Returns the mark for one box. `None` if the box shows nothing.
fn box_mark<E>(
    page: &PageSize,
    field: &Field,
    value: &FieldValue,
    language: Language,
    bytes: impl Fn(&PictureBox<'_>, &FileValue) -> Result<Vec<u8>, E>,
) -> Result<Option<Mark>, E> {
    let content = match value {
        FieldValue::Check(false) => return Ok(None),
        FieldValue::Check(true) => MarkContent::Check,
        FieldValue::Choice(choice) if field.kind == FieldKind::Radio => {
            if field.option.as_ref() != Some(choice) {
                return Ok(None);
            }
            MarkContent::Dot
        }
        FieldValue::File(_) if field.kind == FieldKind::Attachment => return Ok(None),
        FieldValue::File(file) => MarkContent::Picture {
            bytes: bytes(&PictureBox { page, field }, file)?,
            words: field.shown_name().to_owned(),
        },
        FieldValue::Drawn(drawn) => MarkContent::Drawing(drawn.drawing.clone()),
        FieldValue::Text(_) | FieldValue::Number(_) | FieldValue::Date(_) | FieldValue::Choice(_) => {
            let text = value.shown(field);
            if text.trim().is_empty() {
                return Ok(None);
            }
            let style = TextStyle {
                place: Some(field.text_place(page)),
                font: field.font.as_deref().map(Into::into),
                size: field.font_size.map(domain::FontSize::points),
                alignment: field.alignment,
                language,
                bold: field.bold,
                colour: field.colour.0,
            };
            MarkContent::Text { text, style }
        }
    };
    Ok(Some(Mark {
        page: field.page,
        placement: field.placement,
        content,
    }))
}

/// Returns the files embedded in a document, in the order of their fields, with the displayed names of the fields.
pub(crate) fn attached<'v>(
    template: &'v TemplateVersion,
    values: &'v BTreeMap<String, StoredValue>,
) -> impl Iterator<Item = (&'v Field, &'v FileValue)> {
    template
        .named_fields()
        .filter(|field| field.kind == FieldKind::Attachment)
        .filter_map(|field| Some((field, values.get(&field.name)?.value.file()?)))
}

/// The longest name of the company for which a signer signs, in characters.
pub(crate) const LONGEST_COMPANY: usize = 128;

/// A signer who signs on a day, as fields that fill themselves in know them.
#[derive(Clone, Copy)]
pub(crate) struct SignerNow<'s> {
    pub(crate) recipient: &'s domain::Recipient,
    /// The company for which they sign.
    pub(crate) company: Option<&'s str>,
    /// In the document's time zone.
    pub(crate) day: jiff::civil::Date,
}

/// Values that fill themselves in when a signer approves: their details, the day, and results of formulas. `None` removes
/// an earlier value.
pub(crate) fn self_filled(
    template: &TemplateVersion,
    signer: SignerNow<'_>,
    values: &BTreeMap<String, FieldValue>,
) -> Vec<(String, Option<FieldValue>)> {
    let recipient = signer.recipient;
    let own = template.writer_fields(recipient.order, recipient.role.as_deref());
    let number_of = |name: &str| values.get(name).and_then(|value| Decimal::parse(&value.to_wire()));
    let results = domain::formula::calculate(&own, number_of);
    own.into_iter()
        .filter_map(|field| {
            let value = match field.kind {
                FieldKind::Writer => detail(field, recipient, signer.company),
                FieldKind::SignedOn => Some(FieldValue::Date(signer.day)),
                FieldKind::Calc => {
                    let result = results.get(field.name.as_str()).and_then(Option::as_ref);
                    result.map(|number| FieldValue::Number(number.to_string()))
                }
                // A check that was not ticked means no.
                FieldKind::Check if !values.contains_key(&field.name) => Some(FieldValue::Check(false)),
                _ => return None,
            };
            Some((field.name.clone(), value))
        })
        .collect()
}

/// What a `writer` field shows. `None` if it is not known.
fn detail(field: &Field, recipient: &domain::Recipient, company: Option<&str>) -> Option<FieldValue> {
    let text = match field.detail.unwrap_or_default() {
        WriterDetail::Name => &recipient.name,
        WriterDetail::Email => recipient.contact.email()?,
        WriterDetail::Phone => recipient.contact.phone().or(recipient.mobile.as_deref())?,
        WriterDetail::Company => company?,
    };
    (!text.is_empty()).then(|| FieldValue::Text(text.to_owned()))
}

/// Checks that the signer's details can be drawn in the fields that show them. Otherwise they could never approve.
/// `path_of` returns where each detail was entered.
pub(crate) fn prove_writer(
    template: &TemplateVersion,
    recipient: &domain::Recipient,
    company: Option<&str>,
    language: Language,
    fonts: &Fonts,
    path_of: impl Fn(WriterDetail) -> String,
) -> Vec<Fault> {
    let own = template.writer_fields(recipient.order, recipient.role.as_deref());
    own.into_iter()
        .filter(|field| field.kind == FieldKind::Writer)
        .filter_map(|field| {
            let value = NewValue::Plain(detail(field, recipient, company)?);
            let path = path_of(field.detail.unwrap_or_default());
            prove(template, field, &value, language, fonts, &path).err()
        })
        .collect()
}
