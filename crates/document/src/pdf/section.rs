//! Cross-reference sections (ISO 32000-2, 7.5.4, 7.5.5 and 7.5.8). Each is read strictly, and together they form one
//! chain.

use std::collections::btree_map::Entry as Slot;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::defect::{Deviation, DeviationKind, PdfDefect, Rule, defect};
use super::filter;
use super::lex::{Lexer, is_white, run, whole};
use super::object::{Dict, Object, StreamData};
use super::parse;

/// Exact length of a table entry.
const ENTRY: usize = 20;
/// Maximum width of a column. Eight bytes are enough for every offset.
const MAX_WIDTH: usize = 8;
/// Number of bytes at the end of a file that are searched for `startxref`.
const TAIL: usize = 2048;
/// Maximum total size of the decoded cross-reference streams in one file.
const MAX_DECODED: usize = 256 << 20;
/// The generation of object 0, which is never in use.
const FIRST_FREE: u64 = 65_535;

/// A section's entry for a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// No object has this number.
    Free,
    /// The object is at this position in the file.
    At {
        /// Position in bytes.
        offset: usize,
        /// The object's generation.
        generation: u16,
    },
    /// The object is in an object stream.
    Within {
        /// The number of the object stream.
        container: u32,
        /// Index of the object in the stream.
        index: u32,
    },
}

/// The form of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionKind {
    /// 7.5.4.
    Table,
    /// 7.5.8.
    Stream,
    /// 7.5.8.4: a table with an additional stream.
    Hybrid,
}

/// One section of the chain.
#[derive(Debug, Clone)]
pub struct Section {
    pub kind: SectionKind,
    pub start: usize,
    /// End of the trailer, or of the stream's object.
    pub end: usize,
    /// Position after `%%EOF`, if present.
    pub marked_end: Option<usize>,
    /// The additional stream of a hybrid section.
    pub hybrid: Option<Box<Section>>,
    pub entries: BTreeMap<u32, Entry>,
    /// A used number whose object would be at the first byte of the file, which is impossible.
    pub at_zero: Option<u32>,
    /// The trailer, or the dictionary of the stream.
    pub trailer: Dict,
}

impl Section {
    /// Returns the ranges of the section and of a hybrid's stream, without end markers.
    pub(super) fn spans(&self) -> impl Iterator<Item = Range<usize>> {
        let beside = self.hybrid.as_ref().map(|beside| beside.start..beside.end);
        std::iter::once(self.start..self.end).chain(beside)
    }
}

/// All sections of a file, newest first.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    pub(crate) sections: Vec<Section>,
    pub(crate) deviations: Vec<Deviation>,
    decoded: usize,
}

/// Returns the position in the last `startxref` of the file, and deviations at the end of the file (7.5.5).
pub(crate) fn last_start(body: &[u8]) -> Result<(usize, Vec<Deviation>), PdfDefect> {
    const WORD: &[u8] = b"startxref";
    let content = body.len() - run_back(body);
    let tail = content.saturating_sub(TAIL);
    let Some(place) = body
        .get(tail..)
        .unwrap_or_default()
        .windows(WORD.len())
        .rposition(|window| window == WORD)
    else {
        return defect(body.len(), Rule::NoStart);
    };
    let at = tail + place;
    let mut lexer = Lexer::new(body, at + WORD.len());
    lexer.white();
    let Some(start) = whole(lexer.digits()) else {
        return defect(at, Rule::NoStart);
    };
    lexer.white();
    let mut deviations = Vec::new();
    let mut deviate = |kind, offset| deviations.push(Deviation { offset, kind });
    if !lexer.take(b"%%EOF") {
        deviate(DeviationKind::NoEndMark, lexer.at());
    }
    if lexer.rest().iter().any(|byte| !is_white(*byte)) {
        deviate(DeviationKind::BytesAfterEnd, lexer.at());
    }
    Ok((start, deviations))
}

/// Returns the length of the white space at the end of the bytes.
fn run_back(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .rev()
        .position(|byte| !is_white(*byte))
        .unwrap_or(bytes.len())
}

impl Chain {
    /// Reads the section at `start` and all sections that `/Prev` refers to.
    pub(crate) fn read(body: &[u8], start: usize) -> Result<Self, PdfDefect> {
        let mut chain = Self::default();
        let mut seen = BTreeSet::new();
        let mut next = Some(start);
        while let Some(start) = next {
            let section = chain.section(body, start)?;
            let is_known = |start: usize| !seen.insert(start);
            if section.spans().map(|span| span.start).any(is_known) {
                return defect(section.start, Rule::SectionLoop);
            }
            next = match section.trailer.get(b"Prev") {
                None => None,
                Some(previous) => match previous.as_usize() {
                    Some(previous) => Some(previous),
                    None => return defect(section.start, Rule::Previous),
                },
            };
            chain.sections.push(section);
        }
        Ok(chain)
    }

