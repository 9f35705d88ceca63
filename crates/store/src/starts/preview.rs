//! Previews: the documents that a start would send, stored for the page that shows them.

use domain::CompanyId;
use jiff::Timestamp;

use crate::sql::workflow_preview as sql;
use crate::{Error, Transaction, values};

/// Stores a preview (JSON) until it expires.
pub fn insert(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    content: &str,
    at: Timestamp,
    until: Timestamp,
) -> Result<i64, Error> {
    tx.query_one(&sql::INSERT, values![company, content, at, until])?
        .get("id")
}

/// Returns a preview by its link. The link itself is the authorization.
pub fn find(tx: &mut dyn Transaction, id: i64, at: Timestamp) -> Result<Option<(CompanyId, String)>, Error> {
    tx.query_optional(&sql::LOAD, values![id, at])?
        .map(|row| Ok((row.get("company_id")?, row.get("content")?)))
        .transpose()
}

/// Returns the content of expired previews of all companies.
pub fn over(tx: &mut dyn Transaction, at: Timestamp) -> Result<Vec<(CompanyId, String)>, Error> {
    tx.query(&sql::OVER, values![at])?
        .iter()
        .map(|row| Ok((row.get("company_id")?, row.get("content")?)))
        .collect()
}

/// Removes expired previews, of all companies.
pub fn sweep(tx: &mut dyn Transaction, at: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::SWEEP, values![at])
}
