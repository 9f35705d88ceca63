//! PostgreSQL: a pool of threads, each with its connection and its prepared statements.
//!
//! **Isolation.** Every closure runs on one snapshot (REPEATABLE READ). Of two that change the same row at once the second
//! is refused by the server and runs again on what the first has left, so no update is lost. What a use-case decides
//! from rows that it does not change must be guarded by a row that it does: a workflow's `revision` (docs/adr/0004).
//!
//! **Trying again.** A serialization failure, a deadlock, or a connection that is lost before the
//! commit was sent: the closure runs again, up to [`ATTEMPTS`] times with growing, jittered
//! pauses.
//!
//! **A connection lost during a commit** leaves open whether it happened. So every writing transaction begins by writing
//! its number into its connection's row of `store_session`. In doubt that row is read over a new connection, under a lock
//! that waits for the end of the old transaction wherever it still lives: the number is there, and it was committed; or it
//! is not, never will be, and the closure runs again. Only where the server stays away for longer than the patience of the
//! settings is it [`Error::CommitUnknown`].
//!
//! **TLS** is rustls, always with the certificate checked: `sslmode=require` (or `verify-full`,
//! the same here) trusts the public roots, or those of the PEM file that `sslrootcert` names.
//! Without `sslmode` the connection is plain. `prefer` and `allow` protect against nobody who
//! could harm, and are refused.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, select, unbounded};
use failpoint::Place;
use postgres::config::SslMode;
use postgres::error::SqlState;
use postgres::types::{FromSql, IsNull, ToSql, Type, private::BytesMut};
use postgres::{Client, Config, NoTls, SimpleQueryMessage};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::job::{Job, Queue};
use crate::sqlite::{Threads, check, spawn};
use crate::store::StatementShape;
use crate::{Error, Row, Statement, Transaction, Value, migrations};

/// How often a closure is run at most.
const ATTEMPTS: u32 = 16;
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const MIGRATE_ATTEMPTS: u32 = 3;
/// A server that answers nothing for so long is gone, though nobody has said so.
const SILENCE: Duration = Duration::from_secs(30);
/// A client that hangs must not hold rows for ever, nor a statement a thread.
const SESSION: &str = "SET TIME ZONE 'UTC'; SET statement_timeout = '30s'; \
                       SET idle_in_transaction_session_timeout = '60s'";

/// Puts a connection's row in, and removes those of connections that have ended long ago.
const BEGIN_SESSION: &str = "DELETE FROM store_session WHERE touched_at < now() - INTERVAL '1 day'; \
                             INSERT INTO store_session (id, transaction_number, touched_at) VALUES ('{id}', 0, now())";
const SESSION_NUMBER: &str = "SELECT transaction_number FROM store_session WHERE id = $1 FOR UPDATE";

pub(crate) struct Driver {
    // The queues go first: the threads end when these are gone, and then they can be joined.
    writers: Queue,
    readers: Queue,
    single_readers: Queue,
    server: Arc<Server>,
    _threads: Threads,
}

impl Driver {
    pub(crate) fn open(url: &str, connections: usize, patience: Duration) -> Result<Driver, Error> {
        let server = Arc::new(Server::parse(url, patience)?);
        // The first connection proves the address, so that a wrong one is told at start.
        let mut first = Some(server.connect().map_err(|error| Error::Open {
            name: server.name(),
            detail: described(&error),
        })?);
        let (writers, writing) = unbounded();
        let (readers, reading) = unbounded();
        let (single_readers, single_reading) = unbounded();
        let mut threads = Vec::new();
        for _ in 0..connections.max(1) {
            let mut worker = Worker {
                server: Arc::clone(&server),
                session: first.take().map(Session::new),
            };
            let writing: Receiver<Box<dyn Job>> = writing.clone();
            let reading: Receiver<Box<dyn Job>> = reading.clone();
            let single_reading: Receiver<Box<dyn Job>> = single_reading.clone();
            threads.push(spawn("store-postgres", move || {
                worker.serve(&writing, &reading, &single_reading);
            })?);
        }
        Ok(Driver {
            writers,
            readers,
            single_readers,
            server,
            _threads: Threads(threads),
        })
    }

    pub(crate) fn writers(&self) -> &Queue {
        &self.writers
    }

    pub(crate) fn readers(&self) -> &Queue {
        &self.readers
    }

    pub(crate) fn single_readers(&self) -> &Queue {
        &self.single_readers
    }

