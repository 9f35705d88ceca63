//! The schema's migrations, one folder per database, applied by refinery.
//!
//! Never edit a migration that has been applied: refinery refuses a file whose text has changed. `migrate` may be
//! called at every start; it skips what is already applied.

use refinery::{Report, Runner};

use crate::Error;

mod sqlite {
    refinery::embed_migrations!("migrations/sqlite");
}

mod postgres {
    refinery::embed_migrations!("migrations/postgres");
}

pub(crate) fn sqlite_runner() -> Runner {
    sqlite::migrations::runner()
}

pub(crate) fn postgres_runner() -> Runner {
    postgres::migrations::runner()
}

/// Returns the names of the migrations that were applied.
pub(crate) fn applied(report: Result<Report, refinery::Error>) -> Result<Vec<String>, Error> {
    let report = report.map_err(|error| Error::Migration { detail: detail(&error) })?;
    Ok(report.applied_migrations().iter().map(ToString::to_string).collect())
}

/// Returns refinery's message followed by its causes, which include the database's message.
fn detail(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
