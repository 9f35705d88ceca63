//! `GET /api/v3/workflows/search-with-value`: documents of a template in which a field has a value.

use app::{FoundWorkflows, SearchRequest};
use axum::Json;
use axum::extract::State;

use crate::problem::{Failure, Problem};
use crate::query::Query;
use crate::router::{Authenticated, Http};

/// Find workflows by a value.
///
/// Those of a template in which a field has exactly this value; newest first.
#[utoipa::path(
    get, path = "/api/v3/workflows/search-with-value", tag = "Workflows",
    params(
        ("template_id" = i64, Query, description = "The template."),
        ("field_name" = String, Query, description = "The field's name in the template."),
        ("field_value" = String, Query, description = "Its value, as webhooks carry it."),
    ),
    responses(
        (status = 200, description = "The documents that hold the value.", body = FoundWorkflows),
        (status = 422, description = "A rule is broken; every bad member is named.", body = Problem, content_type = "application/problem+json"),
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
    };
    Ok(Json(
        http.blocking(move |app| app.search_with_value(&caller, &request))
            .await?,
    ))
}
