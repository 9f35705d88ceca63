//! Lists, the search by a value, and what the service says of itself.

use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{BASE, Server, redacted, start_body, values_of};

testkit::on_both_databases!(
    lists_go_on_by_cursor_and_by_page,
    a_list_is_limited_as_asked,
    a_workflow_is_found_by_a_value,
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
        json!({"workflow_list": [{"workflow_id": id, "status": "Playing"}]})
    );
    assert_eq!(by("nobody"), json!({"workflow_list": []}));
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
    // Every member is described, and every described member that must be there is.
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
            ["문서 시작", "발송 권한이 있는 구성원", "이 작성자의 차례가 아닙니다"],
        ),
        (
            "ja",
            ["文書を開始", "送信できるメンバー", "この記入者の番ではありません"],
        ),
        ("en", ["Start a workflow", "members who send", "It is not this writer"]),
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
        assert!(html.contains(&format!("<html lang=\"{language}\">")), "{language}");
        for word in words {
            assert!(html.contains(word), "{language}: {word}");
        }
        // Scripts come from files alone; what stands between tags is data.
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
        // What stands before the first address is none.
        for name in html.split("/assets/").skip(1).filter_map(|rest| rest.split('"').next()) {
            let asset = server.send(server.request("GET", &format!("/assets/{name}"), None));
            assert_eq!(asset.status, 200, "{name}");
        }
        assert!(page.body.len() < 400_000, "{language}: {} bytes", page.body.len());
    }
}
