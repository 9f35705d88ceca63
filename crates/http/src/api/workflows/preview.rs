//! `POST /api/v3/workflows/preview`: shows what a start would send. A call of its own, so that its answer and that of a start
//! have one type each; a start with `is_preview` does the same.

use app::{Error, Started};
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::start::StartBody;
use crate::body::json::JsonBody;
use crate::frame::caller::Authenticated;
use crate::frame::client_address::CameFrom;
use crate::frame::faults::Faults;
use crate::frame::problem::{Failure, Problem};
use crate::frame::query::Query;
use crate::frame::state::Http;

/// A preview of what would be sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct StartPreview {
    /// Its address. It works for 24 hours.
    #[schema(example = "https://sign.example.com/mail/preview?token=UAAAAAAAAAAHAAAAAQ&lang=ko")]
    pub preview_url: String,
    /// The paths of members of the request that we ignored, such as `is_embed` next to `export_api_info` instead of in it; at
    /// most 100. Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["is_embed", "recipient_list[0].nmae"]))]
    pub ignored_members: Vec<String>,
}

/// Preview a start.
///
/// Accepts the body of a start and starts nothing. The preview shows the pages with the values of `field_list` where they will be
/// stamped. Whatever a start would refuse is refused here, too.
#[utoipa::path(
    post, path = "/api/v3/workflows/preview", operation_id = "workflows_preview", tag = "Workflows",
    params(
        ("offset" = Option<String>, Query, description = "UTC offset `+HH:MM` of `expiry_date`. Default: the company's time zone.", example = "+09:00"),
    ),
    request_body = StartBody,
    responses(
        (status = 200, description = "The preview was created.", body = StartPreview),
        (status = 409, description = "The template is archived.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The request breaks a rule; `errors` names every wrong member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn preview(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    CameFrom(origin): CameFrom,
    query: Query,
    body: JsonBody,
) -> Result<Json<StartPreview>, Failure> {
    let mut faults = Faults::default();
    let mut request = body.request::<StartBody>(&mut faults)?;
    request.offset = query.text("offset", &mut faults);
    request.is_preview = true;
    request.faults = faults.into_inner();
    match http.blocking(move |app| app.start(&caller, request, &origin)).await? {
        Started::Preview { preview_url, .. } => Ok(Json(StartPreview {
            preview_url,
            ignored_members: body.ignored(),
        })),
        Started::Workflow(_) => Err(Error::internal("previewing", "a document was started").into()),
    }
}
