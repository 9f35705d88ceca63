//! Tests a signer with their page open twice: nothing is overwritten unseen, and nobody approves what their page does
//! not show.

use std::collections::BTreeMap;

use app::{ConflictCode, DraftChange, DraftSeen, Error, FaultCode, SavedDraft, Stage};
use domain::{Drawing, Hand};

use crate::support::{TestApp, on_both};
use crate::world::{World, faults, id_of, key_of, met, origin, pixel, texts, two_steps};

/// Returns the state shown by a page with this ID.
fn seen(page: &str, revision: u64) -> DraftSeen {
    DraftSeen {
        revision: Some(revision),
        page: page.to_owned(),
    }
}

fn names(saved: &SavedDraft) -> Vec<(&str, &str)> {
    saved
        .newer
        .iter()
        .map(|held| (held.look.name.as_str(), held.value.as_str()))
        .collect()
}

fn value(app: &TestApp, key: &app::SigningKey, field: &str) -> String {
    let view = app.open_signing(key).expect("a page");
    let found = view.fields.iter().find(|view| view.field.name == field);
    found.expect("the field").value.clone().unwrap_or_default()
}

#[test]
fn an_approval_of_what_the_page_does_not_show_is_refused_and_nothing_is_lost() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let started = world.start(world.request());
        let key = key_of(started.sign_url.as_deref().expect("embedded"));
        app.give_consent(&key, "동의합니다", &origin()).expect("consent");
        let signed = app
            .upload_file(&key, &seen("desk", 0), "sign", None, pixel())
            .expect("a file");
        let desk = app
            .save_draft(&key, &seen("desk", signed.revision), &texts(&[("성명", "백")]))
            .expect("saved at the desk");
        assert_eq!((signed.revision, desk.revision), (1, 2));
        let phone = app
            .save_draft(&key, &seen("phone", 2), &texts(&[("성명", "이백")]))
            .expect("saved on the telephone");
        assert_eq!((phone.revision, phone.newer.len()), (3, 0));

        let approve = |revision| app.approve_by_link(&key, revision, &texts(&[]), None, &origin());
        for revision in [0, 2, 4] {
            assert_eq!(met(approve(revision)), (ConflictCode::DraftChanged, None), "{revision}");
        }
        assert_eq!(app.open_signing(&key).expect("a page").stage, Stage::Write);
        assert_eq!(value(app, &key, "성명"), "이백");

        // The page requests the changes that it does not show.
        let newer = app.save_draft(&key, &seen("desk", 2), &texts(&[])).expect("an answer");
        assert_eq!((newer.revision, names(&newer)), (3, vec![("성명", "이백")]));
        approve(newer.revision).expect("what it shows now");
        let kept = world.values(id_of(&started));
        assert!(kept.contains(&("성명".to_owned(), "이백".to_owned())), "{kept:?}");
    });
}

#[test]
fn a_page_writes_over_nothing_that_it_does_not_show() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let started = world.start(world.request());
        let key = key_of(started.sign_url.as_deref().expect("embedded"));
        let save = |page: &str, revision, pairs: &[(&str, &str)]| {
            app.save_draft(&key, &seen(page, revision), &texts(pairs))
                .expect("an answer")
        };
        assert_eq!(save("phone", 0, &[("성명", "이백"), ("plan", "B")]).revision, 1);
        // Values of the older page are saved if nobody else has changed them. The response contains the others.
        let desk = save("desk", 0, &[("성명", "백"), ("day", "2026-01-02")]);
        assert_eq!(desk.revision, 2);
        assert_eq!(names(&desk), [("plan", "B"), ("성명", "이백")]);
        assert_eq!(desk.newer[1].look.boxes[0].1.shown, "이백");
        let looked: Vec<&str> = desk.looks.iter().map(|look| look.name.as_str()).collect();
        assert_eq!(looked, ["day"], "what was not saved has no look");
        assert_eq!(
            (value(app, &key, "성명"), value(app, &key, "day")),
            ("이백".to_owned(), "2026-01-02".to_owned())
        );
        // After the page shows the newer values, its signer decides.
        let mine = save("desk", 2, &[("성명", "백")]);
        assert_eq!((mine.revision, mine.newer.len()), (3, 0));
        assert_eq!(value(app, &key, "성명"), "백");
        let view = app.open_signing(&key).expect("a page");
        let change = |revision, page: &str| DraftChange {
            revision,
            page: page.to_owned(),
        };
        let changes = BTreeMap::from([
            ("성명".to_owned(), change(3, "desk")),
            ("day".to_owned(), change(2, "desk")),
            ("plan".to_owned(), change(1, "phone")),
        ]);
        assert_eq!(
            (view.draft.link, view.draft.revision, view.draft.changes),
            (1, 3, changes)
        );

        // The response was lost. Repeating the request is no change, and later changes of this page do not conflict
        // with its own.
        assert_eq!(save("desk", 2, &[("성명", "백")]).revision, 3);
        let own = save("desk", 2, &[("성명", "백만")]);
        assert_eq!((own.revision, own.newer.len()), (4, 0));
        // Equal values on two pages are no conflict.
        assert_eq!(save("phone", 3, &[("성명", "백만")]).newer, []);
        // A program that does not say what it has seen overwrites.
        app.fill_in(&key, &texts(&[("성명", "천")])).expect("saved");
        assert_eq!(value(app, &key, "성명"), "천");
    });
}

