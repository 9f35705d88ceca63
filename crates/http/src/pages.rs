//! The pages that people see: the signing page, the viewer, the verify page, the members' console, and the
//! API reference.
//!
//! The server renders pages from `templates/pages/` in Korean, English or Japanese. Only the signing page needs the
//! browser code (`ui/`). [`crate::html::ending`] has the pages that are shown instead of one that cannot be.
//!
//! May use every other room but `router`.

use app::App;
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

pub fn routes() -> Vec<Route> {
    use Authority::{LinkToken, Public};
    let mut all = vec![
        route(Method::GET, "/", Public, home),
        route(Method::GET, "/assets/{name}", Public, assets::get),
        route(Method::GET, "/favicon.ico", Public, assets::icon),
        route(Method::GET, "/api/docs", Public, docs::page),
        route(Method::GET, "/api/{company}/look/{name}", Public, look::get),
        route(Method::GET, "/link", LinkToken, link::form),
        route(Method::POST, "/link", LinkToken, link::begin),
        route(Method::GET, "/verify", Public, verify::form),
        route(Method::POST, "/verify", Public, verify::check).taking_files(),
    ];
    all.extend(sign::routes());
    all.extend(viewer::routes());
    all.extend(console::routes());
    all
}

/// `GET /`: leads members to their documents, and to the first run as long as there is no company.
async fn home(State(http): State<Http>, request: PageRequest) -> Response {
    match http.blocking(App::awaits_first_run).await {
        Ok(true) => request.redirect(&request.onward("/first-run", &[])),
        Ok(false) => request.redirect(&request.onward("/documents", &[])),
        Err(error) => request.fail(&error, request.language()),
    }
}
