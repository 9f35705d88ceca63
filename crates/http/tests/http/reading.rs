//! Lists, search by value, and the service's description of itself.

use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::operator::operator;

use crate::support::{BASE, Server, contract, pdf, redacted, start_body, values_of};

testkit::on_both_databases!(
    lists_go_on_by_cursor_and_by_page,
    a_list_is_limited_as_asked,
    what_contradicts_itself_is_refused,
    a_finished_workflow_is_at_no_step,
    a_workflow_is_found_by_a_value,
    a_value_is_found_however_it_is_written,
    one_workflow_reads_as_documented,
    the_description_is_served,
    the_api_is_read_in_the_readers_language,
);

fn ids(list: &Value) -> Vec<i64> {
    list["workflow_list"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|entry| entry["workflow_id"].as_i64())
        .collect()
}

fn lists_go_on_by_cursor_and_by_page(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut started: Vec<i64> = (0..5)
        .map(|_| {
            server.start(&token, &start_body(template)).ok()["workflow_id"]
                .as_i64()
                .expect("an id")
        })
        .collect();
    started.reverse();
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let list = server
            .get(&format!("/api/v3/workflows?limit=2&cursor={cursor}"), &token)
            .ok();
        seen.extend(ids(&list));
        match list["next_cursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => break,
        }
    }
    assert_eq!(seen, started);
    let paged: Vec<i64> = (1..=3)
        .flat_map(|page| {
            ids(&server
                .get(&format!("/api/v3/workflows?limit=2&page={page}"), &token)
                .ok())
        })
        .collect();
    assert_eq!(paged, started);
}

fn a_list_is_limited_as_asked(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    let first = server.start(&token, &body).ok()["workflow_id"].clone();
    server.act(&token, &first, "cancel", &json!({})).ok();
    body["workflow_name"] = json!("100% Special_name");
    let second = server.start(&token, &body).ok()["workflow_id"].clone();
    server.app.index_texts(10).expect("indexed");
    let found = |query: &str| ids(&server.get(&format!("/api/v3/workflows?{query}"), &token).ok());
    let (first, second) = (first.as_i64().expect("an id"), second.as_i64().expect("an id"));
    assert_eq!(found("status=Canceled"), [first]);
    assert_eq!(found("status=Playing"), [second]);
    assert_eq!(found("text=special_name"), [second]);
    assert_eq!(found("text=100%25"), [second]);
    assert_eq!(found("text=%25x"), [0; 0]);
    assert_eq!(found(&format!("template_id={template}")), [second, first]);
    assert_eq!(found("template_id=999"), [0; 0]);
    assert_eq!(found("from=2026-01-01&to=2026-01-01"), [second, first]);
    assert_eq!(found("from=2026-01-02"), [0; 0]);
    assert_eq!(found("unknown=x&status="), [second, first]);
    for (query, path) in [
        ("status=playing!", "status"),
        ("template_id=x", "template_id"),
        ("from=soon", "from"),
        ("from=2026-01-02&to=2026-01-01", "from"),
        ("to=2026-13-01", "to"),
        ("cursor=x", "cursor"),
        ("page=0", "page"),
        ("limit=101", "limit"),
        ("limit=x", "limit"),
        ("text=a%00b", "text"),
    ] {
        let faults = server.get(&format!("/api/v3/workflows?{query}"), &token).faults();
        assert_eq!(faults.len(), 1, "{query}: {faults:?}");
        assert_eq!(faults[0].0, path, "{query}");
    }
}

