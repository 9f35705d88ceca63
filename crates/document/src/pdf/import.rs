//! Objects of one file taken over into another.

use std::collections::BTreeMap;

use super::defect::PdfDefect;
use super::edit::Edits;
use super::object::{Dict, Object, Ref, Stream};
use super::view::View;

/// Takes objects of one file over into the edits of another, each once.
pub(crate) struct Import<'o> {
    from: View<'o>,
    numbers: BTreeMap<Ref, Ref>,
    waiting: Vec<(Ref, Ref)>,
}

impl<'o> Import<'o> {
    pub(crate) fn new(from: View<'o>) -> Self {
        Self {
            from,
            numbers: BTreeMap::new(),
            waiting: Vec::new(),
        }
    }

    /// The object as the other file has it, with everything that it leads to.
    pub(crate) fn take(&mut self, object: &Object, edits: &mut Edits<'_>) -> Result<Object, PdfDefect> {
        let taken = self.renumbered(object, edits)?;
        while let Some((old, new)) = self.waiting.pop() {
            let object = self.renumbered(self.from.object(old)?, edits)?;
            edits.put(new, object);
        }
        Ok(taken)
    }

    fn renumbered(&mut self, object: &Object, edits: &mut Edits<'_>) -> Result<Object, PdfDefect> {
        Ok(match object {
            Object::Ref(old) => {
                let known = self.numbers.get(old).copied();
                let new = known.unwrap_or_else(|| edits.reserve());
                if known.is_none() {
                    self.numbers.insert(*old, new);
                    self.waiting.push((*old, new));
                }
                new.into()
            }
            Object::Array(items) => {
                let items: Result<Vec<Object>, PdfDefect> =
                    items.iter().map(|item| self.renumbered(item, edits)).collect();
                items?.into()
            }
            Object::Dict(dict) => self.dict(dict, edits)?.into(),
            Object::Stream(stream) => {
                let bytes = self.from.raw(stream)?.into_owned();
                Stream::new(self.dict(&stream.dict, edits)?, bytes).into()
            }
            other => other.clone(),
        })
    }

    fn dict(&mut self, dict: &Dict, edits: &mut Edits<'_>) -> Result<Dict, PdfDefect> {
        let mut copy = dict.clone();
        for (_, value) in copy.iter_mut() {
            *value = self.renumbered(value, edits)?;
        }
        Ok(copy)
    }
}
