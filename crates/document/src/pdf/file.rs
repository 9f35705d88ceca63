//! A file that keeps the rules (ISO 32000-2, 7.5): each of its revisions, and every object as it is in one.
//!
//! [`File::open`] reads the structure and refuses a file with ambiguous cross-references: every entry, even one that a later
//! section replaces, must point exactly at its own object. Objects are read once, on first use. An object ends at the latest
//! where the next one begins, so reading all objects costs as much as the file is long.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::OnceLock;

use super::crypt::{Access, Crypt};
use super::defect::{Deviation, DeviationKind, PdfDefect, Rule, defect};
use super::filter::{self, Step};
use super::lex::{Lexer, is_regular, is_white, run, whole};
use super::object::{Dict, Object, Ref, Str, Stream, StreamData};
use super::parse::{self, Indirect};
use super::section::{Chain, Entry, Section, last_start};
use super::shared_bytes::SharedBytes;
use super::view::{View, Written};

/// How much of the beginning of a file may precede its header.
const HEAD: usize = 1024;
/// The most bytes of a file's decoded object streams.
pub(super) const MAX_CONTAINED: usize = 512 << 20;
/// Before an object no more white space is skipped.
const MAX_SPACE: usize = 32;

/// Where an object lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// In the file.
    At(usize),
    /// In the object stream that begins here.
    Within { container: usize, index: u32 },
}

/// The meaning of a number since a revision. `None` means that it is free.
#[derive(Debug, Clone, Copy)]
pub(super) struct Version {
    pub(super) revision: usize,
    pub(super) object: Option<(Place, u16)>,
}

/// An object at its place, once it has been read.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) id: Ref,
    /// The first revision that has it here.
    pub(super) revision: usize,
    /// Where the next object begins.
    limit: usize,
    pub(super) read: OnceLock<Result<Indirect, PdfDefect>>,
    /// Its value, if it is the length of a stream.
    length: OnceLock<Option<usize>>,
}

/// An entry that points into an object stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Compressed {
    number: u32,
    /// Where the object stream begins.
    container: usize,
    index: u32,
    /// The section with this entry.
    section: usize,
}

/// An object stream (7.5.7).
#[derive(Debug)]
struct Container {
    id: Ref,
    content: Vec<u8>,
    /// The number of each object, and its bytes in `content`.
    members: Vec<(u32, Range<usize>)>,
    /// We had to guess where they end.
    is_guessed: bool,
}

/// The contents of an opened object stream.
pub(super) struct OpenedContainer {
    /// The numbers of its objects.
    pub(super) numbers: Vec<u32>,
    pub(super) length: usize,
    /// The object stream, if we had to guess where its objects end.
    pub(super) guessed: Option<Ref>,
}

/// What one writer appended to the file at one time (7.5.6).
#[derive(Debug)]
pub struct Revision {
    /// Its sections, the newest first: one, or two if the file was linearised (F).
    pub sections: Vec<Section>,
    /// Where it ends, after `%%EOF` if present.
    pub end: Option<usize>,
}

impl Revision {
    /// Its trailer (7.5.5).
    pub fn trailer(&self) -> Option<&Dict> {
        self.sections.first().map(|section| &section.trailer)
    }
}

/// A file that keeps the rules.
#[derive(Debug)]
pub struct File {
    bytes: SharedBytes,
    base: usize,
    pub(super) revisions: Vec<Revision>,
    /// The versions of each number, oldest first.
    pub(super) history: BTreeMap<u32, Vec<Version>>,
    pub(super) slots: BTreeMap<Place, Slot>,
    containers: BTreeMap<usize, Container>,
    pub(super) crypt: Option<Crypt>,
    /// The object that is the encryption dictionary.
    encryption: Option<Ref>,
    deviations: Vec<Deviation>,
    /// Its sections are not the original ones.
    pub(super) is_rebuilt: bool,
}

