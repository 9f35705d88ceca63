//! Copying databases that are in use.

use std::path::Path;

use super::store::Store;
use super::{migrations, sqlite};
use crate::Error;

impl Store {
    /// Returns the number of this program's last migration.
    pub fn newest_schema() -> i64 {
        let runner = migrations::sqlite_runner();
        let versions = runner
            .get_migrations()
            .iter()
            .map(|migration| i64::from(migration.version()));
        versions.max().unwrap_or_default()
    }

    /// Writes one state of an SQLite database into a new file while other connections keep writing to it, and checks
    /// that the copy is sound. The caller makes the file durable.
    pub fn copy_sqlite(from: &Path, to: &Path) -> Result<(), Error> {
        let failed = |error: rusqlite::Error| sqlite::cannot_open(from, &error);
        let name = to
            .to_str()
            .ok_or_else(|| sqlite::cannot_open(to, &"the path of the copy is not valid Unicode"))?;
        sqlite::create_private(to)?;
        let connection = sqlite::connect(from)?;
        connection.execute("VACUUM INTO ?1", [name]).map_err(|error| {
            if error.sqlite_error().is_some_and(|failure| sqlite::is_full(*failure)) {
                let detail = format!("its copy {}: {error}", to.display());
                return Error::Full { detail };
            }
            failed(error)
        })?;
        let copy = sqlite::connect(to)?;
        let said: String = copy
            .query_row("PRAGMA integrity_check(1)", (), |row| row.get(0))
            .map_err(failed)?;
        if said == "ok" {
            Ok(())
        } else {
            Err(sqlite::cannot_open(from, &format!("it is damaged: {said}")))
        }
    }
}
