//! `GET /api/v3/templates`: lists the company's templates, newest first.

use app::{ListTemplatesRequest, TemplateList};
use axum::Json;
use axum::extract::State;

use crate::body::declared::{declare, parameters};
use crate::frame::caller::Authenticated;
use crate::frame::problem::{Failure, Problem};
use crate::frame::query::Query;
use crate::frame::state::Http;

declare! {
    /// Selects templates.
    ListQuery of Query -> ListTemplatesRequest {
        /// `true` includes archived templates.
        archived: Option<bool> => archived,
        /// `next_cursor` of the previous response.
        cursor: Option<String> => cursor,
        /// How many templates to return: 1 to 100. Default: 20.
        limit: Option<u32> => limit,
    }
}

/// List templates.
///
/// Newest first. To get more, pass `next_cursor` as `cursor`.
#[utoipa::path(
    get, path = "/api/v3/templates", operation_id = "templates_list", tag = "Templates",
    params(ListQuery),
    responses(
        (status = 200, description = "The templates, newest first.", body = TemplateList),
        (status = 422, description = "The request is invalid. `errors` lists every invalid member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn list_templates(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    query: Query,
) -> Result<Json<TemplateList>, Failure> {
    let request = parameters::<ListQuery>(&query);
    Ok(Json(
        http.blocking(move |app| app.list_templates(&caller, &request)).await?,
    ))
}
