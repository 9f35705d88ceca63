//! Writes an upload once: only the objects that are referenced from the trailer, in the canonical form of
//! [`write::whole`]. Only `/Root`, `/Info` and `/ID` are kept from the old trailer.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::Refused;
use super::look::Look;
use crate::pdf::edit::Edits;
use crate::pdf::object::{Dict, Str};
use crate::pdf::{Object, Objects, PdfDefect, Ref, structure, write};

/// Readers of this version know everything that ISO 32000-2 and PAdES require.
const LEAST_VERSION: &str = "1.7";
/// Number of bytes at the start of a file that are searched for its header (7.5.2).
const HEAD: usize = 1024;

pub(super) fn rewrite(edits: &Edits<'_>, upload: &[u8]) -> Result<Vec<u8>, Refused> {
    let old = edits.view().trailer()?;
    let mut trailer = Dict::new();
    trailer.set(b"Root", edits.root()?);
    let mut with_info = None;
    match old.get(b"Info") {
        Some(Object::Ref(id)) if matches!(edits.at(*id), Object::Dict(_)) => trailer.set(b"Info", *id),
        // Only a reference is allowed (Table 15).
        Some(Object::Dict(info)) => {
            let mut edits = edits.clone();
            trailer.set(b"Info", edits.add(info.clone()));
            with_info = Some(edits);
        }
        _ => {}
    }
    let permanent = edits.array_in(old, b"ID").and_then(<[Object]>::first);
    let permanent = permanent.map(|half| edits.follow(half)).and_then(Object::as_str);
    trailer.set(b"ID", identifier(permanent.map(Str::bytes), upload));
    let edits = with_info.as_ref().unwrap_or(edits);
    let with_structure = without_dangling(edits)?;
    let written = write::whole(with_structure.as_ref().unwrap_or(edits), version(upload), &trailer)?;
    Ok(written.bytes)
}

/// Returns the file without structure references to annotations that are on no page (14.7.5.3). `None` if no change is
/// needed.
fn without_dangling<'f>(edits: &Edits<'f>) -> Result<Option<Edits<'f>>, PdfDefect> {
    if !edits.catalog()?.has(b"StructTreeRoot") {
        return Ok(None);
    }
    let mut annotations = BTreeSet::new();
    for page in edits.pages()? {
        let items = edits.dict_at(page).and_then(|page| edits.array_in(page, b"Annots"));
        annotations.extend(items.unwrap_or_default().iter().filter_map(Object::as_ref));
    }
    // Whole content objects are referenced in the same way.
    let is_gone = |id: Ref| !annotations.contains(&id) && !matches!(edits.at(id), Object::Stream(_));
    let mut settled = edits.clone();
    let count = structure::forget(&mut settled, is_gone)?;
    Ok((count > 0).then_some(settled))
}

/// Returns the version in the file's header, or the minimum version.
fn version(upload: &[u8]) -> &str {
    const MARK: &[u8] = b"%PDF-";
    let head = upload.get(..HEAD + MARK.len() + 3).unwrap_or(upload);
    let place = head.windows(MARK.len()).position(|window| window == MARK);
    let version = place.and_then(|place| head.get(place + MARK.len()..place + MARK.len() + 3));
    match version {
        Some([major, b'.', minor]) if major.is_ascii_digit() && minor.is_ascii_digit() => {
            std::str::from_utf8(version.unwrap_or_default()).unwrap_or(LEAST_VERSION)
        }
        _ => LEAST_VERSION,
    }
    .max(LEAST_VERSION)
}

/// Returns the file identifier (14.4). The first half is that of the upload, if present. The second half is new.
fn identifier(permanent: Option<Vec<u8>>, upload: &[u8]) -> Vec<Object> {
    let digest: Vec<u8> = Sha256::digest(upload).iter().take(16).copied().collect();
    let permanent = permanent
        .filter(|bytes| !bytes.is_empty())
        .unwrap_or_else(|| digest.clone());
    vec![Str::hex(&permanent).into(), Str::hex(&digest).into()]
}
