//! The parts that every statement needs: values, rows, the statement itself, the transaction that runs it, and errors.
//!
//! Uses no other room.

pub(crate) mod error;
pub(crate) mod row;
pub(crate) mod statement;
pub(crate) mod transaction;
pub(crate) mod value;
mod words;
