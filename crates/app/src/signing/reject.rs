//! Rejecting: by a writer through his link, or by a program on his behalf. It ends the workflow, or gives the document back
//! to the step before, as the template says.
//!
//! What is given back is filled in anew, so a signature that a writer of the rejecting step has given already, to the
//! document as it was, is taken off it: it must not stand under words that he has not seen. What else he wrote stays, to
//! be changed or not.

use domain::{Actor, CompanyId, EventKind, Outcome, RecipientId, WorkflowId};

use crate::App;
use crate::base::caller::Caller;
use crate::base::error::Error;
use crate::base::origin::Origin;
use crate::workflow::act::ActRequest;
use crate::workflow::transition::{Advanced, Snapshot, refused};

impl App {
    /// Rejects on behalf of the writer whose turn it is.
    pub fn reject(
        &self,
        caller: &Caller,
        id: WorkflowId,
        request: &ActRequest,
        origin: &Origin,
    ) -> Result<Advanced, Error> {
        caller.must_send()?;
        let comment = request.comment()?;
        let actor = App::member_actor(caller, origin);
        let workflow = self.reject_as(&caller.company, id, &actor, comment.as_deref(), &|snapshot| {
            request.writer(snapshot)
        })?;
        Ok(self.advanced(&workflow))
    }

    /// The rejection itself; `writer` says who rejects, or why he may not.
    pub(crate) fn reject_as(
        &self,
        company: &CompanyId,
        id: WorkflowId,
        actor: &Actor,
        comment: Option<&str>,
        writer: &dyn Fn(&Snapshot) -> Result<RecipientId, Error>,
    ) -> Result<domain::Workflow, Error> {
        self.decide(company, id, |snapshot| {
            let recipient = writer(snapshot)?;
            let mut transition = snapshot
                .stored
                .workflow
                .clone()
                .reject(recipient, snapshot.at)
                .map_err(refused)?;
            let Outcome::Returned { order, .. } = transition.outcome else {
                let workflow = transition.workflow.clone();
                let plan = self.plan_transition(snapshot, transition, actor, comment)?;
                return Ok((plan, workflow));
            };
            let undone = undone_signatures(snapshot, order);
            transition
                .events
                .extend(undone.iter().map(|(recipient, field)| EventKind::ValueRemoved {
                    recipient: *recipient,
                    field: field.clone(),
                }));
            let workflow = transition.workflow.clone();
            let removed: Vec<String> = undone.into_iter().map(|(_, field)| field).collect();
            let plan = self
                .plan_transition(&snapshot.without(&removed), transition, actor, comment)?
                .writing(Vec::new(), removed)
                .finishing_draft_of(recipient);
            Ok((plan, workflow))
        })
    }
}

/// The signatures that stand in fields of a step, each with its writer.
fn undone_signatures(snapshot: &Snapshot, order: u32) -> Vec<(RecipientId, String)> {
    let recipients = &snapshot.stored.workflow.recipients;
    let template = &snapshot.template.version;
    recipients
        .iter()
        .filter(|recipient| recipient.order == order)
        .flat_map(|recipient| {
            template
                .writer_fields(order, recipient.role.as_deref())
                .into_iter()
                .filter(|field| field.kind.is_signature() && snapshot.values.contains_key(&field.name))
                .map(|field| (recipient.id, field.name.clone()))
        })
        .collect()
}
