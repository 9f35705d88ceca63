//! Tracks which files in the file store are needed: uploads on their way to a workflow, and files that nothing needs.
//!
//! May use `base`, `sql` and `chain`.

pub mod loose_file;
pub mod upload;
