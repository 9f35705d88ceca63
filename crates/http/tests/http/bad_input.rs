//! Every malformed start gets the documented response with the position of the error, and nothing is stored.

use std::fmt::Write as _;

use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{Server, contract, start_body};

testkit::on_both_databases!(
    each_bad_start_has_its_exact_answer,
    all_faults_are_named_at_once,
    what_is_no_json_or_too_large_or_of_another_type_is_told_apart,
);

/// `(fault, member, value)`, in the order of the snapshot.
fn cases(foreign_template: i64) -> Vec<(&'static str, &'static str, Value)> {
    let hook = |url: &str| json!({"url": url, "api_type": "ALL", "is_embed": true});
    let writer = |order: Value, name: &str, email: &str| json!({"order": order, "name": name, "email": email});
    let (first, second) = (
        writer(json!(1), "A", "a@example.com"),
        writer(json!(2), "B", "b@example.com"),
    );
    let value = |name: &str, value: Value| json!([{"name": name, "value": value}]);
    let mut cases = vec![
        ("no name", "workflow_name", json!(null)),
        ("blank name", "workflow_name", json!("  ")),
        ("name of 129 characters", "workflow_name", json!("가".repeat(129))),
        ("name that no font has", "workflow_name", json!("a\u{12000}")),
        ("NUL in the name", "workflow_name", json!("a\u{0}b")),
        ("number as name", "workflow_name", json!(7)),
        ("no template", "template_id", json!(null)),
        ("unknown template", "template_id", json!(999_999)),
        ("another company's template", "template_id", json!(foreign_template)),
        ("text as template", "template_id", json!("one")),
        ("no recipients", "recipient_list", json!(null)),
        ("empty recipients", "recipient_list", json!([])),
        ("recipients that are no list", "recipient_list", json!({})),
        ("too few recipients", "recipient_list", json!([first])),
        (
            "too many recipients",
            "recipient_list",
            json!([first, second, writer(json!(2), "C", "c@example.com")]),
        ),
        (
            "gap in orders",
            "recipient_list",
            json!([first, writer(json!(3), "B", "b@example.com")]),
        ),
        ("first order missing", "recipient_list", json!([second])),
        (
            "order 0",
            "recipient_list",
            json!([writer(json!(0), "A", "a@example.com"), second]),
        ),
        (
            "text as order",
            "recipient_list",
            json!([writer(json!("first"), "A", "a@example.com"), second]),
        ),
        (
            "recipient that is no object",
            "recipient_list",
            json!([7, first, second]),
        ),
        (
            "recipient without name",
            "recipient_list",
            json!([writer(json!(1), "", "a@example.com"), second]),
        ),
        (
            "recipient without address",
            "recipient_list",
            json!([{"order": 1, "name": "A"}, second]),
        ),
        (
            "neither address nor number",
            "recipient_list",
            json!([writer(json!(1), "A", "a@"), second]),
        ),
        (
            "short access code",
            "recipient_list",
            json!([
            {"order": 1, "name": "A", "email": "a@example.com", "password": "123"}, second]),
        ),
        (
            "long hint",
            "recipient_list",
            json!([
            {"order": 1, "name": "A", "email": "a@example.com", "password": "12345", "password_hint": "x".repeat(51)}, second]),
        ),
        (
            "unknown role",
            "recipient_list",
            json!([
            {"order": 1, "name": "A", "email": "a@example.com", "role": "king"}, second]),
        ),
        ("past expiry", "expiry_date", json!("2026-01-01 08:59:59")),
        ("malformed expiry", "expiry_date", json!("2026-02-30 00:00:00")),
        ("unknown language", "language", json!("fr")),
        ("long comment", "comment", json!("x".repeat(251))),
        ("copy without address", "cc_list", json!([{"name": "C"}])),
        ("preview that is no boolean", "is_preview", json!("yes")),
        ("unknown field", "field_list", value("nothing", json!("x"))),
        ("field without name", "field_list", json!([{"value": "x"}])),
        ("field without value", "field_list", json!([{"name": "employer"}])),
        ("list as value", "field_list", value("employer", json!([]))),
        (
            "field twice",
            "field_list",
            json!([{"name": "salary", "value": 1}, {"name": "salary", "value": 2}]),
        ),
        (
            "text too long for the field",
            "field_list",
            value("employer", json!("x".repeat(21))),
        ),
        (
            "text that no font has",
            "field_list",
            value("employer", json!("\u{12000}")),
        ),
        ("text as number", "field_list", value("salary", json!("much"))),
        ("no date", "field_list", value("start_date", json!("2026-02-30"))),
        (
            "year that no calendar has",
            "field_list",
            value("start_date", json!("0000-01-01")),
        ),
        ("no check", "field_list", value("agree", json!("maybe"))),
        ("no option", "field_list", value("grade", json!("C"))),
        ("no radio option", "field_list", value("shift", json!("dusk"))),
        ("no picture", "field_list", value("sign", json!("aGVsbG8="))),
        ("no base64", "field_list", value("sign", json!("hello!"))),
        (
            "picture that ends early",
            "field_list",
            value("sign", json!("iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB")),
        ),
        ("export that is no object", "export_api_info", json!("x")),
        (
            "export without url",
            "export_api_info",
            json!({"api_type": "ALL", "is_embed": true}),
        ),
        (
            "export without api_type",
            "export_api_info",
            json!({"url": "https://h.example.com/", "is_embed": true}),
        ),
        (
            "export without is_embed",
            "export_api_info",
            json!({"url": "https://h.example.com/", "api_type": "ALL"}),
        ),
        (
            "unknown api_type",
            "export_api_info",
            json!({"url": "https://h.example.com/", "api_type": "all", "is_embed": true}),
        ),
        (
            "text as is_embed",
            "export_api_info",
            json!({"url": "https://h.example.com/", "api_type": "ALL", "is_embed": "true"}),
        ),
        (
            "unknown link_type",
            "export_api_info",
            json!({"url": "https://h.example.com/", "api_type": "ALL", "is_embed": true, "link_type": "page"}),
        ),
        (
            "unknown client",
            "export_api_info",
            json!({"url": "https://h.example.com/", "api_type": "ALL", "is_embed": true,
                "client_id": "00000000-0000-4000-8000-000000000000"}),
        ),
        (
            "renamed field that is unknown",
            "export_api_info",
            json!({"url": "https://h.example.com/", "api_type": "ALL", "is_embed": true,
                "field_names": [{"field_name": "nothing", "new_name": "x"}]}),
        ),
        (
            "new name that collides",
            "export_api_info",
            json!({"url": "https://h.example.com/", "api_type": "ALL", "is_embed": true,
                "field_names": [{"field_name": "employer", "new_name": "salary"}]}),
        ),
    ];
    for url in [
        "hello",
        "http://hooks.example.com/",
        "ftp://hooks.example.com/",
        "https://u:p@hooks.example.com/",
        "https://hooks.example.com/#x",
        "https://hooks.example.com:22/",
        "https://localhost/",
        "https://a.localhost/",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://10.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/",
        "https://168.63.129.16/",
        "https://exa mple.com/",
        "https://-a.example.com/",
        "https://hooks.example.com/\u{7}",
    ] {
        cases.push(("callback address", "export_api_info", hook(url)));
    }
    cases
}

