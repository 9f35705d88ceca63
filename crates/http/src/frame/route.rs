//! One route, which cannot be declared without saying who may call it.

use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, MethodRouter, on};

use super::state::Http;

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authority {
    /// Everybody.
    Public,
    /// The bearer of an access token whose role allows it. The frame enforces it.
    AccessToken(Access),
    /// Whoever holds a link token; the handler reads it from the address.
    LinkToken,
    /// A member signed in on the pages; the handler reads the cookie. The frame refuses what another site's page sends.
    Session,
}

/// What a member's role must allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Every member, auditors too.
    Read,
    /// Members who send documents: owner, admin, sender.
    Send,
}

/// One route: who may do what, where.
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, with parameters in braces.
    pub path: &'static str,
    /// Who may call it.
    pub authority: Authority,
    pub(crate) takes_files: bool,
    pub(crate) handler: MethodRouter<Http>,
}

impl Route {
    /// People send files to it: however small, each needs one of the places for large bodies.
    #[must_use]
    pub fn taking_files(self) -> Self {
        Self {
            takes_files: true,
            ..self
        }
    }
}

/// Declares a route. Methods are the standard ones; another is a mistake that the table's test finds.
pub fn route<H, T>(method: Method, path: &'static str, authority: Authority, handler: H) -> Route
where
    H: Handler<T, Http>,
    T: 'static,
{
    let filter = MethodFilter::try_from(method.clone()).unwrap_or(MethodFilter::TRACE);
    Route {
        method,
        path,
        authority,
        takes_files: false,
        handler: on(filter, handler),
    }
}
