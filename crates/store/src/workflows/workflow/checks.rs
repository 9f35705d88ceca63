//! Records what a signer proved, agreed to and viewed: access codes, one-time codes, consent.

use domain::{CompanyId, RecipientId, WorkflowId};
use jiff::Timestamp;

use super::OneTimeCode;
use crate::sql::workflow as sql;
use crate::{Error, HeldWorkflow, Transaction, values};

/// Counts a wrong access code.
pub fn count_access_failure(held: &mut HeldWorkflow<'_>, company: &CompanyId, id: RecipientId) -> Result<(), Error> {
    held.execute_one(&sql::COUNT_ACCESS_FAILURE, values![company, id])
}

/// Records that the right access code was entered.
pub fn set_access(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    at: Timestamp,
) -> Result<(), Error> {
    held.execute_one(&sql::SET_ACCESS, values![company, id, at])
}

/// Stores the code that is being sent. The previous one stops working.
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

/// Records that the right one-time code was entered.
pub fn use_one_time_code(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    at: Timestamp,
    by: Option<&[u8]>,
) -> Result<(), Error> {
    held.execute_one(&sql::USE_ONE_TIME_CODE, values![company, id, at, by])
}

/// Locks a signer who has not acted, so that a draft and their approval cannot overtake each other. `false` if they
/// have acted or the link was replaced.
pub fn hold_writer(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    link_version: u32,
) -> Result<bool, Error> {
    Ok(held.execute(&sql::HOLD_WRITER, values![company, id, link_version])? == 1)
}

/// Makes the recipient prove their identity again, because the sender has sent the document again.
pub fn reset_access(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    workflow: WorkflowId,
    id: RecipientId,
) -> Result<(), Error> {
    held.execute_one(&sql::RESET_ACCESS, values![company, workflow, id])
}

/// Records that the signer has viewed the document. `false` if that was already recorded.
pub fn set_viewed(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    at: Timestamp,
) -> Result<bool, Error> {
    Ok(held.execute(&sql::SET_VIEWED, values![company, id, at])? == 1)
}

/// Records that the signer agreed to sign electronically. `false` if that was already recorded.
pub fn set_consented(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    at: Timestamp,
) -> Result<bool, Error> {
    Ok(held.execute(&sql::SET_CONSENTED, values![company, id, at])? == 1)
}
