//! Writes the results of tries while their leases last.

use std::sync::Arc;
use std::time::Duration;

use app::Undelivered;
use failpoint::Place;
use metrics::metrics;
use store::outbox::{self, Claimed, ClaimedChannel, Finished, Outcome, State, Try};
use tokio::time::Instant;

use super::Shared;

/// Maximum time that we retry writing results to a database that does not answer. Later results wait.
const RESULTS_WAIT: Duration = Duration::from_secs(20);

const RESULTS_PAUSE: Duration = Duration::from_millis(250);

/// Writes results of one kind in one transaction. The flag means that the results may have been written before.
type Write = fn(&Shared, Vec<Arc<Done>>, bool) -> Result<(), app::Error>;

pub(super) struct Done {
    pub(super) claimed: Claimed,
    pub(super) result: TaskResult,
}

impl Done {
    pub(super) fn is_delivered(&self) -> bool {
        matches!(
            self.result,
            TaskResult::Tried {
                outcome: Outcome::Delivered,
                ..
            }
        )
    }

    /// Returns the delivery and its try if the receiver accepted it and it can be recorded together with others.
    pub(super) fn taken(&self) -> Option<(&Claimed, &Try)> {
        match &self.result {
            TaskResult::Tried {
                made,
                outcome: Outcome::Delivered,
            } if self.claimed.fits_batch() => Some((&self.claimed, made)),
            _ => None,
        }
    }

    /// Returns how long we waited for the receiver, if we called it.
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

    /// Adds the try to the metrics.
    pub(super) fn count(&self) {
        let TaskResult::Tried { made, outcome } = &self.result else {
            return;
        };
        let labels = metrics::Delivery {
            kind: match self.claimed.channel {
                ClaimedChannel::Webhook { .. } => "webhook",
                ClaimedChannel::Mail => "mail",
                ClaimedChannel::Message => "message",
            },
            outcome: match outcome {
                Outcome::Delivered => "delivered",
                Outcome::Retry(_) => "failed",
                Outcome::Dead | Outcome::NotSent(None) => "dead",
                Outcome::NotSent(Some(_)) => "not_sent",
                Outcome::Gone => "gone",
            },
        };
        let took = Duration::from_micros(u64::try_from(made.duration).unwrap_or(0));
        metrics::took(&metrics().deliveries, &labels, took);
    }

    /// Returns whether we never called the receiver, for reasons on our side.
    pub(super) fn is_ours(&self) -> bool {
        matches!(self.result, TaskResult::Kept | TaskResult::NotBegun)
    }
}

/// The database did not answer, so the deliveries are made again when their leases expire.
struct NotWritten;

pub(super) enum TaskResult {
    Tried {
        made: Try,
        outcome: Outcome,
    },
    /// There is no mail server, or no gateway for the number. The message is shown on the outbox page instead.
    Kept,
    /// Not started, because it waited too long for a free worker and its lease is about to expire.
    NotBegun,
}

impl Shared {
    /// Writes results, successes first, so that an endpoint that has just accepted a delivery is not stopped. Returns
    /// whether a workflow's next first try may now be due.
    pub(super) fn finish(&self, results: Vec<Arc<Done>>) -> bool {
        let (taken, mut others): (Vec<_>, Vec<_>) = results.into_iter().partition(|done| done.taken().is_some());
        others.sort_by_key(|done| !done.is_delivered());
        let Ok(has_opened) = self.write_all_or_each(taken, Self::write_taken) else {
            // The remaining writes would fail in the same way.
            let count = others.len();
            tracing::warn!(count, "the results of failed deliveries were not written either");
            return false;
        };
        self.write_all_or_each(others, Self::write_others).unwrap_or(false) || has_opened
    }

    /// Writes results in one transaction. If that fails, writes each in its own transaction, so that one bad result
    /// cannot block the others. If the database does not answer, retries all of them together for as long as a commit
    /// waits: retrying one at a time would delay later results until their leases expire. Returns whether a workflow's
    /// next first try may now be due.
    fn write_all_or_each(&self, results: Vec<Arc<Done>>, write: Write) -> Result<bool, NotWritten> {
        if results.is_empty() {
            return Ok(false);
        }
        // A workflow's later webhooks wait for the first try of its earlier ones.
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
                        tracing::warn!(%error, count, "results could not be written; the deliveries will be repeated");
                        return Err(NotWritten);
                    }
                    tracing::warn!(%error, "results could not be written; we will try again");
                    std::thread::sleep(RESULTS_PAUSE);
                }
                Err(error) => {
                    tracing::warn!(%error, "results could not be written together; each one is written alone");
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
                    tracing::warn!(%error, %id, "a result could not be written; the delivery will be repeated");
                }
            }
        }
        Ok(opened)
    }

    /// Writes results of deliveries that their receivers accepted.
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

    fn write_others(&self, mut results: Vec<Arc<Done>>, may_be_written: bool) -> Result<(), app::Error> {
        let (app, now) = (Arc::clone(&self.app), self.app.now());
        // Always in the same order, so that two workers cannot deadlock on each other's endpoints.
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
                if let (
                    Finished::Recorded { state: State::Dead, .. },
                    TaskResult::Tried { made, .. },
                    ClaimedChannel::Mail | ClaimedChannel::Message,
                ) = (finished, result, &claimed.channel)
                {
                    let workflow = claimed.workflow.map(|workflow| workflow.0);
                    tracing::warn!(company = %claimed.company, workflow, code = made.code, "a message was not delivered");
                    let undelivered = Undelivered {
                        company: &claimed.company,
                        workflow: claimed.workflow,
                        body: &claimed.body,
                        words: made.fault.as_ref().filter(|_| made.answer.is_empty()).unwrap_or(&made.answer),
                        at: now,
                    };
                    app.undelivered(tx, &undelivered)?;
                }
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

/// A result counts only while its lease lasts. If it may have been written before, that write ended the lease.
fn lease_lost(claimed: &Claimed, may_be_written: bool) {
    if may_be_written {
        tracing::debug!(id = %claimed.id, "a result was already written, or its lease was lost");
    } else {
        tracing::warn!(id = %claimed.id, "a delivery took longer than its lease; it will be repeated");
    }
}
