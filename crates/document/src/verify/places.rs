//! Where each object of a signed revision belongs: to which page, to which field, to the form, to nothing that may change.
//!
//! An object may have several places. What must not change wins: two roles of an object meet in what both permit
//! ([`Role::meet`]), and a role that has become stricter is passed on to all that the object refers to. So the order in which
//! the ways are walked decides nothing. Otherwise an author could let a page show the same object as a field's appearance, or
//! use a field itself as the resources of a page, and change the page by filling in the field.
//!
//! Some references only name an object, as a field names its kids and an action the field that it hides ([`NAMING`]): they
//! take nothing away from it.

use std::collections::{BTreeMap, BTreeSet};

use super::changes::Part;
use super::reading::Reading;
use crate::pdf::{Dict, Name, Object, Ref};

/// Deeper trees of fields than forms have.
const MAX_FIELDS: usize = 100_000;
/// An appearance that more fields share belongs to none of them.
const MAX_OWNERS: usize = 16;
/// The longest full name of a field that is reported whole, in bytes.
const MAX_NAME: usize = 500;

/// The flag of a button that keeps no value (table 229).
const PUSH_BUTTON: i64 = 1 << 16;

/// The entries of a field or widget that change when it is filled in.
pub(super) const FILLED: &[&[u8]] = &[b"V", b"AP", b"AS", b"RV", b"I", b"DA", b"Q", b"M"];

/// The keys under which a field, the form or the catalog is named and not used: no value of a field is looked up through them.
const NAMING: &[&[u8]] = &[
    b"Annots", b"CO", b"Data", b"Fields", b"IRT", b"Kids", b"Obj", b"Parent", b"T",
];

/// How an object may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    /// It must not change.
    Fixed,
    /// The document catalog.
    Catalog,
    /// The document information dictionary.
    Info,
    /// The document's XMP.
    Metadata,
    /// The form's dictionary.
    Form,
    /// The array of the form's fields.
    Fields,
    /// The form's resources for entries.
    FormResources,
    Page,
    /// The array of a page's annotations.
    Annotations,
    /// A field or a widget of one: an index into [`Places::fields`].
    Field(usize),
    /// An annotation that is not a field.
    Annotation,
    /// Reached by annotations alone.
    OfAnnotation,
    /// Reached by the values and appearances of these fields alone.
    OfFields(Vec<usize>),
    /// Validation data.
    Store,
}

impl Role {
    /// How an object with both roles may change: in any way that one of them permits.
    fn meet(&self, other: &Self) -> Self {
        match (self, other) {
            (one, other) if one == other => one.clone(),
            // A page may only get more annotations, no matter what refers to it.
            (Self::Page, _) | (_, Self::Page) => Self::Page,
            // Several fields may share an appearance; it may change if each of them may.
            (Self::OfFields(some), Self::OfFields(more)) => {
                let owners: BTreeSet<usize> = some.iter().chain(more).copied().collect();
                if owners.len() > MAX_OWNERS {
                    Self::Fixed
                } else {
                    Self::OfFields(owners.into_iter().collect())
                }
            }
            (Self::Annotation, Self::OfAnnotation) | (Self::OfAnnotation, Self::Annotation) => Self::Annotation,
            (Self::Fields, Self::Annotations) | (Self::Annotations, Self::Fields) => Self::Fields,
            // They may only grow.
            (Self::FormResources, Self::OfFields(_) | Self::OfAnnotation)
            | (Self::OfFields(_) | Self::OfAnnotation, Self::FormResources) => Self::FormResources,
            _ => Self::Fixed,
        }
    }

    /// Whether a reference of this key only names an object of this role.
    fn is_named_by(&self, key: &[u8], is_structure: bool) -> bool {
        match self {
            Self::Catalog | Self::Form | Self::Fields | Self::Annotations | Self::Field(_) => NAMING.contains(&key),
            // The structure of a tagged document leads to its annotations.
            Self::Annotation => is_structure && key == b"Obj",
            _ => false,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) part: Part,
    pub(super) page: Option<u32>,
    /// The field itself, or the fields that show it: indexes into [`Places::fields`].
    pub(super) fields: Vec<usize>,
    pub(super) role: Role,
}

/// A field of the form.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// Its full name.
    pub(super) name: String,
    pub(super) is_signature: bool,
    /// A button that keeps no value: nothing of it is filled in (ISO 32000-2, 12.7.5.2.2).
    pub(super) is_push_button: bool,
    /// The first page on which it shows.
    pub(super) page: Option<u32>,
}

