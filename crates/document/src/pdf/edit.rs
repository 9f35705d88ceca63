//! Changes to a file, kept separate until they are written: after it as one section ([`super::append`]), or together
//! with it as a new file ([`super::write`](mod@super::write)).

use std::collections::BTreeMap;

use super::defect::PdfDefect;
use super::object::{Dict, Object, Ref};
use super::section::Entry;
use super::view::View;

/// New and changed objects of a file.
#[derive(Debug, Clone)]
pub struct Edits<'f> {
    view: View<'f>,
    changed: BTreeMap<Ref, Object>,
    next_number: u32,
}

impl<'f> Edits<'f> {
    pub fn new(view: View<'f>) -> Self {
        // The next number is above every number in a section, and above the trailer's size.
        let sections = view.file().revisions().iter().flat_map(|revision| &revision.sections);
        let highest = sections
            .flat_map(|section| {
                let size = section.trailer.get(b"Size").and_then(Object::as_i64);
                let size = size.and_then(|size| u32::try_from(size).ok()).unwrap_or(0);
                let last = section.entries.last_key_value().map_or(0, |(number, _)| *number);
                // A container may be referenced only by the entries that point into it.
                let container = section.entries.values().filter_map(|entry| match entry {
                    Entry::Within { container, .. } => Some(*container),
                    _ => None,
                });
                [size, last.saturating_add(1)]
                    .into_iter()
                    .chain(container.map(|number| number.saturating_add(1)))
            })
            .max();
        Self {
            view,
            changed: BTreeMap::new(),
            next_number: highest.unwrap_or(1).max(1),
        }
    }

    /// Returns the file without the changes.
    pub fn view(&self) -> View<'f> {
        self.view
    }

    /// Returns the new and changed objects.
    pub fn changed(&self) -> &BTreeMap<Ref, Object> {
        &self.changed
    }

    /// Returns the highest object number plus one.
    pub fn next_number(&self) -> u32 {
        self.next_number
    }

    /// Returns the newest state of an object, or null if the object does not exist.
    pub fn object(&self, reference: Ref) -> Result<&Object, PdfDefect> {
        match self.changed.get(&reference) {
            Some(object) => Ok(object),
            None => self.view.object(reference),
        }
    }

    pub fn has(&self, reference: Ref) -> bool {
        self.changed.contains_key(&reference) || self.view.has(reference)
    }

    /// Reserves a number for an object that will be added later, for objects that refer to each other.
    pub fn reserve(&mut self) -> Ref {
        let reference = Ref::new(self.next_number, 0);
        // If the numbers are exhausted, writing fails.
        self.next_number = self.next_number.saturating_add(1);
        reference
    }

    pub fn add(&mut self, object: impl Into<Object>) -> Ref {
        let reference = self.reserve();
        self.changed.insert(reference, object.into());
        reference
    }

    pub fn put(&mut self, reference: Ref, object: impl Into<Object>) {
        self.changed.insert(reference, object.into());
    }

    /// Returns an object for editing.
    pub fn edit(&mut self, reference: Ref) -> Result<&mut Object, PdfDefect> {
        use std::collections::btree_map::Entry;
        match self.changed.entry(reference) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => Ok(entry.insert(self.view.object(reference)?.clone())),
        }
    }

    /// Returns a dictionary, or that of a stream, for editing. `None` for other objects.
    pub fn edit_dict(&mut self, reference: Ref) -> Result<Option<&mut Dict>, PdfDefect> {
        Ok(match self.edit(reference)? {
            Object::Dict(dict) => Some(dict),
            Object::Stream(stream) => Some(&mut stream.dict),
            _ => None,
        })
    }

    /// Returns the objects that differ from those in the file.
    pub(super) fn differing(&self) -> Result<BTreeMap<Ref, &Object>, PdfDefect> {
        let mut differing = BTreeMap::new();
        for (reference, object) in &self.changed {
            if !self.view.has(*reference) || self.view.object(*reference)? != object {
                differing.insert(*reference, object);
            }
        }
        Ok(differing)
    }
}
