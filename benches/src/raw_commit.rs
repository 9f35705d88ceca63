//! The baseline for comparisons: one connection that durably commits one small row at a time (SQLite, WAL,
//! `synchronous=FULL`).

use std::path::Path;
use std::time::Instant;

use rusqlite::Connection;

/// Commit speed of one connection on this disk.
pub struct RawCommit {
    /// Median time of a commit, in milliseconds.
    pub median_ms: f64,
    pub rate: f64,
}

/// Commits 3,000 rows one by one in a new database in `folder`.
pub fn measure(folder: &Path) -> RawCommit {
    let connection = Connection::open(folder.join("raw.sqlite")).expect("a database in the bench's folder");
    connection
        .execute_batch("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE row (id INTEGER PRIMARY KEY, text TEXT) STRICT;")
        .expect("a table");
    let mut insert = connection
        .prepare("INSERT INTO row (text) VALUES (?1)")
        .expect("a statement");
    let mut samples = Vec::with_capacity(3000);
    let begin = Instant::now();
    for number in 0..3000 {
        let start = Instant::now();
        insert.execute([format!("row {number}")]).expect("an insert");
        samples.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let rate = 3000.0 / begin.elapsed().as_secs_f64();
    RawCommit {
        median_ms: crate::machine::percentile(&mut samples, 0.5),
        rate,
    }
}
