//! Renews and revokes the links to a workflow's finished files and to the sender's view.

use domain::{CompanyId, WorkflowId};
use jiff::Timestamp;

use crate::sql::workflow_links as sql;
use crate::{Error, HeldWorkflow, Transaction, values};

/// Revokes the links. `false` if they are already revoked.
pub fn revoke(held: &mut HeldWorkflow<'_>, company: &CompanyId, id: WorkflowId, at: Timestamp) -> Result<bool, Error> {
    Ok(held.execute(&sql::REVOKE, values![company, id, at])? == 1)
}

/// Replaces the links with new ones. Recipients whose access code was locked may try again.
pub fn renew(held: &mut HeldWorkflow<'_>, company: &CompanyId, id: WorkflowId, at: Timestamp) -> Result<(), Error> {
    held.execute_one(&sql::RENEW, values![company, id, at])?;
    held.execute(&sql::UNLOCK, values![company, id])?;
    Ok(())
}
