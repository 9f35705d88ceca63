//! What follows a signed revision must be revisions in the strict form of ISO 32000-2, 7.5, and nothing else.
//!
//! Programs mend damaged files, each in its own way: one that meets an entry of 19 bytes, a `/Size` or an `/XRefStm` that it
//! does not believe searches the whole file for objects, and takes the last that it finds under a number. Whoever appends a
//! revision that our reader takes and another mends could so let the other show an object that no cross-reference names. So
//! every byte behind the signed ones is accounted for: it belongs to an object that its revision's cross-references name at
//! this very place, to those, to a trailer, or to white space between them; and what leads from one revision to the next is
//! written so that nobody has to mend it.

use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::syntax::Syntax;
use super::{Entry, MAX_STRUCTURE_BYTES, entries, has_content, is_only_padding};

/// How many numbers may be reserved and not used; `/Size` counts them.
const MAX_RESERVED: u32 = 256;
/// More columns of a cross-reference stream than there are fields, each of eight bytes at most.
const MAX_WIDTH: usize = 8;

/// What follows a signed revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::verify) enum Appended {
    /// Revisions in the strict form, and nothing else.
    Revisions,
    /// Something that programs would mend, each in its own way.
    OddForm,
    /// A revision in whose cross-references the entry of this object does not lead to it, or that writes this object while the
    /// reader is led to another.
    Misled(u32),
}

/// The state of the file before a revision.
struct Previous {
    /// Where its cross-reference section lies, from the header.
    section: usize,
    size: u32,
    /// Where it says that objects are.
    entries: BTreeMap<u32, Entry>,
    /// What was freed since it was signed. It stays so: a number that comes back would be another object (7.5.4).
    freed: BTreeSet<u32>,
}

/// What a cross-reference section says of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    Free,
    InUse(Entry),
}

/// A cross-reference section: its rows and its trailer.
struct Section {
    rows: Vec<(u32, Row)>,
    trailer: Dictionary,
}

/// A revision as it is written.
struct Revision {
    /// Its objects by their places from the header; of streams that belong to the file's structure the whole.
    objects: BTreeMap<usize, (ObjectId, Option<Stream>)>,
    /// Where its section lies, from the header.
    named: usize,
    section: Section,
    /// The cross-reference stream besides its table (7.5.8.4), with its place.
    hybrid: Option<(usize, Section)>,
}

/// What follows the first `covered` bytes, which are the revision `signed`. `current` is the reading of the whole file.
pub(in crate::verify) fn appended(pdf: &[u8], signed: &Document, current: &Document, covered: usize) -> Appended {
    let size = number(&signed.trailer, b"Size").unwrap_or(0);
    let highest = signed.reference_table.max_id().saturating_add(1);
    let mut previous = Previous {
        section: signed.xref_start,
        size: size.max(highest),
        entries: entries(signed),
        freed: BTreeSet::new(),
    };
    let start = super::header_offset(pdf);
    let mut syntax = Syntax::new(pdf, covered);
    // White space and comments alone are no revision; whether they may stand there is for others to say.
    syntax.space();
    while !syntax.is_at_end() && !is_only_padding(pdf, syntax.at) {
        let Some(revision) = read(&mut syntax, start, current) else {
            return Appended::OddForm;
        };
        match next(&revision, &previous, signed) {
            Ok(next) => previous = next,
            Err(flaw) => return flaw,
        }
    }
    if previous.entries != entries(current) {
        return Appended::OddForm;
    }
    let begin = covered.saturating_sub(start);
    previous
        .entries
        .iter()
        .find_map(|(number, entry)| match entry {
            Entry::At { offset, generation } if *offset >= begin => {
                let (_, written) = Syntax::new(pdf, start.checked_add(*offset)?).indirect(current)?;
                let read = current.objects.get(&(*number, *generation));
                (!read.is_some_and(|read| is_read_as(&written, read))).then_some(*number)
            }
            _ => None,
        })
        .map_or(Appended::Revisions, Appended::Misled)
}

