//! Links that sign, found and taken out of texts that members see.
//!
//! A member who saw a signer's link could sign as that signer. A company may have mail templates of its own, and mail servers
//! quote addresses in their refusals, so what counts is the token, wherever it stands.

use std::ops::Range;

use crate::addresses::Addresses;
use crate::link_token::{LinkToken, TOKEN_LENGTH};

impl Addresses {
    /// The first token in the text that signs.
    pub(crate) fn signing_token_in(&self, text: &str) -> Option<LinkToken> {
        self.first_token(text, LinkToken::signs).map(|(_, token)| token)
    }

    /// Whether a signer's own link stands in the text: one that signs, or that asks for the signer's code.
    pub(crate) fn has_signers_link(&self, text: &str) -> bool {
        self.first_token(text, LinkToken::is_signers_own).is_some()
    }

    /// The text with `instead` in the place of each address that is a signer's own.
    pub fn without_signing_links(&self, text: &str, instead: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((place, _)) = self.first_token(rest, LinkToken::is_signers_own) {
            let (before, after) = (&rest[..place.start], &rest[place.end..]);
            let begin = before.rfind(ends_an_address).map_or(0, |at| {
                let length = before[at..].chars().next().map_or(0, char::len_utf8);
                at + length
            });
            shown.push_str(&before[..begin]);
            shown.push_str(instead);
            rest = after.find(ends_an_address).map_or("", |at| &after[at..]);
        }
        shown.push_str(rest);
        shown
    }

    fn first_token(&self, text: &str, counts: fn(&LinkToken) -> bool) -> Option<(Range<usize>, LinkToken)> {
        let mut start = 0;
        while let Some(window) = text.as_bytes().get(start..start + TOKEN_LENGTH) {
            if let Some(other) = window.iter().rposition(|byte| !is_of_token(*byte)) {
                start += other + 1;
                continue;
            }
            let place = start..start + TOKEN_LENGTH;
            // A window of these bytes is a text of its own.
            let token = text.get(place.clone()).and_then(|token| self.read(token));
            if let Some(token) = token.filter(counts) {
                return Some((place, token));
            }
            start += 1;
        }
        None
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

    #[test]
    fn every_link_that_signs_is_taken_out_wherever_it_stands_and_no_other() {
        let addresses = Addresses::new(vault(), "https://sign.example.com".to_owned());
        let hide = |text: &str| addresses.without_signing_links(text, "[link]");
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
        }
        for text in ["", "서명", &"U".repeat(500), &token(LinkPurpose::Sign)[1..]] {
            assert_eq!(hide(text), text);
        }
    }
}
