//! Hiding a finished workflow. Its proof stays.

use domain::{EventKind, WorkflowId};

use crate::error::{ConflictCode, Error, Subject};
use crate::transition::{Advanced, conflict};
use crate::{App, Caller, Origin};

impl App {
    /// Hides a workflow that has ended; hiding it twice is no fault.
    pub fn discard(&self, caller: &Caller, id: WorkflowId, origin: &Origin) -> Result<Advanced, Error> {
        caller.must_send()?;
        let snapshot = self.timely_snapshot(&caller.company, id)?;
        let workflow = &snapshot.stored.workflow;
        if workflow.turn().is_some() {
            return Err(conflict(ConflictCode::StillPlaying, workflow.state.status()));
        }
        let actor = App::member_actor(caller, origin);
        let (company, at) = (caller.company.clone(), snapshot.at);
        self.note(&caller.company, id, &actor, &[EventKind::Discarded], move |tx| {
            store::workflow::discard(tx, &company, id, at).map_err(Error::from)
        })
        .map_err(|error| match error {
            Error::NotFound(_) => Error::NotFound(Subject::Workflow),
            other => other,
        })?;
        Ok(self.advanced(workflow))
    }
}
