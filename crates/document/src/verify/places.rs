//! Where each object of a signed revision belongs: to which page, to which field, to the form, to nothing that may change.
//!
//! An object may have several places. What must not change wins: everything is reached first by the ways that later
//! revisions must leave alone, and only what is reached by no such way belongs to the values of fields, to annotations or
//! to the validation data. Otherwise an author could let a page show the same object as a field's appearance, and change
//! the page by filling in the field.

use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Dictionary, Document, Object, ObjectId};

use super::changes::Part;
use crate::form;

/// Nesting of direct objects that is walked; the reader allows no more.
const MAX_DEPTH: usize = 256;
/// Deeper trees of fields than forms have.
const MAX_FIELDS: usize = 100_000;
/// An appearance that more fields share than this belongs to none of them.
const MAX_OWNERS: usize = 16;
/// The longest full name of a field that is told whole, in bytes.
const MAX_NAME: usize = 500;

/// The entries of a field or widget that change when it is filled in.
pub(super) const FILLED: &[&[u8]] = &[b"V", b"AP", b"AS", b"RV", b"I", b"DA", b"Q", b"M"];

/// What may become of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    /// It must stay as it is.
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
    /// The resources that the form keeps for what is filled in.
    FormResources,
    /// A page.
    Page,
    /// The array of a page's annotations.
    Annotations,
    /// A field or a widget of one: an index into [`Places::fields`].
    Field(usize),
    /// An annotation that is no field.
    Annotation,
    /// Reached by annotations alone.
    OfAnnotation,
    /// Reached by the values and appearances of these fields alone.
    OfFields(Vec<usize>),
    /// Validation data.
    Store,
}

/// A place.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) part: Part,
    pub(super) page: Option<u32>,
    pub(super) field: Option<usize>,
    pub(super) role: Role,
}

/// A field of the form.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// Its full name.
    pub(super) name: String,
    pub(super) is_signature: bool,
}

#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) fields: Vec<Field>,
    by_id: BTreeMap<ObjectId, Place>,
}

/// What is found on the way is said to belong to the same.
#[derive(Clone)]
struct Way {
    part: Option<Part>,
    page: Option<u32>,
    field: Option<usize>,
    role: Role,
}

impl Way {
    fn fixed() -> Self {
        Self {
            part: None,
            page: None,
            field: None,
            role: Role::Fixed,
        }
    }
}

impl Places {
    pub(super) fn of(document: &Document) -> Self {
        let mut places = Self::default();
        places.name_fields(document);
        let annotations = places.name_pages(document);
        let catalog_id = document.trailer.get(b"Root").and_then(Object::as_reference).ok();
        let catalog = document.catalog().ok();
        if let Some(id) = catalog_id {
            places.put(id, Part::Catalog, Role::Catalog);
        }
        if let Ok(id) = document.trailer.get(b"Info").and_then(Object::as_reference) {
            places.put(id, Part::Metadata, Role::Info);
        }
        let form_dictionary = catalog.and_then(|catalog| form::dictionary(document, catalog, b"AcroForm"));
        if let Some(id) = catalog.and_then(|catalog| reference(catalog, b"AcroForm")) {
            places.put(id, Part::Form, Role::Form);
        }
        if let Some(id) = form_dictionary.and_then(|form| reference(form, b"Fields")) {
            places.put(id, Part::Form, Role::Fields);
        }

        places.walk_pages(document);
        if let Some(form) = form_dictionary {
            places.name_form_resources(document, form);
            places.walk_but(document, form, &[b"Fields"], &Way::fixed());
        }
        places.walk_fields(document, false);
        if let Some(catalog) = catalog {
            places.walk_catalog(document, catalog);
        }
        places.walk_annotations(document, &annotations);
        places.walk_fields(document, true);
        if let Some(store) = catalog.and_then(|catalog| catalog.get(b"DSS").ok()) {
            let way = Way {
                part: Some(Part::ValidationData),
                role: Role::Store,
                ..Way::fixed()
            };
            places.walk(document, store, &way);
        }
        if let Some(id) = catalog.and_then(|catalog| reference(catalog, b"Metadata")) {
            places.put(id, Part::Metadata, Role::Metadata);
        }
        if let Some(structure) = catalog.and_then(|catalog| catalog.get(b"StructTreeRoot").ok()) {
            places.walk(document, structure, &Way::fixed());
        }
        places
    }

    /// The place of an object; one that nothing reaches must stay as it is, too.
    pub(super) fn get(&self, id: ObjectId, object: &Object) -> Place {
        self.by_id.get(&id).cloned().unwrap_or_else(|| Place {
            part: part_of(object),
            page: None,
            field: None,
            role: Role::Fixed,
        })
    }

    fn put(&mut self, id: ObjectId, part: Part, role: Role) {
        self.by_id.entry(id).or_insert(Place {
            part,
            page: None,
            field: None,
            role,
        });
    }

    fn name_form_resources(&mut self, document: &Document, form_dictionary: &Dictionary) {
        if let Some(id) = reference(form_dictionary, b"DR") {
            self.put(id, Part::Form, Role::FormResources);
        }
        let fonts =
            form::dictionary(document, form_dictionary, b"DR").and_then(|resources| reference(resources, b"Font"));
        if let Some(id) = fonts {
            self.put(id, Part::Form, Role::FormResources);
        }
    }

