//! Reads JSON bodies into typed members and reports every fault at once.
//!
//! A derived deserialiser stops at the first member with a wrong type, refuses duplicates, and loses digits of long
//! numbers. Here, a body stays text until a member is read. [`Members`] reads the members of one object and adds faults
//! with their paths to [`Faults`], and use cases add their own. So clients see all bad members in one response. The
//! rules for every endpoint:
//!
//! - 400 if the text is not JSON, 413 if it is too large, 415 for another media type (no media type counts as JSON, RFC
//!   9110, 8.3);
//! - unknown members are ignored and named in the response, or refused ([`crate::body::ignored_members`]); the last of
//!   several members with the same name counts;
//! - `null` counts as absent;
//! - U+0000 in a text is refused, because one of the databases cannot store it;
//! - a list or object has at most 2,000 entries, and we stop reading after that; we report at most 100 faults.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use app::{Error, Fault, FaultCode};
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRef, FromRequest, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::arrival;
use super::declared::Declared;
use super::ignored_members::{Place, Unread};
use crate::frame::faults::Faults;
use crate::frame::problem::Failure;
use crate::frame::state::Http;

/// The largest integer that every JSON reader represents exactly.
const LARGEST_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Maximum number of entries in a list or object.
const MOST_ENTRIES: usize = 2_000;
const JSON: &str = "application/json";

/// A JSON body with checked syntax, whose meaning is not checked yet.
#[derive(Debug, Clone)]
pub struct JsonBody {
    text: String,
    /// Collects the unread members.
    unread: Unread,
}

/// The members of one object, and its position in the body. Dropping it records the unread members.
#[derive(Debug)]
pub struct Members<'a> {
    entries: HashMap<String, Member<'a>>,
    at: Place,
    unread: &'a Unread,
}

#[derive(Debug)]
struct Member<'a> {
    value: &'a RawValue,
    is_read: AtomicBool,
    is_left: bool,
}

impl JsonBody {
    /// Checks that `bytes` are one JSON text. Unread members are added to `unread`.
    pub fn parse(bytes: Bytes, unread: Unread) -> Result<Self, Error> {
        let mut text = String::from_utf8(bytes.into()).map_err(|_| Error::NotJson)?;
        // Some clients start with a byte order mark, which readers may ignore (RFC 8259, 8.1).
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        serde_json::from_str::<&RawValue>(&text).map_err(|_| Error::NotJson)?;
        Ok(Self { text, unread })
    }

    /// Receives a body of at most `limit` bytes.
    pub async fn receive(head: &Parts, body: Body, limit: u64) -> Result<Self, Error> {
        if !is_json(&head.headers) {
            return Err(Error::Unsupported { expected: Some(JSON) });
        }
        Self::parse(read(&head.headers, body, limit).await?, Unread::of(&head.extensions))
    }

    pub fn length(&self) -> usize {
        self.text.len()
    }

    /// Identifies a repeated body by its bytes.
    pub fn fingerprint(&self) -> [u8; 32] {
        Sha256::digest(self.text.as_bytes()).into()
    }

    /// Reads the members of the body. 422 if it is JSON but not an object. Members that `read` does not use are
    /// reported as ignored, or are faults.
    pub fn read<T>(
        &self,
        faults: &mut Faults,
        read: impl FnOnce(&mut Members<'_>, &mut Faults) -> T,
    ) -> Result<T, Error> {
        let members = self.entries()?;
        let found = read(&mut Members::new(members, Place::default(), &self.unread), faults);
        for fault in self.unread.faults() {
            faults.add(fault);
        }
        Ok(found)
    }

    /// Reads the body as declared by `B`.
    pub fn request<B>(&self, faults: &mut Faults) -> Result<B::Request, Error>
    where
        B: for<'a> Declared<Source<'a> = Members<'a>>,
    {
        self.read(faults, |members, faults| B::read(members, faults))
    }

    /// Fails if the body is JSON but not an object.
    pub fn check_object(&self) -> Result<(), Error> {
        self.entries().map(drop)
    }

    /// Returns the paths of the members that have not been read so far.
    pub fn ignored(&self) -> Vec<String> {
        self.unread.places()
    }

    fn entries(&self) -> Result<HashMap<String, Member<'_>>, Error> {
        if !self.text.trim_start().starts_with('{') {
            return Err(Error::Unprocessable(vec![wrong_type(String::new(), "object")]));
        }
        read_entries(&self.text).map_err(|refused| match refused {
            NotRead::TooMany => Error::Unprocessable(vec![too_many(String::new(), MOST_ENTRIES)]),
            NotRead::OtherType => Error::NotJson,
        })
    }
}