    fn section(&mut self, body: &[u8], start: usize) -> Result<Section, PdfDefect> {
        let Some(rest) = body.get(start..) else {
            return defect(start, Rule::NoSection);
        };
        let space = run(rest, is_white);
        if space > 0 {
            self.deviate(start, DeviationKind::SpaceBeforeSection);
        }
        let start = start + space;
        if rest.get(space..).unwrap_or_default().starts_with(b"xref") {
            self.table(body, start)
        } else {
            self.stream(body, start, Rule::NoSection)
        }
    }

    fn deviate(&mut self, offset: usize, kind: DeviationKind) {
        // Reporting one deviation of each kind is enough.
        if self.deviations.iter().all(|known| known.kind != kind) {
            self.deviations.push(Deviation { offset, kind });
        }
    }

    /// 7.5.4.
    fn table(&mut self, body: &[u8], start: usize) -> Result<Section, PdfDefect> {
        let mut lexer = Lexer::new(body, start + b"xref".len());
        if lexer.white() == 0 {
            return defect(start, Rule::Table);
        }
        let mut entries = BTreeMap::new();
        let mut is_first = true;
        while !lexer.take(b"trailer") {
            self.subsection(&mut lexer, &mut entries, is_first)?;
            is_first = false;
        }
        let Object::Dict(trailer) = parse::value(&mut lexer)? else {
            return defect(lexer.start(), Rule::NoTrailer);
        };
        let end = lexer.at();
        if let Some(offset) = lexer.word_in_comment() {
            self.deviate(offset, DeviationKind::WordInComment);
        }
        let (kind, hybrid) = match trailer.get(b"XRefStm") {
            None => (SectionKind::Table, None),
            Some(place) => {
                let Some(place) = place.as_usize() else {
                    return defect(start, Rule::Hybrid);
                };
                let beside = self.stream(body, place, Rule::Hybrid)?;
                // The stream defines the numbers that the table hides as free. The table defines all others.
                for (number, entry) in &beside.entries {
                    match entries.entry(*number) {
                        Slot::Vacant(place) => {
                            place.insert(*entry);
                        }
                        Slot::Occupied(mut place) if *place.get() == Entry::Free => {
                            place.insert(*entry);
                        }
                        Slot::Occupied(_) => {}
                    }
                }
                (SectionKind::Hybrid, Some(Box::new(beside)))
            }
        };
        self.section_of(body, kind, start..end, hybrid, entries, trailer)
    }

    fn section_of(
        &mut self,
        body: &[u8],
        kind: SectionKind,
        span: Range<usize>,
        hybrid: Option<Box<Section>>,
        entries: BTreeMap<u32, Entry>,
        trailer: Dict,
    ) -> Result<Section, PdfDefect> {
        let mut entries = entries;
        let mut at_zero = None;
        for (number, entry) in &mut entries {
            if matches!(entry, Entry::At { offset: 0, .. }) {
                *entry = Entry::Free;
                at_zero = Some(*number);
            }
        }
        if at_zero.is_some() {
            self.deviate(span.start, DeviationKind::EntryAtZero);
        }
        if !matches!(entries.get(&0), None | Some(Entry::Free)) {
            return defect(span.start, Rule::ObjectZero);
        }
        let size = trailer.get(b"Size").and_then(Object::as_i64).unwrap_or(0);
        if entries
            .last_key_value()
            .is_some_and(|(last, _)| i64::from(*last) >= size)
        {
            self.deviate(span.start, DeviationKind::SizeTooSmall);
        }
        Ok(Section {
            kind,
            start: span.start,
            end: span.end,
            marked_end: marked_end(body, span.end),
            hybrid,
            entries,
            at_zero,
            trailer,
        })
    }

