//! Reads and changes the objects of an upload.
//!
//! All referenced objects were read before ([`super::upload`]), so there are no errors here: a missing object, or one
//! of another type, counts as absent.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::pdf::edit::Edits;
use crate::pdf::geometry::Rectangle;
use crate::pdf::{Dict, Name, Object, Objects, PdfDefect, Ref, Stream};

/// Access to objects that are already read.
pub(super) trait Look: Objects + Sized {
    /// Returns an object, or null if it does not exist.
    fn at(&self, id: Ref) -> &Object {
        self.object(id).unwrap_or(&Object::Null)
    }

    /// Returns the object that a reference points to. Any other object is returned as is.
    fn follow<'o>(&'o self, object: &'o Object) -> &'o Object {
        self.resolve(object).unwrap_or(&Object::Null)
    }

    /// Returns the resolved value under a key, if any.
    fn value_in<'o>(&'o self, dict: &'o Dict, key: &[u8]) -> Option<&'o Object> {
        dict.get(key).map(|value| self.follow(value))
    }

    /// Returns a dictionary under a key, but not that of a stream.
    fn dict_in<'o>(&'o self, dict: &'o Dict, key: &[u8]) -> Option<&'o Dict> {
        match self.value_in(dict, key) {
            Some(Object::Dict(found)) => Some(found),
            _ => None,
        }
    }

    /// Returns the items of an array under a key.
    fn array_in<'o>(&'o self, dict: &'o Dict, key: &[u8]) -> Option<&'o [Object]> {
        self.value_in(dict, key)?.as_array()
    }

    /// Returns the name under a key.
    fn name_in<'o>(&'o self, dict: &'o Dict, key: &[u8]) -> Option<Cow<'o, [u8]>> {
        self.value_in(dict, key)?.as_name().map(Name::bytes)
    }

    /// Returns whether the value under a key is this name.
    fn is_name_in(&self, dict: &Dict, key: &[u8], name: &[u8]) -> bool {
        self.value_in(dict, key).is_some_and(|value| value.is_name(name))
    }

    /// Returns the text string under a key.
    fn text_in(&self, dict: &Dict, key: &[u8]) -> Option<String> {
        self.text(dict, key).ok().flatten()
    }

    /// Returns a number, also through references.
    fn number_of(&self, object: &Object) -> Option<f64> {
        self.follow(object).as_f64().filter(|number| number.is_finite())
    }

    /// Returns the numbers of an array under a key.
    fn numbers_in(&self, dict: &Dict, key: &[u8]) -> Option<Vec<f64>> {
        let items = self.array_in(dict, key)?;
        Some(items.iter().filter_map(|item| self.number_of(item)).collect())
    }

    /// Returns the rectangle under a key.
    fn rectangle_in(&self, dict: &Dict, key: &[u8]) -> Option<Rectangle> {
        Rectangle::of(self, dict.get(key)?).ok().flatten()
    }

    /// Returns the dictionary of a page, or of another object.
    fn dict_at(&self, id: Ref) -> Option<&Dict> {
        match self.at(id) {
            Object::Dict(dict) => Some(dict),
            _ => None,
        }
    }

    /// Returns the resolved value of a key on a page, or on the nearest ancestor that has this key (7.7.3.4).
    fn inherited_by(&self, page: Ref, key: &[u8]) -> Option<&Object> {
        let value = self.inherited(self.dict_at(page)?, key).ok()?;
        (*value != Object::Null).then_some(value)
    }

    /// Returns the catalog's dictionary under a key.
    fn dict_of_catalog(&self, key: &[u8]) -> Option<&Dict> {
        self.dict_in(self.catalog().ok()?, key)
    }
}

impl<T: Objects> Look for T {}

/// Returns whether a dictionary states its type. If not, its keys may be names that the file chose for fonts or images.
pub(super) fn says_what_it_is(dict: &Dict) -> bool {
    [&b"Type"[..], b"Subtype", b"Parent", b"Length"]
        .iter()
        .any(|key| dict.has(key))
}

