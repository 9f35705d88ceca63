//! Failures that only a remote server can cause.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use store::{Error, Settings, Store, Transaction, values};
use testkit::database::TestDatabase;
use testkit::database_proxy::{DatabaseProxy, Fault};

use crate::probe::{self, count, insert};

store::statements! {
    /// This happens to the rows of connections that have been idle for a day.
    pub static FORGET = "DELETE FROM store_session";
    /// Makes the connection behave as if its server accepted no writes.
    pub static READ_ONLY_FROM_NOW = "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY";
    /// The number of connections to this database that wait for a lock.
    pub static WAITING = "SELECT count(*) AS total FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    /// The number of transactions that have written.
    pub static TRANSACTIONS = "SELECT CAST(sum(transaction_number) AS BIGINT) AS total FROM store_session";
    /// Whether commits wait for the disk.
    pub static SYNCHRONOUS_COMMIT = "SELECT current_setting('synchronous_commit') AS setting";
    pub static TAKE_AWAY = "DELETE FROM probe WHERE id = $1";
    /// Makes the rest of a transaction read-only.
    pub static READ_ONLY = "SET TRANSACTION READ ONLY";
}

#[test]
fn a_connection_lost_before_the_commit_is_tried_again() {
    let database = Arc::new(TestDatabase::postgres());
    let store = probe::open(&database);
    let runs = Arc::new(AtomicU32::new(0));
    let (cut, ran) = (Arc::clone(&database), Arc::clone(&runs));
    store
        .write(move |tx| {
            insert(tx, 1, 1)?;
            if ran.fetch_add(1, Ordering::Relaxed) == 0 {
                assert!(cut.cut_connections() > 0);
            }
            insert(tx, 2, 1)
        })
        .unwrap();
    assert_eq!(runs.load(Ordering::Relaxed), 2);
    assert_eq!(count(&store), 2);
}

/// Tests require that there are no deadlocks ([`TestDatabase`]), so they must be counted.
#[test]
fn a_deadlock_is_counted_and_its_transaction_runs_again() {
    let database = TestDatabase::postgres();
    drop(database.open());
    // Opened without the test database, which would fail the test because of the deadlock.
    let store = Store::open(database.settings()).expect("it opens");
    let (both_hold_one, ran) = (Arc::new(Barrier::new(2)), Arc::new(AtomicU32::new(0)));
    let put = |first: &'static str, second: &'static str| {
        let (store, both_hold_one, ran) = (store.clone(), Arc::clone(&both_hold_one), Arc::clone(&ran));
        move || {
            store.write(move |tx| {
                store::setting::put(tx, first, b"x")?;
                if ran.fetch_add(1, Ordering::Relaxed) < 2 {
                    both_hold_one.wait();
                }
                store::setting::put(tx, second, b"x")
            })
        }
    };
    std::thread::scope(|scope| {
        let threads = [scope.spawn(put("a", "b")), scope.spawn(put("b", "a"))];
        for thread in threads {
            thread.join().expect("no panic").expect("both are written in the end");
        }
    });
    // The transaction that runs again may collide with the other's second try.
    let deadlocks = store.deadlocks().load(Ordering::Relaxed);
    assert!(deadlocks >= 1, "{deadlocks}");
    assert_eq!(u64::from(ran.load(Ordering::Relaxed)), 2 + deadlocks);
}

/// A standby, or a read-only server, makes callers retry. They succeed once the address leads to a server that accepts
/// writes.
#[test]
fn a_server_that_takes_no_writes_is_one_to_wait_for() {
    let database = TestDatabase::postgres();
    let store = probe::open(&database);
    store.write(|tx| insert(tx, 1, 1)).unwrap();
    database.take_no_writes(true);
    for id in 2..5 {
        let refused = store.write(move |tx| insert(tx, id, 1)).unwrap_err();
        assert!(refused.is_temporary(), "{refused}");
        assert_eq!(count(&store), 1, "it still reads");
    }
    database.take_no_writes(false);
    store.write(|tx| insert(tx, 2, 1)).unwrap();
    assert_eq!(count(&store), 2);

    // The server becomes read-only within the transaction.
    let turned = store.write(|tx| {
        tx.execute(&READ_ONLY, values![])?;
        insert(tx, 3, 1)
    });
    assert!(turned.as_ref().is_err_and(Error::is_temporary), "{turned:?}");
    store.write(|tx| insert(tx, 3, 1)).unwrap();
}

