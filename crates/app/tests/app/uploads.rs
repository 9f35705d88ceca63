//! Tests uploads from strangers: decoded once, counted against their link, removed when nothing needs them, and refused
//! if the disk is nearly full.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::{Duration, SystemTime};

use app::{DraftSeen, Error, FaultCode, SigningKey};
use document::marks::drawing::figure;
use domain::{BlobHash, Drawing, FieldValue, FileValue, Hand, WorkflowId};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use testkit::operator::operator;

use crate::support::{TestApp, on_both};
use crate::world::{World, act, field, fields_of_first, id_of, key_of, origin, pixel, texts, two_steps};

pub const MINUTE: i64 = 60;

/// Returns a signature picture that differs for each number.
pub fn picture(number: u32) -> Vec<u8> {
    let drawing = Drawing::Typed {
        text: format!("No {number}"),
        hand: Hand::Caveat,
    };
    figure(&drawing).and_then(|figure| figure.png()).expect("a picture")
}

fn refused_with<T: Debug>(result: Result<T, Error>) -> Vec<FaultCode> {
    match result {
        Err(Error::Unprocessable(faults)) => faults.into_iter().map(|fault| fault.code).collect(),
        other => panic!("{other:?}"),
    }
}

fn with_attachment() -> serde_json::Value {
    json!({"name": "계약", "steps": [{"order": 1}], "fields": [
        field("scan", "attachment", 1, 1, 1, &json!({})),
        field("name", "text", 1, 1, 2, &json!({})),
    ]})
}

pub fn started(world: &World<'_>) -> (WorkflowId, SigningKey) {
    let mut request = world.request();
    if world
        .app
        .template(&operator(world.app, &world.company), world.template)
        .expect("a template")
        .stored
        .version
        .steps
        .len()
        < 2
    {
        request.recipients.truncate(1);
    }
    let started = world.start(request);
    (id_of(&started), key_of(started.sign_url.as_deref().expect("embedded")))
}

pub fn files(app: &TestApp) -> Vec<BlobHash> {
    app.blobs.list().expect("a list").iter().map(|file| file.hash).collect()
}

/// Sets the clock to the real time, which file timestamps use.
pub fn at_present(app: &TestApp) {
    app.clock.set(Timestamp::now());
}

pub fn is_there(app: &TestApp, bytes: &[u8]) -> bool {
    app.blobs.exists(&BlobHash::of(bytes)).expect("an answer")
}

pub fn removed(app: &TestApp) -> u64 {
    app.remove_loose_files().expect("the job runs")
}

#[test]
fn a_picture_is_decoded_once_from_its_upload_to_the_sealed_document() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let (id, key) = started(&world);
        app.attach(&key, "sign", None, picture(1)).expect("a file");
        assert_eq!(app.documents.made(), 1);
        app.give_consent(&key, "동의합니다", &origin()).expect("consent");
        app.approve_shown(&key, &texts(&[("성명", "백")]), None, &origin())
            .expect("approved");
        let second = vec![crate::world::given("pay", "5")];
        world.approve(id, act(second)).expect("the last approval");
        app.document(&world.caller, id, &origin()).expect("a sealed document");
        assert_eq!(
            app.documents.made(),
            1,
            "neither the approval nor the stamp decodes it again"
        );
        let kept = app.field_file(&world.caller, id, "sign").expect("the picture").bytes;
        assert!(kept.starts_with(b"\x89PNG") && kept != picture(1), "what a worker made");
    });
}

#[test]
fn a_picture_that_says_it_is_too_large_is_refused_without_a_worker() {
    let app = TestApp::new(testkit::database::TestDatabase::sqlite());
    let world = World::new(&app, &two_steps());
    let (_, key) = started(&world);
    let mut large = pixel();
    // Width and height in the header (W3C PNG 5.6).
    large.splice(16..24, [10_000_u32.to_be_bytes(), 2_001_u32.to_be_bytes()].concat());
    let refused = app.attach(&key, "sign", None, large.clone());
    assert_eq!(refused_with(refused), [FaultCode::PictureTooLarge]);
    let mut request = world.request();
    let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &large);
    request.fields = vec![crate::world::given("sign", &text)];
    assert_eq!(refused_with(world.try_start(request)), [FaultCode::PictureTooLarge]);
    assert_eq!(app.documents.made(), 0);
}

