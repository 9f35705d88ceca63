//! Completion, the history certificate, later timestamps, checkpoints of the chains, and erasure.
//!
//! May use every module listed before it, up to workflow.

pub(crate) mod attached_chain;
pub(crate) mod certificate_content;
pub(crate) mod certificate_look;
pub(crate) mod checkpoints;
pub(crate) mod complete;
pub(crate) mod erase_person;
pub(crate) mod seal_mark;
pub(crate) mod timestamps;
