//! What the outside world gives to the rules: time and chance, both as parameters.

use jiff::Timestamp;

/// Tells the time. Only the program and its tests choose one.
pub trait Clock: Send + Sync {
    /// The present moment, cut to microseconds: what the database can hold.
    fn now(&self) -> Timestamp;
}

/// Gives unpredictable bytes.
pub trait Random: Send + Sync {
    /// Fills the whole buffer.
    fn fill(&self, buffer: &mut [u8]);
}