impl File {
    /// Reads the structure of a file. A file that is encrypted opens with the password of its user or its owner.
    pub fn open(bytes: impl Into<SharedBytes>, password: Option<&str>) -> Result<Self, PdfDefect> {
        let bytes = bytes.into();
        let mut deviations = Vec::new();
        let base = header_place(&bytes)?;
        let (base, start) = start_of_chain(&bytes, base, &mut deviations)?;
        let mut chain = Chain::read(bytes.get(base..).unwrap_or_default(), start)?;
        deviations.append(&mut chain.deviations);
        let mut file = Self::with_sections(bytes, base, chain.sections, deviations);
        let compressed = file.place_objects()?;
        file.only_linearised_files_lead_forward()?;
        file.crypt = file.crypt_of_trailer(password)?;
        file.open_containers(&compressed)?;
        file.latest().catalog()?;
        Ok(file)
    }

    /// A file of these sections, the newest first; its objects are not placed yet.
    pub(super) fn with_sections(
        bytes: SharedBytes,
        base: usize,
        sections: Vec<Section>,
        deviations: Vec<Deviation>,
    ) -> Self {
        Self {
            bytes,
            base,
            revisions: group(sections),
            history: BTreeMap::new(),
            slots: BTreeMap::new(),
            containers: BTreeMap::new(),
            crypt: None,
            encryption: None,
            deviations,
            is_rebuilt: false,
        }
    }

    /// The bytes from the header on. Every offset counts from there (7.5.2).
    pub fn body(&self) -> &[u8] {
        self.bytes.get(self.base..).unwrap_or_default()
    }

    /// Whether offsets count from the file's first byte.
    pub fn counts_from_first_byte(&self) -> bool {
        self.base == 0
    }

    /// The whole file, and what precedes its header.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All revisions, the oldest first.
    pub fn revisions(&self) -> &[Revision] {
        &self.revisions
    }

