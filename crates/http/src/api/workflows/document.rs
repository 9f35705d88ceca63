//! `GET /api/v3/workflows/{id}/document`: returns the sealed document.

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

/// Download the sealed document.
///
/// The finished PDF with every value on its pages, sealed by the company. Before completion, this returns 409.
#[utoipa::path(
    get, path = "/api/v3/workflows/{id}/document", operation_id = "workflows_get_document", tag = "Workflows",
    params(
        ("id" = i64, Path, description = "The document's ID."),
        ("Range" = Option<String>, Header, description = "The bytes to send: `bytes=0-999`, `bytes=1000-` or `bytes=-500`. Several ranges are ignored."),
        ("If-Range" = Option<String>, Header, description = "The `ETag` of the parts that you have. If the file has changed since, you get all of it."),
    ),
    responses(FinishedFile),
    security(("access_token" = [])),
)]
pub async fn document(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    CameFrom(origin): CameFrom,
    WorkflowPath(id, ()): WorkflowPath,
    wanted: Wanted,
) -> Result<Response, Failure> {
    let asked = wanted.clone();
    let file = http.blocking(move |app| finished(app, &caller, (id, FileKind::Document), &origin, &asked));
    Ok(attachment(file.await?, &wanted))
}
