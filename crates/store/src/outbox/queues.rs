//! The sizes of the outbox and of other queues, for the operator.

use jiff::{SignedDuration, Timestamp};

use super::OF_MESSAGES;
use crate::sql::{delivery, queue as sql};
use crate::{Error, Transaction, values};

/// The queue of messages of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutboxQueue {
    pub waiting: u32,
    /// How long the oldest message has been due.
    pub overdue: SignedDuration,
}

/// The queues of all companies.
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
    /// Returns the queue of a kind, by its name in the database.
    fn of_kind(&mut self, kind: &str) -> &mut OutboxQueue {
        match kind {
            "webhook" => &mut self.webhooks,
            "mail" => &mut self.mails,
            _ => &mut self.messages,
        }
    }
}

/// Reads all queues. Each count stops at `most`.
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

/// Returns the kind of the messages to a receiver.
fn kind_of(receiver: &str) -> &'static str {
    match receiver.strip_prefix(OF_MESSAGES) {
        None => "webhook",
        Some(way) if way.starts_with("mail") => "mail",
        Some(_) => "message",
    }
}
