//! A file that follows the rules of the format (ISO 32000-2, 7.5): its revisions, and the state of every object in each
//! of them.
//!
//! [`File::open`] reads the structure and refuses a file with ambiguous cross-references: every entry, even one that a
//! later section replaces, must point exactly to its own object. Objects are read once, on first use. An object ends at
//! the latest where the next one begins, so the time for reading all objects is proportional to the length of the file.

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

/// Maximum number of bytes before a file's header.
const HEAD: usize = 1024;
/// Maximum total size in bytes of a file's decoded object streams.
pub(super) const MAX_CONTAINED: usize = 512 << 20;
/// Maximum white space skipped before an object.
const MAX_SPACE: usize = 32;

/// The location of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// At this position in the file.
    At(usize),
    /// In the object stream that begins at this position.
    Within { container: usize, index: u32 },
}

/// The location of a numbered object since a revision. `None` means that the number is free.
#[derive(Debug, Clone, Copy)]
pub(super) struct Version {
    pub(super) revision: usize,
    pub(super) object: Option<(Place, u16)>,
}

/// An object at its location, once it has been read.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) id: Ref,
    /// The first revision with the object at this location.
    pub(super) revision: usize,
    /// Start of the next object.
    limit: usize,
    pub(super) read: OnceLock<Result<Indirect, PdfDefect>>,
    /// The object's value, if it is the length of a stream.
    length: OnceLock<Option<usize>>,
}

/// An entry that points into an object stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Compressed {
    number: u32,
    /// Start of the object stream.
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
    /// Whether we had to guess where the objects end.
    is_guessed: bool,
}

/// The contents of an opened object stream.
pub(super) struct OpenedContainer {
    /// The numbers of the objects in the stream.
    pub(super) numbers: Vec<u32>,
    pub(super) length: usize,
    /// The object stream, if we had to guess where its objects end.
    pub(super) guessed: Option<Ref>,
}

/// The data appended to the file by one writer at one time (7.5.6).
#[derive(Debug)]
pub struct Revision {
    /// The sections of the revision, newest first: one, or two if the file was linearised (Annex F).
    pub sections: Vec<Section>,
    /// End of the revision, after `%%EOF` if present.
    pub end: Option<usize>,
}

impl Revision {
    /// Returns the trailer of the revision (7.5.5).
    pub fn trailer(&self) -> Option<&Dict> {
        self.sections.first().map(|section| &section.trailer)
    }
}

/// A file that follows the rules of the format.
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
    /// Whether the sections are not the original ones.
    pub(super) is_rebuilt: bool,
}

impl File {
    /// Reads the structure of a file. An encrypted file opens with the user or owner password.
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

    /// Creates a file from these sections, newest first. The objects are not located yet.
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

    /// Returns the bytes from the header on. Every offset counts from there (7.5.2).
    pub fn body(&self) -> &[u8] {
        self.bytes.get(self.base..).unwrap_or_default()
    }

    /// Returns whether offsets count from the file's first byte.
    pub fn counts_from_first_byte(&self) -> bool {
        self.base == 0
    }

    /// Returns the whole file, including any bytes before its header.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns all revisions, oldest first.
    pub fn revisions(&self) -> &[Revision] {
        &self.revisions
    }

