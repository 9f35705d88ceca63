//! The databases: [`store::Store`] runs closures as transactions, on SQLite or on PostgreSQL, and migrates the schema.
//!
//! May use `base`.

mod copy;
pub(crate) mod job;
pub(crate) mod migrations;
pub(crate) mod postgres;
pub(crate) mod sqlite;
pub(crate) mod store;
