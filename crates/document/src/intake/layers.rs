//! Takes optional content (ISO 32000-2, 8.11) out of a file: what is switched off is removed, what is on
//! becomes part of its page. Whoever signs must not find, by a switch in his viewer, that the page also
//! says something else.
//!
//! Within hidden marked content everything goes that paints; what sets the graphics state stays, for
//! viewers carry it out as well. The comparison of pages proves that nothing shows differently.

use std::collections::BTreeSet;
use std::ops::Range;

use lopdf::{Dictionary, Document, Object, ObjectId};

use super::content::{self, Instruction};
use super::settle::empty_form;
use crate::pdf::form;
use crate::pdf::geometry::inherited;

/// Nesting of visibility expressions that is followed.
const DEEPEST: usize = 32;

/// How many layers there were.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Layers {
    pub(super) hidden: u32,
    pub(super) shown: u32,
}

/// The groups that are off when the file is opened.
struct Off(BTreeSet<ObjectId>);

/// Removes all layers; `most` bounds what one stream may decompress to.
pub(super) fn remove(document: &mut Document, most: usize) -> Layers {
    let Some((off, groups)) = Off::read(document) else {
        return Layers::default();
    };
    for (id, properties) in painting(document) {
        let painted = document
            .get_object(id)
            .and_then(Object::as_stream)
            .ok()
            .and_then(|stream| stream.get_plain_content_with_limit(most).ok())
            .and_then(|content| off.without_hidden(document, &content, &properties));
        if let Some(painted) = painted
            && let Ok(Object::Stream(stream)) = document.get_object_mut(id)
        {
            stream.set_plain_content(painted);
            // Only saves room.
            let _ = stream.compress();
        }
    }
    let hidden: BTreeSet<ObjectId> = document
        .objects
        .iter()
        .filter(|(_, object)| {
            dictionary_of(object).is_some_and(|dictionary| off.hides_dictionary(document, dictionary))
        })
        .map(|(id, _)| *id)
        .collect();
    for (id, object) in &mut document.objects {
        match object {
            Object::Stream(stream) if hidden.contains(id) => *stream = empty_form(),
            Object::Dictionary(dictionary) if hidden.contains(id) && dictionary.has(b"Rect") => hide(dictionary),
            _ => {}
        }
        forget_layers(object);
    }
    if let Ok(catalog) = document.catalog_mut() {
        catalog.remove(b"OCProperties");
    }
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Layers {
        hidden: count(off.0.len()),
        shown: count(groups.difference(&off.0).count()),
    }
}

fn dictionary_of(object: &Object) -> Option<&Dictionary> {
    match object {
        Object::Dictionary(dictionary) => Some(dictionary),
        Object::Stream(stream) => Some(&stream.dict),
        _ => None,
    }
}

/// An annotation that is switched off stays off, and has nothing to show.
fn hide(annotation: &mut Dictionary) {
    annotation.remove(b"AP");
    annotation.remove(b"Contents");
    annotation.remove(b"RC");
    annotation.set("F", 2);
}

/// Of annotations, pictures and forms; elsewhere the key means something else.
fn forget_layers(object: &mut Object) {
    match object {
        Object::Stream(stream) => {
            stream.dict.remove(b"OC");
        }
        Object::Dictionary(dictionary) if dictionary.has(b"Rect") => {
            dictionary.remove(b"OC");
        }
        _ => {}
    }
}

/// Every stream that paints, with the properties that its marked content names.
fn painting(document: &Document) -> Vec<(ObjectId, Dictionary)> {
    let properties = |resources: Option<&Dictionary>| {
        resources
            .and_then(|resources| form::dictionary(document, resources, b"Properties"))
            .cloned()
            .unwrap_or_default()
    };
    let mut found = Vec::new();
    for page in document.page_iter() {
        let resources = inherited(document, page, b"Resources").and_then(|resources| resources.as_dict().ok());
        let properties = properties(resources);
        let Ok(contents) = document.get_dictionary(page).and_then(|page| page.get(b"Contents")) else {
            continue;
        };
        match (contents, form::resolve(document, contents)) {
            (_, Object::Array(parts)) => {
                let ids = parts.iter().filter_map(|part| part.as_reference().ok());
                found.extend(ids.map(|id| (id, properties.clone())));
            }
            (Object::Reference(id), Object::Stream(_)) => found.push((*id, properties)),
            _ => {}
        }
    }
    for (id, object) in &document.objects {
        // Forms and tiling patterns.
        if let Object::Stream(stream) = object
            && let Some(resources) = form::dictionary(document, &stream.dict, b"Resources")
        {
            found.push((*id, properties(Some(resources))));
        }
    }
    found.retain(|(_, properties)| !properties.is_empty());
    found
}