#[test]
fn a_connection_lost_while_idle_is_not_noticed_by_the_caller() {
    let database = TestDatabase::postgres();
    let store = probe::open(&database);
    for id in 0..10 {
        database.cut_connections();
        store.write(move |tx| insert(tx, id, 1)).unwrap();
    }
    assert_eq!(count(&store), 10);
}

/// A caller that waits while all connections are in use gets an error in time, and does not take one that becomes free
/// too late.
#[test]
fn waiting_for_a_connection_has_an_end() {
    let database = TestDatabase::postgres();
    drop(probe::open(&database));
    let Settings::Postgres { url, .. } = database.settings().clone() else {
        unreachable!("a PostgreSQL")
    };
    let one = Settings::Postgres {
        url,
        connections: 1,
        patience: Duration::from_millis(20),
    };
    let store = Store::open(&one).unwrap();
    for id in 0..5 {
        let others = store.clone();
        // Held for as long as the others wait.
        store
            .write(move |tx| {
                insert(tx, id, 1)?;
                let waiting = (0..3).map(|_| {
                    let store = others.clone();
                    std::thread::spawn(move || store.read(|tx| tx.query(&probe::COUNT, &[]).map(drop)))
                });
                for refused in waiting.collect::<Vec<_>>() {
                    let refused = refused.join().unwrap();
                    assert!(refused.as_ref().is_err_and(Error::is_temporary), "{refused:?}");
                }
                Ok::<_, Error>(())
            })
            .unwrap();
    }
    assert_eq!(count(&store), 5);
}

/// Writes while a fault hits the commit. Returns the result, and how often the closure ran.
fn write_through(
    proxy: &DatabaseProxy,
    store: &Store,
    fault: Fault,
    work: impl Fn(&mut dyn Transaction) -> Result<(), Error> + Send + 'static,
) -> (Result<(), Error>, u32) {
    let runs = Arc::new(AtomicU32::new(0));
    let ran = Arc::clone(&runs);
    proxy.arm(fault);
    let outcome = store.write(move |tx| {
        ran.fetch_add(1, Ordering::Relaxed);
        work(tx)
    });
    assert_eq!(proxy.met(), 1, "the commit met the fault");
    (outcome, runs.load(Ordering::Relaxed))
}

/// Like [`write_through`], in a new database. Also returns the number of rows afterwards.
fn write_again_through(
    fault: Fault,
    work: impl Fn(&mut dyn Transaction) -> Result<(), Error> + Send + 'static,
) -> (Result<(), Error>, u32, i64) {
    let database = TestDatabase::postgres();
    drop(probe::open(&database));
    let proxy = DatabaseProxy::to(database.settings());
    let store = Store::open(proxy.settings()).unwrap();
    let (outcome, runs) = write_through(&proxy, &store, fault, work);
    (outcome, runs, count(&store))
}

fn insert_later(tx: &mut dyn Transaction, id: i64) -> Result<(), Error> {
    let (word, bytes, flag) = (None::<String>, None::<Vec<u8>>, None::<bool>);
    tx.execute_later(&probe::INSERT, values![id, word, bytes, flag, 1])
}

#[test]
fn a_commit_whose_answer_is_lost_is_found_and_one_that_never_arrived_is_done_again() {
    for (fault, expected) in [(Fault::AfterTheCommit, 1), (Fault::BeforeTheCommit, 2)] {
        let (outcome, runs, rows) = write_again_through(fault, |tx| insert(tx, 1, 1));
        outcome.unwrap();
        assert_eq!((runs, rows), (expected, 1), "{fault:?}");
    }
}

/// A whole transaction may be sent together with its commit.
#[test]
fn one_that_was_left_for_later_as_a_whole_is_found_too_or_done_again() {
    for (fault, expected) in [(Fault::AfterTheCommit, 1), (Fault::BeforeTheCommit, 2)] {
        let (outcome, runs, rows) = write_again_through(fault, |tx| {
            insert_later(tx, 1)?;
            insert_later(tx, 2)
        });
        outcome.unwrap();
        assert_eq!((runs, rows), (expected, 2), "{fault:?}");
    }
}

