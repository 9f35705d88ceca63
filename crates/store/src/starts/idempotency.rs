//! Answers stored under a caller's key, so that a request sent twice is processed once.

use domain::CompanyId;
use jiff::Timestamp;

use crate::sql::workflow_idempotency as sql;
use crate::{Error, Transaction, values};

/// The answer stored under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    pub request_hash: [u8; 32],
    /// The answer, encrypted by the vault.
    pub answer: Vec<u8>,
}

/// Returns the answer under a key, if it is newer than `since`.
pub fn find(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    key: &str,
    since: Timestamp,
) -> Result<Option<KeptAnswer>, Error> {
    tx.query_optional(&sql::LOAD, values![company, key, since])?
        .map(|row| {
            Ok(KeptAnswer {
                request_hash: row.get("request_hash")?,
                answer: row.get("answer")?,
            })
        })
        .transpose()
}

/// Stores an answer. It replaces one from `since` or earlier. A newer one is an error, because [`find`] in the same
/// transaction would have returned it.
pub fn keep(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    key: &str,
    kept: &KeptAnswer,
    at: Timestamp,
    since: Timestamp,
) -> Result<(), Error> {
    tx.execute_one(
        &sql::STORE,
        values![company, key, kept.request_hash, kept.answer.as_slice(), at, since],
    )
}

/// Removes answers from `since` or earlier, of all companies.
pub fn sweep(tx: &mut dyn Transaction, since: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::SWEEP, values![since])
}
