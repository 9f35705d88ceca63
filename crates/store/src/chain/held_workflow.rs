//! A workflow whose row this transaction has locked.
//!
//! Everything that belongs to a workflow (its signers, values, drafts, uploads, files and links) is changed only
//! through a [`HeldWorkflow`], which exists only once the workflow's row is locked. So every transaction locks the
//! workflow first, and no two of them can deadlock.

use domain::{CompanyId, Head, KeyedHead, WorkflowId};

use crate::sql::workflow as sql;
use crate::{Error, Numbers, Row, Statement, Transaction, Value, values};

/// A transaction that has locked the row of a workflow.
pub struct HeldWorkflow<'t> {
    tx: &'t mut dyn Transaction,
    head: KeyedHead,
}

/// Locks a workflow's row until the transaction ends. `None` if the company has no such workflow.
///
/// If another transaction changes the row at the same moment, this one runs again after it.
pub fn hold<'t>(
    tx: &'t mut dyn Transaction,
    company: &CompanyId,
    id: WorkflowId,
) -> Result<Option<HeldWorkflow<'t>>, Error> {
    let Some(row) = tx.query_optional(&sql::HOLD, values![company, id])? else {
        return Ok(None);
    };
    let head = crate::chain::audit::head(&row)?;
    Ok(Some(HeldWorkflow { tx, head }))
}

impl<'t> HeldWorkflow<'t> {
    /// For a transaction that has just added or changed the workflow's row, including the chain's head.
    pub(crate) fn written(tx: &'t mut dyn Transaction, head: KeyedHead) -> Self {
        HeldWorkflow { tx, head }
    }

    /// Returns the head of the workflow's chain.
    pub fn head(&self) -> &KeyedHead {
        &self.head
    }

    pub(crate) fn move_head(&mut self, head: KeyedHead) {
        self.head = head;
    }
}

impl Transaction for HeldWorkflow<'_> {
    fn execute(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<u64, Error> {
        self.tx.execute(statement, parameters)
    }

    fn query(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<Vec<Row>, Error> {
        self.tx.query(statement, parameters)
    }

    fn execute_later(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<(), Error> {
        self.tx.execute_later(statement, parameters)
    }

    fn numbers(&mut self, statement: &'static Statement, parts: i64) -> Result<Numbers, Error> {
        self.tx.numbers(statement, parts)
    }
}

/// Writes the chain's new head if nothing else in the workflow changes.
pub(crate) fn update_head(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: WorkflowId,
    after: &KeyedHead,
) -> Result<(), Error> {
    let before = head_sequence(held.head().head);
    let KeyedHead { head, code } = after;
    held.execute_one(
        &sql::UPDATE_HEAD,
        values![company, id, before, head_sequence(*head), head.hash, code.clone()],
    )?;
    held.move_head(after.clone());
    Ok(())
}

/// Returns the column's value for the head of a chain.
pub(crate) fn head_sequence(head: Head) -> i64 {
    i64::try_from(head.sequence).unwrap_or(i64::MAX)
}
