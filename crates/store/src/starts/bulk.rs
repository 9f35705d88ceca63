//! Bulk sends: many starts, accepted as a whole and started row by row.
//!
//! A row's document is started in the transaction that marks the row as started, and only if the row is still waiting.
//! So a second attempt, after a kill or on another node, changes nothing.

use domain::{CompanyId, MemberId, TemplateId, WorkflowId};
use jiff::Timestamp;

use crate::sql::bulk as sql;
use crate::{Error, Transaction, values};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BulkId(pub i64);

/// A bulk send that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBulk {
    pub company: CompanyId,
    pub member: MemberId,
    pub template: TemplateId,
    /// The origin of the request, as JSON.
    pub origin: String,
    pub at: Timestamp,
    pub rows: Vec<NewRow>,
}

/// A row that was accepted, or found invalid immediately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRow {
    /// The sender's row number.
    pub number: u32,
    /// The start request, encrypted, or the errors in the row, as JSON.
    pub request: Result<Vec<u8>, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowState {
    Waiting,
    Started,
    Failed,
    Cancelled,
}

impl RowState {
    pub const ALL: [RowState; 4] = [
        RowState::Waiting,
        RowState::Started,
        RowState::Failed,
        RowState::Cancelled,
    ];

    /// Returns the name used in the database and in API answers.
    pub const fn word(self) -> &'static str {
        match self {
            RowState::Waiting => "waiting",
            RowState::Started => "started",
            RowState::Failed => "failed",
            RowState::Cancelled => "cancelled",
        }
    }

    fn parse(text: &str) -> Result<RowState, String> {
        let found = RowState::ALL.into_iter().find(|state| state.word() == text);
        found.ok_or_else(|| format!("{text:?} is unknown"))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bulk {
    pub id: BulkId,
    pub template: TemplateId,
    pub total: u32,
    /// The number of rows that were started.
    pub started: u32,
    pub failed: u32,
    pub cancelled: u32,
    pub created_at: Timestamp,
    pub cancelled_at: Option<Timestamp>,
    /// The time since which no row is waiting.
    pub finished_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The sender's row number.
    pub number: u32,
    pub state: RowState,
    pub workflow: Option<WorkflowId>,
    /// The errors of a failed row, as JSON.
    pub faults: Option<String>,
}

/// A bulk send that is running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    pub id: BulkId,
    pub company: CompanyId,
    pub member: MemberId,
    /// The origin of the request, as JSON.
    pub origin: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The sender's row number.
    pub number: u32,
    /// The start request, encrypted.
    pub request: Vec<u8>,
    /// The number of tries that ended without a result.
    pub tries: u32,
}

pub fn insert(tx: &mut dyn Transaction, new: &NewBulk) -> Result<BulkId, Error> {
    let row = tx.query_one(
        &sql::INSERT,
        values![
            new.company.as_str(),
            new.member.get(),
            new.template.get(),
            new.origin.as_str(),
            i64::try_from(new.rows.len()).unwrap_or(i64::MAX),
            new.at
        ],
    )?;
    let id: i64 = row.get("id")?;
    for row in &new.rows {
        let (state, request, faults) = match &row.request {
            Ok(request) => (RowState::Waiting, Some(request.clone()), None),
            Err(faults) => (RowState::Failed, None, Some(faults.clone())),
        };
        tx.execute_later(&sql::INSERT_ROW, values![id, row.number, state.word(), request, faults])?;
    }
    Ok(BulkId(id))
}

pub fn find(tx: &mut dyn Transaction, company: &CompanyId, id: BulkId) -> Result<Option<Bulk>, Error> {
    tx.query_optional(&sql::FIND, values![company.as_str(), id.0])?
        .map(|row| {
            Ok(Bulk {
                id: BulkId(row.get("id")?),
                template: TemplateId(row.get("template_id")?),
                total: row.get("total")?,
                started: row.get("started")?,
                failed: row.get("failed")?,
                cancelled: row.get("cancelled")?,
                created_at: row.get("created_at")?,
                cancelled_at: row.get("cancelled_at")?,
                finished_at: row.get("finished_at")?,
            })
        })
        .transpose()
}

/// Returns rows of a bulk send after a number, in order.
pub fn rows(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    id: BulkId,
    after: i64,
    state: Option<RowState>,
    limit: u32,
) -> Result<Vec<Row>, Error> {
    let state = state.map(RowState::word);
    tx.query(&sql::ROWS, values![company.as_str(), id.0, after, state, limit])?
        .iter()
        .map(|row| {
            Ok(Row {
                number: row.get("number")?,
                state: row.parse("state", RowState::parse)?,
                workflow: row.get::<Option<i64>>("workflow_id")?.map(WorkflowId),
                faults: row.get("faults")?,
            })
        })
        .collect()
}

