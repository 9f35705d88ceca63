//! Changes a workflow: read, decide, and write if nothing has changed in between.
//!
//! A use case reads a [`Snapshot`] and decides with the rules of `domain` outside any transaction. At this stage values
//! are checked, messages and webhooks are created, and at the last approval the PDF is stamped and sealed. Then it
//! passes a [`Plan`] to [`App::commit`]: one transaction writes state, audit trail and outbox, if the revision and the
//! chain's head are still those that were read. If another write came first, nothing is written, and the use case reads
//! and decides again. Of two simultaneous changes one wins, and the other sees the resulting state.
//!
//! A start also writes a [`Plan`], which adds the rows of a new workflow ([`Plan::start`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::{
    Actor, BlobHash, Change, CompanyId, Entry, Event, EventKind, KeyedHead, Outcome, Recipient, RecipientId, Refusal,
    Status, Transition, Workflow, WorkflowId,
};
use jiff::Timestamp;
use serde::Serialize;
use store::HeldWorkflow;
use store::outbox::NewDelivery;
use store::template::StoredVersion;
use store::workflow::{NewWorkflow, Party, SealedDocument, StoredWorkflow};
use store::workflow_value::StoredValue;

use crate::App;
use crate::base::audit_log::Logged;
use crate::base::contact_count::ContactCount;
use crate::base::error::{ConflictCode, Error, Subject};
use crate::base::keyed_chain;
use crate::base::origin::Origin;
use crate::base::uploads::FileClaim;
use crate::base::vault::Vault;
use crate::outbox::outgoing::{Transitioned, codes};
use crate::outbox::webhook::{self, NextWriter};
use crate::values::value::{SignerNow, prove_text};

/// Maximum number of times that a use case reads and decides before it gives up.
pub(crate) const MOST_TRIES: usize = 16;

/// The state on which a decision is based.
pub(crate) struct Snapshot {
    pub(crate) stored: StoredWorkflow,
    pub(crate) values: BTreeMap<String, StoredValue>,
    /// The files of the values as read, before any decision.
    files: BTreeSet<BlobHash>,
    pub(crate) party: Party,
    pub(crate) template: Arc<StoredVersion>,
    pub(crate) at: Timestamp,
    vault: Vault,
}

impl Snapshot {
    /// Returns the snapshot without some values.
    pub(crate) fn without(&self, removed: &[String]) -> Snapshot {
        let mut values = self.values.clone();
        values.retain(|name, _| !removed.contains(name));
        self.with_values(values)
    }

    /// Returns the snapshot with other values.
    pub(crate) fn with_values(&self, values: BTreeMap<String, StoredValue>) -> Snapshot {
        Snapshot {
            stored: self.stored.clone(),
            values,
            files: self.files.clone(),
            party: self.party.clone(),
            template: Arc::clone(&self.template),
            at: self.at,
            vault: self.vault.clone(),
        }
    }

    /// The company for which a recipient signs.
    pub(crate) fn company_of<'s>(&'s self, recipient: &'s Recipient) -> Option<&'s str> {
        recipient.signs_for(&self.party.sender_email, &self.stored.company_name)
    }

    /// The signer, if they sign at the moment of this snapshot.
    pub(crate) fn signer_now<'s>(&'s self, recipient: &'s Recipient) -> SignerNow<'s> {
        SignerNow {
            recipient,
            company: self.company_of(recipient),
            day: self.stored.workflow.zone.to_local(self.at).date(),
        }
    }
}

/// The state on which a plan is based.
enum Over {
    /// The workflow as read.
    Read(Box<StoredWorkflow>),
    /// A new workflow.
    New(NewWorkflow),
}

/// A decision that is ready to be written.
pub(crate) struct Plan {
    at: Timestamp,
    over: Over,
    after: Workflow,
    entries: Vec<Entry>,
    head: KeyedHead,
    vault: Vault,
    values: Vec<(String, StoredValue)>,
    removed: Vec<String>,
    end_comment: Option<String>,
    acting: Option<(RecipientId, Option<String>)>,
    deliveries: Vec<NewDelivery>,
    sealed: Option<SealedDocument>,
    blobs: Vec<BlobHash>,
    /// Claims on the files that this plan needs.
    claims: Vec<FileClaim>,
    /// The files of the values as read.
    files_before: BTreeSet<BlobHash>,
    /// The files of the values after the change, by field.
    files_after: BTreeMap<String, BlobHash>,
    finished_draft: Option<RecipientId>,
    draft_read: Option<(RecipientId, Option<String>)>,
    reset_access: Vec<RecipientId>,
    /// What is counted for the contact of the signer who is asked again.
    counted: Option<ContactCount>,
    /// The entry of the audit log, if a member or the operator acts.
    logged: Option<Logged>,
}

