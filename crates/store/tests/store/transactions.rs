//! The guarantees of a transaction, on both databases.

use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Barrier};

use jiff::Timestamp;
use store::{Error, Numbers, Store, Transaction, Value, values};
use testkit::database::TestDatabase;

use crate::probe::{self, count, insert};

testkit::on_both_databases!(
    what_is_written_is_read_back,
    nulls_and_large_blobs_come_back_as_they_were,
    returning_answers_in_parameter_order,
    many_writers_are_all_kept_and_the_failing_ones_undone_alone,
    many_who_only_add_are_all_kept_and_the_failing_ones_refused_alone,
    numbers_are_given_to_one_only,
    a_change_of_one_statement_is_one_statement_and_kept_or_undone_as_a_whole,
    a_question_that_many_ask_is_answered_from_after_it_was_asked,
    what_was_answered_is_there_after_reopening,
    a_read_sees_what_was_written_before_it,
    a_read_must_not_write,
    a_read_of_one_statement_reads_one_statement,
    a_duplicate_is_a_conflict_that_names_its_key,
    a_broken_check_is_named,
    a_failed_statement_spoils_the_transaction,
    an_error_of_the_caller_undoes_its_work,
    of_two_changes_of_one_revision_one_wins,
    increments_by_read_and_write_are_never_lost,
    a_missing_parent_fails_at_the_commit_and_harms_nobody_else,
    what_was_left_for_later_is_seen_by_the_next_statement,
    what_was_left_for_later_is_kept_by_the_commit,
    what_fails_of_what_was_left_for_later_undoes_it_all,
    what_was_left_for_later_and_the_closure_refused_is_undone,
    a_write_that_does_not_wait_for_the_disk_is_seen_at_once,
    a_panic_undoes_its_work_and_the_store_goes_on,
    a_transaction_inside_a_transaction_is_refused,
    u0000_in_a_text_is_refused,
    a_wrong_number_of_parameters_is_an_error,
    a_statement_the_database_refuses_is_named,
    a_fraction_is_refused,
    a_column_of_another_kind_is_named,
    a_row_too_few_is_an_error,
    migrating_twice_changes_nothing,
);

fn what_is_written_is_read_back(database: &TestDatabase) {
    let store = probe::open(database);
    let at: Timestamp = "2026-11-28T01:02:03.456789Z".parse().unwrap();
    store
        .write(move |tx| {
            tx.execute_one(&probe::INSERT, values![1, "단어 言葉", b"\0\xff", true, 7])?;
            tx.execute_one(
                &probe::INSERT,
                values![at.as_microsecond(), "other", b"", false, i32::MAX],
            )
        })
        .unwrap();
    let (row, other) = store
        .read(move |tx| {
            let row = tx.query_one(&probe::BY_ID, values![1])?;
            Ok::<_, Error>((row, tx.query_one(&probe::BY_ID, values![at])?))
        })
        .unwrap();
    assert_eq!(row.get::<String>("word").unwrap(), "단어 言葉");
    assert_eq!(row.get::<Vec<u8>>("bytes").unwrap(), b"\0\xff");
    assert_eq!(row.get::<[u8; 2]>("bytes").unwrap(), *b"\0\xff");
    assert!(row.get::<bool>("flag").unwrap());
    assert_eq!(row.get::<u32>("amount").unwrap(), 7);
    assert_eq!(other.get::<Timestamp>("id").unwrap(), at);
    assert!(!other.get::<bool>("flag").unwrap());
    assert_eq!(other.get::<Vec<u8>>("bytes").unwrap(), b"");
}

