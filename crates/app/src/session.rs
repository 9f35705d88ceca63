//! Members signed in on the pages.
//!
//! The browser holds a random secret as a cookie; only its SHA-256 is kept. Forms carry a token made from it, which another
//! site can neither read nor guess. Credentials are held to the same throttle as the API's login.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::{Timestamp, ToSpan};
use subtle::ConstantTimeEq;

use crate::App;
use crate::access_token::AccessToken;
use crate::caller::{Caller, Channel};
use crate::error::{Error, ForbiddenCode};
use crate::login::{LoginAttempt, LoginRefusal};
use crate::vault::Purpose;

/// A member who has just signed in.
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// The cookie's value: given out once.
    pub cookie: AccessToken,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// A signed-in member.
#[derive(Clone)]
pub struct MemberSession {
    /// Who.
    pub caller: Caller,
    /// The name of his company.
    pub company_name: String,
    /// When it ends.
    pub expires_at: Timestamp,
    /// What every form of the session carries.
    pub form_token: String,
}

impl fmt::Debug for MemberSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemberSession")
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}

impl MemberSession {
    /// Refuses a form that does not come from a page of this session.
    pub fn check_form(&self, token: &str) -> Result<(), Error> {
        if bool::from(self.form_token.as_bytes().ct_eq(token.as_bytes())) {
            Ok(())
        } else {
            Err(Error::Forbidden(ForbiddenCode::CrossSite))
        }
    }
}

impl App {
    /// Signs a member in.
    pub fn sign_in(&self, attempt: &LoginAttempt) -> Result<SignedIn, LoginRefusal> {
        let proved = self.check_credentials(attempt)?;
        let cookie = AccessToken::generate(self.random.as_ref());
        let now = self.now();
        let expires_at = now
            .checked_add(self.settings.session_seconds.seconds())
            .map_err(|error| Error::internal("counting a session's lifetime", error))?;
        let hash = cookie.hash();
        self.store.write(move |tx| {
            let (company, member) = (&proved.company.id, &proved.member);
            if !store::member::insert_session(tx, company, member, &hash, now, expires_at)? {
                return Err(LoginRefusal::WrongCredentials);
            }
            proved.remember_address(tx, now).map_err(LoginRefusal::from)
        })?;
        Ok(SignedIn { cookie, expires_at })
    }

    /// Whose cookie this is; `Unauthenticated` where it is nobody's (any more).
    pub fn session(&self, cookie: &str) -> Result<MemberSession, Error> {
        let hash = AccessToken::hash_of(cookie).ok_or(Error::Unauthenticated)?;
        let now = self.now();
        let row = self
            .store
            .read(move |tx| store::member::find_session(tx, &hash, now).map_err(Error::from))?
            .ok_or(Error::Unauthenticated)?;
        let form_token = BASE64_URL_SAFE_NO_PAD.encode(self.vault.tag(Purpose::SessionForm, &hash));
        Ok(MemberSession {
            caller: Caller {
                company: row.company,
                member: row.member,
                name: row.name,
                email: row.email,
                role: row.role,
                language: row.language,
                offset: row.offset,
                channel: Channel::Pages,
            },
            company_name: row.company_name,
            expires_at: row.expires_at,
            form_token,
        })
    }

    /// Signs a member out; a cookie that is nobody's is none already.
    pub fn sign_out(&self, cookie: &str) -> Result<(), Error> {
        let Some(hash) = AccessToken::hash_of(cookie) else {
            return Ok(());
        };
        self.store
            .write(move |tx| store::member::delete_session(tx, &hash).map_err(Error::from))?;
        Ok(())
    }
}
