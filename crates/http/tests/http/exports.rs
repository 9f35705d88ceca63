//! Tests the Export API's history: deliveries and their results, resending, stopped endpoints, and test deliveries.

use domain::public_address::AddressRules;
use jiff::SignedDuration;
use serde_json::{Value, json};
use store::outbox::Outcome;
use testkit::database::TestDatabase;
use testkit::operator::operator;
use testkit::receiver::{Answer, Receiver};

use crate::support::{Server, start_body, values_of};

testkit::on_both_databases!(
    every_delivery_and_every_try_is_shown,
    the_history_is_filtered_and_paged,
    a_dead_letter_is_revived_as_the_same_event,
    what_is_under_way_is_not_sent_twice,
    a_range_is_sent_again_bounded_and_once_each,
    a_paused_address_gets_nothing_until_it_is_started,
    an_address_is_paused_before_anything_tells_it,
    a_stopped_address_is_listed_and_started,
    nothing_of_another_company_is_shown_or_sent,
    the_history_of_a_company_is_bounded,
);

const URL: &str = "https://hooks.example.com/sign";

/// A workflow whose first signer has approved, so that one webhook is waiting.
fn told(server: &Server, token: &str, template: i64) -> Value {
    let id = server.start(token, &start_body(template)).ok()["workflow_id"].clone();
    server
        .act(token, &id, "approve", &json!({"order": 1, "field_list": values_of(1)}))
        .ok();
    id
}

fn list(server: &Server, token: &str, query: &str) -> Vec<Value> {
    let list = server.get(&format!("/api/v3/exports{query}"), token).ok();
    list["export_list"].as_array().expect("a list").clone()
}

/// Creates this many dead webhooks, each of a separate workflow.
fn dead_letters(server: &Server, token: &str, template: i64, number: usize) {
    for _ in 0..number {
        told(server, token, template);
    }
    server.try_all(&server.tried(Some(400), None, "no"), Outcome::Dead);
}

fn every_delivery_and_every_try_is_shown(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let id = told(&server, &token, template);
    let waiting = list(&server, &token, "");
    assert_eq!(waiting.len(), 1, "mails are no webhooks: {waiting:?}");
    assert_eq!(
        (&waiting[0]["status"], &waiting[0]["try_list"], &waiting[0]["tries"]),
        (&json!("waiting"), &json!([]), &json!(0))
    );
    let later = server.app.now() + SignedDuration::from_secs(300);
    server.try_all(
        &server.tried(Some(503), None, "maintenance until six"),
        Outcome::Retry(later),
    );
    server.clock.advance(300);
    server.try_all(
        &server.tried(None, Some("no answer within 15 s"), ""),
        Outcome::Retry(later + SignedDuration::from_secs(1)),
    );
    server.clock.advance(1);
    server.try_all(&server.tried(Some(204), None, ""), Outcome::Delivered);
    let shown = &list(&server, &token, "")[0];
    let webhook_id = shown["webhook_id"].as_str().expect("an id");
    assert!(webhook_id.starts_with("msg_"), "{webhook_id}");
    let date = |text: &str| format!("2026-01-01 {text} (UTC+09:00)");
    assert_eq!(
        *shown,
        json!({
            "export_id": shown["export_id"], "webhook_id": webhook_id, "workflow_id": id, "url": URL, "status": "delivered",
            "created_date": date("09:00:00"), "next_date": "", "finished_date": date("09:05:01"), "tries": 3,
            "try_list": [
                {"number": 1, "date": date("09:00:00"), "duration_ms": 12, "code": 503, "fault": null, "answer": "maintenance until six"},
                {"number": 2, "date": date("09:05:00"), "duration_ms": 12, "code": null, "fault": "no answer within 15 s", "answer": ""},
                {"number": 3, "date": date("09:05:01"), "duration_ms": 12, "code": 204, "fault": null, "answer": ""},
            ],
        })
    );
}