impl<S> FromRequest<S> for JsonBody
where
    S: Send + Sync,
    Http: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let limit = Http::from_ref(state).settings().json_limit;
        let (parts, body) = request.into_parts();
        Ok(Self::receive(&parts, body, limit).await?)
    }
}

/// A JSON body that may be absent, because all its members are optional.
#[derive(Debug, Clone)]
pub struct OptionalJsonBody(pub JsonBody);

impl<S> FromRequest<S> for OptionalJsonBody
where
    S: Send + Sync,
    Http: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        if request.body().is_end_stream() {
            let unread = Unread::of(request.extensions());
            let text = "{}".to_owned();
            return Ok(Self(JsonBody { text, unread }));
        }
        Ok(Self(JsonBody::from_request(request, state).await?))
    }
}

/// Whether the media type is JSON in UTF-8, or is missing.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE) else {
        return true;
    };
    let Ok(value) = value.to_str() else { return false };
    let mut parts = value.split(';');
    let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    // JSON has no parameters, but if one names another charset, we respect it.
    let other_charset = parts
        .filter_map(|parameter| parameter.trim().split_once('='))
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))
        .any(|(_, charset)| {
            let charset = charset.trim().trim_matches('"');
            !["utf-8", "utf8", "us-ascii"]
                .iter()
                .any(|known| charset.eq_ignore_ascii_case(known))
        });
    let is_json = essence.is_empty()
        || essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"));
    is_json && !other_charset
}

/// Whether the body has a content coding, such as compression. We support none (RFC 9110, 8.4).
fn is_coded(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::CONTENT_ENCODING)
        .iter()
        .any(|coding| !coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"identity"))
}

/// Reads a body of at most `limit` bytes. Discards a longer one.
///
/// Fails with `Unsupported` if the body is encoded, with `TooLarge`, with `BrokenBody` if it ended early or its chunks
/// are malformed, and with `Unavailable` if it did not arrive in time.
pub async fn read(headers: &HeaderMap, body: Body, limit: u64) -> Result<Bytes, Error> {
    if is_coded(headers) {
        return Err(Error::Unsupported { expected: None });
    }
    let said = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok())
        .and_then(|length| length.parse::<u64>().ok());
    if said.is_some_and(|length| length > limit) {
        return Err(Error::TooLarge { limit });
    }
    arrival::collect(body, limit).await
}

fn wrong_type(path: String, expected: &str) -> Fault {
    Fault::new(path, FaultCode::WrongType).with("expected", expected)
}

impl Drop for Members<'_> {
    fn drop(&mut self) {
        let unread = self
            .entries
            .iter()
            .filter(|(_, member)| !member.is_read.load(Ordering::Relaxed));
        let mut names: Vec<&String> = unread.map(|(name, _)| name).collect();
        names.sort_unstable();
        for name in names {
            self.unread.add(&self.at.in_body, name);
        }
    }
}

impl<'a> Members<'a> {
    fn new(entries: HashMap<String, Member<'a>>, at: Place, unread: &'a Unread) -> Self {
        Self { entries, at, unread }
    }

    /// Returns the path of a member for faults.
    pub fn path_of(&self, name: &str) -> String {
        self.at.of(name).path
    }

    /// Whether the member is present and not `null`.
    pub fn has(&self, name: &str) -> bool {
        self.raw(name).is_some()
    }