fn nulls_and_large_blobs_come_back_as_they_were(database: &TestDatabase) {
    let store = probe::open(database);
    let large: Vec<u8> = (0..5_000_000_u32).map(|n| n.to_le_bytes()[n as usize % 3]).collect();
    let given = large.clone();
    let rows = store
        .write(move |tx| {
            tx.execute_one(
                &probe::INSERT,
                values![1, None::<&str>, given.as_slice(), None::<bool>, 0],
            )?;
            tx.execute_one(&probe::INSERT, values![2, "", None::<Vec<u8>>, None::<bool>, 0])?;
            let first = tx.query_one(&probe::BY_ID, values![1])?;
            Ok::<_, Error>([first, tx.query_one(&probe::BY_ID, values![2])?])
        })
        .unwrap();
    assert!(rows[0].get::<Vec<u8>>("bytes").unwrap() == large);
    assert_eq!(rows[0].get::<Option<String>>("word").unwrap(), None);
    assert_eq!(rows[0].get::<Option<bool>>("flag").unwrap(), None);
    assert_eq!(rows[1].get::<Option<Vec<u8>>>("bytes").unwrap(), None);
    assert_eq!(rows[1].get::<Value>("word").unwrap(), Value::from(""));
}

fn returning_answers_in_parameter_order(database: &TestDatabase) {
    let store = probe::open(database);
    let row = store
        .write(|tx| tx.query_one(&probe::INSERT_RETURNING, values!["second", 2]))
        .unwrap();
    assert_eq!(row.get::<i64>("id").unwrap(), 2);
    assert_eq!(row.get::<String>("word").unwrap(), "second");
    assert_eq!(row.get::<i64>("revision").unwrap(), 1);
    assert_eq!(count(&store), 1);
}

fn insert_later(tx: &mut dyn Transaction, id: i64, amount: i64) -> Result<(), Error> {
    let (word, bytes, flag) = (None::<String>, None::<Vec<u8>>, None::<bool>);
    tx.execute_later(&probe::INSERT, values![id, word, bytes, flag, amount])
}

fn what_was_left_for_later_is_seen_by_the_next_statement(database: &TestDatabase) {
    let store = probe::open(database);
    let seen = store.write(|tx| {
        insert_later(tx, 1, 5)?;
        insert_later(tx, 2, 6)?;
        let row = tx.query_one(&probe::BY_ID, values![2])?;
        insert_later(tx, 3, 7)?;
        assert_eq!(tx.execute(&probe::CHANGE, values![8, 3, 1])?, 1);
        row.get::<i64>("amount")
    });
    assert_eq!((seen.unwrap(), count(&store)), (6, 3));
}

fn what_was_left_for_later_is_kept_by_the_commit(database: &TestDatabase) {
    let store = probe::open(database);
    // More than a socket's buffer can contain.
    store
        .write(|tx| (0..5000).try_for_each(|id| insert_later(tx, id, 1)))
        .unwrap();
    assert_eq!(count(&store), 5000);
}

fn what_fails_of_what_was_left_for_later_undoes_it_all(database: &TestDatabase) {
    let store = probe::open(database);
    store.write(|tx| insert(tx, 3, 1)).unwrap();
    let is_the_key = |error: &Error| matches!(error, Error::Conflict { constraint } if constraint == "probe(id)");
    // The commit reports the error, and so does the next statement, even if the closure ignores it.
    let at_commit = store.write(|tx| (1..5).try_for_each(|id| insert_later(tx, id, 1)));
    assert!(at_commit.as_ref().is_err_and(is_the_key), "{at_commit:?}");
    let at_next = store.write(|tx| {
        (1..5).try_for_each(|id| insert_later(tx, id, 1))?;
        insert(tx, 9, 1)
    });
    assert!(at_next.as_ref().is_err_and(is_the_key), "{at_next:?}");
    let overlooked = store.write(|tx| {
        let _ = (1..5).try_for_each(|id| insert_later(tx, id, 1));
        let _ = insert(tx, 9, 1);
        Ok::<_, Error>(())
    });
    assert!(matches!(overlooked, Err(Error::Spoiled)), "{overlooked:?}");
    assert_eq!(count(&store), 1);
    // A failing check is named, and the next transaction on the same connection is not affected.
    let negative = store.write(|tx| insert_later(tx, 1, -1)).unwrap_err();
    assert!(
        matches!(&negative, Error::Constraint { statement, .. } if statement.ends_with("INSERT")),
        "{negative:?}"
    );
    store.write(|tx| insert_later(tx, 1, 1)).unwrap();
    assert_eq!(count(&store), 2);
}

