//! A separate database for each test, on SQLite and on PostgreSQL.
//!
//! SQLite is a file in a temporary folder. PostgreSQL is one throw-away server: the one named in
//! `COUNTERSIGN_TEST_POSTGRES` (`script/test` starts one for all tests), or one that this process starts when the first
//! test needs it, from Debian's binaries or those in the path. A server started here ends with the process, even if the
//! process is killed: a shell waits at the other end of a pipe that only this process keeps open.
//!
//! `COUNTERSIGN_TEST_FSYNC=on` keeps PostgreSQL's fsync on, for measurements.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use domain::Secret;
use store::{Settings, Store};
use tempfile::TempDir;

mod schema;

/// A database for a single test. It is created on first use and removed on drop. Dropping it panics if transactions of
/// its stores caused a deadlock.
pub struct TestDatabase {
    settings: Settings,
    keep: Keep,
    made: OnceLock<()>,
    /// The deadlock counters of all stores opened on it.
    deadlocks: Mutex<Vec<Arc<AtomicU64>>>,
}

const SQLITE_FILE: &str = "countersign.db";

enum Keep {
    Folder(TempDir),
    Database { admin_url: String, name: String },
}

impl TestDatabase {
    pub fn sqlite() -> TestDatabase {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        TestDatabase {
            settings: Settings::Sqlite {
                path: folder.path().join(SQLITE_FILE),
            },
            keep: Keep::Folder(folder),
            made: OnceLock::new(),
            deadlocks: Mutex::default(),
        }
    }

    /// An empty database on the tests' PostgreSQL server.
    pub fn postgres() -> TestDatabase {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let admin_url = server_url().to_owned();
        let name = format!("test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        TestDatabase {
            settings: postgres_settings(&admin_url, &name),
            keep: Keep::Database { admin_url, name },
            made: OnceLock::new(),
            deadlocks: Mutex::default(),
        }
    }

    /// Returns the store's settings. The database exists, and is empty unless the store was opened before.
    pub fn settings(&self) -> &Settings {
        self.made.get_or_init(|| {
            if let Keep::Database { admin_url, name } = &self.keep {
                schema::create_database(admin_url, name, "template1");
            }
        });
        &self.settings
    }

    /// Returns the value of `database.url`. `None` for SQLite, which is the default.
    pub fn url(&self) -> Option<&str> {
        match self.settings() {
            Settings::Sqlite { .. } => None,
            Settings::Postgres { url, .. } => Some(url.expose()),
        }
    }

    /// Opens the store with the current schema. A new database is a copy of one whose schema was created once.
    pub fn open(&self) -> Store {
        self.made.get_or_init(|| match &self.keep {
            Keep::Folder(folder) => schema::copy_sqlite(&folder.path().join(SQLITE_FILE)),
            Keep::Database { admin_url, name } => schema::copy_postgres(admin_url, name),
        });
        let store = Store::open(&self.settings).expect("the test database opens");
        store.migrate().expect("the schema is made");
        self.opened().push(store.deadlocks());
        store
    }

    /// Returns the output of `pg_dump`, which is an operator's backup. `None` for SQLite, whose file is its backup.
    pub fn dump(&self) -> Option<Vec<u8>> {
        let url = self.url()?;
        let program = postgres_binaries().join("pg_dump");
        let dump = Command::new(&program).arg("--dbname").arg(url).output();
        let dump = dump.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
        Some(dump.stdout)
    }

    fn opened(&self) -> MutexGuard<'_, Vec<Arc<AtomicU64>>> {
        self.deadlocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cuts every connection to a PostgreSQL database, as a restart of the server would. Returns how many there were.
    /// On SQLite there is nothing to cut.
    pub fn cut_connections(&self) -> u64 {
        match &self.keep {
            Keep::Folder(_) => 0,
            Keep::Database { admin_url, name } => {
                let mut client = admin(admin_url);
                client
                    .execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
                        &[name],
                    )
                    .expect("connections can be cut")
            }
        }
    }

    /// Sets whether a PostgreSQL database refuses all writes, as a standby does. Cuts its connections.
    pub fn take_no_writes(&self, is_read_only: bool) {
        if let Keep::Database { admin_url, name } = &self.keep {
            let state = if is_read_only { "on" } else { "off" };
            administer(
                admin_url,
                &format!("ALTER DATABASE {name} SET default_transaction_read_only = {state}"),
            );
            self.cut_connections();
        }
    }
}

