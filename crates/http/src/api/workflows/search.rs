//! `GET /api/v3/workflows/search-with-value`: documents of a template with this value in a field.

use app::{FoundWorkflows, SearchRequest};
use axum::Json;
use axum::extract::State;

use crate::frame::caller::Authenticated;
use crate::frame::problem::{Failure, Problem};
use crate::frame::query::Query;
use crate::frame::state::Http;

/// Find workflows by a value.
///
/// Documents of one template in which a field has this value, newest first. The value is read as in a start: a number matches
/// however it is written, and a check can be `Y`, `1` or `true`. To get more, pass `next_cursor` as `cursor`.
#[utoipa::path(
    get, path = "/api/v3/workflows/search-with-value", tag = "Workflows",
    params(
        ("template_id" = i64, Query, description = "The template."),
        ("field_name" = String, Query, description = "The field's name in the template."),
        ("field_value" = String, Query, description = "Its value, as in a start or a webhook; for a file, its name."),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the previous response."),
        ("limit" = Option<u32>, Query, description = "How many to return: 1 to 1,000. Default: 1,000."),
    ),
    responses(
        (status = 200, description = "The documents that contain the value.", body = FoundWorkflows),
        (status = 422, description = "The request breaks a rule; `errors` names every wrong member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn search_with_value(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    query: Query,
) -> Result<Json<FoundWorkflows>, Failure> {
    let request = SearchRequest {
        template_id: query.owned("template_id"),
        field_name: query.owned("field_name"),
        field_value: query.owned("field_value"),
        cursor: query.owned("cursor"),
        limit: query.owned("limit"),
    };
    Ok(Json(
        http.blocking(move |app| app.search_with_value(&caller, &request))
            .await?,
    ))
}
