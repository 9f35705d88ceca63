//! The file's own structure: one reading that every program shares.
//!
//! A signature is of no use where two programs read two documents from the same bytes. So what is compared is only what
//! the cross-references really name, and each object comes from the very place that they name: [`load`] takes nothing from
//! an object stream that a section does not lead to. An entry that says that an object is in use must lead exactly to that
//! object, at its header in the file or at its index in an object stream (ISO 32000-2, 7.5.4, 7.5.7 and 7.5.8); one that does
//! not is a stray ([`strays`]), whatever it leads to instead. What was appended to a signed revision, by whomever, must be
//! written in the strict form besides (`appended`).

mod appended;
mod syntax;

pub(super) use appended::{Appended, appended};

use std::collections::{BTreeMap, BTreeSet};

use aws_lc_rs::digest::{SHA256, digest};
use lopdf::xref::XrefEntry;
use lopdf::{Document, EncryptionState, LoadOptions, Object, ObjectId, ObjectStream, Stream};

use super::Fault;

/// The most that one stream of the file's own structure may decompress to.
const MAX_STRUCTURE_BYTES: usize = 64 * 1024 * 1024;

/// Pictures of more bytes than this are compared by their digest.
const LARGEST_KEPT: usize = 64 * 1024;

/// How far from the end of a file every program looks for the start of its cross-references.
const TAIL: usize = 1024;

/// Where the cross-references say that an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Entry {
    /// In the file, so many bytes from its header.
    At { offset: usize, generation: u16 },
    /// In an object stream, at an index.
    Within { container: u32, index: u16 },
}

impl Entry {
    fn generation(self) -> u16 {
        match self {
            Self::At { generation, .. } => generation,
            Self::Within { .. } => 0,
        }
    }
}

/// Entries that do not lead to their own objects, by object number.
pub(super) type Strays = BTreeSet<(u32, Entry)>;

/// Reads a file, or says why it cannot be judged. Of large pictures the SHA-256 is kept instead of the content, with
/// `allows_compression` unset, which the reader itself never does: nothing here looks into a picture, and two revisions of a
/// large file are compared in the memory of one.
pub(super) fn load(pdf: &[u8]) -> Result<Document, Fault> {
    let unreadable = |error: &lopdf::Error| Fault::Unreadable {
        reason: error.to_string(),
    };
    let options = LoadOptions {
        filter: Some(close),
        ..LoadOptions::with_max_decompressed_size(MAX_STRUCTURE_BYTES)
    };
    let mut document = Document::load_mem_with_options(pdf, options).map_err(|error| unreadable(&error))?;
    if document.encryption_state.is_some() || document.trailer.has(b"Encrypt") {
        return Err(Fault::Encrypted);
    }
    open_object_streams(&mut document).map_err(|error| unreadable(&error))?;
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

/// Whether this is the content of a stream that was read here.
fn has_content(stream: &Stream, content: &[u8]) -> bool {
    if stream.allows_compression {
        stream.content == content
    } else {
        stream.content == digest(&SHA256, content).as_ref()
    }
}

/// Keeps the reader from opening an object stream: it would take objects from it that no section names, and those whose own
/// place cannot be read. What is answered is not used.
#[allow(clippy::unnecessary_wraps)] // the form that the reader asks for
fn close(_: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    if let Object::Stream(stream) = object
        && stream.dict.has_type(b"ObjStm")
    {
        stream.dict.set("Type", Object::Null);
        stream.allows_compression = false;
    }
    Some(((0, 0), Object::Null))
}

/// Takes from each object stream the objects that the cross-references say are in it, and no others.
fn open_object_streams(document: &mut Document) -> Result<(), lopdf::Error> {
    for object in document.objects.values_mut() {
        if let Object::Stream(stream) = object
            && !stream.allows_compression
        {
            stream.dict.set("Type", "ObjStm");
            stream.allows_compression = true;
        }
    }
    let entries = entries(document);
    // The reader files an object under the number that it finds at a place.
    document
        .objects
        .retain(|id, _| matches!(entries.get(&id.0), Some(Entry::At { generation, .. }) if *generation == id.1));
    for (container, members) in within(&entries) {
        let Some(stream) = object_stream(document, &entries, container) else {
            continue;
        };
        let mut opened = match ObjectStream::new_with_limit(stream, Some(MAX_STRUCTURE_BYTES)) {
            Ok(opened) => opened,
            Err(error @ lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. })) => {
                return Err(error);
            }
            // What cannot be opened holds nothing; that is told of the entries.
            Err(_) => continue,
        };
        for (number, _) in members {
            if let Some(object) = opened.objects.remove(&(number, 0)) {
                document.objects.insert((number, 0), object);
            }
        }
    }
    Ok(())
}

