//! The chain of each workflow. Entries are appended and read; nothing changes or removes one.

use domain::{CompanyId, Entry, Head, WorkflowId};

use crate::sql::workflow_audit as sql;
use crate::{Error, Row, Transaction, values};

/// Appends entries where nothing else of the workflow changes; `false` where another entry came first. A transition's
/// entries are written by [`crate::workflow::update`].
///
/// The head moves before the entries are written: it is the row at which two that append at once meet, and the second
/// runs again. The entries' own key would tell it of a duplicate, which is nobody's fault.
pub fn append(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflow: WorkflowId,
    before: Head,
    entries: &[Entry],
    after: Head,
) -> Result<bool, Error> {
    if !crate::workflow::update_head(tx, company, workflow, before, after)? {
        return Ok(false);
    }
    insert(tx, company, workflow, entries)?;
    Ok(true)
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
