//! The chain of each workflow. Entries are appended and read; nothing changes or removes one.

use domain::{CompanyId, Entry, WorkflowId};

use crate::sql::workflow_audit as sql;
use crate::{Error, Transaction, Value, values};

/// Appends entries. Their head goes into the workflow's row in the same transaction: see
/// [`crate::workflow::update`] and [`crate::workflow::update_head`].
pub fn append(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflow: WorkflowId,
    entries: &[Entry],
) -> Result<(), Error> {
    let parameters: Vec<Vec<Value>> = entries
        .iter()
        .map(|entry| {
            values![
                workflow,
                sequence(entry),
                company,
                entry.at,
                &entry.payload,
                entry.previous,
                entry.hash,
            ]
            .to_vec()
        })
        .collect();
    let written = tx.execute_many(&sql::APPEND, &parameters)?;
    if written == entries.len() as u64 {
        Ok(())
    } else {
        Err(Error::RowCount {
            statement: sql::APPEND.name(),
            expected: entries.len() as u64,
            found: written,
        })
    }
}

/// A workflow's whole chain, in order.
pub fn load(tx: &mut dyn Transaction, company: &CompanyId, workflow: WorkflowId) -> Result<Vec<Entry>, Error> {
    tx.query(&sql::LOAD, values![company, workflow])?
        .iter()
        .map(|row| {
            Ok(Entry {
                sequence: row.get("sequence")?,
                at: row.get("at")?,
                payload: row.get("payload")?,
                previous: row.get("previous")?,
                hash: row.get("hash")?,
            })
        })
        .collect()
}

fn sequence(entry: &Entry) -> i64 {
    i64::try_from(entry.sequence).unwrap_or(i64::MAX)
}
