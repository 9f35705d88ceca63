//! The members' pages: sign-in, documents and the outbox.
//!
//! A session is a cookie that scripts cannot read and that other sites' forms do not carry. Each of our forms also
//! contains a token made from it ([`app::MemberSession::check_form`]). The sign-in form comes before any session, so a
//! cookie of its own ties it to its browser ([`app::App::sign_in_form`]).

use app::{MemberSession, Origin};
use axum::extract::{FromRef, FromRequestParts};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, header};
use axum::response::Response;
use domain::{Access as Needs, Language};
use serde::Serialize;

use crate::frame::route::{Access, Authority, Route, route};
use crate::frame::security_headers;
use crate::frame::state::Http;
use crate::html::ending::{About, Ending};
use crate::html::render::{ConsoleFrame, ConsoleLink, respond};
use crate::html::request::PageRequest;

pub mod document;
pub mod documents;
pub mod first_run;
pub mod outbox;
pub mod sign_in;

pub fn routes() -> Vec<Route> {
    use Authority::Public;
    let (read, send) = (Authority::Session(Access::Read), Authority::Session(Access::Send));
    vec![
        route(Method::GET, "/first-run", Public, first_run::form),
        route(Method::POST, "/first-run", Public, first_run::create),
        route(Method::GET, "/sign-in", Public, sign_in::form),
        route(Method::POST, "/sign-in", Public, sign_in::sign_in),
        route(Method::POST, "/sign-out", read, sign_in::sign_out),
        route(Method::GET, "/documents", read, documents::list),
        route(Method::GET, "/documents/{id}", read, document::open),
        route(Method::POST, "/documents/{id}", send, document::act),
        route(Method::GET, "/documents/{id}/file", read, document::file),
        route(Method::GET, "/documents/{id}/certificate", read, document::certificate),
        route(Method::GET, "/outbox", send, outbox::list),
        route(Method::GET, "/outbox/{id}", send, outbox::open),
        route(Method::POST, "/outbox/{id}/link", send, outbox::copy_link),
        route(Method::GET, "/outbox/{id}/link", send, outbox::back_to_message),
    ]
}

/// The signed-in member. Anybody else is led to the sign-in page, and from there back.
#[derive(Debug, Clone)]
pub struct Member(pub MemberSession);

impl<S> FromRequestParts<S> for Member
where
    S: Send + Sync,
    Http: FromRef<S>,
{
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let page = PageRequest::of(parts, &Http::from_ref(state)).await;
        page.member.clone().map(Self).ok_or_else(|| to_sign_in(&page))
    }
}

/// Redirects a visitor without a session to the sign-in page, which returns here afterwards.
fn to_sign_in(request: &PageRequest) -> Response {
    request.redirect(&request.onward("/sign-in", &[("next", &request.own_address())]))
}

/// Returns the language of the URL, otherwise the company's.
fn language_of(request: &PageRequest, session: &MemberSession) -> Language {
    request.language_or(session.actor.language())
}

/// Where a request comes from, for the audit trail.
fn origin(request: &PageRequest) -> Origin {
    Origin {
        address: Some(request.client.address.to_string()),
        user_agent: request.user_agent(),
    }
}

/// Refuses a form that does not come from a page of this session.
fn check_form(request: &PageRequest, session: &MemberSession) -> Result<(), Box<Response>> {
    let token = request.get("csrf").unwrap_or_default();
    session
        .check_form(token)
        .map_err(|_| Box::new(request.end(Ending::Forbidden, language_of(request, session), &About::default())))
}

/// A part of the console that the navigation leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Documents,
    Outbox,
}

impl Part {
    const ALL: [Self; 2] = [Self::Documents, Self::Outbox];

    const fn path(self) -> &'static str {
        match self {
            Self::Documents => "/documents",
            Self::Outbox => "/outbox",
        }
    }

    const fn text_key(self) -> &'static str {
        match self {
            Self::Documents => "documents-title",
            Self::Outbox => "outbox-title",
        }
    }

    /// What a member must be allowed to do to see it.
    const fn needs(self) -> Needs {
        match self {
            Self::Documents => Needs::Read,
            Self::Outbox => Needs::Send,
        }
    }
}

/// A page of the console, with the navigation around it.
fn page(
    request: &PageRequest,
    session: &MemberSession,
    part: Part,
    (status, title): (StatusCode, String),
    template: &str,
    content: &impl Serialize,
) -> Response {
    let language = language_of(request, session);
    let links = Part::ALL
        .into_iter()
        .filter(|other| session.actor.may(other.needs()))
        .map(|other| ConsoleLink {
            href: request.link(language, other.path(), &[]),
            text: i18n::text(language, other.text_key(), &[]),
            is_current: other == part,
        })
        .collect();
    let mut frame = request.frame(language, title);
    frame.console = Some(ConsoleFrame {
        links,
        email: session.email.clone(),
        company_name: session.company_name.clone(),
        sign_out: request.link(language, "/sign-out", &[]),
        csrf: session.form_token.clone(),
    });
    let mut response = respond(status, template, &frame, content);
    let headers = response.headers_mut();
    security_headers::own_window(headers);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