fn each_bad_start_has_its_exact_answer(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let other = server.company("other");
    let foreign = server.template(&other, &contract());
    let mut said = String::new();
    for (what, place, value) in cases(foreign) {
        let mut body = start_body(template);
        body[place] = value.clone();
        let problem = server.start(&token, &body).problem(422);
        assert_eq!(problem["code"], "unprocessable", "{what}");
        let url = value["url"]
            .as_str()
            .filter(|_| what == "callback address")
            .unwrap_or_default();
        let _ = writeln!(
            said,
            "{what}{}{}",
            if url.is_empty() { "" } else { " " },
            url.escape_default()
        );
        for error in problem["errors"].as_array().expect("errors") {
            let text = |name: &str| error[name].as_str().expect("a text").to_owned();
            let _ = writeln!(said, "    {} {}: {}", text("path"), text("code"), text("message"));
        }
    }
    insta::with_settings!({prepend_module_to_snapshot => false}, { insta::assert_snapshot!("bad_starts", said) });
    // The same rule applies to the offset of the query.
    let answer = server.post(
        "/api/v3/workflows/start?offset=Seoul",
        Some(&token),
        &start_body(template),
    );
    assert_eq!(answer.faults(), [("offset".to_owned(), "invalid-offset".to_owned())]);
    // None of these starts was stored.
    assert_eq!(server.get("/api/v3/workflows", &token).ok()["workflow_list"], json!([]));
    let (hooks, letters) = server.drain();
    assert!(hooks.is_empty() && letters == 0);
}

