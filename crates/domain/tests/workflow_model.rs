//! Tests the state machine against a simple model, and the audit trail's chain against every edit.
//!
//! The model only tracks which signers have approved, the current step and whether the workflow is over. It does not
//! use the machine's types, so a bug would have to be in both.
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // numbers below ten

use countersign_domain as domain;
use domain::event::{Actor, Event, EventKind, Who};
use domain::{
    BlobHash, ChainFault, ChainFile, ChainFormat, ClientId, CompanyId, Contact, Language, MemberId, NewMobile,
    NewPerson, OnReject, Outcome, Progress, Recipient, RecipientId, Refusal, State, Status, TemplateId, Workflow,
    WorkflowId, Zone, chain, time,
};
use jiff::Timestamp;
use proptest::prelude::*;
use std::sync::atomic::{AtomicU8, Ordering};

/// Provides distinct salts.
#[derive(Default)]
struct Counting(AtomicU8);

impl domain::Random for Counting {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(self.0.fetch_add(1, Ordering::Relaxed));
    }
}

#[derive(Debug, Clone)]
enum Command {
    Approve(usize),
    Reject(usize),
    Cancel,
    Expire,
    Extend(i64),
    Correct(usize),
    Wait(i64),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Complete,
    Rejected,
    Canceled,
    Expired,
}

/// The signers who have approved, the current step, and how the workflow ended.
struct Model {
    step_of: Vec<u32>,
    approved: Vec<bool>,
    step: u32,
    end: Option<End>,
    returns: bool,
    now: i64,
    expires: i64,
    ends_of_step_one: u32,
}

impl Model {
    fn open(&self) -> bool {
        self.end.is_none() && self.now < self.expires
    }

    /// Returns whether the command succeeds. If so, updates the model.
    fn apply(&mut self, command: &Command) -> bool {
        let writers = self.step_of.len();
        match *command {
            Command::Wait(seconds) => {
                self.now += seconds;
                true
            }
            Command::Approve(writer) => {
                if !self.open() || writer >= writers || self.step_of[writer] != self.step || self.approved[writer] {
                    return false;
                }
                self.approved[writer] = true;
                let done = (0..writers).all(|w| self.step_of[w] != self.step || self.approved[w]);
                if done {
                    if self.step == 1 {
                        self.ends_of_step_one += 1;
                    }
                    if self.step_of.iter().max() == Some(&self.step) {
                        self.end = Some(End::Complete);
                    } else {
                        self.step += 1;
                    }
                }
                true
            }
            Command::Reject(writer) => {
                if !self.open() || writer >= writers || self.step_of[writer] != self.step || self.approved[writer] {
                    return false;
                }
                if self.returns && self.step > 1 {
                    for w in 0..writers {
                        if self.step_of[w] == self.step || self.step_of[w] == self.step - 1 {
                            self.approved[w] = false;
                        }
                    }
                    self.step -= 1;
                } else {
                    self.end = Some(End::Rejected);
                }
                true
            }
            Command::Cancel => {
                let open = self.open();
                if open {
                    self.end = Some(End::Canceled);
                }
                open
            }
            Command::Expire => {
                let due = self.end.is_none() && self.now >= self.expires;
                if due {
                    self.end = Some(End::Expired);
                }
                due
            }
            Command::Extend(seconds) => {
                let good = self.open() && seconds > 0;
                if good {
                    self.expires = self.now + seconds;
                }
                good
            }
            Command::Correct(writer) => self.open() && writer < writers && !self.approved[writer],
        }
    }

    fn status(&self) -> Status {
        match self.end {
            None => Status::Playing,
            Some(End::Complete) => Status::Complete,
            Some(End::Rejected) => Status::Rejected,
            Some(End::Canceled) => Status::Canceled,
            Some(End::Expired) => Status::Expired,
        }
    }
}

fn moment(seconds: i64) -> Timestamp {
    time::from_microseconds(seconds * 1_000_000)
}

