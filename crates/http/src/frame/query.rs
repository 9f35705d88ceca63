//! Query parameters, read as tolerantly as a JSON body: unknown parameters are ignored, the last of several with the
//! same name counts, and an empty one counts as absent.

use std::collections::HashMap;
use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::Uri;
use axum::http::request::Parts;
use domain::Language;

use super::faults::Faults;

#[derive(Debug, Clone, Default)]
pub struct Query(HashMap<String, String>);

impl Query {
    /// Parses the query of a URL.
    pub fn of(uri: &Uri) -> Self {
        let query = uri.query().unwrap_or_default();
        Self(url::form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    /// Returns the parameter as sent, if it is not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns an owned copy, for a use case that parses it.
    pub fn owned(&self, name: &str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }

    pub fn text(&self, name: &str, faults: &mut Faults) -> Option<String> {
        faults.text(name, self.get(name)?)
    }

    /// Returns the language in `lang`, if we support it.
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
