//! The part of another server's response that people may read.
//!
//! Webhook endpoints, mail servers and gateways quote the messages they received, and a message may contain a signing
//! link. They may quote it wrapped, in base64, in hexadecimal, or in any other way, so we do not search for links. We
//! show only text that cannot be part of a link, and replace everything else by an ellipsis:
//!
//! - common words in error responses (`excerpt_words.txt`);
//! - words in Hangul, kana or Chinese characters;
//! - numbers of up to five digits, as in `550 5.1.1`, but no more than [`MOST_DIGITS`] digits in all;
//! - punctuation between them.
//!
//! A short word may be a piece of a link by chance, so it is shown only next to a longer word, or if nothing is hidden.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Maximum length of a response that is read, in characters.
pub const LONGEST: usize = 1_000;
/// Maximum number of digits in an excerpt, which reveal at most 40 bits.
const MOST_DIGITS: usize = 12;
/// Maximum length of a number, in digits.
const LONGEST_NUMBER: usize = 5;
/// Minimum length at which a known word is very unlikely to occur by chance.
const LONG_WORD: usize = 4;

static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("excerpt_words.txt").lines().collect());

/// Returns the part of a text that may be shown.
pub fn excerpt_of(text: &str) -> String {
    let text = text.char_indices().nth(LONGEST).map_or(text, |(end, _)| &text[..end]);
    let mut runs = runs_of(text);
    hide_lonely_short_words(&mut runs);
    let mut shown = String::with_capacity(text.len());
    let mut hides = false;
    for run in runs {
        // The punctuation between two hidden runs would reveal the number of runs.
        if !hides || run.kind != RunKind::Hidden {
            shown.extend(
                run.marks_before
                    .chars()
                    .filter(|c| !c.is_control() || "\n\t".contains(*c)),
            );
        }
        match run.kind {
            RunKind::Hidden if hides => {}
            RunKind::Hidden => shown.push('…'),
            _ => shown.push_str(run.text),
        }
        hides = run.kind == RunKind::Hidden;
    }
    shown
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunKind {
    Hidden,
    Number,
    ShortWord,
    LongWord,
    /// The empty run at the end of the text.
    End,
}

/// A run of characters between punctuation marks.
struct Run<'t> {
    marks_before: &'t str,
    text: &'t str,
    kind: RunKind,
}

fn runs_of(text: &str) -> Vec<Run<'_>> {
    let mut runs = Vec::new();
    let mut digits_left = MOST_DIGITS;
    let mut rest = text;
    while !rest.is_empty() {
        let (marks_before, from) = rest.split_at(rest.find(|c| !is_mark(c)).unwrap_or(rest.len()));
        let (text, after) = from.split_at(from.find(is_mark).unwrap_or(from.len()));
        let kind = kind_of(text, digits_left);
        if kind == RunKind::Number {
            digits_left -= text.len();
        }
        runs.push(Run {
            marks_before,
            text,
            kind,
        });
        rest = after;
    }
    runs
}

fn kind_of(run: &str, digits_left: usize) -> RunKind {
    if run.is_empty() {
        RunKind::End
    } else if run.bytes().all(|byte| byte.is_ascii_digit()) && run.len() <= LONGEST_NUMBER.min(digits_left) {
        RunKind::Number
    } else if is_east_asian(run) || (is_known(run) && run.len() >= LONG_WORD) {
        RunKind::LongWord
    } else if is_known(run) {
        RunKind::ShortWord
    } else {
        RunKind::Hidden
    }
}

/// Whether the run is a known word, in usual upper or lower case.
fn is_known(run: &str) -> bool {
    let small = run.to_ascii_lowercase();
    let begins_capital = run.get(1..).is_some_and(|rest| small.get(1..) == Some(rest));
    (begins_capital || run == run.to_ascii_uppercase()) && KNOWN.contains(small.as_str())
}

fn is_east_asian(run: &str) -> bool {
    let is_letter = |c: char| matches!(c, '\u{ac00}'..='\u{d7a3}' | '\u{3005}' | '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}');
    // A server that reads ASCII as UTF-16 turns every two characters into one letter of this kind.
    let is_two_of_ascii = |c: char| {
        let [high, low] = u16::try_from(u32::from(c)).unwrap_or_default().to_be_bytes();
        high.is_ascii() && low.is_ascii()
    };
    run.chars().all(is_letter) && !run.chars().all(is_two_of_ascii)
}

