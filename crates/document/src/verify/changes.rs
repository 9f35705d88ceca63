//! What was changed between a signed revision and the file's newest state.
//!
//! Strict: every object that existed when it was signed must be the same, except where the catalog
//! gains validation data, where the form and a page gain an invisible signature field, and nothing
//! else about them. Where further signatures may follow, the program that adds one may also write its
//! own name and the time into the file's metadata, as many do. New objects need no look of their own: nothing that was signed refers to them
//! unless one of those exceptions does, or the signed revision held a reference to an object that did
//! not exist, which is looked for.

use std::collections::BTreeSet;
use std::fmt;

use lopdf::{Dictionary, Document, Object, ObjectId};
use serde::{Deserialize, Serialize};

use super::Fault;
use crate::form;

/// How many changes are listed.
const MAX_LISTED: usize = 50;
/// Nesting of direct objects that is walked; the reader allows no more.
const MAX_DEPTH: usize = 256;

/// The part of a file that a changed object belongs to.
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
    /// A content stream, or another stream that says no more of itself.
    Content,
    /// A font.
    Font,
    /// A picture or a form that pages show.
    Picture,
    /// An annotation or a form field.
    Annotation,
    /// The form.
    Form,
    /// A signature.
    Signature,
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
            Self::Content => "content stream",
            Self::Font => "font",
            Self::Picture => "picture",
            Self::Annotation => "annotation or field",
            Self::Form => "form",
            Self::Signature => "signature",
            Self::Metadata => "metadata",
            Self::Other => "object",
        })
    }
}

/// One forbidden change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// What was changed.
    pub part: Part,
    /// The changed object's number; 0 for the file's structure.
    pub object: u32,
    /// How it was changed.
    pub detail: String,
}

impl Change {
    pub(super) fn unreadable(fault: &Fault) -> Self {
        Self {
            part: Part::Structure,
            object: 0,
            detail: format!("the signed revision alone cannot be read: {fault}"),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.object == 0 {
            write!(formatter, "{}: {}", self.part, self.detail)
        } else {
            write!(formatter, "{} {}: {}", self.part, self.object, self.detail)
        }
    }
}

/// Several changes in one line.
pub(super) fn list(changes: &[Change]) -> String {
    let texts: Vec<String> = changes.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

/// The forbidden changes from `signed` to `current`.
pub(super) fn between(signed: &Document, current: &Document, signatures_allowed: bool) -> Vec<Change> {
    let mut comparison = Comparison {
        signed,
        current,
        signatures_allowed,
        changes: Vec::new(),
    };
    comparison.trailer();
    comparison.objects();
    comparison.changes.truncate(MAX_LISTED);
    comparison.changes
}

struct Comparison<'a> {
    signed: &'a Document,
    current: &'a Document,
    signatures_allowed: bool,
    changes: Vec<Change>,
}

impl Comparison<'_> {
    fn push(&mut self, part: Part, object: u32, detail: impl Into<String>) {
        if self.changes.len() < MAX_LISTED {
            self.changes.push(Change {
                part,
                object,
                detail: detail.into(),
            });
        }
    }

    fn trailer(&mut self) {
        for key in ["Root", "Info"] {
            if self.signed.trailer.get(key.as_bytes()).ok() != self.current.trailer.get(key.as_bytes()).ok() {
                self.push(Part::Structure, 0, format!("the trailer names another /{key}"));
            }
        }
    }

    fn objects(&mut self) {
        let root = self.signed.trailer.get(b"Root").and_then(Object::as_reference).ok();
        let form = root
            .and_then(|root| self.signed.get_dictionary(root).ok())
            .and_then(|catalog| catalog.get(b"AcroForm").and_then(Object::as_reference).ok());
        let mut dangling = BTreeSet::new();
        for (id, before) in &self.signed.objects {
            each_reference(before, 0, &mut |reference| {
                if !self.signed.objects.contains_key(&reference) {
                    dangling.insert(reference);
                }
            });
            let Some(after) = self.current.objects.get(id) else {
                let part = part_of(before, *id, root, form);
                self.push(part, id.0, "it was removed");
                continue;
            };
            if !same(before, after) {
                self.object(*id, before, after, root, form);
            }
        }
        for id in dangling {
            if self.current.objects.contains_key(&id) {
                self.push(Part::Other, id.0, "it was added in a place that was empty when signed");
            }
        }
    }

