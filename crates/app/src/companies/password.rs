//! Passwords: argon2id with 19 MiB, two passes, one lane (OWASP's first choice), about 25 ms each.
//!
//! Hashing makes guessing expensive, and requests too. So only a few hashes run at the same time, a limited number of
//! callers wait for their turn, and others are refused and asked to retry later. For an account that does not exist, we
//! do the same work on a hash that no password matches, so the time reveals nothing.
//!
//! A hash is computed at a lower priority than everything else, so that a flood of guesses does not slow down other
//! requests.
//!
//! The memory of a hash belongs to its turn and is reused. If each thread allocated its own, the allocator would keep
//! 19 MiB for every thread that ever hashed.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use domain::Random;
use subtle::ConstantTimeEq;

use crate::base::error::Error;

const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Maximum time that a caller waits for a turn.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum number of waiting callers. Smaller than the number of simultaneous requests, so that a flood of logins
/// leaves room for others.
const MOST_WAITING: u32 = 40;
/// Seconds to wait before a retry, for callers who are refused.
const COME_BACK_IN: u64 = 2;

/// Hashes and verifies passwords, a few at a time.
pub struct Passwords {
    turns: Mutex<Turns>,
    freed: Condvar,
    nobodys: String,
    computed: AtomicU64,
}

struct Turns {
    /// The memory of each free turn, which is empty until its first hash.
    free: Vec<Vec<Block>>,
    waiting: u32,
}

/// The right to hash one password at a time, returned when it is dropped.
pub struct Turn<'a> {
    passwords: &'a Passwords,
    memory: Vec<Block>,
}

impl fmt::Debug for Passwords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passwords(…)")
    }
}

impl Passwords {
    /// Allows at most `concurrent` hashes at a time.
    pub fn new(concurrent: u32, random: &dyn Random) -> Passwords {
        let mut salt = [0; 16];
        let mut output = [0; 32];
        random.fill(&mut salt);
        random.fill(&mut output);
        // A hash that no known password matches: salt and output are random, but the cost is the same.
        let nobodys = format!(
            "$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}${}${}",
            unpadded_base64(&salt),
            unpadded_base64(&output)
        );
        Passwords {
            turns: Mutex::new(Turns {
                free: (0..concurrent.max(1)).map(|_| Vec::new()).collect(),
                waiting: 0,
            }),
            freed: Condvar::new(),
            nobodys,
            computed: AtomicU64::new(0),
        }
    }

    /// Number of hashes computed since the start.
    pub fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }

    /// Waits for a turn.
    pub fn turn(&self) -> Result<Turn<'_>, Error> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        // Reuses the turn that was returned last, so that the others never allocate while one is enough.
        if let Some(memory) = turns.free.pop() {
            return Ok(Turn {
                passwords: self,
                memory,
            });
        }
        if turns.waiting >= MOST_WAITING {
            return Err(Error::busy(COME_BACK_IN));
        }
        let until = Instant::now() + PATIENCE;
        turns.waiting += 1;
        let memory = loop {
            if let Some(memory) = turns.free.pop() {
                break Some(memory);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break None;
            }
            turns = self
                .freed
                .wait_timeout(turns, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        };
        turns.waiting -= 1;
        match memory {
            Some(memory) => Ok(Turn {
                passwords: self,
                memory,
            }),
            None => Err(Error::busy(COME_BACK_IN)),
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let memory = std::mem::take(&mut self.memory);
        let mut turns = self.passwords.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.free.push(memory);
        drop(turns);
        self.passwords.freed.notify_one();
    }
}

impl Turn<'_> {
    /// Returns the hash to store for a password.
    pub fn hash(&mut self, password: &str, random: &dyn Random) -> Result<String, Error> {
        let mut salt = [0; 16];
        random.fill(&mut salt);
        self.new_hash(password, &salt)
            .map_err(|error| Error::internal("hashing a password", error.to_string()))
    }

    /// Whether the password matches the hash. `None` stands for an account that does not exist: it never matches, and
    /// takes the same time.
    pub fn verify(&mut self, password: &str, kept: Option<&str>) -> Result<bool, Error> {
        let is_same = self
            .is_same(password, kept.unwrap_or(&self.passwords.nobodys))
            .map_err(|error| Error::internal("verifying a password", error.to_string()))?;
        Ok(is_same && kept.is_some())
    }

    fn new_hash(&mut self, password: &str, salt: &[u8]) -> argon2::password_hash::Result<String> {
        let parameters = Params::new(MEMORY_KIB, PASSES, LANES, None)?;
        let mut output = [0; Params::DEFAULT_OUTPUT_LEN];
        let hash = PasswordHash {
            algorithm: Algorithm::Argon2id.into(),
            version: Some(Version::V0x13.into()),
            params: ParamsString::try_from(&parameters)?,
            salt: Some(Salt::new(salt)?),
            hash: {
                let hasher = Argon2::new(Algorithm::Argon2id, Version::V0x13, parameters);
                self.compute(&hasher, password, salt, &mut output)?;
                Some(Output::new(&output)?)
            },
        };
        Ok(hash.to_string())
    }

    fn is_same(&mut self, password: &str, kept: &str) -> argon2::password_hash::Result<bool> {
        let kept = PasswordHash::new(kept)?;
        let (Some(salt), Some(expected)) = (&kept.salt, &kept.hash) else {
            return Err(argon2::password_hash::Error::EncodingInvalid);
        };
        let algorithm = Algorithm::try_from(kept.algorithm.as_str())?;
        let version = kept.version.map_or(Ok(Version::default()), Version::try_from)?;
        let hasher = Argon2::new(algorithm, version, Params::try_from(&kept)?);
        let mut output = vec![0; expected.len()];
        self.compute(&hasher, password, salt, &mut output)?;
        Ok(output.ct_eq(expected.as_bytes()).into())
    }

    /// Computes and counts one hash, in the turn's memory.
    fn compute(&mut self, hasher: &Argon2<'_>, password: &str, salt: &[u8], output: &mut [u8]) -> argon2::Result<()> {
        let blocks = hasher.params().block_count();
        if self.memory.len() < blocks {
            self.memory.resize(blocks, Block::new());
        }
        self.passwords.computed.fetch_add(1, Ordering::Relaxed);
        let memory = self.memory.as_mut_slice();
        behind_others(move || hasher.hash_password_into_with_memory(password.as_bytes(), salt, output, memory))
    }
}

