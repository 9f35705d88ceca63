//! Copies objects of one file into another.

use std::collections::HashMap;

use super::defect::PdfDefect;
use super::edit::Edits;
use super::object::{Dict, Object, Ref, Stream};
use super::view::View;

/// The objects copied from an unencrypted file. Shared objects are copied once.
#[derive(Debug)]
pub(crate) struct Import<'s> {
    source: View<'s>,
    copied: HashMap<Ref, Ref>,
    /// Objects with a new number that are not copied yet.
    waiting: Vec<(Ref, Ref)>,
}

impl<'s> Import<'s> {
    /// Creates an import that has copied nothing yet.
    pub(crate) fn new(source: View<'s>) -> Self {
        Self {
            source,
            copied: HashMap::new(),
            waiting: Vec::new(),
        }
    }

    /// Returns the file to copy from.
    pub(crate) fn source(&self) -> View<'s> {
        self.source
    }

    /// Copies an object with everything that it refers to.
    pub(crate) fn copy(&mut self, object: &Object, edits: &mut Edits<'_>) -> Result<Object, PdfDefect> {
        let copied = self.renumbered(object, edits)?;
        while let Some((old, new)) = self.waiting.pop() {
            let object = self.source.object(old)?;
            let object = self.renumbered(object, edits)?;
            edits.put(new, object);
        }
        Ok(copied)
    }

    fn renumbered(&mut self, object: &Object, edits: &mut Edits<'_>) -> Result<Object, PdfDefect> {
        Ok(match object {
            Object::Ref(old) => {
                let new = self.copied.entry(*old).or_insert_with(|| {
                    let new = edits.reserve();
                    self.waiting.push((*old, new));
                    new
                });
                (*new).into()
            }
            Object::Array(items) => {
                let items: Result<Vec<Object>, PdfDefect> =
                    items.iter().map(|item| self.renumbered(item, edits)).collect();
                items?.into()
            }
            Object::Dict(dict) => self.renumbered_dict(dict.clone(), edits)?.into(),
            Object::Stream(stream) => {
                let mut dict = stream.dict.clone();
                // The length is set when the stream is written.
                dict.remove(b"Length");
                let data = self.source.raw(stream)?.into_owned();
                Stream::new(self.renumbered_dict(dict, edits)?, data).into()
            }
            other => other.clone(),
        })
    }

    fn renumbered_dict(&mut self, mut dict: Dict, edits: &mut Edits<'_>) -> Result<Dict, PdfDefect> {
        for (_, value) in dict.iter_mut() {
            *value = self.renumbered(value, edits)?;
        }
        Ok(dict)
    }
}
