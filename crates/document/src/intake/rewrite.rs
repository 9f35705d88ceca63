//! Writes a parsed file anew: only what the trailer leads to, numbered from 1 without gaps, all of
//! generation 0, with one cross-reference table, and a trailer that holds nothing of the old one
//! but `/Root`, `/Info` and `/ID`.

use std::collections::BTreeMap;

use lopdf::{Dictionary, Document, Object, ObjectId, StringFormat, Writer};
use sha2::{Digest, Sha256};

use super::Refused;
use crate::pdf::revision::write_indirect;

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
        .map(|id| crate::pdf::form::resolve(&document, id))
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
        objects.insert(new.0, object);
    }
    let version = document.version.as_str().max(LEAST_VERSION).to_owned();
    drop(document);
    let mut bytes = Vec::with_capacity(upload.len());
    write(&mut bytes, &version, numbering.last, objects, trailer).map_err(|_| Refused::NotPdf)?;
    Ok(bytes)
}

/// Writes a file of the objects 1 to `last`. Each is dropped once it is written, so that a large file is not in memory once
/// more as a whole.
fn write(
    bytes: &mut Vec<u8>,
    version: &str,
    last: u32,
    mut objects: BTreeMap<u32, Object>,
    mut trailer: Dictionary,
) -> std::io::Result<()> {
    // The second line says that there is binary data (7.5.2).
    bytes.extend_from_slice(format!("%PDF-{version}\n").as_bytes());
    bytes.extend_from_slice(b"%\xe2\xe3\xcf\xd3\n");
    let mut table = format!("xref\n0 {}\n0000000000 65535 f\r\n", u64::from(last) + 1).into_bytes();
    for number in 1..=last {
        // A number that was given away and whose object does not exist means null (7.3.10), as does what belonged to the
        // structure of the upload.
        let object = objects
            .remove(&number)
            .filter(|object| !is_structure(object))
            .unwrap_or(Object::Null);
        table.extend_from_slice(format!("{:010} 00000 n\r\n", bytes.len()).as_bytes());
        write_indirect(bytes, (number, 0), &object)?;
    }
    let start = bytes.len();
    bytes.append(&mut table);
    bytes.extend_from_slice(b"trailer\n");
    trailer.set("Size", i64::from(last) + 1);
    Writer::write_object(bytes, &Object::Dictionary(trailer))?;
    bytes.extend_from_slice(format!("\nstartxref\n{start}\n%%EOF\n").as_bytes());
    Ok(())
}

/// Object streams, cross-reference streams, and the dictionary of a linearised file say where things were in the upload.
fn is_structure(object: &Object) -> bool {
    matches!(object.type_name(), Ok(b"ObjStm" | b"XRef" | b"Linearized"))
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
