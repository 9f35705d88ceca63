//! SQLite: one writer thread that commits everything that waits at once, and a few connections that read.
//!
//! **Why one writer.** SQLite allows only one writer at a time anyway, and connections that compete for the lock sleep
//! while they wait. One thread that drains its queue pays for one durable commit for many waiting callers. Each request
//! runs in its own savepoint, so a failing one is undone alone, and nobody gets a result before the commit has reached
//! the disk.
//!
//! **If the commit fails** (a full disk, a deferred foreign key), nothing in the group is kept. Every request then runs
//! again in its own transaction, so only those that cannot be committed fail.
//!
//! **Reading** happens on the caller's own thread, with one of a few connections that take turns, because a read takes
//! less time than waking another thread.
//!
//! Other processes (the command line) may write to the same file: `busy_timeout` waits for them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, select_biased, unbounded};
use failpoint::Place;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, ErrorCode, OpenFlags, ffi};

use crate::driver::job::Job;
use crate::driver::migrations;
use crate::driver::store::{Load, StatementShape};
use crate::{Error, Row, Statement, Transaction, Value};

const READERS: usize = 4;
/// The maximum number of requests that share one commit, so that the first of them does not wait too long under
/// constant load.
const GROUP: usize = 256;
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// More than there are statements, so each is prepared once per connection.
const PREPARED_STATEMENTS: usize = 1024;

pub(crate) struct Driver {
    // Drop the queues first, because the thread ends when they are gone, and can then be joined.
    writer: Sender<Box<dyn Job>>,
    relaxed_writer: Sender<Box<dyn Job>>,
    readers: Readers,
    path: PathBuf,
    _threads: Threads,
}

/// Threads that end by themselves once their queue is closed.
pub(crate) struct Threads(pub(crate) Vec<JoinHandle<()>>);

impl Drop for Threads {
    fn drop(&mut self) {
        let here = std::thread::current().id();
        for thread in self.0.drain(..) {
            // A request may own the last handle, and is dropped on a thread of the store.
            if thread.thread().id() != here {
                let _ = thread.join();
            }
        }
    }
}

impl Driver {
    pub(crate) fn open(path: &Path) -> Result<Driver, Error> {
        create_private(path)?;
        let connection = connect(path)?;
        let (writer, requests) = unbounded();
        let (relaxed_writer, relaxed) = unbounded();
        let thread = spawn("store-writer", move || {
            write_loop(&mut Session::new(connection), &requests, &relaxed);
        })?;
        let readers = Readers::new();
        for _ in 0..READERS {
            let connection = connect(path)?;
            connection
                .pragma_update(None, "query_only", true)
                .map_err(|error| cannot_open(path, &error))?;
            readers.put_back(Session::new(connection));
        }
        Ok(Driver {
            writer,
            relaxed_writer,
            readers,
            path: path.to_owned(),
            _threads: Threads(vec![thread]),
        })
    }

