//! `POST /api/v3/workflows/{id}/reject`: declines on behalf of the current signer.

use app::Advanced;
use axum::Json;
use axum::extract::State;

use super::approve::{self, ActInput};
use crate::api::answers::Changed;
use crate::api::path::WorkflowPath;
use crate::body::json::OptionalJsonBody;
use crate::frame::caller::Authenticated;
use crate::frame::client_address::CameFrom;
use crate::frame::problem::Failure;
use crate::frame::state::Http;

/// Decline on behalf of a signer.
///
/// Declines on behalf of the signer whose turn it is. This ends the document, or returns it to the previous step if the
/// template says so.
#[utoipa::path(
    post, path = "/api/v3/workflows/{id}/reject", operation_id = "workflows_reject", tag = "Workflows",
    params(("id" = i64, Path, description = "The document's ID.")),
    request_body(content = ActInput, example = json!({"order": 1, "comment": "The salary differs from what we agreed."})),
    responses(Changed),
    security(("access_token" = [])),
)]
pub async fn reject(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    CameFrom(origin): CameFrom,
    WorkflowPath(id, ()): WorkflowPath,
    OptionalJsonBody(body): OptionalJsonBody,
) -> Result<Json<Advanced>, Failure> {
    let request = approve::read(&body)?;
    Ok(Json(
        http.blocking(move |app| app.reject(&caller, id, &request, &origin))
            .await?,
    ))
}
