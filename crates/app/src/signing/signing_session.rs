//! What the signing page needs: to open a link, see the document, fill in, consent, approve or reject.
//!
//! Whoever holds a link acts as its recipient; where the sender set an access code or wants a one-time code, together with
//! the proof that he gave it. Opening changes nothing, so a mail scanner's GET leaves no trace; the page itself says when it was viewed. What a
//! writer fills in is kept as a draft (texts as typed, even half-finished; files in the blob store) until he approves.
//!
//! The token of the sender's view shows the same page without the right to write, unless the sender is the writer whose
//! turn it is; the one that the sender's colleagues get never writes.

use std::collections::BTreeMap;

use document::text::fonts::Fonts;
use domain::{
    BlobHash, CompanyId, EventKind, Field, FieldValue, Language, LiveLinks, OnReject, PageSize, Progress, Recipient,
    RecipientId, State, Status, TemplateId, TemplateVersion, Who, WorkflowId, Zone, named_events,
};
use jiff::Timestamp;
use store::HeldWorkflow;
use store::template::StoredVersion;
use store::workflow::{StoredWorkflow, Writer};
use store::workflow_value::StoredValue;

use crate::App;
use crate::base::error::{ConflictCode, Error, Fault, FaultCode, ForbiddenCode, Subject};
use crate::base::origin::Origin;
use crate::base::text::erased;
use crate::companies::company_look::CompanyLook;
use crate::links::link_token::{LinkPurpose, same_link};
use crate::signing::access_code::is_locked;
use crate::signing::approve::{Source, is_editable, writable};
use crate::signing::draft::{Draft, DraftSeen, DraftState};
use crate::signing::files::{FileContent, file_stem};
use crate::signing::next_document::NextDocument;
use crate::signing::one_time_code::can_be_given;
use crate::templates::page_cache::PartKind;
use crate::templates::page_part::{PageAnswer, PagePart};
use crate::values::look::{BoxLook, Looks, typed_value};
use crate::values::value::value_fault;
use crate::workflow::act::given_comment;
use crate::workflow::transition::{Snapshot, conflict, refused};
use crate::workflow::writer_meant::sender_at_turn;

/// What opens the signing page.
#[derive(Clone, Default)]
pub struct SigningKey {
    /// The token in the address.
    pub token: String,
    /// What [`App::give_access_code`] answered, where an access code is needed.
    pub proof: Option<String>,
    /// What [`App::give_one_time_code`] answered, where a one-time code is needed.
    pub one_time_proof: Option<String>,
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SigningKey(…)")
    }
}

/// What the page may do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// The access code is needed first.
    AccessCode {
        /// The sender's hint.
        hint: Option<String>,
        /// It was tried too often; the sender must send anew.
        locked: bool,
    },
    /// A code is needed that is sent to the writer's own address.
    OneTimeCode {
        /// The address or number, masked.
        to: String,
        /// A code was sent and can be given.
        sent: bool,
    },
    /// The writer writes.
    Write,
    /// It is another step's turn.
    Waiting,
    /// The writer has approved.
    Done,
    /// The workflow has ended.
    Ended,
    /// The sender watches.
    Watch,
}

/// The signing page.
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools)] // facts that a page tells, not states
pub struct SigningView {
    /// The workflow.
    pub workflow_id: WorkflowId,
    /// Its name.
    pub workflow_name: String,
    /// Whose it is.
    pub company: CompanyId,
    /// The company's name.
    pub company_name: String,
    /// How the company looks.
    pub look: CompanyLook,
    /// The sender's name.
    pub sender_name: String,
    /// The page's language where the address names none.
    pub language: Language,
    /// The time zone of its dates.
    pub zone: Zone,
    /// The sender's words.
    pub comment: String,
    /// When it began.
    pub started_at: Timestamp,
    /// Until when it can be signed.
    pub expires_at: Timestamp,
    /// The workflow's state.
    pub status: Status,
    /// Who rejected it; of another writer only to whom the document may be shown.
    pub rejected_by: Option<SigningRecipient>,
    /// How many steps it has.
    pub steps: u32,
    /// What the page may do now.
    pub stage: Stage,
    /// The writer; none in the sender's view.
    pub recipient: Option<SigningRecipient>,
    /// All writers, by step and place.
    pub writers: Vec<SigningRecipient>,
    /// The writers whose turn it is.
    pub writers_at_turn: Vec<SigningRecipient>,
    /// The pages; none while a code is needed.
    pub pages: Vec<PageSize>,
    /// The template.
    pub template: TemplateId,
    /// Its version.
    pub template_version: u32,
    /// The document to be signed.
    pub pdf: BlobHash,
    /// The fields; none while a code is needed.
    pub fields: Vec<FieldView>,
    /// The writer may hand the document over to another person.
    pub hand_over: bool,
    /// What was filled in before and is kept as a draft stands in the fields again.
    pub continued: bool,
    /// Where that draft stands.
    pub draft: DraftState,
    /// Where the writer finds the finished document, for as long as such addresses live.
    pub document_url: Option<String>,
    /// Consent to sign electronically is needed before approval.
    pub must_consent: bool,
    /// A rejection gives the document back to the step before rather than end it.
    pub gives_back: bool,
    /// A later or the same step has given the document back, and it is not beyond that step again.
    pub returned: Option<GivenBack>,
}

