//! The form of a file (ISO 32000-2, 12.7): its fields, and what a signature adds to it.

use std::collections::BTreeSet;

use super::defect::PdfDefect;
use super::edit::Edits;
use super::object::{Dict, Name, Object, Ref};
use super::objects::Objects;

/// Maximum number of fields in a form, which limits the search in a hostile one.
const MAX_FIELDS: usize = 100_000;
/// `SignaturesExist` and `AppendOnly` (12.7.3).
const SIGNATURE_FLAGS: i64 = 3;
/// `Print` and `Locked` (12.5.3), for widgets.
pub(crate) const PRINTED_AND_LOCKED: i64 = 4 | 128;
/// Prefix of the names of fields that show entered values and wait for the seal.
pub(crate) const WAITING_PREFIX: &str = "CountersignPage";

/// A field or widget found in the form.
pub(crate) struct Met<'o> {
    /// Object number. `None` if the object is inside its parent's array.
    pub(crate) id: Option<Ref>,
    pub(crate) field: &'o Dict,
    /// Own or inherited type.
    pub(crate) kind: Option<&'o Name>,
}

impl Met<'_> {
    pub(crate) fn is(&self, kind: &[u8]) -> bool {
        self.kind.is_some_and(|own| own.is(kind))
    }
}

/// Returns all fields with their inherited type, each once.
pub(crate) fn fields<O: Objects>(objects: &O) -> Result<Vec<Met<'_>>, PdfDefect> {
    let mut found = Vec::new();
    let Some(form) = objects.dict(objects.catalog()?, b"AcroForm")? else {
        return Ok(found);
    };
    let fields = objects.array(form, b"Fields")?.unwrap_or_default();
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<(&Object, Option<&Name>)> = fields.iter().rev().map(|field| (field, None)).collect();
    while let Some((object, inherited)) = waiting.pop() {
        if let Object::Ref(id) = object
            && !seen.insert(*id)
        {
            continue;
        }
        let Object::Dict(field) = objects.resolve(object)? else {
            continue;
        };
        let kind = objects.name(field, b"FT")?.or(inherited);
        found.push(Met {
            id: object.as_ref(),
            field,
            kind,
        });
        if found.len() >= MAX_FIELDS {
            break;
        }
        if let Some(kids) = objects.array(field, b"Kids")? {
            waiting.extend(kids.iter().rev().map(|kid| (kid, kind)));
        }
    }
    Ok(found)
}

/// Returns the signature dictionaries in fields, in the form's order. Each is returned once, although the fields that
/// show entered values in a signed file share theirs with the seal.
pub(crate) fn signatures<O: Objects>(objects: &O) -> Result<Vec<&Dict>, PdfDefect> {
    let mut seen = BTreeSet::new();
    let mut signatures = Vec::new();
    for met in fields(objects)?.into_iter().filter(|met| met.is(b"Sig")) {
        let Some(value) = met.field.get(b"V") else { continue };
        if value.as_ref().is_none_or(|id| seen.insert(id))
            && let Object::Dict(signature) = objects.resolve(value)?
        {
            signatures.push(signature);
        }
    }
    Ok(signatures)
}

/// Returns an unused field name: `stem` with the lowest free number.
pub(crate) fn free_field_name(objects: &impl Objects, stem: &str) -> Result<String, PdfDefect> {
    let mut taken = BTreeSet::new();
    for met in fields(objects)? {
        taken.extend(objects.text(met.field, b"T")?);
    }
    // One of these names is free, because there are more names than fields.
    Ok((1..=taken.len() + 1)
        .map(|number| format!("{stem}{number}"))
        .find(|name| !taken.contains(name))
        .unwrap_or_else(|| stem.to_owned()))
}

/// Returns the fields that show entered values and have no signature yet. The seal becomes their value.
pub(crate) fn waiting_for_seal(objects: &impl Objects) -> Result<Vec<Ref>, PdfDefect> {
    let mut waiting = Vec::new();
    for met in fields(objects)? {
        if met.is(b"Sig")
            && !met.field.has(b"V")
            && objects
                .text(met.field, b"T")?
                .is_some_and(|name| name.starts_with(WAITING_PREFIX))
        {
            waiting.extend(met.id);
        }
    }
    Ok(waiting)
}

/// Returns a lock of all fields (Table 236). In a signature field, it must be an indirect object.
pub(crate) fn lock() -> Dict {
    Dict::of([("Type", Object::name("SigFieldLock")), ("Action", Object::name("All"))])
}

/// Adds a widget to the annotations of its page.
pub(crate) fn add_to_page(edits: &mut Edits<'_>, page: Ref, widget: Ref) -> Result<(), PdfDefect> {
    let entry = edits.page(page)?.get(b"Annots").cloned();
    // A separate array is changed in place, so the page stays unchanged.
    if let Some(Object::Ref(id)) = entry
        && let Object::Array(items) = edits.edit(id)?
    {
        items.push(widget.into());
        return Ok(());
    }
    let mut items = match entry.as_ref().map(|object| edits.resolve(object)).transpose()? {
        Some(Object::Array(items)) => items.clone(),
        _ => Vec::new(),
    };
    items.push(widget.into());
    if let Some(page) = edits.edit_dict(page)? {
        page.set(b"Annots", items);
    }
    Ok(())
}

/// Adds a field to the form, creates the form if necessary, and marks it as signed.
pub(crate) fn add_to_form(edits: &mut Edits<'_>, widget: Ref) -> Result<(), PdfDefect> {
    let entry = edits.catalog()?.get(b"AcroForm").cloned();
    let mut form = edits.dict(edits.catalog()?, b"AcroForm")?.cloned().unwrap_or_default();
    let mut fields = edits.array(&form, b"Fields")?.unwrap_or_default().to_vec();
    fields.push(widget.into());
    form.set(b"Fields", fields);
    form.set(b"SigFlags", SIGNATURE_FLAGS);
    match entry {
        Some(Object::Ref(id)) if matches!(edits.object(id)?, Object::Dict(_)) => edits.put(id, form),
        _ => {
            let root = edits.root()?;
            if let Some(catalog) = edits.edit_dict(root)? {
                catalog.set(b"AcroForm", form);
            }
        }
    }
    Ok(())
}
