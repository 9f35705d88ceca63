//! Tests a workflow from start to end, with signers in turn.

use std::collections::BTreeMap;
use std::sync::Arc;

use app::{ActRequest, ConflictCode, Error, FaultCode, SigningKey, Stage, StartCopy, StartFieldName, Subject};
use base64::Engine as _;
use document::verify;
use domain::{Status, WorkflowId};
use serde_json::{Value, json};

use crate::support::on_both;
use crate::world::{
    PIXEL, World, act, embedded, faults, fields_of_first, given, id_of, key_of, keys_of, met, one_step_of_two, origin,
    texts, two_steps, writer,
};

#[test]
fn two_writers_complete_and_everything_is_proved() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.fields = vec![given("title", "2026년 계약"), given("stamp", "")];
        request.cc = vec![StartCopy {
            name: Some("법무".to_owned()),
            email: Some("legal@example.com".to_owned()),
        }];
        if let Some(export) = &mut request.export {
            export.field_names = vec![StartFieldName {
                field_name: Some("성명".to_owned()),
                new_name: Some("name".to_owned()),
            }];
        }
        let started = world.start(request);
        let id = id_of(&started);
        assert_eq!(started.language, "ko-KR");
        assert_eq!(
            (started.next_name.as_str(), started.next_email.as_str()),
            ("김민준", "kim@example.com")
        );
        let sign_url = started.sign_url.clone().expect("embedded");
        assert_eq!(
            sign_url,
            format!("http://127.0.0.1:8080/mail/sign?token={}&lang=ko", started.token)
        );
        assert!(started.next_list.is_none());

        let key = key_of(&sign_url);
        let shown = sign_on_the_page(&world, id, &key);

        // The program acts on behalf of the second signer.
        let done = world
            .approve(
                id,
                act(vec![
                    given("pay", "1,200.5"),
                    given("stamp", &format!("data:image/png;base64,{PIXEL}")),
                ]),
            )
            .expect("the last approval");
        assert_eq!(done.status, "Complete");

        let last = check_webhooks(&world, id);

        // The workflow is embedded, so the signers get no messages, but the sender and the copy recipients do.
        let told: Vec<String> = world.letters(id).into_iter().map(|(to, _)| to).collect();
        assert_eq!(told, ["owner@example.com", "legal@example.com"]);

        check_files(&world, id, &last, &shown);
        check_history(&world, id);

        let over = world.approve(id, act(Vec::new()));
        assert_eq!(met(over), (ConflictCode::Finished, Some("Complete".to_owned())));
        app.clock.advance(31 * 24 * 60 * 60);
        let late = app.linked_file(&key_of(last["download_url"].as_str().expect("a URL")), &origin());
        assert_eq!(met(late).0, ConflictCode::LinkReplaced);
    });
}

/// Uses the signing page: view, consent, a saved draft, approval. Returns the picture of the signature.
fn sign_on_the_page(world: &World<'_>, id: WorkflowId, key: &SigningKey) -> Vec<u8> {
    let app = world.app;
    let view = app.open_signing(key).expect("a page");
    assert_eq!(
        (view.stage.clone(), view.must_consent, view.pages.len()),
        (Stage::Write, true, 2)
    );
    assert!(
        view.fields
            .iter()
            .filter(|field| field.editable)
            .all(|field| field.mine)
    );
    app.record_viewed(key, &origin()).expect("seen");
    app.record_viewed(key, &origin()).expect("seen again");
    let without = app.approve_shown(key, &texts(&[("성명", "김민준"), ("sign", PIXEL)]), None, &origin());
    assert_eq!(faults(without), [("consent".to_owned(), FaultCode::ConsentRequired)]);
    app.give_consent(key, "전자서명에 동의합니다", &origin())
        .expect("consent");
    app.fill_in(key, &texts(&[("성명", "김민"), ("day", "2026-13")]))
        .expect("a half-finished draft");
    let bytes = base64::engine::general_purpose::STANDARD.decode(PIXEL).expect("base64");
    app.attach(key, "sign", Some("../서명.png"), bytes.clone())
        .expect("a file");
    let drafted = app.open_signing(key).expect("a page");
    let value = |name: &str| {
        let found = drafted
            .fields
            .iter()
            .find(|view| view.field.name == name)
            .expect("the field");
        (found.value.clone().unwrap_or_default(), found.file)
    };
    assert_eq!(value("성명"), ("김민".to_owned(), false));
    assert_eq!(value("sign"), ("서명.png".to_owned(), true));
    // The same picture, redrawn by us.
    let shown = app.signing_file(key, "sign").expect("the file").bytes;
    assert!(shown.starts_with(b"\x89PNG") && shown != bytes);
    let wrong = app.approve_shown(key, &texts(&[("성명", "")]), None, &origin());
    assert_eq!(
        faults(wrong),
        [
            ("day".to_owned(), FaultCode::InvalidDate),
            ("성명".to_owned(), FaultCode::FieldRequired)
        ]
    );
    let signed = app
        .approve_shown(
            key,
            &texts(&[("성명", "김민준"), ("day", "2026-01-02"), ("plan", "B")]),
            Some("네, 확인했습니다 😀"),
            &origin(),
        )
        .expect("an approval");
    assert_eq!(signed.status, Status::Playing);
    assert_eq!(app.open_signing(key).expect("a used link").stage, Stage::Done);
    let again = app.approve_shown(key, &BTreeMap::new(), None, &origin());
    assert_eq!(met(again), (ConflictCode::AlreadyApproved, Some("Playing".to_owned())));
    assert_eq!(
        met(app.document(&world.caller, id, &origin())).0,
        ConflictCode::NotComplete
    );
    shown
}