    /// Moves everything written into the database file itself, and empties the log, which still contains old versions
    /// of pages.
    pub(crate) fn empty_log(&self) -> Result<(), Error> {
        let connection = connect(&self.path)?;
        let emptied = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get::<_, i64>(0));
        match emptied {
            Ok(0) => Ok(()),
            Ok(_) => Err(cannot_open(&self.path, &"another process is reading it; try again")),
            Err(error) => Err(cannot_open(&self.path, &error)),
        }
    }

    /// Returns the load on the readers, and how many callers wait for the writer.
    pub(crate) fn load(&self) -> Load {
        let free = self.readers.free.len();
        Load {
            in_use: READERS.saturating_sub(free),
            free,
            waiting: self.writer.len() + self.relaxed_writer.len(),
        }
    }

    /// Passes a job to the writer.
    pub(crate) fn write(&self, job: Box<dyn Job>) {
        // The thread lives as long as the driver.
        let _ = self.writer.send(job);
    }

    /// Passes a job to the writer that does not wait for the disk.
    pub(crate) fn write_relaxed(&self, job: Box<dyn Job>) {
        let _ = self.relaxed_writer.send(job);
    }

    /// Runs a reading request on the caller's thread as soon as a connection is free.
    pub(crate) fn read(&self, job: &mut dyn Job) {
        match self.readers.free.recv() {
            Ok(mut session) => {
                session.read(job);
                self.readers.put_back(session);
            }
            Err(_) => job.fail(Error::Closed),
        }
    }

    pub(crate) fn migrate(&self) -> Result<Vec<String>, Error> {
        let mut connection = connect(&self.path)?;
        migrations::applied(migrations::sqlite_runner().run(&mut connection))
    }

    pub(crate) fn plan(&self, statement: &'static Statement, parameters: &[Value]) -> Result<Vec<String>, Error> {
        let fault = |error: rusqlite::Error| statement_error(statement, &error);
        let connection = connect(&self.path)?;
        let mut all = Vec::new();
        for text in statement.sqlite() {
            let mut prepared = connection
                .prepare(&format!("EXPLAIN QUERY PLAN {text}"))
                .map_err(fault)?;
            let named = parameters_of(statement, &prepared, parameters);
            let lines = prepared.query_map(bound(named), |row| row.get("detail"));
            let lines: Vec<String> = lines.and_then(Iterator::collect).map_err(fault)?;
            all.extend(lines);
        }
        Ok(all)
    }

    pub(crate) fn shape(&self, statement: &'static Statement) -> Result<StatementShape, Error> {
        let connection = connect(&self.path)?;
        let mut shape = StatementShape {
            parameters: 0,
            columns: Vec::new(),
        };
        for text in statement.sqlite() {
            let prepared = connection
                .prepare(text)
                .map_err(|error| statement_error(statement, &error))?;
            shape.parameters = shape.parameters.max(prepared.parameter_count());
            shape.columns = owned(&prepared.column_names()).to_vec();
        }
        Ok(shape)
    }
}

pub(crate) fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, Error> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(body)
        .map_err(|error| Error::Open {
            name: name.to_owned(),
            detail: format!("its thread cannot be started: {error}"),
        })
}

/// Makes the file readable only to its owner. Its `-wal` and `-shm` files get the same mode.
pub(crate) fn create_private(path: &Path) -> Result<(), Error> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(|error| cannot_open(path, &error))
}

pub(crate) fn connect(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || -> Result<Connection, rusqlite::Error> {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
        // Overwrites deleted and replaced content, so that no erased text stays in a free page or in a copy of the
        // file.
        connection.pragma_update(None, "secure_delete", true)?;
        connection.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
        Ok(connection)
    };
    let connection = open().map_err(|error| cannot_open(path, &error))?;
    let mode: String = connection
        .pragma_query_value(None, "journal_mode", |row| row.get(0))
        .map_err(|error| cannot_open(path, &error))?;
    if mode != "wal" {
        return Err(cannot_open(
            path,
            &format!("its journal mode is still {mode}; put it on a local file system, not a network one"),
        ));
    }
    Ok(connection)
}

pub(crate) fn cannot_open(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::Open {
        name: path.display().to_string(),
        detail: error.to_string(),
    }
}

/// The free read-only connections.
struct Readers {
    back: Sender<Session>,
    free: Receiver<Session>,
}

impl Readers {
    fn new() -> Self {
        let (back, free) = unbounded();
        Readers { back, free }
    }

    fn put_back(&self, session: Session) {
        // Both ends are in this struct, so this cannot fail.
        let _ = self.back.send(session);
    }
}

/// When committed data reaches the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sync {
    /// Before the commit returns.
    AtCommit,
    /// With the next commit that waits for the disk, or when the system writes it.
    Later,
}

/// A connection with information about its statements.
struct Session {
    connection: Connection,
    columns: HashMap<&'static str, Arc<[String]>>,
    sync: Sync,
}

impl Session {
    fn new(connection: Connection) -> Self {
        Session {
            connection,
            columns: HashMap::new(),
            sync: Sync::AtCommit,
        }
    }

