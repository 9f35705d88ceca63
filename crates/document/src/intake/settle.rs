//! Puts right what viewers look past and strict readers complain of, so that what intake writes is
//! sound whatever came in: pages without type or size, contents that are no streams, streams that do
//! not decode. The comparison of pages proves that none of it shows.

use std::collections::{BTreeMap, BTreeSet};

use flate2::{Decompress, FlushDecompress, Status};
use lopdf::xref::XrefEntry;
use lopdf::{DecompressError, Dictionary, Document, Error, Object, ObjectId, Stream, dictionary};

use super::{Change, Refused, Warning, clean, content};
use crate::pdf::form;
use crate::pdf::geometry::{Rectangle, inherited};

/// What viewers show a page in that has no size: US Letter, in points.
const ASSUMED_SIZE: [i64; 4] = [0, 0, 612, 792];
/// Filters without loss, which can be undone and done again (Table 6).
const LOSSLESS: [&[u8]; 5] = [
    b"FlateDecode",
    b"LZWDecode",
    b"ASCII85Decode",
    b"ASCIIHexDecode",
    b"RunLengthDecode",
];
/// What one damaged stream may decode to.
const MOST_DECODED: usize = 64 * 1024 * 1024;

/// What was put right.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// What the sender is told of.
    pub(super) changes: Vec<Change>,
    /// Why viewers read the upload in different ways, of which only one is right: an object that was deleted is still shown by
    /// some, a page without size is shown in this size or that. With any, pages are compared with that one reading.
    pub(super) warnings: Vec<Warning>,
}

/// Settles the file, in place; what nothing refers to is dropped on the way.
pub(super) fn settle(document: &mut Document) -> Settled {
    let used = clean::used_objects(document);
    document.objects.retain(|id, _| used.contains(id));
    let mut settled = Settled::default();
    if refers_to_deleted(document, &used) {
        settled.warnings.push(Warning::DeletedContentGone);
    }
    let assumed = settle_pages(document);
    if assumed > 0 {
        settled.changes.push(Change::PageSizeAssumed { count: assumed });
        settled.warnings.push(Warning::NotCompared);
    }
    let dropped = settle_streams(document).saturating_add(settle_links(document));
    if dropped > 0 {
        settled.changes.push(Change::DamageDropped { count: dropped });
    }
    settled
}

/// Does the file still refer to an object that its newest cross-references say is deleted (7.5.4)?
fn refers_to_deleted(document: &Document, used: &BTreeSet<ObjectId>) -> bool {
    used.iter().any(|id| {
        !document.objects.contains_key(id)
            && matches!(
                document.reference_table.get(id.0),
                Some(XrefEntry::Free | XrefEntry::UnusableFree)
            )
    })
}

/// Takes away what leads in a circle: the parent of the root of all pages, and `/Next` of actions and bookmarks where it makes
/// more of them than trees (12.6.2, 12.3.3). Answers how many of the latter there were.
fn settle_links(document: &mut Document) -> u32 {
    let root = document
        .catalog()
        .and_then(|catalog| catalog.get(b"Pages"))
        .and_then(Object::as_reference);
    if let Ok(root) = root.and_then(|root| document.get_dictionary_mut(root)) {
        root.remove(b"Parent");
    }
    let mut dropped = 0_u32;
    let mut trees = Trees::default();
    for (id, object) in &mut document.objects {
        let Object::Dictionary(dictionary) = object else {
            continue;
        };
        let mut keeps = |next: &Object| {
            let is_kept = next.as_reference().map_or(true, |next| trees.add(*id, next));
            dropped = dropped.saturating_add(u32::from(!is_kept));
            is_kept
        };
        let is_empty = match dictionary.get_mut(b"Next") {
            Ok(Object::Array(several)) => {
                several.retain(&mut keeps);
                several.is_empty()
            }
            Ok(next) => !keeps(next),
            Err(_) => false,
        };
        if is_empty {
            dictionary.remove(b"Next");
        }
    }
    dropped
}

/// Objects that follow one another, as long as they are trees.
#[derive(Default)]
struct Trees {
    /// What follows something.
    following: BTreeSet<ObjectId>,
    /// From each towards one that stands for its whole tree.
    towards: BTreeMap<ObjectId, ObjectId>,
}

impl Trees {
    /// Has one follow another, unless it follows something already or would follow itself in the end.
    fn add(&mut self, before: ObjectId, next: ObjectId) -> bool {
        let (tree, other) = (self.tree(before), self.tree(next));
        if tree == other || !self.following.insert(next) {
            return false;
        }
        self.towards.insert(other, tree);
        true
    }

    fn tree(&mut self, mut id: ObjectId) -> ObjectId {
        while let Some(up) = self.towards.get(&id).copied() {
            // Shortens the way for the next who asks.
            if let Some(farther) = self.towards.get(&up).copied() {
                self.towards.insert(id, farther);
            }
            id = up;
        }
        id
    }
}

