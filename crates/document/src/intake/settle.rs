//! Corrects errors that viewers ignore and strict readers report, so that intake always writes a valid file: invalid
//! page trees, pages without a size, streams that cannot be decoded. The comparison of pages proves that these
//! corrections are not visible. Page content is never dropped: if it cannot be decoded, the file is refused.

use std::collections::{BTreeMap, BTreeSet};

use flate2::{Decompress, FlushDecompress, Status};

use super::actors::Actors;
use super::look::{
    Look, change_each, dict, edit_catalog, edit_dict, empty_form, name, used, whole_numbers, with_content,
};
use super::upload::Upload;
use super::{Change, Refused, Warning, content};
use crate::pdf::edit::Edits;
use crate::pdf::filter;
use crate::pdf::geometry::Rectangle;
use crate::pdf::{Dict, Name, Object, Objects, PdfDefect, Ref, Rule, Stream, structure};

/// Size that viewers assume for a page without one: US Letter, in points.
const ASSUMED_SIZE: [i64; 4] = [0, 0, 612, 792];
/// Lossless filters, which can be reversed and applied again (Table 6).
const LOSSLESS: [&[u8]; 5] = [
    b"FlateDecode",
    b"LZWDecode",
    b"ASCII85Decode",
    b"ASCIIHexDecode",
    b"RunLengthDecode",
];
/// Maximum size of one decoded damaged stream.
const MOST_DECODED: usize = 64 * 1024 * 1024;
/// The maximum depth of a page in the tree.
const DEEPEST_PAGE: usize = 60;

/// The result of the corrections.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// The changes for the report.
    pub(super) changes: Vec<Change>,
    /// Reasons why viewers read the upload differently although only one reading is correct: some still show a deleted
    /// object, or show a page without a size in different sizes. If there are any, pages are compared with the correct
    /// reading.
    pub(super) warnings: Vec<Warning>,
}

/// Corrects the file in place.
pub(super) fn settle(edits: &mut Edits<'_>, upload: &Upload) -> Result<Settled, Refused> {
    let mut settled = Settled::default();
    if upload.refers_to_deleted()? {
        settled.warnings.push(Warning::DeletedContentGone);
    }
    let (assumed, others) = settle_pages(edits, upload)?;
    if assumed > 0 {
        settled.changes.push(Change::PageSizeAssumed { count: assumed });
        settled.warnings.push(Warning::NotCompared);
    }
    let dropped = settle_streams(edits)?
        .saturating_add(settle_links(edits)?)
        .saturating_add(others);
    if dropped > 0 {
        settled.changes.push(Change::DamageDropped { count: dropped });
    }
    Ok(settled)
}

/// Corrects the page tree (7.7.3) so that all readers process it alike: each node states its type, the number of its
/// pages and its parent, no node occurs twice, and nodes that are not dictionaries are ignored. The rule used by
/// viewers decides which nodes are pages. Returns the number of invalid entries. Refuses the file if an entry for a
/// page refers to an object that is missing.
pub(super) fn settle_page_tree(edits: &mut Edits<'_>, upload: &Upload) -> Result<u32, Refused> {
    let root = match edits.catalog()?.get(b"Pages").cloned() {
        Some(Object::Ref(root)) => root,
        Some(direct @ Object::Dict(_)) => {
            let root = edits.add(direct);
            if let Some(catalog) = edit_catalog(edits) {
                catalog.set(b"Pages", root);
            }
            root
        }
        _ => return Err(PdfDefect::new(0, Rule::PageTree).into()),
    };
    let (mut dropped, mut pages) = (0_u32, 0_u32);
    let mut seen = BTreeSet::from([root]);
    let mut waiting = vec![(root, None, 0)];
    let mut settled = Vec::new();
    while let Some((id, parent, depth)) = waiting.pop() {
        let Some(old) = edits.dict_at(id) else {
            return Err(PdfDefect::new(0, Rule::PageTree).within(id).into());
        };
        let mut node = old.clone();
        match parent {
            Some(parent) => node.set(b"Parent", parent),
            None => {
                node.remove(b"Parent");
            }
        }
        let is_branch = parent.is_none() || is_branch(edits, &node);
        settled.push((id, parent, is_branch));
        node.set(b"Type", Name::new(if is_branch { b"Pages" } else { b"Page" }));
        if is_branch {
            if depth > DEEPEST_PAGE {
                return Err(PdfDefect::new(0, Rule::PageTree).within(id).into());
            }
            let (kids, others) =
                settle_kids(edits, &node, &mut seen, upload).map_err(|before| Refused::ContentLost {
                    page: pages + before + 1,
                })?;
            dropped = dropped.saturating_add(others);
            waiting.extend(kids.iter().rev().map(|kid| (*kid, Some(id), depth + 1)));
            let kids: Vec<Object> = kids.into_iter().map(Object::from).collect();
            if edits.array_in(&node, b"Kids") != Some(kids.as_slice()) {
                node.set(b"Kids", kids);
            }
        } else {
            pages += 1;
        }
        if edits.dict_at(id) != Some(&node) {
            edits.put(id, node);
        }
    }
    settle_counts(edits, &settled);
    Ok(dropped)
}

