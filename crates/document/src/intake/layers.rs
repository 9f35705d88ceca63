//! Removes optional content (ISO 32000-2, 8.11): hidden layers are removed, visible ones become part of their page. A
//! signer must not be able to switch on other content in their viewer.
//!
//! In hidden marked content, all painting operators are removed. Operators that set the graphics state stay, because
//! viewers execute them too. The comparison of pages proves that they look the same.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::content::{self, Instruction};
use super::look::{Look, change_each, edit_catalog, empty_form, parts, used, with_content};
use crate::pdf::edit::Edits;
use crate::pdf::{Dict, Object, Objects, PdfDefect, Ref, Stream};

/// Maximum nesting of visibility expressions.
const DEEPEST: usize = 32;
/// The flag of a hidden annotation (12.5.3).
const HIDDEN: i64 = 1 << 1;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Layers {
    pub(super) hidden: u32,
    pub(super) shown: u32,
}

/// The groups that are off when the file is opened.
struct Off {
    groups: BTreeSet<Ref>,
    /// Cached results for entries and expressions. Each is evaluated once, no matter how often the file refers to it. A
    /// circular one counts as visible.
    hidden: RefCell<BTreeMap<Ref, bool>>,
    shown: RefCell<BTreeMap<Ref, bool>>,
}

/// Removes all layers. `most` limits the decompressed size of one stream.
pub(super) fn remove(edits: &mut Edits<'_>, most: usize) -> Result<Layers, PdfDefect> {
    let Some((off, groups)) = Off::read(edits) else {
        return Ok(Layers::default());
    };
    for (id, properties) in painting(edits)? {
        let Object::Stream(stream) = edits.at(id) else { continue };
        let painted = content_of(edits, stream, most)
            .and_then(|content| off.without_hidden(edits, &content, &properties))
            .map(|painted| with_content(stream.dict.clone(), painted));
        if let Some(painted) = painted {
            edits.put(id, painted);
        }
    }
    let looks = hidden_looks(edits, &off)?;
    change_each(edits, |known, id, object| {
        let is_hidden = looks.contains(&id) || object.as_dict().is_some_and(|dict| off.hides_dictionary(known, dict));
        match object {
            Object::Stream(stream) if is_hidden => *stream = empty_form(),
            Object::Dict(annotation) if is_hidden && annotation.has(b"Rect") => hide(annotation),
            _ => {}
        }
        forget_layers(object);
    })?;
    if let Some(catalog) = edit_catalog(edits) {
        catalog.remove(b"OCProperties");
    }
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Ok(Layers {
        hidden: count(off.groups.len()),
        shown: count(groups.difference(&off.groups).count()),
    })
}

/// Returns the appearances of hidden annotations, because other objects may refer to them too.
fn hidden_looks(edits: &Edits<'_>, off: &Off) -> Result<BTreeSet<Ref>, PdfDefect> {
    let mut looks = BTreeSet::new();
    for id in used(edits)? {
        let hidden = edits
            .dict_at(id)
            .filter(|dict| dict.has(b"Rect") && off.hides_dictionary(edits, dict));
        // There is one appearance per occasion, or one per state (12.5.5).
        let occasions = hidden.and_then(|annotation| edits.value_in(annotation, b"AP"));
        for look in occasions.into_iter().flat_map(parts) {
            looks.extend(look.as_ref());
            looks.extend(parts(edits.follow(look)).filter_map(Object::as_ref));
        }
    }
    Ok(looks)
}

/// Hides the annotations of hidden layers and changes nothing else, because not every renderer supports layers of
/// annotations.
pub(super) fn hide_annotations(edits: &mut Edits<'_>) -> Result<u32, PdfDefect> {
    let Some((off, _)) = Off::read(edits) else { return Ok(0) };
    let mut hidden = 0_u32;
    change_each(edits, |known, _, object| {
        if let Object::Dict(annotation) = object
            && annotation.has(b"Rect")
            && off.hides_dictionary(known, annotation)
        {
            annotation.set(b"F", HIDDEN);
            hidden = hidden.saturating_add(1);
        }
    })?;
    Ok(hidden)
}

