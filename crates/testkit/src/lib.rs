//! Helpers for the tests of all crates: a database per test, the real program as a process, receivers for its messages.
//!
//! Only for tests: any problem here is a failed test, so it panics with the reason.
#![allow(clippy::missing_panics_doc, reason = "a panic is how a test fails")]

pub mod bucket;
pub mod contract;
pub mod database;
pub mod database_proxy;
pub mod deliveries;
pub mod demo;
pub mod installation;
pub mod kill;
pub mod node_kills;
pub mod operator;
pub mod receiver;
pub mod revocation_data;
pub mod rows;
pub mod scale;
pub mod smtp_sink;
pub mod stand_ins;
pub mod time_stamp_authority;
pub mod token_endpoint;
pub mod workbook;
pub mod world;
