//! The endpoints for sent webhooks, and the body of a webhook.

use axum::http::Method;

use super::{READ, SEND};
use crate::frame::route::{Route, route};

pub mod body;
pub mod endpoints;
pub mod list;
pub mod resend;
pub mod resend_many;
pub mod test_delivery;

pub fn routes() -> Vec<Route> {
    vec![
        route(Method::GET, "/api/v3/exports", READ, list::list_exports),
        route(Method::POST, "/api/v3/exports/{id}/resend", SEND, resend::resend_export),
        route(
            Method::POST,
            "/api/v3/exports/resend",
            SEND,
            resend_many::resend_exports,
        ),
        route(Method::POST, "/api/v3/exports/test", SEND, test_delivery::test_export),
        route(
            Method::GET,
            "/api/v3/exports/endpoints",
            READ,
            endpoints::list_endpoints,
        ),
        route(
            Method::POST,
            "/api/v3/exports/endpoints/pause",
            SEND,
            endpoints::pause_endpoint,
        ),
        route(
            Method::POST,
            "/api/v3/exports/endpoints/start",
            SEND,
            endpoints::start_endpoint,
        ),
    ]
}
