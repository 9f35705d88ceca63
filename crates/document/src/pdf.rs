//! The PDF format: the structure of files.
//!
//! A lenient reader can be deceived, because it may read a file differently than other programs. Ours reads a file only
//! if its cross-references are unambiguous, drops no part of it, and reports the rule that a file violates.
//!
//! - [`lex`] and [`parse`] turn bytes into [`object`]s, which keep the spelling of numbers, names and strings.
//! - [`section`] reads the chain of cross-reference sections, [`crypt`] decrypts, [`filter`] decodes streams.
//! - [`file`](mod@file) opens a file, and [`view`] shows its objects in one of its revisions. [`objects`] is the common
//!   interface to objects with or without changes.
//! - [`edit`] keeps changes separate from a file, [`write`](mod@write) writes objects and whole files,
//!   [`append`](mod@append) adds a section and keeps all earlier bytes.
//! - `appended` checks that programs that repair files read an appended section like all others.
//! - `import` copies objects of one file into another, and `making` creates new objects.
//! - [`rebuild`] reads damaged files as another type, so that verifying code cannot mistake one for a sound file.
//! - [`defect`] defines the errors.
//!
//! `acro_form` finds the fields of a form and adds new ones, [`structure`] adds structure elements for assistive
//! technology, [`geometry`] computes the position of a box on a page that may be rotated, cropped or scaled, `xmp`
//! reads a document's metadata, [`claims`] reads the standards that it claims to conform to, and [`shared_bytes`] keeps
//! a large file in memory only once. This module does not depend on the purpose of a file.
//!
//! It is the lowest module and uses no other.

pub(crate) mod acro_form;
pub mod append;
mod appended;
pub mod claims;
pub mod crypt;
pub mod defect;
pub mod edit;
pub mod file;
pub mod filter;
pub mod geometry;
pub(crate) mod import;
pub mod lex;
mod making;
pub mod object;
pub mod objects;
pub mod parse;
pub mod rebuild;
pub mod section;
pub mod shared_bytes;
pub mod structure;
mod text_string;
pub mod view;
pub mod write;
pub(crate) mod xmp;

pub use defect::{Deviation, PdfDefect, Rule};
pub use file::File;
pub use object::{Dict, Name, Number, Object, Ref, Str, Stream};
pub use objects::Objects;
pub use view::{View, Written};
