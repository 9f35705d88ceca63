//! The schema, created once for each state of the migrations and then copied, because applying all migrations takes
//! longer than many tests.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sha2::{Digest, Sha256};
use store::{Settings, Store};

use super::{admin, administer, postgres_settings};

/// The PostgreSQL lock held while creating the schema.
const LOCK: i64 = 0x5C4E_3A11;

/// Copies a file with the schema to this path.
pub fn copy_sqlite(to: &Path) {
    let made = sqlite_schema();
    std::fs::copy(made, to).unwrap_or_else(|error| panic!("{}: {error}", made.display()));
}

/// The path is next to the running test binary, which is rebuilt with the migrations. The first process that needs the
/// file creates it.
fn sqlite_schema() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let own = std::env::current_exe().expect("the path of this test");
        let folder = own.parent().expect("its folder");
        let made = folder.join(format!("schema-{}.db", fingerprint("sqlite")));
        if !made.exists() {
            let draft = tempfile::tempdir_in(folder).expect("a folder beside the test");
            let path = draft.path().join(super::SQLITE_FILE);
            make(&Settings::Sqlite { path: path.clone() });
            // In one step, because other processes may open it at the same time.
            std::fs::rename(path, &made).expect("the schema is put in its place");
        }
        made
    })
}

/// Creates a database with the schema.
pub fn copy_postgres(admin_url: &str, name: &str) {
    let made = format!("schema_{}", fingerprint("postgres"));
    let mut client = admin(admin_url);
    client
        .execute("SELECT pg_advisory_lock($1)", &[&LOCK])
        .expect("the lock is free in the end");
    let is_there = client
        .query_opt("SELECT 1 FROM pg_database WHERE datname = $1", &[&made])
        .expect("the databases can be listed")
        .is_some();
    if !is_there {
        let draft = format!("{made}_draft");
        create_database(admin_url, &draft, "template1");
        make(&postgres_settings(admin_url, &draft));
        administer(admin_url, &format!("ALTER DATABASE {draft} RENAME TO {made}"));
    }
    drop(client);
    create_database(admin_url, name, &made);
}

/// Creates a database as a copy of another.
pub fn create_database(admin_url: &str, name: &str, like: &str) {
    administer(admin_url, &format!("DROP DATABASE IF EXISTS {name}"));
    administer(admin_url, &format!("CREATE DATABASE {name} TEMPLATE {like}"));
}

fn make(settings: &Settings) {
    let store = Store::open(settings).expect("the database of the schema opens");
    store.migrate().expect("the schema is made");
}

/// Identifies the migrations.
fn fingerprint(database: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../store/migrations")
        .join(database);
    let listed = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = listed.map(|entry| entry.expect("a migration").path()).collect();
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        hash.update(file.file_name().expect("a name").as_encoded_bytes());
        hash.update(std::fs::read(&file).expect("a migration"));
    }
    let hash = hash.finalize();
    let start = hash.first_chunk().expect("a hash is longer");
    format!("{:016x}", u64::from_be_bytes(*start))
}
