//! Tests checkpoints: rows that were deleted, put back or restored in the database are detected.

use app::CheckpointFault;
use domain::{ChainFormat, CompanyId, WorkflowId};
use store::{Row, Value, values};
use testkit::operator::operator;

use crate::chain_formats::{of_an_earlier_version, rewrite};
use crate::check::completed;
use crate::edits::statement;
use crate::support::{TestApp, on_both};
use crate::world::{World, origin, two_steps};

/// The tables with rows of a workflow, in an order that allows deleting them.
const TABLES: [(&str, &str); 6] = [
    ("audit_entry", "workflow_id"),
    ("field_value", "workflow_id"),
    ("recipient", "workflow_id"),
    ("sealed_document", "workflow_id"),
    ("blob_reference", "workflow_id"),
    ("workflow", "id"),
];

type Saved = Vec<(&'static str, Vec<Row>)>;

fn saved(app: &TestApp, id: WorkflowId) -> Saved {
    TABLES
        .into_iter()
        .map(|(table, column)| {
            let select = statement(format!("SELECT * FROM {table} WHERE {column} = $1"));
            let rows = app.store.read(move |tx| tx.query(select, values![id])).expect("rows");
            (table, rows)
        })
        .collect()
}

fn delete(app: &TestApp, id: WorkflowId) {
    app.store
        .write(move |tx| {
            for (table, column) in TABLES {
                tx.execute(
                    statement(format!("DELETE FROM {table} WHERE {column} = $1")),
                    values![id],
                )?;
            }
            Ok::<_, store::Error>(())
        })
        .expect("deleted");
}

/// Restores the rows of a workflow.
fn put_back(app: &TestApp, id: WorkflowId, saved: &Saved) {
    delete(app, id);
    let saved = saved.clone();
    app.store
        .write(move |tx| {
            for (table, rows) in saved.iter().rev() {
                for row in rows {
                    let columns = row.columns();
                    let places: Vec<String> = (1..=columns.len()).map(|number| format!("${number}")).collect();
                    let insert = format!(
                        "INSERT INTO {table} ({}) VALUES ({})",
                        columns.join(", "),
                        places.join(", ")
                    );
                    let values: Vec<Value> = columns
                        .iter()
                        .map(|name| row.value(name).expect("a value").clone())
                        .collect();
                    tx.execute(statement(insert), &values)?;
                }
            }
            Ok::<_, store::Error>(())
        })
        .expect("put back");
}

/// Writes checkpoints an hour later.
fn checkpoint(app: &TestApp) -> u64 {
    app.clock.advance(3_600);
    app.write_checkpoints().expect("checkpoints")
}

fn found(app: &TestApp) -> Vec<CheckpointFault> {
    let report = app.audit_verify().expect("a report");
    assert_eq!(report.faults, [], "no chain contradicts itself");
    report.checkpoints.faults
}

#[test]
fn deleted_workflows_and_old_rows_are_found_until_the_operator_accepts_them() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let company = || world.company.clone();
        let (kept, deleted, old) = (completed(&world), completed(&world), completed(&world));
        let before = saved(app, old);
        assert_eq!(checkpoint(app), 1);
        app.discard(&world.caller, old, &origin()).expect("hidden");
        app.discard(&world.caller, kept, &origin()).expect("hidden");
        assert_eq!(checkpoint(app), 1);
        assert_eq!(found(app), [], "a hidden workflow is not a deleted one");

        delete(app, deleted);
        put_back(app, old, &before);
        let is_expected = |faults: &[CheckpointFault]| {
            matches!(faults, [
                CheckpointFault::Deleted { workflow: gone, .. },
                CheckpointFault::RolledBack { workflow, found, recorded, .. },
            ] if (*gone, *workflow) == (deleted, old) && found < recorded)
        };
        let first = found(app);
        assert!(is_expected(&first), "{first:?}");
        // Later checkpoints remember what was lost, and entries after the old rows form a different chain.
        app.document(&world.caller, kept, &origin()).expect("a download");
        assert_eq!(checkpoint(app), 1);
        let later = found(app);
        assert!(is_expected(&later), "{later:?}");
        for _ in 0..3 {
            app.clock.advance(7_200);
            app.document(&world.caller, old, &origin()).expect("a download");
        }
        assert_eq!(checkpoint(app), 1);
        let rewritten = found(app);
        assert!(
            matches!(&rewritten[..], [CheckpointFault::Deleted { .. }, CheckpointFault::Rewritten { workflow, .. }] if *workflow == old),
            "{rewritten:?}"
        );

        app.restart_checkpoints(&operator(app, &company())).expect("restarted");
        let report = app.audit_verify().expect("a report");
        assert_eq!(report.checkpoints.faults, []);
        assert_eq!(report.checkpoints.restarted, [(company(), app.now())]);
        assert_eq!(checkpoint(app), 1);
        assert_eq!(found(app), []);
    });
}

