//! Templates: a PDF with placed fields, imported once.
//!
//! Intake checks every uploaded PDF and writes the file that everything else uses. Its pages are rendered once and
//! stored as separate files, for every workflow of every version that shows them. Files are durable before the row that
//! refers to them exists. If no such row is written, they are removed ([`crate::base::uploads`]).

use std::collections::BTreeMap;

use document::intake::{FormValues, Intake, Report, Wishes};
use domain::field_overlap::{OnOneSpot, required_on_one_spot};
use domain::fields_file::{self, FieldsFault, FieldsFaultKind, FieldsFile};
use domain::{BlobHash, CompanyId, Field, Language, PageSize, Region, Requester, TemplateId, TemplateVersion};
use jiff::Timestamp;
use serde_json::json;
use sha2::{Digest, Sha256};
use store::company::Company;
use store::template::{StoredVersion, TemplateRow};

use crate::App;
use crate::base::actor::{Actor, Permit};
use crate::base::audit_log::Action;
use crate::base::documents::{DocumentFault, StrangersDocuments};
use crate::base::error::{ConflictCode, Error, Fault, FaultCode, Subject};
use crate::base::field_labels::labelled;
use crate::base::text;
use crate::base::uploads::FileClaim;
use crate::templates::foresight::{self, Sheets};
use crate::templates::form_import;
use crate::values::value;

/// The resolution of page images: two pixels per point.
pub const PAGE_IMAGE_DPI: f32 = 144.0;
/// Number of pages rendered at once, which limits the memory.
const PAGES_AT_ONCE: usize = 8;
const MOST_LISTED: u32 = 100;
/// Maximum length of a name in characters.
const LONGEST_NAME: usize = 128;

#[derive(Debug, Clone, Copy)]
pub struct ImportTemplate<'a> {
    pub pdf: &'a [u8],
    /// The content of FIELDS.json.
    pub fields: &'a [u8],
}

/// The source of a template's fields.
#[derive(Debug, Clone, Copy)]
pub enum TemplateFields<'a> {
    /// From FIELDS.json.
    File(&'a [u8]),
    /// From the PDF's own form. Its values become the defaults, and its fields belong to the first signer unless `file`
    /// says otherwise.
    Form {
        /// The template's name if `file` contains none, because a form has no name.
        name: &'a str,
        /// An additional FIELDS.json. Entries without a box change the form's field with this name, and entries with a
        /// box are added.
        file: Option<&'a [u8]>,
    },
}

/// The source of a version.
enum Source<'a> {
    /// An uploaded PDF, with the sender's options for intake.
    Upload(&'a [u8], &'a Wishes),
    /// The PDF of another version.
    Kept(Box<StoredVersion>),
}

/// A stored PDF with its pages.
struct Kept {
    pdf: BlobHash,
    original: BlobHash,
    /// Whether the PDF is a copy of the upload without its signatures.
    is_copy: bool,
    pages: Vec<PageSize>,
    page_images: Vec<BlobHash>,
}

/// A checked version whose files are stored, before any row refers to it.
pub(crate) struct Made {
    file: FieldsFile,
    kept: Kept,
    /// The claim on the files, if they are new.
    pub(crate) claim: FileClaim,
    report: Option<Report>,
}