#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) fields: Vec<Field>,
    by_id: BTreeMap<Ref, Place>,
    /// Objects that were reached in a way that permits no changes, except through the document's structure.
    used: BTreeSet<Ref>,
}

/// Objects found on the way count as part of the same thing.
#[derive(Clone)]
struct Way {
    part: Option<Part>,
    page: Option<u32>,
    field: Option<usize>,
    role: Role,
    /// Whether it belongs to the document's structure, which names annotations and is not visible.
    is_structure: bool,
}

impl Way {
    fn fixed() -> Self {
        Self {
            part: None,
            page: None,
            field: None,
            role: Role::Fixed,
            is_structure: false,
        }
    }
}

impl Places {
    pub(super) fn of(reading: &Reading<'_>) -> Self {
        let mut places = Self::default();
        let annotations = places.name(reading);

        places.walk_named_twice(reading);
        places.walk_pages(reading);
        if let Some(form) = reading.form() {
            places.walk_form(reading, form);
        }
        places.walk_fields(reading);
        places.walk_annotations(reading, &annotations);
        if let Some(catalog) = reading.catalog() {
            places.walk_catalog(reading, catalog);
        }
        places
    }

    /// Assigns roles to everything that has a name; returns the annotations, each with its page's number.
    fn name(&mut self, reading: &Reading<'_>) -> Vec<(Ref, u32)> {
        self.name_fields(reading);
        let annotations = self.name_pages(reading);
        let (catalog, form) = (reading.catalog(), reading.form());
        let of = |dict: Option<&Dict>, key: &[u8]| dict?.get(key)?.as_ref();
        let resources = form.and_then(|form| reading.dict(form, b"DR"));
        for (id, part, role) in [
            (
                reading.trailer(b"Root").and_then(Object::as_ref),
                Part::Catalog,
                Role::Catalog,
            ),
            (
                reading.trailer(b"Info").and_then(Object::as_ref),
                Part::Metadata,
                Role::Info,
            ),
            (of(catalog, b"Metadata"), Part::Metadata, Role::Metadata),
            (of(catalog, b"AcroForm"), Part::Form, Role::Form),
            (of(form, b"Fields"), Part::Form, Role::Fields),
            (of(form, b"DR"), Part::Form, Role::FormResources),
            (of(resources, b"Font"), Part::Form, Role::FormResources),
        ] {
            if let Some(id) = id {
                self.put(id, part, None, role);
            }
        }
        annotations
    }

    /// The place of an object; one that nothing reaches must stay as it is, too.
    pub(super) fn get(&self, id: Ref, object: &Object) -> Place {
        self.by_id.get(&id).cloned().unwrap_or_else(|| Place {
            part: part_of(object),
            page: None,
            fields: Vec::new(),
            role: Role::Fixed,
        })
    }

    fn put(&mut self, id: Ref, part: Part, page: Option<u32>, role: Role) {
        let place = Place {
            part,
            page,
            fields: Vec::new(),
            role,
        };
        self.by_id
            .entry(id)
            .and_modify(|there| there.role = there.role.meet(&place.role))
            .or_insert(place);
    }

    fn name_fields(&mut self, reading: &Reading<'_>) {
        for found in named_fields(reading) {
            let index = self.fields.len();
            if let Some(id) = found.id {
                self.put(id, Part::Field, None, Role::Field(index));
                if let Some(place) = self.by_id.get_mut(&id) {
                    place.fields = vec![index];
                }
            }
            self.fields.push(Field {
                name: found.name,
                is_signature: found.is_signature,
                is_push_button: found.is_push_button,
                page: None,
            });
        }
    }