fn the_history_is_filtered_and_paged(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let first = told(&server, &token, template);
    server.try_all(&server.tried(Some(200), None, ""), Outcome::Delivered);
    server.clock.advance(24 * 60 * 60);
    let token = server.token("acme", "owner@example.com");
    dead_letters(&server, &token, template, 2);
    told(&server, &token, template);
    let count = |query: &str| list(&server, &token, query).len();
    assert_eq!(count(""), 4);
    assert_eq!(count(&format!("?workflow_id={first}")), 1);
    assert_eq!(count("?workflow_id=999999"), 0);
    for (status, number) in [("delivered", 1), ("dead", 2), ("waiting", 1), ("held", 0)] {
        assert_eq!(count(&format!("?status={status}")), number, "{status}");
    }
    // The URL may be spelled in any equivalent form.
    assert_eq!(count("?url=HTTPS://hooks.EXAMPLE.com:443/sign"), 4);
    assert_eq!(count("?url=https://hooks.example.com/other"), 0);
    assert_eq!(count("?to=2026-01-01"), 1);
    assert_eq!(count("?from=2026-01-02"), 3);
    assert_eq!(count("?from=2026-01-01%2009:00:00&to=2026-01-01%2009:00:00"), 1);
    let mut seen = Vec::new();
    let mut cursor = String::new();
    for _ in 0..4 {
        let page = server.get(&format!("/api/v3/exports?limit=1{cursor}"), &token).ok();
        seen.extend(page["export_list"].as_array().expect("a list").clone());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, list(&server, &token, ""), "page by page and all at once");
    let faults = server
        .get(
            "/api/v3/exports?status=done&from=yesterday&limit=101&cursor=x&workflow_id=x&url=%00",
            &token,
        )
        .faults();
    let codes: Vec<(&str, &str)> = faults
        .iter()
        .map(|(path, code)| (path.as_str(), code.as_str()))
        .collect();
    assert_eq!(
        codes,
        [
            ("workflow_id", "wrong-type"),
            ("status", "not-allowed"),
            ("url", "control-character"),
            ("from", "invalid-date-time"),
            ("cursor", "invalid-cursor"),
            ("limit", "out-of-range")
        ]
    );
}

fn a_dead_letter_is_revived_as_the_same_event(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    told(&server, &token, template);
    let first = server.try_all(&server.tried(Some(400), None, ""), Outcome::Dead);
    let id = list(&server, &token, "?status=dead")[0]["export_id"].clone();
    let resend = || server.post(&format!("/api/v3/exports/{id}/resend"), Some(&token), &json!({}));
    let revived = resend().ok();
    assert_eq!(
        (&revived["status"], &revived["finished_date"], &revived["tries"]),
        (&json!("waiting"), &json!(""), &json!(1))
    );
    let second = server.try_all(&server.tried(Some(200), None, ""), Outcome::Delivered);
    // A delivered webhook is also sent again.
    resend().ok();
    let third = server.try_all(&server.tried(Some(200), None, ""), Outcome::Delivered);
    for again in [&second[0], &third[0]] {
        assert_eq!(again.event_id, first[0].event_id);
        assert_eq!(server.hook(again).text, server.hook(&first[0]).text);
    }
    let shown = &list(&server, &token, "")[0];
    assert_eq!((&shown["status"], &shown["tries"]), (&json!("delivered"), &json!(3)));
    server
        .app
        .note_deliveries(server.app.now(), None, 10)
        .expect("the chain is told");
}

fn what_is_under_way_is_not_sent_twice(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    told(&server, &token, template);
    let shown = &list(&server, &token, "")[0];
    let path = format!("/api/v3/exports/{}/resend", shown["export_id"]);
    // Its first try is still pending.
    let problem = server.post(&path, Some(&token), &json!({})).problem(409);
    assert_eq!(
        (&problem["code"], &problem["state"]),
        (&json!("under-way"), &json!("waiting"))
    );
    let tomorrow = server.app.now() + SignedDuration::from_hours(24);
    server.try_all(&server.tried(Some(500), None, ""), Outcome::Retry(tomorrow));
    assert!(
        server
            .try_all(&server.tried(Some(200), None, ""), Outcome::Delivered)
            .is_empty()
    );
    // The endpoint was fixed, so its webhooks can be resent immediately.
    server.post(&path, Some(&token), &json!({})).ok();
    assert_eq!(
        server
            .try_all(&server.tried(Some(200), None, ""), Outcome::Delivered)
            .len(),
        1
    );
}

