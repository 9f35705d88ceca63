//! Tests that files without rows, and files of removed values, are removed, and that no needed file is removed with
//! them.

use std::time::Duration;

use app::{ActRequest, DocumentFault, Error, ImportTemplate, OneOff, StartRequest, Started, TemplateFields};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use document::intake::Wishes;
use domain::BlobHash;
use jiff::SignedDuration;
use serde_json::json;
use testkit::operator::operator;

use crate::support::{TestApp, on_both};
use crate::templates::pdf;
use crate::uploads::{MINUTE, at_present, files, is_there, picture, removed, started};
use crate::world::{World, act, field, fields_of_first, given, id_of, key_of, origin, two_steps, writer};

/// Asserts that all new files are removed a quarter of an hour later, and nothing is left for `fsck`.
fn goes_again(app: &TestApp, before: &[BlobHash], act: impl FnOnce()) {
    let mut before = before.to_vec();
    before.sort();
    act();
    assert!(files(app).len() > before.len(), "it was put before it failed");
    app.clock.advance(14 * MINUTE);
    assert_eq!(removed(app), 0, "a request that has just stored it may still need it");
    app.clock.advance(2 * MINUTE);
    assert!(removed(app) > 0);
    let mut left = files(app);
    left.sort();
    assert_eq!(left, before);
    let report = app.fsck(Duration::ZERO).expect("a report");
    assert!(report.is_clean() && report.swept.is_empty(), "{report:?}");
}

fn signature(number: u32) -> String {
    STANDARD.encode(picture(number))
}

/// Two empty pages, with a different size than those of [`pdf`].
fn other_pdf() -> Vec<u8> {
    let text = String::from_utf8(pdf()).expect("a text");
    text.replace("595 842", "596 843").into_bytes()
}

fn import<'a>(pdf: &'a [u8], fields: &'a [u8]) -> ImportTemplate<'a> {
    ImportTemplate { pdf, fields }
}

#[test]
fn what_was_kept_for_an_import_that_fails_goes() {
    on_both(|app| {
        at_present(app);
        let world = World::new(app, &two_steps());
        let fields = two_steps().to_string();
        let other = other_pdf();
        goes_again(app, &files(app), || {
            app.documents.before_pages(|| Err(DocumentFault::Busy));
            app.import_template(&operator(app, &world.company), &import(&other, fields.as_bytes()))
                .expect_err("its pages cannot be shown");
            app.documents.before_pages(|| Ok(()));
        });
    });
}

#[test]
fn what_was_kept_for_a_document_that_is_sent_once_and_refused_goes() {
    on_both(|app| {
        at_present(app);
        let world = World::new(app, &two_steps());
        let fields = two_steps().to_string();
        let other = other_pdf();
        goes_again(app, &files(app), || {
            let one_off = OneOff {
                pdf: &other,
                fields: TemplateFields::File(fields.as_bytes()),
                wishes: Wishes::default(),
                start: StartRequest {
                    recipients: Vec::new(),
                    ..world.request()
                },
            };
            app.send_once(&world.caller, one_off, &origin())
                .expect_err("nobody would sign it");
        });
    });
}

#[test]
fn what_was_kept_for_an_approval_that_fails_goes() {
    on_both(|app| {
        at_present(app);
        let world = World::new(app, &two_steps());
        let (id, _) = started(&world);
        world.approve(id, act(fields_of_first())).expect("the first approval");
        let document = app
            .template(&operator(app, &world.company), world.template)
            .expect("a template")
            .stored
            .version
            .pdf;
        let bytes = app.blobs.get(&document).expect("a file");
        goes_again(app, &files(app), || {
            app.blobs.delete(&document).expect("the storage is away");
            let last = act(vec![given("pay", "5"), given("stamp", &signature(3))]);
            world.approve(id, last).expect_err("it cannot be sealed");
            app.blobs.put(&bytes).expect("the storage is back");
        });
        let last = act(vec![given("pay", "5"), given("stamp", &signature(3))]);
        world.approve(id, last).expect("the same again");
        app.clock.advance(16 * MINUTE);
        assert_eq!(removed(app), 0);
        app.field_file(&world.caller, id, "stamp").expect("it is there");
        app.document(&world.caller, id, &origin()).expect("a sealed document");
    });
}

