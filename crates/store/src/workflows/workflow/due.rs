//! Workflows that are due to expire or to be reminded of.

use domain::{CompanyId, WorkflowId};
use jiff::Timestamp;

use crate::sql::workflow as sql;
use crate::{Error, Transaction, values};

/// Workflows of all companies that have run out of time, except those that were postponed.
pub fn overdue(tx: &mut dyn Transaction, at: Timestamp, limit: u32) -> Result<Vec<(CompanyId, WorkflowId)>, Error> {
    tx.query(&sql::OVERDUE, values![at, limit])?
        .iter()
        .map(|row| Ok((row.get("company_id")?, row.get("id")?)))
        .collect()
}

/// Sets when to look again at a workflow that could not be expired.
pub fn set_expiry_look(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflow: WorkflowId,
    at: Timestamp,
) -> Result<(), Error> {
    tx.execute_one(&sql::SET_EXPIRY_LOOK, values![company, workflow, at])
}

/// Workflows of all companies whose signers may need a reminder by this time: those with reminder settings whose time
/// for another look has come.
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

/// Sets when to look again whether a workflow's signers need a reminder.
pub fn set_reminder_look(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflow: WorkflowId,
    at: Timestamp,
) -> Result<(), Error> {
    tx.execute_one(&sql::SET_REMINDER_LOOK, values![company, workflow, at])
}

/// Makes the job look again at all workflows of a company that has changed its reminder settings.
pub fn forget_reminder_looks(tx: &mut dyn Transaction, company: &CompanyId) -> Result<u64, Error> {
    tx.execute(&sql::FORGET_REMINDER_LOOKS, values![company])
}
