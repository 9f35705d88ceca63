//! The document crate from outside, with other people's programs as judges.

#![allow(
    clippy::bool_to_int_with_if,
    clippy::doc_markdown,
    clippy::format_push_string,
    clippy::semicolon_if_nothing_returned,
    clippy::type_complexity,
    clippy::unnecessary_wraps
)] // Forgeries are assembled as text, by functions of one form.

// The name under which every other crate knows it.
extern crate countersign_document as document;

mod certificates;
mod cut_off;
mod drawings;
mod embedded_files;
mod extending;
mod faults;
mod forged_files;
mod forgeries;
mod honest_chains;
mod judges;
mod keys;
mod other_signers;
mod pages;
mod raw_revision;
mod reading;
mod revisions;
mod revocation;
mod samples;
mod seal_marks;
mod sealing;
mod stamping;
mod stray_entries;
mod taking;
mod timestamps;
