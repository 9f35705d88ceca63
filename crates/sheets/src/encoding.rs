//! Decodes a CSV file from any common spreadsheet program.
//!
//! Supports UTF-8, UTF-16 with a byte order mark, and the encodings in which Korean and Japanese programs save CSV:
//! CP949 and Shift-JIS. Nothing in a file says which of these two it is. Many texts can be read as both, but then one
//! reading is text that nobody writes: Korean read as Shift-JIS consists of half-width katakana, and Japanese read as
//! CP949 consists of syllables that are very rare in Korean.

use std::borrow::Cow;

use encoding_rs::{EUC_KR, Encoding, SHIFT_JIS, UTF_8};

/// Returns the text, or `None` if no known encoding fits.
pub(crate) fn decoded(file: &[u8]) -> Option<Cow<'_, str>> {
    if let Some((encoding, mark)) = Encoding::for_bom(file) {
        return text(encoding, file.get(mark..)?);
    }
    text(UTF_8, file).or_else(|| match (text(EUC_KR, file), text(SHIFT_JIS, file)) {
        (Some(korean), Some(japanese)) => {
            let narrow = japanese
                .chars()
                .filter(|c| matches!(c, '\u{ff61}'..='\u{ff9f}'))
                .count();
            let wide = japanese.chars().filter(|c| !c.is_ascii()).count() - narrow;
            Some(if wide > narrow { japanese } else { korean })
        }
        (korean, japanese) => korean.or(japanese),
    })
}

/// Whether the file begins with the byte order mark of UTF-16.
pub(crate) fn is_utf16(file: &[u8]) -> bool {
    Encoding::for_bom(file).is_some_and(|(encoding, _)| encoding != UTF_8)
}

fn text<'file>(encoding: &'static Encoding, bytes: &'file [u8]) -> Option<Cow<'file, str>> {
    encoding.decode_without_bom_handling_and_without_replacement(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn korean_and_japanese_are_told_apart() {
        let korean = [
            "이름,이메일\n홍길동,a@example.com\n",
            "이름\n선우뷁똠\n",
            "계약서 제목,회사\n2026년 근로계약,주식회사 한빛\n",
        ];
        let japanese = [
            "氏名,メール\n山田太郎,a@example.com\n",
            "お名前\nさとう はなこ\n",
            "氏名,フリガナ\n髙橋一郎,ﾀｶﾊｼ\n",
        ];
        for (texts, encoding) in [(korean, EUC_KR), (japanese, SHIFT_JIS)] {
            for text in texts {
                let (bytes, _, is_lossy) = encoding.encode(text);
                assert!(!is_lossy, "{text}");
                assert_eq!(decoded(&bytes).as_deref(), Some(text));
            }
        }
    }

    #[test]
    fn what_is_in_no_known_encoding_is_no_text() {
        assert_eq!(decoded(b"name\n\xff\xff\xff\n"), None);
        assert_eq!(decoded(b"\xff\xfea\0\x00\xd8"), None, "half a surrogate pair");
    }
}
