//! The content of the signing page: its document, fields and people.

use std::collections::BTreeMap;

use document::text::fonts::Fonts;
use domain::{
    BlobHash, CompanyId, EventKind, Field, FieldValue, Language, OnReject, PageSize, Progress, Recipient, RecipientId,
    State, Status, TemplateId, Who, WorkflowId, Zone, named_events,
};
use jiff::Timestamp;
use store::template::StoredVersion;
use store::workflow_value::StoredValue;

use crate::App;
use crate::base::error::{Error, Fault, Subject};
use crate::base::origin::Origin;
use crate::base::text::{erased, test_mark};
use crate::companies::company_look::CompanyLook;
use crate::signing::consent::needs_consent;
use crate::signing::draft::{Draft, DraftState};
use crate::signing::files::{FileContent, file_stem};
use crate::signing::read_values::is_editable;
use crate::signing::session::{Session, SigningKey, Stage};
use crate::templates::page_cache::PartKind;
use crate::templates::page_part::{PageAnswer, PagePart};
use crate::values::look::{BoxLook, Looks, typed_value};
use crate::values::value::{self_filled, value_fault};
use crate::workflow::transition::Snapshot;

#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools)] // facts that a page tells, not states
pub struct SigningView {
    pub workflow_id: WorkflowId,
    pub workflow_name: String,
    pub company: CompanyId,
    pub company_name: String,
    /// The word across every page of a test, in the document's language.
    pub test_mark: Option<String>,
    /// The company's appearance.
    pub look: CompanyLook,
    pub sender_name: String,
    /// The page's language, unless the address specifies one.
    pub language: Language,
    /// The time zone for displayed dates.
    pub zone: Zone,
    /// The sender's message.
    pub comment: String,
    pub started_at: Timestamp,
    /// Time when the workflow expires.
    pub expires_at: Timestamp,
    pub status: Status,
    /// The signer who declined. Visible to other signers only if they may see the document.
    pub rejected_by: Option<SigningRecipient>,
    /// Number of steps.
    pub steps: u32,
    /// The state of the page for this signer.
    pub stage: Stage,
    /// The signer. `None` in the sender's view.
    pub recipient: Option<SigningRecipient>,
    /// All signers, in order of step and place.
    pub writers: Vec<SigningRecipient>,
    /// The signers whose turn it is.
    pub writers_at_turn: Vec<SigningRecipient>,
    /// The pages. Empty while a code is needed.
    pub pages: Vec<PageSize>,
    pub template: TemplateId,
    pub template_version: u32,
    /// The document to be signed.
    pub pdf: BlobHash,
    /// The fields. Empty while a code is needed.
    pub fields: Vec<FieldView>,
    /// Whether the signer can assign the document to someone else.
    pub hand_over: bool,
    /// Whether the fields contain earlier entries from a saved draft.
    pub continued: bool,
    /// The draft's state.
    pub draft: DraftState,
    /// The link to the completed document, while such links work.
    pub document_url: Option<String>,
    /// Whether the signer must consent to sign electronically before approval.
    pub must_consent: bool,
    /// Whether declining returns the document to the previous step instead of ending the workflow.
    pub gives_back: bool,
    /// Set if this or a later step has returned the document, until the document passes that step again.
    pub returned: Option<GivenBack>,
}

/// The person who returned a document, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenBack {
    /// The name of this person at that time.
    pub by: String,
    /// The person's step.
    pub from_order: u32,
    /// The person's comment.
    pub reason: Option<String>,
}

/// A signer as shown on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningRecipient {
    pub id: RecipientId,
    pub order: u32,
    pub name: String,
    /// The signer's e-mail address or telephone number.
    pub email: String,
    /// The signer's role, if the step has several.
    pub role: Option<String>,
    /// Whether the signer has viewed the document.
    pub viewed: bool,
    /// Whether the signer has agreed to sign electronically.
    pub consented: bool,
    /// Time of the approval.
    pub approved_at: Option<Timestamp>,
}

