//! What the outside world gives to the rules: time and chance, both as parameters.

use std::time::Duration;

use jiff::Timestamp;

/// Tells the time. Only the program and its tests choose one.
pub trait Clock: Send + Sync {
    /// The present moment, cut to microseconds: what the database can hold.
    fn now(&self) -> Timestamp;

    /// The time since some fixed moment. It never goes back, even when somebody sets the machine's clock: for waiting.
    fn elapsed(&self) -> Duration;
}

/// Gives unpredictable bytes.
pub trait Random: Send + Sync {
    /// Fills the whole buffer.
    fn fill(&self, buffer: &mut [u8]);
}
