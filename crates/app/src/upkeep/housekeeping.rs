//! Removes rows that are no longer needed, in a job of the running server.

use domain::one_time_code::WRONG_COUNTS_FOR;
use jiff::ToSpan;

use crate::App;
use crate::base::error::Error;
use crate::companies::login::known_since;

/// Number of days for which an ended token is still listed.
const ENDED_TOKENS_DAYS: i64 = 30;
/// Number of days for which a replaced logo is stored. Longer than any mail is retried.
const REPLACED_LOGOS_DAYS: i64 = 30;

/// The numbers of removed items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cleaned {
    /// Access tokens that ended long ago.
    pub tokens: u64,
    /// Sessions that have ended.
    pub sessions: u64,
    /// Wrong credentials that no longer count.
    pub failures: u64,
    /// Contacts without wrong one-time codes that still count.
    pub guesses: u64,
    /// Addresses from which members have not logged in for a long time.
    pub addresses: u64,
    /// Logos that were replaced so long ago that no pending mail shows them.
    pub logos: u64,
}

impl App {
    /// Removes expired access data.
    pub fn clean_access(&self) -> Result<Cleaned, Error> {
        let now = self.now();
        let overflow = |error| Error::internal("computing which entries are too old", error);
        let ended = now.checked_sub((ENDED_TOKENS_DAYS * 24).hours()).map_err(overflow)?;
        let counted = now
            .checked_sub(self.settings.login.window_seconds.seconds())
            .map_err(overflow)?;
        let idle = self.sessions_idle_since(now)?;
        let known = known_since(now)?;
        let guessed = now.checked_sub(WRONG_COUNTS_FOR).map_err(overflow)?;
        let replaced = now.checked_sub((REPLACED_LOGOS_DAYS * 24).hours()).map_err(overflow)?;
        self.store.write(move |tx| {
            Ok(Cleaned {
                logos: store::company::delete_logos(tx, replaced)?,
                tokens: store::access_token::delete_expired(tx, ended)?,
                sessions: store::member::delete_expired_sessions(tx, now, idle)?,
                addresses: store::known_address::delete_unused(tx, known)?,
                guesses: store::wrong_code::delete_old(tx, guessed)?,
                failures: store::access_token::delete_failures(tx, counted)?,
            })
        })
    }
}
