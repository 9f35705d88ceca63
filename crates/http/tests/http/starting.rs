//! Successful requests to `POST /api/v3/workflows/start`.

use domain::Role;
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::operator::operator;

use crate::support::{BASE, PASSWORD, PNG, Server, committee, contract, plain, start_body, values_of};

testkit::on_both_databases!(
    embedded_answers_where_to_sign,
    not_embedded_tells_the_writers_and_answers_a_view,
    several_first_writers_are_all_named,
    dates_are_read_and_written_in_the_offset,
    a_public_link_may_be_open_for_good,
    a_key_makes_a_request_happen_once,
    a_preview_starts_nothing,
    a_preview_names_what_nobody_read,
    values_are_taken_as_they_come,
    what_the_guide_shows_is_taken_and_what_it_calls_required_is,
    a_document_has_its_companys_language_unless_its_start_says_otherwise,
    members_without_content_are_left_out,
    a_key_is_bound_to_the_offset_too,
    a_day_alone_means_its_end,
    a_signature_of_which_nothing_is_seen_is_refused,
);

/// The JSON examples on a page of the guide, in order.
fn examples(page: &str) -> impl Iterator<Item = &str> {
    page.split("```json\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
}

fn what_the_guide_shows_is_taken_and_what_it_calls_required_is(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("demo");
    server.member(&company, "demo@example.com", Role::Sender);
    let template = server.template(&company, &contract());
    let json = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let readme = include_str!("../../../../README.md");
    let [login, start] = [0, 1].map(|index| json(examples(readme).nth(index).expect("an example")));
    let login = json(&login.to_string().replace("PASSWORD", PASSWORD));
    let answer = server.post("/api/demo/login", None, &login).ok();
    assert_eq!(answer["header"]["result_code"], "00", "{answer}");
    let token = answer["body"]["access_token"].as_str().expect("a token");
    let mut start = start;
    start["template_id"] = json!(template);
    assert!(server.start(token, &start).ok()["sign_url"].is_string());
    for member in ["workflow_name", "template_id", "recipient_list"] {
        let mut less = start.clone();
        less.as_object_mut().expect("members").remove(member);
        let faults = server.start(token, &less).faults();
        assert!(faults.iter().any(|(path, _)| path.starts_with(member)), "{faults:?}");
    }
    let mut less = start.clone();
    less.as_object_mut().expect("members").remove("export_api_info");
    assert!(server.start(token, &less).ok()["sign_url"].is_null());

    // Compares the table in webhooks.md with the example on the same page.
    let page = include_str!("../../../../docs/webhooks.md");
    let example = json(&format!("{{{}}}", examples(page).next().expect("an example")));
    start["export_api_info"] = example["export_api_info"].clone();
    server.start(token, &start).ok();
    let table = page.split("| member | required |").nth(1).expect("a table");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let mut seen = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (member, required, kind) = (cells[1].trim_matches('`'), cells[2] == "yes", cells[3]);
        seen.push(member);
        let path = format!("export_api_info.{member}");
        let mut changed = start.clone();
        changed["export_api_info"]
            .as_object_mut()
            .expect("members")
            .remove(member);
        let answer = server.start(token, &changed);
        if required {
            assert_eq!(answer.faults(), [(path.clone(), "required".to_owned())]);
        } else {
            answer.ok();
        }
        changed["export_api_info"][member] = if kind == "string" { json!({}) } else { json!("x") };
        assert_eq!(
            server.start(token, &changed).faults(),
            [(path, "wrong-type".to_owned())]
        );
    }
    let all = [
        "url",
        "api_type",
        "is_embed",
        "link_type",
        "authorization",
        "field_names",
        "client_id",
    ];
    assert_eq!(seen, all);
}

