//! Tests `audit verify` and `fsck`: they report nothing for sound data, and detect each kind of manual damage.

use std::collections::BTreeSet;
use std::time::Duration;

use app::{Error, LinksRequest};
use domain::{BlobHash, WorkflowId};
use store::check::FaultKind;
use store::{Statement, values};

use crate::support::{TestApp, on_both};
use crate::uploads::picture;
use crate::world::{World, act, fields_of_first, given, id_of, origin, texts, two_steps};

mod sql {
    store::statements! {
        pub static CHANGE_PAYLOAD = "UPDATE audit_entry SET payload = replace(payload, 'approved', 'returned') \
             WHERE workflow_id = $1";
        pub static CHANGE_TEXT = "UPDATE audit_entry SET texts = replace(texts, '192.0.2.7', '192.0.2.8') \
             WHERE workflow_id = $1";
        pub static CUT_LAST = "DELETE FROM audit_entry WHERE workflow_id = $1 \
             AND sequence = (SELECT max(sequence) FROM audit_entry WHERE workflow_id = $1)";
        pub static CUT_FIRST = "DELETE FROM audit_entry WHERE workflow_id = $1 AND sequence = 1";
        pub static UNSEAL = "DELETE FROM sealed_document WHERE workflow_id = $1";
        pub static REOPEN = "UPDATE workflow SET status = 'Playing', ended_at = NULL WHERE id = $1";
        pub static UNAPPROVE = "UPDATE recipient SET progress = 'waiting', progressed_at = NULL \
             WHERE workflow_id = $1 AND step_order = 1";
        pub static SEALED = "SELECT document_hash FROM sealed_document WHERE workflow_id = $1";
        pub static LET_LINKS_WORK = "UPDATE workflow SET links_revoked_at = NULL WHERE id = $1";
        pub static LENGTHEN = "UPDATE sealed_document SET document_length = document_length + 1 WHERE workflow_id = $1";
    }
}

/// Creates a workflow completed by two signers.
pub(crate) fn completed(world: &World<'_>) -> WorkflowId {
    let id = id_of(&world.start(world.request()));
    world.approve(id, act(fields_of_first())).expect("the first approval");
    world
        .approve(id, act(vec![given("pay", "3000000")]))
        .expect("the last approval");
    id
}

fn tamper(app: &TestApp, statement: &'static Statement, id: WorkflowId) {
    let touched = app
        .store
        .write(move |tx| tx.execute(statement, values![id]))
        .expect("the statement runs");
    assert!(touched > 0, "{} changed nothing", statement.name());
}

pub(crate) fn faults(app: &TestApp) -> Vec<(WorkflowId, FaultKind)> {
    let report = app.audit_verify().expect("a report");
    assert_eq!(report.is_clean(), report.faults.is_empty());
    report
        .faults
        .into_iter()
        .map(|fault| (fault.workflow, fault.kind))
        .collect()
}

#[test]
fn a_sound_installation_is_clean_and_nothing_of_it_is_swept() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let done = completed(&world);
        // An open workflow with a signature in its draft that was not approved.
        let open = id_of(&world.start(world.request()));
        let pixel = given_signature();
        app.fill_in(&world.playing_key(open), &texts(&[("sign", &pixel)]))
            .expect("a draft");
        let files = app.blobs.list().expect("a list").len();

        let report = app.fsck(Duration::ZERO).expect("a report");
        assert!(report.is_clean(), "{report:?}");
        assert_eq!((report.swept.len(), report.young.len()), (0, 0), "{report:?}");
        assert_eq!(report.audit.workflows, 2);
        assert!(report.audit.entries > 8, "{report:?}");
        assert_eq!(app.blobs.list().expect("a list").len(), files);
        assert_ne!(done, open);
    });
}

fn given_signature() -> String {
    let signature = fields_of_first()
        .into_iter()
        .find(|field| field.name.as_deref() == Some("sign"));
    signature.and_then(|field| field.value).expect("a signature")
}

