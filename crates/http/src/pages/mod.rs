//! The pages that people see: the signing page, the viewer, the verify page, and the members'
//! sign-in with the outbox.
//!
//! Pages are written on the server from `templates/pages/`, in Korean, English or Japanese; the
//! browser code (`ui/`) makes the signing page alive and is not needed by the others. What a page
//! says when it cannot be what was asked for is in [`ending`].

pub mod ending;
pub mod language;
pub mod render;
#[cfg(test)]
mod samples;
pub mod sign;
