//! The audit log: who changed what for a company.
//!
//! Every use-case with which an [`Actor`](crate::base::actor::Actor) changes something writes one entry, in the
//! transaction of the change. An entry names the member by their ID, and never contains a secret or a signer's personal
//! data: what is said about signers is in the audit trails, from which it can be erased.

use std::fmt::{self, Display};

use domain::{CompanyId, Workflow};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use store::Transaction;
use store::audit_log::NewLogEntry;

use crate::base::actor::Permit;
use crate::base::caller::Channel;
use crate::base::error::{Error, codes};

codes! {
    /// What was done. The part before the dot says what the subject's ID belongs to.
    Action {
        CompanyAdded => "company.added",
        CompanyChanged => "company.changed",
        SealKeyReplaced => "seal_key.replaced",
        /// A file that belongs to no document was sealed; the subject is its SHA-256.
        FileSealed => "file.sealed",
        MemberAdded => "member.added",
        MemberDisabled => "member.disabled",
        PasswordSet => "member.password_set",
        ClientAdded => "client.added",
        ClientSecretRotated => "client.secret_rotated",
        TokenRevoked => "token.revoked",
        TemplateCreated => "template.created",
        TemplateChanged => "template.changed",
        TemplateCopied => "template.copied",
        TemplateArchived => "template.archived",
        TemplateUnarchived => "template.unarchived",
        WorkflowStarted => "workflow.started",
        WorkflowApproved => "workflow.approved",
        WorkflowRejected => "workflow.rejected",
        WorkflowCanceled => "workflow.canceled",
        WorkflowExtended => "workflow.extended",
        WorkflowReminded => "workflow.reminded",
        RecipientCorrected => "workflow.recipient_corrected",
        WorkflowDiscarded => "workflow.discarded",
        LinksRenewed => "workflow.links_renewed",
        LinksRevoked => "workflow.links_revoked",
        SigningLinkCopied => "workflow.signing_link_copied",
        BulkStarted => "bulk.started",
        BulkCanceled => "bulk.canceled",
        PublicLinkCreated => "public_link.created",
        PublicLinkClosed => "public_link.closed",
        WebhookResent => "webhook.resent",
        /// Several webhooks were sent again; the number is in the entry.
        WebhooksResent => "webhooks.resent",
        EndpointStarted => "endpoint.started",
        EndpointPaused => "endpoint.paused",
        /// An erasure was begun. The person is not named.
        PersonErased => "person.erased",
        CheckpointsRestarted => "checkpoints.restarted",
    }
}

/// An entry that the transaction of the change writes.
#[derive(Debug, Clone)]
#[must_use]
pub(crate) struct Logged(NewLogEntry);

impl Permit<'_> {
    /// An entry about what this actor does.
    pub(crate) fn logs(self, action: Action, at: Timestamp) -> Logged {
        Logged(NewLogEntry {
            member: self.member().ok().map(|caller| caller.member),
            channel: self.channel().word(),
            address: self.address().map(str::to_owned),
            ..Logged::of_operator(self.company(), action, at).0
        })
    }
}

impl Logged {
    /// An entry about what the operator does with the installation.
    pub(crate) fn of_operator(company: &CompanyId, action: Action, at: Timestamp) -> Logged {
        Logged(NewLogEntry {
            company: company.clone(),
            at,
            member: None,
            channel: Channel::CommandLine.word(),
            address: None,
            action: action.id(),
            subject: String::new(),
            before: None,
            after: None,
        })
    }

    /// The same through another channel than the command line.
    pub(crate) fn through(self, channel: Channel) -> Logged {
        Logged(NewLogEntry {
            channel: channel.word(),
            ..self.0
        })
    }

    /// The ID of what is changed.
    pub(crate) fn about(self, subject: impl Display) -> Logged {
        Logged(NewLogEntry {
            subject: subject.to_string(),
            ..self.0
        })
    }

    /// The values that were set.
    pub(crate) fn setting(self, after: &Value) -> Logged {
        self.changing(&json!({}), after)
    }

    /// The members of two objects that differ.
    pub(crate) fn changing(self, before: &Value, after: &Value) -> Logged {
        Logged(NewLogEntry {
            before: differing(before, after),
            after: differing(after, before),
            ..self.0
        })
    }

    /// A change of a workflow.
    pub(crate) fn changing_workflow(self, before: &Workflow, after: &Workflow) -> Logged {
        self.about(after.id).changing(&standing(before), &standing(after))
    }

    pub(crate) fn write(&self, tx: &mut dyn Transaction) -> Result<(), Error> {
        Ok(store::audit_log::insert(tx, &self.0)?)
    }
}

/// The members of an object that another does not have, or has with another value. `None` if there are none.
fn differing(of: &Value, other: &Value) -> Option<String> {
    let members = of.as_object()?.iter();
    let differing: Map<String, Value> = members
        .filter(|(name, value)| !value.is_null() && other.get(name) != Some(value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    (!differing.is_empty()).then(|| Value::Object(differing).to_string())
}

/// A workflow without anything about its signers.
fn standing(workflow: &Workflow) -> Value {
    json!({
        "status": workflow.state.status().code(),
        "order": workflow.turn(),
        "expires_at": workflow.expires_at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_only_the_members_that_differ() {
        let (before, after) = (json!({"a": 1, "b": 2, "c": null}), json!({"a": 1, "b": 3, "c": "x"}));
        assert_eq!(differing(&before, &after).as_deref(), Some(r#"{"b":2}"#));
        assert_eq!(differing(&after, &before).as_deref(), Some(r#"{"b":3,"c":"x"}"#));
        assert_eq!(differing(&before, &before), None);
        assert_eq!(differing(&json!({}), &after), None);
    }
}
