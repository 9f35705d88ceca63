//! The endpoints of the API, one a file.
//!
//! `login` answers in the shape of the older interface; all others answer success flat and failure
//! as problem details.

use axum::http::Method;

use crate::router::{Access, Authority, Route, route};

pub mod health;
pub mod login;
// pub mod start;

const SEND: Authority = Authority::AccessToken(Access::Send);

/// The routes of the API.
pub fn routes() -> Vec<Route> {
    vec![
        route(Method::GET, "/healthz", Authority::Public, health::health),
        route(Method::POST, "/api/{company}/login", Authority::Public, login::login),
        //         route(Method::POST, "/api/v3/workflows/start", SEND, start::start),
    ]
}