fn embedded_answers_where_to_sign(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let answer = server.start(&token, &start_body(template)).ok();
    let sign = answer["token"].as_str().expect("a token");
    assert!(
        sign.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
        "{sign}"
    );
    assert_eq!(
        answer,
        json!({
            "workflow_id": answer["workflow_id"], "workflow_name": "근로계약서 1", "language": "ko-KR", "token": sign,
            "sign_url": format!("{BASE}/mail/sign?token={sign}&lang=ko"),
            "next_name": "김민준", "next_email": "minjun@example.com",
        })
    );
    assert!(answer["workflow_id"].is_i64());
    let (hooks, letters) = server.drain();
    assert!(hooks.is_empty(), "{hooks:?}");
    assert_eq!(letters, 0, "no message of any kind");
    // The template ID may also be sent as a string.
    let mut body = start_body(template);
    body["template_id"] = json!(template.to_string());
    body["language"] = json!("ja-JP");
    assert_eq!(server.start(&token, &body).ok()["language"], "ja-JP");
}

fn not_embedded_tells_the_writers_and_answers_a_view(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["export_api_info"] = json!(null);
    body["language"] = json!("en");
    let answer = server.start(&token, &body).ok();
    let members: Vec<&String> = answer.as_object().expect("an object").keys().collect();
    assert_eq!(
        members,
        [
            "language",
            "next_email",
            "next_name",
            "token",
            "workflow_id",
            "workflow_name"
        ]
    );
    assert_eq!(answer["language"], "en-US");
    assert_eq!(server.drain().1, 1, "the first writer is asked, and nobody else");
    let seen = server
        .get(&format!("/api/v3/workflows/{}", answer["workflow_id"]), &token)
        .ok();
    let view = answer["token"].as_str().expect("a token");
    assert_eq!(seen["playing_url"], format!("{BASE}/mail/sign?token={view}&lang=en"));
    // The same applies when there is a webhook.
    body["export_api_info"] = json!({"url": "https://hooks.example.com/", "api_type": "ALL", "is_embed": false});
    assert!(server.start(&token, &body).ok().get("sign_url").is_none());
}

fn several_first_writers_are_all_named(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let template = server.template(&company, &committee());
    let mut body = start_body(template);
    // The request names the second signer's role, so the first signer gets the other one. The auditor comes from the
    // template.
    body["recipient_list"] = json!([
        {"order": 1, "name": "Ann", "email": "ann@example.com"},
        {"order": 1, "name": "Bob", "email": "bob@example.com", "role": "chair"},
    ]);
    let answer = server.start(&token, &body).ok();
    let list = answer["next_list"].as_array().expect("a list");
    let named: Vec<(&Value, &Value, &Value)> = list
        .iter()
        .map(|next| (&next["order"], &next["name"], &next["email"]))
        .collect();
    assert_eq!(
        named,
        [
            (&json!(1), &json!("Bob"), &json!("bob@example.com")),
            (&json!(1), &json!("Ann"), &json!("ann@example.com")),
        ]
    );
    assert_eq!(list[0]["sign_url"], answer["sign_url"]);
    assert_ne!(list[1]["sign_url"], answer["sign_url"]);
    let seen = server
        .get(&format!("/api/v3/workflows/{}", answer["workflow_id"]), &token)
        .ok();
    assert_eq!(seen["steps"][2]["email"], "auditor@example.com");
    body["export_api_info"]["is_embed"] = json!(false);
    let answer = server.start(&token, &body).ok();
    assert!(answer["next_list"][0].get("sign_url").is_none(), "{answer}");
}