/// Rows of a PostgreSQL database that the test's own transaction has locked, so that two others collide there.
pub struct RowLock {
    holder: postgres::Client,
    watcher: postgres::Client,
    name: String,
}

impl TestDatabase {
    /// Locks the rows or tables in the statement (`SELECT … FOR UPDATE`, `LOCK TABLE …`) until the lock is released or
    /// dropped.
    ///
    /// # Panics On SQLite, which has no rows to lock.
    pub fn lock(&self, statement: &str) -> RowLock {
        let Settings::Postgres { url, .. } = self.settings() else {
            panic!("rows are locked on PostgreSQL alone");
        };
        let mut holder = admin(url.expose());
        holder
            .batch_execute(&format!("BEGIN; {statement}"))
            .unwrap_or_else(|error| panic!("{statement}: {error}"));
        let watcher = admin(url.expose());
        let name = match &self.keep {
            Keep::Database { name, .. } => name.clone(),
            Keep::Folder(_) => String::new(),
        };
        RowLock { holder, watcher, name }
    }
}

impl RowLock {
    /// Waits until `waiting` other transactions are blocked by a lock.
    ///
    /// # Panics If that takes longer than two minutes, because then they do not collide here.
    pub fn wait_for(&mut self, waiting: i64) {
        let give_up = Instant::now() + Duration::from_mins(2);
        loop {
            let found: i64 = self
                .watcher
                .query_one(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'",
                    &[&self.name],
                )
                .expect("the activity can be read")
                .get(0);
            if found >= waiting {
                return;
            }
            assert!(Instant::now() < give_up, "{found} of {waiting} transactions wait");
            std::thread::yield_now();
        }
    }

    /// Lets the blocked transactions continue, in the order in which they arrived.
    pub fn release(mut self) {
        self.holder.batch_execute("ROLLBACK").expect("the lock is released");
    }
}

/// No test may end with a deadlock, so transactions must take their locks in one order.
impl Drop for TestDatabase {
    fn drop(&mut self) {
        let deadlocks: u64 = self.opened().iter().map(|met| met.load(Ordering::Relaxed)).sum();
        if let Keep::Database { admin_url, name } = &self.keep
            && let Ok(mut client) = postgres::Client::connect(admin_url, postgres::NoTls)
        {
            let _ = client.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
        }
        assert!(deadlocks == 0 || std::thread::panicking(), "{deadlocks} deadlocks");
    }
}

/// Makes two `#[test]`s of each function, one per database: `on_both_databases!(one, other);`
#[macro_export]
macro_rules! on_both_databases {
    ($($test:ident),+ $(,)?) => {
        mod sqlite {
            $(#[test] fn $test() { super::$test(&$crate::database::TestDatabase::sqlite()); })+
        }
        mod postgres {
            $(#[test] fn $test() { super::$test(&$crate::database::TestDatabase::postgres()); })+
        }
    };
}

fn admin(url: &str) -> postgres::Client {
    postgres::Client::connect(url, postgres::NoTls).expect("the PostgreSQL of the tests answers")
}

fn administer(url: &str, statement: &str) {
    admin(url)
        .batch_execute(statement)
        .unwrap_or_else(|error| panic!("{statement}: {error}"));
}

fn postgres_settings(admin_url: &str, name: &str) -> Settings {
    Settings::Postgres {
        url: Secret::new(with_database(admin_url, name)),
        connections: 8,
        patience: Duration::from_mins(2),
    }
}

/// Returns the URL of another database on the same server.
fn with_database(url: &str, name: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        // In the `key=value` form, the last value applies.
        return format!("{url} dbname={name}");
    };
    let (address, query) = rest.split_once('?').unwrap_or((rest, ""));
    let host = address.split('/').next().unwrap_or(address);
    let query = if query.is_empty() {
        String::new()
    } else {
        format!("?{query}")
    };
    format!("{scheme}://{host}/{name}{query}")
}

/// Returns the server that the tests share. The first call starts it.
fn server_url() -> &'static str {
    static SERVER: OnceLock<Server> = OnceLock::new();
    &SERVER
        .get_or_init(|| match std::env::var("COUNTERSIGN_TEST_POSTGRES") {
            Ok(url) if !url.is_empty() => Server { url, _running: None },
            _ => start_server(),
        })
        .url
}

