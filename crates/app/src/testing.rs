//! Stand-ins for the world outside, for the tests of this crate.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use domain::{Clock, Random};
use jiff::Timestamp;

/// Bytes that differ at each call and are the same in each run.
#[derive(Debug, Default)]
pub(crate) struct CountingRandom(AtomicU64);

impl Random for CountingRandom {
    fn fill(&self, buffer: &mut [u8]) {
        use sha2::{Digest, Sha256};
        for chunk in buffer.chunks_mut(32) {
            let number = self.0.fetch_add(1, Ordering::Relaxed);
            let block = Sha256::digest(number.to_be_bytes());
            chunk.copy_from_slice(&block[..chunk.len()]);
        }
    }
}

/// A clock that stands still until it is told to go on.
#[derive(Debug)]
pub(crate) struct StandingClock(AtomicI64);

impl StandingClock {
    /// Stands at 2026-01-01 00:00:00 UTC.
    pub(crate) fn new() -> StandingClock {
        StandingClock(AtomicI64::new(1_767_225_600_000_000))
    }

    /// Goes on by some seconds.
    pub(crate) fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1_000_000, Ordering::Relaxed);
    }
}

impl Clock for StandingClock {
    fn now(&self) -> Timestamp {
        domain::time::from_microseconds(self.0.load(Ordering::Relaxed))
    }
}