/// Whether the reader has an object as it is written. What a text or a number with a fraction says is not looked at.
fn is_read_as(written: &Object, read: &Object) -> bool {
    let are_entries = |written: &Dictionary, read: &Dictionary, but: &[u8]| {
        let without = |dictionary: &Dictionary| dictionary.len() - usize::from(dictionary.has(but));
        without(written) == without(read)
            && written
                .iter()
                .filter(|(key, _)| key.as_slice() != but)
                .all(|(key, value)| read.get(key).is_ok_and(|other| is_read_as(value, other)))
    };
    match (written, read) {
        (Object::String(..), Object::String(..)) | (Object::Real(_), Object::Real(_) | Object::Integer(_)) => true,
        (Object::Array(written), Object::Array(read)) => {
            written.len() == read.len()
                && written
                    .iter()
                    .zip(read)
                    .all(|(written, read)| is_read_as(written, read))
        }
        (Object::Dictionary(written), Object::Dictionary(read)) => are_entries(written, read, b""),
        (Object::Stream(written), Object::Stream(read)) => {
            are_entries(&written.dict, &read.dict, b"Length") && has_content(read, &written.content)
        }
        (written, read) => written == read,
    }
}

/// Reads one revision to its end.
fn read(syntax: &mut Syntax<'_>, start: usize, current: &Document) -> Option<Revision> {
    let mut objects: BTreeMap<usize, (ObjectId, Option<Stream>)> = BTreeMap::new();
    let mut table = None;
    loop {
        syntax.space();
        let at = syntax.at.checked_sub(start)?;
        if syntax.is_at(b"startxref") {
            break;
        } else if syntax.is_at(b"xref") {
            if table.replace((at, read_table(syntax)?)).is_some() {
                return None;
            }
        } else if table.is_some() {
            return None;
        } else {
            let (id, object) = syntax.indirect(current)?;
            let structure = match object {
                Object::Stream(stream) if [&b"XRef"[..], b"ObjStm"].iter().any(|kind| stream.dict.has_type(kind)) => {
                    Some(stream)
                }
                _ => None,
            };
            objects.insert(at, (id, structure));
        }
    }
    let named = end(syntax)?;
    let stream_at = |at: usize| read_stream(objects.get(&at)?.1.as_ref()?);
    let (section, hybrid) = match table {
        Some((at, section)) if at == named => {
            let hybrid = match section.trailer.get(b"XRefStm") {
                Ok(_) => {
                    let at = usize::try_from(number(&section.trailer, b"XRefStm")?).ok()?;
                    Some((at, stream_at(at)?))
                }
                Err(_) => None,
            };
            (section, hybrid)
        }
        Some(_) => return None,
        None => (stream_at(named)?, None),
    };
    Some(Revision {
        objects,
        named,
        section,
        hybrid,
    })
}

/// The state of the file after a revision; or what is wrong with the revision.
fn next(revision: &Revision, previous: &Previous, signed: &Document) -> Result<Previous, Appended> {
    let rows = rows(revision, previous).ok_or(Appended::OddForm)?;
    let members = members(revision).ok_or(Appended::OddForm)?;
    let (mut entries, mut freed) = (previous.entries.clone(), previous.freed.clone());
    for (number, row) in &rows {
        let Row::InUse(entry) = row else {
            freed.extend(entries.remove(number).map(|_| *number));
            continue;
        };
        if freed.contains(number) {
            return Err(Appended::OddForm);
        }
        let is_there = match entry {
            Entry::At { offset, generation } => revision
                .objects
                .get(offset)
                .is_some_and(|(id, _)| *id == (*number, *generation)),
            Entry::Within { .. } => members.get(number) == Some(entry),
        };
        // A section may also repeat where an object has been before.
        if !is_there && previous.entries.get(number) != Some(entry) {
            return Err(Appended::Misled(*number));
        }
        entries.insert(*number, *entry);
    }
    // Every object of this revision is named where it lies.
    let is_section =
        |offset: usize| offset == revision.named || revision.hybrid.as_ref().is_some_and(|(at, _)| *at == offset);
    let are_named = revision.objects.iter().all(|(offset, ((number, generation), _))| {
        let (offset, generation) = (*offset, *generation);
        rows.get(number) == Some(&Row::InUse(Entry::At { offset, generation })) || is_section(offset)
    }) && members
        .iter()
        .all(|(number, entry)| rows.get(number) == Some(&Row::InUse(*entry)));
    let size = size(revision, previous, &rows, &members).ok_or(Appended::OddForm)?;
    if !are_named || !leads_back(revision, previous, signed) {
        return Err(Appended::OddForm);
    }
    Ok(Previous {
        section: revision.named,
        size: previous.size.max(size),
        entries,
        freed,
    })
}

