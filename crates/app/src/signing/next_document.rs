//! The next document: after signing, a signer is offered another document that waits for the same contact.
//!
//! Equal contacts do not identify the same person, because anyone can enter anyone's address. So the lookup requires a
//! [`ProvedContact`], never starts from an embedded document, and never returns one (`store::workflow::next_for`).
//!
//! The link to the next document is not of the kind that is delivered by message, because a browser receives it. So a
//! forwarded message opens at most one document besides its own. The signer's next message continues from there.

use domain::{ProvedContact, Recipient};

use crate::App;
use crate::base::error::Error;
use crate::links::link_token::LinkToken;
use crate::signing::session::{Session, SigningKey};

/// Another document for the same signer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextDocument {
    pub workflow_name: String,
    pub sign_url: String,
}

impl App {
    pub(in crate::signing) fn next_document(
        &self,
        session: &Session,
        key: &SigningKey,
        recipient: &Recipient,
    ) -> Result<Option<NextDocument>, Error> {
        if session.snapshot.stored.workflow.is_embedded() {
            return Ok(None);
        }
        let Some(contact) = self.proved_contact(session, key, recipient)? else {
            return Ok(None);
        };
        let (company, id, at) = (
            session.snapshot.stored.workflow.company.clone(),
            recipient.id,
            session.snapshot.at,
        );
        let found = self.store.read(move |tx| {
            let Some((next, workflow)) = store::workflow::next_for(tx, &company, &contact, id, at)? else {
                return Ok::<_, Error>(None);
            };
            Ok(store::workflow::load(tx, &company, workflow)?.map(|stored| (next, stored)))
        })?;
        Ok(found.and_then(|(next, stored)| {
            let next = stored.workflow.recipient(next)?;
            Some(NextDocument {
                workflow_name: stored.workflow.name.clone(),
                sign_url: self.outgoing.addresses.sign_url(&stored.workflow, next),
            })
        }))
    }

    /// Returns the recipient's contact, if the holder of the key has proved that they receive its messages.
    fn proved_contact(
        &self,
        session: &Session,
        key: &SigningKey,
        recipient: &Recipient,
    ) -> Result<Option<ProvedContact>, Error> {
        let token = self.outgoing.addresses.read(&key.token);
        let by_link = token
            .as_ref()
            .and_then(LinkToken::delivered)
            .and_then(|link| ProvedContact::by_delivered_link(recipient, link));
        if by_link.is_some() {
            return Ok(by_link);
        }
        // Strangers can have a code sent for each document that they start, so such a code proves nothing beyond its
        // own document.
        if self.is_visitors_own(&session.snapshot, recipient)? {
            return Ok(None);
        }
        let entered = self.one_time_code_entered(recipient, key.one_time_proof.as_deref(), session.snapshot.at);
        let Some(entered) = entered else {
            return Ok(None);
        };
        let entries = self.entries(&session.snapshot)?;
        let events = entries.iter().filter_map(domain::Entry::event);
        Ok(ProvedContact::by_one_time_code(recipient, events, entered))
    }
}
