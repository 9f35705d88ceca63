//! The audit log: who changed what for a company. Each row is written by the transaction that makes the change.

use domain::{CompanyId, MemberId};
use jiff::Timestamp;

use crate::sql::audit_log as sql;
use crate::{Error, Transaction, values};

/// A change that has no number yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLogEntry {
    pub company: CompanyId,
    pub at: Timestamp,
    /// The member who made the change. `None` for the operator.
    pub member: Option<MemberId>,
    /// `api`, `pages` or `command_line`.
    pub channel: &'static str,
    /// The IP address that the request came from.
    pub address: Option<String>,
    /// The code of the action.
    pub action: &'static str,
    /// The ID of the changed object. Empty for the company itself.
    pub subject: String,
    /// The changed values before and after, as JSON objects.
    pub before: Option<String>,
    pub after: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    pub id: i64,
    pub at: Timestamp,
    /// The member who made the change, with their current e-mail address. `None` for the operator.
    pub member: Option<(MemberId, String)>,
    pub channel: String,
    pub address: Option<String>,
    pub action: String,
    pub subject: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Adds an entry in the transaction of the change.
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

/// Returns the entries before a number, newest first.
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