fn a_range_is_sent_again_bounded_and_once_each(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let delivered = told(&server, &token, template);
    server.try_all(&server.tried(Some(200), None, ""), Outcome::Delivered);
    dead_letters(&server, &token, template, 5);
    let resend = |body: &Value| server.post("/api/v3/exports/resend", Some(&token), body);
    assert_eq!(
        resend(&json!({"cursor": "1"})).faults(),
        [(String::new(), "one-required".to_owned())],
        "not everything by mistake"
    );
    let nothing = resend(&json!({})).problem(422);
    assert_eq!(
        nothing["errors"][0]["message"],
        "At least one of these is required: workflow_id, status, url, from, to."
    );
    assert_eq!(
        resend(&json!({"from": "2026-01-02", "to": "2026-01-01"})).faults(),
        [("from".to_owned(), "empty-range".to_owned())]
    );
    assert_eq!(
        resend(&json!({"status": "waiting", "limit": 1001})).faults(),
        [
            ("status".to_owned(), "not-allowed".to_owned()),
            ("limit".to_owned(), "out-of-range".to_owned())
        ]
    );
    let mut cursor = Value::Null;
    let mut counts = Vec::new();
    loop {
        let answer = resend(&json!({"status": "dead", "limit": 2, "cursor": cursor})).ok();
        counts.push(answer["resent"].as_u64().expect("a number"));
        // The webhook dies again between two calls. It must not be listed twice in one pass.
        server.try_all(&server.tried(Some(400), None, ""), Outcome::Dead);
        cursor = answer["next_cursor"].clone();
        assert_eq!(answer["more"], json!(!cursor.is_null()));
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(counts, [2, 2, 1]);
    for shown in list(&server, &token, "?status=dead") {
        assert_eq!(shown["tries"], 2, "{shown}");
    }
    assert_eq!(resend(&json!({"workflow_id": delivered})).ok()["resent"], 1);
    assert_eq!(
        resend(&json!({"to": "2025-12-31"})).ok(),
        json!({"resent": 0, "more": false, "next_cursor": null})
    );
    assert_eq!(resend(&json!({"url": URL, "from": "2026-01-01"})).ok()["resent"], 5);
}

fn a_stopped_address_is_listed_and_started(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let endpoints = || server.get("/api/v3/exports/endpoints", &token).ok()["endpoint_list"].clone();
    let start = |url: &str| server.post("/api/v3/exports/endpoints/start", Some(&token), &json!({"url": url}));
    assert_eq!(endpoints(), json!([]));
    told(&server, &token, template);
    let later = server.app.now() + SignedDuration::from_secs(5);
    server.try_all(&server.tried(Some(500), None, ""), Outcome::Retry(later));
    let failing = endpoints();
    assert_eq!(
        (&failing[0]["url"], &failing[0]["status"]),
        (&json!(URL), &json!("failing"))
    );
    assert_eq!(start(URL).ok()["released"], 0, "it is on");
    assert_eq!(endpoints(), failing);
    server.clock.advance(5);
    server.try_all(&server.tried(Some(410), None, ""), Outcome::Gone);
    told(&server, &token, template);
    // The next claim includes the webhooks added meanwhile.
    assert!(
        server
            .try_all(&server.tried(Some(200), None, ""), Outcome::Delivered)
            .iter()
            .all(|delivery| delivery.receiver == "mail"),
        "nothing goes to a stopped address"
    );
    assert_eq!(
        endpoints()[0],
        json!({
            "url": URL, "failing_since": "2026-01-01 09:00:00 (UTC+09:00)", "status": "stopped",
            "stopped_date": "2026-01-01 09:00:05 (UTC+09:00)", "stopped_reason": "gone", "held": 2,
        })
    );
    let held = &list(&server, &token, "?status=held")[0];
    let resend = format!("/api/v3/exports/{}/resend", held["export_id"]);
    let problem = server.post(&resend, Some(&token), &json!({})).problem(409);
    assert_eq!(problem["code"], "endpoint-stopped");
    assert_eq!(start("").faults(), [("url".to_owned(), "required".to_owned())]);
    assert_eq!(
        start("https://HOOKS.example.com/sign").ok(),
        json!({"url": URL, "released": 2})
    );
    assert_eq!(start(URL).ok()["released"], 0, "once more changes nothing");
    let (hooks, _) = server.drain();
    assert_eq!(hooks.len(), 2);
    assert_eq!(endpoints(), json!([]));
}

fn a_paused_address_gets_nothing_until_it_is_started(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let call = |what: &str, url: &str| {
        server.post(
            &format!("/api/v3/exports/endpoints/{what}"),
            Some(&token),
            &json!({"url": url}),
        )
    };
    let unknown = call("start", URL).problem(404);
    assert_eq!(unknown["detail"], "Not found: endpoint of a document.");
    let endless = format!("https://hooks.example.com/{}", "a".repeat(60_000));
    // A document in progress is enough, before anything is sent.
    let id = server.start(&token, &start_body(template)).ok()["workflow_id"].clone();
    assert_eq!(call("start", URL).ok()["released"], 0);
    for what in ["pause", "start"] {
        let malformed = [("url".to_owned(), "callback-malformed".to_owned())];
        assert_eq!(call(what, &endless).faults(), malformed);
    }
    assert_eq!(call("pause", URL).ok(), json!({"url": URL, "held": 0, "known": true}));
    assert_eq!(call("start", URL).ok()["released"], 0);
    // A different case makes a different path.
    call("start", "https://hooks.example.com/SIGN").problem(404);
    server.act(&token, &id, "cancel", &json!({})).ok();
    server.drain();
    told(&server, &token, template);
    for _ in 0..2 {
        assert_eq!(
            call("pause", "https://HOOKS.example.com/sign").ok(),
            json!({"url": URL, "held": 1, "known": true})
        );
    }
    assert_eq!(call("pause", "").faults(), [("url".to_owned(), "required".to_owned())]);
    assert_eq!(
        call("pause", "hooks").faults(),
        [("url".to_owned(), "callback-malformed".to_owned())]
    );
    told(&server, &token, template);
    let (hooks, _) = server.drain();
    assert!(hooks.is_empty(), "{hooks:?}");
    assert_eq!(
        server.get("/api/v3/exports/endpoints", &token).ok()["endpoint_list"],
        json!([{
            "url": URL, "failing_since": "", "status": "paused",
            "stopped_date": "2026-01-01 09:00:00 (UTC+09:00)", "stopped_reason": "paused", "held": 2,
        }])
    );
    assert_eq!(call("start", URL).ok(), json!({"url": URL, "released": 2}));
    let (hooks, _) = server.drain();
    assert_eq!(hooks.len(), 2);
    // An endpoint that failed before, and one of another company.
    told(&server, &token, template);
    let later = server.app.now() + SignedDuration::from_secs(5);
    server.try_all(&server.tried(Some(500), None, ""), Outcome::Retry(later));
    let (_, stranger, _) = server.with_company("other");
    let paused = server.post("/api/v3/exports/endpoints/pause", Some(&stranger), &json!({"url": URL}));
    assert_eq!(paused.ok(), json!({"url": URL, "held": 0, "known": false}));
    assert_eq!(call("pause", URL).ok()["held"], 1);
    assert_eq!(call("start", URL).ok()["released"], 1);
}

fn an_address_is_paused_before_anything_tells_it(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let call = |what: &str| {
        let path = format!("/api/v3/exports/endpoints/{what}");
        server.post(&path, Some(&token), &json!({"url": URL}))
    };
    for _ in 0..2 {
        assert_eq!(call("pause").ok(), json!({"url": URL, "held": 0, "known": false}));
    }
    told(&server, &token, template);
    let (hooks, _) = server.drain();
    assert!(hooks.is_empty(), "{hooks:?}");
    assert_eq!(call("start").ok()["released"], 1);
    let (hooks, _) = server.drain();
    assert_eq!(hooks.len(), 1);
}

/// Each paused endpoint is a row that is kept until it is started, so the number of rows and the size of pages are
/// limited.
#[test]
fn addresses_are_paused_up_to_a_bound_and_listed_in_pages() {
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, _) = server.with_company("acme");
    let pause = |number: u32| {
        let url = format!("https://hooks.example.com/{number:04}");
        server.post("/api/v3/exports/endpoints/pause", Some(&token), &json!({"url": url}))
    };
    for number in 0..1_000 {
        pause(number).ok();
    }
    assert_eq!(pause(1_000).faults(), [("url".to_owned(), "too-many".to_owned())]);
    assert_eq!(pause(7).ok()["held"], 0, "it is paused already");
    let mut seen = Vec::new();
    let mut query = "limit=99".to_owned();
    loop {
        let page = server.get(&format!("/api/v3/exports/endpoints?{query}"), &token).ok();
        let list = page["endpoint_list"].as_array().expect("a list").clone();
        seen.extend(list.into_iter().map(|endpoint| endpoint["url"].clone()));
        let Some(next) = page["next_cursor"].as_str() else {
            break;
        };
        query = format!("cursor={next}");
    }
    let all: Vec<Value> = (0..1_000)
        .map(|number| json!(format!("https://hooks.example.com/{number:04}")))
        .collect();
    assert_eq!(seen, all);
}

