//! Erases a person from the completed workflows of a company.
//!
//! This removes the texts about the person: those stored beside the chain (the chain itself contains only their salted
//! hashes and stays valid), the rows that repeat them, the values that the person entered, and the messages about the
//! workflow. The history certificate, which names the person, is created again without them. The sealed document stays
//! unchanged because it records the agreement, and a signature covers every byte of it.
//!
//! Each workflow is changed in one transaction, with an entry `person_erased` that lists the hashes of the texts, so
//! that `audit verify` can distinguish an erased text from one that somebody removed.

use std::collections::{BTreeMap, BTreeSet};

use domain::folding::folded;
use domain::replay::Replay;
use domain::{
    BlobHash, ChainFormat, CompanyId, Contact, Entry, EventKind, KeyedHead, NamedEvent, NamedRecipient, PersonalText,
    RecipientId, Region, Status, Who, WorkflowId, named_events,
};
use store::Transaction;
use store::workflow::SealedDocument;

use crate::App;
use crate::base::actor::Actor;
use crate::base::audit_log::Action;
use crate::base::error::{ConflictCode, Error, FaultCode, Subject};
use crate::base::keyed_chain;
use crate::base::text::erased;
use crate::base::uploads::FileClaim;
use crate::sealing::seal::level_of;
use crate::workflow::transition::{MOST_TRIES, Snapshot, events_at};

const AT_ONCE: u32 = 200;
/// Shorter texts occur too often to be erased.
const SHORTEST: usize = 2;

/// The result of a request to erase a person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErasedPerson {
    /// Workflows from which the person was erased.
    pub workflows: u64,
    /// Texts and values that were erased.
    pub texts: u64,
    /// Open workflows that mention the person.
    pub under_way: Vec<WorkflowId>,
    /// Workflows from earlier versions that mention the person. Nothing can be erased from their chains.
    pub of_format_one: Vec<WorkflowId>,
    /// Messages about these workflows that are still to be sent.
    pub messages_left: u64,
}

/// The person to erase, and the words that identify them in a workflow.
struct Person<'p> {
    key: &'p str,
    region: Region,
}

/// Everything to erase from a workflow.
#[derive(Default)]
struct Erasure {
    /// The entries without the erased texts.
    entries: Vec<Entry>,
    texts: BTreeSet<BlobHash>,
    fields: BTreeSet<String>,
}

impl App {
    /// Erases the person with this contact from all completed workflows of a company.
    pub fn erase_person(&self, actor: &Actor, contact: &str) -> Result<ErasedPerson, Error> {
        let by = actor.must_own()?;
        let company = by.company();
        let region = self.company(company)?.region;
        let parsed = Contact::parse(contact, region).map_err(|_| Error::fault("email", FaultCode::InvalidContact))?;
        let (key, given) = (parsed.key(), parsed.as_given().to_owned());
        let person = Person { key: &key, region };
        let mut report = ErasedPerson::default();
        let mut after = WorkflowId(0);
        // Logged before the first of many transactions, so that the log also records an interrupted erasure.
        let logged = by.logs(Action::PersonErased, self.now());
        self.store.write(move |tx| logged.write(tx))?;
        loop {
            let (whose, texts) = (company.clone(), (key.clone(), given.clone()));
            let found = self.store.read(move |tx| {
                let texts = [texts.0.as_str(), texts.1.as_str()];
                store::erasure::mentioning(tx, &whose, after, texts, AT_ONCE).map_err(Error::from)
            })?;
            let Some(last) = found.last() else {
                break;
            };
            after = last.id;
            for workflow in found {
                match (workflow.status, workflow.format) {
                    (Status::Playing, _) => report.under_way.push(workflow.id),
                    (_, ChainFormat::One) => report.of_format_one.push(workflow.id),
                    (_, ChainFormat::Two) => self.erase_from(company, workflow.id, &person, &mut report)?,
                }
            }
        }
        self.store.leave_no_traces()?;
        Ok(report)
    }

    fn erase_from(
        &self,
        company: &CompanyId,
        id: WorkflowId,
        person: &Person<'_>,
        report: &mut ErasedPerson,
    ) -> Result<(), Error> {
        for _ in 0..MOST_TRIES {
            let snapshot = self.snapshot(company, id)?;
            let entries = self.entries(&snapshot)?;
            let erasure = person.erasure(&snapshot, entries);
            let count = (erasure.texts.len() + erasure.fields.len()) as u64;
            let left = if count == 0 {
                self.delete_messages(company, id).map(Some)?
            } else {
                self.write_erasure(snapshot, erasure)?
            };
            if let Some(left) = left {
                report.workflows += u64::from(count > 0);
                report.texts += count;
                report.messages_left += left;
                return Ok(());
            }
        }
        Err(Error::conflict(ConflictCode::Changed))
    }

