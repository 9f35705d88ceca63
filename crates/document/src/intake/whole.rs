//! Checks whether a file is complete.
//!
//! Cross-references are at the end of a file. A truncated file has none and is read by searching for its objects, and
//! the objects after the cut are lost. Strictly, a reference to a lost object is null (7.3.10), so a page could lose
//! its fonts, its images or all of its content, and the comparison of the pages with the upload would miss the loss
//! because both sides have it. So no file may end within an object, or within a revision (7.5.6), which would be
//! applied only in part. And if the file had to be rebuilt, everything that the pages need must be there.
//!
//! The last condition does not apply to a file that follows the rules of the format: there, a reference to a missing
//! object is null on purpose.

use std::collections::BTreeSet;

use super::look::{parts, says_what_it_is};
use crate::pdf::{Dict, Object, Ref, View};

/// The catalog's entries that affect pages: the page tree, the form, and which layers are on.
const SHOWN: [&[u8]; 3] = [b"Pages", b"AcroForm", b"OCProperties"];

/// Entries that are not visible on a page: actions and their targets, private data of programs, the structure, embedded
/// files, and back-references of annotations.
const NOT_SHOWN: [&[u8]; 19] = [
    b"A",
    b"AA",
    b"AF",
    b"Alternates",
    b"B",
    b"DPart",
    b"Dest",
    b"EF",
    b"FS",
    b"IRT",
    b"Metadata",
    b"OPI",
    b"OutputIntents",
    b"P",
    b"PieceInfo",
    b"Popup",
    b"SeparationInfo",
    b"Thumb",
    b"XFA",
];

/// Returns whether a file that had to be rebuilt has all its visible parts. `listed` is the file by its
/// cross-references, if those are valid: objects that they do not list never existed.
pub(super) fn has_all_parts(view: &View<'_>, listed: Option<View<'_>>) -> bool {
    !lost_its_encryption(*view) && !lacks_what_pages_need(*view, listed)
}

/// Returns whether the file begins like a PDF (7.5.2; as in viewers, within the first kilobyte) and has no end marker
/// after its last object (7.5.5).
pub(super) fn is_beginning(bytes: &[u8]) -> bool {
    let first = bytes.get(..1024).unwrap_or(bytes);
    let last = last_object(bytes).and_then(|start| bytes.get(start..));
    contains(first, b"%PDF-") && last.is_some_and(|last| !contains(last, b"%%EOF"))
}

/// Returns whether the file ends within its last object, or after objects of a revision without an end marker.
pub(super) fn ends_early(bytes: &[u8]) -> bool {
    let Some(start) = last_object(bytes) else {
        return false;
    };
    let (before, last) = bytes.split_at(start);
    let has_end = contains(last, b"startxref");
    let is_over = has_end
        || [&b"endobj"[..], b"endstream", b"trailer"]
            .iter()
            .any(|end| contains(last, end));
    !is_over || !has_end && contains(before, b"startxref")
}

/// Returns the position of the last object: after its number and generation, at `obj`.
fn last_object(bytes: &[u8]) -> Option<usize> {
    const KEYWORD: &[u8] = b"obj";
    let is_header = |position: &usize| {
        let before = bytes.get(..*position).unwrap_or_default();
        without_number(before).and_then(without_number).is_some()
    };
    bytes
        .windows(KEYWORD.len())
        .enumerate()
        .rev()
        .filter(|(_, window)| *window == KEYWORD)
        .map(|(position, _)| position)
        .find(is_header)
}

/// Returns `bytes` without the number at the end and the white space after it.
fn without_number(bytes: &[u8]) -> Option<&[u8]> {
    let number = bytes.trim_ascii_end();
    let digits = number.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = number.get(..number.len().checked_sub(digits)?)?;
    (number.len() < bytes.len() && digits > 0).then_some(rest)
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

/// Returns whether the file describes its encryption (7.6.2) but has lost the trailer that refers to it, so that
/// nothing was decrypted.
fn lost_its_encryption(view: View<'_>) -> bool {
    let is_encryption = |object: &Object| {
        object.as_dict().is_some_and(|dict| {
            [&b"Filter"[..], b"V", b"R", b"O", b"U", b"P"]
                .iter()
                .all(|key| dict.has(key))
        })
    };
    let was_encrypted = view.trailer().is_ok_and(|trailer| trailer.has(b"Encrypt"));
    !was_encrypted && view.objects().any(|(_, object)| object.is_ok_and(is_encryption))
}

/// Returns whether visible page content refers to a missing or unreadable object.
fn lacks_what_pages_need(view: View<'_>, listed: Option<View<'_>>) -> bool {
    let Ok(catalog) = view.catalog() else {
        return true;
    };
    let mut waiting: Vec<&Object> = SHOWN.iter().filter_map(|key| catalog.get(key)).collect();
    let mut seen: BTreeSet<Ref> = BTreeSet::new();
    while let Some(object) = waiting.pop() {
        match object {
            Object::Ref(id) if seen.insert(*id) => match view.object(*id) {
                Ok(object) if view.has(*id) => waiting.push(object),
                _ if listed.is_some_and(|listed| !listed.has(*id)) => {}
                _ => return true,
            },
            Object::Dict(dict) => waiting.extend(shown(dict)),
            Object::Stream(stream) => waiting.extend(shown(&stream.dict)),
            other => waiting.extend(parts(other)),
        }
    }
    false
}

/// Returns the values of a dictionary that may be visible. Lengths were checked before.
fn shown(dict: &Dict) -> impl Iterator<Item = &Object> {
    let is_typed = says_what_it_is(dict);
    dict.iter()
        .filter(move |(key, _)| !is_typed || !(key.is(b"Length") || NOT_SHOWN.iter().any(|unseen| key.is(unseen))))
        .map(|(_, value)| value)
}