/// What the sections of a revision say, each object once. What the stream of a hybrid file adds to its table must be new: some
/// programs do not see it.
fn rows(revision: &Revision, previous: &Previous) -> Option<BTreeMap<u32, Row>> {
    let each_once = |section: &Section| {
        let rows: BTreeMap<u32, Row> = section.rows.iter().copied().collect();
        (rows.len() == section.rows.len()).then_some(rows)
    };
    let mut rows = each_once(&revision.section)?;
    let hidden = match &revision.hybrid {
        Some((_, section)) => each_once(section)?,
        None => BTreeMap::new(),
    };
    for (number, row) in hidden.into_iter().filter(|(_, row)| *row != Row::Free) {
        let is_seen = matches!(rows.insert(number, row), Some(Row::InUse(_)));
        if is_seen || previous.entries.contains_key(&number) {
            return None;
        }
    }
    Some(rows)
}

/// The objects in the object streams of a revision, each once.
fn members(revision: &Revision) -> Option<BTreeMap<u32, Entry>> {
    let mut members = BTreeMap::new();
    let streams = revision.objects.values().filter_map(|(id, stream)| {
        let stream = stream.as_ref().filter(|stream| stream.dict.has_type(b"ObjStm"))?;
        Some((*id, stream))
    });
    for ((container, generation), stream) in streams {
        for (index, number) in (0_u16..).zip(read_members(stream).filter(|_| generation == 0)?) {
            if members.insert(number, Entry::Within { container, index }).is_some() {
                return None;
            }
        }
    }
    Some(members)
}

/// The `/Size` of a revision, which is what its objects ask for.
fn size(
    revision: &Revision,
    previous: &Previous,
    rows: &BTreeMap<u32, Row>,
    members: &BTreeMap<u32, Entry>,
) -> Option<u32> {
    let size = number(&revision.section.trailer, b"Size")?;
    let written = revision.objects.values().map(|(id, _)| id.0).max();
    let least = written
        .max(members.keys().next_back().copied())
        .unwrap_or(0)
        .checked_add(1)?;
    let is_right = (least..=least.max(previous.size).saturating_add(MAX_RESERVED)).contains(&size);
    let are_within = rows.iter().all(|(number, row)| *row == Row::Free || *number < size);
    (is_right && are_within).then_some(size)
}

/// Whether a revision leads to the section before it and nowhere else, and to the same document.
fn leads_back(revision: &Revision, previous: &Previous, signed: &Document) -> bool {
    let trailer = &revision.section.trailer;
    let (root, prev) = (trailer.get(b"Root").ok(), trailer.get(b"Prev").ok());
    let leads_back = number(trailer, b"Prev").and_then(|prev| usize::try_from(prev).ok()) == Some(previous.section);
    let is_same_document = matches!(root, Some(Object::Reference(_))) && root == signed.trailer.get(b"Root").ok();
    // Of a second section some programs take what the first one says.
    let agrees = revision.hybrid.as_ref().is_none_or(|(_, hybrid)| {
        let is_same = |key: &[u8], said| hybrid.trailer.get(key).map_or(true, |own| Some(own) == said);
        is_same(b"Root", root) && is_same(b"Prev", prev)
    });
    let has_other_section = trailer.has_type(b"XRef") && trailer.has(b"XRefStm");
    leads_back && is_same_document && agrees && !has_other_section && !trailer.has(b"Encrypt")
}

/// The end of a revision: where it says that its section lies, and one end of line at most behind the mark.
fn end(syntax: &mut Syntax<'_>) -> Option<usize> {
    const MOST: usize = 3;
    syntax.take(b"startxref")?;
    syntax.blank(MOST)?;
    let named = syntax.number()?;
    syntax.blank(MOST)?;
    syntax.take(b"%%EOF")?;
    syntax
        .take(b"\r\n")
        .or_else(|| syntax.take(b"\n"))
        .or_else(|| syntax.take(b"\r"));
    Some(named)
}

/// A whole number of 32 bits, written in digits alone.
fn number(dictionary: &Dictionary, key: &[u8]) -> Option<u32> {
    dictionary
        .get(key)
        .and_then(Object::as_i64)
        .ok()
        .and_then(|number| u32::try_from(number).ok())
}

/// A cross-reference table with its trailer (7.5.4): entries of exactly 20 bytes.
fn read_table(syntax: &mut Syntax<'_>) -> Option<Section> {
    const LINE: usize = 3;
    syntax.take(b"xref")?;
    syntax.blank(LINE)?;
    let mut rows = Vec::new();
    while !syntax.is_at(b"trailer") {
        let first = u32::try_from(syntax.number()?).ok()?;
        syntax.take(b" ")?;
        let count = u32::try_from(syntax.number()?).ok()?;
        syntax.blank(LINE)?;
        for index in 0..count {
            let offset = whole(syntax, 10)?;
            syntax.take(b" ")?;
            let generation = u16::try_from(whole(syntax, 5)?).ok()?;
            let is_in_use = syntax.take(b" n").is_some();
            if !is_in_use {
                syntax.take(b" f")?;
            }
            syntax
                .take(b" \n")
                .or_else(|| syntax.take(b" \r"))
                .or_else(|| syntax.take(b"\r\n"))?;
            let row = if is_in_use {
                Row::InUse(Entry::At { offset, generation })
            } else {
                Row::Free
            };
            rows.push((first.checked_add(index)?, row));
        }
    }
    syntax.take(b"trailer")?;
    syntax.space();
    match syntax.object(0)? {
        Object::Dictionary(trailer) => Some(Section { rows, trailer }),
        _ => None,
    }
}

