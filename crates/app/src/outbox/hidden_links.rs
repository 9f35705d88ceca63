//! Finds signing links in the addresses of a message.
//!
//! A member who saw a signer's link could sign as that signer. So members read another version of a message with such a
//! link, created without it ([`crate::outbox::mail::OutgoingMail::for_members`]). Server responses may quote the link,
//! so only an excerpt of them is stored ([`domain::excerpt`]).

use crate::links::addresses::Addresses;
use crate::links::link_token::{LinkToken, TOKEN_LENGTH};

impl Addresses {
    /// Returns the token in an address, if it is a signing token.
    pub(crate) fn signing_token_in(&self, url: &str) -> Option<LinkToken> {
        self.first_token(url, LinkToken::signs)
    }

    /// Whether the address is a signer's own link, which signs or asks for the signer's code.
    pub(in crate::outbox) fn has_signers_link(&self, url: &str) -> bool {
        self.first_token(url, LinkToken::is_signers_own).is_some()
    }

    fn first_token(&self, url: &str, counts: fn(&LinkToken) -> bool) -> Option<LinkToken> {
        url.as_bytes().windows(TOKEN_LENGTH).find_map(|window| {
            let token = std::str::from_utf8(window).ok().and_then(|token| self.read(token));
            token.filter(counts)
        })
    }
}