impl Plan {
    /// Creates a plan that changes the workflow and extends its audit trail. If a recipient is replaced by somebody
    /// else, the previous person's values are removed, so that nobody signs below another person's entries, or with
    /// another person's signature. (The store resets everything else of the previous person:
    /// [`store::workflow::update`].)
    pub(crate) fn new(snapshot: &Snapshot, after: Workflow, actor: &Actor, events: Vec<EventKind>) -> Plan {
        let theirs = values_of_replaced(snapshot, &after);
        let events = theirs
            .iter()
            .map(|(recipient, field)| EventKind::ValueRemoved {
                recipient: *recipient,
                field: field.clone(),
            })
            .chain(events)
            .collect();
        let removed: Vec<String> = theirs.into_iter().map(|(_, field)| field).collect();
        let left = snapshot.values.iter().filter(|(field, _)| !removed.contains(field));
        let files_after = left
            .filter_map(|(field, stored)| Some((field.clone(), stored.value.file()?.hash)))
            .collect();
        let over = Over::Read(Box::new(snapshot.stored.clone()));
        let before = &snapshot.stored.head;
        Plan {
            removed,
            files_before: snapshot.files.clone(),
            files_after,
            ..Plan::over(over, before, after, (&snapshot.vault, snapshot.at), actor, events)
        }
    }

    /// Creates a plan that adds a workflow with reserved IDs, and begins its audit trail.
    pub(crate) fn start(
        new: NewWorkflow,
        workflow: Workflow,
        (vault, at): (&Vault, Timestamp),
        actor: &Actor,
        events: Vec<EventKind>,
    ) -> Plan {
        let before = keyed_chain::genesis(&workflow.company, workflow.id);
        Plan {
            blobs: new.fonts.clone(),
            ..Plan::over(Over::New(new), &before, workflow, (vault, at), actor, events)
        }
    }