    fn delete_messages(&self, company: &CompanyId, id: WorkflowId) -> Result<u64, Error> {
        let company = company.clone();
        self.store.write(move |tx| {
            let mut held = store::hold(tx, &company, id)?.ok_or(Error::NotFound(Subject::Workflow))?;
            Ok(store::erasure::delete_messages(&mut held, &company, id)?)
        })
    }

    /// Writes an erasure. Returns `None` if another write came first.
    fn write_erasure(&self, before: Snapshot, erasure: Erasure) -> Result<Option<u64>, Error> {
        let (company, id, at) = (
            before.stored.workflow.company.clone(),
            before.stored.workflow.id,
            before.at,
        );
        let event = EventKind::PersonErased {
            texts: erasure.texts.iter().copied().collect(),
            fields: erasure.fields.iter().cloned().collect(),
        };
        let events = events_at(&domain::Actor::SERVICE, at, vec![event]);
        let (mut added, mut head) = keyed_chain::append(&self.vault, &company, id, &before.stored.head, events);
        let mut entries = erasure.entries.clone();
        entries.extend_from_slice(&added);
        let replay = Replay::of(&entries).ok_or_else(|| Error::internal("erasing a person", "the chain is broken"))?;
        let after = without(&before, &replay, &erasure.fields);
        let mut claim = FileClaim::of(&company);
        let sealed = self.new_certificate(&after, &entries, &mut claim)?;
        if let Some((_, sealed)) = &sealed {
            let certified = EventKind::Certified {
                certificate: sealed.certificate,
                length: sealed.certificate_length,
            };
            let events = events_at(&domain::Actor::SERVICE, at, vec![certified]);
            let (more, next) = keyed_chain::append(&self.vault, &company, id, &head, events);
            added.extend(more);
            head = next;
        }
        let is_kept = |hash: &BlobHash| {
            after
                .values
                .values()
                .filter_map(|kept| kept.value.file())
                .any(|file| file.hash == *hash)
        };
        let files = erasure
            .fields
            .iter()
            .filter_map(|field| Some(before.values.get(field)?.value.file()?.hash));
        let plan = Plan {
            files: files.filter(|hash| !is_kept(hash)).collect(),
            findable: findable(&replay),
            head_before: before.stored.head,
            after,
            erasure,
            added,
            head,
            sealed,
            claim,
        };
        self.store.write(move |tx| plan.write(tx))
    }

    /// Creates a new certificate for a completed workflow. Returns it with the old one that it replaces.
    fn new_certificate(
        &self,
        after: &Snapshot,
        entries: &[Entry],
        claim: &mut FileClaim,
    ) -> Result<Option<(SealedDocument, SealedDocument)>, Error> {
        let (company, id) = (after.stored.workflow.company.clone(), after.stored.workflow.id);
        let found = self
            .store
            .read(move |tx| store::workflow::sealed(tx, &company, id).map_err(Error::from))?;
        let Some(old) = found else {
            return Ok(None);
        };
        let level = level_of(self.blobs.get(&old.document)?)?;
        let document = completed(entries).map(|(document, length)| (document, length, level));
        let workflow = &after.stored.workflow;
        let patience = self.proof_patience();
        let certificate = self.sealed_certificate(after, workflow, entries, document, None, &patience)?;
        let new = SealedDocument {
            certificate: self.keep_file(claim, &certificate.bytes)?,
            certificate_length: certificate.bytes.len() as u64,
            timestamp_due: old.timestamp_due.into_iter().chain(certificate.timestamp_due).min(),
            ..old
        };
        Ok(Some((old, new)))
    }
}

/// An erasure that is ready to be written.
struct Plan {
    head_before: KeyedHead,
    after: Snapshot,
    erasure: Erasure,
    added: Vec<Entry>,
    head: KeyedHead,
    /// The recipients whose contacts are kept.
    findable: Vec<RecipientId>,
    /// The files of erased values.
    files: BTreeSet<BlobHash>,
    /// The completed files before and after the erasure.
    sealed: Option<(SealedDocument, SealedDocument)>,
    claim: FileClaim,
}