fn nothing_of_another_company_is_shown_or_sent(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    dead_letters(&server, &token, template, 1);
    told(&server, &token, template);
    server.try_all(&server.tried(Some(410), None, ""), Outcome::Gone);
    let (_, stranger, _) = server.with_company("other");
    assert!(list(&server, &stranger, "").is_empty());
    assert_eq!(
        server.get("/api/v3/exports/endpoints", &stranger).ok()["endpoint_list"],
        json!([])
    );
    let resent = server
        .post("/api/v3/exports/resend", Some(&stranger), &json!({"url": URL}))
        .ok();
    assert_eq!(resent["resent"], 0);
    let started = server.post("/api/v3/exports/endpoints/start", Some(&stranger), &json!({"url": URL}));
    started.problem(404);
    // A mail is not an Export API delivery, even the company's own.
    let mails = server.app.store.read(|tx| {
        let acme = domain::CompanyId::parse("acme").expect("an id");
        store::outbox::messages(tx, &acme, store::outbox::DeliveryId(i64::MAX), 10)
    });
    for mail in mails.expect("mails") {
        let path = format!("/api/v3/exports/{}/resend", mail.id);
        server.post(&path, Some(&token), &json!({})).problem(404);
    }
}

fn the_history_of_a_company_is_bounded(database: &TestDatabase) {
    let server = Server::with(database, |settings, _| {
        settings.history = app::HistorySettings { days: 30, most: 3 };
    });
    let (_, token, template) = server.with_company("acme");
    dead_letters(&server, &token, template, 5);
    let waiting = told(&server, &token, template);
    assert_eq!(server.app.forget_deliveries().expect("forgotten"), 2);
    assert_eq!(list(&server, &token, "?status=dead").len(), 3);
    server.clock.advance(31 * 24 * 60 * 60);
    let token = server.token("acme", "owner@example.com");
    assert_eq!(server.app.forget_deliveries().expect("forgotten"), 3);
    let left = list(&server, &token, "");
    assert_eq!(left.len(), 1, "what is still to be delivered is no history");
    assert_eq!(left[0]["workflow_id"], waiting);
}

