//! Identifiers, each with its own type so that they cannot be confused.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! number_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl $name {
            /// Returns the number used in the database and the API.
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<i64> for $name {
            fn from(number: i64) -> Self {
                Self(number)
            }
        }
    };
}

number_id!(
    /// A document with its signers and steps.
    WorkflowId
);
number_id!(
    /// A template. Its versions share the id.
    TemplateId
);
number_id!(
    /// The person at a step of a workflow.
    RecipientId
);
number_id!(
    /// A person with an account in a company.
    MemberId
);

/// A company (tenant). Case does not matter, so it is stored in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct CompanyId(String);

/// Reasons why a text is not a company id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompanyIdFault {
    /// The format is invalid.
    #[error("a company ID consists of 1 to 40 letters a-z, digits, '-' or '_', and begins with a letter or digit")]
    Form,
    /// The word has another meaning in a path.
    #[error("'{0}' is reserved for the service's own URLs; choose another company ID")]
    Reserved(String),
}

impl CompanyId {
    /// Second segments of `/api/…` that the service uses or may use.
    const PATH_WORDS: &[&str] = &[
        "docs", "openapi", "api", "login", "sign", "mail", "assets", "static", "verify", "health", "healthz",
        "metrics", "console", "admin", "internal", "oauth", "scim", "webhooks",
    ];

    /// Parses an id entered by a person or taken from a path.
    pub fn parse(text: &str) -> Result<Self, CompanyIdFault> {
        let id = text.to_ascii_lowercase();
        let mut bytes = id.bytes();
        let head = bytes.next().is_some_and(|b| b.is_ascii_alphanumeric());
        let rest = bytes.all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        if Self::is_path_word(&id) || id == "openapi.json" {
            return Err(CompanyIdFault::Reserved(id));
        }
        if !head || !rest || id.len() > 40 {
            return Err(CompanyIdFault::Form);
        }
        Ok(Self(id))
    }

    /// Whether the id is one of the words above or a version segment (`v3`, `v4`, …).
    fn is_path_word(id: &str) -> bool {
        let version = id
            .strip_prefix('v')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
        version || Self::PATH_WORDS.contains(&id)
    }

    /// Returns the id in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CompanyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for CompanyId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// The id of a company's client program, as used in webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClientId(pub uuid::Uuid);

impl ClientId {
    /// Parses the usual forms of a UUID.
    pub fn parse(text: &str) -> Option<Self> {
        uuid::Uuid::try_parse(text.trim()).ok().map(Self)
    }
}

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn company_ids_are_lower_case() {
        assert_eq!(CompanyId::parse("AcMe-1").unwrap().as_str(), "acme-1");
    }

    #[test]
    fn path_words_and_wrong_forms_are_refused() {
        for word in ["v3", "V12", "docs", "openapi.json", "mail"] {
            assert!(
                matches!(CompanyId::parse(word), Err(CompanyIdFault::Reserved(_))),
                "{word}"
            );
        }
        let long = "a".repeat(41);
        for text in ["", "-a", "_a", "a b", "회사", "a/b", "a.b", &long] {
            assert_eq!(CompanyId::parse(text), Err(CompanyIdFault::Form), "{text}");
        }
        assert!(CompanyId::parse("v").is_ok());
        assert!(CompanyId::parse("v3a").is_ok());
    }

    #[test]
    fn client_ids_read_and_write_with_hyphens() {
        let text = "3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10";
        assert_eq!(ClientId::parse(text).unwrap().to_string(), text);
        assert_eq!(ClientId::parse("abc"), None);
    }
}
