//! The last approval: stamps, seals and certifies the document, makes the files durable, and only then records that the
//! workflow is complete.
//!
//! Only recording happens in a transaction. If another write comes first, the approval is decided again, and the job
//! that removes loose files deletes those of the first attempt. The start of the workflow proved that the document can
//! be sealed. If stamping or sealing still fails, nothing is written, and the signer can approve again.

use std::collections::BTreeMap;

use document::evidence::certificate::Attachment;
use document::marks::stamp::Mark;
use document::marks::watermark;
use document::sealing::SealDetails;
use document::sealing::seal_mark::SealMark;
use domain::{Actor, BlobHash, Entry, EventKind, FieldValue, RecipientId, Requester, SealLevel, Transition, Workflow};
use failpoint::Place;
use store::outbox::State;
use store::workflow::SealedDocument;

use crate::App;
use crate::base::error::Error;
use crate::base::network::Patience;
use crate::base::text::test_mark;
use crate::base::uploads::FileClaim;
use crate::evidence::certificate_content::{Certified, HandedOn, certificate_content};
use crate::evidence::seal_mark::SealMarks;
use crate::links::link_token::same_link;
use crate::outbox::mail::OutgoingMail;
use crate::sealing::deep_stack::{on_deep_stack, prove_sound};
use crate::sealing::seal::Sealed;
use crate::values::value::{attached, marks};
use crate::workflow::transition::{Plan, Snapshot};
use crate::workflow::workflow_view::MOST_MESSAGES;

impl App {
    /// Plans the transition that completes a workflow. The snapshot contains the last signer's values.
    pub(crate) fn plan_completion(
        &self,
        snapshot: &Snapshot,
        mut transition: Transition,
        actor: &Actor,
        comment: Option<&str>,
    ) -> Result<Plan, Error> {
        // Document and certificate share one time limit.
        let patience = self.proof_patience();
        let Sealed {
            bytes: sealed,
            timestamp_due,
            level,
        } = self.sealed_document(snapshot, &patience)?;
        let document = BlobHash::of(&sealed);
        let length = sealed.len() as u64;
        transition.events.push(EventKind::Completed { document, length });
        let workflow = transition.workflow.clone();
        let plan = self.plan_transition(snapshot, transition, actor, comment)?;
        let mut entries = self.entries(snapshot)?;
        entries.extend_from_slice(plan.entries());
        // Stores the document while the certificate is being created, so that nobody waits for the disk.
        let (kept, certificate) = std::thread::scope(|scope| {
            let keeping = scope.spawn(|| {
                let mut claim = FileClaim::of(&workflow.company);
                self.keep_file(&mut claim, &sealed).map(|_| claim)
            });
            let sealed = Some((document, length, level));
            let certificate = self.sealed_certificate(snapshot, &workflow, &entries, sealed, comment, &patience);
            (keeping.join(), certificate)
        });
        let mut claim = kept.map_err(|_| Error::internal("storing a sealed document", "the thread panicked"))??;
        let certificate = certificate?;
        let certificate_hash = self.keep_file(&mut claim, &certificate.bytes)?;
        failpoint::reach(Place::Sealed);
        let certified = EventKind::Certified {
            certificate: certificate_hash,
            length: certificate.bytes.len() as u64,
        };
        Ok(plan.needing(claim).then(certified).sealed(SealedDocument {
            document,
            document_length: length,
            certificate: certificate_hash,
            certificate_length: certificate.bytes.len() as u64,
            sealed_at: snapshot.at,
            // The earlier of the two, if any is due.
            timestamp_due: timestamp_due.into_iter().chain(certificate.timestamp_due).min(),
        }))
    }

    /// Returns the completed PDF, sealed: every value on its page, and the files that the template embeds.
    fn sealed_document(&self, snapshot: &Snapshot, patience: &Patience) -> Result<Sealed, Error> {
        let template = &snapshot.template.version;
        let values = snapshot
            .values
            .iter()
            .map(|(name, stored)| (name.clone(), stored.value.clone()))
            .collect::<std::collections::BTreeMap<String, FieldValue>>();
        let requester = Requester::Company(snapshot.stored.workflow.company.clone());
        let mut marks = marks(template, &values, snapshot.stored.workflow.language, |place, file| {
            self.stamped_picture(&requester, place, file)
        })?;
        let pdf = self.blobs.get(&template.pdf)?;
        let fonts = self.fonts_of(&snapshot.stored)?;
        let SealMarks { pages, seal: mark } = self.seal_marks(snapshot, &fonts)?;
        marks.extend(pages);
        if snapshot.stored.workflow.is_test {
            marks.extend(test_marks(snapshot));
        }
        if !snapshot.template.extends_upload() {
            let stamped = document::marks::stamp::stamp(pdf, &fonts, &marks)
                .map_err(|error| Error::internal("stamping a document", error))?;
            let mut files = Vec::new();
            for (field, file) in attached(template, &snapshot.values).filter(|(field, _)| field.embed) {
                files.push(Attachment {
                    file_name: file.file_name.clone(),
                    media_type: file.media_type.clone(),
                    description: field.shown_name().to_owned(),
                    bytes: self.blobs.get(&file.hash)?,
                });
            }
            let stamped = document::evidence::embed::embed(stamped, &files)
                .map_err(|error| Error::internal("embedding attachments", error))?;
            return self.seal_of(snapshot, stamped, "certificate-seal-document", true, mark, patience);
        }
        // Strangers may have written these bytes.
        on_deep_stack("stamping a signed document", || {
            let stamped = document::marks::extend::stamp(pdf, &fonts, &marks)
                .map_err(|error| Error::internal("stamping a signed document", error))?;
            let sealed = self.seal_of(snapshot, stamped, "certificate-seal-document", false, mark, patience)?;
            // Intake tested the document with the same code. Should this file still differ, nobody must receive one in
            // which the other party's signature is broken. Verifying takes about as long as stamping and sealing.
            prove_sound("verifying an extended document", &sealed.bytes)?;
            Ok(sealed)
        })?
    }

