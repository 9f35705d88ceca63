//! `POST /api/v3/exports/test`: sends a test delivery and returns the endpoint's response.

use app::{WebhookTestRequest, WebhookTested};
use axum::Json;
use axum::extract::State;

use crate::body::declared::declare;
use crate::body::json::JsonBody;
use crate::frame::blocking::requester;
use crate::frame::caller::Authenticated;
use crate::frame::faults::Faults;
use crate::frame::problem::{Failure, Problem};
use crate::frame::state::Http;

declare! {
    #[schema(example = json!({"url": "https://hooks.example.com/sign"}))]
    TestRequest -> WebhookTestRequest {
        /// The endpoint's URL, which must follow the same rules as in a start.
        url: String => url,
        /// The `Authorization` header.
        authorization: Option<String> => authorization,
        /// The API client whose secret signs the webhook. Default: the company's first client.
        client_id: Option<String> => client_id,
    }
}

/// Test an endpoint.
///
/// Sends one signed webhook (`workflow_id` 0, `comment` 'Test delivery'), waits up to 15 seconds, and returns the endpoint's
/// response. It is not retried and does not appear in the history.
#[utoipa::path(
    post, path = "/api/v3/exports/test", operation_id = "exports_test", tag = "Export API",
    request_body = TestRequest,
    responses(
        (status = 200, description = "The result, even if the endpoint did not receive the webhook.", body = WebhookTested, example = json!({
            "delivered": false, "webhook_id": "msg_6f1c0f4f0cf34d1f9a4bcd7a1d2e3f40", "code": 404, "fault": null,
            "answer": "Not Found", "duration_ms": 31
        })),
        (status = 422, description = "The request is invalid. `errors` lists every invalid member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn test_export(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    body: JsonBody,
) -> Result<Json<WebhookTested>, Failure> {
    let mut faults = Faults::default();
    let mut request = body.request::<TestRequest>(&mut faults)?;
    request.faults = faults.into_inner();
    // A slow endpoint must not occupy threads that everyone shares.
    let turn = http.trials().turn(&requester()).await?;
    let tested = http.blocking(move |app| {
        let _turn = turn;
        app.test_webhook(&caller, request)
    });
    Ok(Json(tested.await?))
}
