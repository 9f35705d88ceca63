//! `POST /api/v3/workflows/{id}/links`: renews or revokes the links to a document's files and the sender's view.

use app::{LinksRequest, WorkflowLinks};
use axum::Json;
use axum::extract::State;

use crate::api::path::WorkflowPath;
use crate::body::declared::declare;
use crate::body::json::JsonBody;
use crate::frame::caller::Authenticated;
use crate::frame::client_address::CameFrom;
use crate::frame::faults::Faults;
use crate::frame::problem::{Failure, Problem};
use crate::frame::state::Http;

declare! {
    #[schema(example = json!({"action": "revoke"}))]
    LinksInput -> LinksRequest {
        /// `renew`: replace the links with new ones. `revoke`: the links stop working until they are renewed.
        #[schema(pattern = "^(renew|revoke)$")]
        action: String => action,
    }
}

/// Renew or revoke the links to a document.
///
/// Works in any state. It affects the sender's view and every link to the finished files, including links in mails and
/// webhooks that were already sent. Signers' signing links (`sign_url`) keep working. After `revoke`, no new links are
/// created until you `renew` them. Revoking again changes nothing. `renew` replaces the links, starts a new lifetime,
/// unlocks signers' codes if the document is complete, and returns the new addresses. Discarding a document revokes its
/// links.
#[utoipa::path(
    post, path = "/api/v3/workflows/{id}/links", operation_id = "workflows_change_links", tag = "Workflows",
    params(("id" = i64, Path, description = "The document's ID.")),
    request_body = LinksInput,
    responses(
        (status = 200, description = "The current state of the links.", body = WorkflowLinks),
        (status = 400, description = "The body is not JSON.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The request is invalid. `errors` lists every invalid member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn change_links(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    CameFrom(origin): CameFrom,
    WorkflowPath(id, ()): WorkflowPath,
    body: JsonBody,
) -> Result<Json<WorkflowLinks>, Failure> {
    let mut faults = Faults::default();
    let mut request = body.request::<LinksInput>(&mut faults)?;
    request.faults = faults.into_inner();
    let links = http
        .blocking(move |app| app.change_links(&caller, id, &request, &origin))
        .await?;
    Ok(Json(links))
}