/// Checks the webhooks of both steps. Returns the last one.
fn check_webhooks(world: &World<'_>, id: WorkflowId) -> Value {
    let hooks = world.webhooks(id);
    assert_eq!(hooks.len(), 2);
    let first = &hooks[0];
    assert_eq!(first["command_type"], "CF");
    assert_eq!(
        (first["status"].as_str(), first["order"].as_u64()),
        (Some("Playing"), Some(1))
    );
    assert_eq!(first["completed_date"], "2026-01-01 09:00:00 (UTC+09:00)");
    assert_eq!((&first["is_embed"], &first["version"]), (&json!(true), &json!("v3")));
    assert_eq!(first["comment"], "네, 확인했습니다 😀");
    assert_eq!(first["next_email"], "yamada@example.com");
    assert!(
        first["sign_url"]
            .as_str()
            .is_some_and(|url| url.contains("/mail/sign?token=") && url.contains("&lang="))
    );
    assert!(first.get("download_url").is_none() && first.get("next_list").is_none());
    assert_eq!(
        first["field_list"],
        json!([
            {"name": "name", "value": "김민준", "email": "kim@example.com", "order": 1},
            {"name": "day", "value": "2026-01-02", "email": "kim@example.com", "order": 1},
            {"name": "agree", "value": "N", "email": "kim@example.com", "order": 1},
            {"name": "plan", "value": "B", "email": "kim@example.com", "order": 1},
            {"name": "sign", "value": "서명.png", "email": "kim@example.com", "order": 1},
            {"name": "own", "value": "김민준", "email": "kim@example.com", "order": 1},
            {"name": "title", "value": "2026년 계약", "email": "kim@example.com", "order": 1},
        ])
    );
    let last = &hooks[1];
    assert_eq!(
        (last["status"].as_str(), last["order"].as_u64()),
        (Some("Complete"), Some(2))
    );
    assert!(last.get("next_email").is_none() && last.get("sign_url").is_none());
    let field_list = last["field_list"].as_array().expect("a list");
    assert!(
        field_list.contains(&json!({"name": "double", "value": "2401", "email": "yamada@example.com", "order": 2}))
    );
    let members: Vec<&str> = last
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    assert!(
        members.contains(&"download_url") && members.contains(&"certificate_url"),
        "{members:?}"
    );
    last.clone()
}

fn check_files(world: &World<'_>, id: WorkflowId, last: &Value, shown: &[u8]) {
    let app = world.app;
    let roots = app.trusted_roots().expect("roots");
    let document = app.document(&world.caller, id, &origin()).expect("the document");
    assert_eq!(document.file_name, "근로계약서.pdf");
    let certificate = app.certificate(&world.caller, id, &origin()).expect("the certificate");
    for file in [&document, &certificate] {
        let verdict = verify::verify(&file.bytes, &roots, app.now());
        assert!(
            verdict.holds_strictly(),
            "{:?}",
            verdict.all_faults().collect::<Vec<_>>()
        );
    }
    let linked = app.linked_file(&key_of(last["download_url"].as_str().expect("a URL")), &origin());
    assert_eq!(linked.expect("by its link").file.bytes, document.bytes);
    let signature = app.field_file(&world.caller, id, "sign").expect("the file").bytes;
    assert_eq!(signature, shown, "what the page showed");
    assert!(matches!(
        app.field_file(&world.caller, id, "pay"),
        Err(Error::NotFound(Subject::File))
    ));
    assert!(matches!(
        app.field_file(&world.caller, id, "none"),
        Err(Error::NotFound(Subject::Field))
    ));
}

