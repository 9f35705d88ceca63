//! The workflow: a document with its signers and steps, and the rules for it.
//!
//! The state carries its data, and a transition consumes the workflow. It returns the new workflow, the events, and the
//! signers to ask now, or a [`Refusal`] that names the state it found. Nothing here reads a clock or a database. If two
//! transitions arrive at the same moment, the store ensures that only one happens, because it overwrites only the
//! revision it read.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::contact::Contact;
use crate::event::{EventKind, NamedRecipient};
use crate::export::ExportSettings;
use crate::ids::{ClientId, CompanyId, MemberId, RecipientId, TemplateId, WorkflowId};
use crate::language::Language;
use crate::personal_text::PersonalText;
use crate::redirect::RedirectUrl;
use crate::template::OnReject;
use crate::zone::Zone;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum State {
    /// In progress, at this step.
    Playing { order: u32 },
    /// All signers have approved.
    Complete {
        /// Time of the last approval.
        at: Timestamp,
    },
    /// A signer declined.
    Rejected {
        at: Timestamp,
        order: u32,
        recipient: RecipientId,
    },
    Canceled {
        at: Timestamp,
        /// The step at that time.
        order: u32,
    },
    Expired {
        /// Time at which the expiry was noticed.
        at: Timestamp,
        /// The step at that time.
        order: u32,
    },
}

/// The status of a workflow, as named in the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Status {
    Playing,
    Complete,
    Rejected,
    Canceled,
    Expired,
}

impl Status {
    pub const ALL: [Self; 5] = [
        Self::Playing,
        Self::Complete,
        Self::Rejected,
        Self::Canceled,
        Self::Expired,
    ];

    /// Returns the API's value.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Playing => "Playing",
            Self::Complete => "Complete",
            Self::Rejected => "Rejected",
            Self::Canceled => "Canceled",
            Self::Expired => "Expired",
        }
    }

    /// Parses the value, ignoring case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|status| status.code().eq_ignore_ascii_case(text))
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl State {
    pub const fn status(&self) -> Status {
        match self {
            Self::Playing { .. } => Status::Playing,
            Self::Complete { .. } => Status::Complete,
            Self::Rejected { .. } => Status::Rejected,
            Self::Canceled { .. } => Status::Canceled,
            Self::Expired { .. } => Status::Expired,
        }
    }

    /// Returns the time it ended, if it has.
    pub const fn ended_at(&self) -> Option<Timestamp> {
        match self {
            Self::Playing { .. } => None,
            Self::Complete { at }
            | Self::Rejected { at, .. }
            | Self::Canceled { at, .. }
            | Self::Expired { at, .. } => Some(*at),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "progress")]
pub enum Progress {
    /// The signer has not signed, or the document was returned to them.
    Waiting,
    Approved {
        at: Timestamp,
    },
    Rejected {
        at: Timestamp,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipient {
    pub id: RecipientId,
    pub order: u32,
    /// Position among the signers of the step, from 1.
    pub place: u32,
    /// Role, if the step has several signers.
    pub role: Option<String>,
    pub name: String,
    /// E-mail address or telephone number. The API calls it `email`.
    pub contact: Contact,
    pub mobile: Option<String>,
    /// The company for which they sign.
    pub company: Option<String>,
    /// The signer's language, if it differs from the workflow's.
    pub language: Option<Language>,
    /// Version of the signer's links. Incrementing it invalidates all earlier links.
    pub link_version: u32,
    pub progress: Progress,
}

impl Recipient {
    /// Returns the recipient as named in events.
    pub fn named(&self) -> NamedRecipient {
        NamedRecipient {
            id: self.id,
            order: self.order,
            name: self.name.as_str().into(),
            contact: self.contact.as_given().into(),
            phone: crate::terms::phone(&self.contact),
            company: self.company.as_deref().map(PersonalText::from),
        }
    }

    /// The name of the company for which they sign: their own, or the sender's if they are the sender.
    pub fn signs_for<'n>(&'n self, sender_email: &str, sender_company: &'n str) -> Option<&'n str> {
        let is_sender = || self.contact.is_same(&Contact::Email(sender_email.to_owned()));
        let own = self.company.as_deref();
        own.or_else(|| is_sender().then_some(sender_company))
    }

    /// Whether another person, or the same person after a correction, has replaced `before`. The new person does not
    /// inherit comments, values, identity checks or consent.
    pub fn replaces(&self, before: &Self) -> bool {
        self.name != before.name || self.contact != before.contact || self.mobile != before.mobile
    }
}

/// The person who replaces a recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPerson {
    pub name: String,
    pub contact: Contact,
    pub mobile: NewMobile,
    /// The company for which they sign.
    pub company: Option<String>,
}

impl NewPerson {
    /// Returns the recipient with this person in their place.
    fn in_place_of(self, old: &Recipient) -> Recipient {
        let is_same_person = self.name == old.name && self.contact == old.contact;
        Recipient {
            name: self.name,
            contact: self.contact,
            mobile: match self.mobile {
                NewMobile::Said(mobile) => mobile,
                NewMobile::NotSaid => old.mobile.clone().filter(|_| is_same_person),
            },
            company: self.company,
            ..old.clone()
        }
    }
}

/// The mobile number of a person who replaces a recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewMobile {
    /// Not stated. The number is kept only if name and contact stay the same, because one-time codes are sent to it and
    /// nobody may receive another person's codes.
    NotSaid,
    /// The new number, or none.
    Said(Option<String>),
}

/// A person other than the signers who is notified at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyRecipient {
    pub name: String,
    pub contact: Contact,
}

