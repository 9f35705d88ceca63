//! `GET /api/v3/exports`: the Export API's history, newest first.

use app::{ExportList, ExportsRequest};
use axum::Json;
use axum::extract::State;

use crate::body::declared::{declare, parameters};
use crate::frame::caller::Authenticated;
use crate::frame::problem::{Failure, Problem};
use crate::frame::query::Query;
use crate::frame::state::Http;

declare! {
    /// Selects deliveries.
    ListQuery of Query -> ExportsRequest {
        /// The document.
        workflow_id: Option<i64> => workflow_id,
        /// `waiting`, `held`, `delivered` or `dead`.
        status: Option<String> => status,
        /// The endpoint's URL.
        url: Option<String> => url,
        /// Deliveries of events at or after this time: `YYYY-MM-DD` or `YYYY-MM-DD HH:MM:SS`, in the company's time
        /// zone.
        from: Option<String> => from,
        /// Deliveries of events before this time. A date without a time means the end of that day.
        to: Option<String> => to,
        /// `next_cursor` of the previous response.
        cursor: Option<String> => cursor,
        /// How many deliveries to return: 1 to 100. Default: 20.
        limit: Option<u32> => limit,
    }
}

/// List deliveries.
///
/// Lists every webhook and each of its tries, newest first. They are kept for 30 days unless the operator sets a
/// different time. To get more, pass `next_cursor` as `cursor`.
#[utoipa::path(
    get, path = "/api/v3/exports", operation_id = "exports_list", tag = "Export API",
    params(ListQuery),
    responses(
        (status = 200, description = "The deliveries, newest first.", body = ExportList, example = json!({
            "export_list": [{
                "export_id": 7, "webhook_id": "msg_6f1c0f4f0cf34d1f9a4bcd7a1d2e3f40", "workflow_id": 42,
                "url": "https://hooks.example.com/sign", "status": "waiting",
                "created_date": "2026-12-01 10:00:00 (UTC+09:00)", "next_date": "2026-12-01 10:05:05 (UTC+09:00)",
                "finished_date": "", "tries": 1,
                "try_list": [{"number": 1, "date": "2026-12-01 10:00:00 (UTC+09:00)", "duration_ms": 12, "code": 503, "fault": null, "answer": "maintenance"}]
            }],
            "next_cursor": null
        })),
        (status = 422, description = "The request is invalid. `errors` lists every invalid member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn list_exports(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    query: Query,
) -> Result<Json<ExportList>, Failure> {
    let request = parameters::<ListQuery>(&query);
    Ok(Json(http.blocking(move |app| app.exports(&caller, &request)).await?))
}
