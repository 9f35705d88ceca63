//! The file's own structure: one reading that every program shares.
//!
//! A signature is of no use where two programs read two documents from the same bytes. So what is compared is only what
//! the cross-references really name: an object that lies somewhere in the file, but in no cross-reference section, is left
//! out, and a section that leads to another object than it says is [`Fault::DamagedStructure`], as is an object stream that
//! holds an object twice or elsewhere than the section says (ISO 32000-2, 7.5.4, 7.5.7 and 7.5.8). What was appended to a
//! signed revision, by whomever, must be written in the strict form besides ([`is_only_revisions`]).

mod appended;
mod syntax;

pub(super) use appended::is_only_revisions;

use std::collections::{BTreeMap, BTreeSet};

use aws_lc_rs::digest::{SHA256, digest};
use lopdf::xref::XrefEntry;
use lopdf::{Document, LoadOptions, Object, ObjectId, Stream};

use super::Fault;

/// The most that one stream of the file's own structure may decompress to.
const MAX_STRUCTURE_BYTES: usize = 64 * 1024 * 1024;

/// Pictures of more bytes than this are compared by their digest.
const LARGEST_KEPT: usize = 64 * 1024;

/// Reads a file, or says why it cannot be judged. Of large pictures the SHA-256 is kept instead of the content, with
/// `allows_compression` unset, which the reader itself never does: nothing here looks into a picture, and two revisions of a
/// large file are compared in the memory of one.
pub(super) fn load(pdf: &[u8]) -> Result<Document, Fault> {
    let options = LoadOptions::with_max_decompressed_size(MAX_STRUCTURE_BYTES);
    let mut document = Document::load_mem_with_options(pdf, options).map_err(|error| Fault::Unreadable {
        reason: error.to_string(),
    })?;
    if document.encryption_state.is_some() || document.trailer.has(b"Encrypt") {
        return Err(Fault::Encrypted);
    }
    // The reader also takes objects from object streams that no section names; other programs do not see them.
    let entries = &document.reference_table.entries;
    document.objects.retain(|id, _| match entries.get(&id.0) {
        Some(XrefEntry::Normal { generation, .. }) => *generation == id.1,
        Some(XrefEntry::Compressed { .. }) => id.1 == 0,
        _ => false,
    });
    for object in document.objects.values_mut() {
        if let Object::Stream(stream) = object
            && stream.content.len() > LARGEST_KEPT
            && matches!(stream.dict.get(b"Subtype"), Ok(Object::Name(name)) if name == b"Image")
        {
            stream.content = digest(&SHA256, &stream.content).as_ref().to_vec();
            stream.allows_compression = false;
        }
    }
    Ok(document)
}

/// Where the header lies, from which offsets count.
fn header_offset(pdf: &[u8]) -> usize {
    pdf.windows(5).position(|window| window == b"%PDF-").unwrap_or(0)
}

/// Whether every entry of the cross-references leads to the object that it names.
pub(super) fn is_sound(pdf: &[u8], document: &Document) -> bool {
    if document.xref_recovery.is_some() {
        return false;
    }
    // Offsets count from the header (as the reader has it), which junk may precede.
    let body = pdf.get(header_offset(pdf)..).unwrap_or_default();
    let mut contained: BTreeMap<u32, Vec<(u32, u16)>> = BTreeMap::new();
    for (number, entry) in &document.reference_table.entries {
        match entry {
            XrefEntry::Normal { offset, generation } => {
                let id = (*number, *generation);
                let place = usize::try_from(*offset).ok().and_then(|offset| body.get(offset..));
                let is_right = match place.and_then(header) {
                    Some(found) => found == id,
                    // What is no object at all means null to everybody (7.3.10), unless another copy is taken instead.
                    None => !document.objects.contains_key(&id),
                };
                if !is_right {
                    return false;
                }
            }
            XrefEntry::Compressed { container, index } => {
                contained.entry(*container).or_default().push((*number, *index));
            }
            XrefEntry::Free | XrefEntry::UnusableFree => {}
        }
    }
    contained
        .iter()
        .all(|(container, members)| match document.objects.get(&(*container, 0)) {
            Some(Object::Stream(stream)) => holds(stream, members),
            _ => members
                .iter()
                .all(|(number, _)| !document.objects.contains_key(&(*number, 0))),
        })
}

/// Whether an object stream holds these objects at these places, and none of them twice.
fn holds(stream: &Stream, members: &[(u32, u16)]) -> bool {
    let Ok(content) = stream.get_plain_content_with_limit(MAX_STRUCTURE_BYTES) else {
        return false;
    };
    let number = |key: &[u8]| {
        let value = stream.dict.get(key).and_then(Object::as_i64).ok()?;
        usize::try_from(value).ok()
    };
    let (Some(count), Some(first)) = (number(b"N"), number(b"First")) else {
        return false;
    };
    let head = String::from_utf8_lossy(content.get(..first).unwrap_or_default()).into_owned();
    let numbers: Vec<u32> = head
        .split_ascii_whitespace()
        .step_by(2)
        .take(count)
        .map_while(|word| word.parse().ok())
        .collect();
    let mut seen = BTreeSet::new();
    let are_distinct = numbers.iter().all(|number| seen.insert(*number));
    are_distinct
        && members
            .iter()
            .all(|(number, index)| numbers.get(usize::from(*index)) == Some(number))
}

/// The number and the generation of the object whose bytes lie around a place.
pub(super) fn object_around(pdf: &[u8], at: usize) -> Option<ObjectId> {
    const KEYWORD: &[u8] = b" obj";
    let before = pdf.get(..at)?;
    let keyword = before.windows(KEYWORD.len()).rposition(|window| window == KEYWORD)?;
    let start = before
        .get(..keyword)?
        .iter()
        .rposition(|byte| matches!(byte, b'\r' | b'\n'))?;
    header(before.get(start..)?)
}

/// The number and generation of the object that begins here.
fn header(bytes: &[u8]) -> Option<(u32, u16)> {
    let (number, rest) = digits(bytes)?;
    let (generation, rest) = digits(rest)?;
    rest.trim_ascii_start()
        .starts_with(b"obj")
        .then_some((number.parse().ok()?, generation.parse().ok()?))
}

/// The digits behind white space, and what follows them.
fn digits(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let bytes = bytes.trim_ascii_start();
    let length = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = bytes.split_at_checked(length)?;
    Some((std::str::from_utf8(digits).ok()?, rest))
}
