//! Workflows in the format of the API: single ones, lists, and a search by value.

use std::collections::{BTreeMap, BTreeSet};

use domain::search::Sought;
use domain::{
    Access, CompanyId, EventKind, Field, FieldKind, FieldValue, Language, NamedEvent, NamedRecipient, PersonalText,
    Progress, Status, TemplateId, Who, Workflow, WorkflowId, named_events, time,
    value::{compared_date, compared_number},
};
use serde::Serialize;
use store::Transaction;
use store::workflow::{ListFilter, ListedWorkflow};

use crate::App;
use crate::base::actor::{Actor, Permit};
use crate::base::error::{Error, Fault, FaultCode};
use crate::base::listing::{ListReader, is_given};
use crate::base::text::erased;
use crate::outbox::messages::OutboxMessage;
use crate::outbox::webhook::{self, NextWriter, WrittenField};
use crate::values::value::value_fault;
use crate::workflow::transition::Snapshot;

/// Maximum number of documents that a search by value returns at a time, and the default. It is high because the
/// results are only IDs, and a client without paging should not miss any.
const MOST_FOUND: u32 = 1_000;
/// Maximum number of mails and text messages shown with a workflow.
pub(crate) const MOST_MESSAGES: u32 = 200;

/// The details of a workflow.
#[derive(Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct WorkflowView {
    /// The ID of the workflow.
    pub workflow_id: i64,
    /// The name of the workflow.
    pub workflow_name: String,
    /// The state of the workflow.
    pub status: &'static str,
    /// `ko-KR`, `en-US` or `ja-JP`.
    pub language: &'static str,
    /// The ID of the template.
    pub template_id: i64,
    /// The version of the template with which the workflow was started.
    pub template_version: u32,
    /// The API client named in webhooks.
    pub client_id: String,
    /// Whether the workflow uses embedded mode.
    pub is_embed: bool,
    /// `true` if it is a test. Absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_test: bool,
    /// The sender's message to the signers.
    pub comment: String,
    /// Where the signing page leads a signer who has signed, if the start says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_url: Option<String>,
    /// Time when the workflow started, with its UTC offset.
    pub started_date: String,
    /// Time when the workflow expires, with its UTC offset.
    pub expiry_date: String,
    /// Time when the workflow ended, with its UTC offset. Empty while it is in progress.
    pub completed_date: String,
    /// The last comment, if the workflow ended early.
    pub end_comment: String,
    /// The current step. Absent after the end.
    pub order: Option<u32>,
    /// The name of the signer whose turn it is. Empty after the end.
    pub next_name: String,
    /// The signer's e-mail address or telephone number.
    pub next_email: String,
    /// All signers whose turn it is, if the step has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_list: Option<Vec<NextWriter>>,
    /// The signers.
    pub steps: Vec<StepView>,
    /// The people who are notified at the end, besides the signers.
    pub cc_list: Vec<CopyView>,
    /// The audit trail.
    pub history: Vec<HistoryEntry>,
    /// The mails and text messages about the workflow and their states, oldest first.
    pub message_list: Vec<MessageView>,
    /// Every value entered so far.
    pub field_list: Vec<WrittenField>,
    /// In embedded mode, the current signer's signing link. Otherwise the link to the sender's view, where only a
    /// sender whose turn it is can sign. Empty after the last signature, and for members with read-only access.
    pub playing_url: String,
    /// The link to the sealed document. Empty until the document is complete.
    pub download_url: String,
    /// The link to the history certificate. Empty until the document is complete.
    pub certificate_url: String,
}

impl std::fmt::Debug for WorkflowView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkflowView")
            .field("workflow_id", &self.workflow_id)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// A signer of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct StepView {
    /// The signer's step.
    pub order: u32,
    /// The signer's role, if the step has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The signer's name.
    pub name: String,
    /// The signer's e-mail address or telephone number.
    pub email: String,
    /// The company for which they sign, if it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company: Option<String>,
    /// `waiting` (not their turn), `writing` (their turn), `approved` or `rejected`.
    pub status: &'static str,
    /// Time when the signer approved or declined, with its UTC offset.
    pub date: String,
    /// The last comment of the person named here, never of a previous person in this place.
    pub comment: String,
    /// Whether the signer has viewed the document.
    pub viewed: bool,
}

