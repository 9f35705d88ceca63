//! Reminders. A reminder that somebody sends also unlocks an access code that was tried too often.
//!
//! An addressee is asked again at most once in ten minutes, no matter who wants it, so a program that runs wild
//! fills nobody's mailbox. This counts reminders, new links, and requests to people who replace a signer by correction or
//! reassignment, but not the first request of each step. The audit trail remembers when it was, and to which address.
//!
//! A company may also have its signers reminded automatically: some days after they were asked or reminded, repeatedly, and
//! some days before the deadline ([`domain::Reminders`]). A job finds those who are due, in the audit trail as well. When to
//! look again is stored with the workflow, never later than the next reminder, so a change meanwhile makes the job look at
//! most once more than needed.

use std::collections::BTreeMap;

use domain::{
    CompanyId, Contact, EventKind, NamedEvent, Recipient, RecipientId, Region, Status, Workflow, WorkflowId,
    named_events,
};
use jiff::{SignedDuration, Timestamp};

use crate::App;
use crate::base::actor::Actor;
use crate::base::audit_log::Action;
use crate::base::error::{ConflictCode, Error};
use crate::base::origin::Origin;
use crate::outbox::outgoing::{Asking, codes};
use crate::workflow::transition::{Advanced, MOST_TRIES, Plan, Snapshot, conflict};

/// Minimum time between two requests to one recipient.
const PAUSE: SignedDuration = SignedDuration::from_mins(10);
/// Maximum time between two checks of a workflow.
const LOOK_AT_LEAST: SignedDuration = SignedDuration::from_hours(24);
/// Time before a check that failed is repeated.
const LOOK_AFTER_FAILURE: SignedDuration = SignedDuration::from_hours(1);

impl App {
    /// Reminds the signers whose turn it is, except those who were reminded within the last ten minutes. Fails with 429
    /// if that is all of them, and with 409 for an embedded workflow, whose signers get no messages.
    pub fn remind(&self, actor: &Actor, id: WorkflowId, origin: &Origin) -> Result<Advanced, Error> {
        let by = actor.must_send()?;
        let caller = by.member()?;
        let logged = by.logs(Action::WorkflowReminded, self.now());
        let doer = App::member_actor(caller, origin);
        let workflow = self.decide(&caller.company, id, |snapshot| {
            let before = &snapshot.stored.workflow;
            let mut asked: Vec<_> = before.writers_at_turn().map(|writer| writer.id).collect();
            if asked.is_empty() {
                return Err(conflict(ConflictCode::Finished, before.state.status()));
            }
            if before.is_embedded() {
                return Err(conflict(ConflictCode::Embedded, before.state.status()));
            }
            let asked_again = self.asked_again(snapshot)?;
            let wait = |recipient: &RecipientId| asked_again.wait(before.recipient(*recipient)?, snapshot.at);
            if let Some(waits) = asked.iter().map(wait).collect::<Option<Vec<_>>>()
                && let Some(shortest) = waits.into_iter().min()
            {
                return Err(throttled(snapshot, shortest));
            }
            asked.retain(|recipient| wait(recipient).is_none());
            let (plan, after) = self.reminder(snapshot, &asked, &doer)?;
            let locked: Vec<_> = snapshot
                .stored
                .writers
                .iter()
                .filter(|writer| asked.contains(&writer.id) && writer.access_failures > 0)
                .map(|writer| writer.id)
                .collect();
            Ok((plan.resetting_access_of(&locked).logging(Some(&logged)), after))
        })?;
        Ok(self.advanced(&workflow))
    }

