//! The audit log: who changed what for a company. Each row is written by the transaction that makes the change.

use domain::{CompanyId, MemberId};
use jiff::Timestamp;

use crate::sql::audit_log as sql;
use crate::{Error, Transaction, values};

/// A change, before it has a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLogEntry {
    pub company: CompanyId,
    pub at: Timestamp,
    /// Without one, the operator.
    pub member: Option<MemberId>,
    /// `api`, `pages` or `command_line`.
    pub channel: &'static str,
    /// The network address that the request came from.
    pub address: Option<String>,
    /// The code of what was done.
    pub action: &'static str,
    /// The ID of what it was done to; empty for the company itself.
    pub subject: String,
    /// JSON objects of the values that changed.
    pub before: Option<String>,
    pub after: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    pub id: i64,
    pub at: Timestamp,
    /// Who did it, with the present address. Without one, the operator.
    pub member: Option<(MemberId, String)>,
    pub channel: String,
    pub address: Option<String>,
    pub action: String,
    pub subject: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Adds an entry, in the transaction of the change.
pub fn insert(tx: &mut dyn Transaction, entry: &NewLogEntry) -> Result<(), Error> {
    tx.execute_later(
        &sql::INSERT,
        values![
            &entry.company,
            entry.at,
            entry.member,
            entry.channel,
            entry.address.as_deref(),
            entry.action,
            entry.subject.as_str(),
            entry.before.as_deref(),
            entry.after.as_deref()
        ],
    )
}

/// The entries before a number, newest first.
pub fn list(tx: &mut dyn Transaction, company: &CompanyId, before: i64, limit: u32) -> Result<Vec<LogEntry>, Error> {
    tx.query(&sql::LIST, values![company, before, limit])?
        .iter()
        .map(|row| {
            let member: Option<MemberId> = row.get("member_id")?;
            let email: Option<String> = row.get("email")?;
            Ok(LogEntry {
                id: row.get("id")?,
                at: row.get("at")?,
                member: member.zip(email),
                channel: row.get("channel")?,
                address: row.get("address")?,
                action: row.get("action")?,
                subject: row.get("subject")?,
                before: row.get("value_before")?,
                after: row.get("value_after")?,
            })
        })
        .collect()
}