    fn over(
        over: Over,
        before: &KeyedHead,
        after: Workflow,
        (vault, at): (&Vault, Timestamp),
        actor: &Actor,
        events: Vec<EventKind>,
    ) -> Plan {
        let events = events_at(actor, at, events);
        let (entries, head) = keyed_chain::append(vault, &after.company, after.id, before, events);
        Plan {
            at,
            over,
            after,
            entries,
            head,
            vault: vault.clone(),
            values: Vec::new(),
            removed: Vec::new(),
            end_comment: None,
            acting: None,
            deliveries: Vec::new(),
            sealed: None,
            blobs: Vec::new(),
            claims: Vec::new(),
            files_before: BTreeSet::new(),
            files_after: BTreeMap::new(),
            finished_draft: None,
            draft_read: None,
            reset_access: Vec::new(),
            counted: None,
            logged: None,
        }
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Appends an action of the service after all other events.
    pub(crate) fn then(mut self, event: EventKind) -> Plan {
        let events = events_at(&Actor::SERVICE, self.at, vec![event]);
        let company = &self.after.company;
        let (entries, head) = keyed_chain::append(&self.vault, company, self.after.id, &self.head, events);
        self.entries.extend(entries);
        self.head = head;
        self
    }

    /// Adds the acting signer's comment.
    fn acting(mut self, recipient: RecipientId, comment: Option<&str>) -> Plan {
        self.acting = Some((recipient, comment.map(str::to_owned)));
        self
    }

    fn ended_with(mut self, comment: Option<&str>) -> Plan {
        self.end_comment = comment.map(str::to_owned);
        self
    }

    pub(crate) fn sending(mut self, deliveries: Vec<NewDelivery>) -> Plan {
        self.deliveries = deliveries;
        self
    }

    pub(crate) fn writing(mut self, values: Vec<(String, StoredValue)>, removed: Vec<String>) -> Plan {
        for field in &removed {
            self.files_after.remove(field);
        }
        for (field, stored) in &values {
            match stored.value.file() {
                Some(file) => {
                    self.blobs.push(file.hash);
                    self.files_after.insert(field.clone(), file.hash);
                }
                None => drop(self.files_after.remove(field)),
            }
        }
        self.values = values;
        self.removed.extend(removed);
        self
    }

    /// Adds a claim whose files the plan needs.
    pub(crate) fn needing(mut self, claim: FileClaim) -> Plan {
        self.claims.push(claim);
        self
    }

    pub(crate) fn finishing_draft_of(mut self, recipient: RecipientId) -> Plan {
        self.finished_draft = Some(recipient);
        self
    }

    /// Sets the draft on which the decision was based, or none.
    pub(crate) fn over_draft(mut self, recipient: RecipientId, read: Option<String>) -> Plan {
        self.draft_read = Some((recipient, read));
        self
    }

    pub(crate) fn sealed(mut self, sealed: SealedDocument) -> Plan {
        self.blobs.extend([sealed.document, sealed.certificate]);
        self.sealed = Some(sealed);
        self
    }

    pub(in crate::workflow) fn resetting_access_of(mut self, recipients: &[RecipientId]) -> Plan {
        self.reset_access = recipients.to_vec();
        self
    }

    /// Counts this for a contact. If it is too much, nothing is written.
    pub(crate) fn counting(mut self, counted: Option<ContactCount>) -> Plan {
        self.counted = counted;
        self
    }

    /// Adds an entry of the audit log, with the changes of the plan.
    pub(crate) fn logging(mut self, logged: Option<&Logged>) -> Plan {
        self.logged = logged.cloned().map(|logged| match &self.over {
            Over::Read(before) => logged.changing_workflow(&before.workflow, &self.after),
            Over::New(_) => logged.about(self.after.id),
        });
        self
    }

    /// Writes the plan in this transaction. Returns `false` if another write came first.
    pub(crate) fn write(&self, tx: &mut dyn store::Transaction) -> Result<bool, Error> {
        let (company, id) = (&self.after.company, self.after.id);
        // A draft that is saved from here on changes the signer's row, which the update below also changes. This
        // transaction then runs again.
        if let Some((recipient, read)) = &self.draft_read
            && store::workflow_value::draft(tx, company, *recipient)? != *read
        {
            return Ok(false);
        }
        let Some(mut held) = self.write_workflow(tx)? else {
            return Ok(false);
        };
        let held = &mut held;
        if let Some(logged) = &self.logged {
            logged.write(held)?;
        }
        if let Some(counted) = &self.counted {
            let times = counted.check(held, self.at)?;
            counted.count(held, times, self.at)?;
        }
        for recipient in &self.reset_access {
            store::workflow::reset_access(held, company, id, *recipient)?;
        }
        let write_value = match &self.over {
            Over::Read(_) => store::workflow_value::write,
            Over::New(_) => store::workflow_value::insert,
        };
        for (field, value) in &self.values {
            write_value(held, company, id, field, value)?;
        }
        for field in &self.removed {
            store::workflow_value::delete(held, company, id, field)?;
        }
        if let Some(recipient) = self.finished_draft {
            store::workflow_value::delete_draft(held, company, recipient, self.at)?;
        }
        if self.after.turn().is_none() {
            store::workflow_value::delete_drafts(held, company, id, self.at)?;
        }
        if let Some(sealed) = &self.sealed {
            store::workflow::insert_sealed(held, company, id, sealed)?;
        }
        // Files come after uploads, because the job that removes files locks them in the same order.
        self.write_files(held)?;
        for delivery in &self.deliveries {
            store::outbox::enqueue(held, delivery)?;
        }
        Ok(true)
    }

    /// Writes the workflow with its recipients and the new entries of its chain.
    fn write_workflow<'t>(&self, tx: &'t mut dyn store::Transaction) -> Result<Option<HeldWorkflow<'t>>, Error> {
        let chain = (self.entries.as_slice(), &self.head);
        let acting = self
            .acting
            .as_ref()
            .map(|(recipient, comment)| (*recipient, comment.as_deref()));
        Ok(match &self.over {
            Over::New(new) => Some(store::workflow::insert(tx, &self.after, new, chain)?),
            Over::Read(before) => {
                let end_comment = self.end_comment.as_deref();
                store::workflow::update(tx, before, &self.after, chain, end_comment, acting, self.at)?
            }
        })
    }

    /// Records which files the workflow needs from now on. Files of removed or replaced values are deleted later.
    fn write_files(&self, held: &mut HeldWorkflow<'_>) -> Result<(), Error> {
        let (company, id) = (&self.after.company, self.after.id);
        for hash in &self.blobs {
            store::workflow::refer_to_blob(held, company, id, *hash)?;
        }
        for claim in &self.claims {
            claim.take_over(held)?;
        }
        let still: BTreeSet<&BlobHash> = self.files_after.values().chain(&self.blobs).collect();
        for hash in self.files_before.iter().filter(|hash| !still.contains(hash)) {
            store::workflow::forget_blob(held, company, id, *hash)?;
            store::loose_file::leave(held, company, *hash, self.at)?;
        }
        Ok(())
    }
}

