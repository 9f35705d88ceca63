//! How values look in their boxes: what the signing page shows is what will be stamped.
//!
//! A value is laid out by the code that stamps it, and goes to the page as outlines of letters, so the fonts of the reader's
//! device do not matter. A value that could not be stamped has no outlines but a fault, which the page shows while somebody
//! can still fix it.

use document::text::fonts::Fonts;
use document::text::layout::Outline;
use domain::{Field, FieldValue, Language, TemplateVersion, ValueFault};

use crate::base::error::Fault;
use crate::values::value::{outline, value_fault};

/// A field's value as the page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldLook {
    pub name: String,
    /// Each of its boxes: its index in the template, and its content.
    pub boxes: Vec<(usize, BoxLook)>,
    /// Why the value will be refused.
    pub fault: Option<Fault>,
}

/// The content of one box.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BoxLook {
    /// The text as people read it: a number with its separators, a date by its pattern.
    pub shown: String,
    /// Its letters as they will be stamped. `None` if it is not text.
    pub outline: Option<Outline>,
}

/// What laying out texts needs.
pub(crate) struct Looks<'l> {
    pub template: &'l TemplateVersion,
    /// The workflow's, in which it will be stamped.
    pub language: Language,
    pub fonts: &'l Fonts,
}

impl Looks<'_> {
    /// A value in one box, or why it does not fit there.
    pub(crate) fn in_box(&self, field: &Field, value: &FieldValue) -> Result<BoxLook, Fault> {
        Ok(BoxLook {
            shown: value.shown(field),
            outline: outline(self.template, field, value, self.language, self.fonts)?,
        })
    }

    /// A value in all boxes of its field.
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

/// A text from the signing page as a value. An empty text is `None`.
pub(crate) fn typed_value(field: &Field, text: &str) -> Result<Option<FieldValue>, ValueFault> {
    if text.is_empty() {
        Ok(None)
    } else {
        FieldValue::parse(field, text).map(Some)
    }
}
