//! `POST /api/v3/exports/resend`: sends a range of webhooks again.

use app::{ExportsRequest, ExportsResent};
use axum::Json;
use axum::extract::State;

use crate::body::declared::declare;
use crate::body::json::{JsonBody, Members};
use crate::frame::caller::Authenticated;
use crate::frame::faults::Faults;
use crate::frame::problem::{Failure, Problem};
use crate::frame::state::Http;

declare! {
    /// Selects deliveries to send again: those that match every member. At least one member other than `cursor` and
    /// `limit` is required.
    #[schema(example = json!({"status": "dead", "from": "2026-12-01", "to": "2026-12-03 12:00:00"}))]
    ResendRequest -> ExportsRequest {
        /// The document's ID.
        workflow_id: Option<i64> => workflow_id = number,
        /// `dead` or `delivered`. Default: both.
        #[schema(pattern = "^(dead|delivered)$")]
        status: Option<String> => status,
        /// The endpoint's URL.
        url: Option<String> => url,
        /// Deliveries of events at or after this time: `YYYY-MM-DD`, or with ` HH:MM:SS`, in the company's time zone.
        from: Option<String> => from,
        /// Deliveries of events before this time. A date alone means the end of that day.
        to: Option<String> => to,
        /// `next_cursor` of the previous response.
        cursor: Option<String> => cursor,
        /// How many deliveries to resend: 1 to 1,000. Default: 1,000.
        #[schema(minimum = 1, maximum = 1000)]
        limit: Option<u32> => limit = number,
    }
}

/// Reads a number as text, as in a query.
fn number(members: &Members<'_>, name: &str, faults: &mut Faults) -> Option<String> {
    members.integer_or_text(name, faults).map(|number| number.to_string())
}

/// Resend a range of deliveries.
///
/// Oldest first, up to 1,000 per call. If `more` is true, pass `next_cursor` as `cursor` to continue. Deliveries to a stopped
/// endpoint are held until you start it.
#[utoipa::path(
    post, path = "/api/v3/exports/resend", operation_id = "exports_resend_many", tag = "Export API",
    request_body = ResendRequest,
    responses(
        (status = 200, description = "The number of deliveries that will be sent again.", body = ExportsResent, example = json!({"resent": 1000, "more": true, "next_cursor": "1007"})),
        (status = 422, description = "The request is invalid. `errors` lists every invalid member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn resend_exports(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    body: JsonBody,
) -> Result<Json<ExportsResent>, Failure> {
    let mut faults = Faults::default();
    let mut request = body.request::<ResendRequest>(&mut faults)?;
    request.faults = faults.into_inner();
    Ok(Json(
        http.blocking(move |app| app.resend_exports(&caller, &request)).await?,
    ))
}
