//! Completion, the history certificate, later timestamps, checkpoints of the chains, erasure.
//!
//! May use: every room before it, of which the last is workflow.

pub(crate) mod attached_chain;
pub(crate) mod certificate_content;
pub(crate) mod certificate_look;
pub(crate) mod checkpoints;
pub(crate) mod complete;
pub(crate) mod erase_person;
pub(crate) mod seal_mark;
pub(crate) mod timestamps;
