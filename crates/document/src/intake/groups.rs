//! Removes transparency groups whose content blends with the content beneath them.
//!
//! A highlight is yellow multiplied with the words beneath it, and programs often put it into its own group. Unless a
//! group is isolated, its backdrop is the content beneath it (ISO 32000-2, 11.4.3). Our renderer treats all groups as
//! isolated, so it would show the yellow without the words.
//!
//! A group that is neither isolated nor a knockout group, and is painted without a blend mode, alpha or mask, is
//! equivalent to its contents (11.4.6). Such a group is removed, so that all viewers show the words. If there is any
//! other such group, the file is refused.

use std::collections::{BTreeMap, BTreeSet};

use super::look::Look;
use super::{Refused, content};
use crate::pdf::edit::Edits;
use crate::pdf::{Dict, Name, Object, Ref, Stream};

/// Maximum nesting of forms.
const DEEPEST: u32 = 12;
/// Maximum size of searched content, in bytes.
const LONGEST: usize = 1 << 26;

/// Removes the groups that are equivalent to their contents. Returns whether there were any.
pub(super) fn settle(edits: &mut Edits<'_>) -> Result<bool, Refused> {
    let found = Groups::of(edits);
    if let Some(page) = found.needed() {
        return Err(Refused::BlendingNotShown { page });
    }
    let has_any = !found.blended.is_empty();
    for id in found.blended.into_keys() {
        if let Ok(Object::Stream(form)) = edits.edit(id) {
            form.dict.remove(b"Group");
        }
    }
    Ok(has_any)
}

/// Returns the first page with such a group in a file that stays unchanged.
pub(super) fn first(objects: &impl Look) -> Option<u32> {
    Groups::of(objects).blended.values().map(|group| group.page).min()
}

/// Use of a group.
#[derive(Debug, Clone, Copy)]
struct Group {
    /// The first page that uses the group.
    page: u32,
    /// Removing the group would change nothing if it were painted plainly.
    is_same: bool,
}

struct Groups<'o, O> {
    objects: &'o O,
    page: u32,
    /// Groups whose content blends with the content below them.
    blended: BTreeMap<Ref, Group>,
    /// Groups that are painted with a blend mode, alpha or mask, or that define a mask.
    not_plain: BTreeSet<Ref>,
    /// Whether a form blends, for each form and initial state (plain or not).
    walked: BTreeMap<(Ref, bool), bool>,
    depth: u32,
}

impl<'o, O: Look> Groups<'o, O> {
    fn of(objects: &'o O) -> Self {
        let mut groups = Self {
            objects,
            page: 0,
            blended: BTreeMap::new(),
            not_plain: BTreeSet::new(),
            walked: BTreeMap::new(),
            depth: 0,
        };
        for (id, page) in objects.pages().unwrap_or_default().into_iter().zip(1_u32..) {
            groups.page = page;
            groups.look_at(id);
        }
        groups
    }

    /// Returns the first page with a group that cannot be removed.
    fn needed(&self) -> Option<u32> {
        let needed = self.blended.iter();
        let needed = needed.filter(|(id, group)| !group.is_same || self.not_plain.contains(id));
        needed.map(|(_, group)| group.page).min()
    }

    fn look_at(&mut self, page: Ref) {
        let objects = self.objects;
        let Some(dict) = objects.dict_at(page) else { return };
        let resources = match objects.inherited_by(page, b"Resources") {
            Some(Object::Dict(resources)) => Some(resources),
            _ => None,
        };
        if let Ok(content) = objects.content(page, LONGEST) {
            self.walk(&content, resources, true);
        }
        for annotation in objects.array_in(dict, b"Annots").unwrap_or_default() {
            let Object::Dict(annotation) = objects.follow(annotation) else {
                continue;
            };
            let normal = objects.dict_in(annotation, b"AP").and_then(|looks| looks.get(b"N"));
            let states: Vec<&Object> = match normal.map(|normal| objects.follow(normal)) {
                Some(Object::Dict(states)) => states.iter().map(|(_, look)| look).collect(),
                _ => normal.into_iter().collect(),
            };
            for look in states {
                self.form(look, None, true);
            }
        }
    }

