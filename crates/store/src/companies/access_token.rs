//! Access tokens (stored as hashes) and failed logins.

use domain::{CompanyId, Language, MemberId, Role, Zone};
use jiff::Timestamp;

use crate::companies::member::Member;
use crate::sql::access_token as sql;
use crate::{Error, Transaction, values};

/// The member who owns a valid token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    pub company: CompanyId,
    pub member: MemberId,
    pub email: String,
    pub name: String,
    pub role: Role,
    pub language: Language,
    pub zone: Zone,
    /// Whether the company's programs may use the API.
    pub api_enabled: bool,
}

/// A token as shown in lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// The row's ID, not the token.
    pub id: i64,
    pub member: MemberId,
    pub email: String,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
}

/// Adds a token for a member whose credentials were verified. `None` if they have changed since.
pub fn insert(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    proved: &Member,
    hash: &[u8; 32],
    at: Timestamp,
    expires_at: Timestamp,
) -> Result<Option<i64>, Error> {
    tx.query_optional(
        &sql::INSERT,
        values![hash, company, proved.id, proved.credential_version, at, expires_at],
    )?
    .map(|row| row.get("id"))
    .transpose()
}

/// Returns the owner of a valid token. `None` if the token is unknown, expired or revoked, or if its member is
/// disabled.
pub fn find(tx: &mut dyn Transaction, hash: &[u8; 32], now: Timestamp) -> Result<Option<Holder>, Error> {
    // The time is not a parameter, so simultaneous callers with this token run the same query and can share its result.
    let Some(row) = tx.query_optional(&sql::FIND, values![hash])? else {
        return Ok(None);
    };
    if row.get::<Timestamp>("expires_at")? <= now {
        return Ok(None);
    }
    Ok(Some(Holder {
        company: row.get("company_id")?,
        member: row.get("member_id")?,
        email: row.get("email")?,
        name: row.get("name")?,
        role: row.get("role")?,
        language: row.get("language")?,
        zone: row.get("time_zone")?,
        api_enabled: row.get("api_enabled")?,
    }))
}

/// Returns a company's stored tokens: valid ones, and those that ended recently.
pub fn list(tx: &mut dyn Transaction, company: &CompanyId) -> Result<Vec<TokenRow>, Error> {
    tx.query(&sql::LIST, values![company])?
        .iter()
        .map(|row| {
            Ok(TokenRow {
                id: row.get("id")?,
                member: row.get("member_id")?,
                email: row.get("email")?,
                created_at: row.get("created_at")?,
                expires_at: row.get("expires_at")?,
                revoked_at: row.get("revoked_at")?,
            })
        })
        .collect()
}

/// Revokes a token. `None` if it does not exist, `false` if it was already revoked.
pub fn revoke(tx: &mut dyn Transaction, company: &CompanyId, id: i64, at: Timestamp) -> Result<Option<bool>, Error> {
    if tx.query_optional(&sql::EXISTS, values![company, id])?.is_none() {
        return Ok(None);
    }
    Ok(Some(tx.execute(&sql::REVOKE, values![company, id, at])? == 1))
}

/// Revokes all valid tokens of a member. Returns how many.
pub fn revoke_all(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    member: MemberId,
    at: Timestamp,
) -> Result<u64, Error> {
    tx.execute(&sql::REVOKE_ALL, values![company, member, at])
}

/// Removes tokens that expired before a time. Returns how many.
pub fn delete_expired(tx: &mut dyn Transaction, before: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::DELETE_EXPIRED, values![before])
}

pub fn insert_failure(tx: &mut dyn Transaction, account: &[u8; 32], address: &str, at: Timestamp) -> Result<(), Error> {
    tx.execute_one(&sql::INSERT_FAILURE, values![account, address, at])
}

/// Returns the times of the latest `limit` failed logins to an account since a time, newest first.
pub fn failures_of_account(
    tx: &mut dyn Transaction,
    account: &[u8; 32],
    since: Timestamp,
    limit: u32,
) -> Result<Vec<Timestamp>, Error> {
    tx.query(&sql::FAILURES_OF_ACCOUNT, values![account, since, limit])?
        .iter()
        .map(|row| row.get("failed_at"))
        .collect()
}

/// Returns the times of the latest `limit` failed logins from an IP address since a time, newest first.
pub fn failures_of_address(
    tx: &mut dyn Transaction,
    address: &str,
    since: Timestamp,
    limit: u32,
) -> Result<Vec<Timestamp>, Error> {
    tx.query(&sql::FAILURES_OF_ADDRESS, values![address, since, limit])?
        .iter()
        .map(|row| row.get("failed_at"))
        .collect()
}

/// Removes failed logins that no longer count. Returns how many.
pub fn delete_failures(tx: &mut dyn Transaction, before: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::DELETE_FAILURES, values![before])
}
