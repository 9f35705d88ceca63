//! The endpoints of templates.

pub mod archive;
pub mod copy;
pub mod create;
pub mod form;
pub mod get;
pub mod list;
pub mod replace;