    /// The file as it is.
    pub fn latest(&self) -> View<'_> {
        self.at(self.revisions.len().saturating_sub(1))
    }

    /// The file as this revision left it; 0 is the oldest.
    pub fn at(&self, revision: usize) -> View<'_> {
        View::new(self, revision)
    }

    /// Whose password opened it, if it is encrypted.
    pub fn access(&self) -> Option<Access> {
        self.crypt.as_ref().map(Crypt::access)
    }

    /// Accepted deviations from the standard: in the structure, and in the objects read so far.
    pub fn deviations(&self) -> Vec<Deviation> {
        let objects = self.slots.values().filter_map(|slot| slot.read.get()?.as_ref().ok());
        let mut all = self.deviations.clone();
        all.extend(objects.flat_map(|read| &read.deviations));
        all
    }

    /// Reads every object of every revision.
    pub fn read_all(&self) -> Result<(), PdfDefect> {
        self.slots.keys().try_for_each(|place| self.read(*place).map(|_| ()))
    }

    /// Every object of every revision.
    pub fn objects_ever(&self) -> impl Iterator<Item = (Ref, Result<&Object, PdfDefect>)> {
        self.slots
            .iter()
            .map(|(place, slot)| (slot.id, self.read(*place).map(|read| &read.object)))
    }

    /// The places in an object stream, if it is one that entries lead into.
    pub(super) fn places_within(&self, container: usize) -> Option<impl Iterator<Item = Place>> {
        let members = (0..).zip(&self.containers.get(&container)?.members);
        Some(members.map(move |(index, _)| Place::Within { container, index }))
    }

    /// The objects that a revision added or replaced, with their bytes.
    pub fn written_in(&self, revision: usize) -> impl Iterator<Item = (Ref, Result<Written<'_>, PdfDefect>)> {
        self.slots
            .iter()
            .filter(move |(_, slot)| slot.revision == revision)
            .map(|(place, slot)| (slot.id, self.written(*place)))
    }

    /// The bytes within a range that are part of no object, section, or end of a revision, and are not white space: a comment,
    /// or something that no cross-reference leads to.
    pub fn loose(&self, range: Range<usize>) -> Result<Vec<Range<usize>>, PdfDefect> {
        let mut spans = Vec::new();
        for place in self.slots.keys() {
            if let Written::InFile(span) = self.written(*place)? {
                spans.push(span);
            }
        }
        for section in self.revisions.iter().flat_map(|revision| &revision.sections) {
            spans.extend(section.spans());
            spans.extend(section.marked_end.map(|end| section.end..end));
        }
        spans.sort_by_key(|span| span.start);
        let mut loose = Vec::new();
        let mut at = range.start;
        spans.push(range.end..range.end);
        for span in spans {
            let gap = at..span.start.min(range.end);
            let bytes = self.body().get(gap.clone()).unwrap_or_default();
            if bytes.iter().any(|byte| !is_white(*byte)) {
                loose.push(gap);
            }
            at = at.max(span.end);
        }
        Ok(loose)
    }

    /// Gives every number its place, and checks that each entry points exactly at its object. Returns the entries that point into
    /// object streams, which can be checked once those are decrypted.
    pub(super) fn place_objects(&mut self) -> Result<Vec<Compressed>, PdfDefect> {
        let mut compressed = Vec::new();
        let mut starts = BTreeSet::from([self.body().len()]);
        for revision in 0..self.revisions.len() {
            self.place_revision(revision, &mut compressed)?;
        }
        let sections = self.revisions.iter().flat_map(|revision| &revision.sections);
        let spans: Vec<Range<usize>> = sections.flat_map(Section::spans).collect();
        starts.extend(spans.iter().map(|span| span.start));
        starts.extend(self.slots.keys().filter_map(|place| match place {
            Place::At(offset) => Some(*offset),
            Place::Within { .. } => None,
        }));
        for span in spans {
            if let Some(inner) = starts.range(span.start + 1..span.end.max(span.start + 1)).next() {
                return defect(*inner, Rule::Overlap);
            }
        }
        for (place, slot) in &mut self.slots {
            if let Place::At(offset) = place {
                slot.limit = starts.range(offset + 1..).next().copied().unwrap_or(slot.limit);
            }
        }
        Ok(compressed)
    }

    fn place_revision(&mut self, revision: usize, compressed: &mut Vec<Compressed>) -> Result<(), PdfDefect> {
        let entries = self
            .revisions
            .get(revision)
            .map(entries_of)
            .transpose()?
            .unwrap_or_default();
        for (number, (entry, _)) in &entries {
            match *entry {
                Entry::Free => self.put(*number, revision, None),
                Entry::At { offset, generation } => {
                    let id = Ref::new(*number, generation);
                    let (offset, deviation) = header_at(self.body(), offset, id)?;
                    self.deviations.extend(deviation);
                    self.put(*number, revision, Some((Place::At(offset), generation)));
                }
                Entry::Within { .. } => {}
            }
        }
        for (number, (entry, section)) in entries {
            let Entry::Within { container, index } = entry else {
                continue;
            };
            // An object stream is not itself in one (7.5.7), so it has its place already.
            let Some((Place::At(container), 0)) = self.at(revision).place(container) else {
                return Err(PdfDefect::new(section, Rule::StrayCompressedEntry).within(Ref::new(number, 0)));
            };
            compressed.push(Compressed {
                number,
                container,
                index,
                section,
            });
            self.put(number, revision, Some((Place::Within { container, index }, 0)));
        }
        Ok(())
    }

    /// Makes the number a member of an open object stream in every revision, unless its object comes after that stream.
    pub(super) fn put_member(&mut self, number: u32, container: usize, index: u32) {
        let lies_behind = |(place, _): (Place, u16)| match place {
            Place::At(other) | Place::Within { container: other, .. } => other > container,
        };
        if !self.latest().place(number).is_some_and(lies_behind) {
            self.history.remove(&number);
            self.put(number, 0, Some((Place::Within { container, index }, 0)));
        }
    }

    pub(super) fn open_container(&mut self, offset: usize, limit: usize) -> Result<OpenedContainer, PdfDefect> {
        let container = self.container(offset, limit)?;
        let opened = OpenedContainer {
            numbers: container.members.iter().map(|(number, _)| *number).collect(),
            length: container.content.len(),
            guessed: container.is_guessed.then_some(container.id),
        };
        self.containers.insert(offset, container);
        Ok(opened)
    }

    /// From this revision on the number means this.
    fn put(&mut self, number: u32, revision: usize, object: Option<(Place, u16)>) {
        let versions = self.history.entry(number).or_default();
        if versions.last().and_then(|last| last.object) == object {
            return;
        }
        versions.push(Version { revision, object });
        if let Some((place, generation)) = object {
            self.slots.entry(place).or_insert_with(|| Slot {
                id: Ref::new(number, generation),
                revision,
                limit: 0,
                read: OnceLock::new(),
                length: OnceLock::new(),
            });
        }
    }

    /// Only in the first revision of a linearised file does the first section lead to a later one (F.3.4).
    fn only_linearised_files_lead_forward(&self) -> Result<(), PdfDefect> {
        let is_first = |number: usize| number == 0;
        for (number, revision) in self.revisions.iter().enumerate() {
            let [section, _, rest @ ..] = revision.sections.as_slice() else {
                continue;
            };
            let first = self.slots.keys().next();
            let first = first.map(|place| self.read(*place)).transpose()?;
            let is_linearised = first
                .and_then(|read| read.object.as_dict())
                .is_some_and(|dict| dict.has(b"Linearized"));
            if !is_first(number) || !rest.is_empty() || !is_linearised {
                return defect(section.start, Rule::ForwardPrevious);
            }
        }
        Ok(())
    }

    /// Reads the encryption dictionary that the trailer names (7.6.2), before any string is decrypted.
    pub(super) fn crypt_of_trailer(&mut self, password: Option<&str>) -> Result<Option<Crypt>, PdfDefect> {
        const MALFORMED: Rule = Rule::EncryptionDictionary;
        let Some(newest) = self.revisions.last().and_then(Revision::trailer) else {
            return Ok(None);
        };
        let named = newest.get(b"Encrypt").filter(|object| **object != Object::Null);
        let differs = |revision: &Revision| revision.trailer().and_then(|trailer| trailer.get(b"Encrypt")) != named;
        if let Some(other) = self.revisions.iter().find(|revision| differs(revision)) {
            return defect(other.sections.first().map_or(0, |section| section.start), MALFORMED);
        }
        let (dict, reference) = match named {
            None => return Ok(None),
            Some(Object::Ref(reference)) => (self.latest().object(*reference)?, Some(*reference)),
            Some(direct) => (direct, None),
        };
        let Object::Dict(dict) = dict else {
            return defect(0, MALFORMED);
        };
        // 14.4: both halves are direct, and neither is encrypted.
        let id = newest.get(b"ID").and_then(Object::as_array).and_then(<[Object]>::first);
        let id = id.and_then(Object::as_str).map(Str::bytes).unwrap_or_default();
        let crypt = Crypt::open(dict, &id, password).map_err(|rule| PdfDefect {
            offset: 0,
            object: reference,
            rule,
        })?;
        self.encryption = reference;
        Ok(Some(crypt))
    }

    /// Decodes the object streams, and checks the entries that point into them.
    fn open_containers(&mut self, compressed: &[Compressed]) -> Result<(), PdfDefect> {
        let mut left = MAX_CONTAINED;
        for entry in compressed {
            if !self.containers.contains_key(&entry.container) {
                left = left.saturating_sub(self.open_container(entry.container, left)?.length);
            }
            let member = usize::try_from(entry.index)
                .ok()
                .and_then(|index| self.containers.get(&entry.container)?.members.get(index));
            if member.is_none_or(|(number, _)| *number != entry.number) {
                let id = Ref::new(entry.number, 0);
                return Err(PdfDefect::new(entry.section, Rule::StrayCompressedEntry).within(id));
            }
        }
        Ok(())
    }

    /// The object stream that begins here (7.5.7).
    fn container(&self, offset: usize, limit: usize) -> Result<Container, PdfDefect> {
        let read = self.read(Place::At(offset))?;
        let fail = |rule| PdfDefect::new(offset, rule).within(read.id);
        let stream = match &read.object {
            Object::Stream(stream) if stream.dict.is_type(b"ObjStm") => stream,
            _ => return Err(fail(Rule::ObjectStream)),
        };
        let raw = self.raw(stream, &[]).map_err(fail)?;
        let content = filter::decode_direct(&stream.dict, &raw, limit).map_err(fail)?;
        let first = stream.dict.get(b"First").and_then(Object::as_usize).unwrap_or(0);
        let starts = starts_of_members(&stream.dict, &content, first).ok_or_else(|| fail(Rule::ObjectStream))?;
        let strict = members(&starts, &content, first);
        let is_guessed = strict.is_none();
        let members = strict
            .or_else(|| self.is_rebuilt.then(|| guessed_members(&starts, &content)))
            .ok_or_else(|| fail(Rule::ObjectStream))?;
        Ok(Container {
            id: read.id,
            content,
            members,
            is_guessed,
        })
    }

    /// The object at a place. It is read once.
    pub(super) fn read(&self, place: Place) -> Result<&Indirect, PdfDefect> {
        let Some(slot) = self.slots.get(&place) else {
            return defect(0, Rule::StrayEntry);
        };
        let read = slot.read.get_or_init(|| match place {
            Place::At(offset) => self.read_at(offset, slot),
            Place::Within { container, index } => self.read_within(container, index),
        });
        read.as_ref().map_err(Clone::clone)
    }

    fn read_at(&self, offset: usize, slot: &Slot) -> Result<Indirect, PdfDefect> {
        let body = self.body();
        let within = body.get(..slot.limit).unwrap_or(body);
        let mut read = parse::indirect(within, offset, |dict| self.length(dict, offset, slot)).map_err(|defect| {
            let ends_early = defect.rule == Rule::UnexpectedEnd && slot.limit < body.len();
            PdfDefect {
                rule: if ends_early { Rule::Overlap } else { defect.rule },
                ..defect
            }
        })?;
        self.decrypt_strings(&mut read)
            .map_err(|rule| PdfDefect::new(offset, rule).within(slot.id))?;
        Ok(read)
    }

    pub(super) fn decrypt_strings(&self, read: &mut Indirect) -> Result<(), Rule> {
        let is_structure = read
            .object
            .as_stream()
            .is_some_and(|stream| stream.dict.is_type(b"XRef"));
        match &self.crypt {
            Some(crypt) if !is_structure && self.encryption != Some(read.id) => {
                crypt.strings(read.id, &mut read.object)
            }
            _ => Ok(()),
        }
    }

    /// The length of the stream in a slot (7.3.8.2), which may be another object.
    fn length(&self, dict: &Dict, offset: usize, slot: &Slot) -> Result<usize, PdfDefect> {
        let Some(Object::Ref(reference)) = dict.get(b"Length") else {
            return parse::direct_length(dict, offset);
        };
        let place = match self.at(slot.revision).place(reference.number) {
            Some((place, generation)) if generation == reference.generation => place,
            _ => return defect(offset, Rule::StreamLength),
        };
        // A later revision must not replace the stream.
        let changed = |number: u32| {
            let versions = self.history.get(&number).map(Vec::as_slice).unwrap_or_default();
            let later = versions.partition_point(|version| version.revision <= slot.revision);
            versions.get(later).map_or(usize::MAX, |version| version.revision)
        };
        if changed(reference.number) < changed(slot.id.number) {
            return defect(offset, Rule::LengthRedefined);
        }
        let length = self.slots.get(&place).and_then(|other| {
            *other.length.get_or_init(|| match place {
                Place::At(offset) => whole_at(self.body().get(..other.limit)?, offset),
                Place::Within { .. } => self.read(place).ok()?.object.as_usize(),
            })
        });
        match length {
            Some(length) => Ok(length),
            None => defect(offset, Rule::StreamLength),
        }
    }

    fn read_within(&self, container: usize, index: u32) -> Result<Indirect, PdfDefect> {
        let member = self.containers.get(&container).and_then(|open| {
            let (number, span) = open.members.get(usize::try_from(index).ok()?)?;
            Some((open, *number, span.clone()))
        });
        let Some((open, number, span)) = member else {
            return defect(container, Rule::StrayCompressedEntry);
        };
        let id = Ref::new(number, 0);
        // Offsets within the decoded data mean nothing to the reader of a message.
        let fail = |rule| PdfDefect::new(container, rule).within(id);
        let content = open.content.get(..span.end).unwrap_or_default();
        let mut lexer = Lexer::new(content, span.start);
        let object = parse::value(&mut lexer).map_err(|defect| fail(defect.rule))?;
        let end = lexer.at();
        lexer.space();
        if !lexer.rest().is_empty() {
            return Err(fail(Rule::ObjectStream));
        }
        let word = lexer.word_in_comment().map(|_| Deviation {
            offset: container,
            kind: DeviationKind::WordInComment,
        });
        Ok(Indirect {
            id,
            object,
            span: span.start..end,
            deviations: word.into_iter().collect(),
        })
    }

    pub(super) fn written(&self, place: Place) -> Result<Written<'_>, PdfDefect> {
        let read = self.read(place)?;
        Ok(match place {
            Place::At(_) => Written::InFile(read.span.clone()),
            Place::Within { container, .. } => {
                let open = self.containers.get(&container);
                Written::InStream {
                    container: open.map_or(read.id, |open| open.id),
                    bytes: open
                        .and_then(|open| open.content.get(read.span.clone()))
                        .unwrap_or_default(),
                }
            }
        })
    }

    /// The data of a stream as its filters encoded it, decrypted. `steps` are its filters, for a crypt filter among them.
    pub(super) fn raw<'a>(&'a self, stream: &'a Stream, steps: &[Step]) -> Result<Cow<'a, [u8]>, Rule> {
        let (object, span) = match &stream.data {
            StreamData::New(bytes) => return Ok(Cow::Borrowed(bytes)),
            StreamData::InFile { object, span } => (*object, span.clone()),
        };
        let bytes = self.body().get(span).ok_or(Rule::StreamEnd)?;
        let Some(crypt) = &self.crypt else {
            return Ok(Cow::Borrowed(bytes));
        };
        // 7.4.10: it is the first one.
        if steps.iter().skip(1).any(|step| step.crypt.is_some()) {
            return Err(Rule::FilterParameters);
        }
        let named = steps.first().and_then(|step| step.crypt.as_deref());
        crypt.stream(object, &stream.dict, named, bytes).map(Cow::Owned)
    }
}

