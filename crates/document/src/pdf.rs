//! The PDF format: what files are made of.
//!
//! A lenient reader can be deceived: it shows one file where other programs see another. Ours reads a file only if its
//! cross-references say one thing, loses nothing of it, and names the rule that a file breaks.
//!
//! - [`lex`] and [`parse`] turn bytes into [`object`]s, which keep the spelling of numbers, names and strings;
//! - [`section`] reads the chain of cross-reference sections, [`crypt`] decrypts, [`filter`] decodes streams;
//! - [`file`](mod@file) opens a file, and [`view`] shows its objects as one of its revisions left them; what
//!   readers of a document ask of either, with changes or without, is [`objects`]'s;
//! - [`edit`] keeps changes separate from a file; [`write`](mod@write) writes objects and whole files,
//!   [`append`](mod@append) adds a section and keeps every earlier byte;
//! - `appended` says whether programs that repair files read an appended section like everybody else;
//! - `import` copies objects of one file into another, and `making` makes objects of our own;
//! - [`rebuild`] reads damaged files, as another type, so that nothing that verifies can take one for a sound file;
//! - [`defect`] names what is wrong.
//!
//! `acro_form` finds the fields of a form and adds to them, [`structure`] adds to what assistive technology reads,
//! [`geometry`] knows where a box lies on a page that may be turned, cropped or scaled, `xmp` reads the description of a document and
//! [`claims`] the standards that it claims to keep, and [`shared_bytes`] keeps a large file in memory once. Nothing here knows
//! what a file is read or written for.
//!
//! This is the lowest room: it uses no other.

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