    /// Two servers that start at once both try; the loser finds the work done at its next try.
    pub(crate) fn migrate(&self) -> Result<Vec<String>, Error> {
        let mut attempt = 1;
        loop {
            let mut client = self.server.connect().map_err(|error| unreachable(&error))?;
            match migrations::applied(migrations::postgres_runner().run(&mut client)) {
                Err(error) if attempt < MIGRATE_ATTEMPTS => {
                    tracing::warn!(%error, "the migration is tried again");
                    std::thread::sleep(pause(attempt));
                    attempt += 1;
                }
                outcome => return outcome,
            }
        }
    }

    pub(crate) fn shape(&self, statement: &'static Statement) -> Result<StatementShape, Error> {
        let mut client = self.server.connect().map_err(|error| unreachable(&error))?;
        let prepared = client
            .prepare(statement.postgres())
            .map_err(|error| statement_error(statement, &error))?;
        Ok(StatementShape {
            parameters: prepared.params().len(),
            columns: prepared
                .columns()
                .iter()
                .map(|column| column.name().to_owned())
                .collect(),
        })
    }
}

/// Where the server is, and how to get there.
struct Server {
    config: Config,
    tls: Option<MakeRustlsConnect>,
    /// How long to look for a server that went away during a commit.
    patience: Duration,
}

impl Server {
    fn parse(url: &str, patience: Duration) -> Result<Server, Error> {
        let fault = |detail: String| Error::Open {
            name: "database.url".to_owned(),
            detail,
        };
        let (url, tls) = split_tls(url).map_err(fault)?;
        let mut config: Config = url.parse().map_err(|error: postgres::Error| fault(described(&error)))?;
        config.connect_timeout(CONNECT_TIMEOUT);
        config.keepalives_idle(SILENCE);
        config.tcp_user_timeout(SILENCE);
        config.application_name("countersign");
        config.notice_callback(|notice| tracing::debug!(notice = notice.message(), "the database server notes"));
        let tls = match tls {
            Tls::Off => {
                config.ssl_mode(SslMode::Disable);
                None
            }
            Tls::On { roots } => {
                config.ssl_mode(SslMode::Require);
                Some(rustls_connector(roots.as_deref()).map_err(fault)?)
            }
        };
        Ok(Server { config, tls, patience })
    }

    fn connect(&self) -> Result<Client, postgres::Error> {
        let mut client = match &self.tls {
            None => self.config.connect(NoTls)?,
            Some(tls) => self.config.connect(tls.clone())?,
        };
        client.batch_execute(SESSION)?;
        Ok(client)
    }

    /// Whether a transaction whose commit was not answered was committed. Waits until it is over.
    fn was_committed(&self, mark: &Mark) -> Result<bool, postgres::Error> {
        let give_up = Instant::now() + self.patience;
        for attempt in 1.. {
            let found = self
                .connect()
                .and_then(|mut client| client.query_opt(SESSION_NUMBER, &[&mark.session]));
            match found {
                Ok(row) => return Ok(row.is_some_and(|row| row.get::<_, i64>(0) == mark.number)),
                Err(error) if Instant::now() >= give_up => return Err(error),
                Err(_) => std::thread::sleep(pause(attempt)),
            }
        }
        Ok(false)
    }

