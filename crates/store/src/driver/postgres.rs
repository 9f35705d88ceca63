//! PostgreSQL: connections with their prepared statements, lent for the duration of a transaction.
//!
//! A closure runs on its caller's own thread, which would otherwise only wait. The caller must use a thread that may
//! block.
//!
//! **Isolation.** A transaction runs on one snapshot (REPEATABLE READ). A statement that is sent alone runs on its own
//! (READ COMMITTED, in PostgreSQL's autocommit). If two transactions change the same row at once, the server refuses
//! the second, which runs again and sees the first one's changes, so no update is lost. If a use case bases a decision
//! on rows that it does not change, it must protect the decision with a row that it does change: a workflow's
//! `revision` (docs/adr/0004).
//!
//! **Retries.** After a serialization failure, a deadlock, or a connection lost before the commit was sent, the closure
//! runs again, up to [`ATTEMPTS`] times with growing, jittered pauses.
//!
//! **Round trips.** We do not wait for results that we do not need yet: `BEGIN` goes out with the first statement, and
//! statements [left for later](Transaction::execute_later) go out with the next one or with `COMMIT`. A statement in
//! autocommit has neither (docs/adr/0018).
//!
//! **Together.** Callers who run the same query at the same moment share one result. Callers who need new numbers share
//! one query. Callers who only add rows, having read nothing in their transaction, share one transaction, because the
//! order of their rows does not matter. If that fails, each transaction runs alone, so that only a caller's own rows
//! can make it fail (docs/adr/0020).
//!
//! **A connection lost during a commit** leaves open whether the commit happened. So every writing transaction begins
//! by writing its number into its connection's row of `store_session`. In doubt, we read that row over a new
//! connection, under a lock that waits for the end of the old transaction if it is still running. If the number is
//! there, the transaction was committed. If not, it never will be, and the closure runs again. [`Error::CommitUnknown`]
//! only remains if the server stays away longer than the configured patience, and for a statement in autocommit, which
//! has no number.
//!
//! **TLS** is rustls, and the certificate is always checked: `sslmode=require` (or `verify-full`, the same here) trusts
//! the public roots, or those in the PEM file named by `sslrootcert`. Without `sslmode` the connection is plain.
//! `prefer` and `allow` protect against no real attacker, and are refused.

mod access;
mod address;
mod batches;
mod connection;
mod faults;
mod listening;
mod pool;
mod programs;
mod server;
mod session;
mod together;
mod transaction;
mod values;

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::Secret;

pub(crate) use self::access::Access;
use self::batches::Later;
use self::faults::{statement_error, unreachable};
use self::listening::{ANNOUNCE, Listener};
use self::pool::Pool;
use self::server::Server;
pub(crate) use self::server::name_of;
use self::session::Session;
use self::together::Together;
use self::transaction::{Answered, Fate, Outcome, PostgresTransaction, Question};
use self::values::{bound, references};
use crate::driver::job::Job;
use crate::driver::migrations;
use crate::driver::store::{Load, StatementShape};
use crate::{Error, Numbers, Statement, Value};

/// Wakes all listeners, because new work may be waiting.
pub(crate) static NOTIFY: Statement = Statement::new("store::postgres::NOTIFY", &[ANNOUNCE], ANNOUNCE);

/// The maximum number of runs of one closure.
const ATTEMPTS: u32 = 16;

/// A caller that has waited this long for others runs alone, because the cause of the delay may not concern it.
const WAITS_FOR_OTHERS: Duration = Duration::from_secs(1);

const LONGEST_PAUSE: Duration = Duration::from_millis(250);

const MIGRATE_ATTEMPTS: u32 = 3;

pub(crate) struct Driver {
    connections: Pool,
    connection_count: usize,
    /// Queries that are a transaction's only statement. Some also need numbers.
    questions: Together<Question, Option<i64>, Option<Answered>>,
    /// New numbers, by statement. The wish is the number of parts that a caller needs.
    numbers: Together<&'static str, i64, Option<Numbers>>,
    /// Transactions that only add rows, by whether they wait for the disk. Their rows are returned with the outcome.
    additions: Together<Access, Vec<Later>, (Vec<Later>, Fate)>,
    listeners: Mutex<Vec<Listener>>,
    server: Arc<Server>,
    pub(crate) deadlocks: Arc<AtomicU64>,
}

impl Drop for Driver {
    fn drop(&mut self) {
        let connections = self.connections.take_idle();
        // A connection's runtime must not be dropped on a thread that may not block, but the last handle may be dropped
        // on one.
        let ending = std::thread::Builder::new().spawn(move || drop(connections));
        if let Ok(ending) = ending {
            let _ = ending.join();
        }
    }
}

impl Driver {
    pub(crate) fn open(url: &Secret, connections: usize, patience: Duration) -> Result<Driver, Error> {
        let server = Arc::new(Server::parse(url, patience)?);
        // The first connection checks the address, so that a wrong one is reported at the start.
        let mut first = Some(server.connect().map_err(|error| error.at_start(server.name()))?);
        let slots = (0..connections.max(1)).map(|_| first.take().map(Session::new));
        Ok(Driver {
            connection_count: connections.max(1),
            connections: Pool::new(slots.collect()),
            questions: Together::new(),
            numbers: Together::new(),
            additions: Together::new(),
            listeners: Mutex::default(),
            server,
            deadlocks: Arc::default(),
        })
    }

    /// Returns the current load on the connections.
    pub(crate) fn load(&self) -> Load {
        self.connections.load(self.connection_count)
    }

    /// Runs a job on the caller's thread as soon as a connection is free.
    pub(crate) fn run(&self, job: &mut dyn Job, access: Access) {
        for attempt in 1.. {
            match self.attempt(job, access) {
                Outcome::Done => return,
                Outcome::Again(error) if attempt < ATTEMPTS => {
                    self.count(&error);
                    tracing::debug!(%error, attempt, "a transaction was repeated");
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
            tracing::warn!(%error, "two transactions deadlocked");
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

    /// Commits the statements that several callers left for later, in one transaction.
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
                tracing::debug!(%error, transactions = additions.len(), "a group commit failed; each transaction commits alone");
                Fate::Alone
            }
        }
    }

    /// Calls `heard` at each announcement as long as the driver exists.
    pub(crate) fn listen(&self, heard: impl Fn() + Send + 'static) -> Result<(), Error> {
        let listener = Listener::start(Arc::clone(&self.server), heard)?;
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(listener);
        Ok(())
    }

    /// If two servers start at once, both try. The loser retries and finds the migrations applied.
    pub(crate) fn migrate(&self) -> Result<Vec<String>, Error> {
        let mut attempt = 1;
        loop {
            let mut client = self.server.connect_to_migrate().map_err(|error| unreachable(&error))?;
            match migrations::applied(migrations::postgres_runner().run(&mut client)) {
                Err(error) if attempt < MIGRATE_ATTEMPTS => {
                    tracing::warn!(%error, "a migration failed; we will try again");
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

/// Returns a pause that doubles from two milliseconds, with jitter so that colliding callers separate.
fn pause(attempt: u32) -> Duration {
    let longest = Duration::from_millis(2)
        .saturating_mul(1 << attempt.min(10))
        .min(LONGEST_PAUSE);
    // A new hasher is seeded at random, which is random enough for a pause.
    let part = u32::try_from(RandomState::new().hash_one(attempt) % 1000).unwrap_or_default();
    longest / 2 + longest / 2 * part / 1000
}
