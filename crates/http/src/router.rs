//! All routes, each with its layers.
//!
//! A route declares its [`Authority`], and the layers enforce it. The handler of an `AccessToken` route runs only if
//! the token is valid and the role is sufficient, and the handler of a `Session` route only if the role of a signed-in
//! member is sufficient. A test calls every route without credentials, as each role, and with another company's ids.
//!
//! Layers around all routes turn a panic into a logged 500, and [`speak`] writes failures in the reader's language.

use std::sync::Arc;

use app::{App, Error, Subject};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use tower_http::catch_panic::CatchPanicLayer;

use crate::admission::callers::{authenticate, from_our_pages, must_be_allowed};
use crate::admission::places::{self, Places, Turns};
use crate::body::{arrival, ignored_members};
use crate::frame::observe;
use crate::frame::problem::{Failure, speak};
use crate::frame::route::{Authority, Route};
use crate::frame::security_headers;
use crate::frame::state::{Http, HttpSettings};
use crate::html::request::PageRequest;
use crate::{api, pages};

pub fn routes() -> Vec<Route> {
    let mut all = api::routes();
    all.extend(pages::routes());
    all
}

/// Returns the service as an axum router. Serve it with connection info, so that it knows client addresses.
pub fn router(app: Arc<App>, settings: HttpSettings) -> Router {
    let behind_links = routes()
        .iter()
        .filter(|route| route.authority == Authority::LinkToken)
        .map(|route| route.path)
        .collect();
    let paths = routes().iter().map(|route| route.path).collect();
    let http = Http::new(app, settings, paths, behind_links);
    let mut router = Router::new();
    let places = Places::default();
    for route in routes() {
        let turns = Turns {
            http: http.clone(),
            authority: route.authority,
            takes_files: route.takes_files,
            places: places.clone(),
        };
        // The layer added last runs first.
        let handler = match route.authority {
            Authority::Session(access) => {
                let state = (http.clone(), access);
                route
                    .handler
                    .route_layer(middleware::from_fn_with_state(state, must_be_allowed))
            }
            Authority::Public | Authority::LinkToken | Authority::AccessToken(_) => route.handler,
        };
        let in_turn = middleware::from_fn_with_state(turns, places::in_turn);
        let handler = handler.route_layer(in_turn);
        let takes = api::openapi::takes(&route.method, route.path).map(Arc::new);
        let handler = handler.route_layer(middleware::from_fn_with_state(takes, ignored_members::report));
        let handler = match route.authority {
            Authority::AccessToken(access) => {
                handler.route_layer(middleware::from_fn_with_state((http.clone(), access), authenticate))
            }
            Authority::Session(_) if !route.method.is_safe() => {
                handler.route_layer(middleware::from_fn_with_state(http.clone(), from_our_pages))
            }
            Authority::Public | Authority::LinkToken | Authority::Session(_) => handler,
        };
        router = router.route(route.path, handler);
    }
    router
        .fallback(unknown_path)
        .method_not_allowed_fallback(|| async { Failure::MethodNotAllowed })
        // Each handler that reads a body sets its own limit.
        .layer(DefaultBodyLimit::disable())
        .layer(CatchPanicLayer::custom(|_| {
            Failure::App(Error::internal("answering a request", "a panic, logged above")).into_response()
        }))
        .layer(middleware::from_fn_with_state(http.clone(), speak))
        .layer(middleware::from_fn(arrival::discarding))
        .layer(middleware::from_fn_with_state(http.clone(), security_headers::every))
        .layer(middleware::from_fn_with_state(http.clone(), observe::every))
        .with_state(http)
}

/// Responds with problem details for programs, and a page for people.
async fn unknown_path(page: PageRequest) -> Response {
    let error = Error::NotFound(Subject::Endpoint);
    if page.path.starts_with("/api/") {
        Failure::App(error).into_response()
    } else {
        page.fail(&error, page.language())
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Method;
    use axum::routing::MethodFilter;

    use super::*;

    #[test]
    fn every_route_is_declared_once_with_a_method_that_exists() {
        let mut seen = std::collections::BTreeSet::new();
        for route in routes() {
            assert!(
                seen.insert((route.method.to_string(), route.path)),
                "{} {}",
                route.method,
                route.path
            );
            assert!(MethodFilter::try_from(route.method.clone()).is_ok(), "{}", route.method);
            assert_ne!(route.method, Method::TRACE);
        }
    }
}
