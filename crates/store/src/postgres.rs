//! PostgreSQL: connections with their prepared statements, lent to whoever asks for the time of a transaction.
//!
//! A closure runs on its caller's own thread, which would only wait otherwise; it must be one that may block.
//!
//! **Isolation.** A transaction runs on one snapshot (REPEATABLE READ), a statement that is sent alone on its own (READ
//! COMMITTED, in PostgreSQL's autocommit). Of two that change the same row at once the second
//! is refused by the server and runs again on what the first has left, so no update is lost. What a use-case decides
//! from rows that it does not change must be guarded by a row that it does: a workflow's `revision` (docs/adr/0004).
//!
//! **Trying again.** A serialization failure, a deadlock, or a connection that is lost before the
//! commit was sent: the closure runs again, up to [`ATTEMPTS`] times with growing, jittered
//! pauses.
//!
//! **Round trips.** What needs no answer before it goes on is not waited for: `BEGIN` goes out with the first statement,
//! and what was [left for later](Transaction::execute_later) with the next one or with `COMMIT`. A statement in autocommit has
//! neither (docs/adr/0018).
//!
//! **Together.** Callers who ask the same question at the same moment share one answer, those who take fresh numbers one
//! question for all, and those who only add rows, having read nothing in their transaction, one transaction: they have no
//! order among each other. Where that fails, each goes alone, so that only his own rows can fail him (docs/adr/0020).
//!
//! **A connection lost during a commit** leaves open whether it happened. So every writing transaction begins by writing
//! its number into its connection's row of `store_session`. In doubt that row is read over a new connection, under a lock
//! that waits for the end of the old transaction wherever it still lives: the number is there, and it was committed; or it
//! is not, never will be, and the closure runs again. It is [`Error::CommitUnknown`] only where the server stays away for
//! longer than the patience of the settings, and of a statement in autocommit, which has no number.
//!
//! **TLS** is rustls, always with the certificate checked: `sslmode=require` (or `verify-full`,
//! the same here) trusts the public roots, or those of the PEM file that `sslrootcert` names.
//! Without `sslmode` the connection is plain. `prefer` and `allow` protect against nobody who
//! could harm, and are refused.

