//! Members and their sessions on the pages.

use std::fmt;

use domain::{CompanyId, Language, MemberId, Role, UtcOffset};
use jiff::Timestamp;

use crate::sql::member as sql;
use crate::{Error, Row, Transaction, values};

/// A member's row.
#[derive(Clone, PartialEq, Eq)]
pub struct Member {
    /// The member.
    pub id: MemberId,
    /// The address, as it was given.
    pub email: String,
    /// The name.
    pub name: String,
    /// What the member may do.
    pub role: Role,
    /// The password's hash.
    pub password_hash: String,
    /// When the account was made.
    pub created_at: Timestamp,
    /// Since when there is no way in.
    pub disabled_at: Option<Timestamp>,
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member")
            .field("id", &self.id)
            .field("role", &self.role)
            .finish_non_exhaustive()
    }
}

/// Whose a session is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// The company.
    pub company: CompanyId,
    /// The member.
    pub member: MemberId,
    /// When it ends.
    pub expires_at: Timestamp,
    /// The member's address.
    pub email: String,
    /// The member's name.
    pub name: String,
    /// What the member may do.
    pub role: Role,
    /// The company's language.
    pub language: Language,
    /// The company's offset.
    pub offset: UtcOffset,
}

/// How an address is compared: without regard to case.
pub fn email_key(email: &str) -> String {
    email.trim().to_lowercase()
}

fn member(row: &Row) -> Result<Member, Error> {
    Ok(Member {
        id: row.get("id")?,
        email: row.get("email")?,
        name: row.get("name")?,
        role: row.get("role")?,
        password_hash: row.get("password_hash")?,
        created_at: row.get("created_at")?,
        disabled_at: row.get("disabled_at")?,
    })
}

/// Adds a member; `None` where the address has an account already.
pub fn insert(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    email: &str,
    name: &str,
    role: Role,
    password_hash: &str,
    at: Timestamp,
) -> Result<Option<MemberId>, Error> {
    let email = email.trim();
    tx.query_optional(
        &sql::INSERT,
        values![company, email, email_key(email), name, role, password_hash, at],
    )?
    .map(|row| row.get("id"))
    .transpose()
}

/// Finds a member by his address, in any case.
pub fn find_by_email(tx: &mut dyn Transaction, company: &CompanyId, email: &str) -> Result<Option<Member>, Error> {
    tx.query_optional(&sql::FIND_BY_EMAIL, values![company, email_key(email)])?
        .as_ref()
        .map(member)
        .transpose()
}

/// Finds a member.
pub fn find(tx: &mut dyn Transaction, company: &CompanyId, id: MemberId) -> Result<Option<Member>, Error> {
    tx.query_optional(&sql::FIND, values![company, id])?
        .as_ref()
        .map(member)
        .transpose()
}

/// A company's members.
pub fn list(tx: &mut dyn Transaction, company: &CompanyId) -> Result<Vec<Member>, Error> {
    tx.query(&sql::LIST, values![company])?.iter().map(member).collect()
}

/// Whether the company has an owner who can sign in, besides this member.
pub fn has_other_owner(tx: &mut dyn Transaction, company: &CompanyId, id: MemberId) -> Result<bool, Error> {
    let total: i64 = tx.query_one(&sql::OTHER_OWNERS, values![company, id])?.get("total")?;
    Ok(total > 0)
}

/// Sets a password and ends what the old one let in: tokens and sessions. Says how many tokens.
pub fn set_password(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    id: MemberId,
    password_hash: &str,
    at: Timestamp,
) -> Result<u64, Error> {
    tx.execute_one(&sql::SET_PASSWORD, values![company, id, password_hash])?;
    end_all(tx, company, id, at)
}

/// Disables a member and ends his tokens and sessions; `false` where he was disabled already.
pub fn disable(tx: &mut dyn Transaction, company: &CompanyId, id: MemberId, at: Timestamp) -> Result<bool, Error> {
    let disabled = tx.execute(&sql::DISABLE, values![company, id, at])?;
    end_all(tx, company, id, at)?;
    Ok(disabled == 1)
}

fn end_all(tx: &mut dyn Transaction, company: &CompanyId, id: MemberId, at: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::DELETE_SESSIONS, values![company, id])?;
    crate::access_token::revoke_all(tx, company, id, at)
}

/// Begins a session.
pub fn insert_session(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    member: MemberId,
    hash: &[u8; 32],
    at: Timestamp,
    expires_at: Timestamp,
) -> Result<(), Error> {
    tx.execute_one(&sql::INSERT_SESSION, values![hash, company, member, at, expires_at])
}

/// Whose a live session is.
pub fn find_session(tx: &mut dyn Transaction, hash: &[u8; 32], now: Timestamp) -> Result<Option<SessionRow>, Error> {
    tx.query_optional(&sql::FIND_SESSION, values![hash, now])?
        .map(|row| {
            Ok(SessionRow {
                company: row.get("company_id")?,
                member: row.get("member_id")?,
                expires_at: row.get("expires_at")?,
                email: row.get("email")?,
                name: row.get("name")?,
                role: row.get("role")?,
                language: row.get("language")?,
                offset: row.get("utc_offset")?,
            })
        })
        .transpose()
}

/// Ends a session; whether there was one.
pub fn delete_session(tx: &mut dyn Transaction, hash: &[u8; 32]) -> Result<bool, Error> {
    Ok(tx.execute(&sql::DELETE_SESSION, values![hash])? > 0)
}

/// Removes sessions that are over; says how many.
pub fn delete_expired_sessions(tx: &mut dyn Transaction, now: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::DELETE_EXPIRED_SESSIONS, values![now])
}