/// That and why a document was given back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenBack {
    /// The name of the person who gave it back, as it was then.
    pub by: String,
    /// His step.
    pub from_order: u32,
    /// His words.
    pub reason: Option<String>,
}

/// A writer, as the page knows him.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningRecipient {
    /// His number.
    pub id: RecipientId,
    /// His step.
    pub order: u32,
    /// His name.
    pub name: String,
    /// His e-mail address or telephone number.
    pub email: String,
    /// His role, where the step has several.
    pub role: Option<String>,
    /// Has he seen the document?
    pub viewed: bool,
    /// Has he agreed to sign electronically?
    pub consented: bool,
    /// When he approved.
    pub approved_at: Option<Timestamp>,
}

/// A field on the page. The fields of one radio choice each come, with the choice's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldView {
    /// The field.
    pub field: Field,
    /// What it holds, as text: of a file its name. Of the writer's own fields what the draft holds.
    pub value: Option<String>,
    /// How that looks in this box.
    pub look: BoxLook,
    /// Why what the draft holds will be refused.
    pub fault: Option<Fault>,
    /// Is there a file to show (`signing_file`)?
    pub file: bool,
    /// Is it this writer's?
    pub mine: bool,
    /// May this writer write it now?
    pub editable: bool,
}

/// What came of an approval or rejection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// The workflow.
    pub workflow_id: WorkflowId,
    /// Its state now.
    pub status: Status,
    /// Others of the same step have not approved yet, so the next step does not begin.
    pub others_of_step: bool,
    /// The next document that waits for the same writer.
    pub next_document: Option<NextDocument>,
    /// Where the finished document is, if this completed it.
    pub document_url: Option<String>,
    /// Will the writer be sent the finished document? Of an embedded one its program tells him, and a company may choose not
    /// to.
    pub copy_is_sent: bool,
}

/// A link that was opened.
pub(crate) struct Session {
    pub(crate) snapshot: Snapshot,
    /// As whom; none: as the sender who watches.
    acts_as: Option<RecipientId>,
}

impl Session {
    /// A link of this recipient.
    pub(crate) fn of_recipient(snapshot: Snapshot, recipient: RecipientId) -> Session {
        Session {
            snapshot,
            acts_as: Some(recipient),
        }
    }

    pub(crate) fn recipient(&self) -> Option<&Recipient> {
        self.snapshot.stored.workflow.recipient(self.acts_as?)
    }

    pub(crate) fn writer(&self) -> Option<&Writer> {
        self.snapshot.stored.writer(self.acts_as?)
    }

    /// The field, where this writer may write it; faults name it.
    pub(crate) fn own_field(&self, recipient: &Recipient, name: &str) -> Result<&Field, Error> {
        writable(self.template(), &self.snapshot.values, recipient, Some(name), name).map_err(|fault| {
            let path = name.to_owned();
            Error::Unprocessable(vec![Fault { path, ..fault }])
        })
    }

    pub(crate) fn template(&self) -> &TemplateVersion {
        &self.snapshot.template.version
    }
}

