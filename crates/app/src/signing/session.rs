//! Opens a link, and determines its holder, the codes that they still have to enter, and their possible actions.
//!
//! Anybody who holds a link acts as its recipient, if they have also entered the access code and the one-time code that
//! the sender requires. Opening a link changes nothing, so a mail scanner's GET leaves no trace.
//!
//! The token of the sender's view opens the same page read-only, unless it is the sender's own turn to sign. The token
//! for the sender's colleagues is always read-only.

use domain::{
    CompanyId, EventKind, Field, LiveLinks, Progress, Recipient, RecipientId, Status, TemplateVersion, Who, WorkflowId,
};
use jiff::Timestamp;
use store::HeldWorkflow;
use store::workflow::{StoredWorkflow, Writer};

use crate::App;
use crate::base::error::{ConflictCode, Error, Fault, ForbiddenCode, Subject};
use crate::base::origin::Origin;
use crate::links::link_token::{LinkPurpose, same_link};
use crate::signing::access_code::is_locked;
use crate::signing::one_time_code::can_be_given;
use crate::signing::read_values::writable;
use crate::workflow::transition::{Snapshot, conflict, refused};
use crate::workflow::writer_meant::sender_at_turn;

/// The key that opens the signing page.
#[derive(Clone, Default)]
pub struct SigningKey {
    /// The token in the address.
    pub token: String,
    /// The proof from [`App::give_access_code`], if an access code is needed.
    pub proof: Option<String>,
    /// The proof from [`App::give_one_time_code`], if a one-time code is needed.
    pub one_time_proof: Option<String>,
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SigningKey(…)")
    }
}

/// The state of the page for this signer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// The signer must first enter the access code.
    AccessCode {
        hint: Option<String>,
        /// There were too many wrong tries. The sender must send the document again.
        locked: bool,
    },
    /// The signer must enter a code, which is sent to their own address.
    OneTimeCode {
        /// The e-mail address or telephone number, masked.
        to: String,
        /// Whether a code was sent and can be entered.
        sent: bool,
    },
    /// The signer can fill in and sign.
    Write,
    /// It is the turn of another step.
    Waiting,
    Done,
    Ended,
    /// The sender views the document read-only.
    Watch,
}

pub(in crate::signing) struct Session {
    pub(in crate::signing) snapshot: Snapshot,
    /// The recipient as whom the holder acts. `None` if the sender only views.
    acts_as: Option<RecipientId>,
}

impl Session {
    /// Creates a session for a link of this recipient.
    pub(in crate::signing) fn of_recipient(snapshot: Snapshot, recipient: RecipientId) -> Session {
        Session {
            snapshot,
            acts_as: Some(recipient),
        }
    }

    pub(in crate::signing) fn recipient(&self) -> Option<&Recipient> {
        self.snapshot.stored.workflow.recipient(self.acts_as?)
    }

    pub(in crate::signing) fn writer(&self) -> Option<&Writer> {
        self.snapshot.stored.writer(self.acts_as?)
    }

    /// Returns the field, if this signer can fill it in. Faults name it.
    pub(in crate::signing) fn own_field(&self, recipient: &Recipient, name: &str) -> Result<&Field, Error> {
        writable(self.template(), &self.snapshot.values, recipient, Some(name), name).map_err(|fault| {
            let path = name.to_owned();
            Error::Unprocessable(vec![Fault { path, ..fault }])
        })
    }

    pub(in crate::signing) fn template(&self) -> &TemplateVersion {
        &self.snapshot.template.version
    }
}

impl App {
    /// Reads a key. The link must have been created by us and not been replaced, and its recipient must still exist.
    pub(in crate::signing) fn session_of(&self, key: &SigningKey) -> Result<Session, Error> {
        let token = self
            .outgoing
            .addresses
            .read(&key.token)
            .ok_or(Error::NotFound(Subject::Link))?;
        match token.purpose {
            LinkPurpose::Sign | LinkPurpose::SignDelivered => {
                let id = RecipientId(token.subject);
                let (company, workflow) = self
                    .store
                    .read(move |tx| store::workflow::of_recipient(tx, id).map_err(Error::from))?
                    .ok_or(Error::NotFound(Subject::Link))?;
                let snapshot = self.snapshot(&company, workflow)?;
                self.holder_of_link(&snapshot, id, token.version)?;
                Ok(Session::of_recipient(snapshot, id))
            }
            LinkPurpose::View | LinkPurpose::Watch => {
                let id = WorkflowId(token.subject);
                let company = self.company_of_link(id)?;
                let snapshot = self.snapshot(&company, id)?;
                if !shows_view(&snapshot, token.version) {
                    return Err(Error::conflict(ConflictCode::LinkReplaced));
                }
                let acts_as = match token.purpose {
                    LinkPurpose::View => sender_at_turn(&snapshot),
                    _ => None,
                };
                Ok(Session { snapshot, acts_as })
            }
            LinkPurpose::Preview
            | LinkPurpose::Document
            | LinkPurpose::Certificate
            | LinkPurpose::Start
            | LinkPurpose::SignersDocument
            | LinkPurpose::SignersCertificate => Err(Error::NotFound(Subject::Link)),
        }
    }

