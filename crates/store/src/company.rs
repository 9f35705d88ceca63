//! Companies and the keys they seal with.

use domain::{
    BlobHash, Colour, CompanyId, CompletedMails, Language, Region, Reminders, SealLevel, SealMark, UtcOffset,
    WhenTsaIsDown,
};
use jiff::Timestamp;

use crate::sql::company as sql;
use crate::{Error, Row, Transaction, Value, values};

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
    /// How it shows itself.
    pub style: Style,
    /// When it was made.
    pub created_at: Timestamp,
}

/// How a company shows itself on pages and in mails.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Style {
    /// Its colour, as it was given.
    pub accent: Option<Colour>,
    /// Its logo.
    pub logo: Option<Logo>,
    /// The name that its mails come from; its own name, if it has none.
    pub mail_sender_name: Option<String>,
    /// Where answers to its mails go.
    pub mail_reply_to: Option<String>,
    /// Who is sent finished documents.
    pub completed_mails: CompletedMails,
    /// When writers are reminded by themselves.
    pub reminders: Reminders,
}

/// A company's logo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Logo {
    /// Of its file.
    pub hash: BlobHash,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
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

/// The columns of [`Style`], which several statements ask for.
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
    })
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
        style: style(row)?,
        created_at: row.get("created_at")?,
    })
}

/// Adds a company; `false` where the id is taken.
pub fn insert(tx: &mut dyn Transaction, company: &Company) -> Result<bool, Error> {
    let mut row = settings(company);
    row.push(company.created_at.into());
    let inserted = tx.execute(&sql::INSERT, &row)?;
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
    tx.execute_one(&sql::UPDATE, &settings(company))
}

/// What may change of a company, behind its id.
fn settings(company: &Company) -> Vec<Value> {
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
        company.style.accent,
        company.style.logo.map(|logo| logo.hash),
        company.style.logo.map(|logo| logo.width),
        company.style.logo.map(|logo| logo.height),
        company.style.mail_sender_name.as_deref(),
        company.style.mail_reply_to.as_deref(),
        company.style.completed_mails,
        company.style.reminders.every_days,
        company.style.reminders.before_days,
    ]
    .to_vec()
}

/// Keeps the logo that the company uses from now on; the one before stays for mails that wait.
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

/// A logo (PNG) that the company uses or has used.
pub fn logo(tx: &mut dyn Transaction, company: &CompanyId, hash: &BlobHash) -> Result<Option<Vec<u8>>, Error> {
    tx.query_optional(&sql::LOGO, values![company, hash])?
        .map(|row| row.get("png"))
        .transpose()
}

/// Deletes logos that were replaced before then; how many.
pub fn delete_logos(tx: &mut dyn Transaction, before: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::DELETE_LOGOS, values![before])
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