impl App {
    /// Opens the signing page. Changes nothing.
    pub fn open_signing(&self, key: &SigningKey) -> Result<SigningView, Error> {
        let session = self.session_of(key)?;
        let snapshot = &session.snapshot;
        let workflow = &snapshot.stored.workflow;
        let recipient = session.recipient();
        let stage = self.stage(&session, key);
        let shows = self.missing_check(&session, key).is_none();
        let draft = match recipient {
            Some(recipient) if stage == Stage::Write => self.draft(&workflow.company, recipient.id)?.draft,
            _ => Draft::default(),
        };
        let must_consent = stage == Stage::Write
            && recipient.is_some_and(|recipient| needs_consent(session.template(), recipient))
            && session.writer().is_some_and(|writer| writer.consented_at.is_none());
        let gives_back = workflow.on_reject == OnReject::Return && workflow.turn().is_some_and(|order| order > 1);
        let returned = match recipient {
            Some(recipient) if stage == Stage::Write => self.given_back(snapshot, recipient.order)?,
            _ => None,
        };
        Ok(SigningView {
            gives_back,
            returned,
            hand_over: match recipient {
                Some(recipient) if stage == Stage::Write => self.may_hand_over(snapshot, recipient.order)?,
                _ => false,
            },
            continued: !draft.is_empty(),
            draft: recipient.map_or_else(DraftState::default, |recipient| draft.state(recipient)),
            document_url: recipient
                .filter(|_| shows)
                .and_then(|recipient| self.finished_document_url(snapshot, workflow, recipient.id)),
            workflow_id: workflow.id,
            workflow_name: workflow.name.clone(),
            company: workflow.company.clone(),
            company_name: snapshot.party.company_name.clone(),
            look: CompanyLook::of(&workflow.company, &snapshot.party.company_name, &snapshot.party.style),
            sender_name: snapshot.party.sender_name.clone(),
            language: recipient.map_or(workflow.language, |recipient| workflow.language_of(recipient)),
            zone: workflow.zone,
            comment: workflow.comment.clone().unwrap_or_default(),
            started_at: workflow.started_at,
            expires_at: workflow.expires_at,
            status: workflow.status_at(snapshot.at),
            rejected_by: match workflow.state {
                State::Rejected { recipient: id, .. } => workflow
                    .recipient(id)
                    .filter(|who| shows || recipient.is_some_and(|holder| holder.id == who.id))
                    .map(|who| signing_recipient(snapshot, who)),
                _ => None,
            },
            steps: workflow.last_order(),
            recipient: recipient.map(|recipient| signing_recipient(snapshot, recipient)),
            writers: workflow
                .recipients
                .iter()
                .map(|writer| signing_recipient(snapshot, writer))
                .collect(),
            writers_at_turn: workflow
                .writers_at_turn()
                .map(|writer| signing_recipient(snapshot, writer))
                .collect(),
            pages: if shows {
                session.template().pages.clone()
            } else {
                Vec::new()
            },
            template: workflow.template,
            template_version: workflow.template_version,
            pdf: session.template().pdf,
            fields: if shows {
                field_views(&session, &draft, &stage, &*self.fonts_of(&snapshot.stored)?)
            } else {
                Vec::new()
            },
            must_consent,
            stage,
        })
    }

    /// The last time that the document was given back from `order` or a later step: what its writer must know.
    fn given_back(&self, snapshot: &Snapshot, order: u32) -> Result<Option<GivenBack>, Error> {
        if snapshot.stored.workflow.on_reject != OnReject::Return {
            return Ok(None);
        }
        let events = named_events(&self.entries(snapshot)?);
        let erased = erased(snapshot.stored.workflow.language);
        Ok(events.into_iter().rev().find_map(|event| match event.event.event {
            EventKind::Returned { from_order, reason, .. } if from_order >= order => Some(GivenBack {
                by: event.recipient?.name.or(&erased).to_owned(),
                from_order,
                reason: reason.map(|reason| reason.or(&erased).to_owned()),
            }),
            _ => None,
        }))
    }

    /// Keeps that the writer has seen the document: the page itself says so.
    pub fn record_viewed(&self, key: &SigningKey, origin: &Origin) -> Result<(), Error> {
        let session = self.open_for_reading(key)?;
        let Some(recipient) = session.recipient() else {
            return Ok(());
        };
        let event = EventKind::Viewed {
            recipient: recipient.id,
        };
        self.note_of_writer(
            &session,
            recipient,
            origin,
            event,
            |_, _| Ok(()),
            store::workflow::set_viewed,
        )
    }