fn what_was_left_for_later_and_the_closure_refused_is_undone(database: &TestDatabase) {
    let store = probe::open(database);
    let refused: Result<(), Error> = store.write(|tx| {
        insert_later(tx, 1, 1)?;
        Err(Error::Closed)
    });
    assert!(matches!(refused, Err(Error::Closed)), "{refused:?}");
    store.write(|tx| insert_later(tx, 2, 1)).unwrap();
    assert_eq!(count(&store), 1);
}

fn a_write_that_does_not_wait_for_the_disk_is_seen_at_once(database: &TestDatabase) {
    let store = probe::open(database);
    std::thread::scope(|scope| {
        for id in 0..40_i64 {
            let store = &store;
            scope.spawn(move || {
                let write = move |tx: &mut dyn Transaction| insert(tx, id, 1);
                if id % 2 == 0 {
                    store.write_relaxed(write).unwrap();
                } else {
                    store.write(write).unwrap();
                }
                let seen = store.read(move |tx| tx.query_optional(&probe::BY_ID, values![id]));
                assert!(seen.unwrap().is_some(), "{id}");
            });
        }
    });
    let duplicate = store.write_relaxed(|tx| insert(tx, 7, 1));
    assert!(matches!(duplicate, Err(Error::Conflict { .. })), "{duplicate:?}");
    assert_eq!(count(&store), 40);
}

/// Every third writer fails after its insert, and the others are not affected.
fn many_writers_are_all_kept_and_the_failing_ones_undone_alone(database: &TestDatabase) {
    const THREADS: i64 = 16;
    const EACH: i64 = 30;
    let store = probe::open(database);
    let outcomes: Vec<(i64, bool)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let store = store.clone();
                scope.spawn(move || {
                    (0..EACH)
                        .map(|n| thread * EACH + n)
                        .map(|id| (id, write_or_fail(&store, id)))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    for (id, answered) in outcomes {
        assert_eq!(answered, id % 3 != 0, "the answer for {id}");
        let found = store
            .read(move |tx| tx.query_optional(&probe::BY_ID, values![id]))
            .unwrap();
        assert_eq!(found.is_some(), answered, "the row {id}");
    }
}

/// Each caller adds a parent and a child, like a start's workflow and signers. Every third breaks a rule, and every
/// fifth already exists.
fn many_who_only_add_are_all_kept_and_the_failing_ones_refused_alone(database: &TestDatabase) {
    const THREADS: i64 = 16;
    const EACH: i64 = 30;
    let store = probe::open(database);
    store
        .write(|tx| {
            (0..THREADS * EACH)
                .step_by(5)
                .try_for_each(|id| insert_later(tx, id, 7))
        })
        .unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let store = &store;
            scope.spawn(move || {
                for id in (0..EACH).map(|number| thread * EACH + number) {
                    let outcome = store.write(move |tx| {
                        insert_later(tx, id, if id % 3 == 0 { -1 } else { 1 })?;
                        tx.execute_later(&probe::INSERT_CHILD, values![id, id])?;
                        insert_later(tx, 1_000_000 + id, 1)
                    });
                    match outcome {
                        Ok(()) => assert!(id % 3 != 0 && id % 5 != 0, "{id}"),
                        Err(Error::Conflict { constraint }) => {
                            assert_eq!((constraint.as_str(), id % 5), ("probe(id)", 0), "{id}");
                        }
                        Err(Error::Constraint { statement, .. }) => {
                            assert_eq!((statement, id % 3), (probe::INSERT.name(), 0), "{id}");
                        }
                        Err(other) => panic!("{id}: {other:?}"),
                    }
                }
            });
        }
    });
    let whole = |id: &i64| id % 3 != 0 && id % 5 != 0;
    let (kept, there) = (
        (0..THREADS * EACH).filter(whole).count(),
        (0..THREADS * EACH).step_by(5).count(),
    );
    assert_eq!(count(&store), i64::try_from(2 * kept + there).unwrap());
    let children = store.read(|tx| tx.query_one(&probe::COUNT_CHILDREN, values![])?.get::<i64>("total"));
    assert_eq!(children.unwrap(), i64::try_from(kept).unwrap());
}