/// If more than fifteen minutes pass between storing the files and the transaction that needs them, they may have been
/// removed.
#[test]
fn an_import_so_slow_that_its_files_were_taken_as_loose_is_refused_as_a_whole() {
    on_both(|app| {
        at_present(app);
        let world = World::new(app, &two_steps());
        let before = files(app);
        let (store, clock) = (app.store.clone(), std::sync::Arc::clone(&app.clock));
        app.documents.before_pages(move || {
            clock.advance(16 * MINUTE);
            let now = domain::Clock::now(clock.as_ref());
            let long_ago = now - SignedDuration::from_mins(15);
            let taken = store.write(move |tx| store::loose_file::begin_removal(tx, long_ago, now, 10));
            assert_eq!(taken.expect("taken").files.len(), 1);
            Ok(())
        });
        let fields = two_steps().to_string();
        let other = other_pdf();
        let refused = app
            .import_template(&operator(app, &world.company), &import(&other, fields.as_bytes()))
            .expect_err("its PDF may be gone");
        assert!(matches!(refused, Error::Unavailable { .. }), "{refused:?}");
        app.documents.before_pages(|| Ok(()));
        app.clock.advance(16 * MINUTE);
        assert!(removed(app) > 1);
        assert_eq!(files(app).len(), before.len());
        app.import_template(&operator(app, &world.company), &import(&other, fields.as_bytes()))
            .expect("the same again");
        app.clock.advance(16 * MINUTE);
        assert_eq!(removed(app), 0, "what a template needs stays");
    });
}

#[test]
fn a_file_that_cannot_be_removed_keeps_no_other_and_is_tried_again() {
    on_both(|app| {
        at_present(app);
        let world = World::new(app, &with_attachment());
        let sent: Vec<Vec<u8>> = (0..20).map(|number| format!("file {number}").into_bytes()).collect();
        let shard = |bytes: &[u8]| app.files.path().join(&BlobHash::of(bytes).to_string()[..2]);
        let stuck = &sent[7];
        let also_stuck = sent.iter().filter(|bytes| shard(bytes) == shard(stuck)).count() as u64;
        for bytes in &sent {
            let (_, key) = started(&world);
            app.attach(&key, "scan", None, bytes.clone()).expect("a file");
            app.reject_by_link(&key, Some("no"), &origin()).expect("declined");
        }
        app.clock.advance(16 * MINUTE);
        // Makes the folder unreadable.
        let (folder, away) = (shard(stuck), app.files.path().join("away"));
        std::fs::rename(&folder, &away).expect("moved");
        std::fs::write(&folder, "no folder").expect("written");
        app.remove_loose_files().expect_err("the folder is none");
        std::fs::remove_file(&folder).expect("removed");
        std::fs::rename(&away, &folder).expect("moved back");
        let left = sent.iter().filter(|bytes| is_there(app, bytes)).count() as u64;
        assert_eq!((left, is_there(app, stuck)), (also_stuck, true));
        app.clock.advance(16 * MINUTE);
        assert_eq!(removed(app), also_stuck);
        assert_eq!(app.fsck(Duration::ZERO).expect("a report").swept, []);
    });
}

fn with_attachment() -> serde_json::Value {
    json!({"name": "계약", "steps": [{"order": 1}], "fields": [field("scan", "attachment", 1, 1, 1, &json!({}))]})
}

fn declined(email: Option<&str>) -> ActRequest {
    ActRequest {
        email: email.map(str::to_owned),
        comment: Some("서명을 다시 해 주세요".to_owned()),
        ..ActRequest::default()
    }
}

