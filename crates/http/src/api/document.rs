//! `GET /api/v3/workflows/{id}/document`: the sealed document.

use axum::extract::State;
use axum::response::Response;

use super::path::WorkflowPath;
use crate::api::file::attachment;
use crate::client_address::CameFrom;
use crate::problem::{Failure, Problem};
use crate::router::{Authenticated, Http};

/// The sealed document.
///
/// The finished PDF with every value on its pages, sealed by the company. 409 before completion.
#[utoipa::path(
    get, path = "/api/v3/workflows/{id}/document", tag = "Workflows",
    params(
        ("id" = i64, Path, description = "The document's id."),
    ),
    responses(
        (status = 200, description = "The PDF.", content_type = "application/pdf", body = Vec<u8>),
        (status = 409, description = "The state does not allow it; `state` names it.", body = Problem, content_type = "application/problem+json"),
    ),
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