/// Covers pictures stored by an earlier version, which did not redraw them.
#[test]
fn a_picture_of_an_earlier_version_is_redrawn_before_it_is_stamped() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let (id, key) = started(&world);
        let writer = app.open_signing(&key).expect("a page").recipient.expect("a writer").id;
        let hash = app.blobs.put(&picture(1)).expect("a file");
        let (company, at, length) = (world.company.clone(), app.now(), picture(1).len() as u64);
        app.store
            .write(move |tx| {
                let file = json!({"file_name": "mine.png", "media_type": "image/png", "hash": hash, "length": length});
                let draft = json!({"texts": {"성명": "옛날"}, "files": {"sign": file}, "sent": length});
                let held = &mut store::hold(tx, &company, id)?.expect("the workflow");
                store::upload::announce(held, &company, writer, (hash, length), at)?;
                store::upload::name(held, &company, writer, hash)?;
                store::workflow_value::save_draft(held, &company, writer, &draft.to_string(), at)
            })
            .expect("as it was kept");
        app.give_consent(&key, "동의합니다", &origin()).expect("consent");
        app.approve_by_link(&key, 0, &texts(&[]), None, &origin())
            .expect("approved");
        assert_eq!(app.documents.made(), 1, "when it is approved");
        let kept = app.field_file(&world.caller, id, "sign").expect("the picture");
        assert!(kept.bytes != picture(1) && kept.file_name == "mine.png");
        // Also tests a picture that had already been approved in that version.
        let (company, hash) = (world.company.clone(), app.blobs.put(&picture(2)).expect("a file"));
        let stored = store::workflow_value::StoredValue {
            recipient: Some(writer),
            value: FieldValue::File(FileValue {
                file_name: "mine.png".to_owned(),
                media_type: "image/png".to_owned(),
                hash,
                length: picture(2).len() as u64,
                pixels: None,
            }),
            salt: vec![0; 16],
            written_at: app.now(),
        };
        app.store
            .write(move |tx| {
                let held = &mut store::hold(tx, &company, id)?.expect("the workflow");
                store::workflow_value::write(held, &company, id, "sign", &stored)
            })
            .expect("as it was kept");
        world
            .approve(id, act(vec![crate::world::given("pay", "5")]))
            .expect("the last approval");
        assert_eq!(app.documents.made(), 3, "when it is stamped, and for the certificate");
    });
}

#[test]
fn a_link_keeps_forty_files_and_no_more() {
    on_both(|app| {
        at_present(app);
        let world = World::new(app, &with_attachment());
        let ((_, key), (_, other)) = (started(&world), started(&world));
        let send = |key: &SigningKey, number: u32| app.attach(key, "scan", None, format!("file {number}").into_bytes());
        for number in 0..40 {
            send(&key, number).expect("a file");
        }
        let before = files(app);
        assert_eq!(refused_with(send(&key, 40)), [FaultCode::FilesTooLarge]);
        let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, b"as a text");
        let refused = app.fill_in(&key, &texts(&[("scan", &text)]));
        assert_eq!(refused_with(refused), [FaultCode::FilesTooLarge]);
        assert_eq!(files(app), before, "nothing of what was refused is kept");
        send(&key, 39).expect("the same bytes are one file");
        app.fill_in(&key, &texts(&[("name", "김")])).expect("a text");
        send(&other, 40).expect("another link has its own measure");
        // The draft refers to one of the forty files. The others are removed after their time.
        app.clock.advance(16 * MINUTE);
        assert_eq!(removed(app), 39);
        send(&key, 41).expect("there is room again");
    });
}

