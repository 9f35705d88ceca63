//! `GET /healthz`, `/livez` and `/readyz`: whether this process responds, and whether it can do its work.
//!
//! The endpoints are public, so the responses contain no reasons. The listener of `metrics.listen` provides them.

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
    /// Always `ok`. If the service is unhealthy, the status is 503.
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
/// For load balancers. It writes to the database and the file store, at most once a second, so that it also detects a
/// full disk.
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
/// For orchestrators that restart a hung process. It checks nothing else, because a restart would not fix a database
/// failure.
#[utoipa::path(
    get, path = "/livez", operation_id = "service_live", tag = "Service",
    responses((status = 200, description = "The process responds.", body = Health)),
)]
pub async fn live() -> Answer {
    ok()
}

/// Check that the service is ready for requests.
///
/// For load balancers and orchestrators. Like `/healthz`, but documents must also be readable. The response gives no
/// reasons. The operator's own metrics address does.
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