fn content_of(objects: &impl Objects, stream: &Stream, most: usize) -> Option<Vec<u8>> {
    let decoded = objects.decode(stream, most).ok()?;
    decoded.left.is_empty().then_some(decoded.bytes)
}

/// Hides an annotation and removes its appearance and text, so that it cannot be switched on again.
fn hide(annotation: &mut Dict) {
    annotation.remove(b"AP");
    annotation.remove(b"Contents");
    annotation.remove(b"RC");
    annotation.set(b"F", HIDDEN);
}

/// Removes the layers of annotations, images and forms. In other objects, the key has another meaning.
fn forget_layers(object: &mut Object) {
    match object {
        Object::Stream(stream) => {
            stream.dict.remove(b"OC");
        }
        Object::Dict(dict) if dict.has(b"Rect") => {
            dict.remove(b"OC");
        }
        _ => {}
    }
}

/// Returns every stream that paints, with the properties that its marked content refers to.
fn painting(edits: &Edits<'_>) -> Result<Vec<(Ref, Dict)>, PdfDefect> {
    let properties = |resources: Option<&Dict>| {
        resources
            .and_then(|resources| edits.dict_in(resources, b"Properties"))
            .cloned()
            .unwrap_or_default()
    };
    let mut found = Vec::new();
    for page in edits.pages()? {
        let properties = properties(edits.inherited_by(page, b"Resources").and_then(Object::as_dict));
        let Some(contents) = edits.page(page)?.get(b"Contents") else {
            continue;
        };
        match (contents, edits.follow(contents)) {
            (_, Object::Array(parts)) => {
                let ids = parts.iter().filter_map(Object::as_ref);
                found.extend(ids.map(|id| (id, properties.clone())));
            }
            (Object::Ref(id), Object::Stream(_)) => found.push((*id, properties)),
            _ => {}
        }
    }
    for id in used(edits)? {
        // Forms and tiling patterns.
        if let Object::Stream(stream) = edits.at(id)
            && let Some(resources) = edits.dict_in(&stream.dict, b"Resources")
        {
            found.push((id, properties(Some(resources))));
        }
    }
    found.retain(|(_, properties)| !properties.is_empty());
    Ok(found)
}

impl Off {
    /// Returns the groups that are off, and all groups. `None` without optional content.
    fn read(objects: &impl Objects) -> Option<(Self, BTreeSet<Ref>)> {
        let properties = objects.dict_of_catalog(b"OCProperties")?;
        let references = |parent: &Dict, key: &[u8]| -> BTreeSet<Ref> {
            let items = objects.array_in(parent, key).unwrap_or_default();
            items.iter().filter_map(Object::as_ref).collect()
        };
        let groups = references(properties, b"OCGs");
        let empty = Dict::new();
        let configuration = objects.dict_in(properties, b"D").unwrap_or(&empty);
        let mut off = BTreeSet::new();
        if objects.is_name_in(configuration, b"BaseState", b"OFF") {
            off.extend(&groups);
        }
        for group in references(configuration, b"ON") {
            off.remove(&group);
        }
        off.extend(references(configuration, b"OFF"));
        let off = Self {
            groups: off,
            hidden: RefCell::default(),
            shown: RefCell::default(),
        };
        Some((off, groups))
    }

    /// Returns whether the entry of an image, form or annotation hides it.
    fn hides_dictionary(&self, objects: &impl Objects, dict: &Dict) -> bool {
        dict.get(b"OC").is_some_and(|entry| self.hides(objects, entry))
    }

    /// Returns whether a group, or a membership dictionary, is off (8.11.2).
    fn hides(&self, objects: &impl Objects, entry: &Object) -> bool {
        let Object::Ref(id) = entry else {
            return self.hides_by(objects, entry);
        };
        if self.groups.contains(id) {
            return true;
        }
        once(&self.hidden, *id, false, || self.hides_by(objects, entry))
    }

