//! Shared parts of all pages: the request, the language, the frame with the company's look, and the pages shown in
//! place of the requested one.
//!
//! May use `frame` and `body`.

pub mod assets;
pub mod ending;
pub mod language;
pub mod link_json;
pub mod look;
pub mod path;
mod prose;
pub mod render;
pub mod request;
