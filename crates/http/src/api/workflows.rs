//! The workflow endpoints.

use axum::http::Method;

use super::{READ, SEND};
use crate::frame::route::{Route, route};

pub mod approve;
pub mod cancel;
pub mod certificate;
pub mod correct_recipient;
pub mod discard;
pub mod document;
pub mod extend;
pub mod field_file;
pub mod get;
pub mod links;
pub mod list;
pub mod preview;
pub mod reject;
pub mod remind;
pub mod search;
pub mod send;
pub mod start;

pub fn routes() -> Vec<Route> {
    vec![
        route(Method::POST, "/api/v3/workflows/start", SEND, start::start),
        route(Method::POST, "/api/v3/workflows/preview", SEND, preview::preview),
        route(Method::POST, "/api/v3/workflows/send", SEND, send::send),
        route(Method::GET, "/api/v3/workflows", READ, list::list_workflows),
        route(
            Method::GET,
            "/api/v3/workflows/search-with-value",
            READ,
            search::search_with_value,
        ),
        route(Method::GET, "/api/v3/workflows/{id}", READ, get::get_workflow),
        route(Method::POST, "/api/v3/workflows/{id}/approve", SEND, approve::approve),
        route(Method::POST, "/api/v3/workflows/{id}/reject", SEND, reject::reject),
        route(Method::POST, "/api/v3/workflows/{id}/cancel", SEND, cancel::cancel),
        route(Method::POST, "/api/v3/workflows/{id}/extend", SEND, extend::extend),
        route(Method::POST, "/api/v3/workflows/{id}/remind", SEND, remind::remind),
        route(Method::POST, "/api/v3/workflows/{id}/discard", SEND, discard::discard),
        route(Method::POST, "/api/v3/workflows/{id}/links", SEND, links::change_links),
        route(
            Method::PATCH,
            "/api/v3/workflows/{id}/recipients/{order}",
            SEND,
            correct_recipient::correct_recipient,
        ),
        route(Method::GET, "/api/v3/workflows/{id}/document", READ, document::document),
        route(
            Method::GET,
            "/api/v3/workflows/{id}/certificate",
            READ,
            certificate::certificate,
        ),
        route(
            Method::GET,
            "/api/v3/workflows/{id}/fields/{name}/file",
            READ,
            field_file::field_file,
        ),
    ]
}
