//! The web side of Countersign: the compatible API, the pages, and the `OpenAPI` document.
//!
//! [`router`] gives the whole service as one axum router over an [`app::App`]. Every route stands in
//! one table with who may call it ([`Authority`]); every endpoint is one file under `api/` or
//! `pages/`, which turns a request into a use-case's input, calls it on a blocking thread, and
//! writes the answer. What may be done, by whom and in which state is decided in `app` and `domain`.
//!
//! To add an endpoint: a file under `api/` with the handler and its `utoipa::path`; a line in
//! `api::routes`; a line in `api::openapi::Document`; its tests under `tests/http/`. Tests see to it
//! that the three do not part.

mod admission;
pub mod api;
mod arrival;
pub mod assets;
pub mod blocking;
mod caller;
pub mod client_address;
pub mod faults;
mod form;
pub mod ignored_members;
pub mod json_body;
mod link_owners;
mod link_token;
pub mod multipart;
pub mod pages;
pub mod path;
mod places;
mod plain_name;
pub mod problem;
pub mod query;
mod rate;
mod requesters;
pub mod route;
pub mod router;
pub mod security_headers;
pub mod shares;
pub mod state;

pub use client_address::{ClientAddress, Network};
pub use route::{Access, Authority, Route, route};
pub use router::{router, routes};
pub use state::{Http, HttpSettings};