    fn name_fields(&mut self, document: &Document) {
        for found in named_fields(document) {
            let index = self.fields.len();
            if let Some(id) = found.id {
                self.put(id, Part::Field, Role::Field(index));
                if let Some(place) = self.by_id.get_mut(&id) {
                    place.field = Some(index);
                }
            }
            self.fields.push(Field {
                name: found.name,
                is_signature: found.is_signature,
            });
        }
    }

    /// Names the pages; the answer is their annotations, each with its page's number.
    fn name_pages(&mut self, document: &Document) -> Vec<(ObjectId, u32)> {
        let mut annotations = Vec::new();
        for (number, id) in (1..).zip(document.page_iter()) {
            self.by_id.entry(id).or_insert(Place {
                part: Part::Page,
                page: Some(number),
                field: None,
                role: Role::Page,
            });
            let Ok(page) = document.get_dictionary(id) else {
                continue;
            };
            if let Some(id) = reference(page, b"Annots") {
                self.by_id.entry(id).or_insert(Place {
                    part: Part::Annotation,
                    page: Some(number),
                    field: None,
                    role: Role::Annotations,
                });
            }
            for annotation in form::array(document, page, b"Annots").unwrap_or_default() {
                let Ok(id) = annotation.as_reference() else { continue };
                match self.by_id.get_mut(&id) {
                    Some(place) if matches!(place.role, Role::Field(_)) => {
                        place.page.get_or_insert(number);
                    }
                    Some(_) => {}
                    None => annotations.push((id, number)),
                }
            }
        }
        annotations
    }

