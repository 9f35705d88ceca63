//! Real time and randomness. No other code chooses them.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use domain::{Clock, Random};
use jiff::Timestamp;

/// The machine's clock, in microseconds.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        domain::time::cut(Timestamp::now())
    }

    fn elapsed(&self) -> Duration {
        static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
        FIRST.elapsed()
    }
}

/// The machine's random number generator.
#[derive(Debug, Clone, Copy)]
pub struct SystemRandom;

impl Random for SystemRandom {
    /// A machine without randomness cannot keep a secret, so the program aborts rather than use bytes that can be
    /// guessed.
    fn fill(&self, buffer: &mut [u8]) {
        if let Err(error) = getrandom::fill(buffer) {
            tracing::error!(%error, "the machine provided no random numbers, so the process ended");
            std::process::abort();
        }
    }
}
