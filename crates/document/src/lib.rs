//! The PDF core: bytes in, bytes out.
//!
//! No file, no network, no clock here, and no chance but the nonces of signatures. A stranger's
//! upload passes [`intake`] first, in a limited process; everything after works on what intake
//! wrote.
//!
//! - [`intake`] takes an upload in, or refuses it with a reason; [`render`] shows its pages, packed
//!   by [`packing`], and [`text_layer`] what they say;
//! - [`geometry`] knows where a field lies on a page; [`text_layout`], [`fonts`] and [`picture`] how
//!   its value looks, [`drawing`] the signatures and seals that we draw; [`stamp`] draws it, on files that others have signed [`extend`]; [`embed`] adds the files that go
//!   with it;
//! - [`certificate`] sets the history certificate;
//! - [`revision`] appends to a file without touching what is there; [`keys`], [`authority`], [`cms`]
//!   and [`seal`] sign it; [`timestamp`] reads what a
//!   time-stamp authority adds; [`verify`] checks signed files, everybody's;
//! - [`shared_bytes`] keeps a large file in memory once.
#![deny(missing_docs)]

pub mod authority;
pub mod certificate;
pub mod checked_picture;
pub mod cms;
pub mod drawing;
pub mod embed;
pub mod extend;
pub mod fonts;
mod form;
pub mod geometry;
pub mod intake;
pub mod item;
pub mod keys;
pub mod packing;
pub mod picture;
pub mod render;
pub mod revision;
pub mod revocation;
pub mod seal;
mod seal_design;
pub mod seal_mark;
pub mod shared_bytes;
mod signature_field;
pub mod stamp;
pub mod text_layer;
pub mod text_layout;
pub mod timestamp;
pub mod validation_data;
pub mod verify;
mod xmp;
