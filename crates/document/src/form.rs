//! The signature fields of a form (ISO 32000-2, 12.7), for sealing and for verifying.

use std::collections::BTreeSet;

use lopdf::{Dictionary, Document, Object, decode_text_string};

/// More fields than any form has; bounds the walk through a hostile one.
const MAX_FIELDS: usize = 100_000;

/// A signature field that holds a signature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignatureField<'a> {
    /// The signature dictionary.
    pub(crate) signature: &'a Dictionary,
}

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

/// All fields with their inherited type, each once.
fn fields(document: &Document) -> Vec<(&Dictionary, Option<&[u8]>)> {
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
        found.push((field, kind));
        if found.len() >= MAX_FIELDS {
            break;
        }
        if let Some(kids) = array(document, field, b"Kids") {
            waiting.extend(kids.iter().rev().map(|kid| (kid, kind)));
        }
    }
    found
}

/// The fields that hold a signature, in the form's order.
pub(crate) fn signatures(document: &Document) -> Vec<SignatureField<'_>> {
    fields(document)
        .into_iter()
        .filter(|(_, kind)| *kind == Some(b"Sig"))
        .filter_map(|(field, _)| {
            let value = field.get(b"V").ok()?;
            let Object::Dictionary(signature) = resolve(document, value) else {
                return None;
            };
            Some(SignatureField { signature })
        })
        .collect()
}

/// A name that no field has: `stem` with the lowest free number.
pub(crate) fn free_field_name(document: &Document, stem: &str) -> String {
    let taken: BTreeSet<String> = fields(document)
        .into_iter()
        .filter_map(|(field, _)| text(document, field, b"T"))
        .collect();
    // Of one more names than there are fields, one is free.
    (1..=taken.len() + 1)
        .map(|number| format!("{stem}{number}"))
        .find(|name| !taken.contains(name))
        .unwrap_or_else(|| stem.to_owned())
}