/// Corrects the page counts, because some programs show as many pages as the root states. In `nodes`, parents are
/// before their children.
fn settle_counts(edits: &mut Edits<'_>, nodes: &[(Ref, Option<Ref>, bool)]) {
    let mut pages: BTreeMap<Ref, i64> = BTreeMap::new();
    for (id, parent, is_branch) in nodes.iter().rev() {
        let count = if *is_branch {
            pages.get(id).copied().unwrap_or_default()
        } else {
            1
        };
        if let Some(parent) = parent {
            *pages.entry(*parent).or_default() += count;
        }
        let said = edits.dict_at(*id).and_then(|node| node.get(b"Count"));
        let is_right = said.and_then(Object::as_i64) == Some(count);
        if *is_branch
            && !is_right
            && let Some(node) = edit_dict(edits, *id)
        {
            node.set(b"Count", count);
        }
    }
}

fn is_branch(edits: &Edits<'_>, node: &Dict) -> bool {
    edits.is_name_in(node, b"Type", b"Pages")
}

/// Returns the children of a node as separate objects, and the number of invalid entries. Fails with the number of
/// children before a missing one.
fn settle_kids(
    edits: &mut Edits<'_>,
    node: &Dict,
    seen: &mut BTreeSet<Ref>,
    upload: &Upload,
) -> Result<(Vec<Ref>, u32), u32> {
    let kids = edits.array_in(node, b"Kids").unwrap_or_default().to_vec();
    let mut settled = Vec::with_capacity(kids.len());
    let mut others = 0_u32;
    for kid in kids {
        if let Object::Ref(id) = kid
            && !edits.has(id)
            && !upload.was_deleted(id)
        {
            return Err(u32::try_from(settled.len()).unwrap_or(u32::MAX));
        }
        let is_node = match edits.follow(&kid) {
            Object::Dict(dict) => !is_branch(edits, dict) || edits.array_in(dict, b"Kids").is_some(),
            _ => false,
        };
        match kid {
            _ if !is_node => others = others.saturating_add(1),
            Object::Ref(id) if seen.insert(id) => settled.push(id),
            Object::Ref(_) => others = others.saturating_add(1),
            direct => settled.push(edits.add(direct)),
        }
    }
    Ok((settled, others))
}

/// Removes circular `/Next` references of actions and bookmarks, because these must be trees (12.6.2, 12.3.3). Returns
/// how many were removed.
fn settle_links(edits: &mut Edits<'_>) -> Result<u32, PdfDefect> {
    let mut dropped = 0_u32;
    let mut trees = Trees::default();
    let actors = Actors::of(edits);
    change_each(edits, |_, id, object| {
        let Object::Dict(dict) = object else { return };
        if !actors.contains(id) {
            return;
        }
        let mut keeps = |next: &Object| {
            let is_kept = next.as_ref().is_none_or(|next| trees.add(id, next));
            dropped = dropped.saturating_add(u32::from(!is_kept));
            is_kept
        };
        let is_empty = match dict.get_mut(b"Next") {
            Some(Object::Array(several)) => {
                several.retain(&mut keeps);
                several.is_empty()
            }
            Some(next) => !keeps(next),
            None => false,
        };
        if is_empty {
            dict.remove(b"Next");
        }
    })?;
    Ok(dropped)
}

