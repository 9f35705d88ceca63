//! A stand-in for external sources, for the unit tests of this crate.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::Random;

/// Returns different bytes for each call, but the same ones in each run.
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
