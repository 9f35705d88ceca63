//! Objects in the one form that every program reads alike (ISO 32000-2, 7.2 and 7.3): stricter than programs are, who mend
//! what they find, each in its own way.

use std::collections::BTreeSet;

use lopdf::{Dictionary, Document, Object, ObjectId, Stream, StringFormat};

/// Nesting of objects; the reader allows no more.
const MAX_DEPTH: usize = 256;
/// The most digits of a number that every program holds.
const MAX_DIGITS: usize = 10;
/// What a program that searches a file for its parts would take from a comment.
const MARKS: [&[u8]; 4] = [b"xref", b"obj", b"trailer", b"%EOF"];

/// Reads forward from a place. Every answer is none where something stands there that programs may read differently.
#[derive(Debug, Clone, Copy)]
pub(super) struct Syntax<'a> {
    bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Syntax<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    pub(super) fn is_at(&self, text: &[u8]) -> bool {
        self.rest().starts_with(text)
    }

    pub(super) fn take(&mut self, text: &[u8]) -> Option<()> {
        self.is_at(text).then(|| self.at += text.len())
    }

    /// Up to `most` bytes of white space, at least one.
    pub(super) fn blank(&mut self, most: usize) -> Option<()> {
        let length = length_of(self.rest(), |byte| matches!(byte, b' ' | b'\r' | b'\n'));
        (1..=most).contains(&length).then(|| self.at += length)
    }

    /// Digits, as many as the range says.
    pub(super) fn digits(&mut self, most: usize) -> Option<&'a [u8]> {
        let length = length_of(self.rest(), |byte| byte.is_ascii_digit());
        let digits = self.rest().get(..length).filter(|_| (1..=most).contains(&length))?;
        self.at += length;
        Some(digits)
    }

    pub(super) fn number(&mut self) -> Option<usize> {
        std::str::from_utf8(self.digits(MAX_DIGITS)?).ok()?.parse().ok()
    }

    /// Skips white space.
    pub(super) fn white(&mut self) {
        self.at += length_of(self.rest(), is_white);
    }

    /// Skips white space and comments. A comment in which a searching program would find something is none that is skipped.
    pub(super) fn space(&mut self) {
        loop {
            self.white();
            let comment = self.rest();
            if !comment.starts_with(b"%") || comment.starts_with(b"%%EOF") {
                return;
            }
            let length = length_of(comment, |byte| !matches!(byte, b'\r' | b'\n'));
            let text = comment.get(..length).unwrap_or_default();
            if MARKS
                .iter()
                .any(|mark| text.windows(mark.len()).any(|part| part == *mark))
            {
                return;
            }
            self.at += length;
        }
    }

    /// An indirect object, from its number to its `endobj`. The length of a stream may be an object of `document`.
    pub(super) fn indirect(&mut self, document: &Document) -> Option<(ObjectId, Object)> {
        let id = self.header()?;
        self.space();
        let object = self.object(0)?;
        self.space();
        let object = match object {
            Object::Dictionary(dictionary) if self.is_at(b"stream") => {
                let content = self.content(&dictionary, document)?;
                Object::Stream(Stream::new(dictionary, content.to_vec()))
            }
            object => object,
        };
        self.space();
        self.take(b"endobj")?;
        self.rest()
            .first()
            .copied()
            .is_none_or(is_white)
            .then_some((id, object))
    }

    /// The number and the generation before an object.
    pub(super) fn header(&mut self) -> Option<ObjectId> {
        let number = u32::try_from(self.number()?).ok()?;
        self.blank(1)?;
        let generation = u16::try_from(self.number()?).ok()?;
        self.blank(1)?;
        self.take(b"obj")?;
        Some((number, generation))
    }

    fn content(&mut self, dictionary: &Dictionary, document: &Document) -> Option<&'a [u8]> {
        self.take(b"stream")?;
        self.take(b"\r\n").or_else(|| self.take(b"\n"))?;
        let length = match dictionary.get(b"Length").ok()? {
            Object::Reference(id) => document.objects.get(id)?.as_i64().ok()?,
            length => length.as_i64().ok()?,
        };
        let end = self.at.checked_add(usize::try_from(length).ok()?)?;
        let content = self.bytes.get(self.at..end)?;
        self.at = end;
        self.take(b"\r\n")
            .or_else(|| self.take(b"\n"))
            .or_else(|| self.take(b"\r"));
        self.take(b"endstream")?;
        Some(content)
    }

    pub(super) fn object(&mut self, depth: usize) -> Option<Object> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.rest() {
            [b'<', b'<', ..] => self.dictionary(depth).map(Object::Dictionary),
            [b'<', ..] => self.hexadecimal(),
            [b'(', ..] => self.literal(),
            [b'[', ..] => self.array(depth),
            [b'/', ..] => self.name().map(Object::Name),
            _ => self.word(),
        }
    }

    fn array(&mut self, depth: usize) -> Option<Object> {
        self.take(b"[")?;
        let mut array = Vec::new();
        loop {
            self.space();
            if self.take(b"]").is_some() {
                return Some(Object::Array(array));
            }
            array.push(self.object(depth + 1)?);
        }
    }

    /// A dictionary, in which no key stands twice (7.3.7).
    fn dictionary(&mut self, depth: usize) -> Option<Dictionary> {
        self.take(b"<<")?;
        let mut dictionary = Dictionary::new();
        let mut keys = BTreeSet::new();
        loop {
            self.space();
            if self.take(b">>").is_some() {
                return Some(dictionary);
            }
            let key = self.name()?;
            self.space();
            let value = self.object(depth + 1)?;
            if !keys.insert(key.clone()) {
                return None;
            }
            dictionary.set(key, value);
        }
    }

    fn name(&mut self) -> Option<Vec<u8>> {
        self.take(b"/")?;
        let mut written = self.regular().iter();
        let mut name = Vec::new();
        while let Some(byte) = written.next() {
            name.push(if *byte == b'#' {
                let mut digit = || {
                    char::from(*written.next()?)
                        .to_digit(16)
                        .and_then(|digit| u8::try_from(digit).ok())
                };
                // Programs that end a text at a zero would read another name.
                Some(digit()? << 4 | digit()?).filter(|byte| *byte != 0)?
            } else {
                *byte
            });
        }
        Some(name)
    }

    /// The regular characters that stand here (7.2.3).
    fn regular(&mut self) -> &'a [u8] {
        let length = length_of(self.rest(), |byte| !is_white(byte) && !is_delimiter(byte));
        let regular = self.rest().get(..length).unwrap_or_default();
        self.at += length;
        regular
    }

    fn hexadecimal(&mut self) -> Option<Object> {
        self.take(b"<")?;
        self.at += length_of(self.rest(), |byte| byte.is_ascii_hexdigit() || is_white(byte));
        self.take(b">")?;
        Some(Object::String(Vec::new(), StringFormat::Hexadecimal))
    }

    /// A string in parentheses; what it says is of no concern here.
    fn literal(&mut self) -> Option<Object> {
        let mut open = 0_usize;
        let mut is_escaped = false;
        for (index, byte) in self.rest().iter().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'(' => open += 1,
                b')' => open -= 1,
                _ => {}
            }
            if open == 0 {
                self.at += index + 1;
                return Some(Object::String(Vec::new(), StringFormat::Literal));
            }
        }
        None
    }

    /// A number, a reference, or one of the words.
    fn word(&mut self) -> Option<Object> {
        let word = std::str::from_utf8(self.regular()).ok()?;
        match word {
            "true" | "false" => return Some(Object::Boolean(word == "true")),
            "null" => return Some(Object::Null),
            _ => {}
        }
        let is_plain = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        if is_plain && let Some(id) = self.rest_of_reference(word) {
            return Some(Object::Reference(id));
        }
        let digits = word.strip_prefix('-').unwrap_or(word);
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return word.parse().ok().map(Object::Integer);
        }
        let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
        let is_real = unsigned.bytes().any(|byte| byte.is_ascii_digit())
            && unsigned.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            && unsigned.bytes().filter(|byte| *byte == b'.').count() <= 1;
        is_real.then_some(Object::Real(0.0))
    }

    fn rest_of_reference(&mut self, number: &str) -> Option<ObjectId> {
        let mut ahead = *self;
        ahead.space();
        let generation = std::str::from_utf8(ahead.regular()).ok()?;
        if !generation.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        ahead.space();
        if ahead.regular() != b"R" {
            return None;
        }
        let id = (number.parse().ok()?, generation.parse().ok()?);
        *self = ahead;
        Some(id)
    }
}

fn length_of(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !is_part(*byte)).unwrap_or(bytes.len())
}

pub(super) fn is_white(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 12 | b'\r' | b' ')
}

fn is_delimiter(byte: u8) -> bool {
    b"()<>[]{}/%".contains(&byte)
}
