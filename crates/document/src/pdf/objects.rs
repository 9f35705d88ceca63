//! A common interface to the objects of a file without changes ([`View`]) or with changes ([`Edits`]).
//!
//! An object of another type than the requested one counts as missing. An unreadable one is an error.

use std::collections::BTreeSet;

use super::defect::{PdfDefect, Rule, defect};
use super::edit::Edits;
use super::filter::{self, Decoded};
use super::object::{Dict, Name, Object, Ref, Stream};
use super::view::{View, follow};

/// The maximum depth of a page in its tree.
const MAX_DEPTH: usize = 64;

/// Access to objects that refer to each other.
pub trait Objects {
    /// Returns an object, or null if it does not exist (ISO 32000-2, 7.3.10).
    fn object(&self, reference: Ref) -> Result<&Object, PdfDefect>;

    /// Returns the file without changes.
    fn view(&self) -> View<'_>;

    /// Returns the object that a reference points to. Any other object is returned as is.
    fn resolve<'o>(&'o self, object: &'o Object) -> Result<&'o Object, PdfDefect> {
        follow(object, |reference| self.object(reference))
    }

    /// Returns the resolved value of a key, or null if it is missing (7.3.7).
    fn get<'o>(&'o self, dict: &'o Dict, key: &[u8]) -> Result<&'o Object, PdfDefect> {
        dict.get(key).map_or(Ok(&Object::Null), |value| self.resolve(value))
    }

    /// Returns a dictionary under a key, but not that of a stream.
    fn dict<'o>(&'o self, dict: &'o Dict, key: &[u8]) -> Result<Option<&'o Dict>, PdfDefect> {
        Ok(match self.get(dict, key)? {
            Object::Dict(found) => Some(found),
            _ => None,
        })
    }

    /// Returns the stream under a key.
    fn stream<'o>(&'o self, dict: &'o Dict, key: &[u8]) -> Result<Option<&'o Stream>, PdfDefect> {
        Ok(self.get(dict, key)?.as_stream())
    }

    /// Returns the items of an array under a key.
    fn array<'o>(&'o self, dict: &'o Dict, key: &[u8]) -> Result<Option<&'o [Object]>, PdfDefect> {
        Ok(self.get(dict, key)?.as_array())
    }

    /// Returns the name under a key.
    fn name<'o>(&'o self, dict: &'o Dict, key: &[u8]) -> Result<Option<&'o Name>, PdfDefect> {
        Ok(self.get(dict, key)?.as_name())
    }

    /// Returns the integer under a key.
    fn integer(&self, dict: &Dict, key: &[u8]) -> Result<Option<i64>, PdfDefect> {
        Ok(self.get(dict, key)?.as_i64())
    }

    /// Returns the number under a key.
    fn number(&self, dict: &Dict, key: &[u8]) -> Result<Option<f64>, PdfDefect> {
        Ok(self.get(dict, key)?.as_f64())
    }

    /// Returns the text string under a key (7.9.2.2).
    fn text(&self, dict: &Dict, key: &[u8]) -> Result<Option<String>, PdfDefect> {
        Ok(self.get(dict, key)?.as_str().map(super::object::Str::text))
    }

    /// Returns the reference to the document catalog (7.7.2).
    fn root(&self) -> Result<Ref, PdfDefect> {
        match self.view().trailer()?.get(b"Root") {
            Some(Object::Ref(root)) => Ok(*root),
            _ => defect(0, Rule::NoCatalog),
        }
    }

    /// Returns the document catalog.
    fn catalog(&self) -> Result<&Dict, PdfDefect> {
        let root = self.root()?;
        match self.object(root)? {
            Object::Dict(catalog) => Ok(catalog),
            _ => Err(PdfDefect::new(0, Rule::NoCatalog).within(root)),
        }
    }

