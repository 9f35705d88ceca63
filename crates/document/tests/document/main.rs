//! Tests of the document crate from outside, checked by third-party programs.

// The name that all other crates use.
extern crate countersign_document as document;

mod annotations;
mod certificates;
mod comparing;
mod cut_off;
mod drawings;
mod embedded_files;
mod extending;
mod faults;
mod faults_table;
mod forged_files;
mod forger;
mod forgeries;
mod honest_chains;
mod judges;
mod keys;
mod letters;
mod names_of_resources;
mod other_signers;
mod page_counts;
mod pages;
mod raw_revision;
mod reader;
mod reading;
mod revision_writer;
mod revisions;
mod revocation;
mod samples;
mod scripts;
mod seal_marks;
mod sealing;
mod signed_uploads;
mod stamping;
mod stray_entries;
mod tagged;
mod taking;
mod timestamps;
mod unsigned_copies;
mod viewers;