/// Lowers the priority of a hash: under load everything else gets three times as much processor time. At ten times as
/// much, people could not log in while other programs are busy.
#[cfg(target_os = "linux")]
const NICER: i32 = 5;

/// Does long work at a lower priority, on its own thread because a thread cannot raise its priority again. Without
/// this, every short request on a processor that hashes waits several times for a time slice. On systems other than
/// Linux the priority applies to the whole process, so it stays unchanged.
fn behind_others<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            #[cfg(target_os = "linux")]
            if let Err(error) = rustix::process::nice(NICER) {
                tracing::debug!(%error, "a hash has the priority of a request");
            }
            work()
        });
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn unpadded_base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::prelude::BASE64_STANDARD_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;
    use crate::base::testing::CountingRandom;

    #[test]
    fn the_right_password_alone_is_right() {
        let random = CountingRandom::default();
        let passwords = Passwords::new(1, &random);
        let mut turn = passwords.turn().unwrap();
        let kept = turn.hash("correct horse", &random).unwrap();
        assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{kept}");
        assert!(turn.verify("correct horse", Some(&kept)).unwrap());
        assert!(!turn.verify("correct horsf", Some(&kept)).unwrap());
        assert!(!turn.verify("", Some(&kept)).unwrap());
        assert!(!turn.verify(&"x".repeat(1_000_000), Some(&kept)).unwrap());
        assert_ne!(kept, turn.hash("correct horse", &random).unwrap());
    }

    #[test]
    fn nobodys_password_is_never_right_and_costs_the_same() {
        let random = CountingRandom::default();
        let passwords = Passwords::new(1, &random);
        let mut turn = passwords.turn().unwrap();
        assert!(!turn.verify("", None).unwrap());
        let nobodys = PasswordHash::new(&passwords.nobodys).unwrap();
        let kept = turn.hash("correct horse", &random).unwrap();
        let somebodys = PasswordHash::new(&kept).unwrap();
        assert_eq!(
            (nobodys.algorithm, nobodys.version, nobodys.params),
            (somebodys.algorithm, somebodys.version, somebodys.params)
        );
        assert_eq!(
            nobodys.salt.map(|salt| salt.len()),
            somebodys.salt.map(|salt| salt.len())
        );
        assert_eq!(
            nobodys.hash.map(|hash| hash.len()),
            somebodys.hash.map(|hash| hash.len())
        );
    }

    #[test]
    fn no_more_than_allowed_hash_at_the_same_time() {
        let passwords = Passwords::new(2, &CountingRandom::default());
        let (now, most) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let turn = passwords.turn().unwrap();
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                        drop(turn);
                    }
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= 2);
        assert_eq!(passwords.turns.lock().unwrap().free.len(), 2);
    }

    #[test]
    fn hashes_share_the_memory_of_their_turns_however_many_threads_ask() {
        let random = CountingRandom::default();
        let passwords = Passwords::new(2, &random);
        let kept = passwords.turn().unwrap().hash("plover lantern 47", &random).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let mut turn = passwords.turn().unwrap();
                    assert!(turn.verify("plover lantern 47", Some(&kept)).unwrap());
                });
            }
        });
        let turns = passwords.turns.lock().unwrap();
        let blocks: usize = turns.free.iter().map(Vec::capacity).sum();
        assert!(blocks <= 2 * MEMORY_KIB as usize, "{blocks} KiB");
        assert!(blocks >= MEMORY_KIB as usize, "it is kept for the next hash");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn whatever_is_not_a_hash_goes_before_a_hash() {
        let priority = || rustix::process::getpriority_process(None).unwrap();
        let before = priority();
        assert_eq!(behind_others(priority), (before + NICER).min(19));
        assert_eq!(priority(), before, "the thread that asked keeps its own");
    }

    #[test]
    fn a_hash_of_other_parameters_is_verified_with_its_own() {
        use argon2::password_hash::PasswordHasher;
        let parameters = Params::new(24 * 1024, 1, 2, None).unwrap();
        let of_another_time: PasswordHash = Argon2::new(Algorithm::Argon2id, Version::V0x13, parameters)
            .hash_password_with_salt(b"plover lantern 47", &[7; 16])
            .unwrap();
        let passwords = Passwords::new(1, &CountingRandom::default());
        let mut turn = passwords.turn().unwrap();
        assert!(
            turn.verify("plover lantern 47", Some(&of_another_time.to_string()))
                .unwrap()
        );
        assert!(
            !turn
                .verify("plover lantern 48", Some(&of_another_time.to_string()))
                .unwrap()
        );
        assert!(turn.verify("plover lantern 47", Some("no hash")).is_err());
    }
}
