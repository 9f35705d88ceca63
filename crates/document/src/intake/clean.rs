//! Removes what could act, change or carry something unseen after people have signed.
//!
//! Whether a dictionary is an action is told by the key that leads to it (ISO 32000-2, 12.6), never
//! by its `/S` alone, which structure elements, transitions and groups have too.

use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Dictionary, Document, Object, ObjectId};

use super::Change;
use crate::pdf::form;

/// Actions that only move within the document or open an address that the reader sees (Table 201).
const HARMLESS: [&[u8]; 4] = [b"GoTo", b"URI", b"Named", b"Thread"];
/// Addresses that a link may have.
const SCHEMES: [&str; 4] = ["http:", "https:", "mailto:", "tel:"];
/// Annotations that play or hold something (Table 171).
const MEDIA: [&[u8]; 5] = [b"Sound", b"Movie", b"Screen", b"RichMedia", b"3D"];
/// Keys of those annotations that lead to what is played.
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

/// Is the file a form that shows only where XFA is laid out (12.7.8, `NeedsRendering`)?
pub(super) fn is_dynamic_xfa(document: &Document) -> bool {
    document
        .catalog()
        .ok()
        .and_then(|catalog| catalog.get(b"NeedsRendering").ok())
        .is_some_and(|needs| matches!(form::resolve(document, needs), Object::Boolean(true)))
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

/// Cleans every object that the file uses, in place.
pub(super) fn clean(document: &mut Document) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut removed = Removed::default();
    if remove_permissions(document) {
        changes.push(Change::UsageRightsRemoved);
    }
    if remove_xfa(document) {
        changes.push(Change::XfaRemoved);
    }
    // What nothing refers to is dropped later, and not worth a word.
    let used = used_objects(document);
    document.objects.retain(|id, _| used.contains(id));
    remove_from_catalog(document, &mut removed);
    // References are looked up in this picture of the file while its objects are changed.
    let known = Known::read(document);
    for object in document.objects.values_mut() {
        clean_object(object, &known, &mut removed);
    }
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
    changes
}