    fn reminder(
        &self,
        snapshot: &Snapshot,
        asked: &[RecipientId],
        doer: &domain::Actor,
    ) -> Result<(Plan, Workflow), Error> {
        let mut after = snapshot.stored.workflow.clone();
        after.revision = after.revision.saturating_add(1);
        let messages = self.outgoing.asked(
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
        let plan = Plan::new(snapshot, after.clone(), doer, events).sending(messages);
        Ok((plan, after))
    }

    /// Reminds the signers who are due according to their company's settings. Returns the number of workflows checked.
    /// If it equals the limit, the job calls this again at once.
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
                // A failure must not prevent reminders for the others.
                Err(error) => {
                    tracing::error!(%error, workflow = %id, "signers could not be reminded; we will try again");
                    now.checked_add(LOOK_AFTER_FAILURE).unwrap_or(now)
                }
            };
            looked += 1;
            self.store
                .write(move |tx| store::workflow::set_reminder_look(tx, &company, id, again).map_err(Error::from))?;
        }
        Ok(looked)
    }

    /// Reminds the signers of one workflow who are due. Returns the time of the next check.
    fn remind_by_itself(&self, company: &CompanyId, id: WorkflowId) -> Result<Timestamp, Error> {
        for _ in 0..MOST_TRIES {
            let snapshot = self.snapshot(company, id)?;
            let (workflow, now) = (&snapshot.stored.workflow, snapshot.at);
            let latest = now.checked_add(LOOK_AT_LEAST).unwrap_or(now);
            // Another job ends workflows that have expired.
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
            let (plan, _) = self.reminder(&snapshot, &due, &domain::Actor::SERVICE)?;
            // If another change came first, everything is decided again, including the time of the next reminder.
            self.commit(plan)?;
        }
        Err(Error::conflict(ConflictCode::Changed))
    }

    /// Returns the time when each signer was last asked or reminded, according to the audit trail.
    fn last_asked(&self, company: &CompanyId, id: WorkflowId) -> Result<BTreeMap<RecipientId, Timestamp>, Error> {
        let company = company.clone();
        let entries = self
            .store
            .read(move |tx| store::audit::load(tx, &company, id).map_err(Error::from))?;
        let mut latest = BTreeMap::new();
        for event in entries.iter().filter_map(domain::Entry::event) {
            if let EventKind::RequestSent { recipient } | EventKind::Reminded { recipient } = event.event {
                latest.insert(recipient, event.at);
            }
        }
        Ok(latest)
    }

    /// Refuses if any of these recipients was asked again within the pause. Signers of an embedded workflow are never
    /// asked.
    pub(in crate::workflow) fn pause_is_over<'r>(
        &self,
        snapshot: &Snapshot,
        asked: impl Iterator<Item = &'r Recipient>,
    ) -> Result<(), Error> {
        let mut asked = asked.peekable();
        if snapshot.stored.workflow.is_embedded() || asked.peek().is_none() {
            return Ok(());
        }
        let asked_again = self.asked_again(snapshot)?;
        let longest = asked
            .filter_map(|recipient| asked_again.wait(recipient, snapshot.at))
            .max();
        longest.map_or(Ok(()), |wait| Err(throttled(snapshot, wait)))
    }

    fn asked_again(&self, snapshot: &Snapshot) -> Result<AskedAgain, Error> {
        Ok(AskedAgain::of(
            named_events(&self.entries(snapshot)?),
            snapshot.party.region,
        ))
    }
}

/// The time when each recipient was last asked again, according to the audit trail.
struct AskedAgain {
    by_address: BTreeMap<String, Timestamp>,
}

impl AskedAgain {
    fn of(events: Vec<NamedEvent>, region: Region) -> AskedAgain {
        let mut by_address = BTreeMap::new();
        // The person whom the previous event put in a signer's place, or who asked for a new link; the next request asks them.
        let mut put_in = None;
        for event in events {
            let before = put_in.take();
            let is_asked_again = match event.event.event {
                EventKind::RequestSent { recipient } => before == Some(recipient),
                EventKind::Reminded { .. } => true,
                _ => false,
            };
            // People whose contact was erased are not asked again.
            let asked = event.recipient.as_ref().filter(|_| is_asked_again);
            if let Some(contact) = asked.and_then(|asked| asked.contact.clear()) {
                let key = Contact::parse(contact, region).map_or_else(|_| contact.to_owned(), |contact| contact.key());
                by_address.insert(key, event.event.at);
            }
            put_in = match event.event.event {
                EventKind::NewLinkRequested { recipient, .. } => Some(recipient),
                _ => event.successor.map(|person| person.id),
            };
        }
        AskedAgain { by_address }
    }

    /// Returns the time until this recipient can be asked again.
    fn wait(&self, recipient: &Recipient, at: Timestamp) -> Option<SignedDuration> {
        let last = self.by_address.get(&recipient.contact.key())?;
        // Setting the clock back must not make anyone wait longer.
        let pause = PAUSE.checked_sub(at.duration_since(*last)).unwrap_or(PAUSE);
        Some(pause.min(PAUSE)).filter(SignedDuration::is_positive)
    }
}

fn throttled(snapshot: &Snapshot, wait: SignedDuration) -> Error {
    Error::asked_lately(snapshot.at, wait, snapshot.stored.workflow.zone)
}
