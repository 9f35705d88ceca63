//! The chain of each workflow. Entries are appended and read; nothing changes or removes one.

use domain::{CompanyId, Entry, Head, WorkflowId};

use crate::sql::workflow_audit as sql;
use crate::{Error, HeldWorkflow, Row, Transaction, values};

/// Appends entries, which follow the [head](HeldWorkflow::head) of the held workflow, if nothing else of it changes. A
/// transition's entries are written by [`crate::workflow::update`].
pub fn append(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    workflow: WorkflowId,
    entries: &[Entry],
    after: Head,
) -> Result<(), Error> {
    crate::workflow::update_head(held, company, workflow, after)?;
    insert(held, company, workflow, entries)
}

/// Writes entries whose head is in the workflow's row already.
pub(crate) fn insert(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflow: WorkflowId,
    entries: &[Entry],
) -> Result<(), Error> {
    for entry in entries {
        tx.execute_later(
            &sql::APPEND,
            values![
                workflow,
                sequence(entry),
                company,
                entry.at,
                &entry.payload,
                entry.previous,
                entry.hash,
            ],
        )?;
    }
    Ok(())
}

/// A workflow's whole chain, in order.
pub fn load(tx: &mut dyn Transaction, company: &CompanyId, workflow: WorkflowId) -> Result<Vec<Entry>, Error> {
    tx.query(&sql::LOAD, values![company, workflow])?
        .iter()
        .map(read)
        .collect()
}

/// The latest entries of a workflow's chain, the newest first: at most so many.
pub fn latest(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflow: WorkflowId,
    most: u32,
) -> Result<Vec<Entry>, Error> {
    tx.query(&sql::LATEST, values![company, workflow, most])?
        .iter()
        .map(read)
        .collect()
}

fn read(row: &Row) -> Result<Entry, Error> {
    Ok(Entry {
        sequence: row.get("sequence")?,
        at: row.get("at")?,
        payload: row.get("payload")?,
        previous: row.get("previous")?,
        hash: row.get("hash")?,
    })
}

fn sequence(entry: &Entry) -> i64 {
    i64::try_from(entry.sequence).unwrap_or(i64::MAX)
}
