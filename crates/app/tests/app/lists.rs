//! Tests what members, signers and other companies can find.

use app::{ActRequest, ConflictCode, Error, ListRequest, SearchRequest, SigningKey, Stage, Started, Subject};
use domain::{Role, WorkflowId};
use testkit::operator::operator;

use crate::support::on_both;
use crate::world::{
    PIXEL, World, act, caller, faults, fields_of_first, given, id_of, key_of, met, one_step_of_two, origin, texts,
    two_steps,
};

#[test]
fn another_company_finds_nothing() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(world.request()));
        app.with_company("other");
        let other = caller(app, "other", "owner@example.com");
        assert!(matches!(
            app.workflow(&other, id),
            Err(Error::NotFound(Subject::Workflow))
        ));
        let approved = app.approve(&other, id, &act(fields_of_first()), &origin());
        assert!(matches!(approved, Err(Error::NotFound(Subject::Workflow))));
        let canceled = app.cancel(&other, id, &ActRequest::default(), &origin());
        assert!(matches!(canceled, Err(Error::NotFound(Subject::Workflow))));
        assert!(matches!(
            app.document(&other, id, &origin()),
            Err(Error::NotFound(Subject::Workflow))
        ));
        assert!(matches!(
            app.discard(&other, id, &origin()),
            Err(Error::NotFound(Subject::Workflow))
        ));
        assert!(
            app.workflows(&other, &ListRequest::default())
                .expect("a list")
                .workflow_list
                .is_empty()
        );
        assert_eq!(app.workflow(&world.caller, id).expect("untouched").status, "Playing");
    });
}

fn five(world: &World<'_>) -> Vec<i64> {
    (0..5)
        .map(|number| {
            let mut request = world.request();
            request.workflow_name = Some(format!("Contract_{number}"));
            request.fields = vec![given("성명", &format!("이름 {}", number % 2))];
            world.start(request).workflow_id
        })
        .collect()
}

#[test]
fn lists_go_on_where_they_ended() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let ids = five(&world);
        assert_eq!(app.index_texts(10).expect("indexed"), 5);
        let list = |request: &ListRequest| app.workflows(&world.caller, request).expect("a list");
        let first = list(&ListRequest {
            limit: Some("2".to_owned()),
            ..ListRequest::default()
        });
        let second = list(&ListRequest {
            limit: Some("2".to_owned()),
            cursor: first.next_cursor.clone(),
            ..ListRequest::default()
        });
        let third = list(&ListRequest {
            limit: Some("2".to_owned()),
            page: Some("3".to_owned()),
            ..ListRequest::default()
        });
        let all: Vec<i64> = [&first, &second, &third]
            .iter()
            .flat_map(|list| list.workflow_list.iter().map(|row| row.workflow_id))
            .collect();
        assert_eq!(all, ids.iter().rev().copied().collect::<Vec<_>>());
        assert_eq!(third.next_cursor, None);
        let by_text = list(&ListRequest {
            text: Some("contract_3".to_owned()),
            ..ListRequest::default()
        });
        assert_eq!(by_text.workflow_list.len(), 1);
        let none = list(&ListRequest {
            text: Some("contract%5".to_owned()),
            ..ListRequest::default()
        });
        assert!(none.workflow_list.is_empty());
        app.cancel(&world.caller, WorkflowId(ids[0]), &ActRequest::default(), &origin())
            .expect("cancelled");
        let canceled = list(&ListRequest {
            status: Some("canceled".to_owned()),
            ..ListRequest::default()
        });
        assert_eq!(
            canceled
                .workflow_list
                .iter()
                .map(|row| row.workflow_id)
                .collect::<Vec<_>>(),
            [ids[0]]
        );
        let dated = list(&ListRequest {
            from: Some("2026-01-02".to_owned()),
            ..ListRequest::default()
        });
        assert!(dated.workflow_list.is_empty());
        let dated = list(&ListRequest {
            to: Some("2026-01-01".to_owned()),
            ..ListRequest::default()
        });
        assert_eq!(dated.workflow_list.len(), 5);
        let wrong = ListRequest {
            status: Some("x".to_owned()),
            template_id: Some("x".to_owned()),
            from: Some("x".to_owned()),
            cursor: Some("x".to_owned()),
            limit: Some("0".to_owned()),
            ..ListRequest::default()
        };
        assert_eq!(faults(app.workflows(&world.caller, &wrong)).len(), 5);
    });
}