fn a_workflow_is_found_by_a_value(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["field_list"] = json!([{"name": "employer", "value": "한빛 & Söhne"}]);
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    server.start(&token, &start_body(template)).ok();
    let search = |query: &str| server.get(&format!("/api/v3/workflows/search-with-value?{query}"), &token);
    let by = |value: &str| {
        search(&format!(
            "template_id={template}&field_name=employer&field_value={value}"
        ))
        .ok()
    };
    assert_eq!(
        by("%ED%95%9C%EB%B9%9B+%26+S%C3%B6hne"),
        json!({"workflow_list": [{"workflow_id": id, "status": "Playing"}], "next_cursor": null})
    );
    assert_eq!(by("nobody"), json!({"workflow_list": [], "next_cursor": null}));
    let paths = |query: &str| {
        search(query)
            .faults()
            .into_iter()
            .map(|fault| fault.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(paths(""), ["template_id", "field_name", "field_value"]);
    assert_eq!(
        paths("template_id=x&field_name=a&field_value=b%00"),
        ["template_id", "field_value"]
    );
    let fault = |query: &str| search(query).faults();
    assert_eq!(
        fault(&format!("template_id={template}&field_name=emploier&field_value=x")),
        [("field_name".to_owned(), "unknown-field".to_owned())]
    );
    assert_eq!(
        fault("template_id=999&field_name=employer&field_value=x"),
        [("template_id".to_owned(), "unknown-template".to_owned())]
    );
    for (query, path) in [("limit=0", "limit"), ("limit=1001", "limit"), ("cursor=x", "cursor")] {
        let query = format!("template_id={template}&field_name=employer&field_value=x&{query}");
        assert_eq!(paths(&query), [path]);
    }
}

fn a_value_is_found_however_it_is_written(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let mut started = Vec::new();
    for salary in ["3,000,000", "3000000", "3000000.00", "3000001"] {
        let mut body = start_body(template);
        body["field_list"] = json!([{"name": "salary", "value": salary}, {"name": "agree", "value": "1"}]);
        started.push(server.start(&token, &body).ok()["workflow_id"].as_i64().expect("an id"));
    }
    started.reverse();
    let search = |query: &str| {
        let query = format!("template_id={template}&{query}");
        server.get(&format!("/api/v3/workflows/search-with-value?{query}"), &token)
    };
    for spelling in ["3000000", "3,000,000", "3000000.0", "%203000000", "%EF%BC%93000000"] {
        let found = search(&format!("field_name=salary&field_value={spelling}")).ok();
        assert_eq!(ids(&found), started[1..], "{spelling}");
    }
    for yes in ["Y", "y", "1", "true"] {
        assert_eq!(
            ids(&search(&format!("field_name=agree&field_value={yes}")).ok()),
            started
        );
    }
    assert_eq!(ids(&search("field_name=agree&field_value=N").ok()), [0; 0]);
    assert_eq!(
        search("field_name=salary&field_value=much").faults(),
        [("field_value".to_owned(), "invalid-number".to_owned())]
    );
    // Clients that do not use pages still get all entries.
    for _ in 0..25 {
        let mut body = start_body(template);
        body["field_list"] = json!([{"name": "salary", "value": "25"}]);
        server.start(&token, &body).ok();
    }
    let found = search("field_name=salary&field_value=25").ok();
    assert_eq!((ids(&found).len(), &found["next_cursor"]), (25, &Value::Null));
    // Fetch page after page.
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = search(&format!("field_name=agree&field_value=Y&limit=3&cursor={cursor}")).ok();
        seen.push(ids(&page));
        match page["next_cursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => break,
        }
    }
    assert_eq!(seen, [&started[..3], &started[3..]]);
    let change = |changes: &dyn Fn(&mut Value)| {
        let mut fields = contract();
        changes(&mut fields["fields"][1]);
        let fields = fields.to_string();
        let import = app::ImportTemplate {
            pdf: &pdf(),
            fields: fields.as_bytes(),
        };
        server
            .app
            .replace_template(&operator(&server.app, &company), domain::TemplateId(template), &import)
            .expect("a new version");
    };
    // A field's earlier name can be searched for as long as its documents exist.
    change(&|field| field["name"] = json!("pay"));
    assert_eq!(ids(&search("field_name=salary&field_value=3000001").ok()), [started[0]]);
    // A value that no version accepts is refused with the message of the newest version.
    for options in [["A", "B"], ["C", "D"]] {
        change(&|field| {
            *field = json!({
                "name": "grade", "kind": "select", "step": 1, "page": 1, "x": 0, "y": 0, "width": 300_000,
                "height": 30_000, "options": options,
            });
        });
    }
    assert_eq!(ids(&search("field_name=grade&field_value=A").ok()), [0; 0]);
    let refused = search("lang=en&field_name=grade&field_value=X").problem(422);
    let message = refused["errors"][0]["message"].as_str().expect("a message");
    assert!(message.contains("C, D"), "{message}");
    assert_eq!(ids(&search("field_name=pay&field_value=3000001").ok()), [0; 0]);
}

fn what_contradicts_itself_is_refused(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, _) = server.with_company("acme");
    let message = |query: &str, path: &str, code: &str| {
        let answer = server.get(query, &token);
        assert_eq!(answer.faults(), [(path.to_owned(), code.to_owned())], "{query}");
        answer.json()["errors"][0]["message"]
            .as_str()
            .expect("words")
            .to_owned()
    };
    let both = message("/api/v3/workflows?page=2&cursor=7", "page", "not-together");
    assert!(both.contains("cursor"), "{both}");
    for query in [
        "/api/v3/workflows?from=2026-02-01&to=2026-01-31",
        "/api/v3/exports?from=2026-02-01%2012:00:01&to=2026-02-01%2012:00:00",
    ] {
        let both = message(query, "from", "empty-range");
        assert!(both.contains("later than to"), "{both}");
    }
    for query in [
        "/api/v3/workflows?from=2026-02-01&to=2026-02-01",
        "/api/v3/exports?from=2026-02-01%2012:00:00&to=2026-02-01%2012:00:00",
        "/api/v3/workflows?from=9999-12-31",
    ] {
        server.get(query, &token).ok();
    }
    let form = message("/api/v3/workflows?from=foo", "from", "invalid-date-time");
    assert!(
        form.contains("YYYY-MM-DD HH:MM:SS") && form.contains("YYYY-MM-DD."),
        "{form}"
    );
}

