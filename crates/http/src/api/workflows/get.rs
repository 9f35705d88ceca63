//! `GET /api/v3/workflows/{id}`: returns a document with its steps, values, history and URLs.

use app::WorkflowView;
use axum::Json;
use axum::extract::State;

use crate::api::path::WorkflowPath;
use crate::frame::caller::Authenticated;
use crate::frame::problem::Failure;
use crate::frame::state::Http;

/// Get a workflow.
///
/// Includes its steps, its history and every value entered so far. `download_url` and `certificate_url` are new in
/// every response. They are empty until the document is complete, and while its links are revoked.
#[utoipa::path(
    get, path = "/api/v3/workflows/{id}", operation_id = "workflows_get", tag = "Workflows",
    params(("id" = i64, Path, description = "The document's ID.")),
    responses((status = 200, description = "The document.", body = WorkflowView)),
    security(("access_token" = [])),
)]
pub async fn get_workflow(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    WorkflowPath(id, ()): WorkflowPath,
) -> Result<Json<WorkflowView>, Failure> {
    Ok(Json(http.blocking(move |app| app.workflow(&caller, id)).await?))
}
