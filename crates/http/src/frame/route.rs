//! A route, which cannot be declared without saying who may call it.

use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, MethodRouter, on};

use super::state::Http;

pub use domain::Access;

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authority {
    Public,
    /// Callers with an access token whose role allows it. A layer enforces it.
    AccessToken(Access),
    /// Callers with a link token. The handler reads it from the address.
    LinkToken,
    /// Members signed in on the pages whose role allows it. Layers read the cookie, enforce the role, and refuse requests
    /// from other sites' pages. Without a session, the handler leads to the sign-in page.
    Session(Access),
}

pub struct Route {
    pub method: Method,
    /// With parameters in braces.
    pub path: &'static str,
    pub authority: Authority,
    pub(crate) takes_files: bool,
    pub(crate) handler: MethodRouter<Http>,
}

impl Route {
    /// For routes that people send files to: however small the body, it needs a place for large bodies.
    #[must_use]
    pub fn taking_files(self) -> Self {
        Self {
            takes_files: true,
            ..self
        }
    }
}

/// Declares a route. The method must be a standard one; a test checks that.
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
