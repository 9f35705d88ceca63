//! Viewing the document and agreeing to sign electronically. The audit trail records both before a signature.

use domain::{BlobHash, EventKind, Recipient, TemplateVersion};
use store::workflow::StoredWorkflow;

use crate::App;
use crate::base::error::Error;
use crate::base::origin::Origin;
use crate::signing::session::SigningKey;
use crate::workflow::transition::refused;

impl App {
    /// Records that the signer has seen the document, as reported by the page.
    pub fn record_viewed(&self, key: &SigningKey, origin: &Origin) -> Result<(), Error> {
        let session = self.open_for_reading(key)?;
        let Some(recipient) = session.recipient() else {
            return Ok(());
        };
        let event = EventKind::Viewed {
            recipient: recipient.id,
        };
        self.note_of_writer(
            &session,
            recipient,
            origin,
            event,
            |_, _| Ok(()),
            store::workflow::set_viewed,
        )
    }

    /// Records that the signer agreed to sign electronically, and the statement that they accepted.
    pub fn give_consent(&self, key: &SigningKey, statement: &str, origin: &Origin) -> Result<(), Error> {
        let (session, recipient) = self.open_for_writing(key)?;
        let event = EventKind::Consented {
            recipient: recipient.id,
            statement: BlobHash::of(statement.as_bytes()),
        };
        let id = recipient.id;
        let is_their_turn =
            move |stored: &StoredWorkflow, at| stored.workflow.check_turn(id, at).map(drop).map_err(refused);
        self.note_of_writer(
            &session,
            &recipient,
            origin,
            event,
            is_their_turn,
            store::workflow::set_consented,
        )
    }
}

/// Whether consent is needed, which is the case if the recipient signs.
pub(in crate::signing) fn needs_consent(template: &TemplateVersion, recipient: &Recipient) -> bool {
    template
        .writer_fields(recipient.order, recipient.role.as_deref())
        .iter()
        .any(|field| field.kind.is_signature())
}