    /// Names the pages; the answer is their annotations, each with its page's number.
    fn name_pages(&mut self, reading: &Reading<'_>) -> Vec<(Ref, u32)> {
        let mut annotations = Vec::new();
        for (number, id) in (1..).zip(reading.pages()) {
            self.put(*id, Part::Page, Some(number), Role::Page);
            let Some(page) = reading.as_dict(reading.object(*id)) else {
                continue;
            };
            if let Some(id) = page.get(b"Annots").and_then(Object::as_ref) {
                self.put(id, Part::Annotation, Some(number), Role::Annotations);
            }
            for annotation in reading.array(page, b"Annots").unwrap_or_default() {
                let Some(id) = annotation.as_ref() else { continue };
                match self.by_id.get_mut(&id) {
                    Some(Place {
                        page,
                        role: Role::Field(index),
                        ..
                    }) => {
                        let page = *page.get_or_insert(number);
                        if let Some(field) = self.fields.get_mut(*index) {
                            field.page.get_or_insert(page);
                        }
                    }
                    _ if matches!(reading.object(id), Object::Dict(_)) => {
                        self.put(id, Part::Annotation, Some(number), Role::Annotation);
                        annotations.push((id, number));
                    }
                    _ => {}
                }
            }
        }
        annotations
    }

    /// An object with two names loses what either permits, and so does everything it refers to.
    fn walk_named_twice(&mut self, reading: &Reading<'_>) {
        let fixed: Vec<Ref> = self
            .by_id
            .iter()
            .filter(|(_, place)| place.role == Role::Fixed)
            .map(|(id, _)| *id)
            .collect();
        for id in fixed {
            self.walk(reading, reading.object(id), b"", &Way::fixed());
        }
    }

    fn walk_pages(&mut self, reading: &Reading<'_>) {
        for (number, id) in (1..).zip(reading.pages()) {
            let page = reading.as_dict(reading.object(*id));
            for (key, value) in page.into_iter().flat_map(Dict::iter) {
                let key = key.bytes();
                let part = match &*key {
                    b"Annots" | b"Parent" => continue,
                    b"Contents" => Some(Part::Content),
                    b"AA" => Some(Part::Script),
                    _ => None,
                };
                let way = Way {
                    part,
                    page: Some(number),
                    ..Way::fixed()
                };
                self.walk(reading, value, &key, &way);
            }
        }
    }

    fn walk_form(&mut self, reading: &Reading<'_>, form: &Dict) {
        self.walk_but(reading, form, &[b"Fields", b"DR"], &Way::fixed());
        if let Some(resources) = reading.dict(form, b"DR") {
            self.walk_but(reading, resources, &[b"Font"], &Way::fixed());
            if let Some(fonts) = reading.dict(resources, b"Font") {
                self.walk_but(reading, fonts, &[], &Way::fixed());
            }
        }
    }

    fn walk_catalog(&mut self, reading: &Reading<'_>, catalog: &Dict) {
        for (key, value) in catalog.iter() {
            let key = key.bytes();
            let fixed = |part| Way { part, ..Way::fixed() };
            let way = match &*key {
                b"AcroForm" | b"Metadata" => continue,
                b"DSS" => Way {
                    role: Role::Store,
                    ..fixed(Some(Part::ValidationData))
                },
                b"StructTreeRoot" => Way {
                    is_structure: true,
                    ..Way::fixed()
                },
                b"Names" => {
                    self.walk_names(reading, value);
                    continue;
                }
                b"OpenAction" | b"AA" => fixed(Some(Part::Script)),
                b"OCProperties" => fixed(Some(Part::OptionalContent)),
                b"Outlines" => fixed(Some(Part::Outline)),
                _ => Way::fixed(),
            };
            self.walk(reading, value, &key, &way);
        }
    }

    fn walk_names(&mut self, reading: &Reading<'_>, names: &Object) {
        if let Some(id) = names.as_ref() {
            self.put(id, Part::Catalog, None, Role::Fixed);
        }
        for (key, value) in reading.as_dict(names).into_iter().flat_map(Dict::iter) {
            let key = key.bytes();
            let part = match &*key {
                b"JavaScript" => Some(Part::Script),
                b"EmbeddedFiles" => Some(Part::EmbeddedFile),
                _ => None,
            };
            let way = Way { part, ..Way::fixed() };
            self.walk(reading, value, &key, &way);
        }
    }

    fn walk_annotations(&mut self, reading: &Reading<'_>, annotations: &[(Ref, u32)]) {
        for (id, page) in annotations {
            let Some(annotation) = reading.as_dict(reading.object(*id)) else {
                continue;
            };
            let way = Way {
                part: Some(Part::Annotation),
                page: Some(*page),
                role: Role::OfAnnotation,
                ..Way::fixed()
            };
            self.walk_but(reading, annotation, &[b"Parent", b"P"], &way);
        }
    }

