//! The response of a bulk send: faults in its rows, or its progress.

use domain::{Language, WorkflowId, Zone, time};
use serde::{Deserialize, Serialize};
use store::bulk::{self, Bulk};

use super::row::KeptFault;

/// The response to a bulk send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum BulkAnswer {
    /// The faults found in a dry run.
    Checked(BulkChecked),
    /// The rows were accepted.
    Accepted(BulkProgress),
}

/// The result of a dry run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BulkChecked {
    /// The number of rows.
    pub total: usize,
    /// The number of rows that would be started.
    pub valid: usize,
    /// The number of rows that would be refused.
    pub wrong: usize,
    /// The rows that would be refused.
    pub row_list: Vec<WrongRow>,
    /// The paths of members of the request that we ignored, such as `workflow_list[3].recipient_list[0].nmae`; at most
    /// 100. Absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["workflow_list[3].recipient_list[0].nmae"]))]
    pub ignored_members: Vec<String>,
}

/// A row that would not be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WrongRow {
    /// The row's number. In a list, rows count from 1. In a sheet, it is the number shown by the spreadsheet program.
    pub row: u32,
    /// Everything that is wrong with the row.
    pub errors: Vec<RowError>,
}

/// An error in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RowError {
    /// The column of a sheet, or the member of a list.
    #[schema(example = "1.email")]
    pub path: String,
    /// The error's ID, for programs.
    #[schema(example = "invalid-contact")]
    pub code: String,
    /// A message for people, which says what is wrong and how to fix it.
    pub message: String,
}

/// The progress of a bulk send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BulkProgress {
    /// The ID of the bulk send.
    pub bulk_id: i64,
    /// The template's ID.
    pub template_id: i64,
    /// `running`, `finished` or `cancelled`.
    #[schema(pattern = "^(running|finished|cancelled)$")]
    pub status: String,
    /// The number of rows.
    pub total: u32,
    /// The number of rows that are waiting to start.
    pub waiting: u32,
    /// The number of rows that were started.
    pub started: u32,
    /// The number of rows that cannot be started.
    pub failed: u32,
    /// The number of rows that will not start, because the bulk send was cancelled.
    pub cancelled: u32,
    /// Time when the request was accepted, with its UTC offset.
    pub created_date: String,
    /// Time when the bulk send ended, with its UTC offset. Empty until then.
    pub finished_date: String,
    /// A page of the rows. Present only if a single bulk send is requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_list: Option<Vec<BulkRow>>,
    /// Pass this value as `cursor` to get the next page. Absent at the end of the list.
    #[serde(default)]
    pub next_cursor: Option<String>,
}

/// A row and its state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BulkRow {
    /// The row's number. In a list, rows count from 1. In a sheet, it is the number shown by the spreadsheet program.
    pub row: u32,
    /// `waiting`, `started`, `failed` or `cancelled`.
    #[schema(pattern = "^(waiting|started|failed|cancelled)$")]
    pub status: String,
    /// The ID of the document, if it was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_id: Option<i64>,
    /// The reasons why the row cannot be started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<RowError>,
}

pub(super) fn status(stored: &Bulk) -> &'static str {
    match (stored.cancelled_at, stored.finished_at) {
        (Some(_), _) => "cancelled",
        (None, Some(_)) => "finished",
        (None, None) => "running",
    }
}

pub(super) fn progress(stored: &Bulk, zone: Zone) -> BulkProgress {
    let with_zone = |at| time::format_with_zone(at, zone);
    let decided = stored.started + stored.failed + stored.cancelled;
    BulkProgress {
        bulk_id: stored.id.0,
        template_id: stored.template.get(),
        status: status(stored).to_owned(),
        total: stored.total,
        waiting: stored.total.saturating_sub(decided),
        started: stored.started,
        failed: stored.failed,
        cancelled: stored.cancelled,
        created_date: with_zone(stored.created_at),
        finished_date: stored.finished_at.map(with_zone).unwrap_or_default(),
        row_list: None,
        next_cursor: None,
    }
}

pub(super) fn shown(row: &bulk::Row, language: Language) -> BulkRow {
    let faults: Vec<KeptFault> = row
        .faults
        .as_deref()
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    BulkRow {
        row: row.number,
        status: row.state.word().to_owned(),
        workflow_id: row.workflow.map(WorkflowId::get),
        errors: faults.iter().map(|fault| fault.words(language)).collect(),
    }
}