/// A person who is notified at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct CopyView {
    /// The name of this person.
    pub name: String,
    /// The e-mail address or telephone number of this person.
    pub email: String,
}

/// A mail or text message about a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct MessageView {
    /// The ID of the workflow.
    pub message_id: i64,
    /// `mail` or `message`.
    pub channel: &'static str,
    /// The recipient's name.
    pub name: String,
    /// The recipient's e-mail address or telephone number.
    pub email: String,
    /// The subject of the message.
    pub subject: String,
    /// `waiting` (also between tries), `delivered` (the mail server accepted it), `dead` (refused permanently, or all
    /// tries failed), `held`, or `kept` (there is no mail server or messenger to send it).
    pub status: &'static str,
    /// The mail server's code at the last try (RFC 5321), if the try failed and the server responded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<u16>,
    /// The reason why the last try failed: the server's response, or the connection error. Empty if it did not fail.
    pub failure: String,
    /// Time when the message was created, with its UTC offset.
    pub date: String,
}

/// An event in the audit trail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct HistoryEntry {
    /// The number of the entry in the chain.
    pub sequence: u64,
    /// Time of the event, with its UTC offset.
    pub date: String,
    /// The event: `started`, `approved`, … `request_sent` and `one_time_code_sent` mean that a message to a signer was
    /// created. `message_list` shows whether it was sent.
    pub event: &'static str,
    /// The name, at that time, of the person who acted. Empty for the service itself.
    pub actor_name: String,
    /// The e-mail address or telephone number of this person at that time, if known.
    pub actor_email: String,
    /// The step that the event is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<u32>,
    /// The name, at that time, of the recipient that the event is about. For `recipient_corrected` and `handed_over`,
    /// this is the previous person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipient_name: Option<String>,
    /// The e-mail address or telephone number of this recipient at that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipient_email: Option<String>,
    /// The name of the new person. Only for `recipient_corrected` and `handed_over`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_name: Option<String>,
    /// The e-mail address or telephone number of the new person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_email: Option<String>,
    /// This change in one line: `박지훈 → 박서준 (jihun@example.com → seojun@example.com)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// The field that the event is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The reason for declining, returning or cancelling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The network address of this person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The browser or program of this person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
}

/// The filters of a list, from the query.
#[derive(Debug, Clone, Default)]
pub struct ListRequest {
    /// `Playing`, `Complete`, …
    pub status: Option<String>,
    pub template_id: Option<String>,
    /// Started at or after: `YYYY-MM-DD` or `YYYY-MM-DD HH:MM:SS` in the company's time zone.
    pub from: Option<String>,
    /// Started before this time. A date without a time means the end of that day.
    pub to: Option<String>,
    /// `true`: only tests. `false`: no tests.
    pub is_test: Option<String>,
    /// Words from the workflow's name, people or values.
    pub text: Option<String>,
    /// `next_cursor` of the previous response.
    pub cursor: Option<String>,
    /// The number of the page, from 1, as an alternative to a cursor.
    pub page: Option<String>,
    /// Maximum number of documents: up to 1,000, which is also the default.
    pub limit: Option<String>,
}

/// A list of workflows, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct WorkflowList {
    /// The workflows.
    pub workflow_list: Vec<WorkflowSummary>,
    /// Pass this value as `cursor` to get the next page. Absent at the end of the list.
    pub next_cursor: Option<String>,
}

/// An entry of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct WorkflowSummary {
    /// The ID of the workflow.
    pub workflow_id: i64,
    /// The name of the workflow.
    pub workflow_name: String,
    /// The state of the workflow.
    pub status: &'static str,
    /// The language of the workflow.
    pub language: &'static str,
    /// The ID of the template.
    pub template_id: i64,
    /// The current step. Absent after the end.
    pub order: Option<u32>,
    /// Time when the workflow started, with its UTC offset.
    pub started_date: String,
    /// Time when the workflow expires, with its UTC offset.
    pub expiry_date: String,
    /// Time when the workflow ended, with its UTC offset. Empty while it is in progress.
    pub completed_date: String,
    /// `true` if it is a test. Absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_test: bool,
}

