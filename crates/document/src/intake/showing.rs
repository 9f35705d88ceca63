//! Finds everything visible on a page: content streams, images, fonts, patterns and appearances.

use std::collections::BTreeSet;

use super::Refused;
use super::look::{Look, says_what_it_is};
use crate::pdf::filter;
use crate::pdf::{Dict, Object, Ref, Stream};

/// Keys of objects that are not visible.
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
/// Resource categories (Table 34) with referenced objects.
const RESOURCES: [&[u8]; 7] = [
    b"ExtGState",
    b"ColorSpace",
    b"Pattern",
    b"Shading",
    b"XObject",
    b"Font",
    b"Properties",
];
/// Font types (Table 108).
const FONTS: [&[u8]; 4] = [b"Type0", b"Type1", b"MMType1", b"TrueType"];
/// Filters that every reader supports (Table 6), with their short names.
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
/// Operators that paint images.
const OF_PICTURES: [&[u8]; 6] = [
    b"DCTDecode",
    b"DCT",
    b"JPXDecode",
    b"CCITTFaxDecode",
    b"CCF",
    b"JBIG2Decode",
];

/// Visible objects, with the first page that shows each.
#[derive(Default)]
struct Shown<'o> {
    streams: Vec<(u32, Ref, &'o Stream)>,
    fonts: Vec<(u32, &'o Dict)>,
    /// Content streams of Type 3 glyphs.
    glyphs: BTreeSet<Ref>,
}

impl<'o> Shown<'o> {
    fn of<O: Look>(objects: &'o O) -> Self {
        let mut found = Self::default();
        let mut seen = BTreeSet::new();
        for (page, number) in objects.pages().unwrap_or_default().into_iter().zip(1_u32..) {
            let Some(dict) = objects.dict_at(page) else { continue };
            let mut waiting: Vec<&Object> = dict.get(b"Contents").into_iter().collect();
            waiting.extend(
                objects
                    .inherited_by(page, b"Resources")
                    .into_iter()
                    .flat_map(|found| resources(objects, found)),
            );
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
                            found.streams.push((number, *id, stream));
                        }
                        waiting.push(object);
                    }
                    Object::Array(items) => waiting.extend(items),
                    Object::Dict(dict) => {
                        if FONTS.iter().any(|kind| objects.is_name_in(dict, b"Subtype", kind)) {
                            found.fonts.push((number, dict));
                        }
                        let glyphs = objects.dict_in(dict, b"CharProcs").into_iter().flat_map(Dict::iter);
                        found.glyphs.extend(glyphs.filter_map(|(_, glyph)| glyph.as_ref()));
                        waiting.extend(shown(objects, dict));
                    }
                    Object::Stream(stream) => waiting.extend(shown(objects, &stream.dict)),
                    _ => {}
                }
            }
        }
        found
    }
}

/// Returns the fonts used by pages, each with the first such page. Excludes Type 3 fonts and the parts of composite
/// fonts.
pub(super) fn fonts(objects: &impl Look) -> Vec<(u32, &Dict)> {
    Shown::of(objects).fonts
}

/// Returns the streams that pages show, each with the first such page.
pub(super) fn streams(objects: &impl Look) -> Vec<(u32, Ref, &Stream)> {
    Shown::of(objects).streams
}

/// Returns the visible forms, appearances and tiles.
pub(super) fn forms(objects: &impl Look) -> Vec<(u32, Ref, &Stream)> {
    let mut streams = streams(objects);
    streams.retain(|(_, _, stream)| stream.dict.has(b"BBox"));
    streams
}

/// Returns the visible forms, appearances, tiles and Type 3 glyphs.
pub(super) fn contents(objects: &impl Look) -> Vec<(u32, Ref, &Stream)> {
    let Shown {
        mut streams, glyphs, ..
    } = Shown::of(objects);
    streams.retain(|(_, id, stream)| stream.dict.has(b"BBox") || glyphs.contains(id));
    streams
}

fn shown<'o, O: Look>(objects: &'o O, dict: &'o Dict) -> impl Iterator<Item = &'o Object> {
    let is_typed = says_what_it_is(dict);
    let shown = move |key: &crate::pdf::Name| {
        !is_typed || !(key.is(b"Resources") || UNSHOWN.iter().any(|unshown| key.is(unshown)))
    };
    let values = dict.iter().filter(move |(key, _)| shown(key)).map(|(_, value)| value);
    let own = dict.get(b"Resources").filter(|_| is_typed).into_iter();
    values.chain(own.flat_map(move |own| resources(objects, own)))
}

/// Returns the resources that content can refer to. Others are never visible.
fn resources<'o, O: Look>(objects: &'o O, resources: &'o Object) -> impl Iterator<Item = &'o Object> {
    let found = match objects.follow(resources) {
        Object::Dict(found) => Some(found),
        _ => None,
    };
    RESOURCES.iter().filter_map(move |kind| found?.get(kind))
}

/// Returns images with alternates, such as for printing (8.9.5.4), each with its page.
pub(super) fn alternates(objects: &impl Look) -> Vec<(u32, Ref)> {
    let with_others = streams(objects)
        .into_iter()
        .filter(|(_, _, stream)| stream.dict.has(b"Alternates"));
    with_others.map(|(page, id, _)| (page, id)).collect()
}

/// Refuses a file with visible streams that we cannot decode.
pub(super) fn refuse_unreadable(objects: &impl Look) -> Result<(), Refused> {
    for (page, _, stream) in streams(objects) {
        if let Some(filter) = unreadable(objects, stream) {
            let filter: String = filter.chars().filter(|c| !c.is_control()).take(40).collect();
            return Err(Refused::UnreadableContent { page, filter });
        }
    }
    Ok(())
}

/// Returns the filter that we cannot decode, if any.
fn unreadable(objects: &impl Look, stream: &Stream) -> Option<String> {
    // Decoding the stream shows whether malformed parameters cause errors.
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
