//! A body that will not be taken is refused before it has come.

use serde_json::json;
use testkit::database::TestDatabase;

use crate::support::{Server, start_body};

testkit::on_both_databases!(a_body_that_will_not_be_taken_is_refused_unread);

const MEBIBYTE: u64 = 1024 * 1024;

/// The first line of the answer to a request of which only the head comes.
fn answer_to_head(server: &Server, method: &str, path: &str, headers: &str, length: u64) -> String {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{headers}\
         content-length: {length}\r\n\r\n"
    );
    let answer = server.raw(head.as_bytes());
    answer.lines().next().unwrap_or_default().to_owned()
}

fn a_body_that_will_not_be_taken_is_refused_unread(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["export_api_info"] = json!({"url": "https://h.example.com/", "api_type": "ALL", "is_embed": true});
    let started = server.start(&token, &body).ok();
    let link = format!("link-token: {}\r\n", started["token"].as_str().expect("a link"));
    for (method, path, limit) in [
        ("PUT", "/sign/drafts", MEBIBYTE),
        ("POST", "/sign/approve", MEBIBYTE),
        ("POST", "/sign/reject", MEBIBYTE),
        ("POST", "/sign/files", 15 * MEBIBYTE),
    ] {
        // Nobody's link: whatever the body is, it is not waited for.
        let forged = answer_to_head(&server, method, path, "link-token: AQAAAAAAAAAqAAAAAQ\r\n", 1000);
        assert!(forged.starts_with("HTTP/1.1 404"), "{method} {path}: {forged}");
        let long = answer_to_head(&server, method, path, &link, limit + 1);
        assert!(long.starts_with("HTTP/1.1 413"), "{method} {path}: {long}");
    }
    // No token, and a large body: the token is what is missed.
    let answer = answer_to_head(&server, "POST", "/api/v3/workflows/start", "", 20 * MEBIBYTE);
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    let answer = answer_to_head(
        &server,
        "POST",
        "/api/v3/workflows/start",
        &format!("authorization: service {token}\r\n"),
        33 * MEBIBYTE,
    );
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}