    fn subsection(
        &mut self,
        lexer: &mut Lexer<'_>,
        entries: &mut BTreeMap<u32, Entry>,
        is_first: bool,
    ) -> Result<(), PdfDefect> {
        let start = lexer.at();
        let first: Option<u32> = whole(lexer.digits());
        lexer.white();
        let count: Option<u32> = whole(lexer.digits());
        let (Some(mut first), Some(count)) = (first, count) else {
            return defect(start, Rule::Table);
        };
        if lexer.white() == 0 && count > 0 {
            return defect(start, Rule::Table);
        }
        for index in 0..count {
            let at = lexer.at();
            let (offset, generation, is_in_use) = if let Some(entry) = exact_entry(lexer) {
                entry
            } else {
                self.deviate(at, DeviationKind::EntrySpelling);
                loose_entry(lexer)?
            };
            if is_first && first == 1 && index == 0 && !is_in_use && offset == 0 && generation == FIRST_FREE {
                self.deviate(start, DeviationKind::FirstSubsectionOffByOne);
                first = 0;
            }
            let entry = match (is_in_use, u16::try_from(generation), usize::try_from(offset)) {
                (false, ..) => Entry::Free,
                (true, Ok(generation), Ok(offset)) => Entry::At { offset, generation },
                _ => return defect(at, Rule::Table),
            };
            let Some(number) = first.checked_add(index) else {
                return defect(at, Rule::Table);
            };
            if entries.insert(number, entry).is_some() {
                return defect(at, Rule::ListedTwice);
            }
        }
        let at = lexer.at();
        if lexer.white() > 0 {
            self.deviate(at, DeviationKind::EntrySpelling);
        }
        Ok(())
    }

    /// 7.5.8.
    fn stream(&mut self, body: &[u8], start: usize, otherwise: Rule) -> Result<Section, PdfDefect> {
        if parse::header(body, start).is_none() {
            return defect(start, otherwise);
        }
        let read = parse::indirect(body, start, |dict| parse::direct_length(dict, start))?;
        for deviation in &read.deviations {
            self.deviate(deviation.offset, deviation.kind);
        }
        let stream = match read.object {
            Object::Stream(stream) if stream.dict.is_type(b"XRef") => stream,
            _ => return defect(start, otherwise),
        };
        let raw = match &stream.data {
            StreamData::InFile { span, .. } => body.get(span.clone()).unwrap_or_default(),
            StreamData::New(bytes) => bytes,
        };
        let left = MAX_DECODED.saturating_sub(self.decoded);
        let content = filter::decode_direct(&stream.dict, raw, left)
            .map_err(|rule| PdfDefect::new(start, rule).within(read.id))?;
        self.decoded = self.decoded.saturating_add(content.len());
        let entries = rows(&stream.dict, &content).map_err(|rule| PdfDefect::new(start, rule).within(read.id))?;
        self.section_of(body, SectionKind::Stream, read.span, None, entries, stream.dict)
    }
}

/// Reads an entry of exactly 20 bytes: offset, generation, whether it is in use.
fn exact_entry(lexer: &mut Lexer<'_>) -> Option<(u64, u64, bool)> {
    let entry = lexer.rest().get(..ENTRY)?;
    let (offset, rest) = entry.split_at_checked(10)?;
    let (generation, end) = rest.strip_prefix(b" ")?.split_at_checked(5)?;
    let is_in_use = match end {
        [b' ', kind @ (b'n' | b'f'), b' ', b'\r' | b'\n'] | [b' ', kind @ (b'n' | b'f'), b'\r', b'\n'] => *kind == b'n',
        _ => return None,
    };
    let read = (whole(offset)?, whole(generation)?, is_in_use);
    lexer.seek(lexer.at() + ENTRY);
    Some(read)
}

/// Reads an entry with other white space.
fn loose_entry(lexer: &mut Lexer<'_>) -> Result<(u64, u64, bool), PdfDefect> {
    let at = lexer.at();
    lexer.white();
    let offset = whole(lexer.digits());
    let is_apart = lexer.white() > 0;
    let generation = whole(lexer.digits());
    let is_apart = is_apart && lexer.white() > 0;
    let is_in_use = lexer.take(b"n");
    let is_free = !is_in_use && lexer.take(b"f");
    let is_ended = lexer.white() > 0 || lexer.rest().starts_with(b"trailer");
    match (offset, generation) {
        (Some(offset), Some(generation)) if is_apart && is_ended && (is_in_use || is_free) => {
            Ok((offset, generation, is_in_use))
        }
        _ => defect(at, Rule::Table),
    }
}

