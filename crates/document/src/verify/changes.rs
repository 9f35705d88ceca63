//! What was changed between a signed revision and the file's newest state, and whether the signature permits it.
//!
//! Every object that existed when it was signed must be the same, but for what [`Rules`] leave open: the catalog gains
//! validation data; the form and a page gain signature fields; fields are filled in; annotations come and go. Each of these
//! is looked for by name, entry by entry; whatever is not known to be harmless is forbidden. New objects need no look of
//! their own: nothing that was signed refers to them unless one of those exceptions does, or the signed revision held a
//! reference to an object that did not exist, which is looked for.
//!
//! A program that adds a revision may also write its own name and the time into the document's information dictionary, and
//! renew its XMP as long as title, author and subject stay.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use aws_lc_rs::digest::{SHA256, digest};
use lopdf::{Dictionary, Document, Object, ObjectId};
use serde::{Deserialize, Serialize};

use super::places::{self, FILLED, Place, Places, Role, each_reference};
use super::rules::{self, Rules};
use crate::form;

/// How many changes are listed.
const MAX_LISTED: usize = 50;
/// How much of an XMP stream is read.
const MAX_STREAM: usize = 16 * 1024 * 1024;
/// How much all validation data may unpack to.
pub(super) const MAX_STORE: usize = 64 * 1024 * 1024;
/// How deep an added annotation is searched for actions.
const MAX_SEARCHED: usize = 10_000;

/// The part of a file that was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The file's own structure: trailer, cross-references.
    Structure,
    /// The document catalog.
    Catalog,
    /// The tree of pages.
    Pages,
    /// A page.
    Page,
    /// What a page shows, or another stream that says no more of itself.
    Content,
    /// The resources of a page: colours, patterns, states.
    Resources,
    /// A font.
    Font,
    /// A picture or a form that pages show.
    Picture,
    /// An annotation.
    Annotation,
    /// The form.
    Form,
    /// A form field.
    Field,
    /// A signature, its field, or what the catalog says of it.
    Signature,
    /// A document timestamp.
    Timestamp,
    /// Certificates and revocation data (DSS).
    ValidationData,
    /// A script, or an action that opens with the document.
    Script,
    /// A file within the file.
    EmbeddedFile,
    /// Layers that can be shown and hidden.
    OptionalContent,
    /// Bookmarks.
    Outline,
    /// Descriptions of the file: title, author, XMP.
    Metadata,
    /// Anything else.
    Other,
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Structure => "file structure",
            Self::Catalog => "document catalog",
            Self::Pages => "page tree",
            Self::Page => "page",
            Self::Content => "content",
            Self::Resources => "resources",
            Self::Font => "font",
            Self::Picture => "picture",
            Self::Annotation => "annotation",
            Self::Form => "form",
            Self::Field => "form field",
            Self::Signature => "signature",
            Self::Timestamp => "document timestamp",
            Self::ValidationData => "validation data",
            Self::Script => "script or action",
            Self::EmbeddedFile => "embedded file",
            Self::OptionalContent => "optional content (layers)",
            Self::Outline => "bookmarks",
            Self::Metadata => "metadata",
            Self::Other => "object",
        })
    }
}

/// How something was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It is another.
    Changed,
    /// It is new.
    Added,
    /// It is new and shows on a page.
    AddedVisibly,
    /// It is gone.
    Removed,
    /// A field was filled in.
    FilledIn,
    /// It stands in a place that was empty when signed, though the signed file referred to it.
    Revealed,
    /// The signed revision alone cannot be read.
    Unreadable,
}

impl fmt::Display for How {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Changed => "changed",
            Self::Added => "added",
            Self::AddedVisibly => "added, visible on the page",
            Self::Removed => "removed",
            Self::FilledIn => "filled in",
            Self::Revealed => "added in a place that was empty when signed",
            Self::Unreadable => "not readable as it was signed",
        })
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// What was changed.
    pub part: Part,
    /// How.
    pub how: How,
    /// On which page, counted from 1, where it concerns one.
    pub page: Option<u32>,
    /// In which form field, where it concerns one.
    pub field: Option<String>,
    /// The object's number; 0 for the file's structure.
    pub object: u32,
    /// The entry of the object, as the format calls it, where it is one.
    pub entry: Option<String>,
}

