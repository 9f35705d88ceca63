//! What people read, in Korean, English and Japanese.
//!
//! The sentences live in `locales/<language>/<area>.ftl` (Fluent) and are embedded in the program.
//! [`text`] finds one by its key; nothing here reads a file or can fail at run time: a key that no
//! language has comes back as itself, and tests make sure that the three languages hold the same
//! keys with the same placeholders, so that this is not seen.
//!
//! Sentences are plain text. Whoever puts one into HTML escapes it like any other text.

#![deny(missing_docs)]

mod bundles;
mod dates;

pub use bundles::{has, keys, text};
pub use dates::{date, date_time, wait};
