//! Whether the service can do its work: the database and the file store accept writes.
//!
//! Load balancers ask this, and so can anybody else. So the answer is kept for a second, and however often it is asked for,
//! it costs one small write a second. A full disk is reported here before somebody signs in vain.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::App;
use crate::base::error::Error;

/// The name under which the database is written to.
const SETTING: &str = "health";
/// How long an answer is valid.
const KEPT: Duration = Duration::from_secs(1);

/// The last answer: well, or the seconds after which to ask again.
#[derive(Debug, Default)]
pub(crate) struct LastHealth(Mutex<Option<(Instant, Result<(), u64>)>>);

impl App {
    /// Whether database and file store can be written to; `Unavailable` if not.
    pub fn health(&self) -> Result<(), Error> {
        // Others who ask meanwhile wait for the same answer.
        let mut last = self.last_health.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, answer)) = *last
            && at.elapsed() < KEPT
        {
            return answer.map_err(Error::busy);
        }
        let found = self.look();
        let answer = match &found {
            Ok(()) => Ok(()),
            Err(Error::Unavailable { retry_after, .. }) => Err(*retry_after),
            Err(_) => Err(1),
        };
        *last = Some((Instant::now(), answer));
        found.map_err(|error| match error {
            Error::Unavailable { .. } => error,
            other => Error::Unavailable {
                retry_after: 1,
                cause: Some(Box::new(other)),
            },
        })
    }

    fn look(&self) -> Result<(), Error> {
        let now = self.now().as_microsecond().to_be_bytes();
        self.store
            .write(move |tx| store::setting::put(tx, SETTING, &now).map_err(Error::from))?;
        self.blobs.probe()?;
        Ok(())
    }
}
