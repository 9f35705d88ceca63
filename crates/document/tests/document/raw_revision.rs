//! Revisions written byte by byte, including invalid ones that no honest program writes.

use lopdf::{Dictionary, Object};

/// The form in which a revision's cross-references are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Table,
    Stream,
    /// A table that refers to a stream with more entries (7.5.8.4).
    Hybrid,
}

/// The entry of a number in a cross-reference section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    Free,
    /// Offset and generation of an object.
    At(usize, u16),
    /// Number of the object stream that contains the object, and the index in it.
    Within(u32, u16),
    /// An entry type that no version of the format defines.
    Unknown,
}

/// A revision to be written after a file. It is written as given, without corrections.
pub struct RawRevision {
    /// The file so far.
    pub bytes: Vec<u8>,
    /// The entries, in writing order.
    pub rows: Vec<(u32, Said)>,
    /// The entries of a hybrid file's stream.
    pub hidden: Vec<(u32, Said)>,
    /// The trailer's entries, without `/Size`.
    pub trailer: String,
    /// `/Size`, if it is not one more than the highest number.
    pub size: Option<u32>,
}

impl RawRevision {
    /// Starts a revision of a file whose document catalog is the object `root`.
    pub fn new(pdf: &[u8], root: u32) -> Self {
        let mut bytes = pdf.to_vec();
        if !pdf.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        Self {
            bytes,
            rows: Vec::new(),
            hidden: Vec::new(),
            trailer: format!("/Root {root} 0 R/Prev {}", last_section(pdf)),
            size: None,
        }
    }

    pub fn add_to_trailer(&mut self, key: &str, value: &Object) {
        let value = String::from_utf8_lossy(&written(value)).into_owned();
        self.trailer.extend(["/", key, " ", &value]);
    }

    /// Writes an object without a cross-reference entry and returns its offset.
    pub fn unnamed(&mut self, number: u32, generation: u16, body: &[u8]) -> usize {
        let at = self.bytes.len();
        self.bytes.extend(format!("{number} {generation} obj\n").as_bytes());
        self.bytes.extend(body);
        self.bytes.extend(b"\nendobj\n");
        at
    }

    /// Writes an object and its cross-reference entry.
    pub fn named(&mut self, number: u32, body: &[u8]) {
        let at = self.unnamed(number, 0, body);
        self.rows.push((number, Said::At(at, 0)));
    }

    /// Writes the cross-references. Streams may use the object numbers `next` and `next + 1`.
    pub fn finish(mut self, style: Style, next: u32) -> Vec<u8> {
        let highest = self
            .rows
            .iter()
            .chain(&self.hidden)
            .map(|(number, _)| *number)
            .max()
            .unwrap_or(0)
            .max(next);
        let size = self.size.unwrap_or(highest + 1);
        let start = match style {
            Style::Table => self.table(size, ""),
            Style::Stream => {
                let rows = std::mem::take(&mut self.rows);
                self.stream(next, rows, size, &self.trailer.clone())
            }
            Style::Hybrid => {
                let rows = std::mem::take(&mut self.hidden);
                let at = self.stream(next, rows, size, "");
                self.table(size, &format!("/XRefStm {at}"))
            }
        };
        self.bytes.extend(format!("startxref\n{start}\n%%EOF\n").as_bytes());
        self.bytes
    }

    fn table(&mut self, size: u32, more: &str) -> usize {
        let start = self.bytes.len();
        let mut text = "xref\n".to_owned();
        if self.rows.is_empty() {
            text += "0 0\n";
        }
        text.extend(self.rows.iter().map(|(number, said)| match said {
            Said::At(at, generation) => format!("{number} 1\n{at:010} {generation:05} n\r\n"),
            _ => format!("{number} 1\n0000000000 65535 f\r\n"),
        }));
        self.bytes.extend(text.as_bytes());
        self.bytes
            .extend(format!("trailer\n<</Size {size}{}{more}>>\n", self.trailer).as_bytes());
        start
    }

    fn stream(&mut self, number: u32, mut rows: Vec<(u32, Said)>, size: u32, trailer: &str) -> usize {
        let start = self.bytes.len();
        rows.push((number, Said::At(start, 0)));
        let (mut index, mut data) = (String::new(), Vec::new());
        for (number, said) in rows {
            let (kind, second, third) = match said {
                Said::Free => (0, 0, u16::MAX),
                Said::At(at, generation) => (1, u32::try_from(at).expect("a place"), generation),
                Said::Within(container, index) => (2, container, index),
                Said::Unknown => (3, 7, 0),
            };
            index.extend([&number.to_string(), " 1 "]);
            data.push(kind);
            data.extend(second.to_be_bytes());
            data.extend(third.to_be_bytes());
        }
        let head = format!(
            "<</Type/XRef/W[1 4 2]/Size {size}/Index[{index}]/Length {}{trailer}>>",
            data.len()
        );
        self.unnamed(number, 0, &stream(&head, &data));
        start
    }
}

/// Formats a stream from a dictionary and its data.
pub fn stream(dictionary: &str, data: &[u8]) -> Vec<u8> {
    [dictionary.as_bytes(), b"\nstream\n", data, b"\nendstream"].concat()
}

/// Builds an object stream of these objects.
pub fn object_stream(members: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let (mut head, mut data) = (String::new(), Vec::new());
    for (number, body) in members {
        head.extend([
            number.to_string(),
            " ".to_owned(),
            data.len().to_string(),
            " ".to_owned(),
        ]);
        data.extend(body);
        data.push(b' ');
    }
    let dictionary = format!(
        "<</Type/ObjStm/N {}/First {}/Length {}>>",
        members.len(),
        head.len(),
        head.len() + data.len()
    );
    stream(&dictionary, &[head.as_bytes(), &data].concat())
}

/// Returns the offset in the last `startxref`.
pub fn last_section(pdf: &[u8]) -> usize {
    let key = b"startxref";
    let at = pdf
        .windows(key.len())
        .rposition(|window| window == key)
        .expect("a start");
    let text = String::from_utf8_lossy(&pdf[at + key.len()..]).into_owned();
    let number = text.split_whitespace().next().and_then(|number| number.parse().ok());
    number.unwrap_or(0)
}

/// Formats an object as text.
pub fn written(object: &Object) -> Vec<u8> {
    let mut bytes = Vec::new();
    lopdf::Writer::write_object(&mut bytes, object).expect("written");
    bytes
}

/// Formats a dictionary as text, with some entries replaced or added.
pub fn with_entries(dictionary: &Dictionary, entries: &[(&str, Object)]) -> Vec<u8> {
    let mut dictionary = dictionary.clone();
    for (key, value) in entries {
        dictionary.set(*key, value.clone());
    }
    written(&Object::Dictionary(dictionary))
}
