//! `POST /api/v3/exports/resend`: sends a range of webhooks again.

use app::{ExportsRequest, ExportsResent};
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::body::json::JsonBody;
use crate::frame::caller::Authenticated;
use crate::frame::faults::Faults;
use crate::frame::problem::{Failure, Problem};
use crate::frame::state::Http;

/// Which deliveries to send again: those that match every member. At least one besides `cursor` and `limit` is
/// required.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(example = json!({"status": "dead", "from": "2026-12-01", "to": "2026-12-03 12:00:00"}))]
pub struct ResendRequest {
    /// The document's ID.
    pub workflow_id: Option<i64>,
    /// `dead` or `delivered`. Default: both.
    #[schema(pattern = "^(dead|delivered)$")]
    pub status: Option<String>,
    /// The endpoint's URL.
    pub url: Option<String>,
    /// Happened at or after this time: `YYYY-MM-DD`, or with ` HH:MM:SS`, in the company's time zone.
    pub from: Option<String>,
    /// Happened before this time; a date alone means the end of that day.
    pub to: Option<String>,
    /// `next_cursor` of the previous response.
    pub cursor: Option<String>,
    /// How many: 1 to 1,000. Default: 1,000.
    #[schema(minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
}

/// Resend a range of deliveries.
///
/// Oldest first, up to 1,000 per call. If `more` is true, pass `next_cursor` as `cursor` to continue. Deliveries to a stopped
/// endpoint are held until you start it.
#[utoipa::path(
    post, path = "/api/v3/exports/resend", tag = "Export API",
    request_body = ResendRequest,
    responses(
        (status = 200, description = "The number of deliveries that will be sent again.", body = ExportsResent, example = json!({"resent": 1000, "more": true, "next_cursor": "1007"})),
        (status = 422, description = "The request breaks a rule; `errors` names every wrong member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn resend_exports(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    body: JsonBody,
) -> Result<Json<ExportsResent>, Failure> {
    let mut faults = Faults::default();
    let mut request = body.read(&mut faults, |members, faults| {
        let number = |name: &str, faults: &mut Faults| members.integer_or_text(name, faults).map(|id| id.to_string());
        ExportsRequest {
            workflow_id: number("workflow_id", faults),
            status: members.text("status", faults),
            url: members.text("url", faults),
            from: members.text("from", faults),
            to: members.text("to", faults),
            cursor: members.text("cursor", faults),
            limit: number("limit", faults),
            faults: Vec::new(),
        }
    })?;
    request.faults = faults.into_inner();
    Ok(Json(
        http.blocking(move |app| app.resend_exports(&caller, &request)).await?,
    ))
}
