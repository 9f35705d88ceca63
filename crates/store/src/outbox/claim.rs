//! Claims due deliveries under a lease, and releases claims.

use std::collections::BTreeMap;

use domain::{ClientId, CompanyId, WorkflowId};
use jiff::Timestamp;
use serde_json::json;

use super::finish::MOST_TRIES_KEPT;
use super::{DeliveryId, Kind, Lane, PORTION, State, text};
use crate::sql::delivery as sql;
use crate::{Error, Row, Transaction, values};

/// The maximum number of deliveries in one lane that one claim takes. The SQL statement contains the same number.
pub const MOST_OF_LANE: u32 = 64;

/// How a claimed delivery is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimedChannel {
    /// An HTTP POST.
    Webhook {
        url: String,
        /// The API client whose secret signs the delivery.
        client: ClientId,
        /// The value of the Authorization header, encrypted.
        authorization: Option<Vec<u8>>,
    },
    Mail,
    Message,
}

/// A delivery under lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    pub id: DeliveryId,
    pub company: CompanyId,
    pub workflow: Option<WorkflowId>,
    pub event_id: String,
    pub channel: ClaimedChannel,
    /// The receiver, to which the limit per receiver applies.
    pub receiver: String,
    /// The content, encrypted.
    pub body: Vec<u8>,
    /// The number of tries in this round.
    pub tries: u32,
    /// The number of tries in all rounds.
    pub tries_made: i64,
    /// Whether the delivery has been tried at least once.
    pub first_try_done: bool,
    pub created_at: Timestamp,
    /// The lease under which it was claimed.
    pub lease: String,
    pub lease_until: Timestamp,
}

impl Claimed {
    pub fn lane(&self) -> Lane {
        Lane {
            receiver: self.receiver.clone(),
            company: self.company.clone(),
        }
    }

    /// Returns the company and URL of the endpoint. `None` for a mail or text message.
    pub fn endpoint(&self) -> Option<(&str, &str)> {
        match &self.channel {
            ClaimedChannel::Webhook { url, .. } => Some((self.company.as_str(), url.as_str())),
            ClaimedChannel::Mail | ClaimedChannel::Message => None,
        }
    }

    /// Returns the number of the try this claim is for, over all rounds, from 1. Only the holder of the lease counts
    /// tries.
    pub(super) fn number_of_this_try(&self) -> i64 {
        self.tries_made + 1
    }

    /// Whether [`finish_taken`] can record this delivery. It cannot if the number of tries is so high that the oldest
    /// must be deleted.
    pub fn fits_batch(&self) -> bool {
        self.number_of_this_try() <= MOST_TRIES_KEPT
    }
}

/// A lane that contains due deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueLane {
    pub lane: Lane,
    /// Whether the first due delivery has failed before.
    pub has_failed: bool,
}

/// Returns the lanes with due deliveries, starting with the one that has waited longest. Looks at each lane once,
/// however many deliveries wait in it. A single `SELECT`.
pub fn due_lanes(tx: &mut dyn Transaction, now: Timestamp) -> Result<Vec<DueLane>, Error> {
    tx.query(&sql::DUE_LANES, values![now])?
        .iter()
        .map(|row| {
            Ok(DueLane {
                lane: Lane {
                    receiver: row.get("receiver")?,
                    company: row.get("company_id")?,
                },
                has_failed: row.get::<u32>("tries")? > 0,
            })
        })
        .collect()
}

