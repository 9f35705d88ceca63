//! The members' pages: sign-in, sign-out and the outbox.
//!
//! A session is a cookie that scripts cannot read and that other sites' forms do not carry. Each of our forms also
//! contains a token made from it ([`app::MemberSession::check_form`]). The sign-in form comes before any session, so a
//! cookie of its own ties it to its browser ([`app::App::sign_in_form`]).

use app::MemberSession;
use axum::http::Method;
use axum::response::Response;
use domain::Language;

use crate::frame::route::{Access, Authority, Route, route};
use crate::html::request::PageRequest;

pub mod outbox;
pub mod sign_in;

/// The routes of the members' pages.
pub fn routes() -> Vec<Route> {
    use Authority::Public;
    let (read, send) = (Authority::Session(Access::Read), Authority::Session(Access::Send));
    vec![
        route(Method::GET, "/sign-in", Public, sign_in::form),
        route(Method::POST, "/sign-in", Public, sign_in::sign_in),
        route(Method::POST, "/sign-out", read, sign_in::sign_out),
        route(Method::GET, "/outbox", send, outbox::list),
        route(Method::GET, "/outbox/{id}", send, outbox::open),
        route(Method::POST, "/outbox/{id}/link", send, outbox::copy_link),
        route(Method::GET, "/outbox/{id}/link", send, outbox::back_to_message),
    ]
}

/// Sends a visitor without a session to the sign-in page, which leads back here.
fn to_sign_in(request: &PageRequest) -> Response {
    request.redirect(&request.onward("/sign-in", &[("next", &request.path)]))
}

/// The language of the address, else the company's.
fn language_of(request: &PageRequest, session: &MemberSession) -> Language {
    request.language_or(session.actor.language())
}