/// Cancels the rows that were not started. Returns whether the bulk send was running.
pub fn cancel(tx: &mut dyn Transaction, company: &CompanyId, id: BulkId, at: Timestamp) -> Result<bool, Error> {
    if tx.execute(&sql::CANCEL, values![company.as_str(), id.0, at])? == 0 {
        return Ok(false);
    }
    tx.execute(&sql::CANCEL_ROWS, values![id.0])?;
    Ok(true)
}

/// Returns bulk sends that are running and not postponed, oldest first.
pub fn running(tx: &mut dyn Transaction, now: Timestamp) -> Result<Vec<Running>, Error> {
    tx.query(&sql::RUNNING, values![now])?
        .iter()
        .map(|row| {
            Ok(Running {
                id: BulkId(row.get("id")?),
                company: row.parse("company_id", CompanyId::parse)?,
                member: MemberId(row.get("member_id")?),
                origin: row.get("origin")?,
            })
        })
        .collect()
}

/// Leases a bulk send to a process until a time, or extends its lease. Returns whether no other process holds it.
pub fn claim(
    tx: &mut dyn Transaction,
    id: BulkId,
    owner: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool, Error> {
    Ok(tx.execute(&sql::CLAIM, values![id.0, owner, until, now])? == 1)
}

/// Returns the processes that hold leases.
pub fn lease_owners(tx: &mut dyn Transaction) -> Result<Vec<String>, Error> {
    tx.query(&sql::LEASE_OWNERS, values![])?
        .iter()
        .map(|row| row.get("lease_owner"))
        .collect()
}

/// Releases everything a process has leased. Returns how many.
pub fn release_owner(tx: &mut dyn Transaction, owner: &str) -> Result<u64, Error> {
    tx.execute(&sql::RELEASE_OWNER, values![owner])
}

/// Returns the next rows of a bulk send that are waiting and not postponed.
pub fn waiting(tx: &mut dyn Transaction, id: BulkId, now: Timestamp, limit: u32) -> Result<Vec<Waiting>, Error> {
    tx.query(&sql::WAITING, values![id.0, now, limit])?
        .iter()
        .map(|row| {
            Ok(Waiting {
                number: row.get("number")?,
                request: row.get("request")?,
                tries: row.get("tries")?,
            })
        })
        .collect()
}

/// Records that a row's document was started, in the transaction that started it. Returns whether the row was still
/// waiting.
pub fn set_started(tx: &mut dyn Transaction, id: BulkId, number: u32, workflow: WorkflowId) -> Result<bool, Error> {
    Ok(tx.execute(&sql::STARTED, values![id.0, number, workflow.get()])? == 1)
}

/// Records that a row cannot be started. Returns whether it was still waiting.
pub fn set_failed(tx: &mut dyn Transaction, id: BulkId, number: u32, faults: &str) -> Result<bool, Error> {
    Ok(tx.execute(&sql::FAILED, values![id.0, number, faults])? == 1)
}

/// Records a try without a result. The row is due again at `again`.
pub fn set_tried(tx: &mut dyn Transaction, id: BulkId, number: u32, again: Timestamp) -> Result<(), Error> {
    tx.execute(&sql::TRIED, values![id.0, number, again]).map(drop)
}

pub fn put_off(tx: &mut dyn Transaction, id: BulkId, until: Timestamp) -> Result<(), Error> {
    tx.execute(&sql::PUT_OFF, values![id.0, until]).map(drop)
}

/// Ends a bulk send if no row is waiting any more. Returns whether it ended now.
pub fn finish(tx: &mut dyn Transaction, id: BulkId, at: Timestamp) -> Result<bool, Error> {
    Ok(tx.execute(&sql::FINISH, values![id.0, at])? == 1)
}

/// Returns how many rows of a company are waiting.
pub fn waiting_of(tx: &mut dyn Transaction, company: &CompanyId) -> Result<u64, Error> {
    tx.query_one(&sql::WAITING_OF_COMPANY, values![company.as_str()])?
        .get("total")
}

/// Removes bulk sends that ended before a time.
pub fn sweep(tx: &mut dyn Transaction, before: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::SWEEP, values![before])
}
