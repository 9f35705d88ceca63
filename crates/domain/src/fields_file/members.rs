//! Parses the properties of an object (texts, words, numbers and lists of objects), and reports faults.

use serde_json::{Map, Value};

use super::{FieldsFaultKind, NAME_LENGTH, Reader, join};
use crate::text::{has_overlong_character, is_direction_control, is_visible};

impl Reader {
    pub(super) fn list<'v>(
        &mut self,
        file: &'v Map<String, Value>,
        name: &'static str,
        most: usize,
        required: bool,
    ) -> Vec<(String, &'v Map<String, Value>)> {
        let Some(value) = file.get(name).filter(|value| !value.is_null()) else {
            if required {
                self.fault(name, FieldsFaultKind::Missing);
            }
            return Vec::new();
        };
        let Some(entries) = value.as_array() else {
            self.fault(name, FieldsFaultKind::WrongType("array"));
            return Vec::new();
        };
        if required && entries.is_empty() {
            self.fault(name, FieldsFaultKind::Empty);
        }
        if entries.len() > most {
            self.fault(name, FieldsFaultKind::TooMany(most));
        }
        let mut objects = Vec::new();
        for (index, entry) in entries.iter().take(most).enumerate() {
            let path = format!("{name}[{index}]");
            match entry.as_object() {
                Some(object) => objects.push((path, object)),
                None => self.fault(path, FieldsFaultKind::WrongType("object")),
            }
        }
        objects
    }

    pub(super) fn members(&mut self, entry: &Map<String, Value>, path: &str, known: &[&str]) {
        for name in entry.keys().filter(|name| !known.contains(&name.as_str())) {
            self.fault(join(path, name), FieldsFaultKind::UnknownMember(known.join(", ")));
        }
    }

    pub(super) fn text(
        &mut self,
        object: &Map<String, Value>,
        path: &str,
        name: &str,
        most: usize,
        required: bool,
    ) -> Option<String> {
        let place = join(path, name);
        match object.get(name) {
            None | Some(Value::Null) => {
                if required {
                    self.fault(place, FieldsFaultKind::Missing);
                }
                None
            }
            Some(value) => self.checked_text(value, place, most),
        }
    }

    pub(super) fn checked_text(&mut self, value: &Value, place: String, most: usize) -> Option<String> {
        let Some(text) = value.as_str() else {
            self.fault(place, FieldsFaultKind::WrongType("string"));
            return None;
        };
        let text = text.trim();
        if !is_visible(text) {
            self.fault(place, FieldsFaultKind::Empty);
        } else if text.chars().count() > most {
            self.fault(place, FieldsFaultKind::TooLong(most));
        } else if text.chars().any(|c| c.is_control() || is_direction_control(c)) {
            self.fault(place, FieldsFaultKind::ControlCharacter);
        } else if has_overlong_character(text) {
            self.fault(place, FieldsFaultKind::OverlongCharacter);
        } else {
            return Some(text.to_owned());
        }
        None
    }

    pub(super) fn word<T>(
        &mut self,
        object: &Map<String, Value>,
        path: &str,
        name: &str,
        required: bool,
        read: impl Fn(&str) -> Option<T>,
        known: impl Fn() -> String,
    ) -> Option<T> {
        let text = self.text(object, path, name, NAME_LENGTH, required)?;
        let word = read(&text);
        if word.is_none() {
            self.fault(join(path, name), FieldsFaultKind::UnknownWord(known()));
        }
        word
    }

    pub(super) fn number(
        &mut self,
        object: &Map<String, Value>,
        path: &str,
        name: &str,
        least: u64,
        most: u64,
        required: bool,
    ) -> Option<u32> {
        let place = join(path, name);
        match object.get(name) {
            None | Some(Value::Null) => {
                if required {
                    self.fault(place, FieldsFaultKind::Missing);
                }
                None
            }
            Some(Value::Number(number)) => {
                let number = number
                    .as_u64()
                    .filter(|number| (least..=most).contains(number))
                    .and_then(|number| u32::try_from(number).ok());
                if number.is_none() {
                    self.fault(place, FieldsFaultKind::OutOfRange { least, most });
                }
                number
            }
            Some(_) => {
                self.fault(place, FieldsFaultKind::WrongType("integer"));
                None
            }
        }
    }

    pub(super) fn flag(&mut self, object: &Map<String, Value>, path: &str, name: &str) -> bool {
        match object.get(name) {
            None | Some(Value::Null) => false,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                self.fault(join(path, name), FieldsFaultKind::WrongType("boolean"));
                false
            }
        }
    }
}