fn dates_are_read_and_written_in_the_offset(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["expiry_date"] = json!("2026-02-01 12:00:00");
    let expiry = |query: &str| {
        let id = server
            .post(&format!("/api/v3/workflows/start{query}"), Some(&token), &body)
            .ok()["workflow_id"]
            .clone();
        let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
        (
            seen["started_date"].as_str().unwrap_or_default().to_owned(),
            seen["expiry_date"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let pair = |started: &str, expires: &str| (started.to_owned(), expires.to_owned());
    assert_eq!(
        expiry(""),
        pair("2026-01-01 09:00:00 (UTC+09:00)", "2026-02-01 12:00:00 (UTC+09:00)")
    );
    let india = pair("2026-01-01 05:30:00 (UTC+05:30)", "2026-02-01 12:00:00 (UTC+05:30)");
    assert_eq!(expiry("?offset=%2B05%3A30"), india);
    // A plus sign that arrived as a space.
    assert_eq!(expiry("?offset=+05:30"), india);
    assert_eq!(expiry("?offset=-03:00&unknown=1").0, "2025-12-31 21:00:00 (UTC-03:00)");
}

/// An end date that means 'never' may be later than the latest valid moment.
fn a_public_link_may_be_open_for_good(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let link = json!({
        "workflow_name": "W", "template_id": template, "end_date": "9999-12-31",
        "recipient_list": [{"order": 2, "name": "Bob", "email": "bob@example.com"}],
        "field_list": [{"name": "employer", "value": "한빛"}],
    });
    let link = server.post("/api/v3/link/start", Some(&token), &link).ok()["link_id"].clone();
    assert_eq!(server.get("/api/v3/link", &token).ok()["link_list"][0]["link_id"], link);
    let close = format!("/api/v3/link/{link}/close");
    assert_eq!(server.post(&close, Some(&token), &json!({})).ok()["status"], "closed");
}

fn a_key_makes_a_request_happen_once(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let body = start_body(template);
    let send = |token: &str, body: &Value| {
        let request = server.request("POST", "/api/v3/workflows/start", Some(token));
        server.send(request.header("idempotency-key", "order 4711").json(body))
    };
    let first = send(&token, &body).ok();
    assert_eq!(send(&token, &body).ok(), first);
    // The key covers the body and the offset in which its dates are read. Other query parameters do not count.
    let at = |query: &str| {
        let request = server.request("POST", &format!("/api/v3/workflows/start?{query}"), Some(&token));
        server.send(request.header("idempotency-key", "order 4711").json(&body))
    };
    assert_eq!(
        at("offset=%2B05%3A30").faults(),
        [("Idempotency-Key".to_owned(), "idempotency-key-reused".to_owned())]
    );
    assert_eq!(at("lang=ja&x=1&offset=").ok(), first);
    assert_eq!(at("offset=%2B09%3A00").ok(), first, "it is the company's own");
    assert_eq!(
        at("offset=9").faults(),
        [("Idempotency-Key".to_owned(), "idempotency-key-reused".to_owned())]
    );
    let mut other = body.clone();
    other["workflow_name"] = json!("another");
    assert_eq!(
        send(&token, &other).faults(),
        [("Idempotency-Key".to_owned(), "idempotency-key-reused".to_owned())]
    );
    // The same key sent by another member is a different key.
    server.member(&company, "second@example.com", domain::Role::Sender);
    assert_ne!(
        send(&server.token("acme", "second@example.com"), &other).ok()["workflow_id"],
        first["workflow_id"]
    );
    // Simultaneous requests with one key start one workflow.
    let ids: Vec<Value> = std::thread::scope(|scope| {
        let senders: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let request = server.request("POST", "/api/v3/workflows/start", Some(&token));
                    server
                        .send(request.header("idempotency-key", "at once").json(&body))
                        .ok()["workflow_id"]
                        .clone()
                })
            })
            .collect();
        senders
            .into_iter()
            .map(|sender| sender.join().expect("an id"))
            .collect()
    });
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(
        server.get("/api/v3/workflows", &token).ok()["workflow_list"]
            .as_array()
            .map(Vec::len),
        Some(3)
    );
    // After a day the key is free. The access token expires then too, so we need a new one.
    server.clock.advance(24 * 60 * 60 + 1);
    let token = server.token("acme", "owner@example.com");
    assert_ne!(send(&token, &body).ok()["workflow_id"], first["workflow_id"]);
}

fn a_preview_starts_nothing(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["is_preview"] = json!(true);
    let answer = server.start(&token, &body).ok();
    let address = answer["preview_url"].as_str().expect("an address");
    assert!(address.starts_with(&format!("{BASE}/mail/preview?token=")), "{address}");
    assert_eq!(answer.as_object().map(serde_json::Map::len), Some(1));
    assert_eq!(server.get("/api/v3/workflows", &token).ok()["workflow_list"], json!([]));
    body["field_list"] = json!([{"name": "nothing", "value": "x"}]);
    assert_eq!(
        server.start(&token, &body).faults().len(),
        1,
        "a preview is held to the same rules"
    );
}

