//! The document's XMP metadata (ISO 32000-2, 14.3.2).
//!
//! Programs that validate later revisions read the metadata. If they cannot, they report every later revision of a
//! signed file as a forgery, including the seal's own validation data and our additions to a signed upload. So the
//! metadata must be a stream with one well-formed XMP packet.

use super::look::{Look, edit_catalog};
use crate::pdf::claims::claims;
use crate::pdf::edit::Edits;
use crate::pdf::{Object, Objects, PdfDefect, Stream, xmp};

/// Returns whether the catalog refers to metadata that programs cannot read.
pub(super) fn is_damaged(objects: &impl Objects) -> bool {
    let Some(metadata) = objects.catalog().ok().and_then(|catalog| catalog.get(b"Metadata")) else {
        return false;
    };
    match (metadata, objects.follow(metadata)) {
        (Object::Ref(_), Object::Stream(stream)) => {
            text(objects, stream).is_none_or(|text| xmp::parse(&text).is_none())
        }
        _ => true,
    }
}

/// Returns the text of a metadata stream, which must be UTF-8.
fn text(objects: &impl Objects, stream: &Stream) -> Option<String> {
    let decoded = objects.decode(stream, xmp::MOST).ok()?;
    decoded
        .left
        .is_empty()
        .then(|| String::from_utf8(decoded.bytes).ok())
        .flatten()
}

/// Removes conformance claims that the seal would break, and returns them.
pub(super) fn remove_claims(edits: &mut Edits<'_>) -> Result<Vec<String>, PdfDefect> {
    let Some(Object::Ref(id)) = edits.catalog()?.get(b"Metadata").cloned() else {
        return Ok(Vec::new());
    };
    let Object::Stream(stream) = edits.object(id)? else {
        return Ok(Vec::new());
    };
    let Some(claims) = text(edits, stream).as_deref().and_then(claims) else {
        return Ok(Vec::new());
    };
    let mut dict = stream.dict.clone();
    for key in [&b"Filter"[..], b"DecodeParms", b"Length"] {
        dict.remove(key);
    }
    edits.put(id, Stream::new(dict, claims.rest.into_bytes()));
    Ok(claims.names)
}

/// Removes metadata that programs cannot read. Returns whether there was any.
pub(super) fn remove_damaged(edits: &mut Edits<'_>) -> bool {
    let is_damaged = is_damaged(edits);
    if is_damaged && let Some(catalog) = edit_catalog(edits) {
        catalog.remove(b"Metadata");
    }
    is_damaged
}
