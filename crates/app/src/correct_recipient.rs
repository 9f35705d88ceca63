//! Correcting a recipient who has not written. His old link dies; where it is his turn he is asked anew.

use domain::{Contact, PersonName, RecipientId, WorkflowId, WriterDetail};

use crate::error::{Error, Fault, FaultCode, Subject};
use crate::transition::{Advanced, Snapshot, refused};
use crate::values::{prove_text, prove_writer};
use crate::{App, Caller, Origin, text};

/// A request to correct a recipient; what is left out stays.
#[derive(Debug, Clone, Default)]
pub struct CorrectRequest {
    /// The right name.
    pub name: Option<String>,
    /// The right e-mail address or telephone number.
    pub email: Option<String>,
    /// Which of the step's writers: by what he has now.
    pub current_email: Option<String>,
    /// Which of the step's writers: by role.
    pub role: Option<String>,
    /// What reading the request found amiss.
    pub faults: Vec<Fault>,
}

impl App {
    /// Corrects the recipient of a step.
    pub fn correct_recipient(
        &self,
        caller: &Caller,
        id: WorkflowId,
        order: u32,
        request: &CorrectRequest,
        origin: &Origin,
    ) -> Result<Advanced, Error> {
        caller.must_send()?;
        let actor = App::member_actor(caller, origin);
        let fonts = self.fonts()?;
        let workflow = self.decide(&caller.company, id, |snapshot| {
            let recipient = meant(snapshot, order, request)?;
            let workflow = &snapshot.stored.workflow;
            let old = workflow
                .recipient(recipient)
                .ok_or(Error::NotFound(Subject::Recipient))?;
            let mut faults = request.faults.clone();
            let name = PersonName::parse(request.name.as_deref().unwrap_or_default()).unwrap_or_else(|refused| {
                faults.push(text::fault("name", refused));
                None
            });
            if let Some(name) = &name
                && let Err(fault) = prove_text(name, &fonts, "name")
            {
                faults.push(fault);
            }
            let email = request
                .email
                .as_deref()
                .map(str::trim)
                .filter(|email| !email.is_empty());
            let contact = email.map(|email| Contact::parse(email, snapshot.party.region));
            if let Some(Err(_)) = contact {
                faults.push(Fault::new("email", FaultCode::InvalidContact));
            }
            if name.is_none() && email.is_none() && faults.is_empty() {
                faults.push(Fault::new("email", FaultCode::Required));
            }
            if !faults.is_empty() {
                return Err(Error::Unprocessable(faults));
            }
            let name = name.map_or_else(|| old.name.clone(), PersonName::into_string);
            let contact = contact.and_then(Result::ok).unwrap_or_else(|| old.contact.clone());
            let change = workflow
                .clone()
                .correct_recipient(recipient, name, contact, snapshot.at)
                .map_err(refused)?;
            let workflow = change.workflow.clone();
            if let Some(corrected) = workflow.recipient(recipient) {
                let template = &snapshot.template.version;
                let company_name = &snapshot.party.company_name;
                let faults =
                    prove_writer(
                        template,
                        corrected,
                        company_name,
                        workflow.language,
                        &fonts,
                        |detail| match detail {
                            WriterDetail::Email | WriterDetail::Phone => "email".to_owned(),
                            WriterDetail::Name | WriterDetail::Company => "name".to_owned(),
                        },
                    );
                if !faults.is_empty() {
                    return Err(Error::Unprocessable(faults));
                }
            }
            let plan = self
                .plan_change(snapshot, change, &actor)?
                .finishing_draft_of(recipient);
            Ok((plan, workflow))
        })?;
        Ok(self.advanced(&workflow))
    }
}

fn meant(snapshot: &Snapshot, order: u32, request: &CorrectRequest) -> Result<RecipientId, Error> {
    let region = snapshot.party.region;
    let mut of_step = snapshot
        .stored
        .workflow
        .recipients
        .iter()
        .filter(|recipient| recipient.order == order)
        .filter(|recipient| {
            request
                .role
                .as_deref()
                .is_none_or(|role| recipient.role.as_deref() == Some(role.trim()))
                && request
                    .current_email
                    .as_deref()
                    .is_none_or(|email| recipient.contact.matches(email, region))
        });
    let first = of_step.next().ok_or(Error::NotFound(Subject::Recipient))?;
    if of_step.next().is_some() {
        return Err(Error::fault("current_email", FaultCode::Required));
    }
    Ok(first.id)
}