/// Does the file use a stream whose data lie in another file (Table 5, `F`)? What they are nobody here knows, and each reader
/// finds others, or none.
pub(super) fn has_external_streams(document: &Document) -> bool {
    clean::used_objects(document).iter().any(|id| {
        let stream = document.objects.get(id).and_then(|object| object.as_stream().ok());
        let file = stream.and_then(|stream| stream.dict.get(b"F").ok());
        let file = file.map(|file| form::resolve(document, file));
        matches!(file, Some(Object::String(..) | Object::Dictionary(_)))
    })
}

/// Says of pages and their nodes what they are (7.7.3), gives a size to those that have none, and
/// takes from a page's contents what is no stream (Table 31). Answers how many had no size.
fn settle_pages(document: &mut Document) -> u32 {
    let mut assumed = 0_u32;
    let pages: Vec<ObjectId> = document.page_iter().collect();
    for id in pages {
        let read = |key: &[u8]| inherited(document, id, key).and_then(|media| Rectangle::read(document, media));
        let media = read(b"MediaBox").filter(Rectangle::has_area);
        let has_size = media.is_some();
        // A crop that shows nothing is passed over.
        let has_crop = match (media, read(b"CropBox")) {
            (Some(media), Some(crop)) => crop.intersection(&media).has_area(),
            _ => true,
        };
        let Ok(page) = document.get_dictionary(id) else {
            continue;
        };
        let parts = match page.get(b"Contents").map(|contents| form::resolve(document, contents)) {
            Ok(Object::Array(parts)) => {
                let streams = parts
                    .iter()
                    .filter(|part| matches!(form::resolve(document, part), Object::Stream(_)));
                Some(streams.cloned().collect::<Vec<_>>())
            }
            _ => None,
        };
        let mut node = page.get(b"Parent").and_then(Object::as_reference).ok();
        if let Ok(page) = document.get_dictionary_mut(id) {
            page.set("Type", "Page");
            if let Some(parts) = parts {
                page.set("Contents", parts);
            }
            if !has_size {
                page.set("MediaBox", ASSUMED_SIZE.map(Object::from).to_vec());
            }
            if let Some(media) = media.filter(|_| !has_crop) {
                page.set("CropBox", media.corners().map(Object::Real).to_vec());
            } else if !has_size {
                page.set("CropBox", ASSUMED_SIZE.map(Object::from).to_vec());
            }
            assumed = assumed.saturating_add(u32::from(!has_size || !has_crop));
        }
        // A node that is named already has named ancestors, so that this ends even in a circle.
        while let Some(id) = node {
            let Ok(dictionary) = document.get_dictionary_mut(id) else {
                break;
            };
            if matches!(dictionary.get(b"Type").and_then(Object::as_name), Ok(b"Pages")) {
                break;
            }
            dictionary.set("Type", "Pages");
            node = dictionary.get(b"Parent").and_then(Object::as_reference).ok();
        }
    }
    assumed
}

/// Makes the content of every page such that nothing of it reaches what is drawn after it.
///
/// Where all readers find the same instructions in it, it is made to end in the state in which it began. Any other content
/// becomes a form `XObject` (8.10), which the page draws: whatever a reader takes an unfinished string or the data of an
/// inline image for, it ends with that stream, and so does the graphics state.
pub(super) fn balance_pages(document: &mut Document, most: usize) -> Result<(), Refused> {
    let pages: Vec<ObjectId> = document.page_iter().collect();
    for page in pages {
        let Some(Content { bytes, is_joined }) = content_of(document, page, most)? else {
            continue;
        };
        let settled = if !content::is_plain(&bytes) {
            enclose(document, page, bytes);
            continue;
        } else if let Some(settled) = content::balance(&bytes) {
            settled
        } else if is_joined {
            bytes
        } else {
            continue;
        };
        let stream = compressed(document, Stream::new(Dictionary::new(), settled));
        if let Ok(page) = document.get_dictionary_mut(page) {
            page.set("Contents", stream);
        }
    }
    Ok(())
}

fn compressed(document: &mut Document, mut stream: Stream) -> ObjectId {
    // Only saves room.
    let _ = stream.compress();
    document.add_object(stream)
}

/// Puts the content of a page into a form that the page draws.
fn enclose(document: &mut Document, page: ObjectId, content: Vec<u8>) {
    const NAME: &str = "CsPage";
    // A form shows nothing outside of its box; a page is nowhere wider.
    const FAR: i64 = 1 << 20;
    let resources = inherited(document, page, b"Resources").cloned();
    let mut form: Dictionary = dictionary! { "Type" => "XObject", "Subtype" => "Form" };
    form.set("BBox", [-FAR, -FAR, FAR, FAR].map(Object::from).to_vec());
    form.set("Resources", resources.unwrap_or_else(|| Dictionary::new().into()));
    let form = compressed(document, Stream::new(form, content));
    let contents = document.add_object(Stream::new(Dictionary::new(), format!("/{NAME} Do\n").into_bytes()));
    if let Ok(page) = document.get_dictionary_mut(page) {
        page.set("Resources", dictionary! { "XObject" => dictionary! { NAME => form } });
        page.set("Contents", contents);
    }
}

