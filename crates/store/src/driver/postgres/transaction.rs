//! The transaction of a closure. It takes a connection with the first statement whose result is needed, and sends
//! statements left for later with it.

use std::future::Future;

use failpoint::Place;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::access::Access;
use super::batches::{Batch, Later, Ready, batches};
use super::connection::Pipeline;
use super::faults::{contention, described, is_full, statement_error, unclear, unreachable};
use super::pool::Lent;
use super::session::{Mark, Opening, Prepared, Session};
use super::together::Served;
use super::values::{Bound, bound, references, rows};
use super::{Driver, WAITS_FOR_OTHERS};
use crate::driver::sqlite::check;
use crate::{Error, Numbers, Row, Statement, Transaction, Value};

/// The number of rows that one statement adds if there are many. Up to [`FEW_ROWS`], one statement adds exactly the
/// rows there are. Each number of rows is a separate prepared statement.
const MANY_ROWS: usize = 16;

const FEW_ROWS: usize = 8;

const COMMIT: &str = "COMMIT";

/// The outcome of one run of a closure.
#[derive(Clone)]
pub(super) enum Outcome {
    /// The request contains its result.
    Done,
    /// The run failed, and trying again would not help.
    Failed(Error),
    /// The run failed, but may succeed at the next try.
    Again(Error),
}

/// The outcome of a transaction that was committed together with others.
#[derive(Clone)]
pub(super) enum Fate {
    Kept,
    /// The group was not committed, so each transaction must be committed alone.
    Alone,
    /// We cannot find out whether the group was committed.
    Unknown {
        detail: String,
    },
}

/// A query that is a transaction's only statement.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Question {
    pub(super) statement: &'static str,
    pub(super) parameters: Vec<Value>,
    /// The statement that also returns numbers.
    pub(super) numbers: Option<&'static str>,
}

/// The result of a query, and the numbers reserved with it.
pub(super) type Answered = (Vec<Row>, Option<Numbers>);

#[derive(Clone, Copy)]
enum Part {
    Opening,
    /// A statement that was left for later.
    Statement(&'static Statement),
    Commit,
}

/// The first failure among the parts that were sent together.
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

/// A connection in use by a transaction.
pub(super) struct Open<'driver> {
    lent: Lent<'driver>,
    session: Session,
    /// The beginning of the transaction, until it is sent.
    opening: Option<Opening>,
    mark: Option<Mark>,
}

impl Open<'_> {
    /// Sends the beginning (if it was not sent yet), the statements left for later, and `last`. Returns the result of
    /// `last` if everything before it succeeded.
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

    /// Returns the connection to the pool.
    fn give_back(mut self) {
        self.lent.slot = Some(self.session);
    }
}

/// Returns the outcome for a closure whose transaction could not begin.
fn not_begun(error: &tokio_postgres::Error) -> Outcome {
    if error.code() == Some(&SqlState::UNDEFINED_TABLE) {
        Outcome::Failed(Error::Migration {
            detail: described(error),
        })
    } else {
        Outcome::Again(unreachable(error))
    }
}

/// The transaction of a closure. It takes a connection, and begins on the server, with the first statement whose result
/// is needed.
pub(super) struct PostgresTransaction<'driver> {
    pub(super) driver: &'driver Driver,
    pub(super) access: Access,
    pub(super) open: Option<Open<'driver>>,
    pub(super) left: Vec<Later>,
    pub(super) spoiled: bool,
    /// Set if a failure decides the outcome, regardless of what the closure returns.
    pub(super) ended: Option<Outcome>,
}

impl<'driver> PostgresTransaction<'driver> {
    pub(super) fn new(driver: &'driver Driver, access: Access) -> Self {
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

    /// Returns the connection. Takes one if there is none yet.
    pub(super) fn open(&mut self) -> Result<&mut Open<'driver>, Error> {
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
        // If this fails, we give up the connection, because we do not know its state.
        let opening = session.opening(self.access).map_err(|error| not_begun(&error))?;
        let mark = opening.as_ref().and_then(|opening| opening.mark.clone());
        Ok(Open {
            lent,
            session,
            opening,
            mark,
        })
    }

    /// Decides the outcome of the closure, and returns the error that reports it to the closure.
    fn ends(&mut self, outcome: Outcome) -> Error {
        let told = match &outcome {
            Outcome::Failed(error) | Outcome::Again(error) => error.clone(),
            Outcome::Done => Error::Spoiled,
        };
        self.ended = Some(outcome);
        told
    }

    /// Returns the error for the closure after a failed statement. Also decides whether the closure will run again.
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
                detail: format!("takes {expected} parameters, but got {parameters}"),
            });
        }
        Ok(prepared)
    }

    /// Prepares the statements that transactions have left for later.
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
                // The driver would only notice after it has sent everything before, and COMMIT would follow anyway.
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

    /// Runs a query on the transaction's own connection.
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

    /// Runs a query for all callers that have the same one now.
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

    /// Runs a query, and reserves numbers for callers that need some. A failure to get numbers does not fail the query.
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
            tracing::debug!(%error, "numbers could not be reserved together with a query");
            Vec::new()
        });
        Ok((rows(statement, &prepared.columns, &found)?, numbers))
    }

    /// Returns the result of a statement that was sent after others.
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

    /// Reserves numbers for all callers that need some.
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

    pub(super) fn commit(self) -> Outcome {
        let only_adds = !self.left.is_empty() && self.left.iter().all(|later| later.statement.adds_one_row());
        if self.open.is_none() && only_adds && self.access.writes() {
            self.commit_with_others()
        } else {
            self.commit_alone()
        }
    }

    /// Commits added rows together with those of other callers that arrive meanwhile.
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
            // Settled only now, so that the others get their answers first.
            Served::Here(Ok((left, fate))) | Served::Elsewhere((left, fate)) => settle(left, fate),
            Served::Late(left) => settle(left, Fate::Alone),
            Served::Broken => Outcome::Failed(Error::CommitUnknown {
                detail: "the thread that was to commit it together with its own work failed".to_owned(),
            }),
        }
    }

    fn commit_alone(mut self) -> Outcome {
        // There is nothing to commit.
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

    /// Sends the statements left for later, and the end of the transaction.
    pub(super) fn commit_open(mut self, left: &[&[Later]]) -> Outcome {
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

    /// Runs a single changing statement in autocommit.
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
                // The closure decides how to handle this error.
                Outcome::Failed(error) => Err(error),
                outcome => Err(self.ends(outcome)),
            },
        }
    }

    /// Returns the outcome of a transaction whose end was sent.
    fn committed(&self, mut open: Open<'driver>, sent: Result<(), Failure>) -> Outcome {
        match sent {
            Ok(()) => {
                if self.access.writes() {
                    failpoint::reach(Place::AfterCommit);
                }
                open.give_back();
                Outcome::Done
            }
            // Includes a server that announced its shutdown, because it may do so after the commit.
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

    /// Returns the outcome of a transaction that the server reported as ended and not committed. A COMMIT after a
    /// failure is a ROLLBACK.
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

    /// Rolls back. `keep` says whether the closure wanted to keep its changes.
    pub(super) fn roll_back(mut self, keep: bool) -> Outcome {
        let is_begun = self.is_begun();
        // A connection that we cannot use is given up even if it still responds. The next one may reach a server that
        // works.
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
