//! `POST /api/v3/workflows/{id}/extend`: changes the expiry date of a document.

use app::{Advanced, ExtendRequest};
use axum::Json;
use axum::extract::State;

use crate::api::answers::Changed;
use crate::api::path::WorkflowPath;
use crate::body::declared::declare;
use crate::body::json::JsonBody;
use crate::frame::caller::Authenticated;
use crate::frame::client_address::CameFrom;
use crate::frame::faults::Faults;
use crate::frame::problem::Failure;
use crate::frame::query::Query;
use crate::frame::state::Http;

declare! {
    #[schema(example = json!({"expiry_date": "2027-01-31 18:00:00"}))]
    ExtendInput -> ExtendRequest {
        /// `YYYY-MM-DD HH:MM:SS` in `offset`, not in the past. A date without a time means the end of that day, and
        /// `9999-12-31 23:59:59` means never.
        expiry_date: String => expiry_date,
    }
}

/// Change the expiry date.
///
/// Works while the document is in progress. If you pass the current date, nothing changes.
#[utoipa::path(
    post, path = "/api/v3/workflows/{id}/extend", operation_id = "workflows_extend", tag = "Workflows",
    params(
        ("id" = i64, Path, description = "The document's ID."),
        ("offset" = Option<String>, Query, description = "UTC offset `+HH:MM` of `expiry_date`. Default: the document's offset."),
    ),
    request_body = ExtendInput,
    responses(Changed),
    security(("access_token" = [])),
)]
pub async fn extend(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    CameFrom(origin): CameFrom,
    WorkflowPath(id, ()): WorkflowPath,
    query: Query,
    body: JsonBody,
) -> Result<Json<Advanced>, Failure> {
    let mut faults = Faults::default();
    let mut request = body.request::<ExtendInput>(&mut faults)?;
    request.offset = query.text("offset", &mut faults);
    request.faults = faults.into_inner();
    Ok(Json(
        http.blocking(move |app| app.extend(&caller, id, &request, &origin))
            .await?,
    ))
}
