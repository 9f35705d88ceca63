//! The audit trail: locks on workflows' rows, their chains, and the checkpoints over all chains.
//!
//! May use `base` and `sql`.

pub mod audit;
pub mod checkpoint;
pub(crate) mod held_workflow;
