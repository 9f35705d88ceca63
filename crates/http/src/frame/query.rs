//! The parameters of a query, read with the same tolerance as a JSON body: unknown ones are
//! ignored, the last of two counts, an empty one is the same as none.

use std::collections::HashMap;
use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::Uri;
use axum::http::request::Parts;
use domain::Language;

use super::faults::Faults;

/// The parameters of one request.
#[derive(Debug, Clone, Default)]
pub struct Query(HashMap<String, String>);

impl Query {
    /// Reads the query of an address.
    pub fn of(uri: &Uri) -> Self {
        let query = uri.query().unwrap_or_default();
        Self(url::form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    /// A parameter as it was sent, if it was and is not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A parameter as it was sent, for a use-case that reads it itself.
    pub fn owned(&self, name: &str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }

    /// A text.
    pub fn text(&self, name: &str, faults: &mut Faults) -> Option<String> {
        faults.text(name, self.get(name)?)
    }

    /// The language asked for by `lang`, if it is one that we speak.
    pub fn language(&self) -> Option<Language> {
        self.get("lang").and_then(Language::parse)
    }
}

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.uri))
    }
}
