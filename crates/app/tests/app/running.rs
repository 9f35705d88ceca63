//! Tests the sender's actions on a running workflow, and how workflows end.

use std::collections::BTreeMap;

use app::{ActRequest, ConflictCode, CorrectRequest, Error, ExtendRequest, FaultCode, ForbiddenCode, Stage, Subject};
use document::verify;
use domain::WorkflowId;
use serde_json::json;

use crate::support::on_both;
use crate::world::{World, act, faults, fields_of_first, id_of, key_of, met, origin, sql, two_steps};

#[test]
fn after_cancellation_or_expiry_nothing_is_written() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let canceled = id_of(&world.start(world.request()));
        let request = ActRequest {
            comment: Some("잘못 보냄".to_owned()),
            ..ActRequest::default()
        };
        assert_eq!(
            app.cancel(&world.caller, canceled, &request, &origin())
                .expect("cancelled")
                .status,
            "Canceled"
        );
        let late = world.approve(canceled, act(fields_of_first()));
        assert_eq!(met(late), (ConflictCode::Finished, Some("Canceled".to_owned())));
        let twice = app.cancel(&world.caller, canceled, &ActRequest::default(), &origin());
        assert_eq!(met(twice), (ConflictCode::Finished, Some("Canceled".to_owned())));
        let hooks = world.webhooks(canceled);
        assert_eq!(hooks.len(), 1);
        assert_eq!(
            (&hooks[0]["command_type"], &hooks[0]["status"]),
            (&json!("CC"), &json!("Canceled"))
        );
        assert_eq!(
            (&hooks[0]["email"], &hooks[0]["order"]),
            (&json!("kim@example.com"), &json!(1))
        );
        assert!(hooks[0].get("sign_url").is_none() && hooks[0].get("next_email").is_none());
        assert_eq!(
            met(app.document(&world.caller, canceled, &origin())).0,
            ConflictCode::NotComplete
        );
        let certificate = app
            .certificate(&world.caller, canceled, &origin())
            .expect("made on request");
        let roots = app.trusted_roots().expect("roots");
        assert!(verify::verify(&certificate.bytes, &roots, app.now()).holds_strictly());

        let overdue = world.start(world.request());
        let (id, key) = (id_of(&overdue), key_of(&overdue.sign_url.expect("embedded")));
        app.clock.advance(14 * 24 * 60 * 60 - 1);
        assert_eq!(app.expire_due(10).expect("a look"), 0);
        app.clock.advance(1);
        assert_eq!(app.open_signing(&key).expect("a page").stage, Stage::Ended);
        let late = app.approve_shown(&key, &BTreeMap::new(), None, &origin());
        assert_eq!(met(late), (ConflictCode::Finished, Some("Expired".to_owned())));
        assert_eq!(app.expire_due(10).expect("a look"), 1);
        assert_eq!(app.expire_due(10).expect("a look"), 0);
        assert_eq!(world.webhooks(id)[0]["command_type"], "EX");
    });
}

#[test]
fn any_use_of_an_overdue_workflow_finds_it_expired() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(world.request()));
        app.clock.advance(14 * 24 * 60 * 60);
        assert_eq!(
            met(world.approve(id, act(fields_of_first()))),
            (ConflictCode::Finished, Some("Expired".to_owned()))
        );
        assert_eq!(app.workflow(&world.caller, id).expect("the workflow").status, "Expired");
        assert_eq!(app.expire_due(10).expect("a look"), 0);
        assert_eq!(world.webhooks(id).len(), 1);
    });
}

#[test]
fn workflows_that_cannot_expire_keep_no_others_from_it() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let start = || id_of(&world.start(world.request()));
        let write = |statement: &'static store::Statement, id: WorkflowId| {
            app.store
                .write(move |tx| tx.execute_one(statement, store::values![id.get()]))
                .expect("a row is changed");
        };
        let broken = [start(), start(), start()];
        app.clock.advance(1);
        let sound = start();
        for id in broken {
            write(&sql::BREAK, id);
        }
        app.clock.advance(14 * 24 * 60 * 60);
        let looked: Vec<u32> = (0..3).map(|_| app.expire_due(2).expect("a look")).collect();
        assert_eq!(looked, [2, 2, 0], "nobody is looked at again at once");
        let status = |id| app.workflow(&world.caller, id).expect("the workflow").status;
        assert_eq!(status(sound), "Expired");
        for id in broken {
            write(&sql::MEND, id);
        }
        app.clock.advance(60 * 60);
        assert_eq!(app.expire_due(10).expect("an hour later"), 3);
        assert_eq!(broken.map(status), ["Expired"; 3]);
    });
}