#[derive(Debug, Clone)]
pub struct Claim {
    /// A text that no other claim uses.
    pub lease: String,
    /// The worker that claims, so that its successor can release the claims of a dead worker.
    pub owner: String,
    pub now: Timestamp,
    /// When the lease expires.
    pub until: Timestamp,
    /// The lanes, and the maximum number of deliveries to claim in each.
    pub lanes: Vec<(Lane, u32)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Taken {
    /// Leased and ready to be tried.
    pub claimed: Vec<Claimed>,
    /// Also leased, but the endpoint is stopped: [hold](hold_claimed) these.
    pub stopped: BTreeMap<(CompanyId, String), Vec<DeliveryId>>,
}

/// Claims due deliveries of these lanes, starting with those that have waited longest. A single statement.
pub fn claim(tx: &mut dyn Transaction, claim: &Claim) -> Result<Taken, Error> {
    let lanes = claim
        .lanes
        .iter()
        .map(|(lane, room)| json!({"kind": "lane", "receiver": lane.receiver, "company": lane.company.as_str(), "room": room.min(&MOST_OF_LANE)}))
        .collect();
    let most = claim
        .lanes
        .iter()
        .map(|(_, room)| *room)
        .max()
        .unwrap_or(0)
        .min(MOST_OF_LANE);
    let rows = tx.query(
        &sql::CLAIM,
        values![
            claim.lease.as_str(),
            claim.owner.as_str(),
            claim.until,
            claim.now,
            text(lanes),
            most
        ],
    )?;
    let mut taken = Taken::default();
    for row in &rows {
        let delivery = read_claimed(row, claim)?;
        match (&delivery.channel, row.get::<Option<Timestamp>>("stopped_at")?) {
            (ClaimedChannel::Webhook { url, .. }, Some(_)) => {
                let endpoint = (delivery.company.clone(), url.clone());
                taken.stopped.entry(endpoint).or_default().push(delivery.id);
            }
            _ => taken.claimed.push(delivery),
        }
    }
    taken.claimed.sort_by_key(|delivery| delivery.id);
    Ok(taken)
}

/// Holds the claimed deliveries of an endpoint if it is still stopped, and a portion of the others that wait for it.
/// Returns how many. If it was switched on meanwhile, the claimed deliveries are due immediately. Deliveries that
/// another worker is handling are held by that worker.
pub fn hold_claimed(
    tx: &mut dyn Transaction,
    (company, url): (&CompanyId, &str),
    met: &[DeliveryId],
    lease: &str,
    now: Timestamp,
) -> Result<u64, Error> {
    let is_stopped = tx.execute(&sql::HOLD_BACK_ONE, values![company.as_str(), url])? == 1;
    let statement = if is_stopped { &sql::HOLD_CLAIMED } else { &sql::RELEASE };
    let mut held = 0;
    for id in met {
        held += tx.execute(statement, values![id.0, lease, now])?;
    }
    if !is_stopped {
        return Ok(0);
    }
    Ok(held
        + tx.execute(
            &sql::HOLD,
            values![company.as_str(), url, State::Waiting.word(), PORTION],
        )?)
}

/// Moves due times after the clock was set back. Deliveries that were tried or decided later than now would otherwise
/// wait until the clock reaches that time again. Returns how many.
pub fn count_anew(tx: &mut dyn Transaction, now: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::COUNT_ANEW, values![now])
}

fn read_claimed(row: &Row, claim: &Claim) -> Result<Claimed, Error> {
    let kind = row.parse("kind", Kind::parse)?;
    let channel = match kind {
        Kind::Webhook => ClaimedChannel::Webhook {
            url: row.get("url")?,
            client: ClientId(row.get("client_id")?),
            authorization: row.get("authorization_header")?,
        },
        Kind::Mail => ClaimedChannel::Mail,
        Kind::Message => ClaimedChannel::Message,
    };
    Ok(Claimed {
        id: DeliveryId(row.get("id")?),
        company: row.parse("company_id", CompanyId::parse)?,
        workflow: row.get::<Option<i64>>("workflow_id")?.map(WorkflowId),
        event_id: row.get("event_id")?,
        channel,
        receiver: row.get("receiver")?,
        body: row.get("body")?,
        tries: row.get("tries")?,
        tries_made: row.get("tries_made")?,
        first_try_done: row.get("first_try_done")?,
        created_at: row.get("created_at")?,
        lease: claim.lease.clone(),
        lease_until: claim.until,
    })
}

/// Releases a claimed delivery untried, due at `due_at`. Returns whether the caller still held the lease.
pub fn release(tx: &mut dyn Transaction, claimed: DeliveryId, lease: &str, due_at: Timestamp) -> Result<bool, Error> {
    Ok(tx.execute(&sql::RELEASE, values![claimed.0, lease, due_at])? == 1)
}

/// Releases all deliveries of one claim. Returns how many.
pub fn release_claim(tx: &mut dyn Transaction, owner: &str, lease: &str, due_at: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::RELEASE_CLAIM, values![owner, lease, due_at])
}

/// Returns the workers that hold leases.
pub fn lease_owners(tx: &mut dyn Transaction) -> Result<Vec<String>, Error> {
    tx.query(&sql::LEASE_OWNERS, &[])?
        .iter()
        .map(|row| row.get("lease_owner"))
        .collect()
}

/// Releases all deliveries that a dead worker had claimed. Returns how many.
pub fn release_owner(tx: &mut dyn Transaction, owner: &str, now: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::RELEASE_OWNER, values![owner, now])
}