#[test]
fn the_file_of_a_value_that_is_replaced_goes() {
    on_both(|app| {
        at_present(app);
        let mut fields = two_steps();
        fields["on_reject"] = json!("return");
        let world = World::new(app, &fields);
        let (id, _) = started(&world);
        let first = |number| act(vec![given("성명", "김민준"), given("sign", &signature(number))]);
        let kept = || app.field_file(&world.caller, id, "sign").expect("a file").bytes;
        world.approve(id, first(1)).expect("approved");
        let before = kept();
        world.reject(id, declined(None)).expect("returned");
        app.clock.advance(16 * MINUTE);
        assert_eq!(removed(app), 0, "a value needs it");
        world.approve(id, first(2)).expect("approved");
        app.clock.advance(16 * MINUTE);
        assert_eq!((removed(app), is_there(app, &before)), (1, false));
        let second = vec![given("pay", "5"), given("stamp", &signature(3))];
        world.approve(id, act(second)).expect("the last approval");
        app.clock.advance(16 * MINUTE);
        assert_eq!(removed(app), 0);
        kept();
        app.document(&world.caller, id, &origin()).expect("a sealed document");
        let report = app.fsck(Duration::ZERO).expect("a report");
        assert!(report.is_clean() && report.swept.is_empty(), "{report:?}");
    });
}

/// Two signers share the second step. One has signed when the other returns the document.
#[test]
fn the_file_of_a_value_that_is_taken_away_goes_unless_another_document_needs_it() {
    let template = json!({"name": "back", "steps": [{"order": 1}, {"order": 2, "role": "left"}, {"order": 2, "role": "right"}],
        "on_reject": "return", "fields": [
        field("amount", "text", 1, 1, 1, &json!({})),
        field("ink", "signature", 2, 1, 2, &json!({"role": "left"})),
    ]});
    on_both(|app| {
        at_present(app);
        let world = World::new(app, &template);
        let start = || {
            let mut request = world.request();
            request.recipients = vec![
                writer(1, "A", "a@example.com"),
                writer(2, "L", "l@example.com"),
                writer(2, "R", "r@example.com"),
            ];
            id_of(&world.start(request))
        };
        let sign = |id, number| {
            world.approve(id, act(vec![given("amount", "1,000")])).expect("A");
            let ink = ActRequest {
                email: Some("l@example.com".to_owned()),
                ..act(vec![given("ink", &signature(number))])
            };
            world.approve(id, ink).expect("L");
            app.field_file(&world.caller, id, "ink").expect("a file").bytes
        };
        let give_back = |id| world.reject(id, declined(Some("r@example.com"))).expect("returned");
        let (id, other) = (start(), start());
        let alone = sign(id, 1);
        app.clock.advance(16 * MINUTE);
        assert_eq!((removed(app), is_there(app, &alone)), (0, true));
        give_back(id);
        app.clock.advance(16 * MINUTE);
        assert_eq!((removed(app), is_there(app, &alone)), (1, false));
        let shared = sign(id, 2);
        assert_eq!(sign(other, 2), shared);
        give_back(id);
        app.clock.advance(16 * MINUTE);
        assert_eq!((removed(app), is_there(app, &shared)), (0, true));
        give_back(other);
        app.clock.advance(16 * MINUTE);
        assert_eq!((removed(app), is_there(app, &shared)), (1, false));
        let report = app.fsck(Duration::ZERO).expect("a report");
        assert!(report.is_clean() && report.swept.is_empty(), "{report:?}");
    });
}

#[test]
fn a_preview_keeps_its_files_until_it_expires() {
    on_both(|app| {
        at_present(app);
        let world = World::new(app, &two_steps());
        let before = files(app);
        let request = StartRequest {
            is_preview: true,
            fields: vec![given("sign", &signature(5))],
            ..world.request()
        };
        let Started::Preview { preview_url, .. } = world.try_start(request).expect("a preview") else {
            panic!("it started");
        };
        let token = key_of(&preview_url).token;
        app.clock.advance(23 * 60 * MINUTE);
        assert_eq!((removed(app), files(app).len()), (0, before.len() + 1));
        app.preview(&token).expect("a preview");
        app.clock.advance(60 * MINUTE);
        app.preview(&token).expect_err("it has expired");
        app.sweep_workflow_leftovers().expect("the job runs");
        app.clock.advance(16 * MINUTE);
        assert_eq!((removed(app), files(app).len()), (1, before.len()));
        assert_eq!(app.fsck(Duration::ZERO).expect("a report").swept, []);
    });
}
