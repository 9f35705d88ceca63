//! The audit log: who changed what for a company.
//!
//! Every use case with which an [`Actor`](crate::base::actor::Actor) changes something writes one entry, in the
//! transaction of the change. An entry identifies the member by ID, and never contains a secret or a signer's personal
//! data. Details about signers belong in the audit trails, from which they can be erased.

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
    /// The action that was performed. The part before the dot names the type of the subject.
    Action {
        CompanyAdded => "company.added",
        CompanyChanged => "company.changed",
        SealKeyReplaced => "seal_key.replaced",
        /// A file that belongs to no document was sealed. The subject is its SHA-256.
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
        /// Several webhooks were resent. The entry contains the number.
        WebhooksResent => "webhooks.resent",
        EndpointStarted => "endpoint.started",
        EndpointPaused => "endpoint.paused",
        /// An erasure was started. The entry does not name the person.
        PersonErased => "person.erased",
        CheckpointsRestarted => "checkpoints.restarted",
    }
}

/// An entry to be written by the transaction of the change.
#[derive(Debug, Clone)]
#[must_use]
pub(crate) struct Logged(NewLogEntry);

impl Permit<'_> {
    /// Returns an entry about an action of this actor.
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
    /// Returns an entry about an action of the operator on the installation.
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

    /// Sets the ID of the changed object.
    pub(crate) fn about(self, subject: impl Display) -> Logged {
        Logged(NewLogEntry {
            subject: subject.to_string(),
            ..self.0
        })
    }

    /// Records the new values.
    pub(crate) fn setting(self, after: &Value) -> Logged {
        self.changing(&json!({}), after)
    }

    /// Records the members in which two objects differ.
    pub(crate) fn changing(self, before: &Value, after: &Value) -> Logged {
        Logged(NewLogEntry {
            before: differing(before, after),
            after: differing(after, before),
            ..self.0
        })
    }

    /// Records a change of a workflow.
    pub(crate) fn changing_workflow(self, before: &Workflow, after: &Workflow) -> Logged {
        self.about(after.id).changing(&standing(before), &standing(after))
    }

    pub(crate) fn write(&self, tx: &mut dyn Transaction) -> Result<(), Error> {
        Ok(store::audit_log::insert(tx, &self.0)?)
    }
}

/// Returns the members of `of` that `other` lacks or has with another value. `None` if there are none.
fn differing(of: &Value, other: &Value) -> Option<String> {
    let members = of.as_object()?.iter();
    let differing: Map<String, Value> = members
        .filter(|(name, value)| !value.is_null() && other.get(name) != Some(value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    (!differing.is_empty()).then(|| Value::Object(differing).to_string())
}

/// The workflow without any data about its signers.
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
