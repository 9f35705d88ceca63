//! Attaches files to a PDF (ISO 32000-2, 7.11.4) in one appended revision, for attachments that a template includes in
//! the sealed document.
//!
//! Each becomes an embedded file in the document's name tree and one of its associated files (14.13), so that it is
//! sealed with the pages. Existing attachments stay. The contents are untrusted, and this module never parses them.

use std::collections::BTreeSet;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use thiserror::Error;

use crate::evidence::certificate::Attachment;
use crate::pdf::append::{AppendError, append};
use crate::pdf::edit::Edits;
use crate::pdf::shared_bytes::SharedBytes;
use crate::pdf::{Dict, File, Object, Objects, PdfDefect, Str, Stream};

/// Maximum total size of the files attached to one document, because sealing and verifying read the whole document.
pub const MOST_BYTES: u64 = 25_000_000;
/// Maximum number of embedded files. No real document has more.
const MOST: usize = 10_000;

/// Reasons why files were not embedded.
#[derive(Debug, Error)]
pub enum EmbedError {
    /// The file cannot be read. Intake would have refused it.
    #[error("the file cannot be read as a PDF; upload it again: {0}")]
    Unreadable(#[from] PdfDefect),
    /// Nothing can be appended to the file.
    #[error(transparent)]
    Append(#[from] AppendError),
}

/// Embeds `files` and returns the file with its new revision, or unchanged if `files` is empty. A name that is already
/// in use gets a number.
pub fn embed(pdf: impl Into<SharedBytes>, files: &[Attachment]) -> Result<Vec<u8>, EmbedError> {
    let pdf = pdf.into();
    if files.is_empty() {
        return Ok(pdf.into_vec());
    }
    let opened = File::open(pdf, None)?;
    let mut edits = Edits::new(opened.latest());
    let catalog = edits.catalog()?;
    let mut names = edits.dict(catalog, b"Names")?.cloned().unwrap_or_default();
    let mut associated = edits.array(catalog, b"AF")?.unwrap_or_default().to_vec();
    let tree = edits.dict(&names, b"EmbeddedFiles")?;
    let mut entries = tree.map_or(Ok(Vec::new()), |tree| collect(&edits, tree))?;
    for file in files {
        let name = free_name(&file.file_name, &entries);
        let stream = edits.add(stream_of(file));
        let both = Dict::of([("F", stream.into()), ("UF", stream.into())]);
        let specification = edits.add(Dict::of([
            ("Type", Object::name("Filespec")),
            ("F", Object::text(&name)),
            ("UF", Object::text(&name)),
            ("EF", both.into()),
            ("Desc", Object::text(&file.description)),
            ("AFRelationship", Object::name("Supplement")),
        ]));
        entries.push((name, specification.into()));
        associated.push(specification.into());
    }
    // The tree has a single node, with its keys in byte order (7.9.6).
    let mut pairs: Vec<(Vec<u8>, [Object; 2])> = entries
        .into_iter()
        .map(|(name, specification)| {
            let key = Object::text(&name);
            let bytes = key.as_str().map(Str::bytes).unwrap_or_default();
            (bytes, [key, specification])
        })
        .collect();
    pairs.sort_by(|(a, _), (b, _)| a.cmp(b));
    let pairs: Vec<Object> = pairs.into_iter().flat_map(|(_, pair)| pair).collect();
    names.set(b"EmbeddedFiles", edits.add(Dict::of([("Names", pairs.into())])));
    let names = edits.add(names);
    let root = edits.root()?;
    if let Some(catalog) = edits.edit_dict(root)? {
        catalog.set(b"Names", names);
        catalog.set(b"AF", associated);
    }
    Ok(append(edits)?.bytes)
}

/// Builds an embedded file stream (7.11.4), compressed if that makes it smaller.
fn stream_of(file: &Attachment) -> Stream {
    let size = i64::try_from(file.bytes.len()).unwrap_or(i64::MAX);
    let mut dict = Dict::of([
        ("Type", Object::name("EmbeddedFile")),
        ("Subtype", Object::name(&file.media_type)),
        ("Params", Dict::of([("Size", size.into())]).into()),
    ]);
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let packed = encoder.write_all(&file.bytes).and_then(|()| encoder.finish());
    match packed {
        Ok(packed) if packed.len() < file.bytes.len() => {
            dict.set(b"Filter", Object::name("FlateDecode"));
            Stream::new(dict, packed)
        }
        _ => Stream::new(dict, file.bytes.clone()),
    }
}

/// Collects the entries of a name tree.
fn collect(objects: &impl Objects, tree: &Dict) -> Result<Vec<(String, Object)>, PdfDefect> {
    let mut entries = Vec::new();
    let mut seen = BTreeSet::new();
    let mut waiting = vec![tree];
    while let Some(node) = waiting.pop() {
        for pair in objects.array(node, b"Names")?.unwrap_or_default().chunks_exact(2) {
            if let [key, value] = pair
                && entries.len() < MOST
                && let Object::Str(name) = objects.resolve(key)?
            {
                entries.push((name.text(), value.clone()));
            }
        }
        for kid in objects.array(node, b"Kids")?.unwrap_or_default() {
            if kid.as_ref().is_none_or(|kid| seen.insert(kid))
                && let Object::Dict(kid) = objects.resolve(kid)?
            {
                waiting.push(kid);
            }
        }
    }
    Ok(entries)
}

fn free_name(name: &str, taken: &[(String, Object)]) -> String {
    let is_free = |candidate: &str| taken.iter().all(|(known, _)| known != candidate);
    if is_free(name) {
        return name.to_owned();
    }
    let (stem, end) = match name.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() => (stem, format!(".{end}")),
        _ => (name, String::new()),
    };
    // Among these candidates, at least one name is free.
    (2..=taken.len() + 2)
        .map(|number| format!("{stem} ({number}){end}"))
        .find(|candidate| is_free(candidate))
        .unwrap_or_else(|| name.to_owned())
}