    fn raw(&self, name: &str) -> Option<&'a RawValue> {
        self.given(name).filter(|raw| raw.get() != "null")
    }

    /// Returns the member unchanged, including `null`.
    fn given(&self, name: &str) -> Option<&'a RawValue> {
        let member = self.entries.get(name).filter(|member| !member.is_left)?;
        member.is_read.store(true, Ordering::Relaxed);
        Some(member.value)
    }

    /// Treats a member as unread, even if it is read.
    pub fn leave(&mut self, name: &str) {
        if let Some(member) = self.entries.get_mut(name) {
            member.is_left = true;
        }
    }

    /// Adds a fault if the member is missing.
    fn demand<T>(&self, name: &str, faults: &mut Faults, value: Option<T>) -> Option<T> {
        if !self.has(name) {
            faults.add(Fault::new(self.path_of(name), FaultCode::Required));
        }
        value
    }

    pub fn text(&self, name: &str, faults: &mut Faults) -> Option<String> {
        let raw = self.raw(name)?;
        let path = self.path_of(name);
        let Ok(value) = serde_json::from_str::<String>(raw.get()) else {
            faults.add(wrong_type(path, "string"));
            return None;
        };
        faults.text(&path, &value)
    }

    /// Reads a text. `null` is the empty text, for members that can remove a value.
    pub fn text_or_null(&self, name: &str, faults: &mut Faults) -> Option<String> {
        if self.given(name)?.get() == "null" {
            return Some(String::new());
        }
        self.text(name, faults)
    }

    pub fn texts(&self, name: &str, faults: &mut Faults) -> Option<Vec<String>> {
        let elements = self.elements(name, MOST_ENTRIES, faults)?;
        let path = self.path_of(name);
        let texts = elements.into_iter().enumerate().filter_map(|(index, element)| {
            let path = format!("{path}[{index}]");
            if let Ok(text) = serde_json::from_str::<String>(element.get()) {
                return faults.text(&path, &text);
            }
            faults.add(wrong_type(path, "string"));
            None
        });
        Some(texts.collect())
    }

    pub fn required_text(&self, name: &str, faults: &mut Faults) -> Option<String> {
        let value = self.text(name, faults);
        self.demand(name, faults, value)
    }

    pub fn integer(&self, name: &str, faults: &mut Faults) -> Option<i64> {
        let raw = self.raw(name)?;
        let value = integer(raw.get());
        if value.is_none() {
            faults.add(wrong_type(self.path_of(name), "integer"));
        }
        value
    }

    /// Reads an integer, or a text that contains one.
    pub fn integer_or_text(&self, name: &str, faults: &mut Faults) -> Option<i64> {
        let raw = self.raw(name)?;
        let value = match serde_json::from_str::<String>(raw.get()) {
            Ok(text) => integer(text.trim()),
            Err(_) => integer(raw.get()),
        };
        if value.is_none() {
            faults.add(wrong_type(self.path_of(name), "integer"));
        }
        value
    }

    pub fn boolean(&self, name: &str, faults: &mut Faults) -> Option<bool> {
        let raw = self.raw(name)?;
        let value = serde_json::from_str(raw.get()).ok();
        if value.is_none() {
            faults.add(wrong_type(self.path_of(name), "boolean"));
        }
        value
    }

    /// Reads a field's value as text: a number keeps its digits, a boolean is `true` or `false`, and `null` is the
    /// empty text, which means no value.
    pub fn value_text(&self, name: &str, faults: &mut Faults) -> Option<String> {
        let Some(raw) = self.given(name) else {
            faults.add(Fault::new(self.path_of(name), FaultCode::Required));
            return None;
        };
        match raw.get().bytes().next() {
            Some(b'n') => Some(String::new()),
            Some(b't' | b'f' | b'-' | b'0'..=b'9') => Some(raw.get().to_owned()),
            _ => self.text(name, faults),
        }
    }

    pub fn object(&self, name: &str, faults: &mut Faults) -> Option<Members<'a>> {
        self.inner(self.raw(name)?, self.at.of(name), faults)
    }

    /// Reads a list of objects. An element that is not an object is a fault, and stays in the list without members, so
    /// that the others keep their positions.
    pub fn objects(&self, name: &str, faults: &mut Faults) -> Option<Vec<Members<'a>>> {
        self.objects_up_to(name, MOST_ENTRIES, faults)
    }

    /// Treats the object as a body of its own, so that faults name paths within it.
    #[must_use]
    pub fn rooted(mut self) -> Self {
        self.at.path.clear();
        self
    }

    /// Reads a list of objects with a higher limit.
    pub fn objects_up_to(&self, name: &str, most: usize, faults: &mut Faults) -> Option<Vec<Members<'a>>> {
        let elements = self.elements(name, most, faults)?;
        let at = self.at.of(name);
        Some(
            elements
                .into_iter()
                .enumerate()
                .map(|(index, element)| {
                    let at = at.element(index);
                    let found = self.inner(element, at.clone(), faults);
                    found.unwrap_or_else(|| Members::new(HashMap::new(), at, self.unread))
                })
                .collect(),
        )
    }

    fn elements(&self, name: &str, most: usize, faults: &mut Faults) -> Option<Vec<&'a RawValue>> {
        let refused = match read_elements(self.raw(name)?.get(), most) {
            Ok(elements) => return Some(elements),
            Err(refused) => refused,
        };
        faults.add(refused.fault(self.path_of(name), "array", most));
        None
    }

    fn inner(&self, raw: &'a RawValue, at: Place, faults: &mut Faults) -> Option<Members<'a>> {
        match read_entries(raw.get()) {
            Ok(members) => Some(Members::new(members, at, self.unread)),
            Err(refused) => {
                faults.add(refused.fault(at.path, "object", MOST_ENTRIES));
                None
            }
        }
    }
}

