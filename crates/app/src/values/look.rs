//! The appearance of values in their boxes: the signing page shows exactly what will be stamped.
//!
//! A value is laid out by the same code that stamps it, and sent to the page as outlines of letters, so the fonts of
//! the reader's device do not matter. A value that cannot be stamped has a fault instead of outlines, which the page
//! shows while somebody can still fix it.

use document::text::fonts::Fonts;
use document::text::layout::Outline;
use domain::{Field, FieldValue, Language, TemplateVersion, ValueFault};

use crate::base::error::Fault;
use crate::values::value::{outline, value_fault};

/// A field's value as the page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldLook {
    pub name: String,
    /// The boxes of the field, each with its index in the template and its content.
    pub boxes: Vec<(usize, BoxLook)>,
    /// The reason why the value will be refused.
    pub fault: Option<Fault>,
}

/// The content of one box.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BoxLook {
    /// The text as displayed: a number with separators, a date in its pattern.
    pub shown: String,
    /// The letters as they will be stamped. `None` if the value is not text.
    pub outline: Option<Outline>,
}

/// The data needed to lay out texts.
pub(crate) struct Looks<'l> {
    pub template: &'l TemplateVersion,
    /// The workflow's language, which is used for stamping.
    pub language: Language,
    pub fonts: &'l Fonts,
}

impl Looks<'_> {
    /// Lays out a value in one box. Returns a fault if it does not fit.
    pub(crate) fn in_box(&self, field: &Field, value: &FieldValue) -> Result<BoxLook, Fault> {
        Ok(BoxLook {
            shown: value.shown(field),
            outline: outline(self.template, field, value, self.language, self.fonts)?,
        })
    }

    /// Lays out a value in all boxes of its field.
    pub(crate) fn of_field(&self, name: &str, value: &Result<Option<FieldValue>, ValueFault>) -> FieldLook {
        let mut look = FieldLook {
            name: name.to_owned(),
            boxes: Vec::new(),
            fault: None,
        };
        let places = self.template.fields.iter().enumerate();
        for (index, field) in places.filter(|(_, field)| field.name == name) {
            let in_box = match value {
                Ok(Some(value)) => self.in_box(field, value),
                Ok(None) => Ok(BoxLook::default()),
                Err(fault) => Err(value_fault(name.to_owned(), field, fault)),
            };
            let in_box = in_box.unwrap_or_else(|fault| {
                look.fault.get_or_insert(fault);
                BoxLook::default()
            });
            look.boxes.push((index, in_box));
        }
        look
    }
}

/// Reads a text from the signing page as a value. An empty text is `None`.
pub(crate) fn typed_value(field: &Field, text: &str) -> Result<Option<FieldValue>, ValueFault> {
    if text.is_empty() {
        Ok(None)
    } else {
        FieldValue::parse(field, text).map(Some)
    }
}