fn is_mark(c: char) -> bool {
    c == ' ' || c.is_control() || c.is_ascii_punctuation() || "…、。「」！？：，．（）".contains(c)
}

fn hide_lonely_short_words(runs: &mut [Run<'_>]) {
    if runs.iter().all(|run| run.kind != RunKind::Hidden) {
        return;
    }
    for stretch in runs.split_mut(|run| run.kind == RunKind::Hidden) {
        if stretch.iter().all(|run| run.kind != RunKind::LongWord) {
            for run in stretch.iter_mut().filter(|run| run.kind == RunKind::ShortWord) {
                run.kind = RunKind::Hidden;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE, BASE64_URL_SAFE_NO_PAD};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_servers_say_of_errors_is_shown() {
        for text in [
            "",
            "OK",
            "ok\n",
            "{}",
            "550 5.1.1 no such user here",
            "550-5.7.1 Our system has detected that this message is unsolicited mail.",
            "permanent error (550): 5.1.1 The email account that you tried to reach does not exist.",
            "{\"error\":\"invalid_signature\",\"message\":\"Don't retry.\"}",
            "<html><head><title>502 Bad Gateway</title></head><body><center>nginx</center></body></html>",
            "HTTP Error 503. The service is unavailable.",
            "connection error: Connection refused (os error 111)",
            "3015 템플릿을 찾을 수 없음",
            "送信に失敗しました。もう一度お試しください。",
            "21211 The 'To' number is not a valid phone number.",
        ] {
            assert_eq!(excerpt_of(text), text);
        }
    }

    #[test]
    fn whatever_is_no_word_gives_way_to_an_ellipsis() {
        for (text, shown) in [
            (
                "550 5.7.1 https://sign.example.com/mail/sign?token=UwAB&lang=ko is on a block list",
                "550 5.7.1 https://sign.…/mail/sign?token=…&lang=ko is on a block list",
            ),
            ("refused: SGVsbG8gd29ybGQ=", "refused: …="),
            ("refused: 55 77 41 41 41 41 41 41 41", "refused: 55 77 41 41 41 41 …"),
            ("code 012345 refused", "code … refused"),
            ("do re mi fa so", "…"),
            ("mAIL faILED Mail FAILED", "… Mail FAILED"),
            ("\u{1b}[31mred\0\u{9b}mail\n", "[…mail\n"),
            ("kim@zebra-7.internal is unknown", "…-7.internal is unknown"),
            ("ｍａｉｌ 📬 mail", "… mail"),
            ("…", "…"),
        ] {
            assert_eq!(excerpt_of(text), shown, "{text}");
            assert_eq!(excerpt_of(shown), shown, "it is its own excerpt");
        }
        assert!(excerpt_of(&"가 ".repeat(LONGEST)).chars().count() <= LONGEST);
    }

    #[test]
    fn the_list_of_words_is_in_order_and_has_no_numbers_spelt_out() {
        let words: Vec<&str> = include_str!("excerpt_words.txt").lines().collect();
        assert!(words.is_sorted() && words.len() == KNOWN.len());
        for digit in [
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
        ] {
            assert!(!KNOWN.contains(digit), "{digit}");
        }
        assert!(
            words
                .iter()
                .all(|word| word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
        );
    }

    /// Ways in which a server may encode the text it quotes.
    #[derive(Debug, Clone)]
    enum Way {
        /// Base64, with its alphabet, padding, and the text before it.
        Base64 {
            kind: usize,
            before: usize,
        },
        /// The bytes as hexadecimal, decimal, octal or binary numbers, with a separator.
        Numbers {
            kind: usize,
            between: &'static str,
        },
        Base32,
        /// ASCII read as UTF-16.
        Utf16 {
            big: bool,
        },
        Percent,
        Entities,
        Json,
        Backwards,
        OtherCase,
        Rot13,
        /// Text with a separator inserted at regular intervals.
        Broken {
            every: usize,
            by: &'static str,
        },
    }

    impl Way {
        fn apply(&self, text: &str) -> String {
            let each =
                |write: fn(u8) -> String, between: &str| text.bytes().map(write).collect::<Vec<_>>().join(between);
            match self {
                Way::Base64 { kind, before } => {
                    let whole = format!("{}{text}", &"<u>"[..*before]);
                    [
                        BASE64_STANDARD,
                        BASE64_URL_SAFE,
                        BASE64_STANDARD_NO_PAD,
                        BASE64_URL_SAFE_NO_PAD,
                    ][*kind]
                        .encode(whole)
                }
                Way::Numbers { kind, between } => each(
                    [
                        |byte| format!("{byte:02x}"),
                        |byte| format!("{byte:02X}"),
                        |byte: u8| byte.to_string(),
                        |byte| format!("{byte:03o}"),
                        |byte| format!("{byte:08b}"),
                    ][*kind],
                    between,
                ),
                Way::Base32 => {
                    let bits: String = each(|byte| format!("{byte:08b}"), "");
                    let digit = |five: &[u8]| {
                        let number = five.iter().fold(0, |sum, bit| sum * 2 + usize::from(bit - b'0'));
                        char::from(b"abcdefghijklmnopqrstuvwxyz234567"[number])
                    };
                    bits.as_bytes().chunks(5).map(digit).collect()
                }
                // A text is not read as UTF-16 twice.
                Way::Utf16 { .. } if !text.is_ascii() => text.to_owned(),
                Way::Utf16 { big } => {
                    let units = text.as_bytes().chunks(2).map(|pair| {
                        let pair = [pair[0], *pair.get(1).unwrap_or(&b' ')];
                        if *big {
                            u16::from_be_bytes(pair)
                        } else {
                            u16::from_le_bytes(pair)
                        }
                    });
                    String::from_utf16_lossy(&units.collect::<Vec<_>>())
                }
                Way::Percent => each(|byte| format!("%{byte:02X}"), ""),
                Way::Entities => each(|byte| format!("&#{byte};"), ""),
                Way::Json => each(|byte| format!("\\u{byte:04x}"), ""),
                Way::Backwards => text.chars().rev().collect(),
                Way::OtherCase => text.to_ascii_lowercase(),
                Way::Rot13 => text
                    .chars()
                    .map(|c| match c {
                        'a'..='m' | 'A'..='M' => char::from(c as u8 + 13),
                        'n'..='z' | 'N'..='Z' => char::from(c as u8 - 13),
                        c => c,
                    })
                    .collect(),
                Way::Broken { every, by } => {
                    let characters: Vec<char> = text.chars().collect();
                    let pieces: Vec<String> = characters.chunks(*every).map(|piece| piece.iter().collect()).collect();
                    pieces.join(by)
                }
            }
        }
    }

    fn way() -> impl Strategy<Value = Way> {
        let between = || {
            prop::sample::select(vec![
                "", " ", ".", "-", "/", ":", "_", ",", "\n", "=\r\n", "\r\n> ", "\u{200b}", "\u{ad}", "\" \"", "x",
            ])
        };
        prop_oneof![
            (0..4_usize, 0..3_usize).prop_map(|(kind, before)| Way::Base64 { kind, before }),
            (0..5_usize, between()).prop_map(|(kind, between)| Way::Numbers { kind, between }),
            Just(Way::Base32),
            any::<bool>().prop_map(|big| Way::Utf16 { big }),
            Just(Way::Percent),
            Just(Way::Entities),
            Just(Way::Json),
            Just(Way::Backwards),
            Just(Way::OtherCase),
            Just(Way::Rot13),
            (1..14_usize, between()).prop_map(|(every, by)| Way::Broken { every, by }),
        ]
    }

    proptest! {
        #[test]
        fn nobody_rebuilds_64_bits_of_a_token_from_an_excerpt_however_it_was_quoted(
            // A shrunk token would no longer be random.
            token in prop::string::string_regex("[A-Za-z0-9_-]{71}").unwrap().no_shrink(),
            is_link in any::<bool>(),
            ways in prop::collection::vec(way(), 0..4),
            (before, after) in ("(refused: |550 |<|)", "( is wrong|>|)"),
        ) {
            const ADDRESS: &str = "https://sign.example.com/mail/sign?token=";
            let mut text = if is_link { format!("{ADDRESS}{token}&lang=ko") } else { token };
            for way in &ways {
                text = way.apply(&text);
            }
            let shown = excerpt_of(&format!("{before}{text}{after}"));
            // Every digit reveals less than 3.33 bits, and every letter less than 6, unless it belongs to the text
            // around the token.
            let beside = format!("{ADDRESS}&lang=ko {before} {after}");
            let mut hundredths = 0;
            for word in shown.split(is_mark).filter(|word| !beside.contains(*word)) {
                hundredths += word.chars().map(|c| match c {
                    '0'..='9' => 333,
                    c if c.is_ascii() => 600,
                    _ => 1_600,
                }).sum::<u32>();
            }
            prop_assert!(hundredths < 6_400, "{}\n{}", text, shown);
        }
    }
}
