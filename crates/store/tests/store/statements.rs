//! Every registered statement is prepared against the migrated schema of both databases.

use std::collections::HashSet;

use store::sql;
use testkit::database::TestDatabase;

#[test]
fn every_statement_prepares_on_both_databases_and_has_the_same_shape() {
    let (sqlite, postgres) = (TestDatabase::sqlite(), TestDatabase::postgres());
    let (sqlite, postgres) = (sqlite.open(), postgres.open());
    let mut names = HashSet::new();
    let mut faults = Vec::new();
    for statement in sql::ALL.iter().copied().flatten() {
        assert!(names.insert(statement.name()), "{} is there twice", statement.name());
        match (sqlite.shape(statement), postgres.shape(statement)) {
            (Ok(one), Ok(other)) if one == other => {}
            (Ok(one), Ok(other)) => faults.push(format!(
                "{}: SQLite says {one:?}, PostgreSQL {other:?}",
                statement.name()
            )),
            (one, other) => faults.extend(
                [one.err(), other.err()]
                    .into_iter()
                    .flatten()
                    .map(|error| error.to_string()),
            ),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(!names.is_empty(), "no statement is registered");
}

/// A statement of a start that does more than add its row would keep starts from being committed together
/// (docs/adr/0020).
#[test]
fn what_a_start_leaves_only_adds_rows() {
    for statement in [
        &sql::workflow::INSERT,
        &sql::workflow::INSERT_RECIPIENT,
        &sql::workflow_audit::APPEND,
        &sql::workflow_value::INSERT,
        &sql::delivery::ENQUEUE,
    ] {
        assert!(statement.adds_one_row(), "{}", statement.name());
    }
}
