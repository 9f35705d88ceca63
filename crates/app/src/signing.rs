//! Everything that the holder of a link does: opens it, enters codes, fills in, signs or declines, gets the finished
//! files.
//!
//! May use: every room before it, of which the last is evidence.

pub(crate) mod access_code;
pub(crate) mod approve;
pub(crate) mod code_guesses;
pub(crate) mod consent;
pub(crate) mod download_ticket;
pub(crate) mod draft;
pub(crate) mod drawing;
pub(crate) mod files;
pub(crate) mod new_link;
pub(crate) mod next_document;
pub(crate) mod one_time_code;
pub(crate) mod page;
pub(crate) mod preview;
pub(crate) mod read_values;
pub(crate) mod reassign;
pub(crate) mod reject;
pub(crate) mod session;
pub(crate) mod signed;
pub(crate) mod signers_files;
pub(crate) mod visitor;
