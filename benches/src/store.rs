//! Measures the store alone: the durable transactions per second that it commits for 1, 8 and 32 callers, compared with
//! the raw commits of one connection, and the cost of storing a file.

use std::path::Path;
use std::time::{Duration, Instant};

use ::store::{Error, Settings, Store, values};
use blobs::Blobs;

use crate::machine::{idle_share, percentile};
use crate::raw_commit::RawCommit;

store::statements! {
    /// The table that the transactions change.
    pub static CREATE = "CREATE TABLE bench (id BIGINT PRIMARY KEY, state TEXT NOT NULL, revision BIGINT NOT NULL)";
    pub static INSERT = "INSERT INTO bench (id, state, revision) VALUES ($1, $2, 1)";
    pub static READ = "SELECT id, state, revision FROM bench WHERE id = $1";
    /// An update guarded by the row's revision.
    pub static CHANGE = "UPDATE bench SET state = $1, revision = revision + 1 WHERE id = $2 AND revision = $3";
}

/// Duration of the measurement for each number of callers.
const LOAD: Duration = Duration::from_secs(3);

/// Prints the table's rows for SQLite in `folder`, and for PostgreSQL if the tests' server is available.
pub fn measure(folder: &Path, raw: &RawCommit) {
    let sqlite = Settings::Sqlite {
        path: folder.join("store.sqlite"),
    };
    report(
        "SQLite",
        &Store::open(&sqlite).expect("a database in the bench's folder"),
        raw,
    );
    if std::env::var_os("COUNTERSIGN_TEST_POSTGRES").is_some() {
        let database = testkit::database::TestDatabase::postgres();
        report("PostgreSQL", &database.open(), raw);
    }
    blob_cost(folder, raw);
}

fn report(name: &str, store: &Store, raw: &RawCommit) {
    store
        .write(|tx| tx.execute(&CREATE, values![]).map(drop))
        .expect("the bench's table");
    println!(
        "| idle share of the processors before | {:.0} % | | |",
        idle_share() * 100.0
    );
    let mut first = 0;
    for callers in [1, 8, 32] {
        let (mut samples, seconds) = load(store, callers, first);
        first += 10_000_000;
        let rate = samples.len() as f64 / seconds;
        println!(
            "| {name}: transactions of four statements, {callers} callers | {:.3} ms median, {:.3} ms p99, {rate:.0}/s | raw commits {:.0}/s | {:.2} |",
            percentile(&mut samples, 0.5),
            percentile(&mut samples, 0.99),
            raw.rate,
            rate / raw.rate
        );
    }
}

/// Returns the times of all transactions in milliseconds, and the total time.
fn load(store: &Store, callers: i64, first: i64) -> (Vec<f64>, f64) {
    let begin = Instant::now();
    let samples = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..callers)
            .map(|caller| {
                scope.spawn(move || {
                    let mut samples = Vec::new();
                    let mut id = first + caller * 100_000;
                    while begin.elapsed() < LOAD {
                        let start = Instant::now();
                        transaction(store, id).expect("a transaction");
                        samples.push(start.elapsed().as_secs_f64() * 1e3);
                        id += 1;
                    }
                    samples
                })
            })
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("a caller"))
            .collect()
    });
    (samples, begin.elapsed().as_secs_f64())
}

fn transaction(store: &Store, id: i64) -> Result<(), Error> {
    store.write(move |tx| {
        tx.execute_one(&INSERT, values![id, "begun"])?;
        let revision: i64 = tx.query_one(&READ, values![id])?.get("revision")?;
        tx.execute_one(&CHANGE, values!["done", id, revision])?;
        tx.query_one(&READ, values![id]).map(drop)
    })
}

fn blob_cost(folder: &Path, raw: &RawCommit) {
    let blobs = Blobs::local(folder.join("blobs")).expect("a folder for files");
    for (name, length) in [("2 KB", 2_000_usize), ("200 KB", 200_000)] {
        let mut samples: Vec<f64> = (0..300_u32)
            .map(|number| {
                let mut bytes = vec![7; length];
                bytes.extend(number.to_le_bytes());
                let start = Instant::now();
                #[expect(clippy::disallowed_methods, reason = "how long it takes is measured")]
                blobs.put(&bytes).expect("a file is kept");
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        let median = percentile(&mut samples, 0.5);
        println!(
            "| a file of {name} kept durably | {median:.3} ms median | raw commit {:.3} ms | {:.1} |",
            raw.median_ms,
            median / raw.median_ms
        );
    }
}
