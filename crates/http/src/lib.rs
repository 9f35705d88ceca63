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
// Public because the types that only describe a body are never read.
pub mod api;
mod body;
mod frame;
mod html;
mod pages;
mod router;

pub use frame::client_address::{ClientAddress, Network, NotANetwork};
pub use frame::route::{Access, Authority, Route, route};
pub use frame::security_headers::every_answer;
pub use frame::state::{Http, HttpSettings};
pub use router::{router, routes};
