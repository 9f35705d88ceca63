//! `[login]`: sign-in, and the limits on failed logins.

use app::LoginSettings;
use serde::{Deserialize, Serialize};

use super::processors;

/// `[login]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Login {
    /// The maximum number of failed logins to one account within the window.
    pub per_account: u32,
    /// The maximum number of failed logins from one IP address within the window.
    pub per_address: u32,
    pub window_seconds: i64,
    /// The number of passwords hashed at the same time. Default: half the number of processors, at most two.
    pub concurrent_hashes: Option<u32>,
    /// How long a member stays signed in on the pages, at most 30 days.
    pub session_seconds: i64,
    /// How long a session may be idle, at most 12 hours.
    pub session_idle_seconds: i64,
}

impl Default for Login {
    fn default() -> Login {
        let LoginSettings {
            per_account,
            per_address,
            window_seconds,
            ..
        } = LoginSettings::default();
        let app::Settings {
            session_seconds,
            session_idle_seconds,
            ..
        } = app::Settings::default();
        Login {
            per_account,
            per_address,
            window_seconds,
            concurrent_hashes: None,
            session_seconds,
            session_idle_seconds,
        }
    }
}

/// Returns the number of passwords hashed at the same time. Guesses leave half the processors to other requests, and
/// their memory (19 MiB each) does not grow with the machine.
pub(super) fn hashes() -> u32 {
    (processors() / 2).clamp(1, 2)
}
