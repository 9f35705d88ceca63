//! Describes a gateway: how to call it, and the operator's settings for it.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// How to call a gateway. Every text is a template (Jinja) with the values listed in the guide.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Description {
    pub method: Method,
    /// Scheme and host, optionally a port and the beginning of a path. Not a template.
    pub address: String,
    /// The path after the address, optionally with a query. Values in it are percent-encoded.
    pub path: String,
    /// The headers. An empty header is omitted.
    pub headers: BTreeMap<String, String>,
    pub format: Format,
    /// The body as JSON whose strings are templates. For a form, one object of texts. An empty member is omitted, and
    /// `{{ variables }}` alone stands for the object of variables.
    pub body: String,
    /// The text to sign with the secret (HMAC-SHA256). Headers refer to the result as `signature`. If empty, there is
    /// no signature.
    pub signed: String,
    pub signature: SignatureText,
    pub answer: Reading,
    /// Required settings: `key`, `secret`, `from` …
    pub needs: Vec<&'static str>,
    /// Whether the gateway sends only kinds of messages that have a template.
    pub needs_template: bool,
    /// Whether the gateway reaches only people with a listed ID.
    pub needs_id: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    #[default]
    Post,
    Put,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    #[default]
    Json,
    Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SignatureText {
    /// Lower-case hexadecimal digits.
    #[default]
    Hex,
    /// Base64 with padding.
    Base64,
}

/// How to read a response. Positions are JSON pointers (RFC 6901). If several are listed, the first one present counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    /// Points to the word that says whether a 2xx means success. If `None`, every 2xx does.
    pub success_at: Option<String>,
    /// The words that mean success. Numbers and booleans are compared as written.
    pub success_is: Vec<String>,
    /// Statuses other than 2xx which mean that the gateway had already accepted the message.
    pub taken: Vec<u16>,
    /// Statuses which mean that the gateway will never accept this message.
    pub refused: Vec<u16>,
    /// Points to the gateway's ID of the message.
    pub id_at: Vec<String>,
    /// Points to the gateway's message text.
    pub words_at: Vec<String>,
    /// Points to the error code, for [`Reading::temporary`].
    pub code_at: Vec<String>,
    /// Error codes of temporary problems, regardless of the status, such as no credit left or too many requests.
    pub temporary: Vec<String>,
}

/// A gateway as the operator configured it.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Gateway {
    /// The name from `messenger.NAME`.
    pub name: String,
    pub description: Description,
    /// The account, project or service.
    pub account: String,
    /// The key that identifies us.
    pub key: String,
    /// The secret that authenticates us.
    pub secret: String,
    /// The sender: a number, or a name registered with the gateway.
    pub from: String,
    /// The `KakaoTalk` channel that sends.
    pub channel: String,
    /// The gateway's templates by kind of message.
    pub templates: BTreeMap<String, String>,
    pub variables: BTreeMap<String, String>,
    /// Texts by kind of message that replace ours.
    pub texts: BTreeMap<String, String>,
    /// The gateway's IDs of people, by their numbers.
    pub ids: BTreeMap<String, String>,
    /// Prefixes of the numbers that the gateway serves, such as `+82`. Empty means all.
    pub countries: Vec<String>,
    /// Gateways with lower values are tried first.
    pub order: u32,
    /// Whether to allow an address that is not public, and plain http.
    pub allow_private: bool,
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The IDs and numbers of people are private too.
        f.debug_struct("Gateway")
            .field("name", &self.name)
            .field("address", &self.description.address)
            .field("countries", &self.countries)
            .field("order", &self.order)
            .finish_non_exhaustive()
    }
}