/// Where the cross-references say that objects in use are.
fn entries(document: &Document) -> BTreeMap<u32, Entry> {
    document
        .reference_table
        .entries
        .iter()
        .filter_map(|(number, entry)| {
            let entry = match *entry {
                XrefEntry::Normal { offset, generation } => Entry::At {
                    offset: usize::try_from(offset).ok()?,
                    generation,
                },
                XrefEntry::Compressed { container, index } => Entry::Within { container, index },
                XrefEntry::Free | XrefEntry::UnusableFree => return None,
            };
            Some((*number, entry))
        })
        .collect()
}

/// The objects that are said to be in each object stream, with their indexes.
fn within(entries: &BTreeMap<u32, Entry>) -> BTreeMap<u32, Vec<(u32, u16)>> {
    let mut within: BTreeMap<u32, Vec<(u32, u16)>> = BTreeMap::new();
    for (number, entry) in entries {
        if let Entry::Within { container, index } = entry {
            within.entry(*container).or_default().push((*number, *index));
        }
    }
    within
}

/// An object stream that lies in the file itself, as every stream does.
fn object_stream<'a>(document: &'a Document, entries: &BTreeMap<u32, Entry>, number: u32) -> Option<&'a Stream> {
    match (entries.get(&number), document.objects.get(&(number, 0))) {
        (Some(Entry::At { generation: 0, .. }), Some(Object::Stream(stream))) if stream.dict.has_type(b"ObjStm") => {
            Some(stream)
        }
        _ => None,
    }
}

/// Where the header lies, from which offsets count.
fn header_offset(pdf: &[u8]) -> usize {
    pdf.windows(5).position(|window| window == b"%PDF-").unwrap_or(0)
}

/// The entries of the cross-references that do not lead to the objects that they name. One that leads to no object at all is
/// among them: a reader may take whatever it finds there for another object.
pub(super) fn strays(pdf: &[u8], document: &Document) -> Strays {
    // Offsets count from the header (as the reader has it), which junk may precede.
    let body = pdf.get(header_offset(pdf)..).unwrap_or_default();
    let entries = entries(document);
    let mut strays: Strays = entries
        .iter()
        .filter(|(number, entry)| match **entry {
            Entry::At { offset, generation } => !is_header(body, offset, (**number, generation)),
            Entry::Within { .. } => false,
        })
        .map(|(number, entry)| (*number, *entry))
        .collect();
    for (container, members) in within(&entries) {
        let numbers = object_stream(document, &entries, container).and_then(numbers);
        strays.extend(
            members
                .into_iter()
                .filter(|(number, index)| {
                    let numbers = numbers.as_deref().unwrap_or_default();
                    numbers.get(usize::from(*index)) != Some(number)
                })
                .map(|(number, index)| (number, Entry::Within { container, index })),
        );
    }
    // What leads to an object that nobody can read leads nowhere. The reader takes away what says how a file was encrypted.
    let encryption = document
        .encryption_state
        .as_ref()
        .and_then(EncryptionState::encrypt_object_id);
    let is_read = |(number, entry): &(&u32, &Entry)| {
        let id = (**number, entry.generation());
        document.objects.contains_key(&id) || encryption == Some(id)
    };
    strays.extend(
        entries
            .iter()
            .filter(|entry| !is_read(entry))
            .map(|(number, entry)| (*number, *entry)),
    );
    strays
}

/// The numbers of the objects in an object stream, in their order; none where one is there twice.
fn numbers(stream: &Stream) -> Option<Vec<u32>> {
    let content = stream.get_plain_content_with_limit(MAX_STRUCTURE_BYTES).ok()?;
    let number = |key: &[u8]| usize::try_from(stream.dict.get(key).and_then(Object::as_i64).ok()?).ok();
    let (count, first) = (number(b"N")?, number(b"First")?);
    let head = String::from_utf8_lossy(content.get(..first)?).into_owned();
    let numbers: Vec<u32> = head
        .split_ascii_whitespace()
        .step_by(2)
        .take(count)
        .map_while(|word| word.parse().ok())
        .collect();
    let mut seen = BTreeSet::new();
    numbers.iter().all(|number| seen.insert(*number)).then_some(numbers)
}

/// Whether nothing but white space follows the first `covered` bytes, and so little that every program still finds the start of
/// the cross-references before it.
pub(super) fn is_only_padding(pdf: &[u8], covered: usize) -> bool {
    const START: &[u8] = b"startxref";
    let tail = pdf.get(pdf.len().saturating_sub(TAIL)..).unwrap_or_default();
    let rest = pdf.get(covered..).unwrap_or_default();
    rest.iter().all(|byte| syntax::is_white(*byte)) && tail.windows(START.len()).any(|window| window == START)
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

/// Whether the header of this object stands exactly here.
fn is_header(body: &[u8], offset: usize, id: ObjectId) -> bool {
    // Further digits before it would make it the header of another object.
    let is_whole = offset
        .checked_sub(1)
        .and_then(|before| body.get(before))
        .is_none_or(|before| !before.is_ascii_digit());
    is_whole && body.get(offset..).and_then(header) == Some(id)
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
