//! Pages for readers: an image of each page, and its text for search and assistive technology.
//!
//! [`render`] renders a page and [`packing`] compresses the image. [`text_layer`] finds the words of a page and their
//! positions. These modules read any file, and never change one. `letters` reports images with wrong letters.
//!
//! May use `pdf` and `text`.

pub(crate) mod letters;
pub mod packing;
pub mod render;
pub mod text_layer;