use std::borrow::Cow;
use std::collections::HashMap;
use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use domain::Secret;
use failpoint::Place;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, private::BytesMut};
use tokio_postgres::{Client, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use self::address::Tls;
use self::connection::{ConnectError, Connection, Pipeline};
use self::listening::{ANNOUNCE, Listener};
use self::pool::{Lent, Pool};
use self::together::{Served, Together};
use crate::job::Job;
use crate::sqlite::check;
use crate::store::StatementShape;
use crate::{Error, Numbers, Row, Statement, Transaction, Value, migrations};

mod address;
mod connection;
mod listening;
mod pool;
mod together;

/// Says to whoever listens that there is something to look at.
pub(crate) static NOTIFY: Statement = Statement::new("store::postgres::NOTIFY", &[ANNOUNCE], ANNOUNCE);

/// How often a closure is run at most.
const ATTEMPTS: u32 = 16;
/// Whoever has waited so long for others goes alone: what they wait for may not concern him.
const WAITS_FOR_OTHERS: Duration = Duration::from_secs(1);
/// How many rows one statement adds where there are many; up to the second number, as many as there are. Each number of rows
/// is a statement of its own to prepare.
const MANY_ROWS: usize = 16;
const FEW_ROWS: usize = 8;
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const MIGRATE_ATTEMPTS: u32 = 3;
/// A server that answers nothing for so long is gone, though nobody has said so.
const SILENCE: Duration = Duration::from_secs(30);
/// A client that hangs must not hold rows for ever, nor a statement a thread.
const SESSION: &str = "SET TIME ZONE 'UTC'; SET default_transaction_isolation = 'read committed'; \
                       SET statement_timeout = '30s'; \
                       SET idle_in_transaction_session_timeout = '60s'";

const COMMIT: &str = "COMMIT";
/// Removes the rows of connections that have ended long ago.
const FORGET_SESSIONS: &str = "DELETE FROM store_session WHERE touched_at < now() - INTERVAL '1 day'";
const SESSION_NUMBER: &str = "SELECT transaction_number FROM store_session WHERE id = $1 FOR UPDATE";

pub(crate) struct Driver {
    connections: Pool,
    /// Questions that stand alone. Some want numbers with the answer.
    questions: Together<Question, Option<i64>, Option<Answered>>,
    /// Fresh numbers, by statement: how many parts each wants.
    numbers: Together<&'static str, i64, Option<Numbers>>,
    /// Transactions that only add rows, by whether they wait for the disk. Their rows come back with their fate.
    additions: Together<Access, Vec<Later>, (Vec<Later>, Fate)>,
    listeners: Mutex<Vec<Listener>>,
    server: Arc<Server>,
    pub(crate) deadlocks: Arc<AtomicU64>,
}

impl Drop for Driver {
    fn drop(&mut self) {
        let connections = self.connections.take_idle();
        // What drives a connection must not end on a thread that may not block, and the last handle may be dropped on one.
        let ending = std::thread::Builder::new().spawn(move || drop(connections));
        if let Ok(ending) = ending {
            let _ = ending.join();
        }
    }
}

impl Driver {
    pub(crate) fn open(url: &Secret, connections: usize, patience: Duration) -> Result<Driver, Error> {
        let server = Arc::new(Server::parse(url, patience)?);
        // The first connection proves the address, so that a wrong one is told at start.
        let mut first = Some(server.connect().map_err(|error| Error::Open {
            name: server.name(),
            detail: error.described(),
        })?);
        let slots = (0..connections.max(1)).map(|_| first.take().map(Session::new));
        Ok(Driver {
            connections: Pool::new(slots.collect()),
            questions: Together::new(),
            numbers: Together::new(),
            additions: Together::new(),
            listeners: Mutex::default(),
            server,
            deadlocks: Arc::default(),
        })
    }

    /// Runs a job on the caller's thread, as soon as a connection is free.
    pub(crate) fn run(&self, job: &mut dyn Job, access: Access) {
        for attempt in 1.. {
            match self.attempt(job, access) {
                Outcome::Done => return,
                Outcome::Again(error) if attempt < ATTEMPTS => {
                    self.count(&error);
                    tracing::debug!(%error, attempt, "a transaction runs again");
                    std::thread::sleep(pause(attempt));
                }
                Outcome::Failed(error) | Outcome::Again(error) => {
                    self.count(&error);
                    job.fail(error);
                    return;
                }
            }
        }
    }

    fn count(&self, error: &Error) {
        if matches!(error, Error::Deadlock { .. }) {
            self.deadlocks.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(%error, "two transactions waited for each other");
        }
    }

    fn attempt(&self, job: &mut dyn Job, access: Access) -> Outcome {
        let mut transaction = PostgresTransaction::new(self, access);
        let keep = job.run(&mut transaction);
        if keep && !transaction.spoiled {
            transaction.commit()
        } else {
            transaction.roll_back(keep)
        }
    }

    /// Commits what several have left for later, as one transaction.
    fn commit_together(&self, access: Access, additions: &[Vec<Later>]) -> Fate {
        let mut transaction = PostgresTransaction::new(self, access.together());
        if transaction.open().is_err() {
            return Fate::Alone;
        }
        let additions: Vec<&[Later]> = additions.iter().map(Vec::as_slice).collect();
        match transaction.commit_open(&additions) {
            Outcome::Done => Fate::Kept,
            Outcome::Failed(Error::CommitUnknown { detail }) => Fate::Unknown { detail },
            Outcome::Failed(error) | Outcome::Again(error) => {
                self.count(&error);
                tracing::debug!(%error, transactions = additions.len(), "a common commit failed; each goes alone");
                Fate::Alone
            }
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
        let bound = bound(parameters);
        let rows = connection
            .wait(connection.client().query(&text, &references(&bound)))
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

/// What a database is called and where it is, without user and password.
pub(crate) fn name_of(url: &Secret) -> String {
    let Ok((config, _)) = address::read(url) else {
        return "that database.url names".to_owned();
    };
    let ports = config.get_ports();
    let hosts = config.get_hosts().iter().enumerate().map(|(index, host)| {
        // One port may stand for all hosts.
        let port = ports.get(index).or(ports.first()).copied().unwrap_or(5432);
        match host {
            Host::Tcp(name) => format!("{name}:{port}"),
            Host::Unix(folder) => format!("{}:{port}", folder.display()),
        }
    });
    let hosts: Vec<String> = hosts.collect();
    // Where none is named, it is called like the user.
    let database = config.get_dbname().or(config.get_user()).unwrap_or_default();
    format!("{database} at {}", hosts.join(", "))
}

/// Where the server is, and how to get there.
struct Server {
    config: Config,
    tls: Option<MakeRustlsConnect>,
    /// How long to look for a server that went away during a commit, and to wait for a connection that is free.
    patience: Duration,
}

impl Server {
    fn parse(url: &Secret, patience: Duration) -> Result<Server, Error> {
        let fault = |detail: String| Error::Open {
            name: "database.url".to_owned(),
            detail,
        };
        let (mut config, tls) = address::read(url).map_err(fault)?;
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
                let row = async { connection.client().query_opt(SESSION_NUMBER, &[&&*mark.session]).await };
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

    /// Told to whoever has waited in vain.
    fn lends_none(&self) -> Error {
        Error::Busy {
            detail: format!("all its connections have been in use for {} s", self.patience.as_secs()),
        }
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    /// It writes, and waits for the server's disk.
    Write,
    /// It writes, and does not wait.
    WriteRelaxed,
    /// It writes with one statement, which says itself that it does not wait, in autocommit.
    WriteOneRelaxed,
    /// What several add is written, and waits.
    WriteTogether,
    /// What several add is written, and does not wait.
    WriteTogetherRelaxed,
    /// It reads.
    Read,
    /// It reads with one statement, with no transaction around it.
    ReadOne,
    /// It takes fresh numbers, with no transaction around it: they are taken for good.
    Numbers,
}

impl Access {
    fn writes(self) -> bool {
        !matches!(self, Access::Read | Access::ReadOne)
    }

    /// Whether its commit is asynchronous.
    fn is_relaxed(self) -> bool {
        matches!(
            self,
            Access::WriteRelaxed | Access::WriteOneRelaxed | Access::WriteTogetherRelaxed
        )
    }

    /// The same for several at once.
    fn together(self) -> Access {
        match self {
            Access::WriteRelaxed => Access::WriteTogetherRelaxed,
            _ => Access::WriteTogether,
        }
    }

    /// What begins its transaction.
    fn begin(self) -> Option<&'static str> {
        match self {
            Access::Write => Some("BEGIN ISOLATION LEVEL REPEATABLE READ"),
            // Whoever waits for a lock is to wait for it alone.
            Access::WriteTogether => Some("BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL lock_timeout = '1s'"),
            Access::WriteTogetherRelaxed => Some(
                "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL lock_timeout = '1s'; SET LOCAL synchronous_commit = off",
            ),
            Access::WriteRelaxed => Some("BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL synchronous_commit = off"),
            Access::Read => Some("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"),
            Access::WriteOneRelaxed | Access::ReadOne | Access::Numbers => None,
        }
    }
}

/// How one run of a closure ended.
#[derive(Clone)]
enum Outcome {
    /// The request holds its result.
    Done,
    /// It failed for good.
    Failed(Error),
    /// It may succeed at the next try.
    Again(Error),
}

/// How a transaction ended that was committed together with others.
#[derive(Clone)]
enum Fate {
    /// It was committed.
    Kept,
    /// It was not, and each is to be committed by itself.
    Alone,
    /// Whether it was cannot be found out.
    Unknown {
        /// What the connection said.
        detail: String,
    },
}

/// By what a writing transaction is found again.
#[derive(Debug, Clone)]
struct Mark {
    /// Of hexadecimal digits.
    session: Arc<str>,
    number: i64,
}

impl Mark {
    /// Prepares what writes a transaction's number into its connection's row: in the server's own words, so that it goes out
    /// with the beginning of the transaction as one message, and is answered as one.
    fn prepare(session: &str) -> String {
        format!(
            "PREPARE mark (BIGINT) AS INSERT INTO store_session (id, transaction_number, touched_at) \
             VALUES ('{session}', $1, now()) \
             ON CONFLICT (id) DO UPDATE SET transaction_number = excluded.transaction_number, \
             touched_at = excluded.touched_at"
        )
    }

    /// Begins a transaction that is found by this mark.
    fn beginning(&self, begin: &str) -> String {
        format!("{begin}; EXECUTE mark({})", self.number)
    }
}

/// A connection with the statements prepared on it.
struct Session {
    connection: Connection,
    /// By name and by how many rows they add.
    prepared: HashMap<(&'static str, usize), Prepared>,
    /// The latest transaction's, where there was one.
    mark: Option<Mark>,
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
        if !access.writes() {
            return Ok(Some(Opening {
                begin: begin.into(),
                mark: None,
            }));
        }
        let mark = self.next_mark()?;
        Ok(Some(Opening {
            begin: mark.beginning(begin).into(),
            mark: Some(mark),
        }))
    }

    fn next_mark(&mut self) -> Result<Mark, tokio_postgres::Error> {
        let next = if let Some(mark) = self.mark.take() {
            let number = mark.number + 1;
            Mark { number, ..mark }
        } else {
            let session: Arc<str> = random_name().into();
            let prepare = format!("{FORGET_SESSIONS}; {}", Mark::prepare(&session));
            self.connection.wait(self.connection.client().batch_execute(&prepare))?;
            Mark { session, number: 1 }
        };
        self.mark = Some(next.clone());
        Ok(next)
    }

    /// A statement; one that adds a row may be made to add several.
    fn prepared(&mut self, statement: &'static Statement, rows: usize) -> Result<Prepared, tokio_postgres::Error> {
        if let Some(prepared) = self.prepared.get(&(statement.name(), rows)) {
            return Ok(prepared.clone());
        }
        let client = self.connection.client();
        let several = if rows == 1 { None } else { statement.adding(rows) };
        let text = several.as_deref().unwrap_or(statement.postgres());
        let prepared = self.connection.wait(client.prepare(text))?;
        let columns = prepared
            .columns()
            .iter()
            .map(|column| column.name().to_owned())
            .collect();
        let prepared = Prepared {
            statement: prepared,
            columns,
        };
        self.prepared.insert((statement.name(), rows), prepared.clone());
        Ok(prepared)
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
        } else if let Some(contention) = contention(error) {
            Some(contention)
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
    /// With what writes the mark.
    begin: Cow<'static, str>,
    mark: Option<Mark>,
}

/// A question that stands alone.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Question {
    statement: &'static str,
    parameters: Vec<Value>,
    /// The statement that gives out numbers with its answer.
    numbers: Option<&'static str>,
}

/// What a question came to, and the numbers that were taken with it.
type Answered = (Vec<Row>, Option<Numbers>);

/// A statement that was not sent yet.
struct Later {
    statement: &'static Statement,
    parameters: Vec<Value>,
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

impl Failure {
    fn of_commit(error: tokio_postgres::Error) -> Failure {
        Failure {
            part: Part::Commit,
            error,
        }
    }
}

/// A statement as it goes to the server; one that adds a row, with all the rows that it adds at once.
struct Batch<'left> {
    statement: &'static Statement,
    rows: Vec<&'left [Value]>,
}

/// Puts the rows together that one statement can add at once, of several transactions too. Within a transaction nothing
/// overtakes what was left before it: what a row refers to is there.
fn batches<'left>(transactions: &[&'left [Later]]) -> Vec<Batch<'left>> {
    let mut batches: Vec<Batch<'left>> = Vec::new();
    for left in transactions {
        let mut earliest = 0;
        for Later { statement, parameters } in *left {
            let is_alike = |batch: &Batch<'_>| batch.statement.name() == statement.name();
            // Those before hold rows to which this one may refer.
            let found = statement
                .adds_one_row()
                .then(|| batches.iter().skip(earliest).position(is_alike));
            if let Some(place) = found.flatten()
                && let Some(batch) = batches.get_mut(earliest + place)
            {
                batch.rows.push(parameters);
                earliest += place;
            } else {
                earliest = batches.len();
                batches.push(Batch {
                    statement,
                    rows: vec![parameters],
                });
            }
        }
    }
    batches
}

/// One statement with its parameters, ready to be sent.
struct Ready<'left> {
    statement: &'static Statement,
    prepared: Prepared,
    parameters: Vec<Bound<'left>>,
}

/// A connection that a transaction works on.
struct Open<'driver> {
    lent: Lent<'driver>,
    session: Session,
    /// What the transaction begins with, until it is sent.
    opening: Option<Opening>,
    mark: Option<Mark>,
}

