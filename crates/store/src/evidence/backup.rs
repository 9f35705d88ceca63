//! The data a backup needs from the database: one state of it, the files that this state names, and its schema version.

use std::collections::BTreeSet;

use domain::{BlobHash, WorkflowId};

use super::check;
use crate::sql::backup as sql;
use crate::{Error, Transaction};

/// Returns the files that the database names. Without them, a backup is not complete.
pub fn named_files(tx: &mut dyn Transaction) -> Result<BTreeSet<BlobHash>, Error> {
    let mut named = BTreeSet::new();
    let mut after = WorkflowId(0);
    loop {
        let (found, last) = check::files_of_workflows(tx, after)?;
        named.extend(found.into_iter().map(|file| file.hash));
        match last {
            Some(last) => after = last,
            None => break,
        }
    }
    named.extend(check::files_of_templates(tx)?.into_iter().map(|file| file.hash));
    Ok(named)
}

/// Returns the number of the last migration applied to the database.
pub fn schema(tx: &mut dyn Transaction) -> Result<i64, Error> {
    tx.query_one(&sql::SCHEMA, &[])?.get("version")
}

/// Whether the database is empty, without even a schema.
pub fn is_empty(tx: &mut dyn Transaction) -> Result<bool, Error> {
    Ok(tx.query_one(&sql::TABLES, &[])?.get::<u64>("tables")? == 0)
}

/// Returns the major version of PostgreSQL, such as 15.
pub fn server_version(tx: &mut dyn Transaction) -> Result<u64, Error> {
    Ok(tx.query_one(&sql::SERVER_VERSION, &[])?.get::<u64>("version")? / 10_000)
}

/// Returns the name under which `pg_dump` reads the same state of the database as this transaction, while it is open.
pub fn export_snapshot(tx: &mut dyn Transaction) -> Result<String, Error> {
    tx.query_one(&sql::EXPORT_SNAPSHOT, &[])?.get("snapshot")
}