type Expected<'a> = &'a dyn Fn(&FaultKind) -> bool;

#[test]
fn every_edit_of_a_chain_is_found_and_named() {
    let is_chain = |kind: &FaultKind| matches!(kind, FaultKind::Chain(_));
    let is_end = |kind: &FaultKind| matches!(kind, FaultKind::ChainEnd { .. });
    let edits: [(&'static Statement, Expected<'_>); 4] = [
        (&sql::CHANGE_TEXT, &is_chain),
        (&sql::CHANGE_PAYLOAD, &is_chain),
        (&sql::CUT_FIRST, &is_chain),
        (&sql::CUT_LAST, &is_end),
    ];
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut expected = Vec::new();
        completed(&world);
        for (edit, fits) in edits {
            let id = completed(&world);
            tamper(app, edit, id);
            expected.push((id, fits));
        }
        let found = faults(app);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for ((id, kind), (expected, fits)) in found.iter().zip(expected) {
            assert!(*id == expected && fits(kind), "workflow {id}: {kind:?}");
        }
    });
}

#[test]
fn half_a_transition_is_found() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let [unsealed, reopened, unapproved] = [completed(&world), completed(&world), completed(&world)];
        assert_eq!(faults(app), []);
        tamper(app, &sql::UNSEAL, unsealed);
        tamper(app, &sql::REOPEN, reopened);
        tamper(app, &sql::UNAPPROVE, unapproved);
        let found = faults(app);
        for expected in [
            (unsealed, FaultKind::Seal),
            (
                reopened,
                FaultKind::State {
                    chain: "Complete",
                    row: "Playing".to_owned(),
                },
            ),
            (reopened, FaultKind::Seal),
            (reopened, FaultKind::NobodysTurn),
            (unapproved, FaultKind::NotAllApproved),
        ] {
            assert!(found.contains(&expected), "{expected:?} is not among {found:?}");
        }
    });
}

#[test]
fn links_that_work_again_though_the_chain_says_that_they_are_revoked_are_found() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let [revoked, renewed, discarded] = [completed(&world), completed(&world), completed(&world)];
        let change = |id, action: &str| {
            let request = LinksRequest {
                action: Some(action.to_owned()),
                ..LinksRequest::default()
            };
            app.change_links(&world.caller, id, &request, &origin())
                .expect("a change");
        };
        change(revoked, "revoke");
        change(renewed, "revoke");
        change(renewed, "renew");
        app.discard(&world.caller, discarded, &origin()).expect("hidden");
        assert_eq!(faults(app), []);
        tamper(app, &sql::LET_LINKS_WORK, revoked);
        tamper(app, &sql::LET_LINKS_WORK, discarded);
        let found: Vec<_> = faults(app)
            .into_iter()
            .map(|(id, kind)| (id, matches!(kind, FaultKind::Differs { table: "workflow", column, .. } if column == "links_revoked_at")))
            .collect();
        assert_eq!(found, [(revoked, true), (discarded, true)]);
    });
}

#[test]
fn a_file_that_nothing_needs_is_swept_once_it_is_old_enough() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        completed(&world);
        let stray = app.blobs.put(b"what a killed request left").expect("a file");

        let report = app.fsck(Duration::from_hours(1)).expect("a report");
        assert!(report.is_clean() && report.swept.is_empty(), "{report:?}");
        assert_eq!(report.young, [stray]);
        assert!(app.blobs.exists(&stray).expect("an answer"));

        let report = app.fsck(Duration::ZERO).expect("a report");
        assert!(report.is_clean() && report.young.is_empty(), "{report:?}");
        assert_eq!(report.swept, [stray]);
        assert!(!app.blobs.exists(&stray).expect("an answer"));
    });
}