#[test]
fn a_statement_that_is_sent_by_itself_does_not_wait_for_the_disk_and_no_other_does_so() {
    let database = TestDatabase::postgres();
    let store = probe::open(&database);
    let found = store.write_one_relaxed(|tx| tx.query_one(&probe::INSERT_RELAXED, values![1, "alone"]));
    assert_eq!(found.unwrap().get::<String>("synchronous_commit").unwrap(), "off");
    // Each possible connection is in its original state.
    for _ in 0..10 {
        let setting = store.write(|tx| tx.query_one(&SYNCHRONOUS_COMMIT, values![])?.get::<String>("setting"));
        assert_eq!(setting.unwrap(), "on");
    }
    let refused = store.write(|tx| tx.query(&probe::INSERT_RELAXED, values![2, "not alone"]).map(drop));
    assert!(
        matches!(&refused, Err(Error::Statement { detail, .. }) if detail.contains("its transaction does")),
        "{refused:?}"
    );
    assert_eq!(count(&store), 2, "the row and its copy");
}

#[test]
fn what_a_statement_by_itself_changed_is_kept_even_where_the_closure_fails() {
    let database = TestDatabase::postgres();
    let store = probe::open(&database);
    let refused = store.write_one_relaxed(|tx| {
        tx.query(&probe::INSERT_RELAXED, values![1, "alone"])?;
        Err::<(), _>(Error::Closed)
    });
    assert!(matches!(refused, Err(Error::Closed)), "{refused:?}");
    assert_eq!(count(&store), 2, "the row and its copy");
}

#[test]
fn a_statement_by_itself_is_in_doubt_wherever_the_line_broke() {
    for (fault, rows) in [(Fault::AfterTheCommit, 2), (Fault::BeforeTheCommit, 0)] {
        let database = TestDatabase::postgres();
        drop(probe::open(&database));
        let proxy = DatabaseProxy::to(database.settings());
        let store = Store::open(proxy.settings()).unwrap();
        proxy.arm(fault);
        let outcome = store.write_one_relaxed(|tx| tx.query(&probe::INSERT_RELAXED, values![1, "alone"]).map(drop));
        assert_eq!(proxy.met(), 1, "it met the fault");
        assert!(matches!(outcome, Err(Error::CommitUnknown { .. })), "{outcome:?}");
        assert_eq!(count(&store), rows, "{fault:?}");
    }
}

/// Adds only a row for each ID, all at the same moment, while another caller holds the turn until all have arrived.
/// Returns the result of each, and how often their closures ran in all.
fn add_together(
    store: &Store,
    database: &TestDatabase,
    ids: &[i64],
    arm: impl FnOnce(),
) -> (Vec<Result<(), Error>>, u32) {
    let runs = Arc::new(AtomicU32::new(0));
    let add = |id: i64| {
        let runs = Arc::clone(&runs);
        store.write(move |tx| {
            runs.fetch_add(1, Ordering::SeqCst);
            insert_later(tx, id)
        })
    };
    // The holder of the turn waits until this row is committed or rolled back.
    let (has_it, it_is_there) = std::sync::mpsc::sync_channel(0);
    let (may_end, end) = std::sync::mpsc::sync_channel::<()>(0);
    let elsewhere = database.open();
    let other = std::thread::spawn(move || {
        elsewhere.write(move |tx| {
            insert(tx, -1, 1)?;
            let _ = has_it.send(());
            let _ = end.recv();
            Ok::<_, Error>(())
        })
    });
    it_is_there.recv().unwrap();
    std::thread::scope(|scope| {
        let turn = scope.spawn(|| add(-1));
        while !waits_for_a_lock(database) {
            std::thread::yield_now();
        }
        let waiting: Vec<_> = ids.iter().map(|id| scope.spawn(|| add(*id))).collect();
        while runs.load(Ordering::SeqCst) <= u32::try_from(ids.len()).unwrap() {
            std::thread::yield_now();
        }
        arm();
        may_end.send(()).unwrap();
        assert!(
            turn.join()
                .unwrap()
                .is_err_and(|error| error.is_conflict_on("probe(id)"))
        );
        other.join().unwrap().unwrap();
        let outcomes = waiting.into_iter().map(|waiting| waiting.join().unwrap()).collect();
        (outcomes, runs.load(Ordering::SeqCst) - 1)
    })
}

fn waits_for_a_lock(database: &TestDatabase) -> bool {
    let waiting = database
        .open()
        .read(|tx| tx.query_one(&WAITING, values![])?.get::<i64>("total"));
    waiting.unwrap() > 0
}

/// The number of transactions that have written.
fn transactions(database: &TestDatabase) -> i64 {
    let store = database.open();
    let total = store.read(|tx| tx.query_one(&TRANSACTIONS, values![])?.get("total"));
    total.unwrap()
}