#[test]
fn a_restored_older_database_is_found() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let first = completed(&world);
        assert_eq!(checkpoint(app), 1);
        let backup = saved(app, first);
        app.discard(&world.caller, first, &origin()).expect("hidden");
        let second = completed(&world);
        assert_eq!(checkpoint(app), 1);
        // Restores all rows of workflows in the database from the backup.
        put_back(app, first, &backup);
        delete(app, second);
        let faults = found(app);
        assert!(
            matches!(&faults[..], [CheckpointFault::RolledBack { workflow, .. }, CheckpointFault::Deleted { workflow: gone, .. }]
                if (*workflow, *gone) == (first, second)),
            "{faults:?}"
        );
    });
}

#[test]
fn an_old_chain_that_is_written_again_after_its_first_keying_is_found() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let company = &world.company;
        let id = completed(&world);
        of_an_earlier_version(app, company, id);
        assert_eq!(checkpoint(app), 1);
        assert_eq!(
            app.audit_verify().expect("a report").without_code,
            0,
            "keyed on first use"
        );
        rewrite(app, company, id, ChainFormat::One, |event| {
            if let Some(address) = &mut event.actor.address {
                *address = "198.51.100.1".into();
            }
        });
        // Somebody with access to the database removes the code, and a new one is added.
        let forget = statement("UPDATE workflow SET chain_code = NULL WHERE id = $1".to_owned());
        app.store
            .write(move |tx| tx.execute(forget, values![id]))
            .expect("forgotten");
        assert_eq!(checkpoint(app), 1);
        let faults = found(app);
        assert!(
            matches!(&faults[..], [CheckpointFault::Rewritten { workflow, .. }] if *workflow == id),
            "{faults:?}"
        );
    });
}

#[test]
fn changed_missing_and_replaced_files_of_checkpoints_are_found_and_stop_new_ones() {
    let app = TestApp::new(testkit::database::TestDatabase::sqlite());
    let world = World::new(&app, &two_steps());
    completed(&world);
    assert_eq!(checkpoint(&app), 1);
    completed(&world);
    assert_eq!(checkpoint(&app), 1);
    let folder = app.files.path().join("checkpoints").join(world.company.as_str());
    let first = folder.join("0000000001.json");
    let last = folder.join("0000000002.json");
    let (first_bytes, last_bytes) = (
        std::fs::read(&first).expect("a file"),
        std::fs::read(&last).expect("a file"),
    );
    let text = String::from_utf8(last_bytes.clone()).expect("JSON");
    let segment = std::fs::read_dir(folder.join("segments"))
        .expect("segments")
        .last()
        .expect("one")
        .expect("one")
        .path();
    let is_damaged = || {
        let faults = found(&app);
        let is_damaged = matches!(&faults[..], [CheckpointFault::Damaged { .. }]);
        assert!(is_damaged, "{faults:?}");
        assert_eq!(checkpoint(&app), 0, "none is written over what cannot be confirmed");
    };
    std::fs::write(&last, text.replace("\"workflows\":2", "\"workflows\":1")).expect("written");
    is_damaged();
    std::fs::write(&last, &first_bytes).expect("written");
    is_damaged();
    std::fs::write(&last, &last_bytes).expect("written");
    assert_eq!(found(&app), []);
    let segment_bytes = std::fs::read(&segment).expect("a file");
    for name in std::fs::read_dir(folder.join("segments")).expect("segments") {
        let name = name.expect("one").path();
        if name != segment {
            std::fs::remove_file(name).expect("removed");
        }
    }
    std::fs::write(&segment, &segment_bytes[..40]).expect("written");
    is_damaged();
    app.restart_checkpoints(&operator(&app, &world.company))
        .expect("restarted");
    assert_eq!(found(&app), []);
}

#[test]
fn the_last_checkpoints_are_kept_and_one_an_hour_is_written() {
    let app = TestApp::new(testkit::database::TestDatabase::sqlite());
    let world = World::new(&app, &two_steps());
    completed(&world);
    assert_eq!(checkpoint(&app), 1);
    app.clock.advance(1_800);
    assert_eq!(app.write_checkpoints().expect("checkpoints"), 0);
    for _ in 0..60 {
        assert_eq!(checkpoint(&app), 1);
    }
    completed(&world);
    for _ in 0..60 {
        assert_eq!(checkpoint(&app), 1);
    }
    let company: &CompanyId = &world.company;
    let folder = app.files.path().join("checkpoints").join(company.as_str());
    let count = |folder: std::path::PathBuf| std::fs::read_dir(folder).expect("a folder").count();
    assert_eq!(
        count(folder.clone()),
        48 + 1,
        "the checkpoints, and the folder of segments"
    );
    assert_eq!(count(folder.join("segments")), 1);
    assert_eq!(found(&app), []);
}
