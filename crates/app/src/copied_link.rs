//! Copying a signing link: what a member does when a message to a signer could not be sent.
//!
//! Whoever has a signer's link can sign as that signer, so nobody else sees it ([`crate::hidden_links`]), with this one
//! exception. It is for the member who sent the document, or an administrator; the audit trail and the certificate name who
//! took it, in the same transaction; and the link is not the kind that was in the message, so it proves nothing about the
//! signer's contact.

use std::sync::Arc;

use domain::event::NamedMember;
use domain::{EventKind, Recipient, RecipientId, Workflow, WorkflowId};
use jiff::Timestamp;
use store::outbox::{self, DeliveryId, Message, State};

use crate::error::{ConflictCode, Error, ForbiddenCode, Subject};
use crate::mail::OutgoingMail;
use crate::outgoing::Outgoing;
use crate::signing_session::same_link;
use crate::transition::refused;
use crate::{App, Caller, Origin};

impl App {
    /// The signing link of a message that could not be sent, to be passed on by hand.
    pub fn copy_signing_link(&self, caller: &Caller, message: i64, origin: &Origin) -> Result<String, Error> {
        caller.must_send()?;
        let (company, id) = (caller.company.clone(), DeliveryId(message));
        let workflow = self
            .store
            .read(move |tx| outbox::message(tx, &company, id).map_err(Error::from))?
            .and_then(|message| message.workflow)
            .ok_or(Error::NotFound(Subject::Delivery))?;
        let (outgoing, member, at) = (Arc::clone(&self.outgoing), caller.clone(), self.now());
        self.judge_and_note(
            &caller.company,
            workflow,
            &App::member_actor(caller, origin),
            move |tx| {
                let message = outbox::message(tx, &member.company, id)?.ok_or(Error::NotFound(Subject::Delivery))?;
                let stored = store::workflow::load(tx, &member.company, workflow)?;
                let stored = stored.ok_or(Error::NotFound(Subject::Workflow))?;
                let recipient = copyable(&outgoing, &message, &stored.workflow, &member, at)?;
                let copied = EventKind::LinkCopied {
                    recipient: recipient.id,
                    link_version: recipient.link_version,
                    member: NamedMember {
                        id: member.member,
                        name: member.name.clone(),
                        email: member.email.clone(),
                    },
                };
                Ok((vec![copied], outgoing.addresses.sign_url(&stored.workflow, recipient)))
            },
        )
    }

    /// Whether [`App::copy_signing_link`] would answer a link now.
    pub(crate) fn can_copy_link(&self, caller: &Caller, message: &Message) -> Result<bool, Error> {
        let Some(id) = message.workflow else {
            return Ok(false);
        };
        let workflow = self.workflow_of(caller, id)?;
        Ok(workflow.is_some_and(|workflow| copyable(&self.outgoing, message, &workflow, caller, self.now()).is_ok()))
    }

    fn workflow_of(&self, caller: &Caller, id: WorkflowId) -> Result<Option<Workflow>, Error> {
        let company = caller.company.clone();
        let stored = self
            .store
            .read(move |tx| store::workflow::load(tx, &company, id).map_err(Error::from))?;
        Ok(stored.map(|stored| stored.workflow))
    }
}

/// The recipient whose link this message has, if this member may have it.
fn copyable<'w>(
    outgoing: &Outgoing,
    message: &Message,
    workflow: &'w Workflow,
    member: &Caller,
    at: Timestamp,
) -> Result<&'w Recipient, Error> {
    let mail = OutgoingMail::open(&message.body, &outgoing.vault)?;
    let token = mail
        .links
        .iter()
        .find_map(|link| outgoing.addresses.signing_token_in(&link.url))
        .ok_or(Error::NotFound(Subject::Link))?;
    if member.member != workflow.sender && !member.role.may_administer() {
        return Err(Error::Forbidden(ForbiddenCode::NotTheSender));
    }
    if !matches!(message.state, State::Dead | State::Kept) {
        return Err(Error::conflict(ConflictCode::LinkWasSent));
    }
    let id = same_link(workflow, RecipientId(token.subject), token.version)?;
    workflow.check_turn(id, at).map_err(refused)
}
