//! Completed files, and files in fields, through the API and through the links in responses, webhooks and mails.
//!
//! The audit trail says who downloaded a file. Links are passed around, and a program may fetch a file in a loop, so
//! the number of entries is limited. Downloads of a file by the same member, or by any holder of its link from the same
//! network address, are recorded once an hour, and those from all addresses together twenty times an hour.

use domain::{
    BlobHash, CompanyId, Event, EventKind, FileKind, Language, PageSize, RecipientId, Status, Who, Workflow,
    WorkflowId, Zone,
};
use jiff::{SignedDuration, Timestamp};

use crate::App;
use crate::base::actor::Actor;
use crate::base::error::{ConflictCode, Error, Subject};
use crate::base::origin::Origin;
use crate::companies::company_look::CompanyLook;
use crate::links::link_token::same_link;
use crate::signing::session::SigningKey;
use crate::signing::signers_files::check_file_link;
use crate::templates::page_cache::PartKind;
use crate::templates::page_part::PageAnswer;
use crate::workflow::transition::{Snapshot, conflict};

/// Period in which downloads from one address are recorded once, and at most this many in total.
const TOLD_FOR: SignedDuration = SignedDuration::from_hours(1);
const MOST_TOLD: usize = 20;
/// Number of earlier entries to search, including entries of other kinds.
const LOOKED_BACK: u32 = 100;

/// A complete file.
#[derive(Clone, PartialEq, Eq)]
pub struct FileContent {
    pub file_name: String,
    pub media_type: String,
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for FileContent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileContent")
            .field("file_name", &self.file_name)
            .field("media_type", &self.media_type)
            .field("length", &self.bytes.len())
            .finish()
    }
}

/// A completed file that a link opens.
#[derive(Debug, Clone)]
pub struct LinkedFile {
    pub kind: FileKind,
    pub workflow_id: WorkflowId,
    pub workflow_name: String,
    pub company_name: String,
    /// The company's appearance.
    pub look: CompanyLook,
    /// The workflow's language.
    pub language: Language,
    /// The time zone for displayed dates.
    pub zone: Zone,
    pub completed_at: Timestamp,
    /// Time when the link expires.
    pub expires: Option<Timestamp>,
    /// The file's name in the file store.
    pub hash: BlobHash,
    pub file: FileContent,
}

/// An opened link to a completed file, before the file is read.
struct OpenedLink {
    snapshot: Snapshot,
    kind: FileKind,
    hash: BlobHash,
    expires: Option<Timestamp>,
    /// The signer whose personal link this is.
    signer: Option<RecipientId>,
}

impl App {
    /// What a download of a finished file would return, without one: nothing is recorded.
    pub fn unrecorded_file(&self, actor: &Actor, id: WorkflowId, kind: FileKind) -> Result<FileContent, Error> {
        let caller = actor.must_read()?.member()?;
        let snapshot = self.timely_snapshot(&caller.company, id)?;
        match kind {
            FileKind::Document => self.finished_file(&snapshot, kind),
            FileKind::Certificate => self.certificate_file(&snapshot),
        }
    }

    /// Returns the sealed document.
    pub fn document(&self, actor: &Actor, id: WorkflowId, origin: &Origin) -> Result<FileContent, Error> {
        let caller = actor.must_read()?.member()?;
        let snapshot = self.timely_snapshot(&caller.company, id)?;
        let file = self.finished_file(&snapshot, FileKind::Document)?;
        let doer = App::member_actor(caller, origin);
        let event = EventKind::Downloaded {
            file: FileKind::Document,
        };
        self.note_taking(&caller.company, id, &doer, event, None)?;
        Ok(file)
    }

    /// Returns the history certificate. For a workflow that ended early, it is created in this call.
    pub fn certificate(&self, actor: &Actor, id: WorkflowId, origin: &Origin) -> Result<FileContent, Error> {
        let caller = actor.must_read()?.member()?;
        let snapshot = self.timely_snapshot(&caller.company, id)?;
        let file = self.certificate_file(&snapshot)?;
        let doer = App::member_actor(caller, origin);
        let event = EventKind::Downloaded {
            file: FileKind::Certificate,
        };
        self.note_taking(&caller.company, id, &doer, event, None)?;
        Ok(file)
    }

    fn certificate_file(&self, snapshot: &Snapshot) -> Result<FileContent, Error> {
        match snapshot.stored.workflow.state.status() {
            Status::Playing => Err(conflict(ConflictCode::NotComplete, Status::Playing)),
            Status::Complete => self.finished_file(snapshot, FileKind::Certificate),
            Status::Rejected | Status::Canceled | Status::Expired => {
                let entries = self.entries(snapshot)?;
                let patience = self.proof_patience();
                let sealed =
                    self.sealed_certificate(snapshot, &snapshot.stored.workflow, &entries, None, None, &patience)?;
                Ok(file_content(snapshot, FileKind::Certificate, sealed.bytes))
            }
        }
    }

