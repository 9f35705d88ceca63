//! Companies and the keys they seal with.

use domain::{CompanyId, Language, Region, SealLevel, SealMark, UtcOffset, WhenTsaIsDown};
use jiff::Timestamp;

use crate::sql::company as sql;
use crate::{Error, Row, Transaction, values};

/// A company's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    /// Its id, in lower case.
    pub id: CompanyId,
    /// Its name, as certificates and mails show it.
    pub name: String,
    /// The language of messages where nothing else says one.
    pub language: Language,
    /// The offset that times are read and written in where nothing else says one.
    pub offset: UtcOffset,
    /// Where national telephone numbers are read.
    pub region: Region,
    /// Whether its programs may use the API.
    pub api_enabled: bool,
    /// How long an access token lives.
    pub token_lifetime_seconds: i64,
    /// How many days a workflow may take where its start does not say.
    pub expiry_days: i64,
    /// How many days the links to finished files live.
    pub link_days: i64,
    /// How strong its documents are sealed; the installation's choice, if it has none.
    pub seal_level: Option<SealLevel>,
    /// The address of its time-stamp authority; the installation's, if it has none.
    pub tsa_url: Option<String>,
    /// What happens while that authority does not answer; the installation's choice, if it has none.
    pub when_tsa_is_down: Option<WhenTsaIsDown>,
    /// Whether its documents show on their pages that they are sealed.
    pub seal_mark: SealMark,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A seal key's row; the private key is encrypted.
#[derive(Debug, Clone)]
pub struct SealKeyRow {
    /// Its id.
    pub id: i64,
    /// PKCS#8, encrypted by the vault.
    pub private_key: Vec<u8>,
    /// PEM, the key's own certificate first.
    pub certificates: String,
}

fn company(row: &Row) -> Result<Company, Error> {
    Ok(Company {
        id: row.get("id")?,
        name: row.get("name")?,
        language: row.get("language")?,
        offset: row.get("utc_offset")?,
        region: row.get("region")?,
        api_enabled: row.get("api_enabled")?,
        token_lifetime_seconds: row.get("token_lifetime_seconds")?,
        expiry_days: row.get("expiry_days")?,
        link_days: row.get("link_days")?,
        seal_level: row.get("seal_level")?,
        tsa_url: row.get("tsa_url")?,
        when_tsa_is_down: row.get("when_tsa_is_down")?,
        seal_mark: row.get("seal_mark")?,
        created_at: row.get("created_at")?,
    })
}

/// Adds a company; `false` where the id is taken.
pub fn insert(tx: &mut dyn Transaction, company: &Company) -> Result<bool, Error> {
    let inserted = tx.execute(
        &sql::INSERT,
        values![
            &company.id,
            &company.name,
            company.language,
            company.offset,
            company.region,
            company.api_enabled,
            company.token_lifetime_seconds,
            company.expiry_days,
            company.link_days,
            company.created_at,
            company.seal_level,
            company.tsa_url.as_deref(),
            company.when_tsa_is_down,
            company.seal_mark,
        ],
    )?;
    Ok(inserted == 1)
}

/// Finds a company.
pub fn find(tx: &mut dyn Transaction, id: &CompanyId) -> Result<Option<Company>, Error> {
    tx.query_optional(&sql::FIND, values![id])?
        .as_ref()
        .map(company)
        .transpose()
}

/// All companies, for the operator.
pub fn list(tx: &mut dyn Transaction) -> Result<Vec<Company>, Error> {
    tx.query(&sql::LIST, values![])?.iter().map(company).collect()
}

/// Writes a company's settings.
pub fn update(tx: &mut dyn Transaction, company: &Company) -> Result<(), Error> {
    tx.execute_one(
        &sql::UPDATE,
        values![
            &company.id,
            &company.name,
            company.language,
            company.offset,
            company.region,
            company.api_enabled,
            company.token_lifetime_seconds,
            company.expiry_days,
            company.link_days,
            company.seal_level,
            company.tsa_url.as_deref(),
            company.when_tsa_is_down,
            company.seal_mark,
        ],
    )
}

/// Takes hold of who may sign in to the company. Whoever decides from the members what to change about them calls it
/// first: of two that do so at the same moment one runs again on what the other has left.
pub fn hold_members(tx: &mut dyn Transaction, company: &CompanyId) -> Result<(), Error> {
    tx.execute_one(&sql::HOLD_MEMBERS, values![company])
}

/// A seal key whose certificate is revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevokedSealKey {
    /// PEM, the key's own certificate first.
    pub certificates: String,
    /// Since when.
    pub revoked_at: Timestamp,
    /// Why, as the standard names it.
    pub reason: Option<String>,
}

/// All seal keys whose certificates are revoked, of all companies.
pub fn revoked_seal_keys(tx: &mut dyn Transaction) -> Result<Vec<RevokedSealKey>, Error> {
    tx.query(&sql::REVOKED_SEAL_KEYS, values![])?
        .iter()
        .map(|row| {
            Ok(RevokedSealKey {
                certificates: row.get("certificates")?,
                revoked_at: row.get("revoked_at")?,
                reason: row.get("revocation_reason")?,
            })
        })
        .collect()
}

/// Revokes the certificate of the seal key that the company uses, and says whether there was one.
pub fn revoke_seal_key(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    at: Timestamp,
    reason: &str,
) -> Result<bool, Error> {
    Ok(tx.execute(&sql::REVOKE_SEAL_KEY, values![company, at, reason])? == 1)
}

/// Retires the seal key that the company uses, and says whether there was one. What it sealed stays valid.
pub fn retire_seal_key(tx: &mut dyn Transaction, company: &CompanyId, at: Timestamp) -> Result<bool, Error> {
    Ok(tx.execute(&sql::RETIRE_SEAL_KEY, values![company, at])? == 1)
}

/// Adds the seal key that the company uses.
pub fn insert_seal_key(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    private_key: &[u8],
    certificates: &str,
    at: Timestamp,
) -> Result<i64, Error> {
    tx.query_one(&sql::INSERT_SEAL_KEY, values![company, private_key, certificates, at])?
        .get("id")
}

/// Which seal key the company uses.
pub fn seal_key_id(tx: &mut dyn Transaction, company: &CompanyId) -> Result<Option<i64>, Error> {
    tx.query_optional(&sql::SEAL_KEY_ID, values![company])?
        .map(|row| row.get("id"))
        .transpose()
}

/// The seal key that the company uses.
pub fn seal_key(tx: &mut dyn Transaction, company: &CompanyId) -> Result<Option<SealKeyRow>, Error> {
    tx.query_optional(&sql::SEAL_KEY, values![company])?
        .map(|row| {
            Ok(SealKeyRow {
                id: row.get("id")?,
                private_key: row.get("private_key")?,
                certificates: row.get("certificates")?,
            })
        })
        .transpose()
}