    /// Visits the fixed parts of each field, and its entries.
    fn walk_fields(&mut self, reading: &Reading<'_>) {
        let fields: Vec<(Ref, usize, Option<u32>)> = self
            .by_id
            .iter()
            .filter_map(|(id, place)| match place.role {
                Role::Field(index) => Some((*id, index, place.page)),
                _ => None,
            })
            .collect();
        for (id, index, page) in fields {
            let (Some(field), Some(known)) = (reading.as_dict(reading.object(id)), self.fields.get(index)) else {
                continue;
            };
            let is_signature = known.is_signature;
            // An existing signature stays, and a push button has nothing to fill in.
            let is_closed = (is_signature && field.has(b"V")) || known.is_push_button;
            for (key, value) in field.iter() {
                let key = key.bytes();
                if matches!(&*key, b"Parent" | b"P") {
                    continue;
                }
                let is_filled = FILLED.contains(&&*key) && !is_closed;
                let way = Way {
                    part: match &*key {
                        b"A" | b"AA" => Some(Part::Script),
                        b"V" if is_signature => Some(Part::Signature),
                        _ => Some(Part::Field),
                    },
                    page,
                    field: Some(index),
                    role: if is_filled {
                        Role::OfFields(vec![index])
                    } else {
                        Role::Fixed
                    },
                    is_structure: false,
                };
                self.walk(reading, value, &key, &way);
            }
        }
    }

    fn walk_but(&mut self, reading: &Reading<'_>, dict: &Dict, but: &[&[u8]], way: &Way) {
        for (key, value) in dict.iter() {
            let key = key.bytes();
            if !but.contains(&&*key) {
                self.walk(reading, value, &key, way);
            }
        }
    }

    /// Adds the role of the path to everything reached from `object`, the value of `key`.
    fn walk(&mut self, reading: &Reading<'_>, object: &Object, key: &[u8], way: &Way) {
        let mut waiting = Vec::new();
        references(object, key, &mut |id, key| {
            waiting.push((id, key.to_vec(), way.role.clone()));
        });
        while let Some((id, key, role)) = waiting.pop() {
            if !reading.has(id) {
                continue;
            }
            let object = reading.object(id);
            let Some(role) = self.reach(id, &key, object, role, way) else {
                continue;
            };
            references(object, &key, &mut |id, key| {
                waiting.push((id, key.to_vec(), role.clone()));
            });
        }
    }

    /// Adds a role to an object. Returns what else its objects contain, or `None` if nothing is new.
    fn reach(&mut self, id: Ref, key: &[u8], object: &Object, role: Role, way: &Way) -> Option<Role> {
        let Some(place) = self.by_id.get_mut(&id) else {
            let place = Place {
                part: refined(way.part, object),
                page: way.page,
                fields: way.field.into_iter().collect(),
                role: role.clone(),
            };
            self.by_id.insert(id, place);
            if role == Role::Fixed && !way.is_structure {
                self.used.insert(id);
            }
            return Some(role);
        };
        if place.role == Role::Page || place.role.is_named_by(key, way.is_structure) {
            return None;
        }
        let also_shown_by = way
            .field
            .filter(|field| place.fields.len() < MAX_OWNERS && !place.fields.contains(field));
        place.fields.extend(also_shown_by);
        let met = place.role.meet(&role);
        let is_used_first = role == Role::Fixed && !way.is_structure && self.used.insert(id);
        if met == place.role && !is_used_first && also_shown_by.is_none() {
            return None;
        }
        let is_taken = met == Role::Fixed && place.role != Role::Fixed && way.role == Role::Fixed;
        if is_taken {
            place.part = refined(way.part, object);
            place.page = way.page.or(place.page);
        }
        place.role = met.clone();
        // If the roles contradict each other, so do those of everything below.
        Some(if met == Role::Fixed { met } else { role })
    }
}

/// A field as it is found in the form.
pub(super) struct NamedField<'a> {
    pub(super) id: Option<Ref>,
    pub(super) name: String,
    pub(super) is_signature: bool,
    pub(super) is_push_button: bool,
    pub(super) dict: &'a Dict,
}

/// The kind of a field and its flags, including inherited ones (12.7.4.1, table 226).
type Inherited<'d> = (&'d Object, i64);

