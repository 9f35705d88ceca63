//! Starts workflows: single ones, many from a sheet, those of an uploaded file, and those that visitors of a public
//! link start.
//!
//! May use every module listed before it, up to signing.

pub(crate) mod bulk;
pub(crate) mod bulk_sheet;
pub(crate) mod kept_answer;
pub(crate) mod one_off;
pub(crate) mod public_link;
pub(crate) mod start;
mod start_log;
pub(crate) mod start_terms;
