//! Templates in the format of the API.

use domain::time::format_with_zone;
use domain::{Field, Language, OnReject, TemplateId, TemplateStep};
use serde::Serialize;
use utoipa::ToSchema;

use crate::App;
use crate::base::actor::Actor;
use crate::base::error::{Error, Fault, FaultCode};
use crate::base::field_labels::FieldWarning;
use crate::base::intake_text::{self, IntakePage, IntakeReport};
use crate::base::listing::ListReader;
use crate::templates::template::ImportedTemplate;

/// Selects the templates to list, from the query.
#[derive(Debug, Clone, Default)]
pub struct ListTemplatesRequest {
    /// `true` includes archived templates.
    pub archived: Option<String>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// Maximum number of templates.
    pub limit: Option<String>,
}

/// A list of templates, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct TemplateList {
    /// The templates.
    pub template_list: Vec<TemplateLine>,
    /// Pass this value as `cursor` to get the next page. Absent at the end of the list.
    pub next_cursor: Option<String>,
}

/// An entry of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct TemplateLine {
    /// The ID of the template.
    pub template_id: i64,
    /// The name of the template.
    pub name: String,
    /// The version that new documents use.
    pub version: u32,
    /// Time when the template was created, with its UTC offset.
    pub created_date: String,
    /// Time when the template was archived, with its UTC offset. Empty if it is not archived.
    pub archived_date: String,
}

/// Returns a template with the version that new documents use.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct TemplateView {
    /// The ID of the template.
    pub template_id: i64,
    /// The name of the template.
    pub name: String,
    /// The current version.
    pub version: u32,
    /// Time when the version was created, with its UTC offset.
    pub changed_date: String,
    /// The member or operator who created the version.
    pub changed_by: String,
    /// Time when the template was archived, with its UTC offset. Empty if it is not archived.
    pub archived_date: String,
    /// Whether the PDF already had signatures when it was uploaded. If so, we only append to it.
    pub is_signed: bool,
    /// SHA-256 of the signed PDF, if the sender chose a copy of it without the signatures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed_original: Option<String>,
    /// The displayed size of each page, in points.
    pub pages: Vec<IntakePage>,
    /// The effect of declining: `end` or `return`.
    pub on_reject: &'static str,
    /// Whether signers can assign the document to someone else.
    pub hand_over: bool,
    /// The places of the signers.
    pub steps: Vec<TemplatePlace>,
    /// The fields, in the format of FIELDS.json.
    #[schema(value_type = Vec<Object>)]
    pub fields: Vec<Field>,
}

/// The place of a signer, in the format of FIELDS.json.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct TemplatePlace {
    /// The step, from 1.
    pub order: u32,
    /// The role, if the step has several signers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The signer's name, if the template names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The signer's e-mail address or telephone number, if the template names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Whether the signer must enter a code that is sent to their own address.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub one_time_code: bool,
}

impl From<TemplateStep> for TemplatePlace {
    fn from(step: TemplateStep) -> Self {
        let (name, email) = step.writer.map(|writer| (writer.name, writer.email)).unzip();
        Self {
            order: step.order,
            role: step.role,
            name,
            email,
            one_time_code: step.one_time_code,
        }
    }
}

/// A new template, or a new version of a template.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SavedTemplate {
    /// The ID of the template.
    pub template_id: i64,
    /// The saved version.
    pub version: u32,
    /// The name of the template.
    pub name: String,
    /// The number of pages.
    pub pages: u32,
    /// What the sender should know about the fields. Absent if there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<FieldWarning>,
    /// The report on the uploaded PDF. Absent if no new PDF was uploaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intake: Option<IntakeReport>,
}

impl SavedTemplate {
    /// Creates the response, with intake's report in this language.
    pub fn new(language: Language, saved: ImportedTemplate) -> Self {
        Self {
            template_id: saved.id.get(),
            version: saved.version,
            name: saved.name,
            pages: saved.pages,
            warnings: saved
                .on_one_spot
                .into_iter()
                .map(|pair| FieldWarning::of(language, pair))
                .collect(),
            intake: saved.report.map(|report| intake_text::report(language, &report)),
        }
    }
}

/// A template that has been archived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ArchivedTemplate {
    /// The ID of the template.
    pub template_id: i64,
    /// Time when the template was archived, with its UTC offset.
    pub archived_date: String,
}

impl App {
    /// Lists the company's templates, newest first.
    pub fn list_templates(&self, actor: &Actor, request: &ListTemplatesRequest) -> Result<TemplateList, Error> {
        let by = actor.must_read()?;
        let mut faults = Vec::new();
        let mut query = ListReader {
            zone: by.zone(),
            faults: &mut faults,
        };
        let limit = query.limit(request.limit.as_ref());
        let before = TemplateId(query.cursor(request.cursor.as_ref()).unwrap_or(i64::MAX));
        let with_archived = match request.archived.as_deref() {
            None | Some("false") => false,
            Some("true") => true,
            Some(_) => {
                faults.push(Fault::new("archived", FaultCode::NotAllowed).with("allowed", "true, false"));
                false
            }
        };
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        let company = by.company().clone();
        // One more than requested, to find out whether there are more.
        let asked = limit.saturating_add(1);
        let mut rows = self
            .store
            .read(move |tx| store::template::list(tx, &company, before, with_archived, asked).map_err(Error::from))?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next_cursor = rows.last().filter(|_| more).map(|row| row.id.to_string());
        let with_zone = |at| format_with_zone(at, by.zone());
        let lines = rows.into_iter().map(|row| TemplateLine {
            template_id: row.id.get(),
            name: row.name,
            version: row.current_version,
            created_date: with_zone(row.created_at),
            archived_date: row.archived_at.map(with_zone).unwrap_or_default(),
        });
        Ok(TemplateList {
            template_list: lines.collect(),
            next_cursor,
        })
    }

    /// Returns a template with the version that new documents use.
    pub fn view_template(&self, actor: &Actor, id: TemplateId) -> Result<TemplateView, Error> {
        let by = actor.must_read()?;
        let stored = self.template(actor, id)?.stored;
        let with_zone = |at| format_with_zone(at, by.zone());
        let is_signed = stored.extends_upload();
        let version = stored.version;
        Ok(TemplateView {
            template_id: version.template.get(),
            name: version.name,
            version: version.version,
            changed_date: with_zone(stored.created_at),
            changed_by: stored.created_by,
            archived_date: stored.archived_at.map(with_zone).unwrap_or_default(),
            is_signed,
            signed_original: version.signed_original.map(|hash| hash.to_string()),
            pages: version.pages.iter().map(IntakePage::from).collect(),
            on_reject: match version.on_reject {
                OnReject::End => "end",
                OnReject::Return => "return",
            },
            hand_over: version.hand_over,
            steps: version.steps.into_iter().map(TemplatePlace::from).collect(),
            fields: version.fields,
        })
    }

    /// Archives a template, so that it accepts no new documents. Has no further effect if it is already archived.
    pub fn archive(&self, actor: &Actor, id: TemplateId) -> Result<ArchivedTemplate, Error> {
        let by = actor.must_send()?;
        let at = self.archive_template(actor, id)?;
        Ok(ArchivedTemplate {
            template_id: id.get(),
            archived_date: format_with_zone(at, by.zone()),
        })
    }
}
