//! The handle through which the rest of the product uses the database.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use domain::Secret;

use crate::driver::job::{run_here, submit};
use crate::driver::postgres::Access;
use crate::driver::{postgres, sqlite};
use crate::{Error, Numbers, Row, Statement, Transaction, Value};

/// The kind of database, and its location.
#[derive(Clone, Debug)]
pub enum Settings {
    /// A file next to the server.
    Sqlite {
        /// The database file, created if it does not exist.
        path: PathBuf,
    },
    Postgres {
        /// `postgres://user:password@host/database?sslmode=require`
        url: Secret,
        connections: usize,
        /// How long a caller waits for a free connection. If a server goes away during a commit, also the time to find
        /// out whether the commit happened.
        patience: Duration,
    },
}

/// The database's name for people, without the password.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Settings::Sqlite { path } => write!(f, "the SQLite database {}", path.display()),
            Settings::Postgres { url, .. } => write!(f, "the PostgreSQL database {}", postgres::name_of(url)),
        }
    }
}

/// A database's description of a prepared statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementShape {
    pub parameters: usize,
    /// The columns of the statement's result.
    pub columns: Vec<String>,
}

/// The load on the connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Connections in use.
    pub in_use: usize,
    /// Idle connections.
    pub free: usize,
    /// Callers that wait for a connection, or for the single writer of SQLite.
    pub waiting: usize,
}

pub(crate) enum Driver {
    Sqlite(sqlite::Driver),
    Postgres(postgres::Driver),
}

/// An open database. Cheap to clone. Dropping the last clone closes it.
#[derive(Clone)]
pub struct Store {
    driver: Arc<Driver>,
}

/// Allows a single statement of the announced kind.
struct Single<'t> {
    inner: &'t mut dyn Transaction,
    announced: Announced,
    used: bool,
}

/// The kind of the closure's single statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Announced {
    Select,
    /// Write, without waiting for the disk.
    RelaxedChange,
}

impl Announced {
    fn fits(self, statement: &Statement) -> bool {
        match self {
            Announced::Select => statement.postgres().starts_with("SELECT "),
            Announced::RelaxedChange => statement.relaxes(),
        }
    }

    fn refusal(self, statement: &'static Statement) -> Error {
        let detail = match self {
            Announced::Select => "is not the single SELECT that was announced; read in a transaction",
            Announced::RelaxedChange => {
                "is not the single statement that was announced, or does not say that it does not wait for the disk; \
                 write in a transaction"
            }
        };
        Error::Statement {
            statement: statement.name(),
            detail: detail.to_owned(),
        }
    }
}

impl Transaction for Single<'_> {
    fn execute(&mut self, statement: &'static Statement, _: &[Value]) -> Result<u64, Error> {
        Err(self.announced.refusal(statement))
    }

    fn query(&mut self, statement: &'static Statement, parameters: &[Value]) -> Result<Vec<Row>, Error> {
        self.use_up(statement)?;
        self.inner.query(statement, parameters)
    }

    fn query_with_numbers(
        &mut self,
        statement: &'static Statement,
        parameters: &[Value],
        numbers: &'static Statement,
        parts: i64,
    ) -> Result<(Vec<Row>, Option<Numbers>), Error> {
        if self.announced != Announced::Select {
            return Err(self.announced.refusal(statement));
        }
        self.use_up(statement)?;
        self.inner.query_with_numbers(statement, parameters, numbers, parts)
    }

    /// Refused, because identical queries share one result, so several callers would get the same numbers.
    fn numbers(&mut self, statement: &'static Statement, _: i64) -> Result<Numbers, Error> {
        Err(self.announced.refusal(statement))
    }
}

impl Single<'_> {
    fn use_up(&mut self, statement: &'static Statement) -> Result<(), Error> {
        if std::mem::replace(&mut self.used, true) || !self.announced.fits(statement) {
            return Err(self.announced.refusal(statement));
        }
        Ok(())
    }
}

/// Runs a closure that is limited to one statement.
fn single<T, E>(
    announced: Announced,
    mut work: impl FnMut(&mut dyn Transaction) -> Result<T, E>,
) -> impl FnMut(&mut dyn Transaction) -> Result<T, E> {
    move |tx| {
        work(&mut Single {
            inner: tx,
            announced,
            used: false,
        })
    }
}

impl Store {
    /// Opens the database and starts the store's threads. Does not change the schema.
    pub fn open(settings: &Settings) -> Result<Store, Error> {
        let driver = match settings {
            Settings::Sqlite { path } => Driver::Sqlite(sqlite::Driver::open(path)?),
            Settings::Postgres {
                url,
                connections,
                patience,
            } => Driver::Postgres(postgres::Driver::open(url, *connections, *patience)?),
        };
        Ok(Store {
            driver: Arc::new(driver),
        })
    }

    /// Brings the schema up to date. Returns the migrations that were applied.
    pub fn migrate(&self) -> Result<Vec<String>, Error> {
        match self.driver.as_ref() {
            Driver::Sqlite(driver) => driver.migrate(),
            Driver::Postgres(driver) => driver.migrate(),
        }
    }