struct Server {
    url: String,
    /// The shell that guards the server, and the pipe whose end tells it that we have ended.
    _running: Option<(Child, ChildStdin)>,
}

fn start_server() -> Server {
    let binaries = postgres_binaries();
    // The guarding shell removes the folder, because it outlives this process.
    let folder = tempfile::tempdir().expect("a temporary folder can be made").keep();
    let data = folder.join("data");
    let user = unprivileged_user();
    if let Some(user) = user {
        run(Command::new("chown").arg(user).arg(&folder));
    }
    run(as_user(user, &binaries.join("initdb"))
        .arg("--pgdata")
        .arg(&data)
        .args(["--username=postgres", "--auth=trust", "--encoding=UTF8"])
        .args(["--locale=C", "--no-sync"])
        .current_dir(&folder));
    let fsync = std::env::var("COUNTERSIGN_TEST_FSYNC").unwrap_or_else(|_| "off".to_owned());
    let server = as_user(user, &binaries.join("postgres"));
    let mut guard = Command::new("sh")
        .args(["-c", GUARD, "guard"])
        .arg(&folder)
        .arg(server.get_program())
        .args(server.get_args())
        .arg("-D")
        .arg(&data)
        .arg("-k")
        .arg(&folder)
        .args(["-c", "listen_addresses=", "-c", "max_connections=300"])
        .args(["-c", &format!("fsync={fsync}")])
        .current_dir(&folder)
        // A terminal interrupt is meant for the tests. The guard notices the end through the pipe.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell can be started");
    let pipe = guard.stdin.take().expect("the guard's input is a pipe");
    let log = guard.stderr.take().expect("the server's log is a pipe");
    wait_until_ready(BufReader::new(log));
    Server {
        url: format!(
            "host={} user=postgres dbname=postgres",
            folder.to_str().expect("the temporary folder has a plain name")
        ),
        _running: Some((guard, pipe)),
    }
}

/// Runs the server, waits for the end of its own input, stops the server and removes its folder.
const GUARD: &str = "folder=$1; shift; \"$@\" </dev/null & server=$!; cat >/dev/null; \
                     kill -QUIT \"$server\"; wait \"$server\"; rm -rf \"$folder\"";

/// Reads the log until the server accepts connections. A thread then reads the rest, so that the server never blocks on
/// its log.
fn wait_until_ready(mut log: impl BufRead + Send + 'static) {
    let mut seen = String::new();
    loop {
        let start = seen.len();
        match log.read_line(&mut seen) {
            Ok(read) if read > 0 => {}
            _ => panic!("PostgreSQL did not start:\n{seen}"),
        }
        if seen[start..].contains("ready to accept connections") {
            break;
        }
    }
    std::thread::spawn(move || {
        let mut line = String::new();
        while matches!(log.read_line(&mut line), Ok(read) if read > 0) {
            line.clear();
        }
    });
}

/// Returns Debian's own user or `nobody`, because PostgreSQL refuses to run as root.
fn unprivileged_user() -> Option<&'static str> {
    let id = Command::new("id").arg("-u").output().expect("`id` can be run");
    if id.stdout.trim_ascii() != b"0" {
        return None;
    }
    let known = Command::new("id")
        .args(["-u", "postgres"])
        .output()
        .is_ok_and(|output| output.status.success());
    Some(if known { "postgres" } else { "nobody" })
}

/// Returns a command that runs the program as this user. `setpriv` becomes the program, so signals reach it.
fn as_user(user: Option<&str>, program: &Path) -> Command {
    match user {
        None => Command::new(program),
        Some(user) => {
            let mut command = Command::new("setpriv");
            command
                .arg(format!("--reuid={user}"))
                .args(["--init-groups", "--"])
                .arg(program);
            command
        }
    }
}

fn run(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?} cannot be run: {error}"));
    assert!(
        output.status.success(),
        "{command:?} failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Returns the folder of Debian's newest binaries, or else of those in the path.
fn postgres_binaries() -> PathBuf {
    let mut debian: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .filter(|(_, folder)| folder.join("initdb").exists())
        .collect();
    debian.sort();
    debian.pop().map_or_else(
        || {
            std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
                .find(|folder| folder.join("initdb").exists())
                .expect("PostgreSQL is missing: run script/bootstrap --tests")
        },
        |(_, folder)| folder,
    )
}