    /// Returns the pages in order (7.7.3).
    fn pages(&self) -> Result<Vec<Ref>, PdfDefect> {
        let mut pages = Vec::new();
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<&Object> = self.catalog()?.get(b"Pages").into_iter().collect();
        let mut is_root = true;
        while let Some(node) = waiting.pop() {
            // Each node is a separate object with one parent, so no branch appears twice (7.7.3.2).
            let Object::Ref(reference) = *node else {
                return defect(0, Rule::PageTree);
            };
            let broken = PdfDefect::new(0, Rule::PageTree).within(reference);
            if !seen.insert(reference) {
                return Err(broken);
            }
            let Object::Dict(dict) = self.resolve(node)? else {
                return Err(broken);
            };
            // Programs treat a node differently if it is neither clearly a page nor clearly a branch.
            let kind = self.get(dict, b"Type")?;
            match self.get(dict, b"Kids")? {
                Object::Array(kids) if kind.is_name(b"Pages") => waiting.extend(kids.iter().rev()),
                Object::Null if !is_root && !kind.is_name(b"Pages") => pages.push(reference),
                _ if !is_root && kind.is_name(b"Page") => pages.push(reference),
                _ => return Err(broken),
            }
            is_root = false;
        }
        Ok(pages)
    }

    fn page(&self, page: Ref) -> Result<&Dict, PdfDefect> {
        match self.object(page)? {
            Object::Dict(dict) => Ok(dict),
            _ => Err(PdfDefect::new(0, Rule::PageTree).within(page)),
        }
    }

    /// Returns the resolved value of a key on a page or its nearest ancestor (7.7.3.4), or null.
    fn inherited<'o>(&'o self, page: &'o Dict, key: &[u8]) -> Result<&'o Object, PdfDefect> {
        let mut node = page;
        for _ in 0..MAX_DEPTH {
            match self.get(node, key)? {
                Object::Null => match self.dict(node, b"Parent")? {
                    Some(parent) => node = parent,
                    None => return Ok(&Object::Null),
                },
                value => return Ok(value),
            }
        }
        defect(0, Rule::PageTree)
    }

    /// Decodes the data of a stream up to an image filter. `limit` is the maximum size of the result in bytes.
    fn decode(&self, stream: &Stream, limit: usize) -> Result<Decoded, PdfDefect> {
        let steps = filter::steps(&stream.dict, |object| self.resolve(object))?;
        self.view().decode_with(stream, steps, limit)
    }

    /// Decodes the data of a stream whose filters are all supported.
    fn decode_whole(&self, stream: &Stream, limit: usize) -> Result<Vec<u8>, PdfDefect> {
        let decoded = self.decode(stream, limit)?;
        if decoded.left.is_empty() {
            Ok(decoded.bytes)
        } else {
            defect(0, Rule::UnknownFilter)
        }
    }

    /// Returns the decoded content of a page: its streams, with a space after each if there are several (7.8.2).
    fn content(&self, page: Ref, limit: usize) -> Result<Vec<u8>, PdfDefect> {
        let streams = match self.get(self.page(page)?, b"Contents")? {
            Object::Null => return Ok(Vec::new()),
            Object::Array(items) => items,
            one => return content_of(self, one, limit),
        };
        let mut content = Vec::new();
        for stream in streams {
            let left = limit.saturating_sub(content.len());
            content.extend(content_of(self, self.resolve(stream)?, left)?);
            content.push(b' ');
        }
        Ok(content)
    }
}

fn content_of(objects: &(impl Objects + ?Sized), object: &Object, limit: usize) -> Result<Vec<u8>, PdfDefect> {
    let Object::Stream(stream) = object else {
        return defect(0, Rule::Content);
    };
    let decoded = objects.decode(stream, limit)?;
    if decoded.left.is_empty() {
        Ok(decoded.bytes)
    } else {
        defect(0, Rule::Content)
    }
}

impl Objects for View<'_> {
    fn object(&self, reference: Ref) -> Result<&Object, PdfDefect> {
        View::object(*self, reference)
    }

    fn view(&self) -> View<'_> {
        *self
    }
}

impl Objects for Edits<'_> {
    fn object(&self, reference: Ref) -> Result<&Object, PdfDefect> {
        Edits::object(self, reference)
    }

    fn view(&self) -> View<'_> {
        Edits::view(self)
    }
}