pub(super) fn parts(object: &Object) -> Box<dyn Iterator<Item = &Object> + '_> {
    match object {
        Object::Array(items) => Box::new(items.iter()),
        Object::Dict(dict) => Box::new(dict.iter().map(|(_, value)| value)),
        Object::Stream(stream) => Box::new(stream.dict.iter().map(|(_, value)| value)),
        _ => Box::new(std::iter::empty()),
    }
}

/// Returns everything that is referenced from the trailer, whether it exists or not. Fails if a part cannot be read.
pub(super) fn used(objects: &impl Objects) -> Result<BTreeSet<Ref>, PdfDefect> {
    let mut used = BTreeSet::new();
    let trailer = objects.view().trailer()?;
    let mut waiting: Vec<&Object> = [&b"Root"[..], b"Info"]
        .iter()
        .filter_map(|key| trailer.get(key))
        .collect();
    while let Some(object) = waiting.pop() {
        match object {
            Object::Ref(id) if used.insert(*id) => waiting.push(objects.object(*id)?),
            Object::Ref(_) => {}
            other => waiting.extend(parts(other)),
        }
    }
    Ok(used)
}

/// Changes every used object. `change` sees all objects in their original state.
pub(super) fn change_each<'f>(
    edits: &mut Edits<'f>,
    change: impl FnMut(&Edits<'f>, Ref, &mut Object),
) -> Result<(), PdfDefect> {
    let used = used(edits)?;
    change_these(edits, used, change)
}

/// Like [`change_each`], for these objects.
pub(super) fn change_these<'f>(
    edits: &mut Edits<'f>,
    ids: BTreeSet<Ref>,
    mut change: impl FnMut(&Edits<'f>, Ref, &mut Object),
) -> Result<(), PdfDefect> {
    let mut changed = Vec::new();
    for id in ids {
        let object = edits.object(id)?;
        let mut copy = object.clone();
        change(edits, id, &mut copy);
        if copy != *object {
            changed.push((id, copy));
        }
    }
    for (id, object) in changed {
        edits.put(id, object);
    }
    Ok(())
}

/// Returns a dictionary for editing. `None` if the object is not a dictionary.
pub(super) fn edit_dict<'e>(edits: &'e mut Edits<'_>, id: Ref) -> Option<&'e mut Dict> {
    match edits.edit(id) {
        Ok(Object::Dict(dict)) => Some(dict),
        _ => None,
    }
}

/// Returns the catalog for editing.
pub(super) fn edit_catalog<'e>(edits: &'e mut Edits<'_>) -> Option<&'e mut Dict> {
    let root = edits.root().ok()?;
    edit_dict(edits, root)
}

/// Returns a stream with new content, compressed if that saves space.
pub(super) fn with_content(mut dict: Dict, content: Vec<u8>) -> Stream {
    /// Size in bytes of the entry `/Filter`.
    const FILTER: usize = 19;
    for key in [&b"Filter"[..], b"DecodeParms", b"DP", b"Length"] {
        dict.remove(key);
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let packed = encoder.write_all(&content).and_then(|()| encoder.finish());
    match packed {
        Ok(packed) if packed.len() + FILTER < content.len() => {
            dict.set(b"Filter", Name::new(b"FlateDecode"));
            Stream::new(dict, packed)
        }
        _ => Stream::new(dict, content),
    }
}

/// Builds a dictionary from these entries.
pub(super) fn dict<const COUNT: usize>(entries: [(&[u8], Object); COUNT]) -> Dict {
    let mut dict = Dict::new();
    for (key, value) in entries {
        dict.set(key, value);
    }
    dict
}

pub(super) fn name(bytes: &[u8]) -> Object {
    Name::new(bytes).into()
}

/// Builds an array of integers.
pub(super) fn whole_numbers<const COUNT: usize>(numbers: [i64; COUNT]) -> Object {
    numbers.map(Object::from).to_vec().into()
}

/// Returns a form that draws nothing.
pub(super) fn empty_form() -> Stream {
    let form = dict([
        (b"Type", name(b"XObject")),
        (b"Subtype", name(b"Form")),
        (b"BBox", whole_numbers([0, 0, 1, 1])),
    ]);
    Stream::new(form, Vec::new())
}
