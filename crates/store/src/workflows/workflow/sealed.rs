//! Sealed documents with their certificates, and when they need a timestamp.

use domain::{BlobHash, CompanyId, WorkflowId};
use jiff::Timestamp;

use crate::sql::workflow as sql;
use crate::{Error, HeldWorkflow, Row, Transaction, values};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealedDocument {
    pub document: BlobHash,
    /// In bytes.
    pub document_length: u64,
    pub certificate: BlobHash,
    /// In bytes.
    pub certificate_length: u64,
    pub sealed_at: Timestamp,
    /// When a timestamp is due: immediately if it is still missing, otherwise before the proof of the last one expires.
    /// `None` means never.
    pub timestamp_due: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueTimestamp {
    pub company: CompanyId,
    pub workflow: WorkflowId,
    /// The document's files, and when the timestamp was due.
    pub sealed: SealedDocument,
}

/// Adds a sealed document. The database refuses a second one for the same workflow.
pub fn insert_sealed(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: WorkflowId,
    sealed: &SealedDocument,
) -> Result<(), Error> {
    held.execute_one(
        &sql::INSERT_SEALED,
        values![
            id,
            company,
            sealed.document,
            i64::try_from(sealed.document_length).unwrap_or(i64::MAX),
            sealed.certificate,
            i64::try_from(sealed.certificate_length).unwrap_or(i64::MAX),
            sealed.sealed_at,
            sealed.timestamp_due,
        ],
    )
}

pub fn sealed(tx: &mut dyn Transaction, company: &CompanyId, id: WorkflowId) -> Result<Option<SealedDocument>, Error> {
    tx.query_optional(&sql::LOAD_SEALED, values![company, id])?
        .as_ref()
        .map(sealed_document)
        .transpose()
}

fn sealed_document(row: &Row) -> Result<SealedDocument, Error> {
    Ok(SealedDocument {
        document: row.get("document_hash")?,
        document_length: row.get("document_length")?,
        certificate: row.get("certificate_hash")?,
        certificate_length: row.get("certificate_length")?,
        sealed_at: row.get("sealed_at")?,
        timestamp_due: row.get("timestamp_due")?,
    })
}

/// Returns sealed documents whose timestamp is due, longest overdue first.
pub fn due_timestamps(tx: &mut dyn Transaction, now: Timestamp, most: u32) -> Result<Vec<DueTimestamp>, Error> {
    tx.query(&sql::DUE_TIMESTAMPS, values![now, i64::from(most)])?
        .iter()
        .map(|row| {
            Ok(DueTimestamp {
                company: row.get("company_id")?,
                workflow: row.get("workflow_id")?,
                sealed: sealed_document(row)?,
            })
        })
        .collect()
}

/// Postpones a due timestamp until a time by which the caller has handled it. `false` if another process has taken it
/// meanwhile.
pub fn put_timestamp_off(
    tx: &mut dyn Transaction,
    due: &DueTimestamp,
    until: Option<Timestamp>,
) -> Result<bool, Error> {
    let changed = tx.execute(
        &sql::PUT_TIMESTAMP_OFF,
        values![&due.company, due.workflow, due.sealed.timestamp_due, until],
    )?;
    Ok(changed == 1)
}

/// Replaces sealed files with longer ones. `false` if they are no longer those of `before`.
pub fn replace_sealed(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: WorkflowId,
    before: &SealedDocument,
    after: &SealedDocument,
) -> Result<bool, Error> {
    let changed = held.execute(
        &sql::REPLACE_SEALED,
        values![
            company,
            id,
            before.document,
            before.certificate,
            after.document,
            i64::try_from(after.document_length).unwrap_or(i64::MAX),
            after.certificate,
            i64::try_from(after.certificate_length).unwrap_or(i64::MAX),
            after.timestamp_due,
        ],
    )?;
    Ok(changed == 1)
}

/// Records that a workflow no longer needs a file.
pub fn forget_blob(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: WorkflowId,
    hash: BlobHash,
) -> Result<(), Error> {
    held.execute_later(&sql::FORGET_BLOB, values![hash, id, company])
}

/// Whether a workflow of the company needs the file.
pub fn refers_to_blob(tx: &mut dyn Transaction, company: &CompanyId, hash: BlobHash) -> Result<bool, Error> {
    tx.query_one(&sql::REFERS_TO_BLOB, values![company, hash])?
        .get("is_referred_to")
}

/// Records that a workflow needs a file.
pub fn refer_to_blob(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    id: WorkflowId,
    hash: BlobHash,
) -> Result<(), Error> {
    tx.execute_later(&sql::REFER_TO_BLOB, values![hash, id, company])
}
