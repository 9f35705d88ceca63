//! The files that a PDF carries (ISO 32000-2, 7.11.4): the certificate carries its chain of events.

use std::collections::BTreeSet;

use lopdf::{Dictionary, Document, Object};
use serde::{Deserialize, Serialize};

use super::Fault;
use super::structure::load;
use crate::pdf::form;

/// The most that one attachment may unpack to.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// How many attachments are read.
const MAX_FILES: usize = 1_000;

/// A file within a PDF.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Its file name.
    pub name: String,
    /// Its media type, where the PDF says it.
    pub media_type: Option<String>,
    /// Its bytes.
    pub data: Vec<u8>,
}

/// The files embedded in `pdf`, in the order of their names. One that cannot be unpacked is left out.
pub fn attachments(pdf: &[u8]) -> Result<Vec<Attachment>, Fault> {
    let document = load(pdf)?;
    let mut found = Vec::new();
    let tree = document
        .catalog()
        .ok()
        .and_then(|catalog| form::dictionary(&document, catalog, b"Names"))
        .and_then(|names| form::dictionary(&document, names, b"EmbeddedFiles"));
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<&Dictionary> = tree.into_iter().collect();
    while let Some(node) = waiting.pop() {
        let names = form::array(&document, node, b"Names").unwrap_or_default();
        for pair in names.chunks_exact(2) {
            if found.len() >= MAX_FILES {
                return Ok(found);
            }
            if let [_, specification] = pair
                && let Object::Dictionary(specification) = form::resolve(&document, specification)
            {
                found.extend(attachment(&document, specification));
            }
        }
        for kid in form::array(&document, node, b"Kids").unwrap_or_default().iter().rev() {
            if let Object::Reference(id) = kid
                && seen.insert(*id)
                && let Object::Dictionary(kid) = form::resolve(&document, kid)
            {
                waiting.push(kid);
            }
        }
    }
    Ok(found)
}

fn attachment(document: &Document, specification: &Dictionary) -> Option<Attachment> {
    let files = form::dictionary(document, specification, b"EF")?;
    let file = files.get(b"UF").or_else(|_| files.get(b"F")).ok()?;
    let Object::Stream(stream) = form::resolve(document, file) else {
        return None;
    };
    Some(Attachment {
        name: form::text(document, specification, b"UF")
            .or_else(|| form::text(document, specification, b"F"))
            .unwrap_or_default(),
        media_type: form::name(document, &stream.dict, b"Subtype")
            .map(|name| String::from_utf8_lossy(name).into_owned()),
        data: stream.get_plain_content_with_limit(MAX_BYTES).ok()?,
    })
}
