//! The objects of a file in one of its revisions.

use std::borrow::Cow;
use std::ops::Range;

use super::defect::{PdfDefect, Rule, defect};
use super::file::{File, Place, Revision};
use super::filter::{self, Decoded, Step};
use super::object::{Dict, Object, Ref, Stream, StreamData};
use super::parse;

/// Maximum length of a chain of references.
const MAX_CHAIN: usize = 16;

/// A file in one of its revisions.
#[derive(Debug, Clone, Copy)]
pub struct View<'f> {
    file: &'f File,
    revision: usize,
}

/// Location of the written bytes of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written<'f> {
    /// In the file: from the number to `endobj`, counted from the header.
    InFile(Range<usize>),
    /// In an object stream.
    InStream {
        /// The object stream.
        container: Ref,
        bytes: &'f [u8],
    },
}

impl<'f> View<'f> {
    pub(super) fn new(file: &'f File, revision: usize) -> Self {
        Self { file, revision }
    }

    /// Returns the file. Private to this module, so that a rebuilt file never leaves its own type.
    pub(super) fn file(self) -> &'f File {
        self.file
    }

    /// Returns the index of the revision. 0 is the oldest.
    pub fn revision(self) -> usize {
        self.revision
    }

    /// Returns the trailer (7.5.5).
    pub fn trailer(self) -> Result<&'f Dict, PdfDefect> {
        let revision = self.file.revisions.get(self.revision);
        revision
            .and_then(Revision::trailer)
            .ok_or(PdfDefect::new(0, Rule::NoTrailer))
    }

    /// Returns the document catalog (7.7.2).
    pub fn catalog(self) -> Result<&'f Dict, PdfDefect> {
        match self.trailer()?.get(b"Root") {
            Some(Object::Ref(root)) => match self.object(*root)? {
                Object::Dict(catalog) => Ok(catalog),
                _ => Err(PdfDefect::new(0, Rule::NoCatalog).within(*root)),
            },
            _ => defect(0, Rule::NoCatalog),
        }
    }

    pub(super) fn place(self, number: u32) -> Option<(Place, u16)> {
        let versions = self.file.history.get(&number)?;
        let later = versions.partition_point(|version| version.revision <= self.revision);
        versions.get(later.checked_sub(1)?)?.object
    }

    fn place_of(self, reference: Ref) -> Option<Place> {
        let (place, generation) = self.place(reference.number)?;
        (generation == reference.generation).then_some(place)
    }

    /// Returns an object, or null if it does not exist (7.3.10).
    pub fn object(self, reference: Ref) -> Result<&'f Object, PdfDefect> {
        match self.place_of(reference) {
            Some(place) => Ok(&self.file.read(place)?.object),
            None => Ok(&Object::Null),
        }
    }

    pub fn has(self, reference: Ref) -> bool {
        self.place_of(reference).is_some()
    }

    /// Returns the location of the written bytes of an object. `None` if the object does not exist.
    pub fn written(self, reference: Ref) -> Result<Option<Written<'f>>, PdfDefect> {
        self.place_of(reference)
            .map(|place| self.file.written(place))
            .transpose()
    }

    /// Returns the range of the value at the end of a path of keys, counted from the header. The first key is one of
    /// this object's. `None` if there is no such value, or if the object is in an object stream.
    pub fn span_of(self, reference: Ref, path: &[&[u8]]) -> Option<Range<usize>> {
        let Some(Written::InFile(span)) = self.written(reference).ok()? else {
            return None;
        };
        parse::span_of(self.file.body().get(..span.end)?, span.start, path)
    }

    /// Returns every object, by number.
    pub fn objects(self) -> impl Iterator<Item = (Ref, Result<&'f Object, PdfDefect>)> {
        self.file.history.keys().filter_map(move |number| {
            let (place, generation) = self.place(*number)?;
            let read = self.file.read(place).map(|read| &read.object);
            Some((Ref::new(*number, generation), read))
        })
    }

    /// Returns the object that a reference points to. Any other object is returned as is.
    pub fn resolve<'o>(self, object: &'o Object) -> Result<&'o Object, PdfDefect>
    where
        'f: 'o,
    {
        follow(object, |reference| self.object(reference))
    }

    /// Returns the resolved value of a key, or null if it is missing (7.3.7).
    pub fn get<'o>(self, dict: &'o Dict, key: &[u8]) -> Result<&'o Object, PdfDefect>
    where
        'f: 'o,
    {
        dict.get(key).map_or(Ok(&Object::Null), |value| self.resolve(value))
    }

    /// Returns the filters of a stream.
    pub fn filters(self, dict: &Dict) -> Result<Vec<Step>, PdfDefect> {
        filter::steps(dict, |object| self.resolve(object))
    }

    /// Returns the decrypted, still encoded data of a stream.
    pub fn raw<'o>(self, stream: &'o Stream) -> Result<Cow<'o, [u8]>, PdfDefect>
    where
        'f: 'o,
    {
        let steps = match self.file.crypt {
            Some(_) => self.filters(&stream.dict)?,
            None => Vec::new(),
        };
        self.file.raw(stream, &steps).map_err(|rule| about(stream, rule))
    }

    /// Decodes the data of a stream up to an image filter.
    pub fn decode(self, stream: &Stream, limit: usize) -> Result<Decoded, PdfDefect> {
        self.decode_with(stream, self.filters(&stream.dict)?, limit)
    }

    /// Decodes the data of a stream with known filters.
    pub(super) fn decode_with(self, stream: &Stream, steps: Vec<Step>, limit: usize) -> Result<Decoded, PdfDefect> {
        let raw = self.file.raw(stream, &steps).map_err(|rule| about(stream, rule))?;
        filter::decode(steps, &raw, limit).map_err(|rule| about(stream, rule))
    }
}

/// Follows a chain of references to its end. `read` returns the object for each reference.
pub(super) fn follow<'o>(
    object: &'o Object,
    read: impl Fn(Ref) -> Result<&'o Object, PdfDefect>,
) -> Result<&'o Object, PdfDefect> {
    let mut object = object;
    for _ in 0..MAX_CHAIN {
        match object {
            Object::Ref(reference) => object = read(*reference)?,
            other => return Ok(other),
        }
    }
    defect(0, Rule::ReferenceChain)
}

fn about(stream: &Stream, rule: Rule) -> PdfDefect {
    match &stream.data {
        StreamData::InFile { object, span } => PdfDefect::new(span.start, rule).within(*object),
        StreamData::New(_) => PdfDefect::new(0, rule),
    }
}
