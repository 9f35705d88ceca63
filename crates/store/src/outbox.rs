//! The outbox: everything we must send, from the transaction that decided it to the last try.
//!
//! **Actors.** A use-case enqueues in its own transaction, so a change and its messages are kept or lost together. The
//! runner (delivery crate) claims what is due under a lease, makes the call with no transaction open, and finishes with
//! an update that only applies while it still holds the lease.
//!
//! **Guarantees.**
//! - At least once: a delivery is over only when an answer was recorded. A worker that dies loses its lease, and the
//!   delivery is due again when the lease expires. The event's id is the same on every try, so a receiver can drop
//!   duplicates.
//! - First tries of one workflow's webhooks go out in the order of the events: a later one is not claimed while an
//!   earlier one has not been tried.
//! - A stopped endpoint's deliveries are held, and go on where they were when it is switched on. Deliveries enqueued
//!   meanwhile are held once a claim has met them. Both holding and switching on write the endpoint's row: at the same
//!   moment one of them runs again, so nothing stays held for an endpoint that is on.
//! - No transaction is long, however much waits: a claim looks at each [`Lane`] once and takes its first few, and a
//!   backlog is held and released in portions ([`PORTION`]). The endpoint's row says whether there is more to release.
//!
//! May use every other room but `driver` and `evidence`.
//!
//! Bodies and authorization values arrive encrypted (the app's vault) and are never read here.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use domain::public_address::CallbackUrl;
use domain::{ClientId, CompanyId, WorkflowId};
use jiff::Timestamp;
use serde_json::json;

use crate::sql::delivery as sql;
use crate::{Error, Row, Transaction, Value, values};

pub mod node;

/// How many deliveries one transaction holds or releases.
pub const PORTION: u32 = 1_000;
/// The most deliveries of one lane that one claim takes. The SQL statement contains the same number.
pub const MOST_OF_LANE: u32 = 64;
/// The prefix of receivers of mails and text messages. No host begins like this.
const OF_LETTERS: &str = ":";
/// The suffix of receivers of one-time codes. They have their own places and do not wait for other messages.
const OF_CODES: &str = "/code";

/// What waits for one receiver from one company. Claims are made by lane.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane {
    /// A host, the mail server, or a gateway.
    pub receiver: String,
    pub company: CompanyId,
}

impl Lane {
    /// Whether it contains mails or text messages rather than webhooks.
    pub fn is_of_letters(&self) -> bool {
        self.receiver.starts_with(OF_LETTERS)
    }

    /// Whether it contains one-time codes, for which a person is waiting.
    pub fn is_of_codes(&self) -> bool {
        self.is_of_letters() && self.receiver.ends_with(OF_CODES)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeliveryId(pub i64);

impl std::fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// How a new delivery is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewChannel {
    /// A POST to a customer's server.
    Webhook {
        /// The endpoint's URL as the workflow stores it: checked and normalised.
        url: String,
        /// The API client whose secret signs it.
        client: ClientId,
        /// The customer's value of the Authorization header, encrypted.
        authorization: Option<Vec<u8>>,
    },
    /// A mail. Without a mail server the outbox page shows it.
    Mail(NewLetter),
    /// A text message. If no gateway serves the number, the outbox page shows it.
    Message {
        /// The first gateway to ask. `None` if no gateway serves the number.
        gateway: Option<String>,
        letter: NewLetter,
    },
}

/// What we need to know about a message without decrypting it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewLetter {
    /// Anything but a one-time code.
    Ordinary,
    Code {
        /// When the code is erased from the stored message.
        erase_at: Timestamp,
    },
}

impl NewChannel {
    /// The receiver that the limit per receiver counts.
    fn receiver(&self) -> String {
        let (way, letter) = match self {
            NewChannel::Webhook { url, .. } => {
                return CallbackUrl::stored(url).map_or_else(|| url.clone(), |url| url.host().to_owned());
            }
            NewChannel::Mail(letter) => ("mail".to_owned(), letter),
            NewChannel::Message { gateway, letter } => {
                (format!("gateway/{}", gateway.as_deref().unwrap_or_default()), letter)
            }
        };
        let end = if matches!(letter, NewLetter::Code { .. }) {
            OF_CODES
        } else {
            ""
        };
        format!("{OF_LETTERS}{way}{end}")
    }

