//! The endpoints of workflows: started, read, changed.

pub mod approve;
pub mod cancel;
pub mod certificate;
pub mod correct_recipient;
pub mod discard;
pub mod document;
pub mod extend;
pub mod field_file;
pub mod get;
pub mod links;
pub mod list;
pub mod reject;
pub mod remind;
pub mod search;
pub mod send;
pub mod start;
