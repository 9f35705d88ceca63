//! `POST /api/v3/workflows/{id}/reject`: on behalf of the writer whose turn it is.

use app::Advanced;
use axum::Json;
use axum::extract::State;

use super::approve::{self, ActInput};
use super::path::WorkflowPath;
use crate::client_address::CameFrom;
use crate::json_body::OptionalJsonBody;
use crate::problem::{Failure, Problem};
use crate::router::{Authenticated, Http};

/// Reject for a writer.
///
/// On behalf of the writer whose turn it is. Ends the document, or gives it back to the step before where the template says so.
#[utoipa::path(
    post, path = "/api/v3/workflows/{id}/reject", tag = "Workflows",
    params(("id" = i64, Path, description = "The document's id.")),
    request_body = ActInput,
    responses(
        (status = 200, description = "The document after it.", body = Advanced),
        (status = 400, description = "The body is not JSON.", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "The state does not allow it; `state` names it.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A rule is broken; every bad member is named.", body = Problem, content_type = "application/problem+json"),
    ),
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
