//! The form's defaults: the appearance (`/DA`), the alignment (`/Q`) and the resources (`/DR`) for fields without their
//! own. Programs add defaults with a document timestamp, for fields that may follow. They are not visible if nothing
//! uses them.

use std::collections::BTreeSet;

use crate::pdf::{Dict, Object, Ref, Stream};
use crate::verify::places::named_fields;
use crate::verify::reading::Reading;

/// Maximum size in bytes of an appearance that is read.
const MAX_APPEARANCE: usize = 4 * 1024 * 1024;
/// Maximum number of annotations that are checked.
const MAX_ANNOTATIONS: usize = 100_000;

/// Returns whether every field and annotation looks the same without the form's defaults.
pub(super) fn are_unused(reading: &Reading<'_>) -> bool {
    let needs_appearances = reading.form().is_some_and(|form| {
        let needs = reading.get(form, b"NeedAppearances");
        !matches!(needs, Object::Bool(false) | Object::Null)
    });
    let has_own_look = |widget: &Dict, is_signature: bool| {
        let looks = appearances(reading, widget);
        looks.iter().all(|look| brings_resources(reading, look)) && (is_signature || !looks.is_empty())
    };
    let fields = named_fields(reading);
    let are_fields_drawn = fields
        .iter()
        .filter(|field| field.dict.has(b"Rect"))
        .all(|field| has_own_look(field.dict, field.is_signature));
    let ids: BTreeSet<Ref> = fields.iter().filter_map(|field| field.id).collect();
    let annotations = reading
        .pages()
        .iter()
        .filter_map(|page| reading.as_dict(reading.object(*page)))
        .flat_map(|page| reading.array(page, b"Annots").unwrap_or_default())
        .filter(|annotation| !annotation.as_ref().is_some_and(|id| ids.contains(&id)))
        .filter_map(|annotation| reading.as_dict(annotation));
    let are_annotations_drawn = annotations.enumerate().all(|(number, annotation)| {
        let kind = reading.get(annotation, b"Subtype");
        let is_text = kind.is_name(b"Widget") || kind.is_name(b"FreeText");
        number < MAX_ANNOTATIONS && (!is_text || has_own_look(annotation, false))
    });
    !needs_appearances && are_fields_drawn && are_annotations_drawn
}

/// Returns the appearances of a widget in all its states.
fn appearances<'f>(reading: &Reading<'f>, widget: &'f Dict) -> Vec<&'f Stream> {
    let mut found = Vec::new();
    for (_, kind) in reading.dict(widget, b"AP").into_iter().flat_map(Dict::iter) {
        match reading.resolve(kind) {
            Object::Stream(stream) => found.push(stream),
            Object::Dict(states) => {
                found.extend(
                    states
                        .iter()
                        .filter_map(|(_, state)| reading.resolve(state).as_stream()),
                );
            }
            _ => {}
        }
    }
    found
}

/// Returns whether an appearance is self-contained: it has its own resources, or uses none.
fn brings_resources(reading: &Reading<'_>, appearance: &Stream) -> bool {
    reading.dict(&appearance.dict, b"Resources").is_some()
        || reading
            .plain(appearance, MAX_APPEARANCE)
            .is_ok_and(|content| !content.contains(&b'/'))
}
