//! Objects (ISO 32000-2, 7.3) with their original spelling.
//!
//! A number rounded to 32 bits differs from the written one, and a signature covers the written one. So numbers, names
//! and strings keep their spelling, and their value is computed when needed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::lex::{is_regular, is_white};

/// Number and generation of an object (7.3.10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Ref {
    /// The object's number.
    pub number: u32,
    pub generation: u16,
}

impl Ref {
    pub fn new(number: u32, generation: u16) -> Self {
        Self { number, generation }
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.number, self.generation)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Object {
    /// 7.3.9.
    Null,
    /// 7.3.2.
    Bool(bool),
    /// 7.3.3.
    Number(Number),
    /// 7.3.5.
    Name(Name),
    /// 7.3.4.
    Str(Str),
    /// 7.3.6.
    Array(Vec<Object>),
    /// 7.3.7.
    Dict(Dict),
    /// 7.3.8.
    Stream(Stream),
    /// 7.3.10.
    Ref(Ref),
}

impl Object {
    /// Returns the value of an integer.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(number) => number.as_i64(),
            _ => None,
        }
    }

    /// Returns the value of a non-negative integer.
    pub fn as_usize(&self) -> Option<usize> {
        self.as_i64().and_then(|number| usize::try_from(number).ok())
    }

    /// Returns the value of a number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number.as_f64()),
            _ => None,
        }
    }

    /// Returns the value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_name(&self) -> Option<&Name> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Returns whether the object is this name.
    pub fn is_name(&self, name: &[u8]) -> bool {
        self.as_name().is_some_and(|own| own.is(name))
    }

    /// Returns the object if it is a string.
    pub fn as_str(&self) -> Option<&Str> {
        match self {
            Self::Str(string) => Some(string),
            _ => None,
        }
    }

    /// Returns the items of an array.
    pub fn as_array(&self) -> Option<&[Object]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the dictionary, or that of a stream.
    pub fn as_dict(&self) -> Option<&Dict> {
        match self {
            Self::Dict(dict) => Some(dict),
            Self::Stream(stream) => Some(&stream.dict),
            _ => None,
        }
    }

    pub fn as_stream(&self) -> Option<&Stream> {
        match self {
            Self::Stream(stream) => Some(stream),
            _ => None,
        }
    }

    pub fn as_ref(&self) -> Option<Ref> {
        match self {
            Self::Ref(reference) => Some(*reference),
            _ => None,
        }
    }
}

/// Bytes of the input. Short ones, which are by far the most common, need no allocation.
#[derive(Clone)]
enum Spelling {
    Short { length: u8, bytes: [u8; Spelling::SHORT] },
    Long(Box<[u8]>),
}

impl Spelling {
    const SHORT: usize = 22;

    fn new(spelling: &[u8]) -> Self {
        let mut bytes = [0; Self::SHORT];
        match (bytes.get_mut(..spelling.len()), u8::try_from(spelling.len())) {
            (Some(place), Ok(length)) => {
                place.copy_from_slice(spelling);
                Self::Short { length, bytes }
            }
            _ => Self::Long(spelling.into()),
        }
    }

    fn get(&self) -> &[u8] {
        match self {
            Self::Short { length, bytes } => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Self::Long(bytes) => bytes,
        }
    }
}

impl PartialEq for Spelling {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for Spelling {}

impl fmt::Debug for Spelling {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.get().escape_ascii())
    }
}

/// A number in its original spelling (7.3.3). Two numbers are equal if their spellings are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number(Spelling);

impl Number {
    /// Wraps a spelling that the lexer has checked.
    pub(super) fn spelled(spelling: &[u8]) -> Self {
        Self(Spelling::new(spelling))
    }

    pub fn spelling(&self) -> &[u8] {
        self.0.get()
    }

    fn text(&self) -> &str {
        // The spelling contains only signs, digits and points.
        std::str::from_utf8(self.spelling()).unwrap_or("0")
    }

    /// Returns the value if it is written as an integer that fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.text().parse().ok()
    }

    /// Returns the value as the nearest 64-bit number.
    pub fn as_f64(&self) -> f64 {
        self.text().parse().unwrap_or(0.0)
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self::spelled(value.to_string().as_bytes())
    }
}

impl TryFrom<f64> for Number {
    type Error = ();

