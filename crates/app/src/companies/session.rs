//! Members signed in on the pages.
//!
//! The browser stores a random secret as a cookie, and we store only its SHA-256. Forms contain a token derived from
//! it, which another site can neither read nor guess. Credentials are throttled as for the API's login.
//!
//! A session ends 30 days after it began, or 12 hours after its last request. Signing in always issues a new cookie and
//! ends the browser's previous session, so a cookie that was planted earlier never becomes a signed-in one.
//!
//! The sign-in form comes before a session. Its cookie and token are issued here as a pair, with a key and for two
//! hours, so values that an attacker makes up are refused. An attacker can still request a valid pair. Two things
//! prevent its use in another browser: the cookie's `__Host-` prefix, and `Sec-Fetch-Site`, which says which site sent
//! a form.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp, ToSpan};
use subtle::ConstantTimeEq;

use crate::App;
use crate::base::actor::Actor;
use crate::base::caller::{Caller, Channel};
use crate::base::error::{Error, ForbiddenCode};
use crate::base::vault::Purpose;
use crate::companies::access_token::AccessToken;
use crate::companies::login::{LoginAttempt, LoginRefusal};

/// The last use of a session is recorded at most once per minute.
const NOTED_AFTER: SignedDuration = SignedDuration::from_mins(1);
/// Time for which a sign-in form is valid, and maximum age of its cookie for reuse in another form.
const FORM_LIFE: SignedDuration = SignedDuration::from_hours(2);
const FORM_TAKEN_OVER: SignedDuration = SignedDuration::from_hours(1);

/// The cookie and the token that belong to one sign-in form.
#[derive(Clone)]
pub struct SignInForm {
    /// The value stored by the browser.
    pub cookie: String,
    /// The value sent by the form.
    pub token: String,
}

impl fmt::Debug for SignInForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignInForm(…)")
    }
}

/// A member who has just signed in.
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// The cookie's value, returned once.
    pub cookie: AccessToken,
    pub expires_at: Timestamp,
}

/// A signed-in member.
#[derive(Clone)]
pub struct MemberSession {
    pub actor: Actor,
    pub email: String,
    pub company_name: String,
    pub expires_at: Timestamp,
    /// The token in every form of the session.
    pub form_token: String,
}

