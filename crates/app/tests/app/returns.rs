//! Tests declining and returning a document, and who is notified.

use app::{ActRequest, ConflictCode, FaultCode, GivenField, Stage, StartRecipient};
use serde_json::json;

use crate::support::on_both;
use crate::world::{
    PIXEL, World, act, embedded, faults, field, fields_of_first, given, id_of, key_of, met, one_step_of_two, origin,
    two_steps, writer,
};

#[test]
fn after_a_return_old_links_stop_working_and_step_one_is_reported_once() {
    on_both(|app| {
        let world = World::new(app, &one_step_of_two());
        let mut request = world.request();
        request.recipients = vec![
            StartRecipient {
                role: Some("b".to_owned()),
                ..writer(1, "B", "b@example.com")
            },
            writer(1, "A", "a@example.com"),
            writer(2, "C", "c@example.com"),
        ];
        request.export = Some(embedded("StartAndEnd"));
        let started = world.start(request);
        let id = id_of(&started);
        let shown = app.workflow(&world.caller, id).expect("the workflow");
        assert_eq!((shown.steps[0].name.as_str(), shown.steps[1].name.as_str()), ("A", "B"));
        let old = world.playing_key(id);
        let of = |email: &str, fields: Vec<GivenField>| ActRequest {
            email: Some(email.to_owned()),
            fields,
            ..ActRequest::default()
        };
        world
            .approve(id, of("a@example.com", vec![given("a", "first")]))
            .expect("A");
        world.approve(id, of("b@example.com", Vec::new())).expect("B");
        let key_of_c = world.playing_key(id);
        app.reject_by_link(&key_of_c, Some("고쳐 주세요"), &origin())
            .expect("given back");
        assert_eq!(met(app.open_signing(&key_of_c)).0, ConflictCode::LinkReplaced);
        assert_eq!(met(app.open_signing(&old)).0, ConflictCode::LinkReplaced);
        let new = world.playing_key(id);
        let view = app.open_signing(&new).expect("a new link");
        assert_eq!(view.stage, Stage::Write);
        let field = view
            .fields
            .iter()
            .find(|view| view.field.name == "a")
            .expect("the field");
        assert_eq!((field.value.as_deref(), field.editable), (Some("first"), true));
        world
            .approve(id, of("a@example.com", vec![given("a", "second")]))
            .expect("A");
        world.approve(id, of("b@example.com", Vec::new())).expect("B");
        world.approve(id, act(vec![given("c", "done")])).expect("C");
        let hooks = world.webhooks(id);
        let seen: Vec<_> = hooks
            .iter()
            .map(|hook| (hook["order"].as_u64(), hook["status"].as_str()))
            .collect();
        assert_eq!(seen, [(Some(1), Some("Playing")), (Some(2), Some("Complete"))]);
        assert!(app.audit_verify().expect("a report").is_clean());
    });
}

/// Two roles sign in the second step. One has signed when the other returns the document.
#[test]
fn a_return_removes_earlier_signatures_and_everybody_learns_why() {
    let template = json!({"name": "back", "steps": [{"order": 1}, {"order": 2, "role": "left"}, {"order": 2, "role": "right"}],
        "on_reject": "return", "fields": [
        field("amount", "text", 1, 1, 1, &json!({})),
        field("ink", "signature", 2, 1, 2, &json!({"role": "left", "required": true})),
        field("words", "text", 2, 1, 3, &json!({"role": "left"})),
        field("other", "text", 2, 1, 4, &json!({"role": "right"})),
    ]});
    on_both(|app| {
        let world = World::new(app, &template);
        let mut request = world.request();
        request.recipients = vec![
            writer(1, "A", "a@example.com"),
            writer(2, "L", "l@example.com"),
            writer(2, "R", "r@example.com"),
        ];
        let id = id_of(&world.start(request));
        let of = |email: &str, fields: Vec<GivenField>| ActRequest {
            email: Some(email.to_owned()),
            fields,
            ..ActRequest::default()
        };
        world.approve(id, act(vec![given("amount", "1,000")])).expect("A");
        let signed = vec![given("ink", PIXEL), given("words", "as agreed")];
        world.approve(id, of("l@example.com", signed)).expect("L");
        app.reject_by_link(&world.playing_key(id), Some("금액이 다릅니다"), &origin())
            .expect("given back");

        let first = app.open_signing(&world.playing_key(id)).expect("A's new link");
        let returned = first.returned.expect("told");
        assert_eq!(
            (returned.by.as_str(), returned.from_order, returned.reason.as_deref()),
            ("R", 2, Some("금액이 다릅니다"))
        );
        let value = |name: &str| {
            let found = first.fields.iter().find(|view| view.field.name == name);
            found.expect("the field").value.clone()
        };
        assert_eq!(
            value("ink"),
            None,
            "a signature stands under a document that is being changed"
        );
        assert_eq!(value("words").as_deref(), Some("as agreed"));
        world
            .approve(id, act(vec![given("amount", "99,000")]))
            .expect("A again");
        let second = app.open_signing(&world.playing_key(id)).expect("L's new link");
        assert_eq!(second.returned.map(|returned| returned.from_order), Some(2));
        assert_eq!(
            faults(world.approve(id, of("l@example.com", Vec::new()))),
            [("field_list.ink".to_owned(), FaultCode::FieldRequired)]
        );
        world
            .approve(id, of("l@example.com", vec![given("ink", PIXEL)]))
            .expect("L again");
        world.approve(id, of("r@example.com", Vec::new())).expect("R");
        assert!(app.audit_verify().expect("a report").is_clean());
    });
}