/// A connection to a server that accepts no writes is given up, also when numbers are reserved.
#[test]
fn numbers_are_taken_over_a_connection_that_can() {
    let database = TestDatabase::postgres();
    drop(probe::open(&database));
    let Settings::Postgres { url, patience, .. } = database.settings().clone() else {
        unreachable!("a PostgreSQL")
    };
    let one = Settings::Postgres {
        url,
        connections: 1,
        patience,
    };
    let store = Store::open(&one).unwrap();
    store
        .write(|tx| tx.execute(&READ_ONLY_FROM_NOW, values![]).map(drop))
        .unwrap();
    let early = store.read_one(|tx| tx.query_with_numbers(&probe::COUNT, values![], &probe::NUMBERS, 2));
    let (rows, numbers) = early.unwrap();
    assert_eq!(
        (rows.len(), numbers),
        (1, None),
        "the question is answered all the same"
    );
    let taken = store.write(|tx| tx.numbers(&probe::NUMBERS, 2)).unwrap();
    assert_eq!(taken.parts.len(), 2);
}

#[test]
fn numbers_that_come_with_a_question_are_each_ones_own() {
    let database = TestDatabase::postgres();
    let store = probe::open(&database);
    let given: Vec<i64> = std::thread::scope(|scope| {
        let ask = |parts: i64| {
            let asked =
                store.read_one(move |tx| tx.query_with_numbers(&probe::COUNT, values![], &probe::NUMBERS, parts));
            let (rows, numbers) = asked.unwrap();
            let numbers = numbers.expect("numbers");
            assert_eq!(rows[0].get::<i64>("total").unwrap(), 0);
            assert_eq!(i64::try_from(numbers.parts.len()).unwrap(), parts);
            std::iter::once(numbers.whole).chain(numbers.parts)
        };
        let threads: Vec<_> = (0..12_i64)
            .map(|thread| {
                scope.spawn(move || {
                    (0..20)
                        .flat_map(|number| ask((thread + number) % 4))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let distinct: HashSet<i64> = given.iter().copied().collect();
    assert_eq!(distinct.len(), given.len());
    // Several callers with the same query would get the same numbers.
    let refused = store.read_one(|tx| tx.numbers(&probe::NUMBERS, 1));
    assert!(matches!(refused, Err(Error::Statement { .. })), "{refused:?}");
}

#[test]
fn a_value_of_another_kind_among_what_was_left_keeps_nothing() {
    let database = TestDatabase::postgres();
    let store = probe::open(&database);
    let refused = store.write(|tx| {
        let (word, bytes, flag) = (None::<String>, None::<Vec<u8>>, None::<bool>);
        tx.execute_later(&probe::INSERT, values![1, word.clone(), bytes.clone(), flag, 1])?;
        tx.execute_later(&probe::INSERT, values![2, word, bytes, flag, i64::MAX])
    });
    assert!(
        matches!(refused, Err(Error::Parameter { position: 10, .. })),
        "{refused:?}"
    );
    assert_eq!(count(&store), 0);
}

#[test]
fn those_who_only_add_are_committed_together_and_one_who_fails_fails_alone() {
    let database = TestDatabase::postgres();
    let store = probe::open(&database);
    store.write(|tx| insert(tx, 7, 1)).unwrap();
    let ids: Vec<i64> = (1..=20).filter(|id| *id != 7).collect();
    let before = transactions(&database);
    let (outcomes, runs) = add_together(&store, &database, &ids, || ());
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    assert_eq!((runs, count(&store)), (19, 21));
    let took = transactions(&database) - before;
    assert!(took < 12, "19 rows in {took} transactions");

    let ids: Vec<i64> = (21..=40).chain([7]).collect();
    store.write(|tx| tx.execute(&TAKE_AWAY, values![-1]).map(drop)).unwrap();
    let (outcomes, runs) = add_together(&store, &database, &ids, || ());
    for (id, outcome) in ids.iter().zip(outcomes) {
        match outcome {
            Ok(()) => assert_ne!(*id, 7),
            Err(error) => assert!(*id == 7 && error.is_conflict_on("probe(id)"), "{id}: {error:?}"),
        }
    }
    assert_eq!((runs, count(&store)), (21, 41), "no closure ran twice");
}

#[test]
fn a_common_commit_whose_answer_is_lost_is_found_for_all_or_done_again_by_each() {
    for fault in [Fault::AfterTheCommit, Fault::BeforeTheCommit] {
        let database = TestDatabase::postgres();
        drop(probe::open(&database));
        let proxy = DatabaseProxy::to(database.settings());
        let store = Store::open(proxy.settings()).unwrap();
        let ids: Vec<i64> = (1..=20).collect();
        // The holder of the turn has already sent its commit, so the fault does not hit it.
        let (outcomes, runs) = add_together(&store, &database, &ids, || proxy.arm(fault));
        assert!(outcomes.iter().all(Result::is_ok), "{fault:?}: {outcomes:?}");
        assert_eq!((proxy.met(), count(&store)), (1, 21), "{fault:?}");
        assert_eq!(
            runs, 20,
            "{fault:?}: no closure ran twice, as one would that is committed by itself"
        );
    }
}

#[test]
fn a_connection_cut_by_the_server_at_the_commit_is_resolved_too() {
    let database = Arc::new(TestDatabase::postgres());
    let store = probe::open(&database);
    let runs = Arc::new(AtomicU32::new(0));
    let (cut, ran) = (Arc::clone(&database), Arc::clone(&runs));
    store
        .write(move |tx| {
            insert(tx, 1, 1)?;
            if ran.fetch_add(1, Ordering::Relaxed) == 0 {
                cut.cut_connections();
            }
            Ok::<_, Error>(())
        })
        .unwrap();
    assert_eq!((runs.load(Ordering::Relaxed), count(&store)), (2, 1));
}

#[test]
fn a_doubt_that_nobody_can_resolve_is_reported_and_nothing_is_done_again() {
    let database = TestDatabase::postgres();
    drop(probe::open(&database));
    let Settings::Postgres { url, connections, .. } = database.settings().clone() else {
        panic!("PostgreSQL has settings of its own");
    };
    let impatient = Settings::Postgres {
        url,
        connections,
        patience: Duration::from_millis(50),
    };
    let proxy = DatabaseProxy::to(&impatient);
    let store = Store::open(proxy.settings()).unwrap();
    let (outcome, runs) = write_through(&proxy, &store, Fault::AfterTheCommitForGood, |tx| insert(tx, 1, 1));
    let error = outcome.unwrap_err();
    assert!(matches!(error, Error::CommitUnknown { .. }), "{error:?}");
    assert!(!error.is_temporary(), "the caller must not simply try again");
    assert_eq!(runs, 1);
    // The write happened, so it must not be repeated.
    assert_eq!(count(&database.open()), 1);
}

/// The row that identifies a transaction is removed when a connection has been idle for a day.
#[test]
fn a_connection_that_has_rested_for_long_writes_on() {
    let database = TestDatabase::postgres();
    let Settings::Postgres { url, patience, .. } = database.settings().clone() else {
        panic!("PostgreSQL has settings of its own");
    };
    drop(probe::open(&database));
    let one = Settings::Postgres {
        url,
        connections: 1,
        patience,
    };
    let store = Store::open(&one).unwrap();
    store.write(|tx| insert(tx, 1, 1)).unwrap();
    store.write(|tx| tx.execute(&FORGET, values![])).unwrap();
    store.write(|tx| insert(tx, 2, 1)).unwrap();
    assert_eq!(count(&store), 2);
}

/// When one process announces, another is notified. A listener whose connection broke checks when it listens again.
#[test]
fn what_one_process_announces_another_hears() {
    let database = TestDatabase::postgres();
    let (here, elsewhere) = (database.open(), database.open());
    let (told, heard) = std::sync::mpsc::channel();
    here.listen(move || {
        let _ = told.send(());
    })
    .unwrap();
    let long = Duration::from_mins(2);
    heard.recv_timeout(long).expect("the first look");
    for _ in 0..3 {
        elsewhere.announce().unwrap();
        heard.recv_timeout(long).expect("the announcement");
    }
    database.cut_connections();
    heard.recv_timeout(long).expect("the look after the break");
    elsewhere.announce().unwrap();
    heard.recv_timeout(long).expect("the announcement after the break");
    drop(here);
    assert!(
        heard.recv_timeout(long).is_err(),
        "after the store is closed nobody listens"
    );
}

#[test]
fn an_address_that_does_not_answer_is_named_at_opening() {
    let settings = Settings::Postgres {
        url: domain::Secret::new("postgres://nobody@127.0.0.1:1/none"),
        connections: 1,
        patience: Duration::ZERO,
    };
    let error = Store::open(&settings).map(drop).unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
}

#[test]
fn a_parameter_of_another_kind_is_an_error() {
    let database = TestDatabase::postgres();
    let store = probe::open(&database);
    let error = store.read(|tx| tx.query(&probe::BY_ID, values!["one"])).unwrap_err();
    assert!(
        matches!(&error, Error::Statement { detail, .. } if detail.contains("expects int8")),
        "{error:?}"
    );
}
