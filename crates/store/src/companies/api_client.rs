//! A company's API clients, and the secrets that sign their webhooks.

use std::fmt;

use domain::{ClientId, CompanyId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::sql::api_client as sql;
use crate::{Error, Row, Transaction, values};

/// A client's row. The secrets are encrypted.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiClient {
    /// The ID in the client's webhooks.
    pub id: ClientId,
    pub name: String,
    /// Whether this client is used for workflows that name none.
    pub is_default: bool,
    /// Whether its documents are tests.
    pub is_test: bool,
    /// The signing secret, encrypted by the vault.
    pub secret: Vec<u8>,
    /// The secrets from before the last rotations, newest first.
    pub retired: Vec<RetiredSecret>,
    pub created_at: Timestamp,
}

/// A secret from before a rotation, encrypted by the vault.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetiredSecret {
    pub secret: Vec<u8>,
    /// The time when the secret stops signing.
    pub until: Timestamp,
}

impl fmt::Debug for ApiClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiClient")
            .field("id", &self.id)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The latest retired secret has its own columns. Earlier ones are in a list.
fn retired(row: &Row) -> Result<Vec<RetiredSecret>, Error> {
    let mut retired: Vec<RetiredSecret> = row.parse("retired_secrets", |text| serde_json::from_str(text))?;
    if let (Some(secret), Some(until)) = (row.get("previous_secret")?, row.get("previous_until")?) {
        retired.insert(0, RetiredSecret { secret, until });
    }
    Ok(retired)
}

fn client(row: &Row) -> Result<ApiClient, Error> {
    Ok(ApiClient {
        id: row.get("id")?,
        name: row.get("name")?,
        is_default: row.get("is_default")?,
        is_test: row.get("is_test")?,
        secret: row.get("secret")?,
        retired: retired(row)?,
        created_at: row.get("created_at")?,
    })
}

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

/// Makes all documents of a new client tests. A client with documents stays what it is.
pub fn set_test(tx: &mut dyn Transaction, company: &CompanyId, id: ClientId) -> Result<(), Error> {
    tx.execute_one(&sql::SET_TEST, values![company, id])
}

pub fn find(tx: &mut dyn Transaction, company: &CompanyId, id: ClientId) -> Result<Option<ApiClient>, Error> {
    tx.query_optional(&sql::FIND, values![company, id])?
        .as_ref()
        .map(client)
        .transpose()
}

pub fn exists(tx: &mut dyn Transaction, company: &CompanyId, id: ClientId) -> Result<bool, Error> {
    Ok(tx.query_optional(&sql::EXISTS, values![company, id])?.is_some())
}

/// Returns the client for workflows that name none.
pub fn default(tx: &mut dyn Transaction, company: &CompanyId) -> Result<ClientId, Error> {
    tx.query_one(&sql::DEFAULT, values![company])?.get("id")
}

/// Returns a company's clients, oldest first.
pub fn list(tx: &mut dyn Transaction, company: &CompanyId) -> Result<Vec<ApiClient>, Error> {
    tx.query(&sql::LIST, values![company])?.iter().map(client).collect()
}

/// Replaces the secret that was read. The old one also signs until `until`, and so do the earlier ones in `retired`.
/// `false` if another rotation came first.
pub fn rotate(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    client: &ApiClient,
    secret: &[u8],
    until: Timestamp,
    retired: &[RetiredSecret],
) -> Result<bool, Error> {
    // Serialising cannot fail, because there are only numbers and times.
    let retired = serde_json::to_string(retired).unwrap_or_default();
    let rotated = tx.execute(
        &sql::ROTATE,
        values![
            company,
            client.id,
            secret,
            until,
            retired.as_str(),
            client.secret.as_slice()
        ],
    )?;
    Ok(rotated == 1)
}