/// A document with its signers and steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workflow {
    pub id: WorkflowId,
    pub company: CompanyId,
    pub name: String,
    pub template: TemplateId,
    /// The template version, which does not change while the workflow runs.
    pub template_version: u32,
    pub on_reject: OnReject,
    /// The language of its certificate, and of signers without a language of their own.
    pub language: Language,
    /// The time zone in which its dates are written.
    pub zone: Zone,
    pub sender: MemberId,
    /// The API client named in webhooks.
    pub client: ClientId,
    /// Whether it is a test, for life: its pages say so, and no message leaves.
    pub is_test: bool,
    /// The sender's message to the signers.
    pub comment: Option<String>,
    pub started_at: Timestamp,
    /// Time after which it can no longer be signed.
    pub expires_at: Timestamp,
    pub state: State,
    /// The signers, by step and place. Every step from 1 to the last has at least one.
    pub recipients: Vec<Recipient>,
    /// The people other than the signers who are notified at the end.
    pub copies: Vec<CopyRecipient>,
    /// Settings of its webhooks, if it sends any.
    pub export: Option<ExportSettings>,
    /// Where the signing page leads a signer who has signed.
    pub redirect_url: Option<RedirectUrl>,
    /// Whether the end of step 1 was reported. It is reported only once, even if the document is returned.
    pub first_step_reported: bool,
    /// Incremented by each write. A write based on an older revision fails.
    pub revision: i64,
}

/// The kind of a transition, for webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Outcome {
    Approved {
        recipient: RecipientId,
        order: u32,
        /// Whether this was the last approval of the step.
        step_done: bool,
        /// Whether this completed step 1 for the first time.
        first_step_done: bool,
        complete: bool,
    },
    /// A signer returned the document to the previous step.
    Returned {
        recipient: RecipientId,
        order: u32,
        to_order: u32,
    },
    /// A signer declined, which ended the workflow.
    Rejected { recipient: RecipientId, order: u32 },
    Canceled {
        /// The signer at that step.
        recipient: RecipientId,
        order: u32,
    },
    Expired {
        /// The signer at that step.
        recipient: RecipientId,
        order: u32,
    },
}

impl Outcome {
    /// Returns the signer named in the payload.
    pub const fn recipient(&self) -> RecipientId {
        match self {
            Self::Approved { recipient, .. }
            | Self::Returned { recipient, .. }
            | Self::Rejected { recipient, .. }
            | Self::Canceled { recipient, .. }
            | Self::Expired { recipient, .. } => *recipient,
        }
    }

    /// Returns the step named in the payload.
    pub const fn order(&self) -> u32 {
        match self {
            Self::Approved { order, .. }
            | Self::Returned { order, .. }
            | Self::Rejected { order, .. }
            | Self::Canceled { order, .. }
            | Self::Expired { order, .. } => *order,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// The new workflow, with its revision incremented by one.
    pub workflow: Workflow,
    pub outcome: Outcome,
    /// The audit trail entries, in order.
    pub events: Vec<EventKind>,
    /// The recipients to ask now.
    pub asked: Vec<RecipientId>,
}

/// A change that does not affect the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The new workflow. Its revision is incremented by one if there is anything to write.
    pub workflow: Workflow,
    /// The audit trail entries, in order. Empty if nothing changed.
    pub events: Vec<EventKind>,
    /// The recipients to ask now.
    pub asked: Vec<RecipientId>,
}

/// Reasons why a transition did not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refusal {
    #[error("the workflow has already ended: it is {0}")]
    Ended(Status),
    /// The workflow has expired, but the expiry has not been recorded yet.
    #[error("the workflow has expired")]
    Overdue,
    /// Another step is the current one.
    #[error("it is the turn of step {turn}, not of step {order}")]
    NotTheirTurn {
        order: u32,
        /// The current step.
        turn: u32,
    },
    #[error("the signer of step {order} has already approved")]
    AlreadyApproved { order: u32 },
    /// The workflow has no such signer.
    #[error("the workflow does not have this signer")]
    UnknownRecipient,
    /// The step has several signers, and more than one of them matches the description.
    #[error("several signers at step {order} match; name one")]
    SeveralWriters { order: u32 },
    /// The workflow has not expired yet.
    #[error("the workflow has not expired yet")]
    NotOverdue,
    /// The new expiry time is in the past.
    #[error("the new expiry is in the past")]
    ExpiryInPast,
}

