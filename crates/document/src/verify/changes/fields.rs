//! Changes of fields and annotations: signed, filled in, added or removed.

use std::collections::BTreeSet;

use super::{Change, Comparison, How, Part, Told, printable};
use crate::pdf::{Dict, Object, Ref};
use crate::verify::places::{self, FILLED, Place, Role};
use crate::verify::reading::changed_keys;

/// Minimum visible width in points. Narrower content is not visible.
const LEAST_VISIBLE: f64 = 1e-7;
/// Maximum number of objects of an added annotation that are searched for actions.
const MAX_SEARCHED: usize = 10_000;

impl Comparison<'_> {
    /// Checks the fields of the form or the annotations of a page. Earlier entries must stay, in their order.
    pub(super) fn extended(
        &mut self,
        place: &Place,
        part: Part,
        id: Ref,
        key: &[u8],
        before: &[Object],
        after: &[Object],
    ) {
        if let Some(added) = after.strip_prefix(before) {
            for entry in added {
                self.new_entry(place, part, id, key, entry);
            }
            return;
        }
        let old: Vec<Ref> = before.iter().filter_map(Object::as_ref).collect();
        let known: BTreeSet<Ref> = old.iter().copied().collect();
        let (mut kept, mut seen, mut added) = (Vec::new(), BTreeSet::new(), Vec::new());
        for entry in after {
            match entry.as_ref() {
                Some(id) if known.contains(&id) && seen.insert(id) => kept.push(id),
                _ => added.push(entry),
            }
        }
        // An entry without a reference cannot be identified.
        let gone: Vec<&Object> = before
            .iter()
            .filter(|entry| !entry.as_ref().is_some_and(|id| seen.contains(&id)))
            .collect();
        for entry in &gone {
            let own = entry.as_ref().map(|id| self.places.get(id, &Object::Null));
            let is_annotation = own.as_ref().is_some_and(|own| own.role == Role::Annotation);
            let is_permitted = is_annotation && self.rules.allow_annotations();
            let told = Told {
                part: match &own {
                    Some(own) if matches!(own.role, Role::Field(_)) => Part::Field,
                    Some(own) if own.role == Role::Annotation => Part::Annotation,
                    _ => part,
                },
                how: How::Removed,
                id: entry.as_ref().unwrap_or(id),
                entry: Some(key),
            };
            self.tell(is_permitted, own.as_ref().unwrap_or(place), &told);
        }
        if gone.is_empty() && kept != old {
            let told = Told {
                part,
                how: How::Changed,
                id,
                entry: Some(key),
            };
            self.tell(false, place, &told);
        }
        for entry in added {
            self.new_entry(place, part, id, key, entry);
        }
    }

    /// Checks a field or annotation that was added after signing.
    fn new_entry(&mut self, place: &Place, part: Part, holder: Ref, key: &[u8], entry: &Object) {
        let found = match entry {
            Object::Ref(id) if !self.signed.has(*id) => self.current.as_dict(entry).map(|dict| (*id, dict)),
            _ => None,
        };
        let Some((id, dict)) = found else {
            let told = Told {
                part,
                how: How::Changed,
                id: holder,
                entry: Some(key),
            };
            return self.tell(false, place, &told);
        };
        if !self.added.insert(id) {
            return;
        }
        let (kind, name) = self.kind_and_name(dict);
        if kind.is_some_and(|kind| kind.is_name(b"Sig")) {
            return self.new_signature_field(place, id, dict, name);
        }
        let is_field = kind.is_some() || key == b"Fields" || self.current.has_name(dict, b"Subtype", b"Widget");
        let is_permitted = !is_field && self.rules.allow_annotations() && !self.has_action(self.current.resolve(entry));
        let change = Change {
            part: if is_field { Part::Field } else { Part::Annotation },
            how: How::Added,
            page: place.page,
            field: is_field.then_some(name),
            object: id.number,
            entry: None,
        };
        self.push(is_permitted, change);
    }

    /// Returns the type and full name of a field or widget in the newest state, including inherited values.
    fn kind_and_name<'d>(&'d self, field: &'d Dict) -> (Option<&'d Object>, String) {
        const DEEPEST: usize = 32;
        let (mut kind, mut names) = (None, Vec::new());
        let mut next = Some(field);
        for _ in 0..DEEPEST {
            let Some(field) = next else { break };
            kind = kind.or_else(|| Some(self.current.get(field, b"FT")).filter(|own| own.as_name().is_some()));
            names.extend(self.current.text(field, b"T"));
            next = self.current.dict(field, b"Parent");
        }
        names.reverse();
        (kind, names.join("."))
    }

    fn new_signature_field(&mut self, place: &Place, id: Ref, field: &Dict, name: String) {
        const KNOWN: &[&[u8]] = &[
            b"Type", b"Subtype", b"FT", b"T", b"TU", b"Rect", b"F", b"P", b"V", b"Lock", b"SV", b"AP", b"MK", b"DA",
            b"Ff", b"M", b"NM", b"Border", b"BS", b"Kids", b"Parent",
        ];
        let unknown = field
            .iter()
            .map(|(key, _)| key.bytes())
            .find(|key| !KNOWN.contains(&&**key));
        let kids = self.current.array(field, b"Kids").unwrap_or_default();
        let is_visible = std::iter::once(field)
            .chain(kids.iter().filter_map(|kid| self.current.as_dict(kid)))
            .any(|widget| self.is_visible(widget));
        let value = self.current.dict(field, b"V");
        let is_timestamp = self.is_timestamp(field);
        let is_taken = self.names.contains(&name);
        // A certification or a lock that permits signing refers to the fields reserved for it, or to invisible ones.
        // Permitting annotations does not permit fields (table 257). An unsigned field can show anything, and proves
        // nothing.
        let may_show = !self.rules.stated && value.is_some();
        let is_permitted = unknown.is_none()
            && !is_taken
            && self.is_new_value(field.get(b"V"))
            && if is_timestamp {
                !is_visible
            } else {
                self.rules.allow_signature(&name) && (!is_visible || may_show)
            };
        let change = Change {
            part: match value {
                Some(_) if is_timestamp => Part::Timestamp,
                Some(_) => Part::Signature,
                None => Part::Field,
            },
            how: if is_visible { How::AddedVisibly } else { How::Added },
            page: place.page.filter(|_| is_visible),
            field: Some(name),
            object: id.number,
            entry: unknown.map(|key| printable(&key)),
        };
        self.push(is_permitted, change);
    }

    /// Returns whether a signature is new.
    fn is_new_value(&self, value: Option<&Object>) -> bool {
        match value {
            None | Some(Object::Dict(_)) => true,
            Some(Object::Ref(id)) => !self.signed.has(*id),
            Some(_) => false,
        }
    }

    fn is_visible(&self, widget: &Dict) -> bool {
        let Some(rectangle) = self.current.array(widget, b"Rect") else {
            return false;
        };
        let numbers: Vec<f64> = rectangle
            .iter()
            .map(|number| self.current.resolve(number).as_f64().unwrap_or(f64::MAX))
            .collect();
        match numbers.as_slice() {
            [left, bottom, right, top] => (left - right).abs() > LEAST_VISIBLE && (bottom - top).abs() > LEAST_VISIBLE,
            _ => true,
        }
    }

    /// Returns whether a field contains a document timestamp.
    fn is_timestamp(&self, field: &Dict) -> bool {
        let value = self.current.dict(field, b"V");
        value.is_some_and(|value| self.current.has_name(value, b"SubFilter", b"ETSI.RFC3161"))
    }

    /// Checks an earlier field, or a widget of one.
    pub(super) fn field(&mut self, index: usize, id: Ref, place: &Place, before: &Dict, after: &Dict) {
        let Some(field) = self.places.fields.get(index).cloned() else {
            return;
        };
        let is_signature = field.is_signature && !before.has(b"V");
        let is_signed = is_signature && self.current.dict(after, b"V").is_some();
        let is_timestamp = is_signed && self.is_timestamp(after);
        let may_fill = if field.is_signature {
            let is_allowed = self.rules.allow_signature(&field.name) || (is_timestamp && !self.is_visible(after));
            is_signed && is_allowed && self.is_new_value(after.get(b"V"))
        } else {
            !field.is_push_button && self.rules.allow_field(&field.name)
        };
        let mut is_filled = false;
        for key in &changed_keys(before, after) {
            let (was, is) = (self.signed.flags(before, key), self.current.flags(after, key));
            let is_permitted = match key.as_slice() {
                b"Kids" => {
                    self.array(place, Part::Field, id, key, before.get(key), after.get(key));
                    continue;
                }
                b"Type" => after.is_type(b"Annot") && !before.has(b"Type"),
                // The read-only flag does not affect the appearance (table 227).
                b"Ff" => (was ^ is) & !1 == 0,
                // Allowed flags: print (for content that is visible on screen), read-only and locked (table 167).
                b"F" => (was ^ is) & !(4 | 64 | 128 | 512) == 0 && (was & 4) <= (is & 4),
                // A reference to a missing object counts as no value, so the field is still empty.
                b"V" if is_signature && *self.current.get(after, key) == Object::Null => continue,
                key if FILLED.contains(&key) => {
                    is_filled = true;
                    if !may_fill {
                        self.filled(place, id, &field, false, is_timestamp, Some(key));
                    }
                    continue;
                }
                _ => false,
            };
            if !is_permitted {
                let told = Told {
                    part: if matches!(key.as_slice(), b"A" | b"AA") {
                        Part::Script
                    } else {
                        Part::Field
                    },
                    how: How::Changed,
                    id,
                    entry: Some(key),
                };
                self.tell(false, place, &told);
            }
        }
        if is_filled && may_fill {
            self.filled(place, id, &field, true, is_timestamp, None);
        }
    }

    fn filled(
        &mut self,
        place: &Place,
        id: Ref,
        field: &places::Field,
        is_permitted: bool,
        is_timestamp: bool,
        entry: Option<&[u8]>,
    ) {
        let part = match (field.is_signature, is_timestamp) {
            (_, true) => Part::Timestamp,
            (true, false) => Part::Signature,
            (false, false) => Part::Field,
        };
        let how = match part {
            Part::Field => How::FilledIn,
            _ if is_permitted => How::Added,
            _ => How::Changed,
        };
        self.tell(is_permitted, place, &Told { part, how, id, entry });
    }

    /// Returns whether an object reached from `object` acts when it is shown or clicked, other than as a link.
    pub(super) fn has_action(&self, object: &Object) -> bool {
        let is_harmless = |dict: &Dict| {
            let kind = self.current.name(dict, b"S").unwrap_or_default();
            !dict.has(b"AA")
                && !dict.has(b"JS")
                && !matches!(
                    kind.as_slice(),
                    b"JavaScript" | b"Launch" | b"SubmitForm" | b"ImportData" | b"Hide" | b"SetOCGState" | b"Rendition"
                )
        };
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<&Object> = vec![object];
        let mut left = MAX_SEARCHED;
        while let Some(object) = waiting.pop() {
            left = left.saturating_sub(1);
            if left == 0 {
                return true;
            }
            match object {
                // Signed objects act as before.
                Object::Ref(id) if !self.signed.has(*id) && seen.insert(*id) => {
                    waiting.push(self.current.object(*id));
                }
                Object::Array(array) => waiting.extend(array),
                Object::Dict(dict) => {
                    if !is_harmless(dict) {
                        return true;
                    }
                    waiting.extend(dict.iter().map(|(_, value)| value));
                }
                Object::Stream(stream) => waiting.extend(stream.dict.iter().map(|(_, value)| value)),
                _ => {}
            }
        }
        false
    }
}
