//! The links to a workflow's completed files and the sender's view: lists them, and lets a member renew or revoke them.
//!
//! Signing links are not included and never change here. They end if the recipient is corrected or the document is
//! cancelled. A signer's personal link to the completed files is included.

use domain::{EventKind, FileKind, LinkType, LiveLinks, Status, WorkflowId};
use serde::Serialize;

use crate::App;
use crate::base::actor::{Actor, Permit};
use crate::base::audit_log::Action;
use crate::base::error::{Error, Fault, FaultCode, Subject};
use crate::base::origin::Origin;
use crate::workflow::transition::Snapshot;

/// A request to renew or revoke links.
#[derive(Debug, Clone, Default)]
pub struct LinksRequest {
    /// `renew` or `revoke`.
    pub action: Option<String>,
    /// Faults found while reading the request.
    pub faults: Vec<Fault>,
}

/// The current links.
#[derive(Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct WorkflowLinks {
    /// The ID of the document.
    pub workflow_id: i64,
    /// In embedded mode, the signing link of the signer whose turn it is, which works even if links are revoked.
    /// Otherwise the link to the sender's view, which is empty while links are revoked. Empty after the document has
    /// ended.
    pub playing_url: String,
    /// The link to the sealed document. Empty until the document is complete, and while links are revoked.
    pub download_url: String,
    /// The link to the history certificate. Empty until the document is complete, and while links are revoked.
    pub certificate_url: String,
}

impl std::fmt::Debug for WorkflowLinks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkflowLinks")
            .field("workflow_id", &self.workflow_id)
            .finish_non_exhaustive()
    }
}

impl App {
    /// Renews or revokes the links of a workflow in any state. Revoking them again changes nothing.
    pub fn change_links(
        &self,
        actor: &Actor,
        id: WorkflowId,
        request: &LinksRequest,
        origin: &Origin,
    ) -> Result<WorkflowLinks, Error> {
        let by = actor.must_send()?;
        let caller = by.member()?;
        let at = self.timely_snapshot(&caller.company, id)?.at;
        let event = wanted_event(request)?;
        let doer = App::member_actor(caller, origin);
        let (company, revokes) = (caller.company.clone(), event == EventKind::LinksRevoked);
        let action = if revokes {
            Action::LinksRevoked
        } else {
            Action::LinksRenewed
        };
        let logged = by.logs(action, at).about(id);
        self.note(&caller.company, id, (&doer, at), &[event], move |tx| {
            let changed = if revokes {
                store::workflow_links::revoke(tx, &company, id, at)?
            } else {
                store::workflow_links::renew(tx, &company, id, at)?;
                true
            };
            if changed {
                logged.write(tx)?;
            }
            Ok(changed)
        })
        .map_err(|error| match error {
            Error::NotFound(_) => Error::NotFound(Subject::Workflow),
            other => other,
        })?;
        Ok(self.links_of(&self.snapshot(&caller.company, id)?, by))
    }

    /// Returns new links, if any. Members with read-only access get no signing links. The operator, who has no personal
    /// view, gets only links to completed files.
    pub(in crate::workflow) fn links_of(&self, snapshot: &Snapshot, by: Permit<'_>) -> WorkflowLinks {
        let (workflow, addresses) = (&snapshot.stored.workflow, &self.outgoing.addresses);
        let live = snapshot.stored.links.live();
        let sender = by.member().ok().filter(|caller| caller.role.may_send());
        let file_url = |kind| {
            let url = |links: LiveLinks| {
                let link_type = workflow
                    .export
                    .as_ref()
                    .map_or(LinkType::default(), |export| export.link_type);
                let until = links.until(snapshot.at, snapshot.party.link_days);
                addresses.file_url(kind, link_type, workflow, links, until)
            };
            live.filter(|_| workflow.state.status() == Status::Complete)
                .map(url)
                .unwrap_or_default()
        };
        WorkflowLinks {
            workflow_id: workflow.id.get(),
            playing_url: match workflow.writers_at_turn().next().zip(sender) {
                Some((next, _)) if workflow.is_embedded() => addresses.sign_url(workflow, next),
                Some((_, sender)) => live
                    .map(|links| addresses.view_url(workflow, links, sender.member))
                    .unwrap_or_default(),
                None => String::new(),
            },
            download_url: file_url(FileKind::Document),
            certificate_url: file_url(FileKind::Certificate),
        }
    }
}

fn wanted_event(request: &LinksRequest) -> Result<EventKind, Error> {
    let mut faults = request.faults.clone();
    let event = match request.action.as_deref() {
        Some("renew") => Some(EventKind::LinksRenewed),
        Some("revoke") => Some(EventKind::LinksRevoked),
        _ => None,
    };
    if event.is_none() && !faults.iter().any(|fault| fault.path == "action") {
        faults.push(match request.action {
            None => Fault::new("action", FaultCode::Required),
            Some(_) => Fault::new("action", FaultCode::NotAllowed).with("allowed", "renew, revoke"),
        });
    }
    event.filter(|_| faults.is_empty()).ok_or(Error::Unprocessable(faults))
}
