//! The chain of each workflow. Entries are only appended and read, never changed or removed.

use domain::{ChainFormat, ClearText, CompanyId, Entry, Head, KeyedHead, WorkflowId};
use jiff::Timestamp;

use crate::sql::workflow_audit as sql;
use crate::{Error, HeldWorkflow, Row, Transaction, values};

/// Appends entries after the [head](HeldWorkflow::head) of the held workflow, if nothing else in the workflow changes.
/// A transition's entries are written by the workflow's own update.
pub fn append(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    workflow: WorkflowId,
    entries: &[Entry],
    after: &KeyedHead,
) -> Result<(), Error> {
    crate::chain::held_workflow::update_head(held, company, workflow, after)?;
    insert(held, company, workflow, entries)
}

/// Writes entries whose head is already in the workflow's row.
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
                texts(entry)?,
            ],
        )?;
    }
    Ok(())
}

/// Returns a workflow's whole chain, in order.
pub fn load(tx: &mut dyn Transaction, company: &CompanyId, workflow: WorkflowId) -> Result<Vec<Entry>, Error> {
    tx.query(&sql::LOAD, values![company, workflow])?
        .iter()
        .map(read)
        .collect()
}

/// Returns the time of the newest event among the most recently started workflows of all companies.
pub fn newest(tx: &mut dyn Transaction) -> Result<Option<Timestamp>, Error> {
    tx.query_one(&sql::NEWEST, &[])?.get("at")
}

/// Returns up to `most` entries of a workflow's chain, newest first.
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
        texts: match row.get::<Option<String>>("texts")? {
            None => Vec::new(),
            Some(_) => row.parse("texts", |text| serde_json::from_str(text))?,
        },
    })
}

/// Reads the head from a workflow's row.
pub(crate) fn head(row: &Row) -> Result<KeyedHead, Error> {
    let number: i64 = row.get("chain_format")?;
    Ok(KeyedHead {
        head: Head {
            format: ChainFormat::parse(number).ok_or_else(|| row.fault("chain_format", "is unknown".to_owned()))?,
            sequence: row.get("chain_sequence")?,
            hash: row.get("chain_hash")?,
        },
        code: row.get("chain_code")?,
    })
}

/// Returns the value of the column `texts`.
pub(crate) fn texts(entry: &Entry) -> Result<Option<String>, Error> {
    let texts: &[ClearText] = &entry.texts;
    let text = (!texts.is_empty()).then(|| serde_json::to_string(texts));
    text.transpose().map_err(|error| Error::Parameter {
        statement: sql::APPEND.name(),
        position: 8,
        detail: error.to_string(),
    })
}

fn sequence(entry: &Entry) -> i64 {
    i64::try_from(entry.sequence).unwrap_or(i64::MAX)
}
