//! A signer's entries before approval.
//!
//! A signer may have their page open more than once: on a telephone and a computer, in two tabs, or in one that was
//! offline for an hour. All pages write to one draft, and an approval uses all of it. These rules ensure that nobody
//! approves what their page does not show, and that no page overwrites data that it does not know:
//!
//! - **A draft has a revision**, which increases with every change. For each field, the draft stores the revision and
//!   the
//!   page of the last change. With each change a page says which revision it shows ([`DraftSeen`]). A field that
//!   another
//!   page has changed since then stays unchanged, and the response contains these fields ([`SavedDraft::newer`]).
//! - **An approval names the revision that its page shows**, and is refused as `draft-changed` if the draft has a
//!   different
//!   one. The transaction that writes the approval requires the draft that was read, so no unseen change can be saved
//!   in
//!   between.
//! - **A change after the approval is refused**, because both write the signer's row, so only one of them can come
//!   first.
//!
//! A link that is replaced keeps its draft with its revision, or ends it. Data that a device stored for another link
//! never counts as this draft.

use std::collections::{BTreeMap, BTreeSet};

use blobs::side_by_side;
use domain::{
    BlobHash, CompanyId, DrawnValue, Field, FieldKind, FieldValue, FileValue, LinkHolder, Recipient, RecipientId,
    Requester,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use store::HeldWorkflow;

use crate::App;
use crate::base::error::{ConflictCode, Error, Fault, FaultCode};
use crate::base::uploads::{MOST_BYTES, MOST_FILES, beyond_measure};
use crate::signing::page::self_filling;
use crate::signing::read_values::{is_editable, writable};
use crate::signing::session::{Session, SigningKey};
use crate::values::embedded_files::EmbeddedFiles;
use crate::values::look::{FieldLook, Looks, typed_value};
use crate::values::value::{NewValue, value_fault};
use crate::workflow::transition::Snapshot;

/// Maximum size of the texts of a draft, in bytes.
pub const LARGEST_DRAFT: usize = 256 * 1024;
/// Maximum length of a page's self-chosen ID, in bytes.
const LONGEST_PAGE: usize = 32;

/// The state of the draft as seen by the page that changes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftSeen {
    /// The revision that the page shows. `None` if unknown, so the change overwrites everything.
    pub revision: Option<u64>,
    /// The page's self-chosen ID, by which it recognises its own changes even if a response was lost.
    pub page: String,
}

/// The last change of a field in a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftChange {
    /// The new revision.
    pub revision: u64,
    /// The page that made the change ([`DraftSeen::page`]).
    pub page: String,
}

/// The state of a draft.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftState {
    /// The version of the signer's link. Each version has its own draft.
    pub link: u32,
    /// The revision, or 0 if there is no draft yet.
    pub revision: u64,
    /// The last change of each field.
    pub changes: BTreeMap<String, DraftChange>,
}

/// The result of a change.
#[derive(Debug, Clone)]
pub struct SavedDraft {
    /// The current revision of the draft.
    pub revision: u64,
    /// The outlines of the saved texts and of calculated values.
    pub looks: Vec<FieldLook>,
    /// Fields that other pages have changed since the revision that this page shows. They were left unchanged.
    pub newer: Vec<HeldField>,
}

/// A field of a draft and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldField {
    /// The value as text. For a file this is its name. Empty if the value was removed.
    pub value: String,
    /// Whether the value is a picture that can be shown (`signing_file`).
    pub picture: bool,
    /// The field's appearance, and the reason if its value will be refused.
    pub look: FieldLook,
}

/// A draft in stored form.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Draft {
    #[serde(default)]
    pub(crate) texts: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) files: BTreeMap<String, FileValue>,
    /// Signatures and seals that we draw. A field has either a file or a drawing.
    #[serde(default)]
    pub(crate) drawn: BTreeMap<String, DrawnValue>,
    #[serde(default)]
    revision: u64,
    #[serde(default)]
    changes: BTreeMap<String, DraftChange>,
}

