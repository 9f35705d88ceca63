//! The web layer of Countersign: the compatible API, the pages, and the `OpenAPI` document.
//!
//! [`router`] returns the whole service as one axum router over an [`app::App`]. Every route is declared with its
//! [`Authority`]. Each endpoint is one file under `api/` or `pages/`: it converts a request to a use case's input,
//! calls the use case on a blocking thread, and writes the response. `app` and `domain` decide what is allowed, for
//! whom and in which state.
//!
//! To add an endpoint: a file in `api/` with the handler and its `utoipa::path`, a line in the `routes()` of its
//! folder, a line in `api::openapi::Document`, and tests in `tests/http/`. Tests check that the three agree.

mod admission;
// Public to avoid dead-code warnings for types that only describe a body.
pub mod api;
mod body;
mod frame;
mod html;
mod pages;
mod router;

pub use frame::client_address::{ClientAddress, Network, NotANetwork};
pub use frame::observe::RequestId;
pub use frame::route::{Access, Authority, Route, route};
pub use frame::security_headers::every_answer;
pub use frame::state::{Http, HttpSettings};
pub use router::{router, routes};
