//! `POST /api/v3/templates/{id}/archive`: archives a template, so that it starts no more documents.

use app::ArchivedTemplate;
use axum::Json;
use axum::extract::State;

use crate::api::path::TemplatePath;
use crate::frame::caller::Authenticated;
use crate::frame::problem::Failure;
use crate::frame::state::Http;

/// Archive a template.
///
/// You can no longer start documents from it. Documents in progress continue. Archiving again changes nothing.
#[utoipa::path(
    post, path = "/api/v3/templates/{id}/archive", operation_id = "templates_archive", tag = "Templates",
    params(("id" = i64, Path, description = "The template's ID.")),
    responses((status = 200, description = "The template is archived.", body = ArchivedTemplate)),
    security(("access_token" = [])),
)]
pub async fn archive_template(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    TemplatePath(id): TemplatePath,
) -> Result<Json<ArchivedTemplate>, Failure> {
    Ok(Json(http.blocking(move |app| app.archive(&caller, id)).await?))
}
