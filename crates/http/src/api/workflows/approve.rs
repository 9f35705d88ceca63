//! `POST /api/v3/workflows/{id}/approve`: approves on behalf of the current signer.

use app::{ActRequest, Advanced, Error};
use axum::Json;
use axum::extract::State;

use super::start::{FieldInput, order};
use crate::api::answers::Changed;
use crate::api::path::WorkflowPath;
use crate::body::declared::declare;
use crate::body::json::{JsonBody, OptionalJsonBody};
use crate::frame::caller::Authenticated;
use crate::frame::client_address::CameFrom;
use crate::frame::faults::Faults;
use crate::frame::problem::Failure;
use crate::frame::state::Http;

declare! {
    /// The values to enter for the signer, and a comment.
    #[schema(example = json!({"order": 1, "field_list": [{"name": "agree", "value": "Y"}], "comment": "Approved by telephone"}))]
    ActInput -> ActRequest {
        /// The step. Required if the document has several, so that a repeated request never acts for anyone else. If this
        /// is not the current step, the response is 409.
        #[schema(minimum = 1)]
        order: Option<u32> => order = order,
        /// The recipient's address, if the step has several recipients.
        email: Option<String> => email,
        /// The recipient's role. Required if several recipients of the step have this address.
        role: Option<String> => role,
        /// Values to enter.
        field_list: Option<Vec<FieldInput>> => fields,
        /// A comment.
        #[schema(max_length = 250)]
        comment: Option<String> => comment,
    }
}

/// Reads the members for approving or declining.
pub(super) fn read(body: &JsonBody) -> Result<ActRequest, Error> {
    let mut faults = Faults::default();
    let mut request = body.request::<ActInput>(&mut faults)?;
    request.faults = faults.into_inner();
    Ok(request)
}

/// Approve on behalf of a signer.
///
/// Approves on behalf of the signer whose turn it is. The last approval also seals the document before the call
/// returns.
#[utoipa::path(
    post, path = "/api/v3/workflows/{id}/approve", operation_id = "workflows_approve", tag = "Workflows",
    params(("id" = i64, Path, description = "The document's ID.")),
    request_body = ActInput,
    responses(Changed),
    security(("access_token" = [])),
)]
pub async fn approve(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    CameFrom(origin): CameFrom,
    WorkflowPath(id, ()): WorkflowPath,
    OptionalJsonBody(body): OptionalJsonBody,
) -> Result<Json<Advanced>, Failure> {
    let request = read(&body)?;
    Ok(Json(
        http.blocking(move |app| app.approve(&caller, id, &request, &origin))
            .await?,
    ))
}
