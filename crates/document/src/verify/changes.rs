//! Lists the changes between a signed revision and the file's newest state, and checks whether the signature permits
//! them.
//!
//! Every object that existed at the time of signing must be unchanged, except as [`Rules`] allow: the catalog may get
//! validation data (`store`), the form and a page may get signature fields, fields may be filled in, and annotations
//! may be added or removed (`fields`). We check each of these changes by name, entry by entry, and forbid everything
//! that is not known to be harmless. New objects need no check of their own, because signed objects refer to them only
//! through these exceptions, or through a reference to an object that did not exist, which we check too.
//!
//! A program that adds a revision may also write its own name and the time into the document's information dictionary
//! and its XMP (`description`), even if the document had neither, but nothing else.

mod change;
mod defaults;
mod description;
mod fields;
mod store;

pub(super) use change::list;
pub use change::{Change, How, Part};
pub(crate) use store::has_room;

use std::collections::{BTreeMap, BTreeSet};

use super::places::{self, Place, Places, Role, each_reference};
use super::reading::{Reading, are_same, changed_keys, mean_same};
use super::rules::Rules;
use crate::pdf::{Dict, Name, Object, Ref};

/// Maximum number of listed changes.
const MAX_LISTED: usize = 50;

/// The changes, grouped by whether the signature permits them.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) permitted: Vec<Change>,
    pub(super) forbidden: Vec<Change>,
    /// Whether no signed content uses the form's defaults, so that new defaults are not visible.
    are_defaults_unused: bool,
}

impl Changes {
    /// Returns whether only validation data or document timestamps were added, with the usual additions: the required
    /// version of the format, its extensions, metadata, and defaults for fields that do not exist yet.
    pub(super) fn are_only_validation_data(&self) -> bool {
        let is_of_these = |change: &Change| matches!(change.part, Part::ValidationData | Part::Timestamp);
        let may_come_along = |change: &Change| match change.part {
            Part::Metadata | Part::Catalog => true,
            Part::Form => self.are_defaults_unused,
            _ => false,
        };
        self.forbidden.is_empty()
            && self.permitted.iter().any(is_of_these)
            && self
                .permitted
                .iter()
                .all(|change| is_of_these(change) || may_come_along(change))
    }
}

/// Returns the changes from `signed` to `current`, grouped by whether `rules` permit them.
pub(super) fn between(signed: &Reading<'_>, current: &Reading<'_>, rules: &Rules) -> Changes {
    let places = Places::of(signed);
    let mut comparison = Comparison {
        signed,
        current,
        rules,
        names: places.fields.iter().map(|field| field.name.clone()).collect(),
        places,
        changes: Changes {
            are_defaults_unused: defaults::are_unused(signed),
            ..Changes::default()
        },
        added: BTreeSet::new(),
        is_store_fixed: false,
    };
    comparison.trailer();
    comparison.pages();
    comparison.validation_data();
    comparison.objects();
    comparison.dangling();
    comparison.changes
}

struct Comparison<'a> {
    signed: &'a Reading<'a>,
    current: &'a Reading<'a>,
    rules: &'a Rules,
    places: Places,
    changes: Changes,
    /// Former names of fields.
    names: BTreeSet<String>,
    /// Fields and annotations that were already reported, because a field is in the form and on a page.
    added: BTreeSet<Ref>,
    /// Whether the validation data must stay unchanged because it is unreadable.
    is_store_fixed: bool,
}

/// A change, regardless of whether it is permitted.
struct Told<'a> {
    part: Part,
    how: How,
    id: Ref,
    entry: Option<&'a [u8]>,
}

