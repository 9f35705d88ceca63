//! Deterministic time and randomness for tests, the same in every run.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use domain::{Clock, Random};
use jiff::Timestamp;
use sha2::{Digest, Sha256};

/// A clock that stands still, initially at 2026-01-01 00:00:00 UTC, until a test moves it.
pub struct StandingClock(AtomicI64);

impl StandingClock {
    pub fn new() -> StandingClock {
        StandingClock(AtomicI64::new(1_767_225_600_000_000))
    }

    pub fn at(moment: Timestamp) -> StandingClock {
        StandingClock(AtomicI64::new(moment.as_microsecond()))
    }

    pub fn set(&self, moment: Timestamp) {
        self.0.store(moment.as_microsecond(), Ordering::Relaxed);
    }

    pub fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1_000_000, Ordering::Relaxed);
    }

    /// Advances by the time that a caller would have waited.
    pub fn wait(&self, duration: Duration) {
        let microseconds = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        self.0.fetch_add(microseconds, Ordering::Relaxed);
    }
}

impl Default for StandingClock {
    fn default() -> StandingClock {
        StandingClock::new()
    }
}

impl Clock for StandingClock {
    fn now(&self) -> Timestamp {
        domain::time::from_microseconds(self.0.load(Ordering::Relaxed))
    }

    fn elapsed(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed).unsigned_abs())
    }
}

/// Bytes that differ at each call.
#[derive(Default)]
pub struct CountingRandom(AtomicU64);

impl Random for CountingRandom {
    fn fill(&self, buffer: &mut [u8]) {
        for chunk in buffer.chunks_mut(32) {
            let block = Sha256::digest(self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes());
            chunk.copy_from_slice(&block[..chunk.len()]);
        }
    }
}
