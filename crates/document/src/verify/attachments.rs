//! The files attached to a PDF (ISO 32000-2, 7.11.4), such as the event chain of a history certificate.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::damaged::fault_of;
use super::reading::{self, Reading};
use super::{Fault, open};
use crate::pdf::{Dict, Object};

/// Maximum decompressed size of one attachment.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Maximum number of attachments that are read.
const MAX_FILES: usize = 1_000;

/// A file attached to a PDF.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    pub name: String,
    /// Media type, if the PDF specifies it.
    pub media_type: Option<String>,
    pub data: Vec<u8>,
}

/// Returns the files attached to `pdf` by name, without those that cannot be decoded.
pub fn attachments(pdf: &[u8]) -> Result<Vec<Attachment>, Fault> {
    matching(pdf, MAX_FILES, |_| true)
}

/// The first file of this name in `pdf`. No other is decoded, so this takes no more memory than one may.
pub fn attachment(pdf: &[u8], name: &str) -> Result<Option<Attachment>, Fault> {
    Ok(matching(pdf, 1, |found| found == name)?.pop())
}

fn matching(pdf: &[u8], most: usize, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Attachment>, Fault> {
    let file = open(pdf.into()).map_err(|defect| fault_of(&defect))?;
    let reading = reading::read(&file).map_err(|defect| fault_of(&defect))?;
    let mut found = Vec::new();
    let tree = reading
        .catalog()
        .and_then(|catalog| reading.dict(catalog, b"Names"))
        .and_then(|names| reading.dict(names, b"EmbeddedFiles"));
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<&Dict> = tree.into_iter().collect();
    while let Some(node) = waiting.pop() {
        let names = reading.array(node, b"Names").unwrap_or_default();
        for pair in names.chunks_exact(2) {
            if found.len() >= most {
                return Ok(found);
            }
            if let [_, specification] = pair
                && let Some(specification) = reading.as_dict(specification)
            {
                found.extend(decoded(&reading, specification, &is_wanted));
            }
        }
        for kid in reading.array(node, b"Kids").unwrap_or_default().iter().rev() {
            if let Object::Ref(id) = kid
                && seen.insert(*id)
            {
                waiting.extend(reading.as_dict(kid));
            }
        }
    }
    Ok(found)
}

fn decoded(reading: &Reading<'_>, specification: &Dict, is_wanted: impl Fn(&str) -> bool) -> Option<Attachment> {
    let files = reading.dict(specification, b"EF")?;
    let file = files.get(b"UF").or_else(|| files.get(b"F"))?;
    let stream = reading.resolve(file).as_stream()?;
    let name = |key| reading.text(specification, key);
    let name = name(b"UF").or_else(|| name(b"F")).unwrap_or_default();
    is_wanted(&name).then_some(())?;
    Some(Attachment {
        name,
        media_type: reading
            .name(&stream.dict, b"Subtype")
            .map(|name| String::from_utf8_lossy(&name).into_owned()),
        data: reading.plain(stream, MAX_BYTES).ok()?,
    })
}