/// Returns the values entered by people who were replaced, each with its field.
fn values_of_replaced(snapshot: &Snapshot, after: &Workflow) -> Vec<(RecipientId, String)> {
    let before = &snapshot.stored.workflow;
    let is_replaced = |id: RecipientId| {
        let now = after.recipient(id);
        before
            .recipient(id)
            .zip(now)
            .is_some_and(|(old, now)| now.replaces(old))
    };
    let written = snapshot
        .values
        .iter()
        .filter_map(|(field, stored)| Some((stored.recipient?, field)));
    written
        .filter(|(writer, _)| is_replaced(*writer))
        .map(|(writer, field)| (writer, field.clone()))
        .collect()
}

/// Creates the events of an actor's action, and of the resulting actions of the service.
pub(crate) fn events_at(actor: &Actor, at: Timestamp, events: Vec<EventKind>) -> impl Iterator<Item = Event> + use<'_> {
    events.into_iter().map(move |event| {
        let by_service = matches!(event, EventKind::RequestSent { .. } | EventKind::Completed { .. });
        let actor = if by_service { Actor::SERVICE } else { actor.clone() };
        Event { at, actor, event }
    })
}

/// The response to a call that changes a workflow.
#[derive(Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Advanced {
    /// The ID of the workflow.
    pub workflow_id: i64,
    /// The name of the workflow.
    pub workflow_name: String,
    /// The current state.
    pub status: &'static str,
    /// The current step. Absent after the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<u32>,
    /// Time when the workflow expires, in its time zone: `YYYY-MM-DD HH:MM:SS (UTC+HH:MM)`.
    pub expiry_date: String,
    /// The name of the signer whose turn it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_name: Option<String>,
    /// The e-mail address or telephone number of this signer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_email: Option<String>,
    /// The signing link of this signer. Only in embedded mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign_url: Option<String>,
    /// All signers whose turn it is, if the step has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_list: Option<Vec<NextWriter>>,
}

impl std::fmt::Debug for Advanced {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Advanced")
            .field("workflow_id", &self.workflow_id)
            .field("status", &self.status)
            .field("order", &self.order)
            .finish_non_exhaustive()
    }
}

impl App {
    /// Reads everything that decisions about a workflow depend on.
    pub(crate) fn snapshot(&self, company: &CompanyId, id: WorkflowId) -> Result<Snapshot, Error> {
        let wanted = company.clone();
        let (stored, values, party) = self.store.read(move |tx| {
            let stored = store::workflow::load(tx, &wanted, id)?.ok_or(Error::NotFound(Subject::Workflow))?;
            let values = store::workflow_value::load(tx, &wanted, id)?;
            let party = store::workflow::party(tx, &wanted, stored.workflow.sender)?;
            Ok::<_, Error>((stored, values, party))
        })?;
        let template = self.kept_template(company, stored.workflow.template, stored.workflow.template_version)?;
        Ok(Snapshot {
            stored,
            files: values
                .values()
                .filter_map(|stored| Some(stored.value.file()?.hash))
                .collect(),
            values,
            party,
            template,
            at: self.now(),
            vault: self.vault.clone(),
        })
    }

