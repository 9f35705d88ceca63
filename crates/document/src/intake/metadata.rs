//! The document's XMP (ISO 32000-2, 14.3.2).
//!
//! Judges of later revisions read it, and one that they cannot read makes them call every later revision of a signed file a
//! forgery: the seal's own validation data, and what is added to a file that others signed. So it must be what they can
//! read: a stream with one well-formed XMP packet.

use lopdf::{Document, Object};

use crate::pdf::{form, xmp};

/// Does the catalog name metadata that programs cannot read?
pub(super) fn is_damaged(document: &Document) -> bool {
    let Some(metadata) = document
        .catalog()
        .ok()
        .and_then(|catalog| catalog.get(b"Metadata").ok())
    else {
        return false;
    };
    match (metadata, form::resolve(document, metadata)) {
        (Object::Reference(_), Object::Stream(stream)) => {
            let text = xmp::read(stream, xmp::MOST);
            text.is_none_or(|text| xmp::parse(&text).is_none())
        }
        _ => true,
    }
}

/// Removes metadata that programs cannot read; true where there were some.
pub(super) fn remove_damaged(document: &mut Document) -> bool {
    let is_damaged = is_damaged(document);
    if is_damaged && let Ok(catalog) = document.catalog_mut() {
        catalog.remove(b"Metadata");
    }
    is_damaged
}
