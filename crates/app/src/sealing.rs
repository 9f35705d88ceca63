//! Seals: the companies' keys, the proofs that their certificates are valid, and timestamps.
//!
//! May use: base, links, values, templates.

pub(crate) mod deep_stack;
pub(crate) mod proofs;
pub(crate) mod revocation_list;
pub(crate) mod seal;
pub(crate) mod seal_ends;
pub(crate) mod seal_key;
pub(crate) mod strangers_verdict;
pub(crate) mod workflow_fonts;