    /// Returns the file in a field: a signature, a picture or an attachment. A signature or seal that we drew is a PNG.
    pub fn field_file(&self, actor: &Actor, id: WorkflowId, name: &str) -> Result<FileContent, Error> {
        let snapshot = self.snapshot(actor.must_read()?.company(), id)?;
        let field = snapshot.template.version.field_called(name);
        let name = &field.ok_or(Error::NotFound(Subject::Field))?.name;
        self.file_of(snapshot.values.get(name).map(|stored| &stored.value))
    }

    /// Returns the completed file that a link opens, and records the download in the chain. A link that has expired or
    /// was replaced is a conflict.
    pub fn linked_file(&self, key: &SigningKey, origin: &Origin) -> Result<LinkedFile, Error> {
        let opened = self.open_link(key)?;
        let actor = origin.actor(opened.signer.map_or(Who::LinkHolder, Who::Recipient));
        let company = opened.snapshot.stored.workflow.company.clone();
        let linked = self.read_linked(opened)?;
        let event = EventKind::Downloaded { file: linked.kind };
        self.note_taking(&company, linked.workflow_id, &actor, event, None)?;
        Ok(linked)
    }

    /// Records a download, unless the audit trail already contains it. `link` is the recipient who downloaded the file,
    /// and the version of their link, which must not have been replaced since.
    pub(in crate::signing) fn note_taking(
        &self,
        company: &CompanyId,
        id: WorkflowId,
        actor: &domain::Actor,
        event: EventKind,
        link: Option<(RecipientId, u32)>,
    ) -> Result<(), Error> {
        let at = self.now();
        let since = at.checked_sub(TOLD_FOR).unwrap_or(Timestamp::MIN);
        let (wanted, by, taken) = (company.clone(), actor.clone(), event.clone());
        self.note(company, id, (actor, at), &[event], move |tx| {
            if let Some((recipient, version)) = link {
                let stored = store::workflow::load(tx, &wanted, id)?.ok_or(Error::NotFound(Subject::Link))?;
                same_link(&stored.workflow, recipient, version)?;
            }
            let latest = store::audit::latest(tx, &wanted, id, LOOKED_BACK)?;
            let told: Vec<Event> = latest
                .iter()
                .filter(|entry| entry.at > since)
                .filter_map(domain::Entry::event)
                // Entries about a previous person in this place do not count for the current one.
                .take_while(|told| told.event.successor().is_none() || told.event.recipient() != taken.recipient())
                .filter(|told| told.event == taken && told.actor.who == by.who)
                .collect();
            Ok(told.len() < MOST_TOLD && told.iter().all(|told| told.actor.address != by.address))
        })
    }

    /// Returns the file for viewing. Opening the viewer changes nothing.
    pub fn shown_file(&self, key: &SigningKey) -> Result<LinkedFile, Error> {
        self.read_linked(self.open_link(key)?)
    }

    /// Returns the file with the displayed sizes of its pages.
    pub fn shown_pages(&self, key: &SigningKey) -> Result<(LinkedFile, Vec<PageSize>), Error> {
        let linked = self.shown_file(key)?;
        let sizes = document::pages::render::page_sizes(&linked.file.bytes)
            .map_err(|fault| Error::internal("measuring a finished file", fault))?;
        Ok((linked, sizes))
    }

    /// Returns the image of a page of the file. `file` is the hash in the address.
    pub fn shown_page(&self, key: &SigningKey, file: &BlobHash, page: u32) -> Result<PageAnswer, Error> {
        let opened = self.open_link(key)?;
        self.page_of(&opened.hash, file, PartKind::Picture, page)
    }

    /// Returns the text of a page of the file.
    pub fn shown_text(&self, key: &SigningKey, file: &BlobHash, page: u32) -> Result<PageAnswer, Error> {
        let opened = self.open_link(key)?;
        self.page_of(&opened.hash, file, PartKind::Text, page)
    }

