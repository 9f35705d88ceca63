//! `PATCH /api/v3/workflows/{id}/recipients/{order}`: corrects a recipient who has not signed.

use app::{Advanced, CorrectRequest, Error, Subject};
use axum::Json;
use axum::extract::State;

use crate::api::answers::Changed;
use crate::api::path::{WorkflowPath, number};
use crate::body::declared::declare;
use crate::body::json::{JsonBody, Members};
use crate::frame::caller::Authenticated;
use crate::frame::client_address::CameFrom;
use crate::frame::faults::Faults;
use crate::frame::problem::{Failure, Problem};
use crate::frame::state::Http;

declare! {
    /// The corrections; what you omit stays.
    #[schema(example = json!({"name": "이서연", "email": "seoyeon@example.com"}))]
    CorrectInput -> CorrectRequest {
        /// The correct name.
        #[schema(max_length = 100)]
        name: Option<String> => name,
        /// The correct e-mail address or telephone number.
        email: Option<String> => email,
        /// The correct mobile number; `null` removes the current one. If you omit it, the number stays only if name and
        /// address stay too.
        mobile: Option<String> => mobile = Members::text_or_null,
        /// The correct company for which they sign; `null` removes the current one. If you omit it, it stays.
        #[schema(max_length = 128)]
        company: Option<String> => company = Members::text_or_null,
        /// Which recipient of the step, by the current address.
        current_email: Option<String> => current_email,
        /// Which recipient of the step, by role: required if several have this address.
        role: Option<String> => role,
    }
}

/// Correct a recipient.
///
/// Corrects a recipient who has not signed yet. Their old link stops working; if it is their turn, a new one is sent.
/// Anything that the earlier person filled in or signed is removed, and the history keeps it under their name. One-time codes
/// never go to the earlier person's mobile number: repeat `mobile` if it is still right. If nothing changes, nothing happens
/// and the link stays. If the address was reminded or asked again within the last ten minutes, this returns 429.
#[utoipa::path(
    patch, path = "/api/v3/workflows/{id}/recipients/{order}", operation_id = "workflows_correct_recipient", tag = "Workflows",
    params(
        ("id" = i64, Path, description = "The document's ID."),
        ("order" = u32, Path, description = "The step."),
    ),
    request_body = CorrectInput,
    responses(
        Changed,
        (status = 429, description = "The recipient was reminded or asked again within the last ten minutes.", body = Problem, content_type = "application/problem+json",
         headers(("Retry-After" = u64, description = "Seconds to wait."))),
    ),
    security(("access_token" = [])),
)]
pub async fn correct_recipient(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    CameFrom(origin): CameFrom,
    WorkflowPath(id, order): WorkflowPath<String>,
    body: JsonBody,
) -> Result<Json<Advanced>, Failure> {
    let order = number(&order).and_then(|order| u32::try_from(order).ok());
    let order = order.ok_or(Error::NotFound(Subject::Recipient))?;
    let mut faults = Faults::default();
    let mut request = body.request::<CorrectInput>(&mut faults)?;
    request.faults = faults.into_inner();
    Ok(Json(
        http.blocking(move |app| app.correct_recipient(&caller, id, order, &request, &origin))
            .await?,
    ))
}
