//! External inputs to the rules: time and randomness, both passed as parameters.

use std::time::Duration;

use jiff::Timestamp;

/// A source of time. Only the program and its tests choose an implementation.
pub trait Clock: Send + Sync {
    /// Returns the current time, truncated to microseconds because the database stores no more.
    fn now(&self) -> Timestamp;

    /// Returns a monotonic time for measuring waits. It never goes backwards, even if the system clock is changed.
    fn elapsed(&self) -> Duration;
}

/// A source of unpredictable bytes.
pub trait Random: Send + Sync {
    fn fill(&self, buffer: &mut [u8]);
}
