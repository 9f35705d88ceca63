//! Access tokens: what a program calls the API with after it has logged in.
//!
//! A token is 256 random bits and means nothing by itself; only its SHA-256 is kept. It is looked up at every call, with
//! no cache between, so that a revoked token, a disabled member and a company whose API is off count at once.

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

/// A secret that opens a door: an access token or a session's.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(String);

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken(…)")
    }
}

impl AccessToken {
    /// The characters of a token: 32 bytes in base64.
    const LENGTH: usize = 43;

    pub(crate) fn generate(random: &dyn Random) -> AccessToken {
        let mut bytes = [0; 32];
        random.fill(&mut bytes);
        AccessToken(BASE64_URL_SAFE_NO_PAD.encode(bytes))
    }

    /// The text that the client keeps. Returned once, never logged.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The hash that we store for a token. `None` for a text that cannot be one.
    pub(in crate::companies) fn hash_of(text: &str) -> Option<[u8; 32]> {
        (text.len() == AccessToken::LENGTH).then(|| Sha256::digest(text.as_bytes()).into())
    }

    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }
}

impl App {
    /// The member with this access token.
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
