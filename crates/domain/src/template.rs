//! Templates: a PDF with placed fields and ordered steps.
//!
//! Editing a template makes a new version; a version never changes, so whoever holds one may keep
//! it for ever, and a running workflow keeps the version it started with.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::field::Field;
use crate::ids::{CompanyId, TemplateId};
use crate::value::BlobHash;

/// The displayed size of a page (after crop and rotation).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PageSize {
    /// Width in points.
    pub width_points: f64,
    /// Height in points.
    pub height_points: f64,
}

/// What a writer's rejection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnReject {
    /// Ends the workflow.
    #[default]
    End,
    /// Gives the document back to the step before; at step 1 it ends the workflow.
    Return,
}

/// A writer whom the template itself names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedWriter {
    /// The writer's name.
    pub name: String,
    /// E-mail address or telephone number.
    pub email: String,
}

/// One writer's place: a step, and a role where the step has several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateStep {
    /// The writing step, from 1 without gaps; entries of one order are roles of one step.
    pub order: u32,
    /// The role's name; always given where the step has several writers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The writer, where the template names one: a start may then leave the step out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<NamedWriter>,
    /// Must the writer give a code that is sent to his own address?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_time_code: bool,
}

/// One version of a template.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TemplateVersion {
    /// The template.
    pub template: TemplateId,
    /// Whose it is.
    pub company: CompanyId,
    /// From 1.
    pub version: u32,
    /// Its name.
    pub name: String,
    /// The PDF as intake wrote it.
    pub pdf: BlobHash,
    /// Each page's displayed size.
    pub pages: Vec<PageSize>,
    /// The writers' places, ordered by step and place within the step.
    pub steps: Vec<TemplateStep>,
    /// The fields, in the order of the file.
    pub fields: Vec<Field>,
    /// What a rejection does.
    pub on_reject: OnReject,
    /// May a writer hand the document over to another person, who writes in his place?
    #[serde(default)]
    pub hand_over: bool,
    /// SHA-256 of the signed upload, where the PDF is a copy of it without its signatures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_original: Option<BlobHash>,
}

impl TemplateVersion {
    /// How many pages.
    pub fn page_count(&self) -> u32 {
        u32::try_from(self.pages.len()).unwrap_or(u32::MAX)
    }

    /// The number of the last step.
    pub fn last_order(&self) -> u32 {
        self.steps.iter().map(|step| step.order).max().unwrap_or(0)
    }

    /// The writers' places of one step, in order.
    pub fn places(&self, order: u32) -> impl Iterator<Item = &TemplateStep> {
        self.steps.iter().filter(move |step| step.order == order)
    }

    /// The field of this name; of several boxes the first.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The fields that the writer of this step and role has, one for each name.
    pub fn writer_fields(&self, step: u32, role: Option<&str>) -> Vec<&Field> {
        self.named_fields()
            .filter(|field| field.belongs_to(step, role))
            .collect()
    }

    /// One field for each name: of several boxes the first.
    pub fn named_fields(&self) -> impl Iterator<Item = &Field> {
        let mut seen = BTreeSet::new();
        self.fields.iter().filter(move |field| seen.insert(field.name.as_str()))
    }

    /// The boxes of the field of this name.
    pub fn boxes<'t>(&'t self, name: &'t str) -> impl Iterator<Item = &'t Field> {
        self.fields.iter().filter(move |field| field.name == name)
    }
}
