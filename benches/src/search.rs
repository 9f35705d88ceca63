//! Measures the search among 100,000 documents over HTTP on both databases, compared with the unfiltered list in the
//! same run.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use store::{Row, Settings, Statement, Store, Value};
use testkit::database::TestDatabase;
use testkit::installation::{Installation, binary};

use crate::machine::{idle_share, percentile};
use crate::server::{Client, log_in, set_up};

const DOCUMENTS: i64 = 100_000;
const AT_ONCE: i64 = 500;
const ASKED: usize = 100;

/// A description of each search, and its query.
const QUERIES: [(&str, &str); 10] = [
    ("two letters that every third title has", "text=계약"),
    ("a word that every third title has", "text=agreement"),
    (
        "the same, those that are complete: none",
        "text=agreement&status=Complete",
    ),
    ("the beginning of many words", "text=custom"),
    ("one letter", "text=김"),
    ("a person", "text=김가나"),
    ("two words, one of them common", "text=lease+77773"),
    ("an address", "text=customer77773@example.com"),
    ("the last digits of a telephone number", "text=7773"),
    ("a word that occurs nowhere", "text=zzyzx"),
];

/// Prints the table's rows for SQLite in `folder`, and for PostgreSQL if the tests' server is available.
pub async fn measure(folder: &Path) {
    let sqlite = Installation::new(&binary(), &folder.join("search on SQLite"));
    let path = sqlite.data().join("countersign.db");
    of_database("SQLite", &sqlite, &Settings::Sqlite { path }).await;
    if std::env::var_os("COUNTERSIGN_TEST_POSTGRES").is_none() {
        return;
    }
    let database = TestDatabase::postgres();
    let url = database.url().expect("PostgreSQL").to_owned();
    let postgres = Installation::new(&binary(), &folder.join("search on PostgreSQL"));
    let postgres = postgres.with("COUNTERSIGN_DATABASE__URL", &url);
    of_database("PostgreSQL", &postgres, database.settings()).await;
}

async fn of_database(name: &str, installation: &Installation, settings: &Settings) {
    let template = set_up(installation);
    let server = installation.serve();
    let first = log_in(&server, template, "http://127.0.0.1:9/hook").await.start().await;
    server.kill();
    fill(&Store::open(settings).expect("the database"), first);

    let server = installation.serve();
    let client = log_in(&server, template, "").await;
    let begin = Instant::now();
    let awaited = format!("/api/v3/workflows?text=customer{}", DOCUMENTS - 1);
    while found(&client, &awaited).await == 0 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    println!(
        "| {name}: documents indexed in the background | {:.0}/s | | |",
        DOCUMENTS as f64 / begin.elapsed().as_secs_f64()
    );
    if let Settings::Postgres { url, .. } = settings {
        // Autovacuum would do this within minutes.
        let url = url.expose().to_owned();
        let analysed = tokio::task::spawn_blocking(move || {
            let mut client = postgres::Client::connect(&url, postgres::NoTls).expect("the server");
            client.batch_execute("VACUUM ANALYZE").expect("statistics");
        });
        analysed.await.expect("statistics");
    }
    println!("| idle share before the searches | {:.0} % | | |", idle_share() * 100.0);
    let mut all = Vec::new();
    for (what, query) in QUERIES {
        let (mut list, mut search) = (Vec::new(), Vec::new());
        let path = format!("/api/v3/workflows?limit=50&{query}");
        let number = found(&client, &path).await;
        for _ in 0..ASKED {
            list.push(took(&client, "/api/v3/workflows?limit=50").await);
            search.push(took(&client, &path).await);
        }
        let (beside, median) = (percentile(&mut list, 0.5), percentile(&mut search, 0.5));
        println!(
            "| {name}: {what} ({number} on the page) | {median:.2} ms median, {:.2} ms p99 | the list, {beside:.2} ms | {:.1} |",
            percentile(&mut search, 0.99),
            median / beside
        );
        all.extend(search);
    }
    println!(
        "| {name}: all searches among {DOCUMENTS} documents | {:.2} ms median | under 50 ms | |",
        percentile(&mut all, 0.5)
    );
}

