//! Templates and their versions.

use domain::{BlobHash, CompanyId, Field, TemplateContent, TemplateId, TemplateVersion};
use jiff::Timestamp;

use crate::files::loose_file;
use crate::sql::template as sql;
use crate::{Error, Row, Transaction, values};

/// A version with its files and template state.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredVersion {
    pub version: TemplateVersion,
    /// SHA-256 of the upload, before intake.
    pub original: BlobHash,
    /// The pages' images (WebP), page 1 first.
    pub page_images: Vec<BlobHash>,
    pub created_at: Timestamp,
    pub created_by: String,
    /// The time since which the template accepts no new workflows.
    pub archived_at: Option<Timestamp>,
    /// The content of the version's row. `None` before it is stored.
    pub content: Option<TemplateContent>,
}

/// A template as shown in lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateRow {
    pub id: TemplateId,
    pub name: String,
    /// The version for new workflows.
    pub current_version: u32,
    pub created_at: Timestamp,
    /// The time since which it accepts no new workflows.
    pub archived_at: Option<Timestamp>,
}

impl StoredVersion {
    /// Whether the upload was kept byte for byte, because others had already signed it. The intake rewrites every other
    /// file.
    pub fn extends_upload(&self) -> bool {
        self.version.pdf == self.original
    }
}

fn stored(row: &Row) -> Result<StoredVersion, Error> {
    Ok(StoredVersion {
        version: row.parse("definition", |text| serde_json::from_str(text))?,
        original: row.get("original")?,
        page_images: row.parse("page_images", hashes_from_json)?,
        created_at: row.get("created_at")?,
        created_by: row.get("created_by")?,
        archived_at: row.get("archived_at")?,
        content: Some(content(row)?),
    })
}

pub(crate) fn content(row: &Row) -> Result<TemplateContent, Error> {
    let (definition, page_images): (String, String) = (row.get("definition")?, row.get("page_images")?);
    Ok(TemplateContent::of(&definition, &page_images))
}

fn hashes_from_json(text: &str) -> Result<Vec<BlobHash>, serde_json::Error> {
    serde_json::from_str(text)
}

/// Adds a template without its first version, which contains the template's ID.
pub fn insert(tx: &mut dyn Transaction, company: &CompanyId, name: &str, at: Timestamp) -> Result<TemplateId, Error> {
    tx.query_one(&sql::INSERT, values![company, name, at])?.get("id")
}

/// Reserves the next version, under the template's new name. Returns its number. `None` if there is no such template.
pub fn advance(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    id: TemplateId,
    name: &str,
) -> Result<Option<u32>, Error> {
    tx.query_optional(&sql::ADVANCE, values![company, id, name])?
        .map(|row| row.get("current_version"))
        .transpose()
}

/// Like [`advance`], for a version based on `from`. Also `None` if that is no longer the current one.
pub fn advance_from(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    id: TemplateId,
    name: &str,
    from: u32,
) -> Result<Option<u32>, Error> {
    tx.query_optional(&sql::ADVANCE_FROM, values![company, id, name, from])?
        .map(|row| row.get("current_version"))
        .transpose()
}

/// Archives a template, or does nothing if it is already archived. Returns the time since which it is archived, or
/// `None` if there is no such template.
pub fn archive(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    id: TemplateId,
    at: Timestamp,
) -> Result<Option<Timestamp>, Error> {
    tx.query_optional(&sql::ARCHIVE, values![company, id, at])?
        .map(|row| row.get("archived_at"))
        .transpose()
}

/// Unarchives a template. `false` if there is no such template.
pub fn unarchive(tx: &mut dyn Transaction, company: &CompanyId, id: TemplateId) -> Result<bool, Error> {
    Ok(tx.execute(&sql::UNARCHIVE, values![company, id])? > 0)
}

/// Adds a version. Returns the content of its row.
pub fn insert_version(tx: &mut dyn Transaction, stored: &StoredVersion) -> Result<TemplateContent, Error> {
    let version = &stored.version;
    let unwritable = |error: serde_json::Error| Error::Parameter {
        statement: sql::INSERT_VERSION.name(),
        position: 5,
        detail: error.to_string(),
    };
    let definition = serde_json::to_string(version).map_err(unwritable)?;
    let page_images = serde_json::to_string(&stored.page_images).map_err(unwritable)?;
    let content = TemplateContent::of(&definition, &page_images);
    tx.execute_one(
        &sql::INSERT_VERSION,
        values![
            &version.company,
            version.template,
            version.version,
            &version.name,
            definition,
            version.pdf,
            stored.original,
            page_images,
            stored.created_at,
            &stored.created_by,
        ],
    )?;
    for hash in std::iter::once(&version.pdf).chain(&stored.page_images) {
        let parameters = values![hash, &version.company, version.template, version.version];
        tx.execute_later(&sql::INSERT_FILE, parameters)?;
    }
    Ok(content)
}

/// The version for new workflows.
pub fn current(tx: &mut dyn Transaction, company: &CompanyId, id: TemplateId) -> Result<Option<StoredVersion>, Error> {
    tx.query_optional(&sql::CURRENT, values![company, id])?
        .as_ref()
        .map(stored)
        .transpose()
}

/// Returns the version that a workflow uses.
pub fn version(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    id: TemplateId,
    version: u32,
) -> Result<Option<StoredVersion>, Error> {
    tx.query_optional(&sql::VERSION, values![company, id, version])?
        .as_ref()
        .map(stored)
        .transpose()
}

/// Returns the definitions of fields with this name in all versions of a template, without duplicates, newest first.
/// Reads nothing else, because there may be many versions with thousands of fields.
pub fn fields_named(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    id: TemplateId,
    name: &str,
) -> Result<Vec<Field>, Error> {
    tx.query(&sql::FIELDS_NAMED, values![company, id, name])?
        .iter()
        .map(|row| row.parse("field", |text| serde_json::from_str(text)))
        .collect()
}

/// Returns a company's templates with IDs below `before`, newest first.
pub fn list(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    before: TemplateId,
    with_archived: bool,
    limit: u32,
) -> Result<Vec<TemplateRow>, Error> {
    tx.query(&sql::LIST, values![company, before, with_archived, limit])?
        .iter()
        .map(|row| {
            Ok(TemplateRow {
                id: row.get("id")?,
                name: row.get("name")?,
                current_version: row.get("current_version")?,
                created_at: row.get("created_at")?,
                archived_at: row.get("archived_at")?,
            })
        })
        .collect()
}

/// Adds a template for one document, with its only version. Lists leave it out. The ID in the version is ignored.
pub fn insert_one_off(
    tx: &mut dyn Transaction,
    stored: &StoredVersion,
) -> Result<(TemplateId, TemplateContent), Error> {
    let mut stored = stored.clone();
    let version = &mut stored.version;
    version.template = tx
        .query_one(
            &sql::INSERT_ONE_OFF,
            values![&version.company, &version.name, stored.created_at],
        )?
        .get("id")?;
    let content = insert_version(tx, &stored)?;
    Ok((stored.version.template, content))
}

/// Removes a template for one document that was not started. Its files become loose.
pub fn delete_one_off(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    id: TemplateId,
    at: Timestamp,
) -> Result<(), Error> {
    for row in tx.query(&sql::FORGET_FILES, values![company.as_str(), id.get()])? {
        loose_file::leave(tx, company, row.get("hash")?, at)?;
    }
    tx.execute(&sql::DELETE_ONE_OFF_VERSIONS, values![company.as_str(), id.get()])?;
    tx.execute(&sql::DELETE_ONE_OFF, values![company.as_str(), id.get()])
        .map(drop)
}
