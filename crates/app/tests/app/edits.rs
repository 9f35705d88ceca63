//! Edits rows and files of a completed workflow at random, and tests that each edit that changes displayed content is
//! detected.

use std::collections::BTreeMap;
use std::time::Duration;

use domain::WorkflowId;
use store::compare::UNPROVED;
use store::{Row, Statement, Value, values};
use testkit::scale::Scale;

use crate::support::{TestApp, on_both};
use crate::world::{World, act, fields_of_first, given, id_of, origin, two_steps};

/// The tables whose rows are compared with the chain of a workflow, and the column with the workflow's ID.
const TABLES: [(&str, &str); 6] = [
    ("workflow", "id"),
    ("recipient", "workflow_id"),
    ("field_value", "workflow_id"),
    ("sealed_document", "workflow_id"),
    ("audit_entry", "workflow_id"),
    ("template_version", "template_id"),
];

/// Tables with rows about a workflow that its chain does not cover, and the reason.
const OTHER_TABLES: &[(&str, &str)] = &[
    (
        "blob_reference",
        "which files are needed: fsck compares it with the files",
    ),
    ("bulk_row", "which row of a bulk send became it; nobody signs by it"),
    ("draft", "there is none of a finished workflow"),
    (
        "outbox",
        "where messages are now, which the server itself changes; certificate and history read the chain's entries",
    ),
    ("public_link_use", "counts the uses of a public link"),
];

/// A random source that is the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % below
    }
}

/// Builds a statement at run time, with the same text for both databases.
pub(crate) fn statement(text: String) -> &'static Statement {
    let text: &'static str = text.leak();
    let both: &'static [&'static str] = Box::leak(Box::new([text]));
    // The store caches statements by their names.
    Box::leak(Box::new(Statement::new(text, both, text)))
}

/// Creates a completed workflow with as many features as possible.
fn rich(world: &World<'_>, app: &TestApp) -> WorkflowId {
    let mut request = world.request();
    request.comment = Some("Please sign soon".to_owned());
    request.cc = vec![app::StartCopy {
        name: Some("Copied".to_owned()),
        email: Some("copied@example.com".to_owned()),
    }];
    let id = id_of(&world.start(request));
    let key = world.playing_key(id);
    app.record_viewed(&key, &origin()).expect("viewed");
    let mut first = act(fields_of_first());
    first.comment = Some("Agreed".to_owned());
    world.approve(id, first).expect("the first approval");
    world
        .approve(id, act(vec![given("pay", "3000000")]))
        .expect("the last approval");
    id
}

/// Returns a different value of the same kind.
fn edited(dice: &mut Dice, value: &Value) -> Value {
    match value {
        Value::Null => [Value::Integer(1), Value::Text("x".to_owned()), Value::Blob(vec![1; 32])][dice.roll(3)].clone(),
        _ if dice.roll(12) == 0 => Value::Null,
        Value::Bool(value) => Value::Bool(!value),
        Value::Integer(value) => match dice.roll(3) {
            0 => Value::Integer(value ^ 1),
            1 => Value::Integer(value + 1),
            _ => Value::Integer(value + 1_000_000),
        },
        Value::Blob(bytes) => {
            let mut bytes = bytes.clone();
            match bytes.len() {
                0 => bytes.push(1),
                length => bytes[dice.roll(length)] ^= 1 << dice.roll(8),
            }
            Value::Blob(bytes)
        }
        Value::Text(text) => {
            let mut characters: Vec<char> = text.chars().collect();
            let place = dice.roll(characters.len() + 1);
            match characters.get_mut(place) {
                Some(character) if dice.roll(2) == 0 => *character = if *character == 'z' { 'y' } else { 'z' },
                _ => characters.insert(place, 'z'),
            }
            Value::Text(characters.into_iter().collect())
        }
    }
}

/// Sets one column of one row of the table, which is found by the key in its other columns.
fn set(app: &TestApp, table: &str, row: &Row, column: &str, (from, to): (&Value, &Value)) -> bool {
    let key: &[&str] = match table {
        "workflow" | "recipient" => &["id"],
        "field_value" => &["workflow_id", "field_name"],
        "sealed_document" => &["workflow_id"],
        "template_version" => &["template_id", "version"],
        _ => &["workflow_id", "sequence"],
    };
    let mut parameters = vec![to.clone()];
    let conditions: Vec<String> = key
        .iter()
        .map(|name| {
            // If the key itself was edited, the row is found by its new value.
            let value = if *name == column {
                from
            } else {
                row.value(name).expect("a key")
            };
            parameters.push(value.clone());
            format!("{name} = ${}", parameters.len())
        })
        .collect();
    let update = statement(format!(
        "UPDATE {table} SET {column} = $1 WHERE {}",
        conditions.join(" AND ")
    ));
    app.store
        .write(move |tx| tx.execute(update, &parameters))
        .is_ok_and(|touched| touched == 1)
}

fn is_unproved(table: &str, column: &str) -> bool {
    UNPROVED
        .iter()
        .any(|(unproved, name, _)| (*unproved, *name) == (table, column))
}

