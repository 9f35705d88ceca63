//! `GET /api/v3/workflows`: the company's documents, newest first.

use app::{ListRequest, WorkflowList};
use axum::Json;
use axum::extract::State;

use crate::body::declared::{declare, parameters};
use crate::frame::caller::Authenticated;
use crate::frame::problem::{Failure, Problem};
use crate::frame::query::Query;
use crate::frame::state::Http;

declare! {
    /// Which documents.
    ListQuery of Query -> ListRequest {
        /// `Playing`, `Complete`, `Rejected`, `Canceled` or `Expired`.
        status: Option<String> => status,
        /// The template.
        template_id: Option<i64> => template_id,
        /// Started at or after this time: `YYYY-MM-DD` or `YYYY-MM-DD HH:MM:SS`, in the company's time zone.
        from: Option<String> => from,
        /// Started before this time; a date without a time means the end of that day.
        to: Option<String> => to,
        /// `true`: only tests. `false`: no tests. Default: both.
        is_test: Option<bool> => is_test,
        /// Words of the title, of names, e-mail addresses and phone numbers of signers and other recipients, or of values. All must be found; each may be the beginning of a word, and in Korean, Japanese and Chinese any part of one. Upper and lower case do not matter. A change can be found after two seconds.
        text: Option<String> => text,
        /// `next_cursor` of the previous response.
        cursor: Option<String> => cursor,
        /// The page number, from 1, instead of a cursor.
        page: Option<u32> => page,
        /// How many to return: 1 to 100. Default: 20.
        limit: Option<u32> => limit,
    }
}

/// List workflows.
///
/// Newest first. To get more, pass `next_cursor` as `cursor`, or use `page`.
#[utoipa::path(
    get, path = "/api/v3/workflows", operation_id = "workflows_list", tag = "Workflows",
    params(ListQuery),
    responses(
        (status = 200, description = "The documents, newest first.", body = WorkflowList),
        (status = 422, description = "The request breaks a rule; `errors` names every wrong member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn list_workflows(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    query: Query,
) -> Result<Json<WorkflowList>, Failure> {
    let request = parameters::<ListQuery>(&query);
    Ok(Json(http.blocking(move |app| app.workflows(&caller, &request)).await?))
}
