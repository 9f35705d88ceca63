//! The endpoints of the API, one a file.
//!
//! `login` answers in the shape of the older interface; all others answer success flat and failure
//! as problem details.
//!
//! May use every room but `pages`.

use axum::http::Method;

use crate::frame::route::{Access, Authority, Route, route};

pub mod answers;
pub mod authority;
pub mod bulk;
mod file;
pub mod health;
pub mod links;
pub mod login;
pub mod openapi;
pub mod path;
pub mod templates;
pub mod verify;
pub mod webhooks;
pub mod workflows;

const PUBLIC: Authority = Authority::Public;
const READ: Authority = Authority::AccessToken(Access::Read);
const SEND: Authority = Authority::AccessToken(Access::Send);

/// The routes of the API.
pub fn routes() -> Vec<Route> {
    let (get, post, put, patch) = (Method::GET, Method::POST, Method::PUT, Method::PATCH);
    vec![
        route(get.clone(), "/healthz", PUBLIC, health::health),
        route(get.clone(), "/ca/root.pem", PUBLIC, authority::root_certificate),
        route(get.clone(), "/ca/root.crl", PUBLIC, authority::revocation_list),
        route(get.clone(), "/api/openapi.json", PUBLIC, openapi::openapi),
        route(post.clone(), "/api/{company}/login", PUBLIC, login::login),
        route(post.clone(), "/api/v3/workflows/start", SEND, workflows::start::start),
        route(post.clone(), "/api/v3/workflows/send", SEND, workflows::send::send),
        route(post.clone(), "/api/v3/workflows/bulk", SEND, bulk::bulk_start),
        route(get.clone(), "/api/v3/workflows/bulk/sheet", READ, bulk::bulk_sheet),
        route(get.clone(), "/api/v3/workflows/bulk/{id}", READ, bulk::get_bulk),
        route(
            post.clone(),
            "/api/v3/workflows/bulk/{id}/cancel",
            SEND,
            bulk::cancel_bulk,
        ),
        route(get.clone(), "/api/v3/workflows", READ, workflows::list::list_workflows),
        route(
            get.clone(),
            "/api/v3/workflows/search-with-value",
            READ,
            workflows::search::search_with_value,
        ),
        route(
            get.clone(),
            "/api/v3/workflows/{id}",
            READ,
            workflows::get::get_workflow,
        ),
        route(
            post.clone(),
            "/api/v3/workflows/{id}/approve",
            SEND,
            workflows::approve::approve,
        ),
        route(
            post.clone(),
            "/api/v3/workflows/{id}/reject",
            SEND,
            workflows::reject::reject,
        ),
        route(
            post.clone(),
            "/api/v3/workflows/{id}/cancel",
            SEND,
            workflows::cancel::cancel,
        ),
        route(
            post.clone(),
            "/api/v3/workflows/{id}/extend",
            SEND,
            workflows::extend::extend,
        ),
        route(
            post.clone(),
            "/api/v3/workflows/{id}/remind",
            SEND,
            workflows::remind::remind,
        ),
        route(
            post.clone(),
            "/api/v3/workflows/{id}/discard",
            SEND,
            workflows::discard::discard,
        ),
        route(
            post.clone(),
            "/api/v3/workflows/{id}/links",
            SEND,
            workflows::links::change_links,
        ),
        route(
            patch,
            "/api/v3/workflows/{id}/recipients/{order}",
            SEND,
            workflows::correct_recipient::correct_recipient,
        ),
        route(
            get.clone(),
            "/api/v3/workflows/{id}/document",
            READ,
            workflows::document::document,
        ),
        route(
            get.clone(),
            "/api/v3/workflows/{id}/certificate",
            READ,
            workflows::certificate::certificate,
        ),
        route(get.clone(), "/api/v3/templates", READ, templates::list::list_templates),
        route(
            post.clone(),
            "/api/v3/templates",
            SEND,
            templates::create::create_template,
        ),
        route(
            get.clone(),
            "/api/v3/templates/{id}",
            READ,
            templates::get::get_template,
        ),
        route(
            put,
            "/api/v3/templates/{id}",
            SEND,
            templates::replace::replace_template,
        ),
        route(
            post.clone(),
            "/api/v3/templates/{id}/copy",
            SEND,
            templates::copy::copy_template,
        ),
        route(
            post.clone(),
            "/api/v3/templates/{id}/archive",
            SEND,
            templates::archive::archive_template,
        ),
        route(
            get.clone(),
            "/api/v3/workflows/{id}/fields/{name}/file",
            READ,
            workflows::field_file::field_file,
        ),
        route(post.clone(), "/api/v3/link/start", SEND, links::start_link),
        route(get.clone(), "/api/v3/link", READ, links::list_links),
        route(get.clone(), "/api/v3/link/{id}", READ, links::get_link),
        route(post.clone(), "/api/v3/link/{id}/close", SEND, links::close_link),
        route(get.clone(), "/api/v3/exports", READ, webhooks::list::list_exports),
        route(
            post.clone(),
            "/api/v3/exports/{id}/resend",
            SEND,
            webhooks::resend::resend_export,
        ),
        route(
            post.clone(),
            "/api/v3/exports/resend",
            SEND,
            webhooks::resend_many::resend_exports,
        ),
        route(
            post.clone(),
            "/api/v3/exports/test",
            SEND,
            webhooks::test_delivery::test_export,
        ),
        route(
            get,
            "/api/v3/exports/endpoints",
            READ,
            webhooks::endpoints::list_endpoints,
        ),
        route(
            post.clone(),
            "/api/v3/exports/endpoints/pause",
            SEND,
            webhooks::endpoints::pause_endpoint,
        ),
        route(
            post.clone(),
            "/api/v3/exports/endpoints/start",
            SEND,
            webhooks::endpoints::start_endpoint,
        ),
        route(post, "/api/v3/verify", READ, verify::verify),
    ]
}
