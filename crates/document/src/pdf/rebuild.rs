//! Reads damaged files as well as possible: finds every object, wherever it is, and lists all guesses and losses.
//!
//! [`Rebuilt`] is not a [`File`], and never returns one, so that verifying code cannot mistake it for a file that
//! follows the rules.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::defect::{PdfDefect, Rule, defect};
use super::file::{self, File, MAX_CONTAINED, Place};
use super::lex::{Lexer, Token, is_white, run};
use super::object::{Dict, Object, Ref, Stream, StreamData};
use super::parse::{self, Indirect};
use super::section::{Entry, Section, SectionKind};
use super::shared_bytes::SharedBytes;
use super::view::View;

/// Maximum number of bytes before `obj` that are searched for an object's header.
const MAX_HEADER: usize = 40;
const ENDSTREAM: &[u8] = b"endstream";

/// A damaged file.
#[derive(Debug)]
pub struct Rebuilt {
    file: File,
    repairs: Vec<Repair>,
}

/// A guess or loss.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// The file does not begin with `%PDF-`.
    NoHeader,
    /// No trailer refers to the document catalog. We used an object that is marked as one.
    CatalogGuessed(Ref),
    /// The length of a stream was wrong or missing. We read the stream up to `endstream`.
    LengthGuessed(Ref),
    /// An object has no `endobj`, or the objects in an object stream overlap.
    EndGuessed(Ref),
    /// An object cannot be read and was dropped.
    Lost(PdfDefect),
    /// A reference points to an object that is not in the file.
    Missing(Ref),
}

/// An object that was found.
struct Found {
    read: Indirect,
    repair: Option<Repair>,
}

impl Rebuilt {
    /// Reads a damaged file.
    pub fn read(bytes: impl Into<SharedBytes>, password: Option<&str>) -> Result<Self, PdfDefect> {
        let bytes = bytes.into();
        let mut repairs = Vec::new();
        let base = file::header_place(&bytes).unwrap_or_else(|_| {
            repairs.push(Repair::NoHeader);
            0
        });
        let body = bytes.get(base..).unwrap_or_default();
        let headers = headers(body);
        let found = scan(body, &headers, &mut repairs);
        let trailer = trailer(body, &headers, &found, &mut repairs)?;
        // If several objects have the same number, the last one counts.
        let latest: BTreeMap<u32, Found> = found.into_iter().map(|found| (found.read.id.number, found)).collect();
        let at = |found: &Found| Entry::At {
            offset: found.read.span.start,
            generation: found.read.id.generation,
        };
        let end = body.len();
        let section = Section {
            kind: SectionKind::Table,
            start: end,
            end,
            marked_end: None,
            hybrid: None,
            at_zero: None,
            entries: latest.iter().map(|(number, found)| (*number, at(found))).collect(),
            trailer,
        };
        let mut file = File::with_sections(bytes, base, vec![section], Vec::new());
        file.is_rebuilt = true;
        file.place_objects()?;
        file.crypt = file.crypt_of_trailer(password)?;
        let containers = put_objects(&mut file, latest, &mut repairs);
        open_containers(&mut file, &containers, &mut repairs);
        let mut rebuilt = Self { file, repairs };
        rebuilt.view().catalog()?;
        rebuilt.look_for_missing();
        Ok(rebuilt)
    }

    pub fn view(&self) -> View<'_> {
        self.file.latest()
    }

    /// Returns all guesses and losses.
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// Reads everything that is referenced from the trailer, and records missing objects.
    fn look_for_missing(&mut self) {
        let view = self.file.latest();
        let mut seen = BTreeSet::new();
        let mut repairs = Vec::new();
        let mut waiting: Vec<&Object> = Vec::new();
        if let Ok(trailer) = view.trailer() {
            waiting.extend(trailer.iter().map(|(_, value)| value));
        }
        while let Some(object) = waiting.pop() {
            match object {
                Object::Ref(reference) if !seen.insert(*reference) => {}
                Object::Ref(reference) if !view.has(*reference) => repairs.push(Repair::Missing(*reference)),
                Object::Ref(reference) => match view.object(*reference) {
                    Ok(object) => waiting.push(object),
                    Err(defect) => repairs.push(Repair::Lost(defect)),
                },
                Object::Array(items) => waiting.extend(items),
                Object::Dict(dict) => waiting.extend(dict.iter().map(|(_, value)| value)),
                Object::Stream(stream) => {
                    let used = stream.dict.iter().filter(|(key, _)| !key.is(b"Length"));
                    waiting.extend(used.map(|(_, value)| value));
                }
                _ => {}
            }
        }
        self.repairs.extend(repairs);
    }
}