#[test]
fn files_and_drawings_are_not_written_over_either() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let started = world.start(world.request());
        let key = key_of(started.sign_url.as_deref().expect("embedded"));
        let drawing = Drawing::Typed {
            text: "김민준".to_owned(),
            hand: Hand::NanumPen,
        };
        let drawn = app
            .take_drawing(&key, &seen("phone", 0), "sign", drawing.clone())
            .expect("a drawing");
        assert_eq!(drawn.revision, 1);
        let refused = app
            .upload_file(&key, &seen("desk", 0), "sign", Some("mine.png"), pixel())
            .expect("an answer");
        assert_eq!((refused.revision, names(&refused)), (1, vec![("sign", "sign.png")]));
        assert!(refused.newer[0].picture);
        let emptied = app
            .save_draft(&key, &seen("desk", 0), &texts(&[("sign", "")]))
            .expect("an answer");
        assert_eq!((emptied.revision, emptied.newer.len()), (1, 1));
        assert_eq!(value(app, &key, "sign"), "sign.png");
        let taken = app
            .upload_file(&key, &seen("desk", 1), "sign", Some("mine.png"), pixel())
            .expect("a file");
        assert_eq!((taken.revision, taken.newer.len()), (2, 0));
        let told = app
            .take_drawing(&key, &seen("phone", 1), "sign", drawing)
            .expect("an answer");
        assert_eq!(names(&told), [("sign", "mine.png")]);
        // The other page is informed that the value was removed.
        app.save_draft(&key, &seen("desk", 2), &texts(&[("sign", "")]))
            .expect("taken away");
        let told = app.save_draft(&key, &seen("phone", 2), &texts(&[])).expect("an answer");
        assert_eq!(names(&told), [("sign", "")]);
        assert!(!told.newer[0].picture);
    });
}

#[test]
fn a_draft_of_an_older_version_is_approved_and_a_page_has_a_short_name() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let started = world.start(world.request());
        let key = key_of(started.sign_url.as_deref().expect("embedded"));
        let writer = app.open_signing(&key).expect("a page").recipient.expect("a writer").id;
        let (company, id, at) = (world.company.clone(), id_of(&started), app.now());
        app.store
            .write(move |tx| {
                let text = r#"{"texts":{"성명":"옛날"},"files":{},"drawn":{},"sent":0}"#;
                let held = &mut store::hold(tx, &company, id)?.expect("the workflow");
                store::workflow_value::save_draft(held, &company, writer, text, at)
            })
            .expect("written");
        let view = app.open_signing(&key).expect("a page");
        assert_eq!((view.continued, view.draft.revision), (true, 0));
        let long = app.save_draft(&key, &seen(&"x".repeat(33), 0), &texts(&[("day", "")]));
        assert_eq!(faults(long), [("page".to_owned(), FaultCode::TooLong)]);
        app.give_consent(&key, "동의합니다", &origin()).expect("consent");
        let given: Result<_, Error> =
            app.approve_by_link(&key, 0, &texts(&[("sign", crate::world::PIXEL)]), None, &origin());
        given.expect("approved");
        let kept = world.values(id_of(&started));
        assert!(kept.contains(&("성명".to_owned(), "옛날".to_owned())), "{kept:?}");
    });
}
