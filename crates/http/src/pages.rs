//! The pages that people see: the signing page, the viewer, the verify page, the members' sign-in with the outbox, and the
//! API to read and to try.
//!
//! Pages are written on the server from `templates/pages/`, in Korean, English or Japanese; the
//! browser code (`ui/`) makes the signing page alive and is not needed to read the others. What a page
//! says when it cannot be what was asked for is in
//! [`crate::html::ending`].
//!
//! May use every other room.

use axum::extract::State;
use axum::http::Method;
use axum::response::Response;

use crate::frame::route::{Authority, Route, route};
use crate::frame::state::Http;
use crate::html::request::PageRequest;
use crate::html::{assets, look};

pub mod console;
pub mod docs;
pub mod link;
mod quick_start;
#[cfg(test)]
mod samples;
pub mod sign;
pub mod verify;
pub mod viewer;

/// The routes of the pages.
pub fn routes() -> Vec<Route> {
    use Authority::{LinkToken, Public, Session};
    use console::{outbox, sign_in};
    use sign::{actions, drawings, page, pictures, preview};
    vec![
        route(Method::GET, "/", Public, home),
        route(Method::GET, "/assets/{name}", Public, assets::get),
        route(Method::GET, "/favicon.ico", Public, assets::icon),
        route(Method::GET, "/api/docs", Public, docs::page),
        route(Method::GET, "/api/{company}/look/{name}", Public, look::get),
        route(Method::GET, "/mail/sign", LinkToken, page::mail),
        route(Method::POST, "/mail/sign", LinkToken, page::mail_form),
        route(Method::GET, "/api/{company}/sign", LinkToken, page::company),
        route(Method::POST, "/api/{company}/sign", LinkToken, page::company_form),
        route(Method::POST, "/sign/viewed", LinkToken, actions::viewed),
        route(Method::POST, "/sign/access-code", LinkToken, actions::access_code),
        route(Method::GET, "/sign/access-code", LinkToken, actions::back_to_page),
        route(
            Method::POST,
            "/sign/one-time-code/send",
            LinkToken,
            actions::send_one_time_code,
        ),
        route(
            Method::GET,
            "/sign/one-time-code/send",
            LinkToken,
            actions::back_to_page,
        ),
        route(Method::POST, "/sign/one-time-code", LinkToken, actions::one_time_code),
        route(Method::GET, "/sign/one-time-code", LinkToken, actions::back_to_page),
        route(Method::POST, "/sign/consent", LinkToken, actions::consent),
        route(Method::PUT, "/sign/drafts", LinkToken, actions::drafts),
        route(Method::POST, "/sign/files", LinkToken, actions::files).taking_files(),
        route(Method::POST, "/sign/drawings", LinkToken, drawings::choices),
        route(Method::POST, "/sign/approve", LinkToken, actions::approve),
        route(Method::POST, "/sign/reject", LinkToken, actions::reject),
        route(Method::POST, "/sign/hand-over", LinkToken, actions::hand_over),
        route(Method::GET, "/sign/pages/{document}/{page}", LinkToken, pictures::page),
        route(Method::GET, "/sign/texts/{document}/{page}", LinkToken, pictures::text),
        route(Method::GET, "/sign/file", LinkToken, pictures::file),
        route(Method::POST, "/sign/document", LinkToken, pictures::original),
        route(
            Method::GET,
            "/sign/document/{ticket}/{name}",
            LinkToken,
            pictures::original_file,
        ),
        route(Method::GET, "/mail/preview", LinkToken, preview::page),
        route(
            Method::GET,
            "/mail/preview/pages/{document}/{page}",
            LinkToken,
            preview::picture,
        ),
        route(
            Method::GET,
            "/mail/preview/texts/{document}/{page}",
            LinkToken,
            preview::text,
        ),
        route(Method::GET, "/mail/preview/file", LinkToken, preview::file),
        route(Method::GET, "/mail/view", LinkToken, viewer::page),
        route(
            Method::GET,
            "/mail/view/pages/{document}/{page}",
            LinkToken,
            viewer::picture,
        ),
        route(
            Method::GET,
            "/mail/view/texts/{document}/{page}",
            LinkToken,
            viewer::text,
        ),
        route(Method::GET, "/mail/file", LinkToken, viewer::file),
        route(Method::GET, "/link", LinkToken, link::form),
        route(Method::POST, "/link", LinkToken, link::begin),
        route(Method::GET, "/verify", Public, verify::form),
        route(Method::POST, "/verify", Public, verify::check).taking_files(),
        route(Method::GET, "/sign-in", Public, sign_in::form),
        route(Method::POST, "/sign-in", Public, sign_in::sign_in),
        route(Method::POST, "/sign-out", Session, sign_in::sign_out),
        route(Method::GET, "/outbox", Session, outbox::list),
        route(Method::GET, "/outbox/{id}", Session, outbox::open),
        route(Method::POST, "/outbox/{id}/link", Session, outbox::copy_link),
        route(Method::GET, "/outbox/{id}/link", Session, outbox::back_to_message),
    ]
}

/// `GET /`: there is no house but the members'.
async fn home(State(_): State<Http>, request: PageRequest) -> Response {
    request.redirect(&request.onward("/outbox", &[]))
}