#[test]
fn five_wrong_access_codes_lock_until_the_sender_sends_again() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        request.recipients[0].password = Some("비밀번호1".to_owned());
        request.recipients[0].password_hint = Some("생일".to_owned());
        let id = id_of(&world.start(request));
        let mut key = key_of(&world.letters(id)[0].1);
        let view = app.open_signing(&key).expect("a page");
        assert_eq!(
            view.stage,
            Stage::AccessCode {
                hint: Some("생일".to_owned()),
                locked: false
            }
        );
        assert!(view.fields.is_empty() && view.pages.is_empty());
        assert!(matches!(
            app.page_image(&key, &view.pdf, 1),
            Err(Error::Forbidden(ForbiddenCode::AccessCode))
        ));
        let early = app.approve_shown(&key, &BTreeMap::new(), None, &origin());
        assert!(matches!(early, Err(Error::Forbidden(ForbiddenCode::AccessCode))));
        key.proof = Some(hex::encode([0; 32]));
        assert!(matches!(
            app.record_viewed(&key, &origin()),
            Err(Error::Forbidden(ForbiddenCode::AccessCode))
        ));
        for _ in 0..4 {
            assert_eq!(
                faults(app.give_access_code(&key, "falsch", &origin())),
                [("code".to_owned(), FaultCode::WrongAccessCode)]
            );
        }
        let proof = app
            .give_access_code(&key, "비밀번호1", &origin())
            .expect("the right code");
        key.proof = Some(proof);
        assert_eq!(app.open_signing(&key).expect("a page").stage, Stage::Write);
        assert!(!app.page_image(&key, &view.pdf, 1).expect("a page").bytes.is_empty());
        for page in [0, 3, u32::MAX] {
            assert!(matches!(
                app.page_image(&key, &view.pdf, page),
                Err(Error::NotFound(Subject::Page))
            ));
        }
        for _ in 0..4 {
            assert!(app.give_access_code(&key, "wrong", &origin()).is_err());
        }
        assert_eq!(
            met(app.give_access_code(&key, "wrong", &origin())).0,
            ConflictCode::Locked
        );
        assert_eq!(
            met(app.give_access_code(&key, "비밀번호1", &origin())).0,
            ConflictCode::Locked
        );
        assert!(matches!(
            app.open_signing(&key).expect("a page").stage,
            Stage::AccessCode { locked: true, .. }
        ));
        app.remind(&world.caller, id, &origin()).expect("sent again");
        assert!(app.give_access_code(&key, "비밀번호1", &origin()).is_ok());
    });
}

#[test]
fn a_writer_is_reminded_once_in_ten_minutes() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        let id = id_of(&world.start(request));
        let remind = || app.remind(&world.caller, id, &origin());
        remind().expect("a first time");
        app.clock.advance(100);
        for _ in 0..30 {
            let again = remind();
            assert!(
                matches!(again, Err(Error::Throttled { retry_after: 500, .. })),
                "{again:?}"
            );
        }
        let letters = world.letters(id).len();
        app.clock.advance(500);
        remind().expect("a second time");
        assert_eq!(world.letters(id).len(), letters + 1);
        // The other signer has not been reminded yet.
        world.approve(id, act(fields_of_first())).expect("an approval");
        remind().expect("the next writer's first time");
    });
}

#[test]
fn parallel_tries_of_an_access_code_learn_no_more_than_five() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.recipients[0].password = Some("4711".to_owned());
        let key = key_of(&world.start(request).sign_url.expect("embedded"));
        let start = std::sync::Barrier::new(16);
        let mut left: Vec<String> = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..16)
                .map(|number| {
                    let (start, key) = (&start, &key);
                    scope.spawn(move || {
                        start.wait();
                        app.give_access_code(key, &format!("wrong{number}"), &origin())
                    })
                })
                .collect();
            tries
                .into_iter()
                .filter_map(|one| match one.join().expect("no panic") {
                    Err(Error::Unprocessable(faults)) => Some(faults[0].arguments[0].1.clone()),
                    Err(Error::Conflict { .. }) => None,
                    other => panic!("{other:?}"),
                })
                .collect()
        });
        left.sort();
        // Each count was returned once. The other tries found the link locked, or collided with another write.
        let before = left.len();
        left.dedup();
        assert!(before == left.len() && before <= 4, "{left:?}");
        while !matches!(
            app.open_signing(&key).expect("a page").stage,
            Stage::AccessCode { locked: true, .. }
        ) {
            assert!(app.give_access_code(&key, "wrong", &origin()).is_err());
        }
        assert_eq!(
            met(app.give_access_code(&key, "4711", &origin())).0,
            ConflictCode::Locked
        );
    });
}

