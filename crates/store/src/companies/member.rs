//! Members and their sessions on the pages.

use std::fmt;

use domain::{CompanyId, Language, MemberId, Role, Zone};
use jiff::Timestamp;

use crate::sql::member as sql;
use crate::{Error, Row, Transaction, values};

#[derive(Clone, PartialEq, Eq)]
pub struct Member {
    pub id: MemberId,
    /// As entered.
    pub email: String,
    pub name: String,
    pub role: Role,
    pub password_hash: String,
    /// Incremented whenever the credentials change.
    pub credential_version: i64,
    pub created_at: Timestamp,
    /// The time since which the member cannot sign in.
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

/// The member who owns a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    pub company: CompanyId,
    pub company_name: String,
    pub member: MemberId,
    /// The last use, to the minute.
    pub seen_at: Timestamp,
    /// The end of the session, even if it is in use.
    pub expires_at: Timestamp,
    pub email: String,
    pub name: String,
    pub role: Role,
    pub language: Language,
    pub zone: Zone,
}

/// Returns the form in which e-mail addresses are compared. Case is ignored only for ASCII letters, because folding
/// other letters could produce someone else's address.
pub fn email_key(email: &str) -> String {
    email.trim().to_ascii_lowercase()
}

fn member(row: &Row) -> Result<Member, Error> {
    Ok(Member {
        id: row.get("id")?,
        email: row.get("email")?,
        name: row.get("name")?,
        role: row.get("role")?,
        password_hash: row.get("password_hash")?,
        credential_version: row.get("credential_version")?,
        created_at: row.get("created_at")?,
        disabled_at: row.get("disabled_at")?,
    })
}

/// Adds a member. `None` if the address already has an account.
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

/// Finds a member by their address, ignoring case.
pub fn find_by_email(tx: &mut dyn Transaction, company: &CompanyId, email: &str) -> Result<Option<Member>, Error> {
    tx.query_optional(&sql::FIND_BY_EMAIL, values![company, email_key(email)])?
        .as_ref()
        .map(member)
        .transpose()
}

pub fn find(tx: &mut dyn Transaction, company: &CompanyId, id: MemberId) -> Result<Option<Member>, Error> {
    tx.query_optional(&sql::FIND, values![company, id])?
        .as_ref()
        .map(member)
        .transpose()
}

pub fn list(tx: &mut dyn Transaction, company: &CompanyId) -> Result<Vec<Member>, Error> {
    tx.query(&sql::LIST, values![company])?.iter().map(member).collect()
}

/// Sets a password and ends all tokens and sessions of the old one. Returns how many tokens.
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

/// The result of disabling a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disabled {
    Unknown,
    Before,
    /// The member is the last owner who can sign in, so nothing was changed.
    LastOwner,
    /// The member was disabled, and their tokens and sessions have ended.
    Now,
}

/// Disables a member and ends their tokens and sessions, unless no owner would be left.
pub fn disable(tx: &mut dyn Transaction, company: &CompanyId, email: &str, at: Timestamp) -> Result<Disabled, Error> {
    crate::companies::company::hold_members(tx, company)?;
    let Some(member) = find_by_email(tx, company, email)? else {
        return Ok(Disabled::Unknown);
    };
    if member.disabled_at.is_some() {
        return Ok(Disabled::Before);
    }
    if member.role == Role::Owner {
        let others: i64 = tx
            .query_one(&sql::OTHER_OWNERS, values![company, member.id])?
            .get("total")?;
        if others == 0 {
            return Ok(Disabled::LastOwner);
        }
    }
    tx.execute_one(&sql::DISABLE, values![company, member.id, at])?;
    end_all(tx, company, member.id, at)?;
    Ok(Disabled::Now)
}

fn end_all(tx: &mut dyn Transaction, company: &CompanyId, id: MemberId, at: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::DELETE_SESSIONS, values![company, id])?;
    crate::companies::access_token::revoke_all(tx, company, id, at)
}

/// Begins a session for a member whose credentials were verified. `false` if they have changed since.
pub fn insert_session(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    proved: &Member,
    hash: &[u8; 32],
    at: Timestamp,
    expires_at: Timestamp,
) -> Result<bool, Error> {
    let begun = tx.execute(
        &sql::INSERT_SESSION,
        values![hash, company, proved.id, proved.credential_version, at, expires_at],
    )?;
    Ok(begun == 1)
}

/// Returns the owner of a valid session: one that has not ended and was used after `idle_since`.
pub fn find_session(
    tx: &mut dyn Transaction,
    hash: &[u8; 32],
    now: Timestamp,
    idle_since: Timestamp,
) -> Result<Option<SessionRow>, Error> {
    tx.query_optional(&sql::FIND_SESSION, values![hash, now, idle_since])?
        .map(|row| {
            Ok(SessionRow {
                company: row.get("company_id")?,
                company_name: row.get("company_name")?,
                member: row.get("member_id")?,
                seen_at: row.get("seen_at")?,
                expires_at: row.get("expires_at")?,
                email: row.get("email")?,
                name: row.get("name")?,
                role: row.get("role")?,
                language: row.get("language")?,
                zone: row.get("time_zone")?,
            })
        })
        .transpose()
}

/// Records that a session was used.
pub fn use_session(tx: &mut dyn Transaction, hash: &[u8; 32], at: Timestamp) -> Result<(), Error> {
    tx.execute(&sql::USE_SESSION, values![hash, at])?;
    Ok(())
}

/// Ends a session. Returns whether it existed.
pub fn delete_session(tx: &mut dyn Transaction, hash: &[u8; 32]) -> Result<bool, Error> {
    Ok(tx.execute(&sql::DELETE_SESSION, values![hash])? > 0)
}

/// Removes sessions that have ended or were last used at or before `idle_since`. Returns how many.
pub fn delete_expired_sessions(tx: &mut dyn Transaction, now: Timestamp, idle_since: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::DELETE_EXPIRED_SESSIONS, values![now, idle_since])
}
