//! Compares the database with its chains for `fsck` and `audit verify`, and erases a person's data.
//!
//! May use every other room but `driver` and `outbox`.

pub mod backup;
pub mod check;
pub mod compare;
pub mod erasure;
