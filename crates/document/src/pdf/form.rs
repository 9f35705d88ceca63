//! The form of a file (ISO 32000-2, 12.7): its signature fields, for sealing and for verifying.

use std::collections::BTreeSet;

use lopdf::{Dictionary, Document, Object, ObjectId, decode_text_string};

use crate::pdf::revision::{RevisionError, RevisionWriter};

/// More fields than any form has; bounds the walk through a hostile one.
const MAX_FIELDS: usize = 100_000;
/// `SignaturesExist` and `AppendOnly` (12.7.3).
const SIGNATURE_FLAGS: i64 = 3;
/// What the names of fields begin with that show what was filled in, and wait for the seal.
pub(crate) const WAITING_PREFIX: &str = "CountersignPage";

/// Follows a reference, or takes the object as it is; null where it leads nowhere.
pub(crate) fn resolve<'a>(document: &'a Document, object: &'a Object) -> &'a Object {
    document.dereference(object).map_or(&Object::Null, |(_, object)| object)
}

/// A dictionary under a key, through references.
pub(crate) fn dictionary<'a>(document: &'a Document, parent: &'a Dictionary, key: &[u8]) -> Option<&'a Dictionary> {
    match resolve(document, parent.get(key).ok()?) {
        Object::Dictionary(dictionary) => Some(dictionary),
        _ => None,
    }
}

/// An array under a key, through references.
pub(crate) fn array<'a>(document: &'a Document, parent: &'a Dictionary, key: &[u8]) -> Option<&'a [Object]> {
    match resolve(document, parent.get(key).ok()?) {
        Object::Array(array) => Some(array),
        _ => None,
    }
}

/// A name under a key, through references.
pub(crate) fn name<'a>(document: &'a Document, parent: &'a Dictionary, key: &[u8]) -> Option<&'a [u8]> {
    match resolve(document, parent.get(key).ok()?) {
        Object::Name(name) => Some(name),
        _ => None,
    }
}

/// A text string under a key, through references.
pub(crate) fn text(document: &Document, parent: &Dictionary, key: &[u8]) -> Option<String> {
    decode_text_string(resolve(document, parent.get(key).ok()?)).ok()
}

/// A field, as the walk through the form meets it.
struct Met<'a> {
    id: Option<ObjectId>,
    field: &'a Dictionary,
    /// Its type, or the inherited one.
    kind: Option<&'a [u8]>,
}

/// All fields with their inherited type, each once.
fn fields(document: &Document) -> Vec<Met<'_>> {
    let mut found = Vec::new();
    let Some(fields) = document
        .catalog()
        .ok()
        .and_then(|catalog| dictionary(document, catalog, b"AcroForm"))
        .and_then(|form| array(document, form, b"Fields"))
    else {
        return found;
    };
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<(&Object, Option<&[u8]>)> = fields.iter().rev().map(|field| (field, None)).collect();
    while let Some((object, inherited)) = waiting.pop() {
        if let Object::Reference(id) = object
            && !seen.insert(*id)
        {
            continue;
        }
        let Object::Dictionary(field) = resolve(document, object) else {
            continue;
        };
        let kind = name(document, field, b"FT").or(inherited);
        found.push(Met {
            id: object.as_reference().ok(),
            field,
            kind,
        });
        if found.len() >= MAX_FIELDS {
            break;
        }
        if let Some(kids) = array(document, field, b"Kids") {
            waiting.extend(kids.iter().rev().map(|kid| (kid, kind)));
        }
    }
    found
}

/// The signature dictionaries that fields hold, in the form's order; each once, for the fields that show what was filled in
/// on a signed file share theirs with the seal.
pub(crate) fn signatures(document: &Document) -> Vec<&Dictionary> {
    let mut seen = BTreeSet::new();
    fields(document)
        .into_iter()
        .filter(|met| met.kind == Some(b"Sig"))
        .filter_map(|met| met.field.get(b"V").ok())
        .filter(|value| value.as_reference().map_or(true, |id| seen.insert(id)))
        .filter_map(|value| resolve(document, value).as_dict().ok())
        .collect()
}

/// A name that no field has: `stem` with the lowest free number.
pub(crate) fn free_field_name(document: &Document, stem: &str) -> String {
    let taken: BTreeSet<String> = fields(document)
        .into_iter()
        .filter_map(|met| text(document, met.field, b"T"))
        .collect();
    // Of one more names than there are fields, one is free.
    (1..=taken.len() + 1)
        .map(|number| format!("{stem}{number}"))
        .find(|name| !taken.contains(name))
        .unwrap_or_else(|| stem.to_owned())
}

/// The fields that show what was filled in and have no signature yet: the seal becomes their value.
pub(crate) fn waiting_for_seal(document: &Document) -> Vec<ObjectId> {
    fields(document)
        .into_iter()
        .filter(|met| met.kind == Some(b"Sig") && !met.field.has(b"V"))
        .filter(|met| text(document, met.field, b"T").is_some_and(|name| name.starts_with(WAITING_PREFIX)))
        .filter_map(|met| met.id)
        .collect()
}

/// Adds a widget to the annotations of its page.
pub(crate) fn add_to_page(
    writer: &mut RevisionWriter<'_>,
    page: ObjectId,
    widget: ObjectId,
) -> Result<(), RevisionError> {
    let annotations = writer.edit_dictionary(page)?.get(b"Annots").ok().cloned();
    // An array of its own is changed in its own place, so that the page stays as it is.
    if let Some(Object::Reference(id)) = annotations
        && let Some(Object::Array(_)) = writer.object(id)
    {
        if let Object::Array(array) = writer.edit(id)? {
            array.push(widget.into());
        }
        return Ok(());
    }
    let mut array = match annotations.as_ref().map(|object| writer.resolve(object)) {
        Some(Object::Array(array)) => array.clone(),
        _ => Vec::new(),
    };
    array.push(widget.into());
    writer.edit_dictionary(page)?.set("Annots", array);
    Ok(())
}

/// Adds a field to the form, which is made where there is none, and says that the form has signatures.
pub(crate) fn add_to_form(writer: &mut RevisionWriter<'_>, widget: ObjectId) -> Result<(), RevisionError> {
    let root = writer.root();
    let entry = writer.edit_dictionary(root)?.get(b"AcroForm").ok().cloned();
    let mut acro_form = match entry.as_ref().map(|object| writer.resolve(object)) {
        Some(Object::Dictionary(dictionary)) => dictionary.clone(),
        _ => Dictionary::new(),
    };
    let mut fields = match acro_form.get(b"Fields").ok().map(|object| writer.resolve(object)) {
        Some(Object::Array(array)) => array.clone(),
        _ => Vec::new(),
    };
    fields.push(widget.into());
    acro_form.set("Fields", fields);
    acro_form.set("SigFlags", SIGNATURE_FLAGS);
    match entry {
        Some(Object::Reference(id)) if matches!(writer.object(id), Some(Object::Dictionary(_))) => {
            writer.replace(id, acro_form);
        }
        _ => writer.edit_dictionary(root)?.set("AcroForm", acro_form),
    }
    Ok(())
}
