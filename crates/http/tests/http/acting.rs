//! Approve, reject, cancel, extend, correct: each transition happens once, and a late caller receives the workflow's
//! current state.

use domain::{Clock as _, Zone};
use jiff::SignedDuration;
use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{Answer, Server, committee, plain, start_body, values_of};

testkit::on_both_databases!(
    a_second_approval_is_refused,
    an_ended_workflow_changes_no_more,
    of_two_at_once_one_wins,
    an_approval_is_held_to_the_fields,
    a_rejection_gives_back_where_the_template_says_so,
    of_several_writers_the_one_meant_is_named,
    a_corrected_recipient_gets_a_new_link,
    an_extension_moves_the_end,
    an_embedded_workflow_is_not_reminded,
    a_reminder_too_soon_is_refused_with_the_wait,
    a_finished_workflow_is_hidden_and_keeps_its_proof,
    what_ended_early_is_not_called_unfinished,
);

#[track_caller]
fn conflict(answer: &Answer) -> (String, String) {
    let problem = answer.problem(409);
    let text = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
    (text("code"), text("state"))
}

fn pair(code: &str, state: &str) -> (String, String) {
    (code.to_owned(), state.to_owned())
}

/// A workflow of `steps` plain steps in progress.
fn playing(server: &Server, company: &domain::CompanyId, token: &str, steps: u32, on_reject: &str) -> Value {
    let template = server.template(company, &plain(steps, on_reject));
    let writers: Vec<Value> = (1..=steps)
        .map(|order| json!({"order": order, "name": format!("Writer {order}"), "email": format!("w{order}@example.com")}))
        .collect();
    let body = json!({
        "workflow_name": "Plain", "template_id": template, "recipient_list": writers, "expiry_date": "2026-01-10 00:00:00",
        "export_api_info": {"url": "https://hooks.example.com/", "api_type": "ALL", "is_embed": true},
    });
    server.start(token, &body).ok()["workflow_id"].clone()
}

fn a_second_approval_is_refused(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let id = playing(&server, &company, &token, 2, "end");
    let advanced = server.act(&token, &id, "approve", &json!({"order": 1})).ok();
    assert_eq!(
        (&advanced["status"], &advanced["order"], &advanced["next_name"]),
        (&json!("Playing"), &json!(2), &json!("Writer 2"))
    );
    assert!(
        advanced["sign_url"].as_str().is_some_and(|url| url.contains("?token=")),
        "{advanced}"
    );
    for what in ["approve", "reject"] {
        let again = server.act(&token, &id, what, &json!({"order": 1}));
        assert_eq!(conflict(&again), pair("already-approved", "Playing"), "{what}");
    }
    assert_eq!(server.act(&token, &id, "approve", &json!({"order": 3})).status, 404);
    // A request without a step acts for nobody, because a program that lost the response might repeat it.
    for what in ["approve", "reject"] {
        let unnamed = server.act_as_given(&token, &id, what, &json!({}));
        assert_eq!(
            unnamed.faults(),
            [("order".to_owned(), "required".to_owned())],
            "{what}"
        );
    }
}

fn an_ended_workflow_changes_no_more(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let end = |how: &str| {
        let id = playing(&server, &company, &token, 1, "end");
        if how != "expire" {
            server.act(&token, &id, how, &json!({"comment": "enough"})).ok();
        }
        id
    };
    let ended = [
        (end("cancel"), "Canceled"),
        (end("reject"), "Rejected"),
        (end("approve"), "Complete"),
        (end("expire"), "Expired"),
    ];
    server.clock.advance(10 * 24 * 60 * 60);
    let token = server.token("acme", "owner@example.com");
    for (id, state) in &ended {
        for what in ["approve", "reject", "cancel", "extend"] {
            let body = json!({"expiry_date": "2027-01-01 00:00:00"});
            let answer = server.act(&token, id, what, &body);
            assert_eq!(conflict(&answer), pair("finished", state), "{what}");
            assert!(
                answer.json()["detail"]
                    .as_str()
                    .is_some_and(|detail| detail.contains(state)),
                "{what}"
            );
        }
        let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
        assert_eq!(seen["status"], *state);
        assert_eq!(seen["playing_url"], "", "{state}");
        // The document exists only when the workflow is complete, but the certificate always does.
        let document = server.get(&format!("/api/v3/workflows/{id}/document"), &token);
        if *state == "Complete" {
            assert_eq!(document.status, 200);
        } else {
            assert_eq!(conflict(&document), pair("not-complete", state));
        }
        let certificate = server.get(&format!("/api/v3/workflows/{id}/certificate"), &token);
        assert_eq!(
            (certificate.status, certificate.header("content-type")),
            (200, "application/pdf"),
            "{state}"
        );
    }
}