fn numbers_are_given_to_one_only(database: &TestDatabase) {
    const THREADS: usize = 12;
    const EACH: usize = 20;
    let store = probe::open(database);
    // SQLite's numbers are those of rows, which only one transaction at a time may add.
    let adds_rows = matches!(database.settings(), store::Settings::Sqlite { .. });
    let given: Vec<Numbers> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let store = &store;
                scope.spawn(move || {
                    let take = |number: usize| {
                        let parts = i64::try_from((thread + number) % 4).unwrap();
                        store.write(move |tx| {
                            // Includes reserving numbers within a transaction that has begun.
                            if number.is_multiple_of(5) {
                                tx.query_one(&probe::COUNT, values![])?;
                            }
                            let numbers = tx.numbers(&probe::NUMBERS, parts)?;
                            assert_eq!(i64::try_from(numbers.parts.len()).unwrap(), parts);
                            if adds_rows {
                                for id in [numbers.whole].iter().chain(&numbers.parts) {
                                    tx.execute(&probe::TAKEN, values![*id])?;
                                }
                            }
                            Ok::<_, Error>(numbers)
                        })
                    };
                    (0..EACH).map(|number| take(number).unwrap()).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(given.len(), THREADS * EACH);
    let all: Vec<i64> = given
        .iter()
        .flat_map(|numbers| std::iter::once(numbers.whole).chain(numbers.parts.iter().copied()))
        .collect();
    let distinct: HashSet<i64> = all.iter().copied().collect();
    assert_eq!(distinct.len(), all.len());
}

/// Each caller adds a row and counts. A caller that gets another's result must find its own row in it.
fn a_question_that_many_ask_is_answered_from_after_it_was_asked(database: &TestDatabase) {
    let store = probe::open(database);
    let written = AtomicI64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..12_i64 {
            let (store, written) = (&store, &written);
            scope.spawn(move || {
                for number in 0..30 {
                    store.write(move |tx| insert(tx, thread * 30 + number, 1)).unwrap();
                    let at_least = written.fetch_add(1, Ordering::SeqCst) + 1;
                    let found = store.read_one(|tx| tx.query_one(&probe::COUNT, values![])?.get::<i64>("total"));
                    let found = found.unwrap();
                    assert!(found >= at_least, "{found} of at least {at_least}");
                }
            });
        }
    });
}

fn write_or_fail(store: &Store, id: i64) -> bool {
    store
        .write(move |tx| {
            insert(tx, id, 1)?;
            // A duplicate, so the statement fails, and only this request with it.
            if id % 3 == 0 {
                insert(tx, id, 1)?;
            }
            Ok::<_, Error>(())
        })
        .is_ok()
}

fn what_was_answered_is_there_after_reopening(database: &TestDatabase) {
    let store = probe::open(database);
    store.write(|tx| insert(tx, 1, 1)).unwrap();
    drop(store);
    assert_eq!(count(&Store::open(database.settings()).unwrap()), 1);
}

fn a_read_sees_what_was_written_before_it(database: &TestDatabase) {
    let store = probe::open(database);
    for id in 0..50 {
        store.write(move |tx| insert(tx, id, 1)).unwrap();
        assert_eq!(count(&store), id + 1);
    }
}

fn a_read_must_not_write(database: &TestDatabase) {
    let store = probe::open(database);
    let error = store.read(|tx| insert(tx, 1, 1)).unwrap_err();
    assert!(matches!(error, Error::Statement { .. }), "{error:?}");
    assert_eq!(count(&store), 0);
}

