//! Links that sign, found and taken out of texts that members see.
//!
//! A member who saw a signer's link could sign as that signer. A company may have mail templates of its own, and mail servers
//! quote addresses in their refusals, so what counts is the token, wherever it stands and however it was wrapped or encoded on
//! its way. It is known by its claim, which comes first and names a signer's own purpose: the rest may be cut off.

use std::ops::Range;

use crate::addresses::Addresses;
use crate::link_token::{CLAIM_LENGTH, LinkToken, TOKEN_LENGTH, claims_to_be_signers_own};

/// No more of a text is shown, so that looking through it takes no time to speak of.
const MOST_SHOWN: usize = 128 * 1024;
/// So much further is looked, for a token that begins in what is shown: encoded it is longer.
const LOOKED_FURTHER: usize = 16 * TOKEN_LENGTH;
/// The longest encoding of one character that is undone, such as `&#0000045;`.
const LONGEST_ENTITY: usize = 12;

impl Addresses {
    /// The first token in the text that signs.
    pub(crate) fn signing_token_in(&self, text: &str) -> Option<LinkToken> {
        self.first_token(text, LinkToken::signs)
    }

    /// Whether a signer's own link stands in the text: one that signs, or that asks for the signer's code.
    pub(crate) fn has_signers_link(&self, text: &str) -> bool {
        self.first_token(text, LinkToken::is_signers_own).is_some()
    }

    fn first_token(&self, text: &str, counts: fn(&LinkToken) -> bool) -> Option<LinkToken> {
        let bytes = text.as_bytes();
        bytes.windows(TOKEN_LENGTH).find_map(|window| {
            let token = std::str::from_utf8(window).ok().and_then(|token| self.read(token));
            token.filter(counts)
        })
    }
}

/// The text with `instead` in the place of each address that is a signer's own.
pub(crate) fn without_signing_links(text: &str, instead: &str) -> String {
    let looked_at = &text[..text.floor_char_boundary(MOST_SHOWN + LOOKED_FURTHER)];
    let end = text.floor_char_boundary(MOST_SHOWN);
    let mut shown = String::with_capacity(end);
    let mut at = 0;
    for place in tokens(looked_at) {
        let from = looked_at[..place.start]
            .rfind(ends_an_address)
            .map_or(0, |before| looked_at.ceil_char_boundary(before + 1));
        let to = looked_at[place.end..]
            .find(ends_an_address)
            .map_or(looked_at.len(), |after| place.end + after);
        if from >= end {
            break;
        }
        // Two tokens of one address are hidden together.
        if from >= at {
            shown.push_str(&text[at..from]);
            shown.push_str(instead);
        }
        at = at.max(to);
    }
    shown.push_str(text.get(at..end).unwrap_or_default());
    if end < text.len() {
        shown.push_str(" […]");
    }
    shown
}

/// Where tokens of signers stand, in order. Some may overlap.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let as_it_is: Vec<Written> = text
        .char_indices()
        .map(|(start, character)| Written {
            character,
            place: start..start + character.len_utf8(),
        })
        .collect();
    let mut places = tokens_in(&as_it_is);
    places.extend(tokens_in(&decoded(as_it_is)));
    places.sort_unstable_by_key(|place| (place.start, place.end));
    places
}

/// A character, and the place in the text where it is written, perhaps in several.
struct Written {
    character: char,
    place: Range<usize>,
}

/// What breaks a token (line breaks, what marks them, quotation marks of replies) is none of its letters, so only letters count.
fn tokens_in(text: &[Written]) -> Vec<Range<usize>> {
    let letters: Vec<(u8, &Range<usize>)> = text
        .iter()
        .filter_map(|written| Some((u8::try_from(written.character).ok()?, &written.place)))
        .filter(|(letter, _)| is_of_token(*letter))
        .collect();
    let bytes: Vec<u8> = letters.iter().map(|(letter, _)| *letter).collect();
    let mut places = Vec::new();
    for (first, head) in bytes.windows(CLAIM_LENGTH).enumerate() {
        if claims_to_be_signers_own(head) {
            let last = (first + TOKEN_LENGTH).min(letters.len()) - 1;
            places.push(letters[first].1.start..letters[last].1.end);
        }
    }
    places
}