impl Open<'_> {
    /// Sends the beginning, where it was not sent, what was left for later and `last`, and answers what that came to where
    /// everything before it went well.
    fn send<'c, T, F>(
        &'c mut self,
        left: &'c [Ready<'_>],
        last: impl FnOnce(&'c Client) -> F,
    ) -> Result<Result<T, tokio_postgres::Error>, Failure>
    where
        F: Future<Output = Result<T, tokio_postgres::Error>> + 'c,
    {
        let opening = self.opening.take();
        let connection = &self.session.connection;
        let client = connection.client();
        let mut pipeline = Pipeline::default();
        let mut parts = Vec::new();
        if let Some(opening) = &opening {
            parts.push(Part::Opening);
            pipeline.add(client.batch_execute(&opening.begin));
        }
        for ready in left {
            parts.push(Part::Statement(ready.statement));
            pipeline.add(client.execute_raw(&ready.prepared.statement, ready.parameters.iter()));
        }
        connection
            .wait(pipeline.send(last(client)))
            .map_err(|(place, error)| Failure {
                part: parts.get(place).copied().unwrap_or(Part::Opening),
                error,
            })
    }

    /// Gives the connection back for others to use.
    fn give_back(mut self) {
        self.lent.slot = Some(self.session);
    }
}

/// 128 random bits. A fresh hasher is seeded at random by the standard library.
fn random_name() -> String {
    let part = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", part(), part())
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

/// A transaction of a closure. It takes a connection, and begins on the server, with the first statement that is waited for.
struct PostgresTransaction<'driver> {
    driver: &'driver Driver,
    access: Access,
    open: Option<Open<'driver>>,
    left: Vec<Later>,
    spoiled: bool,
    /// Set where something failed that decides what becomes of the closure, whatever it answers.
    ended: Option<Outcome>,
}

