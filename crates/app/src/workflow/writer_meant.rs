//! Finds the signer that a request refers to, if the step has several. Signers may share an address, so an address
//! identifies a signer only if no other signer of the step has it.

use domain::{Contact, Progress, Recipient, RecipientId, Region};

use crate::base::error::{Error, Fault, FaultCode};
use crate::workflow::transition::Snapshot;

/// The data about a signer in a request, in addition to the step. Blank texts count as missing.
pub(in crate::workflow) struct SaidOfWriter<'a> {
    role: Option<&'a str>,
    contact: Option<&'a str>,
    region: Region,
}

impl<'a> SaidOfWriter<'a> {
    pub(crate) fn new(role: Option<&'a str>, contact: Option<&'a str>, region: Region) -> Self {
        let said = |text: Option<&'a str>| text.map(str::trim).filter(|text| !text.is_empty());
        Self {
            role: said(role),
            contact: said(contact),
            region,
        }
    }

    pub(in crate::workflow) fn is_nothing(&self) -> bool {
        self.role.is_none() && self.contact.is_none()
    }

    pub(crate) fn fits(&self, recipient: &Recipient) -> bool {
        self.role.is_none_or(|role| recipient.role.as_deref() == Some(role))
            && self
                .contact
                .is_none_or(|contact| recipient.contact.matches(contact, self.region))
    }

    /// Returns the error for data that fits several signers. It first asks for the contact, whose name in the request
    /// is `contact`. Signers who share a contact differ by role, which is unique within a step.
    pub(in crate::workflow) fn too_little(&self, contact: &str) -> Error {
        let missing = if self.contact.is_none() { contact } else { "role" };
        Error::Unprocessable(vec![Fault::new(missing, FaultCode::Required)])
    }
}

/// Returns the sender as the signer whose turn it is, identified by the address of their account.
pub(crate) fn sender_at_turn(snapshot: &Snapshot) -> Option<RecipientId> {
    let workflow = &snapshot.stored.workflow;
    let sender = Contact::Email(snapshot.party.sender_email.clone());
    let turn = workflow.turn()?;
    let mut at_address = workflow
        .recipients
        .iter()
        .filter(|recipient| recipient.order == turn && recipient.contact.is_same(&sender));
    let writer = at_address.next()?;
    let is_theirs = at_address.next().is_none() && writer.progress == Progress::Waiting;
    is_theirs.then_some(writer.id)
}