    /// For messages; without the password.
    fn name(&self) -> String {
        format!(
            "{} on {:?}",
            self.config.get_dbname().unwrap_or("(no database named)"),
            self.config.get_hosts()
        )
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Tls {
    Off,
    On { roots: Option<String> },
}

/// Takes `sslmode` and `sslrootcert` out of the address; the rest is the driver's.
fn split_tls(url: &str) -> Result<(String, Tls), String> {
    let mut mode = None;
    let mut roots = None;
    let mut keep = |pair: &&str| match pair.split_once('=') {
        Some(("sslmode", value)) => {
            mode = Some(value.to_owned());
            false
        }
        Some(("sslrootcert", value)) => {
            roots = Some(value.to_owned());
            false
        }
        _ => true,
    };
    let rest = if url.contains("://") {
        match url.split_once('?') {
            None => url.to_owned(),
            Some((address, query)) => {
                let kept: Vec<&str> = query.split('&').filter(&mut keep).collect();
                if kept.is_empty() {
                    address.to_owned()
                } else {
                    format!("{address}?{}", kept.join("&"))
                }
            }
        }
    } else {
        let kept: Vec<&str> = url.split_whitespace().filter(&mut keep).collect();
        kept.join(" ")
    };
    let tls = match mode.as_deref() {
        None if roots.is_none() => Tls::Off,
        Some("disable") => Tls::Off,
        None | Some("require" | "verify-ca" | "verify-full") => Tls::On { roots },
        Some(other) => {
            return Err(format!(
                "sslmode={other} is not supported; say require (the certificate is checked) or \
                 disable"
            ));
        }
    };
    Ok((rest, tls))
}

fn rustls_connector(roots: Option<&str>) -> Result<MakeRustlsConnect, String> {
    let mut store = rustls::RootCertStore::empty();
    match roots {
        None => store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(path) => {
            let certificates = CertificateDer::pem_file_iter(path)
                .and_then(Iterator::collect::<Result<Vec<_>, _>>)
                .map_err(|error| format!("sslrootcert {path} cannot be read: {error}"))?;
            if certificates.is_empty() {
                return Err(format!("sslrootcert {path} holds no certificate"));
            }
            for certificate in certificates {
                store
                    .add(certificate)
                    .map_err(|error| format!("sslrootcert {path}: {error}"))?;
            }
        }
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(store)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Write,
    Read,
    /// One statement, with no transaction around it.
    ReadOne,
}

/// How one run of a closure ended.
enum Outcome {
    /// The request holds its result.
    Done,
    /// It failed for good.
    Failed(Error),
    /// It may succeed at the next try.
    Again(Error),
}

/// By what a writing transaction is found again.
#[derive(Debug, Clone)]
struct Mark {
    session: String,
    number: i64,
}

/// A connection with the statements prepared on it.
struct Session {
    client: Client,
    prepared: HashMap<&'static str, Prepared>,
    /// The latest writing transaction, where there was one.
    mark: Option<Mark>,
}

#[derive(Clone)]
struct Prepared {
    statement: postgres::Statement,
    columns: Arc<[String]>,
}

impl Session {
    fn new(client: Client) -> Self {
        Session {
            client,
            prepared: HashMap::new(),
            mark: None,
        }
    }

    /// Begins a transaction; a writing one leaves its mark in the same round trip.
    fn begin(&mut self, access: Access) -> Result<Option<Mark>, postgres::Error> {
        match access {
            Access::Write => {}
            Access::ReadOne => return Ok(None),
            Access::Read => {
                self.client
                    .batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")?;
                return Ok(None);
            }
        }
        loop {
            let mark = if let Some(mark) = self.mark.take() {
                Mark {
                    number: mark.number + 1,
                    ..mark
                }
            } else {
                let session = random_name();
                self.client.batch_execute(&BEGIN_SESSION.replace("{id}", &session))?;
                Mark { session, number: 1 }
            };
            let Mark { session, number } = &mark;
            let answers = self.client.simple_query(&format!(
                "BEGIN ISOLATION LEVEL REPEATABLE READ; \
                 UPDATE store_session SET transaction_number = {number}, touched_at = now() WHERE id = '{session}'"
            ))?;
            if answers
                .iter()
                .any(|answer| matches!(answer, SimpleQueryMessage::CommandComplete(1)))
            {
                self.mark = Some(mark.clone());
                return Ok(Some(mark));
            }
            // The row of a connection that has rested for long was removed: it gets another.
            self.client.batch_execute("ROLLBACK")?;
        }
    }
}

/// 128 random bits. A fresh hasher is seeded at random by the standard library.
fn random_name() -> String {
    let part = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", part(), part())
}

struct Worker {
    server: Arc<Server>,
    session: Option<Session>,
}

impl Worker {
    fn serve(
        &mut self,
        writing: &Receiver<Box<dyn Job>>,
        reading: &Receiver<Box<dyn Job>>,
        single_reading: &Receiver<Box<dyn Job>>,
    ) {
        loop {
            let (job, access) = select! {
                recv(writing) -> job => (job, Access::Write),
                recv(reading) -> job => (job, Access::Read),
                recv(single_reading) -> job => (job, Access::ReadOne),
            };
            let Ok(mut job) = job else { return };
            self.run(job.as_mut(), access);
            job.answer();
        }
    }

    fn run(&mut self, job: &mut dyn Job, access: Access) {
        for attempt in 1.. {
            match self.attempt(job, access) {
                Outcome::Done => return,
                Outcome::Again(error) if attempt < ATTEMPTS => {
                    tracing::debug!(%error, attempt, "a transaction runs again");
                    std::thread::sleep(pause(attempt));
                }
                Outcome::Failed(error) | Outcome::Again(error) => {
                    job.fail(error);
                    return;
                }
            }
        }
    }

    fn attempt(&mut self, job: &mut dyn Job, access: Access) -> Outcome {
        let mut session = match self.session.take() {
            Some(session) if !session.client.is_closed() => session,
            _ => match self.server.connect() {
                Ok(client) => Session::new(client),
                Err(error) => return Outcome::Again(unreachable(&error)),
            },
        };
        let mark = match session.begin(access) {
            Ok(mark) => mark,
            // The connection is given up whatever it was: its state is not known.
            Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => {
                return Outcome::Failed(Error::Migration {
                    detail: described(&error),
                });
            }
            Err(error) => return Outcome::Again(unreachable(&error)),
        };
        let mut transaction = PostgresTransaction {
            session: &mut session,
            access,
            spoiled: false,
            again: None,
        };
        let keep = job.run(&mut transaction);
        let PostgresTransaction { spoiled, again, .. } = transaction;
        if keep && !spoiled {
            if access == Access::Write {
                failpoint::reach(Place::BeforeCommit);
            }
            let ended = match access {
                Access::ReadOne => Ok(()),
                Access::Write | Access::Read => session.client.batch_execute("COMMIT"),
            };
            return match ended {
                Ok(()) => {
                    if access == Access::Write {
                        failpoint::reach(Place::AfterCommit);
                    }
                    self.session = Some(session);
                    Outcome::Done
                }
                // Also where the server said that it goes down: it may say so after the commit.
                Err(error) if unclear(&error) => {
                    drop(session);
                    match mark.map(|mark| self.server.was_committed(&mark)) {
                        Some(Ok(true)) => Outcome::Done,
                        Some(Ok(false)) | None => Outcome::Again(unreachable(&error)),
                        Some(Err(_)) => Outcome::Failed(Error::CommitUnknown {
                            detail: described(&error),
                        }),
                    }
                }
                Err(error) => {
                    // The server has said that the transaction is over, and not committed.
                    self.session = Some(session);
                    let detail = described(&error);
                    if is_contention(&error) {
                        Outcome::Again(Error::Busy { detail })
                    } else if is_full(&error) {
                        Outcome::Failed(Error::Full { detail })
                    } else {
                        Outcome::Failed(Error::Commit { detail })
                    }
                }
            };
        }
        // One that is lost to us is given up, even where it still answers: the next may lead to a server that can do it.
        let is_lost = matches!(again, Some(Error::Unreachable { .. }));
        if !is_lost && (access == Access::ReadOne || session.client.batch_execute("ROLLBACK").is_ok()) {
            self.session = Some(session);
        }
        match again {
            Some(error) => Outcome::Again(error),
            None if keep => Outcome::Failed(Error::Spoiled),
            None => Outcome::Done,
        }
    }
}

/// Doubles from two milliseconds, with jitter so that those who collided part.
fn pause(attempt: u32) -> Duration {
    let longest = Duration::from_millis(2)
        .saturating_mul(1 << attempt.min(10))
        .min(LONGEST_PAUSE);
    // A fresh hasher is seeded at random, which is all the randomness that a pause needs.
    let part = u32::try_from(RandomState::new().hash_one(attempt) % 1000).unwrap_or_default();
    longest / 2 + longest / 2 * part / 1000
}

struct PostgresTransaction<'session> {
    session: &'session mut Session,
    access: Access,
    spoiled: bool,
    /// Set where a statement failed in a way that another run may not meet.
    again: Option<Error>,
}

impl PostgresTransaction<'_> {
    fn guarded<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.spoiled {
            return Err(Error::Spoiled);
        }
        let outcome = work(self);
        self.spoiled = outcome.is_err();
        outcome
    }