/// Sections, the newest first, into revisions, the oldest first. A section that leads to a later one is one revision with it.
fn group(sections: Vec<Section>) -> Vec<Revision> {
    let mut revisions: Vec<Revision> = Vec::new();
    for section in sections {
        match revisions.last_mut() {
            Some(newer) if newer.sections.last().is_some_and(|newer| newer.start < section.start) => {
                newer.sections.push(section);
            }
            _ => revisions.push(Revision {
                sections: vec![section],
                end: None,
            }),
        }
    }
    for revision in &mut revisions {
        let last = revision.sections.iter().max_by_key(|section| section.start);
        revision.end = last.and_then(|section| section.marked_end);
    }
    revisions.reverse();
    revisions
}

/// The entries of all sections of a revision, with their sections. They do not contradict each other, but one may show
/// what another hides as free (7.5.8.4).
fn entries_of(revision: &Revision) -> Result<BTreeMap<u32, (Entry, usize)>, PdfDefect> {
    let mut entries: BTreeMap<u32, (Entry, usize)> = BTreeMap::new();
    for section in &revision.sections {
        for (number, entry) in &section.entries {
            let known = entries.entry(*number).or_insert((*entry, section.start));
            if known.0 == Entry::Free {
                *known = (*entry, section.start);
            }
            if *entry != Entry::Free && known.0 != *entry {
                return Err(PdfDefect::new(section.start, Rule::ListedTwice).within(Ref::new(*number, 0)));
            }
        }
    }
    Ok(entries)
}

