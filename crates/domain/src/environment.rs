//! What the rules need from outside: time and randomness, both passed as parameters.

use std::time::Duration;

use jiff::Timestamp;

/// Only the program and its tests choose an implementation.
pub trait Clock: Send + Sync {
    /// The present moment, cut to microseconds because the database stores no more.
    fn now(&self) -> Timestamp;

    /// The time since some fixed moment, for waiting. It never goes back, even if somebody sets the machine's clock.
    fn elapsed(&self) -> Duration;
}

/// Unpredictable bytes.
pub trait Random: Send + Sync {
    fn fill(&self, buffer: &mut [u8]);
}
