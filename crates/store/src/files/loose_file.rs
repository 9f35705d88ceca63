//! Files in the file store that no row needs yet, or no longer needs.
//!
//! Before you store a file, announce it here under a claim of your own, so that every file in the file store has a row.
//! The transaction that writes the row that needs the file takes over the claim. If it fails, or its process is killed,
//! the announcement stays, and a job removes the file.
//!
//! A file that is no longer needed stays here without a claim, so nobody can take it over. Its row stays until the file
//! is removed, so a removal that fails, or whose process is killed, is tried again.

use domain::{BlobHash, CompanyId};
use jiff::Timestamp;

use crate::files::upload;
use crate::sql::loose_file as sql;
use crate::{Error, Transaction, values};

/// A file that nothing needs and that is about to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loose {
    /// The company that stored the file.
    pub company: CompanyId,
    pub hash: BlobHash,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToRemove {
    /// Files that nothing needs. Each has a row until [`forget`].
    pub files: Vec<Loose>,
    /// Whether more files have been loose for long enough.
    pub is_more: bool,
}

/// Announces a file that is about to be stored under a claim, which must not be 0.
pub fn announce(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    claim: i64,
    hash: BlobHash,
    at: Timestamp,
) -> Result<(), Error> {
    tx.execute_later(&sql::ANNOUNCE, values![company, claim, hash, at])
}

/// Makes the files of a claim loose at `until`. Returns how many there are.
pub fn hold(tx: &mut dyn Transaction, company: &CompanyId, claim: i64, until: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::HOLD, values![company, claim, until])
}

/// Like [`hold`], for callers who do not need the number.
pub fn hold_later(tx: &mut dyn Transaction, company: &CompanyId, claim: i64, until: Timestamp) -> Result<(), Error> {
    tx.execute_later(&sql::HOLD, values![company, claim, until])
}

/// Takes over the files of a claim, which rows of this transaction need. Returns how many files the claim still had.
pub fn take_over(tx: &mut dyn Transaction, company: &CompanyId, claim: i64) -> Result<u64, Error> {
    tx.execute(&sql::TAKE_OVER, values![company, claim])
}

/// Marks a file as no longer needed by a row. It is removed unless something else needs it.
pub fn leave(tx: &mut dyn Transaction, company: &CompanyId, hash: BlobHash, at: Timestamp) -> Result<(), Error> {
    tx.execute_later(&sql::LEAVE, values![company, hash, at])
}

/// Takes about `most` files that were loose at `before`, and returns those that nothing needs. The caller must remove
/// these files. Any that remain are taken again later, as if they were loose since `now`.
pub fn begin_removal(
    tx: &mut dyn Transaction,
    before: Timestamp,
    now: Timestamp,
    most: u32,
) -> Result<ToRemove, Error> {
    let uploads = upload::take_old(tx, before, most)?;
    let others = take_old(tx, before, most)?;
    let is_more = uploads.len().max(others.len()) >= most as usize;
    let mut files = Vec::new();
    for file in uploads.into_iter().chain(others) {
        if !is_needed(tx, file.hash)? {
            files.push(file);
        }
    }
    for file in &files {
        leave(tx, &file.company, file.hash, now)?;
    }
    Ok(ToRemove { files, is_more })
}

fn take_old(tx: &mut dyn Transaction, before: Timestamp, most: u32) -> Result<Vec<Loose>, Error> {
    let mut taken = Vec::new();
    for row in tx.query(&sql::OLD, values![before, most])? {
        let (company, hash): (CompanyId, BlobHash) = (row.get("company_id")?, row.get("hash")?);
        let claim: i64 = row.get("claim")?;
        tx.execute_later(&sql::TAKE, values![&company, claim, hash])?;
        taken.push(Loose { company, hash });
    }
    Ok(taken)
}

/// Deletes the row of a removed file. `since` is when its removal began.
pub fn forget(tx: &mut dyn Transaction, gone: &Loose, since: Timestamp) -> Result<(), Error> {
    tx.execute_later(&sql::FORGET, values![&gone.company, gone.hash, since])
}

/// Whether anything needs the file, or may still need it.
pub fn is_needed(tx: &mut dyn Transaction, hash: BlobHash) -> Result<bool, Error> {
    tx.query_one(&sql::IS_NEEDED, values![hash])?.get("is_needed")
}