fn check_history(world: &World<'_>, id: WorkflowId) {
    let app = world.app;
    let shown = app.workflow(&world.caller, id).expect("the workflow");
    assert_eq!(shown.status, "Complete");
    assert!(!shown.download_url.is_empty() && !shown.certificate_url.is_empty() && shown.playing_url.is_empty());
    let events: Vec<&str> = shown.history.iter().map(|entry| entry.event).collect();
    assert_eq!(events.iter().filter(|event| **event == "viewed").count(), 1);
    for event in [
        "started",
        "consented",
        "value_written",
        "approved",
        "completed",
        "downloaded",
    ] {
        assert!(events.contains(&event), "{event} in {events:?}");
    }
    let approved = shown
        .history
        .iter()
        .find(|entry| entry.event == "approved")
        .expect("approved");
    assert_eq!(
        (approved.actor_email.as_str(), approved.address.as_deref()),
        ("kim@example.com", Some("192.0.2.7"))
    );
    let report = app.audit_verify().expect("a report");
    assert_eq!((report.workflows, report.faults.len()), (1, 0));
    let files = app.fsck(std::time::Duration::ZERO).expect("a check");
    assert!(files.is_clean() && files.swept.is_empty(), "{:?}", files.swept);
}

#[test]
fn the_sender_signs_with_their_view_if_they_are_the_signer() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        request.recipients[0].email = Some("Owner@example.com".to_owned());
        let started = world.start(request);
        let key = SigningKey {
            token: started.token,
            ..SigningKey::default()
        };
        assert_eq!(app.open_signing(&key).expect("a page").stage, Stage::Write);
    });
}

#[test]
fn at_the_same_moment_one_wins_and_the_other_sees_why() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(world.request()));
        for (fields, after) in [(fields_of_first(), "Playing"), (vec![given("pay", "1")], "Complete")] {
            let order = if after == "Playing" { 1 } else { 2 };
            let results: Vec<_> = std::thread::scope(|scope| {
                let handles: Vec<_> = (0..6)
                    .map(|_| {
                        let (fields, caller, app) = (fields.clone(), world.caller.clone(), Arc::clone(&app.app));
                        scope.spawn(move || {
                            let request = ActRequest {
                                order: Some(order),
                                fields,
                                ..ActRequest::default()
                            };
                            app.approve(&caller, id, &request, &origin())
                        })
                    })
                    .collect();
                handles
                    .into_iter()
                    .map(|handle| handle.join().expect("no panic"))
                    .collect()
            });
            let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
            assert_eq!(won.len(), 1);
            for result in lost {
                let (code, state) = met(result);
                assert_eq!(state.as_deref(), Some(after));
                assert!(
                    matches!(code, ConflictCode::AlreadyApproved | ConflictCode::Finished),
                    "{code}"
                );
            }
        }
        assert_eq!(world.webhooks(id).len(), 2);
        assert!(app.audit_verify().expect("a report").is_clean());
    });
}

#[test]
fn a_program_names_step_and_writer_rightly_or_is_refused() {
    on_both(|app| {
        let world = World::new(app, &one_step_of_two());
        let started = world.start(world.request_of_three());
        let id = id_of(&started);
        let names: Vec<_> = started
            .next_list
            .as_deref()
            .expect("several")
            .iter()
            .map(|next| next.name.as_str())
            .collect();
        assert_eq!(names, ["A", "B"]);
        let by = |order: Option<u32>, email: Option<&str>| ActRequest {
            order,
            email: email.map(str::to_owned),
            ..ActRequest::default()
        };
        assert_eq!(
            faults(world.approve(id, by(None, None))),
            [("email".to_owned(), FaultCode::Required)]
        );
        assert_eq!(met(world.approve(id, by(Some(2), None))).0, ConflictCode::NotYourTurn);
        let unknown = world.approve(id, by(Some(9), None));
        assert!(matches!(unknown, Err(Error::NotFound(Subject::Recipient))));
        let foreign = world.approve(
            id,
            ActRequest {
                fields: vec![given("a", "x")],
                ..by(None, Some("b@example.com"))
            },
        );
        assert_eq!(
            faults(foreign),
            [("field_list[0].name".to_owned(), FaultCode::FieldNotWritable)]
        );
        world.approve(id, by(None, Some("B@Example.com"))).expect("B first");
        assert_eq!(
            met(world.approve(id, by(None, Some("b@example.com")))).0,
            ConflictCode::AlreadyApproved
        );
        world.approve(id, by(Some(1), None)).expect("A alone is left");
        assert_eq!(
            met(world.approve(id, by(Some(1), None))).0,
            ConflictCode::AlreadyApproved
        );
        let hooks = world.webhooks(id);
        assert_eq!(hooks.len(), 2);
        assert_eq!(hooks[0]["next_email"], "a@example.com");
        assert_eq!(hooks[0]["next_list"].as_array().map(Vec::len), Some(1));
        assert!(hooks[1].get("next_list").is_none());
    });
}

