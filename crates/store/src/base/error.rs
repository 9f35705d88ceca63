//! The errors of the store.

/// An error of the store. The first three concern the caller, and the others are internal.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// A row with this unique key already exists.
    #[error("a row with the same {constraint} already exists")]
    Conflict {
        /// `table(column, column)` on both databases, or the index's name if the index is over an expression.
        constraint: String,
    },
    /// Another constraint refused the row: CHECK, NOT NULL or a foreign key.
    #[error("statement {statement} violates a constraint: {detail}")]
    Constraint { statement: &'static str, detail: String },
    /// A write changed a different number of rows than expected. Usually the state has changed meanwhile. Otherwise the
    /// statement is wrong.
    #[error("statement {statement} changed {found} rows instead of {expected}")]
    RowCount {
        statement: &'static str,
        expected: u64,
        found: u64,
    },
    /// A column is missing or has another type than requested.
    #[error("column {column} of statement {statement}: {detail}")]
    Column {
        statement: &'static str,
        column: String,
        detail: String,
    },
    /// A parameter contains a value that the databases cannot store.
    #[error("parameter {position} of statement {statement}: {detail}")]
    Parameter {
        statement: &'static str,
        /// The position, counted from 1.
        position: usize,
        detail: String,
    },
    #[error("statement {statement} failed: {detail}")]
    Statement { statement: &'static str, detail: String },
    /// An earlier statement of this transaction failed, so the transaction cannot continue.
    #[error("an earlier statement of this transaction failed, so the transaction was undone")]
    Spoiled,
    /// Other transactions kept changing the same rows at the same time.
    #[error("the database is busy ({detail}); try again")]
    Busy {
        /// The database's message at the last try.
        detail: String,
    },
    /// Transactions waited for each other's rows, and the database aborted this one. They lock in different orders,
    /// which is a bug ([`crate::HeldWorkflow`]). If the closure runs again, the only cost is time.
    #[error("the database ended a deadlock ({detail}); try again")]
    Deadlock { detail: String },
    /// The database's disk is full or cannot be written.
    #[error("the database cannot write: {detail}; free space on its disk, or make it writable")]
    Full { detail: String },
    #[error("the database cannot be reached: {detail}; check database.url, and that the database is running")]
    Unreachable { detail: String },
    /// The connection broke during the commit, and the server did not come back in time to say whether the commit
    /// happened. For the commit of a single statement, the server cannot say at all.
    #[error(
        "the connection broke during the commit, which may or may not have happened: {detail}; \
         check the current state before you retry"
    )]
    CommitUnknown { detail: String },
    /// The commit failed and nothing was stored.
    #[error("the commit failed and nothing was saved: {detail}")]
    Commit { detail: String },
    /// The closure panicked and nothing was stored.
    #[error("a use-case panicked and its changes were undone: {message}")]
    Panicked { message: String },
    /// A closure that runs in the store called the store again.
    #[error("a transaction called the store again; pass the open transaction instead")]
    Nested,
    /// The store was closed, or its thread could not be started.
    #[error("the store is closed")]
    Closed,
    #[error("the database {name} cannot be opened: {detail}")]
    Open {
        /// The file, or the host and database.
        name: String,
        detail: String,
    },
    #[error("the database schema cannot be brought up to date: {detail}")]
    Migration { detail: String },
}

impl Error {
    /// True for a duplicate of exactly this unique key, written `table(column, column)`.
    pub fn is_conflict_on(&self, key: &str) -> bool {
        matches!(self, Error::Conflict { constraint } if constraint == key)
    }

    /// True if nothing was done and the same call may succeed later.
    pub fn is_temporary(&self) -> bool {
        matches!(
            self,
            Error::Busy { .. } | Error::Deadlock { .. } | Error::Unreachable { .. } | Error::Full { .. }
        )
    }
}
