//! A connection with its prepared statements, and the mark that identifies its transactions.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use tokio_postgres::error::SqlState;

use super::access::Access;
use super::connection::Connection;
use super::faults::{contention, described, lost};
use crate::{Error, Statement};

/// Removes the rows of connections that ended long ago.
const FORGET_SESSIONS: &str = "DELETE FROM store_session WHERE touched_at < now() - INTERVAL '1 day'";

/// Identifies a writing transaction.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    /// In hexadecimal digits.
    pub(super) session: Arc<str>,
    pub(super) number: i64,
}

impl Mark {
    /// Returns the SQL that prepares the statement to write a transaction's number into its connection's row. It uses
    /// the server's own PREPARE, so it goes out with the beginning of the transaction as one message with one answer.
    fn prepare(session: &str) -> String {
        format!(
            "PREPARE mark (BIGINT) AS INSERT INTO store_session (id, transaction_number, touched_at) \
             VALUES ('{session}', $1, now()) \
             ON CONFLICT (id) DO UPDATE SET transaction_number = excluded.transaction_number, \
             touched_at = excluded.touched_at"
        )
    }

    /// Returns the SQL that begins a transaction with this mark.
    fn beginning(&self, begin: &str) -> String {
        format!("{begin}; EXECUTE mark({})", self.number)
    }
}

/// A connection with its prepared statements.
pub(super) struct Session {
    pub(super) connection: Connection,
    /// By name and number of added rows.
    pub(super) prepared: HashMap<(&'static str, usize), Prepared>,
    /// The mark of the latest transaction, if any.
    pub(super) mark: Option<Mark>,
}

#[derive(Clone)]
pub(super) struct Prepared {
    pub(super) statement: tokio_postgres::Statement,
    pub(super) columns: Arc<[String]>,
}

impl Session {
    pub(super) fn new(connection: Connection) -> Self {
        Session {
            connection,
            prepared: HashMap::new(),
            mark: None,
        }
    }

    /// Returns what begins a transaction. It is sent with the first statement.
    pub(super) fn opening(&mut self, access: Access) -> Result<Option<Opening>, tokio_postgres::Error> {
        let Some(begin) = access.begin() else {
            return Ok(None);
        };
        if !access.writes() {
            return Ok(Some(Opening {
                begin: begin.into(),
                mark: None,
            }));
        }
        let mark = self.next_mark()?;
        Ok(Some(Opening {
            begin: mark.beginning(begin).into(),
            mark: Some(mark),
        }))
    }

    fn next_mark(&mut self) -> Result<Mark, tokio_postgres::Error> {
        let next = if let Some(mark) = self.mark.take() {
            let number = mark.number + 1;
            Mark { number, ..mark }
        } else {
            let session: Arc<str> = random_name().into();
            let prepare = format!("{FORGET_SESSIONS}; {}", Mark::prepare(&session));
            self.connection.wait(self.connection.client().batch_execute(&prepare))?;
            Mark { session, number: 1 }
        };
        self.mark = Some(next.clone());
        Ok(next)
    }

    /// Prepares a statement. One that adds a row may be prepared to add several.
    pub(super) fn prepared(
        &mut self,
        statement: &'static Statement,
        rows: usize,
    ) -> Result<Prepared, tokio_postgres::Error> {
        if let Some(prepared) = self.prepared.get(&(statement.name(), rows)) {
            return Ok(prepared.clone());
        }
        let client = self.connection.client();
        let several = if rows == 1 { None } else { statement.adding(rows) };
        let text = several.as_deref().unwrap_or(statement.postgres());
        let prepared = self.connection.wait(client.prepare(text))?;
        let columns = prepared
            .columns()
            .iter()
            .map(|column| column.name().to_owned())
            .collect();
        let prepared = Prepared {
            statement: prepared,
            columns,
        };
        self.prepared.insert((statement.name(), rows), prepared.clone());
        Ok(prepared)
    }

    /// Returns the error if running the closure again may succeed.
    pub(super) fn may_do_better(
        &mut self,
        statement: &'static Statement,
        error: &tokio_postgres::Error,
        access: Access,
    ) -> Option<Error> {
        let detail = described(error);
        // A write reached a server that accepts none: a standby, until it is promoted or the address leads to another
        // server. A write in a read transaction is a bug of the caller, on every server.
        let met_standby = access.writes() && error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION);
        if lost(error) || met_standby {
            Some(Error::Unreachable { detail })
        } else if let Some(contention) = contention(error) {
            Some(contention)
        } else if error.code() == Some(&SqlState::FEATURE_NOT_SUPPORTED) {
            // A migration has changed the columns that a prepared statement returns, so prepare it again.
            self.prepared.clear();
            Some(Error::Statement {
                statement: statement.name(),
                detail,
            })
        } else {
            None
        }
    }
}

/// The beginning of a transaction that has not been sent yet.
pub(super) struct Opening {
    /// Includes the statement that writes the mark.
    pub(super) begin: Cow<'static, str>,
    pub(super) mark: Option<Mark>,
}

/// Returns 128 random bits. The standard library seeds a new hasher at random.
fn random_name() -> String {
    let part = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", part(), part())
}