    /// Sets when the following transactions reach the disk.
    fn set_sync(&mut self, sync: Sync) -> Result<(), rusqlite::Error> {
        if self.sync != sync {
            let value = match sync {
                Sync::AtCommit => "FULL",
                // In WAL mode the file stays consistent and every commit whole.
                Sync::Later => "NORMAL",
            };
            self.connection.pragma_update(None, "synchronous", value)?;
            self.sync = sync;
        }
        Ok(())
    }

    fn control(&self, text: &'static str) -> Result<(), rusqlite::Error> {
        self.connection.prepare_cached(text)?.execute([])?;
        Ok(())
    }

    /// Ends any open transaction. After some failures, SQLite has already ended it.
    fn roll_back(&self) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.control("ROLLBACK")
        {
            tracing::error!(%error, "a transaction could not be rolled back");
        }
    }

    /// Runs a request that only reads, on one state of the database.
    fn read(&mut self, job: &mut dyn Job) {
        match self.control("BEGIN DEFERRED") {
            Ok(()) => {
                self.run(job);
            }
            Err(error) => job.fail(commit_error(&error)),
        }
        self.roll_back();
    }

    /// Runs the closure in the open transaction. Returns whether to keep its changes.
    fn run(&mut self, job: &mut dyn Job) -> bool {
        let mut transaction = SqliteTransaction {
            connection: &self.connection,
            columns: &mut self.columns,
            sync: self.sync,
            spoiled: false,
        };
        let keep = job.run(&mut transaction);
        let spoiled = transaction.spoiled;
        if keep && spoiled {
            job.fail(Error::Spoiled);
        }
        keep && !spoiled
    }
}

/// Runs requests until the queues close. Requests that do not wait for the disk run first, in their own groups, because
/// they finish quickly and the others wait anyway.
fn write_loop(session: &mut Session, requests: &Receiver<Box<dyn Job>>, relaxed: &Receiver<Box<dyn Job>>) {
    loop {
        let (first, requests, sync) = select_biased! {
            recv(relaxed) -> first => (first, relaxed, Sync::Later),
            recv(requests) -> first => (first, requests, Sync::AtCommit),
        };
        let Ok(first) = first else { return };
        let mut group = Vec::new();
        let committed = write_group(session, first, requests, sync, &mut group);
        if let Err(error) = committed {
            tracing::warn!(%error, requests = group.len(), "a group commit failed; each transaction runs alone");
            for job in &mut group {
                write_alone(session, job.as_mut());
            }
        }
        for job in &mut group {
            job.answer();
        }
    }
}

/// Runs the waiting requests, each in its savepoint, and commits them together.
fn write_group(
    session: &mut Session,
    first: Box<dyn Job>,
    requests: &Receiver<Box<dyn Job>>,
    sync: Sync,
    group: &mut Vec<Box<dyn Job>>,
) -> Result<(), rusqlite::Error> {
    group.push(first);
    session.set_sync(sync)?;
    session.control("BEGIN IMMEDIATE")?;
    let outcome = (|| {
        let mut next = 0;
        while let Some(job) = group.get_mut(next) {
            session.control("SAVEPOINT request")?;
            if !session.run(job.as_mut()) {
                session.control("ROLLBACK TO request")?;
            }
            session.control("RELEASE request")?;
            next += 1;
            if next < GROUP
                && let Ok(job) = requests.try_recv()
            {
                group.push(job);
            }
        }
        failpoint::reach(Place::BeforeCommit);
        session.control("COMMIT")?;
        failpoint::reach(Place::AfterCommit);
        Ok(())
    })();
    if outcome.is_err() {
        session.roll_back();
    }
    outcome
}

/// Runs one request in its own transaction, and reports its own error if it fails.
fn write_alone(session: &mut Session, job: &mut dyn Job) {
    if let Err(error) = session.control("BEGIN IMMEDIATE") {
        job.fail(commit_error(&error));
        return;
    }
    if session.run(job)
        && let Err(error) = session.control("COMMIT")
    {
        job.fail(commit_error(&error));
    }
    session.roll_back();
}

struct SqliteTransaction<'session> {
    connection: &'session Connection,
    columns: &'session mut HashMap<&'static str, Arc<[String]>>,
    sync: Sync,
    spoiled: bool,
}

