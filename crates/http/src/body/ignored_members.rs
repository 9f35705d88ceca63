//! The unread parts of a request: unknown JSON members, and query parameters and form parts that the call does not
//! have.
//!
//! They are ignored, and the response names them in an `Ignored-Members` header. If the client sends `Prefer:
//! handling=strict` (RFC 7240), the request gets a 422 instead, before anything is done.
//!
//! No route can forget this, because [`report`] surrounds every route. Only
//! [`JsonBody::read`](crate::body::json::JsonBody::read) reads the members of a body, so it knows which ones were read.
//! Only [`multipart::read`](crate::body::multipart::read) reads the parts of a form, and it compares them with the
//! call's description.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use app::{Error, Fault, FaultCode};
use axum::extract::{Request, State};
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::frame::problem::Failure;

/// Maximum number of members that we name.
const MOST: usize = 100;
/// Maximum number of characters shown of a name. A name may be as long as a body.
const MOST_OF_NAME: usize = 100;
/// Maximum length of the header in bytes, because proxies refuse longer ones. Names that do not fit are left out.
const LONGEST_HEADER: usize = 2_000;

const PREFER: HeaderName = HeaderName::from_static("prefer");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
const IGNORED_MEMBERS: HeaderName = HeaderName::from_static("ignored-members");

/// The paths of the unread parts of a request.
#[derive(Debug, Clone, Default)]
pub struct Unread(Arc<Found>);

#[derive(Debug, Default)]
struct Found {
    is_strict: bool,
    /// The form parts that the call accepts.
    parts: BTreeSet<&'static str>,
    places: Mutex<Vec<String>>,
}

/// The position of an object in a JSON body.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The path used in faults.
    pub path: String,
    /// The path in the whole body, used for unread members.
    pub in_body: String,
}

impl Place {
    /// Returns the position of a member of this object.
    #[must_use]
    pub fn of(&self, name: &str) -> Place {
        Place {
            path: within(&self.path, name),
            in_body: within(&self.in_body, name),
        }
    }

    /// Returns the position of an element of the list at this position.
    #[must_use]
    pub fn element(&self, index: usize) -> Place {
        Place {
            path: format!("{}[{index}]", self.path),
            in_body: format!("{}[{index}]", self.in_body),
        }
    }
}

fn within(place: &str, name: &str) -> String {
    let dot = if place.is_empty() { "" } else { "." };
    format!("{place}{dot}{name}")
}

/// The parts of a request that a call accepts, according to its description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Takes {
    /// Names of its query parameters.
    pub query: BTreeSet<&'static str>,
    /// Whether it reads a JSON body. If so, unread query parameters are refused together with unread members.
    pub json: bool,
    /// Names of the parts of its form, if it reads one.
    pub parts: BTreeSet<&'static str>,
}

impl Unread {
    /// Returns the collection stored in the request's extensions.
    pub fn of(extensions: &Extensions) -> Self {
        extensions.get::<Self>().cloned().unwrap_or_default()
    }

    fn asked_by(headers: &HeaderMap, parts: BTreeSet<&'static str>) -> Self {
        let is_strict = headers
            .get_all(PREFER)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split([',', ';']))
            .filter_map(|preference| preference.split_once('='))
            .any(|(name, value)| {
                name.trim().eq_ignore_ascii_case("handling")
                    && value.trim().trim_matches('"').eq_ignore_ascii_case("strict")
            });
        Self(Arc::new(Found {
            is_strict,
            parts,
            places: Mutex::default(),
        }))
    }

    /// Adds an unread name. `place` is empty for the request itself.
    pub fn add(&self, place: &str, name: &str) {
        let mut places = self.0.places.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() < MOST {
            let name: String = name.chars().take(MOST_OF_NAME).collect();
            places.push(within(place, &name));
        }
    }

    /// Adds this part of a form, unless the call accepts it.
    pub fn add_part(&self, name: &str) {
        if !self.0.parts.is_empty() && !self.0.parts.contains(name) {
            self.add("", name);
        }
    }

    pub fn places(&self) -> Vec<String> {
        self.0.places.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the paths as faults, if the client requests strict handling.
    pub fn faults(&self) -> Vec<Fault> {
        let places = if self.0.is_strict { self.places() } else { Vec::new() };
        let fault = |place| Fault::new(place, FaultCode::UnexpectedMember);
        places.into_iter().map(fault).collect()
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        if self.0.is_strict {
            headers.insert(PREFERENCE_APPLIED, HeaderValue::from_static("handling=strict"));
        } else if let Some(value) = header(&self.places()) {
            headers.insert(IGNORED_MEMBERS, value);
        }
    }
}

