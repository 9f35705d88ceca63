//! Puts files into a PDF (ISO 32000-2, 7.11.4), as one appended revision: attachments that a template wants to be part
//! of the sealed document.
//!
//! Each becomes an embedded file of the document's name tree and one of its associated files (14.13), so that it is
//! sealed with the pages. What the file carried before stays. The bytes are not looked into: they are a stranger's, and
//! nothing here opens them.

use lopdf::{Dictionary, Document, Object, Stream, dictionary, text_string};
use thiserror::Error;

use crate::evidence::certificate::Attachment;
use crate::pdf::form;
use crate::pdf::revision::{self, RevisionError, RevisionWriter};

/// Deeper, a name tree leads in a circle.
const DEEPEST: usize = 32;
/// More embedded files than any document has.
const MOST: usize = 10_000;

/// Why files were not embedded.
#[derive(Debug, Error)]
pub enum EmbedError {
    /// The file cannot be parsed; intake would have refused it.
    #[error("the file cannot be read as a PDF; take it in anew")]
    Unreadable(#[from] lopdf::Error),
    /// The revision could not be written.
    #[error(transparent)]
    Revision(#[from] RevisionError),
}

/// Embeds `files` and returns the file with its new revision; without files, as it was. A name that is taken gets a
/// number.
pub fn embed(pdf: Vec<u8>, files: &[Attachment]) -> Result<Vec<u8>, EmbedError> {
    if files.is_empty() {
        return Ok(pdf);
    }
    let document = revision::read(&pdf)?;
    let mut writer = RevisionWriter::new(&pdf, &document)?;
    let catalog = document.catalog()?;
    let names = form::dictionary(&document, catalog, b"Names");
    let mut entries = Vec::new();
    if let Some(tree) = names.and_then(|names| form::dictionary(&document, names, b"EmbeddedFiles")) {
        collect(&document, tree, 0, &mut entries);
    }
    let mut associated: Vec<Object> = form::array(&document, catalog, b"AF").unwrap_or_default().to_vec();
    let mut names = names.cloned().unwrap_or_default();
    for file in files {
        let name = free_name(&file.file_name, &entries);
        let mut stream = Stream::new(
            dictionary! {
                "Type" => "EmbeddedFile",
                "Subtype" => Object::Name(file.media_type.clone().into_bytes()),
                "Params" => dictionary! { "Size" => i64::try_from(file.bytes.len()).unwrap_or(i64::MAX) },
            },
            file.bytes.clone(),
        );
        // What does not shrink stays as it is.
        let _ = stream.compress();
        let stream = writer.add(stream);
        let specification = writer.add(dictionary! {
            "Type" => "Filespec",
            "F" => text_string(&name),
            "UF" => text_string(&name),
            "EF" => dictionary! { "F" => stream, "UF" => stream },
            "Desc" => text_string(&file.description),
            "AFRelationship" => "Supplement",
        });
        entries.push((name, Object::Reference(specification)));
        associated.push(Object::Reference(specification));
    }
    // A tree of one node; its keys are in the order of their bytes (7.9.6).
    let mut pairs: Vec<(Vec<u8>, [Object; 2])> = entries
        .into_iter()
        .map(|(name, specification)| {
            let key = text_string(&name);
            let bytes = key.as_str().map(<[u8]>::to_vec).unwrap_or_default();
            (bytes, [key, specification])
        })
        .collect();
    pairs.sort_by(|(a, _), (b, _)| a.cmp(b));
    let pairs: Vec<Object> = pairs.into_iter().flat_map(|(_, pair)| pair).collect();
    names.set("EmbeddedFiles", writer.add(dictionary! { "Names" => pairs }));
    let names = writer.add(names);
    let root = writer.root();
    let catalog = writer.edit_dictionary(root)?;
    catalog.set("Names", names);
    catalog.set("AF", associated);
    Ok(writer.finish()?.bytes)
}

/// What a name tree holds.
fn collect(document: &Document, node: &Dictionary, depth: usize, entries: &mut Vec<(String, Object)>) {
    for pair in form::array(document, node, b"Names")
        .unwrap_or_default()
        .chunks_exact(2)
    {
        if let [key, value] = pair
            && entries.len() < MOST
            && let Ok(name) = lopdf::decode_text_string(form::resolve(document, key))
        {
            entries.push((name, value.clone()));
        }
    }
    for kid in form::array(document, node, b"Kids").unwrap_or_default() {
        if let Object::Dictionary(kid) = form::resolve(document, kid)
            && depth < DEEPEST
        {
            collect(document, kid, depth + 1, entries);
        }
    }
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
    // Of one more names than there are files, one is free.
    (2..=taken.len() + 2)
        .map(|number| format!("{stem} ({number}){end}"))
        .find(|candidate| is_free(candidate))
        .unwrap_or_else(|| name.to_owned())
}
