//! Companies and their seal keys.

use domain::{
    BlobHash, Colour, CompanyId, CompletedMails, Language, RedirectHosts, Region, Reminders, SealLevel, SealMark,
    WhenTsaIsDown, WorkflowId, Zone, time,
};
use jiff::Timestamp;

use crate::sql::company as sql;
use crate::{Error, Row, Transaction, Value, values};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    /// In lower case.
    pub id: CompanyId,
    /// The name shown in certificates and mails.
    pub name: String,
    /// The default language of messages.
    pub language: Language,
    /// The default zone for reading and writing times.
    pub zone: Zone,
    /// The region for national phone numbers.
    pub region: Region,
    /// Whether programs may use the API in the company's name.
    pub api_enabled: bool,
    /// The time for which an access token is valid.
    pub token_lifetime_seconds: i64,
    /// The default number of days that a workflow may take.
    pub expiry_days: i64,
    /// The number of days for which links to finished files work.
    pub link_days: i64,
    /// The seal level of the company's documents. `None` uses the installation's.
    pub seal_level: Option<SealLevel>,
    /// The URL of the company's time-stamp authority. `None` uses the installation's.
    pub tsa_url: Option<String>,
    /// What happens while the time-stamp authority does not answer. `None` uses the installation's setting.
    pub when_tsa_is_down: Option<WhenTsaIsDown>,
    /// Whether the pages of documents show that they are sealed.
    pub seal_mark: SealMark,
    pub style: Style,
    pub created_at: Timestamp,
}

/// How a company appears on pages and in mails.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Style {
    /// The company's colour, as entered.
    pub accent: Option<Colour>,
    pub logo: Option<Logo>,
    /// The sender name of the company's mails. `None` uses the company's name.
    pub mail_sender_name: Option<String>,
    /// The address for replies to the company's mails.
    pub mail_reply_to: Option<String>,
    /// The recipients of finished documents.
    pub completed_mails: CompletedMails,
    /// The times of automatic reminders to signers.
    pub reminders: Reminders,
    /// The hosts to which its documents may lead signers.
    pub redirect_hosts: RedirectHosts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Logo {
    /// The hash of the logo's file.
    pub hash: BlobHash,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

/// A seal key's row. The private key is encrypted.
#[derive(Debug, Clone)]
pub struct SealKeyRow {
    pub id: i64,
    /// PKCS#8, encrypted by the vault.
    pub private_key: Vec<u8>,
    /// PEM, the key's own certificate first.
    pub certificates: String,
}

/// Reads the columns of [`Style`], which several statements select.
pub(crate) fn style(row: &Row) -> Result<Style, Error> {
    let logo = match row.get("logo")? {
        Some(hash) => Some(Logo {
            hash,
            width: row.get("logo_width")?,
            height: row.get("logo_height")?,
        }),
        None => None,
    };
    Ok(Style {
        accent: row.get("accent")?,
        logo,
        mail_sender_name: row.get("mail_sender_name")?,
        mail_reply_to: row.get("mail_reply_to")?,
        completed_mails: row.get("completed_mails")?,
        reminders: Reminders {
            every_days: row.get("remind_every_days")?,
            before_days: row.get("remind_before_days")?,
        },
        redirect_hosts: row.get("redirect_hosts")?,
    })
}

fn company(row: &Row) -> Result<Company, Error> {
    Ok(Company {
        id: row.get("id")?,
        name: row.get("name")?,
        language: row.get("language")?,
        zone: row.get("time_zone")?,
        region: row.get("region")?,
        api_enabled: row.get("api_enabled")?,
        token_lifetime_seconds: row.get("token_lifetime_seconds")?,
        expiry_days: row.get("expiry_days")?,
        link_days: row.get("link_days")?,
        seal_level: row.get("seal_level")?,
        tsa_url: row.get("tsa_url")?,
        when_tsa_is_down: row.get("when_tsa_is_down")?,
        seal_mark: row.get("seal_mark")?,
        style: style(row)?,
        created_at: row.get("created_at")?,
    })
}

/// Adds a company. `false` if the ID is already used.
pub fn insert(tx: &mut dyn Transaction, company: &Company) -> Result<bool, Error> {
    let mut row = settings(company);
    row.push(company.created_at.into());
    let inserted = tx.execute(&sql::INSERT, &row)?;
    Ok(inserted == 1)
}

pub fn find(tx: &mut dyn Transaction, id: &CompanyId) -> Result<Option<Company>, Error> {
    tx.query_optional(&sql::FIND, values![id])?
        .as_ref()
        .map(company)
        .transpose()
}

/// Returns all companies, for the operator.
pub fn list(tx: &mut dyn Transaction) -> Result<Vec<Company>, Error> {
    tx.query(&sql::LIST, values![])?.iter().map(company).collect()
}

pub fn update(tx: &mut dyn Transaction, company: &Company) -> Result<(), Error> {
    tx.execute_one(&sql::UPDATE, &settings(company))
}

/// Returns the changeable columns of a company, which follow its ID.
fn settings(company: &Company) -> Vec<Value> {
    values![
        &company.id,
        &company.name,
        company.language,
        company.zone,
        company.region,
        company.api_enabled,
        company.token_lifetime_seconds,
        company.expiry_days,
        company.link_days,
        company.seal_level,
        company.tsa_url.as_deref(),
        company.when_tsa_is_down,
        company.seal_mark,
        company.style.accent,
        company.style.logo.map(|logo| logo.hash),
        company.style.logo.map(|logo| logo.width),
        company.style.logo.map(|logo| logo.height),
        company.style.mail_sender_name.as_deref(),
        company.style.mail_reply_to.as_deref(),
        company.style.completed_mails,
        company.style.reminders.every_days,
        company.style.reminders.before_days,
        &company.style.redirect_hosts,
    ]
    .to_vec()
}

/// Returns the company's first hundred running documents that expire after a time. Documents that never expire are left
/// out.
pub fn workflows_outlasting(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    at: Timestamp,
) -> Result<Vec<WorkflowId>, Error> {
    let rows = tx.query(&sql::WORKFLOWS_OUTLASTING, values![company, at, time::never()])?;
    rows.iter().map(|row| row.get("id")).collect()
}

/// Stores the company's new logo. The previous one stays for mails that are waiting.
pub fn put_logo(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    logo: Option<(&BlobHash, &[u8])>,
    at: Timestamp,
) -> Result<(), Error> {
    tx.execute(&sql::REPLACE_LOGO, values![company, at])?;
    if let Some((hash, png)) = logo {
        tx.execute_one(&sql::PUT_LOGO, values![company, hash, png])?;
    }
    Ok(())
}

/// Returns a current or earlier logo (PNG) of the company.
pub fn logo(tx: &mut dyn Transaction, company: &CompanyId, hash: &BlobHash) -> Result<Option<Vec<u8>>, Error> {
    tx.query_optional(&sql::LOGO, values![company, hash])?
        .map(|row| row.get("png"))
        .transpose()
}

/// Deletes logos that were replaced before a time. Returns how many.
pub fn delete_logos(tx: &mut dyn Transaction, before: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::DELETE_LOGOS, values![before])
}