fn workflow(writers_of_step: &[usize], on_reject: OnReject) -> Workflow {
    let mut recipients = Vec::new();
    for (step, writers) in writers_of_step.iter().enumerate() {
        for place in 0..*writers {
            recipients.push(Recipient {
                id: RecipientId(recipients.len() as i64),
                order: step as u32 + 1,
                place: place as u32 + 1,
                role: None,
                name: "김민준".to_owned(),
                contact: Contact::Email("kim@example.com".to_owned()),
                mobile: None,
                company: None,
                language: None,
                link_version: 1,
                progress: Progress::Waiting,
            });
        }
    }
    Workflow {
        id: WorkflowId(7),
        company: CompanyId::parse("acme").unwrap(),
        name: "contract".to_owned(),
        template: TemplateId(1),
        template_version: 1,
        on_reject,
        language: Language::Ko,
        zone: Zone::SEOUL,
        sender: MemberId(1),
        client: ClientId::parse("00000000-0000-4000-8000-000000000000").unwrap(),
        comment: None,
        started_at: moment(0),
        expires_at: moment(100),
        state: State::Playing { order: 1 },
        recipients,
        copies: Vec::new(),
        export: None,
        redirect_url: None,
        is_test: false,
        first_step_reported: false,
        revision: 0,
    }
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        8 => (0usize..9).prop_map(Command::Approve),
        3 => (0usize..9).prop_map(Command::Reject),
        1 => Just(Command::Cancel),
        1 => Just(Command::Expire),
        2 => (-5i64..60).prop_map(Command::Extend),
        2 => (0usize..9).prop_map(Command::Correct),
        2 => (0i64..30).prop_map(Command::Wait),
    ]
}

fn lee(mobile: NewMobile) -> NewPerson {
    NewPerson {
        name: "Lee".to_owned(),
        contact: Contact::Email("lee@example.com".to_owned()),
        mobile,
        company: None,
    }
}

