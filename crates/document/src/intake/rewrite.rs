//! Writes a parsed file anew: only what the trailer leads to, numbered from 1 without gaps, all of
//! generation 0, with one cross-reference table, and a trailer that holds nothing of the old one
//! but `/Root`, `/Info` and `/ID`.

use std::collections::BTreeMap;

use lopdf::xref::{Xref, XrefType};
use lopdf::{Dictionary, Document, Object, ObjectId, StringFormat};
use sha2::{Digest, Sha256};

use super::Refused;

/// Everything that ISO 32000-2 and PAdES ask for is known to readers of this version.
const LEAST_VERSION: &str = "1.7";

pub(super) fn rewrite(mut document: Document, upload: &[u8]) -> Result<Vec<u8>, Refused> {
    let mut numbering = Numbering::default();
    let mut trailer = Dictionary::new();
    let root = document
        .trailer
        .get(b"Root")
        .and_then(Object::as_reference)
        .map_err(|_| Refused::NotPdf)?;
    trailer.set("Root", Object::Reference(numbering.number(root)));
    let info = match document.trailer.remove(b"Info") {
        Some(Object::Reference(id)) if matches!(document.objects.get(&id), Some(Object::Dictionary(_))) => Some(id),
        // Only a reference is allowed (Table 15).
        Some(dictionary @ Object::Dictionary(_)) => Some(document.add_object(dictionary)),
        _ => None,
    };
    if let Some(info) = info {
        trailer.set("Info", Object::Reference(numbering.number(info)));
    }
    let permanent = match document
        .trailer
        .get(b"ID")
        .map(|id| crate::form::resolve(&document, id))
    {
        Ok(Object::Array(halves)) => halves.first().and_then(|half| half.as_str().ok()).map(<[u8]>::to_vec),
        _ => None,
    };
    trailer.set("ID", identifier(permanent, upload));

    let mut objects = BTreeMap::new();
    while let Some((old, new)) = numbering.waiting.pop() {
        let Some(mut object) = document.objects.remove(&old) else {
            continue;
        };
        numbering.renumber(&mut object);
        objects.insert(new, object);
    }
    // A number that was given away and whose object does not exist means null (7.3.10).
    for number in 1..=numbering.last {
        objects.entry((number, 0)).or_insert(Object::Null);
    }
    let mut written = Document::new();
    if document.version.as_str() > LEAST_VERSION {
        written.version = document.version;
    } else {
        LEAST_VERSION.clone_into(&mut written.version);
    }
    written.max_id = numbering.last;
    written.objects = objects;
    written.trailer = trailer;
    written.reference_table = Xref::new(numbering.last.saturating_add(1), XrefType::CrossReferenceTable);
    let mut bytes = Vec::with_capacity(upload.len());
    written.save_to(&mut bytes).map_err(|_| Refused::NotPdf)?;
    Ok(bytes)
}

/// The first half stays the upload's, where it has one; the second is that of a new revision (14.4).
fn identifier(permanent: Option<Vec<u8>>, upload: &[u8]) -> Object {
    let digest: Vec<u8> = Sha256::digest(upload).iter().take(16).copied().collect();
    let string = |bytes| Object::String(bytes, StringFormat::Hexadecimal);
    let permanent = permanent
        .filter(|bytes| !bytes.is_empty())
        .unwrap_or_else(|| digest.clone());
    Object::Array(vec![string(permanent), string(digest)])
}

#[derive(Default)]
struct Numbering {
    numbers: BTreeMap<ObjectId, ObjectId>,
    waiting: Vec<(ObjectId, ObjectId)>,
    last: u32,
}

impl Numbering {
    fn number(&mut self, old: ObjectId) -> ObjectId {
        if let Some(new) = self.numbers.get(&old) {
            return *new;
        }
        self.last = self.last.saturating_add(1);
        let new = (self.last, 0);
        self.numbers.insert(old, new);
        self.waiting.push((old, new));
        new
    }

    fn renumber(&mut self, object: &mut Object) {
        match object {
            Object::Reference(id) => *id = self.number(*id),
            Object::Array(items) => items.iter_mut().for_each(|item| self.renumber(item)),
            Object::Dictionary(dictionary) => dictionary.iter_mut().for_each(|(_, value)| self.renumber(value)),
            Object::Stream(stream) => {
                // Written by the serialiser from the content itself.
                stream.dict.remove(b"Length");
                stream.dict.iter_mut().for_each(|(_, value)| self.renumber(value));
                stream
                    .dict
                    .set("Length", i64::try_from(stream.content.len()).unwrap_or(i64::MAX));
            }
            _ => {}
        }
    }
}