/// A number of exactly so many digits.
fn whole(syntax: &mut Syntax<'_>, length: usize) -> Option<usize> {
    let digits = syntax.digits(length).filter(|digits| digits.len() == length)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// A stream's content as it is meant.
fn decoded(stream: &Stream) -> Option<Vec<u8>> {
    if stream.dict.has(b"Filter") {
        stream.decompressed_content_with_limit(MAX_STRUCTURE_BYTES).ok()
    } else {
        Some(stream.content.clone())
    }
}

/// The numbers of the objects in an object stream (7.5.7), which lie one behind another.
fn read_members(stream: &Stream) -> Option<Vec<u32>> {
    let content = decoded(stream)?;
    let first = usize::try_from(number(&stream.dict, b"First")?).ok()?;
    let mut head = Syntax::new(content.get(..first)?, 0);
    let mut members = Vec::new();
    head.white();
    for _ in 0..number(&stream.dict, b"N")? {
        let number = u32::try_from(head.number()?).ok()?;
        head.white();
        members.push((number, first.checked_add(head.number()?)?));
        head.white();
    }
    let ends = members.iter().skip(1).map(|(_, at)| *at).chain([content.len()]);
    let are_in_order = members.iter().zip(ends).all(|((_, at), end)| {
        let Some(upto) = content.get(..end).filter(|_| *at < end) else {
            return false;
        };
        let mut syntax = Syntax::new(upto, *at);
        syntax.space();
        let is_object = syntax.object(0).is_some();
        syntax.space();
        is_object && syntax.is_at_end()
    });
    (head.is_at_end() && are_in_order).then(|| members.into_iter().map(|(number, _)| number).collect())
}

/// A cross-reference stream (7.5.8).
fn read_stream(stream: &Stream) -> Option<Section> {
    if !stream.dict.has_type(b"XRef") {
        return None;
    }
    let content = decoded(stream)?;
    let numbers = |key: &[u8]| {
        let array = stream.dict.get(key).and_then(Object::as_array).ok()?;
        array
            .iter()
            .map(|number| usize::try_from(number.as_i64().ok()?).ok())
            .collect::<Option<Vec<_>>>()
    };
    let widths = numbers(b"W")?;
    let [kind, second, third] = widths.as_slice() else {
        return None;
    };
    if widths.iter().any(|width| *width > MAX_WIDTH) || *second == 0 {
        return None;
    }
    let size = usize::try_from(number(&stream.dict, b"Size")?).ok()?;
    let index = if stream.dict.has(b"Index") {
        numbers(b"Index")?
    } else {
        vec![0, size]
    };
    let mut rows = Vec::new();
    let mut written = content.chunks_exact(kind + second + third);
    for part in index.chunks(2) {
        let [first, count] = part else { return None };
        let end = first.checked_add(*count).filter(|end| *end <= size)?;
        for number in *first..end {
            let (kind, rest) = written.next()?.split_at_checked(*kind)?;
            let (second, third) = rest.split_at_checked(*second)?;
            let (second, third) = (value(second)?, u16::try_from(value(third)?).ok()?);
            let kind = if kind.is_empty() { 1 } else { value(kind)? };
            let row = match kind {
                0 => Row::Free,
                1 => Row::InUse(Entry::At {
                    offset: usize::try_from(second).ok()?,
                    generation: third,
                }),
                2 => Row::InUse(Entry::Within {
                    container: u32::try_from(second).ok()?,
                    index: third,
                }),
                _ => return None,
            };
            rows.push((u32::try_from(number).ok()?, row));
        }
    }
    (written.next().is_none() && written.remainder().is_empty()).then(|| Section {
        rows,
        trailer: stream.dict.clone(),
    })
}

fn value(bytes: &[u8]) -> Option<u64> {
    bytes
        .iter()
        .try_fold(0_u64, |value, byte| Some(value.checked_mul(256)? + u64::from(*byte)))
}
