//! The format of PDF: what files are made of, whoever made them.
//!
//! [`revision`] appends to a file without touching what is there. `form` finds the fields of a form and adds to them,
//! [`geometry`] knows where a box lies on a page that may be turned, cropped or scaled, `xmp` reads the description of a
//! document, and [`shared_bytes`] keeps a large file in memory once. Nothing here knows what a file is read or written for.
//!
//! This is the lowest room: it uses no other.

pub(crate) mod form;
pub mod geometry;
pub mod revision;
pub mod shared_bytes;
pub(crate) mod xmp;