fn a_preview_names_what_nobody_read(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["is_embed"] = json!(true);
    body["recipient_list"][1]["nmae"] = Value::Null;
    body["export_api_info"]["link"] = json!({"type": "viewer"});
    body["field_list"] = json!([{"name": "salary", "value": 1, "order": 1}]);
    let started = server.start(&token, &body).ok();
    let members: Vec<&String> = started.as_object().expect("members").keys().collect();
    assert!(
        !members.iter().any(|name| name.as_str() == "ignored_members"),
        "{members:?}"
    );
    body["is_preview"] = json!(true);
    assert_eq!(
        server.start(&token, &body).ok()["ignored_members"],
        json!([
            "recipient_list[1].nmae",
            "field_list[0].order",
            "export_api_info.link",
            "is_embed"
        ])
    );
}

fn values_are_taken_as_they_come(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["field_list"] = json!([
        {"name": "salary", "value": 1_234_567_890_123_i64}, {"name": "agree", "value": 1},
        {"name": "employer", "value": "김·한빛"}, {"name": "grade", "value": ""}, {"name": "phone", "value": null},
        {"name": "sign", "value": format!("data:image/png;base64,{PNG}")}, {"name": "fixed", "value": "fixed"},
    ]);
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    let value = |name: &str| {
        let list = seen["field_list"].as_array().expect("a list");
        list.iter()
            .find(|field| field["name"] == name)
            .map(|field| field["value"].clone())
    };
    assert_eq!(value("salary"), Some(json!("1234567890123")));
    assert_eq!(value("agree"), Some(json!("Y")));
    assert_eq!(value("employer"), Some(json!("김·한빛")));
    assert_eq!(value("fixed"), Some(json!("fixed")));
    assert_eq!(value("grade"), None);
    let file = server.get(&format!("/api/v3/workflows/{id}/fields/sign/file"), &token);
    assert_eq!((file.status, file.header("content-type")), (200, "image/png"));
    assert!(file.body.starts_with(b"\x89PNG"));
    assert_eq!(file.header("x-content-type-options"), "nosniff");
    // A signer reached by text message is accepted, and so is a copy recipient.
    let single = server.template(&company, &plain(1, "end"));
    let body = json!({
        "workflow_name": "x", "template_id": single,
        "recipient_list": [{"order": 1, "name": "김민준", "email": "010-1234-5678"}],
        "cc_list": [{"name": "Copy", "email": "copy@example.com"}],
    });
    assert_eq!(server.start(&token, &body).ok()["next_email"], "010-1234-5678");
}

fn a_document_has_its_companys_language_unless_its_start_says_otherwise(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let change = app::CompanyChange {
        language: Some(domain::Language::En),
        ..app::CompanyChange::default()
    };
    server
        .app
        .change_company(&operator(&server.app, &company), &change)
        .expect("an English company");
    let started = server.start(&token, &start_body(template)).ok();
    assert_eq!(started["language"], "en-US");
    let sign = started["sign_url"].as_str().expect("an address");
    let page = server.send(server.request("GET", sign.strip_prefix(BASE).expect("ours"), None));
    assert_eq!(page.header("content-language"), "en");
    let mut body = start_body(template);
    body["language"] = json!("ja");
    assert_eq!(server.start(&token, &body).ok()["language"], "ja-JP");
    // Without a requested language, errors use the company's.
    body["language"] = json!("fr");
    let refused = server.send(
        server
            .request("POST", "/api/v3/workflows/start", Some(&token))
            .json(&body),
    );
    assert_eq!(
        refused.problem(422)["errors"][0]["message"],
        "This must be ko, en or ja."
    );
}

