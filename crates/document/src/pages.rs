//! What pages show and say: pictures for people who read, and the text beneath for everybody else.
//!
//! [`render`] makes the picture of a page and [`packing`] makes it small; [`text_layer`] finds the words of a page and their
//! places. It reads any file, and draws nothing into one. `letters` tells where a picture has other letters than the file means.
//!
//! May use `pdf` and `text`.

pub(crate) mod letters;
pub mod packing;
pub mod render;
pub mod text_layer;
