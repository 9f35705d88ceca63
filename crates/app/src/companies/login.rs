//! Logs in with credentials and returns an access token.
//!
//! Guessing reveals nothing: an unknown company, an unknown or disabled member and a wrong password are refused with
//! the same code after the same work. Only someone with the right password learns that the company's API is off.
//!
//! The throttle counts only wrong credentials, by account and by address. It is checked before the work, so that a
//! refused flood costs no hashing, and again after the work, in the transaction that counts. Of any number of
//! simultaneous guesses, no more are judged than the limit allows (several processes on one database may each judge one
//! more), and none of the others learns whether it was right. Nobody is locked out permanently, because attempts older
//! than the window no longer count.
//!
//! An address from which the account has logged in during the last 30 days has its own allowance. So wrong passwords
//! from strangers block only strangers, never the company's own program or a member at their usual address. Addresses
//! are stored as keyed hashes, and deleted if they have not been used for that long.
//!
//! A token is issued only if the checked credentials are still valid. If the password changes while the old one is
//! being verified, the login fails.

use std::fmt;
use std::net::IpAddr;
use std::sync::PoisonError;

use domain::{ClientNetwork, CompanyId, Zone};
use jiff::{SignedDuration, Timestamp, ToSpan};
use sha2::{Digest, Sha256};
use store::Transaction;
use store::company::Company;
use store::member::Member;

use crate::App;
use crate::base::error::{Error, whole_seconds};
use crate::base::vault::Purpose;
use crate::companies::access_token::AccessToken;

/// The throttle of wrong credentials. Right ones never count, and nobody is locked out permanently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoginSettings {
    /// Wrong credentials for one account: from each address it logged in from during the last 30 days, and from all other
    /// addresses together.
    pub per_account: u32,
    /// Wrong credentials from one address.
    pub per_address: u32,
    /// The window in seconds.
    pub window_seconds: i64,
    /// Number of passwords that are hashed at the same time. Each uses 19 MiB, which the process keeps.
    pub concurrent_hashes: u32,
}

impl Default for LoginSettings {
    fn default() -> LoginSettings {
        LoginSettings {
            per_account: 10,
            per_address: 100,
            window_seconds: 600,
            concurrent_hashes: 2,
        }
    }
}

/// Credentials, and the address that sent them.
#[derive(Clone)]
pub struct LoginAttempt {
    /// The company's ID, in any case.
    pub company: String,
    /// The member's address, in any case.
    pub email: String,
    pub password: String,
    /// The network address that sent the credentials.
    pub address: IpAddr,
}

impl fmt::Debug for LoginAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginAttempt")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

/// Days for which an address stays known after a login. A login renews a record only after `RENEWED_AFTER_HOURS`, so
/// that a program that logs in for every call does not write its address every time.
const KNOWN_DAYS: i64 = 30;
const RENEWED_AFTER_HOURS: i64 = 1;
/// Maximum number of addresses stored per member. The latest are kept.
const MOST_KNOWN: u32 = 50;

/// Verified credentials, and the address that sent them.
pub(in crate::companies) struct Proved {
    pub(crate) company: Company,
    pub(crate) member: Member,
    address: [u8; 32],
    is_recorded: bool,
}

impl Proved {
    /// Stores the address, in the transaction that issues the token or the session.
    pub(in crate::companies) fn remember_address(
        &self,
        tx: &mut dyn Transaction,
        at: Timestamp,
    ) -> Result<(), store::Error> {
        if self.is_recorded {
            return Ok(());
        }
        store::known_address::remember(tx, &self.company.id, self.member.id, &self.address, at, MOST_KNOWN)
    }
}

#[derive(Debug, Clone)]
pub struct LoggedIn {
    /// The token, returned once.
    pub access_token: AccessToken,
    pub company: CompanyId,
    /// The member's e-mail address, as stored in their account.
    pub email: String,
    /// Time when the token expires.
    pub expires_at: Timestamp,
    /// The company's time zone, which `expire_date` uses.
    pub zone: Zone,
}

impl LoggedIn {
    /// `expire_date`: `YYYY-MM-DD HH:MM:SS` in the company's time zone.
    pub fn expire_date(&self) -> String {
        domain::time::format_local(self.expires_at, self.zone)
    }
}