impl Refusal {
    /// Returns the state that the transition found.
    pub const fn status(&self) -> Status {
        match self {
            Self::Ended(status) => *status,
            Self::Overdue => Status::Expired,
            _ => Status::Playing,
        }
    }
}

impl Workflow {
    pub fn last_order(&self) -> u32 {
        self.recipients
            .iter()
            .map(|recipient| recipient.order)
            .max()
            .unwrap_or(1)
    }

    /// Whether the workflow is embedded: the caller sends signers their messages, and we send none.
    pub fn is_embedded(&self) -> bool {
        self.export.as_ref().is_some_and(|export| export.is_embed)
    }

    /// The current step.
    pub const fn turn(&self) -> Option<u32> {
        match self.state {
            State::Playing { order } => Some(order),
            _ => None,
        }
    }

    /// Returns the signers whose turn it is: those of the current step who have not approved.
    pub fn writers_at_turn(&self) -> impl Iterator<Item = &Recipient> {
        let turn = self.turn();
        self.recipients
            .iter()
            .filter(move |recipient| Some(recipient.order) == turn && recipient.progress == Progress::Waiting)
    }

    pub fn recipient(&self, id: RecipientId) -> Option<&Recipient> {
        self.recipients.iter().find(|recipient| recipient.id == id)
    }

    /// Returns the language for messages to a signer.
    pub fn language_of(&self, recipient: &Recipient) -> Language {
        recipient.language.unwrap_or(self.language)
    }

    /// Whether the workflow's expiry time has passed.
    pub fn is_overdue(&self, at: Timestamp) -> bool {
        self.turn().is_some() && at >= self.expires_at
    }

    /// Returns the status at this moment, even if an expiry has not been recorded yet.
    pub fn status_at(&self, at: Timestamp) -> Status {
        if self.is_overdue(at) {
            Status::Expired
        } else {
            self.state.status()
        }
    }

    /// Finds the signer that a program identifies by step and, if the step has several signers, by further details.
    /// They must match exactly one signer, including those who have already signed, because two signers may share an
    /// address and neither may sign for the other.
    pub fn writer_meant(
        &self,
        order: Option<u32>,
        is_meant: Option<&dyn Fn(&Recipient) -> bool>,
    ) -> Result<RecipientId, Refusal> {
        let turn = self.turn().ok_or(Refusal::Ended(self.state.status()))?;
        let order = order.unwrap_or(turn);
        let meant: Vec<&Recipient> = self
            .recipients
            .iter()
            .filter(|recipient| recipient.order == order)
            .filter(|recipient| is_meant.is_none_or(|is_meant| is_meant(recipient)))
            .collect();
        if meant.is_empty() {
            return Err(Refusal::UnknownRecipient);
        }
        if order < turn {
            return Err(Refusal::AlreadyApproved { order });
        }
        if order > turn {
            return Err(Refusal::NotTheirTurn { order, turn });
        }
        let mut waiting = meant.iter().filter(|recipient| recipient.progress == Progress::Waiting);
        let first = waiting.next().ok_or(Refusal::AlreadyApproved { order })?;
        // Without further details, the program means the only remaining signer.
        let is_several = match is_meant {
            Some(_) => meant.len() > 1,
            None => waiting.next().is_some(),
        };
        if is_several {
            return Err(Refusal::SeveralWriters { order });
        }
        Ok(first.id)
    }

