//! Rejecting: by a writer through his link, or by a program on his behalf. It ends the workflow, or gives the document back
//! to the step before, as the template says.

use domain::{Actor, CompanyId, Outcome, RecipientId, WorkflowId};

use crate::approve::ActRequest;
use crate::error::Error;
use crate::transition::{Advanced, Snapshot, refused};
use crate::{App, Caller, Origin};

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
            let transition = snapshot
                .stored
                .workflow
                .clone()
                .reject(recipient, snapshot.at)
                .map_err(refused)?;
            let workflow = transition.workflow.clone();
            let given_back = matches!(transition.outcome, Outcome::Returned { .. });
            let plan = self.plan_transition(snapshot, transition, actor, comment)?;
            let plan = if given_back {
                plan.finishing_draft_of(recipient)
            } else {
                plan
            };
            Ok((plan, workflow))
        })
    }
}
