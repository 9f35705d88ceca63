//! Cancels a workflow, for the sender or through the API.

use domain::WorkflowId;

use crate::App;
use crate::base::actor::Actor;
use crate::base::audit_log::Action;
use crate::base::error::Error;
use crate::base::origin::Origin;
use crate::workflow::act::ActRequest;
use crate::workflow::transition::{Advanced, refused};

impl App {
    /// Cancels an open workflow.
    pub fn cancel(
        &self,
        actor: &Actor,
        id: WorkflowId,
        request: &ActRequest,
        origin: &Origin,
    ) -> Result<Advanced, Error> {
        let by = actor.must_send()?;
        let caller = by.member()?;
        let logged = by.logs(Action::WorkflowCanceled, self.now());
        let comment = request.comment()?;
        let doer = App::member_actor(caller, origin);
        let workflow = self.decide(&caller.company, id, |snapshot| {
            let transition = snapshot.stored.workflow.clone().cancel(snapshot.at).map_err(refused)?;
            let workflow = transition.workflow.clone();
            Ok((
                self.plan_transition(snapshot, transition, &doer, comment.as_deref())?
                    .logging(Some(&logged)),
                workflow,
            ))
        })?;
        Ok(self.advanced(&workflow))
    }
}
