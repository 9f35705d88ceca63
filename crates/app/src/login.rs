//! Login: credentials in, an access token out.
//!
//! Whoever guesses learns nothing: an unknown company, an unknown or disabled member and a wrong password are refused with
//! one code after the same work. That the company's API is off is said only to someone who knows a password.
//!
//! The throttle counts wrong credentials alone, by account and by address. It is asked before the work, so that a flood that
//! it refuses costs no hash, and again when the work is done, in the transaction that counts: of however many guesses that
//! arrive at once, no more are judged than the limit says (several processes on one database may each judge one more), and
//! of the others not even a right one learns that it is right.
//! Nobody is locked out for good: what is older than the window counts no more.
//!
//! What a login gives lives only while the credentials that were proved are the member's: a password that is changed while
//! the old one is being verified leaves nothing behind.

use std::fmt;
use std::net::IpAddr;
use std::sync::PoisonError;

use domain::{CompanyId, UtcOffset};
use jiff::{SignedDuration, Timestamp, ToSpan};
use sha2::{Digest, Sha256};
use store::Transaction;
use store::company::Company;
use store::member::Member;

use crate::App;
use crate::access_token::AccessToken;
use crate::error::{Error, whole_seconds};
use crate::settings::LoginSettings;

/// Credentials, and where they came from.
#[derive(Clone)]
pub struct LoginAttempt {
    /// The company's id, in any case.
    pub company: String,
    /// The member's address, in any case.
    pub email: String,
    /// The password.
    pub password: String,
    /// The address that they came from.
    pub address: IpAddr,
}

impl fmt::Debug for LoginAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginAttempt")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

/// What a login gives.
#[derive(Debug, Clone)]
pub struct LoggedIn {
    /// The token: given out once.
    pub access_token: AccessToken,
    /// The company.
    pub company: CompanyId,
    /// The member's address, as his account has it.
    pub email: String,
    /// When the token ends.
    pub expires_at: Timestamp,
    /// The company's offset: `expire_date` is written in it.
    pub offset: UtcOffset,
}

impl LoggedIn {
    /// `expire_date`: `YYYY-MM-DD HH:MM:SS` in the company's offset.
    pub fn expire_date(&self) -> String {
        domain::time::format_local(self.expires_at, self.offset)
    }
}

/// Why a login gives nothing.
#[derive(Debug, thiserror::Error)]
pub enum LoginRefusal {
    /// Unknown company, unknown member or wrong password (code 10): which of them is not said.
    #[error("the login information is incorrect")]
    WrongCredentials,
    /// The password is right, but the company may not use the API (code 95).
    #[error("the company is not allowed to call the API")]
    ApiOff,
    /// Too many wrong credentials (429).
    #[error("too many attempts; try again in {retry_after} s")]
    Throttled {
        /// Seconds to wait.
        retry_after: u64,
    },
    /// Our own failure (code 99).
    #[error(transparent)]
    Failed(Error),
}

impl From<Error> for LoginRefusal {
    fn from(error: Error) -> LoginRefusal {
        match error {
            Error::Throttled { retry_after, .. } => LoginRefusal::Throttled { retry_after },
            other => LoginRefusal::Failed(other),
        }
    }
}

impl From<store::Error> for LoginRefusal {
    fn from(error: store::Error) -> LoginRefusal {
        LoginRefusal::Failed(error.into())
    }
}

impl App {
    /// Issues an access token.
    pub fn login(&self, attempt: &LoginAttempt) -> Result<LoggedIn, LoginRefusal> {
        let (company, member) = self.check_credentials(attempt)?;
        if !company.api_enabled {
            return Err(LoginRefusal::ApiOff);
        }
        let access_token = AccessToken::generate(self.random.as_ref());
        let now = self.now();
        let expires_at = now
            .checked_add(company.token_lifetime_seconds.seconds())
            .map_err(|error| Error::internal("counting a token's lifetime", error))?;
        let (hash, id, email) = (access_token.hash(), company.id.clone(), member.email.clone());
        let (member_id, proved) = (member.id, member);
        self.store.write(move |tx| {
            store::access_token::insert(tx, &id, &proved, &hash, now, expires_at)?
                // Changed while the password was being verified: it is a wrong one now.
                .ok_or(LoginRefusal::WrongCredentials)
        })?;
        tracing::info!(company = %company.id, member = %member_id, "logged in");
        Ok(LoggedIn {
            access_token,
            company: company.id,
            email,
            expires_at,
            offset: company.offset,
        })
    }

