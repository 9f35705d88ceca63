//! `POST /api/v3/exports/{id}/resend`: sends a webhook again.

use app::ExportDelivery;
use axum::Json;
use axum::extract::State;

use crate::api::path::ExportPath;
use crate::frame::caller::Authenticated;
use crate::frame::problem::{Failure, Problem};
use crate::frame::state::Http;

/// Resend a delivery.
///
/// Sends the same event, with the same `webhook-id` and the same bytes, in a new round of tries. A dead delivery is
/// revived, a delivered webhook is sent again, and a waiting one is tried now.
#[utoipa::path(
    post, path = "/api/v3/exports/{id}/resend", operation_id = "exports_resend", tag = "Export API",
    params(("id" = i64, Path, description = "The delivery's `export_id`.")),
    responses(
        (status = 200, description = "The delivery, which is now waiting.", body = ExportDelivery),
        (status = 409, description = "The delivery is being tried now, or its endpoint is stopped. `state` says which.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn resend_export(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    ExportPath(id): ExportPath,
) -> Result<Json<ExportDelivery>, Failure> {
    Ok(Json(http.blocking(move |app| app.resend_export(&caller, id)).await?))
}
