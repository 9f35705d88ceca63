//! `POST /api/v3/workflows/{id}/cancel`: cancels a document in progress for its sender.

use app::{ActRequest, Advanced};
use axum::Json;
use axum::extract::State;

use crate::api::answers::Changed;
use crate::api::path::WorkflowPath;
use crate::body::declared::declare;
use crate::body::json::OptionalJsonBody;
use crate::frame::caller::Authenticated;
use crate::frame::client_address::CameFrom;
use crate::frame::faults::Faults;
use crate::frame::problem::Failure;
use crate::frame::state::Http;

declare! {
    #[schema(example = json!({"comment": "Sent to the wrong person"}))]
    CancelInput -> ActRequest {
        /// The reason, which recipients can see.
        #[schema(max_length = 250)]
        comment: Option<String> => comment,
    }
}

/// Cancel a workflow.
///
/// Ends a document that is in progress.
#[utoipa::path(
    post, path = "/api/v3/workflows/{id}/cancel", operation_id = "workflows_cancel", tag = "Workflows",
    params(("id" = i64, Path, description = "The document's ID.")),
    request_body = CancelInput,
    responses(Changed),
    security(("access_token" = [])),
)]
pub async fn cancel(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    CameFrom(origin): CameFrom,
    WorkflowPath(id, ()): WorkflowPath,
    OptionalJsonBody(body): OptionalJsonBody,
) -> Result<Json<Advanced>, Failure> {
    let mut faults = Faults::default();
    let mut request = body.request::<CancelInput>(&mut faults)?;
    request.faults = faults.into_inner();
    Ok(Json(
        http.blocking(move |app| app.cancel(&caller, id, &request, &origin))
            .await?,
    ))
}
