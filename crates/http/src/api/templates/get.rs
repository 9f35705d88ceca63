//! `GET /api/v3/templates/{id}`: returns a template with its pages, steps and fields.

use app::TemplateView;
use axum::Json;
use axum::extract::State;

use crate::api::path::TemplatePath;
use crate::frame::caller::Authenticated;
use crate::frame::problem::Failure;
use crate::frame::state::Http;

/// Get a template.
///
/// Returns the version that new documents use. `name`, `on_reject`, `steps` and `fields` have the format of
/// FIELDS.json. Edit them to create the next version.
#[utoipa::path(
    get, path = "/api/v3/templates/{id}", operation_id = "templates_get", tag = "Templates",
    params(("id" = i64, Path, description = "The template's ID.")),
    responses((status = 200, description = "The newest version of the template.", body = TemplateView)),
    security(("access_token" = [])),
)]
pub async fn get_template(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    TemplatePath(id): TemplatePath,
) -> Result<Json<TemplateView>, Failure> {
    Ok(Json(http.blocking(move |app| app.view_template(&caller, id)).await?))
}
