//! A text that is never printed: passwords, keys, and addresses that contain one.

use std::fmt;

use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};

/// A text that no log, error or `Debug` output shows. It has no `Display`. Code that needs the text must call
/// [`Secret::expose`].
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// Returns the text for its intended use.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A value of another type is refused without quoting it. Serde's own error would show it.
impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Secret, D::Error> {
        // Not deserialized as a string: some formats refuse other types before the visitor sees them.
        deserializer.deserialize_any(Text)
    }
}

struct Text;

fn refused<T, E: Error>() -> Result<T, E> {
    Err(E::custom("it must be a text: write it in quotes"))
}

impl Visitor<'_> for Text {
    type Value = Secret;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text in quotes")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Secret, E> {
        Ok(Secret(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Secret, E> {
        Ok(Secret(text))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Secret, E> {
        refused()
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Secret, E> {
        refused()
    }

    fn visit_i128<E: Error>(self, _: i128) -> Result<Secret, E> {
        refused()
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Secret, E> {
        refused()
    }

    fn visit_u128<E: Error>(self, _: u128) -> Result<Secret, E> {
        refused()
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Secret, E> {
        refused()
    }

    fn visit_bytes<E: Error>(self, _: &[u8]) -> Result<Secret, E> {
        refused()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_shows_in_no_debug_and_in_no_refusal() {
        assert_eq!(format!("{:?}", Secret::new("739182")), "Secret(…)");
        for value in ["739182", "-739182", "7391.82", "true", "[739182]", "{\"a\": 739182}"] {
            let refused = serde_json::from_str::<Secret>(value).expect_err("no text").to_string();
            assert!(!refused.contains("739") && !refused.contains("true"), "{refused}");
        }
        let read: Secret = serde_json::from_str("\"p@ss/word\"").expect("a text");
        assert_eq!(read.expose(), "p@ss/word");
    }
}