impl Change {
    pub(super) fn unreadable() -> Self {
        Self {
            part: Part::Structure,
            how: How::Unreadable,
            page: None,
            field: None,
            object: 0,
            entry: None,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.part)?;
        if let Some(field) = &self.field {
            write!(formatter, " “{field}”")?;
        }
        if let Some(page) = self.page {
            match self.part {
                Part::Page => write!(formatter, " {page}")?,
                _ => write!(formatter, " of page {page}")?,
            }
        }
        write!(formatter, " {}", self.how)?;
        match (&self.entry, self.object) {
            (Some(entry), 0) => write!(formatter, " (/{entry})"),
            (Some(entry), object) => write!(formatter, " (object {object}, /{entry})"),
            (None, 0) => Ok(()),
            (None, object) => write!(formatter, " (object {object})"),
        }
    }
}

/// Several changes in one line.
pub(super) fn list(changes: &[Change]) -> String {
    let texts: Vec<String> = changes.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

/// What was changed, by what the signature says of it.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) permitted: Vec<Change>,
    pub(super) forbidden: Vec<Change>,
}

/// The changes from `signed` to `current`, as `rules` permit them.
pub(super) fn between(signed: &Document, current: &Document, rules: &Rules) -> Changes {
    let places = Places::of(signed);
    let mut comparison = Comparison {
        signed,
        current,
        rules,
        names: places.fields.iter().map(|field| field.name.clone()).collect(),
        places,
        changes: Changes::default(),
        added: BTreeSet::new(),
    };
    comparison.trailer();
    comparison.pages();
    comparison.validation_data();
    comparison.objects();
    comparison.dangling();
    comparison.changes
}

struct Comparison<'a> {
    signed: &'a Document,
    current: &'a Document,
    rules: &'a Rules,
    places: Places,
    changes: Changes,
    /// The names that fields had.
    names: BTreeSet<String>,
    /// Fields and annotations that were named already; one stands in the form and on a page.
    added: BTreeSet<ObjectId>,
}

/// What is said of a change but whether it is permitted.
struct Told<'a> {
    part: Part,
    how: How,
    id: ObjectId,
    entry: Option<&'a [u8]>,
}