/// The value of one field of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Held {
    /// The text as typed, even if incomplete. For a file field, an empty text removes the file.
    Text(String),
    File(FileValue),
    Drawn(DrawnValue),
}

/// A file that was checked, and its bytes.
type SentFile = (FileValue, Vec<u8>);

/// A draft, and the stored text from which it was read.
pub(crate) struct ReadDraft {
    pub(crate) draft: Draft,
    /// The stored draft. `None` if there is none.
    pub(crate) kept: Option<String>,
}

impl Draft {
    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.files.is_empty() && self.drawn.is_empty()
    }

    pub(crate) fn state(&self, recipient: &Recipient) -> DraftState {
        DraftState {
            link: recipient.link_version,
            revision: self.revision,
            changes: self.changes.clone(),
        }
    }

    /// Returns the file or drawing of a field.
    pub(in crate::signing) fn filed(&self, field: &str) -> Option<FieldValue> {
        let drawn = || self.drawn.get(field).cloned().map(FieldValue::Drawn);
        self.files.get(field).cloned().map(FieldValue::File).or_else(drawn)
    }

    /// Returns the hashes of the draft's files.
    fn hashes(&self) -> BTreeSet<BlobHash> {
        self.files.values().map(|file| file.hash).collect()
    }

    fn held(&self, field: &str) -> Option<Held> {
        let text = || self.texts.get(field).cloned().map(Held::Text);
        let drawn = || self.drawn.get(field).cloned().map(Held::Drawn);
        let file = self.files.get(field).cloned().map(Held::File);
        file.or_else(drawn).or_else(text)
    }

    fn put(&mut self, field: String, held: Held) {
        self.texts.remove(&field);
        self.files.remove(&field);
        self.drawn.remove(&field);
        match held {
            Held::Text(text) => drop(self.texts.insert(field, text)),
            Held::File(file) => drop(self.files.insert(field, file)),
            Held::Drawn(drawn) => drop(self.drawn.insert(field, drawn)),
        }
    }

    /// Whether another page has changed the field since this one read it.
    fn is_newer(&self, field: &str, seen: &DraftSeen) -> bool {
        let change = self.changes.get(field);
        seen.revision
            .zip(change)
            .is_some_and(|(revision, change)| change.revision > revision && change.page != seen.page)
    }

    /// Applies a page's changes, except to fields that are newer here. If nothing changes, there is no new revision, so
    /// a repeated request counts once.
    fn change(&mut self, changed: BTreeMap<String, Held>, seen: &DraftSeen) {
        let new: Vec<_> = changed
            .into_iter()
            .filter(|(field, held)| !self.is_newer(field, seen) && self.held(field).as_ref() != Some(held))
            .collect();
        if new.is_empty() {
            return;
        }
        self.revision = self.revision.saturating_add(1);
        for (field, held) in new {
            let change = DraftChange {
                revision: self.revision,
                page: seen.page.clone(),
            };
            self.changes.insert(field.clone(), change);
            self.put(field, held);
        }
    }

    fn newer(&self, seen: &DraftSeen) -> Vec<String> {
        let newer = self.changes.keys().filter(|field| self.is_newer(field, seen));
        newer.cloned().collect()
    }
}

