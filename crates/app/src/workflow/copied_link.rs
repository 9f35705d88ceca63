//! Copies a signing link if a message to a signer could not be sent.
//!
//! Anybody who has a signer's link can sign as that signer, so nobody else sees it ([`crate::outbox::hidden_links`]),
//! with this one exception. It is for the member who sent the document, or an administrator, and only if no message
//! with the link was sent or is still being tried. The audit trail and the certificate name the member who copied it,
//! in the same transaction. The link is not of the kind used in messages, so it proves nothing about the signer's
//! contact.

use std::sync::Arc;

use domain::event::NamedMember;
use domain::{EventKind, Recipient, RecipientId, Workflow};
use jiff::Timestamp;
use store::Transaction;
use store::outbox::{self, DeliveryId, Message, State};

use crate::App;
use crate::base::actor::Actor;
use crate::base::audit_log::Action;
use crate::base::caller::Caller;
use crate::base::error::{ConflictCode, Error, ForbiddenCode, Subject};
use crate::base::origin::Origin;
use crate::links::link_token::{LinkToken, same_link};
use crate::outbox::mail::OutgoingMail;
use crate::outbox::messages::OutboxMessage;
use crate::outbox::outgoing::Outgoing;
use crate::workflow::transition::refused;

impl App {
    /// Returns the signing link of a message that could not be sent, so that a member can pass it on.
    pub fn copy_signing_link(&self, actor: &Actor, message: i64, origin: &Origin) -> Result<String, Error> {
        let by = actor.must_send()?;
        let caller = by.member()?;
        let (company, id) = (caller.company.clone(), DeliveryId(message));
        let workflow = self
            .store
            .read(move |tx| outbox::message(tx, &company, id).map_err(Error::from))?
            .and_then(|message| message.workflow)
            .ok_or(Error::NotFound(Subject::Delivery))?;
        let (outgoing, member, at) = (Arc::clone(&self.outgoing), caller.clone(), self.now());
        let logged = by.logs(Action::SigningLinkCopied, at).about(workflow);
        self.judge_and_note(
            &caller.company,
            workflow,
            (&App::member_actor(caller, origin), at),
            move |tx| {
                let message = outbox::message(tx, &member.company, id)?.ok_or(Error::NotFound(Subject::Delivery))?;
                let found = Found::about(tx, &member, &message)?.ok_or(Error::NotFound(Subject::Workflow))?;
                let recipient = found.copyable(&outgoing, &message, &member, at)?;
                let copied = EventKind::LinkCopied {
                    recipient: recipient.id,
                    link_version: recipient.link_version,
                    member: NamedMember {
                        id: member.member,
                        name: member.name.as_str().into(),
                        email: member.email.as_str().into(),
                    },
                };
                logged.write(tx)?;
                Ok((vec![copied], outgoing.addresses.sign_url(&found.workflow, recipient)))
            },
        )
    }

    pub fn outbox_message(&self, actor: &Actor, id: i64) -> Result<OutboxMessage, Error> {
        let by = actor.must_send()?;
        let company = by.company().clone();
        let row = self
            .store
            .read(move |tx| outbox::message(tx, &company, DeliveryId(id)).map_err(Error::from))?;
        let row = row.ok_or(Error::NotFound(Subject::Delivery))?;
        let can_copy_link = match by.member() {
            Ok(caller) => self.can_copy_link(caller, &row)?,
            Err(_) => false,
        };
        let message = self.opened_message(row)?;
        Ok(OutboxMessage {
            can_copy_link,
            ..message
        })
    }

    /// Whether [`App::copy_signing_link`] would currently return a link.
    fn can_copy_link(&self, caller: &Caller, message: &Message) -> Result<bool, Error> {
        let (member, about) = (caller.clone(), message.clone());
        let found = self.store.read(move |tx| Found::about(tx, &member, &about))?;
        Ok(found.is_some_and(|found| found.copyable(&self.outgoing, message, caller, self.now()).is_ok()))
    }
}

/// A message's document, with related data.
struct Found {
    workflow: Workflow,
    /// All messages about the document.
    messages: Vec<Message>,
}

impl Found {
    fn about(tx: &mut dyn Transaction, member: &Caller, message: &Message) -> Result<Option<Found>, Error> {
        let Some(id) = message.workflow else {
            return Ok(None);
        };
        let Some(stored) = store::workflow::load(tx, &member.company, id)? else {
            return Ok(None);
        };
        Ok(Some(Found {
            workflow: stored.workflow,
            messages: outbox::messages_of_workflow(tx, &member.company, id, u32::MAX)?,
        }))
    }

    /// Returns the recipient whose link this message contains, if this member may have it.
    fn copyable(
        &self,
        outgoing: &Outgoing,
        message: &Message,
        member: &Caller,
        at: Timestamp,
    ) -> Result<&Recipient, Error> {
        let token = signing_token(outgoing, message)?.ok_or(Error::NotFound(Subject::Link))?;
        if member.member != self.workflow.sender && !member.role.may_administer() {
            return Err(Error::Forbidden(ForbiddenCode::NotTheSender));
        }
        for other in &self.messages {
            let has_the_link = signing_token(outgoing, other)?
                .is_some_and(|other| (other.subject, other.version) == (token.subject, token.version));
            if has_the_link && !matches!(other.state, State::Dead | State::Kept) {
                return Err(Error::conflict(ConflictCode::LinkWasSent));
            }
        }
        let id = same_link(&self.workflow, RecipientId(token.subject), token.version)?;
        self.workflow.check_turn(id, at).map_err(refused)
    }
}

fn signing_token(outgoing: &Outgoing, message: &Message) -> Result<Option<LinkToken>, Error> {
    // A one-time code that was erased.
    if message.body.is_empty() {
        return Ok(None);
    }
    let mail = OutgoingMail::open(&message.body, &outgoing.vault)?;
    let mut links = mail.links.iter();
    Ok(links.find_map(|link| outgoing.addresses.signing_token_in(&link.url)))
}
