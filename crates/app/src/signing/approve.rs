//! Approves, for a signer with their link, or for a program on their behalf.
//!
//! **Steps.** The values are read and checked, automatic fields are filled in, and the signer's turn ends. If other
//! signers follow, they are asked to sign. After the last signer, the document is first stamped, sealed and certified,
//! and its bytes are made durable. Only then does one transaction complete the workflow, so there is never a moment
//! when all have signed and the document is still pending.
//!
//! **Failures.** A value of the wrong kind, an empty required field, missing consent or access code (422, 403). Another
//! signer was faster, the workflow has ended, or it is another signer's turn (409 with the current state).

use std::collections::BTreeMap;

use domain::{CompanyId, EventKind, LinkHolder, Outcome, RecipientId, Requester, Who, WorkflowId};

use crate::App;
use crate::base::actor::Actor;
use crate::base::audit_log::{Action, Logged};
use crate::base::error::{Error, FaultCode};
use crate::base::origin::Origin;
use crate::base::uploads::FileClaim;
use crate::links::link_token::same_link;
use crate::signing::consent::needs_consent;
use crate::signing::draft::DraftSeen;
use crate::signing::read_values::Given;
use crate::signing::session::SigningKey;
use crate::signing::signed::Signed;
use crate::values::value::GivenField;
use crate::workflow::act::{ActRequest, given_comment};
use crate::workflow::transition::{Advanced, Snapshot, refused};

/// The source of an approval's values.
pub(in crate::signing) enum Source<'s> {
    /// The `field_list` of the API. Faults name its entries.
    List(&'s [GivenField]),
    /// The signing page. Faults name the fields. The texts replace those of the draft whose revision the page shows.
    Page {
        texts: &'s BTreeMap<String, String>,
        revision: u64,
    },
}

impl App {
    /// Approves the signer's entries. `texts` replace those of the draft. `revision` is the draft revision that their
    /// page shows, or 0 if they have entered nothing. If the draft has a different revision by now, nothing is approved
    /// (409 `draft-changed`).
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
            (&actor, None),
            comment.as_deref(),
            &Source::Page { texts, revision },
            &|snapshot| same_link(&snapshot.stored.workflow, recipient.id, link_version),
        );
        if let Err(Error::Unavailable { .. }) = approved {
            // The signer will approve again later. Until then their entries must not be lost.
            if let Err(error) = self.save_draft(key, &DraftSeen::default(), texts) {
                tracing::warn!(%error, "a signer's entries could not be saved as a draft");
            }
        }
        let after = approved?;
        self.signed(&session, key, &recipient, &after)
    }

    /// Approves on behalf of the signer whose turn it is.
    pub fn approve(
        &self,
        actor: &Actor,
        id: WorkflowId,
        request: &ActRequest,
        origin: &Origin,
    ) -> Result<Advanced, Error> {
        let by = actor.must_send()?;
        let caller = by.member()?;
        let logged = by.logs(Action::WorkflowApproved, self.now());
        let comment = request.comment()?;
        let doer = App::member_actor(caller, origin);
        let source = Source::List(&request.fields);
        let doer = (&doer, Some(&logged));
        let workflow = self.approve_as(&caller.company, id, doer, comment.as_deref(), &source, &|snapshot| {
            request.writer(snapshot)
        })?;
        Ok(self.advanced(&workflow))
    }

    /// Approves. `writer` is the signer, or the error if they may not approve.
    pub(in crate::signing) fn approve_as(
        &self,
        company: &CompanyId,
        id: WorkflowId,
        (actor, logged): (&domain::Actor, Option<&Logged>),
        comment: Option<&str>,
        source: &Source<'_>,
        writer: &dyn Fn(&Snapshot) -> Result<RecipientId, Error>,
    ) -> Result<domain::Workflow, Error> {
        self.decide(company, id, |snapshot| {
            let recipient_id = writer(snapshot)?;
            let workflow = &snapshot.stored.workflow;
            let recipient = workflow.check_turn(recipient_id, snapshot.at).map_err(refused)?;
            let (given, kept) = match source {
                Source::List(list) => (Given::List(list), None),
                Source::Page { texts, revision } => {
                    let read = self.draft_to_approve(snapshot, recipient, texts, *revision)?;
                    (Given::Draft(read.draft), Some(read.kept))
                }
            };
            let requester = match source {
                Source::List(_) => Requester::Company(company.clone()),
                Source::Page { .. } => Requester::Link {
                    company: company.clone(),
                    holder: LinkHolder::Signer(recipient_id),
                },
            };
            let values = self.read_values(snapshot, recipient, &given, &requester)?;
            let mut claim = FileClaim::of(company);
            self.keep_files(&mut claim, values.files.iter().map(Vec::as_slice))?;
            let mut transition = workflow.clone().approve(recipient_id, snapshot.at).map_err(refused)?;
            let written = values.written.iter().map(|(field, stored)| EventKind::ValueWritten {
                recipient: Some(recipient_id),
                field: field.clone(),
                hash: stored.value.salted_hash(&stored.salt, snapshot.stored.head.head.format),
            });
            let removed = values.removed.iter().map(|field| EventKind::ValueRemoved {
                recipient: recipient_id,
                field: field.clone(),
            });
            transition.events = written.chain(removed).chain(transition.events).collect();
            let mut after = snapshot.values.clone();
            for field in &values.removed {
                after.remove(field);
            }
            after.extend(values.written.iter().cloned());
            let snapshot = &snapshot.with_values(after);
            let workflow = transition.workflow.clone();
            let plan = if matches!(transition.outcome, Outcome::Approved { complete: true, .. }) {
                self.plan_completion(snapshot, transition, actor, comment)?
            } else {
                self.plan_transition(snapshot, transition, actor, comment)?
            };
            let plan = plan
                .writing(values.written, values.removed)
                .needing(claim)
                .finishing_draft_of(recipient_id);
            let plan = match kept {
                Some(kept) => plan.over_draft(recipient_id, kept),
                None => plan,
            };
            Ok((plan.logging(logged), workflow))
        })
    }
}
