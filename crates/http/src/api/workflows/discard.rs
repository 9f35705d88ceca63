//! `POST /api/v3/workflows/{id}/discard`: hides a document that has ended.

use app::Advanced;
use axum::Json;
use axum::extract::State;

use crate::api::answers::ChangedAsAsked;
use crate::api::path::WorkflowPath;
use crate::frame::caller::Authenticated;
use crate::frame::client_address::CameFrom;
use crate::frame::problem::Failure;
use crate::frame::state::Http;

/// Hide a finished document.
///
/// The document no longer appears in lists, and its links stop working. Its files and its audit trail are kept.
#[utoipa::path(
    post, path = "/api/v3/workflows/{id}/discard", operation_id = "workflows_discard", tag = "Workflows",
    params(("id" = i64, Path, description = "The document's ID.")),
    responses(ChangedAsAsked),
    security(("access_token" = [])),
)]
pub async fn discard(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    CameFrom(origin): CameFrom,
    WorkflowPath(id, ()): WorkflowPath,
) -> Result<Json<Advanced>, Failure> {
    Ok(Json(http.blocking(move |app| app.discard(&caller, id, &origin)).await?))
}
