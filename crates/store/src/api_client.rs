//! A company's programs and the secrets that their webhooks are signed with.

use std::fmt;

use domain::{ClientId, CompanyId};
use jiff::Timestamp;

use crate::sql::api_client as sql;
use crate::{Error, Row, Transaction, values};

/// A client's row; the secrets are encrypted.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiClient {
    /// What webhooks name.
    pub id: ClientId,
    /// What people call it.
    pub name: String,
    /// Whether workflows carry it that name no other.
    pub is_default: bool,
    /// The signing secret, encrypted by the vault.
    pub secret: Vec<u8>,
    /// The secret before the last rotation.
    pub previous_secret: Option<Vec<u8>>,
    /// Until when that one signs as well.
    pub previous_until: Option<Timestamp>,
    /// When it was added.
    pub created_at: Timestamp,
}

impl fmt::Debug for ApiClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiClient")
            .field("id", &self.id)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

fn client(row: &Row) -> Result<ApiClient, Error> {
    Ok(ApiClient {
        id: row.get("id")?,
        name: row.get("name")?,
        is_default: row.get("is_default")?,
        secret: row.get("secret")?,
        previous_secret: row.get("previous_secret")?,
        previous_until: row.get("previous_until")?,
        created_at: row.get("created_at")?,
    })
}

/// Adds a client.
pub fn insert(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    id: ClientId,
    name: &str,
    is_default: bool,
    secret: &[u8],
    at: Timestamp,
) -> Result<(), Error> {
    tx.execute_one(&sql::INSERT, values![id, company, name, is_default, secret, at])
}

/// Finds a client.
pub fn find(tx: &mut dyn Transaction, company: &CompanyId, id: ClientId) -> Result<Option<ApiClient>, Error> {
    tx.query_optional(&sql::FIND, values![company, id])?
        .as_ref()
        .map(client)
        .transpose()
}

/// Whether the company has this client.
pub fn exists(tx: &mut dyn Transaction, company: &CompanyId, id: ClientId) -> Result<bool, Error> {
    Ok(tx.query_optional(&sql::EXISTS, values![company, id])?.is_some())
}

/// The client that workflows carry which name no other.
pub fn default(tx: &mut dyn Transaction, company: &CompanyId) -> Result<ClientId, Error> {
    tx.query_one(&sql::DEFAULT, values![company])?.get("id")
}

/// A company's clients, oldest first.
pub fn list(tx: &mut dyn Transaction, company: &CompanyId) -> Result<Vec<ApiClient>, Error> {
    tx.query(&sql::LIST, values![company])?.iter().map(client).collect()
}

/// Puts a new secret in; the one before signs as well until a time.
pub fn rotate(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    id: ClientId,
    secret: &[u8],
    previous_until: Timestamp,
) -> Result<(), Error> {
    tx.execute_one(&sql::ROTATE, values![company, id, secret, previous_until])
}