/// Locks the list of the company's members. Call this first if you decide from that list how to change members. Of two
/// simultaneous transactions, one runs again and sees the other's changes.
pub fn hold_members(tx: &mut dyn Transaction, company: &CompanyId) -> Result<(), Error> {
    tx.execute_one(&sql::HOLD_MEMBERS, values![company])
}

/// A seal key whose certificate is revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevokedSealKey {
    /// PEM, the key's own certificate first.
    pub certificates: String,
    pub revoked_at: Timestamp,
    /// The reason, as named in the standard.
    pub reason: Option<String>,
}

/// Returns the revoked seal keys of all companies.
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

/// Revokes the certificate of the company's current seal key. Returns whether there was one.
pub fn revoke_seal_key(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    at: Timestamp,
    reason: &str,
) -> Result<bool, Error> {
    Ok(tx.execute(&sql::REVOKE_SEAL_KEY, values![company, at, reason])? == 1)
}

/// Retires the company's current seal key. Returns whether there was one. Documents that it sealed stay valid.
pub fn retire_seal_key(tx: &mut dyn Transaction, company: &CompanyId, at: Timestamp) -> Result<bool, Error> {
    Ok(tx.execute(&sql::RETIRE_SEAL_KEY, values![company, at])? == 1)
}

/// Adds a seal key as the company's current one.
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

/// Returns the ID of the company's current seal key.
pub fn seal_key_id(tx: &mut dyn Transaction, company: &CompanyId) -> Result<Option<i64>, Error> {
    tx.query_optional(&sql::SEAL_KEY_ID, values![company])?
        .map(|row| row.get("id"))
        .transpose()
}

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

/// A seal key in use, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealKeyInUse {
    pub id: i64,
    pub company: CompanyId,
    /// The key's certificates, PEM.
    pub certificates: String,
    /// The number of days before expiry when the owners were last warned.
    pub warned_days: Option<i64>,
}

/// Returns the seal keys in use by all companies.
pub fn seal_keys_in_use(tx: &mut dyn Transaction) -> Result<Vec<SealKeyInUse>, Error> {
    tx.query(&sql::SEAL_KEYS_IN_USE, values![])?
        .iter()
        .map(|row| {
            Ok(SealKeyInUse {
                id: row.get("id")?,
                company: row.get("company_id")?,
                certificates: row.get("certificates")?,
                warned_days: row.get("warned_days")?,
            })
        })
        .collect()
}

/// Records that the owners were warned about a seal key that expires in `days`. `false` if they were warned before.
pub fn set_seal_key_warned(tx: &mut dyn Transaction, id: i64, days: i64) -> Result<bool, Error> {
    Ok(tx.execute(&sql::SET_SEAL_KEY_WARNED, values![id, days])? == 1)
}