async fn found(client: &Client, path: &str) -> usize {
    let list: Json = client.get(path).await;
    list["workflow_list"].as_array().map_or(0, Vec::len)
}

async fn took(client: &Client, path: &str) -> f64 {
    let begin = Instant::now();
    client.get(path).await;
    begin.elapsed().as_secs_f64() * 1e3
}

/// Builds a statement at run time, with the same text for both databases.
fn statement(text: String) -> &'static Statement {
    let text: &'static str = text.leak();
    Box::leak(Box::new(Statement::new(text, Box::leak(Box::new([text])), text)))
}

/// A row, and the statement that inserts a copy of it.
struct Pattern {
    row: Row,
    insert: &'static Statement,
}

impl Pattern {
    fn all(store: &Store, table: &str, condition: &str) -> Vec<Pattern> {
        let select = statement(format!("SELECT * FROM {table} WHERE {condition}"));
        let rows = store.read(move |tx| tx.query(select, &[])).expect("rows");
        let insert = |row: &Row| {
            let places: Vec<String> = (1..=row.columns().len()).map(|place| format!("${place}")).collect();
            let columns = row.columns().join(", ");
            statement(format!(
                "INSERT INTO {table} ({columns}) VALUES ({})",
                places.join(", ")
            ))
        };
        let patterns = rows.into_iter().map(|row| Pattern {
            insert: insert(&row),
            row,
        });
        patterns.collect()
    }

    /// Returns the row's values with these changes.
    fn with(&self, changes: &[(&str, Value)]) -> Vec<Value> {
        let value = |column: &String| {
            let change = changes.iter().find(|(changed, _)| changed == column);
            let kept = || self.row.value(column).cloned().unwrap_or(Value::Null);
            change.map_or_else(kept, |(_, value)| value.clone())
        };
        self.row.columns().iter().map(value).collect()
    }
}

fn title(number: i64) -> String {
    match number % 3 {
        0 => format!("근로계약서 {number}"),
        1 => format!("Lease Agreement {number}"),
        _ => format!("業務委託契約書 {number}"),
    }
}

fn name(number: i64) -> String {
    let part = |letters: &str, number: i64| {
        letters
            .chars()
            .nth(usize::try_from(number).unwrap_or(0) % 14)
            .unwrap_or('김')
    };
    let letters = "가나다라마바사아자차카타파하";
    [
        part("김이박최정강조윤장임한오서신", number),
        part(letters, number / 14),
        part(letters, number / 196),
    ]
    .iter()
    .collect()
}

/// Adds copies of the first document, each with its own title and people.
fn fill(store: &Store, first: i64) {
    let workflow = Pattern::all(store, "workflow", &format!("id = {first}"));
    let recipients = Pattern::all(store, "recipient", &format!("workflow_id = {first} ORDER BY id"));
    let patterns = std::sync::Arc::new((workflow, recipients));
    for batch in 0..DOCUMENTS / AT_ONCE {
        let patterns = std::sync::Arc::clone(&patterns);
        let added = store.write_relaxed(move |tx| {
            let (workflow, recipients) = patterns.as_ref();
            for number in batch * AT_ONCE..(batch + 1) * AT_ONCE {
                let id = first + 1 + number;
                for pattern in workflow {
                    let changes = [
                        ("id", Value::from(id)),
                        ("name", Value::from(title(number))),
                        ("indexed_revision", Value::from(-1)),
                    ];
                    tx.execute_later(pattern.insert, &pattern.with(&changes))?;
                }
                for (place, pattern) in (0..).zip(recipients) {
                    let contact = match place {
                        0 => format!("customer{number}@example.com"),
                        _ => format!("010-{:04}-{:04}", number / 10_000, number % 10_000),
                    };
                    let changes = [
                        ("id", Value::from(1_000_000 + number * 10 + place)),
                        ("workflow_id", Value::from(id)),
                        ("name", Value::from(name(number + place))),
                        ("contact", Value::from(contact.clone())),
                        ("contact_key", Value::from(contact)),
                    ];
                    tx.execute_later(pattern.insert, &pattern.with(&changes))?;
                }
            }
            Ok::<_, store::Error>(())
        });
        added.expect("documents");
    }
}
