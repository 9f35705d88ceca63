//! Marks: what is drawn on a page for a value that somebody entered.
//!
//! [`stamp`] draws marks into pages: texts, checks, pictures and drawn signatures and seals, each fitted into its box. Pictures
//! come through [`picture`] and [`checked_picture`], the second for those that nobody here has made yet; [`drawing`] makes
//! outlines of signatures and seals in words (`seal_design` the seals). On files that others have signed nothing may be drawn
//! into pages: [`extend`] puts the same marks into signature fields. [`watermark`] draws a word across every page. `tagging` says in words what marks are.
//!
//! May use `pdf`, `text` and `pages`.

pub mod checked_picture;
pub mod drawing;
pub mod extend;
pub mod picture;
pub(crate) mod picture_on_page;
mod seal_design;
pub mod stamp;
mod tagging;
pub mod watermark;