    /// Returns the file in its newest revision.
    pub fn latest(&self) -> View<'_> {
        self.at(self.revisions.len().saturating_sub(1))
    }

    /// Returns the file in this revision. 0 is the oldest.
    pub fn at(&self, revision: usize) -> View<'_> {
        View::new(self, revision)
    }

    /// Returns the kind of password that opened the file, if it is encrypted.
    pub fn access(&self) -> Option<Access> {
        self.crypt.as_ref().map(Crypt::access)
    }

    /// Returns the accepted deviations from the standard: in the structure, and in the objects read so far.
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

    /// Returns every object of every revision.
    pub fn objects_ever(&self) -> impl Iterator<Item = (Ref, Result<&Object, PdfDefect>)> {
        self.slots
            .iter()
            .map(|(place, slot)| (slot.id, self.read(*place).map(|read| &read.object)))
    }

    /// Returns the locations in an object stream, if entries point into it.
    pub(super) fn places_within(&self, container: usize) -> Option<impl Iterator<Item = Place>> {
        let members = (0..).zip(&self.containers.get(&container)?.members);
        Some(members.map(move |(index, _)| Place::Within { container, index }))
    }

    /// Returns the objects that a revision added or replaced, with their bytes.
    pub fn written_in(&self, revision: usize) -> impl Iterator<Item = (Ref, Result<Written<'_>, PdfDefect>)> {
        self.slots
            .iter()
            .filter(move |(_, slot)| slot.revision == revision)
            .map(|(place, slot)| (slot.id, self.written(*place)))
    }

    /// Returns the bytes within a range that are not white space and belong to no object, section or end of a revision:
    /// comments, or data that no cross-reference points to.
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

    /// Records the location of every number, and checks that each entry points exactly to its object. Returns the
    /// entries that point into object streams, which can be checked once those are decrypted.
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
            // An object stream cannot be inside another one (7.5.7), so its location is already known.
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

    /// Makes the number a member of an open object stream in every revision, unless its object is after that stream.
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

    /// Sets the meaning of the number from this revision on.
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

    /// Checks that the first section refers to a later one only in the first revision of a linearised file (F.3.4).
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

    /// Reads the encryption dictionary that the trailer refers to (7.6.2), before any string is decrypted.
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
        // Both halves are direct objects, and neither is encrypted (14.4).
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

    /// Reads the object stream that begins at this offset (7.5.7).
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

    /// Returns the object at a location. Each object is read only once.
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

    /// Returns the length of the stream in a slot (7.3.8.2), which may be another object.
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
        // Offsets within the decoded data are of no use in a message.
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

    /// Returns the decrypted, still encoded data of a stream. `steps` contains its filters, because one may be a crypt
    /// filter.
    pub(super) fn raw<'a>(&'a self, stream: &'a Stream, steps: &[Step]) -> Result<Cow<'a, [u8]>, Rule> {
        let (object, span) = match &stream.data {
            StreamData::New(bytes) => return Ok(Cow::Borrowed(bytes)),
            StreamData::InFile { object, span } => (*object, span.clone()),
        };
        let bytes = self.body().get(span).ok_or(Rule::StreamEnd)?;
        let Some(crypt) = &self.crypt else {
            return Ok(Cow::Borrowed(bytes));
        };
        // The crypt filter is always the first (7.4.10).
        if steps.iter().skip(1).any(|step| step.crypt.is_some()) {
            return Err(Rule::FilterParameters);
        }
        let named = steps.first().and_then(|step| step.crypt.as_deref());
        crypt.stream(object, &stream.dict, named, bytes).map(Cow::Owned)
    }
}

/// Groups sections (newest first) into revisions (oldest first). A section that refers to a later one belongs to the
/// same revision.
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

/// Returns the entries of all sections of a revision, with their sections. Entries must not contradict each other, but
/// one section may list an object that another hides as free (7.5.8.4).
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

/// Returns the position of the file's header (7.5.2).
pub(super) fn header_place(bytes: &[u8]) -> Result<usize, PdfDefect> {
    const MARK: &[u8] = b"%PDF-";
    let head = bytes.get(..HEAD + MARK.len()).unwrap_or(bytes);
    match head.windows(MARK.len()).position(|window| window == MARK) {
        Some(place) => Ok(place),
        None => defect(0, Rule::NoHeader),
    }
}

/// Returns the position from which offsets count, and the offset of the last section. Bytes before the header may or
/// may not count.
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

/// Returns the position of this object's header, as given in its entry.
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

/// Returns the object at this offset if it is an integer.
pub(super) fn whole_at(body: &[u8], offset: usize) -> Option<usize> {
    let (_, at) = parse::header(body, offset)?;
    let mut lexer = Lexer::new(body, at);
    let number = parse::value(&mut lexer).ok()?.as_usize()?;
    lexer.space();
    lexer.take(b"endobj").then_some(number)
}

/// Returns the numbers of the objects in an object stream, and the start of each.
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

/// Returns the bytes of each object, if they follow one another.
fn members(starts: &[(u32, usize)], content: &[u8], first: usize) -> Option<Vec<(u32, Range<usize>)>> {
    if !starts.is_sorted_by(|(_, before), (_, after)| before < after) {
        return None;
    }
    // Some programs continue reading into the next object if nothing separates them.
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

/// Returns the bytes of each object, up to its guessed end.
fn guessed_members(starts: &[(u32, usize)], content: &[u8]) -> Vec<(u32, Range<usize>)> {
    let end = |start| {
        let mut lexer = Lexer::new(content, start);
        parse::value(&mut lexer).map_or(content.len(), |_| lexer.at())
    };
    let member = |(number, start): &(u32, usize)| (*number, *start..end(*start));
    starts.iter().map(member).collect()
}
