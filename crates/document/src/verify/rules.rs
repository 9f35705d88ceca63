//! Changes allowed after a signature: DocMDP (ISO 32000-2, 12.8.2.2), FieldMDP (12.8.2.4) and the lock of its field
//! (12.7.5.5, table 236).
//!
//! The standard does not define what is allowed without any of them. Readers agree that only more signatures and
//! filled-in fields may follow, as after a certification of level 2.

use serde::{Deserialize, Serialize};

use super::reading::Reading;
use crate::pdf::{Dict, Object, Str};

/// The default of `/P` (table 257), also used if the signature states no level.
const DEFAULT_LEVEL: u8 = 2;
/// Maximum number of names in a lock.
const MAX_NAMES: usize = 10_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", content = "fields", rename_all = "snake_case")]
pub enum FieldLock {
    All,
    /// The named fields and their descendants.
    Include(Vec<String>),
    /// All fields except the named ones and their descendants.
    Exclude(Vec<String>),
}

impl FieldLock {
    fn locks(&self, field: &str) -> bool {
        let names = |names: &[String]| {
            names.iter().any(|name| {
                field
                    .strip_prefix(name.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        };
        match self {
            Self::All => true,
            Self::Include(included) => names(included),
            Self::Exclude(excluded) => !names(excluded),
        }
    }
}

/// The changes allowed after a signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// 1: only validation data and document timestamps. 2: also filling in fields and signing. 3: also annotations.
    pub level: u8,
    /// Whether the signature itself states the level, as a certification or by a lock.
    pub stated: bool,
    /// Fields that must not change.
    pub locks: Vec<FieldLock>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            level: DEFAULT_LEVEL,
            stated: false,
            locks: Vec::new(),
        }
    }
}

impl Rules {
    /// Reads what the signature in `fields` permits. `level` is its certification level, if it is a certification. If
    /// statements differ, the strictest applies. A statement that we do not understand forbids the changes it refers
    /// to.
    pub(super) fn of(reading: &Reading<'_>, fields: &[&Dict], signature: &Dict, level: Option<u8>) -> Self {
        let mut rules = Self {
            level: level.unwrap_or(DEFAULT_LEVEL),
            stated: level.is_some(),
            locks: Vec::new(),
        };
        if are_unreadable(reading, signature) {
            rules.locks.push(FieldLock::All);
        }
        for reference in references(reading, signature) {
            match reading.name(reference, b"TransformMethod").as_deref() {
                Some(b"FieldMDP") => match reading.dict(reference, b"TransformParams") {
                    Some(parameters) => rules.add_lock(reading, parameters),
                    None => rules.locks.push(FieldLock::All),
                },
                // Of the other known methods, DocMDP is already covered by the level, usage rights restrict nobody
                // else, and Identity (PDF 1.5) has no effect.
                Some(b"DocMDP" | b"UR" | b"UR3" | b"Identity") => {}
                _ => rules.locks.push(FieldLock::All),
            }
        }
        for field in fields {
            match reading.get(field, b"Lock") {
                Object::Dict(lock) => rules.add_lock(reading, lock),
                Object::Null => {}
                _ => rules.locks.push(FieldLock::All),
            }
        }
        rules.locks.dedup();
        rules
    }

    fn add_lock(&mut self, reading: &Reading<'_>, stated: &Dict) {
        self.locks.push(field_lock(reading, stated));
        // PDF 2.0: a lock may restrict the document as a certification does.
        if let Some(level) = stated_level(reading, stated) {
            // If no rule is stated, do not report one, because people expect the default.
            self.level = if self.stated { self.level.min(level) } else { level };
            self.stated = true;
        }
    }

    /// Whether the field `name` may be filled in, or signed if it is a signature field.
    pub fn allow_field(&self, name: &str) -> bool {
        self.level >= 2 && !self.locks.iter().any(|lock| lock.locks(name))
    }

    /// Whether another signature may be added in a new field called `name`.
    pub fn allow_signature(&self, name: &str) -> bool {
        self.allow_field(name)
    }

    /// Whether annotations may be added, changed or removed.
    pub fn allow_annotations(&self) -> bool {
        self.level >= 3
    }
}

/// Returns the stated lock, or a lock of all fields if it cannot be read completely.
fn field_lock(reading: &Reading<'_>, stated: &Dict) -> FieldLock {
    let names = || {
        let names = reading.array(stated, b"Fields")?;
        if names.len() > MAX_NAMES {
            return None;
        }
        names
            .iter()
            .map(|name| reading.resolve(name).as_str().map(Str::text))
            // Bytes that do not decode to characters cannot name a field.
            .map(|name| name.filter(|name| !name.contains(char::REPLACEMENT_CHARACTER)))
            .collect::<Option<Vec<_>>>()
    };
    let lock = match reading.name(stated, b"Action").as_deref() {
        Some(b"Include") => names().map(FieldLock::Include),
        Some(b"Exclude") => names().map(FieldLock::Exclude),
        _ => None,
    };
    lock.unwrap_or(FieldLock::All)
}

/// Returns the level that a dictionary states, or 1 for a level that does not exist.
fn stated_level(reading: &Reading<'_>, stated: &Dict) -> Option<u8> {
    match reading.get(stated, b"P") {
        Object::Null => None,
        level => Some(match level.as_i64() {
            Some(2) => 2,
            Some(3) => 3,
            _ => 1,
        }),
    }
}

/// Returns the level of a signature's DocMDP transform, if it has one.
pub(super) fn modification_level(reading: &Reading<'_>, signature: &Dict) -> Option<u8> {
    references(reading, signature)
        .filter(|reference| reading.has_name(reference, b"TransformMethod", b"DocMDP"))
        .map(|reference| match reading.get(reference, b"TransformParams") {
            Object::Dict(parameters) => stated_level(reading, parameters).unwrap_or(DEFAULT_LEVEL),
            Object::Null => DEFAULT_LEVEL,
            _ => 1,
        })
        .min()
}

/// The level of a signature that the catalog names as its certification and that has no transform of its own.
pub(super) const UNSTATED_LEVEL: u8 = DEFAULT_LEVEL;

/// Iterates over the signature reference dictionaries (ISO 32000-2, 12.8.2).
fn references<'f>(reading: &Reading<'f>, signature: &'f Dict) -> impl Iterator<Item = &'f Dict> {
    let references = reading.array(signature, b"Reference").unwrap_or_default();
    references
        .iter()
        .filter_map(move |reference| reading.as_dict(reference))
}

/// Whether a signature refers to something other than a signature reference dictionary.
fn are_unreadable(reading: &Reading<'_>, signature: &Dict) -> bool {
    match reading.get(signature, b"Reference") {
        Object::Null => false,
        Object::Array(references) => references.iter().any(|reference| reading.as_dict(reference).is_none()),
        _ => true,
    }
}