    fn prepared(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<Prepared, Error> {
        check(statement, parameters)?;
        let prepared = if let Some(prepared) = self.session.prepared.get(statement.name()) {
            prepared.clone()
        } else {
            let prepared = self
                .session
                .client
                .prepare(statement.postgres())
                .map_err(|error| self.fault(statement, &error))?;
            let columns = prepared
                .columns()
                .iter()
                .map(|column| column.name().to_owned())
                .collect();
            let prepared = Prepared {
                statement: prepared,
                columns,
            };
            self.session.prepared.insert(statement.name(), prepared.clone());
            prepared
        };
        if prepared.statement.params().len() != parameters.len() {
            return Err(Error::Statement {
                statement: statement.name(),
                detail: format!(
                    "takes {} parameters, {} were given",
                    prepared.statement.params().len(),
                    parameters.len()
                ),
            });
        }
        Ok(prepared)
    }

    /// True where a write came to a server that takes none: a standby, until it is promoted or the address leads to
    /// another. A write within a read is a mistake of the caller's, on every server.
    fn met_standby(&self, error: &postgres::Error) -> bool {
        self.access == Access::Write && error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION)
    }

    /// What the failure is for the closure, and whether the closure will run again.
    fn fault(&mut self, statement: &'static Statement, error: &postgres::Error) -> Error {
        let detail = described(error);
        let (told, kept) = if lost(error) || self.met_standby(error) {
            let told = Error::Unreachable { detail: detail.clone() };
            (told, Error::Unreachable { detail })
        } else if is_contention(error) {
            let told = Error::Busy { detail: detail.clone() };
            (told, Error::Busy { detail })
        } else if error.code() == Some(&SqlState::FEATURE_NOT_SUPPORTED) {
            // A prepared statement's answer has changed its form under a migration: prepare anew.
            self.session.prepared.clear();
            let told = Error::Statement {
                statement: statement.name(),
                detail: detail.clone(),
            };
            let kept = Error::Statement {
                statement: statement.name(),
                detail,
            };
            (told, kept)
        } else {
            return statement_error(statement, error);
        };
        self.again = Some(kept);
        told
    }
}