fn a_read_of_one_statement_reads_one_statement(database: &TestDatabase) {
    let store = probe::open(database);
    for id in 0..50 {
        store.write(move |tx| insert(tx, id, 1)).unwrap();
        let found = store
            .read_one(move |tx| tx.query_one(&probe::BY_ID, values![id]))
            .unwrap();
        assert_eq!(found.get::<u32>("amount").unwrap(), 1);
    }
    let error = store.read_one(|tx| insert(tx, 100, 1)).unwrap_err();
    assert!(matches!(error, Error::Statement { .. }), "{error:?}");
    let error = store
        .read_one(|tx| {
            tx.query_one(&probe::BY_ID, values![1])?;
            tx.query_one(&probe::BY_ID, values![2])
        })
        .unwrap_err();
    assert!(matches!(error, Error::Statement { .. }), "{error:?}");
    // A failure does not affect the next query.
    assert!(store.read_one(|tx| tx.query_one(&probe::BY_ID, values![1, 2])).is_err());
    assert_eq!(count(&store), 50);
}

fn a_change_of_one_statement_is_one_statement_and_kept_or_undone_as_a_whole(database: &TestDatabase) {
    let store = probe::open(database);
    let change = |id: i64| {
        store.write_one_relaxed(move |tx| {
            tx.query_one(&probe::INSERT_RELAXED, values![id, format!("row {id}")])?
                .get::<i64>("id")
        })
    };
    assert_eq!(change(1).unwrap(), 1);
    assert_eq!(count(&store), 2, "with its copy");
    store.write(|tx| insert(tx, 2, 1)).unwrap();
    assert!(change(2).unwrap_err().is_conflict_on("probe(id)"));
    assert_eq!(count(&store), 3, "nor is the copy there");

    let refused = store.write_one_relaxed(|tx| insert(tx, 3, 1)).unwrap_err();
    assert!(matches!(refused, Error::Statement { .. }), "{refused:?}");
    let refused = store
        .write_one_relaxed(|tx| tx.query(&probe::INSERT_RETURNING, values!["row 3", 3]))
        .unwrap_err();
    assert!(matches!(refused, Error::Statement { .. }), "it would wait: {refused:?}");
    assert_eq!(count(&store), 3);
    assert_eq!(change(4).unwrap(), 4, "what failed leaves nothing behind");
}

fn a_duplicate_is_a_conflict_that_names_its_key(database: &TestDatabase) {
    let store = probe::open(database);
    let twice = |first: i64, second: i64| {
        store
            .write(move |tx| {
                for id in [first, second] {
                    tx.query(&probe::INSERT_RETURNING, values!["word", id])?;
                }
                Ok::<_, Error>(())
            })
            .unwrap_err()
    };
    let error = twice(1, 2);
    assert!(error.is_conflict_on("probe(word)"), "{error:?}");
    let error = store
        .write(|tx| {
            insert(tx, 1, 1)?;
            insert(tx, 1, 1)
        })
        .unwrap_err();
    assert!(error.is_conflict_on("probe(id)"), "{error:?}");
    assert_eq!(count(&store), 0);
}

fn a_broken_check_is_named(database: &TestDatabase) {
    let store = probe::open(database);
    let error = store.write(|tx| insert(tx, 1, -1)).unwrap_err();
    assert!(
        matches!(error, Error::Constraint { statement, .. } if statement == probe::INSERT.name()),
        "{error:?}"
    );
}

fn a_failed_statement_spoils_the_transaction(database: &TestDatabase) {
    let store = probe::open(database);
    let seen = store
        .write(|tx| {
            insert(tx, 1, 1)?;
            assert!(insert(tx, 1, 1).is_err());
            let after = insert(tx, 2, 1).unwrap_err();
            assert!(matches!(after, Error::Spoiled), "{after:?}");
            // The closure ignores the error, but the store does not.
            Ok::<_, Error>(())
        })
        .unwrap_err();
    assert!(matches!(seen, Error::Spoiled), "{seen:?}");
    assert_eq!(count(&store), 0);
}

