//! What only a server elsewhere can do to us.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use store::{Error, Settings, Store, values};
use testkit::database::TestDatabase;

use crate::probe::{self, count, insert};

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

#[test]
fn a_connection_lost_at_the_commit_is_told_and_not_tried_again() {
    let database = Arc::new(TestDatabase::postgres());
    let store = probe::open(&database);
    let runs = Arc::new(AtomicU32::new(0));
    let (cut, ran) = (Arc::clone(&database), Arc::clone(&runs));
    let outcome = store.write(move |tx| {
        insert(tx, 1, 1)?;
        ran.fetch_add(1, Ordering::Relaxed);
        cut.cut_connections();
        Ok::<_, Error>(())
    });
    match outcome {
        Err(Error::CommitUnknown { .. }) => assert_eq!(runs.load(Ordering::Relaxed), 1),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_address_that_does_not_answer_is_told_at_opening() {
    let settings = Settings::Postgres {
        url: "postgres://nobody@127.0.0.1:1/none".to_owned(),
        connections: 1,
    };
    let error = Store::open(&settings).map(drop).unwrap_err();
    assert!(matches!(error, Error::Open { .. }), "{error:?}");
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
