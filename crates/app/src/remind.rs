//! Asking once more. It opens an access code that was tried too often: the sender has sent anew.

use domain::{EventKind, WorkflowId};

use crate::error::{ConflictCode, Error};
use crate::outgoing::{Asking, codes};
use crate::transition::{Advanced, Plan, conflict};
use crate::{App, Caller, Origin};

impl App {
    /// Reminds the writers whose turn it is. The writers of an embedded workflow get no messages: that is 409.
    pub fn remind(&self, caller: &Caller, id: WorkflowId, origin: &Origin) -> Result<Advanced, Error> {
        caller.must_send()?;
        let actor = App::member_actor(caller, origin);
        let workflow = self.decide(&caller.company, id, |snapshot| {
            let before = &snapshot.stored.workflow;
            let asked: Vec<_> = before.writers_at_turn().map(|writer| writer.id).collect();
            if asked.is_empty() {
                return Err(conflict(ConflictCode::Finished, before.state.status()));
            }
            if before.is_embedded() {
                return Err(conflict(ConflictCode::Embedded, before.state.status()));
            }
            let mut after = before.clone();
            after.revision = after.revision.saturating_add(1);
            let letters = self.outgoing.asked(
                &after,
                &asked,
                &codes(&snapshot.stored),
                Asking::Reminder,
                &snapshot.party,
                snapshot.at,
            )?;
            let events = asked
                .iter()
                .map(|recipient| EventKind::Reminded { recipient: *recipient })
                .collect();
            let locked: Vec<_> = snapshot
                .stored
                .writers
                .iter()
                .filter(|writer| asked.contains(&writer.id) && writer.access_failures > 0)
                .map(|writer| writer.id)
                .collect();
            let plan = Plan::new(snapshot, after.clone(), &actor, events)
                .sending(letters)
                .resetting_access_of(&locked);
            Ok((plan, after))
        })?;
        Ok(self.advanced(&workflow))
    }
}