/// Adds the decrypted objects to the file. Returns the positions of the object streams.
fn put_objects(file: &mut File, latest: BTreeMap<u32, Found>, repairs: &mut Vec<Repair>) -> Vec<usize> {
    let mut containers = Vec::new();
    for Found { mut read, repair } in latest.into_values() {
        repairs.extend(repair);
        let offset = read.span.start;
        if read
            .object
            .as_stream()
            .is_some_and(|stream| stream.dict.is_type(b"ObjStm"))
        {
            containers.push(offset);
        }
        let decrypted = file
            .decrypt_strings(&mut read)
            .map_err(|rule| PdfDefect::new(offset, rule).within(read.id));
        if let Err(defect) = &decrypted {
            repairs.push(Repair::Lost(defect.clone()));
        }
        if let Some(slot) = file.slots.get(&Place::At(offset)) {
            // The encryption dictionary is never encrypted and has been read already.
            let _ = slot.read.set(decrypted.map(|()| read));
        }
    }
    containers.sort_unstable();
    containers
}

fn open_containers(file: &mut File, containers: &[usize], repairs: &mut Vec<Repair>) {
    let mut left = MAX_CONTAINED;
    for container in containers {
        match file.open_container(*container, left) {
            Ok(opened) => {
                left = left.saturating_sub(opened.length);
                repairs.extend(opened.guessed.map(Repair::EndGuessed));
                for (number, index) in opened.numbers.into_iter().zip(0..) {
                    file.put_member(number, *container, index);
                }
            }
            Err(defect) => repairs.push(Repair::Lost(defect)),
        }
    }
}

/// Returns the positions of all `N G obj`, including those in strings and streams.
fn headers(body: &[u8]) -> Vec<usize> {
    const WORD: &[u8] = b"obj";
    let mut headers = Vec::new();
    let words = body
        .windows(WORD.len())
        .enumerate()
        .filter(|(_, window)| *window == WORD);
    for (place, _) in words {
        let before = body.get(place.saturating_sub(MAX_HEADER)..place).unwrap_or_default();
        let back =
            |bytes: &[u8], is_part: fn(u8) -> bool| bytes.iter().rev().take_while(|byte| is_part(**byte)).count();
        let mut at = before.len();
        for is_part in [is_white, is_digit, is_white, is_digit] {
            at -= back(before.get(..at).unwrap_or_default(), is_part);
        }
        let start = place - (before.len() - at);
        if parse::header(body, start).is_some_and(|(_, end)| end == place + WORD.len()) {
            headers.push(start);
        }
    }
    headers
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

/// Reads the object at every header that is not inside another object.
fn scan(body: &[u8], headers: &[usize], repairs: &mut Vec<Repair>) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let lengths = lengths(body, headers);
    let last_endstream = body.windows(ENDSTREAM.len()).rposition(|window| window == ENDSTREAM);
    let mut resume = 0;
    for (place, start) in headers.iter().enumerate() {
        if *start < resume {
            continue;
        }
        let limit = headers.get(place + 1).copied().unwrap_or(body.len());
        match object_at(body, *start, limit, &lengths, last_endstream) {
            Ok(object) => {
                resume = object.read.span.end;
                found.push(object);
            }
            Err(defect) => repairs.push(Repair::Lost(defect)),
        }
    }
    found
}

/// Returns the objects that are integers, because the lengths of streams are. If a number occurs more than once, the
/// last object counts.
fn lengths(body: &[u8], headers: &[usize]) -> BTreeMap<Ref, usize> {
    let ends = headers.iter().skip(1).copied().chain([body.len()]);
    let read = |(start, end): (&usize, usize)| {
        let body = body.get(..end)?;
        Some((parse::header(body, *start)?.0, file::whole_at(body, *start)?))
    };
    headers.iter().zip(ends).filter_map(read).collect()
}

fn object_at(
    body: &[u8],
    start: usize,
    limit: usize,
    lengths: &BTreeMap<Ref, usize>,
    last_endstream: Option<usize>,
) -> Result<Found, PdfDefect> {
    let Some((id, at)) = parse::header(body, start) else {
        return defect(start, Rule::StrayEntry);
    };
    let mut lexer = Lexer::new(body.get(..limit).unwrap_or_default(), at);
    let object = parse::value(&mut lexer).map_err(|defect| defect.within(id))?;
    let end = lexer.at();
    let next = lexer.token();
    let found = |object, end, repair| {
        Ok(Found {
            read: Indirect {
                id,
                object,
                span: start..end,
                deviations: Vec::new(),
            },
            repair,
        })
    };
    match (object, next) {
        (object, Ok(Token::Word(b"endobj"))) => found(object, lexer.at(), None),
        (Object::Dict(dict), Ok(Token::Word(b"stream"))) => {
            let length = match dict.get(b"Length") {
                Some(Object::Ref(reference)) => lengths.get(reference).copied(),
                Some(length) => length.as_usize(),
                None => None,
            };
            let Some((span, end, is_guessed)) = data(body, lexer.at(), length, last_endstream) else {
                return Err(PdfDefect::new(start, Rule::StreamEnd).within(id));
            };
            let data = StreamData::InFile { object: id, span };
            let mut rest = Lexer::new(body, end);
            rest.white();
            let repair = if is_guessed {
                Some(Repair::LengthGuessed(id))
            } else {
                (!rest.take(b"endobj")).then_some(Repair::EndGuessed(id))
            };
            found(Object::Stream(Stream { dict, data }), end, repair)
        }
        (object, _) => found(object, end, Some(Repair::EndGuessed(id))),
    }
}