    fn object(
        &mut self,
        id: ObjectId,
        before: &Object,
        after: &Object,
        root: Option<ObjectId>,
        form: Option<ObjectId>,
    ) {
        if self.signatures_allowed && self.is_xmp_metadata(id, before, after) {
            return;
        }
        let part = part_of(before, id, root, form);
        match (before, after) {
            (Object::Dictionary(before), Object::Dictionary(after)) => {
                let keys: BTreeSet<&Vec<u8>> = before.iter().chain(after.iter()).map(|(key, _)| key).collect();
                for key in keys {
                    let (old, new) = (before.get(key).ok(), after.get(key).ok());
                    if old != new {
                        self.entry(part, id, key, old, new);
                    }
                }
            }
            (Object::Array(before), Object::Array(after)) => {
                self.extended(part, id.0, "", before, after);
            }
            (Object::Stream(_), Object::Stream(_)) => {
                self.push(part, id.0, "its content was changed");
            }
            _ => self.push(part, id.0, "it was replaced by something else"),
        }
    }

    fn entry(&mut self, part: Part, id: ObjectId, key: &[u8], old: Option<&Object>, new: Option<&Object>) {
        match (part, key) {
            // Validation data draws nothing, and what it says of certificates is signed by others.
            (Part::Catalog, b"DSS") | (Part::Form, b"SigFlags") => {}
            (Part::Catalog, b"AcroForm") => self.form(id.0, old, new),
            (Part::Metadata, b"ModDate" | b"Producer") if self.signatures_allowed => {}
            (Part::Form, b"Fields") | (Part::Page, b"Annots") => {
                self.array(part, id.0, &printable(key), old, new);
            }
            _ => self.push(part, id.0, format!("/{} was changed", printable(key))),
        }
    }

    /// Whether it is the file's XMP, a metadata stream still, and nothing else that is signed uses it, as a
    /// page could that means to be changed later.
    fn is_xmp_metadata(&self, id: ObjectId, before: &Object, after: &Object) -> bool {
        let is_metadata = |object: &Object| object.as_stream().is_ok_and(|stream| stream.dict.has_type(b"Metadata"));
        let is_of_catalog = self
            .signed
            .catalog()
            .and_then(|catalog| catalog.get(b"Metadata"))
            .and_then(Object::as_reference)
            .is_ok_and(|metadata| metadata == id);
        is_of_catalog && is_metadata(before) && is_metadata(after) && references_to(self.signed, id) == 1
    }

    /// The form as a direct value of the catalog.
    fn form(&mut self, object: u32, old: Option<&Object>, new: Option<&Object>) {
        let empty = Dictionary::new();
        let before = match old {
            None => &empty,
            Some(Object::Dictionary(dictionary)) => dictionary,
            Some(_) => {
                self.push(Part::Form, object, "another form took its place");
                return;
            }
        };
        let Some(Object::Dictionary(after)) = new.map(|new| form::resolve(self.current, new)) else {
            self.push(Part::Form, object, "the form was removed");
            return;
        };
        let keys: BTreeSet<&Vec<u8>> = before.iter().chain(after.iter()).map(|(key, _)| key).collect();
        for key in keys {
            let (old, new) = (before.get(key).ok(), after.get(key).ok());
            if old != new {
                self.entry(Part::Form, (object, 0), key, old, new);
            }
        }
    }

    fn array(&mut self, part: Part, object: u32, key: &str, old: Option<&Object>, new: Option<&Object>) {
        let before = match old.map(|old| form::resolve(self.signed, old)) {
            Some(Object::Array(array)) => array.as_slice(),
            _ => &[],
        };
        match new.map(|new| form::resolve(self.current, new)) {
            Some(Object::Array(after)) => self.extended(part, object, key, before, after),
            _ => self.push(part, object, format!("/{key} was removed")),
        }
    }