/// A search by value, from the query.
#[derive(Debug, Clone, Default)]
pub struct SearchRequest {
    pub template_id: Option<String>,
    pub field_name: Option<String>,
    /// The value, in the format of a start request.
    pub field_value: Option<String>,
    /// `next_cursor` of the previous response.
    pub cursor: Option<String>,
    /// Maximum number of documents: up to 1,000, which is also the default.
    pub limit: Option<String>,
}

/// The results of a search, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FoundWorkflows {
    /// The workflows.
    pub workflow_list: Vec<FoundWorkflow>,
    /// Pass this value as `cursor` to get the next page. Absent at the end of the list.
    pub next_cursor: Option<String>,
}

/// A workflow that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FoundWorkflow {
    /// The ID of the workflow.
    pub workflow_id: i64,
    /// The state of the workflow.
    pub status: &'static str,
}

impl App {
    /// Returns a workflow with its history.
    pub fn workflow(&self, actor: &Actor, id: WorkflowId) -> Result<WorkflowView, Error> {
        let by = actor.must_read()?;
        let snapshot = self.timely_snapshot(by.company(), id)?;
        let events = named_events(&self.entries(&snapshot)?);
        let history = events
            .into_iter()
            .map(|event| history_entry(&snapshot, event, by.language()))
            .collect();
        let messages = self.message_views(&snapshot)?;
        Ok(self.workflow_view(&snapshot, history, messages, by))
    }

    /// The mails and text messages about a workflow, oldest first, each with the mail server's code at the last try.
    pub(in crate::workflow) fn messages_about(
        &self,
        snapshot: &Snapshot,
    ) -> Result<Vec<(OutboxMessage, Option<u16>)>, Error> {
        let workflow = &snapshot.stored.workflow;
        let (company, id) = (workflow.company.clone(), workflow.id);
        let rows = self.store.read(move |tx| {
            store::outbox::messages_of_workflow(tx, &company, id, MOST_MESSAGES).map_err(Error::from)
        })?;
        rows.into_iter()
            .map(|row| {
                let code = row.code;
                Ok((self.opened_message(row)?, code))
            })
            .collect()
    }

    /// Returns the states of the mails and text messages about a workflow.
    fn message_views(&self, snapshot: &Snapshot) -> Result<Vec<MessageView>, Error> {
        let zone = snapshot.stored.workflow.zone;
        let messages = self.messages_about(snapshot)?.into_iter();
        Ok(messages
            .map(|(message, code)| MessageView {
                message_id: message.id,
                channel: message.channel,
                name: message.to_name,
                email: message.to,
                subject: message.subject,
                status: message.state,
                code: code.filter(|_| message.failure.is_some()),
                failure: message.failure.unwrap_or_default(),
                date: time::format_with_zone(message.at, zone),
            })
            .collect())
    }

