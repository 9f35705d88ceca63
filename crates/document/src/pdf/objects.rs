//! Objects that refer to each other, whether a file has them as they are ([`View`]) or with changes ([`Edits`]), and what
//! readers of a document ask of them.
//!
//! An object of another kind than the one asked for counts as missing; one that cannot be read is an error.

use std::collections::BTreeSet;

use super::defect::{PdfDefect, Rule, defect};
use super::edit::Edits;
use super::filter::{self, Decoded};
use super::object::{Dict, Name, Object, Ref, Stream};
use super::view::{View, follow};

/// The maximum depth of a page in its tree.
const MAX_DEPTH: usize = 64;

/// Objects that refer to each other.
pub trait Objects {
    /// An object. One that does not exist is null (ISO 32000-2, 7.3.10).
    fn object(&self, reference: Ref) -> Result<&Object, PdfDefect>;

    /// The file that they are from.
    fn view(&self) -> View<'_>;

    /// The object that a reference points to. Any other object is itself.
    fn resolve<'o>(&'o self, object: &'o Object) -> Result<&'o Object, PdfDefect> {
        follow(object, |reference| self.object(reference))
    }

    /// The value of a key, resolved; null if it is missing (7.3.7).
    fn get<'o>(&'o self, dict: &'o Dict, key: &[u8]) -> Result<&'o Object, PdfDefect> {
        dict.get(key).map_or(Ok(&Object::Null), |value| self.resolve(value))
    }

    /// A dictionary under a key; not that of a stream.
    fn dict<'o>(&'o self, dict: &'o Dict, key: &[u8]) -> Result<Option<&'o Dict>, PdfDefect> {
        Ok(match self.get(dict, key)? {
            Object::Dict(found) => Some(found),
            _ => None,
        })
    }

    /// A stream under a key.
    fn stream<'o>(&'o self, dict: &'o Dict, key: &[u8]) -> Result<Option<&'o Stream>, PdfDefect> {
        Ok(self.get(dict, key)?.as_stream())
    }

    /// The items of an array under a key.
    fn array<'o>(&'o self, dict: &'o Dict, key: &[u8]) -> Result<Option<&'o [Object]>, PdfDefect> {
        Ok(self.get(dict, key)?.as_array())
    }

    /// A name under a key.
    fn name<'o>(&'o self, dict: &'o Dict, key: &[u8]) -> Result<Option<&'o Name>, PdfDefect> {
        Ok(self.get(dict, key)?.as_name())
    }

    /// A whole number under a key.
    fn integer(&self, dict: &Dict, key: &[u8]) -> Result<Option<i64>, PdfDefect> {
        Ok(self.get(dict, key)?.as_i64())
    }

    /// A number under a key.
    fn number(&self, dict: &Dict, key: &[u8]) -> Result<Option<f64>, PdfDefect> {
        Ok(self.get(dict, key)?.as_f64())
    }

    /// A text string under a key (7.9.2.2).
    fn text(&self, dict: &Dict, key: &[u8]) -> Result<Option<String>, PdfDefect> {
        Ok(self.get(dict, key)?.as_str().map(super::object::Str::text))
    }

    /// Where the document catalog is (7.7.2).
    fn root(&self) -> Result<Ref, PdfDefect> {
        match self.view().trailer()?.get(b"Root") {
            Some(Object::Ref(root)) => Ok(*root),
            _ => defect(0, Rule::NoCatalog),
        }
    }

    /// The document catalog.
    fn catalog(&self) -> Result<&Dict, PdfDefect> {
        let root = self.root()?;
        match self.object(root)? {
            Object::Dict(catalog) => Ok(catalog),
            _ => Err(PdfDefect::new(0, Rule::NoCatalog).within(root)),
        }
    }

    /// The pages in their order (7.7.3).
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
            // Programs differ on a node that is neither clearly a page nor clearly a branch.
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

    /// The dictionary of a page.
    fn page(&self, page: Ref) -> Result<&Dict, PdfDefect> {
        match self.object(page)? {
            Object::Dict(dict) => Ok(dict),
            _ => Err(PdfDefect::new(0, Rule::PageTree).within(page)),
        }
    }

    /// The value of a key on a page or its nearest ancestor (7.7.3.4), resolved. Null if there is none.
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

    /// The data of a stream, decoded up to a filter that makes an image. `limit` is the most bytes that it may have.
    fn decode(&self, stream: &Stream, limit: usize) -> Result<Decoded, PdfDefect> {
        let steps = filter::steps(&stream.dict, |object| self.resolve(object))?;
        self.view().decode_with(stream, steps, limit)
    }

    /// The data of a stream whose filters can all be decoded.
    fn decode_whole(&self, stream: &Stream, limit: usize) -> Result<Vec<u8>, PdfDefect> {
        let decoded = self.decode(stream, limit)?;
        if decoded.left.is_empty() {
            Ok(decoded.bytes)
        } else {
            defect(0, Rule::UnknownFilter)
        }
    }

    /// The content of a page, decoded: its streams, with a space after each if there are several (7.8.2).
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
