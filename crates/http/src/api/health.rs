//! `GET /healthz`: whether this process answers and reaches its database.

use app::Error;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::Failure;
use crate::router::Http;

/// The state of the process.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// Always `ok`: what is not well answers 503.
    #[schema(example = "ok")]
    status: &'static str,
}

/// Is the service well?
///
/// For load balancers: asks the database too.
#[utoipa::path(
    get, path = "/healthz", tag = "Service",
    responses((status = 200, body = Health), (status = 503, description = "The database does not answer.", body = crate::problem::Problem, content_type = "application/problem+json")),
)]
pub async fn health(State(http): State<Http>) -> Result<([(HeaderName, HeaderValue); 1], Json<Health>), Failure> {
    http.blocking(|app| {
        // Any name will do: what counts is that the database answers.
        app.store
            .read(|tx| store::setting::find(tx, "health"))
            .map(drop)
            .map_err(|error: store::Error| Error::Unavailable {
                retry_after: 1,
                cause: Some(Box::new(error)),
            })
    })
    .await?;
    Ok((
        [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))],
        Json(Health { status: "ok" }),
    ))
}
