//! The streams of which something shows on a page: contents, pictures, fonts, patterns, appearances.

use std::collections::BTreeSet;

use super::Refused;
use super::look::{Look, says_what_it_is};
use crate::pdf::filter;
use crate::pdf::{Dict, Object, Ref, Stream};

/// Keys that lead to what does not show.
const UNSHOWN: [&[u8]; 10] = [
    b"Parent",
    b"Metadata",
    b"PieceInfo",
    b"OPI",
    b"OC",
    b"AF",
    b"Measure",
    b"Ref",
    b"StructParent",
    b"Thumb",
];
/// Filters that every reader knows (Table 6), with their short names.
const PLAIN: [&[u8]; 11] = [
    b"FlateDecode",
    b"Fl",
    b"LZWDecode",
    b"LZW",
    b"ASCIIHexDecode",
    b"AHx",
    b"ASCII85Decode",
    b"A85",
    b"RunLengthDecode",
    b"RL",
    b"Crypt",
];
/// Those that make pictures.
const OF_PICTURES: [&[u8]; 6] = [
    b"DCTDecode",
    b"DCT",
    b"JPXDecode",
    b"CCITTFaxDecode",
    b"CCF",
    b"JBIG2Decode",
];

/// All streams that show, each once, with the first page that shows it.
fn streams<O: Look>(objects: &O) -> Vec<(u32, Ref, &Stream)> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for (page, number) in objects.pages().unwrap_or_default().into_iter().zip(1_u32..) {
        let Some(dict) = objects.dict_at(page) else { continue };
        let mut waiting: Vec<&Object> = dict.get(b"Contents").into_iter().collect();
        waiting.extend(objects.inherited_by(page, b"Resources"));
        for annotation in objects.array_in(dict, b"Annots").unwrap_or_default() {
            if let Object::Dict(annotation) = objects.follow(annotation) {
                waiting.extend(annotation.get(b"AP"));
            }
        }
        while let Some(object) = waiting.pop() {
            match object {
                Object::Ref(id) if seen.insert(*id) => {
                    let object = objects.at(*id);
                    if let Object::Stream(stream) = object {
                        found.push((number, *id, stream));
                    }
                    waiting.push(object);
                }
                Object::Array(items) => waiting.extend(items),
                Object::Dict(dict) => waiting.extend(shown(dict)),
                Object::Stream(stream) => waiting.extend(shown(&stream.dict)),
                _ => {}
            }
        }
    }
    found
}

fn shown(dict: &Dict) -> impl Iterator<Item = &Object> {
    let is_typed = says_what_it_is(dict);
    let shown = move |key: &crate::pdf::Name| !is_typed || !UNSHOWN.iter().any(|unshown| key.is(unshown));
    dict.iter().filter(move |(key, _)| shown(key)).map(|(_, value)| value)
}

/// Pictures that are to be exchanged for others, as when they are printed (8.9.5.4), each with its page.
pub(super) fn alternates(objects: &impl Look) -> Vec<(u32, Ref)> {
    let with_others = streams(objects)
        .into_iter()
        .filter(|(_, _, stream)| stream.dict.has(b"Alternates"));
    with_others.map(|(page, id, _)| (page, id)).collect()
}

/// Refuses what shows and is packed so that nobody here can read it.
pub(super) fn refuse_unreadable(objects: &impl Look) -> Result<(), Refused> {
    for (page, _, stream) in streams(objects) {
        if let Some(filter) = unreadable(objects, stream) {
            let filter: String = filter.chars().filter(|c| !c.is_control()).take(40).collect();
            return Err(Refused::UnreadableContent { page, filter });
        }
    }
    Ok(())
}

/// The filter that nobody here undoes.
fn unreadable(objects: &impl Look, stream: &Stream) -> Option<String> {
    // Whether malformed parameters do harm is found out when the stream is decoded.
    let steps = filter::steps(&stream.dict, |object| objects.resolve(object)).ok()?;
    let is_picture = objects.is_name_in(&stream.dict, b"Subtype", b"Image");
    let last = steps.len().saturating_sub(1);
    let unknown = steps.iter().enumerate().find(|(place, step)| {
        let name = step.name.as_slice();
        let is_known = PLAIN.contains(&name) || (is_picture && *place == last && OF_PICTURES.contains(&name));
        !is_known
    });
    unknown.map(|(_, step)| String::from_utf8_lossy(&step.name).into_owned())
}