/// Reasons why a list or object was not read.
enum NotRead {
    TooMany,
    OtherType,
}

impl NotRead {
    fn fault(self, path: String, expected: &str, most: usize) -> Fault {
        match self {
            Self::TooMany => too_many(path, most),
            Self::OtherType => wrong_type(path, expected),
        }
    }
}

fn too_many(path: String, most: usize) -> Fault {
    Fault::new(path, FaultCode::TooMany).with("max", most)
}

fn read_elements(text: &str, most: usize) -> Result<Vec<&RawValue>, NotRead> {
    if !text.trim_start().starts_with('[') {
        return Err(NotRead::OtherType);
    }
    let mut reader = Reader {
        most,
        ..Reader::default()
    };
    reader.read(text)?;
    Ok(reader.elements)
}

fn read_entries(text: &str) -> Result<HashMap<String, Member<'_>>, NotRead> {
    if !text.trim_start().starts_with('{') {
        return Err(NotRead::OtherType);
    }
    let mut reader = Reader::default();
    reader.read(text)?;
    Ok(reader.entries)
}

/// Reads a list or an object, and stops after the maximum number of entries. Millions of small ones would need many
/// times the memory of their text.
struct Reader<'a> {
    elements: Vec<&'a RawValue>,
    entries: HashMap<String, Member<'a>>,
    read: usize,
    most: usize,
}

impl Default for Reader<'_> {
    fn default() -> Self {
        Self {
            elements: Vec::new(),
            entries: HashMap::new(),
            read: 0,
            most: MOST_ENTRIES,
        }
    }
}

impl<'a> Reader<'a> {
    fn read(&mut self, text: &'a str) -> Result<(), NotRead> {
        let read = DeserializeSeed::deserialize(&mut *self, &mut serde_json::Deserializer::from_str(text));
        read.map_err(|_| {
            if self.read > self.most {
                NotRead::TooMany
            } else {
                NotRead::OtherType
            }
        })
    }

    fn count<E: serde::de::Error>(&mut self) -> Result<(), E> {
        self.read += 1;
        if self.read > self.most {
            return Err(E::custom("too many entries"));
        }
        Ok(())
    }
}