    /// Reads a snapshot like [`App::snapshot`], but first expires the workflow if it is overdue.
    pub(crate) fn timely_snapshot(&self, company: &CompanyId, id: WorkflowId) -> Result<Snapshot, Error> {
        let snapshot = self.snapshot(company, id)?;
        if !snapshot.stored.workflow.is_overdue(snapshot.at) {
            return Ok(snapshot);
        }
        self.expire(company, id)?;
        self.snapshot(company, id)
    }

    /// Writes a decision. Returns `false` if another write came first.
    pub(in crate::workflow) fn commit(&self, plan: Plan) -> Result<bool, Error> {
        let tells = !plan.deliveries.is_empty();
        let (company, workflow) = (plan.after.company.clone(), plan.after.id);
        let events = plan.entries.iter().filter_map(Entry::event);
        let codes: Vec<&str> = events.map(|event| event.event.code()).collect();
        let written = self.store.write(move |tx| plan.write(tx))?;
        if written {
            tracing::info!(%company, %workflow, events = codes.join(" "), "a document changed");
        }
        if written && tells {
            self.bell.ring();
        }
        Ok(written)
    }

    /// Reads, decides and writes, and repeats this if another write came first. A decision without a plan writes
    /// nothing.
    pub(crate) fn decide<T, P: Into<Option<Plan>>>(
        &self,
        company: &CompanyId,
        id: WorkflowId,
        mut decide: impl FnMut(&Snapshot) -> Result<(P, T), Error>,
    ) -> Result<T, Error> {
        for _ in 0..MOST_TRIES {
            let snapshot = self.timely_snapshot(company, id)?;
            let (plan, answer) = decide(&snapshot)?;
            let Some(plan) = plan.into() else {
                return Ok(answer);
            };
            if self.commit(plan)? {
                return Ok(answer);
            }
        }
        Err(Error::conflict(ConflictCode::Changed))
    }

    /// Returns a transition as a plan, with everything that it sends.
    pub(crate) fn plan_transition(
        &self,
        snapshot: &Snapshot,
        transition: Transition,
        actor: &Actor,
        comment: Option<&str>,
    ) -> Result<Plan, Error> {
        let Transition {
            workflow,
            outcome,
            mut events,
            asked,
        } = transition;
        let fonts = self.fonts_of(&snapshot.stored)?;
        prove_text(comment.unwrap_or_default(), &fonts, "comment")
            .map_err(|fault| Error::Unprocessable(vec![fault]))?;
        for event in &mut events {
            event.set_comment(comment);
        }
        let deliveries = self.outgoing.of_transition(&Transitioned {
            before: &snapshot.stored,
            workflow: &workflow,
            outcome: &outcome,
            asked: &asked,
            comment: comment.unwrap_or_default(),
            template: &snapshot.template.version,
            values: &snapshot.values,
            party: &snapshot.party,
            at: snapshot.at,
        })?;
        let plan = Plan::new(snapshot, workflow, actor, events).sending(deliveries);
        Ok(match outcome {
            Outcome::Approved { recipient, .. } | Outcome::Returned { recipient, .. } => {
                plan.acting(recipient, comment)
            }
            Outcome::Rejected { recipient, .. } => plan.acting(recipient, comment).ended_with(comment),
            Outcome::Canceled { .. } | Outcome::Expired { .. } => plan.ended_with(comment),
        })
    }

    /// Returns a change as a plan, with the requests to signers who are asked again. `None` if nothing changes. A
    /// signer who was asked again recently is not asked again ([`crate::workflow::remind`]).
    pub(crate) fn plan_change(
        &self,
        snapshot: &Snapshot,
        change: Change,
        actor: &Actor,
    ) -> Result<Option<Plan>, Error> {
        let Change {
            workflow,
            events,
            asked,
        } = change;
        if events.is_empty() {
            return Ok(None);
        }
        let asked_now = workflow
            .recipients
            .iter()
            .filter(|recipient| asked.contains(&recipient.id));
        self.pause_is_over(snapshot, asked_now)?;
        let codes = codes(&snapshot.stored);
        let deliveries = self
            .outgoing
            .requests(&workflow, &asked, &codes, &snapshot.party, snapshot.at)?;
        Ok(Some(Plan::new(snapshot, workflow, actor, events).sending(deliveries)))
    }