    /// Returns the view of a workflow. An actor with read-only access gets no signing links.
    fn workflow_view(
        &self,
        snapshot: &Snapshot,
        history: Vec<HistoryEntry>,
        message_list: Vec<MessageView>,
        by: Permit<'_>,
    ) -> WorkflowView {
        let may_send = by.may(Access::Send);
        let stored = &snapshot.stored;
        let workflow = &stored.workflow;
        let addresses = &self.outgoing.addresses;
        let with_zone = |at| time::format_with_zone(at, workflow.zone);
        let next = workflow.writers_at_turn().next();
        let links = self.links_of(snapshot, by);
        WorkflowView {
            workflow_id: workflow.id.get(),
            workflow_name: workflow.name.clone(),
            status: workflow.state.status().code(),
            language: workflow.language.locale(),
            template_id: workflow.template.get(),
            template_version: workflow.template_version,
            client_id: workflow.client.to_string(),
            is_embed: workflow.is_embedded(),
            is_test: workflow.is_test,
            comment: workflow.comment.clone().unwrap_or_default(),
            redirect_url: workflow.redirect_url.as_ref().map(|url| url.as_str().to_owned()),
            started_date: with_zone(workflow.started_at),
            expiry_date: with_zone(workflow.expires_at),
            completed_date: workflow.state.ended_at().map(with_zone).unwrap_or_default(),
            end_comment: stored.end_comment.clone().unwrap_or_default(),
            order: workflow.turn(),
            next_name: next.map(|next| next.name.clone()).unwrap_or_default(),
            next_email: next.map(|next| next.contact.as_given().to_owned()).unwrap_or_default(),
            next_list: webhook::next_list(workflow, addresses).map(|mut list| {
                if !may_send {
                    for next in &mut list {
                        next.sign_url = None;
                    }
                }
                list
            }),
            steps: steps(snapshot),
            cc_list: copies(workflow),
            history,
            message_list,
            field_list: webhook::written_fields(workflow, &snapshot.template.version, &snapshot.values, None),
            playing_url: links.playing_url,
            download_url: links.download_url,
            certificate_url: links.certificate_url,
        }
    }

    /// Lists the company's workflows, newest first.
    pub fn workflows(&self, actor: &Actor, request: &ListRequest) -> Result<WorkflowList, Error> {
        let by = actor.must_read()?;
        let mut faults = Vec::new();
        let filter = list_filter(by, request, &mut faults);
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        if finds_nothing(request, &filter) {
            return Ok(WorkflowList::default());
        }
        let limit = filter.limit;
        let company = by.company().clone();
        // One more than requested, to find out whether there are more.
        let asked = ListFilter {
            limit: limit.saturating_add(1),
            ..filter
        };
        let mut rows = self
            .store
            .read(move |tx| store::workflow::list(tx, &company, &asked).map_err(Error::from))?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next_cursor = rows.last().filter(|_| more).map(|row| row.id.to_string());
        Ok(WorkflowList {
            workflow_list: rows.iter().map(summary).collect(),
            next_cursor,
        })
    }

    /// Finds workflows of a template in which a field has this value.
    pub fn search_with_value(&self, actor: &Actor, request: &SearchRequest) -> Result<FoundWorkflows, Error> {
        let by = actor.must_read()?;
        let mut faults = Vec::new();
        let mut query = ListReader {
            zone: by.zone(),
            faults: &mut faults,
        };
        let before = query.cursor(request.cursor.as_ref()).unwrap_or(i64::MAX);
        let limit = query.number("limit", request.limit.as_ref(), MOST_FOUND);
        let limit = limit.unwrap_or(MOST_FOUND);
        let template = query.id("template_id", request.template_id.as_ref()).map(TemplateId);
        if !is_given(request.template_id.as_ref()) {
            faults.push(Fault::new("template_id", FaultCode::Required));
        }
        let mut required = |path: &str, text: Option<&String>| {
            let text = text.filter(|text| !text.is_empty());
            match text {
                None => faults.push(Fault::new(path, FaultCode::Required)),
                Some(text) if text.contains('\0') => faults.push(Fault::new(path, FaultCode::ControlCharacter)),
                Some(_) => {}
            }
            text.cloned()
        };
        let name = required("field_name", request.field_name.as_ref());
        let value = required("field_value", request.field_value.as_ref());
        let (Some(template), Some(name), Some(value), true) = (template, name, value, faults.is_empty()) else {
            return Err(Error::Unprocessable(faults));
        };
        let company = by.company().clone();
        let (name, fields) = self
            .store
            .read(move |tx| fields_called(tx, &company, template, name.clone()))?;
        let spellings = spellings(&fields, &name, &value)?;
        let company = by.company().clone();
        // One more than requested, to find out whether there are more.
        let more = limit.saturating_add(1);
        let mut found = self.store.read(move |tx| {
            let mut found = BTreeMap::new();
            for spelling in &spellings {
                found.extend(store::workflow::with_value(
                    tx, &company, template, &name, spelling, before, more,
                )?);
            }
            Ok::<_, Error>(found)
        })?;
        let page: Vec<_> = std::iter::from_fn(|| found.pop_last()).take(limit as usize).collect();
        let last = page.last().filter(|_| !found.is_empty());
        Ok(FoundWorkflows {
            next_cursor: last.map(|(id, _)| id.to_string()),
            workflow_list: page
                .into_iter()
                .map(|(id, status)| FoundWorkflow {
                    workflow_id: id.get(),
                    status: status.code(),
                })
                .collect(),
        })
    }
}

