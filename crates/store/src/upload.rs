//! Uploads: what the file store holds for whom, and which of it nobody needs.
//!
//! A file is announced before it is put into the file store, so that nothing is there of which nobody knows. It is *loose*
//! while no draft names it: from its announcement until the draft is written, and again once the draft names another, is
//! taken over or ends. What has been loose for long is claimed by one process, in a transaction that also looks whether
//! anything else needs the file. A draft can name only what is announced still, so it never names what was claimed.

use domain::{BlobHash, CompanyId, RecipientId, WorkflowId};
use jiff::Timestamp;

use crate::sql::upload as sql;
use crate::{Error, Transaction, values};

/// How much is kept for one link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counted {
    /// Files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A file that was loose for long, and that nothing needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loose {
    /// Whose upload it was.
    pub company: CompanyId,
    /// The file.
    pub hash: BlobHash,
    /// Its length.
    pub length: u64,
}

/// Announces a file that is about to be kept for a writer's draft.
pub fn announce(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    recipient: RecipientId,
    (hash, length): (BlobHash, u64),
    at: Timestamp,
) -> Result<(), Error> {
    tx.execute_one(&sql::ANNOUNCE, values![company, recipient, hash, signed(length), at])
}

/// How much is kept for a writer's link, replaced files included until they are gone.
pub fn counted(tx: &mut dyn Transaction, company: &CompanyId, recipient: RecipientId) -> Result<Counted, Error> {
    let row = tx.query_one(&sql::COUNTED, values![company, recipient])?;
    Ok(Counted {
        files: row.get("files")?,
        bytes: row.get("bytes")?,
    })
}

/// The writer's draft names a file; `false` where it is not announced any more.
pub fn name(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    recipient: RecipientId,
    hash: BlobHash,
) -> Result<bool, Error> {
    Ok(tx.execute(&sql::NAME, values![company, recipient, hash])? == 1)
}

/// The writer's draft names a file no more.
pub fn loosen(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    recipient: RecipientId,
    hash: BlobHash,
    at: Timestamp,
) -> Result<(), Error> {
    tx.execute(&sql::LOOSEN, values![company, recipient, hash, at])
        .map(drop)
}

/// The writer's draft has become values, or nothing.
pub fn end_draft(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    recipient: RecipientId,
    at: Timestamp,
) -> Result<(), Error> {
    tx.execute_later(&sql::END_DRAFT, values![company, recipient, at])
}

/// The drafts of a workflow are nothing any more.
pub fn end_workflow(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflow: WorkflowId,
    at: Timestamp,
) -> Result<(), Error> {
    tx.execute_later(&sql::END_WORKFLOW, values![company, workflow, at])
}

/// A file was kept for something that was not written: it is loose, unless something else needs it.
pub fn leave(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    (hash, length): (BlobHash, u64),
    at: Timestamp,
) -> Result<(), Error> {
    tx.execute_later(&sql::LEAVE, values![company, hash, signed(length), at])
}

/// Takes up to `most` uploads that were loose at `before`: how many, and the files among them that nothing needs. Whoever
/// takes them removes these files.
pub fn claim(tx: &mut dyn Transaction, before: Timestamp, most: u32) -> Result<(u32, Vec<Loose>), Error> {
    let rows = tx.query(&sql::CLAIM, values![before, most])?;
    let mut unneeded: Vec<Loose> = Vec::new();
    for row in &rows {
        let loose = Loose {
            company: row.get("company_id")?,
            hash: row.get("hash")?,
            length: row.get("length")?,
        };
        let known = unneeded.iter().any(|other| other.hash == loose.hash);
        if !known && !is_needed(tx, loose.hash)? {
            unneeded.push(loose);
        }
    }
    Ok((u32::try_from(rows.len()).unwrap_or(u32::MAX), unneeded))
}

/// Does anything need the file?
pub fn is_needed(tx: &mut dyn Transaction, hash: BlobHash) -> Result<bool, Error> {
    let named = format!("%\"{hash}\"%");
    tx.query_one(&sql::IS_NEEDED, values![hash, named])?.get("is_needed")
}

fn signed(length: u64) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