    fn erase_at(&self) -> Option<Timestamp> {
        match self {
            NewChannel::Mail(NewLetter::Code { erase_at })
            | NewChannel::Message {
                letter: NewLetter::Code { erase_at },
                ..
            } => Some(*erase_at),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDelivery {
    pub company: CompanyId,
    pub workflow: Option<WorkflowId>,
    /// The event's id, the same on every try: `webhook-id`, or the left part of a mail's Message-ID. Unique.
    pub event_id: String,
    pub channel: NewChannel,
    /// The content, encrypted.
    pub body: Vec<u8>,
    /// When it was decided.
    pub created_at: Timestamp,
}

/// Adds a delivery to the outbox, in the caller's transaction.
pub fn enqueue(tx: &mut dyn Transaction, new: &NewDelivery) -> Result<(), Error> {
    let (kind, url, client, authorization) = match &new.channel {
        NewChannel::Webhook {
            url,
            client,
            authorization,
        } => (Kind::Webhook, Some(url), Some(client.0), authorization.clone()),
        NewChannel::Mail(_) => (Kind::Mail, None, None, None),
        NewChannel::Message { .. } => (Kind::Message, None, None, None),
    };
    tx.execute_later(
        &sql::ENQUEUE,
        values![
            new.company.as_str(),
            new.workflow.map(WorkflowId::get),
            &new.event_id,
            kind.word(),
            new.channel.receiver(),
            url,
            client,
            authorization,
            new.body.as_slice(),
            State::Waiting.word(),
            new.created_at,
            new.channel.erase_at(),
        ],
    )
}

macro_rules! words {
    ($(#[$outer:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident => $word:literal,)* }) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$inner])* $variant,)*
        }

        impl $name {
            /// The word in the database and in answers.
            pub const fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }

            pub fn parse(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok($name::$variant),)*
                    other => Err(format!("{other:?} is unknown")),
                }
            }
        }
    };
}

words! {
    Kind {
        /// A POST to a customer's server.
        Webhook => "webhook",
        Mail => "mail",
        /// A text message.
        Message => "message",
    }
}

words! {
    State {
        /// To be tried, for the first time or again.
        Waiting => "waiting",
        /// Its endpoint is stopped.
        Held => "held",
        /// Accepted by its receiver.
        Delivered => "delivered",
        /// Given up after the last try; a resend revives it.
        Dead => "dead",
        /// Nowhere to send it: the outbox page shows it.
        Kept => "kept",
    }
}

words! {
    StopReason {
        /// It answered 410.
        Gone => "gone",
        /// It has only failed for days.
        Failing => "failing",
    }
}

/// How a claimed delivery is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimedChannel {
    /// A POST.
    Webhook {
        url: String,
        /// The client whose secret signs it.
        client: ClientId,
        /// The Authorization header's value, encrypted.
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
    /// The receiver that the limit per receiver counts.
    pub receiver: String,
    /// The content, encrypted.
    pub body: Vec<u8>,
    /// Tries in this round so far.
    pub tries: u32,
    /// Tries in all rounds so far.
    pub tries_made: i64,
    /// Whether the first try ever is over.
    pub first_try_done: bool,
    /// When it was decided.
    pub created_at: Timestamp,
    /// The lease that holds it.
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

    /// The company and URL of its endpoint. `None` for a mail or text message.
    pub fn endpoint(&self) -> Option<(&str, &str)> {
        match &self.channel {
            ClaimedChannel::Webhook { url, .. } => Some((self.company.as_str(), url.as_str())),
            ClaimedChannel::Mail | ClaimedChannel::Message => None,
        }
    }

    /// The number of the try this claim is for, over all rounds, from 1. Only the holder of the lease counts tries.
    fn number_of_this_try(&self) -> i64 {
        self.tries_made + 1
    }

    /// Whether [`finish_taken`] can record it. It cannot if the delivery has been tried so often that its oldest tries
    /// must be forgotten.
    pub fn fits_batch(&self) -> bool {
        self.number_of_this_try() <= MOST_TRIES_KEPT
    }
}

/// A lane in which something is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueLane {
    pub lane: Lane,
    /// Whether the first due delivery has failed before.
    pub has_failed: bool,
}