    /// An array may only have grown by invisible signature fields.
    fn extended(&mut self, part: Part, object: u32, key: &str, before: &[Object], after: &[Object]) {
        let name = if key.is_empty() {
            String::new()
        } else {
            format!("/{key}: ")
        };
        let Some(added) = after.strip_prefix(before) else {
            self.push(part, object, format!("{name}an entry was removed or replaced"));
            return;
        };
        for entry in added {
            if let Err(reason) = self.invisible_signature(entry) {
                self.push(part, object, format!("{name}{reason}"));
            }
        }
    }

    /// Whether an added entry is the invisible field of a signature or timestamp that may follow.
    fn invisible_signature(&self, entry: &Object) -> Result<(), String> {
        let field = match entry {
            Object::Reference(id) if !self.signed.objects.contains_key(id) => {
                form::resolve(self.current, entry).as_dict().ok()
            }
            _ => None,
        };
        let field = field.ok_or("an entry was added that is no new field")?;
        let is_signature = form::name(self.current, field, b"FT") == Some(b"Sig");
        if !is_signature {
            return Err("an annotation or field was added".to_owned());
        }
        let known: &[&[u8]] = &[b"Type", b"Subtype", b"FT", b"T", b"Rect", b"F", b"P", b"V", b"Lock"];
        if let Some((key, _)) = field.iter().find(|(key, _)| !known.contains(&key.as_slice())) {
            return Err(format!("a signature field with /{} was added", printable(key)));
        }
        let is_invisible = form::array(self.current, field, b"Rect").is_some_and(|rectangle| {
            rectangle.len() == 4
                && rectangle.iter().all(|number| {
                    matches!(number, Object::Integer(0)) || number.as_float().is_ok_and(|number| number == 0.0)
                })
        });
        if !is_invisible {
            return Err("a visible signature field was added".to_owned());
        }
        let value = form::dictionary(self.current, field, b"V").ok_or("an empty signature field was added")?;
        let is_timestamp = form::name(self.current, value, b"SubFilter") == Some(b"ETSI.RFC3161");
        if is_timestamp || self.signatures_allowed {
            Ok(())
        } else {
            Err("a signature was added, which this one forbids".to_owned())
        }
    }
}

/// Equality without regard to where a stream lies in its file.
fn same(before: &Object, after: &Object) -> bool {
    match (before, after) {
        (Object::Stream(before), Object::Stream(after)) => before.dict == after.dict && before.content == after.content,
        _ => before == after,
    }
}

fn part_of(object: &Object, id: ObjectId, root: Option<ObjectId>, form: Option<ObjectId>) -> Part {
    if Some(id) == root {
        return Part::Catalog;
    }
    if Some(id) == form {
        return Part::Form;
    }
    let (dictionary, is_stream) = match object {
        Object::Dictionary(dictionary) => (dictionary, false),
        Object::Stream(stream) => (&stream.dict, true),
        _ => return Part::Other,
    };
    let name = |key: &[u8]| dictionary.get(key).and_then(Object::as_name).unwrap_or_default();
    match (name(b"Type"), name(b"Subtype")) {
        (b"Page", _) => Part::Page,
        (b"Pages", _) => Part::Pages,
        (b"Font" | b"FontDescriptor", _) => Part::Font,
        (b"Metadata", _) => Part::Metadata,
        (b"Sig" | b"DocTimeStamp", _) => Part::Signature,
        (b"XRef" | b"ObjStm", _) => Part::Structure,
        (b"Annot", _) | (_, b"Widget") => Part::Annotation,
        (_, b"Image" | b"Form") => Part::Picture,
        _ if dictionary.has(b"ByteRange") => Part::Signature,
        _ if dictionary.has(b"Producer") || dictionary.has(b"CreationDate") => Part::Metadata,
        _ if is_stream => Part::Content,
        _ => Part::Other,
    }
}

/// Calls `found` for every reference within an object.
fn each_reference(object: &Object, depth: usize, found: &mut impl FnMut(ObjectId)) {
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

fn references_to(document: &Document, id: ObjectId) -> usize {
    let mut count = 0;
    for object in document.objects.values() {
        each_reference(object, 0, &mut |reference| count += usize::from(reference == id));
    }
    count
}

fn printable(key: &[u8]) -> String {
    String::from_utf8_lossy(key).into_owned()
}
