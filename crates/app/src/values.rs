//! The values of fields: checked, fitted into their boxes, and drawn on the page.
//!
//! May use: base, links.

pub(crate) mod embedded_files;
pub(crate) mod look;
pub(crate) mod pictures;
pub(crate) mod value;
