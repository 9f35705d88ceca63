//! Removes content that could act, change or be hidden after people have signed.
//!
//! The path to a dictionary decides whether it is an action ([`super::actors`]). Its `/S` alone does not, because
//! structure elements, transitions and groups have one too.

use super::Change;
use super::actors::{Actors, leads_on};
use super::look::{Look, change_these, edit_catalog, edit_dict, used};
use crate::pdf::edit::Edits;
use crate::pdf::{Dict, Name, Object, Objects, PdfDefect};

/// Actions that only move within the document or open an address that the reader sees (Table 201).
const HARMLESS: [&[u8]; 4] = [b"GoTo", b"URI", b"Named", b"Thread"];
/// Schemes that a link may use.
const SCHEMES: [&str; 4] = ["http:", "https:", "mailto:", "tel:"];
/// Annotations that play or contain media (Table 171).
const MEDIA: [&[u8]; 5] = [b"Sound", b"Movie", b"Screen", b"RichMedia", b"3D"];
/// Keys of these annotations that refer to the media.
const MEDIA_KEYS: [&[u8]; 8] = [
    b"Sound",
    b"Movie",
    b"RichMediaContent",
    b"RichMediaSettings",
    b"3DD",
    b"3DV",
    b"3DA",
    b"3DI",
];

/// Returns whether the file is a form that is visible only with XFA layout (12.7.8, `NeedsRendering`).
pub(super) fn is_dynamic_xfa(objects: &impl Objects) -> bool {
    let needs = objects
        .catalog()
        .ok()
        .and_then(|catalog| objects.value_in(catalog, b"NeedsRendering"));
    needs.and_then(Object::as_bool) == Some(true)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Harmless,
    Script,
    Other,
}

#[derive(Debug, Default)]
struct Removed {
    scripts: u32,
    actions: u32,
    files: u32,
    media: u32,
}

/// Cleans every object that the file uses. Unused objects are not written.
pub(super) fn clean(edits: &mut Edits<'_>) -> Result<Vec<Change>, PdfDefect> {
    let mut changes = Vec::new();
    let mut removed = Removed::default();
    if remove_permissions(edits) {
        changes.push(Change::UsageRightsRemoved);
    }
    if remove_xfa(edits) {
        changes.push(Change::XfaRemoved);
    }
    // Objects that only the catalog refers to count too.
    let used = used(edits)?;
    let actors = Actors::of(edits);
    remove_from_catalog(edits, &mut removed);
    change_these(edits, used, |known, id, object| {
        clean_object(object, actors.contains(id), known, &mut removed);
    })?;
    let counted = [
        (removed.scripts, Change::ScriptsRemoved { count: removed.scripts }),
        (removed.actions, Change::ActionsRemoved { count: removed.actions }),
        (removed.files, Change::EmbeddedFilesRemoved { count: removed.files }),
        (removed.media, Change::MultimediaRemoved { count: removed.media }),
    ];
    changes.extend(
        counted
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(_, change)| change),
    );
    Ok(changes)
}

/// Returns the effect of `object`, if an action key refers to it.
fn action(objects: &impl Objects, object: &Object) -> Option<Action> {
    let Object::Dict(dict) = objects.follow(object) else {
        return None;
    };
    if dict.has(b"JS") {
        return Some(Action::Script);
    }
    let kind = dict.get(b"S")?.as_name()?.bytes();
    Some(match &*kind {
        b"JavaScript" => Action::Script,
        b"URI" if !is_plain_address(dict) => Action::Other,
        kind if HARMLESS.contains(&kind) => Action::Harmless,
        _ => Action::Other,
    })
}

fn is_plain_address(action: &Dict) -> bool {
    match action.get(b"URI") {
        Some(Object::Str(address)) => {
            let address = String::from_utf8_lossy(&address.bytes())
                .trim_start()
                .to_ascii_lowercase();
            // Without a scheme, the address is relative to the document's base, which is an address too.
            let has_scheme = address
                .split(['/', '?', '#'])
                .next()
                .is_some_and(|start| start.contains(':'));
            !has_scheme || SCHEMES.iter().any(|scheme| address.starts_with(scheme))
        }
        // No writer uses references here.
        _ => false,
    }
}

/// Removes the catalog's permissions. Returns whether they included usage rights. Files certified there have been
/// refused before.
fn remove_permissions(edits: &mut Edits<'_>) -> bool {
    let usage_rights = edits
        .dict_of_catalog(b"Perms")
        .is_some_and(|permissions| permissions.has(b"UR3") || permissions.has(b"UR"));
    if let Some(catalog) = edit_catalog(edits) {
        catalog.remove(b"Perms");
    }
    usage_rights
}

/// Removes the catalog's actions and attachments.
fn remove_from_catalog(edits: &mut Edits<'_>, removed: &mut Removed) {
    let named = edits.dict_of_catalog(b"Names").cloned();
    if let Some(names) = &named {
        removed.scripts = removed.scripts.saturating_add(count_names(edits, names, b"JavaScript"));
        removed.media = removed.media.saturating_add(count_names(edits, names, b"Renditions"));
    }
    let Some(catalog) = edit_catalog(edits) else { return };
    if let Some(mut names) = named {
        for key in [
            &b"JavaScript"[..],
            b"EmbeddedFiles",
            b"Renditions",
            b"AlternatePresentations",
        ] {
            names.remove(key);
        }
        catalog.set(b"Names", names);
    }
    for key in [
        &b"Collection"[..],
        b"Requirements",
        b"AF",
        b"Legal",
        b"DSS",
        b"NeedsRendering",
    ] {
        catalog.remove(key);
    }
}

