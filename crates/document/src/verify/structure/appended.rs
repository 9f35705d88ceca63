//! What follows a signed revision must be revisions in the strict form of ISO 32000-2, 7.5, and nothing else.
//!
//! Programs mend damaged files, each in its own way: one that meets an entry of 19 bytes, a `/Size` or an `/XRefStm` that it
//! does not believe searches the whole file for objects, and takes the last that it finds under a number. Whoever appends a
//! revision that our reader takes and another mends could so let the other show an object that no cross-reference names. So
//! every byte behind the signed ones is accounted for: it belongs to an object that its revision's cross-references name at
//! this very place, to those, to a trailer, or to white space between them; and what leads from one revision to the next is
//! written so that nobody has to mend it.

use std::collections::BTreeMap;

use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::MAX_STRUCTURE_BYTES;
use super::syntax::Syntax;

/// How many numbers may be reserved and not used; `/Size` counts them.
const MAX_RESERVED: u32 = 256;
/// More columns of a cross-reference stream than there are fields, each of eight bytes at most.
const MAX_WIDTH: usize = 8;

/// The end of a revision as the next one must name it.
struct Previous {
    /// Where its cross-reference section lies, from the header.
    section: usize,
    size: u32,
}

/// A cross-reference section: where it says that objects lie, and its trailer.
struct Section {
    in_use: Vec<(ObjectId, usize)>,
    trailer: Dictionary,
}

/// Whether all that follows the first `covered` bytes, which are the revision `signed`, is further revisions in the strict
/// form. `current` is the reading of the whole file.
pub(in crate::verify) fn is_only_revisions(pdf: &[u8], signed: &Document, current: &Document, covered: usize) -> bool {
    let size = number(&signed.trailer, b"Size").unwrap_or(0);
    let highest = signed.reference_table.max_id().saturating_add(1);
    let mut previous = Previous {
        section: signed.xref_start,
        size: size.max(highest),
    };
    let start = super::header_offset(pdf);
    let mut syntax = Syntax::new(pdf, covered);
    // White space and comments alone are no revision; whether they may stand there is for others to say.
    syntax.space();
    while !syntax.is_at_end() {
        previous = match revision(&mut syntax, start, &previous, current) {
            Some(next) => next,
            None => return false,
        };
    }
    true
}

/// Reads one revision to its end.
fn revision(syntax: &mut Syntax<'_>, start: usize, previous: &Previous, current: &Document) -> Option<Previous> {
    let begin = syntax.at;
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
            let section = match object {
                Object::Stream(stream) if stream.dict.has_type(b"XRef") => Some(stream),
                _ => None,
            };
            objects.insert(at, (id, section));
        }
    }
    let named = end(syntax)?;
    let (section, hybrid) = match table {
        Some((at, section)) if at == named => {
            let hybrid = match section.trailer.get(b"XRefStm") {
                Ok(_) => Some(usize::try_from(number(&section.trailer, b"XRefStm")?).ok()?),
                Err(_) => None,
            };
            (section, hybrid)
        }
        Some(_) => return None,
        None => (read_stream(objects.get(&named)?.1.as_ref()?)?, None),
    };
    let mut in_use = section.in_use;
    if let Some(hybrid) = hybrid {
        in_use.extend(read_stream(objects.get(&hybrid)?.1.as_ref()?)?.in_use);
    }

    // Every object of this revision is named where it lies, and nothing is named where none lies.
    let size = number(&section.trailer, b"Size")?;
    let mut named_at = BTreeMap::new();
    for (id, offset) in &in_use {
        if id.0 >= size || named_at.insert(id.0, *offset).is_some() {
            return None;
        }
        let is_there = match objects.get(offset) {
            Some((found, _)) => found == id,
            None => offset.checked_add(start)? < begin,
        };
        if !is_there {
            return None;
        }
    }
    let is_section = |offset: usize| offset == named || Some(offset) == hybrid;
    let are_named = objects
        .iter()
        .all(|(offset, (id, _))| named_at.get(&id.0) == Some(offset) || is_section(*offset));
    let highest = objects.values().map(|(id, _)| id.0).max().unwrap_or(0);
    let least = highest.checked_add(1)?;
    let is_right_size = (least..=least.max(previous.size).saturating_add(MAX_RESERVED)).contains(&size);
    let leads_back = usize::try_from(number(&section.trailer, b"Prev")?).ok()? == previous.section;
    let has_root = matches!(section.trailer.get(b"Root"), Ok(Object::Reference(_)));
    (are_named && is_right_size && leads_back && has_root).then_some(Previous {
        section: named,
        size: previous.size.max(size),
    })
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
    let mut in_use = Vec::new();
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
            if is_in_use {
                in_use.push(((first.checked_add(index)?, generation), offset));
            }
        }
    }
    syntax.take(b"trailer")?;
    syntax.space();
    match syntax.object(0)? {
        Object::Dictionary(trailer) => Some(Section { in_use, trailer }),
        _ => None,
    }
}

/// A number of exactly so many digits.
fn whole(syntax: &mut Syntax<'_>, length: usize) -> Option<usize> {
    let digits = syntax.digits(length).filter(|digits| digits.len() == length)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// A cross-reference stream (7.5.8): the objects that lie in the file itself. What it says of those in object streams is
/// looked at where these are.
fn read_stream(stream: &Stream) -> Option<Section> {
    let content = if stream.dict.has(b"Filter") {
        stream.decompressed_content_with_limit(MAX_STRUCTURE_BYTES).ok()?
    } else {
        stream.content.clone()
    };
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
    let mut in_use = Vec::new();
    let mut rows = content.chunks_exact(kind + second + third);
    for part in index.chunks(2) {
        let [first, count] = part else { return None };
        let end = first.checked_add(*count).filter(|end| *end <= size)?;
        for number in *first..end {
            let (kind, rest) = rows.next()?.split_at_checked(*kind)?;
            let (second, third) = rest.split_at_checked(*second)?;
            let is_in_use = kind.is_empty() || value(kind)? == 1;
            if is_in_use {
                let id = (u32::try_from(number).ok()?, u16::try_from(value(third)?).ok()?);
                in_use.push((id, usize::try_from(value(second)?).ok()?));
            }
        }
    }
    (rows.next().is_none() && rows.remainder().is_empty()).then(|| Section {
        in_use,
        trailer: stream.dict.clone(),
    })
}

fn value(bytes: &[u8]) -> Option<u64> {
    bytes
        .iter()
        .try_fold(0_u64, |value, byte| Some(value.checked_mul(256)? + u64::from(*byte)))
}
