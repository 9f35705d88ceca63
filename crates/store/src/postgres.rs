//! PostgreSQL: connections with their prepared statements, lent to whoever asks for the time of a transaction.
//!
//! A closure runs on its caller's own thread, which would only wait otherwise; it must be one that may block.
//!
//! **Isolation.** Every closure runs on one snapshot (REPEATABLE READ). Of two that change the same row at once the second
//! is refused by the server and runs again on what the first has left, so no update is lost. What a use-case decides
//! from rows that it does not change must be guarded by a row that it does: a workflow's `revision` (docs/adr/0004).
//!
//! **Trying again.** A serialization failure, a deadlock, or a connection that is lost before the
//! commit was sent: the closure runs again, up to [`ATTEMPTS`] times with growing, jittered
//! pauses.
//!
//! **Round trips.** What needs no answer before it goes on is not waited for: `BEGIN` goes out with the first statement,
//! and what was [left for later](Transaction::execute_later) with the next one or with `COMMIT` (docs/adr/0018).
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

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::sync::mpsc::{SendError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use failpoint::Place;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, private::BytesMut};
use tokio_postgres::{Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use self::connection::{ConnectError, Connection, Pipeline};
use self::listening::{ANNOUNCE, Listener};
use crate::job::Job;
use crate::sqlite::check;
use crate::store::StatementShape;
use crate::{Error, Row, Statement, Transaction, Value, migrations};

mod connection;
mod listening;

/// Says to whoever listens that there is something to look at.
pub(crate) static NOTIFY: Statement = Statement::new("store::postgres::NOTIFY", ANNOUNCE, ANNOUNCE);

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

/// Removes the rows of connections that have ended long ago.
const FORGET_SESSIONS: &str = "DELETE FROM store_session WHERE touched_at < now() - INTERVAL '1 day'";
/// Writes a transaction's number into its connection's row.
const MARK: &str = "INSERT INTO store_session (id, transaction_number, touched_at) VALUES ($1, $2, now()) \
                    ON CONFLICT (id) DO UPDATE SET transaction_number = excluded.transaction_number, \
                    touched_at = excluded.touched_at";
const SESSION_NUMBER: &str = "SELECT transaction_number FROM store_session WHERE id = $1 FOR UPDATE";

pub(crate) struct Driver {
    connections: Pool,
    listeners: Mutex<Vec<Listener>>,
    server: Arc<Server>,
}

/// Connections that nobody uses at present. The one that was used last goes out first: what it needs is still at hand. Who
/// waits for one gets it in the order of coming, or is told in time that there is none.
#[derive(Default)]
struct Pool(Mutex<Lending>);

#[derive(Default)]
struct Lending {
    idle: Vec<Worker>,
    /// Nobody waits while one is idle.
    waiting: VecDeque<SyncSender<Worker>>,
}

impl Pool {
    fn lending(&self) -> MutexGuard<'_, Lending> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing where all are in use for longer than `patience`.
    fn lend(&self, patience: Duration) -> Option<Lent<'_>> {
        let mut lending = self.lending();
        let lent = |worker| Lent {
            pool: self,
            worker: Some(worker),
        };
        if let Some(worker) = lending.idle.pop() {
            return Some(lent(worker));
        }
        let (handed_over, mine) = sync_channel(1);
        lending.waiting.push_back(handed_over);
        drop(lending);
        if let Ok(worker) = mine.recv_timeout(patience) {
            return Some(lent(worker));
        }
        // It may have come at the last moment. Nobody hands over while this is looked at, nor after it to one who is gone.
        let _lending = self.lending();
        let late = mine.try_recv().ok();
        drop(mine);
        late.map(lent)
    }
}

/// A connection that goes back, whatever becomes of its user.
struct Lent<'pool> {
    pool: &'pool Pool,
    worker: Option<Worker>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let Some(mut worker) = self.worker.take() else { return };
        let mut lending = self.pool.lending();
        while let Some(waits) = lending.waiting.pop_front() {
            match waits.send(worker) {
                Ok(()) => return,
                Err(SendError(back)) => worker = back,
            }
        }
        lending.idle.push(worker);
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let connections = std::mem::take(&mut self.connections.lending().idle);
        // What drives a connection must not end on a thread that may not block, and the last handle may be dropped on one.
        let ending = std::thread::Builder::new().spawn(move || drop(connections));
        if let Ok(ending) = ending {
            let _ = ending.join();
        }
    }
}

