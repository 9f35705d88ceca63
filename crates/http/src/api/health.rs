//! `GET /healthz`, `/livez` and `/readyz`: whether this process answers, and whether it can do its work.
//!
//! Anybody may ask, so the answers give no reasons. The listener of `metrics.listen` gives them.

use app::{App, Error};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use serde::Serialize;
use utoipa::ToSchema;

use crate::frame::problem::Failure;
use crate::frame::state::Http;

/// The state of the process.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// Always `ok`; otherwise the status is 503.
    #[schema(example = "ok")]
    status: &'static str,
}

type Answer = ([(HeaderName, HeaderValue); 1], Json<Health>);

fn ok() -> Answer {
    (
        [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))],
        Json(Health { status: "ok" }),
    )
}

/// Check the health of the service.
///
/// For load balancers. It writes to the database and the file store, at most once a second, so that a full disk is noticed
/// too.
#[utoipa::path(
    get, path = "/healthz", operation_id = "service_health", tag = "Service",
    responses((status = 200, description = "The service works.", body = Health), (status = 503, description = "The database does not respond, or a disk is full.", body = crate::frame::problem::Problem, content_type = "application/problem+json")),
)]
pub async fn health(State(http): State<Http>) -> Result<Answer, Failure> {
    http.health(App::health).await?;
    Ok(ok())
}

/// Check that the process responds.
///
/// For orchestrators that restart a hung process. It checks nothing else, because a restart does not bring a database back.
#[utoipa::path(
    get, path = "/livez", operation_id = "service_live", tag = "Service",
    responses((status = 200, description = "The process responds.", body = Health)),
)]
pub async fn live() -> Answer {
    ok()
}

/// Check that the service is ready for requests.
///
/// For load balancers and orchestrators. Like `/healthz`, and documents must be readable as well. It gives no reasons: the
/// operator's own address for metrics does.
#[utoipa::path(
    get, path = "/readyz", operation_id = "service_ready", tag = "Service",
    responses((status = 200, description = "The service is ready for requests.", body = Health), (status = 503, description = "Send requests to another server, or wait.", body = crate::frame::problem::Problem, content_type = "application/problem+json")),
)]
pub async fn ready(State(http): State<Http>) -> Result<Answer, Failure> {
    if http.health(|app| Ok(app.readiness())).await?.is_ready() {
        Ok(ok())
    } else {
        Err(Error::busy(1).into())
    }
}
