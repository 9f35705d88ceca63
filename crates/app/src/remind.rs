//! Asking once more. It opens an access code that was tried too often: the sender has sent anew.
//!
//! A writer is reminded once in ten minutes at most, whoever asks and however often: a program that runs wild fills nobody's
//! mailbox. The chain remembers when it was.

use std::collections::BTreeMap;

use domain::{Event, EventKind, RecipientId, WorkflowId};
use jiff::{SignedDuration, Timestamp};

use crate::error::{ConflictCode, Error};
use crate::outgoing::{Asking, codes};
use crate::transition::{Advanced, Plan, conflict};
use crate::{App, Caller, Origin};

/// Time between two reminders of one writer.
const PAUSE: SignedDuration = SignedDuration::from_mins(10);

impl App {
    /// Reminds the writers whose turn it is, but those who were reminded within the last ten minutes; where that is all of
    /// them, it is 429. The writers of an embedded workflow get no messages: that is 409.
    pub fn remind(&self, caller: &Caller, id: WorkflowId, origin: &Origin) -> Result<Advanced, Error> {
        caller.must_send()?;
        let actor = App::member_actor(caller, origin);
        let workflow = self.decide(&caller.company, id, |snapshot| {
            let before = &snapshot.stored.workflow;
            let mut asked: Vec<_> = before.writers_at_turn().map(|writer| writer.id).collect();
            if asked.is_empty() {
                return Err(conflict(ConflictCode::Finished, before.state.status()));
            }
            if before.is_embedded() {
                return Err(conflict(ConflictCode::Embedded, before.state.status()));
            }
            let reminded = self.reminded(caller, id)?;
            let due = |recipient: &RecipientId| {
                let last = reminded.get(recipient)?;
                // A clock that was set back makes nobody wait for longer.
                let pause = PAUSE.checked_sub(snapshot.at.duration_since(*last)).unwrap_or(PAUSE);
                Some(pause.min(PAUSE)).filter(SignedDuration::is_positive)
            };
            if let Some(wait) = asked.iter().map(due).collect::<Option<Vec<_>>>()
                && let Some(shortest) = wait.into_iter().min()
            {
                return Err(Error::Throttled {
                    retry_after: u64::try_from(shortest.as_secs()).unwrap_or_default() + 1,
                });
            }
            asked.retain(|recipient| due(recipient).is_none());
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

    /// When each writer was reminded last, as the chain tells.
    fn reminded(&self, caller: &Caller, id: WorkflowId) -> Result<BTreeMap<RecipientId, Timestamp>, Error> {
        let company = caller.company.clone();
        let entries = self
            .store
            .read(move |tx| store::audit::load(tx, &company, id).map_err(Error::from))?;
        let mut reminded = BTreeMap::new();
        for event in entries.iter().filter_map(|entry| Event::from_payload(&entry.payload)) {
            if let EventKind::Reminded { recipient } = event.event {
                reminded.insert(recipient, event.at);
            }
        }
        Ok(reminded)
    }
}