/// Counts the names in a name tree (7.9.6). In hostile trees, counts only up to a limit.
fn count_names(objects: &impl Objects, names: &Dict, key: &[u8]) -> u32 {
    const MOST: usize = 10_000;
    let Some(root) = objects.dict_in(names, key) else {
        return 0;
    };
    let mut waiting = vec![root];
    let mut count = 0_usize;
    let mut visited = 0_usize;
    while let Some(node) = waiting.pop() {
        visited += 1;
        if visited > MOST {
            break;
        }
        count = count.saturating_add(objects.array_in(node, b"Names").map_or(0, |pairs| pairs.len() / 2));
        for kid in objects.array_in(node, b"Kids").unwrap_or_default() {
            if let Object::Dict(kid) = objects.follow(kid) {
                waiting.push(kid);
            }
        }
    }
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn remove_xfa(edits: &mut Edits<'_>) -> bool {
    let entry = edits
        .catalog()
        .ok()
        .and_then(|catalog| catalog.get(b"AcroForm"))
        .cloned();
    let form = match entry {
        Some(Object::Ref(id)) => edit_dict(edits, id),
        Some(Object::Dict(_)) => match edit_catalog(edits).and_then(|catalog| catalog.get_mut(b"AcroForm")) {
            Some(Object::Dict(form)) => Some(form),
            _ => None,
        },
        _ => None,
    };
    form.is_some_and(|form| form.remove(b"XFA").is_some())
}

/// `can_act` means that the object is one of the [`Actors`].
fn clean_object(object: &mut Object, can_act: bool, known: &impl Look, removed: &mut Removed) {
    match object {
        Object::Array(items) => {
            for item in items {
                clean_object(item, can_act, known, removed);
            }
        }
        Object::Dict(dict) => clean_dictionary(dict, can_act, known, removed),
        Object::Stream(stream) => clean_dictionary(&mut stream.dict, false, known, removed),
        _ => {}
    }
}

fn clean_dictionary(dict: &mut Dict, can_act: bool, known: &impl Look, removed: &mut Removed) {
    if can_act {
        remove_actions(dict, known, removed);
    }
    if has_embedded_file(dict, known) {
        dict.remove(b"EF");
        dict.remove(b"RF");
        removed.files = removed.files.saturating_add(1);
    }
    clean_annotation(dict, removed);
    for (key, value) in dict.iter_mut() {
        clean_object(value, can_act && leads_on(key), known, removed);
    }
}

fn remove_actions(dict: &mut Dict, known: &impl Look, removed: &mut Removed) {
    let mut count = |action: Option<Action>| match action {
        Some(Action::Script) => removed.scripts = removed.scripts.saturating_add(1),
        Some(Action::Other) => removed.actions = removed.actions.saturating_add(1),
        Some(Action::Harmless) | None => {}
    };
    if let Some(additional) = dict.remove(b"AA")
        && let Object::Dict(list) = known.follow(&additional)
    {
        list.iter().for_each(|(_, value)| count(action(known, value)));
    }
    for key in [&b"A"[..], b"PA", b"NA", b"OpenAction", b"Next"] {
        let Some(value) = dict.get_mut(key) else { continue };
        if key == b"Next"
            && let Object::Array(chain) = value
        {
            chain.retain(|next| {
                let action = action(known, next);
                let is_harmful = matches!(action, Some(Action::Script | Action::Other));
                if is_harmful {
                    count(action);
                }
                !is_harmful
            });
            continue;
        }
        let action = action(known, value);
        if matches!(action, Some(Action::Script | Action::Other)) {
            count(action);
            dict.remove(key);
        }
    }
}

/// Returns whether a dictionary is a file specification with an embedded file (7.11.4). Usage rights have an array
/// under this key, and resources can have any value.
fn has_embedded_file(dict: &Dict, known: &impl Look) -> bool {
    let Some(Object::Dict(files)) = known.value_in(dict, b"EF") else {
        return false;
    };
    [&b"F"[..], b"UF", b"DOS", b"Mac", b"Unix"]
        .iter()
        .any(|key| matches!(known.value_in(files, key), Some(Object::Stream(_))))
}

/// Turns media annotations into stamps (12.5.6.12): their image stays, and nothing plays.
fn clean_annotation(dict: &mut Dict, removed: &mut Removed) {
    let subtype = dict.get(b"Subtype").and_then(Object::as_name);
    let subtype = subtype.map(|name| name.bytes().into_owned());
    // A stamp, a font or a stream may have `/Subtype` too, but only annotations have `/Rect`.
    let Some(subtype) = subtype.filter(|_| dict.has(b"Rect")) else {
        return;
    };
    if MEDIA.contains(&subtype.as_slice()) {
        removed.media = removed.media.saturating_add(1);
        for key in MEDIA_KEYS {
            dict.remove(key);
        }
        dict.set(b"Subtype", Name::new(b"Stamp"));
    } else if subtype == b"FileAttachment" {
        dict.remove(b"FS");
        dict.set(b"Subtype", Name::new(b"Stamp"));
    }
}
