//! The form of a file (ISO 32000-2, 12.7): its signature fields, for verifying.

use std::collections::BTreeSet;

use lopdf::{Dictionary, Document, Object, decode_text_string};

/// More fields than any form has; bounds the walk through a hostile one.
const MAX_FIELDS: usize = 100_000;

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
        found.push(Met { field, kind });
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
