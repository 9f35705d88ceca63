//! The database against its chains: what `fsck` and `audit verify` find, and what is erased about a person.
//!
//! May use every other room but `driver` and `outbox`.

pub mod backup;
pub mod check;
pub mod compare;
pub mod erasure;
