//! The tests' own writer. It appends revisions with lopdf, as another program would, to imitate files changed by
//! others.

use std::collections::BTreeMap;
use std::ops::Range;

use aws_lc_rs::digest::{Context, SHA256};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, StringFormat, Writer};
use thiserror::Error;

/// Maximum length of a chain of references to references.
const MAX_REFERENCE_CHAIN: usize = 16;
/// Number of bytes searched at the end of a file for `startxref`, which may be followed by padding.
const TAIL: usize = 2048;

/// Reasons why no revision can be appended.
#[derive(Debug, Error)]
pub enum RevisionError {
    /// The file is encrypted, or was when it was read.
    #[error("the file is encrypted; nothing can be appended before intake has decrypted it")]
    Encrypted,
    /// The last `startxref` is missing or points to no section.
    #[error("the file's last startxref does not lead to a cross-reference section; rewrite the file first")]
    BrokenCrossReference,
    /// The trailer does not name a document catalog.
    #[error("the file's trailer names no document catalog (/Root)")]
    NoCatalog,
    /// The object to change does not exist.
    #[error("object {0} {1} does not exist in this file")]
    NoSuchObject(u32, u16),
    /// The object to change as a dictionary is not a dictionary.
    #[error("object {0} {1} is not a dictionary")]
    NotADictionary(u32, u16),
    /// Offsets or object numbers would exceed the range of the format.
    #[error("the file is too large for another revision (offsets end at 4 GiB)")]
    TooLarge,
    /// An object could not be serialised.
    #[error("an object could not be written: {0}")]
    Write(#[from] std::io::Error),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SectionKind {
    Table,
    Stream,
}

/// Collects changed and new objects and appends them as one revision.
#[derive(Debug)]
pub struct RevisionWriter<'a> {
    previous: &'a [u8],
    document: &'a Document,
    objects: BTreeMap<ObjectId, Object>,
    next_number: u32,
    root: ObjectId,
    section_start: usize,
    section_kind: SectionKind,
}

#[derive(Debug)]
pub struct Revision {
    /// The whole file: the earlier bytes, unchanged, and the new revision.
    pub bytes: Vec<u8>,
    /// The range of each written object in `bytes`, from its number to `endobj`.
    pub written: BTreeMap<ObjectId, Range<usize>>,
}

impl<'a> RevisionWriter<'a> {
    /// Starts a revision of the file `previous`, which was parsed as `document`.
    pub fn new(previous: &'a [u8], document: &'a Document) -> Result<Self, RevisionError> {
        if document.encryption_state.is_some() || document.trailer.has(b"Encrypt") {
            return Err(RevisionError::Encrypted);
        }
        let root = document
            .trailer
            .get(b"Root")
            .and_then(Object::as_reference)
            .map_err(|_| RevisionError::NoCatalog)?;
        let (section_start, section_kind) = last_section(previous)?;
        let size = document
            .trailer
            .get(b"Size")
            .and_then(Object::as_i64)
            .ok()
            .and_then(|size| u32::try_from(size).ok())
            .unwrap_or(0);
        let highest = document
            .objects
            .last_key_value()
            .map_or(0, |(id, _)| id.0)
            .max(document.max_id)
            .max(document.reference_table.max_id());
        let next_number = size.max(highest.checked_add(1).ok_or(RevisionError::TooLarge)?);
        Ok(Self {
            previous,
            document,
            objects: BTreeMap::new(),
            next_number,
            root,
            section_start,
            section_kind,
        })
    }

    /// Returns the object id of the document catalog.
    pub fn root(&self) -> ObjectId {
        self.root
    }

    /// Reserves a number for an object to be added with [`Self::replace`], so that objects can refer to each other.
    pub fn reserve(&mut self) -> ObjectId {
        let id = (self.next_number, 0);
        // `finish` returns an error if the numbers are exhausted.
        self.next_number = self.next_number.saturating_add(1);
        id
    }

    /// Adds a new object and returns its id.
    pub fn add(&mut self, object: impl Into<Object>) -> ObjectId {
        let id = self.reserve();
        self.objects.insert(id, object.into());
        id
    }

    pub fn replace(&mut self, id: ObjectId, object: impl Into<Object>) {
        self.objects.insert(id, object.into());
    }

    /// Returns the newest state of an object.
    pub fn object(&self, id: ObjectId) -> Option<&Object> {
        self.objects.get(&id).or_else(|| self.document.objects.get(&id))
    }