    pub(in crate::signing) fn open_for_reading(&self, key: &SigningKey) -> Result<Session, Error> {
        let session = self.session_of(key)?;
        if !shows_document(&session.snapshot) {
            return Err(Error::conflict(ConflictCode::LinkReplaced));
        }
        self.check_codes(&session, key)?;
        Ok(session)
    }

    pub(in crate::signing) fn open_for_writing(&self, key: &SigningKey) -> Result<(Session, Recipient), Error> {
        let session = self.session_of(key)?;
        self.check_codes(&session, key)?;
        let workflow = &session.snapshot.stored.workflow;
        let Some(id) = session.acts_as else {
            return Err(conflict(
                ConflictCode::NotYourTurn,
                workflow.status_at(session.snapshot.at),
            ));
        };
        let recipient = workflow.check_turn(id, session.snapshot.at).map_err(refused)?.clone();
        Ok((session, recipient))
    }

    /// Returns the code that the holder of the key has to enter first.
    pub(in crate::signing) fn missing_check(&self, session: &Session, key: &SigningKey) -> Option<ForbiddenCode> {
        let (recipient, writer, at) = (session.recipient()?, session.writer()?, session.snapshot.at);
        if !self.has_access(recipient, writer, key.proof.as_deref()) {
            Some(ForbiddenCode::AccessCode)
        } else if !self.has_given_one_time_code(recipient, writer, key.one_time_proof.as_deref(), at) {
            Some(ForbiddenCode::OneTimeCode)
        } else {
            None
        }
    }

    pub(in crate::signing) fn stage(&self, session: &Session, key: &SigningKey) -> Stage {
        let workflow = &session.snapshot.stored.workflow;
        if let (Some(recipient), Some(writer)) = (session.recipient(), session.writer()) {
            let missing = self.missing_check(session, key);
            if missing == Some(ForbiddenCode::AccessCode) {
                return Stage::AccessCode {
                    hint: writer.access.as_ref().and_then(|access| access.hint.clone()),
                    locked: is_locked(writer),
                };
            }
            let stage = match recipient.progress {
                Progress::Approved { .. } => Stage::Done,
                _ if workflow.status_at(session.snapshot.at) != Status::Playing => Stage::Ended,
                _ if workflow.turn() == Some(recipient.order) => Stage::Write,
                _ => Stage::Waiting,
            };
            // We send no code if there is nothing to sign yet, or nothing left to sign.
            return match stage {
                Stage::Write | Stage::Done if missing.is_some() => Stage::OneTimeCode {
                    to: self.code_contact(recipient, session.snapshot.party.region).masked(),
                    sent: can_be_given(writer, session.snapshot.at),
                },
                other => other,
            };
        }
        if workflow.status_at(session.snapshot.at) == Status::Playing {
            Stage::Watch
        } else {
            Stage::Ended
        }
    }

    /// Records an action of a link's holder. Data read earlier may be outdated (the recipient corrected, the document
    /// returned or ended in the meantime), so the writing transaction checks link and `rule`.
    pub(in crate::signing) fn note_of_writer(
        &self,
        session: &Session,
        recipient: &Recipient,
        origin: &Origin,
        event: EventKind,
        rule: impl Fn(&StoredWorkflow, Timestamp) -> Result<(), Error> + Send + Clone + 'static,
        keep: fn(&mut HeldWorkflow<'_>, &CompanyId, RecipientId, Timestamp) -> Result<bool, store::Error>,
    ) -> Result<(), Error> {
        let workflow = &session.snapshot.stored.workflow;
        let (company, id, at) = (workflow.company.clone(), workflow.id, session.snapshot.at);
        let (writer, link_version) = (recipient.id, recipient.link_version);
        let actor = origin.actor(Who::Recipient(writer));
        let wanted = company.clone();
        self.judge_and_note(&company, id, (&actor, at), move |tx| {
            let stored = store::workflow::load(tx, &wanted, id)?.ok_or(Error::NotFound(Subject::Link))?;
            same_link(&stored.workflow, writer, link_version)?;
            rule(&stored, at)?;
            let is_new = keep(tx, &wanted, writer, at)?;
            Ok((if is_new { vec![event.clone()] } else { Vec::new() }, ()))
        })
    }
}

/// After the workflow's end, the sender's view works as long as the links to its files, but not without the sender.
fn shows_view(snapshot: &Snapshot, version: u32) -> bool {
    let workflow = &snapshot.stored.workflow;
    let end = workflow.state.ended_at().unwrap_or(workflow.expires_at);
    let is_in_time = |links: LiveLinks| snapshot.at <= links.until(end, snapshot.party.link_days);
    !snapshot.party.sender_disabled && snapshot.stored.links.opened_by(version).is_some_and(is_in_time)
}

/// Whether a signer's link shows the document: while it is in progress, and then as long as links to the completed
/// files work. The link itself stays in their mailbox forever.
fn shows_document(snapshot: &Snapshot) -> bool {
    let Some(ended) = snapshot.stored.workflow.state.ended_at() else {
        return true;
    };
    let links = snapshot.stored.links.live();
    links.is_some_and(|links| snapshot.at <= links.until(ended, snapshot.party.link_days))
}
