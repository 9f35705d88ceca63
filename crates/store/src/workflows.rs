//! Workflows with their signers, values, links and sealed files.
//!
//! May use `base`, `sql`, `companies`, `chain` and `files`.

pub mod search;
pub mod workflow;
pub mod workflow_links;
pub mod workflow_value;
pub mod wrong_code;
