//! Finds the objects that can act (ISO 32000-2, 12.6): the catalog, pages, annotations, fields, bookmarks, and the
//! actions themselves.
//!
//! In other objects, the same keys mean nothing. A resource dictionary has keys of the file's choice, and a font may be
//! called `A`, `AA` or `Next`. So we find these objects by the path to them, never by their keys.

use std::collections::BTreeSet;

use super::look::Look;
use crate::pdf::{Name, Object, Ref};

/// Keys that lead from one such object to the next.
const WAYS: [&[u8]; 19] = [
    b"Pages",
    b"AcroForm",
    b"Outlines",
    b"OpenAction",
    b"Annots",
    b"PresSteps",
    b"Fields",
    b"Kids",
    b"Parent",
    b"Popup",
    b"IRT",
    b"First",
    b"Last",
    b"Next",
    b"Prev",
    b"A",
    b"AA",
    b"PA",
    b"NA",
];

/// The objects that can act, or that contain an object that can.
pub(super) struct Actors(BTreeSet<Ref>);

impl Actors {
    pub(super) fn of(objects: &impl Look) -> Self {
        let mut found = BTreeSet::new();
        let root = objects.root().ok().map(Object::from);
        let pages = objects.pages().unwrap_or_default();
        let starts: Vec<Object> = root.into_iter().chain(pages.into_iter().map(Object::from)).collect();
        let mut waiting: Vec<&Object> = starts.iter().collect();
        while let Some(object) = waiting.pop() {
            match object {
                Object::Ref(id) if found.insert(*id) => waiting.push(objects.at(*id)),
                Object::Array(items) => waiting.extend(items),
                Object::Dict(dict) => {
                    let ways = dict.iter().filter(|(key, _)| leads_on(key));
                    waiting.extend(ways.map(|(_, value)| value));
                }
                _ => {}
            }
        }
        Self(found)
    }

    pub(super) fn contains(&self, id: Ref) -> bool {
        self.0.contains(&id)
    }
}

/// Returns whether a key leads from one object that can act to another.
pub(super) fn leads_on(key: &Name) -> bool {
    WAYS.iter().any(|way| key.is(way))
}
