//! The Export API settings, including the events for which a workflow sends webhooks.

use serde::{Deserialize, Serialize};

use crate::workflow::Outcome;

/// The set of events that send a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ApiType {
    #[serde(rename = "ALL")]
    All,
    /// The first and the last step, and any event that ends the workflow early.
    StartAndEnd,
}

impl ApiType {
    /// Parses the API's value.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "ALL" => Some(Self::All),
            "StartAndEnd" => Some(Self::StartAndEnd),
            _ => None,
        }
    }
}

/// The target of the links to a finished document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkType {
    /// An HTML page.
    #[default]
    Viewer,
    /// The PDF itself.
    Download,
}

impl LinkType {
    /// Parses the API's value.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "viewer" => Some(Self::Viewer),
            "download" => Some(Self::Download),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldName {
    pub field_name: String,
    /// The name in payloads.
    pub new_name: String,
}

/// `export_api_info`, parsed and validated. The authorisation value is secret, so stored settings keep it encrypted and
/// separate from the rest.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportSettings {
    /// The endpoint, checked by `public_address::CallbackUrl`.
    pub url: String,
    pub api_type: ApiType,
    /// Embedded mode: signers receive no messages, and the caller receives their links.
    pub is_embed: bool,
    pub link_type: LinkType,
    /// The `Authorization` header sent with each webhook.
    #[serde(skip)]
    pub authorization: Option<String>,
    /// Names that replace field names in payloads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub field_names: Vec<FieldName>,
}

impl std::fmt::Debug for ExportSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExportSettings")
            .field("url", &self.url)
            .field("api_type", &self.api_type)
            .field("is_embed", &self.is_embed)
            .field("link_type", &self.link_type)
            .finish_non_exhaustive()
    }
}

impl ExportSettings {
    /// Returns the name of a field in payloads.
    pub fn name_of<'n>(&'n self, field: &'n str) -> &'n str {
        self.field_names
            .iter()
            .find(|entry| entry.field_name == field)
            .map_or(field, |entry| &entry.new_name)
    }

    /// Whether this outcome sends a webhook.
    pub fn wants(&self, outcome: &Outcome) -> bool {
        match self.api_type {
            ApiType::All => true,
            ApiType::StartAndEnd => match outcome {
                Outcome::Approved {
                    first_step_done,
                    complete,
                    ..
                } => *first_step_done || *complete,
                Outcome::Rejected { .. } | Outcome::Canceled { .. } | Outcome::Expired { .. } => true,
                Outcome::Returned { .. } => false,
            },
        }
    }
}

/// The `command_type` of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CommandType {
    #[serde(rename = "CF")]
    Confirm,
    /// A signer declined, or returned the document.
    #[serde(rename = "RT")]
    Reject,
    #[serde(rename = "CC")]
    Cancel,
    #[serde(rename = "EX")]
    Expire,
}

impl CommandType {
    /// Returns the API's two-letter code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Confirm => "CF",
            Self::Reject => "RT",
            Self::Cancel => "CC",
            Self::Expire => "EX",
        }
    }
}

impl From<&Outcome> for CommandType {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Approved { .. } => Self::Confirm,
            Outcome::Rejected { .. } | Outcome::Returned { .. } => Self::Reject,
            Outcome::Canceled { .. } => Self::Cancel,
            Outcome::Expired { .. } => Self::Expire,
        }
    }
}
