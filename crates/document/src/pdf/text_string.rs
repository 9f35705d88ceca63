//! Decodes text strings (ISO 32000-2, 7.9.2.2), which are strings for people.

use super::object::Str;

/// Characters of `PDFDocEncoding` (D.3) from 0x18.
const LOW: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
/// Characters of `PDFDocEncoding` from 0x80.
const HIGH: [char; 33] = [
    '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ', 'Ł', 'Œ',
    'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{FFFD}', '€',
];

impl Str {
    /// Returns the text, in any of the three encodings. Invalid parts become U+FFFD. Language escape sequences are
    /// removed.
    #[must_use]
    pub fn text(&self) -> String {
        let bytes = self.bytes();
        let text = match bytes.as_slice() {
            [0xFE, 0xFF, units @ ..] => utf16(units, u16::from_be_bytes),
            // Little-endian UTF-16 is not in the standard, but many programs write and read it.
            [0xFF, 0xFE, units @ ..] => utf16(units, u16::from_le_bytes),
            [0xEF, 0xBB, 0xBF, text @ ..] => String::from_utf8_lossy(text).into_owned(),
            _ => return bytes.iter().map(|byte| of_document_encoding(*byte)).collect(),
        };
        without_languages(text)
    }

    /// Builds a text string: in ASCII if possible, otherwise in UTF-16.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        if text
            .bytes()
            .all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r'))
        {
            return Self::literal(text.as_bytes());
        }
        let mut bytes = vec![0xFE, 0xFF];
        bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
        Self::hex(&bytes)
    }
}

fn utf16(units: &[u8], read: fn([u8; 2]) -> u16) -> String {
    let whole = units.chunks_exact(2);
    let is_odd = !whole.remainder().is_empty();
    let units = whole.filter_map(|pair| Some(read([*pair.first()?, *pair.get(1)?])));
    let mut text: String = char::decode_utf16(units)
        .map(|character| character.unwrap_or('\u{FFFD}'))
        .collect();
    if is_odd {
        text.push('\u{FFFD}');
    }
    text
}

/// Removes the language codes between two escape characters (7.9.2.2.3).
fn without_languages(text: String) -> String {
    const ESCAPE: char = '\u{1B}';
    if !text.contains(ESCAPE) {
        return text;
    }
    text.split(ESCAPE).step_by(2).collect()
}

fn of_document_encoding(byte: u8) -> char {
    match byte {
        0x18..=0x1F => LOW[usize::from(byte - 0x18)],
        0x80..=0xA0 => HIGH[usize::from(byte - 0x80)],
        0x7F | 0xAD => '\u{FFFD}',
        // Latin-1 and the control characters.
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_encoding_is_read() {
        for (bytes, text) in [
            (&b"plain"[..], "plain"),
            (b"\x80 5 \xA0 \x9E\xE9\x18", "• 5 € žé˘"),
            (b"\xFE\xFF\xAC\x70\xD8\x3D\xDE\x00", "거😀"),
            (b"\xFF\xFE\x70\xAC", "거"),
            (b"\xEF\xBB\xBF\xEA\xB1\xB0", "거"),
            (b"\xFE\xFF\0\x1B\0k\0o\0\x1B\xAC\x70", "거"),
            (b"\xFE\xFF\xD8\x3D", "\u{FFFD}"),
            (b"\xFE\xFF\xAC", "\u{FFFD}"),
            (b"", ""),
        ] {
            assert_eq!(Str::hex(bytes).text(), text, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn a_text_is_read_as_it_was_written(text in "[^\u{1B}]{0,40}") {
            prop_assert_eq!(Str::of_text(&text).text(), text);
        }
    }
}