impl<'session> SqliteTransaction<'session> {
    /// Runs all parts of a statement except the last, which is left to the caller.
    fn run_all_but_last(
        &self,
        statement: &'static Statement,
        parameters: &[Value],
    ) -> Result<CachedStatement<'session>, rusqlite::Error> {
        let (last, before) = statement.sqlite().split_last().ok_or(rusqlite::Error::InvalidQuery)?;
        for text in before {
            let mut prepared = self.connection.prepare_cached(text)?;
            let named = parameters_of(statement, &prepared, parameters);
            prepared.execute(bound(named))?;
        }
        self.connection.prepare_cached(last)
    }

    /// Runs one statement. A failure spoils the transaction, as on PostgreSQL.
    fn guarded<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.spoiled {
            return Err(Error::Spoiled);
        }
        let outcome = work(self);
        self.spoiled = outcome.is_err();
        outcome
    }
}

impl Transaction for SqliteTransaction<'_> {
    fn execute(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<u64, Error> {
        self.guarded(|this| {
            check(statement, parameters, this.sync == Sync::Later)?;
            let touched = this
                .run_all_but_last(statement, parameters)
                .and_then(|mut prepared| {
                    let named = parameters_of(statement, &prepared, parameters);
                    prepared.execute(bound(named))
                })
                .map_err(|error| statement_error(statement, &error))?;
            Ok(touched as u64)
        })
    }

    fn query(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<Vec<Row>, Error> {
        self.guarded(|this| {
            check(statement, parameters, this.sync == Sync::Later)?;
            let fault = |error: rusqlite::Error| statement_error(statement, &error);
            let mut prepared = this.run_all_but_last(statement, parameters).map_err(fault)?;
            let columns = this
                .columns
                .entry(statement.name())
                .or_insert_with(|| owned(&prepared.column_names()))
                .clone();
            let named = parameters_of(statement, &prepared, parameters);
            let mut found = prepared.query(bound(named)).map_err(fault)?;
            let mut rows = Vec::new();
            while let Some(row) = found.next().map_err(fault)? {
                let values = columns
                    .iter()
                    .enumerate()
                    .map(|(position, column)| {
                        read(row.get_ref(position).map_err(fault)?).map_err(|detail| Error::Column {
                            statement: statement.name(),
                            column: column.clone(),
                            detail,
                        })
                    })
                    .collect::<Result<Vec<Value>, Error>>()?;
                rows.push(Row::new(statement.name(), columns.clone(), values));
            }
            Ok(rows)
        })
    }
}

/// Refuses values that PostgreSQL cannot store, so that both databases behave the same. Also refuses a statement that
/// would make a transaction asynchronous although its caller waits for the disk.
pub(crate) fn check(statement: &'static Statement, parameters: &[Value], is_relaxed: bool) -> Result<(), Error> {
    if statement.relaxes() && !is_relaxed {
        return Err(Error::Statement {
            statement: statement.name(),
            detail: "does not wait for the disk, but its transaction does".to_owned(),
        });
    }
    for (index, parameter) in parameters.iter().enumerate() {
        if matches!(parameter, Value::Text(text) if text.contains('\0')) {
            return Err(Error::Parameter {
                statement: statement.name(),
                position: index + 1,
                detail: "contains U+0000, which a text must not contain".to_owned(),
            });
        }
    }
    Ok(())
}

struct Bound<'value>(&'value Value);

impl rusqlite::ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Integer(value) => ValueRef::Integer(*value),
            Value::Text(value) => ValueRef::Text(value.as_bytes()),
            Value::Blob(value) => ValueRef::Blob(value),
            Value::Bool(value) => ValueRef::Integer(i64::from(*value)),
        }))
    }
}

/// Returns the parameters that one part of a statement uses. If there are several parts, these are all parameters up to
/// the last one it uses.
fn parameters_of<'p>(
    statement: &Statement,
    prepared: &rusqlite::Statement<'_>,
    parameters: &'p [Value],
) -> &'p [Value] {
    if statement.sqlite().len() == 1 {
        return parameters;
    }
    parameters.get(..prepared.parameter_count()).unwrap_or(parameters)
}