/// Returns the data of a stream, the end of its `endstream`, and whether we had to guess its length.
fn data(
    body: &[u8],
    at: usize,
    length: Option<usize>,
    last_endstream: Option<usize>,
) -> Option<(Range<usize>, usize, bool)> {
    let mut lexer = Lexer::new(body, at);
    let _ = lexer.take(b"\r\n") || lexer.take(b"\n") || lexer.take(b"\r");
    let start = lexer.at();
    if let Some(end) = length.and_then(|length| start.checked_add(length))
        && let Some(rest) = body.get(end..)
    {
        let padding = run(rest, is_white);
        if rest.get(padding..)?.starts_with(ENDSTREAM) {
            return Some((start..end, end + padding + ENDSTREAM.len(), false));
        }
    }
    // Skips the search if there is no `endstream` after the start, so that many streams do not slow it down.
    last_endstream.filter(|last| *last >= start)?;
    let length = body
        .get(start..)?
        .windows(ENDSTREAM.len())
        .position(|window| window == ENDSTREAM)?;
    let content = body.get(start..start + length)?;
    let line_end = match content {
        [.., b'\r', b'\n'] => 2,
        [.., b'\r' | b'\n'] => 1,
        _ => 0,
    };
    Some((start..start + length - line_end, start + length + ENDSTREAM.len(), true))
}

/// Returns the last trailer, or dictionary of a cross-reference stream, that refers to a catalog, with missing entries
/// added from the others.
fn trailer(body: &[u8], headers: &[usize], found: &[Found], repairs: &mut Vec<Repair>) -> Result<Dict, PdfDefect> {
    const WORD: &[u8] = b"trailer";
    let mut dicts: Vec<(usize, Dict)> = Vec::new();
    let words = body
        .windows(WORD.len())
        .enumerate()
        .filter(|(_, window)| *window == WORD);
    let places: Vec<usize> = words.map(|(place, _)| place).collect();
    for (index, place) in places.iter().enumerate() {
        let header = headers.get(headers.partition_point(|header| header < place));
        let limit = [header, places.get(index + 1)]
            .into_iter()
            .flatten()
            .min()
            .copied()
            .unwrap_or(body.len());
        let mut lexer = Lexer::new(body.get(..limit).unwrap_or_default(), place + WORD.len());
        if let Ok(Object::Dict(dict)) = parse::value(&mut lexer) {
            dicts.push((*place, dict));
        }
    }
    let streams = found
        .iter()
        .filter_map(|found| Some((found.read.span.start, found.read.object.as_stream()?)));
    let sections = streams.filter(|(_, stream)| stream.dict.is_type(b"XRef"));
    dicts.extend(sections.map(|(start, stream)| (start, stream.dict.clone())));
    dicts.sort_by_key(|(place, _)| *place);

    let mut trailer = Dict::new();
    // The newest is first, because its entries take precedence.
    let leads = |dict: &Dict| matches!(dict.get(b"Root"), Some(Object::Ref(_)));
    dicts.sort_by_key(|(_, dict)| leads(dict));
    for (_, dict) in dicts.iter().rev() {
        for key in [&b"Root"[..], b"Info", b"ID", b"Encrypt"] {
            if let Some(value) = dict.get(key).filter(|_| !trailer.has(key)) {
                trailer.set(key, value.clone());
            }
        }
    }
    if !leads(&trailer) {
        let mut catalogs = found
            .iter()
            .rev()
            .filter(|found| found.read.object.as_dict().is_some_and(|dict| dict.is_type(b"Catalog")));
        let Some(catalog) = catalogs.next() else {
            return defect(body.len(), Rule::NoCatalog);
        };
        repairs.push(Repair::CatalogGuessed(catalog.read.id));
        trailer.set(b"Root", catalog.read.id);
    }
    Ok(trailer)
}