impl Comparison<'_> {
    fn tell(&mut self, is_permitted: bool, place: &Place, told: &Told<'_>) {
        let change = Change {
            part: told.part,
            how: told.how,
            page: place.page,
            field: place
                .field
                .and_then(|index| self.places.fields.get(index))
                .map(|field| field.name.clone()),
            object: told.id.0,
            entry: told.entry.map(printable),
        };
        self.push(is_permitted, change);
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
            let entry = |document: &Document| document.trailer.get(key.as_bytes()).ok().cloned();
            let (before, after) = (entry(self.signed), entry(self.current));
            // Who adds a revision may be the first to describe the document.
            let is_new_description = key == "Info" && before.is_none();
            if before != after && !is_new_description {
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

    fn pages(&mut self) {
        let before: Vec<ObjectId> = self.signed.page_iter().collect();
        let after: Vec<ObjectId> = self.current.page_iter().collect();
        if before == after {
            return;
        }
        let mut tell = |how, (page, id): (u32, &ObjectId)| {
            let change = Change {
                part: Part::Page,
                how,
                page: Some(page),
                field: None,
                object: id.0,
                entry: None,
            };
            self.push(false, change);
        };
        let (old, new): (BTreeSet<&ObjectId>, BTreeSet<&ObjectId>) = (before.iter().collect(), after.iter().collect());
        (1..)
            .zip(&after)
            .filter(|(_, id)| !old.contains(id))
            .for_each(|page| tell(How::Added, page));
        (1..)
            .zip(&before)
            .filter(|(_, id)| !new.contains(id))
            .for_each(|page| tell(How::Removed, page));
    }

    /// References of signed objects to nothing, where there is something now.
    fn dangling(&mut self) {
        let mut found: BTreeMap<ObjectId, (ObjectId, &Object)> = BTreeMap::new();
        let signed = self.signed;
        for (id, object) in &signed.objects {
            each_reference(object, 0, &mut |reference| {
                if !signed.objects.contains_key(&reference) {
                    found.entry(reference).or_insert((*id, object));
                }
            });
        }
        for (id, (from, object)) in found {
            let Some(now) = self.current.objects.get(&id) else {
                continue;
            };
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
        for (id, before) in &signed.objects {
            match current.objects.get(id) {
                None => self.removed(*id, before),
                Some(after) if !same(before, after) => self.object(*id, before, after),
                Some(_) => {}
            }
        }
    }

    fn removed(&mut self, id: ObjectId, before: &Object) {
        let place = self.places.get(id, before);
        let is_permitted = match &place.role {
            Role::Annotation | Role::OfAnnotation => self.rules.allow_annotations(),
            Role::OfFields(owners) => self.may_fill(owners),
            // Looked at as a whole.
            Role::Store => return,
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

    fn object(&mut self, id: ObjectId, before: &Object, after: &Object) {
        let place = self.places.get(id, before);
        let told = Told {
            part: place.part,
            how: How::Changed,
            id,
            entry: None,
        };
        match (&place.role, before, after) {
            (Role::Store, _, _) => {}
            (Role::Metadata, Object::Stream(before), Object::Stream(after)) => {
                let is_description = after.dict.has_type(b"Metadata") && same_description(before, after);
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
            (Role::FormResources, Object::Dictionary(_), Object::Dictionary(_)) => {
                let is_permitted = self.rules.level >= 2 && self.has_grown(Some(before), Some(after), 0);
                self.tell(is_permitted, &place, &told);
            }
            (Role::Fields, Object::Array(before), Object::Array(after)) => {
                self.extended(&place, Part::Form, id, b"Fields", before, after);
            }
            (Role::Annotations, Object::Array(before), Object::Array(after)) => {
                self.extended(&place, Part::Page, id, b"Annots", before, after);
            }
            (Role::Field(index), Object::Dictionary(before), Object::Dictionary(after)) => {
                self.field(*index, id, &place, before, after);
            }
            (_, Object::Dictionary(before), Object::Dictionary(after)) => {
                self.entries(&place, id, before, after);
            }
            _ => self.tell(false, &place, &told),
        }
    }

    fn entries(&mut self, place: &Place, id: ObjectId, before: &Dictionary, after: &Dictionary) {
        let keys: BTreeSet<&Vec<u8>> = before.iter().chain(after.iter()).map(|(key, _)| key).collect();
        for key in keys {
            let (old, new) = (before.get(key).ok(), after.get(key).ok());
            if old != new {
                self.entry(place, id, key, old, new);
            }
        }
    }

    fn entry(&mut self, place: &Place, id: ObjectId, key: &[u8], old: Option<&Object>, new: Option<&Object>) {
        let mut part = place.part;
        let is_permitted = match (&place.role, key) {
            // Looked at as a whole.
            (Role::Catalog, b"DSS") | (Role::Form, b"SigFlags") => return,
            (Role::Catalog, b"AcroForm") => return self.form(place, id, old, new),
            (Role::Catalog, b"Metadata") => old.is_none() && self.is_new_metadata(new),
            // Which version and extensions of the format a revision uses says nothing of what it shows.
            (Role::Catalog, b"Version") => matches!(new, Some(Object::Name(_))),
            (Role::Catalog, b"Extensions") => {
                let mut has_references = false;
                if let Some(new) = new.map(|new| form::resolve(self.current, new)) {
                    each_reference(new, 0, &mut |_| has_references = true);
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
            (Role::Info, b"ModDate" | b"Producer") => matches!(new, Some(Object::String(..))),
            (Role::Form, b"Fields") => return self.array(place, Part::Form, id, key, old, new),
            (Role::Form, b"DR") => self.rules.level >= 2 && self.has_grown(old, new, 0),
            (Role::Form, b"DA" | b"Q") => self.rules.level >= 2 && old.is_none(),
            (Role::Form, b"NeedAppearances") => !matches!(new, Some(Object::Boolean(true))),
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

    /// What the names of a document lead to: scripts that run when it is opened, files, places.
    fn part_of_names(&self, old: Option<&Object>, new: Option<&Object>) -> Part {
        let entry = |document: &'_ Document, names: Option<&Object>, key: &[u8]| {
            let names = names.map(|names| form::resolve(document, names))?.as_dict().ok()?;
            names.get(key).ok().cloned()
        };
        for (key, part) in [
            (&b"JavaScript"[..], Part::Script),
            (b"EmbeddedFiles", Part::EmbeddedFile),
        ] {
            if entry(self.signed, old, key) != entry(self.current, new, key) {
                return part;
            }
        }
        Part::Catalog
    }

    /// Whether the catalog names an XMP stream where it had none.
    fn is_new_metadata(&self, new: Option<&Object>) -> bool {
        let Some(Object::Reference(id)) = new else { return false };
        let is_metadata = self
            .current
            .objects
            .get(id)
            .and_then(|object| object.as_stream().ok())
            .is_some_and(|stream| stream.dict.has_type(b"Metadata"));
        is_metadata && !self.signed.objects.contains_key(id)
    }

    /// Whether a dictionary has all that it had, and more at most: default resources, to which whoever fills in a form adds
    /// fonts.
    fn has_grown(&self, old: Option<&Object>, new: Option<&Object>, depth: usize) -> bool {
        const DEEPEST: usize = 2;
        if old == new {
            return true;
        }
        let old = old.map_or(&Object::Null, |old| form::resolve(self.signed, old));
        let new = new.map_or(&Object::Null, |new| form::resolve(self.current, new));
        match (old, new) {
            (Object::Null, Object::Dictionary(_)) => true,
            (Object::Dictionary(old), Object::Dictionary(new)) => {
                old == new
                    || (depth < DEEPEST
                        && old
                            .iter()
                            .all(|(key, value)| self.has_grown(Some(value), new.get(key).ok(), depth + 1)))
            }
            _ => old == new && depth > 0,
        }
    }

    /// The form, as the catalog has it.
    fn form(&mut self, place: &Place, id: ObjectId, old: Option<&Object>, new: Option<&Object>) {
        let empty = Dictionary::new();
        let told = |how| Told {
            part: Part::Form,
            how,
            id,
            entry: Some(b"AcroForm"),
        };
        let before = match old.map(|old| form::resolve(self.signed, old)) {
            None | Some(Object::Null) => &empty,
            Some(Object::Dictionary(dictionary)) => dictionary,
            Some(_) => return self.tell(false, place, &told(How::Changed)),
        };
        let Some(Object::Dictionary(after)) = new.map(|new| form::resolve(self.current, new)) else {
            return self.tell(false, place, &told(How::Removed));
        };
        let place = Place {
            part: Part::Form,
            page: None,
            field: None,
            role: Role::Form,
        };
        self.entries(&place, id, before, after);
    }

    fn array(
        &mut self,
        place: &Place,
        part: Part,
        id: ObjectId,
        key: &[u8],
        old: Option<&Object>,
        new: Option<&Object>,
    ) {
        let before = match old.map(|old| form::resolve(self.signed, old)) {
            Some(Object::Array(array)) => array.as_slice(),
            _ => &[],
        };
        match new.map(|new| form::resolve(self.current, new)) {
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

    /// The fields of the form or the annotations of a page: what was there stays, in its order.
    fn extended(&mut self, place: &Place, part: Part, id: ObjectId, key: &[u8], before: &[Object], after: &[Object]) {
        if let Some(added) = after.strip_prefix(before) {
            for entry in added {
                self.new_entry(place, part, id, key, entry);
            }
            return;
        }
        let old: Vec<ObjectId> = before.iter().filter_map(|entry| entry.as_reference().ok()).collect();
        let known: BTreeSet<ObjectId> = old.iter().copied().collect();
        let (mut kept, mut seen, mut added) = (Vec::new(), BTreeSet::new(), Vec::new());
        for entry in after {
            match entry.as_reference() {
                Ok(id) if known.contains(&id) && seen.insert(id) => kept.push(id),
                _ => added.push(entry),
            }
        }
        // What is no reference has no name by which it would be known again.
        let gone: Vec<&Object> = before
            .iter()
            .filter(|entry| !entry.as_reference().is_ok_and(|id| seen.contains(&id)))
            .collect();
        for entry in &gone {
            let own = entry.as_reference().ok().map(|id| self.places.get(id, &Object::Null));
            let is_annotation = own.as_ref().is_some_and(|own| own.role == Role::Annotation);
            let is_permitted = is_annotation && self.rules.allow_annotations();
            let told = Told {
                part: match &own {
                    Some(own) if matches!(own.role, Role::Field(_)) => Part::Field,
                    Some(own) if own.role == Role::Annotation => Part::Annotation,
                    _ => part,
                },
                how: How::Removed,
                id: entry.as_reference().unwrap_or(id),
                entry: Some(key),
            };
            self.tell(is_permitted, own.as_ref().unwrap_or(place), &told);
        }
        if gone.is_empty() && kept != old {
            let told = Told {
                part,
                how: How::Changed,
                id,
                entry: Some(key),
            };
            self.tell(false, place, &told);
        }
        for entry in added {
            self.new_entry(place, part, id, key, entry);
        }
    }

    /// A field or annotation that was not there when it was signed.
    fn new_entry(&mut self, place: &Place, part: Part, holder: ObjectId, key: &[u8], entry: &Object) {
        let found = match entry {
            Object::Reference(id) if !self.signed.objects.contains_key(id) => form::resolve(self.current, entry)
                .as_dict()
                .ok()
                .map(|dictionary| (*id, dictionary)),
            _ => None,
        };
        let Some((id, dictionary)) = found else {
            let told = Told {
                part,
                how: How::Changed,
                id: holder,
                entry: Some(key),
            };
            return self.tell(false, place, &told);
        };
        if !self.added.insert(id) {
            return;
        }
        let (kind, name) = self.kind_and_name(dictionary);
        let is_signature = kind == Some(b"Sig");
        let has_kind = kind.is_some();
        if is_signature {
            return self.new_signature_field(place, id, dictionary, name);
        }
        let is_field =
            has_kind || key == b"Fields" || form::name(self.current, dictionary, b"Subtype") == Some(b"Widget");
        let is_permitted =
            !is_field && self.rules.allow_annotations() && !self.has_action(&Object::Dictionary(dictionary.clone()));
        let change = Change {
            part: if is_field { Part::Field } else { Part::Annotation },
            how: How::Added,
            page: place.page,
            field: is_field.then_some(name),
            object: id.0,
            entry: None,
        };
        self.push(is_permitted, change);
    }

    /// The kind and the full name of a field or widget of the newest state, with what it inherits.
    fn kind_and_name<'d>(&'d self, field: &'d Dictionary) -> (Option<&'d [u8]>, String) {
        const DEEPEST: usize = 32;
        let (mut kind, mut names) = (None, Vec::new());
        let mut next = Some(field);
        for _ in 0..DEEPEST {
            let Some(field) = next else { break };
            kind = kind.or_else(|| form::name(self.current, field, b"FT"));
            names.extend(form::text(self.current, field, b"T"));
            next = form::dictionary(self.current, field, b"Parent");
        }
        names.reverse();
        (kind, names.join("."))
    }

    fn new_signature_field(&mut self, place: &Place, id: ObjectId, field: &Dictionary, name: String) {
        const KNOWN: &[&[u8]] = &[
            b"Type", b"Subtype", b"FT", b"T", b"TU", b"Rect", b"F", b"P", b"V", b"Lock", b"SV", b"AP", b"MK", b"DA",
            b"Ff", b"M", b"NM", b"Border", b"BS", b"Kids", b"Parent",
        ];
        let unknown = field
            .iter()
            .map(|(key, _)| key)
            .find(|key| !KNOWN.contains(&key.as_slice()));
        let kids = form::array(self.current, field, b"Kids").unwrap_or_default();
        let is_visible = std::iter::once(field)
            .chain(
                kids.iter()
                    .filter_map(|kid| form::resolve(self.current, kid).as_dict().ok()),
            )
            .any(|widget| self.is_visible(widget));
        let value = form::dictionary(self.current, field, b"V");
        let is_timestamp =
            value.is_some_and(|value| form::name(self.current, value, b"SubFilter") == Some(b"ETSI.RFC3161"));
        let is_taken = self.names.contains(&name);
        // Where a certification permits signing, it means the fields that the author left for it, or ones that do not
        // show.
        let may_show = !self.rules.certified || self.rules.allow_annotations();
        let is_permitted = unknown.is_none()
            && !is_taken
            && self.is_new_value(field.get(b"V").ok())
            && if is_timestamp {
                !is_visible
            } else {
                self.rules.allow_signature(&name) && (!is_visible || may_show)
            };
        let change = Change {
            part: if is_timestamp { Part::Timestamp } else { Part::Signature },
            how: if is_visible { How::AddedVisibly } else { How::Added },
            page: place.page.filter(|_| is_visible),
            field: Some(name),
            object: id.0,
            entry: unknown.map(|key| printable(key)),
        };
        self.push(is_permitted, change);
    }

    /// Whether a signature is none of those that were there.
    fn is_new_value(&self, value: Option<&Object>) -> bool {
        match value {
            None | Some(Object::Dictionary(_)) => true,
            Some(Object::Reference(id)) => !self.signed.objects.contains_key(id),
            Some(_) => false,
        }
    }

    fn is_visible(&self, widget: &Dictionary) -> bool {
        let Some(rectangle) = form::array(self.current, widget, b"Rect") else {
            return false;
        };
        let numbers: Vec<f32> = rectangle
            .iter()
            .map(|number| form::resolve(self.current, number).as_float().unwrap_or(f32::MAX))
            .collect();
        match numbers.as_slice() {
            [left, bottom, right, top] => (left - right).abs() > f32::EPSILON && (bottom - top).abs() > f32::EPSILON,
            _ => true,
        }
    }

    /// A field that was there, or a widget of one.
    fn field(&mut self, index: usize, id: ObjectId, place: &Place, before: &Dictionary, after: &Dictionary) {
        let Some(field) = self.places.fields.get(index).cloned() else {
            return;
        };
        let keys: BTreeSet<&Vec<u8>> = before.iter().chain(after.iter()).map(|(key, _)| key).collect();
        let changed: Vec<&Vec<u8>> = keys
            .into_iter()
            .filter(|key| before.get(key).ok() != after.get(key).ok())
            .collect();
        let is_signed = field.is_signature && !before.has(b"V") && after.has(b"V");
        let is_timestamp = is_signed
            && form::dictionary(self.current, after, b"V")
                .is_some_and(|value| form::name(self.current, value, b"SubFilter") == Some(b"ETSI.RFC3161"));
        let may_fill = if field.is_signature {
            let is_allowed = self.rules.allow_signature(&field.name) || (is_timestamp && !self.is_visible(after));
            is_signed && is_allowed && self.is_new_value(after.get(b"V").ok())
        } else {
            self.rules.allow_field(&field.name)
        };
        let mut is_filled = false;
        for key in changed {
            let flags = |dictionary: &Dictionary, document: &Document| rules::flags(document, dictionary, key);
            let (was, is) = (flags(before, self.signed), flags(after, self.current));
            let is_permitted = match key.as_slice() {
                b"Kids" => {
                    self.array(place, Part::Field, id, key, before.get(key).ok(), after.get(key).ok());
                    continue;
                }
                b"Type" => after.has_type(b"Annot") && !before.has(b"Type"),
                // Read-only, which says nothing of what it shows (table 227).
                b"Ff" => (was ^ is) & !1 == 0,
                // Print (once it shows on the screen), read-only and locked (table 167).
                b"F" => (was ^ is) & !(4 | 64 | 128 | 512) == 0 && (was & 4) <= (is & 4),
                key if FILLED.contains(&key) => {
                    is_filled = true;
                    if !may_fill {
                        self.filled(place, id, &field, false, is_timestamp, Some(key));
                    }
                    continue;
                }
                _ => false,
            };
            if !is_permitted {
                let told = Told {
                    part: if matches!(key.as_slice(), b"A" | b"AA") {
                        Part::Script
                    } else {
                        Part::Field
                    },
                    how: How::Changed,
                    id,
                    entry: Some(key),
                };
                self.tell(false, place, &told);
            }
        }
        if is_filled && may_fill {
            self.filled(place, id, &field, true, is_timestamp, None);
        }
    }

    fn filled(
        &mut self,
        place: &Place,
        id: ObjectId,
        field: &places::Field,
        is_permitted: bool,
        is_timestamp: bool,
        entry: Option<&[u8]>,
    ) {
        let part = match (field.is_signature, is_timestamp) {
            (_, true) => Part::Timestamp,
            (true, false) => Part::Signature,
            (false, false) => Part::Field,
        };
        let how = match part {
            Part::Field => How::FilledIn,
            _ if is_permitted => How::Added,
            _ => How::Changed,
        };
        self.tell(is_permitted, place, &Told { part, how, id, entry });
    }

    /// Whether something reached from here acts when it is shown or clicked, by more than leading somewhere.
    fn has_action(&self, object: &Object) -> bool {
        let is_harmless = |dictionary: &Dictionary| {
            let kind = dictionary.get(b"S").ok().map(|kind| form::resolve(self.current, kind));
            let kind = match kind {
                Some(Object::Name(name)) => name.as_slice(),
                _ => &[],
            };
            !dictionary.has(b"AA")
                && !dictionary.has(b"JS")
                && !matches!(
                    kind,
                    b"JavaScript" | b"Launch" | b"SubmitForm" | b"ImportData" | b"Hide" | b"SetOCGState" | b"Rendition"
                )
        };
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<&Object> = vec![object];
        let mut left = MAX_SEARCHED;
        while let Some(object) = waiting.pop() {
            left = left.saturating_sub(1);
            if left == 0 {
                return true;
            }
            match object {
                // What was signed with the rest acts as it did.
                Object::Reference(id) if !self.signed.objects.contains_key(id) && seen.insert(*id) => {
                    waiting.extend(self.current.objects.get(id));
                }
                Object::Array(array) => waiting.extend(array),
                Object::Dictionary(dictionary) => {
                    if !is_harmless(dictionary) {
                        return true;
                    }
                    waiting.extend(dictionary.iter().map(|(_, value)| value));
                }
                Object::Stream(stream) => waiting.extend(stream.dict.iter().map(|(_, value)| value)),
                _ => {}
            }
        }
        false
    }

    /// Validation data may grow: nothing of it is taken away, and it holds nothing else.
    fn validation_data(&mut self) {
        let entry = |document: &Document| {
            let catalog = document.catalog().ok()?;
            catalog.get(b"DSS").ok().cloned()
        };
        let (before, after) = (entry(self.signed), entry(self.current));
        let was = before.as_ref().map(|store| Store::read(self.signed, store));
        let is = after.as_ref().map(|store| Store::read(self.current, store));
        let (how, is_permitted) = match (was, is) {
            (None, None) => return,
            (None, Some(store)) => (How::Added, store.is_some()),
            (Some(was), Some(is)) if was == is => return,
            (Some(Some(was)), Some(Some(is))) if is.holds(&was) => (How::Added, true),
            (Some(_), None) | (Some(Some(_)), Some(Some(_))) => (How::Removed, false),
            _ => (How::Changed, false),
        };
        let change = Change {
            part: Part::ValidationData,
            how,
            page: None,
            field: None,
            object: after
                .or(before)
                .and_then(|store| store.as_reference().ok())
                .map_or(0, |id| id.0),
            entry: Some("DSS".to_owned()),
        };
        self.push(is_permitted, change);
    }
}

/// The contents of a document security store (ISO 32000-2, 12.8.4.3).
#[derive(Debug, PartialEq, Eq)]
struct Store {
    /// What each kind of entry holds: the hashes of the streams' contents.
    data: BTreeMap<&'static str, BTreeSet<Vec<u8>>>,
    /// The signatures that it speaks of.
    signatures: BTreeSet<Vec<u8>>,
}

impl Store {
    /// Reads a store; none where it holds anything that does not belong there, or more than anybody reads.
    fn read(document: &Document, store: &Object) -> Option<Self> {
        const OF_STORE: &[&[u8]] = &[b"Type", b"Certs", b"OCSPs", b"CRLs", b"VRI"];
        const OF_SIGNATURE: &[&[u8]] = &[b"Type", b"Cert", b"OCSP", b"CRL", b"TU", b"TS"];
        let store = form::resolve(document, store).as_dict().ok()?;
        let knows = |dictionary: &Dictionary, known: &[&[u8]]| {
            dictionary.iter().all(|(key, _)| known.contains(&key.as_slice()))
        };
        if !knows(store, OF_STORE) {
            return None;
        }
        let mut left = MAX_STORE;
        let mut data = BTreeMap::new();
        for key in ["Certs", "OCSPs", "CRLs"] {
            let mut hashes = BTreeSet::new();
            for entry in form::array(document, store, key.as_bytes()).unwrap_or_default() {
                let Object::Stream(stream) = form::resolve(document, entry) else {
                    return None;
                };
                let content = stream.get_plain_content_with_limit(left).ok()?;
                left = left.checked_sub(content.len())?;
                hashes.insert(digest(&SHA256, &content).as_ref().to_vec());
            }
            data.insert(key, hashes);
        }
        let mut signatures = BTreeSet::new();
        for (key, entry) in form::dictionary(document, store, b"VRI").into_iter().flatten() {
            if key.as_slice() == b"Type" {
                continue;
            }
            let entry = form::resolve(document, entry).as_dict().ok()?;
            if !knows(entry, OF_SIGNATURE) {
                return None;
            }
            signatures.insert(key.clone());
        }
        Some(Self { data, signatures })
    }

    /// Whether all of `other` is here.
    fn holds(&self, other: &Self) -> bool {
        let holds_data = other
            .data
            .iter()
            .all(|(key, contents)| self.data.get(key).is_some_and(|own| own.is_superset(contents)));
        holds_data && self.signatures.is_superset(&other.signatures)
    }
}

/// Equality without regard to where a stream lies in its file.
fn same(before: &Object, after: &Object) -> bool {
    match (before, after) {
        (Object::Stream(before), Object::Stream(after)) => before.dict == after.dict && before.content == after.content,
        _ => before == after,
    }
}

/// Whether two XMP streams say the same of what the document is.
fn same_description(before: &lopdf::Stream, after: &lopdf::Stream) -> bool {
    let read = |stream: &lopdf::Stream| {
        let content = stream.get_plain_content_with_limit(MAX_STREAM).ok()?;
        let text = String::from_utf8(content).ok()?;
        Some(["title", "creator", "description", "subject", "rights"].map(|property| words(&text, property)))
    };
    match (read(before), read(after)) {
        (Some(before), Some(after)) => before == after,
        _ => false,
    }
}

/// The text of a Dublin Core property, without its tags.
fn words(xmp: &str, property: &str) -> String {
    let mut words = String::new();
    let (open, close) = (format!("<dc:{property}"), format!("</dc:{property}>"));
    let inner = xmp
        .split_once(open.as_str())
        .and_then(|(_, rest)| rest.split_once(close.as_str()))
        .map_or("", |(inner, _)| inner);
    for piece in inner.split('<') {
        let text = piece.split_once('>').map_or(piece, |(_, text)| text).trim();
        if !text.is_empty() {
            words.push_str(text);
            words.push(' ');
        }
    }
    words
}

fn printable(key: &[u8]) -> String {
    String::from_utf8_lossy(key).into_owned()
}