    /// Fails for infinite values, which have no spelling.
    fn try_from(value: f64) -> Result<Self, ()> {
        // `Display` never writes an exponent, which 7.3.3 forbids.
        value
            .is_finite()
            .then(|| Self::spelled(value.to_string().as_bytes()))
            .ok_or(())
    }
}

/// A name in its original spelling (7.3.5). Two names are equal if their spellings are. [`Name::is`] compares their
/// meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(Spelling);

impl Name {
    /// Wraps a spelling that the lexer has checked.
    pub(crate) fn spelled(spelling: &[u8]) -> Self {
        Self(Spelling::new(spelling))
    }

    /// Builds a name from these bytes. A zero byte is not allowed in a name and is left out.
    pub fn new(bytes: &[u8]) -> Self {
        let mut spelling = Vec::with_capacity(bytes.len());
        for byte in bytes.iter().filter(|byte| **byte != 0) {
            if (b'!'..=b'~').contains(byte) && is_regular(*byte) && *byte != b'#' {
                spelling.push(*byte);
            } else {
                spelling.push(b'#');
                spelling.extend(hexadecimal(*byte));
            }
        }
        Self::spelled(&spelling)
    }

    /// Returns the spelling, without the slash.
    pub fn spelling(&self) -> &[u8] {
        self.0.get()
    }

    pub fn bytes(&self) -> Cow<'_, [u8]> {
        let spelling = self.spelling();
        if !spelling.contains(&b'#') {
            return Cow::Borrowed(spelling);
        }
        let mut bytes = Vec::with_capacity(spelling.len());
        let mut unread = spelling;
        while let [first, rest @ ..] = unread {
            unread = if let (b'#', [high, low, after @ ..]) = (first, rest) {
                bytes.push(digit(*high) << 4 | digit(*low));
                after
            } else {
                bytes.push(*first);
                rest
            };
        }
        Cow::Owned(bytes)
    }

    /// Returns whether the name means these bytes.
    pub fn is(&self, bytes: &[u8]) -> bool {
        *self.bytes() == *bytes
    }
}

/// A string in its original spelling (7.3.4), with its parentheses or angle brackets. Two strings are equal if their
/// spellings are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Str(Spelling);

impl Str {
    /// Wraps a spelling that the lexer has checked.
    pub(super) fn spelled(spelling: &[u8]) -> Self {
        Self(Spelling::new(spelling))
    }

    /// Builds a string in parentheses.
    pub fn literal(bytes: &[u8]) -> Self {
        let mut spelling = Vec::with_capacity(bytes.len() + 2);
        spelling.push(b'(');
        for byte in bytes {
            match byte {
                b'(' | b')' | b'\\' => spelling.extend([b'\\', *byte]),
                b'\r' => spelling.extend(b"\\r"),
                b'\n' => spelling.extend(b"\\n"),
                _ => spelling.push(*byte),
            }
        }
        spelling.push(b')');
        Self::spelled(&spelling)
    }

    /// Builds a string of hexadecimal digits.
    pub fn hex(bytes: &[u8]) -> Self {
        let mut spelling = Vec::with_capacity(2 * bytes.len() + 2);
        spelling.push(b'<');
        spelling.extend(bytes.iter().flat_map(|byte| hexadecimal(*byte)));
        spelling.push(b'>');
        Self::spelled(&spelling)
    }

    pub fn spelling(&self) -> &[u8] {
        self.0.get()
    }

    /// Returns whether the string is written in hexadecimal digits.
    pub fn is_hex(&self) -> bool {
        self.spelling().first() == Some(&b'<')
    }

    pub fn bytes(&self) -> Vec<u8> {
        let spelling = self.spelling();
        let inner = spelling.get(1..spelling.len().saturating_sub(1)).unwrap_or_default();
        if self.is_hex() {
            let digits: Vec<u8> = inner.iter().filter(|byte| !is_white(**byte)).copied().collect();
            digits
                .chunks(2)
                .map(|pair| match pair {
                    [high, low] => digit(*high) << 4 | digit(*low),
                    // A missing last digit is 0 (7.3.4.3).
                    [high] => digit(*high) << 4,
                    _ => 0,
                })
                .collect()
        } else {
            unescaped(inner)
        }
    }
}

