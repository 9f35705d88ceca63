//! The results of tries, and mails that are returned later.

use std::collections::{BTreeSet, HashSet};

use domain::{CompanyId, WorkflowId};
use jiff::Timestamp;
use serde_json::json;

use super::claim::{Claimed, ClaimedChannel};
use super::{DeliveryId, PORTION, State, StopReason, text};
use crate::sql::delivery as sql;
use crate::{Error, Transaction, values};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Try {
    pub at: Timestamp,
    /// In microseconds.
    pub duration: i64,
    /// The HTTP status or the mail server's code. `None` if there was no answer.
    pub code: Option<u16>,
    /// The error, if it was not in the answer.
    pub fault: Option<String>,
    pub answer: String,
}

/// The outcome of a try for the delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Delivered,
    /// The try failed. The next one is due at this time.
    Retry(Timestamp),
    /// The last try failed.
    Dead,
    /// The delivery could not be sent at all, which says nothing about its receiver. Contains the time of the next try,
    /// if there is one.
    NotSent(Option<Timestamp>),
    /// The receiver is permanently gone.
    Gone,
}

/// How long an endpoint may fail continuously before it is stopped: five days, in seconds.
pub const LONGEST_FAILURE: i64 = 5 * 24 * 60 * 60;

/// The number of tries stored for one delivery: three rounds. Repeated resending must not fill the disk.
pub const MOST_TRIES_KEPT: i64 = 30;

/// The result of finishing a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    /// The lease was lost. Another worker has the delivery now, and the try was not recorded.
    LeaseLost {
        /// Set if this try stopped the endpoint anyway, because it was made and failed.
        stopped: Option<StopReason>,
    },
    Recorded {
        state: State,
        /// Set if this try stopped the endpoint. The company's admins must be notified.
        stopped: Option<StopReason>,
    },
}

/// Records a try of a claimed delivery and its outcome, and updates the endpoint's health.
pub fn finish(
    tx: &mut dyn Transaction,
    claimed: &Claimed,
    made: &Try,
    outcome: Outcome,
    now: Timestamp,
) -> Result<Finished, Error> {
    let mut stopped = None;
    let mut is_stopped = false;
    if let ClaimedChannel::Webhook { url, .. } = &claimed.channel {
        let endpoint = values![claimed.company.as_str(), url];
        match outcome {
            Outcome::Delivered => tx.execute_later(&sql::ENDPOINT_RECOVERED, endpoint)?,
            Outcome::NotSent(_) => {}
            Outcome::Retry(_) | Outcome::Dead | Outcome::Gone => {
                (is_stopped, stopped) = endpoint_failed(tx, &claimed.company, url, outcome, now)?;
            }
        }
    }
    let (state, due_at) = match outcome {
        Outcome::Delivered => (State::Delivered, now),
        Outcome::Retry(due_at) | Outcome::NotSent(Some(due_at)) if !is_stopped => (State::Waiting, due_at),
        Outcome::Retry(_) | Outcome::NotSent(Some(_)) | Outcome::Gone => (State::Held, now),
        Outcome::Dead | Outcome::NotSent(None) => (State::Dead, now),
    };
    let over = matches!(state, State::Delivered | State::Dead).then_some(now);
    let finished = tx.query_optional(
        &sql::FINISH,
        values![claimed.id.0, claimed.lease.as_str(), state.word(), due_at, over],
    )?;
    let Some(row) = finished else {
        // The endpoint's health that we just wrote stays correct, because the try was made.
        return Ok(Finished::LeaseLost { stopped });
    };
    let number: i64 = row.get("tries_made")?;
    insert_try(tx, claimed.id, number, made)?;
    if number > MOST_TRIES_KEPT {
        tx.execute_later(&sql::FORGET_TRIES, values![claimed.id.0, number - MOST_TRIES_KEPT])?;
    }
    Ok(Finished::Recorded { state, stopped })
}

