//! The texts people read, in Korean, English and Japanese.
//!
//! The sentences are in `locales/<language>/<area>.ftl` (Fluent) and embedded in the program. [`text`] finds one by its
//! key. Nothing here reads a file or can fail at run time: an unknown key returns itself, and tests make sure that the
//! three languages contain the same keys with the same placeholders, so users never see this.
//!
//! Sentences are plain text: escape them in HTML like any other text.

mod bundles;
mod dates;

pub use bundles::{has, keys, text};
pub use dates::{date, date_time, deadline, local_date_time, wait};
