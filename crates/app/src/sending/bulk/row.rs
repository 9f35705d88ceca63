//! A row of a bulk send, combined with the values that all rows share, and its faults.

use domain::Language;
use serde::{Deserialize, Serialize};

use super::answer::RowError;
use crate::base::error::{Error, Fault, FaultCode};
use crate::sending::start::{StartRecipient, StartRequest};

/// Maximum number of faults stored for one row.
const MOST_FAULTS: usize = 20;

/// A stored fault of a row. Its message is formatted when it is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptFault {
    pub(super) path: String,
    pub(super) code: String,
    pub(super) arguments: Vec<(String, String)>,
}

impl KeptFault {
    pub(super) fn words(&self, language: Language) -> RowError {
        let arguments: Vec<(&str, &str)> = self
            .arguments
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        RowError {
            path: self.path.clone(),
            code: self.code.clone(),
            message: i18n::text(language, &format!("error-{}", self.code), &arguments),
        }
    }
}

/// A parsed row that can be checked and started.
#[derive(Serialize, Deserialize)]
pub(super) struct ReadRow {
    #[serde(skip)]
    pub(super) number: u32,
    pub(super) request: StartRequest,
    /// For a sheet: the names of its signers and fields.
    pub(super) names: Option<Names>,
}

/// The sheet's names for parts of a start, in the start's order.
#[derive(Serialize, Deserialize)]
pub(super) struct Names {
    pub(super) writers: Vec<String>,
    pub(super) fields: Vec<String>,
}

impl ReadRow {
    /// Returns the faults in stored form, with the sender's names for paths.
    pub(super) fn kept(&self, error: &Error) -> Option<Vec<KeptFault>> {
        let one = |code: &str, arguments| {
            vec![KeptFault {
                path: String::new(),
                code: code.to_owned(),
                arguments,
            }]
        };
        Some(match error {
            Error::Unprocessable(faults) => faults
                .iter()
                .take(MOST_FAULTS)
                .map(|fault| self.kept_fault(fault))
                .collect(),
            Error::Conflict { code, state } => {
                let state = ("state".to_owned(), state.clone().unwrap_or_default());
                one(code.id(), vec![state])
            }
            Error::NotFound(subject) => one("not-found", vec![("subject".to_owned(), subject.to_string())]),
            Error::Forbidden(code) => one(code.id(), Vec::new()),
            Error::NotSealable(refusal) if refusal.retry_after().is_none() => {
                one(refusal.code.id(), vec![("date".to_owned(), refusal.date())])
            }
            Error::TooLarge { limit } => one("too-large", vec![("limit".to_owned(), limit.to_string())]),
            // An internal error or a temporary one, not a fault of the row.
            _ => return None,
        })
    }

    fn kept_fault(&self, fault: &Fault) -> KeptFault {
        KeptFault {
            path: self.place(&fault.path),
            code: fault.code.id().to_owned(),
            arguments: fault
                .arguments
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
        }
    }

    /// Converts a path to the name used in a sheet: `recipient_list[0].email` becomes its column `1.email`, and
    /// `field_list[0].value` becomes the field's name.
    fn place(&self, path: &str) -> String {
        let Some(names) = &self.names else {
            return path.to_owned();
        };
        let entry = |list: &str| {
            let (index, rest) = path.strip_prefix(list)?.strip_prefix('[')?.split_once(']')?;
            Some((index.parse::<usize>().ok()?, rest))
        };
        if let Some((index, rest)) = entry("recipient_list")
            && let Some(writer) = names.writers.get(index)
        {
            return format!("{writer}{rest}");
        }
        if let Some((index, _)) = entry("field_list")
            && let Some(field) = names.fields.get(index)
        {
            return field.clone();
        }
        if let Some((0, rest)) = entry("cc_list") {
            return format!("cc{rest}");
        }
        path.to_owned()
    }
}

