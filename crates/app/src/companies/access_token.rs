//! Access tokens, with which a program calls the API after it has logged in.
//!
//! A token is 256 random bits without meaning, and only its SHA-256 is stored. Every call looks it up without a cache,
//! so revoking a token, disabling a member and turning off a company's API take effect at once.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::Random;
use sha2::{Digest, Sha256};

use crate::App;
use crate::base::actor::Actor;
use crate::base::caller::{Caller, Channel};
use crate::base::error::{Error, ForbiddenCode};

pub use store::access_token::TokenRow;

/// A secret that grants access: an access token, or the token of a session.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(String);

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken(…)")
    }
}

impl AccessToken {
    /// Length of a token in characters: 32 bytes in base64.
    const LENGTH: usize = 43;

    pub(crate) fn generate(random: &dyn Random) -> AccessToken {
        let mut bytes = [0; 32];
        random.fill(&mut bytes);
        AccessToken(BASE64_URL_SAFE_NO_PAD.encode(bytes))
    }

    /// The token as the client stores it. Returned once, never logged.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The hash that we store for a token. `None` if the text cannot be a token.
    pub(in crate::companies) fn hash_of(text: &str) -> Option<[u8; 32]> {
        (text.len() == AccessToken::LENGTH).then(|| Sha256::digest(text.as_bytes()).into())
    }

    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }
}

impl App {
    /// Returns the member with this access token.
    pub fn authenticate(&self, token: &str) -> Result<Actor, Error> {
        let hash = AccessToken::hash_of(token).ok_or(Error::Unauthenticated)?;
        let now = self.now();
        let holder = self
            .store
            .read_one(move |tx| store::access_token::find(tx, &hash, now).map_err(Error::from))?
            .ok_or(Error::Unauthenticated)?;
        if !holder.api_enabled {
            return Err(Error::Forbidden(ForbiddenCode::ApiOff));
        }
        Ok(Actor::from(Caller {
            company: holder.company,
            member: holder.member,
            name: holder.name,
            email: holder.email,
            role: holder.role,
            language: holder.language,
            zone: holder.zone,
            channel: Channel::Api,
        }))
    }
}
