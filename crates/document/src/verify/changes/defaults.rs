//! The defaults of the form: the appearance (`/DA`), the alignment (`/Q`) and the resources (`/DR`) for fields that have none of
//! their own. Programs add them along with a document timestamp, for fields that may come. That shows nowhere where nothing is
//! drawn by them.

use lopdf::{Dictionary, Document, Object, Stream};

use crate::pdf::form;
use crate::verify::places::named_fields;

/// The most of an appearance that is looked at, in bytes.
const MAX_APPEARANCE: usize = 4 * 1024 * 1024;
/// More annotations than are looked at.
const MAX_ANNOTATIONS: usize = 100_000;

/// Whether every field and annotation looks as it does without the form's defaults.
pub(super) fn are_unused(document: &Document) -> bool {
    let form = document
        .catalog()
        .ok()
        .and_then(|catalog| form::dictionary(document, catalog, b"AcroForm"));
    let needs_appearances = form
        .and_then(|form| form.get(b"NeedAppearances").ok())
        .is_some_and(|needs| !matches!(form::resolve(document, needs), Object::Boolean(false) | Object::Null));
    let has_own_look = |widget: &Dictionary, is_signature: bool| {
        let looks = appearances(document, widget);
        looks.iter().all(|look| brings_resources(document, look)) && (is_signature || !looks.is_empty())
    };
    let fields = named_fields(document);
    let are_fields_drawn = fields
        .iter()
        .filter(|field| field.dictionary.has(b"Rect"))
        .all(|field| has_own_look(field.dictionary, field.is_signature));
    let annotations = document
        .page_iter()
        .filter_map(|page| document.get_dictionary(page).ok())
        .flat_map(|page| form::array(document, page, b"Annots").unwrap_or_default())
        .filter(|annotation| {
            let is_field = |id| fields.iter().any(|field| field.id == Some(id));
            !annotation.as_reference().is_ok_and(is_field)
        })
        .filter_map(|annotation| form::resolve(document, annotation).as_dict().ok());
    let are_annotations_drawn = annotations.enumerate().all(|(number, annotation)| {
        let is_text = matches!(
            form::name(document, annotation, b"Subtype"),
            Some(b"Widget" | b"FreeText")
        );
        number < MAX_ANNOTATIONS && (!is_text || has_own_look(annotation, false))
    });
    !needs_appearances && are_fields_drawn && are_annotations_drawn
}

/// The appearances of a widget, in each of its states.
fn appearances<'a>(document: &'a Document, widget: &'a Dictionary) -> Vec<&'a Stream> {
    let mut found = Vec::new();
    let kinds = form::dictionary(document, widget, b"AP").into_iter().flatten();
    for (_, kind) in kinds {
        match form::resolve(document, kind) {
            Object::Stream(stream) => found.push(stream),
            Object::Dictionary(states) => found.extend(
                states
                    .iter()
                    .filter_map(|(_, state)| form::resolve(document, state).as_stream().ok()),
            ),
            _ => {}
        }
    }
    found
}

/// Whether an appearance looks nothing up elsewhere: it has its own resources, or names none.
fn brings_resources(document: &Document, appearance: &Stream) -> bool {
    form::dictionary(document, &appearance.dict, b"Resources").is_some()
        || appearance
            .get_plain_content_with_limit(MAX_APPEARANCE)
            .is_ok_and(|content| !content.contains(&b'/'))
}