impl Off {
    /// The groups that are off, and all groups; `None` without optional content.
    fn read(document: &Document) -> Option<(Self, BTreeSet<ObjectId>)> {
        let catalog = document.catalog().ok()?;
        let properties = form::dictionary(document, catalog, b"OCProperties")?;
        let references = |parent: &Dictionary, key: &[u8]| -> BTreeSet<ObjectId> {
            form::array(document, parent, key)
                .unwrap_or_default()
                .iter()
                .filter_map(|group| group.as_reference().ok())
                .collect()
        };
        let groups = references(properties, b"OCGs");
        let empty = Dictionary::new();
        let configuration = form::dictionary(document, properties, b"D").unwrap_or(&empty);
        let mut off = BTreeSet::new();
        if form::name(document, configuration, b"BaseState") == Some(b"OFF") {
            off.extend(&groups);
        }
        for group in references(configuration, b"ON") {
            off.remove(&group);
        }
        off.extend(references(configuration, b"OFF"));
        Some((Self(off), groups))
    }

    /// Does a picture's, form's or annotation's own entry hide it?
    fn hides_dictionary(&self, document: &Document, dictionary: &Dictionary) -> bool {
        dictionary.get(b"OC").is_ok_and(|entry| self.hides(document, entry))
    }

    /// Is a group, or a membership of groups, off (8.11.2)?
    fn hides(&self, document: &Document, entry: &Object) -> bool {
        if let Object::Reference(id) = entry
            && self.0.contains(id)
        {
            return true;
        }
        let Object::Dictionary(membership) = form::resolve(document, entry) else {
            return false;
        };
        if form::name(document, membership, b"Type") != Some(b"OCMD") {
            return false;
        }
        if let Some(expression) = form::array(document, membership, b"VE") {
            return !self.shows(document, expression, 0);
        }
        let groups: Vec<&Object> = match membership.get(b"OCGs") {
            Ok(group @ Object::Reference(_)) => match form::resolve(document, group) {
                Object::Array(groups) => groups.iter().collect(),
                _ => vec![group],
            },
            Ok(Object::Array(groups)) => groups.iter().collect(),
            _ => Vec::new(),
        };
        let is_off = |group: &&Object| group.as_reference().is_ok_and(|id| self.0.contains(&id));
        if groups.is_empty() {
            return false;
        }
        match form::name(document, membership, b"P") {
            Some(b"AllOn") => groups.iter().any(is_off),
            Some(b"AnyOff") => !groups.iter().any(is_off),
            Some(b"AllOff") => !groups.iter().all(is_off),
            _ => groups.iter().all(is_off),
        }
    }

    /// The value of a visibility expression.
    fn shows(&self, document: &Document, expression: &[Object], depth: usize) -> bool {
        let Some((operator, operands)) = expression.split_first() else {
            return true;
        };
        if depth > DEEPEST {
            return true;
        }
        let shows = |operand: &Object| match form::resolve(document, operand) {
            Object::Array(expression) => self.shows(document, expression, depth + 1),
            _ => operand.as_reference().is_ok_and(|id| !self.0.contains(&id)),
        };
        match operator.as_name() {
            Ok(b"Or") => operands.iter().any(shows),
            Ok(b"Not") => !operands.first().is_some_and(shows),
            _ => operands.iter().all(shows),
        }
    }

    /// The content without what hidden marked content paints; `None` where nothing is hidden.
    fn without_hidden(&self, document: &Document, content: &[u8], properties: &Dictionary) -> Option<Vec<u8>> {
        let mut stack: Vec<bool> = Vec::new();
        let mut changes: Vec<(Range<usize>, &[u8])> = Vec::new();
        for instruction in content::instructions(content) {
            match instruction.word(content) {
                b"BDC" => {
                    let is_hidden = self.hides_marked(document, content, &instruction, properties);
                    stack.push(is_hidden || stack.last().is_some_and(|hidden| *hidden));
                }
                b"BMC" => stack.push(stack.last().is_some_and(|hidden| *hidden)),
                b"EMC" => {
                    stack.pop();
                }
                word if stack.last().is_some_and(|hidden| *hidden) => {
                    if let Some(instead) = without_paint(word) {
                        changes.push((instruction.whole, instead));
                    }
                }
                _ => {}
            }
        }
        if changes.is_empty() {
            return None;
        }
        let mut painted = Vec::with_capacity(content.len());
        let mut at = 0;
        for (range, instead) in changes {
            painted.extend_from_slice(content.get(at..range.start).unwrap_or_default());
            painted.extend_from_slice(instead);
            at = range.end;
        }
        painted.extend_from_slice(content.get(at..).unwrap_or_default());
        Some(painted)
    }

    fn hides_marked(
        &self,
        document: &Document,
        content: &[u8],
        instruction: &Instruction,
        properties: &Dictionary,
    ) -> bool {
        let name = |index: usize| {
            let range = instruction.names.get(index)?.clone();
            content.get(range)
        };
        name(0) == Some(b"OC")
            && name(1)
                .and_then(|name| properties.get(name).ok())
                .is_some_and(|entry| self.hides(document, entry))
    }
}

/// What stands in the place of an operator that paints.
fn without_paint(word: &[u8]) -> Option<&'static [u8]> {
    match word {
        b"S" | b"s" | b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*" => Some(b"n"),
        b"'" | b"\"" => Some(b"T*"),
        b"Tj" | b"TJ" | b"Do" | b"sh" | b"BI" => Some(b""),
        _ => None,
    }
}