    /// Determines from the outbox and the chain how each signer received their link.
    fn handed_on(&self, snapshot: &Snapshot, entries: &[Entry]) -> Result<BTreeMap<RecipientId, HandedOn>, Error> {
        let workflow = &snapshot.stored.workflow;
        let (company, id) = (workflow.company.clone(), workflow.id);
        let messages = self.store.read(move |tx| {
            store::outbox::messages_of_workflow(tx, &company, id, MOST_MESSAGES).map_err(Error::from)
        })?;
        let mut handed_on = BTreeMap::new();
        for event in entries.iter().filter_map(domain::Entry::event) {
            if let EventKind::LinkCopied {
                recipient,
                link_version,
                ..
            } = event.event
                && let Ok(recipient) = same_link(workflow, recipient, link_version)
            {
                handed_on.insert(recipient, HandedOn::BySender);
            }
        }
        let delivered = messages.iter().filter(|message| message.state == State::Delivered);
        for message in delivered {
            let mail = OutgoingMail::open(&message.body, &self.vault)?;
            let addresses = &self.outgoing.addresses;
            let tokens = mail
                .links
                .iter()
                .filter_map(|link| addresses.signing_token_in(&link.url));
            for token in tokens {
                if let Ok(recipient) = same_link(workflow, RecipientId(token.subject), token.version) {
                    // One delivery is enough, even if others failed.
                    handed_on.insert(recipient, HandedOn::Sent);
                }
            }
        }
        Ok(handed_on)
    }

    /// Returns the sealed history certificate.
    pub(crate) fn sealed_certificate(
        &self,
        snapshot: &Snapshot,
        workflow: &Workflow,
        entries: &[Entry],
        sealed: Option<(BlobHash, u64, SealLevel)>,
        comment: Option<&str>,
        patience: &Patience,
    ) -> Result<Sealed, Error> {
        let fonts = self.fonts_of(&snapshot.stored)?;
        let content = certificate_content(
            &Certified {
                stored: &snapshot.stored,
                workflow,
                party: &snapshot.party,
                template: &snapshot.template,
                values: &snapshot.values,
                entries,
                handed_on: &self.handed_on(snapshot, entries)?,
                sealed,
                last_comment: comment,
                at: snapshot.at,
                verify_url: self.outgoing.addresses.verify_url(workflow.id),
                look: self.certificate_look(snapshot),
                pictures: self.signature_pictures(snapshot, workflow)?,
            },
            &fonts,
        );
        let certificate = document::evidence::certificate::render(&content, &fonts)
            .map_err(|error| Error::internal("writing a certificate", error))?;
        let certificate = if workflow.is_test {
            let (word, language) = (test_mark(workflow.language), workflow.language);
            watermark::stamp(certificate, &fonts, &word, language)
                .map_err(|error| Error::internal("marking a certificate", error))?
        } else {
            certificate
        };
        self.seal_of(
            snapshot,
            certificate,
            "certificate-seal-certificate",
            true,
            None,
            patience,
        )
    }

    /// Seals a file. A file that nobody has signed is certified against every change. Otherwise it gets an approval
    /// signature and is locked.
    fn seal_of(
        &self,
        snapshot: &Snapshot,
        pdf: Vec<u8>,
        reason: &str,
        certify: bool,
        mark: Option<SealMark>,
        patience: &Patience,
    ) -> Result<Sealed, Error> {
        let workflow = &snapshot.stored.workflow;
        let details = SealDetails {
            reason: i18n::text(workflow.language, reason, &[]),
            name: snapshot.party.company_name.clone(),
            location: self.settings.sealing.location.clone(),
            at: snapshot.at,
            certify,
            is_test: workflow.is_test,
            mark,
        };
        self.seal(&workflow.company, pdf, &details, patience)
    }
}

/// What says on every page that a document is a test.
fn test_marks(snapshot: &Snapshot) -> Vec<Mark> {
    let language = snapshot.stored.workflow.language;
    let word = test_mark(language);
    let pages = (1..).zip(&snapshot.template.version.pages);
    pages
        .map(|(number, size)| watermark::on_page(number, size, &word, language))
        .collect()
}
