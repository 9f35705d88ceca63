//! The history of deliveries: searching it, sending deliveries again, and deleting old ones.

use std::collections::{BTreeSet, HashSet};

use domain::{CompanyId, WorkflowId};
use jiff::Timestamp;
use serde_json::json;

use super::finish::Try;
use super::{DeliveryId, Kind, State, text};
use crate::sql::delivery as sql;
use crate::{Error, Row, Transaction, Value, values};

/// An accepted delivery, to be recorded in its workflow's audit trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToNote {
    pub id: DeliveryId,
    pub company: CompanyId,
    pub workflow: WorkflowId,
    pub event_id: String,
    pub kind: Kind,
    pub at: Timestamp,
}

/// Returns deliveries accepted by `until` that are missing from their workflows' audit trails, ordered by
/// [`ToNote::at`] and ID, starting after a known one.
pub fn to_note(
    tx: &mut dyn Transaction,
    until: Timestamp,
    after: (Timestamp, DeliveryId),
    limit: u32,
) -> Result<Vec<ToNote>, Error> {
    let rows = tx.query(&sql::TO_NOTE, values![until, after.0, after.1.0, limit])?;
    rows.iter()
        .map(|row| {
            Ok(ToNote {
                id: DeliveryId(row.get("id")?),
                company: row.get("company_id")?,
                workflow: row.get("workflow_id")?,
                event_id: row.get("event_id")?,
                kind: row.parse("kind", Kind::parse)?,
                at: row.get("finished_at")?,
            })
        })
        .collect()
}

/// Marks deliveries as recorded in the audit trails. Returns those that were not marked before.
pub fn set_noted(
    tx: &mut dyn Transaction,
    ids: impl IntoIterator<Item = DeliveryId>,
) -> Result<HashSet<DeliveryId>, Error> {
    // The same order as when codes are erased, so that the two cannot deadlock.
    let ids: BTreeSet<DeliveryId> = ids.into_iter().collect();
    let ids = ids.iter().map(|id| json!({"kind": "noted", "id": id.0})).collect();
    tx.query(&sql::NOTED, values![text(ids)])?
        .iter()
        .map(|row| Ok(DeliveryId(row.get("id")?)))
        .collect()
}

/// Sends a webhook again if it was accepted, was given up or waits for its next try. Returns whether it was in such a
/// state.
pub fn resend(tx: &mut dyn Transaction, company: &CompanyId, id: DeliveryId, now: Timestamp) -> Result<bool, Error> {
    Ok(tx.execute(&sql::RESEND, values![company.as_str(), id.0, now])? == 1)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryFilter {
    pub workflow: Option<WorkflowId>,
    pub state: Option<State>,
    /// An endpoint's normalised URL.
    pub url: Option<String>,
    /// Only deliveries decided at this time or later.
    pub from: Timestamp,
    /// Only deliveries decided before this time.
    pub to: Timestamp,
}

/// Returns the parameters of [`sql::HISTORY`] and [`sql::RANGE`].
fn history_values(company: &CompanyId, filter: &HistoryFilter, id: i64, limit: u32) -> [Value; 8] {
    [
        company.as_str().into(),
        id.into(),
        filter.workflow.map(WorkflowId::get).into(),
        filter.state.map(State::word).into(),
        filter.url.as_deref().into(),
        filter.from.into(),
        filter.to.into(),
        limit.into(),
    ]
}

/// Returns the company's webhooks with IDs below `before`, newest first.
pub fn history(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    filter: &HistoryFilter,
    before: i64,
    limit: u32,
) -> Result<Vec<Delivery>, Error> {
    let rows = tx.query(&sql::HISTORY, history_values(company, filter, before, limit).as_slice())?;
    rows.iter().map(read_delivery).collect()
}

/// Returns the finished webhooks of a range, oldest first: at most `limit` of those with IDs above `after`.
pub fn range(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    filter: &HistoryFilter,
    after: i64,
    limit: u32,
) -> Result<Vec<DeliveryId>, Error> {
    let rows = tx.query(&sql::RANGE, history_values(company, filter, after, limit).as_slice())?;
    rows.iter().map(|row| Ok(DeliveryId(row.get("id")?))).collect()
}

/// Sends a range of webhooks again. Returns their IDs.
pub fn resend_range(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    filter: &HistoryFilter,
    after: i64,
    limit: u32,
    now: Timestamp,
) -> Result<Vec<DeliveryId>, Error> {
    let found = range(tx, company, filter, after, limit)?;
    for id in &found {
        resend(tx, company, *id, now)?;
    }
    Ok(found)
}

/// The limits of a company's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryBound {
    /// Delete deliveries that finished by this time. Mails and text messages of running documents stay.
    pub until: Timestamp,
    /// The number of finished deliveries to keep, newest first.
    pub most: u32,
    /// Delete deliveries that finished by this time even if the workflow's audit trail does not contain them.
    pub untold_until: Timestamp,
    /// The number of deliveries to delete at once.
    pub at_once: u32,
}