#[test]
fn searches_find_values_and_lists_leave_out_what_is_hidden() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let ids = five(&world);
        app.cancel(&world.caller, WorkflowId(ids[0]), &ActRequest::default(), &origin())
            .expect("cancelled");
        let search = |value: &str| {
            let request = SearchRequest {
                template_id: Some(world.template.to_string()),
                field_name: Some("성명".to_owned()),
                field_value: Some(value.to_owned()),
                ..SearchRequest::default()
            };
            app.search_with_value(&world.caller, &request)
                .expect("a search")
                .workflow_list
        };
        assert_eq!(
            search("이름 1")
                .iter()
                .map(|found| found.workflow_id)
                .collect::<Vec<_>>(),
            [ids[3], ids[1]]
        );
        assert!(search("이름").is_empty());
        app.discard(&world.caller, WorkflowId(ids[0]), &origin())
            .expect("hidden");
        app.discard(&world.caller, WorkflowId(ids[0]), &origin())
            .expect("hidden already");
        assert_eq!(
            met(app.discard(&world.caller, WorkflowId(ids[1]), &origin())).0,
            ConflictCode::StillPlaying
        );
        assert_eq!(
            app.workflows(&world.caller, &ListRequest::default())
                .expect("a list")
                .workflow_list
                .len(),
            4
        );
    });
}

#[test]
fn the_next_document_for_the_same_writer_is_offered() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        let first = id_of(&world.start(request.clone()));
        request.workflow_name = Some("다음 문서".to_owned());
        let second = id_of(&world.start(request));
        let key = world.letter_key(first);
        app.give_consent(&key, "동의", &origin()).expect("consent");
        let signed = app
            .approve_shown(&key, &texts(&[("성명", "김"), ("sign", PIXEL)]), None, &origin())
            .expect("an approval");
        let next = signed.next_document.expect("another document");
        assert_eq!(next.workflow_name, "다음 문서");
        let opened = app.open_signing(&key_of(&next.sign_url)).expect("its page");
        assert_eq!(opened.workflow_id, second);
    });
}

#[test]
fn a_link_that_nobody_made_opens_nothing() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let started = world.start(world.request());
        for token in ["", "abc", &started.token[1..], &format!("{}A", started.token)] {
            let key = SigningKey {
                token: token.to_owned(),
                ..SigningKey::default()
            };
            assert!(
                matches!(app.open_signing(&key), Err(Error::NotFound(Subject::Link))),
                "{token}"
            );
            assert!(
                matches!(app.linked_file(&key, &origin()), Err(Error::NotFound(Subject::Link))),
                "{token}"
            );
        }
        let started_key = SigningKey {
            token: started.token,
            ..SigningKey::default()
        };
        assert!(matches!(
            app.linked_file(&started_key, &origin()),
            Err(Error::NotFound(Subject::Link))
        ));
    });
}

#[test]
fn a_member_who_only_reads_gets_no_address_that_signs() {
    on_both(|app| {
        let world = World::new(app, &one_step_of_two());
        let id = id_of(&world.start(world.request_of_three()));
        app.with_member(&world.company, "auditor@example.com", Role::Auditor);
        let seen = app
            .workflow(&caller(app, "acme", "auditor@example.com"), id)
            .expect("the workflow");
        assert_eq!(seen.playing_url, "");
        assert!(seen.next_list.expect("two").iter().all(|next| next.sign_url.is_none()));
        let seen = app.workflow(&world.caller, id).expect("the workflow");
        assert!(seen.playing_url.contains("token="));
        assert!(seen.next_list.expect("two").iter().all(|next| next.sign_url.is_some()));
    });
}

#[test]
fn a_used_link_leads_to_no_other_document_and_another_spelling_is_the_same_writer() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        let first = id_of(&world.start(request.clone()));
        request.recipients[0].email = Some("Kim@Example.COM".to_owned());
        world.start(request);
        let key = world.letter_key(first);
        app.give_consent(&key, "동의", &origin()).expect("consent");
        let values = texts(&[("성명", "김민준"), ("sign", PIXEL)]);
        let signed = app.approve_shown(&key, &values, None, &origin()).expect("signed");
        let next = signed.next_document.expect("the other document");
        let shown = app.open_signing(&key).expect("a used link");
        assert_eq!(shown.stage, Stage::Done);
        assert!(!format!("{shown:?}").contains(&key_of(&next.sign_url).token));
    });
}

#[test]
fn the_senders_view_ends_after_the_workflow() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        let key = SigningKey {
            token: world.start(request).token,
            ..SigningKey::default()
        };
        app.clock.advance(43 * 86_400);
        app.open_signing(&key).expect("14 days and 30 more");
        app.clock.advance(2 * 86_400);
        assert_eq!(met(app.open_signing(&key)).0, ConflictCode::LinkReplaced);
    });
}

#[test]
fn the_senders_view_is_closed_with_their_account() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        app.with_member(&world.company, "sender@example.com", Role::Sender);
        let sender = caller(app, "acme", "sender@example.com");
        let mut request = world.request();
        request.export = None;
        let Started::Workflow(started) = app.start(&sender, request, &origin()).expect("a start") else {
            panic!("no preview was asked for");
        };
        let key = SigningKey {
            token: started.token,
            ..SigningKey::default()
        };
        assert_eq!(app.open_signing(&key).expect("the view").stage, Stage::Watch);
        app.disable_member(&operator(app, &world.company), "sender@example.com")
            .expect("disabled");
        assert_eq!(met(app.open_signing(&key)).0, ConflictCode::LinkReplaced);
    });
}
