//! Uploads: files in the file store for a recipient's draft, and the ones that the draft no longer names.
//!
//! A file is announced before it is stored, so every file in the file store has a row. It is *loose* while no draft
//! names it: from its announcement until the draft is written, and again once the draft names another file, is
//! submitted or ends. A job takes files that have been loose for long ([`crate::loose_file`]). A draft can only name
//! files that are still announced, so it never names one that was taken.

use domain::{BlobHash, CompanyId, RecipientId, WorkflowId};
use jiff::Timestamp;

use crate::files::loose_file::Loose;
use crate::sql::upload as sql;
use crate::{Error, HeldWorkflow, Transaction, values};

/// The amount stored for one link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counted {
    pub files: u64,
    pub bytes: u64,
}

/// Announces a file that is about to be stored for a signer's draft.
pub fn announce(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    recipient: RecipientId,
    (hash, length): (BlobHash, u64),
    at: Timestamp,
) -> Result<(), Error> {
    held.execute_one(&sql::ANNOUNCE, values![company, recipient, hash, signed(length), at])
}

/// Returns how much is stored for a signer's link, including replaced files until they are removed.
pub fn counted(tx: &mut dyn Transaction, company: &CompanyId, recipient: RecipientId) -> Result<Counted, Error> {
    let row = tx.query_one(&sql::COUNTED, values![company, recipient])?;
    Ok(Counted {
        files: row.get("files")?,
        bytes: row.get("bytes")?,
    })
}

/// Marks a file as named by the signer's draft. `false` if it is no longer announced.
pub fn name(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    recipient: RecipientId,
    hash: BlobHash,
) -> Result<bool, Error> {
    Ok(held.execute(&sql::NAME, values![company, recipient, hash])? == 1)
}

/// Marks a file as no longer named by the signer's draft.
pub fn loosen(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    recipient: RecipientId,
    hash: BlobHash,
    at: Timestamp,
) -> Result<(), Error> {
    held.execute(&sql::LOOSEN, values![company, recipient, hash, at])
        .map(drop)
}

/// Releases the files of a draft that was submitted or discarded.
pub fn end_draft(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    recipient: RecipientId,
    at: Timestamp,
) -> Result<(), Error> {
    held.execute_later(&sql::END_DRAFT, values![company, recipient, at])
}

/// Releases the files of all drafts of a workflow.
pub fn end_workflow(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    workflow: WorkflowId,
    at: Timestamp,
) -> Result<(), Error> {
    held.execute_later(&sql::END_WORKFLOW, values![company, workflow, at])
}

/// Takes up to `most` uploads that were loose at `before`. A draft that names one at the same moment is either first or
/// refused, because both change the upload's row.
pub(crate) fn take_old(tx: &mut dyn Transaction, before: Timestamp, most: u32) -> Result<Vec<Loose>, Error> {
    let mut taken = Vec::new();
    for row in tx.query(&sql::OLD, values![before, most])? {
        let (company, hash): (CompanyId, BlobHash) = (row.get("company_id")?, row.get("hash")?);
        let recipient: RecipientId = row.get("recipient_id")?;
        tx.execute_later(&sql::TAKE, values![&company, recipient, hash])?;
        taken.push(Loose { company, hash });
    }
    Ok(taken)
}

fn signed(length: u64) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