impl Made {
    /// Returns the version in stored form.
    pub(crate) fn stored(
        &self,
        company: &CompanyId,
        template: TemplateId,
        version: u32,
        by: &str,
        at: Timestamp,
    ) -> StoredVersion {
        StoredVersion {
            version: TemplateVersion {
                template,
                company: company.clone(),
                version,
                name: self.file.name.clone(),
                pdf: self.kept.pdf,
                pages: self.kept.pages.clone(),
                steps: self.file.steps.clone(),
                fields: self.file.fields.clone(),
                on_reject: self.file.on_reject,
                hand_over: self.file.hand_over,
                signed_original: self.kept.is_copy.then_some(self.kept.original),
            },
            original: self.kept.original,
            page_images: self.kept.page_images.clone(),
            created_at: at,
            created_by: by.to_owned(),
            archived_at: None,
            content: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct ImportedTemplate {
    pub id: TemplateId,
    pub version: u32,
    pub name: String,
    /// Number of pages.
    pub pages: u32,
    /// Required fields whose boxes cover each other.
    pub on_one_spot: Vec<OnOneSpot>,
    /// Intake's report: how the stored file differs from the upload, and warnings for its sender. `None` if there was
    /// no new PDF.
    pub report: Option<Report>,
}

/// A template with its current version.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateDetails {
    /// Pages, steps, fields and related settings.
    pub stored: StoredVersion,
}

/// A template as shown in lists.
pub type TemplateSummary = TemplateRow;

/// Selects the templates to list.
#[derive(Debug, Clone, Copy, Default)]
pub struct TemplateFilter {
    /// Lists only templates with an ID below this one, which is the last of the previous page.
    pub before: Option<TemplateId>,
    /// Whether to include archived templates.
    pub with_archived: bool,
    /// Maximum number of templates. The default and the upper limit is 100.
    pub limit: Option<u32>,
}

impl App {
    /// Creates a template.
    pub fn import_template(&self, actor: &Actor, import: &ImportTemplate<'_>) -> Result<ImportedTemplate, Error> {
        let fields = TemplateFields::File(import.fields);
        self.import_template_as(actor, None, import.pdf, fields, &Wishes::default())
    }

    /// Creates a template, or a new version of the template `replaced`, with the sender's options for intake.
    pub fn import_template_as(
        &self,
        actor: &Actor,
        replaced: Option<TemplateId>,
        pdf: &[u8],
        fields: TemplateFields<'_>,
        wishes: &Wishes,
    ) -> Result<ImportedTemplate, Error> {
        let by = actor.must_send()?;
        if let Some(id) = replaced {
            // Reports a missing template before processing the files.
            self.template(actor, id)?;
        }
        self.put_template(by, replaced, Source::Upload(pdf, wishes), fields)
    }

    /// Creates a new version of a template with its existing PDF and the fields of another FIELDS.json. Fails with
    /// [`ConflictCode::Changed`] if another version was created at the same time.
    pub fn change_template_fields(
        &self,
        actor: &Actor,
        id: TemplateId,
        fields: &[u8],
    ) -> Result<ImportedTemplate, Error> {
        let by = actor.must_send()?;
        let kept = Source::Kept(Box::new(self.template(actor, id)?.stored));
        self.put_template(by, Some(id), kept, TemplateFields::File(fields))
    }

    /// Creates a template from the current version of another, optionally with a different `name`.
    pub fn copy_template(&self, actor: &Actor, id: TemplateId, name: Option<&str>) -> Result<ImportedTemplate, Error> {
        let by = actor.must_send()?;
        let mut faults = Vec::new();
        let name = name.map(|name| text::name(name, "name", LONGEST_NAME, &mut faults));
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        let (company, made_by, at) = (by.company().clone(), by.label().to_owned(), self.now());
        let logged = by.logs(Action::TemplateCopied, at).setting(&json!({"copy_of": id}));
        self.store.write(move |tx| {
            let mut stored = store::template::current(tx, &company, id)?.ok_or(Error::NotFound(Subject::Template))?;
            let version = &mut stored.version;
            if let Some(name) = &name {
                version.name.clone_from(name);
            }
            version.version = 1;
            version.template = store::template::insert(tx, &company, &version.name, at)?;
            let copied = ImportedTemplate {
                id: version.template,
                version: 1,
                name: version.name.clone(),
                pages: version.page_count(),
                on_one_spot: required_on_one_spot(&version.fields),
                report: None,
            };
            stored.created_at = at;
            stored.created_by.clone_from(&made_by);
            store::template::insert_version(tx, &stored)?;
            logged.clone().about(copied.id).write(tx)?;
            Ok(copied)
        })
    }

    /// Creates a new version of a template. New workflows use it, and existing ones keep theirs.
    pub fn replace_template(
        &self,
        actor: &Actor,
        id: TemplateId,
        import: &ImportTemplate<'_>,
    ) -> Result<ImportedTemplate, Error> {
        let fields = TemplateFields::File(import.fields);
        self.import_template_as(actor, Some(id), import.pdf, fields, &Wishes::default())
    }

    /// Archives a template, so that it accepts no new workflows. Existing workflows continue. Returns the time at which
    /// it was archived, also if it already was.
    pub fn archive_template(&self, actor: &Actor, id: TemplateId) -> Result<Timestamp, Error> {
        let by = actor.must_send()?;
        let (company, at) = (by.company().clone(), self.now());
        let logged = by.logs(Action::TemplateArchived, at).about(id);
        self.store.write(move |tx| {
            let since = store::template::archive(tx, &company, id, at)?.ok_or(Error::NotFound(Subject::Template))?;
            if since == at {
                logged.write(tx)?;
            }
            Ok(since)
        })
    }

    /// Allows an archived template to accept new workflows again.
    pub fn unarchive_template(&self, actor: &Actor, id: TemplateId) -> Result<(), Error> {
        let by = actor.must_send()?;
        let company = by.company().clone();
        let logged = by.logs(Action::TemplateUnarchived, self.now()).about(id);
        self.store.write(move |tx| {
            if store::template::unarchive(tx, &company, id)? {
                logged.write(tx)
            } else {
                Err(Error::NotFound(Subject::Template))
            }
        })
    }

    fn put_template(
        &self,
        by: Permit<'_>,
        replaced: Option<TemplateId>,
        source: Source<'_>,
        fields: TemplateFields<'_>,
    ) -> Result<ImportedTemplate, Error> {
        let made_of = match &source {
            Source::Upload(..) => None,
            Source::Kept(stored) => Some(stored.version.version),
        };
        let mut made = match source {
            Source::Upload(upload, wishes) => self.made_of_upload(by.company(), upload, wishes, fields)?,
            Source::Kept(stored) => self.made_of_kept(by.company(), *stored, fields)?,
        };
        let page_count = u32::try_from(made.kept.pages.len()).unwrap_or(u32::MAX);
        let (at, made_by, name) = (self.now(), by.label().to_owned(), made.file.name.clone());
        let (company, report) = (by.company().clone(), made.report.take());
        let on_one_spot = required_on_one_spot(&made.file.fields);
        let logged = by.logs(
            replaced.map_or(Action::TemplateCreated, |_| Action::TemplateChanged),
            at,
        );
        let (id, number) = self.store.write(move |tx| {
            let name = &made.file.name;
            let (id, number) = match replaced {
                None => (store::template::insert(tx, &company, name, at)?, 1),
                Some(id) => {
                    let (number, lacking) = match made_of {
                        None => (
                            store::template::advance(tx, &company, id, name)?,
                            Error::NotFound(Subject::Template),
                        ),
                        // Somebody else's newer PDF must not be replaced by the previous one.
                        Some(from) => (
                            store::template::advance_from(tx, &company, id, name, from)?,
                            Error::conflict(ConflictCode::Changed),
                        ),
                    };
                    (id, number.ok_or(lacking)?)
                }
            };
            store::template::insert_version(tx, &made.stored(&company, id, number, &made_by, at))?;
            made.claim.take_over(tx)?;
            logged
                .clone()
                .about(id)
                .setting(&json!({"version": number}))
                .write(tx)?;
            Ok::<_, Error>((id, number))
        })?;
        tracing::info!(template = %id, version = number, pages = page_count, "template imported");
        Ok(ImportedTemplate {
            id,
            version: number,
            name,
            pages: page_count,
            on_one_spot,
            report,
        })
    }

    /// Creates a version of an uploaded PDF.
    pub(crate) fn made_of_upload(
        &self,
        company: &CompanyId,
        upload: &[u8],
        wishes: &Wishes,
        fields: TemplateFields<'_>,
    ) -> Result<Made, Error> {
        let Company { region, language, .. } = self.company(company)?;
        self.check_room()?;
        let requester = Requester::Company(company.clone());
        let intake = self.take(upload, fields, wishes, region, &requester)?;
        let (file, laid) = fields_of(&intake, fields, (region, language))?;
        self.check_fonts(&file.fields)?;
        self.prove_names(&file)?;
        self.prove_template(&file.fields, &intake.pages, |path| match &laid {
            Some(laid) => laid.place(&path),
            None => path,
        })?;
        if intake.is_signed() {
            refuse_embedding(&file.fields)?;
        }
        let mut claim = FileClaim::of(company);
        Ok(Made {
            file,
            report: Some(intake.report()),
            kept: self.keep(&mut claim, upload, intake, &requester)?,
            claim,
        })
    }

    /// Creates a version with the PDF of another version.
    fn made_of_kept(
        &self,
        company: &CompanyId,
        stored: StoredVersion,
        fields: TemplateFields<'_>,
    ) -> Result<Made, Error> {
        let region = self.company(company)?.region;
        let TemplateFields::File(file) = fields else {
            return Err(Error::fault("form_fields", FaultCode::NoFormFields));
        };
        let file = fields_file::parse(file, Some(stored.version.page_count()), region).map_err(unprocessable)?;
        self.check_fonts(&file.fields)?;
        self.prove_names(&file)?;
        self.prove_template(&file.fields, &stored.version.pages, std::convert::identity)?;
        if stored.extends_upload() {
            refuse_embedding(&file.fields)?;
        }
        let kept = Kept {
            pdf: stored.version.pdf,
            original: stored.original,
            is_copy: stored.version.signed_original.is_some(),
            pages: stored.version.pages,
            page_images: stored.page_images,
        };
        Ok(Made {
            file,
            kept,
            claim: FileClaim::of(company),
            report: None,
        })
    }

    /// Checks the upload with intake. Reports the faults of both files together. Only the PDF determines which pages
    /// exist.
    fn take(
        &self,
        upload: &[u8],
        fields: TemplateFields<'_>,
        wishes: &Wishes,
        region: Region,
        requester: &Requester,
    ) -> Result<Intake, Error> {
        let limit = self.settings.largest_document;
        if u64::try_from(upload.len()).unwrap_or(u64::MAX) > limit {
            return Err(Error::TooLarge { limit });
        }
        let (form, alone) = match fields {
            TemplateFields::File(file) => (FormValues::Shown, fields_file::parse(file, None, region).err()),
            TemplateFields::Form { .. } => (FormValues::Taken, None),
        };
        let wishes = Wishes { form, ..wishes.clone() };
        self.documents
            .inspect_as(requester, upload, &wishes)
            .map_err(|fault| match (fault.at("file"), alone) {
                (Error::Unprocessable(mut faults), Some(more)) => {
                    faults.extend(more.into_iter().map(refused_field));
                    Error::Unprocessable(faults)
                }
                (error, _) => error,
            })
    }

    /// Stores the file and the pictures of its pages durably.
    fn keep(&self, claim: &mut FileClaim, upload: &[u8], intake: Intake, requester: &Requester) -> Result<Kept, Error> {
        let page_count = u32::try_from(intake.pages.len()).unwrap_or(u32::MAX);
        Ok(Kept {
            pdf: self.keep_file(claim, &intake.pdf)?,
            original: BlobHash(Sha256::digest(upload).into()),
            is_copy: intake.is_copy_without_signatures(),
            page_images: self.keep_page_images(claim, &intake.pdf, page_count, requester)?,
            pages: intake.pages,
        })
    }

    /// Returns a template with the version that new workflows use.
    pub fn template(&self, actor: &Actor, id: TemplateId) -> Result<TemplateDetails, Error> {
        let company = actor.must_read()?.company().clone();
        self.store.read(move |tx| {
            let stored = store::template::current(tx, &company, id)?.ok_or(Error::NotFound(Subject::Template))?;
            Ok(TemplateDetails { stored })
        })
    }

    /// Lists a company's templates, newest first.
    pub fn templates(&self, actor: &Actor, filter: TemplateFilter) -> Result<Vec<TemplateSummary>, Error> {
        let company = actor.must_read()?.company().clone();
        let limit = filter.limit.unwrap_or(MOST_LISTED).clamp(1, MOST_LISTED);
        let before = filter.before.unwrap_or(TemplateId(i64::MAX));
        self.store.read(move |tx| {
            store::template::list(tx, &company, before, filter.with_archived, limit).map_err(Error::from)
        })
    }

    /// Checks that the installation has all font families, because a missing one would change the appearance of every
    /// document.
    fn check_fonts(&self, fields: &[Field]) -> Result<(), Error> {
        let fonts = self.fonts()?;
        let unknown = fields.iter().enumerate().filter_map(|(index, field)| {
            let font = field.font.as_deref().filter(|font| !fonts.has_family(font))?;
            let known: Vec<&str> = fonts.family_names().collect();
            let fault = Fault::new(format!("fields[{index}].font"), FaultCode::UnknownFont);
            Some(fault.with("value", font).with("allowed", known.join(", ")))
        });
        let faults: Vec<Fault> = unknown.collect();
        if faults.is_empty() {
            Ok(())
        } else {
            Err(Error::Unprocessable(faults))
        }
    }

    /// Checks that fonts have all characters that appear on certificates of the template's documents.
    fn prove_names(&self, file: &FieldsFile) -> Result<(), Error> {
        let fonts = self.fonts()?;
        let roles = file.steps.iter().filter_map(|step| step.role.as_deref());
        let named = roles.map(|role| (role, "steps")).chain([(file.name.as_str(), "name")]);
        let faults: Vec<Fault> = named
            .filter_map(|(text, path)| value::prove_text(text, &fonts, path).err())
            .collect();
        if faults.is_empty() {
            Ok(())
        } else {
            Err(Error::Unprocessable(faults))
        }
    }

    /// Checks that every box is large enough for its kind, and that the template's own content can be stamped in every
    /// language of its workflows. `place` returns where a field was defined.
    fn prove_template(
        &self,
        fields: &[Field],
        pages: &[PageSize],
        place: impl Fn(String) -> String,
    ) -> Result<(), Error> {
        let fonts = self.fonts()?;
        let too_small: BTreeMap<usize, Fault> = foresight::too_small(fields, pages, &place).collect();
        let mut faults: Vec<Fault> = too_small.values().cloned().collect();
        for language in Language::ALL {
            let sheets = Sheets {
                fields,
                pages,
                language,
                fonts: &fonts,
            };
            // The message about the small box already covers values that do not fit.
            let unstampable = sheets.unstampable().into_iter();
            for found in unstampable.filter(|found| !too_small.contains_key(&found.index)) {
                let path = place(format!("fields[{}]{}", found.index, found.member));
                if faults.iter().all(|known| known.path != path) {
                    faults.push(found.fault(path));
                }
            }
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(Error::Unprocessable(faults))
        }
    }

    fn keep_page_images(
        &self,
        claim: &mut FileClaim,
        pdf: &[u8],
        page_count: u32,
        requester: &Requester,
    ) -> Result<Vec<BlobHash>, Error> {
        let mut hashes = Vec::new();
        for images in page_images(self.documents.as_ref(), requester, pdf, page_count) {
            let images = images.map_err(|fault| fault.at("file"))?;
            hashes.extend(self.keep_files(claim, images.iter().map(Vec::as_slice))?);
        }
        if u32::try_from(hashes.len()) != Ok(page_count) {
            return Err(Error::internal("rendering the pages", "the worker left out pages"));
        }
        Ok(hashes)
    }
}

/// Returns the stored pictures of the pages, some at a time.
pub fn page_images(
    documents: &dyn StrangersDocuments,
    requester: &Requester,
    pdf: &[u8],
    page_count: u32,
) -> impl Iterator<Item = Result<Vec<Vec<u8>>, DocumentFault>> {
    let all: Vec<u32> = (1..=page_count).collect();
    let some: Vec<Vec<u32>> = all.chunks(PAGES_AT_ONCE).map(<[u32]>::to_vec).collect();
    some.into_iter()
        .map(move |some| documents.page_images(requester, pdf, &some, PAGE_IMAGE_DPI))
}

/// Refuses to embed files in a document that others have signed, because their signatures would no longer cover all of
/// it.
fn refuse_embedding(fields: &[Field]) -> Result<(), Error> {
    let fault = |index: usize| Fault::new(format!("fields[{index}].embed"), FaultCode::EmbedInSigned);
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

/// Returns the steps and fields of a template for this PDF. If they come from a form, also returns where each was
/// defined.
fn fields_of(
    intake: &Intake,
    fields: TemplateFields<'_>,
    (region, language): (Region, Language),
) -> Result<(FieldsFile, Option<form_import::Laid>), Error> {
    let page_count = Some(u32::try_from(intake.pages.len()).unwrap_or(u32::MAX));
    match fields {
        TemplateFields::File(file) => fields_file::parse(file, page_count, region)
            .map(|file| (file, None))
            .map_err(unprocessable),
        TemplateFields::Form { .. } if intake.fields.is_empty() => Err(Error::fault("fields", FaultCode::NoFormFields)),
        TemplateFields::Form { name, file } => {
            let laid = form_import::lay(&labelled(language, &intake.fields), name, file)?;
            match fields_file::parse_value(&laid.file, page_count, region) {
                Ok(file) => Ok((file, Some(laid))),
                Err(faults) => {
                    let placed = faults.into_iter().map(|fault| FieldsFault {
                        path: laid.place(&fault.path),
                        ..fault
                    });
                    Err(unprocessable(placed.collect()))
                }
            }
        }
    }
}

fn unprocessable(faults: Vec<FieldsFault>) -> Error {
    Error::Unprocessable(faults.into_iter().map(refused_field).collect())
}

fn refused_field(fault: FieldsFault) -> Fault {
    use FieldsFaultKind as Kind;
    let FieldsFault { path, kind } = fault;
    let of = |code| Fault::new(path.as_str(), code);
    match kind {
        Kind::NotJson { line, column } => of(FaultCode::FieldsNotJson).with("line", line).with("column", column),
        Kind::WrongType(expected) => of(FaultCode::WrongType).with("expected", expected),
        Kind::Missing | Kind::Empty => of(FaultCode::Required),
        Kind::TooLong(most) => of(FaultCode::TooLong).with("max", most),
        Kind::ControlCharacter => of(FaultCode::ControlCharacter),
        Kind::OverlongCharacter => of(FaultCode::OverlongCharacter),
        Kind::OutOfRange { least, most } => of(FaultCode::OutOfRange).with("min", least).with("max", most),
        Kind::UnknownWord(known) => of(FaultCode::NotAllowed).with("allowed", known),
        Kind::TooMany(most) => of(FaultCode::TooMany).with("max", most),
        Kind::StepGap(order) => of(FaultCode::StepGap).with("order", order),
        Kind::RoleNeeded => of(FaultCode::RoleNeeded),
        Kind::RoleTwice | Kind::OptionTwice => of(FaultCode::Duplicate),
        Kind::FieldRoleNeeded => of(FaultCode::FieldRoleNeeded),
        Kind::UnknownStep(_) | Kind::UnknownRole => of(FaultCode::UnknownStep),
        Kind::UnknownPage(pages) => of(FaultCode::PageOutOfRange).with("pages", pages),
        Kind::OffPage => of(FaultCode::BoxOffPage),
        Kind::NameTwice => of(FaultCode::NameOfOtherKind),
        Kind::BoxesDisagree => of(FaultCode::BoxesDisagree),
        Kind::CellsOrLines => of(FaultCode::CellsOrLines),
        Kind::OnlyFor(kinds) => of(FaultCode::MemberNotForKind).with("allowed", kinds),
        Kind::UnknownMember(known) => of(FaultCode::UnknownMember).with("allowed", known),
        Kind::DatePattern => of(FaultCode::InvalidDatePattern),
        Kind::Colour => of(FaultCode::InvalidColor),
        Kind::Value { kind, fault } => value::value_fault_of_kind(path, kind, &fault),
        Kind::Formula(position) => of(FaultCode::FormulaUnreadable).with("position", position),
        Kind::FormulaName(name) => of(FaultCode::FormulaName).with("name", name),
        Kind::FormulaLater(name) => of(FaultCode::FormulaLater).with("name", name),
        Kind::FormulaBeside(name) => of(FaultCode::FormulaBeside).with("name", name),
        Kind::FormulaCircle(name) => of(FaultCode::FormulaCircle).with("name", name),
        Kind::Contact => of(FaultCode::InvalidContact),
    }
}
