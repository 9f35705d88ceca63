//! Withdrawing a workflow: by the sender, or through the API.

use domain::WorkflowId;

use crate::act::ActRequest;
use crate::error::Error;
use crate::transition::{Advanced, refused};
use crate::{App, Caller, Origin};

impl App {
    /// Cancels a workflow that is under way.
    pub fn cancel(
        &self,
        caller: &Caller,
        id: WorkflowId,
        request: &ActRequest,
        origin: &Origin,
    ) -> Result<Advanced, Error> {
        caller.must_send()?;
        let comment = request.comment()?;
        let actor = App::member_actor(caller, origin);
        let workflow = self.decide(&caller.company, id, |snapshot| {
            let transition = snapshot.stored.workflow.clone().cancel(snapshot.at).map_err(refused)?;
            let workflow = transition.workflow.clone();
            Ok((
                self.plan_transition(snapshot, transition, &actor, comment.as_deref())?,
                workflow,
            ))
        })?;
        Ok(self.advanced(&workflow))
    }
}