/// The text with quoted-printable, percent-encoding, HTML entities and escapes of JSON undone, one within another too. An encoding
/// may be broken like a token, so nothing is left that belongs to neither.
fn decoded(text: Vec<Written>) -> Vec<Written> {
    let mut done: Vec<Written> = Vec::with_capacity(text.len());
    for written in text {
        done.push(written);
        while let Some((length, character)) = encoded_at_end(&done) {
            let encoding = done.split_off(done.len() - length);
            if let [first, .., last] = encoding.as_slice() {
                let place = first.place.start..last.place.end;
                done.push(Written { character, place });
            }
        }
        drop_break(&mut done);
    }
    done
}

/// A line that ends in `=` goes on (RFC 2045, 6.7).
fn drop_break(text: &mut Vec<Written>) {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "-_%=&#;\\".contains(character);
    let Some(last) = text.pop_if(|last| !is_part(last.character)) else {
        return;
    };
    if last.character == '\n' {
        text.pop_if(|before| before.character == '=');
    }
}

/// How long the encoding is that ends here, and what it stands for. It is always longer than that.
fn encoded_at_end(text: &[Written]) -> Option<(usize, char)> {
    let last = text.last()?.character;
    if last == ';' {
        let tail = &text[text.len().saturating_sub(LONGEST_ENTITY)..];
        let begin = tail.iter().rposition(|written| written.character == '&')?;
        let name: String = tail[begin + 1..tail.len() - 1]
            .iter()
            .map(|written| written.character)
            .collect();
        return Some((tail.len() - begin, entity(&name)?));
    }
    if !last.is_ascii_hexdigit() {
        return None;
    }
    // `%2D` and `=2D`, and `\u002d`.
    for (mark, digits) in [("%", 2), ("=", 2), ("\\u", 4)] {
        let length = mark.len() + digits;
        let Some(tail) = text.len().checked_sub(length).map(|begin| &text[begin..]) else {
            continue;
        };
        let tail: String = tail.iter().map(|written| written.character).collect();
        let digits = tail
            .strip_prefix(mark)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        // A byte of a longer character is no letter of a token, whichever it is.
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        if let Some(character) = number.and_then(char::from_u32) {
            return Some((length, character));
        }
    }
    None
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "equals" => Some('='),
        "percnt" => Some('%'),
        "num" => Some('#'),
        "semi" => Some(';'),
        "lowbar" | "UnderBar" => Some('_'),
        _ => {
            let number = name.strip_prefix('#')?;
            let number = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(number.ok()?)
        }
    }
}

fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

