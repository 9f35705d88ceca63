//! Writes objects in their original spelling, and whole files in one canonical form.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::defect::{PdfDefect, Rule, defect};
use super::edit::Edits;
use super::object::{Dict, Name, Object, Ref, Stream};
use super::view::View;

/// A table has ten digits for an offset (7.5.4).
const MAX_OFFSET: usize = 9_999_999_999;

/// Writes an object, or the dictionary of a stream. `number` returns the new number for each reference. Without a new
/// number, the reference becomes null, like one to a missing object (7.3.10).
pub fn value(out: &mut Vec<u8>, object: &Object, number: &mut dyn FnMut(Ref) -> Option<Ref>) {
    match object {
        Object::Null => out.extend(b"null"),
        Object::Bool(true) => out.extend(b"true"),
        Object::Bool(false) => out.extend(b"false"),
        Object::Number(spelled) => out.extend(spelled.spelling()),
        Object::Name(name) => {
            out.push(b'/');
            out.extend(name.spelling());
        }
        Object::Str(string) => out.extend(string.spelling()),
        Object::Array(items) => {
            out.push(b'[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(b' ');
                }
                value(out, item, number);
            }
            out.push(b']');
        }
        Object::Dict(dict) => dictionary(out, dict, number),
        Object::Stream(stream) => dictionary(out, &stream.dict, number),
        Object::Ref(reference) => match number(*reference) {
            Some(reference) => out.extend(format!("{reference} R").bytes()),
            None => out.extend(b"null"),
        },
    }
}

fn dictionary(out: &mut Vec<u8>, dict: &Dict, number: &mut dyn FnMut(Ref) -> Option<Ref>) {
    out.extend(b"<<");
    for (key, item) in dict.iter() {
        out.push(b'/');
        out.extend(key.spelling());
        if matches!(
            item,
            Object::Null | Object::Bool(_) | Object::Number(_) | Object::Ref(_)
        ) {
            out.push(b' ');
        }
        value(out, item, number);
    }
    out.extend(b">>");
}

/// Writes an object with its number (7.3.10). The data of a stream comes from the file of `view`, and its `/Length` is
/// set accordingly.
pub fn indirect(
    out: &mut Vec<u8>,
    id: Ref,
    object: &Object,
    view: View<'_>,
    number: &mut dyn FnMut(Ref) -> Option<Ref>,
) -> Result<(), PdfDefect> {
    out.extend(format!("{id} obj\n").bytes());
    match object {
        Object::Stream(stream) => {
            let raw = view.raw(stream)?;
            dictionary(out, &*described(stream, raw.len(), view)?, number);
            out.extend(b"\nstream\n");
            out.extend_from_slice(&raw);
            out.extend(b"\nendstream");
        }
        other => value(out, other, number),
    }
    out.extend(b"\nendobj\n");
    Ok(())
}

/// Returns the dictionary of a stream whose data is decrypted and has this length.
fn described<'s>(stream: &'s Stream, length: usize, view: View<'_>) -> Result<Cow<'s, Dict>, PdfDefect> {
    let steps = match view.file().access() {
        Some(_) => view.filters(&stream.dict)?,
        None => Vec::new(),
    };
    let is_marked_encrypted = steps.iter().any(|step| step.crypt.is_some());
    if !is_marked_encrypted && stream.dict.get(b"Length").and_then(Object::as_usize) == Some(length) {
        return Ok(Cow::Borrowed(&stream.dict));
    }
    let mut dict = stream.dict.clone();
    let Ok(length) = i64::try_from(length) else {
        return defect(0, Rule::TooLarge);
    };
    dict.set(b"Length", length);
    if is_marked_encrypted {
        // The crypt filter is the first (7.4.10). Its data is now decrypted.
        let names: Vec<Object> = steps.iter().skip(1).map(|step| Name::new(&step.name).into()).collect();
        dict.set(b"Filter", names);
        let parameters = match view.get(&stream.dict, b"DecodeParms")? {
            Object::Array(items) => items.iter().skip(1).cloned().collect(),
            _ => Vec::new(),
        };
        dict.remove(b"DecodeParms");
        if !parameters.is_empty() {
            dict.set(b"DecodeParms", parameters);
        }
    }
    Ok(Cow::Owned(dict))
}

/// A newly written file.
#[derive(Debug)]
pub struct Whole {
    pub bytes: Vec<u8>,
    /// The new number of each object.
    pub numbers: BTreeMap<Ref, Ref>,
}

/// Numbers the referenced objects in order, starting at 1.
struct Numbering<'e, 'f> {
    edits: &'e Edits<'f>,
    numbers: BTreeMap<Ref, Ref>,
    order: Vec<Ref>,
}

impl Numbering<'_, '_> {
    fn number(&mut self, old: Ref) -> Option<Ref> {
        if let Some(new) = self.numbers.get(&old) {
            return Some(*new);
        }
        // Unreadable objects cause an error later, when they are written.
        let is_structure = |object: &Object| {
            object
                .as_stream()
                .is_some_and(|stream| stream.dict.is_type(b"ObjStm") || stream.dict.is_type(b"XRef"))
        };
        if !self.edits.has(old) || self.edits.object(old).is_ok_and(is_structure) {
            return None;
        }
        let new = Ref::new(u32::try_from(self.order.len()).ok()?.checked_add(1)?, 0);
        self.numbers.insert(old, new);
        self.order.push(old);
        Some(new)
    }
}

/// Writes a whole file with its changes: every object referenced from the trailer, once, decrypted, numbered from 1
/// without gaps, with one cross-reference table. The new trailer contains `trailer` and `/Size`.
pub fn whole(edits: &Edits<'_>, version: &str, trailer: &Dict) -> Result<Whole, PdfDefect> {
    let mut numbering = Numbering {
        edits,
        numbers: BTreeMap::new(),
        order: Vec::new(),
    };
    // The second line marks the file as binary (7.5.2).
    let mut bytes = format!("%PDF-{version}\n%").into_bytes();
    bytes.extend(b"\xe2\xe3\xcf\xd3\n");
    let mut end = b"trailer\n".to_vec();
    let mut trailer = trailer.clone();
    trailer.remove(b"Size");
    dictionary(&mut end, &trailer, &mut |old| numbering.number(old));
    let mut table = Vec::new();
    let mut written = 0;
    while let Some(old) = numbering.order.get(written).copied() {
        written += 1;
        let Some(new) = numbering.number(old) else { continue };
        if bytes.len() > MAX_OFFSET {
            return defect(bytes.len(), Rule::TooLarge);
        }
        table.extend(format!("{:010} 00000 n\r\n", bytes.len()).bytes());
        let object = edits.object(old)?;
        indirect(&mut bytes, new, object, edits.view(), &mut |old| numbering.number(old))
            .map_err(|defect| defect.within(old))?;
    }
    let start = bytes.len();
    let size = written + 1;
    bytes.extend(format!("xref\n0 {size}\n0000000000 65535 f\r\n").bytes());
    bytes.extend(table);
    // `/Size` is the last entry of the trailer, before its `>>`.
    end.truncate(end.len().saturating_sub(2));
    bytes.extend(end);
    bytes.extend(format!("/Size {size}>>\nstartxref\n{start}\n%%EOF\n").bytes());
    Ok(Whole {
        bytes,
        numbers: numbering.numbers,
    })
}