/// The header of the file (7.5.2).
pub(super) fn header_place(bytes: &[u8]) -> Result<usize, PdfDefect> {
    const MARK: &[u8] = b"%PDF-";
    let head = bytes.get(..HEAD + MARK.len()).unwrap_or(bytes);
    match head.windows(MARK.len()).position(|window| window == MARK) {
        Some(place) => Ok(place),
        None => defect(0, Rule::NoHeader),
    }
}

/// Where offsets count from, and the offset of the last section. Bytes before the header may or may not count.
fn start_of_chain(bytes: &[u8], header: usize, deviations: &mut Vec<Deviation>) -> Result<(usize, usize), PdfDefect> {
    let body = bytes.get(header..).unwrap_or_default();
    let (start, found) = last_start(body)?;
    deviations.extend(found);
    if header == 0 {
        return Ok((0, start));
    }
    deviations.push(Deviation {
        offset: 0,
        kind: DeviationKind::HeaderNotAtStart,
    });
    let is_section = |body: &[u8]| {
        let rest = body.get(start..).unwrap_or_default();
        let at = start + run(rest, is_white);
        rest.trim_ascii_start().starts_with(b"xref") || parse::header(body, at).is_some()
    };
    let counts_from_start = !is_section(body) && is_section(bytes);
    Ok((if counts_from_start { 0 } else { header }, start))
}