    /// Checks that this signer may sign now.
    pub fn check_turn(&self, id: RecipientId, at: Timestamp) -> Result<&Recipient, Refusal> {
        let turn = self.check_open(at)?;
        let recipient = self.recipient(id).ok_or(Refusal::UnknownRecipient)?;
        match recipient.progress {
            Progress::Approved { .. } => Err(Refusal::AlreadyApproved { order: recipient.order }),
            Progress::Waiting | Progress::Rejected { .. } if recipient.order != turn => Err(Refusal::NotTheirTurn {
                order: recipient.order,
                turn,
            }),
            Progress::Waiting | Progress::Rejected { .. } => Ok(recipient),
        }
    }

    fn check_open(&self, at: Timestamp) -> Result<u32, Refusal> {
        let turn = self.turn().ok_or(Refusal::Ended(self.state.status()))?;
        if self.is_overdue(at) {
            return Err(Refusal::Overdue);
        }
        Ok(turn)
    }

    /// Returns the signers of the first step, who are asked after the start.
    pub fn opening(&self) -> Vec<RecipientId> {
        self.writers_at_turn().map(|recipient| recipient.id).collect()
    }

    pub fn approve(mut self, id: RecipientId, at: Timestamp) -> Result<Transition, Refusal> {
        let order = self.check_turn(id, at)?.order;
        self.set_progress(id, Progress::Approved { at });
        let step_done = self.writers_at_turn().next().is_none();
        let complete = step_done && order == self.last_order();
        let first_step_done = step_done && order == 1 && !self.first_step_reported;
        self.first_step_reported |= first_step_done;
        let mut asked = Vec::new();
        if complete {
            self.state = State::Complete { at };
        } else if step_done {
            self.state = State::Playing { order: order + 1 };
            asked = self.opening();
        }
        let outcome = Outcome::Approved {
            recipient: id,
            order,
            step_done,
            first_step_done,
            complete,
        };
        let event = EventKind::Approved {
            recipient: id,
            order,
            comment: None,
        };
        Ok(self.transition(outcome, event, asked))
    }

    /// Declines for a signer. This ends the workflow, or returns it to the previous step.
    pub fn reject(mut self, id: RecipientId, at: Timestamp) -> Result<Transition, Refusal> {
        let order = self.check_turn(id, at)?.order;
        if self.on_reject == OnReject::Return && order > 1 {
            let to_order = order - 1;
            for recipient in &mut self.recipients {
                if recipient.order == order || recipient.order == to_order {
                    recipient.progress = Progress::Waiting;
                    recipient.link_version = recipient.link_version.saturating_add(1);
                }
            }
            self.state = State::Playing { order: to_order };
            let asked = self.opening();
            let outcome = Outcome::Returned {
                recipient: id,
                order,
                to_order,
            };
            let event = EventKind::Returned {
                recipient: id,
                from_order: order,
                to_order,
                reason: None,
            };
            return Ok(self.transition(outcome, event, asked));
        }
        self.set_progress(id, Progress::Rejected { at });
        self.state = State::Rejected {
            at,
            order,
            recipient: id,
        };
        let outcome = Outcome::Rejected { recipient: id, order };
        let event = EventKind::Rejected {
            recipient: id,
            order,
            reason: None,
        };
        Ok(self.transition(outcome, event, Vec::new()))
    }

    /// Cancels the workflow for the sender.
    pub fn cancel(mut self, at: Timestamp) -> Result<Transition, Refusal> {
        let order = self.check_open(at)?;
        let recipient = self.first_at_turn()?;
        self.state = State::Canceled { at, order };
        let outcome = Outcome::Canceled { recipient, order };
        let event = EventKind::Canceled { order, reason: None };
        Ok(self.transition(outcome, event, Vec::new()))
    }

    pub fn expire(mut self, at: Timestamp) -> Result<Transition, Refusal> {
        let order = self.turn().ok_or(Refusal::Ended(self.state.status()))?;
        if !self.is_overdue(at) {
            return Err(Refusal::NotOverdue);
        }
        let recipient = self.first_at_turn()?;
        self.state = State::Expired { at, order };
        let outcome = Outcome::Expired { recipient, order };
        Ok(self.transition(outcome, EventKind::Expired { order }, Vec::new()))
    }

    /// Moves the expiry time, later or earlier.
    pub fn extend(mut self, expires_at: Timestamp, at: Timestamp) -> Result<Change, Refusal> {
        self.check_open(at)?;
        if expires_at <= at {
            return Err(Refusal::ExpiryInPast);
        }
        if self.expires_at == expires_at {
            return Ok(self.unchanged());
        }
        self.expires_at = expires_at;
        Ok(self.change(EventKind::Extended { expires_at }, Vec::new()))
    }