    /// Returns whether a membership dictionary hides its content.
    fn hides_by(&self, objects: &impl Objects, entry: &Object) -> bool {
        let Object::Dict(membership) = objects.follow(entry) else {
            return false;
        };
        if !objects.is_name_in(membership, b"Type", b"OCMD") {
            return false;
        }
        if let Some(expression) = objects.array_in(membership, b"VE") {
            return !self.shows(objects, expression, 0);
        }
        let groups: Vec<&Object> = match membership.get(b"OCGs") {
            Some(group @ Object::Ref(_)) => match objects.follow(group) {
                Object::Array(groups) => groups.iter().collect(),
                _ => vec![group],
            },
            Some(Object::Array(groups)) => groups.iter().collect(),
            _ => Vec::new(),
        };
        let is_off = |group: &&Object| group.as_ref().is_some_and(|id| self.groups.contains(&id));
        if groups.is_empty() {
            return false;
        }
        match objects.name_in(membership, b"P").as_deref() {
            Some(b"AllOn") => groups.iter().any(is_off),
            Some(b"AnyOff") => !groups.iter().any(is_off),
            Some(b"AllOff") => !groups.iter().all(is_off),
            _ => groups.iter().all(is_off),
        }
    }

    /// Evaluates a visibility expression.
    fn shows(&self, objects: &impl Objects, expression: &[Object], depth: usize) -> bool {
        let Some((operator, operands)) = expression.split_first() else {
            return true;
        };
        if depth > DEEPEST {
            return true;
        }
        let shows = |operand: &Object| match (operand, objects.follow(operand)) {
            (Object::Ref(id), Object::Array(expression)) => {
                once(&self.shown, *id, true, || self.shows(objects, expression, depth + 1))
            }
            (_, Object::Array(expression)) => self.shows(objects, expression, depth + 1),
            _ => operand.as_ref().is_some_and(|id| !self.groups.contains(&id)),
        };
        if operator.is_name(b"Or") {
            operands.iter().any(shows)
        } else if operator.is_name(b"Not") {
            !operands.first().is_some_and(shows)
        } else {
            operands.iter().all(shows)
        }
    }

    /// Returns the content without hidden marked content. `None` if nothing is hidden.
    fn without_hidden(&self, objects: &impl Objects, content: &[u8], properties: &Dict) -> Option<Vec<u8>> {
        let mut stack: Vec<bool> = Vec::new();
        let mut changes: Vec<(Range<usize>, &[u8])> = Vec::new();
        for instruction in content::instructions(content) {
            match instruction.word(content) {
                b"BDC" => {
                    let is_hidden = self.hides_marked(objects, content, &instruction, properties);
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
        objects: &impl Objects,
        content: &[u8],
        instruction: &Instruction,
        properties: &Dict,
    ) -> bool {
        let name = |index: usize| {
            let range = instruction.names.get(index)?.clone();
            content.get(range)
        };
        name(0) == Some(b"OC")
            && name(1)
                .and_then(|name| properties.get(name))
                .is_some_and(|entry| self.hides(objects, entry))
    }
}

/// Returns the cached result for an object, or computes it. During the computation, the result is `meanwhile`.
fn once(known: &RefCell<BTreeMap<Ref, bool>>, id: Ref, meanwhile: bool, find_out: impl FnOnce() -> bool) -> bool {
    if let Some(answer) = known.borrow().get(&id) {
        return *answer;
    }
    known.borrow_mut().insert(id, meanwhile);
    let answer = find_out();
    known.borrow_mut().insert(id, answer);
    answer
}

/// Returns the replacement of a painting operator.
fn without_paint(word: &[u8]) -> Option<&'static [u8]> {
    match word {
        b"S" | b"s" | b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*" => Some(b"n"),
        b"'" | b"\"" => Some(b"T*"),
        b"Tj" | b"TJ" | b"Do" | b"sh" | b"BI" => Some(b""),
        _ => None,
    }
}