impl App {
    /// Saves the signer's entries so far. Texts are saved as typed. A missing text leaves its field unchanged, and an
    /// empty one removes a file. Pictures may be sent as base64. Without texts, it only returns the changes that are
    /// newer than the page.
    pub fn save_draft(
        &self,
        key: &SigningKey,
        seen: &DraftSeen,
        texts: &BTreeMap<String, String>,
    ) -> Result<SavedDraft, Error> {
        let (session, recipient) = self.open_for_writing(key)?;
        let mut faults = Vec::new();
        let mut changed = BTreeMap::new();
        let mut files = Vec::new();
        for (name, text) in texts {
            let values = &session.snapshot.values;
            match writable(session.template(), values, &recipient, Some(name), name) {
                Err(fault) => faults.push(Fault {
                    path: name.clone(),
                    ..fault
                }),
                Ok(_) if text.contains('\0') => faults.push(Fault::new(name, FaultCode::ControlCharacter)),
                Ok(field) if field.kind.is_file() => match self.judged_file(&session, &recipient, field, text)? {
                    Err(fault) => faults.push(fault),
                    Ok(Some((value, bytes))) => {
                        files.push((value.clone(), bytes));
                        changed.insert(name.clone(), Held::File(value));
                    }
                    Ok(None) => drop(changed.insert(name.clone(), Held::Text(String::new()))),
                },
                Ok(_) => drop(changed.insert(name.clone(), Held::Text(text.clone()))),
            }
        }
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        self.keep_draft_files(key, &session, &recipient, &files)?;
        self.write_draft(key, &session, &recipient, seen, &changed)
    }

    pub fn upload_file(
        &self,
        key: &SigningKey,
        seen: &DraftSeen,
        field: &str,
        file_name: Option<&str>,
        bytes: Vec<u8>,
    ) -> Result<SavedDraft, Error> {
        let (session, recipient) = self.open_for_writing(key)?;
        let found = session.own_field(&recipient, field)?;
        if !found.kind.is_file() {
            return Err(Error::fault(field, FaultCode::FieldNotWritable));
        }
        self.check_room()?;
        let value = NewValue::file(found, file_name, bytes)
            .map_err(|fault| Error::Unprocessable(vec![value_fault(field.to_owned(), found, &fault)]))?;
        let requester = requester(&session, &recipient);
        let judged = self.judged(&requester, session.template(), found, value, field)?;
        let NewValue::File { value, bytes } = judged.map_err(|fault| Error::Unprocessable(vec![fault]))? else {
            return Err(Error::fault(field, FaultCode::InvalidFile));
        };
        self.keep_draft_files(key, &session, &recipient, &[(value.clone(), bytes)])?;
        let changed = BTreeMap::from([(field.to_owned(), Held::File(value))]);
        self.write_draft(key, &session, &recipient, seen, &changed)
    }

    /// Checks a file sent as text. `None` if the text is empty.
    fn judged_file(
        &self,
        session: &Session,
        recipient: &Recipient,
        field: &Field,
        text: &str,
    ) -> Result<Result<Option<SentFile>, Fault>, Error> {
        let value = match NewValue::read(field, text) {
            Err(fault) => return Ok(Err(value_fault(field.name.clone(), field, &fault))),
            Ok(NewValue::Nothing) => return Ok(Ok(None)),
            Ok(value) => value,
        };
        self.check_room()?;
        let requester = requester(session, recipient);
        let judged = self.judged(&requester, session.template(), field, value, &field.name)?;
        Ok(judged.map(|value| match value {
            NewValue::File { value, bytes } => Some((value, bytes)),
            _ => None,
        }))
    }

    pub(crate) fn draft(&self, company: &CompanyId, recipient: RecipientId) -> Result<ReadDraft, Error> {
        let company = company.clone();
        let kept = self
            .store
            .read(move |tx| store::workflow_value::draft(tx, &company, recipient).map_err(Error::from))?;
        Ok(ReadDraft {
            draft: parsed(kept.as_deref()),
            kept,
        })
    }

    /// Returns the draft for an approval, with `texts` replacing its own. The page of the person who approves must show
    /// this revision.
    pub(in crate::signing) fn draft_to_approve(
        &self,
        snapshot: &Snapshot,
        recipient: &Recipient,
        texts: &BTreeMap<String, String>,
        revision: u64,
    ) -> Result<ReadDraft, Error> {
        let mut read = self.draft(&snapshot.stored.workflow.company, recipient.id)?;
        if read.draft.revision != revision {
            return Err(Error::conflict(ConflictCode::DraftChanged));
        }
        // Ignores entries in fields that have become read-only since, because that is not the signer's fault.
        read.draft.texts.retain(|name, _| {
            let field = snapshot.template.version.field(name);
            field.is_some_and(|field| is_editable(field, &snapshot.values, recipient))
        });
        read.draft.texts.extend(texts.clone());
        Ok(read)
    }