    /// Searches content that begins in a plain state or not. Returns whether it blends with the content below it.
    fn walk(&mut self, bytes: &[u8], resources: Option<&'o Dict>, is_plain: bool) -> bool {
        let objects = self.objects;
        let named = |kind: &[u8], name: Option<&[u8]>| {
            let name = Name::spelled(name?);
            objects.dict_in(resources?, kind)?.get(&name.bytes())
        };
        let mut states = vec![is_plain];
        let mut blends = false;
        for instruction in content::instructions(bytes) {
            let name = instruction.names.first().and_then(|range| bytes.get(range.clone()));
            let is_plain = states.last().copied().unwrap_or(is_plain);
            match instruction.word(bytes) {
                b"q" => states.push(is_plain),
                b"Q" if states.len() > 1 => _ = states.pop(),
                b"gs" => {
                    let Some(Object::Dict(state)) = named(b"ExtGState", name).map(|state| objects.follow(state)) else {
                        continue;
                    };
                    blends |= is_blending(objects, state);
                    if let Some(current) = states.last_mut() {
                        *current &= self.keeps_plain(state);
                    }
                }
                b"Do" => {
                    if let Some(form) = named(b"XObject", name) {
                        blends |= self.form(form, resources, is_plain);
                    }
                }
                _ => {}
            }
        }
        blends
    }

    /// Returns whether a form blends with the content below it.
    fn form(&mut self, form: &'o Object, resources: Option<&'o Dict>, is_plain: bool) -> bool {
        let objects = self.objects;
        let (Object::Ref(id), Object::Stream(stream)) = (form, objects.follow(form)) else {
            return false;
        };
        if objects.is_name_in(&stream.dict, b"Subtype", b"Image") || self.depth >= DEEPEST {
            return false;
        }
        let group = objects.dict_in(&stream.dict, b"Group");
        if group.is_some() && !is_plain {
            self.not_plain.insert(*id);
        }
        // A group begins in a plain state.
        let key = (*id, is_plain || group.is_some());
        let blends = if let Some(known) = self.walked.get(&key) {
            *known
        } else {
            // Stops the recursion if the form contains itself.
            self.walked.insert(key, false);
            let blends = self.content_of(stream, resources, key.1);
            self.walked.insert(key, blends);
            blends
        };
        let Some(group) = group.filter(|_| blends) else {
            return blends;
        };
        let is = |key: &[u8]| objects.value_in(group, key).and_then(Object::as_bool) == Some(true);
        if is(b"I") {
            return false;
        }
        let page = self.page;
        let is_same = !is(b"K");
        self.blended.entry(*id).or_insert(Group { page, is_same });
        true
    }

    fn content_of(&mut self, form: &'o Stream, resources: Option<&'o Dict>, is_plain: bool) -> bool {
        let objects = self.objects;
        let Ok(content) = objects.decode_whole(form, LONGEST) else {
            return false;
        };
        self.depth += 1;
        let resources = objects.dict_in(&form.dict, b"Resources").or(resources);
        let blends = self.walk(&content, resources, is_plain);
        self.depth -= 1;
        blends
    }

    /// Returns whether painting stays plain with these parameters.
    fn keeps_plain(&mut self, state: &'o Dict) -> bool {
        let objects = self.objects;
        let mask = objects.dict_in(state, b"SMask");
        if let Some(Object::Ref(of_mask)) = mask.and_then(|mask| mask.get(b"G")) {
            self.not_plain.insert(*of_mask);
        }
        let is_whole = |key: &[u8]| state.get(key).is_none_or(|alpha| objects.number_of(alpha) == Some(1.0));
        mask.is_none() && is_whole(b"ca") && !is_blending(objects, state)
    }
}

/// Returns whether these parameters set a mode other than `Normal`. If there are several names, the first known one
/// counts.
fn is_blending(objects: &impl Look, state: &Dict) -> bool {
    let is_other = |mode: &Object| {
        let mode = objects.follow(mode);
        mode.as_name().is_some() && !mode.is_name(b"Normal") && !mode.is_name(b"Compatible")
    };
    match objects.value_in(state, b"BM") {
        Some(Object::Array(modes)) => modes.iter().any(is_other),
        Some(mode) => is_other(mode),
        None => false,
    }
}
