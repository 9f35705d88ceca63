//! `GET /api/v3/workflows`: lists the company's documents, newest first.

use app::{ListRequest, WorkflowList};
use axum::Json;
use axum::extract::State;

use crate::body::declared::{declare, parameters};
use crate::frame::caller::Authenticated;
use crate::frame::problem::{Failure, Problem};
use crate::frame::query::Query;
use crate::frame::state::Http;

declare! {
    /// Selects documents.
    ListQuery of Query -> ListRequest {
        /// `Playing`, `Complete`, `Rejected`, `Canceled` or `Expired`.
        status: Option<String> => status,
        /// The template's ID.
        template_id: Option<i64> => template_id,
        /// Started at or after this time: `YYYY-MM-DD` or `YYYY-MM-DD HH:MM:SS`, in the company's time zone.
        from: Option<String> => from,
        /// Started before this time. A date without a time means the end of that day.
        to: Option<String> => to,
        /// `true`: only tests. `false`: no tests. Default: both.
        is_test: Option<bool> => is_test,
        /// Words from the title, from names, e-mail addresses and phone numbers of signers and other recipients, or
        /// from values. All words must match. Each can be the beginning of a word, or any part of a word in Korean,
        /// Japanese and Chinese. Case is ignored. Changes can be found after two seconds.
        text: Option<String> => text,
        /// `next_cursor` of the previous response.
        cursor: Option<String> => cursor,
        /// The page number, from 1, instead of a cursor.
        page: Option<u32> => page,
        /// How many documents to return: 1 to 100. Default: 20.
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
        (status = 422, description = "The request is invalid. `errors` lists every invalid member.", body = Problem, content_type = "application/problem+json"),
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
