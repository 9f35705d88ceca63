//! Writes what came of tries, while their leases hold.

use std::sync::Arc;
use std::time::Duration;

use failpoint::Place;
use store::outbox::{self, Claimed, ClaimedChannel, Finished, Outcome, Try};
use tokio::time::Instant;

use super::Shared;

/// For so long a database that does not answer is asked to take results; what comes meanwhile is written after them.
const RESULTS_WAIT: Duration = Duration::from_secs(20);

const RESULTS_PAUSE: Duration = Duration::from_millis(250);

/// How results of a kind are written, all in one transaction; whether that may have been done before.
type Write = fn(&Shared, Vec<Arc<Done>>, bool) -> Result<(), app::Error>;

/// What a task came back with.
pub(super) struct Done {
    pub(super) claimed: Claimed,
    pub(super) result: TaskResult,
}

impl Done {
    /// Whether the receiver took it.
    pub(super) fn is_delivered(&self) -> bool {
        matches!(
            self.result,
            TaskResult::Tried {
                outcome: Outcome::Delivered,
                ..
            }
        )
    }

    /// The delivery and its try, where the receiver took it and that can be recorded with others of the kind.
    pub(super) fn taken(&self) -> Option<(&Claimed, &Try)> {
        match &self.result {
            TaskResult::Tried {
                made,
                outcome: Outcome::Delivered,
            } if self.claimed.fits_batch() => Some((&self.claimed, made)),
            _ => None,
        }
    }

    /// How long its receiver was asked, if it was.
    pub(super) fn took(&self) -> Option<Duration> {
        match &self.result {
            TaskResult::Tried {
                outcome: Outcome::NotSent(_),
                ..
            }
            | TaskResult::Kept
            | TaskResult::NotBegun => None,
            TaskResult::Tried { made, .. } => Some(Duration::from_micros(u64::try_from(made.duration).unwrap_or(0))),
        }
    }

    /// Whether its receiver was not tried at all, for reasons of ours.
    pub(super) fn is_ours(&self) -> bool {
        matches!(self.result, TaskResult::Kept | TaskResult::NotBegun)
    }
}

/// The database did not answer: the deliveries are made again when their leases end.
struct NotWritten;

pub(super) enum TaskResult {
    Tried {
        made: Try,
        outcome: Outcome,
    },
    /// There is no mail server, or no messenger for the number: the outbox page shows it.
    Kept,
    /// Not begun with: it waited too long for its turn, and the lease is about to end.
    NotBegun,
}

impl Shared {
    /// Writes results: what was taken first, so that an endpoint that has just taken something is not stopped. Whether a
    /// workflow's next first try may have become due.
    pub(super) fn finish(&self, results: Vec<Arc<Done>>) -> bool {
        let (taken, mut others): (Vec<_>, Vec<_>) = results.into_iter().partition(|done| done.taken().is_some());
        others.sort_by_key(|done| !done.is_delivered());
        let Ok(has_opened) = self.write_all_or_each(taken, Self::write_taken) else {
            // The others would be written no more than these.
            let count = others.len();
            tracing::warn!(count, "nor were those of deliveries that failed");
            return false;
        };
        self.write_all_or_each(others, Self::write_others).unwrap_or(false) || has_opened
    }

    /// Writes results in one transaction; where that fails, each in its own, so that one cannot hold up the others. A database
    /// that does not answer is asked again for all, for as long as a commit waits for it: asked for each, it would keep those
    /// to come waiting until their leases end. Whether a workflow's next first try may have become due.
    fn write_all_or_each(&self, results: Vec<Arc<Done>>, write: Write) -> Result<bool, NotWritten> {
        if results.is_empty() {
            return Ok(false);
        }
        // A workflow's later webhooks wait for the first try of this one.
        let is_first = |done: &Arc<Done>| !done.claimed.first_try_done && done.claimed.workflow.is_some();
        let opens = |results: &[Arc<Done>]| results.iter().any(is_first);
        let (began, mut may_be_written) = (Instant::now(), false);
        loop {
            match write(self, results.clone(), may_be_written) {
                Ok(()) => {
                    failpoint::reach(Place::Recorded);
                    return Ok(opens(&results));
                }
                Err(error @ (app::Error::Unavailable { .. } | app::Error::OutcomeUnknown(_))) => {
                    may_be_written |= matches!(error, app::Error::OutcomeUnknown(_));
                    if began.elapsed() >= RESULTS_WAIT {
                        let count = results.len();
                        tracing::warn!(%error, count, "results could not be written; the deliveries are made again");
                        return Err(NotWritten);
                    }
                    tracing::warn!(%error, "results could not be written; trying again");
                    std::thread::sleep(RESULTS_PAUSE);
                }
                Err(error) => {
                    tracing::warn!(%error, "results could not be written together; writing each");
                    break;
                }
            }
        }
        let mut opened = false;
        for done in results {
            let id = done.claimed.id;
            match write(self, vec![Arc::clone(&done)], may_be_written) {
                Ok(()) => opened |= opens(&[done]),
                Err(error) => {
                    tracing::warn!(%error, %id, "a result could not be written; the delivery is tried again");
                }
            }
        }
        Ok(opened)
    }

    /// Writes what receivers took.
    fn write_taken(&self, results: Vec<Arc<Done>>, may_be_written: bool) -> Result<(), app::Error> {
        let now = self.app.now();
        self.app.store.write_one_relaxed(move |tx| {
            let taken: Vec<(&Claimed, &Try)> = results.iter().filter_map(|done| done.taken()).collect();
            let recorded = outbox::finish_taken(tx, &taken, now)?;
            for (claimed, _) in taken.iter().filter(|(claimed, _)| !recorded.contains(&claimed.id)) {
                lease_lost(claimed, may_be_written);
            }
            Ok(())
        })
    }

    /// Writes what else came of deliveries.
    fn write_others(&self, mut results: Vec<Arc<Done>>, may_be_written: bool) -> Result<(), app::Error> {
        let (app, now) = (Arc::clone(&self.app), self.app.now());
        // In one order, so that no two workers wait for each other's endpoints.
        results.sort_by(|one, other| one.claimed.endpoint().cmp(&other.claimed.endpoint()));
        self.app.store.write_relaxed(move |tx| {
            for done in &results {
                let Done { claimed, result } = done.as_ref();
                let finished = match result {
                    TaskResult::NotBegun => {
                        outbox::release(tx, claimed.id, &claimed.lease, now)?;
                        continue;
                    }
                    TaskResult::Kept => {
                        outbox::keep(tx, claimed, now)?;
                        continue;
                    }
                    TaskResult::Tried { made, outcome } => outbox::finish(tx, claimed, made, *outcome, now)?,
                };
                let (Finished::LeaseLost { stopped } | Finished::Recorded { stopped, .. }) = finished;
                if matches!(finished, Finished::LeaseLost { .. }) {
                    lease_lost(claimed, may_be_written);
                }
                if let (Some(reason), ClaimedChannel::Webhook { url, .. }) = (stopped, &claimed.channel) {
                    tracing::warn!(company = %claimed.company, reason = reason.word(), "an endpoint was stopped");
                    app.endpoint_stopped(tx, &claimed.company, url, reason, now)?;
                }
            }
            Ok(())
        })
    }
}

/// A result holds only while its lease does. One that may have been written before has ended its lease itself.
fn lease_lost(claimed: &Claimed, may_be_written: bool) {
    if may_be_written {
        tracing::debug!(id = %claimed.id, "a result was in doubt: it was written, or its lease is lost");
    } else {
        tracing::warn!(id = %claimed.id, "a delivery took longer than its lease; it is made again");
    }
}
