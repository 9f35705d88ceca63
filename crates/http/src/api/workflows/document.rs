//! `GET /api/v3/workflows/{id}/document`: the sealed document.

use axum::extract::State;
use axum::response::Response;

use crate::api::answers::FinishedFile;
use crate::api::file::attachment;
use crate::api::path::WorkflowPath;
use crate::frame::caller::Authenticated;
use crate::frame::client_address::CameFrom;
use crate::frame::problem::Failure;
use crate::frame::state::Http;

/// Download the sealed document.
///
/// The finished PDF with every value on its pages, sealed by the company. Before completion, this returns 409.
#[utoipa::path(
    get, path = "/api/v3/workflows/{id}/document", tag = "Workflows",
    params(
        ("id" = i64, Path, description = "The document's ID."),
    ),
    responses(FinishedFile),
    security(("access_token" = [])),
)]
pub async fn document(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    CameFrom(origin): CameFrom,
    WorkflowPath(id, ()): WorkflowPath,
) -> Result<Response, Failure> {
    Ok(attachment(
        http.blocking(move |app| app.document(&caller, id, &origin)).await?,
    ))
}