    /// Counts the deadlocks that PostgreSQL has ended since this store was opened. Tests require that there are none.
    pub fn deadlocks(&self) -> Arc<AtomicU64> {
        match self.driver.as_ref() {
            // A single writer cannot deadlock.
            Driver::Sqlite(_) => Arc::default(),
            Driver::Postgres(driver) => Arc::clone(&driver.deadlocks),
        }
    }

    /// Returns the current load on the connections.
    pub fn load(&self) -> Load {
        match self.driver.as_ref() {
            Driver::Sqlite(driver) => driver.load(),
            Driver::Postgres(driver) => driver.load(),
        }
    }

    /// Runs a writing closure and waits until its changes are durable or undone. The closure may run again, so its only
    /// effects must be rows. The caller's thread must be one that may block.
    pub fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnMut(&mut dyn Transaction) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        match self.driver.as_ref() {
            Driver::Sqlite(driver) => submit(|job| driver.write(job), work),
            Driver::Postgres(driver) => run_here(work, |job| driver.run(job, Access::Write)),
        }
    }

    /// Like [`Store::write`], but does not wait for the disk. The changes are visible immediately and survive the end
    /// of this process, but may be lost if the machine crashes soon after. Use it for changes that can be repeated
    /// without harm and that nobody outside learns of.
    pub fn write_relaxed<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnMut(&mut dyn Transaction) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        match self.driver.as_ref() {
            Driver::Sqlite(driver) => submit(|job| driver.write_relaxed(job), work),
            Driver::Postgres(driver) => run_here(work, |job| driver.run(job, Access::WriteRelaxed)),
        }
    }

    /// Like [`Store::write_relaxed`] with a single statement that itself disables waiting for the disk. Any other
    /// statement is refused, and so is a second one. On PostgreSQL it runs in autocommit (docs/adr/0018):
    /// - Its changes are kept once it has returned, even if the closure fails afterwards.
    /// - If the connection breaks before that, they may or may not have been kept: [`Error::CommitUnknown`].
    /// - It sees what others commit meanwhile, so it must choose its rows by conditions that it checks after it has
    ///   locked them.
    pub fn write_one_relaxed<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnMut(&mut dyn Transaction) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let work = single(Announced::RelaxedChange, work);
        match self.driver.as_ref() {
            Driver::Sqlite(driver) => submit(|job| driver.write_relaxed(job), work),
            Driver::Postgres(driver) => run_here(work, |job| driver.run(job, Access::WriteOneRelaxed)),
        }
    }

    /// Runs a closure that only reads, on one consistent state of the database.
    pub fn read<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnMut(&mut dyn Transaction) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        match self.driver.as_ref() {
            Driver::Sqlite(driver) => run_here(work, |job| driver.read(job)),
            Driver::Postgres(driver) => run_here(work, |job| driver.run(job, Access::Read)),
        }
    }

    /// Runs a closure that reads with a single `SELECT`, and may reserve new numbers with it. On PostgreSQL it costs
    /// one round trip instead of the three of [`Store::read`], because a single statement sees one state of the
    /// database anyway. A second statement is refused.
    pub fn read_one<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnMut(&mut dyn Transaction) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let work = single(Announced::Select, work);
        match self.driver.as_ref() {
            Driver::Sqlite(driver) => run_here(work, |job| driver.read(job)),
            Driver::Postgres(driver) => run_here(work, |job| driver.run(job, Access::ReadOne)),
        }
    }

    /// Notifies other processes that use the database that new work may be waiting. Listeners in this process are
    /// notified too. On SQLite, which only one server uses, this does nothing.
    pub fn announce(&self) -> Result<(), Error> {
        match self.driver.as_ref() {
            Driver::Sqlite(_) => Ok(()),
            Driver::Postgres(driver) => run_here(
                |tx: &mut dyn Transaction| tx.execute_later(&postgres::NOTIFY, &[]),
                |job| driver.run(job, Access::WriteRelaxed),
            ),
        }
    }

    /// Removes traces of deleted content from files that a copy would contain. PostgreSQL does this by itself some time
    /// later (autovacuum), and a dump never contains them.
    pub fn leave_no_traces(&self) -> Result<(), Error> {
        match self.driver.as_ref() {
            Driver::Sqlite(driver) => driver.empty_log(),
            Driver::Postgres(_) => Ok(()),
        }
    }

    /// Calls `heard` at each announcement, and whenever one may have been missed, as long as the store is open. `heard`
    /// must not block or own a handle of the store.
    pub fn listen(&self, heard: impl Fn() + Send + 'static) -> Result<(), Error> {
        match self.driver.as_ref() {
            Driver::Sqlite(_) => Ok(()),
            Driver::Postgres(driver) => driver.listen(heard),
        }
    }

    /// Returns the database's query plan for a statement with these parameters, line by line.
    pub fn plan(&self, statement: &'static Statement, parameters: &[Value]) -> Result<Vec<String>, Error> {
        match self.driver.as_ref() {
            Driver::Sqlite(driver) => driver.plan(statement, parameters),
            Driver::Postgres(driver) => driver.plan(statement, parameters),
        }
    }

    /// Prepares a statement and returns the database's description of it.
    pub fn shape(&self, statement: &'static Statement) -> Result<StatementShape, Error> {
        match self.driver.as_ref() {
            Driver::Sqlite(driver) => driver.shape(statement),
            Driver::Postgres(driver) => driver.shape(statement),
        }
    }
}
