//! Workflows as shown in lists.

use std::cmp::Reverse;

use domain::search::Sought;
use domain::{CompanyId, Language, MemberId, ProvedContact, RecipientId, Status, TemplateId, WorkflowId, Zone};
use jiff::Timestamp;

use super::load::read_status;
use crate::sql::{search, workflow as sql};
use crate::workflows::search::query_of;
use crate::{Error, Transaction, Value, values};

#[derive(Debug, Clone)]
pub struct ListFilter {
    /// Only workflows with IDs below this one.
    pub before: i64,
    /// In any of these states; empty for all.
    pub statuses: Vec<Status>,
    pub template: Option<TemplateId>,
    /// Only tests, or none of them.
    pub is_test: Option<bool>,
    pub from: Timestamp,
    pub to: Timestamp,
    /// Only workflows whose texts match this query.
    pub sought: Option<Sought>,
    pub limit: u32,
    pub skip: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedWorkflow {
    pub id: WorkflowId,
    pub name: String,
    pub status: Status,
    pub language: Language,
    /// The time zone of its dates.
    pub zone: Zone,
    pub template: TemplateId,
    pub sender: MemberId,
    pub started_at: Timestamp,
    pub expires_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// The current step, or the one at which it ended.
    pub turn: u32,
    pub is_test: bool,
}

/// Returns a company's workflows, newest first.
pub fn list(tx: &mut dyn Transaction, company: &CompanyId, filter: &ListFilter) -> Result<Vec<ListedWorkflow>, Error> {
    let (first, others) = match filter.statuses.as_slice() {
        [] => return page(tx, company, filter, None, filter.limit, filter.skip),
        [only] => return page(tx, company, filter, Some(*only), filter.limit, filter.skip),
        [first, others @ ..] => (*first, others),
    };
    // One query for each state: each reads only the first rows of its index.
    let most = filter.limit.saturating_add(filter.skip);
    let mut found = page(tx, company, filter, Some(first), most, 0)?;
    for status in others {
        found.extend(page(tx, company, filter, Some(*status), most, 0)?);
    }
    found.sort_by_key(|listed| Reverse(listed.id));
    Ok(found
        .into_iter()
        .skip(filter.skip as usize)
        .take(filter.limit as usize)
        .collect())
}

fn page(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    filter: &ListFilter,
    status: Option<Status>,
    limit: u32,
    skip: u32,
) -> Result<Vec<ListedWorkflow>, Error> {
    let asked = values![
        company,
        filter.before,
        status.map(Status::code),
        filter.template,
        filter.from,
        filter.to,
        limit,
        skip,
        filter.is_test,
    ];
    let found = match &filter.sought {
        None => tx.query(&sql::LIST, asked)?,
        Some(sought) => {
            tx.query(&search::PLAN_FOR_PARAMETERS, &[])?;
            let query = Value::from(query_of(company, sought));
            tx.query(&search::FIND, &[asked, &[query]].concat())?
        }
    };
    found
        .iter()
        .map(|row| {
            Ok(ListedWorkflow {
                id: row.get("id")?,
                name: row.get("name")?,
                status: row.parse("status", read_status)?,
                language: row.get("language")?,
                zone: row.get("time_zone")?,
                template: row.get("template_id")?,
                sender: row.get("sender_id")?,
                started_at: row.get("started_at")?,
                expires_at: row.get("expires_at")?,
                ended_at: row.get("ended_at")?,
                turn: row.get("turn")?,
                is_test: row.get("is_test")?,
            })
        })
        .collect()
}

/// A signer of a workflow in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSigner {
    pub workflow: WorkflowId,
    pub step: u32,
    pub name: String,
    /// When they signed or declined.
    pub progressed_at: Option<Timestamp>,
}

/// The signers of these workflows, in the order of their steps.
pub fn signers_of(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflows: &[WorkflowId],
) -> Result<Vec<ListedSigner>, Error> {
    tx.query(&sql::SIGNERS_OF, values![company, id_list(workflows)])?
        .iter()
        .map(|row| {
            Ok(ListedSigner {
                workflow: row.get("workflow_id")?,
                step: row.get("step_order")?,
                name: row.get("name")?,
                progressed_at: row.get("progressed_at")?,
            })
        })
        .collect()
}

/// The workflows among these with a mail, text message (`false`) or webhook (`true`) that was given up.
pub fn undelivered_of(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflows: &[WorkflowId],
) -> Result<Vec<(WorkflowId, bool)>, Error> {
    tx.query(&sql::UNDELIVERED_OF, values![company, id_list(workflows)])?
        .iter()
        .map(|row| Ok((row.get("workflow_id")?, row.get("is_webhook")?)))
        .collect()
}

/// IDs as a JSON array, which both databases read.
fn id_list(workflows: &[WorkflowId]) -> String {
    let ids: Vec<String> = workflows.iter().map(ToString::to_string).collect();
    format!("[{}]", ids.join(","))
}

/// Returns workflows of a template in which the field has this value, in the form used in API answers.
pub fn with_value(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    template: TemplateId,
    field: &str,
    compared: &str,
    before: i64,
    limit: u32,
) -> Result<Vec<(WorkflowId, Status)>, Error> {
    tx.query(
        &sql::WITH_VALUE,
        values![
            company,
            template,
            field,
            crate::workflows::workflow_value::wire_hash(compared),
            compared,
            limit,
            before,
        ],
    )?
    .iter()
    .map(|row| Ok((row.get("id")?, row.parse("status", read_status)?)))
    .collect()
}

/// Returns another document that waits for a contact. Leaves out embedded documents, because we have not written to
/// their addresses, and those that a visitor of a public link started in the contact's name.
pub fn next_for(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    contact: &ProvedContact,
    besides: RecipientId,
    at: Timestamp,
) -> Result<Option<(RecipientId, WorkflowId)>, Error> {
    tx.query_optional(&sql::NEXT_FOR, values![company, contact.key(), at, besides])?
        .map(|row| Ok((row.get("id")?, row.get("workflow_id")?)))
        .transpose()
}
