//! How much waits in the outbox and in other queues, for the operator.

use jiff::{SignedDuration, Timestamp};

use super::OF_MESSAGES;
use crate::sql::{delivery, queue as sql};
use crate::{Error, Transaction, values};

/// What waits to be sent, of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutboxQueue {
    pub waiting: u32,
    /// How long the oldest has been due.
    pub overdue: SignedDuration,
}

/// What waits, in all companies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Queues {
    pub webhooks: OutboxQueue,
    pub mails: OutboxQueue,
    pub messages: OutboxQueue,
    pub bulk_rows: u32,
    pub timestamps: u32,
    /// How long the oldest due timestamp has been due.
    pub timestamps_overdue: SignedDuration,
}

impl Queues {
    /// The queue of a kind, as the database names it.
    fn of_kind(&mut self, kind: &str) -> &mut OutboxQueue {
        match kind {
            "webhook" => &mut self.webhooks,
            "mail" => &mut self.mails,
            _ => &mut self.messages,
        }
    }
}

/// Looks at all queues. Each count ends at `most`.
pub fn queues(tx: &mut dyn Transaction, now: Timestamp, most: u32) -> Result<Queues, Error> {
    let mut queues = Queues::default();
    for row in tx.query(&sql::OUTBOX, values![most])? {
        queues.of_kind(&row.get::<String>("kind")?).waiting = row.get("waiting")?;
    }
    for row in tx.query(&delivery::DUE_LANES, values![now])? {
        let (receiver, due): (String, Timestamp) = (row.get("receiver")?, row.get("due_at")?);
        let queue = queues.of_kind(kind_of(&receiver));
        queue.overdue = queue.overdue.max(now.duration_since(due));
    }
    for row in tx.query(&sql::BULK_ROWS, values![most])? {
        queues.bulk_rows = row.get("waiting")?;
    }
    for row in tx.query(&sql::TIMESTAMPS, values![now, most])? {
        queues.timestamps = row.get("waiting")?;
        if let Some(oldest) = row.get::<Option<Timestamp>>("oldest")? {
            queues.timestamps_overdue = now.duration_since(oldest);
        }
    }
    Ok(queues)
}

/// The kind of the messages to a receiver.
fn kind_of(receiver: &str) -> &'static str {
    match receiver.strip_prefix(OF_MESSAGES) {
        None => "webhook",
        Some(way) if way.starts_with("mail") => "mail",
        Some(_) => "message",
    }
}
