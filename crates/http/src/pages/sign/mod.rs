//! The signing page, and what it asks of the server while somebody fills it in.

pub mod texts;
pub mod view;
