//! Templates: a PDF with placed fields, taken in once.
//!
//! A PDF that comes from outside passes intake, which writes the file that everything after works on; its pages are
//! rendered once and kept as files of their own, for every workflow of every version that shows them. Files are durable
//! before the row that names them exists; files without a row are swept later.

use document::intake::{FormValues, Report, Wishes};
use domain::fields_file::{self, FieldsFault};
use domain::{BlobHash, CompanyId, Field, TemplateId, TemplateVersion};
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use store::template::{StoredVersion, TemplateRow};

use crate::App;
use crate::error::{Error, Fault, FaultCode, Subject};

/// The resolution of page images: two pixels a point.
pub const PAGE_IMAGE_DPI: f32 = 144.0;
/// So many pages are rendered in one go, which bounds what is held in memory.
const PAGES_AT_ONCE: usize = 8;
const MOST_LISTED: u32 = 100;

/// A template to be made.
#[derive(Debug, Clone, Copy)]
pub struct ImportTemplate<'a> {
    /// The PDF as it came.
    pub pdf: &'a [u8],
    /// FIELDS.json.
    pub fields: &'a [u8],
}

/// Where the fields of a template come from.
#[derive(Debug, Clone, Copy)]
pub enum TemplateFields<'a> {
    /// From FIELDS.json.
    File(&'a [u8]),
    /// From the PDF's own form: they become those of one writer, its values their defaults.
    Form {
        /// The template's name, which a form does not have.
        name: &'a str,
    },
}

/// A template that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedTemplate {
    /// Its id.
    pub id: TemplateId,
    /// Which version this is.
    pub version: u32,
    /// Its name.
    pub name: String,
    /// How many pages it has.
    pub pages: u32,
    /// What intake says: how the file that is kept differs from the upload, and what its sender should know.
    pub report: Report,
}

/// A template with its current version.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateDetails {
    /// Pages, steps and fields, and what surrounds them.
    pub stored: StoredVersion,
}

/// A template as lists show it.
pub type TemplateSummary = TemplateRow;

/// Which templates to list.
#[derive(Debug, Clone, Copy, Default)]
pub struct TemplateFilter {
    /// Only templates below this id: the last one of the page before.
    pub before: Option<TemplateId>,
    /// Archived ones too.
    pub with_archived: bool,
    /// How many at most; 100 if not given or more.
    pub limit: Option<u32>,
}

impl App {
    /// Makes a template. `by` is who does it, as the version remembers.
    pub fn import_template(
        &self,
        company: &CompanyId,
        by: &str,
        import: &ImportTemplate<'_>,
    ) -> Result<ImportedTemplate, Error> {
        let fields = TemplateFields::File(import.fields);
        self.put_template(company, by, None, import.pdf, fields, &Wishes::default())
    }

    /// Makes a template, or a new version of the one that is `replaced`, by the sender's wishes for intake.
    pub fn import_template_as(
        &self,
        company: &CompanyId,
        by: &str,
        replaced: Option<TemplateId>,
        pdf: &[u8],
        fields: TemplateFields<'_>,
        wishes: &Wishes,
    ) -> Result<ImportedTemplate, Error> {
        if let Some(id) = replaced {
            // Told before the files cost anything.
            self.template(company, id)?;
        }
        self.put_template(company, by, replaced, pdf, fields, wishes)
    }

    /// Makes a new version of a template: new workflows take it, running ones keep theirs.
    pub fn replace_template(
        &self,
        company: &CompanyId,
        id: TemplateId,
        by: &str,
        import: &ImportTemplate<'_>,
    ) -> Result<ImportedTemplate, Error> {
        let fields = TemplateFields::File(import.fields);
        self.import_template_as(company, by, Some(id), import.pdf, fields, &Wishes::default())
    }

    /// Lets a template take no new workflows; running ones go on. Since when it is so: twice is once.
    pub fn archive_template(&self, company: &CompanyId, id: TemplateId) -> Result<Timestamp, Error> {
        let (company, at) = (company.clone(), self.now());
        self.store
            .write(move |tx| store::template::archive(tx, &company, id, at)?.ok_or(Error::NotFound(Subject::Template)))
    }

    /// Lets an archived template take new workflows again.
    pub fn unarchive_template(&self, company: &CompanyId, id: TemplateId) -> Result<(), Error> {
        let company = company.clone();
        self.store.write(move |tx| {
            if store::template::unarchive(tx, &company, id)? {
                Ok(())
            } else {
                Err(Error::NotFound(Subject::Template))
            }
        })
    }

