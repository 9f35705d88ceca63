//! The bodies of webhooks, exactly as the interface defines them.
//!
//! A body is created once, when the transition is decided, and stored encrypted in the outbox, so that every try sends
//! the same bytes. The domain decides whether to send a webhook at all ([`domain::ExportSettings::wants`]).

use std::collections::BTreeMap;

use domain::{
    ClientId, CommandType, ExportSettings, FieldKind, FileKind, Links, LiveLinks, Outcome, Status, TemplateVersion,
    Workflow, Zone, time,
};
use jiff::Timestamp;
use serde::Serialize;
use store::workflow_value::StoredValue;

use crate::links::addresses::Addresses;

/// The version of the Export API.
const VERSION: &str = "v3";

/// The body of a webhook.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = WebhookBody)]
pub struct Payload<'p> {
    /// The document's ID.
    workflow_id: i64,
    /// The API client for which the document was started. Its secret signs the webhook.
    client_id: String,
    /// Time of the event: `YYYY-MM-DD HH:MM:SS (UTC+HH:MM)`, in the document's time zone.
    completed_date: String,
    /// The event: `CF` approval, `RT` decline (even if it returned the document), `CC` cancellation, `EX` expiry.
    #[schema(pattern = "^(CF|RT|CC|EX)$")]
    command_type: &'static str,
    /// The signer who approved or declined. For a cancellation or expiry, the signer whose turn it was.
    name: &'p str,
    /// Their e-mail address or telephone number, as entered.
    email: &'p str,
    /// The comment of that signer, or of the person who cancelled. May be empty.
    comment: &'p str,
    /// Every value entered so far, in step order.
    field_list: Vec<WrittenField>,
    /// `Playing`, `Complete`, `Rejected`, `Canceled` or `Expired`.
    status: &'static str,
    /// The step at which the event occurred.
    order: u32,
    /// Whether the document is embedded.
    is_embed: bool,
    /// `true` if the document is a test. Absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_test: bool,
    /// The version of the Export API: `v3`.
    version: &'static str,
    /// The e-mail address of the signer whose turn it is now. Only in embedded mode, while the document is in progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_email: Option<&'p str>,
    /// The name of the signer whose turn it is now. Only in embedded mode, while the document is in progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_name: Option<&'p str>,
    /// The signing link of this signer, which already contains a query string. Only in embedded mode, while the
    /// document is in progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    sign_url: Option<String>,
    /// All signers whose turn it is, if the step has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_list: Option<Vec<NextWriter>>,
    /// The link to the sealed document. Only in embedded mode, when the document is complete. Empty while its links are
    /// revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    download_url: Option<String>,
    /// The link to the history certificate. Only in embedded mode, when the document is complete. Empty while its links
    /// are revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate_url: Option<String>,
}

/// An entered value, as shown in responses and webhooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct WrittenField {
    /// The field's name. In webhooks, it is renamed as `field_names` specifies.
    pub name: String,
    /// The value. A check is `Y` or `N`, and a file is represented by its name.
    pub value: String,
    /// The e-mail address of the field's signer.
    pub email: String,
    /// The field's step.
    pub order: u32,
}

/// A signer whose turn it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize, utoipa::ToSchema)]
pub struct NextWriter {
    /// The signer's step.
    pub order: u32,
    /// The signer's name.
    pub name: String,
    /// The signer's e-mail address or telephone number.
    pub email: String,
    /// The signer's link for signing. Only in embedded mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_url: Option<String>,
}

/// The event that a webhook reports.
pub(in crate::outbox) struct Happening<'h> {
    /// The workflow after the transition.
    pub workflow: &'h Workflow,
    pub settings: &'h ExportSettings,
    pub template: &'h TemplateVersion,
    pub values: &'h BTreeMap<String, StoredValue>,
    pub outcome: &'h Outcome,
    pub comment: &'h str,
    pub at: Timestamp,
    pub links: Links,
    /// Number of days for which the links to completed files work.
    pub link_days: i64,
}