impl fmt::Debug for MemberSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemberSession")
            .field("actor", &self.actor)
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
    /// Issues a sign-in form. Reuses the browser's cookie if it is still valid, otherwise creates a new one.
    pub fn sign_in_form(&self, kept: Option<&str>) -> SignInForm {
        let now = self.now();
        let cookie = kept
            .filter(|kept| self.age_of_form(kept, now).is_some_and(|age| age < FORM_TAKEN_OVER))
            .map_or_else(|| self.new_form(now), str::to_owned);
        let token = self.form_token(&cookie);
        SignInForm { cookie, token }
    }

    /// Refuses a sign-in form that was not issued together with this cookie, or was issued too long ago.
    pub fn check_sign_in_form(&self, cookie: Option<&str>, token: &str) -> Result<(), Error> {
        let is_ours = cookie.is_some_and(|cookie| {
            self.age_of_form(cookie, self.now()).is_some_and(|age| age < FORM_LIFE)
                && bool::from(self.form_token(cookie).as_bytes().ct_eq(token.as_bytes()))
        });
        if is_ours {
            Ok(())
        } else {
            Err(Error::Forbidden(ForbiddenCode::CrossSite))
        }
    }

    fn new_form(&self, now: Timestamp) -> String {
        let mut chance = [0; 16];
        self.random.fill(&mut chance);
        let made = format!("{}.{}", now.as_second(), BASE64_URL_SAFE_NO_PAD.encode(chance));
        let tag =
            BASE64_URL_SAFE_NO_PAD.encode(self.vault.tag(Purpose::SignInForm, format!("cookie {made}").as_bytes()));
        format!("{made}.{tag}")
    }

    fn form_token(&self, cookie: &str) -> String {
        let tag = self
            .vault
            .tag(Purpose::SignInForm, format!("token {cookie}").as_bytes());
        BASE64_URL_SAFE_NO_PAD.encode(tag)
    }

    /// Returns the age of a form's cookie. `None` if we did not issue it.
    fn age_of_form(&self, cookie: &str, now: Timestamp) -> Option<SignedDuration> {
        let (made, tag) = cookie.rsplit_once('.')?;
        let tag = BASE64_URL_SAFE_NO_PAD.decode(tag).ok()?;
        let message = format!("cookie {made}");
        let is_ours = self.vault.tag_matches(Purpose::SignInForm, message.as_bytes(), &tag);
        let second = made.split_once('.')?.0.parse().ok().filter(|_| is_ours)?;
        Some(now.duration_since(Timestamp::from_second(second).ok()?))
    }

    /// Signs a member in, and ends the session whose cookie the browser had before.
    pub fn sign_in(&self, attempt: &LoginAttempt, before: Option<&str>) -> Result<SignedIn, LoginRefusal> {
        let proved = self.check_credentials(attempt)?;
        let before = before.and_then(AccessToken::hash_of);
        let cookie = AccessToken::generate(self.random.as_ref());
        let now = self.now();
        let expires_at = now
            .checked_add(self.settings.session_seconds.seconds())
            .map_err(|error| Error::internal("computing when a session expires", error))?;
        let hash = cookie.hash();
        self.store.write(move |tx| {
            let (company, member) = (&proved.company.id, &proved.member);
            if !store::member::insert_session(tx, company, member, &hash, now, expires_at)? {
                return Err(LoginRefusal::WrongCredentials);
            }
            if let Some(before) = &before {
                store::member::delete_session(tx, before)?;
            }
            proved.remember_address(tx, now).map_err(LoginRefusal::from)
        })?;
        Ok(SignedIn { cookie, expires_at })
    }

    /// Returns the member with this cookie. Fails with `Unauthenticated` if the cookie is invalid or expired.
    pub fn session(&self, cookie: &str) -> Result<MemberSession, Error> {
        let hash = AccessToken::hash_of(cookie).ok_or(Error::Unauthenticated)?;
        let now = self.now();
        let idle_since = self.sessions_idle_since(now)?;
        let row = self
            .store
            .read_one(move |tx| store::member::find_session(tx, &hash, now, idle_since).map_err(Error::from))?
            .ok_or(Error::Unauthenticated)?;
        if now.duration_since(row.seen_at) >= NOTED_AFTER {
            self.store
                .write_relaxed(move |tx| store::member::use_session(tx, &hash, now).map_err(Error::from))?;
        }
        let form_token = BASE64_URL_SAFE_NO_PAD.encode(self.vault.tag(Purpose::SessionForm, &hash));
        Ok(MemberSession {
            email: row.email.clone(),
            actor: Actor::from(Caller {
                company: row.company,
                member: row.member,
                name: row.name,
                email: row.email,
                role: row.role,
                language: row.language,
                zone: row.zone,
                channel: Channel::Pages,
            }),
            company_name: row.company_name,
            expires_at: row.expires_at,
            form_token,
        })
    }

    /// Sessions last used at or before this time have been idle for too long.
    pub(crate) fn sessions_idle_since(&self, now: Timestamp) -> Result<Timestamp, Error> {
        now.checked_sub(self.settings.session_idle_seconds.seconds())
            .map_err(|error| Error::internal("computing since when sessions are idle", error))
    }

    /// Signs a member out. Unknown cookies are ignored.
    pub fn sign_out(&self, cookie: &str) -> Result<(), Error> {
        let Some(hash) = AccessToken::hash_of(cookie) else {
            return Ok(());
        };
        self.store
            .write(move |tx| store::member::delete_session(tx, &hash).map_err(Error::from))?;
        Ok(())
    }
}
