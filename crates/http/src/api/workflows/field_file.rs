//! `GET /api/v3/workflows/{id}/fields/{name}/file`: returns the file in a field.

use axum::extract::State;
use axum::response::Response;

use crate::api::answers::FileBytes;
use crate::api::file::attachment;
use crate::api::path::WorkflowPath;
use crate::frame::caller::Authenticated;
use crate::frame::download::Wanted;
use crate::frame::problem::{Failure, Problem};
use crate::frame::state::Http;

/// Download the file in a field.
///
/// A signature, stamp, image or attachment, exactly as it was submitted.
#[utoipa::path(
    get, path = "/api/v3/workflows/{id}/fields/{name}/file", operation_id = "workflows_get_field_file", tag = "Workflows",
    params(
        ("id" = i64, Path, description = "The document's ID."),
        ("name" = String, Path, description = "The field's name in the template."),
        ("Range" = Option<String>, Header, description = "The bytes to send: `bytes=0-999`, `bytes=1000-` or `bytes=-500`. Several ranges are ignored."),
        ("If-Range" = Option<String>, Header, description = "The `ETag` of the parts that you have. If the file has changed since, you get all of it."),
    ),
    responses(
        (status = 200, description = "The file, with its own media type.", content_type = "*/*", body = FileBytes),
        (status = 206, description = "The part that `Range` asks for.", content_type = "*/*", body = FileBytes),
        (status = 416, description = "No byte of the file is in the range; `Content-Range` says how long it is.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn field_file(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    WorkflowPath(id, name): WorkflowPath<String>,
    wanted: Wanted,
) -> Result<Response, Failure> {
    let file = http.blocking(move |app| app.field_file(&caller, id, &name)).await?;
    Ok(attachment(file, &wanted))
}