impl Transaction for PostgresTransaction<'_> {
    fn execute(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<u64, Error> {
        self.guarded(|this| {
            let prepared = this.prepared(statement, parameters)?;
            let bound: Vec<Bound<'_>> = parameters.iter().map(Bound).collect();
            let bound: Vec<&(dyn ToSql + Sync)> = bound.iter().map(|value| value as _).collect();
            this.session
                .client
                .execute(&prepared.statement, &bound)
                .map_err(|error| this.fault(statement, &error))
        })
    }

    fn query(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<Vec<Row>, Error> {
        self.guarded(|this| {
            let prepared = this.prepared(statement, parameters)?;
            let bound: Vec<Bound<'_>> = parameters.iter().map(Bound).collect();
            let bound: Vec<&(dyn ToSql + Sync)> = bound.iter().map(|value| value as _).collect();
            let found = this
                .session
                .client
                .query(&prepared.statement, &bound)
                .map_err(|error| this.fault(statement, &error))?;
            found
                .iter()
                .map(|row| {
                    let values = prepared
                        .columns
                        .iter()
                        .enumerate()
                        .map(|(position, column)| {
                            row.try_get::<_, Held>(position)
                                .map(|held| held.0)
                                .map_err(|error| Error::Column {
                                    statement: statement.name(),
                                    column: column.clone(),
                                    detail: described(&error),
                                })
                        })
                        .collect::<Result<Vec<Value>, Error>>()?;
                    Ok(Row::new(statement.name(), prepared.columns.clone(), values))
                })
                .collect()
        })
    }
}

type Fault = Box<dyn std::error::Error + Sync + Send>;

#[derive(Debug)]
struct Bound<'value>(&'value Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Fault> {
        match (self.0, kind) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Integer(value), &Type::INT8) => value.to_sql(kind, out),
            (Value::Integer(value), &Type::INT4) => i32::try_from(*value)?.to_sql(kind, out),
            (Value::Integer(value), &Type::INT2) => i16::try_from(*value)?.to_sql(kind, out),
            (Value::Text(value), &(Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::UNKNOWN)) => {
                value.to_sql(kind, out)
            }
            (Value::Blob(value), &Type::BYTEA) => value.to_sql(kind, out),
            (Value::Bool(value), &Type::BOOL) => value.to_sql(kind, out),
            (value, kind) => Err(format!("the statement expects {kind} where {} was given", value.kind()).into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Fault> {
        self.to_sql(kind, out)
    }
}

struct Held(Value);

impl<'row> FromSql<'row> for Held {
    fn from_sql(kind: &Type, raw: &'row [u8]) -> Result<Self, Fault> {
        Ok(Held(match *kind {
            Type::INT8 => Value::Integer(i64::from_sql(kind, raw)?),
            Type::INT4 => Value::Integer(i32::from_sql(kind, raw)?.into()),
            Type::INT2 => Value::Integer(i16::from_sql(kind, raw)?.into()),
            Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN => {
                Value::Text(String::from_sql(kind, raw)?)
            }
            Type::BYTEA => Value::Blob(raw.to_vec()),
            Type::BOOL => Value::Bool(bool::from_sql(kind, raw)?),
            ref other => {
                return Err(format!("is {other}, which the store does not know; cast it in the statement").into());
            }
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Fault> {
        Ok(Held(Value::Null))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// The driver's sentence with the causes below it, where the server's own words are.
fn described(error: &postgres::Error) -> String {
    if let Some(told) = error.as_db_error() {
        return format!("{} ({})", told.message(), told.code().code());
    }
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

fn unreachable(error: &postgres::Error) -> Error {
    Error::Unreachable {
        detail: described(error),
    }
}

/// True where the server has no room for what is written.
fn is_full(error: &postgres::Error) -> bool {
    matches!(error.code(), Some(&SqlState::DISK_FULL))
}

fn is_contention(error: &postgres::Error) -> bool {
    matches!(
        error.code(),
        Some(&(SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED))
    )
}

/// True where the connection is gone, or the server said that it is about to be.
fn lost(error: &postgres::Error) -> bool {
    match error.code() {
        Some(code) => {
            code.code().starts_with("08")
                || [
                    SqlState::ADMIN_SHUTDOWN,
                    SqlState::CRASH_SHUTDOWN,
                    SqlState::CANNOT_CONNECT_NOW,
                    SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
                ]
                .contains(code)
        }
        None => {
            error.is_closed()
                || std::error::Error::source(error)
                    .is_some_and(|cause| cause.downcast_ref::<std::io::Error>().is_some())
        }
    }
}

/// True where the answer to a commit does not say whether it happened.
fn unclear(error: &postgres::Error) -> bool {
    error.code().is_none() || lost(error)
}

fn statement_error(statement: &'static Statement, error: &postgres::Error) -> Error {
    let detail = described(error);
    let statement = statement.name();
    let Some(told) = error.as_db_error() else {
        return Error::Statement { statement, detail };
    };
    if *told.code() == SqlState::UNIQUE_VIOLATION {
        return Error::Conflict {
            constraint: unique_key(
                told.table().unwrap_or_default(),
                told.constraint().unwrap_or_default(),
                told.detail().unwrap_or_default(),
            ),
        };
    }
    if told.code().code().starts_with("23") {
        return Error::Constraint { statement, detail };
    }
    if is_full(error) {
        return Error::Full { detail };
    }
    Error::Statement { statement, detail }
}

/// `Key (company, email)=(…) already exists.` holds the columns, in whatever language the server
/// speaks: it becomes `member(company, email)`, as on SQLite. An index over an expression goes by
/// its name.
fn unique_key(table: &str, constraint: &str, detail: &str) -> String {
    let columns = detail
        .split_once('(')
        .and_then(|(_, rest)| rest.split_once(")=("))
        .map(|(columns, _)| columns);
    let plain = |columns: &&str| {
        !columns.is_empty()
            && columns
                .chars()
                .all(|character| character.is_ascii_alphanumeric() || "_, ".contains(character))
    };
    match columns.filter(plain) {
        Some(columns) => format!("{table}({columns})"),
        None => constraint.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Tls, split_tls, unique_key};

    #[test]
    fn a_unique_key_is_named_as_on_sqlite() {
        assert_eq!(
            unique_key("member", "m", "Key (company, email)=(acme, a@b) already exists."),
            "member(company, email)"
        );
        assert_eq!(
            unique_key("member", "lower_email", "Key (lower(email))=(a@b) already exists."),
            "lower_email"
        );
    }

    #[test]
    fn tls_is_on_only_where_the_certificate_is_checked() {
        let split = |url| split_tls(url).map_err(|_| ());
        assert_eq!(split("postgres://h/d"), Ok(("postgres://h/d".to_owned(), Tls::Off)));
        assert_eq!(
            split("postgres://h/d?sslmode=require&application_name=x"),
            Ok(("postgres://h/d?application_name=x".to_owned(), Tls::On { roots: None }))
        );
        assert_eq!(
            split("host=h sslrootcert=/etc/ca.pem"),
            Ok((
                "host=h".to_owned(),
                Tls::On {
                    roots: Some("/etc/ca.pem".to_owned())
                }
            ))
        );
        assert_eq!(split("postgres://h/d?sslmode=prefer"), Err(()));
    }
}
