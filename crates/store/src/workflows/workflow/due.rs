//! Workflows whose end or reminder has come.

use domain::{CompanyId, WorkflowId};
use jiff::Timestamp;

use crate::sql::workflow as sql;
use crate::{Error, Transaction, values};

/// Workflows of all companies whose time has run out, but for those that were put off until later.
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

/// Workflows of all companies whose writers may have to be reminded by then: those that have settings for it, and whose
/// time to look again has come.
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

/// Sets when to look again whether a workflow's writers are to be reminded.
pub fn set_reminder_look(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflow: WorkflowId,
    at: Timestamp,
) -> Result<(), Error> {
    tx.execute_one(&sql::SET_REMINDER_LOOK, values![company, workflow, at])
}

/// Has all of a company's workflows looked at again, after it has chosen anew when writers are reminded.
pub fn forget_reminder_looks(tx: &mut dyn Transaction, company: &CompanyId) -> Result<u64, Error> {
    tx.execute(&sql::FORGET_REMINDER_LOOKS, values![company])
}