impl Comparison<'_> {
    /// Reports a change for every field that shows it.
    fn tell(&mut self, is_permitted: bool, place: &Place, told: &Told<'_>) {
        let change = |field: Option<&places::Field>, page| Change {
            part: told.part,
            how: told.how,
            page,
            field: field.map(|field| field.name.clone()),
            object: told.id.number,
            entry: told.entry.map(printable),
        };
        let changes: Vec<Change> = match place.fields.as_slice() {
            [] => vec![change(None, place.page)],
            [index] => vec![change(self.places.fields.get(*index), place.page)],
            several => several
                .iter()
                .filter_map(|index| self.places.fields.get(*index))
                .map(|field| change(Some(field), field.page.or(place.page)))
                .collect(),
        };
        for change in changes {
            self.push(is_permitted, change);
        }
    }

    fn push(&mut self, is_permitted: bool, change: Change) {
        let list = if is_permitted {
            &mut self.changes.permitted
        } else {
            &mut self.changes.forbidden
        };
        if list.len() < MAX_LISTED && !list.contains(&change) {
            list.push(change);
        }
    }

    fn trailer(&mut self) {
        for key in ["Root", "Info"] {
            let (before, after) = (
                self.signed.trailer(key.as_bytes()),
                self.current.trailer(key.as_bytes()),
            );
            if key == "Info" && before.is_none() {
                self.new_information(after);
            } else if !are_same(before, after) {
                let change = Change {
                    part: Part::Structure,
                    how: How::Changed,
                    page: None,
                    field: None,
                    object: 0,
                    entry: Some(key.to_owned()),
                };
                self.push(false, change);
            }
        }
    }

    /// The program that adds a revision may be the first to write its name and the time.
    fn new_information(&mut self, added: Option<&Object>) {
        let Some(added) = added else { return };
        let id = added.as_ref().unwrap_or(Ref::new(0, 0));
        let place = Place {
            part: Part::Metadata,
            page: None,
            fields: Vec::new(),
            role: Role::Info,
        };
        match self.current.resolve(added) {
            Object::Dict(dict) if !self.signed.has(id) => {
                self.entries(&place, id, &Dict::new(), dict);
            }
            _ => self.tell(
                false,
                &place,
                &Told {
                    part: Part::Metadata,
                    how: How::Changed,
                    id,
                    entry: Some(b"Info"),
                },
            ),
        }
    }

    fn pages(&mut self) {
        let (before, after) = (self.signed.pages(), self.current.pages());
        if before == after {
            return;
        }
        let mut tell = |how, (page, id): (u32, &Ref)| {
            let change = Change {
                part: Part::Page,
                how,
                page: Some(page),
                field: None,
                object: id.number,
                entry: None,
            };
            self.push(false, change);
        };
        let (old, new): (BTreeSet<&Ref>, BTreeSet<&Ref>) = (before.iter().collect(), after.iter().collect());
        (1..)
            .zip(after)
            .filter(|(_, id)| !old.contains(id))
            .for_each(|page| tell(How::Added, page));
        (1..)
            .zip(before)
            .filter(|(_, id)| !new.contains(id))
            .for_each(|page| tell(How::Removed, page));
    }

    /// Reports references from signed objects to missing objects that now exist.
    fn dangling(&mut self) {
        let mut found: BTreeMap<Ref, (Ref, &Object)> = BTreeMap::new();
        let signed = self.signed;
        for (id, object) in signed.objects() {
            each_reference(object, &mut |reference| {
                if !signed.has(reference) {
                    found.entry(reference).or_insert((id, object));
                }
            });
        }
        for (id, (from, object)) in found {
            if !self.current.has(id) {
                continue;
            }
            let now = self.current.object(id);
            let place = self.places.get(from, object);
            let part = match places::part_of(now) {
                Part::Other => place.part,
                part => part,
            };
            self.tell(
                false,
                &place,
                &Told {
                    part,
                    how: How::Revealed,
                    id,
                    entry: None,
                },
            );
        }
    }

    fn objects(&mut self) {
        let (signed, current) = (self.signed, self.current);
        for (id, before) in signed.objects() {
            let after = current.object(id);
            if !current.has(id) {
                self.removed(id, before);
            } else if !std::ptr::eq(before, after) && !signed.is_same(before, after) {
                self.object(id, before, after);
            }
        }
    }

    fn removed(&mut self, id: Ref, before: &Object) {
        let place = self.places.get(id, before);
        let is_permitted = match &place.role {
            Role::Annotation | Role::OfAnnotation => self.rules.allow_annotations(),
            Role::OfFields(owners) => self.may_fill(owners),
            // Checked as a whole.
            Role::Store if !self.is_store_fixed => return,
            _ => false,
        };
        let told = Told {
            part: place.part,
            how: How::Removed,
            id,
            entry: None,
        };
        self.tell(is_permitted, &place, &told);
    }

    fn may_fill(&self, owners: &[usize]) -> bool {
        owners.iter().all(|owner| {
            self.places
                .fields
                .get(*owner)
                .is_some_and(|field| self.rules.allow_field(&field.name))
        })
    }

    fn object(&mut self, id: Ref, before: &Object, after: &Object) {
        let place = self.places.get(id, before);
        let told = Told {
            part: place.part,
            how: How::Changed,
            id,
            entry: None,
        };
        match (&place.role, before, after) {
            (Role::Store, _, _) if !self.is_store_fixed => {}
            (Role::Metadata, Object::Stream(before), Object::Stream(after)) => {
                let is_description =
                    after.dict.is_type(b"Metadata") && description::is_same(self.current, Some(before), after);
                self.tell(is_description, &place, &told);
            }
            (Role::Annotation | Role::OfAnnotation, _, _) => {
                let is_permitted = self.rules.allow_annotations() && !self.has_action(after);
                self.tell(is_permitted, &place, &told);
            }
            (Role::OfFields(owners), _, _) => {
                let is_permitted = self.may_fill(owners);
                let how = How::FilledIn;
                self.tell(
                    is_permitted,
                    &place,
                    &Told {
                        part: Part::Field,
                        how,
                        ..told
                    },
                );
            }
            (Role::FormResources, Object::Dict(_), Object::Dict(_)) => {
                let is_permitted = self.may_add_defaults() && self.has_grown(Some(before), Some(after), 0);
                self.tell(is_permitted, &place, &told);
            }
            (Role::Fields, Object::Array(before), Object::Array(after)) => {
                self.extended(&place, Part::Form, id, b"Fields", before, after);
            }
            (Role::Annotations, Object::Array(before), Object::Array(after)) => {
                self.extended(&place, Part::Page, id, b"Annots", before, after);
            }
            (Role::Field(index), Object::Dict(before), Object::Dict(after)) => {
                self.field(*index, id, &place, before, after);
            }
            (_, Object::Dict(before), Object::Dict(after)) => {
                self.entries(&place, id, before, after);
            }
            _ => self.tell(false, &place, &told),
        }
    }

    fn entries(&mut self, place: &Place, id: Ref, before: &Dict, after: &Dict) {
        for key in changed_keys(before, after) {
            self.entry(place, id, &key, before.get(&key), after.get(&key));
        }
    }

    fn entry(&mut self, place: &Place, id: Ref, key: &[u8], old: Option<&Object>, new: Option<&Object>) {
        let mut part = place.part;
        let is_permitted = match (&place.role, key) {
            // Checked as a whole.
            (Role::Catalog, b"DSS") | (Role::Form, b"SigFlags") => return,
            (Role::Catalog, b"AcroForm") => return self.form(place, id, old, new),
            (Role::Catalog, b"Metadata") => old.is_none() && self.is_new_metadata(new),
            // The version and extensions of the format do not affect what is shown.
            (Role::Catalog, b"Version") => matches!(new, Some(Object::Name(_))),
            (Role::Catalog, b"Extensions") => {
                let mut has_references = false;
                if let Some(new) = new.map(|new| self.current.resolve(new)) {
                    each_reference(new, &mut |_| has_references = true);
                }
                new.is_some() && !has_references
            }
            (Role::Catalog, _) => {
                part = match key {
                    b"OpenAction" | b"AA" => Part::Script,
                    b"OCProperties" => Part::OptionalContent,
                    b"Outlines" => Part::Outline,
                    b"Pages" => Part::Pages,
                    b"Perms" => Part::Signature,
                    b"Names" => self.part_of_names(old, new),
                    _ => Part::Catalog,
                };
                false
            }
            (Role::Info, b"ModDate" | b"Producer") => matches!(new, Some(Object::Str(_))),
            (Role::Form, b"Fields") => return self.array(place, Part::Form, id, key, old, new),
            (Role::Form, b"DR") => self.may_add_defaults() && self.has_grown(old, new, 0),
            (Role::Form, b"DA" | b"Q") => self.may_add_defaults() && old.is_none(),
            (Role::Form, b"NeedAppearances") => self.may_add_defaults() && !matches!(new, Some(Object::Bool(true))),
            (Role::Page, b"Annots") => return self.array(place, Part::Page, id, key, old, new),
            (Role::Page, _) => {
                part = match key {
                    b"Contents" => Part::Content,
                    b"Resources" => Part::Resources,
                    b"AA" => Part::Script,
                    _ => Part::Page,
                };
                false
            }
            _ => false,
        };
        let how = match (old, new) {
            (None, _) => How::Added,
            (_, None) => How::Removed,
            _ => How::Changed,
        };
        self.tell(
            is_permitted,
            place,
            &Told {
                part,
                how,
                id,
                entry: Some(key),
            },
        );
    }

    /// Returns whether the form may get defaults for fields without their own.
    fn may_add_defaults(&self) -> bool {
        self.rules.level >= 2 || self.changes.are_defaults_unused
    }

    /// Returns the part affected by a change in the document's name dictionary: scripts that run on opening, files,
    /// destinations.
    fn part_of_names(&self, old: Option<&Object>, new: Option<&Object>) -> Part {
        for (key, part) in [
            (&b"JavaScript"[..], Part::Script),
            (b"EmbeddedFiles", Part::EmbeddedFile),
        ] {
            let before = old.and_then(|names| self.signed.as_dict(names)?.get(key));
            let after = new.and_then(|names| self.current.as_dict(names)?.get(key));
            if !are_same(before, after) {
                return part;
            }
        }
        Part::Catalog
    }

    /// Returns whether the catalog has a new XMP stream that does not change the document's metadata.
    fn is_new_metadata(&self, new: Option<&Object>) -> bool {
        let Some(Object::Ref(id)) = new else { return false };
        let is_metadata =
            self.current.object(*id).as_stream().is_some_and(|stream| {
                stream.dict.is_type(b"Metadata") && description::is_same(self.current, None, stream)
            });
        is_metadata && !self.signed.has(*id)
    }

    /// Returns whether a dictionary still has at least its old entries, because programs that fill in a form add fonts
    /// to the default resources.
    fn has_grown(&self, old: Option<&Object>, new: Option<&Object>, depth: usize) -> bool {
        const DEEPEST: usize = 2;
        if are_same(old, new) {
            return true;
        }
        let old = old.map_or(&Object::Null, |old| self.signed.resolve(old));
        let new = new.map_or(&Object::Null, |new| self.current.resolve(new));
        match (old, new) {
            (Object::Null, Object::Dict(_)) => true,
            (Object::Dict(old), Object::Dict(new)) => {
                let has_grown =
                    |(key, value): (&Name, &Object)| self.has_grown(Some(value), new.get(&key.bytes()), depth + 1);
                changed_keys(old, new).is_empty() || (depth < DEEPEST && old.iter().all(has_grown))
            }
            _ => mean_same(old, new) && depth > 0,
        }
    }

    /// Checks the form in the catalog.
    fn form(&mut self, place: &Place, id: Ref, old: Option<&Object>, new: Option<&Object>) {
        let empty = Dict::new();
        let told = |how| Told {
            part: Part::Form,
            how,
            id,
            entry: Some(b"AcroForm"),
        };
        let before = match old.map(|old| self.signed.resolve(old)) {
            None | Some(Object::Null) => &empty,
            Some(Object::Dict(dictionary)) => dictionary,
            Some(_) => return self.tell(false, place, &told(How::Changed)),
        };
        let Some(Object::Dict(after)) = new.map(|new| self.current.resolve(new)) else {
            return self.tell(false, place, &told(How::Removed));
        };
        let place = Place {
            part: Part::Form,
            page: None,
            fields: Vec::new(),
            role: Role::Form,
        };
        self.entries(&place, id, before, after);
    }

    fn array(&mut self, place: &Place, part: Part, id: Ref, key: &[u8], old: Option<&Object>, new: Option<&Object>) {
        let before = match old.map(|old| self.signed.resolve(old)) {
            Some(Object::Array(array)) => array.as_slice(),
            _ => &[],
        };
        match new.map(|new| self.current.resolve(new)) {
            Some(Object::Array(after)) => self.extended(place, part, id, key, before, after),
            _ if before.is_empty() => {}
            _ => self.tell(
                false,
                place,
                &Told {
                    part,
                    how: How::Removed,
                    id,
                    entry: Some(key),
                },
            ),
        }
    }
}

fn printable(key: &[u8]) -> String {
    String::from_utf8_lossy(key).into_owned()
}
