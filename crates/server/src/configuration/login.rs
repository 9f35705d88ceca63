//! `[login]`: sign-in, and the throttle of wrong credentials.

use app::LoginSettings;
use serde::{Deserialize, Serialize};

use super::processors;

/// `[login]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Login {
    /// Wrong credentials for one account within the window.
    pub per_account: u32,
    /// Wrong credentials from one address within the window.
    pub per_address: u32,
    /// The window.
    pub window_seconds: i64,
    /// Passwords hashed at the same time; half as many as there are processors, at most two, if not given.
    pub concurrent_hashes: Option<u32>,
    /// How long a member stays signed in on the pages; at most 30 days.
    pub session_seconds: i64,
    /// How long a session may be idle; at most 12 hours.
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

/// How many passwords are hashed at the same time: guesses leave half the processors to other requests, and the memory that
/// they keep (19 MiB each) does not grow with the machine.
pub(super) fn hashes() -> u32 {
    (processors() / 2).clamp(1, 2)
}