/// All fields and their widgets, with full names (ISO 32000-2, 12.7.4.2).
pub(super) fn named_fields<'f>(reading: &Reading<'f>) -> Vec<NamedField<'f>> {
    let mut found = Vec::new();
    let fields = reading.form().and_then(|form| reading.array(form, b"Fields"));
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<(&Object, String, Inherited)> = fields
        .unwrap_or_default()
        .iter()
        .rev()
        .map(|field| (field, String::new(), (&Object::Null, 0)))
        .collect();
    while let Some((object, parent, (kind, flags))) = waiting.pop() {
        let id = object.as_ref();
        if id.is_some_and(|id| !seen.insert(id)) {
            continue;
        }
        let Some(dict) = reading.as_dict(object) else { continue };
        let mut name = match reading.text(dict, b"T") {
            Some(own) if parent.is_empty() => own,
            Some(own) => format!("{parent}.{own}"),
            None => parent,
        };
        name.truncate(name.floor_char_boundary(MAX_NAME));
        let kind = Some(reading.get(dict, b"FT"))
            .filter(|own| own.as_name().is_some())
            .unwrap_or(kind);
        let flags = if dict.has(b"Ff") {
            reading.flags(dict, b"Ff")
        } else {
            flags
        };
        if let Some(kids) = reading.array(dict, b"Kids") {
            waiting.extend(kids.iter().rev().map(|kid| (kid, name.clone(), (kind, flags))));
        }
        found.push(NamedField {
            id,
            name,
            is_signature: kind.is_name(b"Sig"),
            is_push_button: kind.is_name(b"Btn") && flags & PUSH_BUTTON != 0,
            dict,
        });
        if found.len() >= MAX_FIELDS {
            break;
        }
    }
    found
}

/// The way knows a part, the object may know it better.
fn refined(part: Option<Part>, object: &Object) -> Part {
    match (part, part_of(object)) {
        (Some(Part::Content | Part::Resources) | None, own) => own,
        (Some(part), _) => part,
    }
}

/// The part that an object says it is.
pub(super) fn part_of(object: &Object) -> Part {
    let Some(dict) = object.as_dict() else {
        return Part::Other;
    };
    let name = |key: &[u8]| {
        dict.get(key)
            .and_then(Object::as_name)
            .map(Name::bytes)
            .unwrap_or_default()
    };
    match (&*name(b"Type"), &*name(b"Subtype")) {
        (b"Catalog", _) => Part::Catalog,
        (b"Page", _) => Part::Page,
        (b"Pages", _) => Part::Pages,
        (b"Font" | b"FontDescriptor", _) => Part::Font,
        (b"OCG" | b"OCMD", _) => Part::OptionalContent,
        (b"Metadata", _) => Part::Metadata,
        (b"Sig" | b"DocTimeStamp", _) => Part::Signature,
        (b"XRef" | b"ObjStm", _) => Part::Structure,
        (b"Filespec" | b"EmbeddedFile", _) => Part::EmbeddedFile,
        (b"Annot", _) | (_, b"Widget") => Part::Annotation,
        (_, b"Image" | b"Form") => Part::Picture,
        _ if dict.has(b"ByteRange") => Part::Signature,
        _ if dict.has(b"JS") || *name(b"S") == *b"JavaScript" => Part::Script,
        _ if dict.has(b"Length1") || *name(b"Subtype") == *b"OpenType" => Part::Font,
        _ if object.as_stream().is_some() => Part::Content,
        _ if dict.has(b"Font") || dict.has(b"XObject") => Part::Resources,
        _ if dict.has(b"Producer") || dict.has(b"CreationDate") => Part::Metadata,
        _ => Part::Other,
    }
}

/// Calls `found` for every reference within an object.
pub(super) fn each_reference(object: &Object, found: &mut impl FnMut(Ref)) {
    references(object, b"", &mut |id, _| found(id));
}

/// Calls `found` for every reference within an object, with the key of the innermost dictionary under which it stands; for the
/// object itself, and what stands in it as an array, that is `key`. The reader bounds how deep objects are nested.
fn references(object: &Object, key: &[u8], found: &mut impl FnMut(Ref, &[u8])) {
    match object {
        Object::Ref(id) => found(*id, key),
        Object::Array(items) => items.iter().for_each(|value| references(value, key, found)),
        other => other
            .as_dict()
            .into_iter()
            .flat_map(Dict::iter)
            .for_each(|(key, value)| references(value, &key.bytes(), found)),
    }
}
