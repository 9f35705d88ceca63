//! One SQL text on SQLite and PostgreSQL.
//!
//! **Actors.** A use-case is plain synchronous code over `&mut dyn Transaction`. It is handed as a
//! closure to [`Store::write`] or [`Store::read`], which block until the answer is there. SQLite
//! runs every writing closure on one writer thread, which commits all that wait together, each in
//! a savepoint of its own; reading closures, and all closures on PostgreSQL, run on the caller's thread, on one of a few
//! connections with their prepared statements. What several of those want at the same moment is done once for all of them
//! where it cannot matter to any (docs/adr/0020).
//!
//! **Guarantees.**
//! - What a writing closure did is durable when `write` returns `Ok`, and undone entirely when it
//!   returns `Err`, with one exception, which has its own name: [`Error::CommitUnknown`]. A connection that breaks during
//!   a commit is no exception yet: the store finds out what became of it. [`Store::write_relaxed`] promises the same but for a
//!   machine that stops, [`Store::write_one_relaxed`] less: see there.
//! - A closure sees one state of the database, and no update is lost: of two that change the same row at once, one runs
//!   again on what the other has left. What is decided from rows that are not changed is guarded by one that is; which
//!   one, says docs/adr/0004.
//! - What belongs to a workflow is changed by whoever holds its row ([`HeldWorkflow`]), so no two transactions wait for each other.
//! - A statement that failed spoils its transaction: later statements answer
//!   [`Error::Spoiled`], and a closure that returns `Ok` all the same is undone. An expected
//!   duplicate is therefore written as `ON CONFLICT DO NOTHING`, never as a caught error.
//! - A closure may run again (after a serialization failure, a lost connection, or a failed group
//!   commit): its only effects must be rows. It must not call the store again; that is
//!   [`Error::Nested`].
//! - A panic in a closure undoes the closure and is its caller's [`Error::Panicked`]; the threads
//!   live on.
//!
//! **Statements** live in [`sql`], one file a table or purpose, each declared by
//! [`statements!`](crate::statements), which also lists it, so that the test which prepares every
//! statement against both migrated schemas cannot miss one.
//!
//! **What may fail**: see [`Error`].
#![deny(missing_docs)]

pub mod access_token;
pub mod api_client;
pub mod audit;
pub mod bulk;
pub mod check;
pub mod company;
pub mod compare;
mod error;
mod held_workflow;
pub mod idempotency;
mod job;
pub mod known_address;
pub mod loose_file;
pub mod member;
mod migrations;
pub mod node;
pub mod outbox;
mod postgres;
pub mod preview;
pub mod public_link;
mod row;
pub mod setting;
pub mod sql;
mod sqlite;
mod statement;
mod store;
pub mod template;
mod transaction;
pub mod upload;
mod value;
mod words;
pub mod workflow;
pub mod workflow_links;
pub mod workflow_value;
pub mod wrong_code;

pub use error::Error;
pub use held_workflow::{HeldWorkflow, hold};
pub use row::Row;
pub use statement::Statement;
pub use store::{Settings, StatementShape, Store};
pub use transaction::{Numbers, Transaction};
pub use value::{FromValue, Value};