/// Where the header of this object begins, as its entry says.
fn header_at(body: &[u8], offset: usize, id: Ref) -> Result<(usize, Option<Deviation>), PdfDefect> {
    let stray = PdfDefect::new(offset, Rule::StrayEntry).within(id);
    let before = body.get(offset..).ok_or_else(|| stray.clone())?;
    let space = run(before.get(..=MAX_SPACE).unwrap_or(before), is_white);
    let at = offset + space;
    if space > MAX_SPACE {
        return Err(stray);
    }
    // Further digits before it would make it the header of another object.
    let before = at.checked_sub(1).and_then(|before| body.get(before));
    if before.is_some_and(u8::is_ascii_digit) || parse::header(body, at).is_none_or(|(found, _)| found != id) {
        return Err(stray);
    }
    let deviation = (space > 0).then_some(Deviation {
        offset,
        kind: DeviationKind::SpaceBeforeObject,
    });
    Ok((at, deviation))
}

/// The whole number that is the object here.
pub(super) fn whole_at(body: &[u8], offset: usize) -> Option<usize> {
    let (_, at) = parse::header(body, offset)?;
    let mut lexer = Lexer::new(body, at);
    let number = parse::value(&mut lexer).ok()?.as_usize()?;
    lexer.space();
    lexer.take(b"endobj").then_some(number)
}

