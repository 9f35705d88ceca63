//! Whether the service can do its work: the database and the file store accept writes, and strangers' documents can be
//! read.
//!
//! Load balancers ask this, and so can anybody else. So the answer is kept for a second, and however often it is asked for,
//! it costs one small write a second. A full disk is reported here before somebody signs in vain.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use crate::App;
use crate::base::error::Error;

/// The name under which the database is written to.
const SETTING: &str = "health";
/// How long an answer is valid.
const KEPT: Duration = Duration::from_secs(1);
/// How much the clocks of two servers may differ.
const CLOCKS_DIFFER: SignedDuration = SignedDuration::from_mins(1);

/// Something that is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub name: &'static str,
    /// Whether the service can do nothing useful without it.
    pub is_needed: bool,
    /// What is wrong, for the operator.
    pub fault: Option<String>,
}

/// The last answer of each check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readiness {
    pub checks: Vec<Check>,
    /// Seconds after which to ask again.
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
    /// Whether database and file store can be written to; `Unavailable` if not.
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

    /// What works, and what does not.
    pub fn readiness(&self) -> Readiness {
        self.latest().0
    }

    /// The last answer, or a new one, with the error if it is new and something cannot be written to.
    fn latest(&self) -> (Readiness, Option<Error>) {
        // Others who ask meanwhile wait for the same answer.
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
            // Running documents can still be signed, and another server may have the better clock.
            check("disk", false, said(&self.check_room())),
            check("clock", false, clock),
        ];
        let error = database.and(files).err();
        let retry_after = error.as_ref().and_then(Error::retry_after).unwrap_or(1);
        (Readiness { checks, retry_after }, error)
    }

    /// Writes the time into the database, and returns what was there: another server may have written it.
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

/// Whether a clock that says `now` is behind a time that was recorded earlier, by more than clocks may differ.
pub fn is_clock_behind(now: Timestamp, recorded: Timestamp) -> bool {
    recorded.duration_since(now) > CLOCKS_DIFFER
}

/// What is wrong with this clock if the database contains a later time.
fn behind(now: Timestamp, other: Timestamp) -> Option<String> {
    is_clock_behind(now, other).then(|| {
        let seconds = other.duration_since(now).as_secs();
        format!("this clock is {seconds} s behind the last check, perhaps of another server; set all clocks by NTP")
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