    /// Keeps that the writer agreed to sign electronically, to these words.
    pub fn give_consent(&self, key: &SigningKey, statement: &str, origin: &Origin) -> Result<(), Error> {
        let (session, recipient) = self.open_for_writing(key)?;
        let event = EventKind::Consented {
            recipient: recipient.id,
            statement: BlobHash::of(statement.as_bytes()),
        };
        let id = recipient.id;
        let his_turn = move |stored: &StoredWorkflow, at| stored.workflow.check_turn(id, at).map(drop).map_err(refused);
        self.note_of_writer(
            &session,
            &recipient,
            origin,
            event,
            his_turn,
            store::workflow::set_consented,
        )
    }

    /// Keeps something that the holder of a link did. What was read before may be old (the writer corrected, the document
    /// given back or ended in the meantime), so link and `rule` are judged by the transaction that writes.
    fn note_of_writer(
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

    /// The file in a field, where the holder of the key may see it.
    pub fn signing_file(&self, key: &SigningKey, field: &str) -> Result<FileContent, Error> {
        let session = self.open_for_reading(key)?;
        let draft = match session.recipient() {
            Some(recipient) => {
                self.draft(&session.snapshot.stored.workflow.company, recipient.id)?
                    .draft
            }
            None => Draft::default(),
        };
        let value = draft.filed(field);
        let value = value.or_else(|| Some(session.snapshot.values.get(field)?.value.clone()));
        self.shown_file_of(value.as_ref())
    }

    /// The document as it is before anybody signs it, for its writer, and a note in the chain that he took it.
    pub fn signing_original(&self, key: &SigningKey, origin: &Origin) -> Result<FileContent, Error> {
        let session = self.open_for_reading(key)?;
        let recipient = session.recipient().ok_or(Error::NotFound(Subject::File))?;
        let workflow = &session.snapshot.stored.workflow;
        let bytes = self.blobs.get(&session.template().pdf)?;
        let actor = origin.actor(Who::Recipient(recipient.id));
        let event = EventKind::OriginalTaken {
            recipient: recipient.id,
        };
        let link = Some((recipient.id, recipient.link_version));
        self.note_taking(&workflow.company, workflow.id, &actor, event, link)?;
        Ok(FileContent {
            file_name: format!("{}.pdf", file_stem(workflow)),
            media_type: "application/pdf".to_owned(),
            bytes,
        })
    }

    /// The image of a page of the document to be signed. `file` is the document's hash, as the address has it.
    pub fn page_image(&self, key: &SigningKey, file: &BlobHash, page: u32) -> Result<PagePart, Error> {
        let session = self.open_for_reading(key)?;
        self.image_of(&session.snapshot.template, file, page)
    }

    /// What a page of the document to be signed says.
    pub fn page_text(&self, key: &SigningKey, file: &BlobHash, page: u32) -> Result<PageAnswer, Error> {
        let session = self.open_for_reading(key)?;
        let snapshot = &session.snapshot;
        self.page_of(&snapshot.template.version.pdf, file, PartKind::Text, page)
    }

    pub(crate) fn image_of(&self, template: &StoredVersion, file: &BlobHash, page: u32) -> Result<PagePart, Error> {
        let hash = (page as usize)
            .checked_sub(1)
            .filter(|_| template.version.pdf == *file)
            .and_then(|index| template.page_images.get(index))
            .ok_or(Error::NotFound(Subject::Page))?;
        Ok(PagePart {
            bytes: self.blobs.get(hash)?.into(),
            hash: *hash,
        })
    }

    /// Approves what was filled in: what is given stands over the draft, of which the writer's page shows this revision (0
    /// where he has not filled in anything). Where it has another one, nothing is approved: 409 `draft-changed`.
    pub fn approve_by_link(
        &self,
        key: &SigningKey,
        revision: u64,
        texts: &BTreeMap<String, String>,
        comment: Option<&str>,
        origin: &Origin,
    ) -> Result<Signed, Error> {
        let (session, recipient) = self.open_for_writing(key)?;
        let comment = given_comment(comment, Vec::new())?;
        let consented = session.writer().is_some_and(|writer| writer.consented_at.is_some());
        if needs_consent(session.template(), &recipient) && !consented {
            return Err(Error::fault("consent", FaultCode::ConsentRequired));
        }
        let workflow = &session.snapshot.stored.workflow;
        let actor = origin.actor(Who::Recipient(recipient.id));
        let link_version = recipient.link_version;
        let approved = self.approve_as(
            &workflow.company.clone(),
            workflow.id,
            &actor,
            comment.as_deref(),
            &Source::Page { texts, revision },
            &|snapshot| same_link(&snapshot.stored.workflow, recipient.id, link_version),
        );
        if let Err(Error::Unavailable { .. }) = approved {
            // The approval is given again later; what was filled in must not be lost until then.
            if let Err(error) = self.save_draft(key, &DraftSeen::default(), texts) {
                tracing::warn!(%error, "what a writer filled in could not be kept as his draft");
            }
        }
        let after = approved?;
        self.signed(&session, key, &recipient, &after)
    }

    /// Rejects, with a reason.
    pub fn reject_by_link(&self, key: &SigningKey, comment: Option<&str>, origin: &Origin) -> Result<Signed, Error> {
        let (session, recipient) = self.open_for_writing(key)?;
        let comment = given_comment(comment, Vec::new())?;
        let workflow = &session.snapshot.stored.workflow;
        let actor = origin.actor(Who::Recipient(recipient.id));
        let link_version = recipient.link_version;
        let after = self.reject_as(
            &workflow.company.clone(),
            workflow.id,
            &actor,
            comment.as_deref(),
            &|snapshot| same_link(&snapshot.stored.workflow, recipient.id, link_version),
        )?;
        self.signed(&session, key, &recipient, &after)
    }

    /// Reads a key: a link that we made, that was not replaced, and whose recipient is still there.
    pub(crate) fn session_of(&self, key: &SigningKey) -> Result<Session, Error> {
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

    pub(crate) fn open_for_reading(&self, key: &SigningKey) -> Result<Session, Error> {
        let session = self.session_of(key)?;
        if !shows_document(&session.snapshot) {
            return Err(Error::conflict(ConflictCode::LinkReplaced));
        }
        self.check_codes(&session, key)?;
        Ok(session)
    }

    pub(crate) fn open_for_writing(&self, key: &SigningKey) -> Result<(Session, Recipient), Error> {
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

    /// What the holder of the key has to give before he is shown anything.
    pub(crate) fn missing_check(&self, session: &Session, key: &SigningKey) -> Option<ForbiddenCode> {
        let (recipient, writer, at) = (session.recipient()?, session.writer()?, session.snapshot.at);
        if !self.has_access(recipient, writer, key.proof.as_deref()) {
            Some(ForbiddenCode::AccessCode)
        } else if !self.has_given_one_time_code(recipient, writer, key.one_time_proof.as_deref(), at) {
            Some(ForbiddenCode::OneTimeCode)
        } else {
            None
        }
    }

    pub(crate) fn stage(&self, session: &Session, key: &SigningKey) -> Stage {
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
            // Nobody is sent a code to learn that there is nothing to sign yet, or any more.
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

    fn signed(
        &self,
        session: &Session,
        key: &SigningKey,
        recipient: &Recipient,
        after: &domain::Workflow,
    ) -> Result<Signed, Error> {
        let document_url = match after.state.status() {
            // Its links may have been revoked or renewed while it was sealed.
            Status::Complete => {
                let sealed = self.snapshot(&after.company, after.id)?;
                self.finished_document_url(&sealed, after, recipient.id)
            }
            _ => None,
        };
        let snapshot = &session.snapshot;
        Ok(Signed {
            workflow_id: after.id,
            status: after.state.status(),
            others_of_step: after.turn() == Some(recipient.order),
            next_document: self.next_document(session, key, recipient)?,
            document_url,
            copy_is_sent: !after.is_embedded() && snapshot.party.style.completed_mails.writers,
        })
    }
}

/// The sender's view works as long after the workflow's end as the links to its files, and not without the sender.
fn shows_view(snapshot: &Snapshot, version: u32) -> bool {
    let workflow = &snapshot.stored.workflow;
    let end = workflow.state.ended_at().unwrap_or(workflow.expires_at);
    let is_in_time = |links: LiveLinks| snapshot.at <= links.until(end, snapshot.party.link_days);
    !snapshot.party.sender_disabled && snapshot.stored.links.opened_by(version).is_some_and(is_in_time)
}

/// A signer's link shows the document while it is under way, and after the end as long as links to the finished files work:
/// it stays in their mailbox for good.
fn shows_document(snapshot: &Snapshot) -> bool {
    let Some(ended) = snapshot.stored.workflow.state.ended_at() else {
        return true;
    };
    let links = snapshot.stored.links.live();
    links.is_some_and(|links| snapshot.at <= links.until(ended, snapshot.party.link_days))
}

/// Consent is needed where the writer signs.
fn needs_consent(template: &TemplateVersion, recipient: &Recipient) -> bool {
    template
        .writer_fields(recipient.order, recipient.role.as_deref())
        .iter()
        .any(|field| field.kind.is_signature())
}

fn signing_recipient(snapshot: &Snapshot, recipient: &Recipient) -> SigningRecipient {
    let writer = snapshot.stored.writer(recipient.id);
    SigningRecipient {
        id: recipient.id,
        order: recipient.order,
        name: recipient.name.clone(),
        email: recipient.contact.as_given().to_owned(),
        role: recipient.role.clone(),
        viewed: writer.is_some_and(|writer| writer.viewed_at.is_some()),
        consented: writer.is_some_and(|writer| writer.consented_at.is_some()),
        approved_at: match recipient.progress {
            Progress::Approved { at } => Some(at),
            Progress::Waiting | Progress::Rejected { .. } => None,
        },
    }
}

/// What would fill itself with a text or number if the writer approved now; `None` where it would be empty.
pub(crate) fn self_filling(
    session: &Session,
    recipient: &Recipient,
    draft: &Draft,
) -> BTreeMap<String, Option<FieldValue>> {
    let mut known: BTreeMap<String, FieldValue> = session
        .snapshot
        .values
        .iter()
        .map(|(name, stored)| (name.clone(), stored.value.clone()))
        .collect();
    for (name, text) in &draft.texts {
        let Some(field) = session.template().field(name) else {
            continue;
        };
        match typed_value(field, text) {
            Ok(Some(value)) => known.insert(name.clone(), value),
            Ok(None) => known.remove(name),
            Err(_) => None,
        };
    }
    let company_name = &session.snapshot.stored.company_name;
    let mut filled: BTreeMap<_, _> =
        crate::values::value::self_filled(session.template(), recipient, company_name, &known)
            .into_iter()
            .collect();
    filled.retain(|_, value| !matches!(value, Some(FieldValue::Check(_))));
    filled
}

fn field_views(session: &Session, draft: &Draft, stage: &Stage, fonts: &Fonts) -> Vec<FieldView> {
    let values: &BTreeMap<String, StoredValue> = &session.snapshot.values;
    let recipient = session.recipient();
    let filled = match recipient {
        Some(recipient) if *stage == Stage::Write => self_filling(session, recipient, draft),
        _ => BTreeMap::new(),
    };
    let looks = Looks {
        template: session.template(),
        language: session.snapshot.stored.workflow.language,
        fonts,
    };
    let view = |field: &Field| {
        let mine = recipient.is_some_and(|recipient| field.belongs_to(recipient.order, recipient.role.as_deref()));
        let editable =
            *stage == Stage::Write && recipient.is_some_and(|recipient| is_editable(field, values, recipient));
        let mut held = values.get(&field.name).map(|stored| stored.value.clone());
        if let Some(value) = filled.get(&field.name) {
            held.clone_from(value);
        }
        let mut value = held.as_ref().map(FieldValue::to_wire);
        let mut fault = None;
        if editable && let Some(text) = draft.texts.get(&field.name) {
            // As typed, even half-finished; an empty text takes a file away.
            value = Some(text.clone()).filter(|text| !(field.kind.is_file() && text.is_empty()));
            held = if field.kind.is_file() {
                None
            } else {
                typed_value(field, text).unwrap_or_else(|refused| {
                    fault = Some(value_fault(field.name.clone(), field, &refused));
                    None
                })
            };
        }
        if editable && let Some(filed) = draft.filed(&field.name) {
            value = Some(filed.to_wire());
            held = Some(filed);
        }
        let look = held
            .as_ref()
            .map_or_else(|| Ok(BoxLook::default()), |held| looks.in_box(field, held));
        FieldView {
            field: field.clone(),
            value,
            look: look.unwrap_or_else(|refused| {
                fault = Some(refused);
                BoxLook::default()
            }),
            fault,
            file: held.as_ref().is_some_and(FieldValue::is_file),
            mine,
            editable,
        }
    };
    session.template().fields.iter().map(view).collect()
}