/// The numbers of the objects in an object stream, and where each begins.
fn starts_of_members(dict: &Dict, content: &[u8], first: usize) -> Option<Vec<(u32, usize)>> {
    let count = dict.get(b"N")?.as_usize()?;
    let mut head = Lexer::new(content.get(..first)?, 0);
    let mut starts: Vec<(u32, usize)> = Vec::new();
    for _ in 0..count {
        head.white();
        let number = whole(head.digits())?;
        head.white();
        let offset: usize = whole(head.digits())?;
        starts.push((number, first.checked_add(offset)?));
    }
    Some(starts)
}

/// The bytes of each object, if they follow one another.
fn members(starts: &[(u32, usize)], content: &[u8], first: usize) -> Option<Vec<(u32, Range<usize>)>> {
    if !starts.is_sorted_by(|(_, before), (_, after)| before < after) {
        return None;
    }
    // Some programs read an object on into the next one if nothing separates them.
    let is_regular_at = |place: usize| content.get(place).is_some_and(|byte| is_regular(*byte));
    let are_apart = starts
        .iter()
        .all(|(_, start)| !is_regular_at(*start) || !is_regular_at(start.wrapping_sub(1)) || *start == first);
    let ends = starts.iter().skip(1).map(|(_, start)| *start).chain([content.len()]);
    let members = starts
        .iter()
        .zip(ends)
        .map(|((number, start), end)| (*number, *start..end));
    are_apart.then(|| members.collect())
}

/// The bytes of each object, up to where it is found to end.
fn guessed_members(starts: &[(u32, usize)], content: &[u8]) -> Vec<(u32, Range<usize>)> {
    let end = |start| {
        let mut lexer = Lexer::new(content, start);
        parse::value(&mut lexer).map_or(content.len(), |_| lexer.at())
    };
    let member = |(number, start): &(u32, usize)| (*number, *start..end(*start));
    starts.iter().map(member).collect()
}
