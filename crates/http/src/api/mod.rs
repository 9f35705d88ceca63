//! The endpoints of the API, one a file.
//!
//! `login` answers in the shape of the older interface; all others answer success flat and failure
//! as problem details.

use axum::http::Method;

use crate::route::{Access, Authority, Route, route};

pub mod answers;
pub mod approve;
pub mod archive_template;
pub mod authority;
pub mod bulk;
pub mod cancel;
pub mod certificate;
pub mod copy_template;
pub mod correct_recipient;
pub mod create_template;
pub mod discard;
pub mod document;
pub mod export_endpoints;
pub mod extend;
pub mod field_file;
mod file;
pub mod get_template;
pub mod get_workflow;
pub mod health;
pub mod link;
pub mod list_exports;
pub mod list_templates;
pub mod list_workflows;
pub mod login;
pub mod openapi;
pub mod path;
pub mod reject;
pub mod remind;
pub mod replace_template;
pub mod resend_export;
pub mod resend_exports;
pub mod search_with_value;
pub mod send;
pub mod start;
pub mod template_form;
pub mod test_export;
pub mod verify;
mod webhook;
pub mod workflow_links;

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
        route(post.clone(), "/api/v3/workflows/start", SEND, start::start),
        route(post.clone(), "/api/v3/workflows/send", SEND, send::send),
        route(post.clone(), "/api/v3/workflows/bulk", SEND, bulk::bulk_start),
        route(get.clone(), "/api/v3/workflows/bulk/sheet", READ, bulk::bulk_sheet),
        route(get.clone(), "/api/v3/workflows/bulk/{id}", READ, bulk::get_bulk),
        route(
            post.clone(),
            "/api/v3/workflows/bulk/{id}/cancel",
            SEND,
            bulk::cancel_bulk,
        ),
        route(get.clone(), "/api/v3/workflows", READ, list_workflows::list_workflows),
        route(
            get.clone(),
            "/api/v3/workflows/search-with-value",
            READ,
            search_with_value::search_with_value,
        ),
        route(get.clone(), "/api/v3/workflows/{id}", READ, get_workflow::get_workflow),
        route(post.clone(), "/api/v3/workflows/{id}/approve", SEND, approve::approve),
        route(post.clone(), "/api/v3/workflows/{id}/reject", SEND, reject::reject),
        route(post.clone(), "/api/v3/workflows/{id}/cancel", SEND, cancel::cancel),
        route(post.clone(), "/api/v3/workflows/{id}/extend", SEND, extend::extend),
        route(post.clone(), "/api/v3/workflows/{id}/remind", SEND, remind::remind),
        route(post.clone(), "/api/v3/workflows/{id}/discard", SEND, discard::discard),
        route(
            post.clone(),
            "/api/v3/workflows/{id}/links",
            SEND,
            workflow_links::change_links,
        ),
        route(
            patch,
            "/api/v3/workflows/{id}/recipients/{order}",
            SEND,
            correct_recipient::correct_recipient,
        ),
        route(get.clone(), "/api/v3/workflows/{id}/document", READ, document::document),
        route(
            get.clone(),
            "/api/v3/workflows/{id}/certificate",
            READ,
            certificate::certificate,
        ),
        route(get.clone(), "/api/v3/templates", READ, list_templates::list_templates),
        route(
            post.clone(),
            "/api/v3/templates",
            SEND,
            create_template::create_template,
        ),
        route(get.clone(), "/api/v3/templates/{id}", READ, get_template::get_template),
        route(put, "/api/v3/templates/{id}", SEND, replace_template::replace_template),
        route(
            post.clone(),
            "/api/v3/templates/{id}/copy",
            SEND,
            copy_template::copy_template,
        ),
        route(
            post.clone(),
            "/api/v3/templates/{id}/archive",
            SEND,
            archive_template::archive_template,
        ),
        route(
            get.clone(),
            "/api/v3/workflows/{id}/fields/{name}/file",
            READ,
            field_file::field_file,
        ),
        route(post.clone(), "/api/v3/link/start", SEND, link::start_link),
        route(get.clone(), "/api/v3/link", READ, link::list_links),
        route(get.clone(), "/api/v3/link/{id}", READ, link::get_link),
        route(post.clone(), "/api/v3/link/{id}/close", SEND, link::close_link),
        route(get.clone(), "/api/v3/exports", READ, list_exports::list_exports),
        route(
            post.clone(),
            "/api/v3/exports/{id}/resend",
            SEND,
            resend_export::resend_export,
        ),
        route(
            post.clone(),
            "/api/v3/exports/resend",
            SEND,
            resend_exports::resend_exports,
        ),
        route(post.clone(), "/api/v3/exports/test", SEND, test_export::test_export),
        route(get, "/api/v3/exports/endpoints", READ, export_endpoints::list_endpoints),
        route(
            post.clone(),
            "/api/v3/exports/endpoints/pause",
            SEND,
            export_endpoints::pause_endpoint,
        ),
        route(
            post.clone(),
            "/api/v3/exports/endpoints/start",
            SEND,
            export_endpoints::start_endpoint,
        ),
        route(post, "/api/v3/verify", READ, verify::verify),
    ]
}
