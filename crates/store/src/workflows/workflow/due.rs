//! Workflows that are due to expire, or due for a reminder.

use domain::{CompanyId, WorkflowId};
use jiff::Timestamp;

use crate::sql::workflow as sql;
use crate::{Error, Transaction, values};

/// Returns expired workflows of all companies, except those that were postponed.
pub fn overdue(tx: &mut dyn Transaction, at: Timestamp, limit: u32) -> Result<Vec<(CompanyId, WorkflowId)>, Error> {
    tx.query(&sql::OVERDUE, values![at, limit])?
        .iter()
        .map(|row| Ok((row.get("company_id")?, row.get("id")?)))
        .collect()
}

/// Sets when to check a workflow again that could not be expired.
pub fn set_expiry_look(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflow: WorkflowId,
    at: Timestamp,
) -> Result<(), Error> {
    tx.execute_one(&sql::SET_EXPIRY_LOOK, values![company, workflow, at])
}

/// Returns workflows of all companies whose signers may need a reminder by this time: those with reminder settings
/// whose next check is due.
pub fn reminder_looks(
    tx: &mut dyn Transaction,
    at: Timestamp,
    limit: u32,
) -> Result<Vec<(CompanyId, WorkflowId)>, Error> {
    tx.query(&sql::REMINDER_LOOKS, values![at, limit])?
        .iter()
        .map(|row| Ok((row.get("company_id")?, row.get("id")?)))
        .collect()
}

/// Sets when to check again whether a workflow's signers need a reminder.
pub fn set_reminder_look(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflow: WorkflowId,
    at: Timestamp,
) -> Result<(), Error> {
    tx.execute_one(&sql::SET_REMINDER_LOOK, values![company, workflow, at])
}

/// Makes the job check all workflows of a company again, because its reminder settings have changed.
pub fn forget_reminder_looks(tx: &mut dyn Transaction, company: &CompanyId) -> Result<u64, Error> {
    tx.execute(&sql::FORGET_REMINDER_LOOKS, values![company])
}