/// Objects that follow one another, as long as they form trees.
#[derive(Default)]
struct Trees {
    following: BTreeSet<Ref>,
    /// Maps each object to one that represents its whole tree.
    towards: BTreeMap<Ref, Ref>,
}

impl Trees {
    /// Records that one object follows another, unless it already follows one or this would close a circle.
    fn add(&mut self, before: Ref, next: Ref) -> bool {
        let (tree, other) = (self.tree(before), self.tree(next));
        if tree == other || !self.following.insert(next) {
            return false;
        }
        self.towards.insert(other, tree);
        true
    }

    fn tree(&mut self, mut id: Ref) -> Ref {
        while let Some(up) = self.towards.get(&id).copied() {
            // Shortens the path for later searches.
            if let Some(farther) = self.towards.get(&up).copied() {
                self.towards.insert(id, farther);
            }
            id = up;
        }
        id
    }
}

/// Returns whether the file uses a stream whose data is in another file (Table 5, `F`), which readers may or may not
/// find.
pub(super) fn has_external_streams(objects: &impl Objects) -> Result<bool, PdfDefect> {
    let is_external = |id: &Ref| {
        let stream = objects.at(*id).as_stream();
        let file = stream.and_then(|stream| objects.value_in(&stream.dict, b"F"));
        matches!(file, Some(Object::Str(_) | Object::Dict(_)))
    };
    Ok(used(objects)?.iter().any(is_external))
}

/// Sets a size for pages without one, and removes everything but streams from the contents of pages (Table 31). Returns
/// the number of pages without a size, and of removed objects.
fn settle_pages(edits: &mut Edits<'_>, upload: &Upload) -> Result<(u32, u32), Refused> {
    let (mut assumed, mut others) = (0_u32, 0_u32);
    for (id, number) in edits.pages()?.into_iter().zip(1_u32..) {
        let read = |key: &[u8]| {
            let value = edits.inherited_by(id, key)?;
            Some((Rectangle::of(edits, value).ok()??, value.clone()))
        };
        let media = read(b"MediaBox").filter(|(media, _)| media.has_area());
        let has_size = media.is_some();
        // A crop box without an area is ignored.
        let has_crop = match (&media, read(b"CropBox")) {
            (Some((media, _)), Some((crop, _))) => crop.intersection(media).has_area(),
            _ => true,
        };
        if !has_contents(edits, id, upload) {
            return Err(Refused::ContentLost { page: number });
        }
        let contents = only_streams(edits, id, &mut others);
        let Some(page) = edit_dict(edits, id) else { continue };
        if let Some(contents) = contents {
            page.set(b"Contents", contents);
        }
        if !has_size {
            page.set(b"MediaBox", whole_numbers(ASSUMED_SIZE));
        }
        if let Some((_, media)) = media.filter(|_| !has_crop) {
            page.set(b"CropBox", media);
        } else if !has_size {
            page.set(b"CropBox", whole_numbers(ASSUMED_SIZE));
        }
        assumed = assumed.saturating_add(u32::from(!has_size || !has_crop));
    }
    Ok((assumed, others))
}

/// Returns whether the file contains the contents of a page, or a later revision has deleted them.
fn has_contents(edits: &Edits<'_>, page: Ref, upload: &Upload) -> bool {
    let Some(contents) = edits.dict_at(page).and_then(|page| page.get(b"Contents")) else {
        return true;
    };
    let is_there = |object: &Object| object.as_ref().is_none_or(|id| edits.has(id) || upload.was_deleted(id));
    let parts = edits.follow(contents).as_array().unwrap_or_default();
    is_there(contents) && parts.iter().all(is_there)
}