fn ends_an_address(character: char) -> bool {
    character.is_whitespace() || matches!(character, '"' | '\'' | '<' | '>' | '(' | ')' | '[' | ']' | '|')
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::link_token::LinkPurpose;
    use crate::testing::CountingRandom;
    use crate::vault::Vault;

    fn vault() -> Vault {
        Vault::new(&[1; 32], Arc::new(CountingRandom::default()))
    }

    fn token(purpose: LinkPurpose) -> String {
        let token = LinkToken {
            purpose,
            subject: 123,
            version: 1,
            expires: None,
        };
        token.encode(&vault())
    }

    fn hide(text: &str) -> String {
        without_signing_links(text, "[link]")
    }

    #[test]
    fn every_link_that_signs_is_taken_out_wherever_it_stands_and_no_other() {
        let addresses = Addresses::new(vault(), "https://sign.example.com".to_owned());
        for purpose in [LinkPurpose::Sign, LinkPurpose::SignDelivered] {
            let token = token(purpose);
            let url = format!("https://sign.example.com/mail/sign?token={token}&lang=ko");
            for (text, shown) in [
                (url.clone(), "[link]".to_owned()),
                (
                    format!("열기:\n{url}\n{url}\n끝"),
                    "열기:\n[link]\n[link]\n끝".to_owned(),
                ),
                (
                    format!("<a href=\"{url}\">서명</a>"),
                    "<a href=\"[link]\">서명</a>".to_owned(),
                ),
                (format!("550 refused ({url})."), "550 refused ([link]).".to_owned()),
                (format!("token%3D{token}%26lang"), "[link]".to_owned()),
                (format!("x{token}x 끝"), "[link] 끝".to_owned()),
                (token.clone(), "[link]".to_owned()),
            ] {
                assert_eq!(hide(&text), shown, "{text}");
                assert_eq!(addresses.signing_token_in(&text).map(|token| token.subject), Some(123));
            }
        }
        for purpose in [LinkPurpose::Document, LinkPurpose::Certificate, LinkPurpose::Start] {
            let text = format!("서명 https://sign.example.com/mail/view?token={}", token(purpose));
            assert_eq!(hide(&text), text);
            assert_eq!(hide(&wrapped(&text, 20, "=\r\n")), wrapped(&text, 20, "=\r\n"));
        }
        for text in ["", "서명", &"U".repeat(500), &token(LinkPurpose::Sign)[1..]] {
            assert_eq!(hide(text), text);
        }
    }

    #[test]
    fn a_token_that_is_cut_off_is_taken_out_too() {
        let token = token(LinkPurpose::SignDelivered);
        for length in CLAIM_LENGTH..TOKEN_LENGTH {
            assert_eq!(hide(&format!("550 see token={} ", &token[..length])), "550 see [link] ");
        }
        // What is no longer shown hides nothing before it, and leaves no part of a token.
        for before in [2 * TOKEN_LENGTH, TOKEN_LENGTH, TOKEN_LENGTH / 2, 2, 1, 0] {
            let begin = MOST_SHOWN - before;
            let text = format!("{} {token} {}", ".".repeat(begin), "x".repeat(4 * MOST_SHOWN));
            let shown = hide(&text);
            assert!(shown.len() < MOST_SHOWN + 20);
            assert!(!has_a_run_of(&shown, &token), "{begin}");
        }
    }

    #[test]
    fn no_address_is_misread_for_the_sign_before_its_token() {
        let purposes = [
            LinkPurpose::Sign,
            LinkPurpose::SignDelivered,
            LinkPurpose::SignersDocument,
            LinkPurpose::SignersCertificate,
        ];
        for purpose in purposes {
            for before in [
                "=",
                "%",
                "%4",
                "=4",
                "&#",
                "\\",
                "\\u00",
                "\\u002",
                "U",
                "Uw",
                "token%253D",
            ] {
                let token = token(purpose);
                let shown = hide(&format!("{before}{token};"));
                assert!(!has_a_run_of(&shown, &token), "{before}: {shown}");
            }
        }
    }

    fn read(text: &str) -> String {
        let written = text.char_indices().map(|(start, character)| Written {
            character,
            place: start..start + character.len_utf8(),
        });
        decoded(written.collect()).iter().map(|read| read.character).collect()
    }

    /// The text in lines of about `width` characters. No line ends in an equals sign, plain or encoded: quoted-printable would
    /// read it as a soft line break.
    fn wrapped(text: &str, width: usize, end: &str) -> String {
        let (mut lines, mut length) = (String::new(), 0);
        for character in text.chars() {
            lines.push(character);
            length += 1;
            if length >= width && !read(&lines).ends_with('=') {
                lines.push_str(end);
                length = 0;
            }
        }
        lines
    }

    /// Whether twelve characters of the token stand in the text, as they are or with anything between them.
    fn has_a_run_of(text: &str, token: &str) -> bool {
        let letters: String = text
            .chars()
            .filter(|character| character.is_ascii_alphanumeric() || "-_".contains(*character))
            .collect();
        (0..=token.len() - 12).any(|at| {
            let run = &token[at..at + 12];
            text.contains(run) || letters.contains(run)
        })
    }

    /// What mail programs and servers do to a text on its way.
    #[derive(Debug, Clone)]
    enum Way {
        QuotedPrintable { width: usize, all: bool },
        Lines { width: usize, end: &'static str },
        Entities { style: usize, every: usize },
        Percent { every: usize, small: bool },
        Json,
    }

    impl Way {
        fn encode(&self, text: &str) -> String {
            match self {
                Way::QuotedPrintable { width, all } => {
                    let encode = |byte: u8| {
                        if *all || byte == b'=' || !(byte == b'\n' || (b' '..=b'~').contains(&byte)) {
                            format!("={byte:02X}")
                        } else {
                            char::from(byte).to_string()
                        }
                    };
                    let units: Vec<String> = text.bytes().map(encode).collect();
                    let lines: Vec<String> = units.chunks(*width).map(<[String]>::concat).collect();
                    lines.join("=\r\n")
                }
                Way::Lines { width, end } => wrapped(text, *width, end),
                Way::Entities { style, every } => text
                    .chars()
                    .enumerate()
                    .map(|(at, character)| match character {
                        '&' => "&amp;".to_owned(),
                        '_' if *style == 3 => "&lowbar;".to_owned(),
                        character if at % every == 0 => match style {
                            0 => format!("&#{};", u32::from(character)),
                            1 => format!("&#x{:x};", u32::from(character)),
                            _ => format!("&#X{:04X};", u32::from(character)),
                        },
                        character => character.to_string(),
                    })
                    .collect(),
                Way::Percent { every, small } => text
                    .bytes()
                    .enumerate()
                    .map(|(at, byte)| {
                        if at % every == 0 || byte == b'%' || !byte.is_ascii() {
                            if *small {
                                format!("%{byte:02x}")
                            } else {
                                format!("%{byte:02X}")
                            }
                        } else {
                            char::from(byte).to_string()
                        }
                    })
                    .collect(),
                Way::Json => text
                    .chars()
                    .map(|character| match character {
                        'a'..='z' | 'A'..='Z' | '0'..='9' => character.to_string(),
                        character => format!("\\u{:04x}", u32::from(character)),
                    })
                    .collect(),
            }
        }
    }

    fn way() -> impl Strategy<Value = Way> {
        prop_oneof![
            (5..77_usize, any::<bool>()).prop_map(|(width, all)| Way::QuotedPrintable { width, all }),
            (
                5..77_usize,
                prop::sample::select(vec!["\r\n", "\n", "\r\n  ", " \n> ", "\n| ", " ", "\u{ad}", "\" \""])
            )
                .prop_map(|(width, end)| Way::Lines { width, end }),
            (0..4_usize, 1..9_usize).prop_map(|(style, every)| Way::Entities { style, every }),
            (1..9_usize, any::<bool>()).prop_map(|(every, small)| Way::Percent { every, small }),
            Just(Way::Json),
        ]
    }

    proptest! {
        #[test]
        fn no_part_of_a_token_is_left_however_it_was_wrapped_and_encoded(
            purpose in prop::sample::select(vec![
                LinkPurpose::Sign, LinkPurpose::SignDelivered, LinkPurpose::SignersDocument, LinkPurpose::SignersCertificate,
            ]),
            (subject, version) in (1..i64::MAX, any::<u32>()),
            ends in any::<bool>(),
            (before, after) in (".{0,12}", ".{0,12}"),
            ways in prop::collection::vec(way(), 0..4),
        ) {
            let expires = jiff::Timestamp::from_second(1_800_000_000).ok().filter(|_| ends);
            let token = LinkToken { purpose, subject, version, expires }.encode(&vault());
            let mut text = format!("{before} https://sign.example.com/mail/sign?token={token}&lang=ko {after}");
            for way in &ways {
                text = way.encode(&text);
            }
            let shown = hide(&text);
            prop_assert!(shown.contains("[link]"), "{}", text);
            // Undone as far as it goes, nothing of it is there.
            let mut undone = shown.clone();
            for _ in 0..=ways.len() {
                prop_assert!(!has_a_run_of(&undone, &token), "{}\n{}", text, shown);
                undone = read(&undone);
            }
        }

        #[test]
        fn a_text_without_a_link_is_shown_as_it_is(text in "(?s).{0,100}", ways in prop::collection::vec(way(), 0..3)) {
            let mut text = text;
            for way in &ways {
                text = way.encode(&text);
            }
            prop_assert_eq!(hide(&text), text);
        }
    }
}