impl Plan {
    fn write(&self, tx: &mut dyn Transaction) -> Result<Option<u64>, Error> {
        let stored = &self.after.stored;
        let (company, id, at) = (&stored.workflow.company, stored.workflow.id, self.after.at);
        let Some(mut held) = store::hold(tx, company, id)? else {
            return Ok(None);
        };
        let held = &mut held;
        if *held.head() != self.head_before {
            return Ok(None);
        }
        for entry in &self.erasure.entries {
            store::erasure::set_texts(held, company, id, entry)?;
        }
        let end_comment = stored.end_comment.as_deref();
        store::erasure::set_rows(held, &stored.workflow, end_comment, &self.findable, |recipient| {
            let writer = stored.writer(recipient);
            let hint = writer.and_then(|writer| writer.access.as_ref()?.hint.clone());
            (writer.and_then(|writer| writer.comment.clone()), hint)
        })?;
        for field in &self.erasure.fields {
            store::workflow_value::delete(held, company, id, field)?;
        }
        let mut gone = self.files.clone();
        if let Some((old, new)) = &self.sealed {
            if !store::workflow::replace_sealed(held, company, id, old, new)? {
                return Ok(None);
            }
            self.claim.take_over(held)?;
            store::workflow::refer_to_blob(held, company, id, new.certificate)?;
            gone.insert(old.certificate);
        }
        for hash in gone {
            store::workflow::forget_blob(held, company, id, hash)?;
            store::loose_file::leave(held, company, hash, at)?;
        }
        store::audit::append(held, company, id, &self.added, &self.head)?;
        Ok(Some(store::erasure::delete_messages(held, company, id)?))
    }
}

fn findable(replay: &Replay) -> Vec<RecipientId> {
    let recipients = replay.recipients.iter().map(|recipient| &recipient.person.is);
    let findable = recipients.filter(|person| person.contact.clear().is_some());
    findable.map(|person| person.id).collect()
}

fn completed(entries: &[Entry]) -> Option<(BlobHash, u64)> {
    let mut events = entries.iter().rev().filter_map(Entry::event);
    events.find_map(|event| match event.event {
        EventKind::Completed { document, length } => Some((document, length)),
        _ => None,
    })
}

impl Person<'_> {
    fn is_contact(&self, contact: &str) -> bool {
        Contact::parse(contact, self.region).is_ok_and(|contact| contact.key() == self.key) || contact == self.key
    }

    fn is(&self, named: &NamedRecipient) -> bool {
        let contacts = [Some(&named.contact), named.phone.as_ref()];
        let mut contacts = contacts.into_iter().flatten().filter_map(PersonalText::clear);
        contacts.any(|contact| self.is_contact(contact))
    }

    fn is_in(&self, event: &EventKind) -> bool {
        event.first_people().iter().any(|person| self.is(person))
    }

    /// Finds everything in the workflow about the person.
    fn erasure(&self, snapshot: &Snapshot, mut entries: Vec<Entry>) -> Erasure {
        let events = named_events(&entries);
        let words = self.words(&events);
        let mentions = |text: &str| {
            let text = folded(text);
            words.iter().any(|word| text.contains(word))
        };
        let mut texts = BTreeSet::new();
        for (entry, named) in entries.iter_mut().zip(&events) {
            // Everything that a person submits with an action is about them, whatever it contains.
            let own = match &named.actor {
                Some(actor) if self.is(actor) => own_texts(named),
                // The visitor of a public link may be any of the recipients.
                None if named.event.actor.who == Who::LinkHolder && self.is_in(&named.event.event) => own_texts(named),
                _ => Vec::new(),
            };
            let kept = kept_texts(named);
            entry.texts.retain(|clear| {
                let goes = own.contains(&clear.text.as_str())
                    || (mentions(&clear.text) && !kept.contains(&clear.text.as_str()));
                if goes {
                    texts.insert(clear.commitment().hash);
                }
                !goes
            });
        }
        let workflow = &snapshot.stored.workflow;
        let theirs: Vec<RecipientId> = workflow
            .recipients
            .iter()
            .filter(|recipient| self.is(&recipient.named()))
            .map(|recipient| recipient.id)
            .collect();
        let fields = snapshot.values.iter().filter(|(_, stored)| {
            let value = serde_json::to_string(&stored.value).unwrap_or_default();
            stored.recipient.is_some_and(|writer| theirs.contains(&writer)) || mentions(&value)
        });
        Erasure {
            fields: fields.map(|(field, _)| field.clone()).collect(),
            entries,
            texts,
        }
    }

    /// Returns the person's names and contacts in this workflow, [folded], because a title may spell a name
    /// differently.
    fn words(&self, events: &[NamedEvent]) -> BTreeSet<String> {
        let mut words: BTreeSet<&str> = BTreeSet::new();
        for named in events {
            if let EventKind::Started { recipients, terms, .. } = &named.event.event {
                let places = terms
                    .iter()
                    .flat_map(|terms| &terms.places)
                    .map(|place| place.mobile.as_ref());
                for (recipient, mobile) in recipients.iter().zip(places.chain(std::iter::repeat(None))) {
                    let mobile = mobile.and_then(PersonalText::clear);
                    if self.is(recipient) || mobile.is_some_and(|mobile| self.is_contact(mobile)) {
                        words.extend(of_person(recipient).chain(mobile));
                    }
                }
                for copy in terms.iter().flat_map(|terms| &terms.copies) {
                    let contacts = [Some(&copy.contact), copy.phone.as_ref()];
                    let contacts: Vec<&str> = contacts.into_iter().flatten().filter_map(PersonalText::clear).collect();
                    if contacts.iter().any(|contact| self.is_contact(contact)) {
                        words.extend(contacts.into_iter().chain(copy.name.clear()));
                    }
                }
            }
            if let Some(person) = named.successor.as_ref().filter(|person| self.is(person)) {
                words.extend(of_person(person));
                if let EventKind::RecipientCorrected { mobile, .. } = &named.event.event {
                    words.extend(mobile.as_ref().and_then(PersonalText::clear));
                }
            }
        }
        words.insert(self.key);
        let words = words.into_iter().map(|word| folded(word.trim()));
        words.filter(|word| word.chars().count() >= SHORTEST).collect()
    }
}