/// Builds the body of a transition's webhook.
pub(in crate::outbox) fn payload(happening: &Happening<'_>, addresses: &Addresses) -> Vec<u8> {
    let Happening {
        workflow,
        settings,
        outcome,
        ..
    } = *happening;
    let writer = workflow.recipient(outcome.recipient());
    let command = CommandType::from(outcome);
    let is_complete = matches!(outcome, Outcome::Approved { complete: true, .. });
    let next = workflow.writers_at_turn().next().filter(|_| settings.is_embed);
    let file_url = |kind| {
        let url = |links: LiveLinks| {
            let until = links.until(happening.at, happening.link_days);
            addresses.file_url(kind, settings.link_type, workflow, links, until)
        };
        (settings.is_embed && is_complete).then(|| happening.links.live().map(url).unwrap_or_default())
    };
    let payload = Payload {
        workflow_id: workflow.id.get(),
        client_id: workflow.client.to_string(),
        completed_date: time::format_with_zone(happening.at, workflow.zone),
        command_type: command.code(),
        name: writer.map_or("", |writer| &writer.name),
        email: writer.map_or("", |writer| writer.contact.as_given()),
        comment: happening.comment,
        field_list: written_fields(workflow, happening.template, happening.values, Some(settings)),
        status: workflow.state.status().code(),
        order: outcome.order(),
        is_embed: settings.is_embed,
        is_test: workflow.is_test,
        version: VERSION,
        next_email: next.map(|writer| writer.contact.as_given()),
        next_name: next.map(|writer| writer.name.as_str()),
        sign_url: next.map(|writer| addresses.sign_url(workflow, writer)),
        next_list: next_list(workflow, addresses),
        download_url: file_url(FileKind::Document),
        certificate_url: file_url(FileKind::Certificate),
    };
    // Serialising texts, numbers and lists cannot fail.
    serde_json::to_vec(&payload).unwrap_or_default()
}

/// Builds the body of a test webhook. It looks like an approval, but is about no document.
pub(in crate::outbox) fn test_payload(client: ClientId, at: Timestamp, zone: Zone) -> Vec<u8> {
    let payload = Payload {
        workflow_id: 0,
        client_id: client.to_string(),
        completed_date: time::format_with_zone(at, zone),
        command_type: CommandType::Confirm.code(),
        name: "Test",
        email: "test@example.com",
        comment: "Test delivery",
        field_list: Vec::new(),
        status: Status::Playing.code(),
        order: 1,
        is_embed: false,
        is_test: false,
        version: VERSION,
        next_email: None,
        next_name: None,
        sign_url: None,
        next_list: None,
        download_url: None,
        certificate_url: None,
    };
    serde_json::to_vec(&payload).unwrap_or_default()
}

/// Returns all signers whose turn it is if their step has several, with their signing links if the workflow is
/// embedded.
pub(crate) fn next_list(workflow: &Workflow, addresses: &Addresses) -> Option<Vec<NextWriter>> {
    let turn = workflow.turn()?;
    if workflow
        .recipients
        .iter()
        .filter(|recipient| recipient.order == turn)
        .count()
        < 2
    {
        return None;
    }
    let embedded = workflow.is_embedded();
    Some(
        workflow
            .writers_at_turn()
            .map(|writer| NextWriter {
                order: writer.order,
                name: writer.name.clone(),
                email: writer.contact.as_given().to_owned(),
                sign_url: embedded.then(|| addresses.sign_url(workflow, writer)),
            })
            .collect(),
    )
}

/// Returns every value entered so far, in step order. Within a step, the order is that of the template.
pub(crate) fn written_fields(
    workflow: &Workflow,
    template: &TemplateVersion,
    values: &BTreeMap<String, StoredValue>,
    settings: Option<&ExportSettings>,
) -> Vec<WrittenField> {
    let mut fields: Vec<_> = template.named_fields().collect();
    fields.sort_by_key(|field| field.step);
    fields
        .into_iter()
        .filter_map(|field| {
            let stored = values.get(&field.name)?;
            let value = stored.value.to_wire();
            if value.is_empty() && field.kind != FieldKind::Check {
                return None;
            }
            let writer = workflow
                .recipients
                .iter()
                .find(|recipient| field.belongs_to(recipient.order, recipient.role.as_deref()));
            Some(WrittenField {
                name: settings
                    .map_or(field.name.as_str(), |settings| settings.name_of(&field.name))
                    .to_owned(),
                value,
                email: writer.map_or("", |writer| writer.contact.as_given()).to_owned(),
                order: field.step,
            })
        })
        .collect()
}
