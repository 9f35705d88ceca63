//! Evidence for people: the history certificate, and the files attached to it.
//!
//! [`certificate`] typesets the pages that list all events; [`embed`] attaches files to a file, such as the history as
//! data. Both write files that are sealed afterwards like any other.
//!
//! May use all other modules except `intake`.

pub mod certificate;
pub mod embed;
mod reading_order;
