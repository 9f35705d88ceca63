//! What a backup needs of the database: one state of it, the files that this state names, and its schema's version.

use std::collections::BTreeSet;

use domain::{BlobHash, WorkflowId};

use super::check;
use crate::sql::backup as sql;
use crate::{Error, Transaction};

/// The files that the database names. Without them it is not whole.
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

/// The number of the last migration that was applied to the database.
pub fn schema(tx: &mut dyn Transaction) -> Result<i64, Error> {
    tx.query_one(&sql::SCHEMA, &[])?.get("version")
}

/// Whether the database contains nothing, not even a schema.
pub fn is_empty(tx: &mut dyn Transaction) -> Result<bool, Error> {
    Ok(tx.query_one(&sql::TABLES, &[])?.get::<u64>("tables")? == 0)
}

/// The main version of PostgreSQL, such as 15.
pub fn server_version(tx: &mut dyn Transaction) -> Result<u64, Error> {
    Ok(tx.query_one(&sql::SERVER_VERSION, &[])?.get::<u64>("version")? / 10_000)
}

/// The name under which `pg_dump` reads the same state of the database as this transaction, for as long as it is open.
pub fn export_snapshot(tx: &mut dyn Transaction) -> Result<String, Error> {
    tx.query_one(&sql::EXPORT_SNAPSHOT, &[])?.get("snapshot")
}
