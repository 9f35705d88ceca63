//! `GET /api/v3/exports/endpoints`, `POST /api/v3/exports/endpoints/start` and `/pause`: failing or stopped endpoints.

use app::{EndpointPaused, EndpointStarted, ExportEndpoints};
use axum::Json;
use axum::extract::State;

use crate::body::declared::{declare, parameters};
use crate::body::json::JsonBody;
use crate::frame::caller::Authenticated;
use crate::frame::faults::Faults;
use crate::frame::problem::{Failure, Problem};
use crate::frame::query::Query;
use crate::frame::state::Http;

declare! {
    /// Selects endpoints.
    ListQuery of Query -> (Option<String>, Option<String>) {
        /// `next_cursor` of the previous response.
        cursor: Option<String> => 0,
        /// How many endpoints to return: 1 to 100. Default: 100.
        limit: Option<u32> => 1,
    }
}

/// List failing endpoints.
///
/// Endpoints whose deliveries have failed since their last success, and endpoints that are stopped: by a 410, after five days
/// in which every delivery failed, or by a pause.
#[utoipa::path(
    get, path = "/api/v3/exports/endpoints", operation_id = "endpoints_list", tag = "Export API",
    params(ListQuery),
    responses(
        (status = 200, description = "The endpoints.", body = ExportEndpoints, example = json!({"endpoint_list": [{
            "url": "https://hooks.example.com/sign", "failing_since": "2026-12-01 10:00:00 (UTC+09:00)", "status": "stopped",
            "stopped_date": "2026-12-06 10:00:01 (UTC+09:00)", "stopped_reason": "failing", "held": 12
        }], "next_cursor": null})),
        (status = 422, description = "The request is invalid. `errors` lists every invalid member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn list_endpoints(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    query: Query,
) -> Result<Json<ExportEndpoints>, Failure> {
    let (cursor, limit) = parameters::<ListQuery>(&query);
    let endpoints = http.blocking(move |app| app.export_endpoints(&caller, cursor.as_ref(), limit.as_ref()));
    Ok(Json(endpoints.await?))
}

declare! {
    /// The endpoint.
    #[schema(example = json!({"url": "https://hooks.example.com/sign"}))]
    EndpointRequest -> (Option<String>,) {
        /// The endpoint's URL.
        url: String => 0,
    }
}

/// Start a stopped endpoint.
///
/// Sends the webhooks that were held for the endpoint. If the endpoint is not stopped, nothing changes.
#[utoipa::path(
    post, path = "/api/v3/exports/endpoints/start", operation_id = "endpoints_start", tag = "Export API",
    request_body = EndpointRequest,
    responses(
        (status = 200, description = "The endpoint was started. Webhooks that were held for it are sent.", body = EndpointStarted, example = json!({"url": "https://hooks.example.com/sign", "released": 12})),
        (status = 404, description = "No document uses this endpoint.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The request is invalid. `errors` lists every invalid member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn start_endpoint(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    body: JsonBody,
) -> Result<Json<EndpointStarted>, Failure> {
    let mut faults = Faults::default();
    let (url,) = body.request::<EndpointRequest>(&mut faults)?;
    let faults = faults.into_inner();
    let started = http.blocking(move |app| app.start_export_endpoint(&caller, url, faults));
    Ok(Json(started.await?))
}

/// Pause an endpoint.
///
/// Webhooks are held until you start the endpoint again, so nothing is lost. If the endpoint is already stopped or
/// paused, nothing changes. You can also pause an endpoint that only future documents will use. `known` says whether
/// any document uses it.
#[utoipa::path(
    post, path = "/api/v3/exports/endpoints/pause", operation_id = "endpoints_pause", tag = "Export API",
    request_body = EndpointRequest,
    responses(
        (status = 200, description = "The endpoint was paused. Webhooks to it are held.", body = EndpointPaused, example = json!({"url": "https://hooks.example.com/sign", "held": 3, "known": true})),
        (status = 422, description = "The request is invalid. `errors` lists every invalid member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn pause_endpoint(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    body: JsonBody,
) -> Result<Json<EndpointPaused>, Failure> {
    let mut faults = Faults::default();
    let (url,) = body.request::<EndpointRequest>(&mut faults)?;
    let faults = faults.into_inner();
    let paused = http.blocking(move |app| app.pause_export_endpoint(&caller, url, faults));
    Ok(Json(paused.await?))
}
