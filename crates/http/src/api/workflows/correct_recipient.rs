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
    /// The corrections. Omitted members stay the same.
    #[schema(example = json!({"name": "이서연", "email": "seoyeon@example.com"}))]
    CorrectInput -> CorrectRequest {
        /// The correct name.
        #[schema(max_length = 100)]
        name: Option<String> => name,
        /// The correct e-mail address or telephone number.
        email: Option<String> => email,
        /// The correct mobile number. `null` removes the current one. If you omit it, the number is kept only if the
        /// name and address do not change.
        mobile: Option<String> => mobile = Members::text_or_null,
        /// The correct company for which they sign; `null` removes the current one. If you omit it, it stays.
        #[schema(max_length = 128)]
        company: Option<String> => company = Members::text_or_null,
        /// The current address of the recipient, if the step has several.
        current_email: Option<String> => current_email,
        /// The recipient's role. Required if several recipients of the step have this address.
        role: Option<String> => role,
    }
}

/// Correct a recipient.
///
/// Corrects a recipient who has not signed yet. Their old link stops working, and if it is their turn, a new one is
/// sent. The earlier person's values and signatures are removed, but the history keeps them under that person's name.
/// One-time codes are never sent to the earlier person's mobile number, so repeat `mobile` if it is still correct. If
/// no data differs, nothing happens and the link stays the same. If the address was reminded or asked again within the
/// last ten minutes, this returns 429.
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
