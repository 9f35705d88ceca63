//! Appends one section to a file (ISO 32000-2, 7.5.6). The bytes of the file stay unchanged, because signatures cover
//! them.
//!
//! - The new section is of the same kind as the file's last one (7.5.8.4 forbids a mixture outside hybrid files), and
//!   `/Prev` is the position in the file's `startxref`.
//! - The trailer keeps only `/Root`, `/Info` and `/ID` of the old section.
//! - Edited objects without a change are not written.
//!
//! An encrypted file is refused, because plain objects would be appended to encrypted ones. So is a rebuilt file, and
//! one whose offsets do not count from its first byte. Other deviations in its structure stay unchanged. Intake decides
//! about them.

use std::collections::BTreeMap;
use std::ops::Range;

use aws_lc_rs::digest::{Context, SHA256};
use thiserror::Error;

use super::defect::PdfDefect;
use super::edit::Edits;
use super::object::{Dict, Name, Object, Ref, Str, Stream};
use super::section::{Section, SectionKind};
use super::view::View;
use super::write;

/// Reasons why no section can be appended.
#[derive(Debug, Error)]
pub enum AppendError {
    /// The file is encrypted.
    #[error("nothing can be appended to an encrypted file")]
    Encrypted,
    /// The file is damaged, and was read without its cross-reference sections.
    #[error("nothing can be appended to a damaged file")]
    Damaged,
    /// Offsets do not count from the first byte.
    #[error("bytes precede the file's header")]
    HeaderNotAtStart,
    /// Offsets or object numbers would exceed the range of the format.
    #[error("the file is too large to append to")]
    TooLarge,
    /// Part of the file cannot be read.
    #[error(transparent)]
    Defect(#[from] PdfDefect),
}

/// A file with an appended section.
#[derive(Debug)]
pub struct Appended {
    /// The whole file: the unchanged earlier bytes and the appended ones.
    pub bytes: Vec<u8>,
    /// Range of each appended object, from its number to `endobj`.
    pub written: BTreeMap<Ref, Range<usize>>,
}

/// Returns the file with the changes appended.
pub fn append(mut edits: Edits<'_>) -> Result<Appended, AppendError> {
    let view = edits.view();
    let file = view.file();
    if file.access().is_some() {
        return Err(AppendError::Encrypted);
    }
    if file.is_rebuilt {
        return Err(AppendError::Damaged);
    }
    if !file.counts_from_first_byte() {
        return Err(AppendError::HeaderNotAtStart);
    }
    let newest = file.revisions().last().and_then(|revision| revision.sections.first());
    let Some(last) = newest else {
        return Err(AppendError::TooLarge);
    };
    let differing = edits.differing()?;
    let earlier = file.body().len();
    let mut bytes = Vec::with_capacity(earlier.saturating_add(room_for(&differing)));
    bytes.extend_from_slice(file.body());
    if bytes.last() != Some(&b'\n') {
        bytes.push(b'\n');
    }
    let mut written = BTreeMap::new();
    let mut same = |reference| Some(reference);
    for (id, object) in differing {
        let start = bytes.len();
        write::indirect(&mut bytes, id, object, view, &mut same)?;
        written.insert(id, start..bytes.len().saturating_sub(1));
    }
    let mut trailer = trailer_of(last, view, bytes.get(earlier..).unwrap_or_default())?;
    let start = bytes.len();
    let mut entries: BTreeMap<Ref, usize> = written.iter().map(|(id, span)| (*id, span.start)).collect();
    if last.kind == SectionKind::Stream {
        let id = edits.reserve();
        entries.insert(id, start);
        let stream = section_stream(trailer, &entries, edits.next_number())?;
        write::indirect(&mut bytes, id, &stream.into(), view, &mut same)?;
    } else {
        write_table(&mut bytes, &entries);
        trailer.set(b"Size", i64::from(edits.next_number()));
        bytes.extend(b"trailer\n");
        write::value(&mut bytes, &trailer.into(), &mut same);
        bytes.push(b'\n');
    }
    bytes.extend(format!("startxref\n{start}\n%%EOF\n").bytes());
    if edits.next_number() == u32::MAX || u32::try_from(bytes.len()).is_err() {
        return Err(AppendError::TooLarge);
    }
    Ok(Appended { bytes, written })
}

/// Returns the approximate size of the new objects, so that a large file is not moved while it grows.
fn room_for(objects: &BTreeMap<Ref, &Object>) -> usize {
    const EACH: usize = 512;
    const BESIDE: usize = 64 * 1024;
    objects
        .values()
        .map(|object| match object {
            Object::Stream(stream) => EACH + stream.data.len(),
            _ => EACH,
        })
        .fold(BESIDE, usize::saturating_add)
}

fn trailer_of(last: &Section, view: View<'_>, appended: &[u8]) -> Result<Dict, PdfDefect> {
    let mut trailer = Dict::new();
    for key in [&b"Root"[..], b"Info"] {
        if let Some(value) = last.trailer.get(key) {
            trailer.set(key, value.clone());
        }
    }
    // The second half changes (14.4).
    if let Some([permanent, changing]) = view.get(&last.trailer, b"ID")?.as_array() {
        let mut digest = Context::new(&SHA256);
        digest.update(&view.resolve(changing)?.as_str().map(Str::bytes).unwrap_or_default());
        digest.update(appended);
        let changed: Vec<u8> = digest.finish().as_ref().iter().take(16).copied().collect();
        trailer.set(b"ID", vec![permanent.clone(), Str::hex(&changed).into()]);
    }
    // No file is 2^63 bytes long.
    trailer.set(b"Prev", i64::try_from(last.start).unwrap_or(i64::MAX));
    Ok(trailer)
}

/// Groups entries into runs of consecutive numbers (7.5.4: subsections).
fn runs(entries: &BTreeMap<Ref, usize>) -> Vec<Vec<(Ref, usize)>> {
    let mut runs: Vec<Vec<(Ref, usize)>> = Vec::new();
    for (id, offset) in entries {
        let last = runs.last().and_then(|run| run.last()).map(|(last, _)| last.number);
        match runs.last_mut() {
            Some(run) if last.and_then(|last| last.checked_add(1)) == Some(id.number) => run.push((*id, *offset)),
            _ => runs.push(vec![(*id, *offset)]),
        }
    }
    runs
}

fn write_table(bytes: &mut Vec<u8>, entries: &BTreeMap<Ref, usize>) {
    bytes.extend(b"xref\n");
    let runs = runs(entries);
    if runs.is_empty() {
        // A table has at least one subsection. An empty one changes nothing.
        bytes.extend(b"0 0\n");
    }
    for run in runs {
        let first = run.first().map_or(0, |(id, _)| id.number);
        bytes.extend(format!("{first} {}\n", run.len()).bytes());
        for (id, offset) in run {
            bytes.extend(format!("{offset:010} {:05} n\r\n", id.generation).bytes());
        }
    }
}

fn section_stream(mut dict: Dict, entries: &BTreeMap<Ref, usize>, size: u32) -> Result<Stream, AppendError> {
    let mut index: Vec<Object> = Vec::new();
    let mut rows = Vec::new();
    for run in runs(entries) {
        let length = i64::try_from(run.len()).map_err(|_| AppendError::TooLarge)?;
        index.push(run.first().map_or(0, |(id, _)| i64::from(id.number)).into());
        index.push(length.into());
        for (id, offset) in run {
            rows.push(1);
            rows.extend(u32::try_from(offset).map_err(|_| AppendError::TooLarge)?.to_be_bytes());
            rows.extend(id.generation.to_be_bytes());
        }
    }
    dict.set(b"Type", Name::new(b"XRef"));
    dict.set(b"Size", i64::from(size));
    dict.set(b"Index", index);
    dict.set(b"W", [1, 4, 2].map(Object::from).to_vec());
    Ok(Stream::new(dict, rows))
}
