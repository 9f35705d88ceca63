//! What is known of a gateway: how it is spoken to, and what the operator gave for it.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// How a gateway is spoken to. Every text is a template (Jinja) over the values that the guide lists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Description {
    /// The method of the request.
    pub method: Method,
    /// The address: scheme, host, perhaps a port and the beginning of a path. No template.
    pub address: String,
    /// What follows it: a path, perhaps a query; values in it are percent-encoded.
    pub path: String,
    /// Headers; one that comes out empty is left out.
    pub headers: BTreeMap<String, String>,
    /// How the body is written.
    pub format: Format,
    /// The body as JSON, whose strings are templates; of a form, one object of texts. A member that comes out empty is
    /// left out, and `{{ variables }}` alone stands for the object of variables.
    pub body: String,
    /// What is signed with the secret (HMAC-SHA256); headers name the result `signature`. Empty signs nothing.
    pub signed: String,
    /// How the signature is written.
    pub signature: SignatureText,
    /// How its answer is read.
    pub answer: Reading,
    /// Settings that it cannot do without: `key`, `secret`, `from` …
    pub needs: Vec<&'static str>,
    /// It carries only kinds of messages that it has a template for.
    pub needs_template: bool,
    /// It carries only to people whose id is listed.
    pub needs_id: bool,
}

/// The method of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// POST.
    #[default]
    Post,
    /// PUT.
    Put,
}

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// `application/json`
    #[default]
    Json,
    /// `application/x-www-form-urlencoded`
    Form,
}

/// How a signature is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SignatureText {
    /// Hexadecimal digits in lower case.
    #[default]
    Hex,
    /// Base64 with padding.
    Base64,
}

/// How an answer is read. Places are JSON pointers (RFC 6901); of several the first that is there counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    /// Where the word is that says whether a 2xx means success; without it every 2xx does.
    pub success_at: Option<String>,
    /// The words that mean success; numbers and booleans are compared as they are written.
    pub success_is: Vec<String>,
    /// Statuses besides 2xx that say that the message was taken before.
    pub taken: Vec<u16>,
    /// Statuses that say that this message will never be taken.
    pub refused: Vec<u16>,
    /// Where the gateway's id of the message is.
    pub id_at: Vec<String>,
    /// Where its words are.
    pub words_at: Vec<String>,
    /// Where its code of an error is, for [`Reading::temporary`].
    pub code_at: Vec<String>,
    /// Codes of errors that pass, though the status says that they do not: no credit left, too many at once.
    pub temporary: Vec<String>,
}

/// A gateway as the operator configured it.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Gateway {
    /// Its name: `messenger.NAME`.
    pub name: String,
    /// How it is spoken to.
    pub description: Description,
    /// The account, project or service.
    pub account: String,
    /// The key that says who asks.
    pub key: String,
    /// The secret that proves it.
    pub secret: String,
    /// Who sends: a number, or what the gateway knows.
    pub from: String,
    /// The channel that sends: of `KakaoTalk`.
    pub channel: String,
    /// The gateway's templates by kind of message.
    pub templates: BTreeMap<String, String>,
    /// The variables of those templates.
    pub variables: BTreeMap<String, String>,
    /// Other words by kind of message than ours.
    pub texts: BTreeMap<String, String>,
    /// The gateway's ids of people by their numbers.
    pub ids: BTreeMap<String, String>,
    /// Beginnings of the numbers that it serves: `+82`; none means all.
    pub countries: Vec<String>,
    /// Lower ones are asked first.
    pub order: u32,
    /// It may have an address that is not public, and speak plain http.
    pub allow_private: bool,
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The ids and numbers of people are nobody's business either.
        f.debug_struct("Gateway")
            .field("name", &self.name)
            .field("address", &self.description.address)
            .field("countries", &self.countries)
            .field("order", &self.order)
            .finish_non_exhaustive()
    }
}