impl<'a> DeserializeSeed<'a> for &mut Reader<'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for &mut Reader<'a> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(element) = list.next_element()? {
            self.count()?;
            self.elements.push(element);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'a>>(self, mut object: A) -> Result<(), A::Error> {
        while let Some((name, value)) = object.next_entry()? {
            self.count()?;
            let member = Member {
                value,
                is_read: AtomicBool::new(false),
                is_left: false,
            };
            self.entries.insert(name, member);
        }
        Ok(())
    }
}

/// Accepts `1`, and also `1.0` and `1e3`, which some languages write for the same number.
fn integer(text: &str) -> Option<i64> {
    if let Ok(value) = text.parse::<i64>() {
        return Some(value);
    }
    let value: f64 = serde_json::from_str(text).ok()?;
    let whole = value.trunc();
    #[expect(clippy::float_cmp, reason = "exactly whole is what is asked")]
    let fits = whole == value && value.abs() <= LARGEST_INTEGER;
    #[expect(clippy::cast_possible_truncation, reason = "checked to be a small whole number")]
    fits.then_some(whole as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::faults::MOST_FAULTS;

    fn body(text: &str) -> JsonBody {
        JsonBody::parse(Bytes::copy_from_slice(text.as_bytes()), Unread::default()).expect("JSON")
    }

    /// Returns the members of a body. These tests ignore unread members.
    fn members(body: &JsonBody) -> Members<'_> {
        Members::new(body.entries().expect("an object"), Place::default(), &body.unread)
    }

    fn said(faults: Faults) -> Vec<String> {
        faults
            .into_inner()
            .iter()
            .map(|fault| format!("{} {}", fault.path, fault.code))
            .collect()
    }

    #[test]
    fn every_fault_is_named_with_its_place() {
        let body = body(r#"{"name": 1, "list": [{"order": "1"}, 7, {"order": 2, "text": "a\u0000"}], "on": "true"}"#);
        let root = members(&body);
        let mut faults = Faults::default();
        assert_eq!(root.required_text("name", &mut faults), None);
        assert_eq!(root.required_text("absent", &mut faults), None);
        assert_eq!(root.boolean("on", &mut faults), None);
        for item in root.objects("list", &mut faults).expect("a list") {
            item.integer("order", &mut faults);
            item.text("text", &mut faults);
        }
        assert_eq!(
            said(faults),
            [
                "name wrong-type",
                "absent required",
                "on wrong-type",
                "list[1] wrong-type",
                "list[0].order wrong-type",
                "list[2].text control-character",
            ]
        );
    }

    #[test]
    fn duplicates_unknown_members_and_null_are_tolerated() {
        let body = body("\u{feff}{\"a\": 1, \"a\": 2, \"b\": null, \"c\": {\"deep\": [[[]]]}}");
        let root = members(&body);
        let mut faults = Faults::default();
        assert_eq!(root.integer("a", &mut faults), Some(2));
        assert_eq!(root.text("b", &mut faults), None);
        assert!(faults.check().is_ok());
    }

    #[test]
    fn what_nobody_read_is_named_with_its_place() {
        let long = "x".repeat(1_000);
        let body = body(&format!(
            r#"{{"name": "a", "limt": 5, "list": [{{"order": 1}}, {{"order": 2, "nmae": null}}], "{long}": {{"in": 1}}}}"#
        ));
        let read = |root: &mut Members<'_>, faults: &mut Faults| {
            root.text("name", faults);
            root.boolean("absent", faults);
            for item in root.objects("list", faults).expect("a list") {
                item.rooted().integer("order", faults);
            }
        };
        let mut faults = Faults::default();
        body.read(&mut faults, read).expect("an object");
        assert_eq!(body.ignored(), ["list[1].nmae", "limt", &long[..100]]);
        assert!(faults.check().is_ok(), "it is no fault");
    }

    #[test]
    fn a_value_keeps_the_digits_it_was_written_with() {
        let body =
            body(r#"{"a": 10.50, "b": 123456789012345678901234567890, "c": true, "d": "x", "e": null, "f": []}"#);
        let root = members(&body);
        let mut faults = Faults::default();
        let values: Vec<_> = ["a", "b", "c", "d", "e", "f", "g"]
            .iter()
            .map(|name| root.value_text(name, &mut faults))
            .collect();
        let text = |value: &str| Some(value.to_owned());
        assert_eq!(
            values,
            [
                text("10.50"),
                text("123456789012345678901234567890"),
                text("true"),
                text("x"),
                text(""),
                None,
                None
            ]
        );
        assert_eq!(said(faults), ["f wrong-type", "g required"]);
    }

    #[test]
    fn integers_come_in_several_spellings() {
        for (text, expected) in [
            ("7", Some(7)),
            ("7.0", Some(7)),
            ("7e0", Some(7)),
            ("7.5", None),
            ("1e300", None),
            ("\"7\"", None),
            ("true", None),
        ] {
            let body = body(&format!("{{\"n\": {text}}}"));
            let root = members(&body);
            assert_eq!(root.integer("n", &mut Faults::default()), expected, "{text}");
        }
        let body = body(r#"{"n": " 42 ", "m": "x", "o": ""}"#);
        let root = members(&body);
        let mut faults = Faults::default();
        assert_eq!(root.integer_or_text("n", &mut faults), Some(42));
        assert_eq!(root.integer_or_text("m", &mut faults), None);
        assert_eq!(root.integer_or_text("o", &mut faults), None);
        assert_eq!(said(faults), ["m wrong-type", "o wrong-type"]);
    }

    #[test]
    fn what_is_not_json_is_told_apart_from_what_is_no_object() {
        for text in ["", "{", "{\"a\":1}}", "nul", "{'a':1}", "\u{feff}"] {
            let parsed = JsonBody::parse(Bytes::copy_from_slice(text.as_bytes()), Unread::default());
            assert!(matches!(parsed, Err(Error::NotJson)), "{text}");
        }
        assert!(matches!(
            JsonBody::parse(Bytes::from_static(b"{\"a\":\"\xff\"}"), Unread::default()),
            Err(Error::NotJson)
        ));
        for text in ["[]", "1", "\"a\"", "null"] {
            assert!(
                matches!(body(text).check_object(), Err(Error::Unprocessable(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn very_many_entries_are_refused_and_not_read() {
        let numbers = format!("{{\"list\": [{}1]}}", "1,".repeat(5_000_000));
        let body = body(&numbers);
        let root = members(&body);
        let mut faults = Faults::default();
        assert!(root.objects("list", &mut faults).is_none());
        assert_eq!(said(faults), ["list too-many"]);
        let mut reader = Reader::default();
        assert!(reader.read(root.raw("list").expect("a list").get()).is_err());
        assert_eq!((reader.read, reader.elements.len()), (MOST_ENTRIES + 1, MOST_ENTRIES));

        let entries = |count: usize| format!("{{\"object\": {{\"a\": 1{}}}}}", ", \"a\": 1".repeat(count - 1));
        let (most, more) = (
            self::body(&entries(MOST_ENTRIES)),
            self::body(&entries(MOST_ENTRIES + 1)),
        );
        let mut faults = Faults::default();
        assert!(members(&most).object("object", &mut faults).is_some());
        assert!(members(&more).object("object", &mut faults).is_none());
        assert_eq!(said(faults), ["object too-many"]);
        let wide = self::body(&format!("{{\"a\": 1{}}}", ", \"a\": 1".repeat(MOST_ENTRIES)));
        assert!(matches!(wide.check_object(), Err(Error::Unprocessable(_))));
    }

    #[test]
    fn deep_nesting_cannot_exhaust_the_stack() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        let body = body(&deep);
        let root = members(&body);
        let mut faults = Faults::default();
        root.objects("a", &mut faults);
        assert_eq!(said(faults), ["a[0] wrong-type"]);
    }

    #[test]
    fn no_more_than_a_hundred_faults_are_kept() {
        let body = body(&format!("{{\"list\": [{}1]}}", "1,".repeat(MOST_ENTRIES - 1)));
        let mut faults = Faults::default();
        let list = members(&body).objects("list", &mut faults);
        assert_eq!(list.map(|list| list.len()), Some(MOST_ENTRIES));
        assert_eq!(said(faults).len(), MOST_FAULTS);
    }
}