    fn read_linked(&self, opened: OpenedLink) -> Result<LinkedFile, Error> {
        let OpenedLink {
            snapshot,
            kind,
            hash,
            expires,
            signer,
        } = opened;
        let workflow = &snapshot.stored.workflow;
        let signer = signer.and_then(|signer| workflow.recipient(signer));
        Ok(LinkedFile {
            kind,
            workflow_id: workflow.id,
            workflow_name: workflow.name.clone(),
            company_name: snapshot.party.company_name.clone(),
            look: CompanyLook::of(&workflow.company, &snapshot.party.company_name, &snapshot.party.style),
            language: signer.map_or(workflow.language, |signer| workflow.language_of(signer)),
            zone: workflow.zone,
            completed_at: workflow.state.ended_at().unwrap_or(snapshot.at),
            expires,
            hash,
            file: file_content(&snapshot, kind, self.blobs.get(&hash)?),
        })
    }

    fn open_link(&self, key: &SigningKey) -> Result<OpenedLink, Error> {
        let read = self.outgoing.addresses.read(&key.token).and_then(|token| {
            let kind = token.purpose.file()?;
            Some((token, kind))
        });
        let (token, kind) = read.ok_or(Error::NotFound(Subject::Link))?;
        let (snapshot, signer) = if token.purpose.is_signers_file() {
            let session = self.signers_file_session(token)?;
            self.check_codes(&session, key)?;
            (session.snapshot, Some(RecipientId(token.subject)))
        } else {
            let id = WorkflowId(token.subject);
            let company = self.company_of_link(id)?;
            let snapshot = self.snapshot(&company, id)?;
            check_file_link(&snapshot, token)?;
            (snapshot, None)
        };
        let hash = self.finished_hash(&snapshot, kind)?;
        Ok(OpenedLink {
            snapshot,
            kind,
            hash,
            expires: token.expires,
            signer,
        })
    }

    pub(in crate::signing) fn company_of_link(&self, id: WorkflowId) -> Result<CompanyId, Error> {
        self.store
            .read(move |tx| store::workflow::company_of(tx, id).map_err(Error::from))?
            .ok_or(Error::NotFound(Subject::Link))
    }

    /// Returns a file of a complete workflow. Fails with 409 before that.
    fn finished_file(&self, snapshot: &Snapshot, kind: FileKind) -> Result<FileContent, Error> {
        let hash = self.finished_hash(snapshot, kind)?;
        Ok(file_content(snapshot, kind, self.blobs.get(&hash)?))
    }

    /// Returns the file's name in the file store.
    fn finished_hash(&self, snapshot: &Snapshot, kind: FileKind) -> Result<BlobHash, Error> {
        let workflow = &snapshot.stored.workflow;
        let status = workflow.state.status();
        if status != Status::Complete {
            return Err(conflict(ConflictCode::NotComplete, status));
        }
        let (company, id) = (workflow.company.clone(), workflow.id);
        let sealed = self
            .store
            .read(move |tx| store::workflow::sealed(tx, &company, id).map_err(Error::from))?
            .ok_or(Error::NotFound(Subject::File))?;
        Ok(match kind {
            FileKind::Document => sealed.document,
            FileKind::Certificate => sealed.certificate,
        })
    }
}

/// Returns a workflow's name as a file name, without the extension.
pub(in crate::signing) fn file_stem(workflow: &Workflow) -> String {
    let stem = stem(&workflow.name);
    if stem.is_empty() { workflow.id.to_string() } else { stem }
}

fn stem(name: &str) -> String {
    let name: String = name
        .chars()
        .filter(|character| !character.is_control() && !"/\\<>:\"|?*".contains(*character))
        .collect();
    let name = name.trim().trim_start_matches('.');
    match name.len().checked_sub(4).and_then(|at| name.split_at_checked(at)) {
        Some((stem, ending)) if ending.eq_ignore_ascii_case(".pdf") => stem.trim_end().to_owned(),
        _ => name.to_owned(),
    }
}

fn file_content(snapshot: &Snapshot, kind: FileKind, bytes: Vec<u8>) -> FileContent {
    let workflow = &snapshot.stored.workflow;
    let name = file_stem(workflow);
    let file_name = match kind {
        FileKind::Document => format!("{name}.pdf"),
        FileKind::Certificate => {
            format!(
                "{name} - {}.pdf",
                i18n::text(workflow.language, "certificate-file-certificate", &[])
            )
        }
    };
    FileContent {
        file_name,
        media_type: "application/pdf".to_owned(),
        bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn a_file_has_one_ending_whatever_its_document_is_called() {
        for (name, expected) in [
            ("report", "report"),
            ("report.pdf", "report"),
            ("급여 명세.PDF", "급여 명세"),
            ("契約書 .pdf ", "契約書"),
            ("a/b:c", "abc"),
            ("..pdf", "pdf"),
            (".pdf", "pdf"),
            ("報告", "報告"),
            ("1.pdf.pdf", "1.pdf"),
        ] {
            assert_eq!(stem(name), expected, "{name}");
        }
    }
}
