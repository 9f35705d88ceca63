//! `POST /api/v3/workflows/{id}/remind`: reminds the signers whose turn it is.

use app::Advanced;
use axum::Json;
use axum::extract::State;

use crate::api::answers::ChangedAsAsked;
use crate::api::path::WorkflowPath;
use crate::frame::caller::Authenticated;
use crate::frame::client_address::CameFrom;
use crate::frame::problem::{Failure, Problem};
use crate::frame::state::Http;

/// Remind the signers.
///
/// Sends the request again to the signers whose turn it is. Skips signers who were reminded, or asked again after a
/// correction, within the last ten minutes. If no signers are left, it returns 429. For an embedded document it returns
/// 409, because its signers receive no messages.
#[utoipa::path(
    post, path = "/api/v3/workflows/{id}/remind", operation_id = "workflows_remind", tag = "Workflows",
    params(("id" = i64, Path, description = "The document's ID.")),
    responses(
        ChangedAsAsked,
        (status = 429, description = "All signers were reminded within the last ten minutes.", body = Problem, content_type = "application/problem+json",
         headers(("Retry-After" = u64, description = "Seconds to wait."))),
    ),
    security(("access_token" = [])),
)]
pub async fn remind(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    CameFrom(origin): CameFrom,
    WorkflowPath(id, ()): WorkflowPath,
) -> Result<Json<Advanced>, Failure> {
    Ok(Json(http.blocking(move |app| app.remind(&caller, id, &origin)).await?))
}