    /// Records files as uploads, counts them against the limit of the signer's link, and only then stores them. They
    /// are loose until the draft refers to them.
    fn keep_draft_files(
        &self,
        key: &SigningKey,
        session: &Session,
        recipient: &Recipient,
        files: &[SentFile],
    ) -> Result<(), Error> {
        if files.is_empty() {
            return Ok(());
        }
        let announced: Vec<_> = files.iter().map(|(file, _)| (file.hash, file.length)).collect();
        let (company, id, at) = (
            session.snapshot.stored.workflow.company.clone(),
            recipient.id,
            self.now(),
        );
        self.hold(key, session, recipient, move |tx| {
            for file in &announced {
                store::upload::announce(tx, &company, id, *file, at)?;
            }
            let kept = store::upload::counted(tx, &company, id)?;
            if kept.bytes > MOST_BYTES || kept.files > MOST_FILES {
                return Err(Error::Unprocessable(vec![beyond_measure("data")]));
            }
            Ok(())
        })?;
        #[expect(clippy::disallowed_methods, reason = "each is announced above")]
        side_by_side(self.blobs.at_once(), files, |(_, bytes)| self.blobs.put(bytes))?;
        Ok(())
    }

    pub(in crate::signing) fn write_draft(
        &self,
        key: &SigningKey,
        session: &Session,
        recipient: &Recipient,
        seen: &DraftSeen,
        changed: &BTreeMap<String, Held>,
    ) -> Result<SavedDraft, Error> {
        if seen.page.len() > LONGEST_PAGE {
            let fault = Fault::new("page", FaultCode::TooLong).with("max", LONGEST_PAGE);
            return Err(Error::Unprocessable(vec![fault]));
        }
        let draft = if changed.is_empty() {
            self.draft(&session.snapshot.stored.workflow.company, recipient.id)?
                .draft
        } else {
            let (seen, changed) = (seen.clone(), changed.clone());
            let values = &session.snapshot.values;
            let others = EmbeddedFiles::of(session.template(), |name| values.get(name)?.value.file());
            self.change_draft(key, session, recipient, move |draft| {
                draft.change(changed.clone(), &seen);
                let mut embedded = others.clone();
                for name in draft.files.keys().chain(draft.texts.keys()) {
                    let file = draft.files.get(name).filter(|_| !draft.texts.contains_key(name));
                    embedded.set(name, file);
                }
                match embedded.fault(changed.keys().map(String::as_str), str::to_owned) {
                    Some(fault) => Err(Error::Unprocessable(vec![fault])),
                    None => Ok(()),
                }
            })?
        };
        self.saved(session, recipient, seen, changed, &draft)
    }

    /// Builds the response to a change of the draft.
    fn saved(
        &self,
        session: &Session,
        recipient: &Recipient,
        seen: &DraftSeen,
        changed: &BTreeMap<String, Held>,
        draft: &Draft,
    ) -> Result<SavedDraft, Error> {
        let fonts = self.fonts_of(&session.snapshot.stored)?;
        let template = session.template();
        let looks = Looks {
            template,
            language: session.snapshot.stored.workflow.language,
            fonts: &fonts,
        };
        let mut newer = draft.newer(seen);
        // Nothing is reported if both pages have the same value.
        newer.retain(|name| draft.held(name).as_ref() != changed.get(name));
        let typed = changed.keys().filter(|name| !newer.contains(name)).filter_map(|name| {
            let value = typed_value(template.field(name)?, draft.texts.get(name)?);
            Some(looks.of_field(name, &value))
        });
        // The day changes while a page is open.
        let is_changing = |field: &Field| matches!(field.kind, FieldKind::Calc | FieldKind::SignedOn);
        let filling = self_filling(session, recipient, draft)
            .into_iter()
            .filter(|(name, _)| template.field(name).is_some_and(is_changing))
            .map(|(name, value)| looks.of_field(&name, &Ok(value)));
        let held = newer.iter().filter_map(|name| {
            let field = template.field(name)?;
            let (value, picture, look) = match draft.held(name)? {
                Held::Text(text) => {
                    let value = typed_value(field, &text);
                    (text, false, looks.of_field(name, &value))
                }
                Held::File(file) => (file.file_name, field.kind.is_picture(), looks.of_field(name, &Ok(None))),
                Held::Drawn(drawn) => (drawn.file_name, true, looks.of_field(name, &Ok(None))),
            };
            Some(HeldField { value, picture, look })
        });
        Ok(SavedDraft {
            revision: draft.revision,
            looks: typed.chain(filling).collect(),
            newer: held.collect(),
        })
    }

