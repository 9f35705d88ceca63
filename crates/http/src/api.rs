//! The endpoints of the API, one file each.
//!
//! `login` responds in the format of the older interface. All others return flat JSON on success and problem details on
//! failure.
//!
//! May use every module except `pages`.

use axum::http::Method;

use crate::frame::route::{Access, Authority, Route, route};

pub mod answers;
pub mod authority;
pub mod bulk;
pub(crate) mod file;
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

pub fn routes() -> Vec<Route> {
    let mut all = vec![
        route(Method::GET, "/healthz", PUBLIC, health::health),
        route(Method::GET, "/livez", PUBLIC, health::live),
        route(Method::GET, "/readyz", PUBLIC, health::ready),
        route(Method::GET, "/ca/root.pem", PUBLIC, authority::root_certificate),
        route(Method::GET, "/ca/root.crl", PUBLIC, authority::revocation_list),
        route(Method::GET, "/api/openapi.json", PUBLIC, openapi::openapi),
        route(Method::POST, "/api/{company}/login", PUBLIC, login::login),
        route(Method::POST, "/api/v3/verify", READ, verify::verify),
    ];
    all.extend(workflows::routes());
    all.extend(bulk::routes());
    all.extend(templates::routes());
    all.extend(links::routes());
    all.extend(webhooks::routes());
    all
}