/// Returns the streams of a page whose contents array also has other entries. Counts those that are not null in
/// `others`.
fn only_streams(edits: &Edits<'_>, page: Ref, others: &mut u32) -> Option<Vec<Object>> {
    let parts = edits.array_in(edits.dict_at(page)?, b"Contents")?;
    let mut is_stream = |part: &&Object| match edits.follow(part) {
        Object::Stream(_) => true,
        other => {
            *others = others.saturating_add(u32::from(*other != Object::Null));
            false
        }
    };
    let streams: Vec<Object> = parts.iter().filter(|part| is_stream(part)).cloned().collect();
    (streams.len() < parts.len()).then_some(streams)
}

/// Makes the content of every page independent of what is drawn after it.
///
/// If all readers find the same instructions in the content, it is changed to end in its initial state. Any other
/// content becomes a form `XObject` (8.10) that the page draws. However a reader interprets an unfinished string or the
/// data of an inline image, it ends with that stream, and so does the graphics state.
pub(super) fn balance_pages(edits: &mut Edits<'_>, most: usize) -> Result<(), Refused> {
    let mut enclosed = BTreeMap::new();
    for (page, number) in edits.pages()?.into_iter().zip(1_u32..) {
        let Some(Content { bytes, is_joined }) = content_of(edits, page, number, most)? else {
            continue;
        };
        let settled = if !content::is_plain(&bytes) {
            enclosed.insert(page, enclose(edits, page, bytes));
            continue;
        } else if let Some(settled) = content::balance(&bytes) {
            settled
        } else if is_joined {
            bytes
        } else {
            continue;
        };
        let stream = edits.add(with_content(Dict::new(), settled));
        if let Some(page) = edit_dict(edits, page) {
            page.set(b"Contents", stream);
        }
    }
    structure::follow_content(edits, &enclosed)?;
    Ok(())
}

/// Moves the content of a page to a form that the page draws.
fn enclose(edits: &mut Edits<'_>, page: Ref, content: Vec<u8>) -> Ref {
    const NAME: &str = "CsPage";
    // A form shows nothing outside its box. No page is wider than this.
    const FAR: i64 = 1 << 20;
    let resources = edits.inherited_by(page, b"Resources").cloned();
    let form = dict([
        (b"Type", name(b"XObject")),
        (b"Subtype", name(b"Form")),
        (b"BBox", whole_numbers([-FAR, -FAR, FAR, FAR])),
        (b"Resources", resources.unwrap_or_else(|| Dict::new().into())),
    ]);
    let form = edits.add(with_content(form, content));
    let contents = edits.add(Stream::new(Dict::new(), format!("/{NAME} Do\n").into_bytes()));
    if let Some(page) = edit_dict(edits, page) {
        let forms = dict([(NAME.as_bytes(), form.into())]);
        page.set(b"Resources", dict([(b"XObject", forms.into())]));
        page.set(b"Contents", contents);
    }
    form
}

struct Content {
    /// The concatenated streams (Table 31).
    bytes: Vec<u8>,
    /// Whether there are several streams that end within a token. Readers join these with or without a space.
    is_joined: bool,
}

fn content_of(edits: &Edits<'_>, page: Ref, number: u32, most: usize) -> Result<Option<Content>, Refused> {
    let Some(contents) = edits.page(page)?.get(b"Contents") else {
        return Ok(None);
    };
    let parts: Vec<&Object> = match edits.follow(contents) {
        Object::Array(parts) => parts.iter().collect(),
        stream => vec![stream],
    };
    let several = parts.len() > 1;
    let (mut bytes, mut is_joined) = (Vec::new(), false);
    for part in parts {
        if let Object::Stream(stream) = edits.follow(part) {
            let decoded = edits.decode(stream, most).map_err(|defect| match defect.rule {
                Rule::TooLarge => Refused::TooDemanding,
                _ => Refused::ContentLost { page: number },
            })?;
            if !decoded.left.is_empty() {
                return Err(Refused::ContentLost { page: number });
            }
            let line_ends = decoded.bytes.last().is_none_or(|last| matches!(last, b'\n' | b'\r'));
            is_joined |= several && !line_ends;
            bytes.extend_from_slice(&decoded.bytes);
            bytes.push(b'\n');
        }
        if bytes.len() > most {
            return Err(Refused::TooDemanding);
        }
    }
    Ok(Some(Content { bytes, is_joined }))
}