impl<'driver> PostgresTransaction<'driver> {
    fn new(driver: &'driver Driver, access: Access) -> Self {
        PostgresTransaction {
            driver,
            access,
            open: None,
            left: Vec::new(),
            spoiled: false,
            ended: None,
        }
    }

    fn guarded<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.spoiled {
            return Err(Error::Spoiled);
        }
        let outcome = work(self);
        self.spoiled = outcome.is_err();
        outcome
    }

    /// The connection; one is taken where there is none yet.
    fn open(&mut self) -> Result<&mut Open<'driver>, Error> {
        let open = match self.open.take() {
            Some(open) => open,
            None => self.opened().map_err(|outcome| self.ends(outcome))?,
        };
        Ok(self.open.insert(open))
    }

    fn opened(&self) -> Result<Open<'driver>, Outcome> {
        let Driver {
            connections, server, ..
        } = self.driver;
        let Some(mut lent) = connections.lend(server.patience) else {
            return Err(Outcome::Failed(server.lends_none()));
        };
        let mut session = match lent.slot.take() {
            Some(session) if !session.connection.is_closed() => session,
            _ => match server.connect() {
                Ok(connection) => Session::new(connection),
                Err(error) => return Err(Outcome::Again(error.unreachable())),
            },
        };
        // The connection is given up where it fails: its state is not known.
        let opening = session.opening(self.access).map_err(|error| not_begun(&error))?;
        let mark = opening.as_ref().and_then(|opening| opening.mark.clone());
        Ok(Open {
            lent,
            session,
            opening,
            mark,
        })
    }

    /// Decides what becomes of the closure; the error tells it so.
    fn ends(&mut self, outcome: Outcome) -> Error {
        let told = match &outcome {
            Outcome::Failed(error) | Outcome::Again(error) => error.clone(),
            Outcome::Done => Error::Spoiled,
        };
        self.ended = Some(outcome);
        told
    }

    /// What the failure of a statement is for the closure; it also decides whether the closure will run again.
    fn fault(&mut self, statement: &'static Statement, error: &tokio_postgres::Error) -> Error {
        let access = self.access;
        let again = self
            .open
            .as_mut()
            .and_then(|open| open.session.may_do_better(statement, error, access));
        match again {
            Some(better) => self.ends(Outcome::Again(better)),
            None => statement_error(statement, error),
        }
    }

    fn prepared(&mut self, statement: &'static Statement, rows: usize, parameters: usize) -> Result<Prepared, Error> {
        let prepared = self.open()?.session.prepared(statement, rows);
        let prepared = prepared.map_err(|error| self.fault(statement, &error))?;
        let expected = prepared.statement.params().len();
        if expected != parameters {
            return Err(Error::Statement {
                statement: statement.name(),
                detail: format!("takes {expected} parameters, {parameters} were given"),
            });
        }
        Ok(prepared)
    }

    /// What transactions have left for later, ready to be sent.
    fn ready<'left>(&mut self, transactions: &[&'left [Later]]) -> Result<Vec<Ready<'left>>, Error> {
        let mut ready = Vec::new();
        for Batch { statement, rows } in batches(transactions) {
            let mut rows = rows.as_slice();
            while !rows.is_empty() {
                let size = if rows.len() >= MANY_ROWS {
                    MANY_ROWS
                } else {
                    rows.len().min(FEW_ROWS)
                };
                let (these, others) = rows.split_at(size);
                let parameters: Vec<Bound<'_>> = these.iter().flat_map(|row| row.iter().map(Bound)).collect();
                let prepared = self.prepared(statement, size, parameters.len())?;
                // The driver would find it out after it has sent what comes before, and COMMIT would follow all the same.
                for (position, (value, kind)) in parameters.iter().zip(prepared.statement.params()).enumerate() {
                    value.fits(kind).map_err(|detail| Error::Parameter {
                        statement: statement.name(),
                        position: position + 1,
                        detail,
                    })?;
                }
                ready.push(Ready {
                    statement,
                    prepared,
                    parameters,
                });
                rows = others;
            }
        }
        Ok(ready)
    }

    /// Asks, on the transaction's own connection.
    fn ask(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<Vec<Row>, Error> {
        let left = std::mem::take(&mut self.left);
        let prepared = self.prepared(statement, 1, parameters.len())?;
        let ready = self.ready(&[&left])?;
        let bound = bound(parameters);
        let bound = references(&bound);
        let sent = self
            .open()?
            .send(&ready, |client| client.query(&prepared.statement, &bound));
        let found = self.received(statement, sent)?;
        rows(statement, &prepared.columns, &found)
    }

    /// Asks a question that stands alone, for all who ask it at this moment.
    fn ask_with_others(
        &mut self,
        statement: &'static Statement,
        parameters: &[Value],
        numbers: Option<(&'static Statement, i64)>,
    ) -> Result<Answered, Error> {
        let question = Question {
            statement: statement.name(),
            parameters: parameters.to_vec(),
            numbers: numbers.map(|(source, _)| source.name()),
        };
        let wanted = numbers.map(|(_, parts)| parts);
        let questions = &self.driver.questions;
        let served = questions.serve(&question, wanted, WAITS_FOR_OTHERS, |mine, others| {
            let wanted: Vec<i64> = std::iter::once(mine).chain(others.iter().copied()).flatten().collect();
            match self.ask_and_take_numbers(statement, parameters, numbers.map(|(source, _)| source), &wanted) {
                Err(error) => (Err(error), others.iter().map(|_| None).collect()),
                Ok((rows, numbers)) => {
                    let mut numbers = numbers.into_iter();
                    let own = numbers.next();
                    let answers = others.iter().map(|_| Some((rows.clone(), numbers.next()))).collect();
                    (Ok((rows, own)), answers)
                }
            }
        });
        match served {
            Served::Here(answer) => answer,
            Served::Elsewhere(Some(answer)) => Ok(answer),
            Served::Elsewhere(None) | Served::Late(_) | Served::Broken => Ok((self.ask(statement, parameters)?, None)),
        }
    }

    /// Asks, and takes numbers for those who want some. Where there are none to be had, that is no fault of the question's.
    fn ask_and_take_numbers(
        &mut self,
        statement: &'static Statement,
        parameters: &[Value],
        source: Option<&'static Statement>,
        wanted: &[i64],
    ) -> Result<(Vec<Row>, Vec<Numbers>), Error> {
        let giving = match source {
            None => None,
            Some(source) => self
                .open()?
                .session
                .prepared(source, 1)
                .ok()
                .map(|giving| (source, giving)),
        };
        let Some((source, giving)) = giving else {
            return Ok((self.ask(statement, parameters)?, Vec::new()));
        };
        let prepared = self.prepared(statement, 1, parameters.len())?;
        let how_many = Numbers::parameters(wanted);
        let (bound, how_many) = (bound(parameters), bound(&how_many));
        let (bound, how_many) = (references(&bound), references(&how_many));
        let sent = self.open()?.send(&[], |client| async {
            let (answer, taken) = tokio::join!(
                client.query(&prepared.statement, &bound),
                client.query(&giving.statement, &how_many)
            );
            Ok((answer?, taken))
        });
        let (found, taken) = self.received(statement, sent)?;
        let numbers = taken
            .map_err(|error| statement_error(source, &error))
            .and_then(|taken| Numbers::given_out(source, &rows(source, &giving.columns, &taken)?, wanted));
        let numbers = numbers.unwrap_or_else(|error| {
            tracing::debug!(%error, "no numbers were to be had with a question");
            Vec::new()
        });
        Ok((rows(statement, &prepared.columns, &found)?, numbers))
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
                Part::Opening | Part::Commit => self.ends(not_begun(&error)),
            }),
        }
    }

    /// Takes numbers for all who want some.
    fn take_numbers(
        &mut self,
        statement: &'static Statement,
        mine: i64,
        others: &[i64],
    ) -> Result<(Numbers, Vec<Numbers>), Error> {
        let wanted: Vec<i64> = std::iter::once(mine).chain(others.iter().copied()).collect();
        let rows = self.ask(statement, Numbers::parameters(&wanted).as_slice())?;
        let mut all = Numbers::given_out(statement, &rows, &wanted)?.into_iter();
        let own = all.next().ok_or(Error::Closed)?;
        Ok((own, all.collect()))
    }

    fn is_begun(&self) -> bool {
        self.access.begin().is_some() && self.open.as_ref().is_some_and(|open| open.opening.is_none())
    }

    fn commit(self) -> Outcome {
        let only_adds = !self.left.is_empty() && self.left.iter().all(|later| later.statement.adds_one_row());
        if self.open.is_none() && only_adds && self.access.writes() {
            self.commit_with_others()
        } else {
            self.commit_alone()
        }
    }

    /// Commits rows that were added, together with those of others who come meanwhile.
    fn commit_with_others(self) -> Outcome {
        let PostgresTransaction {
            driver, access, left, ..
        } = self;
        let settle = |left, fate| match fate {
            Fate::Kept => Outcome::Done,
            Fate::Alone => PostgresTransaction {
                left,
                ..PostgresTransaction::new(driver, access)
            }
            .commit_alone(),
            Fate::Unknown { detail } => Outcome::Failed(Error::CommitUnknown { detail }),
        };
        let served = driver
            .additions
            .serve(&access, left, WAITS_FOR_OTHERS, |mine, mut all| {
                if all.is_empty() {
                    return (Err(settle(mine, Fate::Alone)), Vec::new());
                }
                all.push(mine);
                let fate = driver.commit_together(access, &all);
                let mine = all.pop().unwrap_or_default();
                let answers = all.into_iter().map(|left| (left, fate.clone())).collect();
                (Ok((mine, fate)), answers)
            });
        match served {
            Served::Here(Err(outcome)) => outcome,
            // Not before the others were told.
            Served::Here(Ok((left, fate))) | Served::Elsewhere((left, fate)) => settle(left, fate),
            Served::Late(left) => settle(left, Fate::Alone),
            Served::Broken => Outcome::Failed(Error::CommitUnknown {
                detail: "whoever was to commit it together with his own has failed".to_owned(),
            }),
        }
    }

    fn commit_alone(mut self) -> Outcome {
        // Nothing was done, or nothing was begun.
        if self.left.is_empty() && !self.is_begun() {
            if let Some(open) = self.open.take() {
                open.give_back();
            }
            return Outcome::Done;
        }
        let left = std::mem::take(&mut self.left);
        match self.open() {
            Ok(_) => self.commit_open(&[&left]),
            Err(error) => self.ended.take().unwrap_or(Outcome::Failed(error)),
        }
    }

    /// Sends what was left for later, and the end of the transaction.
    fn commit_open(mut self, left: &[&[Later]]) -> Outcome {
        let ready = match self.ready(left) {
            Ok(ready) => ready,
            Err(error) => {
                self.ended.get_or_insert(Outcome::Failed(error));
                return self.roll_back(true);
            }
        };
        let Some(mut open) = self.open.take() else {
            return Outcome::Failed(Error::Closed);
        };
        if self.access.writes() {
            failpoint::reach(Place::BeforeCommit);
        }
        let sent = open.send(&ready, |client| client.batch_execute(COMMIT));
        let sent = sent.and_then(|committed| committed.map_err(Failure::of_commit));
        self.committed(open, sent)
    }

    /// Has one statement change what it will, in autocommit.
    fn change_alone(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<Vec<Row>, Error> {
        let prepared = self.prepared(statement, 1, parameters.len())?;
        let bound = bound(parameters);
        let bound = references(&bound);
        let mut open = self.open.take().ok_or(Error::Closed)?;
        failpoint::reach(Place::BeforeCommit);
        let sent = open.send(&[], |client| client.query(&prepared.statement, &bound));
        let sent = sent.and_then(|outcome| {
            outcome.map_err(|error| Failure {
                part: Part::Statement(statement),
                error,
            })
        });
        match sent {
            Ok(found) => {
                failpoint::reach(Place::AfterCommit);
                open.give_back();
                rows(statement, &prepared.columns, &found)
            }
            Err(Failure { error, .. }) if unclear(&error) => Err(Error::CommitUnknown {
                detail: described(&error),
            }),
            Err(failure) => match self.refused(open, failure) {
                // The closure may say what that means.
                Outcome::Failed(error) => Err(error),
                outcome => Err(self.ends(outcome)),
            },
        }
    }

    /// What became of a transaction whose end was sent.
    fn committed(&self, mut open: Open<'driver>, sent: Result<(), Failure>) -> Outcome {
        match sent {
            Ok(()) => {
                if self.access.writes() {
                    failpoint::reach(Place::AfterCommit);
                }
                open.give_back();
                Outcome::Done
            }
            // Also where the server said that it goes down: it may say so after the commit.
            Err(Failure { error, .. }) if unclear(&error) => {
                let mark = open.mark.take();
                drop(open);
                match mark.map(|mark| self.driver.server.was_committed(&mark)) {
                    Some(Ok(true)) => Outcome::Done,
                    Some(Ok(false)) | None => Outcome::Again(unreachable(&error)),
                    Some(Err(_)) => Outcome::Failed(Error::CommitUnknown {
                        detail: described(&error),
                    }),
                }
            }
            Err(failure) => self.refused(open, failure),
        }
    }

    /// What becomes of a transaction of which the server has said that it is over, and not committed: COMMIT after a failure is
    /// ROLLBACK.
    fn refused(&self, mut open: Open<'driver>, Failure { part, error }: Failure) -> Outcome {
        match part {
            Part::Opening => not_begun(&error),
            Part::Statement(statement) => {
                let again = open.session.may_do_better(statement, &error, self.access);
                if !matches!(again, Some(Error::Unreachable { .. })) {
                    open.give_back();
                }
                again.map_or_else(|| Outcome::Failed(statement_error(statement, &error)), Outcome::Again)
            }
            Part::Commit => {
                open.give_back();
                let detail = described(&error);
                if let Some(contention) = contention(&error) {
                    Outcome::Again(contention)
                } else if is_full(&error) {
                    Outcome::Failed(Error::Full { detail })
                } else {
                    Outcome::Failed(Error::Commit { detail })
                }
            }
        }
    }

    /// Undoes what was done. `keep`: the closure would have had it kept.
    fn roll_back(mut self, keep: bool) -> Outcome {
        let is_begun = self.is_begun();
        // One that is lost to us is given up, even where it still answers: the next may lead to a server that can do it.
        let is_lost = matches!(
            self.ended,
            Some(Outcome::Again(Error::Unreachable { .. }) | Outcome::Failed(_))
        );
        if let Some(open) = self.open.take().filter(|_| !is_lost) {
            let connection = &open.session.connection;
            if !is_begun || connection.wait(connection.client().batch_execute("ROLLBACK")).is_ok() {
                open.give_back();
            }
        }
        match self.ended.take() {
            Some(outcome) => outcome,
            None if keep => Outcome::Failed(Error::Spoiled),
            None => Outcome::Done,
        }
    }
}