impl Driver {
    pub(crate) fn open(url: &str, connections: usize, patience: Duration) -> Result<Driver, Error> {
        let server = Arc::new(Server::parse(url, patience)?);
        // The first connection proves the address, so that a wrong one is told at start.
        let mut first = Some(server.connect().map_err(|error| Error::Open {
            name: server.name(),
            detail: error.described(),
        })?);
        let workers = (0..connections.max(1)).map(|_| Worker {
            server: Arc::clone(&server),
            session: first.take().map(Session::new),
        });
        let mut idle: Vec<_> = workers.collect();
        // The one that is open goes out first.
        idle.reverse();
        Ok(Driver {
            connections: Pool(Mutex::new(Lending {
                idle,
                waiting: VecDeque::new(),
            })),
            listeners: Mutex::default(),
            server,
        })
    }

    /// Runs a job on the caller's thread, as soon as a connection is free.
    pub(crate) fn run(&self, job: &mut dyn Job, access: Access) {
        let patience = self.server.patience;
        let mut lent = self.connections.lend(patience);
        match lent.as_mut().and_then(|lent| lent.worker.as_mut()) {
            Some(worker) => worker.run(job, access),
            None => job.fail(Error::Busy {
                detail: format!("all its connections have been in use for {} s", patience.as_secs()),
            }),
        }
    }

    /// Calls `heard` at each announcement for as long as the driver lives.
    pub(crate) fn listen(&self, heard: impl Fn() + Send + 'static) -> Result<(), Error> {
        let listener = Listener::start(Arc::clone(&self.server), heard)?;
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(listener);
        Ok(())
    }

