//! The PDF core: bytes in, bytes out.
//!
//! It uses no files, no network and no clock, and randomness only for the nonces of signatures. A
//! stranger's upload passes [`intake`] first, in a limited process; everything after works on what
//! intake wrote.
//!
//! The code lives in rooms. A room uses only rooms above it in this table; a test enforces this
//! (`testkit`, `architecture/rooms.rs`).
//!
//! | room | what it provides |
//! |---|---|
//! | [`pdf`] | the format: a strict reader, writers, revisions that append, the form, the place of a box on its page, bytes that are shared |
//! | [`text`] | the fonts, texts laid out in boxes and columns, what pages of our own are made of |
//! | [`pages`] | pictures of pages, packed small, and what the pages say |
//! | [`marks`] | what is drawn on a page for a value: texts, pictures, drawn signatures and seals |
//! | [`pki`] | keys, certificates, CMS messages, timestamps and revocation; nothing of PDF |
//! | [`verify`](mod@verify) | the verdict on a signed file |
//! | [`sealing`] | seals and archive timestamps, with what proves them years later |
//! | [`evidence`] | the history certificate, and files within a file |
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
