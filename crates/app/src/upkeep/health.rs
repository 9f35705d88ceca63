//! Checks whether the service can work: the database and the file store accept writes, and strangers' documents can be
//! read.
//!
//! Load balancers query this, and so can anybody else. So the result is cached for a second, and frequent queries cost
//! at most one small write per second. A full disk is detected here before it causes a sign-in to fail.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use crate::App;
use crate::base::error::Error;

/// The name of the setting that is written as a test.
const SETTING: &str = "health";
/// Time for which a result is cached.
const KEPT: Duration = Duration::from_secs(1);
/// Maximum difference between the clocks of two servers.
const CLOCKS_DIFFER: SignedDuration = SignedDuration::from_mins(1);

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub name: &'static str,
    /// Whether the service is useless without this.
    pub is_needed: bool,
    /// The fault, for the operator.
    pub fault: Option<String>,
}

/// The latest result of each check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readiness {
    pub checks: Vec<Check>,
    /// Seconds after which to query again.
    retry_after: u64,
}

impl Readiness {
    /// Whether requests should be sent here.
    pub fn is_ready(&self) -> bool {
        self.checks
            .iter()
            .all(|check| check.fault.is_none() || !check.is_needed)
    }

    /// Whether database and file store accept writes.
    fn can_write(&self) -> bool {
        self.checks
            .iter()
            .all(|check| check.fault.is_none() || !matches!(check.name, "database" | "files"))
    }
}

#[derive(Debug, Default)]
pub(crate) struct LastHealth(Mutex<Option<(Instant, Readiness)>>);

impl App {
    /// Checks that database and file store accept writes. Returns `Unavailable` if they do not.
    pub fn health(&self) -> Result<(), Error> {
        let (readiness, error) = self.latest();
        if readiness.can_write() {
            return Ok(());
        }
        Err(match error {
            Some(error @ Error::Unavailable { .. }) => error,
            Some(other) => Error::Unavailable {
                retry_after: 1,
                cause: Some(Box::new(other)),
            },
            None => Error::busy(readiness.retry_after),
        })
    }

    /// Returns the result of each check.
    pub fn readiness(&self) -> Readiness {
        self.latest().0
    }

    /// Returns the cached or a new result. Also returns the error if the result is new and something does not accept
    /// writes.
    fn latest(&self) -> (Readiness, Option<Error>) {
        // Simultaneous callers wait for the same result.
        let mut last = self.last_health.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, readiness)) = last.as_ref()
            && at.elapsed() < KEPT
        {
            return (readiness.clone(), None);
        }
        let (readiness, error) = self.check_all();
        *last = Some((Instant::now(), readiness.clone()));
        (readiness, error)
    }

    fn check_all(&self) -> (Readiness, Option<Error>) {
        let database = self.write_time();
        let clock = match &database {
            Ok(Some(other)) => behind(self.now(), *other),
            _ => None,
        };
        let database = database.map(drop);
        let files = self.blobs.probe().map_err(Error::from);
        let check = |name, is_needed, fault| Check { name, is_needed, fault };
        let said = |result: &Result<(), Error>| result.as_ref().err().map(ToString::to_string);
        let checks = vec![
            check("database", true, said(&database)),
            check("files", true, said(&files)),
            check(
                "workers",
                true,
                self.documents.check().err().map(|fault| fault.to_string()),
            ),
            // Open documents can still be signed, and another server may have the more accurate clock.
            check("disk", false, said(&self.check_room())),
            check("clock", false, clock),
        ];
        let error = database.and(files).err();
        let retry_after = error.as_ref().and_then(Error::retry_after).unwrap_or(1);
        (Readiness { checks, retry_after }, error)
    }

    /// Writes the time to the database, and returns the previous one, which another server may have written.
    fn write_time(&self) -> Result<Option<Timestamp>, Error> {
        let now = self.now().as_microsecond().to_be_bytes();
        let last = self.store.write(move |tx| {
            let last = store::setting::find(tx, SETTING)?;
            store::setting::put(tx, SETTING, &now)?;
            Ok::<_, Error>(last)
        })?;
        let last = last.and_then(|bytes| <[u8; 8]>::try_from(bytes).ok());
        Ok(last.and_then(|bytes| Timestamp::from_microsecond(i64::from_be_bytes(bytes)).ok()))
    }
}

/// Whether a clock that shows `now` is behind an earlier recorded time, by more than the allowed difference.
pub fn is_clock_behind(now: Timestamp, recorded: Timestamp) -> bool {
    recorded.duration_since(now) > CLOCKS_DIFFER
}

/// Returns the fault of this clock if the database contains a later time.
fn behind(now: Timestamp, other: Timestamp) -> Option<String> {
    is_clock_behind(now, other).then(|| {
        let seconds = other.duration_since(now).as_secs();
        format!("this machine's clock is {seconds} s behind the last check, which another server may have made; set all clocks by NTP")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_far_behind_the_last_check_is_reported() {
        let at = |seconds: i64| Timestamp::from_second(1_800_000_000 + seconds).expect("a time");
        assert_eq!(behind(at(100), at(0)), None);
        assert_eq!(behind(at(0), at(60)), None);
        let said = behind(at(0), at(61)).expect("a fault");
        assert!(said.contains("61 s"), "{said}");
    }

    #[test]
    fn only_what_is_needed_keeps_requests_away() {
        let with = |name: &'static str, is_needed| Readiness {
            checks: vec![Check {
                name,
                is_needed,
                fault: Some("away".to_owned()),
            }],
            retry_after: 1,
        };
        assert!(!with("database", true).is_ready() && !with("database", true).can_write());
        assert!(!with("workers", true).is_ready() && with("workers", true).can_write());
        assert!(with("disk", false).is_ready() && with("disk", false).can_write());
    }
}
