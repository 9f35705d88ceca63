//! Links that sign, found in the addresses that a message contains.
//!
//! A member who saw a signer's link could sign as that signer. Members therefore read another version of a message that has
//! one, written without it ([`crate::outbox::mail::OutgoingMail::for_members`]); and of what servers answer, which may quote it, only
//! an excerpt is kept ([`domain::excerpt`]).

use crate::links::addresses::Addresses;
use crate::links::link_token::{LinkToken, TOKEN_LENGTH};

impl Addresses {
    /// The token in an address, if it signs.
    pub(crate) fn signing_token_in(&self, url: &str) -> Option<LinkToken> {
        self.first_token(url, LinkToken::signs)
    }

    /// Whether an address is a signer's own: one that signs, or that asks for the signer's code.
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
