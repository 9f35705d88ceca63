//! The preview page, which shows the document of a start that was not sent, without anything to sign.

use std::collections::BTreeMap;

use domain::{BlobHash, CompanyId, FieldValue, Language, PageSize, TemplateId};
use serde::{Deserialize, Serialize};

use crate::App;
use crate::base::error::{Error, Subject};
use crate::companies::company_look::CompanyLook;
use crate::links::link_token::LinkPurpose;
use crate::signing::files::FileContent;
use crate::signing::page::FieldView;
use crate::templates::page_cache::PartKind;
use crate::templates::page_part::{PageAnswer, PagePart};
use crate::values::look::Looks;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PreviewContent {
    pub workflow_name: String,
    pub language: Language,
    pub template: TemplateId,
    pub version: u32,
    pub values: BTreeMap<String, FieldValue>,
}

#[derive(Debug, Clone)]
pub struct PreviewView {
    /// The name that the workflow would get.
    pub workflow_name: String,
    pub language: Language,
    pub pages: Vec<PageSize>,
    pub template: TemplateId,
    pub template_version: u32,
    /// The document's hash.
    pub pdf: BlobHash,
    /// The fields with the entered values.
    pub fields: Vec<FieldView>,
    /// The company's appearance.
    pub look: CompanyLook,
}

impl App {
    /// Returns the preview of a start.
    pub fn preview(&self, token: &str) -> Result<PreviewView, Error> {
        let (company, content) = self.preview_content(token)?;
        let template = self.kept_template(&company, content.template, content.version)?;
        let fonts = self.fonts()?;
        let looks = Looks {
            template: &template.version,
            language: content.language,
            fonts: &fonts,
        };
        let fields = template
            .version
            .fields
            .iter()
            .map(|field| {
                let value = content.values.get(&field.name);
                FieldView {
                    field: field.clone(),
                    value: value.map(FieldValue::to_wire),
                    look: value
                        .and_then(|value| looks.in_box(field, value).ok())
                        .unwrap_or_default(),
                    fault: None,
                    file: value.is_some_and(FieldValue::is_file),
                    mine: false,
                    editable: false,
                }
            })
            .collect();
        Ok(PreviewView {
            workflow_name: content.workflow_name,
            language: content.language,
            pages: template.version.pages.clone(),
            template: content.template,
            template_version: content.version,
            pdf: template.version.pdf,
            fields,
            look: self.company_look(&company)?,
        })
    }

    /// Returns the image of a page of a preview.
    pub fn preview_image(&self, token: &str, file: &BlobHash, page: u32) -> Result<PagePart, Error> {
        let (company, content) = self.preview_content(token)?;
        let template = self.kept_template(&company, content.template, content.version)?;
        self.image_of(&template, file, page)
    }

    /// Returns the text of a page of a preview.
    pub fn preview_text(&self, token: &str, file: &BlobHash, page: u32) -> Result<PageAnswer, Error> {
        let (company, content) = self.preview_content(token)?;
        let template = self.kept_template(&company, content.template, content.version)?;
        self.page_of(&template.version.pdf, file, PartKind::Text, page)
    }

    /// Returns the file in a field of a preview.
    pub fn preview_file(&self, token: &str, field: &str) -> Result<FileContent, Error> {
        let (_, content) = self.preview_content(token)?;
        self.shown_file_of(content.values.get(field))
    }

    pub(in crate::signing) fn preview_content(&self, token: &str) -> Result<(CompanyId, PreviewContent), Error> {
        let token = self
            .outgoing
            .addresses
            .read(token)
            .filter(|token| token.purpose == LinkPurpose::Preview)
            .ok_or(Error::NotFound(Subject::Link))?;
        let now = self.now();
        let (company, text) = self
            .store
            .read(move |tx| store::preview::find(tx, token.subject, now).map_err(Error::from))?
            .ok_or(Error::NotFound(Subject::Link))?;
        let content = serde_json::from_str(&text).map_err(|error| Error::internal("reading a preview", error))?;
        Ok((company, content))
    }
}