fn of_two_at_once_one_wins(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    // Two final approvals, and a final approval against a cancellation.
    for rivals in [["approve", "approve"], ["approve", "cancel"], ["reject", "approve"]] {
        let id = playing(&server, &company, &token, 1, "end");
        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let asked: Vec<_> = rivals
                .iter()
                .map(|what| scope.spawn(|| server.act(&token, &id, what, &json!({}))))
                .collect();
            asked
                .into_iter()
                .map(|asked| asked.join().expect("an answer"))
                .collect()
        });
        let (won, lost): (Vec<&Answer>, Vec<&Answer>) = answers.iter().partition(|answer| answer.status == 200);
        assert_eq!((won.len(), lost.len()), (1, 1), "{rivals:?}");
        let state = server.get(&format!("/api/v3/workflows/{id}"), &token).ok()["status"].clone();
        assert_eq!(won[0].json()["status"], state);
        let (code, met) = conflict(lost[0]);
        assert!(["finished", "already-approved"].contains(&code.as_str()), "{code}");
        assert_eq!(json!(met), state);
        let (hooks, _) = server.drain();
        assert_eq!(hooks.len(), 1, "one transition, one webhook");
    }
}

fn an_approval_is_held_to_the_fields(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["field_list"] = json!([{"name": "fixed", "value": "fixed"}]);
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    let before = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    let faults = |fields: Value| {
        let answer = server.act(&token, &id, "approve", &json!({"field_list": fields}));
        answer
            .faults()
            .into_iter()
            .map(|(path, code)| format!("{path} {code}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(faults(json!([])), ["field_list.employer field-required"]);
    assert_eq!(
        faults(json!([{"name": "employer", "value": "x"}, {"name": "salary", "value": "much"}])),
        ["field_list[1].value invalid-number"]
    );
    assert_eq!(
        faults(json!([{"name": "employer", "value": "x"}, {"name": "agree", "value": "Y"}])),
        ["field_list[1].name field-not-writable"]
    );
    assert_eq!(
        faults(json!([{"name": "employer", "value": "x"}, {"name": "fixed", "value": "y"}])),
        ["field_list[1].name field-not-writable"]
    );
    assert_eq!(
        faults(json!([{"name": "employer", "value": "x"}, {"name": "nothing", "value": "y"}])),
        ["field_list[1].name unknown-field"]
    );
    let answer = server.act(&token, &id, "approve", &json!({"comment": "x".repeat(251), "order": 0}));
    assert_eq!(answer.faults().len(), 2);
    // Nothing was written.
    assert_eq!(server.get(&format!("/api/v3/workflows/{id}"), &token).ok(), before);
    server
        .act(&token, &id, "approve", &json!({"field_list": values_of(1)}))
        .ok();
}

fn a_rejection_gives_back_where_the_template_says_so(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let id = playing(&server, &company, &token, 2, "return");
    let values = json!({"field_list": [{"name": "text1", "value": "first"}]});
    let old = server.act(&token, &id, "approve", &values).ok()["sign_url"].clone();
    let back = server.act(&token, &id, "reject", &json!({"comment": "a mistake"})).ok();
    assert_eq!(
        (&back["status"], &back["order"], &back["next_name"]),
        (&json!("Playing"), &json!(1), &json!("Writer 1"))
    );
    // The value was kept, and can be changed.
    let values = json!({"field_list": [{"name": "text1", "value": "second"}]});
    let again = server.act(&token, &id, "approve", &values).ok();
    assert_ne!(again["sign_url"], old, "the earlier link died");
    let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    assert_eq!(seen["field_list"][0]["value"], "second");
    // At the first step, declining ends the workflow.
    let id = playing(&server, &company, &token, 2, "return");
    assert_eq!(server.act(&token, &id, "reject", &json!({})).ok()["status"], "Rejected");
}

fn of_several_writers_the_one_meant_is_named(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let template = server.template(&company, &committee());
    let mut body = start_body(template);
    body["recipient_list"] = json!([
        {"order": 1, "name": "Ann", "email": "ann@example.com"}, {"order": 1, "name": "Bob", "email": "bob@example.com"},
    ]);
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    let unnamed = server.act(&token, &id, "approve", &json!({}));
    assert_eq!(unnamed.faults(), [("email".to_owned(), "required".to_owned())]);
    assert_eq!(
        server
            .act(&token, &id, "approve", &json!({"email": "eve@example.com"}))
            .status,
        404
    );
    let advanced = server
        .act(&token, &id, "approve", &json!({"email": "BOB@example.com"}))
        .ok();
    assert_eq!((&advanced["order"], &advanced["next_name"]), (&json!(1), &json!("Ann")));
    let again = server.act(&token, &id, "approve", &json!({"email": "bob@example.com"}));
    assert_eq!(conflict(&again).0, "already-approved");
    assert_eq!(
        server.act(&token, &id, "approve", &json!({})).ok()["next_name"],
        "Auditor"
    );
}

fn a_corrected_recipient_gets_a_new_link(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let id = playing(&server, &company, &token, 2, "end");
    let correct = |order: &str, body: &Value| {
        let path = format!("/api/v3/workflows/{id}/recipients/{order}");
        server.send(
            server
                .request("PATCH", &path, Some(&token))
                .header("accept-language", "en")
                .json(body),
        )
    };
    let before = server.get(&format!("/api/v3/workflows/{id}"), &token).ok()["playing_url"].clone();
    let after = correct("1", &json!({"email": "right@example.com"})).ok();
    assert_eq!(
        (&after["next_name"], &after["next_email"]),
        (&json!("Writer 1"), &json!("right@example.com"))
    );
    assert_ne!(after["sign_url"], before);
    assert_eq!(
        correct("1", &json!({"email": "@"})).faults(),
        [("email".to_owned(), "invalid-contact".to_owned())]
    );
    let nothing = correct("1", &json!({}));
    assert_eq!(nothing.faults(), [(String::new(), "one-required".to_owned())]);
    assert_eq!(
        nothing.json()["errors"][0]["message"],
        "At least one of these is required: name, email, mobile, company."
    );
    for order in ["3", "0", "x"] {
        assert_eq!(
            correct(order, &json!({"name": "X"})).problem(404)["code"],
            "not-found",
            "{order}"
        );
    }
    server.act(&token, &id, "approve", &json!({})).ok();
    assert_eq!(
        conflict(&correct("1", &json!({"name": "X"}))),
        pair("already-approved", "Playing")
    );
}

fn an_extension_moves_the_end(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let id = playing(&server, &company, &token, 1, "end");
    let path = format!("/api/v3/workflows/{id}/extend?offset=+00:00");
    let extended = server
        .post(&path, Some(&token), &json!({"expiry_date": "2026-03-01 00:00:00"}))
        .ok();
    assert!(
        extended["expiry_date"]
            .as_str()
            .is_some_and(|date| date.starts_with("2026-03-01 09:00:00")),
        "{extended}"
    );
    let day = server
        .act(&token, &id, "extend", &json!({"expiry_date": "2026-04-01"}))
        .ok();
    assert_eq!(day["expiry_date"], "2026-04-01 23:59:59 (UTC+09:00)");
    for (body, code) in [
        (json!({}), "required"),
        (json!({"expiry_date": "2026-02-30"}), "invalid-date-time"),
        (json!({"expiry_date": "soon"}), "invalid-date-time"),
        (json!({"expiry_date": "2025-12-31 00:00:00"}), "past-date-time"),
    ] {
        let answer = server.act(&token, &id, "extend", &body);
        assert_eq!(answer.faults(), [("expiry_date".to_owned(), code.to_owned())]);
    }
}

fn an_embedded_workflow_is_not_reminded(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    assert_eq!(conflict(&server.act(&token, &id, "remind", &json!({}))).0, "embedded");
    body["export_api_info"] = json!(null);
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    assert_eq!(server.drain().1, 1);
    server.act(&token, &id, "remind", &json!({})).ok();
    assert_eq!(server.drain().1, 1);
}

fn a_reminder_too_soon_is_refused_with_the_wait(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["export_api_info"] = Value::Null;
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    let remind = || server.act(&token, &id, "remind", &json!({}));
    remind().ok();
    let again_at = domain::time::format_with_zone(server.clock.now() + SignedDuration::from_mins(10), Zone::default());
    for (passed, wait) in [(0, "600"), (100, "500"), (499, "1")] {
        server.clock.advance(passed);
        let answer = remind();
        let problem = answer.problem(429);
        assert_eq!(problem["code"], "asked-lately");
        assert_eq!(answer.header("retry-after"), wait);
        let detail = problem["detail"].as_str().expect("a detail");
        assert!(detail.contains(&again_at), "{detail} does not name {again_at}");
    }
    // A caller who waits for the stated time succeeds.
    server.clock.advance(1);
    remind().ok();
}

fn a_finished_workflow_is_hidden_and_keeps_its_proof(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let id = playing(&server, &company, &token, 1, "end");
    assert_eq!(
        conflict(&server.act(&token, &id, "discard", &json!({}))),
        pair("still-playing", "Playing")
    );
    server.act(&token, &id, "approve", &json!({})).ok();
    // A missing body counts as an empty one.
    let path = format!("/api/v3/workflows/{id}/discard");
    server.send(server.request("POST", &path, Some(&token))).ok();
    assert_eq!(server.get("/api/v3/workflows", &token).ok()["workflow_list"], json!([]));
    assert_eq!(
        server.get(&format!("/api/v3/workflows/{id}/document"), &token).status,
        200
    );
}

fn what_ended_early_is_not_called_unfinished(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let id = playing(&server, &company, &token, 1, "end");
    let document = || server.get(&format!("/api/v3/workflows/{id}/document"), &token);
    let early = document().problem(409);
    assert_eq!(early["detail"], "The document is not complete yet.");
    server.act(&token, &id, "cancel", &json!({})).ok();
    let answer = document();
    assert_eq!(conflict(&answer), pair("not-complete", "Canceled"));
    let words = answer.json()["detail"].as_str().expect("words").to_owned();
    assert!(
        !words.contains("yet") && words.contains("Canceled") && words.contains("history certificate"),
        "{words}"
    );
    let certificate = server.get(&format!("/api/v3/workflows/{id}/certificate"), &token);
    assert_eq!(certificate.status, 200);
}
