//! What belongs to the installation as a whole, by name; most of it is set once.

use crate::sql::setting as sql;
use crate::{Error, Transaction, values};

/// Finds a value.
pub fn find(tx: &mut dyn Transaction, name: &str) -> Result<Option<Vec<u8>>, Error> {
    tx.query_optional(&sql::FIND, values![name])?
        .map(|row| row.get("value"))
        .transpose()
}

/// Sets a value, whatever it was.
pub fn put(tx: &mut dyn Transaction, name: &str, value: &[u8]) -> Result<(), Error> {
    tx.execute_one(&sql::PUT, values![name, value])
}

/// Sets a value that is not set yet; `false` where it is.
pub fn insert(tx: &mut dyn Transaction, name: &str, value: &[u8]) -> Result<bool, Error> {
    Ok(tx.execute(&sql::INSERT, values![name, value])? == 1)
}

/// Writes a value over the one that is there.
pub fn write(tx: &mut dyn Transaction, name: &str, value: &[u8]) -> Result<(), Error> {
    tx.execute_one(&sql::WRITE, values![name, value])
}