/// The lanes in which something is due, the one that has waited longest first. Looks at each lane once, however much
/// waits in it. A single `SELECT`.
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
    /// The worker that asks, so that its successor can release what a dead worker held.
    pub owner: String,
    pub now: Timestamp,
    /// When the lease expires.
    pub until: Timestamp,
    /// The lanes, and the most deliveries to claim of each.
    pub lanes: Vec<(Lane, u32)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Taken {
    /// Leased and ready to be tried.
    pub claimed: Vec<Claimed>,
    /// Also leased, but the endpoint is stopped: [hold](hold_claimed) these.
    pub stopped: BTreeMap<(CompanyId, String), Vec<DeliveryId>>,
}

/// Claims due deliveries of the given lanes, those that have waited longest first. A single statement.
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
/// Returns how many. If it was switched on meanwhile, the claimed deliveries are due at once. Deliveries that another
/// worker is handling are left to that worker, who holds them.
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

/// Moves due times after the clock was set back: deliveries that were tried or decided later than now would otherwise
/// wait until the clock is that late again. Returns how many.
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

/// Gives a claimed delivery back untried, due at `due_at`. Returns whether the caller still held the lease.
pub fn release(tx: &mut dyn Transaction, claimed: DeliveryId, lease: &str, due_at: Timestamp) -> Result<bool, Error> {
    Ok(tx.execute(&sql::RELEASE, values![claimed.0, lease, due_at])? == 1)
}

/// Gives back everything that one claim took. Returns how many.
pub fn release_claim(tx: &mut dyn Transaction, owner: &str, lease: &str, due_at: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::RELEASE_CLAIM, values![owner, lease, due_at])
}

/// The workers that hold leases.
pub fn lease_owners(tx: &mut dyn Transaction) -> Result<Vec<String>, Error> {
    tx.query(&sql::LEASE_OWNERS, &[])?
        .iter()
        .map(|row| row.get("lease_owner"))
        .collect()
}

/// Gives back everything that a dead worker had claimed. Returns how many.
pub fn release_owner(tx: &mut dyn Transaction, owner: &str, now: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::RELEASE_OWNER, values![owner, now])
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Try {
    pub at: Timestamp,
    /// In microseconds.
    pub duration: i64,
    /// The HTTP status or the mail server's code. `None` if no answer came.
    pub code: Option<u16>,
    /// What went wrong, if it was not the answer.
    pub fault: Option<String>,
    pub answer: String,
}

/// What happens to a delivery after a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Delivered,
    /// It failed; the next try is due then.
    Retry(Timestamp),
    /// It failed, and it was the last try.
    Dead,
    /// It could not be sent at all, which says nothing about its receiver. Contains the time of the next try, if there
    /// is one.
    NotSent(Option<Timestamp>),
    /// The receiver is gone for good.
    Gone,
}

/// How long an endpoint may only fail before it is stopped: five days, in seconds.
pub const LONGEST_FAILURE: i64 = 5 * 24 * 60 * 60;

/// How many tries of one delivery are stored: three rounds. Resending endlessly must not fill the disk.
pub const MOST_TRIES_KEPT: i64 = 30;

