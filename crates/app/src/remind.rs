//! Asking once more. Where somebody asks for it, it opens an access code that was tried too often: the sender has sent anew.
//!
//! A writer is reminded once in ten minutes at most, whoever asks and however often: a program that runs wild fills nobody's
//! mailbox. The chain remembers when it was.
//!
//! A company may also have its writers reminded by themselves: so many days after they were asked or reminded, again and
//! again, and so many days before the time runs out ([`domain::Reminders`]). A job looks for whom it is time, in the chain
//! as well; when to look again stands beside the workflow, never later than the next reminder, so what changes meanwhile
//! makes the job look once more than needed at most.

use std::collections::BTreeMap;

use domain::{Actor, CompanyId, Event, EventKind, RecipientId, Status, Workflow, WorkflowId};
use jiff::{SignedDuration, Timestamp};

use crate::error::{ConflictCode, Error};
use crate::outgoing::{Asking, codes};
use crate::transition::{Advanced, MOST_TRIES, Plan, Snapshot, conflict};
use crate::{App, Caller, Origin};

/// Time between two reminders of one writer.
const PAUSE: SignedDuration = SignedDuration::from_mins(10);
/// A workflow is looked at this often at least.
const LOOK_AT_LEAST: SignedDuration = SignedDuration::from_hours(24);
/// And this long after it could not be.
const LOOK_AFTER_FAILURE: SignedDuration = SignedDuration::from_hours(1);

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
            let (plan, after) = self.reminder(snapshot, &asked, &actor)?;
            let locked: Vec<_> = snapshot
                .stored
                .writers
                .iter()
                .filter(|writer| asked.contains(&writer.id) && writer.access_failures > 0)
                .map(|writer| writer.id)
                .collect();
            Ok((plan.resetting_access_of(&locked), after))
        })?;
        Ok(self.advanced(&workflow))
    }

    fn reminder(&self, snapshot: &Snapshot, asked: &[RecipientId], actor: &Actor) -> Result<(Plan, Workflow), Error> {
        let mut after = snapshot.stored.workflow.clone();
        after.revision = after.revision.saturating_add(1);
        let letters = self.outgoing.asked(
            &after,
            asked,
            &codes(&snapshot.stored),
            Asking::Reminder,
            &snapshot.party,
            snapshot.at,
        )?;
        let events = asked
            .iter()
            .map(|recipient| EventKind::Reminded { recipient: *recipient })
            .collect();
        let plan = Plan::new(snapshot, after.clone(), actor, events).sending(letters);
        Ok((plan, after))
    }

    /// Reminds the writers for whom it is time by their company's choice; at how many workflows it looked. The job calls it
    /// again at once where the answer is the limit.
    pub fn remind_due(&self, limit: u32) -> Result<u32, Error> {
        let now = self.now();
        let due = self
            .store
            .read(move |tx| store::workflow::reminder_looks(tx, now, limit).map_err(Error::from))?;
        let mut looked = 0;
        for (company, id) in due {
            let again = match self.remind_by_itself(&company, id) {
                Ok(again) => again,
                Err(Error::Conflict { .. }) => continue,
                // One that cannot be reminded must not keep the others from it.
                Err(error) => {
                    tracing::error!(%error, workflow = %id, "writers could not be reminded; it is tried again later");
                    now.checked_add(LOOK_AFTER_FAILURE).unwrap_or(now)
                }
            };
            looked += 1;
            self.store
                .write(move |tx| store::workflow::set_reminder_look(tx, &company, id, again).map_err(Error::from))?;
        }
        Ok(looked)
    }

    /// Reminds the writers of one workflow for whom it is time, and says when to look again.
    fn remind_by_itself(&self, company: &CompanyId, id: WorkflowId) -> Result<Timestamp, Error> {
        for _ in 0..MOST_TRIES {
            let snapshot = self.snapshot(company, id)?;
            let (workflow, now) = (&snapshot.stored.workflow, snapshot.at);
            let latest = now.checked_add(LOOK_AT_LEAST).unwrap_or(now);
            // What is over by its time is for the job that ends it.
            if workflow.status_at(now) != Status::Playing || workflow.is_embedded() {
                return Ok(latest);
            }
            let last = self.last_asked(company, id)?;
            let reminders = snapshot.party.style.reminders;
            let next = |recipient: RecipientId| {
                let last = last.get(&recipient).copied().unwrap_or(workflow.started_at);
                reminders.next(last, workflow.expires_at)
            };
            let writers: Vec<_> = workflow
                .writers_at_turn()
                .map(|writer| (writer.id, next(writer.id)))
                .collect();
            let due: Vec<RecipientId> = writers
                .iter()
                .filter(|(_, next)| next.is_some_and(|next| next <= now))
                .map(|(id, _)| *id)
                .collect();
            if due.is_empty() {
                let next = writers.iter().filter_map(|(_, next)| *next).min();
                return Ok(next.map_or(latest, |next| next.min(latest)));
            }
            let (plan, _) = self.reminder(&snapshot, &due, &Actor::SERVICE)?;
            // Where something else came first, all is decided anew; and after it, when the next one is.
            self.commit(plan)?;
        }
        Err(Error::conflict(ConflictCode::Changed))
    }

    /// When each writer was asked or reminded last, as the chain tells.
    fn last_asked(&self, company: &CompanyId, id: WorkflowId) -> Result<BTreeMap<RecipientId, Timestamp>, Error> {
        self.latest(company, id, |event| match event {
            EventKind::RequestSent { recipient } | EventKind::Reminded { recipient } => Some(*recipient),
            _ => None,
        })
    }

    /// When each writer was reminded last, as the chain tells.
    fn reminded(&self, caller: &Caller, id: WorkflowId) -> Result<BTreeMap<RecipientId, Timestamp>, Error> {
        self.latest(&caller.company, id, |event| match event {
            EventKind::Reminded { recipient } => Some(*recipient),
            _ => None,
        })
    }

    /// When the last of such events was, by writer.
    fn latest(
        &self,
        company: &CompanyId,
        id: WorkflowId,
        of: impl Fn(&EventKind) -> Option<RecipientId>,
    ) -> Result<BTreeMap<RecipientId, Timestamp>, Error> {
        let company = company.clone();
        let entries = self
            .store
            .read(move |tx| store::audit::load(tx, &company, id).map_err(Error::from))?;
        let mut latest = BTreeMap::new();
        for event in entries.iter().filter_map(|entry| Event::from_payload(&entry.payload)) {
            if let Some(recipient) = of(&event.event) {
                latest.insert(recipient, event.at);
            }
        }
        Ok(latest)
    }
}