    fn put_template(
        &self,
        company: &CompanyId,
        by: &str,
        replaced: Option<TemplateId>,
        upload: &[u8],
        fields: TemplateFields<'_>,
        wishes: &Wishes,
    ) -> Result<ImportedTemplate, Error> {
        let region = self.company(company)?.region;
        let limit = self.settings.largest_document;
        if u64::try_from(upload.len()).unwrap_or(u64::MAX) > limit {
            return Err(Error::TooLarge { limit });
        }
        // Every fault of both files is told at once; which pages there are, only the PDF says.
        let alone = match fields {
            TemplateFields::File(file) => fields_file::parse(file, None, region).err(),
            TemplateFields::Form { .. } => None,
        };
        let wishes = Wishes {
            form: match fields {
                TemplateFields::File(_) => FormValues::Shown,
                TemplateFields::Form { .. } => FormValues::Taken,
            },
            ..wishes.clone()
        };
        let intake = self
            .documents
            .inspect_as(upload, &wishes)
            .map_err(|fault| match (fault.at("file"), alone) {
                (Error::Unprocessable(mut faults), Some(more)) => {
                    faults.extend(more.into_iter().map(refused_field));
                    Error::Unprocessable(faults)
                }
                (error, _) => error,
            })?;
        let report = intake.report();
        let page_count = u32::try_from(intake.pages.len()).unwrap_or(u32::MAX);
        let file = match fields {
            TemplateFields::File(file) => fields_file::parse(file, Some(page_count), region),
            TemplateFields::Form { .. } if intake.fields.is_empty() => {
                return Err(Error::fault("fields", FaultCode::NoFormFields));
            }
            TemplateFields::Form { name } => {
                let file = serde_json::json!({"name": name, "steps": [{"order": 1}], "fields": intake.fields});
                fields_file::parse_value(&file, Some(page_count), region)
            }
        };
        let file = file.map_err(|faults| Error::Unprocessable(faults.into_iter().map(refused_field).collect()))?;
        self.check_fonts(&file.fields)?;
        if intake.is_signed() {
            refuse_embedding(&file.fields)?;
        }

        let pdf = self.blobs.put(&intake.pdf)?;
        let page_images = self.put_page_images(&intake.pdf, page_count)?;
        let original = BlobHash(Sha256::digest(upload).into());
        let (at, by, name) = (self.now(), by.to_owned(), file.name.clone());
        let company = company.clone();
        let pages = intake.pages;
        let (id, number) = self.store.write(move |tx| {
            let (id, number) = match replaced {
                None => (store::template::insert(tx, &company, &file.name, at)?, 1),
                Some(id) => {
                    let number = store::template::advance(tx, &company, id, &file.name)?;
                    (id, number.ok_or(Error::NotFound(Subject::Template))?)
                }
            };
            let version = TemplateVersion {
                template: id,
                company: company.clone(),
                version: number,
                name: file.name.clone(),
                pdf,
                pages: pages.clone(),
                steps: file.steps.clone(),
                fields: file.fields.clone(),
                on_reject: file.on_reject,
            };
            let stored = StoredVersion {
                version,
                original,
                page_images: page_images.clone(),
                created_at: at,
                created_by: by.clone(),
                archived_at: None,
            };
            store::template::insert_version(tx, &stored)?;
            Ok::<_, Error>((id, number))
        })?;
        tracing::info!(template = %id, version = number, pages = page_count, "template imported");
        Ok(ImportedTemplate {
            id,
            version: number,
            name,
            pages: page_count,
            report,
        })
    }

    /// One template with the version that new workflows take.
    pub fn template(&self, company: &CompanyId, id: TemplateId) -> Result<TemplateDetails, Error> {
        let company = company.clone();
        self.store.read(move |tx| {
            let stored = store::template::current(tx, &company, id)?.ok_or(Error::NotFound(Subject::Template))?;
            Ok(TemplateDetails { stored })
        })
    }

    /// A company's templates, newest first.
    pub fn templates(&self, company: &CompanyId, filter: TemplateFilter) -> Result<Vec<TemplateSummary>, Error> {
        let company = company.clone();
        let limit = filter.limit.unwrap_or(MOST_LISTED).clamp(1, MOST_LISTED);
        let before = filter.before.unwrap_or(TemplateId(i64::MAX));
        self.store.read(move |tx| {
            store::template::list(tx, &company, before, filter.with_archived, limit).map_err(Error::from)
        })
    }

    /// A family that this installation does not have would make every document look otherwise than it was meant to.
    fn check_fonts(&self, fields: &[Field]) -> Result<(), Error> {
        let fonts = self.fonts()?;
        let unknown = fields.iter().enumerate().filter_map(|(index, field)| {
            let font = field.font.as_deref().filter(|font| !fonts.has_family(font))?;
            let known: Vec<&str> = fonts.family_names().collect();
            let reason = format!("there is no font '{font}'; there are: {}", known.join(", "));
            Some(Fault::new(format!("fields[{index}].font"), FaultCode::FieldsFileRefused).with("reason", reason))
        });
        let faults: Vec<Fault> = unknown.collect();
        if faults.is_empty() {
            Ok(())
        } else {
            Err(Error::Unprocessable(faults))
        }
    }

    fn put_page_images(&self, pdf: &[u8], page_count: u32) -> Result<Vec<BlobHash>, Error> {
        let all: Vec<u32> = (1..=page_count).collect();
        let mut hashes = Vec::with_capacity(all.len());
        for some in all.chunks(PAGES_AT_ONCE) {
            let images = self
                .documents
                .page_images(pdf, some, PAGE_IMAGE_DPI)
                .map_err(|fault| fault.at("file"))?;
            if images.len() != some.len() {
                return Err(Error::internal("rendering the pages", "the worker left pages out"));
            }
            for image in images {
                hashes.push(self.blobs.put(&image)?);
            }
        }
        Ok(hashes)
    }
}

/// A file that others have signed takes no files inside it: their signatures would no longer cover what it holds.
fn refuse_embedding(fields: &[Field]) -> Result<(), Error> {
    let fault = |index: usize| {
        let reason = "the PDF is signed already, so that no file can be put inside it; leave embed out";
        Fault::new(format!("fields[{index}].embed"), FaultCode::FieldsFileRefused).with("reason", reason)
    };
    let faults: Vec<Fault> = (0..)
        .zip(fields)
        .filter(|(_, field)| field.embed)
        .map(|(index, _)| fault(index))
        .collect();
    if faults.is_empty() {
        Ok(())
    } else {
        Err(Error::Unprocessable(faults))
    }
}

fn refused_field(fault: FieldsFault) -> Fault {
    Fault::new(fault.path, FaultCode::FieldsFileRefused).with("reason", fault.kind)
}

/// When a version was made, for lists.
impl TemplateDetails {
    /// When the current version was made.
    pub fn changed_at(&self) -> Timestamp {
        self.stored.created_at
    }
}
