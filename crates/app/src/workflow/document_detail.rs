//! A document as its page shows it to members: people, events, messages, values and links.

use domain::{Access, EventKind, Progress, Status, WorkflowId, named_events};
use jiff::Timestamp;

use crate::App;
use crate::base::actor::Actor;
use crate::base::error::Error;
use crate::base::event_text::event_text_key;
use crate::outbox::messages::OutboxMessage;
use crate::outbox::webhook::{self, WrittenField};
use crate::workflow::workflow_links::WorkflowLinks;
use crate::workflow::workflow_view::{CopyView, HistoryEntry, StepView, copies, history_entry, steps};

/// One document, with times instead of texts, so that each reader sees them in their own zone.
#[derive(Debug, Clone)]
pub struct DocumentDetail {
    pub id: WorkflowId,
    pub name: String,
    pub status: Status,
    pub is_embedded: bool,
    pub sender: String,
    /// The sender's message to the signers.
    pub comment: String,
    pub started_at: Timestamp,
    pub expires_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// The last comment, if it ended early.
    pub end_comment: String,
    pub signers: Vec<DetailedSigner>,
    pub copies: Vec<CopyView>,
    pub events: Vec<DetailedEvent>,
    /// The mails and text messages about it, oldest first.
    pub messages: Vec<OutboxMessage>,
    pub values: Vec<WrittenField>,
    pub links: WorkflowLinks,
    /// Whether this member may change it.
    pub may_send: bool,
}

#[derive(Debug, Clone)]
pub struct DetailedSigner {
    pub signer: StepView,
    /// When they signed or declined.
    pub at: Option<Timestamp>,
}

#[derive(Debug, Clone)]
pub struct DetailedEvent {
    pub at: Timestamp,
    /// The key of its name.
    pub text_key: String,
    /// The step to which the document was returned.
    pub returned_to: Option<u32>,
    pub entry: HistoryEntry,
}

impl App {
    /// One document with all that members may see of it.
    pub fn document_detail(&self, actor: &Actor, id: WorkflowId) -> Result<DocumentDetail, Error> {
        let by = actor.must_read()?;
        let snapshot = self.timely_snapshot(by.company(), id)?;
        let events = named_events(&self.entries(&snapshot)?)
            .into_iter()
            .map(|named| DetailedEvent {
                at: named.event.at,
                text_key: event_text_key(&named.event.event),
                returned_to: match named.event.event {
                    EventKind::Returned { to_order, .. } => Some(to_order),
                    _ => None,
                },
                entry: history_entry(&snapshot, named, by.language()),
            })
            .collect();
        let messages = self.messages_about(&snapshot)?;
        let stored = &snapshot.stored;
        let workflow = &stored.workflow;
        let signers = steps(&snapshot)
            .into_iter()
            .zip(&workflow.recipients)
            .map(|(signer, recipient)| DetailedSigner {
                signer,
                at: match recipient.progress {
                    Progress::Waiting => None,
                    Progress::Approved { at } | Progress::Rejected { at } => Some(at),
                },
            })
            .collect();
        Ok(DocumentDetail {
            id,
            name: workflow.name.clone(),
            status: workflow.state.status(),
            is_embedded: workflow.is_embedded(),
            sender: snapshot.party.sender_name.clone(),
            comment: workflow.comment.clone().unwrap_or_default(),
            started_at: workflow.started_at,
            expires_at: workflow.expires_at,
            ended_at: workflow.state.ended_at(),
            end_comment: stored.end_comment.clone().unwrap_or_default(),
            signers,
            copies: copies(workflow),
            events,
            messages: messages.into_iter().map(|(message, _)| message).collect(),
            values: webhook::written_fields(workflow, &snapshot.template.version, &snapshot.values, None),
            links: self.links_of(&snapshot, by),
            may_send: by.may(Access::Send),
        })
    }
}