/// Decodes the content of a string in parentheses (7.3.4.2, Table 3).
fn unescaped(inner: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(inner.len());
    let mut unread = inner;
    while let [first, rest @ ..] = unread {
        unread = match (first, rest) {
            (b'\\', [b'0'..=b'7', ..]) => {
                let length = rest
                    .iter()
                    .take(3)
                    .take_while(|byte| (b'0'..=b'7').contains(byte))
                    .count();
                let (octal, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
                let value = octal
                    .iter()
                    .fold(0_u32, |value, byte| value << 3 | u32::from(byte - b'0'));
                // Overflow beyond a byte is ignored.
                bytes.push(value.to_le_bytes()[0]);
                after
            }
            (b'\\', [b'\r', b'\n', after @ ..] | [b'\r' | b'\n', after @ ..]) => after,
            (b'\\', [escaped, after @ ..]) => {
                bytes.push(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 8,
                    b'f' => 12,
                    other => *other,
                });
                after
            }
            // Any line end represents a line feed.
            (b'\r', [b'\n', after @ ..] | after) => {
                bytes.push(b'\n');
                after
            }
            _ => {
                bytes.push(*first);
                rest
            }
        };
    }
    bytes
}

/// Returns the value of a hexadecimal digit.
pub(super) fn digit(byte: u8) -> u8 {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
        .unwrap_or(0)
}

/// Returns the two digits of a byte in a hexadecimal string (7.3.4.3).
pub(crate) fn hexadecimal(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]
}

/// A dictionary (7.3.7), in the order of its keys. No two keys have the same meaning.
#[derive(Debug, Clone, Default)]
pub struct Dict {
    entries: Vec<(Name, Object)>,
    /// The position of each key. Only in a large dictionary.
    index: Option<BTreeMap<Vec<u8>, usize>>,
}

impl Dict {
    /// Up to this number of keys, a linear search is fastest.
    const FEW: usize = 24;

    pub fn new() -> Self {
        Self::default()
    }

    pub fn get(&self, key: &[u8]) -> Option<&Object> {
        self.entries.get(self.position(key)?).map(|(_, value)| value)
    }

    /// Returns the value of a key for editing.
    pub fn get_mut(&mut self, key: &[u8]) -> Option<&mut Object> {
        let position = self.position(key)?;
        self.entries.get_mut(position).map(|(_, value)| value)
    }

    pub fn has(&self, key: &[u8]) -> bool {
        self.position(key).is_some()
    }

    /// Returns whether `/Type` is this name, written directly in the dictionary.
    pub fn is_type(&self, name: &[u8]) -> bool {
        self.get(b"Type").is_some_and(|kind| kind.is_name(name))
    }

    fn position(&self, key: &[u8]) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(key).copied(),
            None => self.entries.iter().position(|(name, _)| name.is(key)),
        }
    }

    /// Adds a new key. Returns false if the key already exists.
    pub fn add(&mut self, key: Name, value: Object) -> bool {
        let meaning = key.bytes();
        if self.has(&meaning) {
            return false;
        }
        if let Some(index) = &mut self.index {
            index.insert(meaning.into_owned(), self.entries.len());
        }
        self.entries.push((key, value));
        if self.index.is_none() && self.entries.len() > Self::FEW {
            self.reindex();
        }
        true
    }

    /// Sets the value of a key, at its existing position if there is one.
    pub fn set(&mut self, key: &[u8], value: impl Into<Object>) {
        match self.get_mut(key) {
            Some(place) => *place = value.into(),
            None => {
                self.add(Name::new(key), value.into());
            }
        }
    }

    pub fn remove(&mut self, key: &[u8]) -> Option<Object> {
        let position = self.position(key)?;
        let (_, value) = self.entries.remove(position);
        self.index = None;
        if self.entries.len() > Self::FEW {
            self.reindex();
        }
        Some(value)
    }

    fn reindex(&mut self) {
        let keys = self.entries.iter().map(|(key, _)| key.bytes().into_owned());
        self.index = Some(keys.zip(0..).collect());
    }

    /// Returns the keys and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &Object)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// Returns the keys, and the values for editing.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&Name, &mut Object)> {
        self.entries.iter_mut().map(|(key, value)| (&*key, value))
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl PartialEq for Dict {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Eq for Dict {}

/// A stream (7.3.8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    pub dict: Dict,
    pub data: StreamData,
}