/// Reads the rows of a cross-reference stream (7.5.8.3).
fn rows(dict: &Dict, content: &[u8]) -> Result<BTreeMap<u32, Entry>, Rule> {
    const MALFORMED: Rule = Rule::CrossReferenceStream;
    let widths = numbers(dict.get(b"W")).ok_or(MALFORMED)?;
    let &[kind_width, second_width, third_width, ..] = widths.as_slice() else {
        return Err(MALFORMED);
    };
    // Later versions of the format may add columns.
    if widths.len() != 3 || second_width == 0 || widths.iter().any(|width| *width > MAX_WIDTH) {
        return Err(MALFORMED);
    }
    let size = dict.get(b"Size").and_then(Object::as_usize).ok_or(MALFORMED)?;
    let index = match dict.get(b"Index") {
        None => vec![0, size],
        some => numbers(some).ok_or(MALFORMED)?,
    };
    if index.len() % 2 != 0 {
        return Err(MALFORMED);
    }
    let mut entries = BTreeMap::new();
    let mut written = content.chunks_exact(kind_width + second_width + third_width);
    for part in index.chunks_exact(2) {
        let &[first, count] = part else { return Err(MALFORMED) };
        for number in first..first.checked_add(count).ok_or(MALFORMED)? {
            let row = written.next().ok_or(MALFORMED)?;
            let number = u32::try_from(number).map_err(|_| MALFORMED)?;
            let entry = row_entry(row, kind_width, second_width).ok_or(MALFORMED)?;
            if entries.insert(number, entry).is_some() {
                return Err(Rule::ListedTwice);
            }
        }
    }
    // Some writers add a line end to the data.
    let rest = written.len() * (kind_width + second_width + third_width) + written.remainder().len();
    if rest > 2 { Err(MALFORMED) } else { Ok(entries) }
}

fn row_entry(row: &[u8], kind_width: usize, second_width: usize) -> Option<Entry> {
    let (kind, rest) = row.split_at_checked(kind_width)?;
    let (second, third) = rest.split_at_checked(second_width)?;
    let (second, third) = (big_endian(second), big_endian(third));
    // Without this column, every entry is of type 1.
    match if kind.is_empty() { 1 } else { big_endian(kind) } {
        0 => Some(Entry::Free),
        1 => Some(Entry::At {
            offset: usize::try_from(second).ok()?,
            generation: u16::try_from(third).ok()?,
        }),
        2 => Some(Entry::Within {
            container: u32::try_from(second).ok()?,
            index: u32::try_from(third).ok()?,
        }),
        _ => None,
    }
}

/// Reads up to eight bytes.
fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

fn numbers(array: Option<&Object>) -> Option<Vec<usize>> {
    array?.as_array()?.iter().map(Object::as_usize).collect()
}