/// Returns the fields with this name in the versions of a template, and their exact name, which the current version may
/// spell differently.
fn fields_called(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    template: TemplateId,
    name: String,
) -> Result<(String, Vec<Field>), Error> {
    let fields = store::template::fields_named(tx, company, template, &name)?;
    if !fields.is_empty() {
        return Ok((name, fields));
    }
    let current = store::template::current(tx, company, template)?
        .ok_or_else(|| Error::fault("template_id", FaultCode::UnknownTemplate))?;
    match current.version.field_called(&name) {
        None => Ok((name, fields)),
        Some(field) => {
            let fields = store::template::fields_named(tx, company, template, &field.name)?;
            Ok((field.name.clone(), fields))
        }
    }
}

/// Returns the spellings by which a search compares a value in the fields with this name. The template's versions,
/// newest first, may have fields of several kinds. A value that none of them accepts gets the fault of the newest.
fn spellings(fields: &[Field], name: &str, value: &str) -> Result<BTreeSet<String>, Error> {
    let mut spellings = BTreeSet::new();
    let mut refused = None;
    for field in fields {
        if field.kind.is_file() || !field.kind.is_written_by_writer() {
            // A file's value is its name, and automatic fields accept no value, so any text may match.
            spellings.insert(value.to_owned());
            spellings.extend(compared_number(value).filter(|_| field.kind == FieldKind::Calc));
            spellings.extend(compared_date(value).filter(|_| field.kind == FieldKind::SignedOn));
            continue;
        }
        match FieldValue::parse(field, value) {
            // Earlier versions stored numbers as entered.
            Ok(kept) => spellings.extend([kept.compared(), kept.to_wire()]),
            Err(fault) => {
                refused.get_or_insert_with(|| value_fault("field_value".to_owned(), field, &fault));
            }
        }
    }
    if spellings.is_empty() {
        let unknown = || Fault::new("field_name", FaultCode::UnknownField).with("name", name);
        return Err(Error::Unprocessable(vec![refused.unwrap_or_else(unknown)]));
    }
    Ok(spellings)
}

pub(in crate::workflow) fn copies(workflow: &Workflow) -> Vec<CopyView> {
    let copies = workflow.copies.iter();
    copies
        .map(|copy| CopyView {
            name: copy.name.clone(),
            email: copy.contact.as_given().to_owned(),
        })
        .collect()
}

pub(in crate::workflow) fn steps(snapshot: &Snapshot) -> Vec<StepView> {
    let stored = &snapshot.stored;
    let workflow = &stored.workflow;
    workflow
        .recipients
        .iter()
        .map(|recipient| {
            let writer = stored.writer(recipient.id);
            let (status, at) = match recipient.progress {
                Progress::Waiting if workflow.turn() == Some(recipient.order) => ("writing", None),
                Progress::Waiting => ("waiting", None),
                Progress::Approved { at } => ("approved", Some(at)),
                Progress::Rejected { at } => ("rejected", Some(at)),
            };
            StepView {
                order: recipient.order,
                role: recipient.role.clone(),
                name: recipient.name.clone(),
                email: recipient.contact.as_given().to_owned(),
                company: recipient.company.clone(),
                status,
                date: at
                    .map(|at| time::format_with_zone(at, workflow.zone))
                    .unwrap_or_default(),
                comment: writer.and_then(|writer| writer.comment.clone()).unwrap_or_default(),
                viewed: writer.is_some_and(|writer| writer.viewed_at.is_some()),
            }
        })
        .collect()
}