fn insert_try(tx: &mut dyn Transaction, id: DeliveryId, number: i64, made: &Try) -> Result<(), Error> {
    tx.execute_later(
        &sql::INSERT_TRY,
        values![
            id.0,
            number,
            made.at,
            made.duration,
            made.code,
            made.fault.as_ref(),
            made.answer.as_str()
        ],
    )
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CameBack {
    id: DeliveryId,
    /// The number of the report, which counts as a try.
    number: i64,
    pub company: CompanyId,
    pub workflow: Option<WorkflowId>,
    /// The content, encrypted. Empty if it was erased.
    pub body: Vec<u8>,
}

/// Returns the company and workflow of a mail. `None` if no mail with this event's ID was accepted, or if it has
/// already been returned.
pub fn accepted_mail(
    tx: &mut dyn Transaction,
    event_id: &str,
) -> Result<Option<(CompanyId, Option<WorkflowId>)>, Error> {
    let row = tx.query_optional(&sql::ACCEPTED_MAIL, values![event_id])?;
    row.map(|row| Ok((row.get("company_id")?, row.get("workflow_id")?)))
        .transpose()
}

/// Turns a mail that was returned after its server had accepted it into a dead letter. The report becomes its last try
/// ([`note_return`]). `None` if no mail with this event's ID was accepted, or if it has already been returned.
pub fn mail_came_back(tx: &mut dyn Transaction, event_id: &str) -> Result<Option<CameBack>, Error> {
    let Some(row) = tx.query_optional(&sql::MAIL_CAME_BACK, values![event_id])? else {
        return Ok(None);
    };
    Ok(Some(CameBack {
        id: DeliveryId(row.get("id")?),
        number: row.get("tries_made")?,
        company: row.get("company_id")?,
        workflow: row.get("workflow_id")?,
        body: row.get("body")?,
    }))
}

/// Records the report about a returned mail.
pub fn note_return(tx: &mut dyn Transaction, mail: &CameBack, report: &Try) -> Result<(), Error> {
    insert_try(tx, mail.id, mail.number, report)
}

/// Records several accepted deliveries in a single statement, with the same effect as [`finish`] for each that [fits
/// such a batch](Claimed::fits_batch). Returns those whose lease the caller still held.
pub fn finish_taken(
    tx: &mut dyn Transaction,
    taken: &[(&Claimed, &Try)],
    now: Timestamp,
) -> Result<HashSet<DeliveryId>, Error> {
    // Always in the same order, so that two workers with the same endpoints cannot deadlock.
    let endpoints: BTreeSet<(&str, &str)> = taken.iter().filter_map(|(claimed, _)| claimed.endpoint()).collect();
    let recovered = endpoints
        .into_iter()
        .map(|(company, url)| json!({"kind": "endpoint", "company": company, "url": url}));
    let tries = taken.iter().map(|(claimed, made)| {
        json!({
            "kind": "taken", "given_id": claimed.id.0, "given_lease": claimed.lease,
            "number": claimed.number_of_this_try(),
            "at": made.at.as_microsecond(), "duration": made.duration,
            "code": made.code, "fault": made.fault, "answer": made.answer,
        })
    });
    tx.query(&sql::FINISH_TAKEN, values![text(recovered.chain(tries).collect()), now])?
        .iter()
        .map(|row| Ok(DeliveryId(row.get("id")?)))
        .collect()
}

/// Records a failure. Returns whether the endpoint is stopped now, and the reason if this failure stopped it.
fn endpoint_failed(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    url: &str,
    outcome: Outcome,
    now: Timestamp,
) -> Result<(bool, Option<StopReason>), Error> {
    // If it was already stopped, the delivery will be held. The endpoint's row decides that, so we write it.
    if tx.execute(&sql::HOLD_BACK_ONE, values![company.as_str(), url])? == 1 {
        return Ok((true, None));
    }
    tx.execute(&sql::ENDPOINT_FAILED, values![company.as_str(), url, now])?;
    let row = tx.query_one(&sql::ENDPOINT, values![company.as_str(), url])?;
    let failing_since: Timestamp = row.get("failing_since")?;
    let reason = if outcome == Outcome::Gone {
        StopReason::Gone
    } else if now.as_second() - failing_since.as_second() >= LONGEST_FAILURE {
        StopReason::Failing
    } else {
        return Ok((false, None));
    };
    tx.execute_one(&sql::ENDPOINT_STOP, values![company.as_str(), url, now, reason.word()])?;
    tx.execute(
        &sql::HOLD,
        values![company.as_str(), url, State::Waiting.word(), PORTION],
    )?;
    Ok((true, Some(reason)))
}

/// Keeps a claimed mail or text message for the outbox page. Returns whether the caller still held the lease.
pub fn keep(tx: &mut dyn Transaction, claimed: &Claimed, now: Timestamp) -> Result<bool, Error> {
    Ok(tx.execute(&sql::KEEP, values![claimed.id.0, claimed.lease.as_str(), now])? == 1)
}
