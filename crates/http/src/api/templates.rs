//! The template endpoints.

use axum::http::Method;

use super::{READ, SEND};
use crate::frame::route::{Route, route};

pub mod archive;
pub mod copy;
pub mod create;
pub mod form;
pub mod get;
pub mod list;
pub mod replace;

pub fn routes() -> Vec<Route> {
    vec![
        route(Method::GET, "/api/v3/templates", READ, list::list_templates),
        route(Method::POST, "/api/v3/templates", SEND, create::create_template),
        route(Method::GET, "/api/v3/templates/{id}", READ, get::get_template),
        route(Method::PUT, "/api/v3/templates/{id}", SEND, replace::replace_template),
        route(Method::POST, "/api/v3/templates/{id}/copy", SEND, copy::copy_template),
        route(
            Method::POST,
            "/api/v3/templates/{id}/archive",
            SEND,
            archive::archive_template,
        ),
    ]
}
