//! Objects and operations out of any bytes, written as one revision behind a file. The earlier bytes stay, what was written
//! is read again as it was, and what was not touched is what it was.

use arbitrary::{Result, Unstructured};
use document::pdf::revision::RevisionWriter;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, StringFormat};

use crate::materials::sample;

/// How deep an object of its own may be; a stream can be nothing else (7.3.8).
const INDIRECT: u32 = 4;

/// Any objects, written behind a file. True where the bytes are enough for one revision.
pub fn revision(data: &[u8]) -> bool {
    // What an `Err` means is that the input is used up.
    let mut written = 0;
    let _ = run(&mut Unstructured::new(data), &mut written);
    written > 0
}

fn run(input: &mut Unstructured<'_>, written: &mut u32) -> Result<()> {
    let mut file = sample(input.arbitrary()?, input.arbitrary()?);
    for _ in 0..input.int_in_range(1..=3)? {
        file = revise(input, &file)?;
        *written += 1;
    }
    Ok(())
}

fn revise(input: &mut Unstructured<'_>, file: &[u8]) -> Result<Vec<u8>> {
    let document = Document::load_mem(file).expect("what was written is read");
    let known: Vec<ObjectId> = document.objects.keys().copied().collect();
    let mut writer = RevisionWriter::new(file, &document).expect("a sound file can be revised");
    let mut expected: Vec<(ObjectId, Object)> = Vec::new();
    for _ in 0..input.int_in_range(0..=6)? {
        match input.int_in_range(0..=3)? {
            0 => {
                let object = object(input, INDIRECT)?;
                let id = *input.choose(&known)?;
                // The page tree and the object streams stay, or nothing could be read again.
                let is_structure = document.get_object(id).and_then(Object::type_name).is_ok();
                if !is_structure {
                    writer.replace(id, object.clone());
                    expected.retain(|(other, _)| *other != id);
                    expected.push((id, object));
                }
            }
            1 => {
                let object = object(input, INDIRECT - 1)?;
                let root = writer.root();
                writer
                    .edit_dictionary(root)
                    .expect("the catalog")
                    .set("CsNote", object.clone());
                expected.retain(|(other, _)| *other != root);
                let catalog = writer.object(root).expect("the catalog").clone();
                expected.push((root, catalog));
            }
            _ => {
                let object = object(input, INDIRECT)?;
                let id = writer.add(object.clone());
                assert!(!known.contains(&id), "a new number is new");
                expected.push((id, object));
            }
        }
    }
    let revision = writer.finish().expect("written");
    assert!(revision.bytes.starts_with(file), "the earlier bytes stay");
    for (id, range) in &revision.written {
        let written = revision.bytes.get(range.clone()).expect("it is within the file");
        assert!(
            written.starts_with(format!("{} {} obj\n", id.0, id.1).as_bytes()),
            "{id:?} is where it is said to be"
        );
        assert!(written.ends_with(b"endobj\n"), "{id:?} ends there");
    }
    let read = Document::load_mem(&revision.bytes).expect("the revision is read");
    assert!(read.xref_recovery.is_none(), "nothing had to be repaired");
    for (id, object) in &expected {
        let found = read.objects.get(id).unwrap_or(&Object::Null);
        assert!(
            is_same(object, found),
            "{id:?} was written as {object:?} and read as {found:?}"
        );
    }
    for id in &known {
        if expected.iter().all(|(other, _)| other != id) {
            assert_eq!(document.objects.get(id), read.objects.get(id), "{id:?} was not touched");
        }
    }
    Ok(revision.bytes)
}

fn object(input: &mut Unstructured<'_>, depth: u32) -> Result<Object> {
    let most = if depth == 0 { 6 } else { 9 };
    Ok(match input.int_in_range(0..=most)? {
        0 => Object::Null,
        1 => Object::Boolean(input.arbitrary()?),
        2 => Object::Integer(input.arbitrary()?),
        // Sixty-fourths are exact in binary and in few decimals.
        3 => Object::Real(f32::from(input.arbitrary::<i16>()?) / 64.0),
        4 => Object::Name(name(input)?),
        5 => Object::String(input.arbitrary()?, StringFormat::Literal),
        6 => Object::String(input.arbitrary()?, StringFormat::Hexadecimal),
        7 => {
            let count = input.int_in_range(0..=4)?;
            Object::Array((0..count).map(|_| object(input, depth - 1)).collect::<Result<_>>()?)
        }
        8 => Object::Dictionary(dictionary(input, depth - 1)?),
        _ if depth == INDIRECT => Object::Stream(Stream::new(dictionary(input, depth - 1)?, input.arbitrary()?)),
        _ => Object::Reference((input.int_in_range(1..=20)?, 0)),
    })
}

fn dictionary(input: &mut Unstructured<'_>, depth: u32) -> Result<Dictionary> {
    let mut dictionary = Dictionary::new();
    for _ in 0..input.int_in_range(0..=4)? {
        let value = object(input, depth)?;
        dictionary.set(name(input)?, value);
    }
    // What says how a stream is read is not ours to invent.
    for key in [&b"Length"[..], b"Filter", b"DecodeParms", b"Type", b"F"] {
        dictionary.remove(key);
    }
    Ok(dictionary)
}

/// A name: no byte of it is zero (7.3.5).
fn name(input: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut name: Vec<u8> = input.arbitrary()?;
    name.retain(|byte| *byte != 0);
    Ok(name)
}

/// Equal but for a stream's length, and for an entry that is null, which is none (7.3.7).
fn is_same(written: &Object, read: &Object) -> bool {
    match (written, read) {
        (Object::Stream(written), Object::Stream(read)) => {
            written.content == read.content && are_same(&written.dict, &read.dict)
        }
        (Object::Dictionary(written), Object::Dictionary(read)) => are_same(written, read),
        (Object::Array(written), Object::Array(read)) => {
            written.len() == read.len() && written.iter().zip(read).all(|(a, b)| is_same(a, b))
        }
        (Object::String(written, _), Object::String(read, _)) => written == read,
        // A whole real may be read as an integer.
        (Object::Real(written), read) => read.as_float().is_ok_and(|read| (read - written).abs() < 0.001),
        _ => written == read,
    }
}

fn are_same(written: &Dictionary, read: &Dictionary) -> bool {
    let entries = |dictionary: &Dictionary| {
        dictionary
            .iter()
            .filter(|(key, value)| key.as_slice() != b"Length" && **value != Object::Null)
            .count()
    };
    entries(written) == entries(read)
        && written
            .iter()
            .filter(|(_, value)| **value != Object::Null)
            .all(|(key, value)| {
                read.get(key)
                    .is_ok_and(|other| key == b"Length" || is_same(value, other))
            })
}