    /// Resolves references in their newest state. A dangling reference means null (7.3.10).
    pub(crate) fn resolve<'o>(&'o self, object: &'o Object) -> &'o Object {
        let mut object = object;
        for _ in 0..MAX_REFERENCE_CHAIN {
            let Object::Reference(id) = object else {
                return object;
            };
            match self.object(*id) {
                Some(next) => object = next,
                None => return &Object::Null,
            }
        }
        &Object::Null
    }

    /// Returns an object for editing.
    pub fn edit(&mut self, id: ObjectId) -> Result<&mut Object, RevisionError> {
        use std::collections::btree_map::Entry;
        match self.objects.entry(id) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                let object = self
                    .document
                    .objects
                    .get(&id)
                    .ok_or(RevisionError::NoSuchObject(id.0, id.1))?;
                Ok(entry.insert(object.clone()))
            }
        }
    }

    /// Returns a dictionary, or a stream's dictionary, for editing.
    pub fn edit_dictionary(&mut self, id: ObjectId) -> Result<&mut Dictionary, RevisionError> {
        match self.edit(id)? {
            Object::Dictionary(dictionary) => Ok(dictionary),
            Object::Stream(stream) => Ok(&mut stream.dict),
            _ => Err(RevisionError::NotADictionary(id.0, id.1)),
        }
    }

    /// Writes the revision after the file.
    pub fn finish(mut self) -> Result<Revision, RevisionError> {
        self.objects
            .retain(|id, object| self.document.objects.get(id) != Some(&*object));
        let mut bytes = Vec::with_capacity(self.previous.len() + 4096 + 256 * self.objects.len());
        bytes.extend_from_slice(self.previous);
        if bytes.last() != Some(&b'\n') {
            bytes.push(b'\n');
        }
        let mut written = BTreeMap::new();
        for (id, object) in &self.objects {
            let start = bytes.len();
            write_indirect(&mut bytes, *id, object)?;
            written.insert(*id, start..bytes.len());
        }

        let mut trailer = self.trailer(bytes.get(self.previous.len()..).unwrap_or_default());
        let start = bytes.len();
        let mut entries: BTreeMap<ObjectId, usize> = written.iter().map(|(id, range)| (*id, range.start)).collect();
        match self.section_kind {
            SectionKind::Table => {
                trailer.set("Size", i64::from(self.next_number));
                write_table(&mut bytes, &entries);
                bytes.extend_from_slice(b"trailer\n");
                Writer::write_object(&mut bytes, &Object::Dictionary(trailer))?;
                bytes.push(b'\n');
            }
            SectionKind::Stream => {
                let id = self.reserve();
                entries.insert(id, start);
                trailer.set("Size", i64::from(self.next_number));
                let stream = section_stream(trailer, &entries)?;
                write_indirect(&mut bytes, id, &Object::Stream(stream))?;
            }
        }
        bytes.extend_from_slice(format!("startxref\n{start}\n%%EOF\n").as_bytes());
        if self.next_number == u32::MAX || u32::try_from(bytes.len()).is_err() {
            return Err(RevisionError::TooLarge);
        }
        Ok(Revision { bytes, written })
    }

    fn trailer(&self, appended: &[u8]) -> Dictionary {
        let mut trailer = Dictionary::new();
        for key in [&b"Root"[..], b"Info", b"ID"] {
            if let Ok(value) = self.document.trailer.get(key) {
                trailer.set(key.to_vec(), value.clone());
            }
        }
        let halves = trailer
            .get(b"ID")
            .ok()
            .and_then(|id| self.resolve(id).as_array().ok())
            .and_then(|halves| match halves.as_slice() {
                [permanent, changing] => Some((permanent.clone(), changing.as_str().ok()?)),
                _ => None,
            });
        if let Some((permanent, changing)) = halves {
            let mut digest = Context::new(&SHA256);
            digest.update(changing);
            digest.update(appended);
            let changed: Vec<u8> = digest.finish().as_ref().iter().take(16).copied().collect();
            trailer.set(
                "ID",
                vec![permanent, Object::String(changed, StringFormat::Hexadecimal)],
            );
        } else {
            trailer.remove(b"ID");
        }
        // No file has 2^63 bytes, so the cast back from the parsed offset is safe.
        trailer.set("Prev", i64::try_from(self.section_start).unwrap_or(i64::MAX));
        trailer
    }
}

/// Writes an object with its number (7.3.10).
pub(crate) fn write_indirect(bytes: &mut Vec<u8>, id: ObjectId, object: &Object) -> Result<(), std::io::Error> {
    bytes.extend_from_slice(format!("{} {} obj\n", id.0, id.1).as_bytes());
    match object {
        Object::Dictionary(dictionary) => write_dictionary(bytes, dictionary)?,
        other => Writer::write_object(bytes, other)?,
    }
    bytes.extend_from_slice(b"\nendobj\n");
    Ok(())
}