#[derive(Debug)]
enum Mine {
    Refused,
    Store(Error),
}

impl From<Error> for Mine {
    fn from(error: Error) -> Self {
        Mine::Store(error)
    }
}

fn an_error_of_the_caller_undoes_its_work(database: &TestDatabase) {
    let store = probe::open(database);
    let outcome = store.write(|tx| {
        insert(tx, 1, 1)?;
        Err::<(), Mine>(Mine::Refused)
    });
    assert!(matches!(outcome, Err(Mine::Refused)), "{outcome:?}");
    let outcome = store.write(|tx| {
        insert(tx, 1, 1)?;
        insert(tx, 1, 1).map_err(Mine::from)
    });
    assert!(
        matches!(outcome, Err(Mine::Store(Error::Conflict { .. }))),
        "{outcome:?}"
    );
    assert_eq!(count(&store), 0);
}

fn of_two_changes_of_one_revision_one_wins(database: &TestDatabase) {
    let store = probe::open(database);
    store.write(|tx| insert(tx, 1, 0)).unwrap();
    let start = Arc::new(Barrier::new(8));
    let winners: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..=8)
            .map(|amount| {
                let (store, start) = (store.clone(), Arc::clone(&start));
                scope.spawn(move || {
                    start.wait();
                    store.write(move |tx| tx.execute_one(&probe::CHANGE, values![amount, 1, 1]))
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| match thread.join().unwrap() {
                Ok(()) => 1,
                Err(Error::RowCount {
                    expected: 1, found: 0, ..
                }) => 0,
                Err(other) => panic!("{other:?}"),
            })
            .sum()
    });
    assert_eq!(winners, 1);
}

fn increments_by_read_and_write_are_never_lost(database: &TestDatabase) {
    let store = probe::open(database);
    store.write(|tx| insert(tx, 1, 0)).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let store = store.clone();
            scope.spawn(move || {
                for _ in 0..20 {
                    store
                        .write(|tx| {
                            let row = tx.query_one(&probe::BY_ID, values![1])?;
                            let (amount, revision): (i64, i64) = (row.get("amount")?, row.get("revision")?);
                            tx.execute_one(&probe::CHANGE, values![amount + 1, 1, revision])
                        })
                        .unwrap();
                }
            });
        }
    });
    let row = store.read(|tx| tx.query_one(&probe::BY_ID, values![1])).unwrap();
    assert_eq!(row.get::<i64>("amount").unwrap(), 80);
}

/// A deferred foreign key fails at a commit shared with others, whose changes are kept.
fn a_missing_parent_fails_at_the_commit_and_harms_nobody_else(database: &TestDatabase) {
    let store = probe::open(database);
    let start = Arc::new(Barrier::new(8));
    let runs = Arc::new(AtomicU32::new(0));
    std::thread::scope(|scope| {
        for id in 0..8 {
            let (store, start) = (store.clone(), Arc::clone(&start));
            let runs = Arc::clone(&runs);
            scope.spawn(move || {
                start.wait();
                let outcome = store.write(move |tx| {
                    runs.fetch_add(1, Ordering::Relaxed);
                    if id == 3 {
                        tx.execute_one(&probe::INSERT_CHILD, values![id, 99])
                    } else {
                        insert(tx, id, 1)
                    }
                });
                if id == 3 {
                    assert!(matches!(outcome, Err(Error::Commit { .. })), "{outcome:?}");
                } else {
                    outcome.unwrap();
                }
            });
        }
    });
    assert_eq!(count(&store), 7);
    assert!(runs.load(Ordering::Relaxed) >= 8);
}