/// A field on the page. Each field of a radio choice is listed, with the value of the choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldView {
    pub field: Field,
    /// The value as text. For a file this is its name. The signer's own fields contain the values of the draft.
    pub value: Option<String>,
    /// The appearance of the value in this box.
    pub look: BoxLook,
    /// The reason why the draft's value will be refused.
    pub fault: Option<Fault>,
    /// Whether there is a file to show (`signing_file`).
    pub file: bool,
    /// Whether the field is this signer's.
    pub mine: bool,
    /// Whether this signer may fill in the field at the moment.
    pub editable: bool,
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
            Some(recipient) if stage == Stage::Write => self.last_return(snapshot, recipient.order)?,
            _ => None,
        };
        let views = |recipients: &mut dyn Iterator<Item = &Recipient>| {
            recipients
                .map(|recipient| signing_recipient(snapshot, recipient))
                .collect()
        };
        Ok(SigningView {
            gives_back,
            returned,
            hand_over: match recipient {
                Some(recipient) if stage == Stage::Write => self.may_reassign(snapshot, recipient.order)?,
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
            test_mark: workflow.is_test.then(|| test_mark(workflow.language)),
            sender_name: snapshot.party.sender_name.clone(),
            language: recipient.map_or(workflow.language, |recipient| workflow.language_of(recipient)),
            zone: workflow.zone,
            comment: workflow.comment.clone().unwrap_or_default(),
            started_at: workflow.started_at,
            expires_at: workflow.expires_at,
            status: workflow.status_at(snapshot.at),
            rejected_by: rejected_by(snapshot, recipient, shows),
            steps: workflow.last_order(),
            recipient: recipient.map(|recipient| signing_recipient(snapshot, recipient)),
            writers: views(&mut workflow.recipients.iter()),
            writers_at_turn: views(&mut workflow.writers_at_turn()),
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

    /// Returns the last return of the document by step `order` or a later one, which the signer must be informed of.
    fn last_return(&self, snapshot: &Snapshot, order: u32) -> Result<Option<GivenBack>, Error> {
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

    /// Returns the file in a field, if the holder of the key can see it.
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

    /// The document before anyone has signed it. Records in the audit trail that the signer downloaded it.
    /// Without an origin, nobody does: it is only looked at.
    pub fn signing_original(&self, key: &SigningKey, origin: Option<&Origin>) -> Result<FileContent, Error> {
        let session = self.open_for_reading(key)?;
        let recipient = session.recipient().ok_or(Error::NotFound(Subject::File))?;
        let workflow = &session.snapshot.stored.workflow;
        let bytes = self.blobs.get(&session.template().pdf)?;
        if let Some(origin) = origin {
            let actor = origin.actor(Who::Recipient(recipient.id));
            let event = EventKind::OriginalTaken {
                recipient: recipient.id,
            };
            let link = Some((recipient.id, recipient.link_version));
            self.note_taking(&workflow.company, workflow.id, &actor, event, link)?;
        }
        Ok(FileContent {
            file_name: format!("{}.pdf", file_stem(workflow)),
            media_type: "application/pdf".to_owned(),
            bytes,
        })
    }

    /// Returns the image of a page of the document to be signed. `file` is the document's hash from the address.
    pub fn page_image(&self, key: &SigningKey, file: &BlobHash, page: u32) -> Result<PagePart, Error> {
        let session = self.open_for_reading(key)?;
        self.image_of(&session.snapshot.template, file, page)
    }

    /// Returns the text of a page of the document.
    pub fn page_text(&self, key: &SigningKey, file: &BlobHash, page: u32) -> Result<PageAnswer, Error> {
        let session = self.open_for_reading(key)?;
        let snapshot = &session.snapshot;
        self.page_of(&snapshot.template.version.pdf, file, PartKind::Text, page)
    }

    pub(in crate::signing) fn image_of(
        &self,
        template: &StoredVersion,
        file: &BlobHash,
        page: u32,
    ) -> Result<PagePart, Error> {
        let hash = (page as usize)
            .checked_sub(1)
            .filter(|_| template.version.pdf == *file)
            .and_then(|index| template.page_images.get(index))
            .ok_or(Error::NotFound(Subject::Page))?;
        Ok(PagePart {
            bytes: self.blobs.get_often(hash)?,
            hash: *hash,
        })
    }
}

/// Returns the signer who declined. Visible to others only if they may see the document.
fn rejected_by(snapshot: &Snapshot, holder: Option<&Recipient>, shows: bool) -> Option<SigningRecipient> {
    let State::Rejected { recipient: id, .. } = snapshot.stored.workflow.state else {
        return None;
    };
    snapshot
        .stored
        .workflow
        .recipient(id)
        .filter(|who| shows || holder.is_some_and(|holder| holder.id == who.id))
        .map(|who| signing_recipient(snapshot, who))
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

/// The text, number or date that would fill itself in if the signer approved now. `None` if it would be empty.
pub(in crate::signing) fn self_filling(
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
    let signer = session.snapshot.signer_now(recipient);
    let mut filled: BTreeMap<_, _> = self_filled(session.template(), signer, &known).into_iter().collect();
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
            // The text as typed, even if incomplete. An empty text removes a file.
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
