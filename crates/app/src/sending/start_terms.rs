//! The first entry of a chain, which records how the workflow was started.

use domain::{NamedMember, PlaceTerms, TemplateContent, Terms, Workflow};
use store::workflow::{Checks, Party};

/// Returns the terms of the workflow. `checks` are in the order of the recipients.
pub(crate) fn terms(workflow: &Workflow, party: &Party, checks: &[Checks], template: Option<TemplateContent>) -> Terms {
    let sender = NamedMember {
        id: workflow.sender,
        name: party.sender_name.as_str().into(),
        email: party.sender_email.as_str().into(),
    };
    let places = workflow.recipients.iter().zip(checks).map(|(recipient, checks)| {
        let access = checks.access.as_ref();
        PlaceTerms {
            access_code: access.is_some(),
            hint: access.and_then(|access| Some(access.hint.as_deref()?.into())),
            one_time_code: checks.one_time_code,
            ..PlaceTerms::of(recipient)
        }
    });
    Terms::of(workflow, &party.company_name, sender, places.collect(), template)
}