fn a_finished_workflow_is_at_no_step(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let start = || server.start(&token, &start_body(template)).ok()["workflow_id"].clone();
    let (cancelled, playing) = (start(), start());
    server.act(&token, &cancelled, "cancel", &json!({})).ok();
    let list = server.get("/api/v3/workflows", &token).ok();
    for (entry, id, order) in [(0, playing, json!(1)), (1, cancelled, Value::Null)] {
        let one = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
        let listed = &list["workflow_list"][entry];
        assert_eq!((&listed["workflow_id"], &listed["order"]), (&id, &order));
        assert_eq!(one["order"], order);
    }
}

fn one_workflow_reads_as_documented(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["comment"] = json!("잘 부탁드립니다");
    body["cc_list"] = json!([{"name": "Copy", "email": "copy@example.com"}]);
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    server
        .act(
            &token,
            &id,
            "approve",
            &json!({"field_list": values_of(1), "comment": "네"}),
        )
        .ok();
    let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    let text = serde_json::to_string(&seen).expect("JSON");
    let shown: Value = serde_json::from_str(&redacted(&text)).expect("JSON");
    insta::with_settings!({prepend_module_to_snapshot => false}, { insta::assert_json_snapshot!("workflow", shown) });
    // Every member is described, and every required member is present.
    let schema =
        &server.send(server.request("GET", "/api/openapi.json", None)).ok()["components"]["schemas"]["WorkflowView"];
    for name in seen.as_object().expect("members").keys() {
        assert!(schema["properties"].get(name).is_some(), "{name}");
    }
    for name in schema["required"].as_array().expect("names") {
        assert!(seen.get(name.as_str().expect("a name")).is_some(), "{name}");
    }
}

fn the_description_is_served(database: &TestDatabase) {
    let server = Server::new(database);
    let document = server.send(server.request("GET", "/api/openapi.json", None)).ok();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["servers"][0]["url"], BASE);
    insta::with_settings!({prepend_module_to_snapshot => false}, { insta::assert_json_snapshot!("openapi", document) });
}

fn the_api_is_read_in_the_readers_language(database: &TestDatabase) {
    let server = Server::new(database);
    let document = server.send(server.request("GET", "/api/openapi.json", None)).ok();
    for (language, words) in [
        (
            "ko",
            ["문서 시작", "발송 권한이 있는 구성원", "이 서명자의 차례가 아닙니다"],
        ),
        (
            "ja",
            ["文書を開始", "送信できるメンバー", "この署名者の番ではありません"],
        ),
        (
            "en",
            ["Start a workflow", "members who can send", "It is not this signer"],
        ),
    ] {
        let page = server.send(
            server
                .request("GET", "/api/docs", None)
                .header("accept-language", language),
        );
        assert_eq!(
            (
                page.status,
                page.header("content-type"),
                page.header("content-language")
            ),
            (200, "text/html; charset=utf-8", language)
        );
        let policy = page.header("content-security-policy");
        assert!(
            policy.contains("default-src 'none'") && policy.contains("script-src 'self'") && !policy.contains("unsafe"),
            "{policy}"
        );
        let html = page.html();
        assert!(html.contains(&format!("<html lang=\"{language}\"")), "{language}");
        for word in words {
            assert!(html.contains(word), "{language}: {word}");
        }
        // Scripts are loaded only from files. Text between script tags is data.
        assert_eq!(
            html.matches("<script").count(),
            html.matches("<script type=\"module\" src=").count()
                + html.matches("<script type=\"application/json\"").count()
        );
        for (path, operations) in document["paths"].as_object().expect("paths") {
            for (method, operation) in operations.as_object().expect("operations") {
                let form = format!(
                    "data-method=\"{}\" data-path=\"{path}\"{}",
                    method.to_uppercase(),
                    if operation["security"] == json!([]) {
                        " aria-label"
                    } else {
                        " data-token"
                    }
                );
                assert!(html.contains(&form), "{form}");
            }
        }
        // Skip the text before the first URL.
        for name in html.split("/assets/").skip(1).filter_map(|rest| rest.split('"').next()) {
            let asset = server.send(server.request("GET", &format!("/assets/{name}"), None));
            assert_eq!(asset.status, 200, "{name}");
        }
        assert!(page.body.len() < 450_000, "{language}: {} bytes", page.body.len());
    }
}
