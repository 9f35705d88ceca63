//! Personal and free texts in events: names, contacts, network addresses, browsers, reasons, titles.
//!
//! In a chain of format 2 the payload of an entry contains only a commitment to such a text, `{"~": SHA-256(salt ‖
//! text)}`. The text and its salt are stored next to the payload ([`ClearText`]), where they can be erased without
//! breaking the chain. In a chain of format 1 the text itself is in the payload.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use crate::environment::Random;
use crate::value::BlobHash;

/// A personal or free text in an event.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PersonalText {
    Clear(String),
    /// The commitment only: in the payload of format 2, and in an event whose text was erased.
    Committed(Commitment),
}

/// The salted hash that replaces a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commitment {
    /// `SHA-256(salt ‖ text)`.
    #[serde(rename = "~")]
    pub hash: BlobHash,
}

/// A text with the salt of its commitment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClearText {
    /// 16 random bytes, which prevent guessing the text.
    pub salt: Salt,
    pub text: String,
}

/// A salt, hexadecimal in JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Salt([u8; 16]);

impl PersonalText {
    /// Returns the text. `None` if it was erased.
    pub fn clear(&self) -> Option<&str> {
        match self {
            Self::Clear(text) => Some(text),
            Self::Committed(_) => None,
        }
    }

    /// Returns the text, or `erased` if it was erased.
    pub fn or<'t>(&'t self, erased: &'t str) -> &'t str {
        self.clear().unwrap_or(erased)
    }

    /// Keeps only the commitment, and returns the text and salt. `None` if there was only a commitment.
    pub fn commit(&mut self, random: &dyn Random) -> Option<ClearText> {
        let Self::Clear(text) = self else {
            return None;
        };
        let mut salt = [0; 16];
        random.fill(&mut salt);
        let clear = ClearText {
            salt: Salt(salt),
            text: std::mem::take(text),
        };
        *self = Self::Committed(clear.commitment());
        Some(clear)
    }
}

impl From<String> for PersonalText {
    fn from(text: String) -> Self {
        Self::Clear(text)
    }
}

impl From<&str> for PersonalText {
    fn from(text: &str) -> Self {
        Self::Clear(text.to_owned())
    }
}

impl ClearText {
    /// Returns the commitment that the payload contains.
    pub fn commitment(&self) -> Commitment {
        let mut bytes = Vec::with_capacity(self.salt.0.len() + self.text.len());
        bytes.extend_from_slice(&self.salt.0);
        bytes.extend_from_slice(self.text.as_bytes());
        Commitment {
            hash: BlobHash::of(&bytes),
        }
    }
}

impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Salt({})", hex::encode(self.0))
    }
}

impl Serialize for Salt {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(self.0))
    }
}

impl<'de> Deserialize<'de> for Salt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut salt = [0; 16];
        hex::decode_to_slice(&text, &mut salt).map_err(|_| serde::de::Error::custom("not 16 bytes in hexadecimal"))?;
        Ok(Self(salt))
    }
}