    /// Returns the chain up to the head in the snapshot.
    pub(crate) fn entries(&self, snapshot: &Snapshot) -> Result<Vec<Entry>, Error> {
        let (company, id) = (snapshot.stored.workflow.company.clone(), snapshot.stored.workflow.id);
        let head = snapshot.stored.head.head.sequence;
        let mut entries = self
            .store
            .read(move |tx| store::audit::load(tx, &company, id).map_err(Error::from))?;
        entries.retain(|entry| entry.sequence <= head);
        Ok(entries)
    }

    /// Appends events to an audit trail without changing anything else in the workflow. `more` may write other rows
    /// with the same `at`.
    pub(crate) fn note(
        &self,
        company: &CompanyId,
        id: WorkflowId,
        (actor, at): (&Actor, Timestamp),
        events: &[EventKind],
        more: impl Fn(&mut HeldWorkflow<'_>) -> Result<bool, Error> + Send + 'static,
    ) -> Result<(), Error> {
        let events = events.to_vec();
        self.judge_and_note(company, id, (actor, at), move |held| {
            Ok((if more(held)? { events.clone() } else { Vec::new() }, ()))
        })
    }

    /// Appends events that the transaction itself decides. `judge` returns the events, or none if there is nothing to
    /// record, and a result for the caller. The workflow is locked before `judge` reads any of it.
    pub(crate) fn judge_and_note<T: Send + 'static>(
        &self,
        company: &CompanyId,
        id: WorkflowId,
        (actor, at): (&Actor, Timestamp),
        judge: impl Fn(&mut HeldWorkflow<'_>) -> Result<(Vec<EventKind>, T), Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (company, actor, vault) = (company.clone(), actor.clone(), self.vault.clone());
        self.store.write(move |tx| {
            let mut held = store::hold(tx, &company, id)?.ok_or(Error::NotFound(Subject::Workflow))?;
            let (events, answer) = judge(&mut held)?;
            if !events.is_empty() {
                let events = events_at(&actor, at, events);
                let (entries, after) = keyed_chain::append(&vault, &company, id, held.head(), events);
                store::audit::append(&mut held, &company, id, &entries, &after)?;
            }
            Ok(answer)
        })
    }

    pub(crate) fn advanced(&self, workflow: &Workflow) -> Advanced {
        let next = workflow.writers_at_turn().next();
        let addresses = &self.outgoing.addresses;
        Advanced {
            workflow_id: workflow.id.get(),
            workflow_name: workflow.name.clone(),
            status: workflow.state.status().code(),
            order: workflow.turn(),
            expiry_date: domain::time::format_with_zone(workflow.expires_at, workflow.zone),
            next_name: next.map(|next| next.name.clone()),
            next_email: next.map(|next| next.contact.as_given().to_owned()),
            sign_url: next
                .filter(|_| workflow.is_embedded())
                .map(|next| addresses.sign_url(workflow, next)),
            next_list: webhook::next_list(workflow, addresses),
        }
    }

    /// Returns the member as an actor with this origin.
    pub(crate) fn member_actor(caller: &crate::base::caller::Caller, origin: &Origin) -> Actor {
        origin.actor(domain::Who::Member(caller.member))
    }
}

/// Converts a refusal of the state machine into an error for the caller.
pub(crate) fn refused(refusal: Refusal) -> Error {
    let code = match refusal {
        Refusal::Ended(_) | Refusal::Overdue => ConflictCode::Finished,
        Refusal::NotTheirTurn { .. } => ConflictCode::NotYourTurn,
        Refusal::AlreadyApproved { .. } => ConflictCode::AlreadyApproved,
        Refusal::UnknownRecipient => return Error::NotFound(Subject::Recipient),
        Refusal::SeveralWriters { .. } => {
            return Error::fault("email", crate::base::error::FaultCode::Required);
        }
        Refusal::NotOverdue => ConflictCode::StillPlaying,
        Refusal::ExpiryInPast => return Error::fault("expiry_date", crate::base::error::FaultCode::PastDateTime),
    };
    Error::Conflict {
        code,
        state: Some(refusal.status().code().to_owned()),
    }
}

/// Returns 409 with the current state.
pub(crate) fn conflict(code: ConflictCode, status: Status) -> Error {
    Error::Conflict {
        code,
        state: Some(status.code().to_owned()),
    }
}