/// The result of finishing a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    /// The lease was lost: another worker has the delivery now, and the try was not recorded.
    LeaseLost {
        /// Set if this try stopped the endpoint anyway: it was made, and it failed.
        stopped: Option<StopReason>,
    },
    Recorded {
        state: State,
        /// Set if this try stopped the endpoint; its company's admins must be notified.
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
        // The endpoint's health, which we just wrote, is still true: the try was made.
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

/// Whose mail this is, and of which workflow. `None` if no mail with this event's id was accepted, or if it has already bounced.
pub fn accepted_mail(
    tx: &mut dyn Transaction,
    event_id: &str,
) -> Result<Option<(CompanyId, Option<WorkflowId>)>, Error> {
    let row = tx.query_optional(&sql::ACCEPTED_MAIL, values![event_id])?;
    row.map(|row| Ok((row.get("company_id")?, row.get("workflow_id")?)))
        .transpose()
}

/// Turns a mail that bounced after its server had accepted it into a dead letter; the report becomes its last try
/// ([`note_return`]). `None` if no mail with this event's id was accepted, or if it has already bounced.
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

/// Records the report about a mail that bounced.
pub fn note_return(tx: &mut dyn Transaction, mail: &CameBack, report: &Try) -> Result<(), Error> {
    insert_try(tx, mail.id, mail.number, report)
}

/// Records several accepted deliveries in a single statement: the same as [`finish`] for each that [fits such a
/// batch](Claimed::fits_batch). Returns those whose lease the caller still held.
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

/// A list as a parameter.
fn text(list: Vec<serde_json::Value>) -> String {
    serde_json::Value::Array(list).to_string()
}

/// Whether the endpoint is stopped now, and the reason if this failure stopped it.
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

/// Deliveries accepted by `until` that their workflows' audit trails do not contain yet, in order of [`ToNote::at`] and
/// id, starting after a known one.
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
    // In the same order in which codes are erased.
    let ids: BTreeSet<DeliveryId> = ids.into_iter().collect();
    let ids = ids.iter().map(|id| json!({"kind": "noted", "id": id.0})).collect();
    tx.query(&sql::NOTED, values![text(ids)])?
        .iter()
        .map(|row| Ok(DeliveryId(row.get("id")?)))
        .collect()
}

/// An endpoint that fails or is stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub url: String,
    /// Since when it has only failed. `None` if it was paused while it did not fail.
    pub failing_since: Option<Timestamp>,
    /// When and why it was stopped.
    pub stopped: Option<(Timestamp, Stop)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Its own failures; the company's admins were notified.
    Failures(StopReason),
    /// A member of the company.
    Paused,
}

impl Stop {
    /// The word in the database and in answers.
    pub const fn word(self) -> &'static str {
        match self {
            Stop::Failures(reason) => reason.word(),
            Stop::Paused => "paused",
        }
    }

    fn parse(text: &str) -> Result<Stop, String> {
        if text == Stop::Paused.word() {
            Ok(Stop::Paused)
        } else {
            StopReason::parse(text).map(Stop::Failures)
        }
    }
}

/// Stops an endpoint for a member: its deliveries are held until it is switched on. Returns how many are held now;
/// `None` if it was already stopped.
pub fn pause_endpoint(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    url: &str,
    now: Timestamp,
) -> Result<Option<u64>, Error> {
    if tx.execute(&sql::ENDPOINT_PAUSE, values![company.as_str(), url, now])? == 0 {
        return Ok(None);
    }
    let held = tx.execute(
        &sql::HOLD,
        values![company.as_str(), url, State::Waiting.word(), PORTION],
    )?;
    if held < u64::from(PORTION) {
        return Ok(Some(held));
    }
    held_of(tx, company, url).map(Some)
}

/// How many deliveries are held for a stopped endpoint.
pub fn held_of(tx: &mut dyn Transaction, company: &CompanyId, url: &str) -> Result<u64, Error> {
    tx.query_one(&sql::HELD_OF, values![company.as_str(), url])?.get("held")
}

/// How many endpoints a company has paused.
pub fn paused(tx: &mut dyn Transaction, company: &CompanyId) -> Result<u64, Error> {
    tx.query_one(&sql::PAUSED, values![company.as_str()])?.get("paused")
}

/// Whether a company uses an endpoint: it failed or was stopped, something was sent to it, or a running workflow will
/// call it. No index supports this, so do not call it in a writing transaction.
pub fn knows_endpoint(tx: &mut dyn Transaction, company: &CompanyId, url: &str) -> Result<bool, Error> {
    let in_settings = format!("\"url\":{}", json!(url));
    tx.query_one(&sql::ENDPOINT_KNOWN, values![company.as_str(), url, in_settings])?
        .get("known")
}

/// The company's endpoints that fail or are stopped, ordered by address, after a given one.
pub fn endpoints(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    after: &str,
    limit: u32,
) -> Result<Vec<Endpoint>, Error> {
    let rows = tx.query(&sql::ENDPOINTS, values![company.as_str(), after, limit])?;
    rows.iter()
        .map(|row| {
            let stopped = match row.get::<Option<Timestamp>>("stopped_at")? {
                Some(at) => Some((at, row.parse("stopped_reason", Stop::parse)?)),
                None => None,
            };
            Ok(Endpoint {
                url: row.get("url")?,
                failing_since: row.get("failing_since")?,
                stopped,
            })
        })
        .collect()
}

