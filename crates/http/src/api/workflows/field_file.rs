//! `GET /api/v3/workflows/{id}/fields/{name}/file`: the file in a field.

use axum::extract::State;
use axum::response::Response;

use crate::api::answers::FileBytes;
use crate::api::file::attachment;
use crate::api::path::WorkflowPath;
use crate::frame::caller::Authenticated;
use crate::frame::problem::Failure;
use crate::frame::state::Http;

/// Download the file in a field.
///
/// A signature, stamp, image or attachment, exactly as it was submitted.
#[utoipa::path(
    get, path = "/api/v3/workflows/{id}/fields/{name}/file", tag = "Workflows",
    params(
        ("id" = i64, Path, description = "The document's ID."),
        ("name" = String, Path, description = "The field's name in the template."),
    ),
    responses(
        (status = 200, description = "The file, with its own media type.", content_type = "*/*", body = FileBytes),
    ),
    security(("access_token" = [])),
)]
pub async fn field_file(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    WorkflowPath(id, name): WorkflowPath<String>,
) -> Result<Response, Failure> {
    Ok(attachment(
        http.blocking(move |app| app.field_file(&caller, id, &name)).await?,
    ))
}
