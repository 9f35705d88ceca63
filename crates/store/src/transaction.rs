//! The open transaction that a use-case works on.

use crate::{Error, Row, Statement, Value};

/// An open transaction. It is committed when the closure returns `Ok`.
pub trait Transaction {
    /// Runs a statement that answers no rows and says how many rows it touched.
    fn execute(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<u64, Error>;

    /// Runs a statement and brings all its rows; a `RETURNING` is a query.
    fn query(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<Vec<Row>, Error>;

    /// Runs a statement whose answer nobody waits for: at the latest before the next one that is waited for, or the commit.
    /// It fails there, under its own name. For what the closure's further course does not hang on, such as an INSERT of a
    /// row whose key is known: on PostgreSQL it costs no round trip of its own.
    fn execute_later(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<(), Error> {
        self.execute(statement, parameters).map(drop)
    }

    /// A statement that must touch exactly one row.
    fn execute_one(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<(), Error> {
        match self.execute(statement, parameters)? {
            1 => Ok(()),
            found => Err(Error::RowCount {
                statement: statement.name(),
                expected: 1,
                found,
            }),
        }
    }

    /// A statement that must answer exactly one row.
    fn query_one(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<Row, Error> {
        self.query_optional(statement, parameters)?.ok_or(Error::RowCount {
            statement: statement.name(),
            expected: 1,
            found: 0,
        })
    }

    /// A statement that answers one row or none.
    fn query_optional(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<Option<Row>, Error> {
        let mut rows = self.query(statement, parameters)?;
        if rows.len() > 1 {
            return Err(Error::RowCount {
                statement: statement.name(),
                expected: 1,
                found: rows.len() as u64,
            });
        }
        Ok(rows.pop())
    }
}