fn all_faults_are_named_at_once(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let body = json!({
        "workflow_name": 7,
        "template_id": template,
        "recipient_list": [{"order": "one", "name": "A", "email": "nobody"}, {"order": 2, "email": "b@example.com"}],
        "field_list": [{"name": "salary", "value": "much"}, {"name": "nothing", "value": "x"}],
        "expiry_date": "yesterday",
        "export_api_info": {"url": "https://127.0.0.1/", "api_type": "SOME", "is_embed": 1},
        "comment": {},
    });
    let answer = server.start(&token, &body);
    let faults: Vec<String> = answer
        .faults()
        .into_iter()
        .map(|(path, code)| format!("{path} {code}"))
        .collect();
    let expected = [
        "comment wrong-type",
        "expiry_date invalid-date-time",
        "export_api_info.api_type not-allowed",
        "export_api_info.is_embed wrong-type",
        "export_api_info.url callback-not-public",
        "field_list[0].value invalid-number",
        "field_list[1].name unknown-field",
        "recipient_list[0].email invalid-contact",
        "recipient_list[0].order wrong-type",
        "recipient_list[1].name required",
        "workflow_name wrong-type",
    ];
    for fault in expected {
        assert!(faults.iter().any(|said| said == fault), "{fault} is not in {faults:?}");
    }
}

fn what_is_no_json_or_too_large_or_of_another_type_is_told_apart(database: &TestDatabase) {
    let server = Server::with(database, |_, http| http.json_limit = 10_000);
    let (_, token, template) = server.with_company("acme");
    let path = "/api/v3/workflows/start";
    let good = start_body(template).to_string();
    let send = |media_type: Option<&str>, body: Vec<u8>| {
        let mut request = server.request("POST", path, Some(&token)).body(body);
        if let Some(media_type) = media_type {
            request = request.header("content-type", media_type);
        }
        server.send(request)
    };
    for body in [
        "",
        "{",
        "{}}",
        "workflow_name=x",
        "\u{feff}",
        "{\"a\":\"\\ud800\",\"workflow_name\":\"\\ud800\"}x",
    ] {
        let problem = send(Some("application/json"), body.into()).problem(400);
        assert_eq!(
            (&problem["code"], &problem["header"]["result_code"]),
            (&json!("not-json"), &json!("12")),
            "{body}"
        );
    }
    send(Some("application/json"), b"{\"workflow_name\":\"\xff\"}".to_vec()).problem(400);
    send(Some("application/json"), b"[]".to_vec()).problem(422);
    let large = format!("{good}{}", " ".repeat(10_000));
    assert_eq!(
        send(Some("application/json"), large.into()).problem(413)["code"],
        "too-large"
    );
    for media_type in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ] {
        let problem = send(Some(media_type), good.clone().into()).problem(415);
        assert_eq!(problem["code"], "unsupported", "{media_type}");
        let detail = problem["detail"].as_str().expect("a detail");
        assert!(detail.contains("application/json"), "{media_type}: {detail}");
    }
    for media_type in [
        None,
        Some("application/json; charset=utf-8"),
        Some("Application/JSON"),
        Some("application/vnd.x+json"),
    ] {
        send(media_type, good.clone().into()).ok();
    }
    // A byte order mark, duplicate members and unknown members are harmless.
    let odd = good.replacen('{', "{\"workflow_name\":7,\"x\":{\"y\":[]},", 1);
    send(Some("application/json"), format!("\u{feff}{odd}").into()).ok();
}