#[test]
fn a_corrected_recipient_gets_a_new_link_and_the_old_one_is_dead() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        let id = id_of(&world.start(request));
        let old = key_of(&world.letters(id)[0].1);
        let correct = |order, request| app.correct_recipient(&world.caller, id, order, &request, &origin());
        let empty = correct(1, CorrectRequest::default());
        assert_eq!(faults(empty), [(String::new(), FaultCode::OneRequired)]);
        let wrong = correct(
            1,
            CorrectRequest {
                email: Some("x".to_owned()),
                ..CorrectRequest::default()
            },
        );
        assert_eq!(faults(wrong), [("email".to_owned(), FaultCode::InvalidContact)]);
        assert!(matches!(
            correct(9, CorrectRequest::default()),
            Err(Error::NotFound(Subject::Recipient))
        ));
        let right = CorrectRequest {
            email: Some("kim2@example.com".to_owned()),
            ..CorrectRequest::default()
        };
        correct(1, right.clone()).expect("corrected");
        assert_eq!(met(app.open_signing(&old)).0, ConflictCode::LinkReplaced);
        let letters = world.letters(id);
        assert_eq!(letters[1].0, "kim2@example.com");
        assert_eq!(
            app.open_signing(&key_of(&letters[1].1)).expect("a page").stage,
            Stage::Write
        );
        world.approve(id, act(fields_of_first())).expect("an approval");
        assert_eq!(met(correct(1, right)).0, ConflictCode::AlreadyApproved);
    });
}

#[test]
fn what_is_already_so_is_written_nowhere() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        let id = id_of(&world.start(request));
        let link = key_of(&world.letters(id)[0].1);
        let state = || {
            let view = app.workflow(&world.caller, id).expect("a workflow");
            (view.history.len(), world.letters(id).len(), view.expiry_date)
        };
        let before = state();
        let writer = app.workflow(&world.caller, id).expect("a workflow").steps[0].clone();
        for _ in 0..30 {
            let same = CorrectRequest {
                name: Some(writer.name.clone()),
                email: Some(writer.email.clone()),
                ..CorrectRequest::default()
            };
            let answer = app
                .correct_recipient(&world.caller, id, 1, &same, &origin())
                .expect("nothing to do");
            assert_eq!(answer.next_email.as_deref(), Some(writer.email.as_str()));
            let end = ExtendRequest {
                expiry_date: before.2.split(" (").next().map(str::to_owned),
                ..ExtendRequest::default()
            };
            let answer = app.extend(&world.caller, id, &end, &origin()).expect("nothing to do");
            assert_eq!(answer.expiry_date, before.2, "answers name the zone");
        }
        assert_eq!(state(), before);
        assert_eq!(app.open_signing(&link).expect("the link stays").stage, Stage::Write);
    });
}

#[test]
fn correcting_asks_nobody_more_often_than_reminding() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        let id = id_of(&world.start(request));
        let correct = |name: &str, email: &str| {
            let request = CorrectRequest {
                name: Some(name.to_owned()),
                email: Some(email.to_owned()),
                ..CorrectRequest::default()
            };
            app.correct_recipient(&world.caller, id, 1, &request, &origin())
        };
        let throttled = |answer: Result<app::Advanced, Error>, wait: u64| {
            assert!(
                matches!(answer, Err(Error::Throttled { retry_after, .. }) if retry_after == wait),
                "{answer:?}"
            );
        };
        correct("Kim A", "kim2@example.com").expect("a first time");
        let letters = world.letters(id).len();
        for number in 0..30 {
            throttled(correct(&format!("Kim {number}"), "KIM2@example.com"), 600);
        }
        throttled(app.remind(&world.caller, id, &origin()), 600);
        assert_eq!(world.letters(id).len(), letters);
        // Different recipients are counted separately, and changing back and forth does not avoid the limit.
        correct("Kim B", "kim3@example.com").expect("somebody else");
        throttled(correct("Kim C", "\"kim2\"@example.com"), 600);
        app.clock.advance(600);
        correct("Kim C", "kim2@example.com").expect("after the pause");
        throttled(app.remind(&world.caller, id, &origin()), 600);
        app.clock.advance(600);
        app.remind(&world.caller, id, &origin()).expect("after the pause");
        throttled(correct("Kim D", "kim2@example.com"), 600);
        // Signers of a later step have not been asked yet, so the limit does not apply.
        for number in 0..3 {
            let request = CorrectRequest {
                name: Some(format!("Lee {number}")),
                ..CorrectRequest::default()
            };
            app.correct_recipient(&world.caller, id, 2, &request, &origin())
                .expect("a later step");
        }
        world.approve(id, act(fields_of_first())).expect("an approval");
        app.remind(&world.caller, id, &origin())
            .expect("the first request of a step does not count");
    });
}

#[test]
fn more_time_is_given_in_the_workflows_offset() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(world.request()));
        let extend = |date: &str| {
            let request = ExtendRequest {
                expiry_date: Some(date.to_owned()),
                ..ExtendRequest::default()
            };
            app.extend(&world.caller, id, &request, &origin())
        };
        assert_eq!(
            faults(extend("2025-12-31 00:00:00")),
            [("expiry_date".to_owned(), FaultCode::PastDateTime)]
        );
        assert_eq!(
            faults(extend("soon")),
            [("expiry_date".to_owned(), FaultCode::InvalidDateTime)]
        );
        assert_eq!(
            extend("2026-03-01 12:00:00").expect("extended").expiry_date,
            "2026-03-01 12:00:00 (UTC+09:00)"
        );
    });
}