/// Everything that the trailer leads to.
pub(super) fn used_objects(document: &Document) -> BTreeSet<ObjectId> {
    let mut used = BTreeSet::new();
    let mut waiting: Vec<&Object> = [&b"Root"[..], b"Info"]
        .iter()
        .filter_map(|key| document.trailer.get(key).ok())
        .collect();
    while let Some(object) = waiting.pop() {
        match object {
            Object::Reference(id) if used.insert(*id) => waiting.extend(document.objects.get(id)),
            Object::Array(items) => waiting.extend(items),
            Object::Dictionary(dictionary) => waiting.extend(dictionary.iter().map(|(_, value)| value)),
            Object::Stream(stream) => waiting.extend(stream.dict.iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    used
}

/// What references may lead to.
struct Known {
    actions: BTreeMap<ObjectId, Action>,
    /// Dictionaries of references and actions only, as additional-actions dictionaries are.
    lists: BTreeMap<ObjectId, Dictionary>,
}

impl Known {
    fn read(document: &Document) -> Self {
        let actions = document
            .objects
            .iter()
            .filter_map(|(id, object)| Some((*id, action(object)?)))
            .collect();
        let lists = document
            .objects
            .iter()
            .filter_map(|(id, object)| Some((*id, object.as_dict().ok()?)))
            .filter(|(_, dictionary)| {
                dictionary
                    .iter()
                    .all(|(_, value)| value.as_reference().is_ok() || action(value).is_some())
            })
            .map(|(id, dictionary)| (id, dictionary.clone()))
            .collect();
        Self { actions, lists }
    }

    fn action(&self, object: &Object) -> Option<Action> {
        match object {
            Object::Reference(id) => self.actions.get(id).copied(),
            other => action(other),
        }
    }

    fn list<'a>(&'a self, object: &'a Object) -> Option<&'a Dictionary> {
        match object {
            Object::Reference(id) => self.lists.get(id),
            Object::Dictionary(dictionary) => Some(dictionary),
            _ => None,
        }
    }
}

/// What `object` would do, if a key for actions led to it.
fn action(object: &Object) -> Option<Action> {
    let Object::Dictionary(dictionary) = object else {
        return None;
    };
    if dictionary.has(b"JS") {
        return Some(Action::Script);
    }
    let kind = dictionary.get(b"S").and_then(Object::as_name).ok()?;
    Some(match kind {
        b"JavaScript" => Action::Script,
        b"URI" if !is_plain_address(dictionary) => Action::Other,
        kind if HARMLESS.contains(&kind) => Action::Harmless,
        _ => Action::Other,
    })
}

fn is_plain_address(action: &Dictionary) -> bool {
    match action.get(b"URI") {
        Ok(Object::String(address, _)) => {
            let address = String::from_utf8_lossy(address).trim_start().to_ascii_lowercase();
            // Without a scheme it is relative to the document's base, an address as well.
            let has_scheme = address
                .split(['/', '?', '#'])
                .next()
                .is_some_and(|start| start.contains(':'));
            !has_scheme || SCHEMES.iter().any(|scheme| address.starts_with(scheme))
        }
        // By reference: nothing writes it so.
        _ => false,
    }
}

/// Removes the catalog's permissions; true where usage rights were among them. A file with a
/// certification there was refused before.
fn remove_permissions(document: &mut Document) -> bool {
    let usage_rights = document
        .catalog()
        .ok()
        .and_then(|catalog| form::dictionary(document, catalog, b"Perms"))
        .is_some_and(|permissions| permissions.has(b"UR3") || permissions.has(b"UR"));
    if let Ok(catalog) = document.catalog_mut() {
        catalog.remove(b"Perms");
    }
    usage_rights
}

/// Removes the catalog's ways to act and to carry something.
fn remove_from_catalog(document: &mut Document, removed: &mut Removed) {
    let named = document
        .catalog()
        .ok()
        .and_then(|catalog| form::dictionary(document, catalog, b"Names"))
        .cloned();
    if let Some(names) = &named {
        removed.scripts = removed
            .scripts
            .saturating_add(count_names(document, names, b"JavaScript"));
        removed.media = removed
            .media
            .saturating_add(count_names(document, names, b"Renditions"));
    }
    let Ok(catalog) = document.catalog_mut() else { return };
    if let Some(mut names) = named {
        for key in [
            &b"JavaScript"[..],
            b"EmbeddedFiles",
            b"Renditions",
            b"AlternatePresentations",
        ] {
            names.remove(key);
        }
        catalog.set("Names", names);
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

/// How many names a name tree holds (7.9.6); a hostile tree is counted to a limit.
fn count_names(document: &Document, names: &Dictionary, key: &[u8]) -> u32 {
    const MOST: usize = 10_000;
    let Some(root) = form::dictionary(document, names, key) else {
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
        count = count.saturating_add(form::array(document, node, b"Names").map_or(0, |pairs| pairs.len() / 2));
        for kid in form::array(document, node, b"Kids").unwrap_or_default() {
            if let Object::Dictionary(kid) = form::resolve(document, kid) {
                waiting.push(kid);
            }
        }
    }
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn remove_xfa(document: &mut Document) -> bool {
    let form_id = document
        .catalog()
        .ok()
        .and_then(|catalog| catalog.get(b"AcroForm").ok())
        .cloned();
    let form = match form_id {
        Some(Object::Reference(id)) => document.get_dictionary_mut(id).ok(),
        Some(Object::Dictionary(_)) => document
            .catalog_mut()
            .ok()
            .and_then(|catalog| catalog.get_mut(b"AcroForm").ok()?.as_dict_mut().ok()),
        _ => None,
    };
    form.is_some_and(|form| form.remove(b"XFA").is_some())
}

fn clean_object(object: &mut Object, known: &Known, removed: &mut Removed) {
    match object {
        Object::Array(items) => items.iter_mut().for_each(|item| clean_object(item, known, removed)),
        Object::Dictionary(dictionary) => clean_dictionary(dictionary, known, removed),
        Object::Stream(stream) => clean_dictionary(&mut stream.dict, known, removed),
        _ => {}
    }
}

fn clean_dictionary(dictionary: &mut Dictionary, known: &Known, removed: &mut Removed) {
    let mut count = |action: Option<Action>| match action {
        Some(Action::Script) => removed.scripts = removed.scripts.saturating_add(1),
        Some(Action::Other) => removed.actions = removed.actions.saturating_add(1),
        Some(Action::Harmless) | None => {}
    };
    if let Some(additional) = dictionary.remove(b"AA")
        && let Some(list) = known.list(&additional)
    {
        list.iter().for_each(|(_, value)| count(known.action(value)));
    }
    for key in [&b"A"[..], b"PA", b"OpenAction", b"Next"] {
        let Ok(value) = dictionary.get_mut(key) else { continue };
        if key == b"Next"
            && let Object::Array(chain) = value
        {
            chain.retain(|next| {
                let harmful = matches!(known.action(next), Some(Action::Script | Action::Other));
                if harmful {
                    count(known.action(next));
                }
                !harmful
            });
            continue;
        }
        let action = known.action(value);
        if matches!(action, Some(Action::Script | Action::Other)) {
            count(action);
            dictionary.remove(key);
        }
    }
    // In a file specification (7.11.3); usage rights have an array under this key.
    if matches!(dictionary.get(b"EF"), Ok(Object::Dictionary(_) | Object::Reference(_))) {
        dictionary.remove(b"EF");
        dictionary.remove(b"RF");
        removed.files = removed.files.saturating_add(1);
    }
    clean_annotation(dictionary, removed);
    for (_, value) in dictionary.iter_mut() {
        clean_object(value, known, removed);
    }
}

/// Media annotations become stamps (12.5.6.12): their picture stays, and nothing plays.
fn clean_annotation(dictionary: &mut Dictionary, removed: &mut Removed) {
    let Ok(subtype) = dictionary.get(b"Subtype").and_then(Object::as_name).map(<[u8]>::to_vec) else {
        return;
    };
    // A stamp, a font or a stream may have /Subtype too; only annotations have /Rect.
    if !dictionary.has(b"Rect") {
        return;
    }
    if MEDIA.contains(&subtype.as_slice()) {
        removed.media = removed.media.saturating_add(1);
        for key in MEDIA_KEYS {
            dictionary.remove(key);
        }
        dictionary.set("Subtype", "Stamp");
    } else if subtype == b"FileAttachment" {
        dictionary.remove(b"FS");
        dictionary.set("Subtype", "Stamp");
    }
}
