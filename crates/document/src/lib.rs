//! countersign-document
#![deny(missing_docs)]

pub mod authority;
pub mod cms;
mod form;
pub mod keys;
pub mod revision;
pub mod seal;
