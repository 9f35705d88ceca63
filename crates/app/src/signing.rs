//! The actions of the holder of a link: opening it, entering codes, filling in, signing or declining, and downloading
//! the completed files.
//!
//! May use every module listed before it, up to evidence.

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