#[test]
fn a_link_keeps_fifty_megabytes_and_the_refusal_says_what_to_do() {
    let app = TestApp::new(testkit::database::TestDatabase::sqlite());
    let world = World::new(&app, &with_attachment());
    let (_, key) = started(&world);
    for number in 0..4 {
        let file = vec![number; 10 * 1024 * 1024];
        app.attach(&key, "scan", Some("scan.bin"), file).expect("a file");
    }
    let refused = app
        .attach(&key, "scan", None, vec![4; 10 * 1024 * 1024])
        .expect_err("too much");
    for (language, words) in [
        (domain::Language::En, ["50 MB", "40 files", "smaller", "15 minutes"]),
        (domain::Language::Ko, ["50MB", "40개", "줄여", "15분"]),
        (domain::Language::Ja, ["50 MB", "40 個", "小さく", "15 分"]),
    ] {
        let message = refused.message(language).replace(['\u{2068}', '\u{2069}'], "");
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
    assert_eq!(refused_with::<()>(Err(refused)), [FaultCode::FilesTooLarge]);
    app.attach(&key, "scan", None, vec![4; 8_000_000])
        .expect("what still fits");
}

/// Uploads a file, runs an action, and checks that the file is then removed.
fn goes_after(world: &World<'_>, bytes: &[u8], end: impl FnOnce(WorkflowId, &SigningKey)) {
    let app = world.app;
    at_present(app);
    let (id, key) = started(world);
    app.attach(&key, "scan", None, bytes.to_vec()).expect("a file");
    assert_eq!(removed(app), 0);
    assert!(is_there(app, bytes));
    end(id, &key);
    app.clock.advance(14 * MINUTE);
    assert_eq!(removed(app), 0, "who has just put it may be about to name it");
    assert!(is_there(app, bytes));
    app.clock.advance(2 * MINUTE);
    assert_eq!(removed(app), 1);
    assert!(!is_there(app, bytes));
    let report = app.fsck(Duration::ZERO).expect("a report");
    assert!(report.is_clean() && report.swept.is_empty(), "{report:?}");
}

#[test]
fn the_files_of_a_draft_go_when_its_document_is_declined_cancelled_or_expires_and_when_they_are_replaced() {
    on_both(|app| {
        at_present(app);
        let world = World::new(app, &with_attachment());
        goes_after(&world, b"declined", |_, key| {
            app.reject_by_link(key, Some("금액이 다릅니다"), &origin())
                .expect("declined");
        });
        goes_after(&world, b"cancelled", |id, _| {
            app.cancel(&world.caller, id, &act(Vec::new()), &origin())
                .expect("cancelled");
        });
        goes_after(&world, b"expired", |_, _| {
            app.clock.advance(60 * 24 * 60 * MINUTE);
            app.expire_due(10).expect("the job runs");
        });
        goes_after(&world, b"replaced", |_, key| {
            app.attach(key, "scan", None, b"its successor".to_vec())
                .expect("a file");
        });
        goes_after(&world, b"taken away", |_, key| {
            app.fill_in(key, &texts(&[("scan", "")])).expect("taken away");
        });
    });
}

#[test]
fn what_an_approval_has_taken_over_stays() {
    on_both(|app| {
        at_present(app);
        let world = World::new(app, &two_steps());
        let (id, key) = started(&world);
        app.attach(&key, "sign", None, picture(1)).expect("a file");
        world
            .approve(id, act(fields_of_first()))
            .expect("approved with another signature");
        let (other, key) = started(&world);
        app.attach(&key, "sign", None, picture(2)).expect("a file");
        app.give_consent(&key, "동의합니다", &origin()).expect("consent");
        app.approve_shown(&key, &texts(&[("성명", "백")]), None, &origin())
            .expect("approved with what was uploaded");
        let before = files(app).len();
        app.clock.advance(16 * MINUTE);
        assert_eq!(removed(app), 1, "what no approval has taken over");
        assert_eq!((files(app).len(), removed(app)), (before - 1, 0));
        app.field_file(&world.caller, other, "sign")
            .expect("the signature is there");
        assert!(app.fsck(Duration::ZERO).expect("a report").is_clean());
    });
}

#[test]
fn the_same_bytes_of_two_links_go_with_the_last_of_them() {
    on_both(|app| {
        at_present(app);
        let world = World::new(app, &with_attachment());
        let ((_, one), (_, other)) = (started(&world), started(&world));
        for key in [&one, &other] {
            app.attach(key, "scan", None, b"the same".to_vec()).expect("a file");
        }
        let reject = |key| app.reject_by_link(key, Some("no"), &origin()).expect("declined");
        reject(&one);
        app.clock.advance(16 * MINUTE);
        assert_eq!(removed(app), 0);
        assert!(is_there(app, b"the same"));
        reject(&other);
        app.clock.advance(16 * MINUTE);
        assert_eq!(removed(app), 1);
    });
}

/// Strangers can see the document's PDF and the pictures of its pages, so they could upload the same bytes.
#[test]
fn what_a_template_needs_stays_though_a_signer_has_sent_the_same_bytes() {
    on_both(|app| {
        at_present(app);
        let world = World::new(app, &with_attachment());
        let (_, key) = started(&world);
        let stored = app
            .template(&operator(app, &world.company), world.template)
            .expect("a template")
            .stored;
        let hashes: Vec<BlobHash> = std::iter::once(stored.version.pdf).chain(stored.page_images).collect();
        for hash in &hashes {
            let bytes = app.blobs.get(hash).expect("a file");
            app.attach(&key, "scan", None, bytes).expect("a file");
        }
        app.reject_by_link(&key, Some("no"), &origin()).expect("declined");
        app.clock.advance(16 * MINUTE);
        assert_eq!(removed(app), 0);
        for hash in hashes {
            assert!(app.blobs.exists(&hash).expect("an answer"));
        }
    });
}

#[test]
fn a_file_that_is_sent_again_while_it_is_about_to_go_stays() {
    on_both(|app| {
        let now = Timestamp::now();
        app.clock.set(now - SignedDuration::from_mins(20));
        let world = World::new(app, &with_attachment());
        let ((_, one), (_, other)) = (started(&world), started(&world));
        let bytes = b"the same again";
        app.attach(&one, "scan", None, bytes.to_vec()).expect("a file");
        app.reject_by_link(&one, Some("no"), &origin()).expect("declined");
        let name = BlobHash::of(bytes).to_string();
        let path = app.files.path().join(&name[..2]).join(&name);
        let file = std::fs::File::options().write(true).open(path).expect("the file");
        file.set_modified(SystemTime::now() - Duration::from_hours(1))
            .expect("an old file");
        app.clock.set(now);
        // One process has claimed the file. Before it removes the file, another stores the same bytes from somebody
        // else.
        let before = now - SignedDuration::from_mins(15);
        let claimed = app
            .store
            .write(move |tx| store::loose_file::begin_removal(tx, before, now, 10))
            .expect("claimed");
        assert_eq!((claimed.is_more, claimed.files.len()), (false, 1));
        app.attach(&other, "scan", None, bytes.to_vec()).expect("a file");
        let old = SystemTime::now() - Duration::from_mins(15);
        let removal = app
            .blobs
            .delete_if_older(&claimed.files[0].hash, old)
            .expect("an answer");
        assert_eq!(removal, blobs::Removal::Young);
        assert!(is_there(app, bytes));
        assert!(app.fsck(Duration::ZERO).expect("a report").is_clean());
    });
}

#[test]
fn a_draft_names_no_file_that_was_claimed_meanwhile() {
    on_both(|app| {
        at_present(app);
        let world = World::new(app, &with_attachment());
        let (id, key) = started(&world);
        let writer = app.open_signing(&key).expect("a page").recipient.expect("a writer").id;
        let (hash, company) = (BlobHash::of(b"slow"), world.company.clone());
        let (at, later) = (app.now(), app.now() + SignedDuration::from_mins(15));
        let named = app
            .store
            .write(move |tx| {
                let held = &mut store::hold(tx, &company, id)?.expect("the workflow");
                store::upload::announce(held, &company, writer, (hash, 4), at)?;
                store::loose_file::begin_removal(held, later, later, 10)?;
                store::upload::name(held, &company, writer, hash)
            })
            .expect("an answer");
        assert!(!named, "a sender who was too slow has to send it again");
    });
}

#[test]
fn what_was_kept_for_a_start_that_lost_is_removed() {
    on_both(|app| {
        at_present(app);
        let world = World::new(app, &two_steps());
        let request = |number| app::StartRequest {
            idempotency: Some(app::Idempotency {
                key: "one".to_owned(),
                request_hash: BlobHash::of(&[number]).0,
            }),
            fields: vec![crate::world::given(
                "sign",
                &base64::Engine::encode(&base64::engine::general_purpose::STANDARD, picture(number.into())),
            )],
            ..world.request()
        };
        let before = files(app).len();
        // Both look for the key before either writes it.
        std::thread::scope(|scope| {
            for number in [1, 2] {
                let request = request(number);
                let world = &world;
                scope.spawn(move || world.try_start(request));
            }
        });
        app.clock.advance(16 * MINUTE);
        let removed = removed(app);
        assert_eq!(files(app).len(), before + 1, "{removed} removed");
        assert!(app.fsck(Duration::ZERO).expect("a report").swept.is_empty());
    });
}

#[test]
fn below_five_percent_nothing_new_is_taken_and_what_was_begun_is_finished() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let (id, key) = started(&world);
        app.attach(&key, "sign", None, picture(1)).expect("a file");
        app.disk.leave_free(5);
        app.attach(&key, "sign", None, picture(2)).expect("just enough");
        app.disk.leave_free(4);
        let waits = |error: Error| {
            let waits = error.retry_after();
            assert!(matches!(error, Error::Unavailable { cause: Some(_), .. }), "{error:?}");
            assert!(error.to_string().contains("5 %"), "{error}");
            assert_eq!(waits, Some(60));
        };
        waits(app.attach(&key, "sign", None, picture(3)).expect_err("a new file"));
        let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, picture(3));
        waits(app.fill_in(&key, &texts(&[("sign", &text)])).expect_err("a new file"));
        waits(world.try_start(world.request()).expect_err("a new document"));
        app.save_draft(
            &key,
            &DraftSeen::default(),
            &BTreeMap::from([("성명".to_owned(), "백".to_owned())]),
        )
        .expect("a text");
        app.give_consent(&key, "동의합니다", &origin()).expect("consent");
        app.approve_shown(&key, &texts(&[]), None, &origin()).expect("approved");
        let second = vec![
            crate::world::given("pay", "5"),
            crate::world::given("stamp", crate::world::PIXEL),
        ];
        world.approve(id, act(second)).expect("the last approval");
        app.document(&world.caller, id, &origin()).expect("a sealed document");
        app.disk.leave_free(50);
        world.start(world.request());
    });
}
