//! Reassigning: the signer whose turn it is assigns the document to somebody else, who signs in their place, if the
//! template allows it.
//!
//! The old link stops working, and the new person is notified by mail or messenger. So an embedded workflow refuses it:
//! its signers get no messages, and the caller's program, which distributes their links, corrects the recipient through
//! the API instead. Earlier entries are not passed on, because they belong to the previous person. The new person must
//! also enter an access code that the sender set. No webhook is sent, because nothing was approved or declined.
//!
//! Our messages contain the name that the signer enters. So like the name of a public link's visitor, it may contain no
//! address. A signer who came through a public link is a stranger, and the service writes only to their own address, so
//! they cannot reassign.

use domain::address_in_text::holds_an_address;
use domain::{Event, EventKind, RecipientId, Who};

use crate::App;
use crate::base::error::{ConflictCode, Error, Fault, FaultCode};
use crate::base::origin::Origin;
use crate::links::link_token::same_link;
use crate::signing::session::SigningKey;
use crate::workflow::correct_recipient::{Person, prove_person};
use crate::workflow::transition::{Snapshot, conflict, refused};

impl App {
    /// Assigns the document to someone else.
    pub fn reassign_by_link(&self, key: &SigningKey, name: &str, email: &str, origin: &Origin) -> Result<(), Error> {
        let (session, recipient) = self.open_for_writing(key)?;
        let workflow = &session.snapshot.stored.workflow;
        let (company, id) = (workflow.company.clone(), workflow.id);
        let actor = origin.actor(Who::Recipient(recipient.id));
        let fonts = self.fonts_of(&session.snapshot.stored)?;
        self.decide(&company, id, |snapshot| {
            let workflow = &snapshot.stored.workflow;
            same_link(workflow, recipient.id, recipient.link_version)?;
            if !self.may_reassign(snapshot, recipient.order)? {
                return Err(conflict(ConflictCode::NoHandingOver, workflow.status_at(snapshot.at)));
            }
            let mut faults = Vec::new();
            if holds_an_address(name) {
                faults.push(Fault::new("name", FaultCode::AddressInName));
            }
            let person = Person::read(snapshot, Some(name), Some(email), &fonts, &mut faults);
            for (path, is_missing) in [("name", person.name.is_none()), ("email", person.contact.is_none())] {
                if is_missing && faults.iter().all(|fault| fault.path != path) {
                    faults.push(Fault::new(path, FaultCode::Required));
                }
            }
            let (Some(name), Some(contact), true) = (person.name, person.contact, faults.is_empty()) else {
                return Err(Error::Unprocessable(faults));
            };
            // They already have the link, and would only lose it.
            if contact.is_same(&recipient.contact) {
                return Err(Error::fault("email", FaultCode::SamePerson));
            }
            let change = workflow
                .clone()
                .hand_over(recipient.id, name, contact, snapshot.at)
                .map_err(refused)?;
            prove_person(self, snapshot, &change.workflow, recipient.id, &fonts)?;
            Ok((self.plan_change(snapshot, change, &actor)?, ()))
        })
    }

    /// Returns the recipient of a link, or the reason why the link was replaced.
    pub(in crate::signing) fn holder_of_link(
        &self,
        snapshot: &Snapshot,
        id: RecipientId,
        version: u32,
    ) -> Result<RecipientId, Error> {
        same_link(&snapshot.stored.workflow, id, version).or_else(|error| {
            let handed_over = self.entries(snapshot)?.iter().any(|entry| {
                matches!(
                    entry.event(),
                    Some(Event { event: EventKind::HandedOver { recipient, link_version }, .. })
                        if recipient.id == id && link_version == version
                )
            });
            if handed_over {
                Err(Error::conflict(ConflictCode::HandedOver))
            } else {
                Err(error)
            }
        })
    }

    /// Whether the template allows a signer of this step to reassign, and the new person can be notified.
    pub(in crate::signing) fn may_reassign(&self, snapshot: &Snapshot, order: u32) -> Result<bool, Error> {
        if !snapshot.template.version.hand_over || snapshot.stored.workflow.is_embedded() {
            return Ok(false);
        }
        if order > 1 {
            return Ok(true);
        }
        Ok(!self.is_started_by_visitor(snapshot)?)
    }
}