fn of_person(person: &NamedRecipient) -> impl Iterator<Item = &str> {
    let texts = [Some(&person.name), Some(&person.contact), person.phone.as_ref()];
    texts.into_iter().flatten().filter_map(PersonalText::clear)
}

/// Returns the network address, browser and comment of the person who acted.
fn own_texts(named: &NamedEvent) -> Vec<&str> {
    let actor = &named.event.actor;
    let comment = match &named.event.event {
        EventKind::Approved { comment, .. } => comment.as_ref(),
        EventKind::OneTimeCodeSent { to, .. } => to.as_ref(),
        other => other.reason(),
    };
    let texts = [actor.address.as_ref(), actor.user_agent.as_ref(), comment];
    texts.into_iter().flatten().filter_map(PersonalText::clear).collect()
}

/// Texts that stay even if they contain a person's name: the company's name, and the company's own addresses.
fn kept_texts(named: &NamedEvent) -> Vec<&str> {
    let EventKind::Started { terms: Some(terms), .. } = &named.event.event else {
        return Vec::new();
    };
    let texts = [
        Some(&terms.company_name),
        terms.export.as_ref(),
        terms.redirect_url.as_ref(),
    ];
    texts.into_iter().flatten().filter_map(PersonalText::clear).collect()
}

/// Returns the workflow as its chain describes it after an erasure.
fn without(before: &Snapshot, replay: &Replay, fields: &BTreeSet<String>) -> Snapshot {
    let mut values = before.values.clone();
    values.retain(|field, _| !fields.contains(field));
    let mut after = before.with_values(values);
    let stored = &mut after.stored;
    let word = erased(stored.workflow.language);
    let say = |text: &mut String, proved: &PersonalText| {
        if proved.clear().is_none() {
            text.clone_from(&word);
        }
    };
    let say_contact = |contact: &mut Contact, proved: &PersonalText| {
        if proved.clear().is_none() {
            *contact = Contact::Email(word.clone());
        }
    };
    let is_erased = |proved: Option<&PersonalText>| proved.is_some_and(|text| text.clear().is_none());
    if let Some(terms) = &replay.terms {
        say(&mut stored.workflow.name, &terms.is.title);
        if is_erased(terms.is.message.as_ref()) {
            stored.workflow.comment = None;
        }
        for (copy, named) in stored.workflow.copies.iter_mut().zip(&terms.is.copies) {
            say(&mut copy.name, &named.name);
            say_contact(&mut copy.contact, &named.contact);
        }
    }
    if is_erased(replay.end_comment.is.as_ref()) {
        stored.end_comment = None;
    }
    let known: BTreeMap<RecipientId, _> = replay
        .recipients
        .iter()
        .map(|recipient| (recipient.person.is.id, recipient))
        .collect();
    for recipient in &mut stored.workflow.recipients {
        let Some(proved) = known.get(&recipient.id) else {
            continue;
        };
        say(&mut recipient.name, &proved.person.is.name);
        say_contact(&mut recipient.contact, &proved.person.is.contact);
        if is_erased(proved.mobile.is.as_ref()) {
            recipient.mobile = None;
        }
        if is_erased(proved.person.is.company.as_ref()) {
            recipient.company = None;
        }
        let writer = stored.writers.iter_mut().find(|writer| writer.id == recipient.id);
        if let Some(writer) = writer
            && is_erased(proved.comment.is.as_ref())
        {
            writer.comment = None;
        }
    }
    let hints = replay
        .terms
        .iter()
        .flat_map(|terms| &terms.is.places)
        .map(|place| place.hint.as_ref());
    for (proved, hint) in replay.recipients.iter().zip(hints) {
        let writer = stored
            .writers
            .iter_mut()
            .find(|writer| writer.id == proved.person.is.id);
        if let Some(access) = writer.and_then(|writer| writer.access.as_mut())
            && is_erased(hint)
        {
            access.hint = None;
        }
    }
    after
}
