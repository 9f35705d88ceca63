//! A signer's personal link to the completed files.
//!
//! A signer who had to enter a code to see the document must also enter one to see the result. Their mail and their
//! signing page contain personal links, whose page asks for the access code, or sends a one-time code under the same
//! rules as the signing page, and accepts the same proof. Such a link ends together with the workflow's other links to
//! its files.

use domain::{FileKind, Language, RecipientId, Status, Workflow};
use store::workflow::Writer;

use crate::App;
use crate::base::error::{ConflictCode, Error, ForbiddenCode, Subject};
use crate::companies::company_look::CompanyLook;
use crate::links::link_token::LinkToken;
use crate::signing::page::SigningView;
use crate::signing::session::{Session, SigningKey, Stage};
use crate::workflow::transition::Snapshot;

/// A page's request for a code.
#[derive(Debug, Clone)]
pub struct CodeQuestion {
    pub workflow_name: String,
    /// The company's appearance.
    pub look: CompanyLook,
    /// The page's language, unless the address specifies one.
    pub language: Language,
    /// The required code, if any.
    pub stage: Stage,
    /// Whether the document is complete, so that there is nothing left to remind of.
    pub is_complete: bool,
}

impl From<&SigningView> for CodeQuestion {
    fn from(view: &SigningView) -> Self {
        Self {
            workflow_name: view.workflow_name.clone(),
            look: view.look.clone(),
            language: view.language,
            stage: view.stage.clone(),
            is_complete: view.status == Status::Complete,
        }
    }
}

impl App {
    /// Returns the code that the holder of the key has to enter before the link shows anything.
    pub fn code_question(&self, key: &SigningKey) -> Result<CodeQuestion, Error> {
        let session = self.code_session(key)?;
        let workflow = &session.snapshot.stored.workflow;
        let party = &session.snapshot.party;
        Ok(CodeQuestion {
            workflow_name: workflow.name.clone(),
            look: CompanyLook::of(&workflow.company, &party.company_name, &party.style),
            language: session
                .recipient()
                .map_or(workflow.language, |recipient| workflow.language_of(recipient)),
            stage: self.stage(&session, key),
            is_complete: workflow.state.status() == Status::Complete,
        })
    }

    /// Returns the session of the link whose page asks for a code: the signing page, or a signer's completed files.
    pub(in crate::signing) fn code_session(&self, key: &SigningKey) -> Result<Session, Error> {
        match self.outgoing.addresses.read(&key.token) {
            Some(token) if token.purpose.is_signers_file() => self.signers_file_session(token),
            _ => self.session_of(key),
        }
    }

    /// Opens a signer's personal link to a completed file. This proves nothing yet, so the caller asks for the codes.
    pub(in crate::signing) fn signers_file_session(&self, token: LinkToken) -> Result<Session, Error> {
        let signer = RecipientId(token.subject);
        let (company, workflow) = self
            .store
            .read(move |tx| store::workflow::of_recipient(tx, signer).map_err(Error::from))?
            .ok_or(Error::NotFound(Subject::Link))?;
        let snapshot = self.snapshot(&company, workflow)?;
        check_file_link(&snapshot, token)?;
        Ok(Session::of_recipient(snapshot, signer))
    }

    /// Checks that the holder of the key may see the files behind a signer's personal link.
    pub(in crate::signing) fn check_codes(&self, session: &Session, key: &SigningKey) -> Result<(), Error> {
        match self.missing_check(session, key) {
            Some(missing) => Err(Error::Forbidden(missing)),
            None => Ok(()),
        }
    }

    /// Returns the link to the completed document for a signer, while such links work.
    pub(in crate::signing) fn finished_document_url(
        &self,
        snapshot: &Snapshot,
        workflow: &Workflow,
        signer: RecipientId,
    ) -> Option<String> {
        let ended = workflow
            .state
            .ended_at()
            .filter(|_| workflow.state.status() == Status::Complete)?;
        let links = snapshot.stored.links.live()?;
        let until = links.until(ended, snapshot.party.link_days);
        if snapshot.at > until {
            return None;
        }
        let (kind, addresses) = (FileKind::Document, &self.outgoing.addresses);
        let enters_code = snapshot.stored.writer(signer).is_some_and(Writer::must_enter_code);
        let signer = workflow.recipient(signer)?;
        let reader = workflow.language_of(signer);
        Some(if enters_code {
            addresses.signers_file_url(kind, signer, reader, links, until)
        } else {
            addresses.file_page_url(kind, workflow, reader, links, until)
        })
    }
}

/// Refuses a link to a completed file that was revoked or replaced, or has expired.
pub(in crate::signing) fn check_file_link(snapshot: &Snapshot, token: LinkToken) -> Result<(), Error> {
    if snapshot.stored.links.opened_by(token.version).is_none() || token.is_over(snapshot.at) {
        return Err(Error::conflict(ConflictCode::LinkReplaced));
    }
    Ok(())
}

/// Whether the error says that a code must be entered first.
pub fn asks_for_code(error: &Error) -> bool {
    matches!(
        error,
        Error::Forbidden(ForbiddenCode::AccessCode | ForbiddenCode::OneTimeCode)
    )
}
