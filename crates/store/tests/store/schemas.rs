//! The migrations of both databases produce the same schema.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use store::Settings;
use testkit::database::TestDatabase;

/// The compared properties of a table. The statements show what a column contains and which keys exist.
#[derive(Debug, Default, PartialEq, Eq)]
struct Table {
    /// The columns, and whether they may be NULL.
    columns: BTreeMap<String, bool>,
    /// The references: columns, and the other table with its columns.
    references: BTreeSet<String>,
}

type Schema = BTreeMap<String, Table>;

/// Tables of refinery and of the drivers are not ours, and each database has its own index for the search.
fn is_ours(table: &str) -> bool {
    !table.starts_with("sqlite_")
        && !table.starts_with("search_entry")
        && !["refinery_schema_history", "store_session"].contains(&table)
}

fn of_sqlite(database: &TestDatabase) -> Schema {
    let Settings::Sqlite { path } = database.settings() else {
        unreachable!("it is SQLite");
    };
    let connection = rusqlite::Connection::open(path).expect("the file");
    let all = |query: &str| -> Vec<Vec<String>> {
        let mut prepared = connection.prepare(query).expect("a query");
        let width = prepared.column_count();
        let rows = prepared.query_map([], |row| (0..width).map(|column| row.get(column)).collect());
        rows.expect("rows").collect::<Result<_, _>>().expect("texts")
    };
    let mut schema = Schema::new();
    let tables = all("SELECT name FROM sqlite_schema WHERE type = 'table'");
    for name in tables.concat().into_iter().filter(|name| is_ours(name)) {
        let columns = all(&format!(
            "SELECT name, CASE WHEN \"notnull\" OR pk > 0 THEN 'no' ELSE 'yes' END FROM pragma_table_info('{name}')"
        ));
        let references = all(&format!(
            "SELECT group_concat(\"from\", ' ') || ' -> ' || \"table\" || ' ' || group_concat(\"to\", ' ') FROM \
             (SELECT * FROM pragma_foreign_key_list('{name}') ORDER BY id, seq) GROUP BY id"
        ));
        let table = Table {
            columns: columns
                .into_iter()
                .map(|column| (column[0].clone(), column[1] == "yes"))
                .collect(),
            references: references.concat().into_iter().collect(),
        };
        schema.insert(name, table);
    }
    schema
}

fn of_postgres(database: &TestDatabase) -> Schema {
    let url = database.url().expect("PostgreSQL");
    let mut client = postgres::Client::connect(url, postgres::NoTls).expect("the server");
    let mut schema = Schema::new();
    let columns = "SELECT table_name::text, column_name::text, is_nullable::text FROM information_schema.columns \
        WHERE table_schema = 'public'";
    for row in client.query(columns, &[]).expect("the columns") {
        let (table, column, nullable): (String, String, String) = (row.get(0), row.get(1), row.get(2));
        if is_ours(&table) {
            let columns = &mut schema.entry(table).or_default().columns;
            columns.insert(column, nullable == "YES");
        }
    }
    let names = |of: &str, keys: &str| {
        format!(
            "(SELECT string_agg(a.attname, ' ' ORDER BY k.place) FROM unnest({keys}) WITH ORDINALITY AS k (number, place) \
             JOIN pg_attribute a ON a.attrelid = {of} AND a.attnum = k.number)"
        )
    };
    let references = format!(
        "SELECT conrelid::regclass::text, {} || ' -> ' || confrelid::regclass::text || ' ' || {} FROM pg_constraint \
         WHERE contype = 'f' AND connamespace = 'public'::regnamespace",
        names("conrelid", "conkey"),
        names("confrelid", "confkey")
    );
    for row in client.query(&references, &[]).expect("the references") {
        let (table, reference): (String, String) = (row.get(0), row.get(1));
        if is_ours(&table) {
            schema.entry(table).or_default().references.insert(reference);
        }
    }
    schema
}

#[test]
fn both_databases_have_the_same_tables_columns_and_references() {
    let (sqlite, postgres) = (TestDatabase::sqlite(), TestDatabase::postgres());
    drop((sqlite.open(), postgres.open()));
    let (sqlite, postgres) = (of_sqlite(&sqlite), of_postgres(&postgres));
    let names: BTreeSet<&String> = sqlite.keys().chain(postgres.keys()).collect();
    assert!(names.len() > 20, "{names:?}");
    let differing: Vec<String> = names
        .into_iter()
        .filter(|name| sqlite.get(*name) != postgres.get(*name))
        .map(|name| {
            format!(
                "{name}: SQLite {:#?}, PostgreSQL {:#?}",
                sqlite.get(name),
                postgres.get(name)
            )
        })
        .collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// `IF NOT EXISTS` mistakes anything with that name for what the migration would have created. PostgreSQL's migrations
/// use it up to V25.
#[test]
fn a_migration_makes_what_it_says_or_fails() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut seen = 0;
    for dialect in ["sqlite", "postgres"] {
        for entry in std::fs::read_dir(folder.join(dialect))
            .expect("the migrations")
            .flatten()
        {
            let name = entry.file_name().into_string().expect("a name");
            let version = name.trim_start_matches('V').split("__").next().expect("a version");
            if version.parse::<u32>().expect("a number") <= 25 {
                continue;
            }
            seen += 1;
            let text = std::fs::read_to_string(entry.path()).expect("a text").to_uppercase();
            assert!(
                !text.contains("IF NOT EXISTS") && !text.contains("IF EXISTS"),
                "{dialect}/{name}"
            );
        }
    }
    assert!(seen >= 12, "{seen}");
}
