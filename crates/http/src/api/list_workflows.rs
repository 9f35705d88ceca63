//! `GET /api/v3/workflows`: the company's documents, newest first.

use app::{ListRequest, WorkflowList};
use axum::Json;
use axum::extract::State;

use crate::problem::{Failure, Problem};
use crate::query::Query;
use crate::router::{Authenticated, Http};

/// List workflows.
///
/// Newest first. To get more, pass `next_cursor` as `cursor`, or use `page`.
#[utoipa::path(
    get, path = "/api/v3/workflows", tag = "Workflows",
    params(
        ("status" = Option<String>, Query, description = "`Playing`, `Complete`, `Rejected`, `Canceled` or `Expired`."),
        ("template_id" = Option<i64>, Query, description = "The template."),
        ("from" = Option<String>, Query, description = "Started at or after: `YYYY-MM-DD`, or with ` HH:MM:SS`, in the company's offset."),
        ("to" = Option<String>, Query, description = "Started before; a day alone means its end."),
        ("text" = Option<String>, Query, description = "The name holds this."),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the list before."),
        ("page" = Option<u32>, Query, description = "In place of a cursor: which page, from 1."),
        ("limit" = Option<u32>, Query, description = "How many: 1 to 100, usually 20."),
    ),
    responses(
        (status = 200, description = "The documents, the newest first.", body = WorkflowList),
        (status = 422, description = "A rule is broken; every bad member is named.", body = Problem, content_type = "application/problem+json"),
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