/// Returns the position after the `%%EOF` of a section and its line end. Some writers add a comment with their name
/// before it.
fn marked_end(body: &[u8], end: usize) -> Option<usize> {
    let mut lexer = Lexer::new(body, end);
    lexer.space();
    if lexer.word_in_comment().is_some() || !lexer.take(b"startxref") || lexer.white() == 0 {
        return None;
    }
    let has_offset = !lexer.digits().is_empty();
    lexer.white();
    if !has_offset || !lexer.take(b"%%EOF") {
        return None;
    }
    let _ = lexer.take(b"\r\n") || lexer.take(b"\n") || lexer.take(b"\r");
    Some(lexer.at())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Result<(Section, Vec<DeviationKind>), Rule> {
        let mut chain = Chain::default();
        let section = chain.section(text.as_bytes(), 0).map_err(|defect| defect.rule)?;
        Ok((
            section,
            chain.deviations.iter().map(|deviation| deviation.kind).collect(),
        ))
    }

    #[test]
    fn a_table_is_read_as_written() {
        let text = "xref\n0 2\n0000000000 65535 f \n0000000017 00000 n\r\n5 1\n0000000099 00002 n \ntrailer<</Size 6>>";
        let (section, deviations) = table(text).expect("a table");
        let at = |offset, generation| Entry::At { offset, generation };
        assert_eq!(
            section.entries,
            [(0, Entry::Free), (1, at(17, 0)), (5, at(99, 2))].into()
        );
        assert_eq!(deviations, []);
        assert_eq!((section.end, section.marked_end), (text.len(), None));
        let marked = format!("{text}\nstartxref\n0\n%%EOF\r\n\n");
        assert_eq!(table(&marked).expect("a table").0.marked_end, Some(marked.len() - 1));
    }

    #[test]
    fn loose_tables_are_read_and_reported() {
        use DeviationKind::{EntrySpelling, FirstSubsectionOffByOne, SizeTooSmall, SpaceBeforeSection};
        for (text, expected) in [
            (
                "xref\n0 2\n0000000000 65535 f\n0000000017 00000 n\ntrailer<</Size 6>>",
                EntrySpelling,
            ),
            ("xref\n0 2\n0 65535 f \n17 0 n \ntrailer<</Size 6>>", EntrySpelling),
            (
                "xref\n1 2\n0000000000 65535 f \n0000000017 00000 n \ntrailer<</Size 6>>",
                FirstSubsectionOffByOne,
            ),
            (
                "xref\n0 2\n0000000000 65535 f \n0000000017 00000 n \ntrailer<</Size 1>>",
                SizeTooSmall,
            ),
            (
                "\nxref\n0 2\n0000000000 65535 f \n0000000017 00000 n \ntrailer<</Size 6>>",
                SpaceBeforeSection,
            ),
        ] {
            let (section, deviations) = table(text).expect(text);
            assert_eq!(
                section.entries.get(&1),
                Some(&Entry::At {
                    offset: 17,
                    generation: 0
                })
            );
            assert_eq!(deviations, [expected], "{text}");
        }
    }

    #[test]
    fn broken_tables_are_refused() {
        for (text, rule) in [
            ("xref\n0 1\n0000000000 65535 x \ntrailer<<>>", Rule::Table),
            ("xref\n0 2\n0000000000 65535 f \ntrailer<<>>", Rule::Table),
            ("xref\n0 1\n0000000000 99999 n \ntrailer<<>>", Rule::Table),
            ("xref\n0 1\n0000000017 00000 n \ntrailer<<>>", Rule::ObjectZero),
            (
                "xref\n1 1\n0000000017 00000 n \n1 1\n0000000017 00000 n \ntrailer<<>>",
                Rule::ListedTwice,
            ),
            (
                "xref\n4294967295 2\n0000000017 00000 n \n0000000017 00000 n \ntrailer<<>>",
                Rule::Table,
            ),
            ("xref\n0 0\ntrailer[]", Rule::NoTrailer),
            ("xref\n0 0\ntrailer<</XRefStm 0>>", Rule::Hybrid),
            ("xref\n0 0\n", Rule::Table),
            ("hello", Rule::NoSection),
        ] {
            assert_eq!(table(text).map(|_| ()), Err(rule), "{text}");
        }
    }

    fn stream(dict: &str, rows: &[u8]) -> Result<BTreeMap<u32, Entry>, Rule> {
        let head = format!("9 0 obj<</Type/XRef{dict}/Length {}>>stream\n", rows.len());
        let text = [head.as_bytes(), rows, b"\nendstream endobj"].concat();
        let section = Chain::default().section(&text, 0).map_err(|defect| defect.rule)?;
        Ok(section.entries)
    }

    #[test]
    fn a_cross_reference_stream_is_read_as_written() {
        let rows = [0, 0, 0, 255, 1, 1, 2, 3, 2, 0, 7, 4];
        let at = |offset, generation| Entry::At { offset, generation };
        let within = |container, index| Entry::Within { container, index };
        let read = stream("/Size 9/W[1 2 1]/Index[0 2 8 1]", &rows);
        assert_eq!(read, Ok([(0, Entry::Free), (1, at(258, 3)), (8, within(7, 4))].into()));
        assert_eq!(
            stream("/Size 2/W[0 1 0]/Index[1 1]", &[44]),
            Ok([(1, at(44, 0))].into())
        );
        for (dict, rule) in [
            ("/Size 3/W[1 2]", Rule::CrossReferenceStream),
            ("/Size 3/W[1 0 1]", Rule::CrossReferenceStream),
            ("/Size 3/W[0 0 0]", Rule::CrossReferenceStream),
            ("/Size 3/W[1 9 1]", Rule::CrossReferenceStream),
            ("/Size 4/W[1 2 1]", Rule::CrossReferenceStream),
            ("/Size 2/W[1 2 1]", Rule::CrossReferenceStream),
            ("/W[1 2 1]", Rule::CrossReferenceStream),
            ("/Size 3/W[1 2 1]/Index[0 1 2]", Rule::CrossReferenceStream),
            ("/Size 3/W[1 2 1]/Index[0 2 1 1]", Rule::ListedTwice),
            ("/Size 3/W[1 2 1]/Filter/Unknown", Rule::UnknownFilter),
        ] {
            assert_eq!(stream(dict, &rows), Err(rule), "{dict}");
        }
        assert_eq!(
            stream("/Size 1/W[1 2 1]", &[9, 0, 0, 0]),
            Err(Rule::CrossReferenceStream)
        );
    }

    #[test]
    fn a_chain_ends() {
        let text = b"xref\n0 0\ntrailer<</Size 1/Prev 0>>";
        assert_eq!(Chain::read(text, 0).map(|_| ()), defect(0, Rule::SectionLoop));
        let text = b"xref\n0 0\ntrailer<</Size 1/Prev 0.5>>";
        assert_eq!(Chain::read(text, 0).map(|_| ()), defect(0, Rule::Previous));
    }
}
