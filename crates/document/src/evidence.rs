//! Evidence for people: the history certificate, and the files that travel with it.
//!
//! [`certificate`] sets the pages that tell who did what, and when; [`embed`] puts files into a file, such as the history as
//! data. Both write files that are sealed afterwards like any other.
//!
//! May use all rooms but `intake`.

pub mod certificate;
pub mod embed;
mod reading_order;