#[test]
fn all_random_edits_of_rows_are_found_and_named() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = rich(&world, app);
        let template = app.workflow(&world.caller, id).expect("the workflow").template_id;
        let clean = app.audit_verify().expect("a report");
        assert!(clean.is_clean(), "{:?}", clean.faults);
        let rows: Vec<(&str, Row)> = TABLES
            .into_iter()
            .flat_map(|(table, column)| {
                let select = statement(format!("SELECT * FROM {table} WHERE {column} = $1"));
                let of: i64 = if table == "template_version" {
                    template
                } else {
                    id.get()
                };
                let rows = app.store.read(move |tx| tx.query(select, values![of])).expect("rows");
                assert!(!rows.is_empty(), "{table}");
                rows.into_iter().map(move |row| (table, row))
            })
            .collect();
        // Each column has the same probability, regardless of the number of rows in its table.
        let mut places: BTreeMap<(&str, &str), Vec<&Row>> = BTreeMap::new();
        for (table, row) in &rows {
            for column in row.columns() {
                places.entry((table, column)).or_default().push(row);
            }
        }
        for (table, column, _) in UNPROVED {
            assert!(
                places.contains_key(&(*table, *column)),
                "{table} has no column {column}"
            );
        }
        let places: Vec<_> = places.into_iter().collect();
        let edits = Scale::Edits.count() as usize;
        assert!(edits > places.len(), "each column is edited");
        let mut dice = Dice(18);
        let (mut found, mut refused, mut unproved) = (0, 0, 0);
        for number in 0.. {
            if found + unproved == edits {
                break;
            }
            let ((table, column), rows) = &places[if number < places.len() {
                number
            } else {
                dice.roll(places.len())
            }];
            let row = rows[dice.roll(rows.len())];
            let before = row.value(column).expect("a column");
            let after = edited(&mut dice, before);
            if !set(app, table, row, column, (before, &after)) {
                // Refused by a key, type or constraint of the database.
                refused += 1;
                continue;
            }
            let report = app.audit_verify().expect("a report");
            let is_found = report.faults.iter().any(|fault| fault.workflow == id);
            if is_found {
                found += 1;
            } else {
                assert!(
                    is_unproved(table, column),
                    "{table}.{column}: {before:?} became {after:?}"
                );
                unproved += 1;
            }
            assert!(
                set(app, table, row, column, (&after, before)),
                "{table}.{column} is put back"
            );
        }
        assert!(app.audit_verify().expect("a report").is_clean(), "all is put back");
        eprintln!("{found} found, {refused} refused by the database, {unproved} of what nobody reads");
        assert!(
            found * 10 > edits * 7,
            "{found} found, {refused} refused, {unproved} unproved"
        );
    });
}

#[test]
fn a_difference_names_table_row_and_entry() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = rich(&world, app);
        let update = statement("UPDATE workflow SET name = 'Another' WHERE id = $1".to_owned());
        app.store
            .write(move |tx| tx.execute(update, values![id]))
            .expect("an edit");
        let report = app.audit_verify().expect("a report");
        let named: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
        let company = &world.company;
        assert_eq!(
            named,
            [format!(
                "workflow {id} of company {company}: table workflow, row {id}, column name differs from entry 1 of its chain"
            )]
        );
    });
}

#[test]
fn every_table_with_rows_about_a_workflow_is_compared_or_named_with_a_reason() {
    let app = TestApp::new(testkit::database::TestDatabase::sqlite());
    let tables = statement(
        "SELECT DISTINCT t.name AS name FROM sqlite_master t JOIN pragma_table_info(t.name) c \
         WHERE t.type = 'table' AND c.name = 'workflow_id' ORDER BY t.name"
            .to_owned(),
    );
    let names: Vec<String> = app
        .store
        .read(move |tx| tx.query(tables, values![])?.iter().map(|row| row.get("name")).collect())
        .expect("tables");
    assert!(names.len() > 5, "{names:?}");
    for name in names {
        let is_known =
            TABLES.iter().any(|(table, _)| *table == name) || OTHER_TABLES.iter().any(|(table, _)| *table == name);
        assert!(is_known, "{name} is neither compared nor named here with a reason");
    }
}

#[test]
fn all_random_edits_of_files_are_found_and_named() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        rich(&world, app);
        assert!(app.fsck(Duration::ZERO).expect("a report").is_clean());
        let files = app.blobs.list().expect("a list");
        let mut dice = Dice(18);
        for _ in 0..Scale::Edits.count() / 5 {
            let hash = files[dice.roll(files.len())].hash;
            let name = hash.to_string();
            let path = app.files.path().join(&name[..2]).join(&name);
            let before = std::fs::read(&path).expect("a file");
            let mut after = before.clone();
            match dice.roll(4) {
                0 => after.truncate(dice.roll(before.len())),
                1 => after.push(0),
                2 => {
                    let place = dice.roll(after.len());
                    after[place] ^= 1 << dice.roll(8);
                }
                _ => after.clear(),
            }
            std::fs::write(&path, &after).expect("written");
            let report = app.audit_verify().expect("a report");
            let named: Vec<String> = report.file_faults.iter().map(ToString::to_string).collect();
            assert!(named.iter().any(|named| named.contains(&name)), "{name}: {named:?}");
            std::fs::write(&path, &before).expect("put back");
        }
        assert!(app.audit_verify().expect("a report").is_clean());
    });
}