    fn walk_pages(&mut self, document: &Document) {
        for (number, id) in (1..).zip(document.page_iter()) {
            let Ok(page) = document.get_dictionary(id) else {
                continue;
            };
            for (key, value) in page {
                let part = match key.as_slice() {
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
                self.walk(document, value, &way);
            }
        }
    }

    fn walk_catalog(&mut self, document: &Document, catalog: &Dictionary) {
        for (key, value) in catalog {
            let part = match key.as_slice() {
                // The structure of a tagged document leads to its annotations.
                b"AcroForm" | b"DSS" | b"Metadata" | b"StructTreeRoot" => continue,
                b"OpenAction" | b"AA" => Some(Part::Script),
                b"OCProperties" => Some(Part::OptionalContent),
                b"Outlines" => Some(Part::Outline),
                b"Names" => {
                    self.walk_names(document, value);
                    continue;
                }
                _ => None,
            };
            let way = Way { part, ..Way::fixed() };
            self.walk(document, value, &way);
        }
    }

    fn walk_names(&mut self, document: &Document, names: &Object) {
        if let Ok(id) = names.as_reference() {
            self.put(id, Part::Catalog, Role::Fixed);
        }
        let Ok(names) = form::resolve(document, names).as_dict() else {
            return;
        };
        for (key, value) in names {
            let part = match key.as_slice() {
                b"JavaScript" => Some(Part::Script),
                b"EmbeddedFiles" => Some(Part::EmbeddedFile),
                _ => None,
            };
            let way = Way { part, ..Way::fixed() };
            self.walk(document, value, &way);
        }
    }

    fn walk_annotations(&mut self, document: &Document, annotations: &[(ObjectId, u32)]) {
        for (id, page) in annotations {
            // What a page needs for itself is no annotation, even where it is listed as one.
            if self.by_id.contains_key(id) {
                continue;
            }
            let Ok(annotation) = document.get_dictionary(*id) else {
                continue;
            };
            let place = |role| Place {
                part: Part::Annotation,
                page: Some(*page),
                field: None,
                role,
            };
            self.by_id.insert(*id, place(Role::Annotation));
            let way = Way {
                part: Some(Part::Annotation),
                page: Some(*page),
                field: None,
                role: Role::OfAnnotation,
            };
            self.walk_but(document, annotation, &[b"Parent", b"P"], &way);
        }
    }

    /// Walks what must stay of each field, or what is filled in.
    fn walk_fields(&mut self, document: &Document, is_filled: bool) {
        let fields: Vec<(ObjectId, usize, Option<u32>)> = self
            .by_id
            .iter()
            .filter_map(|(id, place)| match place.role {
                Role::Field(index) => Some((*id, index, place.page)),
                _ => None,
            })
            .collect();
        for (id, index, page) in fields {
            let Ok(field) = document.get_dictionary(id) else {
                continue;
            };
            let is_signature = self.fields.get(index).is_some_and(|field| field.is_signature);
            for (key, value) in field {
                // A signature once made stays.
                let is_signed = is_signature && field.has(b"V");
                let may_change = FILLED.contains(&key.as_slice()) && !is_signed;
                if may_change != is_filled || matches!(key.as_slice(), b"Parent" | b"P") {
                    continue;
                }
                let way = Way {
                    part: match key.as_slice() {
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
                };
                self.walk(document, value, &way);
            }
        }
    }

    fn walk_but(&mut self, document: &Document, dictionary: &Dictionary, but: &[&[u8]], way: &Way) {
        for (key, value) in dictionary {
            if !but.contains(&key.as_slice()) {
                self.walk(document, value, way);
            }
        }
    }

    /// Gives a place to everything that is reached from `object` and has none.
    fn walk(&mut self, document: &Document, object: &Object, way: &Way) {
        let mut waiting = Vec::new();
        each_reference(object, 0, &mut |id| waiting.push(id));
        let mut shared = BTreeSet::new();
        while let Some(id) = waiting.pop() {
            let Some(object) = document.objects.get(&id) else {
                continue;
            };
            match self.by_id.get_mut(&id) {
                None => {
                    let place = Place {
                        part: refined(way.part, object),
                        page: way.page,
                        field: way.field,
                        role: way.role.clone(),
                    };
                    self.by_id.insert(id, place);
                }
                Some(place) => {
                    // Several fields may share an appearance; it may change if each of them may.
                    let (Role::OfFields(owners), Role::OfFields(more)) = (&mut place.role, &way.role) else {
                        continue;
                    };
                    if !shared.insert(id) {
                        continue;
                    }
                    for owner in more {
                        if !owners.contains(owner) {
                            owners.push(*owner);
                        }
                    }
                    if owners.len() > MAX_OWNERS {
                        place.role = Role::Fixed;
                        continue;
                    }
                }
            }
            each_reference(object, 0, &mut |id| waiting.push(id));
        }
    }
}

/// A field as it is found in the form.
pub(super) struct NamedField<'a> {
    pub(super) id: Option<ObjectId>,
    pub(super) name: String,
    pub(super) is_signature: bool,
    pub(super) dictionary: &'a Dictionary,
}

/// All fields and their widgets, with full names (ISO 32000-2, 12.7.4.2).
pub(super) fn named_fields(document: &Document) -> Vec<NamedField<'_>> {
    let mut found = Vec::new();
    let Some(fields) = document
        .catalog()
        .ok()
        .and_then(|catalog| form::dictionary(document, catalog, b"AcroForm"))
        .and_then(|form| form::array(document, form, b"Fields"))
    else {
        return found;
    };
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<(&Object, String, bool)> =
        fields.iter().rev().map(|field| (field, String::new(), false)).collect();
    while let Some((object, parent, inherited)) = waiting.pop() {
        let id = object.as_reference().ok();
        if id.is_some_and(|id| !seen.insert(id)) {
            continue;
        }
        let Object::Dictionary(dictionary) = form::resolve(document, object) else {
            continue;
        };
        let mut name = match form::text(document, dictionary, b"T") {
            Some(own) if parent.is_empty() => own,
            Some(own) => format!("{parent}.{own}"),
            None => parent,
        };
        name.truncate(name.floor_char_boundary(MAX_NAME));
        let is_signature = form::name(document, dictionary, b"FT").map_or(inherited, |kind| kind == b"Sig");
        if let Some(kids) = form::array(document, dictionary, b"Kids") {
            waiting.extend(kids.iter().rev().map(|kid| (kid, name.clone(), is_signature)));
        }
        found.push(NamedField {
            id,
            name,
            is_signature,
            dictionary,
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

/// What an object says of itself.
pub(super) fn part_of(object: &Object) -> Part {
    let (dictionary, is_stream) = match object {
        Object::Dictionary(dictionary) => (dictionary, false),
        Object::Stream(stream) => (&stream.dict, true),
        _ => return Part::Other,
    };
    let name = |key: &[u8]| dictionary.get(key).and_then(Object::as_name).unwrap_or_default();
    match (name(b"Type"), name(b"Subtype")) {
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
        _ if dictionary.has(b"ByteRange") => Part::Signature,
        _ if dictionary.has(b"JS") || name(b"S") == b"JavaScript" => Part::Script,
        _ if dictionary.has(b"Length1") || name(b"Subtype") == b"OpenType" => Part::Font,
        _ if is_stream => Part::Content,
        _ if dictionary.has(b"Font") || dictionary.has(b"XObject") => Part::Resources,
        _ if dictionary.has(b"Producer") || dictionary.has(b"CreationDate") => Part::Metadata,
        _ => Part::Other,
    }
}

fn reference(dictionary: &Dictionary, key: &[u8]) -> Option<ObjectId> {
    dictionary.get(key).and_then(Object::as_reference).ok()
}

/// Calls `found` for every reference within an object.
pub(super) fn each_reference(object: &Object, depth: usize, found: &mut impl FnMut(ObjectId)) {
    if depth > MAX_DEPTH {
        return;
    }
    match object {
        Object::Reference(id) => found(*id),
        Object::Array(array) => array.iter().for_each(|value| each_reference(value, depth + 1, found)),
        Object::Dictionary(dictionary) => dictionary
            .iter()
            .for_each(|(_, value)| each_reference(value, depth + 1, found)),
        Object::Stream(stream) => stream
            .dict
            .iter()
            .for_each(|(_, value)| each_reference(value, depth + 1, found)),
        _ => {}
    }
}