    /// Corrects a recipient who has not signed yet. Their old link stops working, and if it is their turn, they are
    /// asked again. If no data differs, nothing happens.
    pub fn correct_recipient(self, id: RecipientId, person: NewPerson, at: Timestamp) -> Result<Change, Refusal> {
        if self
            .waiting(id, at)
            .is_ok_and(|old| person.clone().in_place_of(old) == *old)
        {
            return Ok(self.unchanged());
        }
        let (workflow, recipient, asked) = self.with_person(id, person, at)?;
        let mobile = workflow.recipient(id).and_then(|recipient| recipient.mobile.as_deref());
        let mobile = mobile.map(PersonalText::from);
        Ok(workflow.change(EventKind::RecipientCorrected { recipient, mobile }, asked))
    }

    /// The signer whose turn it is assigns the document to another person, who is asked to sign in their place. The old
    /// link stops working. They sign for the same company. The caller has checked that the template allows it.
    pub fn hand_over(self, id: RecipientId, name: String, contact: Contact, at: Timestamp) -> Result<Change, Refusal> {
        let before = self.check_turn(id, at)?;
        let link_version = before.link_version;
        let person = NewPerson {
            name,
            contact,
            mobile: NewMobile::NotSaid,
            company: before.company.clone(),
        };
        let (workflow, recipient, asked) = self.with_person(id, person, at)?;
        let event = EventKind::HandedOver {
            recipient,
            link_version,
        };
        Ok(workflow.change(event, asked))
    }

    /// The holder of a replaced link of a signer whose turn it is has a new one sent. Every earlier link stops working.
    /// The caller has checked that they may ([`crate::new_link`]).
    pub fn send_new_link(mut self, id: RecipientId, link_version: u32, at: Timestamp) -> Result<Change, Refusal> {
        self.check_turn(id, at)?;
        for recipient in self.recipients.iter_mut().filter(|recipient| recipient.id == id) {
            recipient.link_version = recipient.link_version.saturating_add(1);
        }
        let event = EventKind::NewLinkRequested {
            recipient: id,
            link_version,
        };
        Ok(self.change(event, vec![id]))
    }

    /// Replaces a recipient who has not signed, and determines whom to ask now.
    fn with_person(
        mut self,
        id: RecipientId,
        person: NewPerson,
        at: Timestamp,
    ) -> Result<(Self, NamedRecipient, Vec<RecipientId>), Refusal> {
        let turn = self.check_open(at)?;
        self.waiting(id, at)?;
        let recipient = self
            .recipients
            .iter_mut()
            .find(|recipient| recipient.id == id)
            .ok_or(Refusal::UnknownRecipient)?;
        *recipient = person.in_place_of(recipient);
        recipient.link_version = recipient.link_version.saturating_add(1);
        let asked = if recipient.order == turn { vec![id] } else { Vec::new() };
        let named = recipient.named();
        Ok((self, named, asked))
    }

    /// Returns a recipient who has not signed but still can.
    fn waiting(&self, id: RecipientId, at: Timestamp) -> Result<&Recipient, Refusal> {
        self.check_open(at)?;
        let recipient = self.recipient(id).ok_or(Refusal::UnknownRecipient)?;
        match recipient.progress {
            Progress::Waiting => Ok(recipient),
            _ => Err(Refusal::AlreadyApproved { order: recipient.order }),
        }
    }

    fn first_at_turn(&self) -> Result<RecipientId, Refusal> {
        self.writers_at_turn()
            .next()
            .map(|recipient| recipient.id)
            .ok_or(Refusal::UnknownRecipient)
    }

    fn set_progress(&mut self, id: RecipientId, progress: Progress) {
        for recipient in &mut self.recipients {
            if recipient.id == id {
                recipient.progress = progress;
            }
        }
    }

    fn transition(self, outcome: Outcome, event: EventKind, asked: Vec<RecipientId>) -> Transition {
        let change = self.change(event, asked);
        Transition {
            workflow: change.workflow,
            outcome,
            events: change.events,
            asked: change.asked,
        }
    }

    /// Returns no change, because everything is already as requested.
    fn unchanged(self) -> Change {
        Change {
            workflow: self,
            events: Vec::new(),
            asked: Vec::new(),
        }
    }

    /// Increments the revision. If we send the signers messages, asking them is an event.
    fn change(mut self, event: EventKind, asked: Vec<RecipientId>) -> Change {
        self.revision = self.revision.saturating_add(1);
        let mut events = vec![event];
        if !self.is_embedded() {
            events.extend(
                asked
                    .iter()
                    .map(|recipient| EventKind::RequestSent { recipient: *recipient }),
            );
        }
        Change {
            workflow: self,
            events,
            asked,
        }
    }
}