/// What a page draws.
struct Content {
    /// Its streams as the one that they are (Table 31).
    bytes: Vec<u8>,
    /// It has several streams that end within a token's reach, which readers join with or without a space.
    is_joined: bool,
}

fn content_of(document: &Document, page: ObjectId, most: usize) -> Result<Option<Content>, Refused> {
    let Ok(contents) = document.get_dictionary(page).and_then(|page| page.get(b"Contents")) else {
        return Ok(None);
    };
    let parts: Vec<&Object> = match form::resolve(document, contents) {
        Object::Array(parts) => parts.iter().collect(),
        stream => vec![stream],
    };
    let several = parts.len() > 1;
    let (mut bytes, mut is_joined) = (Vec::new(), false);
    for part in parts {
        if let Object::Stream(stream) = form::resolve(document, part) {
            match stream.get_plain_content_with_limit(most) {
                Ok(content) => {
                    let line_ends = content.last().is_none_or(|last| matches!(last, b'\n' | b'\r'));
                    is_joined |= several && !line_ends;
                    bytes.extend_from_slice(&content);
                }
                Err(Error::Decompress(DecompressError::MemoryLimitExceeded { .. })) => {
                    return Err(Refused::TooDemanding);
                }
                // Nothing that a viewer shows.
                Err(_) => {}
            }
            bytes.push(b'\n');
        }
        if bytes.len() > most {
            return Err(Refused::TooDemanding);
        }
    }
    Ok(Some(Content { bytes, is_joined }))
}

/// Makes every stream decode. Answers how many did not.
fn settle_streams(document: &mut Document) -> u32 {
    let mut dropped = 0_u32;
    for object in document.objects.values_mut() {
        if let Object::Stream(stream) = object
            && settle_stream(stream)
        {
            dropped = dropped.saturating_add(1);
        }
    }
    dropped
}

/// Makes one stream decode; true where it did not.
fn settle_stream(stream: &mut Stream) -> bool {
    spell_out(stream);
    let Ok(filters) = stream.filters() else {
        return false;
    };
    if filters == [b"DCTDecode"] {
        // Without its first marker it is no JPEG, and no viewer shows it.
        let is_picture = stream.content.starts_with(&[0xFF, 0xD8]);
        if !is_picture {
            *stream = empty_form();
        }
        return !is_picture;
    }
    if filters.is_empty() || !filters.iter().all(|filter| LOSSLESS.contains(filter)) {
        return false;
    }
    let only_deflated = filters == [b"FlateDecode"];
    if only_deflated && inflates(&stream.content) {
        return false;
    }
    // Whether the older filters decode cleanly is not told by the decoder, so they are always done anew.
    let decoded = stream.decompressed_content_with_limit(MOST_DECODED);
    let is_damaged = only_deflated || decoded.is_err();
    stream.set_plain_content(decoded.unwrap_or_default());
    stream.dict.remove(b"DP");
    // Only saves room: what cannot be compressed stays as it is.
    let _ = stream.compress();
    is_damaged
}

/// Filters have short names in inline images alone (Table 92); viewers take them everywhere.
fn spell_out(stream: &mut Stream) {
    let full = |name: &[u8]| match name {
        b"Fl" => Some("FlateDecode"),
        b"LZW" => Some("LZWDecode"),
        b"A85" => Some("ASCII85Decode"),
        b"AHx" => Some("ASCIIHexDecode"),
        b"RL" => Some("RunLengthDecode"),
        b"DCT" => Some("DCTDecode"),
        b"CCF" => Some("CCITTFaxDecode"),
        _ => None,
    };
    let spell = |object: &mut Object| {
        if let Some(name) = object.as_name().ok().and_then(full) {
            *object = name.into();
        }
    };
    match stream.dict.get_mut(b"Filter") {
        Ok(Object::Array(filters)) => filters.iter_mut().for_each(spell),
        Ok(filter) => spell(filter),
        Err(_) => {}
    }
}

/// Is it deflated data from the first byte to its checksum?
fn inflates(content: &[u8]) -> bool {
    let mut inflater = Decompress::new(true);
    let mut scratch = vec![0; 64 * 1024];
    loop {
        let (read, written) = (inflater.total_in(), inflater.total_out());
        let rest = usize::try_from(read).ok().and_then(|read| content.get(read..));
        match inflater.decompress(rest.unwrap_or_default(), &mut scratch, FlushDecompress::None) {
            Ok(Status::StreamEnd) => return true,
            Ok(_) if inflater.total_in() > read || inflater.total_out() > written => {}
            _ => return false,
        }
    }
}

/// Draws nothing.
pub(super) fn empty_form() -> Stream {
    let mut form: Dictionary = dictionary! { "Type" => "XObject", "Subtype" => "Form" };
    form.set("BBox", [0, 0, 1, 1].map(Object::from).to_vec());
    Stream::new(form, Vec::new())
}
