//! Mails and text messages as shown on the outbox page, and erasing codes from them.

use domain::{CompanyId, WorkflowId};
use jiff::Timestamp;

use super::{DeliveryId, Kind, Lane, State};
use crate::sql::delivery as sql;
use crate::{Error, Row, Transaction, values};

/// A message with a one-time code that has expired, or an old message that may contain one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToErase {
    pub id: DeliveryId,
    /// Whether the message contains a code, even if none is found in it. Old messages do not record this.
    pub is_code: bool,
    /// The content, encrypted.
    pub body: Vec<u8>,
}

/// Returns messages whose codes are due to be erased.
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

/// Replaces the body with one without the code. A message that has not been sent by now is given up.
pub fn erase(tx: &mut dyn Transaction, id: DeliveryId, body: &[u8], now: Timestamp) -> Result<(), Error> {
    tx.execute_later(&sql::ERASE, values![id.0, body, now])
}

/// Marks that a message contains no code. The message stays as it is.
pub fn holds_no_code(tx: &mut dyn Transaction, id: DeliveryId) -> Result<(), Error> {
    tx.execute_later(&sql::HOLDS_NO_CODE, values![id.0])
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
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// The mail server's code at the last try.
    pub code: Option<u16>,
    /// The error at the last try.
    pub fault: Option<String>,
    /// The mail server's response at the last try.
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

/// Returns the company's mails and text messages with IDs below `before`, newest first, at most `limit` of them.
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

/// Like [`messages`], but only messages that were not delivered and are not tried again.
pub fn failed_messages(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    before: DeliveryId,
    limit: u32,
) -> Result<Vec<Message>, Error> {
    tx.query(&sql::FAILED_MESSAGES, values![company.as_str(), before.0, limit])?
        .iter()
        .map(read_message)
        .collect()
}

/// Returns the number of failed messages, counted up to `most`.
pub fn count_failed_messages(tx: &mut dyn Transaction, company: &CompanyId, most: u32) -> Result<u64, Error> {
    tx.query_one(&sql::COUNT_FAILED_MESSAGES, values![company.as_str(), most])?
        .get("messages")
}

/// Returns how many mails and text messages were given up since this moment, by company.
pub fn undelivered_since(tx: &mut dyn Transaction, since: Timestamp) -> Result<Vec<(CompanyId, u64)>, Error> {
    tx.query(&sql::UNDELIVERED_SINCE, values![since])?
        .iter()
        .map(|row| Ok((row.get("company_id")?, row.get("messages")?)))
        .collect()
}

/// Returns the mails and text messages of one workflow, oldest first, at most `limit` of them.
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
