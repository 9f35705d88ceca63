//! Requests of programs that act for a signer: finds the signer and reads the comment.

use domain::{Comment, Recipient, RecipientId, Refusal};

use crate::base::error::{Error, Fault, FaultCode};
use crate::base::text;
use crate::values::value::GivenField;
use crate::workflow::transition::{Snapshot, refused};
use crate::workflow::writer_meant::SaidOfWriter;

/// A request to act for the signer whose turn it is.
#[derive(Debug, Clone, Default)]
pub struct ActRequest {
    /// The signer's step. Default: the current one.
    pub order: Option<u32>,
    /// The signer's e-mail address or telephone number, if the step has several signers.
    pub email: Option<String>,
    /// The signer's role, if several signers of the step have this address.
    pub role: Option<String>,
    /// Values to enter (`field_list`).
    pub fields: Vec<GivenField>,
    /// The signer's comment.
    pub comment: Option<String>,
    /// Faults found while reading the request.
    pub faults: Vec<Fault>,
}

impl ActRequest {
    /// Returns the comment. Fails with all faults that can be found without the workflow.
    pub(crate) fn comment(&self) -> Result<Option<Comment>, Error> {
        given_comment(self.comment.as_deref(), self.faults.clone())
    }

    /// Returns the signer to act for.
    pub(crate) fn writer(&self, snapshot: &Snapshot) -> Result<RecipientId, Error> {
        let workflow = &snapshot.stored.workflow;
        let mut steps = workflow.recipients.iter().map(|recipient| recipient.order);
        let first = steps.next();
        if self.order.is_none() && steps.any(|order| Some(order) != first) {
            // If the same request were repeated, "the next signer" would be somebody else.
            return Err(Error::fault("order", FaultCode::Required));
        }
        let said = SaidOfWriter::new(self.role.as_deref(), self.email.as_deref(), snapshot.party.region);
        let is_meant: &dyn Fn(&Recipient) -> bool = &|recipient| said.fits(recipient);
        workflow
            .writer_meant(self.order, Some(is_meant).filter(|_| !said.is_nothing()))
            .map_err(|refusal| match refusal {
                Refusal::SeveralWriters { .. } => said.too_little("email"),
                other => refused(other),
            })
    }
}

/// Returns the comment on an action. Fails if it is invalid, or if earlier faults were found.
pub(crate) fn given_comment(comment: Option<&str>, mut faults: Vec<Fault>) -> Result<Option<Comment>, Error> {
    let comment = text::comment(comment, &mut faults);
    if faults.is_empty() {
        Ok(comment)
    } else {
        Err(Error::Unprocessable(faults))
    }
}
