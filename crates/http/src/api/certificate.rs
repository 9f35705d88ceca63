//! `GET /api/v3/workflows/{id}/certificate`: the history certificate.

use axum::extract::State;
use axum::response::Response;

use super::answers::FinishedFile;
use super::path::WorkflowPath;
use crate::api::file::attachment;
use crate::client_address::CameFrom;
use crate::problem::Failure;
use crate::router::{Authenticated, Http};

/// The history certificate.
///
/// Who did what and when, sealed. Documents that ended early have one too. 409 while under way.
#[utoipa::path(
    get, path = "/api/v3/workflows/{id}/certificate", tag = "Workflows",
    params(
        ("id" = i64, Path, description = "The document's id."),
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
