//! The PDF core: bytes in, bytes out.
//!
//! It uses no files, no network and no clock, and randomness only for the nonces of signatures. An untrusted upload is
//! first checked by [`intake`], in a limited process. All other code processes only files written by intake.
//!
//! A module uses only modules above it in this table; a test enforces this (`testkit`, `architecture/rooms.rs`).
//!
//! | module | purpose |
//! |---|---|
//! | [`pdf`] | the format: a strict reader, writers, appended revisions, the form, positions of boxes on a page, shared
//! bytes |
//! | [`text`] | fonts, text layout in boxes and columns, and parts for our own pages |
//! | [`pages`] | compressed images of pages, and their text |
//! | [`marks`] | drawings of values on a page: texts, pictures, drawn signatures and signature stamps |
//! | [`pki`] | keys, certificates, CMS messages, timestamps and revocation; independent of PDF |
//! | [`verify`](mod@verify) | the verdict on a signed file |
//! | [`sealing`] | seals and archive timestamps, with the data that proves them years later |
//! | [`evidence`] | the history certificate, and attached files |
//! | [`intake`] | accepts an upload, or refuses it with a reason |

pub mod evidence;
pub mod intake;
pub mod marks;
pub mod pages;
pub mod pdf;
pub mod pki;
pub mod sealing;
pub mod text;
pub mod verify;
