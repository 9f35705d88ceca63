//! Hides a workflow that has ended. Its evidence is kept, and its links stop working.

use domain::{EventKind, WorkflowId};

use crate::App;
use crate::base::actor::Actor;
use crate::base::audit_log::Action;
use crate::base::error::{ConflictCode, Error, Subject};
use crate::base::origin::Origin;
use crate::workflow::transition::{Advanced, conflict};

impl App {
    /// Hides a workflow that has ended, and revokes its links. Repeated calls do nothing.
    pub fn discard(&self, actor: &Actor, id: WorkflowId, origin: &Origin) -> Result<Advanced, Error> {
        let by = actor.must_send()?;
        let caller = by.member()?;
        let logged = by.logs(Action::WorkflowDiscarded, self.now()).about(id);
        let snapshot = self.timely_snapshot(&caller.company, id)?;
        let workflow = &snapshot.stored.workflow;
        if workflow.turn().is_some() {
            return Err(conflict(ConflictCode::StillPlaying, workflow.state.status()));
        }
        let doer = App::member_actor(caller, origin);
        let (company, at) = (caller.company.clone(), snapshot.at);
        self.judge_and_note(&caller.company, id, (&doer, at), move |tx| {
            let mut events = Vec::new();
            if store::workflow::discard(tx, &company, id, at)? {
                events.push(EventKind::Discarded);
            }
            // Links that were renewed after an earlier discard stop working, too.
            if store::workflow_links::revoke(tx, &company, id, at)? {
                events.push(EventKind::LinksRevoked);
            }
            if !events.is_empty() {
                logged.write(tx)?;
            }
            Ok((events, ()))
        })
        .map_err(|error| match error {
            Error::NotFound(_) => Error::NotFound(Subject::Workflow),
            other => other,
        })?;
        Ok(self.advanced(workflow))
    }
}