/// Location of a stream's bytes, which are encoded by its filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamData {
    /// In the file, encrypted if the file is encrypted.
    InFile {
        /// The stream's object, because the key depends on it (7.6.3).
        object: Ref,
        /// Range of the bytes, counted from the file's header.
        span: Range<usize>,
    },
    /// New bytes.
    New(Vec<u8>),
}

impl StreamData {
    /// Returns the number of bytes.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::InFile { span, .. } => span.len(),
            Self::New(bytes) => bytes.len(),
        }
    }
}

impl Stream {
    pub fn new(dict: Dict, bytes: Vec<u8>) -> Self {
        Self {
            dict,
            data: StreamData::New(bytes),
        }
    }
}

impl From<i64> for Object {
    fn from(value: i64) -> Self {
        Self::Number(value.into())
    }
}

impl From<bool> for Object {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Number> for Object {
    fn from(value: Number) -> Self {
        Self::Number(value)
    }
}

impl From<Name> for Object {
    fn from(value: Name) -> Self {
        Self::Name(value)
    }
}

impl From<Str> for Object {
    fn from(value: Str) -> Self {
        Self::Str(value)
    }
}

impl From<Vec<Object>> for Object {
    fn from(value: Vec<Object>) -> Self {
        Self::Array(value)
    }
}

impl From<Dict> for Object {
    fn from(value: Dict) -> Self {
        Self::Dict(value)
    }
}

impl From<Stream> for Object {
    fn from(value: Stream) -> Self {
        Self::Stream(value)
    }
}

impl From<Ref> for Object {
    fn from(value: Ref) -> Self {
        Self::Ref(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_mean_what_table_3_says() {
        for (spelling, bytes) in [
            (&b"(a\\n\\(\\)\\\\\\053\\53\\0053\\777)"[..], &b"a\n()\\++\x053\xff"[..]),
            (b"(a\\\r\nb\\\nc\r\nd\re\\q)", b"abc\nd\neq"),
            (b"<901FA>", b"\x90\x1f\xa0"),
            (b"< 4 1\n>", b"A"),
            (b"()", b""),
        ] {
            assert_eq!(Str::spelled(spelling).bytes(), bytes, "{}", spelling.escape_ascii());
        }
    }

    #[test]
    fn numbers_keep_their_spelling_and_offer_their_value() {
        for (spelling, whole, value) in [
            (&b"+17"[..], Some(17), 17.0),
            (b"-0", Some(0), 0.0),
            (b"4.", None, 4.0),
            (b"-.002", None, -0.002),
            (b"595.275574", None, 595.275_574),
            (b"99999999999999999999", None, 1e20),
        ] {
            let number = Number::spelled(spelling);
            assert_eq!((number.spelling(), number.as_i64()), (spelling, whole));
            assert!((number.as_f64() - value).abs() <= value.abs() * 1e-15);
        }
    }

    #[test]
    fn new_names_and_strings_mean_their_bytes() {
        let bytes: Vec<u8> = (1..=255).collect();
        assert_eq!(*Name::new(&bytes).bytes(), *bytes);
        assert_eq!(Str::literal(&bytes).bytes(), bytes);
        assert_eq!(Str::hex(&bytes).bytes(), bytes);
    }

    #[test]
    fn a_dictionary_keeps_its_order_whether_few_or_many_keys() {
        let mut dict = Dict::new();
        for number in 0..100_i64 {
            assert!(dict.add(Name::new(number.to_string().as_bytes()), number.into()));
        }
        assert!(!dict.add(Name::spelled(b"#31"), Object::Null), "1 is there already");
        dict.set(b"7", 700);
        assert_eq!(dict.remove(b"3"), Some(3.into()));
        assert_eq!(dict.get(b"7"), Some(&700.into()));
        assert_eq!(dict.get(b"3"), None);
        let keys: Vec<_> = dict.iter().map(|(key, _)| key.spelling().to_vec()).collect();
        let expected: Vec<_> = (0..100)
            .filter(|n| *n != 3)
            .map(|n: i32| n.to_string().into_bytes())
            .collect();
        assert_eq!(keys, expected);
    }
}
