//! Documents of a client for tests: marked on every page, told from others everywhere, and nobody gets a message.

use app::{CorrectRequest, FaultCode, ListRequest, StartExport, StartRequest};
use document::verify::{self, Note};
use testkit::operator::operator;

use crate::support::{TestApp, on_both, text_of};
use crate::world::{World, act, embedded, faults, fields_of_first, given, id_of, key_of, origin, two_steps};

/// A start by a client for tests.
fn test_start(app: &TestApp, world: &World<'_>, is_embed: bool) -> StartRequest {
    let client = app
        .add_client(&operator(app, &world.company), "tests", true)
        .expect("a client");
    StartRequest {
        export: Some(StartExport {
            client_id: Some(client.id.to_string()),
            is_embed: Some(is_embed),
            ..embedded("ALL")
        }),
        ..world.request()
    }
}

fn ordinary_start(world: &World<'_>) -> StartRequest {
    StartRequest {
        export: None,
        ..world.request()
    }
}

#[test]
fn no_message_of_a_test_leaves_and_its_webhooks_say_that_it_is_one() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(test_start(app, &world, false)));
        world.approve(id, act(fields_of_first())).expect("the first");
        app.clock.advance(601);
        app.remind(&world.caller, id, &origin()).expect("reminded");
        app.clock.advance(601);
        let corrected = CorrectRequest {
            email: Some("yuna@example.com".to_owned()),
            ..CorrectRequest::default()
        };
        app.correct_recipient(&world.caller, id, 2, &corrected, &origin())
            .expect("corrected");
        world.approve(id, act(vec![given("pay", "1")])).expect("the second");
        let messages = app.outbox_messages(&world.caller, None).expect("a page").messages;
        assert!(messages.len() > 3, "all of them were written: {messages:?}");
        for message in &messages {
            assert_eq!(
                (message.workflow, message.state),
                (Some(id), "kept"),
                "{}",
                message.subject
            );
        }
        let webhooks = world.webhooks(id);
        assert_eq!(webhooks.len(), 2);
        assert!(webhooks.iter().all(|body| body["is_test"] == true), "{webhooks:?}");
        let embedded = id_of(&world.start(world.request()));
        world.approve(embedded, act(fields_of_first())).expect("the first");
        assert_eq!(world.webhooks(embedded)[0].get("is_test"), None, "not a test");
    });
}

#[test]
fn every_page_of_a_test_says_so_and_so_does_whoever_verifies_it() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let started = world.start(test_start(app, &world, true));
        let ordinary = id_of(&world.start(world.request()));
        let id = id_of(&started);
        let page = app
            .open_signing(&key_of(started.sign_url.as_deref().expect("embedded")))
            .expect("a page");
        assert_eq!(page.test_mark.as_deref(), Some("테스트"));
        for id in [id, ordinary] {
            world.approve(id, act(fields_of_first())).expect("the first");
            world.approve(id, act(vec![given("pay", "1")])).expect("the second");
        }
        let roots = app.trusted_roots().expect("roots");
        for (id, is_test) in [(id, true), (ordinary, false)] {
            let (document, certificate) = world.sealed_files(id);
            // Two pages of the template; the certificate has at least one.
            for (file, least) in [(&document, 2), (&certificate, 1)] {
                let verdict = verify::verify(file, &roots, app.now());
                assert!(verdict.holds_strictly(), "{verdict:?}");
                let says = verdict.signatures.iter().any(|one| one.notes.contains(&Note::IsTest));
                assert_eq!(says, is_test);
                // Poppler reads the letters of a slanted word in an order of its own.
                let marks = text_of(file).matches('테').count();
                assert!(if is_test { marks >= least } else { marks == 0 }, "{marks} marks");
            }
        }
        assert!(app.audit_verify().expect("a report").is_clean());
    });
}

#[test]
fn lists_tell_tests_from_other_documents() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let test = id_of(&world.start(test_start(app, &world, true))).get();
        let other = id_of(&world.start(ordinary_start(&world))).get();
        app.index_texts(10).expect("indexed");
        let listed = |is_test: Option<&str>, text: Option<&str>| -> Vec<(i64, bool)> {
            let request = ListRequest {
                is_test: is_test.map(str::to_owned),
                text: text.map(str::to_owned),
                ..ListRequest::default()
            };
            let list = app.workflows(&world.caller, &request).expect("a list").workflow_list;
            list.iter().map(|entry| (entry.workflow_id, entry.is_test)).collect()
        };
        for text in [None, Some("근로계약서")] {
            assert_eq!(listed(None, text), [(other, false), (test, true)]);
            assert_eq!(listed(Some("true"), text), [(test, true)]);
            assert_eq!(listed(Some("false"), text), [(other, false)]);
        }
        let wrong = ListRequest {
            is_test: Some("perhaps".to_owned()),
            ..ListRequest::default()
        };
        let refused = faults(app.workflows(&world.caller, &wrong));
        assert_eq!(refused, [("is_test".to_owned(), FaultCode::NotAllowed)]);
        let view = app
            .workflow(&world.caller, domain::WorkflowId(test))
            .expect("the workflow");
        assert!(view.is_test);
    });
}

#[test]
fn a_test_asks_for_no_code_that_it_could_not_send() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = test_start(app, &world, false);
        request.recipients[0].one_time_code = Some(true);
        let refused = faults(world.try_start(request));
        let expected = (
            "recipient_list[0].one_time_code".to_owned(),
            FaultCode::OneTimeCodeUnreachable,
        );
        assert_eq!(refused, [expected]);
    });
}
