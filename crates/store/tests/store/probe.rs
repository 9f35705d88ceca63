//! A table that only the tests use, so that they do not depend on the product's schema.

use store::{Error, Store, Transaction, values};
use testkit::database::TestDatabase;

store::statements! {
    pub static CREATE =
        sqlite "CREATE TABLE probe (
            id INTEGER PRIMARY KEY, word TEXT UNIQUE, bytes BLOB, flag INTEGER,
            amount INTEGER NOT NULL DEFAULT 0 CHECK (amount >= 0), revision INTEGER NOT NULL DEFAULT 1
        ) STRICT",
        postgres "CREATE TABLE probe (
            id BIGINT PRIMARY KEY, word TEXT UNIQUE, bytes BYTEA, flag BOOLEAN,
            amount INTEGER NOT NULL DEFAULT 0 CHECK (amount >= 0), revision BIGINT NOT NULL DEFAULT 1
        )";
    /// Creates a child of the table. The reference to its parent is checked at the commit.
    pub static CREATE_CHILD =
        "CREATE TABLE child (
            id BIGINT PRIMARY KEY,
            parent BIGINT NOT NULL REFERENCES probe (id) DEFERRABLE INITIALLY DEFERRED
        )";
    pub static INSERT_CHILD = "INSERT INTO child (id, parent) VALUES ($1, $2)";
    pub static COUNT_CHILDREN = "SELECT count(*) AS total FROM child";
    /// Creates the source of numbers.
    pub static CREATE_NUMBERS =
        sqlite "CREATE TABLE numbered (id INTEGER PRIMARY KEY)",
        postgres "CREATE SEQUENCE numbered";
    /// Reserves numbers for wholes and parts, which are of one kind here.
    pub static NUMBERS =
        sqlite "WITH RECURSIVE places (place) AS (SELECT 1 UNION ALL SELECT place + 1 FROM places WHERE place < $1 + $2) \
            SELECT place, place + COALESCE((SELECT max(id) FROM numbered), 0) AS id FROM places",
        postgres "SELECT place, nextval('numbered') AS id \
            FROM generate_series(CAST(1 AS BIGINT), CAST($1 AS BIGINT) + CAST($2 AS BIGINT)) AS place";
    /// Uses up a number by adding its row.
    pub static TAKEN = "INSERT INTO numbered (id) VALUES ($1)";
    /// Inserts a row with all columns.
    pub static INSERT =
        "INSERT INTO probe (id, word, bytes, flag, amount) VALUES ($1, $2, $3, $4, $5)";
    /// Inserts a row and returns it.
    pub static INSERT_RETURNING =
        "INSERT INTO probe (id, word) VALUES ($2, $1) RETURNING id, word, revision";
    /// Inserts a row and its copy, without waiting for the disk: one statement on PostgreSQL, two on SQLite.
    pub static INSERT_RELAXED =
        sqlite "INSERT INTO probe (id, word) VALUES ($1 + 1000, 'copy of ' || $2)"
        then "INSERT INTO probe (id, word) VALUES ($1, $2) RETURNING id, 'off' AS synchronous_commit",
        postgres "WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', TRUE) AS setting), \
            copied AS (INSERT INTO probe (id, word) VALUES (CAST($1 AS BIGINT) + 1000, 'copy of ' || CAST($2 AS TEXT))) \
            INSERT INTO probe (id, word) SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT) \
            WHERE (SELECT setting FROM relaxed) = 'off' \
            RETURNING id, current_setting('synchronous_commit') AS synchronous_commit";
    pub static BY_ID = "SELECT id, word, bytes, flag, amount, revision FROM probe WHERE id = $1";
    pub static COUNT = "SELECT count(*) AS total FROM probe";
    /// A change that is guarded by the revision.
    pub static CHANGE =
        "UPDATE probe SET amount = $1, revision = revision + 1 WHERE id = $2 AND revision = $3";
    /// A statement that every database refuses.
    pub static NONSENSE = "SELECT nothing FROM nowhere";
    /// SQLite returns this as a fraction, PostgreSQL as NUMERIC.
    pub static FRACTION = "SELECT 1.5 AS half";
}

pub fn open(database: &TestDatabase) -> Store {
    let store = database.open();
    store
        .write(|tx| {
            tx.execute(&CREATE, values![])?;
            tx.execute(&CREATE_CHILD, values![])?;
            tx.execute(&CREATE_NUMBERS, values![]).map(drop)
        })
        .expect("the probe table is made");
    store
}

/// Inserts a row with only an id and an amount.
pub fn insert(tx: &mut dyn Transaction, id: i64, amount: i64) -> Result<(), Error> {
    tx.execute_one(
        &INSERT,
        values![id, None::<String>, None::<Vec<u8>>, None::<bool>, amount],
    )
}

/// Counts the rows in a separate transaction.
pub fn count(store: &Store) -> i64 {
    store
        .read(|tx| tx.query_one(&COUNT, values![])?.get("total"))
        .expect("the rows can be counted")
}