#[test]
fn a_test_delivery_says_what_the_receiver_answered() {
    let server = Server::with(&TestDatabase::sqlite(), |settings, _| {
        settings.webhook = AddressRules {
            allow_private: true,
            ..AddressRules::default()
        };
    });
    let (company, token, _) = server.with_company("acme");
    let receiver = Receiver::start();
    receiver.answer_next([
        Answer::Plain {
            status: 200,
            headers: Vec::new(),
            body: b"thank you".to_vec(),
        },
        Answer::status(404),
        Answer::Reset,
    ]);
    let test = |body: &Value| server.post("/api/v3/exports/test", Some(&token), body);
    let body = json!({"url": receiver.url("/hook"), "authorization": "Basic eA=="});
    let answer = test(&body).ok();
    assert_eq!(
        (
            &answer["delivered"],
            &answer["code"],
            &answer["fault"],
            &answer["answer"]
        ),
        (&json!(true), &json!(200), &Value::Null, &json!("thank you"))
    );
    let request = &receiver.wait_for(1)[0];
    assert_eq!(request.header("authorization"), "Basic eA==");
    assert_eq!(request.header("webhook-id"), answer["webhook_id"]);
    let secret = server
        .app
        .client_secret(&operator(&server.app, &company), None)
        .expect("the secret")
        .secret;
    let sent: i64 = request.header("webhook-timestamp").parse().expect("seconds");
    let wanted = delivery::webhook::signature(secret.key(), request.header("webhook-id"), sent, &request.body);
    assert_eq!(request.header("webhook-signature"), wanted);
    assert_eq!(
        (&request.json()["workflow_id"], &request.json()["version"]),
        (&json!(0), &json!("v3"))
    );
    let refused = test(&body).ok();
    assert_eq!((&refused["delivered"], &refused["code"]), (&json!(false), &json!(404)));
    let broken = test(&body).ok();
    assert_eq!((&broken["delivered"], &broken["code"]), (&json!(false), &Value::Null));
    assert!(!broken["fault"].as_str().expect("a reason").is_empty(), "{broken}");
    assert!(
        list(&server, &token, "").is_empty(),
        "the history tells of documents alone"
    );
    assert_eq!(
        test(&json!({"authorization": "a\nb", "client_id": "x"})).faults(),
        [
            ("url".to_owned(), "required".to_owned()),
            ("authorization".to_owned(), "control-character".to_owned()),
            ("client_id".to_owned(), "unknown-client".to_owned())
        ]
    );
}

/// The same rules apply as at a start, so nobody can explore the installation's network this way.
#[test]
fn a_test_delivery_goes_to_public_addresses_alone() {
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, _) = server.with_company("acme");
    for url in [
        "http://hooks.example.com/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://localhost/",
        "https://169.254.169.254/latest",
        "https://user:secret@hooks.example.com/",
    ] {
        let answer = server.post("/api/v3/exports/test", Some(&token), &json!({"url": url}));
        let faults = answer.faults();
        assert_eq!(faults[0].0, "url", "{url}: {faults:?}");
    }
}
