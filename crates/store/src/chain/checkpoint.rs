//! The heads of chains, as checkpoints list them.

use domain::{BlobHash, CompanyId, KeyedHead, WorkflowId};

use crate::chain::audit;
use crate::sql::checkpoint as sql;
use crate::{Error, HeldWorkflow, Transaction, values};

/// Returns the next heads of a company, ordered by workflow number.
pub fn heads(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    after: WorkflowId,
    most: u32,
) -> Result<Vec<(WorkflowId, KeyedHead)>, Error> {
    tx.query(&sql::HEADS, values![company, after, most])?
        .iter()
        .map(|row| Ok((row.get("id")?, audit::head(row)?)))
        .collect()
}

/// Returns the hash of the entry with this number, if there is one.
pub fn hash_at(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflow: WorkflowId,
    sequence: u64,
) -> Result<Option<BlobHash>, Error> {
    let sequence = i64::try_from(sequence).unwrap_or(i64::MAX);
    tx.query_optional(&sql::HASH_AT, values![company, workflow, sequence])?
        .map(|row| row.get("hash"))
        .transpose()
}

/// Returns the next workflows of earlier versions whose heads have no code.
pub fn uncoded(tx: &mut dyn Transaction, after: WorkflowId, most: u32) -> Result<Vec<(CompanyId, WorkflowId)>, Error> {
    tx.query(&sql::UNCODED, values![after, most])?
        .iter()
        .map(|row| Ok((row.get("company_id")?, row.get("id")?)))
        .collect()
}

/// Adds the code to the head of a held workflow.
pub fn key(held: &mut HeldWorkflow<'_>, company: &CompanyId, workflow: WorkflowId, code: Vec<u8>) -> Result<(), Error> {
    let keyed = KeyedHead {
        head: held.head().head,
        code: Some(code),
    };
    crate::chain::held_workflow::update_head(held, company, workflow, &keyed)
}