#[test]
fn an_approval_says_whether_others_of_the_step_are_still_to_sign() {
    on_both(|app| {
        let world = World::new(app, &one_step_of_two());
        let started = world.start(world.request_of_three());
        let approvals: Vec<bool> = keys_of(&started)
            .iter()
            .map(|key| {
                let signed = app.approve_shown(key, &BTreeMap::new(), None, &origin());
                signed.expect("an approval").others_of_step
            })
            .collect();
        assert_eq!(approvals, [true, false]);
        let last = world.playing_key(WorkflowId(started.workflow_id));
        let signed = app.approve_shown(&last, &BTreeMap::new(), None, &origin());
        assert!(!signed.expect("the last approval").others_of_step);
    });
}

#[test]
fn at_the_end_cc_recipients_sender_and_writers_each_get_the_promised_copy_embedded_ones_not_the_writers() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        for (is_embedded, expected) in [
            (
                false,
                vec![
                    "kim@example.com",
                    "yamada@example.com",
                    "kim@example.com",
                    "yamada@example.com",
                    "owner@example.com",
                    "cc@example.com",
                ],
            ),
            (true, vec!["owner@example.com", "cc@example.com"]),
        ] {
            let mut request = world.request();
            request.export = is_embedded.then(|| embedded("ALL"));
            request.cc = vec![StartCopy {
                name: Some("참조".to_owned()),
                email: Some("cc@example.com".to_owned()),
            }];
            let id = id_of(&world.start(request));
            world.approve(id, act(fields_of_first())).expect("an approval");
            world
                .approve(id, act(vec![given("pay", "1000")]))
                .expect("the last approval");
            let letters = world.letters(id);
            let told: Vec<&str> = letters.iter().map(|(to, _)| to.as_str()).collect();
            assert_eq!(told, expected);
            let link = &letters.last().expect("the copy").1;
            let copy = app
                .linked_file(&key_of(link), &origin())
                .expect("the copy's link opens");
            assert!(copy.file.bytes.starts_with(b"%PDF-"));
        }
    });
}

#[test]
fn an_approval_names_what_is_missing_and_what_was_given_twice() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(world.request()));
        let Err(Error::Unprocessable(missing)) = world.approve(id, act(vec![given("sign", PIXEL)])) else {
            panic!("a required field is missing");
        };
        assert_eq!(missing.len(), 1);
        assert_eq!(
            (missing[0].path.as_str(), missing[0].code),
            ("field_list.성명", FaultCode::FieldRequired)
        );
        for language in domain::Language::ALL {
            assert!(missing[0].message(language).contains("성명"), "{language:?}");
        }
        let mut twice = fields_of_first();
        twice.push(given("성명", "다른 사람"));
        let refused = world.approve(id, act(twice));
        assert_eq!(
            faults(refused),
            [("field_list[2].name".to_owned(), FaultCode::Duplicate)]
        );
    });
}

#[test]
fn a_result_without_its_value_goes_away() {
    on_both(|app| {
        let mut fields = two_steps();
        fields["fields"][8]["required"] = json!(false);
        fields["fields"][9]["formula"] = json!("100 / pay");
        fields["on_reject"] = json!("return");
        fields["steps"] = json!([{"order": 1}, {"order": 2}, {"order": 3}]);
        for field in fields["fields"].as_array_mut().expect("fields") {
            field.as_object_mut().expect("a field").remove("role");
        }
        let world = World::new(app, &fields);
        let mut request = world.request();
        request.recipients.push(writer(3, "C", "c@example.com"));
        let id = id_of(&world.start(request));
        world.approve(id, act(fields_of_first())).expect("step 1");
        world.approve(id, act(vec![given("pay", "50")])).expect("step 2");
        let value = |id| {
            let seen = app.workflow(&world.caller, id).expect("the workflow");
            seen.field_list
                .into_iter()
                .find(|field| field.name == "double")
                .map(|field| field.value)
        };
        assert_eq!(value(id).as_deref(), Some("2"));
        world.reject(id, act(Vec::new())).expect("given back");
        world.approve(id, act(vec![given("pay", "0")])).expect("step 2 again");
        assert_eq!(value(id), None);
    });
}