pub(in crate::workflow) fn history_entry(snapshot: &Snapshot, named: NamedEvent, language: Language) -> HistoryEntry {
    let workflow: &Workflow = &snapshot.stored.workflow;
    let erased = erased(language);
    let text = |said: PersonalText| said.or(&erased).to_owned();
    let person = |named: NamedRecipient| (text(named.name), text(named.contact));
    let change = named.change(&erased);
    let NamedEvent {
        sequence,
        event,
        actor,
        recipient,
        successor,
    } = named;
    let (actor_name, actor_email) = match event.actor.who {
        Who::Recipient(_) => actor.map(person).unwrap_or_default(),
        // A member's name and address never change.
        Who::Member(id) if id == workflow.sender => {
            (snapshot.party.sender_name.clone(), snapshot.party.sender_email.clone())
        }
        Who::Member(_) | Who::LinkHolder | Who::Service => match &event.event {
            EventKind::LinkCopied { member, .. } => (text(member.name.clone()), text(member.email.clone())),
            _ => (String::new(), String::new()),
        },
    };
    let order = recipient.as_ref().map(|person| person.order);
    let (recipient_name, recipient_email) = recipient.map(person).unzip();
    let (new_name, new_email) = successor.map(person).unzip();
    HistoryEntry {
        sequence,
        date: time::format_with_zone(event.at, workflow.zone),
        event: event.event.code(),
        actor_name,
        actor_email,
        order,
        recipient_name,
        recipient_email,
        new_name,
        new_email,
        change,
        reason: event.event.reason().cloned().map(text),
        field: match event.event {
            EventKind::ValueWritten { field, .. } | EventKind::ValueRemoved { field, .. } => Some(field),
            _ => None,
        },
        address: event.actor.address.map(text),
        user_agent: event.actor.user_agent.map(text),
    }
}

fn summary(row: &ListedWorkflow) -> WorkflowSummary {
    WorkflowSummary {
        is_test: row.is_test,
        workflow_id: row.id.get(),
        workflow_name: row.name.clone(),
        status: row.status.code(),
        language: row.language.locale(),
        template_id: row.template.get(),
        order: (row.status == Status::Playing).then_some(row.turn),
        started_date: time::format_with_zone(row.started_at, row.zone),
        expiry_date: time::format_with_zone(row.expires_at, row.zone),
        completed_date: row
            .ended_at
            .map(|at| time::format_with_zone(at, row.zone))
            .unwrap_or_default(),
    }
}

/// Whether the text that the request looks for contains no letter and no digit.
pub(in crate::workflow) fn finds_nothing(request: &ListRequest, filter: &ListFilter) -> bool {
    is_given(request.text.as_ref()) && filter.sought.is_none()
}

pub(in crate::workflow) fn list_filter(by: Permit<'_>, request: &ListRequest, faults: &mut Vec<Fault>) -> ListFilter {
    let mut query = ListReader {
        zone: by.zone(),
        faults,
    };
    let statuses = Status::ALL.map(|status| (status.code(), status));
    let limit = query.limit(request.limit.as_ref());
    let (from, to) = query.range(request.from.as_ref(), request.to.as_ref());
    if is_given(request.page.as_ref()) && is_given(request.cursor.as_ref()) {
        query
            .faults
            .push(Fault::new("page", FaultCode::NotTogether).with("name", "cursor"));
    }
    let text = query.text("text", request.text.as_ref());
    let page = query.number("page", request.page.as_ref(), 1_000_000).unwrap_or(1);
    ListFilter {
        before: query.cursor(request.cursor.as_ref()).unwrap_or(i64::MAX),
        statuses: query
            .word("status", request.status.as_ref(), &statuses)
            .into_iter()
            .collect(),
        template: query.id("template_id", request.template_id.as_ref()).map(TemplateId),
        is_test: query.word("is_test", request.is_test.as_ref(), &[("true", true), ("false", false)]),
        from,
        to,
        sought: text.as_deref().and_then(Sought::read),
        limit,
        skip: (page - 1).saturating_mul(limit),
    }
}