    /// Whose credentials these are. Every refusal but the throttle's takes the time of one password's hash.
    pub(crate) fn check_credentials(&self, attempt: &LoginAttempt) -> Result<(Company, Member), LoginRefusal> {
        let account = account_key(&attempt.company, &attempt.email);
        let address = address_key(attempt.address);
        let now = self.now();
        let limits = self.settings.login;
        let asked = address.clone();
        self.store
            .read(move |tx| refuse_throttled(tx, limits, &account, &asked, now))?;
        let mut turn = self.passwords.turn()?;
        let known = self.find_account(attempt)?;
        let kept = known.as_ref().map(|(_, member)| member.password_hash.as_str());
        let right = turn.verify(&attempt.password, kept)?;
        drop(turn);
        if let Some(found) = known.filter(|(_, member)| right && member.disabled_at.is_none()) {
            self.store
                .read(move |tx| refuse_throttled(tx, limits, &account, &address, now))?;
            return Ok(found);
        }
        // One after the other: of two that count on one snapshot each would find room for itself.
        let counting = self.counting_failures.lock().unwrap_or_else(PoisonError::into_inner);
        self.store.write(move |tx| {
            refuse_throttled(tx, limits, &account, &address, now)?;
            store::access_token::insert_failure(tx, &account, &address, now).map_err(LoginRefusal::from)
        })?;
        drop(counting);
        tracing::info!(address = %attempt.address, "wrong credentials");
        Err(LoginRefusal::WrongCredentials)
    }

    fn find_account(&self, attempt: &LoginAttempt) -> Result<Option<(Company, Member)>, LoginRefusal> {
        // Neither a company nor an address holds U+0000, and no database could look for it.
        let Ok(company) = CompanyId::parse(&attempt.company) else {
            return Ok(None);
        };
        if attempt.email.contains('\0') {
            return Ok(None);
        }
        let email = attempt.email.clone();
        self.store.read(move |tx| {
            let Some(company) = store::company::find(tx, &company)? else {
                return Ok(None);
            };
            let member = store::member::find_by_email(tx, &company.id, &email)?;
            Ok(member.map(|member| (company, member)))
        })
    }
}

fn refuse_throttled(
    tx: &mut dyn Transaction,
    limits: LoginSettings,
    account: &[u8; 32],
    address: &str,
    now: Timestamp,
) -> Result<(), LoginRefusal> {
    let window = limits.window_seconds;
    let since = now
        .checked_sub(window.seconds())
        .map_err(|error| Error::internal("counting the throttle's window", error))?;
    let by_account = store::access_token::failures_of_account(tx, account, since, limits.per_account)?;
    let by_address = store::access_token::failures_of_address(tx, address, since, limits.per_address)?;
    // Free again when the oldest of as many as are allowed leaves the window.
    let wait = |failures: &[Timestamp], limit: u32| {
        let full = failures.len() >= usize::try_from(limit).unwrap_or(usize::MAX);
        let oldest = failures.last().filter(|_| full)?;
        let left = SignedDuration::from_secs(window).saturating_sub(now.duration_since(*oldest));
        Some(whole_seconds(left))
    };
    let waits = [
        wait(&by_account, limits.per_account),
        wait(&by_address, limits.per_address),
    ];
    match waits.into_iter().flatten().max() {
        Some(retry_after) => Err(LoginRefusal::Throttled { retry_after }),
        None => Ok(()),
    }
}

/// An account, known or not, as the throttle counts it.
fn account_key(company: &str, email: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(company.to_ascii_lowercase().as_bytes());
    hash.update([0]);
    hash.update(store::member::email_key(email).as_bytes());
    hash.finalize().into()
}

/// An address as the throttle counts it: of IPv6 the network, since each household has 2^64 addresses.
fn address_key(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}
