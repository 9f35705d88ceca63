//! The page that a signer sees after they have approved or declined.

use domain::{Progress, Recipient, RedirectUrl, Status, Workflow, WorkflowId};

use crate::App;
use crate::base::error::Error;
use crate::signing::next_document::NextDocument;
use crate::signing::session::{Session, SigningKey};

/// The result of approving or declining.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    pub workflow_id: WorkflowId,
    /// The current state of the workflow.
    pub status: Status,
    /// Whether other signers of the step have not approved yet, so that the next step does not begin.
    pub others_of_step: bool,
    /// The next document that waits for the same signer.
    pub next_document: Option<NextDocument>,
    /// The link to the completed document, if this approval completed it.
    pub document_url: Option<String>,
    /// Whether the signer will get the completed document. In embedded workflows their program informs them, and a
    /// company may choose not to send it.
    pub copy_is_sent: bool,
    /// Where the page leads a signer who has signed, if the company still allows it.
    pub redirect_url: Option<RedirectUrl>,
}

impl App {
    pub(in crate::signing) fn signed(
        &self,
        session: &Session,
        key: &SigningKey,
        recipient: &Recipient,
        after: &Workflow,
    ) -> Result<Signed, Error> {
        let document_url = match after.state.status() {
            // The links may have been revoked or renewed while the document was being sealed.
            Status::Complete => {
                let sealed = self.snapshot(&after.company, after.id)?;
                self.finished_document_url(&sealed, after, recipient.id)
            }
            _ => None,
        };
        let snapshot = &session.snapshot;
        let progress = after.recipient(recipient.id).map(|recipient| recipient.progress);
        let redirect_url = after.redirect_url.clone();
        let redirect_url = redirect_url.filter(|_| matches!(progress, Some(Progress::Approved { .. })));
        Ok(Signed {
            workflow_id: after.id,
            status: after.state.status(),
            others_of_step: after.turn() == Some(recipient.order),
            next_document: self.next_document(session, key, recipient)?,
            document_url,
            copy_is_sent: !after.is_embedded() && snapshot.party.style.completed_mails.writers,
            redirect_url: redirect_url.and_then(|url| snapshot.party.style.redirect_hosts.allow(url).ok()),
        })
    }
}
