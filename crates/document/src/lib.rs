//! The PDF core: bytes in, bytes out.
//!
//! No file, no network, no clock here, and no chance but the nonces of signatures. A stranger's
//! upload passes [`intake`] first, in a limited process; everything after works on what intake
//! wrote.
//!
//! The code lives in rooms. A room uses only rooms above it in this table; a test of the test kit
//! (`architecture/rooms.rs`) fails where one uses another.
//!
//! | room | what it provides |
//! |---|---|
//! | [`pdf`] | the format: a strict reader, writers, revisions that append, the form, the place of a box on its page, bytes that are shared |
//! | [`text`] | the fonts, texts laid out in boxes and columns, what pages of our own are made of |
//! | [`pages`] | pictures of pages, packed small, and what the pages say |
//! | [`marks`] | what is drawn on a page for a value: texts, pictures, drawn signatures and seals |
//! | [`pki`] | keys, certificates, CMS messages, timestamps and revocation; nothing of PDF |
//! | [`verify`](mod@verify) | the verdict on a signed file, everybody's |
//! | [`sealing`] | seals and archive timestamps, with what proves them years later |
//! | [`evidence`] | the history certificate, and files within a file |
//! | [`intake`] | an upload taken in, or refused with a reason |

pub mod evidence;
pub mod intake;
pub mod marks;
pub mod pages;
pub mod pdf;
pub mod pki;
pub mod sealing;
pub mod text;
pub mod verify;