fn a_panic_undoes_its_work_and_the_store_goes_on(database: &TestDatabase) {
    let store = probe::open(database);
    // More panics than threads, so that each thread would have died.
    for _ in 0..20 {
        let error = store
            .write(|tx| {
                insert(tx, 1, 1)?;
                panic_as_a_use_case_would()
            })
            .unwrap_err();
        assert!(
            matches!(&error, Error::Panicked { message } if message == "the test's own panic"),
            "{error:?}"
        );
        let error = store
            .read(|_| -> Result<(), Error> { panic!("in a read") })
            .unwrap_err();
        assert!(matches!(error, Error::Panicked { .. }), "{error:?}");
    }
    assert_eq!(count(&store), 0);
    store.write(|tx| insert(tx, 1, 1)).unwrap();
    assert_eq!(count(&store), 1);
}

/// A separate function, so that the closure has a return type of its own.
fn panic_as_a_use_case_would() -> Result<(), Error> {
    panic!("the test's own panic")
}

fn a_transaction_inside_a_transaction_is_refused(database: &TestDatabase) {
    let store = probe::open(database);
    let inner = store.clone();
    let error = store
        .write(move |_| inner.read(|tx| tx.query(&probe::COUNT, values![]).map(drop)))
        .unwrap_err();
    assert!(matches!(error, Error::Nested), "{error:?}");
}

fn u0000_in_a_text_is_refused(database: &TestDatabase) {
    let store = probe::open(database);
    let error = store
        .write(|tx| tx.query(&probe::INSERT_RETURNING, values!["a\0b", 1]))
        .unwrap_err();
    assert!(matches!(error, Error::Parameter { position: 1, .. }), "{error:?}");
}

fn a_wrong_number_of_parameters_is_an_error(database: &TestDatabase) {
    let store = probe::open(database);
    for parameters in [vec![], vec![Value::from(1), Value::from(2)]] {
        let error = store.read(move |tx| tx.query(&probe::BY_ID, &parameters)).unwrap_err();
        assert!(matches!(error, Error::Statement { .. }), "{error:?}");
    }
}

fn a_statement_the_database_refuses_is_named(database: &TestDatabase) {
    let store = probe::open(database);
    let error = store.read(|tx| tx.query(&probe::NONSENSE, values![])).unwrap_err();
    assert!(
        matches!(error, Error::Statement { statement, .. } if statement == probe::NONSENSE.name()),
        "{error:?}"
    );
}

fn a_fraction_is_refused(database: &TestDatabase) {
    let store = probe::open(database);
    let error = store.read(|tx| tx.query(&probe::FRACTION, values![])).unwrap_err();
    assert!(
        matches!(&error, Error::Column { column, .. } if column == "half"),
        "{error:?}"
    );
}

fn a_column_of_another_kind_is_named(database: &TestDatabase) {
    let store = probe::open(database);
    let row = store
        .write(|tx| tx.query_one(&probe::INSERT_RETURNING, values!["word", 1]))
        .unwrap();
    for error in [
        row.get::<i64>("word").map(drop).unwrap_err(),
        row.get::<bool>("word").map(drop).unwrap_err(),
        row.parse("word", str::parse::<u8>).map(drop).unwrap_err(),
    ] {
        assert!(
            matches!(&error, Error::Column { column, .. } if column == "word"),
            "{error:?}"
        );
    }
    assert!(row.get::<i64>("absent").is_err());
}

fn a_row_too_few_is_an_error(database: &TestDatabase) {
    let store = probe::open(database);
    let error = store.read(|tx| tx.query_one(&probe::BY_ID, values![1])).unwrap_err();
    assert!(matches!(error, Error::RowCount { found: 0, .. }), "{error:?}");
}

fn migrating_twice_changes_nothing(database: &TestDatabase) {
    let store = database.open();
    assert_eq!(store.migrate().unwrap(), Vec::<String>::new());
    assert!(
        store
            .read(|tx| tx.query_one(&store::sql::schema::PING, values![]))
            .is_ok()
    );
}
