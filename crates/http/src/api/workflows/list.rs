//! `GET /api/v3/workflows`: the company's documents, newest first.

use app::{ListRequest, WorkflowList};
use axum::Json;
use axum::extract::State;

use crate::frame::caller::Authenticated;
use crate::frame::problem::{Failure, Problem};
use crate::frame::query::Query;
use crate::frame::state::Http;

/// List workflows.
///
/// Newest first. To get more, pass `next_cursor` as `cursor`, or use `page`.
#[utoipa::path(
    get, path = "/api/v3/workflows", tag = "Workflows",
    params(
        ("status" = Option<String>, Query, description = "`Playing`, `Complete`, `Rejected`, `Canceled` or `Expired`."),
        ("template_id" = Option<i64>, Query, description = "The template."),
        ("from" = Option<String>, Query, description = "Started at or after this time: `YYYY-MM-DD` or `YYYY-MM-DD HH:MM:SS`, in the company's time zone."),
        ("to" = Option<String>, Query, description = "Started before this time; a date without a time means the end of that day."),
        ("text" = Option<String>, Query, description = "Words of the title, of names, e-mail addresses and phone numbers of signers and other recipients, or of values. All must be found; each may be the beginning of a word, and in Korean, Japanese and Chinese any part of one. Upper and lower case do not matter. A change can be found after two seconds."),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the previous response."),
        ("page" = Option<u32>, Query, description = "The page number, from 1, instead of a cursor."),
        ("limit" = Option<u32>, Query, description = "How many to return: 1 to 100. Default: 20."),
    ),
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
    let request = ListRequest {
        status: query.owned("status"),
        template_id: query.owned("template_id"),
        from: query.owned("from"),
        to: query.owned("to"),
        text: query.owned("text"),
        cursor: query.owned("cursor"),
        page: query.owned("page"),
        limit: query.owned("limit"),
    };
    Ok(Json(http.blocking(move |app| app.workflows(&caller, &request)).await?))
}