fn bound(parameters: &[Value]) -> impl rusqlite::Params {
    rusqlite::params_from_iter(parameters.iter().map(Bound))
}

fn read(value: ValueRef<'_>) -> Result<Value, String> {
    match value {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Integer(value) => Ok(Value::Integer(value)),
        ValueRef::Text(value) => std::str::from_utf8(value)
            .map(|text| Value::Text(text.to_owned()))
            .map_err(|error| format!("is not UTF-8: {error}")),
        ValueRef::Blob(value) => Ok(Value::Blob(value.to_vec())),
        ValueRef::Real(value) => Err(format!(
            "contains the fraction {value}, which the store does not support"
        )),
    }
}

fn owned(names: &[&str]) -> Arc<[String]> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn statement_error(statement: &'static Statement, error: &rusqlite::Error) -> Error {
    let detail = error.to_string();
    let statement = statement.name();
    if let rusqlite::Error::SqliteFailure(failure, message) = error {
        match (failure.code, failure.extended_code) {
            (
                ErrorCode::ConstraintViolation,
                ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID,
            ) => {
                return Error::Conflict {
                    constraint: unique_key(message.as_deref().unwrap_or_default()),
                };
            }
            (ErrorCode::ConstraintViolation, _) => return Error::Constraint { statement, detail },
            (ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked, _) => {
                return Error::Busy { detail };
            }
            _ if is_full(*failure) => return Error::Full { detail },
            _ => {}
        }
    }
    Error::Statement { statement, detail }
}

/// Returns the key as `member(company, email)`. SQLite only reports `UNIQUE constraint failed: member.company,
/// member.email`. An index over an expression is reported by its name.
fn unique_key(message: &str) -> String {
    let key = message.split_once(": ").map_or(message, |(_, key)| key);
    if let Some(index) = key.strip_prefix("index ") {
        return index.trim_matches('\'').to_owned();
    }
    let mut table = "";
    let columns: Vec<&str> = key
        .split(", ")
        .map(|column| match column.split_once('.') {
            Some((owner, column)) => {
                table = owner;
                column
            }
            None => column,
        })
        .collect();
    format!("{table}({})", columns.join(", "))
}

/// `SQLite` reports a full disk as such, or as a failed write, extension or sync.
pub(crate) fn is_full(failure: ffi::Error) -> bool {
    failure.code == ErrorCode::DiskFull
        || matches!(
            failure.extended_code,
            ffi::SQLITE_IOERR_WRITE
                | ffi::SQLITE_IOERR_FSYNC
                | ffi::SQLITE_IOERR_TRUNCATE
                | ffi::SQLITE_IOERR_SHMSIZE
                | ffi::SQLITE_IOERR_SHMOPEN
                | ffi::SQLITE_IOERR_SHMMAP
        )
}

fn commit_error(error: &rusqlite::Error) -> Error {
    let detail = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy { detail },
        _ if error.sqlite_error().is_some_and(|failure| is_full(*failure)) => Error::Full { detail },
        _ => Error::Commit { detail },
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, statement_error, unique_key};

    const FILL: &str = "INSERT INTO t (b) VALUES (zeroblob(100000))";
    static STATEMENT: crate::Statement = crate::Statement::new("fill", &[FILL], FILL);

    #[test]
    fn a_full_disk_is_reported_as_one() {
        let connection = rusqlite::Connection::open_in_memory().expect("a database");
        connection
            .execute_batch("PRAGMA max_page_count = 4; CREATE TABLE t (b)")
            .expect("a table");
        let full = connection.execute(FILL, []).expect_err("no room");
        let error = statement_error(&STATEMENT, &full);
        assert!(matches!(error, Error::Full { .. }) && error.is_temporary(), "{error:?}");
    }

    #[test]
    fn a_unique_key_is_named_by_its_table_and_columns() {
        assert_eq!(
            unique_key("UNIQUE constraint failed: member.company, member.email"),
            "member(company, email)"
        );
        assert_eq!(
            unique_key("UNIQUE constraint failed: index 'member_lower_email'"),
            "member_lower_email"
        );
    }
}