/// Checks the invariants of every reached state.
fn check_sound(workflow: &Workflow) -> Result<(), TestCaseError> {
    for recipient in &workflow.recipients {
        let approved = matches!(recipient.progress, Progress::Approved { .. });
        let rejected = matches!(recipient.progress, Progress::Rejected { .. });
        match workflow.state {
            State::Playing { order } => {
                prop_assert!(!rejected);
                if recipient.order != order {
                    prop_assert_eq!(approved, recipient.order < order);
                }
            }
            State::Complete { .. } => prop_assert!(approved),
            State::Rejected { recipient: who, .. } => prop_assert_eq!(rejected, recipient.id == who),
            State::Canceled { .. } | State::Expired { .. } => prop_assert!(!rejected),
        }
    }
    if workflow.turn().is_some() {
        prop_assert!(workflow.writers_at_turn().next().is_some());
    } else {
        prop_assert_eq!(workflow.writers_at_turn().count(), 0);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_machine_does_what_the_model_does(
        steps in proptest::collection::vec(1usize..=3, 1..=3),
        returns in any::<bool>(),
        commands in proptest::collection::vec(command(), 0..40),
    ) {
        let on_reject = if returns { OnReject::Return } else { OnReject::End };
        let mut workflow = workflow(&steps, on_reject);
        let mut model = Model {
            step_of: workflow.recipients.iter().map(|r| r.order).collect(),
            approved: vec![false; workflow.recipients.len()],
            step: 1,
            end: None,
            returns,
            now: 0,
            expires: 100,
            ends_of_step_one: 0,
        };
        let mut completions = 0;
        let mut reports_of_step_one = 0;
        for command in &commands {
            let before = workflow.clone();
            let happens = model.apply(command);
            let now = moment(model.now);
            let id = |writer: usize| RecipientId(writer as i64);
            // A change without effect writes nothing.
            let mut writes = true;
            let result = match *command {
                Command::Wait(_) => continue,
                Command::Approve(writer) => workflow.clone().approve(id(writer), now).map(Some),
                Command::Reject(writer) => workflow.clone().reject(id(writer), now).map(Some),
                Command::Cancel => workflow.clone().cancel(now).map(Some),
                Command::Expire => workflow.clone().expire(now).map(Some),
                Command::Extend(seconds) => workflow
                    .clone()
                    .extend(moment(model.now + seconds), now)
                    .map(|change| { writes = !change.events.is_empty(); workflow = change.workflow; None }),
                Command::Correct(writer) => workflow
                    .clone()
                    .correct_recipient(id(writer), lee(NewMobile::NotSaid), now)
                    .map(|change| { writes = !change.events.is_empty(); workflow = change.workflow; None }),
            };
            prop_assert_eq!(result.is_ok(), happens, "{:?}: {:?}", command, result);
            match result {
                Ok(Some(transition)) => {
                    if let Outcome::Approved { complete, first_step_done, .. } = transition.outcome {
                        completions += u32::from(complete);
                        reports_of_step_one += u32::from(first_step_done);
                    }
                    if let Outcome::Returned { order, .. } = transition.outcome {
                        for (old, new) in before.recipients.iter().zip(&transition.workflow.recipients) {
                            let given_back = old.order == order || old.order + 1 == order;
                            prop_assert_eq!(new.link_version > old.link_version, given_back);
                        }
                    }
                    workflow = transition.workflow;
                }
                Ok(None) => {}
                Err(refusal) => {
                    prop_assert_eq!(refusal.status(), before.status_at(now));
                    if let Command::Expire = command {
                        prop_assert!(matches!(refusal, Refusal::Ended(_) | Refusal::NotOverdue));
                    }
                }
            }
            if happens {
                if writes {
                    prop_assert_eq!(workflow.revision, before.revision + 1);
                } else {
                    prop_assert_eq!(&workflow, &before);
                }
            }
            prop_assert_eq!(workflow.state.status(), model.status());
            if model.end.is_none() {
                prop_assert_eq!(workflow.turn(), Some(model.step));
            }
            for (recipient, approved) in workflow.recipients.iter().zip(&model.approved) {
                prop_assert_eq!(matches!(recipient.progress, Progress::Approved { .. }), *approved);
            }
            check_sound(&workflow)?;
        }
        prop_assert_eq!(completions, u32::from(model.end == Some(End::Complete)));
        prop_assert_eq!(reports_of_step_one, model.ends_of_step_one.min(1));
    }

    #[test]
    fn a_chain_breaks_at_any_edit(
        lengths in proptest::collection::vec(0usize..20, 2..12),
        place in any::<prop::sample::Index>(),
        edit in 0usize..10,
        format in prop_oneof![Just(ChainFormat::One), Just(ChainFormat::Two)],
        byte in any::<prop::sample::Index>(),
    ) {
        let company = CompanyId::parse("acme").unwrap();
        let id = WorkflowId(7);
        let genesis = |company: &CompanyId, id| chain::Head::genesis_of(format, company, id);
        let mut head = genesis(&company, id);
        let mut entries = Vec::new();
        for (number, length) in lengths.iter().enumerate() {
            let event = Event {
                at: moment(number as i64),
                actor: Actor {
                    who: Who::Recipient(RecipientId(1)),
                    address: Some("192.0.2.1".into()),
                    user_agent: Some("브라우저".repeat(*length).into()),
                },
                event: EventKind::Viewed { recipient: RecipientId(1) },
            };
            let (entry, next) = head.append(&event, &Counting::default());
            entries.push(entry);
            head = next;
        }
        prop_assert_eq!(chain::verify(genesis(&company, id), &entries), Ok(head));
        prop_assert!(chain::verify(genesis(&company, WorkflowId(8)), &entries).is_err());
        prop_assert!(chain::verify(genesis(&CompanyId::parse("other").unwrap(), id), &entries).is_err());

        let at = place.index(entries.len());
        let mut edited = entries.clone();
        match edit {
            0 => edited[at].sequence += 1,
            1 => edited[at].at = moment(1_000_000),
            2 => {
                let text = &mut edited[at].payload;
                let positions: Vec<usize> = text.char_indices().map(|(p, _)| p).collect();
                let position = positions[byte.index(positions.len())];
                text.insert(position, ' ');
            }
            3 => edited[at].previous.0[byte.index(32)] ^= 1,
            4 => edited[at].hash.0[byte.index(32)] ^= 1,
            5 => { edited.swap(at, (at + 1) % entries.len()); }
            6 => { let copy = edited[at].clone(); edited.insert(at, copy); }
            7 => match edited[at].texts.first_mut() {
                Some(clear) => clear.text.push('x'),
                None => edited[at].payload.push(' '),
            },
            8 => {
                let other = Counting(AtomicU8::new(100));
                edited[at].texts.extend(domain::PersonalText::from("added").commit(&other));
            }
            _ => { edited.remove(at); }
        }
        match chain::verify(genesis(&company, id), &edited) {
            // Only a cut at the end leaves the chain intact. The head stated in the certificate reveals it.
            Ok(found) => {
                prop_assert_eq!(edit, 9);
                prop_assert_eq!(at, entries.len() - 1);
                prop_assert_ne!(found, head);
            }
            Err(_) => prop_assert!(edit != 9 || at < entries.len() - 1),
        }
    }
}

#[test]
fn a_chain_holds_after_texts_were_erased_and_says_that_they_are_gone() {
    let genesis = chain::Head::genesis(&CompanyId::parse("acme").unwrap(), WorkflowId(7));
    let event = Event {
        at: moment(1),
        actor: Actor {
            who: Who::Recipient(RecipientId(1)),
            address: Some("192.0.2.1".into()),
            user_agent: Some("Firefox".into()),
        },
        event: EventKind::Canceled {
            order: 1,
            reason: Some("바뀐 조건".into()),
        },
    };
    let (mut entry, head) = genesis.append(&event, &Counting::default());
    for text in ["192.0.2.1", "Firefox", "바뀐 조건"] {
        assert!(!entry.payload.contains(text), "{text} is in {}", entry.payload);
    }
    assert_eq!(entry.event().as_ref(), Some(&event));
    entry.texts.retain(|clear| clear.text != "192.0.2.1");
    assert_eq!(chain::verify(genesis, std::slice::from_ref(&entry)), Ok(head));
    let read = entry.event().unwrap();
    assert_eq!(
        read.actor.address.as_ref().map(|address| address.or("erased")),
        Some("erased")
    );
    assert_eq!(
        (read.actor.user_agent, read.event),
        (event.actor.user_agent, event.event)
    );
}

#[test]
fn anyone_can_recompute_an_entry_of_format_two_from_its_description() {
    let company = CompanyId::parse("acme").unwrap();
    let genesis = chain::Head::genesis(&company, WorkflowId(7));
    let event = Event {
        at: moment(1),
        actor: Actor::SERVICE,
        event: EventKind::Discarded,
    };
    let (entry, head) = genesis.append(&event, &Counting::default());
    let mut hashed = b"countersign chain 2".to_vec();
    hashed.extend(genesis.hash.0);
    hashed.extend(1_u64.to_be_bytes());
    hashed.extend(moment(1).as_microsecond().to_be_bytes());
    hashed.extend(BlobHash::of(entry.payload.as_bytes()).0);
    assert_eq!(head.hash, BlobHash::of(&hashed));
    let file = ChainFile::new(ChainFormat::Two, company, WorkflowId(7), vec![entry]);
    assert_eq!(file.verify(), Ok(head));
    let renamed = ChainFile {
        format: "countersign-chain/3".to_owned(),
        ..file
    };
    assert_eq!(renamed.verify(), Err(ChainFault::Format));
}

#[test]
fn a_second_approval_and_one_after_the_end_say_what_they_met() {
    let start = workflow(&[2, 1], OnReject::End);
    let first = start.approve(RecipientId(0), moment(1)).unwrap();
    assert!(matches!(
        first.outcome,
        Outcome::Approved {
            step_done: false,
            complete: false,
            ..
        }
    ));
    assert_eq!(
        first.workflow.clone().approve(RecipientId(0), moment(2)),
        Err(Refusal::AlreadyApproved { order: 1 })
    );
    assert_eq!(
        first.workflow.clone().approve(RecipientId(2), moment(2)),
        Err(Refusal::NotTheirTurn { order: 2, turn: 1 })
    );
    // A decline that arrives after the same signer's signature is refused.
    assert_eq!(
        first.workflow.clone().reject(RecipientId(0), moment(2)),
        Err(Refusal::AlreadyApproved { order: 1 })
    );
    let canceled = first.workflow.clone().cancel(moment(3)).unwrap();
    assert_eq!(
        canceled.workflow.approve(RecipientId(1), moment(4)),
        Err(Refusal::Ended(Status::Canceled))
    );
    assert_eq!(
        first.workflow.approve(RecipientId(1), moment(100)),
        Err(Refusal::Overdue)
    );
}

#[test]
fn writers_are_asked_when_their_turn_comes() {
    let start = workflow(&[2, 1], OnReject::Return);
    assert_eq!(start.opening(), [RecipientId(0), RecipientId(1)]);
    let one = start.approve(RecipientId(1), moment(1)).unwrap();
    assert!(one.asked.is_empty());
    let two = one.workflow.approve(RecipientId(0), moment(2)).unwrap();
    assert_eq!(two.asked, [RecipientId(2)]);
    assert_eq!(
        two.events,
        [
            EventKind::Approved {
                recipient: RecipientId(0),
                order: 1,
                comment: None,
            },
            EventKind::RequestSent {
                recipient: RecipientId(2)
            }
        ]
    );
    let back = two.workflow.reject(RecipientId(2), moment(3)).unwrap();
    assert_eq!(back.asked, [RecipientId(0), RecipientId(1)]);
    assert_eq!(back.workflow.turn(), Some(1));
}

#[test]
fn a_program_means_the_writer_by_step_and_email() {
    let mut shared = workflow(&[2, 1], OnReject::End);
    shared.recipients[1].contact = Contact::Email("lee@example.com".to_owned());
    let lee = |recipient: &Recipient| recipient.contact.email() == Some("lee@example.com");
    assert_eq!(
        shared.writer_meant(None, None),
        Err(Refusal::SeveralWriters { order: 1 })
    );
    assert_eq!(shared.writer_meant(Some(1), Some(&lee)), Ok(RecipientId(1)));
    assert_eq!(
        shared.writer_meant(Some(2), None),
        Err(Refusal::NotTheirTurn { order: 2, turn: 1 })
    );
    assert_eq!(shared.writer_meant(Some(3), None), Err(Refusal::UnknownRecipient));
    let one = shared.approve(RecipientId(1), moment(1)).unwrap().workflow;
    assert_eq!(one.writer_meant(None, None), Ok(RecipientId(0)));
    assert_eq!(
        one.writer_meant(None, Some(&lee)),
        Err(Refusal::AlreadyApproved { order: 1 })
    );
}

#[test]
fn an_address_that_several_writers_of_a_step_share_means_none_of_them() {
    // Both signers have the same address.
    let shared = workflow(&[2, 1], OnReject::End);
    let by_address = |recipient: &Recipient| recipient.contact.email() == Some("kim@example.com");
    let several = Err(Refusal::SeveralWriters { order: 1 });
    assert_eq!(shared.writer_meant(Some(1), Some(&by_address)), several);
    let second = |recipient: &Recipient| by_address(recipient) && recipient.place == 2;
    assert_eq!(shared.writer_meant(Some(1), Some(&second)), Ok(RecipientId(1)));
    // The address must not identify the other person just because one of them has approved.
    let one = shared.approve(RecipientId(0), moment(1)).unwrap().workflow;
    assert_eq!(one.writer_meant(Some(1), Some(&by_address)), several);
    let first = |recipient: &Recipient| by_address(recipient) && recipient.place == 1;
    assert_eq!(
        one.writer_meant(Some(1), Some(&first)),
        Err(Refusal::AlreadyApproved { order: 1 })
    );
}

proptest! {
    #[test]
    fn a_correction_leaves_no_mobile_number_of_the_person_before(
        (name, contact) in (0..2_usize, 0..2_usize),
        said in prop::option::of(prop::option::of(Just("010-9999-8888".to_owned()))),
    ) {
        let mut before = workflow(&[1], OnReject::End);
        before.recipients[0].mobile = Some("010-1234-5678".to_owned());
        let person = NewPerson {
            name: ["김민준", "Lee"][name].to_owned(),
            contact: Contact::Email(["kim@example.com", "lee@example.com"][contact].to_owned()),
            mobile: said.clone().map_or(NewMobile::NotSaid, NewMobile::Said),
            company: None,
        };
        let after = before.clone().correct_recipient(RecipientId(0), person, moment(1)).unwrap();
        let stays = name == 0 && contact == 0;
        let mobile = after.workflow.recipients[0].mobile.clone();
        let kept = before.recipients[0].mobile.clone().filter(|_| stays);
        prop_assert_eq!(&mobile, &said.unwrap_or(kept));
        // After any change, the earlier link and everything verified through it are invalid.
        let is_changed = !stays || mobile != before.recipients[0].mobile;
        let versions = [&before, &after.workflow].map(|workflow| workflow.recipients[0].link_version);
        prop_assert_eq!(versions[1] > versions[0], is_changed);
        prop_assert_eq!(after.workflow.recipients[0].replaces(&before.recipients[0]), is_changed);
    }
}

#[test]
fn a_document_that_is_assigned_to_someone_else_keeps_the_company_and_no_mobile_number() {
    let mut before = workflow(&[1], OnReject::End);
    before.recipients[0].mobile = Some("010-1234-5678".to_owned());
    before.recipients[0].company = Some("Acme".to_owned());
    let contact = Contact::Email("lee@example.com".to_owned());
    let after = before
        .hand_over(RecipientId(0), "Lee".to_owned(), contact, moment(1))
        .unwrap();
    assert_eq!(after.workflow.recipients[0].mobile, None);
    assert_eq!(after.workflow.recipients[0].company.as_deref(), Some("Acme"));
}
