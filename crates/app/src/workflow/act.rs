//! The request of a program that acts for a recipient: which recipient, and the comment.

use domain::{Comment, Recipient, RecipientId, Refusal};

use crate::base::error::{Error, Fault, FaultCode};
use crate::base::text;
use crate::values::value::GivenField;
use crate::workflow::transition::{Snapshot, refused};
use crate::workflow::writer_meant::SaidOfWriter;

/// A request to act for the signer whose turn it is.
#[derive(Debug, Clone, Default)]
pub struct ActRequest {
    /// Their step; without it the current one.
    pub order: Option<u32>,
    /// Their e-mail address or telephone number, if the step has several signers.
    pub email: Option<String>,
    /// Their role, if several signers of the step have that address.
    pub role: Option<String>,
    /// Values to write (`field_list`).
    pub fields: Vec<GivenField>,
    /// Words that go along.
    pub comment: Option<String>,
    /// Faults found while reading the request.
    pub faults: Vec<Fault>,
}

impl ActRequest {
    /// The comment, and every fault that needs no workflow to be found.
    pub(crate) fn comment(&self) -> Result<Option<Comment>, Error> {
        given_comment(self.comment.as_deref(), self.faults.clone())
    }

    /// The signer that is meant.
    pub(crate) fn writer(&self, snapshot: &Snapshot) -> Result<RecipientId, Error> {
        let workflow = &snapshot.stored.workflow;
        let mut steps = workflow.recipients.iter().map(|recipient| recipient.order);
        let first = steps.next();
        if self.order.is_none() && steps.any(|order| Some(order) != first) {
            // If the same request is sent again, "the next signer" would be another one.
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

/// The comment that comes with an act, if neither it nor anything found before is wrong.
pub(crate) fn given_comment(comment: Option<&str>, mut faults: Vec<Fault>) -> Result<Option<Comment>, Error> {
    let comment = text::comment(comment, &mut faults);
    if faults.is_empty() {
        Ok(comment)
    } else {
        Err(Error::Unprocessable(faults))
    }
}
