//! What a writer proved, agreed to and looked at: access codes, one-time codes, consent.

use domain::{CompanyId, RecipientId, WorkflowId};
use jiff::Timestamp;

use super::OneTimeCode;
use crate::sql::workflow as sql;
use crate::{Error, HeldWorkflow, Transaction, values};

/// Counts a wrong access code.
pub fn count_access_failure(held: &mut HeldWorkflow<'_>, company: &CompanyId, id: RecipientId) -> Result<(), Error> {
    held.execute_one(&sql::COUNT_ACCESS_FAILURE, values![company, id])
}

/// Keeps that the right access code was given.
pub fn set_access(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    at: Timestamp,
) -> Result<(), Error> {
    held.execute_one(&sql::SET_ACCESS, values![company, id, at])
}

/// Keeps the code that is sent; the one before is dead.
pub fn set_one_time_code(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    code: &OneTimeCode,
) -> Result<(), Error> {
    held.execute_one(
        &sql::SET_ONE_TIME_CODE,
        values![company, id, code.salt.as_slice(), code.code.as_slice(), code.sent_at],
    )
}

/// Counts a wrong one-time code.
pub fn count_one_time_failure(held: &mut HeldWorkflow<'_>, company: &CompanyId, id: RecipientId) -> Result<(), Error> {
    held.execute_one(&sql::COUNT_ONE_TIME_FAILURE, values![company, id])
}

/// Keeps that the right one-time code was given.
pub fn use_one_time_code(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    at: Timestamp,
    by: Option<&[u8]>,
) -> Result<(), Error> {
    held.execute_one(&sql::USE_ONE_TIME_CODE, values![company, id, at, by])
}

/// Takes hold of a writer who has not acted, so that what is kept for him (a draft) and his approval cannot pass each
/// other. `false` where he has acted, or the link was replaced.
pub fn hold_writer(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    link_version: u32,
) -> Result<bool, Error> {
    Ok(held.execute(&sql::HOLD_WRITER, values![company, id, link_version])? == 1)
}

/// The recipient proves himself anew: the sender has sent anew.
pub fn reset_access(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    workflow: WorkflowId,
    id: RecipientId,
) -> Result<(), Error> {
    held.execute_one(&sql::RESET_ACCESS, values![company, workflow, id])
}

/// Keeps that the writer has seen the document; `false` where that was known.
pub fn set_viewed(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    at: Timestamp,
) -> Result<bool, Error> {
    Ok(held.execute(&sql::SET_VIEWED, values![company, id, at])? == 1)
}

/// Keeps that the writer agreed to sign electronically; `false` where that was known.
pub fn set_consented(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    at: Timestamp,
) -> Result<bool, Error> {
    Ok(held.execute(&sql::SET_CONSENTED, values![company, id, at])? == 1)
}
