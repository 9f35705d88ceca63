//! Templates: a PDF with placed fields and ordered steps.
//!
//! Editing a template makes a new version. A version never changes, so you may cache it for ever, and a running
//! workflow keeps the version it started with.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::field::Field;
use crate::folding;
use crate::ids::{CompanyId, TemplateId};
use crate::value::BlobHash;

/// The displayed size of a page (after crop and rotation).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PageSize {
    pub width_points: f64,
    pub height_points: f64,
}

/// What happens when a signer declines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnReject {
    #[default]
    End,
    /// Returns the document to the previous step; at step 1 it ends the workflow.
    Return,
}

/// A signer that the template itself names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedWriter {
    pub name: String,
    /// E-mail address or telephone number.
    pub email: String,
    /// The company for which they sign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<String>,
}

/// One signer's place: a step, and a role if the step has several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateStep {
    /// The signing step, from 1 without gaps; entries of one order are roles of one step.
    pub order: u32,
    /// The role's name; always present if the step has several signers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The signer, if the template names one: a start may then leave the step out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<NamedWriter>,
    /// Whether the signer must enter a code that is sent to their own address.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_time_code: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TemplateVersion {
    pub template: TemplateId,
    pub company: CompanyId,
    /// From 1.
    pub version: u32,
    pub name: String,
    /// The PDF as intake wrote it.
    pub pdf: BlobHash,
    /// Each page's displayed size.
    pub pages: Vec<PageSize>,
    /// The signers' places, ordered by step and place within the step.
    pub steps: Vec<TemplateStep>,
    /// In the order of the file.
    pub fields: Vec<Field>,
    /// What happens when a signer declines.
    pub on_reject: OnReject,
    /// Whether a signer may assign the document to someone else, who then signs in their place.
    #[serde(default)]
    pub hand_over: bool,
    /// SHA-256 of the signed upload, if the PDF is a copy of it without its signatures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_original: Option<BlobHash>,
}

impl TemplateVersion {
    pub fn page_count(&self) -> u32 {
        u32::try_from(self.pages.len()).unwrap_or(u32::MAX)
    }

    /// The number of the last step.
    pub fn last_order(&self) -> u32 {
        self.steps.iter().map(|step| step.order).max().unwrap_or(0)
    }

    /// The signers' places of one step, in order.
    pub fn places(&self, order: u32) -> impl Iterator<Item = &TemplateStep> {
        self.steps.iter().filter(move |step| step.order == order)
    }

    /// The field with this name; the first of several boxes.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The field that somebody calls by this name, which may be [another spelling](folding::find_named) of it.
    pub fn field_called(&self, name: &str) -> Option<&Field> {
        folding::find_named(self.fields.iter(), name, |field| field.name.as_str())
    }

    /// The fields of the signer of this step and role, one for each name.
    pub fn writer_fields(&self, step: u32, role: Option<&str>) -> Vec<&Field> {
        self.named_fields()
            .filter(|field| field.belongs_to(step, role))
            .collect()
    }

    /// One field for each name: the first of several boxes.
    pub fn named_fields(&self) -> impl Iterator<Item = &Field> {
        let mut seen = BTreeSet::new();
        self.fields.iter().filter(move |field| seen.insert(field.name.as_str()))
    }

    /// The boxes of the field with this name.
    pub fn boxes<'t>(&'t self, name: &'t str) -> impl Iterator<Item = &'t Field> {
        self.fields.iter().filter(move |field| field.name == name)
    }
}
