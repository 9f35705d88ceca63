//! Workflows as lists show them.

use domain::search::Sought;
use domain::{CompanyId, Language, ProvedContact, RecipientId, Status, TemplateId, WorkflowId, Zone};
use jiff::Timestamp;

use super::load::read_status;
use crate::sql::{search, workflow as sql};
use crate::workflows::search::query_of;
use crate::{Error, Transaction, Value, values};

#[derive(Debug, Clone)]
pub struct ListFilter {
    /// With ids below this one.
    pub before: i64,
    pub status: Option<Status>,
    pub template: Option<TemplateId>,
    pub from: Timestamp,
    pub to: Timestamp,
    /// Whose texts have this.
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
    /// The zone of its dates.
    pub zone: Zone,
    pub template: TemplateId,
    pub started_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// The current step, or the one at which it ended.
    pub turn: u32,
}

/// A company's workflows, newest first.
pub fn list(tx: &mut dyn Transaction, company: &CompanyId, filter: &ListFilter) -> Result<Vec<ListedWorkflow>, Error> {
    let asked = values![
        company,
        filter.before,
        filter.status.map(Status::code),
        filter.template,
        filter.from,
        filter.to,
        filter.limit,
        filter.skip,
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
                started_at: row.get("started_at")?,
                expires_at: row.get("expires_at")?,
                ended_at: row.get("ended_at")?,
                turn: row.get("turn")?,
            })
        })
        .collect()
}

/// Workflows of a template in which the field has this value, as it appears in answers.
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

/// Another document that waits for a contact. Leaves out embedded ones, because we have not written to their addresses,
/// and those that a visitor of a public link started in the contact's name.
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
