//! Settings of the whole installation, by name.

use crate::sql::setting as sql;
use crate::{Error, Transaction, values};

pub fn find(tx: &mut dyn Transaction, name: &str) -> Result<Option<Vec<u8>>, Error> {
    tx.query_optional(&sql::FIND, values![name])?
        .map(|row| row.get("value"))
        .transpose()
}

/// Sets a value, replacing any previous one.
pub fn put(tx: &mut dyn Transaction, name: &str, value: &[u8]) -> Result<(), Error> {
    tx.execute_one(&sql::PUT, values![name, value])
}

/// Sets a value if it is not set yet. `false` if it already is.
pub fn insert(tx: &mut dyn Transaction, name: &str, value: &[u8]) -> Result<bool, Error> {
    Ok(tx.execute(&sql::INSERT, values![name, value])? == 1)
}

/// Removes a value. `false` if it is another one by now, or was removed.
pub fn take(tx: &mut dyn Transaction, name: &str, value: &[u8]) -> Result<bool, Error> {
    Ok(tx.execute(&sql::TAKE, values![name, value])? == 1)
}