/// Writes a dictionary as [`Writer`] does, but faster for long hexadecimal strings such as a signature.
fn write_dictionary(bytes: &mut Vec<u8>, dictionary: &Dictionary) -> Result<(), std::io::Error> {
    bytes.extend_from_slice(b"<<");
    for (key, value) in dictionary {
        Writer::write_object(bytes, &Object::Name(key.clone()))?;
        match value {
            Object::String(string, StringFormat::Hexadecimal) => {
                bytes.push(b'<');
                bytes.extend(string.iter().flat_map(|byte| format!("{byte:02X}").into_bytes()));
                bytes.push(b'>');
            }
            other => {
                let begins_by_itself = matches!(
                    other,
                    Object::Array(_) | Object::Dictionary(_) | Object::String(..) | Object::Name(_)
                );
                if !begins_by_itself {
                    bytes.push(b' ');
                }
                Writer::write_object(bytes, other)?;
            }
        }
    }
    bytes.extend_from_slice(b">>");
    Ok(())
}

/// Groups the entries into runs of consecutive object numbers (7.5.4: subsections).
fn subsections(entries: &BTreeMap<ObjectId, usize>) -> Vec<Vec<(ObjectId, usize)>> {
    let mut runs: Vec<Vec<(ObjectId, usize)>> = Vec::new();
    for (id, offset) in entries {
        let follows = runs
            .last()
            .and_then(|run| run.last())
            .is_some_and(|(last, _)| last.0.checked_add(1) == Some(id.0));
        match runs.last_mut() {
            Some(run) if follows => run.push((*id, *offset)),
            _ => runs.push(vec![(*id, *offset)]),
        }
    }
    runs
}

fn write_table(bytes: &mut Vec<u8>, entries: &BTreeMap<ObjectId, usize>) {
    bytes.extend_from_slice(b"xref\n");
    let runs = subsections(entries);
    if runs.is_empty() {
        // A table requires at least one subsection. An empty one has no effect.
        bytes.extend_from_slice(b"0 0\n");
    }
    for run in runs {
        let first = run.first().map_or(0, |(id, _)| id.0);
        bytes.extend_from_slice(format!("{first} {}\n", run.len()).as_bytes());
        for (id, offset) in run {
            bytes.extend_from_slice(format!("{offset:010} {:05} n\r\n", id.1).as_bytes());
        }
    }
}

fn section_stream(mut dictionary: Dictionary, entries: &BTreeMap<ObjectId, usize>) -> Result<Stream, RevisionError> {
    let mut index: Vec<Object> = Vec::new();
    let mut content = Vec::new();
    for run in subsections(entries) {
        let first = run.first().map_or(0, |(id, _)| id.0);
        index.push(i64::from(first).into());
        index.push(i64::try_from(run.len()).unwrap_or(i64::MAX).into());
        for (id, offset) in run {
            let offset = u32::try_from(offset).map_err(|_| RevisionError::TooLarge)?;
            content.push(1);
            content.extend_from_slice(&offset.to_be_bytes());
            content.extend_from_slice(&id.1.to_be_bytes());
        }
    }
    dictionary.set("Type", "XRef");
    dictionary.set("W", vec![1.into(), 4.into(), 2.into()]);
    dictionary.set("Index", index);
    Ok(Stream::new(dictionary, content).with_compression(false))
}

/// Returns the offset and kind of the section named by the file's last `startxref`.
fn last_section(file: &[u8]) -> Result<(usize, SectionKind), RevisionError> {
    let broken = || RevisionError::BrokenCrossReference;
    let tail = file.get(file.len().saturating_sub(TAIL)..).unwrap_or_default();
    let keyword = b"startxref";
    let position = tail
        .windows(keyword.len())
        .rposition(|window| window == keyword)
        .ok_or_else(broken)?;
    let after = tail.get(position + keyword.len()..).unwrap_or_default();
    let offset = number(after).ok_or_else(broken)?.0;
    let section = file.get(offset..).ok_or_else(broken)?;
    if section.starts_with(b"xref") {
        return Ok((offset, SectionKind::Table));
    }
    // A stream starts with `number generation obj`.
    let (_, rest) = number(section).ok_or_else(broken)?;
    let (_, rest) = number(rest).ok_or_else(broken)?;
    if rest.trim_ascii_start().starts_with(b"obj") {
        Ok((offset, SectionKind::Stream))
    } else {
        Err(broken())
    }
}

/// Parses a decimal number after optional white space. Returns it and the rest.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let bytes = bytes.trim_ascii_start();
    let length = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = bytes.split_at_checked(length)?;
    let value = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((value, rest))
}