/// Completes a row with the values for all rows: recipients of steps that the row does not name, and values of other
/// fields.
pub(super) fn merged(mut row: StartRequest, common: &StartRequest) -> StartRequest {
    if let (Some(given), Some(template)) = (row.template_id, common.template_id)
        && given != template
    {
        row.faults
            .push(Fault::new("template_id", FaultCode::NotAllowed).with("allowed", template));
    }
    // A row may name only some roles of a step. The others are the same for all rows.
    let named = row.recipients.clone();
    for own in &mut row.recipients {
        let same_role = common
            .recipients
            .iter()
            .find(|one| one.order == own.order && one.role == own.role);
        if let Some(one) = same_role.or_else(|| common.recipients.iter().find(|one| is_same_place(own, one))) {
            complete(own, one);
        }
    }
    let is_named = |common: &StartRecipient| named.iter().any(|own| is_same_place(own, common));
    let others = common.recipients.iter().filter(|recipient| !is_named(recipient));
    row.recipients.extend(others.cloned());
    let named: Vec<Option<String>> = row.fields.iter().map(|field| field.name.clone()).collect();
    let others = common.fields.iter().filter(|field| !named.contains(&field.name));
    row.fields.extend(others.cloned());
    StartRequest {
        workflow_name: row.workflow_name.or_else(|| common.workflow_name.clone()),
        template_id: common.template_id,
        expiry_date: row.expiry_date.or_else(|| common.expiry_date.clone()),
        language: row.language.or_else(|| common.language.clone()),
        comment: row.comment.or_else(|| common.comment.clone()),
        cc: if row.cc.is_empty() { common.cc.clone() } else { row.cc },
        export: row.export.or_else(|| common.export.clone()),
        redirect_url: row.redirect_url.or_else(|| common.redirect_url.clone()),
        is_preview: false,
        offset: common.offset.clone(),
        idempotency: None,
        ..row
    }
}

fn is_same_place(own: &StartRecipient, common: &StartRecipient) -> bool {
    own.order == common.order && (own.role.is_none() || common.role.is_none() || own.role == common.role)
}

/// Completes a recipient of a row with the one for all rows. Identity checks apply to everybody in that place. A
/// recipient with their own name or address is a different person, who has a different telephone number and language.
fn complete(own: &mut StartRecipient, common: &StartRecipient) {
    if own.password.is_none() {
        own.password.clone_from(&common.password);
        own.password_hint = own.password_hint.take().or_else(|| common.password_hint.clone());
    }
    own.one_time_code = own.one_time_code.or(common.one_time_code);
    if own.name.is_none() && own.email.is_none() {
        own.name.clone_from(&common.name);
        own.email.clone_from(&common.email);
        own.mobile = own.mobile.take().or_else(|| common.mobile.clone());
        own.company = own.company.take().or_else(|| common.company.clone());
        own.language = own.language.take().or_else(|| common.language.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writer(email: Option<&str>) -> StartRecipient {
        StartRecipient {
            order: Some(2),
            email: email.map(str::to_owned),
            ..StartRecipient::default()
        }
    }

    #[test]
    fn an_access_code_for_all_rows_applies_to_every_signer_of_a_row() {
        let common = StartRequest {
            recipients: vec![StartRecipient {
                name: Some("Employer".to_owned()),
                mobile: Some("01012345678".to_owned()),
                password: Some("98765".to_owned()),
                password_hint: Some("staff number".to_owned()),
                one_time_code: Some(true),
                ..writer(Some("employer@example.com"))
            }],
            ..StartRequest::default()
        };
        let of_row = |own: StartRecipient| {
            let row = StartRequest {
                recipients: vec![own],
                ..StartRequest::default()
            };
            merged(row, &common).recipients
        };
        let other = of_row(writer(Some("b@example.com")));
        let expected = StartRecipient {
            name: None,
            mobile: None,
            email: Some("b@example.com".to_owned()),
            ..common.recipients[0].clone()
        };
        assert!(other == [expected], "another person has another telephone");
        assert!(of_row(writer(None)) == common.recipients, "the same person");
        let own_code = of_row(StartRecipient {
            password: Some("1111".to_owned()),
            one_time_code: Some(false),
            ..writer(None)
        });
        let expected = StartRecipient {
            password: Some("1111".to_owned()),
            password_hint: None,
            one_time_code: Some(false),
            ..common.recipients[0].clone()
        };
        assert!(own_code == [expected], "a hint at another code is none");
    }
}