/// Switches a stopped endpoint on. A first portion of what was held is due now, the rest follows with [`let_go`].
/// Returns how many deliveries in all; `None` if it was not stopped.
pub fn start_endpoint(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    url: &str,
    now: Timestamp,
) -> Result<Option<u64>, Error> {
    if tx.execute(&sql::ENDPOINT_START, values![company.as_str(), url, now])? == 0 {
        return Ok(None);
    }
    let released = let_go_portion(tx, company, url, now)?;
    if released < u64::from(PORTION) {
        return Ok(Some(released));
    }
    held_of(tx, company, url).map(Some)
}

/// An endpoint that is on again while something is still held for it.
pub fn letting_go(tx: &mut dyn Transaction) -> Result<Option<(CompanyId, String)>, Error> {
    let row = tx.query_optional(&sql::LETTING_GO, &[])?;
    row.map(|row| Ok((row.get("company_id")?, row.get("url")?))).transpose()
}

/// Releases the next portion of what was held for it. Returns how many.
pub fn let_go(tx: &mut dyn Transaction, company: &CompanyId, url: &str, now: Timestamp) -> Result<u64, Error> {
    // If it was stopped again meanwhile, everything stays held.
    if tx.execute(&sql::LETS_GO, values![company.as_str(), url])? == 0 {
        return Ok(0);
    }
    let_go_portion(tx, company, url, now)
}

fn let_go_portion(tx: &mut dyn Transaction, company: &CompanyId, url: &str, now: Timestamp) -> Result<u64, Error> {
    let released = tx.execute(&sql::LET_GO, values![company.as_str(), url, now, PORTION])?;
    if released < u64::from(PORTION) {
        tx.execute_one(&sql::HAS_LET_GO, values![company.as_str(), url])?;
    }
    Ok(released)
}

/// Sends a webhook again, whether it was accepted, was given up or waits for its next try. Returns whether it was in
/// such a state.
pub fn resend(tx: &mut dyn Transaction, company: &CompanyId, id: DeliveryId, now: Timestamp) -> Result<bool, Error> {
    Ok(tx.execute(&sql::RESEND, values![company.as_str(), id.0, now])? == 1)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryFilter {
    pub workflow: Option<WorkflowId>,
    pub state: Option<State>,
    /// An endpoint's normalised URL.
    pub url: Option<String>,
    /// Decided then or later.
    pub from: Timestamp,
    /// Decided earlier.
    pub to: Timestamp,
}

/// The parameters of [`sql::HISTORY`] and [`sql::RANGE`].
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

/// The company's webhooks with ids below `before`, newest first.
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

/// The webhooks of a range that are over, oldest first: at most `limit` of those with ids above `after`.
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

/// Sends a range of webhooks again. Returns their ids.
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

/// How much of its history a company keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryBound {
    /// Forget what was over by then. Mails and text messages of running documents stay.
    pub until: Timestamp,
    /// How many deliveries that are over to keep, the newest first.
    pub most: u32,
    /// Forget what was over by then even if the workflow's audit trail does not contain it.
    pub untold_until: Timestamp,
    /// How many to forget at once.
    pub at_once: u32,
}

/// Forgets the part of a company's history beyond the bound, oldest first. Returns how many; if that is `at_once`,
/// there may be more. Deliveries that are not over are not history, and stay.
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

/// The same for mails and text messages.
pub fn forget_letters(tx: &mut dyn Transaction, company: &CompanyId, bound: &HistoryBound) -> Result<u64, Error> {
    let forget = |tx: &mut dyn Transaction, (at, id): (Timestamp, i64), is_any: bool| {
        let (at_once, untold_until) = (bound.at_once, bound.untold_until);
        tx.execute(
            &sql::FORGET_LETTERS,
            values![company.as_str(), at, id, at_once, untold_until, i64::from(is_any)],
        )
    };
    let mut forgotten = forget(tx, (bound.until, i64::MAX), false)?;
    if let Some(row) = tx.query_optional(&sql::LETTERS_END, values![company.as_str(), bound.most])? {
        forgotten += forget(tx, (row.get("finished_at")?, row.get("id")?), true)?;
    }
    Ok(forgotten)
}