    /// Two servers that start at once both try; the loser finds the work done at its next try.
    pub(crate) fn migrate(&self) -> Result<Vec<String>, Error> {
        let mut attempt = 1;
        loop {
            let mut client = self.server.connect_to_migrate().map_err(|error| unreachable(&error))?;
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

    pub(crate) fn plan(&self, statement: &'static Statement, parameters: &[Value]) -> Result<Vec<String>, Error> {
        let connection = self.server.connect().map_err(|error| error.unreachable())?;
        let text = format!("EXPLAIN {}", statement.postgres());
        let bound: Vec<Bound<'_>> = parameters.iter().map(Bound).collect();
        let bound: Vec<&(dyn ToSql + Sync)> = bound.iter().map(|value| value as _).collect();
        let rows = connection
            .wait(connection.client().query(&text, &bound))
            .map_err(|error| statement_error(statement, &error))?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    pub(crate) fn shape(&self, statement: &'static Statement) -> Result<StatementShape, Error> {
        let connection = self.server.connect().map_err(|error| error.unreachable())?;
        let prepared = connection
            .wait(connection.client().prepare(statement.postgres()))
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
    /// How long to look for a server that went away during a commit, and to wait for a connection that is free.
    patience: Duration,
}

impl Server {
    fn parse(url: &str, patience: Duration) -> Result<Server, Error> {
        let fault = |detail: String| Error::Open {
            name: "database.url".to_owned(),
            detail,
        };
        let (url, tls) = split_tls(url).map_err(fault)?;
        let mut config: Config = url
            .parse()
            .map_err(|error: tokio_postgres::Error| fault(described(&error)))?;
        config.connect_timeout(CONNECT_TIMEOUT);
        config.keepalives_idle(SILENCE);
        config.tcp_user_timeout(SILENCE);
        config.application_name("countersign");
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

    fn connect(&self) -> Result<Connection, ConnectError> {
        Connection::open(&self.config, self.tls.as_ref(), SESSION)
    }

    /// As refinery wants it.
    fn connect_to_migrate(&self) -> Result<postgres::Client, tokio_postgres::Error> {
        let mut config = postgres::Config::from(self.config.clone());
        config.notice_callback(|notice| tracing::debug!(notice = notice.message(), "the database server notes"));
        let mut client = match &self.tls {
            None => config.connect(NoTls)?,
            Some(tls) => config.connect(tls.clone())?,
        };
        client.batch_execute(SESSION)?;
        Ok(client)
    }

    /// Whether a transaction whose commit was not answered was committed. Waits until it is over.
    fn was_committed(&self, mark: &Mark) -> Result<bool, ConnectError> {
        let give_up = Instant::now() + self.patience;
        for attempt in 1.. {
            let found = self.connect().and_then(|connection| {
                let row = async { connection.client().query_opt(SESSION_NUMBER, &[&mark.session]).await };
                Ok(connection.wait(row)?)
            });
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

/// What a closure does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// It writes, and waits for the server's disk.
    Write,
    /// It writes, and does not wait.
    WriteRelaxed,
    /// It reads.
    Read,
    /// It reads with one statement, with no transaction around it.
    ReadOne,
}

impl Access {
    fn writes(self) -> bool {
        matches!(self, Access::Write | Access::WriteRelaxed)
    }

    /// What begins its transaction.
    fn begin(self) -> Option<&'static str> {
        match self {
            Access::Write => Some("BEGIN ISOLATION LEVEL REPEATABLE READ"),
            Access::WriteRelaxed => Some("BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL synchronous_commit = off"),
            Access::Read => Some("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"),
            Access::ReadOne => None,
        }
    }
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
    connection: Connection,
    prepared: HashMap<&'static str, Prepared>,
    /// What writes the mark of a transaction, and the latest one, where there was one.
    mark: Option<(tokio_postgres::Statement, Mark)>,
}

#[derive(Clone)]
struct Prepared {
    statement: tokio_postgres::Statement,
    columns: Arc<[String]>,
}

impl Session {
    fn new(connection: Connection) -> Self {
        Session {
            connection,
            prepared: HashMap::new(),
            mark: None,
        }
    }

    /// What a transaction begins with. It is sent with the first statement.
    fn opening(&mut self, access: Access) -> Result<Option<Opening>, tokio_postgres::Error> {
        let Some(begin) = access.begin() else {
            return Ok(None);
        };
        let mark = if access.writes() { Some(self.next_mark()?) } else { None };
        Ok(Some(Opening { begin, mark }))
    }

    fn next_mark(&mut self) -> Result<(tokio_postgres::Statement, Mark), tokio_postgres::Error> {
        let next = if let Some((statement, mark)) = self.mark.take() {
            let number = mark.number + 1;
            (statement, Mark { number, ..mark })
        } else {
            let client = self.connection.client();
            let statement = self.connection.wait(async {
                client.batch_execute(FORGET_SESSIONS).await?;
                client.prepare(MARK).await
            })?;
            let session = random_name();
            (statement, Mark { session, number: 1 })
        };
        self.mark = Some(next.clone());
        Ok(next)
    }

    /// What a failure is where another run of the closure may not meet it.
    fn may_do_better(
        &mut self,
        statement: &'static Statement,
        error: &tokio_postgres::Error,
        access: Access,
    ) -> Option<Error> {
        let detail = described(error);
        // A write came to a server that takes none: a standby, until it is promoted or the address leads to another. A write
        // within a read is a mistake of the caller's, on every server.
        let met_standby = access.writes() && error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION);
        if lost(error) || met_standby {
            Some(Error::Unreachable { detail })
        } else if is_contention(error) {
            Some(Error::Busy { detail })
        } else if error.code() == Some(&SqlState::FEATURE_NOT_SUPPORTED) {
            // A prepared statement's answer has changed its form under a migration: prepare anew.
            self.prepared.clear();
            Some(Error::Statement {
                statement: statement.name(),
                detail,
            })
        } else {
            None
        }
    }
}

/// The beginning of a transaction that was not sent yet.
struct Opening {
    begin: &'static str,
    mark: Option<(tokio_postgres::Statement, Mark)>,
}

/// A statement that was not sent yet.
struct Later {
    statement: &'static Statement,
    prepared: Prepared,
    parameters: Vec<Value>,
}

/// What goes out with the next statement, before it.
#[derive(Default)]
struct Unsent {
    opening: Option<Opening>,
    statements: Vec<Later>,
}

/// A part of a transaction.
#[derive(Clone, Copy)]
enum Part {
    Opening,
    /// One that was left for later.
    Statement(&'static Statement),
    Commit,
}

/// Which part failed first of what was sent together.
struct Failure {
    part: Part,
    error: tokio_postgres::Error,
}

impl Unsent {
    /// Sends all of it and `last`, and answers what that came to where everything before it went well.
    fn send<T>(
        &self,
        connection: &Connection,
        last: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<Result<T, tokio_postgres::Error>, Failure> {
        let client = connection.client();
        let mut pipeline = Pipeline::default();
        let mut parts = Vec::new();
        if let Some(opening) = &self.opening {
            parts.push(Part::Opening);
            pipeline.add(client.batch_execute(opening.begin));
            if let Some((statement, mark)) = &opening.mark {
                parts.push(Part::Opening);
                pipeline.add(client.execute_raw(statement, [&mark.session as &(dyn ToSql + Sync), &mark.number]));
            }
        }
        for later in &self.statements {
            parts.push(Part::Statement(later.statement));
            pipeline.add(client.execute_raw(&later.prepared.statement, later.parameters.iter().map(Bound)));
        }
        connection.wait(pipeline.send(last)).map_err(|(place, error)| Failure {
            part: parts.get(place).copied().unwrap_or(Part::Opening),
            error,
        })
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
            Some(session) if !session.connection.is_closed() => session,
            _ => match self.server.connect() {
                Ok(connection) => Session::new(connection),
                Err(error) => return Outcome::Again(error.unreachable()),
            },
        };
        // The connection is given up where it fails: its state is not known.
        let opening = match session.opening(access) {
            Ok(opening) => opening,
            Err(error) => return not_begun(&error),
        };
        let mark = opening
            .as_ref()
            .and_then(|opening| Some(opening.mark.as_ref()?.1.clone()));
        let mut transaction = PostgresTransaction {
            session: &mut session,
            access,
            unsent: Unsent {
                opening,
                statements: Vec::new(),
            },
            spoiled: false,
            ended: None,
        };
        let keep = job.run(&mut transaction);
        let PostgresTransaction {
            unsent, spoiled, ended, ..
        } = transaction;
        if keep && !spoiled {
            return self.commit(session, access, &unsent, mark.as_ref());
        }
        // One that is lost to us is given up, even where it still answers: the next may lead to a server that can do it.
        let is_lost = matches!(
            ended,
            Some(Outcome::Again(Error::Unreachable { .. }) | Outcome::Failed(_))
        );
        let has_begun = access != Access::ReadOne && unsent.opening.is_none();
        let rolled_back = |session: &Session| {
            let connection = &session.connection;
            connection.wait(connection.client().batch_execute("ROLLBACK")).is_ok()
        };
        if !is_lost && (!has_begun || rolled_back(&session)) {
            self.session = Some(session);
        }
        match ended {
            Some(outcome) => outcome,
            None if keep => Outcome::Failed(Error::Spoiled),
            None => Outcome::Done,
        }
    }

    /// Sends what was left for later, and the end of the transaction.
    fn commit(&mut self, mut session: Session, access: Access, unsent: &Unsent, mark: Option<&Mark>) -> Outcome {
        // Nothing was done, or nothing was begun.
        if access == Access::ReadOne || (unsent.opening.is_some() && unsent.statements.is_empty()) {
            self.session = Some(session);
            return Outcome::Done;
        }
        if access.writes() {
            failpoint::reach(Place::BeforeCommit);
        }
        let connection = &session.connection;
        let failure = match unsent.send(connection, connection.client().batch_execute("COMMIT")) {
            Ok(Ok(())) => {
                if access.writes() {
                    failpoint::reach(Place::AfterCommit);
                }
                self.session = Some(session);
                return Outcome::Done;
            }
            Ok(Err(error)) => Failure {
                part: Part::Commit,
                error,
            },
            Err(failure) => failure,
        };
        let Failure { part, error } = failure;
        // Also where the server said that it goes down: it may say so after the commit.
        if unclear(&error) {
            drop(session);
            return match mark.map(|mark| self.server.was_committed(mark)) {
                Some(Ok(true)) => Outcome::Done,
                Some(Ok(false)) | None => Outcome::Again(unreachable(&error)),
                Some(Err(_)) => Outcome::Failed(Error::CommitUnknown {
                    detail: described(&error),
                }),
            };
        }
        // The server has said that the transaction is over, and not committed: COMMIT after a failure is ROLLBACK.
        match part {
            Part::Opening => not_begun(&error),
            Part::Statement(statement) => {
                let again = session.may_do_better(statement, &error, access);
                if !matches!(again, Some(Error::Unreachable { .. })) {
                    self.session = Some(session);
                }
                again.map_or_else(|| Outcome::Failed(statement_error(statement, &error)), Outcome::Again)
            }
            Part::Commit => {
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
        }
    }
}

/// What becomes of a closure whose transaction could not begin.
fn not_begun(error: &tokio_postgres::Error) -> Outcome {
    if error.code() == Some(&SqlState::UNDEFINED_TABLE) {
        Outcome::Failed(Error::Migration {
            detail: described(error),
        })
    } else {
        Outcome::Again(unreachable(error))
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
    unsent: Unsent,
    spoiled: bool,
    /// Set where a statement failed in a way that decides what becomes of the closure, whatever it answers.
    ended: Option<Outcome>,
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
            let connection = &self.session.connection;
            let prepared = connection
                .wait(connection.client().prepare(statement.postgres()))
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

    /// What came of a statement that was sent behind what was not sent before.
    fn received<T>(
        &mut self,
        statement: &'static Statement,
        sent: Result<Result<T, tokio_postgres::Error>, Failure>,
    ) -> Result<T, Error> {
        match sent {
            Ok(outcome) => outcome.map_err(|error| self.fault(statement, &error)),
            Err(Failure { part, error }) => Err(match part {
                Part::Statement(earlier) => self.fault(earlier, &error),
                Part::Opening | Part::Commit => {
                    self.ended = Some(not_begun(&error));
                    unreachable(&error)
                }
            }),
        }
    }

    /// What the failure is for the closure; it also decides whether the closure will run again.
    fn fault(&mut self, statement: &'static Statement, error: &tokio_postgres::Error) -> Error {
        let mut again = || self.session.may_do_better(statement, error, self.access);
        match again() {
            Some(told) => {
                self.ended = again().map(Outcome::Again);
                told
            }
            None => statement_error(statement, error),
        }
    }
}

impl Transaction for PostgresTransaction<'_> {
    fn execute(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<u64, Error> {
        self.guarded(|this| {
            let prepared = this.prepared(statement, parameters)?;
            let (unsent, connection) = (std::mem::take(&mut this.unsent), &this.session.connection);
            let bound = parameters.iter().map(Bound);
            let answer = connection.client().execute_raw(&prepared.statement, bound);
            let sent = unsent.send(connection, answer);
            this.received(statement, sent)
        })
    }

    fn execute_later(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<(), Error> {
        self.guarded(|this| {
            let prepared = this.prepared(statement, parameters)?;
            this.unsent.statements.push(Later {
                statement,
                prepared,
                parameters: parameters.to_vec(),
            });
            Ok(())
        })
    }

    fn query(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<Vec<Row>, Error> {
        self.guarded(|this| {
            let prepared = this.prepared(statement, parameters)?;
            let bound: Vec<Bound<'_>> = parameters.iter().map(Bound).collect();
            let bound: Vec<&(dyn ToSql + Sync)> = bound.iter().map(|value| value as _).collect();
            let (unsent, connection) = (std::mem::take(&mut this.unsent), &this.session.connection);
            let answer = connection.client().query(&prepared.statement, &bound);
            let sent = unsent.send(connection, answer);
            let found = this.received(statement, sent)?;
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
fn described(error: &tokio_postgres::Error) -> String {
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

impl ConnectError {
    fn described(&self) -> String {
        match self {
            ConnectError::Postgres(error) => described(error),
            ConnectError::Runtime(_) => self.to_string(),
        }
    }

    fn unreachable(&self) -> Error {
        Error::Unreachable {
            detail: self.described(),
        }
    }
}

fn unreachable(error: &tokio_postgres::Error) -> Error {
    Error::Unreachable {
        detail: described(error),
    }
}

/// True where the server has no room for what is written.
fn is_full(error: &tokio_postgres::Error) -> bool {
    matches!(error.code(), Some(&SqlState::DISK_FULL))
}

fn is_contention(error: &tokio_postgres::Error) -> bool {
    matches!(
        error.code(),
        Some(&(SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED))
    )
}

/// True where the connection is gone, or the server said that it is about to be.
fn lost(error: &tokio_postgres::Error) -> bool {
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
fn unclear(error: &tokio_postgres::Error) -> bool {
    error.code().is_none() || lost(error)
}

fn statement_error(statement: &'static Statement, error: &tokio_postgres::Error) -> Error {
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