/// Deletes the part of a company's history beyond the limits, oldest first. Returns how many. If that is `at_once`,
/// there may be more. Unfinished deliveries are not part of the history, and stay.
pub fn forget(tx: &mut dyn Transaction, company: &CompanyId, bound: &HistoryBound) -> Result<u64, Error> {
    let too_many = tx.query_optional(&sql::HISTORY_END, values![company.as_str(), bound.most])?;
    let (mut at, mut id) = (bound.until, i64::MAX);
    if let Some(row) = too_many {
        let newest: (Timestamp, i64) = (row.get("finished_at")?, row.get("id")?);
        (at, id) = newest.max((at, id));
    }
    let end = values![company.as_str(), at, id, bound.at_once, bound.untold_until];
    tx.execute(&sql::FORGET, end)
}

/// Like [`forget`], for mails and text messages.
pub fn forget_messages(tx: &mut dyn Transaction, company: &CompanyId, bound: &HistoryBound) -> Result<u64, Error> {
    let forget = |tx: &mut dyn Transaction, (at, id): (Timestamp, i64), is_any: bool| {
        let (at_once, untold_until) = (bound.at_once, bound.untold_until);
        tx.execute(
            &sql::FORGET_MESSAGES,
            values![company.as_str(), at, id, at_once, untold_until, i64::from(is_any)],
        )
    };
    let mut forgotten = forget(tx, (bound.until, i64::MAX), false)?;
    if let Some(row) = tx.query_optional(&sql::MESSAGES_END, values![company.as_str(), bound.most])? {
        forgotten += forget(tx, (row.get("finished_at")?, row.get("id")?), true)?;
    }
    Ok(forgotten)
}

/// A delivery as shown in the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub id: DeliveryId,
    pub workflow: Option<WorkflowId>,
    pub event_id: String,
    pub kind: Kind,
    pub url: Option<String>,
    pub state: State,
    /// The number of tries in this round.
    pub tries: u32,
    /// The number of tries in all rounds.
    pub tries_made: u32,
    pub created_at: Timestamp,
    /// When the next try is due, if there is one.
    pub due_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

fn read_delivery(row: &Row) -> Result<Delivery, Error> {
    Ok(Delivery {
        id: DeliveryId(row.get("id")?),
        workflow: row.get::<Option<i64>>("workflow_id")?.map(WorkflowId),
        event_id: row.get("event_id")?,
        kind: row.parse("kind", Kind::parse)?,
        url: row.get("url")?,
        state: row.parse("state", State::parse)?,
        tries: row.get("tries")?,
        tries_made: row.get("tries_made")?,
        created_at: row.get("created_at")?,
        due_at: row.get("due_at")?,
        finished_at: row.get("finished_at")?,
    })
}

pub fn delivery(tx: &mut dyn Transaction, company: &CompanyId, id: DeliveryId) -> Result<Option<Delivery>, Error> {
    tx.query_optional(&sql::DELIVERY, values![company.as_str(), id.0])?
        .as_ref()
        .map(read_delivery)
        .transpose()
}

/// Returns a delivery's tries, oldest first.
pub fn tries(tx: &mut dyn Transaction, company: &CompanyId, id: DeliveryId) -> Result<Vec<Try>, Error> {
    let rows = tx.query(&sql::TRIES, values![company.as_str(), id.0])?;
    rows.iter()
        .map(|row| {
            Ok(Try {
                at: row.get("at")?,
                duration: row.get("duration")?,
                code: row.get("code")?,
                fault: row.get("fault")?,
                answer: row.get("answer")?,
            })
        })
        .collect()
}
