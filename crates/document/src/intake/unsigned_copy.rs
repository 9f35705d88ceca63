//! Makes a copy of a signed upload without its signatures. We do this only if the sender chose it.
//!
//! Each signature is replaced by its appearance: the annotation of its field becomes a stamp with the same appearance,
//! or is removed if it has none. The copy contains nothing that a program could interpret as a signature. All other
//! content is handled as in any unsigned upload.

use std::collections::BTreeSet;

use super::annotations;
use super::form_fields;
use super::look::{Look, change_each, dict, edit_catalog, edit_dict, name};
use crate::pdf::edit::Edits;
use crate::pdf::geometry::Rectangle;
use crate::pdf::{Dict, Object, Objects, PdfDefect, Ref, acro_form};

/// The entries that a stamp copies from the annotation of a signature field.
const KEPT: [&[u8]; 7] = [b"Rect", b"AS", b"F", b"P", b"OC", b"StructParent", b"Lang"];

/// Removes all signatures from a file. Returns the number of signatures.
pub(super) fn remove_signatures(edits: &mut Edits<'_>) -> Result<u32, PdfDefect> {
    let count = acro_form::signatures(edits)?.len();
    let widgets = replace_widgets(edits)?;
    remove_fields(edits, widgets)?;
    // Remove other references to them.
    change_each(edits, |_, _, object| {
        let is_signature = object
            .as_dict()
            .is_some_and(|dict| dict.has(b"ByteRange") && dict.has(b"Contents"));
        if is_signature {
            *object = Object::Null;
        }
    })?;
    if let Some(catalog) = edit_catalog(edits) {
        catalog.remove(b"Perms");
        catalog.remove(b"DSS");
    }
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Replaces the widgets of signed fields with stamps. Returns the objects of these widgets.
fn replace_widgets(edits: &mut Edits<'_>) -> Result<BTreeSet<Ref>, PdfDefect> {
    let mut replaced = BTreeSet::new();
    for page in edits.pages()? {
        let Some(items) = edits.dict_at(page).and_then(|page| edits.array_in(page, b"Annots")) else {
            continue;
        };
        let items = items.to_vec();
        let mut kept = Vec::with_capacity(items.len());
        for item in &items {
            let widget = match edits.follow(item) {
                Object::Dict(widget) if form_fields::is_signed(edits, widget) => widget.clone(),
                _ => {
                    kept.push(item.clone());
                    continue;
                }
            };
            let picture = picture(edits, &widget);
            match item {
                Object::Ref(id) => {
                    replaced.insert(*id);
                    kept.extend(picture.is_some().then(|| item.clone()));
                    edits.put(*id, picture.map_or(Object::Null, Object::from));
                }
                _ => kept.extend(picture.map(Object::from)),
            }
        }
        if kept != items
            && let Some(page) = edit_dict(edits, page)
        {
            page.set(b"Annots", kept);
        }
    }
    Ok(replaced)
}

/// Returns an annotation outside the form with the appearance of a widget.
fn picture(objects: &impl Look, widget: &Dict) -> Option<Dict> {
    let has_area = objects
        .rectangle_in(widget, b"Rect")
        .as_ref()
        .is_some_and(Rectangle::has_area);
    if !has_area || !annotations::has_look(objects, widget) {
        return None;
    }
    let look = objects.dict_in(widget, b"AP")?.get(b"N")?.clone();
    let mut picture = dict([
        (b"Type", name(b"Annot")),
        (b"Subtype", name(b"Stamp")),
        (b"AP", dict([(b"N", look)]).into()),
    ]);
    for key in KEPT {
        if let Some(value) = widget.get(key) {
            picture.set(key, value.clone());
        }
    }
    Some(picture)
}

/// Removes signed fields and their former widgets from the form.
fn remove_fields(edits: &mut Edits<'_>, mut gone: BTreeSet<Ref>) -> Result<(), PdfDefect> {
    let is_signed = |field: &Dict| matches!(edits.value_in(field, b"V"), Some(Object::Dict(_)));
    let mut parents = Vec::new();
    for met in acro_form::fields(edits)? {
        if met.is(b"Sig") && is_signed(met.field) {
            gone.extend(met.id);
        }
        if met.field.has(b"Kids") {
            parents.extend(met.id);
        }
    }
    let left = |edits: &Edits<'_>, fields: &[Object]| -> Vec<Object> {
        let is_gone = |field: &Object| match field {
            Object::Ref(id) => gone.contains(id),
            field => field
                .as_dict()
                .is_some_and(|field| edits.is_name_in(field, b"FT", b"Sig") && field.has(b"V")),
        };
        fields.iter().filter(|field| !is_gone(field)).cloned().collect()
    };
    for parent in parents {
        let kids = edits.dict_at(parent).and_then(|parent| edits.array_in(parent, b"Kids"));
        let kids = left(edits, kids.unwrap_or_default());
        if let Some(parent) = edit_dict(edits, parent) {
            parent.set(b"Kids", kids);
        }
    }
    let Some(mut form) = edits.dict_of_catalog(b"AcroForm").cloned() else {
        return Ok(());
    };
    form.set(
        b"Fields",
        left(edits, edits.array_in(&form, b"Fields").unwrap_or_default()),
    );
    form.remove(b"SigFlags");
    match edits.catalog()?.get(b"AcroForm").cloned() {
        Some(Object::Ref(id)) => edits.put(id, form),
        _ => {
            if let Some(catalog) = edit_catalog(edits) {
                catalog.set(b"AcroForm", form);
            }
        }
    }
    Ok(())
}
