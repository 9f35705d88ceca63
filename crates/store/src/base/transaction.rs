//! The open transaction that a use case works with.

use crate::{Error, Row, Statement, Value, values};

/// An open transaction. It is committed when the closure returns `Ok`.
pub trait Transaction {
    /// Runs a statement that returns no rows. Returns the number of rows it changed.
    fn execute(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<u64, Error>;

    /// Runs a statement and returns all its rows. A statement with `RETURNING` is a query.
    fn query(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<Vec<Row>, Error>;

    /// Runs a statement whose result nobody needs. It is sent at the latest with the next statement whose result is
    /// needed, or with the commit. A failure is reported there, under the statement's own name. Use it for statements
    /// that do not affect what the closure does next, such as an INSERT of a row whose key is known. On PostgreSQL it
    /// costs no extra round trip.
    fn execute_later(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<(), Error> {
        self.execute(statement, parameters).map(drop)
    }

    /// Reserves unique numbers: one for each whole that is about to be written, and `parts` for its parts. On
    /// PostgreSQL they stay reserved even if the transaction fails. On SQLite they are the numbers of the next rows,
    /// and are used up once the rows are written. The statement's parameters are the numbers of wholes and of parts,
    /// and it returns rows of `place` (from 1, the wholes first) and `id`.
    fn numbers(&mut self, statement: &'static Statement, parts: i64) -> Result<Numbers, Error> {
        let rows = self.query(statement, &Numbers::parameters(&[parts]))?;
        let mut given_out = Numbers::given_out(statement, &rows, &[parts])?;
        given_out.pop().ok_or(Numbers::too_few(statement, &[parts], 0))
    }

    /// Runs a query, and reserves [numbers](Transaction::numbers) with it if that costs no extra round trip. It
    /// reserves none otherwise, nor on SQLite, where numbers are those of rows that are about to be written.
    fn query_with_numbers(
        &mut self,
        statement: &'static Statement,
        parameters: &[Value],
        _numbers: &'static Statement,
        _parts: i64,
    ) -> Result<(Vec<Row>, Option<Numbers>), Error> {
        Ok((self.query(statement, parameters)?, None))
    }

    /// Runs a statement that must change exactly one row.
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

    /// Runs a statement that must return exactly one row.
    fn query_one(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<Row, Error> {
        self.query_optional(statement, parameters)?.ok_or(Error::RowCount {
            statement: statement.name(),
            expected: 1,
            found: 0,
        })
    }

    /// Runs a statement that returns at most one row.
    fn query_optional(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<Option<Row>, Error> {
        at_most_one(statement, self.query(statement, parameters)?)
    }
}

/// Returns the row of a result with at most one row.
pub(crate) fn at_most_one(statement: &'static Statement, mut rows: Vec<Row>) -> Result<Option<Row>, Error> {
    if rows.len() > 1 {
        return Err(Error::RowCount {
            statement: statement.name(),
            expected: 1,
            found: rows.len() as u64,
        });
    }
    Ok(rows.pop())
}

/// Numbers for a whole and its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbers {
    pub whole: i64,
    /// In ascending order.
    pub parts: Vec<i64>,
}

impl Numbers {
    /// Returns the statement's parameters for wholes with these numbers of parts.
    pub(crate) fn parameters(wanted: &[i64]) -> Vec<Value> {
        let wholes = i64::try_from(wanted.len()).unwrap_or(i64::MAX);
        values![wholes, wanted.iter().sum::<i64>()].to_vec()
    }

    /// Splits the returned rows among the inserted groups.
    pub(crate) fn given_out(
        statement: &'static Statement,
        rows: &[Row],
        wanted: &[i64],
    ) -> Result<Vec<Numbers>, Error> {
        let mut numbers = rows
            .iter()
            .map(|row| Ok((row.get("place")?, row.get("id")?)))
            .collect::<Result<Vec<(i64, i64)>, Error>>()?;
        numbers.sort_unstable();
        let too_few = || Numbers::too_few(statement, wanted, rows.len());
        let mut numbers = numbers.into_iter().map(|(_, id)| id);
        let wholes: Vec<i64> = numbers.by_ref().take(wanted.len()).collect();
        if wholes.len() < wanted.len() {
            return Err(too_few());
        }
        wholes
            .into_iter()
            .zip(wanted)
            .map(|(whole, wanted)| {
                let wanted = usize::try_from(*wanted).unwrap_or_default();
                let parts: Vec<i64> = numbers.by_ref().take(wanted).collect();
                (parts.len() == wanted)
                    .then_some(Numbers { whole, parts })
                    .ok_or_else(too_few)
            })
            .collect()
    }

    fn too_few(statement: &'static Statement, wanted: &[i64], found: usize) -> Error {
        let parts: i64 = wanted.iter().sum();
        Error::RowCount {
            statement: statement.name(),
            expected: wanted.len() as u64 + u64::try_from(parts).unwrap_or_default(),
            found: found as u64,
        }
    }
}
