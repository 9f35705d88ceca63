//! What people call the fields of a form, and what a sender should know of their boxes.

use std::collections::HashMap;

use domain::field_names::{is_for_people, is_path};
use domain::field_overlap::OnOneSpot;
use domain::{Field, Language};
use serde::Serialize;
use utoipa::ToSchema;

/// The fields of a form, each with a label unless its name is one that people understand.
pub(crate) fn labelled(language: Language, fields: &[Field]) -> Vec<Field> {
    let numbered = numbered(language, fields.iter());
    let labelled = fields.iter().zip(numbered).map(|(field, number)| {
        let is_clear = field.label.is_some() || is_for_people(&field.name);
        Field {
            label: if is_clear { field.label.clone() } else { Some(number) },
            ..field.clone()
        }
    });
    labelled.collect()
}

/// The names that signers read, one for each field. A path in a form is none.
pub fn shown_names<'f>(language: Language, fields: impl Iterator<Item = &'f Field> + Clone) -> Vec<String> {
    let numbered = numbered(language, fields.clone());
    let shown = fields.zip(numbered).map(|(field, number)| {
        if field.label.is_none() && is_path(&field.name) {
            number
        } else {
            field.shown_name().to_owned()
        }
    });
    shown.collect()
}

/// 'Field 1' and so on. The boxes of one field have one number.
fn numbered<'f>(language: Language, fields: impl Iterator<Item = &'f Field>) -> Vec<String> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let named = fields.map(|field| {
        let next = numbers.len().saturating_add(1);
        let number = *numbers.entry(field.name.as_str()).or_insert(next);
        i18n::text(language, "field-without-name", &[("number", &number.to_string())])
    });
    named.collect()
}

/// Something about a template's fields that the sender should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldWarning {
    /// The ID, for programs.
    #[schema(example = "boxes_on_one_spot")]
    pub warning: &'static str,
    /// The names of the fields.
    pub fields: Vec<String>,
    /// The page, from 1.
    pub page: u32,
    /// In words.
    pub message: String,
}

impl FieldWarning {
    /// The warning about required fields in one place.
    pub fn of(language: Language, pair: OnOneSpot) -> Self {
        let page = pair.page.to_string();
        let arguments = [
            ("first", pair.first.as_str()),
            ("second", &pair.second),
            ("page", &page),
        ];
        Self {
            warning: "boxes_on_one_spot",
            page: pair.page,
            message: i18n::text(language, "template-warning-boxes-on-one-spot", &arguments),
            fields: vec![pair.first, pair.second],
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{FieldKind, Placement};

    use super::*;

    fn field(name: &str, label: Option<&str>) -> Field {
        let placement = Placement {
            x: 0,
            y: 0,
            width: 9,
            height: 9,
        };
        Field {
            label: label.map(str::to_owned),
            ..Field::new(name, FieldKind::Text, 1, 1, placement)
        }
    }

    #[test]
    fn a_field_of_a_form_without_words_has_a_number_in_the_readers_language() {
        let path = "topmostSubform[0].Page1[0].f1_01[0]";
        let fields = [
            field("Name", None),
            field(path, None),
            field(path, None),
            field("Text7", None),
            field("f[0]", Some("Date")),
        ];
        let labels = |language| {
            let shown = labelled(language, &fields);
            shown
                .iter()
                .map(|field| field.shown_name().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(labels(Language::En), ["Name", "Field 2", "Field 2", "Field 3", "Date"]);
        assert_eq!(labels(Language::Ko)[1], "입력란 2");
        assert_eq!(labels(Language::Ja)[1], "入力欄 2");
        // A sender's own name for a field stays as it is.
        let shown = shown_names(Language::En, fields.iter());
        assert_eq!(shown, ["Name", "Field 2", "Field 2", "Text7", "Date"]);
    }
}