    /// Changes and returns the draft, if the signer has not acted and their link was not replaced. If a draft and an
    /// approval arrive at the same time, either the draft comes first and the approval is refused because its page does
    /// not show it, or the draft is refused.
    fn change_draft(
        &self,
        key: &SigningKey,
        session: &Session,
        recipient: &Recipient,
        change: impl Fn(&mut Draft) -> Result<(), Error> + Send + 'static,
    ) -> Result<Draft, Error> {
        let company = session.snapshot.stored.workflow.company.clone();
        let (id, at) = (recipient.id, self.now());
        self.hold(key, session, recipient, move |tx| {
            let before = parsed(store::workflow_value::draft(tx, &company, id)?.as_deref());
            let mut draft = before.clone();
            change(&mut draft)?;
            keep(tx, &company, id, &draft, at)?;
            let (then, now) = (before.hashes(), draft.hashes());
            for hash in now.difference(&then) {
                // The upload was recorded long ago and has been removed since, so the file must be sent again.
                if !store::upload::name(tx, &company, id, *hash)? {
                    return Err(Error::busy(1));
                }
            }
            for hash in then.difference(&now) {
                store::upload::loosen(tx, &company, id, *hash, at)?;
            }
            Ok(draft)
        })
    }

    /// Writes data for a signer who has not acted yet and whose link was not replaced.
    fn hold<T: Send + 'static>(
        &self,
        key: &SigningKey,
        session: &Session,
        recipient: &Recipient,
        write: impl Fn(&mut HeldWorkflow<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let workflow = &session.snapshot.stored.workflow;
        let (company, workflow) = (workflow.company.clone(), workflow.id);
        let (id, link_version) = (recipient.id, recipient.link_version);
        let written = self.store.write::<_, Error, _>(move |tx| {
            let Some(mut held) = store::hold(tx, &company, workflow)? else {
                return Ok(None);
            };
            if !store::workflow::hold_writer(&mut held, &company, id, link_version)? {
                return Ok(None);
            }
            write(&mut held).map(Some)
        })?;
        if let Some(written) = written {
            return Ok(written);
        }
        // Fails with the current state.
        self.open_for_writing(key)?;
        Err(Error::conflict(ConflictCode::Changed))
    }
}

fn requester(session: &Session, recipient: &Recipient) -> Requester {
    Requester::Link {
        company: session.snapshot.stored.workflow.company.clone(),
        holder: LinkHolder::Signer(recipient.id),
    }
}

fn keep(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    recipient: RecipientId,
    draft: &Draft,
    at: Timestamp,
) -> Result<(), Error> {
    let text = serde_json::to_string(draft).map_err(|error| Error::internal("keeping a draft", error))?;
    if text.len() > LARGEST_DRAFT {
        let fault = Fault::new("values", FaultCode::DraftTooLarge).with("limit", LARGEST_DRAFT);
        return Err(Error::Unprocessable(vec![fault]));
    }
    Ok(store::workflow_value::save_draft(held, company, recipient, &text, at)?)
}

/// An unreadable draft is only an inconvenience, not a failure.
fn parsed(kept: Option<&str>) -> Draft {
    kept.and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default()
}