/// Clients often send every property, and numbers as strings.
fn members_without_content_are_left_out(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    let plain = server.start(&token, &body).ok();
    body["language"] = json!("");
    body["expiry_date"] = json!(" ");
    body["recipient_list"][0]["language"] = json!("");
    body["recipient_list"][0]["order"] = json!("1");
    let started = server.start(&token, &body).ok();
    assert_eq!(started["language"], plain["language"]);
    let expiry = |started: &Value| {
        let id = started["workflow_id"].as_i64().expect("a number");
        server.get(&format!("/api/v3/workflows/{id}"), &token).ok()["expiry_date"].clone()
    };
    assert_eq!(expiry(&started), expiry(&plain));
    body["recipient_list"][0]["order"] = json!("one");
    assert_eq!(
        server.start(&token, &body).faults(),
        [("recipient_list[0].order".to_owned(), "wrong-type".to_owned())]
    );
    // All missing properties are reported together.
    let faults = server.start(&token, &json!({"workflow_name": "x"})).faults();
    assert_eq!(
        faults,
        [
            ("recipient_list".to_owned(), "required".to_owned()),
            ("template_id".to_owned(), "required".to_owned()),
        ]
    );
}

fn a_key_is_bound_to_the_offset_too(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let ask = |path: &str, query: &str, body: &Value| {
        let request = server.request("POST", &format!("/api/v3/{path}?{query}"), Some(&token));
        server.send(request.header("idempotency-key", "monday").json(body))
    };
    let start = start_body(template);
    let mut bulk = start_body(template);
    bulk["workflow_list"] = json!([{}]);
    let mut link = start_body(template);
    link["recipient_list"].as_array_mut().expect("writers").remove(0);
    for (path, body) in [
        ("workflows/start", start),
        ("workflows/bulk", bulk),
        ("link/start", link),
    ] {
        let first = ask(path, "offset=%2B07:00", &body).ok();
        // A plus sign may arrive as a space. Other query parameters only affect the answer.
        assert_eq!(ask(path, "offset=+07:00&lang=ja", &body).ok(), first, "{path}");
        for other in ["offset=%2B08:00", "", "offset=soon"] {
            assert_eq!(
                ask(path, other, &body).faults(),
                [("Idempotency-Key".to_owned(), "idempotency-key-reused".to_owned())],
                "{path} {other}"
            );
        }
    }
}

fn a_day_alone_means_its_end(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["expiry_date"] = json!("2026-01-31");
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    assert_eq!(seen["expiry_date"], "2026-01-31 23:59:59 (UTC+09:00)");
    body["expiry_date"] = json!("2026-1-31");
    assert_eq!(
        server.start(&token, &body).faults(),
        [("expiry_date".to_owned(), "invalid-date-time".to_owned())]
    );
}

/// One PNG that is all white, and one that is transparent.
const BLANK: [&str; 2] = [
    "iVBORw0KGgoAAAANSUhEUgAAABQAAAAKCAAAAACRPiE6AAAAD0lEQVR42mP4jwUwDGVBALuJxznpwbYDAAAAAElFTkSuQmCC",
    "iVBORw0KGgoAAAANSUhEUgAAABQAAAAKCAYAAAC0VX7mAAAAF0lEQVR42mMQEDBgoCZmGDVw1MDhaCAA76g+gRdvLh8AAAAASUVORK5CYII=",
];

fn a_signature_of_which_nothing_is_seen_is_refused(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let id = server.start(&token, &start_body(template)).ok()["workflow_id"].clone();
    let first = json!({"order": 1, "field_list": values_of(1)});
    server.act(&token, &id, "approve", &first).ok();
    for picture in BLANK {
        let refused = |place: &str| [(place.to_owned(), "picture-blank".to_owned())];
        let mut body = start_body(template);
        body["field_list"] = json!([{"name": "sign", "value": picture}]);
        assert_eq!(server.start(&token, &body).faults(), refused("field_list[0].value"));
        let mut values = values_of(2);
        values[2]["value"] = json!(picture);
        let approval = json!({"order": 2, "field_list": values});
        let faults = server.act(&token, &id, "approve", &approval).faults();
        assert_eq!(faults[..1], refused("field_list[2].value"));
    }
    let second = json!({"order": 2, "field_list": values_of(2)});
    assert_eq!(server.act(&token, &id, "approve", &second).ok()["status"], "Complete");
}