/// Reason why a login fails.
#[derive(Debug, thiserror::Error)]
pub enum LoginRefusal {
    /// Unknown company, unknown member or wrong password (code 10). The response does not say which.
    #[error("the login information is incorrect")]
    WrongCredentials,
    /// The password is right, but the company may not use the API (code 95).
    #[error("the company is not allowed to call the API")]
    ApiOff,
    /// Too many wrong credentials (429).
    #[error("too many attempts; try again in {retry_after} s")]
    Throttled {
        /// Seconds to wait before a retry.
        retry_after: u64,
    },
    /// An internal error (code 99).
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
        let proved = self.check_credentials(attempt)?;
        let (company, member) = (proved.company.clone(), proved.member.id);
        let email = proved.member.email.clone();
        if !company.api_enabled {
            return Err(LoginRefusal::ApiOff);
        }
        let access_token = AccessToken::generate(self.random.as_ref());
        let now = self.now();
        let expires_at = now
            .checked_add(company.token_lifetime_seconds.seconds())
            .map_err(|error| Error::internal("computing when a token expires", error))?;
        let hash = access_token.hash();
        self.store.write(move |tx| {
            store::access_token::insert(tx, &proved.company.id, &proved.member, &hash, now, expires_at)?
                // If the password changed while it was being verified, it is now wrong.
                .ok_or(LoginRefusal::WrongCredentials)?;
            proved.remember_address(tx, now).map_err(LoginRefusal::from)
        })?;
        tracing::info!(company = %company.id, %member, "logged in");
        Ok(LoggedIn {
            access_token,
            company: company.id,
            email,
            expires_at,
            zone: company.zone,
        })
    }

    /// Returns the member with these credentials. Every refusal except that of the throttle takes as long as hashing a
    /// password.
    pub(in crate::companies) fn check_credentials(&self, attempt: &LoginAttempt) -> Result<Proved, LoginRefusal> {
        let named = named_account(attempt);
        let account = account_key(&attempt.company, &attempt.email);
        let network = ClientNetwork::of(attempt.address).to_string();
        let address = self.vault.tag(
            Purpose::KnownAddress,
            &[account.as_slice(), network.as_bytes()].concat(),
        );
        let now = self.now();
        let (limits, known_since) = (self.settings.login, known_since(now)?);
        let (asked, from) = (named.clone(), network.clone());
        let (allowance, seen_at) = self.store.read(move |tx| {
            let seen_at = match &asked {
                Some((company, _)) => store::known_address::last_seen(tx, company, &address)?,
                None => None,
            };
            let seen_at = seen_at.filter(|seen_at| *seen_at > known_since);
            let allowance = if seen_at.is_some() { address } else { account };
            refuse_throttled(tx, limits, &allowance, &from, now)?;
            Ok::<_, LoginRefusal>((allowance, seen_at))
        })?;
        let mut turn = self.passwords.turn()?;
        let known = match named {
            Some((company, email)) => self.find_account(company, email)?,
            None => None,
        };
        let kept = known.as_ref().map(|(_, member)| member.password_hash.as_str());
        let right = turn.verify(&attempt.password, kept)?;
        drop(turn);
        if let Some((company, member)) = known.filter(|(_, member)| right && member.disabled_at.is_none()) {
            self.store
                .read(move |tx| refuse_throttled(tx, limits, &allowance, &network, now))?;
            let renewed = SignedDuration::from_hours(RENEWED_AFTER_HOURS);
            return Ok(Proved {
                company,
                member,
                address,
                is_recorded: seen_at.is_some_and(|seen_at| now.duration_since(seen_at) < renewed),
            });
        }
        // Run one at a time, because two transactions that count on one snapshot could both stay below the limit.
        let counting = self.counting_failures.lock().unwrap_or_else(PoisonError::into_inner);
        self.store.write(move |tx| {
            refuse_throttled(tx, limits, &allowance, &network, now)?;
            store::access_token::insert_failure(tx, &allowance, &network, now).map_err(LoginRefusal::from)
        })?;
        drop(counting);
        tracing::info!(address = %attempt.address, "wrong credentials");
        Err(LoginRefusal::WrongCredentials)
    }

    /// Returns the company with this name, if there is one. Sign-ins to one company share a queue
    /// ([`domain::Requester::SignIn`]).
    pub fn company_named(&self, name: &str) -> Result<Option<CompanyId>, Error> {
        let Ok(company) = CompanyId::parse(name) else {
            return Ok(None);
        };
        self.store.read_one(move |tx| {
            let found = store::company::find(tx, &company)?;
            Ok::<_, Error>(found.map(|company| company.id))
        })
    }

    fn find_account(&self, company: CompanyId, email: String) -> Result<Option<(Company, Member)>, LoginRefusal> {
        self.store.read(move |tx| {
            let Some(company) = store::company::find(tx, &company)? else {
                return Ok(None);
            };
            let member = store::member::find_by_email(tx, &company.id, &email)?;
            Ok(member.map(|member| (company, member)))
        })
    }
}

/// Returns the company and the e-mail address of an attempt. `None` if no account can have them, for example because
/// the database cannot search for U+0000.
fn named_account(attempt: &LoginAttempt) -> Option<(CompanyId, String)> {
    let company = CompanyId::parse(&attempt.company).ok()?;
    (!attempt.email.contains('\0')).then(|| (company, attempt.email.clone()))
}

/// Addresses last seen after this time are known.
pub(crate) fn known_since(now: Timestamp) -> Result<Timestamp, Error> {
    now.checked_sub((KNOWN_DAYS * 24 + RENEWED_AFTER_HOURS).hours())
        .map_err(|error| Error::internal("computing since when addresses are known", error))
}

fn refuse_throttled(
    tx: &mut dyn Transaction,
    limits: LoginSettings,
    allowance: &[u8; 32],
    network: &str,
    now: Timestamp,
) -> Result<(), LoginRefusal> {
    let window = limits.window_seconds;
    let since = now
        .checked_sub(window.seconds())
        .map_err(|error| Error::internal("computing the window of the login limit", error))?;
    let by_account = store::access_token::failures_of_account(tx, allowance, since, limits.per_account)?;
    let by_address = store::access_token::failures_of_address(tx, network, since, limits.per_address)?;
    // The next attempt is allowed when the oldest counted failure leaves the window.
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

/// The key by which the throttle counts an account, whether or not it exists.
fn account_key(company: &str, email: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(company.to_ascii_lowercase().as_bytes());
    hash.update([0]);
    hash.update(store::member::email_key(email).as_bytes());
    hash.finalize().into()
}
