//! Determines what each object of a signed revision belongs to: a page, a field, the form, or nothing that may change.
//!
//! An object may be reached in several ways. The strictest rule applies: an object with two roles may change only as
//! both permit ([`Role::meet`]), and a role that becomes stricter is passed on to everything that the object refers to.
//! So the order of the search has no effect on the result. Otherwise, an author could let a page show the same object
//! as a field's appearance, or use a field itself as the resources of a page, and then change the page by filling in
//! the field.
//!
//! Some references only identify an object, such as those from a field to its kids, and from an action to the field
//! that it hides ([`NAMING`]). They do not restrict its changes.

use std::collections::{BTreeMap, BTreeSet};

use super::changes::Part;
use super::reading::Reading;
use crate::pdf::{Dict, Name, Object, Ref};

/// Maximum number of fields and widgets. No real form has more.
const MAX_FIELDS: usize = 100_000;
/// An appearance shared by more fields than this belongs to none of them.
const MAX_OWNERS: usize = 16;
/// Maximum length in bytes of a field's full name in a report. A longer one is truncated.
const MAX_NAME: usize = 500;

/// The flag of a button without a value (table 229).
const PUSH_BUTTON: i64 = 1 << 16;

/// The entries of a field or widget that change when it is filled in.
pub(super) const FILLED: &[&[u8]] = &[b"V", b"AP", b"AS", b"RV", b"I", b"DA", b"Q", b"M"];

/// Keys that only identify a field, the form or the catalog. No field values are read through them.
const NAMING: &[&[u8]] = &[
    b"Annots", b"CO", b"Data", b"Fields", b"IRT", b"Kids", b"Obj", b"Parent", b"T",
];

/// Permitted changes of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    /// The object must not change.
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
    /// An object that is reached only from annotations.
    OfAnnotation,
    /// An object that is reached only from the values and appearances of these fields.
    OfFields(Vec<usize>),
    /// Validation data.
    Store,
}

impl Role {
    /// Returns the role of an object with both roles. It permits only changes that both permit.
    fn meet(&self, other: &Self) -> Self {
        match (self, other) {
            (one, other) if one == other => one.clone(),
            // A page may only get more annotations, regardless of the references to it.
            (Self::Page, _) | (_, Self::Page) => Self::Page,
            // Several fields may share an appearance. It may change if every one of them may change.
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
            // Resources may only grow.
            (Self::FormResources, Self::OfFields(_) | Self::OfAnnotation)
            | (Self::OfFields(_) | Self::OfAnnotation, Self::FormResources) => Self::FormResources,
            _ => Self::Fixed,
        }
    }

    /// Returns whether a reference with this key only identifies an object of this role.
    fn is_named_by(&self, key: &[u8], is_structure: bool) -> bool {
        match self {
            Self::Catalog | Self::Form | Self::Fields | Self::Annotations | Self::Field(_) => NAMING.contains(&key),
            // The structure of a tagged document refers to its annotations.
            Self::Annotation => is_structure && key == b"Obj",
            _ => false,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) part: Part,
    pub(super) page: Option<u32>,
    /// The field itself, or the fields that show the object, as indexes into [`Places::fields`].
    pub(super) fields: Vec<usize>,
    pub(super) role: Role,
}

/// A field of the form.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// Full name of the field.
    pub(super) name: String,
    pub(super) is_signature: bool,
    /// Whether this is a button without a value, which is never filled in (ISO 32000-2, 12.7.5.2.2).
    pub(super) is_push_button: bool,
    /// First page that shows the field.
    pub(super) page: Option<u32>,
}

#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) fields: Vec<Field>,
    by_id: BTreeMap<Ref, Place>,
    /// Objects that were reached in a way that permits no changes, except through the document's structure.
    used: BTreeSet<Ref>,
}

/// Properties assigned to all objects that are reached on one way.
#[derive(Clone)]
struct Way {
    part: Option<Part>,
    page: Option<u32>,
    field: Option<usize>,
    role: Role,
    /// Whether the way leads through the document's structure, which refers to annotations and is not visible.
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

    /// Assigns roles to everything that has a defined purpose. Returns the annotations, each with its page number.
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

    /// Returns the place of an object. An object that is never reached must not change either.
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

    /// Assigns roles to the pages. Returns their annotations, each with its page number.
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

    /// Passes on the role of objects with two conflicting roles: neither they nor the objects that they refer to may
    /// change.
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
            // An existing signature must stay, and a push button is never filled in.
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

    /// Adds the role of the way to everything reached from `object`, which is the value of `key`.
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

    /// Adds a role to an object. Returns the role for the objects that it contains, or `None` if nothing is new.
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
        // If the roles conflict, so do those of everything below.
        Some(if met == Role::Fixed { met } else { role })
    }
}

/// A field found in the form.
pub(super) struct NamedField<'a> {
    pub(super) id: Option<Ref>,
    pub(super) name: String,
    pub(super) is_signature: bool,
    pub(super) is_push_button: bool,
    pub(super) dict: &'a Dict,
}

/// The type and flags of a field, including inherited ones (12.7.4.1, table 226).
type Inherited<'d> = (&'d Object, i64);

/// Returns all fields and their widgets, with full names (ISO 32000-2, 12.7.4.2).
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

/// Returns the part stated by the object, or else that of the way.
fn refined(part: Option<Part>, object: &Object) -> Part {
    match (part, part_of(object)) {
        (Some(Part::Content | Part::Resources) | None, own) => own,
        (Some(part), _) => part,
    }
}

/// Returns the part that an object's type states.
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

/// Calls `found` for every reference in an object.
pub(super) fn each_reference(object: &Object, found: &mut impl FnMut(Ref)) {
    references(object, b"", &mut |id, _| found(id));
}

/// Calls `found` for every reference in an object, with the key in the innermost dictionary that contains it. For the
/// object itself, and for the items of an array, the key is `key`. The reader limits the nesting of objects.
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