#[test]
fn a_return_is_reported_with_the_next_signers_and_ends_at_step_one() {
    on_both(|app| {
        let world = World::new(app, &one_step_of_two());
        let id = id_of(&world.start(world.request_of_three()));
        let of = |email: &str| ActRequest {
            email: Some(email.to_owned()),
            ..ActRequest::default()
        };
        world.approve(id, of("a@example.com")).expect("A");
        world.approve(id, of("b@example.com")).expect("B");
        world.reject(id, of("c@example.com")).expect("given back");
        let hooks = world.webhooks(id);
        let back = hooks.last().expect("a webhook");
        assert_eq!(
            (&back["command_type"], &back["status"], &back["order"]),
            (&json!("RT"), &json!("Playing"), &json!(2))
        );
        assert_eq!(
            (&back["name"], &back["next_email"]),
            (&json!("C"), &json!("a@example.com"))
        );
        assert_eq!(back["next_list"].as_array().map(Vec::len), Some(2));
        let ended = world.reject(id, of("b@example.com")).expect("declined");
        assert_eq!(ended.status, "Rejected");
        let hooks = world.webhooks(id);
        let end = hooks.last().expect("a webhook");
        assert_eq!(
            (&end["command_type"], &end["status"]),
            (&json!("RT"), &json!("Rejected"))
        );
        assert!(end.get("next_email").is_none() && end.get("next_list").is_none());
    });
}

#[test]
fn the_others_of_a_decliners_step_are_notified_and_nobody_who_was_not_asked() {
    on_both(|app| {
        let world = World::new(app, &one_step_of_two());
        let declined_by_b = |contact_of_a: &str| {
            let mut request = world.request_of_three();
            request.export = None;
            request.recipients[0].email = Some(contact_of_a.to_owned());
            let id = id_of(&world.start(request));
            let asked = world.letters(id);
            let key = key_of(&asked[1].1);
            app.reject_by_link(&key, None, &origin()).expect("declined");
            let told = world.mails(id).split_off(asked.len());
            told.into_iter().map(|mail| mail.to).collect::<Vec<_>>()
        };
        assert_eq!(declined_by_b("a@example.com"), ["a@example.com", "owner@example.com"]);
        // Another signer with the same address is a different person.
        assert_eq!(declined_by_b("b@example.com"), ["b@example.com", "owner@example.com"]);
        // The sender has the same address as the signer, so one message is enough.
        assert_eq!(declined_by_b("owner@example.com"), ["owner@example.com"]);
    });
}

#[test]
fn a_decline_after_others_signed_is_reported_to_sender_and_earlier_signers() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        let id = id_of(&world.start(request));
        world.approve(id, act(fields_of_first())).expect("an approval");
        let at_step_two = ActRequest {
            order: Some(2),
            ..ActRequest::default()
        };
        app.reject(&world.caller, id, &at_step_two, &origin())
            .expect("declined");
        let told: Vec<String> = world.letters(id).into_iter().map(|(to, _)| to).collect();
        assert_eq!(
            told,
            [
                "kim@example.com",
                "yamada@example.com",
                "kim@example.com",
                "owner@example.com"
            ]
        );
    });
}