/// Makes every stream decodable. Returns the number of corrected streams. Does not include page contents, because these
/// must stay unchanged.
fn settle_streams(edits: &mut Edits<'_>) -> Result<u32, PdfDefect> {
    let mut drawn = BTreeSet::new();
    for page in edits.pages()? {
        let Some(contents) = edits.page(page)?.get(b"Contents") else {
            continue;
        };
        drawn.extend(contents.as_ref());
        let parts = edits.follow(contents).as_array().unwrap_or_default();
        drawn.extend(parts.iter().filter_map(Object::as_ref));
    }
    let mut dropped = 0_u32;
    change_each(edits, |known, id, object| {
        if let Object::Stream(stream) = object {
            let is_damaged = settle_stream(known, stream, drawn.contains(&id));
            dropped = dropped.saturating_add(u32::from(is_damaged));
        }
    })?;
    Ok(dropped)
}

/// Makes a stream decodable. Returns whether the stream was damaged. Streams that pages draw stay unchanged.
fn settle_stream(known: &Edits<'_>, stream: &mut Stream, is_drawn: bool) -> bool {
    spell_out(known, &mut stream.dict);
    let Ok(steps) = filter::steps(&stream.dict, |object| known.resolve(object)) else {
        return false;
    };
    let names: Vec<&[u8]> = steps
        .iter()
        .map(|step| step.name.as_slice())
        .filter(|name| *name != b"Crypt")
        .collect();
    let Ok(raw) = known.view().raw(stream) else {
        return false;
    };
    if names == [b"DCTDecode"] {
        // Without its first marker, it is not a JPEG, and no viewer shows it.
        let is_picture = is_drawn || raw.starts_with(&[0xFF, 0xD8]);
        if !is_picture {
            *stream = empty_form();
        }
        return !is_picture;
    }
    if names.is_empty() || !names.iter().all(|filter| LOSSLESS.contains(filter)) {
        return false;
    }
    if names == [b"FlateDecode"] && inflates(&raw) {
        return false;
    }
    let (decoded, is_damaged) = match filter::decode(steps.clone(), &raw, MOST_DECODED) {
        Ok(decoded) => (decoded.bytes, false),
        // Many programs omit an empty value.
        Err(_) if raw.is_empty() => (Vec::new(), false),
        Err(Rule::TooLarge) => return false,
        Err(_) if is_drawn => return false,
        Err(_) => (filter::decode_beginning(steps, &raw, MOST_DECODED), true),
    };
    *stream = with_content(stream.dict.clone(), decoded);
    is_damaged
}

/// Replaces short filter names. They are valid only in inline images (Table 92), although viewers accept them
/// everywhere. Also copies referenced entries into the stream's own dictionary, because not every reader follows
/// references there.
fn spell_out(known: &Edits<'_>, dict: &mut Dict) {
    let full = |object: &Object| {
        let meaning = object.as_name().map(Name::bytes);
        Some(match meaning.as_deref()? {
            b"Fl" => &b"FlateDecode"[..],
            b"LZW" => b"LZWDecode",
            b"A85" => b"ASCII85Decode",
            b"AHx" => b"ASCIIHexDecode",
            b"RL" => b"RunLengthDecode",
            b"DCT" => b"DCTDecode",
            b"CCF" => b"CCITTFaxDecode",
            _ => return None,
        })
    };
    let spelled = |object: &Object| {
        let object = known.follow(object);
        full(object).map_or_else(|| object.clone(), name)
    };
    for key in [&b"Filter"[..], b"DecodeParms"] {
        let Some(value) = dict.get(key) else { continue };
        let value = match known.follow(value) {
            Object::Array(items) => items.iter().map(spelled).collect::<Vec<_>>().into(),
            one => spelled(one),
        };
        dict.set(key, value);
    }
}

/// Returns whether the content is deflated data from the first byte to its checksum.
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
