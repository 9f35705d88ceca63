//! `GET /healthz`: whether this process answers and can write to its database and its files.

use app::App;
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

/// Check the health of the service.
///
/// For load balancers. It writes to the database and the file store, at most once a second, so that a full disk is noticed
/// too.
#[utoipa::path(
    get, path = "/healthz", tag = "Service",
    responses((status = 200, description = "The service works.", body = Health), (status = 503, description = "The database does not respond, or a disk is full.", body = crate::frame::problem::Problem, content_type = "application/problem+json")),
)]
pub async fn health(State(http): State<Http>) -> Result<([(HeaderName, HeaderValue); 1], Json<Health>), Failure> {
    http.health(App::health).await?;
    Ok((
        [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))],
        Json(Health { status: "ok" }),
    ))
}