/// A message with a one-time code that has expired, or an old message that may contain one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToErase {
    pub id: DeliveryId,
    /// Whether it contains a code even if none is found in it. Messages from before this was stored do not say so.
    pub is_code: bool,
    /// The content, encrypted.
    pub body: Vec<u8>,
}

/// Messages whose codes are due to be erased.
pub fn to_erase(tx: &mut dyn Transaction, now: Timestamp, limit: u32) -> Result<Vec<ToErase>, Error> {
    tx.query(&sql::TO_ERASE, values![now, limit])?
        .iter()
        .map(|row| {
            let lane = Lane {
                receiver: row.get("receiver")?,
                company: row.get("company_id")?,
            };
            Ok(ToErase {
                id: DeliveryId(row.get("id")?),
                is_code: lane.is_of_codes(),
                body: row.get("body")?,
            })
        })
        .collect()
}

/// Replaces the body by one without the code. A message that was not sent by now is given up.
pub fn erase(tx: &mut dyn Transaction, id: DeliveryId, body: &[u8], now: Timestamp) -> Result<(), Error> {
    tx.execute_later(&sql::ERASE, values![id.0, body, now])
}

/// Marks that a message contains no code; it stays as it is.
pub fn holds_no_code(tx: &mut dyn Transaction, id: DeliveryId) -> Result<(), Error> {
    tx.execute_later(&sql::HOLDS_NO_CODE, values![id.0])
}

/// How many deliveries wait for each of the company's stopped endpoints.
pub fn held(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    after: &str,
    last: &str,
) -> Result<BTreeMap<String, u64>, Error> {
    tx.query(&sql::HELD, values![company.as_str(), after, last])?
        .iter()
        .map(|row| Ok((row.get("url")?, row.get("held")?)))
        .collect()
}

/// A delivery as the history shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub id: DeliveryId,
    pub workflow: Option<WorkflowId>,
    pub event_id: String,
    pub kind: Kind,
    pub url: Option<String>,
    pub state: State,
    /// Tries in this round.
    pub tries: u32,
    /// Tries in all rounds.
    pub tries_made: u32,
    /// When it was decided.
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

/// A delivery's tries, oldest first.
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

/// A mail or text message. Its body is still encrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub id: DeliveryId,
    pub workflow: Option<WorkflowId>,
    pub kind: Kind,
    /// The content, encrypted.
    pub body: Vec<u8>,
    pub state: State,
    /// When it was decided.
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// The mail server's code at the last try.
    pub code: Option<u16>,
    /// What went wrong at the last try.
    pub fault: Option<String>,
    /// The mail server's words at the last try.
    pub answer: Option<String>,
}

fn read_message(row: &Row) -> Result<Message, Error> {
    Ok(Message {
        id: DeliveryId(row.get("id")?),
        workflow: row.get::<Option<i64>>("workflow_id")?.map(WorkflowId),
        kind: row.parse("kind", Kind::parse)?,
        body: row.get("body")?,
        state: row.parse("state", State::parse)?,
        created_at: row.get("created_at")?,
        finished_at: row.get("finished_at")?,
        code: row.get("code")?,
        fault: row.get("fault")?,
        answer: row.get("answer")?,
    })
}

/// The company's mails and text messages with ids below `before`, newest first, at most `limit` of them.
pub fn messages(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    before: DeliveryId,
    limit: u32,
) -> Result<Vec<Message>, Error> {
    tx.query(&sql::MESSAGES, values![company.as_str(), before.0, limit])?
        .iter()
        .map(read_message)
        .collect()
}

/// The mails and text messages of one workflow, oldest first, at most `limit` of them.
pub fn messages_of_workflow(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflow: WorkflowId,
    limit: u32,
) -> Result<Vec<Message>, Error> {
    tx.query(&sql::MESSAGES_OF_WORKFLOW, values![company.as_str(), workflow, limit])?
        .iter()
        .map(read_message)
        .collect()
}

pub fn message(tx: &mut dyn Transaction, company: &CompanyId, id: DeliveryId) -> Result<Option<Message>, Error> {
    tx.query_optional(&sql::MESSAGE, values![company.as_str(), id.0])?
        .as_ref()
        .map(read_message)
        .transpose()
}
