//! The audit trail: who holds a workflow's row, its chain, and the checkpoints over all chains.
//!
//! May use `base` and `sql`.

pub mod audit;
pub mod checkpoint;
pub(crate) mod held_workflow;