impl Transaction for PostgresTransaction<'_> {
    fn execute(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<u64, Error> {
        self.guarded(|this| {
            check(statement, parameters, this.access.is_relaxed())?;
            let left = std::mem::take(&mut this.left);
            let prepared = this.prepared(statement, 1, parameters.len())?;
            let ready = this.ready(&[&left])?;
            let sent = this.open()?.send(&ready, |client| {
                client.execute_raw(&prepared.statement, parameters.iter().map(Bound))
            });
            this.received(statement, sent)
        })
    }

    fn execute_later(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<(), Error> {
        self.guarded(|this| {
            check(statement, parameters, this.access.is_relaxed())?;
            this.left.push(Later {
                statement,
                parameters: parameters.to_vec(),
            });
            Ok(())
        })
    }

    fn query(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<Vec<Row>, Error> {
        self.guarded(|this| {
            check(statement, parameters, this.access.is_relaxed())?;
            match this.access {
                Access::ReadOne if this.open.is_none() => Ok(this.ask_with_others(statement, parameters, None)?.0),
                Access::WriteOneRelaxed => this.change_alone(statement, parameters),
                _ => this.ask(statement, parameters),
            }
        })
    }

    fn query_with_numbers(
        &mut self,
        statement: &'static Statement,
        parameters: &[Value],
        numbers: &'static Statement,
        parts: i64,
    ) -> Result<(Vec<Row>, Option<Numbers>), Error> {
        self.guarded(|this| {
            check(statement, parameters, this.access.is_relaxed())?;
            if this.access == Access::ReadOne && this.open.is_none() {
                this.ask_with_others(statement, parameters, Some((numbers, parts)))
            } else {
                Ok((this.ask(statement, parameters)?, None))
            }
        })
    }

    fn numbers(&mut self, statement: &'static Statement, parts: i64) -> Result<Numbers, Error> {
        self.guarded(|this| {
            let driver = this.driver;
            if this.open.is_some() {
                return Ok(this.take_numbers(statement, parts, &[])?.0);
            }
            let take = |this: &mut Self, others: &[i64]| {
                let mut apart = PostgresTransaction::new(driver, Access::Numbers);
                let taken = apart.take_numbers(statement, parts, others);
                this.ended.clone_from(&apart.ended);
                if taken.is_ok() {
                    apart.commit_alone();
                } else {
                    apart.roll_back(false);
                }
                taken
            };
            let served = driver
                .numbers
                .serve(&statement.name(), parts, WAITS_FOR_OTHERS, |_, others| {
                    match take(this, &others) {
                        Ok((mine, theirs)) => (Ok(mine), theirs.into_iter().map(Some).collect()),
                        Err(error) => (Err(error), others.iter().map(|_| None).collect()),
                    }
                });
            match served {
                Served::Here(taken) => taken,
                Served::Elsewhere(Some(numbers)) => Ok(numbers),
                Served::Elsewhere(None) | Served::Late(_) | Served::Broken => Ok(take(this, &[])?.0),
            }
        })
    }
}

fn bound(parameters: &[Value]) -> Vec<Bound<'_>> {
    parameters.iter().map(Bound).collect()
}

fn references<'bound>(bound: &'bound [Bound<'bound>]) -> Vec<&'bound (dyn ToSql + Sync)> {
    bound.iter().map(|value| value as _).collect()
}

fn rows(
    statement: &'static Statement,
    columns: &Arc<[String]>,
    found: &[tokio_postgres::Row],
) -> Result<Vec<Row>, Error> {
    found
        .iter()
        .map(|row| {
            let values = columns
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
            Ok(Row::new(statement.name(), Arc::clone(columns), values))
        })
        .collect()
}

type Fault = Box<dyn std::error::Error + Sync + Send>;

#[derive(Debug)]
struct Bound<'value>(&'value Value);

impl Bound<'_> {
    /// What is wrong with the value where the statement expects this kind.
    fn fits(&self, kind: &Type) -> Result<(), String> {
        let fits = match self.0 {
            Value::Null => true,
            Value::Integer(value) => match *kind {
                Type::INT8 => true,
                Type::INT4 => i32::try_from(*value).is_ok(),
                Type::INT2 => i16::try_from(*value).is_ok(),
                _ => false,
            },
            Value::Text(_) => matches!(*kind, Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::UNKNOWN),
            Value::Blob(_) => *kind == Type::BYTEA,
            Value::Bool(_) => *kind == Type::BOOL,
        };
        if fits {
            return Ok(());
        }
        Err(format!(
            "the statement expects {kind} where {} was given",
            self.0.kind()
        ))
    }
}

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

/// What is told where others wanted the same rows.
fn contention(error: &tokio_postgres::Error) -> Option<Error> {
    let detail = described(error);
    match *error.code()? {
        SqlState::T_R_SERIALIZATION_FAILURE => Some(Error::Busy { detail }),
        SqlState::T_R_DEADLOCK_DETECTED => Some(Error::Deadlock { detail }),
        _ => None,
    }
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
    use super::unique_key;

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
}
