//! `GET /api/v3/workflows/{id}/certificate`: returns the history certificate.

use axum::extract::State;
use axum::response::Response;
use domain::FileKind;

use crate::api::answers::FinishedFile;
use crate::api::file::{attachment, finished};
use crate::api::path::WorkflowPath;
use crate::frame::caller::Authenticated;
use crate::frame::client_address::CameFrom;
use crate::frame::download::Wanted;
use crate::frame::problem::Failure;
use crate::frame::state::Http;

/// Download the history certificate.
///
/// A sealed PDF that shows each action with its actor and time. Documents that ended early also have one. While the
/// document is in progress, this returns 409.
#[utoipa::path(
    get, path = "/api/v3/workflows/{id}/certificate", operation_id = "workflows_get_certificate", tag = "Workflows",
    params(
        ("id" = i64, Path, description = "The document's ID."),
        ("Range" = Option<String>, Header, description = "The bytes to send: `bytes=0-999`, `bytes=1000-` or `bytes=-500`. Several ranges are ignored."),
        ("If-Range" = Option<String>, Header, description = "The `ETag` of the parts that you have. If the file has changed since, you get all of it."),
    ),
    responses(FinishedFile),
    security(("access_token" = [])),
)]
pub async fn certificate(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    CameFrom(origin): CameFrom,
    WorkflowPath(id, ()): WorkflowPath,
    wanted: Wanted,
) -> Result<Response, Failure> {
    let asked = wanted.clone();
    let file = http.blocking(move |app| finished(app, &caller, (id, FileKind::Certificate), &origin, &asked));
    Ok(attachment(file.await?, &wanted))
}
