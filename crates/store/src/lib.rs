//! One SQL text for SQLite and PostgreSQL.
//!
//! **Actors.** A use case is plain synchronous code over `&mut dyn Transaction`. It is passed as a closure to
//! [`Store::write`] or [`Store::read`], which block until they have the result. SQLite runs every writing closure on
//! one writer thread, which commits all waiting closures together, each in its own savepoint. Reading closures, and all
//! closures on PostgreSQL, run on the caller's thread, on one of a few connections with their prepared statements. When
//! several callers make the same request at the same moment, the work is done once for all of them, if that makes no
//! difference to any (docs/adr/0020).
//!
//! **Guarantees.**
//! - The changes of a writing closure are durable when `write` returns `Ok`, and completely undone when it returns
//!   `Err`. The only exception has its own name: [`Error::CommitUnknown`]. A connection that breaks during a commit
//!   does not cause it by itself, because the store finds out whether the commit happened. [`Store::write_relaxed`]
//!   promises the same except after a crash of the machine. [`Store::write_one_relaxed`] promises less, see there.
//! - A closure sees one state of the database, and no update is lost: of two that change the same row at once, one runs
//!   again and sees the other's changes. If you base a decision on rows that you do not change, protect the decision
//!   with a row that you do change. docs/adr/0004 says which.
//! - Only the holder of a workflow's row ([`HeldWorkflow`]) changes what belongs to the workflow, so transactions
//!   cannot deadlock.
//! - A failed statement spoils its transaction: later statements return [`Error::Spoiled`], and the transaction is
//!   undone even if the closure returns `Ok`. So write an expected duplicate as `ON CONFLICT DO NOTHING`, never as a
//!   caught error.
//! - A closure may run again (after a serialization failure, a lost connection, or a failed group commit), so its only
//!   effects must be rows. It must not call the store again, or it gets [`Error::Nested`].
//! - A panic in a closure undoes the closure, and its caller gets [`Error::Panicked`]. The threads keep running.
//!
//! **Statements** are in [`sql`], one file per table or purpose. Each is declared with
//! [`statements!`](crate::statements), which also lists it, so the test that prepares every statement against both
//! migrated schemas cannot miss one.
//!
//! **Errors**: see [`Error`].
//!
//! The code is divided into rooms, each of which uses only those before it: `base`, `sql`, `driver`, `companies`,
//! `chain`, `files`, `starts`, `workflows`, `outbox`, `evidence`. Other crates name a module by its own name
//! (`store::workflow`).

mod base;
mod chain;
mod companies;
mod driver;
mod evidence;
mod files;
pub mod outbox;
pub mod sql;
mod starts;
mod workflows;

pub use base::error::Error;
pub use base::row::Row;
pub use base::statement::Statement;
pub use base::transaction::{Numbers, Transaction};
pub use base::value::{FromValue, Value};
pub use chain::held_workflow::{HeldWorkflow, hold};
pub use chain::{audit, checkpoint};
pub use companies::{access_token, api_client, audit_log, company, known_address, member, setting};
pub use driver::store::{Load, Settings, StatementShape, Store};
pub use evidence::{backup, check, compare, erasure};
pub use files::{loose_file, upload};
pub use outbox::{held_outbox, node};
pub use starts::{bulk, idempotency, preview, public_link, template};
pub use workflows::{search, workflow, workflow_links, workflow_value, wrong_code};
