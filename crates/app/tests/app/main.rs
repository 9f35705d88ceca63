//! Tests the use cases through their public interface, on both databases.
#![expect(
    clippy::disallowed_methods,
    reason = "files that no row needs are among what is tested"
)]

extern crate countersign_app as app;

mod access;
mod certificates;
mod chain_formats;
mod chains;
mod check;
mod checkpoints;
mod code_guesses;
mod copies_of_signed_files;
mod drafts;
mod edits;
mod erasure;
mod fonts;
mod foresight;
mod known_addresses;
mod lists;
mod look;
mod loose_files;
mod mails;
mod one_time_codes;
mod people_over_time;
mod races;
mod returns;
mod running;
mod sealing;
mod sealing_world;
mod search;
mod starts;
mod support;
mod templates;
mod test_documents;
mod timestamps;
mod uploads;
mod values;
mod workflows;
mod world;
