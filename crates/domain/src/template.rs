//! Templates: a PDF with placed fields and ordered steps.
//!
//! Editing a template creates a new version. A version never changes, so it may be cached forever, and a running
//! workflow keeps the version it started with.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::field::Field;
use crate::folding;
use crate::ids::{CompanyId, TemplateId};
use crate::value::BlobHash;

/// The displayed size of a page, after cropping and rotation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PageSize {
    pub width_points: f64,
    pub height_points: f64,
}

/// The behaviour when a signer declines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnReject {
    #[default]
    End,
    /// Returns the document to the previous step. At step 1, ends the workflow.
    Return,
}

/// A signer named in the template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedWriter {
    pub name: String,
    /// E-mail address or telephone number.
    pub email: String,
    /// The company for which they sign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<String>,
}

/// A signer's place: a step, and a role if the step has several signers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateStep {
    /// The signing step, from 1 without gaps. Entries with the same order are roles of one step.
    pub order: u32,
    /// The role's name. Always present if the step has several signers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The signer, if the template names one. A start may then omit the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<NamedWriter>,
    /// Whether the signer must enter a code sent to their own address.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_time_code: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TemplateVersion {
    pub template: TemplateId,
    pub company: CompanyId,
    /// Version number, from 1.
    pub version: u32,
    pub name: String,
    /// The PDF as written by intake.
    pub pdf: BlobHash,
    pub pages: Vec<PageSize>,
    /// The signers' places, in order.
    pub steps: Vec<TemplateStep>,
    /// The fields, in the order of the file.
    pub fields: Vec<Field>,
    /// The behaviour when a signer declines.
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

    pub fn last_order(&self) -> u32 {
        self.steps.iter().map(|step| step.order).max().unwrap_or(0)
    }

    /// Returns the signers' places of one step, in order.
    pub fn places(&self, order: u32) -> impl Iterator<Item = &TemplateStep> {
        self.steps.iter().filter(move |step| step.order == order)
    }

    /// Returns the field with this name, or the first of its boxes if it has several.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Returns the field with this name or [another spelling](folding::find_named) of it.
    pub fn field_called(&self, name: &str) -> Option<&Field> {
        folding::find_named(self.fields.iter(), name, |field| field.name.as_str())
    }

    /// Returns the fields of the signer with this step and role, one for each name.
    pub fn writer_fields(&self, step: u32, role: Option<&str>) -> Vec<&Field> {
        self.named_fields()
            .filter(|field| field.belongs_to(step, role))
            .collect()
    }

    /// Returns one field for each name: the first of its boxes.
    pub fn named_fields(&self) -> impl Iterator<Item = &Field> {
        let mut seen = BTreeSet::new();
        self.fields.iter().filter(move |field| seen.insert(field.name.as_str()))
    }

    /// Returns the boxes of the field with this name.
    pub fn boxes<'t>(&'t self, name: &'t str) -> impl Iterator<Item = &'t Field> {
        self.fields.iter().filter(move |field| field.name == name)
    }
}