#[test]
fn a_missing_file_and_a_wrong_length_are_reported_with_what_needs_them() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let (lost, longer) = (completed(&world), completed(&world));
        let document = document_of(app, lost);
        app.blobs.delete(&document).expect("the file goes");
        tamper(app, &sql::LENGTHEN, longer);
        let report = app.fsck(Duration::ZERO).expect("a report");
        assert!(!report.is_clean());
        let mut told: Vec<String> = report.audit.file_faults.iter().map(ToString::to_string).collect();
        told.sort_by_key(|text| !text.contains("missing"));
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains(&document.to_string()) && told[0].contains(&format!("workflow {lost} of company")));
        assert!(told[1].contains("bytes, but") && told[1].contains(&format!("workflow {longer} of company")));
    });
}

fn document_of(app: &TestApp, id: WorkflowId) -> BlobHash {
    let row = app
        .store
        .read(move |tx| tx.query_one(&sql::SEALED, values![id]).map_err(Error::from))
        .expect("a row");
    row.get("document_hash").expect("a hash")
}

#[test]
fn the_replaced_files_of_a_draft_are_swept() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(world.request()));
        let key = world.playing_key(id);
        let files = || -> BTreeSet<BlobHash> {
            let listed = app.blobs.list().expect("a list");
            listed.iter().map(|file| file.hash).collect()
        };
        let before = files();
        app.attach(&key, "sign", None, picture(1)).expect("a file");
        let with_first = files();
        app.attach(&key, "sign", None, picture(2)).expect("a file");
        let new = |then: &BTreeSet<BlobHash>, now: &BTreeSet<BlobHash>| {
            let new: Vec<_> = now.difference(then).copied().collect();
            assert_eq!(new.len(), 1);
            new[0]
        };
        let (first, second) = (new(&before, &with_first), new(&with_first, &files()));
        let report = app.fsck(Duration::ZERO).expect("a report");
        assert!(report.is_clean(), "{report:?}");
        assert_eq!(report.swept, [first]);
        assert!(app.blobs.exists(&second).expect("an answer"));

        // Files of an approval are kept, whatever happens to the draft.
        world.approve(id, act(fields_of_first())).expect("an approval");
        let report = app.fsck(Duration::ZERO).expect("a report");
        assert!(report.is_clean(), "{report:?}");
        assert_eq!(report.swept, [second]);
        assert_eq!(app.fsck(Duration::ZERO).expect("a report").swept, []);
    });
}

#[test]
fn whatever_happens_to_a_document_at_the_same_moment_its_chain_tells_of_each() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = completed(&world);
        let before = app.audit_verify().expect("a report").entries;
        let start = std::sync::Barrier::new(12);
        std::thread::scope(|scope| {
            for number in 0..12 {
                let (start, world) = (&start, &world);
                scope.spawn(move || {
                    start.wait();
                    // Downloads of one member from one address are recorded once an hour.
                    let origin = app::Origin {
                        address: Some(format!("192.0.2.{number}")),
                        ..origin()
                    };
                    let file = if number % 2 == 0 {
                        app.document(&world.caller, id, &origin)
                    } else {
                        app.certificate(&world.caller, id, &origin)
                    };
                    file.expect("a file");
                });
            }
        });
        let report = app.audit_verify().expect("a report");
        assert!(report.is_clean(), "{report:?}");
        assert_eq!(report.entries, before + 12);
    });
}

#[test]
fn a_lost_file_is_reported_as_one() {
    let app = TestApp::new(testkit::database::TestDatabase::sqlite());
    let world = World::new(&app, &two_steps());
    let id = completed(&world);
    let document = || app.document(&world.caller, id, &crate::world::origin());
    document().expect("the sealed document");
    let hash = app
        .store
        .read(move |tx| {
            tx.query_one(&sql::SEALED, values![id])?
                .get::<BlobHash>("document_hash")
        })
        .expect("its name");
    app.blobs.delete(&hash).expect("removed by hand");
    let lost = document();
    assert!(
        matches!(&lost, Err(error @ Error::FileLost(_)) if error.to_string().contains("restore it from a backup")),
        "{lost:?}"
    );
}
