//! The headers of every response, from any route and with any status.

use countersign_http::{Authority, routes};
use serde_json::json;
use testkit::database::TestDatabase;

use crate::support::{Answer, Server, login_body, start_body};

testkit::on_both_databases!(every_answer_says_how_long_it_may_be_kept_and_asks_for_https,);

/// Responses that may be cached, because they are public or never change at their URL.
const KEPT: [&str; 14] = [
    "/assets/{name}",
    "/favicon.ico",
    "/ca/root.pem",
    "/ca/root.crl",
    "/api/{company}/look/{name}",
    "/sign/pages/{document}/{page}",
    "/sign/texts/{document}/{page}",
    "/sign/file",
    "/mail/preview/pages/{document}/{page}",
    "/mail/preview/texts/{document}/{page}",
    "/mail/preview/file",
    "/mail/view/pages/{document}/{page}",
    "/mail/view/texts/{document}/{page}",
    "/mail/file",
];

fn filled(path: &str, id: &str) -> String {
    [
        ("{company}", "acme"),
        ("{document}", "0"),
        ("{page}", "1"),
        ("{order}", "1"),
        ("{name}", "sign"),
        ("{ticket}", "abc"),
        ("{id}", id),
    ]
    .iter()
    .fold(path.to_owned(), |path, (place, value)| path.replace(place, value))
}

/// Calls every route as a stranger, with a token, with a wrong method, and with an invalid body, and adds unknown and
/// throttled paths. Returns each response with whether it may be cached.
fn answers(server: &Server) -> Vec<(String, bool, Answer)> {
    let (_, token, template) = server.with_company("acme");
    let started = server.start(&token, &start_body(template)).ok();
    let id = started["workflow_id"].to_string();
    let sign = started["token"].as_str().expect("a token").to_owned();
    let mut all = Vec::new();
    let mut ask = |method: &str, path: &str, token: Option<&str>, body: &str, is_kept: bool| {
        let request = server
            .request(method, path, token)
            .header("content-type", "application/json");
        let answer = server.send(request.body(body.to_owned()));
        all.push((format!("{method} {path}: {}", answer.status), is_kept, answer));
    };
    for route in routes() {
        let is_kept = KEPT.contains(&route.path);
        let method = route.method.as_str();
        for id in [id.as_str(), "x"] {
            let path = filled(route.path, id);
            let query = match route.authority {
                Authority::LinkToken => format!("?token={sign}"),
                _ => String::new(),
            };
            let path = format!("{path}{query}");
            for token in [None, Some(token.as_str())] {
                for body in ["{", "{}"] {
                    ask(method, &path, token, body, is_kept);
                }
            }
            ask("DELETE", &path, Some(&token), "", false);
        }
    }
    for path in [
        "/api",
        "/api/",
        "/api/v3",
        "/api/v3/nothing",
        "/nothing",
        "/api/v3/workflows/1/nothing",
    ] {
        ask("GET", path, None, "", false);
    }
    for _ in 0..12 {
        let body = login_body("nobody@example.com", "wrong").to_string();
        ask("POST", "/api/acme/login", None, &body, false);
    }
    let large = json!({"a": "x".repeat(100_000)}).to_string();
    ask("POST", "/api/acme/login", None, &large, false);
    all
}

fn every_answer_says_how_long_it_may_be_kept_and_asks_for_https(database: &TestDatabase) {
    let server = Server::new(database);
    let mut statuses = std::collections::BTreeSet::new();
    for (asked, is_kept, answer) in answers(&server) {
        statuses.insert(answer.status);
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{asked}");
        assert_eq!(
            answer.headers.get_all("x-content-type-options").iter().count(),
            1,
            "{asked}"
        );
        assert_eq!(answer.headers.get_all("cache-control").iter().count(), 1, "{asked}");
        assert_eq!(
            answer.header("strict-transport-security"),
            "max-age=63072000",
            "{asked}"
        );
        if !is_kept || answer.status != 200 {
            assert_eq!(answer.header("cache-control"), "no-store", "{asked}");
        }
    }
    for status in [200, 400, 401, 404, 405, 422, 429] {
        assert!(statuses.contains(&status), "{status} is not among {statuses:?}");
    }
}

#[test]
fn without_a_public_https_address_browsers_may_use_http() {
    let server = Server::with(&TestDatabase::sqlite(), |settings, _| {
        "http://sign.example.com".clone_into(&mut settings.public_url);
    });
    for route in routes() {
        let answer = server.send(server.request(route.method.as_str(), &filled(route.path, "1"), None));
        assert_eq!(answer.header("strict-transport-security"), "", "{}", route.path);
    }
}
