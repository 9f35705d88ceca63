//! `GET /api/v3/workflows/{id}/certificate`: the history certificate.

use axum::extract::State;
use axum::response::Response;

use crate::api::answers::FinishedFile;
use crate::api::file::attachment;
use crate::api::path::WorkflowPath;
use crate::frame::caller::Authenticated;
use crate::frame::client_address::CameFrom;
use crate::frame::problem::Failure;
use crate::frame::state::Http;

/// Download the history certificate.
///
/// A sealed PDF that shows who did what and when. Documents that ended early have one too. While the document is in progress,
/// this returns 409.
#[utoipa::path(
    get, path = "/api/v3/workflows/{id}/certificate", tag = "Workflows",
    params(
        ("id" = i64, Path, description = "The document's ID."),
    ),
    responses(FinishedFile),
    security(("access_token" = [])),
)]
pub async fn certificate(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    CameFrom(origin): CameFrom,
    WorkflowPath(id, ()): WorkflowPath,
) -> Result<Response, Failure> {
    Ok(attachment(
        http.blocking(move |app| app.certificate(&caller, id, &origin)).await?,
    ))
}
