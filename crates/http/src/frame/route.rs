//! A route, which cannot be declared without its authority.

use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, MethodRouter, on};

use super::state::Http;

pub use domain::Access;

/// The callers allowed to use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authority {
    Public,
    /// Callers with an access token whose role is sufficient. A layer enforces it.
    AccessToken(Access),
    /// Callers with a link token. The handler reads it from the URL.
    LinkToken,
    /// Members signed in on the pages whose role is sufficient. Layers read the cookie, enforce the role, and refuse
    /// requests from other sites' pages. Without a session, the handler redirects to the sign-in page.
    Session(Access),
}

pub struct Route {
    pub method: Method,
    /// The path, with parameters in braces.
    pub path: &'static str,
    pub authority: Authority,
    pub(crate) takes_files: bool,
    pub(crate) handler: MethodRouter<Http>,
}

impl Route {
    /// Marks a route for uploads. Even a small body then needs a place for large bodies.
    #[must_use]
    pub fn taking_files(self) -> Self {
        Self {
            takes_files: true,
            ..self
        }
    }
}

/// Declares a route. The method must be a standard one, which a test checks.
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
