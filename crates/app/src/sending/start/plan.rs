//! A start that is ready to be stored: its transaction and its response.

use domain::{
    BlobHash, EventKind, Head, LiveLinks, Recipient, RecipientId, TemplateContent, TemplateId, Who, Workflow,
};
use jiff::Timestamp;
use store::Transaction;
use store::idempotency::KeptAnswer;
use store::workflow::{NewWorkflow, Party, Reserved};
use store::workflow_value::StoredValue;

use super::Together;
use super::request::{Started, StartedWorkflow};
use crate::base::error::Error;
use crate::base::origin::Origin;
use crate::base::uploads::FileClaim;
use crate::links::addresses::Addresses;
use crate::outbox::outgoing::Outgoing;
use crate::outbox::webhook;
use crate::sending::kept_answer::AnswerKey;
use crate::sending::start_terms::terms;
use crate::workflow::transition::Plan;

/// A start whose request is valid, ready to be stored.
pub(super) struct StartPlan {
    pub(super) workflow: Workflow,
    /// The rows to store with the workflow.
    pub(super) new: NewWorkflow,
    /// The index of each recipient of the request among the workflow's recipients.
    pub(super) places: Vec<Option<usize>>,
    pub(super) values: Vec<(String, StoredValue)>,
    pub(super) document: BlobHash,
    pub(super) signed_original: Option<BlobHash>,
    /// The content of the template's version. Known only after storing if the template is created with this document.
    pub(super) template_content: Option<TemplateContent>,
    pub(super) origin: Origin,
    pub(super) key: Option<AnswerKey>,
    pub(super) party: Party,
    pub(super) together: Together,
    /// The claim on the files of the values, and on the fonts.
    pub(super) claim: FileClaim,
    /// IDs that are already reserved.
    pub(super) reserved: Option<Reserved>,
}

/// The result of a start.
pub(super) enum Stored {
    Now {
        started: StartedWorkflow,
        visitor_sign_url: Option<String>,
    },
    Before(KeptAnswer),
}

impl StartPlan {
    /// Stores the start in one transaction. It may run again, so it changes only rows.
    pub(super) fn store(&self, tx: &mut dyn Transaction, outgoing: &Outgoing, now: Timestamp) -> Result<Stored, Error> {
        let company = &self.workflow.company;
        if let Some(key) = &self.key
            && let Some(kept) = key.find(tx, company, now)?
        {
            return Ok(Stored::Before(kept));
        }
        let (workflow, content) = self.numbered(tx)?;
        if let Some(record) = &self.together.record {
            record(tx, workflow.id, now)?;
        }
        let asked = workflow.opening();
        let who = match self.together.visitor {
            Some(_) => Who::LinkHolder,
            None => Who::Member(workflow.sender),
        };
        let events = self.events(&workflow, &asked, content);
        let codes = workflow
            .recipients
            .iter()
            .zip(&self.new.checks)
            .filter_map(|(recipient, checks)| Some((recipient.id, checks.access.as_ref()?.hint.clone())))
            .collect();
        let deliveries = outgoing.requests(&workflow, &asked, &codes, &self.party, now)?;
        let started = answer(&workflow, &outgoing.addresses);
        let visitor_sign_url = self
            .visitor()
            .and_then(|place| workflow.recipients.get(place))
            .map(|visitor| outgoing.addresses.sign_url(&workflow, visitor));
        let actor = self.origin.actor(who);
        Plan::start(self.new.clone(), workflow, (&outgoing.vault, now), &actor, events)
            .writing(self.values.clone(), Vec::new())
            .needing(self.claim.clone())
            .sending(deliveries)
            .write(tx)?;
        if let Some(key) = &self.key {
            key.keep(tx, company, &Started::Workflow(started.clone()), &outgoing.vault, now)?;
        }
        Ok(Stored::Now {
            started,
            visitor_sign_url,
        })
    }

    /// Returns the workflow with its IDs, and the content of a template that is stored with it.
    fn numbered(&self, tx: &mut dyn Transaction) -> Result<(Workflow, Option<TemplateContent>), Error> {
        let mut workflow = self.workflow.clone();
        let (template, content) = self.template(tx)?;
        workflow.template = template;
        // A step whose signer is named by the template is not in the request, and has no ID yet.
        let reserved = store::workflow::reserve(tx, workflow.recipients.len(), self.reserved.as_ref())?;
        workflow.id = reserved.workflow;
        for (recipient, id) in workflow.recipients.iter_mut().zip(reserved.recipients) {
            recipient.id = id;
        }
        Ok((workflow, content))
    }

    fn events(&self, workflow: &Workflow, asked: &[RecipientId], content: Option<TemplateContent>) -> Vec<EventKind> {
        let format = Head::genesis(&workflow.company, workflow.id).format;
        let mut events = vec![EventKind::Started {
            template: workflow.template,
            version: workflow.template_version,
            document: self.document,
            signed_original: self.signed_original,
            recipients: workflow.recipients.iter().map(Recipient::named).collect(),
            terms: Some(Box::new(terms(workflow, &self.party, &self.new.checks, content))),
        }];
        events.extend(self.values.iter().map(|(field, stored)| EventKind::ValueWritten {
            recipient: None,
            field: field.clone(),
            hash: stored.value.salted_hash(&stored.salt, format),
        }));
        if !workflow.is_embedded() {
            let sent = |recipient: &RecipientId| EventKind::RequestSent { recipient: *recipient };
            events.extend(asked.iter().map(sent));
        }
        events
    }

    /// Returns the template. Stores it if it is created only for this document.
    pub(super) fn template(&self, tx: &mut dyn Transaction) -> Result<(TemplateId, Option<TemplateContent>), Error> {
        let Some(own) = &self.together.template else {
            return Ok((self.workflow.template, self.template_content));
        };
        let (id, content) = store::template::insert_one_off(tx, &own.version)?;
        own.claim.take_over(tx)?;
        Ok((id, Some(content)))
    }

    /// Returns the index of a public link's visitor among the signers. In a step with several roles, the visitor may
    /// have any of them.
    fn visitor(&self) -> Option<usize> {
        self.places.get(self.together.visitor?).copied().flatten()
    }
}

fn answer(workflow: &Workflow, addresses: &Addresses) -> StartedWorkflow {
    let first = workflow.writers_at_turn().next();
    let embedded = workflow.is_embedded();
    let token = match first {
        Some(first) if embedded => addresses.sign_token(first),
        _ => addresses.view_token(workflow, LiveLinks::FIRST, workflow.sender),
    };
    StartedWorkflow {
        workflow_id: workflow.id.get(),
        workflow_name: workflow.name.clone(),
        language: workflow.language.locale().to_owned(),
        next_name: first.map(|first| first.name.clone()).unwrap_or_default(),
        next_email: first
            .map(|first| first.contact.as_given().to_owned())
            .unwrap_or_default(),
        token,
        sign_url: first
            .filter(|_| embedded)
            .map(|first| addresses.sign_url(workflow, first)),
        next_list: webhook::next_list(workflow, addresses),
    }
}