/// Joins the paths with commas. Commas in names, and characters that a header cannot contain, are percent-encoded.
fn header(places: &[String]) -> Option<HeaderValue> {
    let mut value = String::new();
    for place in places {
        let mut encoded = String::from(if value.is_empty() { "" } else { ", " });
        for byte in place.bytes() {
            if byte.is_ascii_graphic() && !matches!(byte, b',' | b'%') {
                encoded.push(char::from(byte));
            } else {
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
        if value.len() + encoded.len() <= LONGEST_HEADER {
            value.push_str(&encoded);
        }
    }
    HeaderValue::from_str(&value).ok().filter(|value| !value.is_empty())
}

/// Reports ignored parts to the client, or refuses the request. `takes` is `None` for pages, which may ignore anything.
pub async fn report(State(takes): State<Option<Arc<Takes>>>, mut request: Request, next: Next) -> Response {
    let parts = takes.as_ref().map(|takes| takes.parts.clone()).unwrap_or_default();
    let unread = Unread::asked_by(request.headers(), parts);
    let mut refused = Vec::new();
    if let Some(takes) = takes {
        let query = request.uri().query().unwrap_or_default();
        for (name, _) in url::form_urlencoded::parse(query.as_bytes()) {
            if !takes.query.contains(name.as_ref()) {
                unread.add("", &name);
            }
        }
        if !takes.json {
            refused = unread.faults();
        }
    }
    request.extensions_mut().insert(unread.clone());
    let mut response = if refused.is_empty() {
        next.run(request).await
    } else {
        Failure::App(Error::Unprocessable(refused)).into_response()
    };
    unread.add_headers(response.headers_mut());
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_strict(preferences: &[&'static str]) -> bool {
        let mut headers = HeaderMap::new();
        for preference in preferences {
            headers.append(PREFER, HeaderValue::from_static(preference));
        }
        Unread::asked_by(&headers, BTreeSet::new()).0.is_strict
    }

    #[test]
    fn only_who_prefers_strict_handling_gets_it() {
        for preferences in [
            &["handling=strict"][..],
            &["respond-async, Handling = \"STRICT\""],
            &["wait=5", "handling=strict"],
        ] {
            assert!(is_strict(preferences), "{preferences:?}");
        }
        for preferences in [&[][..], &["handling=lenient"], &["strict"], &["x-handling=strict"]] {
            assert!(!is_strict(preferences), "{preferences:?}");
        }
    }

    #[test]
    fn names_of_any_script_and_length_fit_into_a_header() {
        let value = |places: &[&str]| {
            let places: Vec<String> = places.iter().map(|place| (*place).to_owned()).collect();
            header(&places).map(|value| value.to_str().expect("ASCII").to_owned())
        };
        assert_eq!(value(&[]), None);
        assert_eq!(value(&["limt", "list[0].nmae"]).as_deref(), Some("limt, list[0].nmae"));
        assert_eq!(
            value(&["a,b%\n", "이름"]).as_deref(),
            Some("a%2Cb%25%0A, %EC%9D%B4%EB%A6%84")
        );
        let long = "이".repeat(MOST_OF_NAME);
        let told = value(&[long.as_str(); MOST]).expect("some of them");
        assert!(
            told.len() <= LONGEST_HEADER && told.ends_with("%9D%B4"),
            "{}",
            told.len()
        );
    }
}
