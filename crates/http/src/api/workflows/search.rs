//! `GET /api/v3/workflows/search-with-value`: finds documents of a template by the value of a field.

use app::{FoundWorkflows, SearchRequest};
use axum::Json;
use axum::extract::State;

use crate::body::declared::{declare, parameters};
use crate::frame::caller::Authenticated;
use crate::frame::problem::{Failure, Problem};
use crate::frame::query::Query;
use crate::frame::state::Http;

declare! {
    /// The field and value to search for.
    SearchQuery of Query -> SearchRequest {
        /// The template's ID.
        template_id: i64 => template_id,
        /// The field's name in the template.
        field_name: String => field_name,
        /// The field's value, as in a start or a webhook. For a file, its name.
        field_value: String => field_value,
        /// `next_cursor` of the previous response.
        cursor: Option<String> => cursor,
        /// How many documents to return: 1 to 1,000. Default: 1,000.
        limit: Option<u32> => limit,
    }
}

/// Find workflows by a value.
///
/// Returns documents of one template in which a field has this value, newest first. The value is read as in a start: a
/// number matches in any notation, and a check can be `Y`, `1` or `true`. To get more, pass `next_cursor` as `cursor`.
#[utoipa::path(
    get, path = "/api/v3/workflows/search-with-value", operation_id = "workflows_search", tag = "Workflows",
    params(SearchQuery),
    responses(
        (status = 200, description = "The documents that contain the value.", body = FoundWorkflows),
        (status = 422, description = "The request is invalid. `errors` lists every invalid member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn search_with_value(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    query: Query,
) -> Result<Json<FoundWorkflows>, Failure> {
    let request = parameters::<SearchQuery>(&query);
    Ok(Json(
        http.blocking(move |app| app.search_with_value(&caller, &request))
            .await?,
    ))
}
