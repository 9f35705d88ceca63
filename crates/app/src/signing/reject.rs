//! Declining, by a signer with their link, or by a program on their behalf. It ends the workflow, or returns the
//! document to the previous step, as the template specifies.
//!
//! A returned document is filled in again. So signatures by other signers of the declining step are removed, because
//! they must not appear below content that these signers have not seen. Their other entries stay, and can be changed.

use domain::{CompanyId, EventKind, Outcome, RecipientId, Who, WorkflowId};

use crate::App;
use crate::base::actor::Actor;
use crate::base::audit_log::{Action, Logged};
use crate::base::error::Error;
use crate::base::origin::Origin;
use crate::links::link_token::same_link;
use crate::signing::session::SigningKey;
use crate::signing::signed::Signed;
use crate::workflow::act::ActRequest;
use crate::workflow::act::given_comment;
use crate::workflow::transition::{Advanced, Snapshot, refused};

impl App {
    /// Declines through a link, with a reason.
    pub fn reject_by_link(&self, key: &SigningKey, comment: Option<&str>, origin: &Origin) -> Result<Signed, Error> {
        let (session, recipient) = self.open_for_writing(key)?;
        let comment = given_comment(comment, Vec::new())?;
        let workflow = &session.snapshot.stored.workflow;
        let actor = origin.actor(Who::Recipient(recipient.id));
        let link_version = recipient.link_version;
        let after = self.reject_as(
            &workflow.company.clone(),
            workflow.id,
            (&actor, None),
            comment.as_deref(),
            &|snapshot| same_link(&snapshot.stored.workflow, recipient.id, link_version),
        )?;
        self.signed(&session, key, &recipient, &after)
    }

    /// Declines on behalf of the signer whose turn it is.
    pub fn reject(
        &self,
        actor: &Actor,
        id: WorkflowId,
        request: &ActRequest,
        origin: &Origin,
    ) -> Result<Advanced, Error> {
        let by = actor.must_send()?;
        let caller = by.member()?;
        let logged = by.logs(Action::WorkflowRejected, self.now());
        let comment = request.comment()?;
        let doer = App::member_actor(caller, origin);
        let doer = (&doer, Some(&logged));
        let workflow = self.reject_as(&caller.company, id, doer, comment.as_deref(), &|snapshot| {
            request.writer(snapshot)
        })?;
        Ok(self.advanced(&workflow))
    }

    /// Declines. `writer` is the signer, or the error if they may not decline.
    fn reject_as(
        &self,
        company: &CompanyId,
        id: WorkflowId,
        (actor, logged): (&domain::Actor, Option<&Logged>),
        comment: Option<&str>,
        writer: &dyn Fn(&Snapshot) -> Result<RecipientId, Error>,
    ) -> Result<domain::Workflow, Error> {
        self.decide(company, id, |snapshot| {
            let recipient = writer(snapshot)?;
            let mut transition = snapshot
                .stored
                .workflow
                .clone()
                .reject(recipient, snapshot.at)
                .map_err(refused)?;
            let Outcome::Returned { order, .. } = transition.outcome else {
                let workflow = transition.workflow.clone();
                let plan = self.plan_transition(snapshot, transition, actor, comment)?;
                return Ok((plan.logging(logged), workflow));
            };
            let undone = undone_signatures(snapshot, order);
            transition
                .events
                .extend(undone.iter().map(|(recipient, field)| EventKind::ValueRemoved {
                    recipient: *recipient,
                    field: field.clone(),
                }));
            let workflow = transition.workflow.clone();
            let removed: Vec<String> = undone.into_iter().map(|(_, field)| field).collect();
            let plan = self
                .plan_transition(&snapshot.without(&removed), transition, actor, comment)?
                .writing(Vec::new(), removed)
                .finishing_draft_of(recipient);
            Ok((plan.logging(logged), workflow))
        })
    }
}

/// Returns the signatures in fields of a step, each with its signer.
fn undone_signatures(snapshot: &Snapshot, order: u32) -> Vec<(RecipientId, String)> {
    let recipients = &snapshot.stored.workflow.recipients;
    let template = &snapshot.template.version;
    recipients
        .iter()
        .filter(|recipient| recipient.order == order)
        .flat_map(|recipient| {
            template
                .writer_fields(order, recipient.role.as_deref())
                .into_iter()
                .filter(|field| field.kind.is_signature() && snapshot.values.contains_key(&field.name))
                .map(|field| (recipient.id, field.name.clone()))
        })
        .collect()
}
