//! Access to pages, and their caching.

use countersign_http::{Authority, routes};
use serde_json::{Value, json};
use testkit::database::TestDatabase;

use super::{completed, filled, first_picture, is_kept_by_browsers, local, look, send, text, token_of};
use crate::support::{Server, start_body, values_of};

testkit::on_both_databases!(
    every_link_route_refuses_who_has_no_link,
    a_link_does_one_thing_only,
    a_page_is_kept_to_itself_and_a_picture_only_by_its_reader,
    an_expired_document_and_a_link_past_its_time_are_gone,
    what_is_looked_at_ahead_or_by_a_scanner_changes_nothing,
);

const WRONG: [&str; 3] = [
    "",
    "abc",
    "UwAAAAAAAAABAAAAAQAAAAAAAAAANQzpAMUfkbJBYdrz6qkpRQAQQF_NZOhFPjqCKFnN90Q",
];

fn every_link_route_refuses_who_has_no_link(database: &TestDatabase) {
    let server = Server::new(database);
    server.with_company("acme");
    let mut asked = 0;
    for route in routes()
        .into_iter()
        .filter(|route| route.authority == Authority::LinkToken)
    {
        // Its answer is the same for every link, also for none (the tests of new links).
        if route.path == "/sign/new-link" {
            continue;
        }
        asked += 1;
        for token in WRONG {
            let path = format!("{}?token={token}&name=x", filled(route.path));
            let body = json!({"values": [], "name": "x", "data": "", "comment": "x", "code": "1234"});
            let answer = server.send(server.request(route.method.as_str(), &path, None).json(&body));
            assert_eq!(answer.status, 404, "{} {path}: {}", route.method, text(&answer));
            let answer = send(&server, route.method.as_str(), &filled(route.path), token, &body);
            assert_eq!(answer.status, 404, "{} {path}: {}", route.method, text(&answer));
        }
    }
    assert!(asked >= 15, "{asked}");
}

fn a_link_does_one_thing_only(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let started = server.start(&token, &start_body(template)).ok();
    let id = started["workflow_id"].clone();
    let sign = started["token"].as_str().expect("a token").to_owned();
    for values in [values_of(1), values_of(2)] {
        server.act(&token, &id, "approve", &json!({"field_list": values})).ok();
    }
    let complete = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    let document = local(&complete["download_url"]);
    assert_eq!(look(&server, &document).status, 200);
    let file = token_of(&document).to_owned();
    for (path, token) in [
        ("/mail/view", &sign),
        ("/mail/file", &sign),
        ("/mail/preview", &sign),
        ("/mail/sign", &file),
    ] {
        assert_eq!(look(&server, &format!("{path}?token={token}")).status, 404, "{path}");
    }
    assert_eq!(
        send(&server, "POST", "/sign/approve", &file, &json!({})).problem(404)["code"],
        "not-found"
    );
    // A HEAD request downloads nothing. A GET does, and the chain records it.
    let fetched = || {
        let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
        seen["history"].to_string().matches("downloaded").count()
    };
    let before = fetched();
    let address = format!("/mail/file?token={file}");
    assert_eq!(server.send(server.request("HEAD", &address, None)).status, 200);
    assert_eq!(fetched(), before);
    assert_eq!(look(&server, &address).header("content-type"), "application/pdf");
    assert_eq!(fetched(), before + 1);
    // Recorded at most once an hour for each network address, with a limit on the total.
    assert_eq!(look(&server, &address).status, 200);
    assert_eq!(fetched(), before + 1, "told already");
    server.clock.advance(3_600);
    assert_eq!(look(&server, &address).status, 200);
    assert_eq!(fetched(), before + 2, "an hour later");
    let key = app::SigningKey {
        token: file,
        ..app::SigningKey::default()
    };
    for number in 0..25 {
        let origin = app::Origin {
            address: Some(format!("192.0.2.{number}")),
            user_agent: None,
        };
        for _ in 0..2 {
            server
                .app
                .linked_file(&key, &origin)
                .expect("the file is given all the same");
        }
        let told = before + 2 + (number + 1).min(19);
        assert_eq!(fetched(), told, "from {number} more");
    }
    // A company's link is unknown under another company's URL.
    assert_eq!(look(&server, &format!("/api/other/sign?token={sign}")).status, 404);
    assert_eq!(look(&server, &format!("/api/ACME/sign?token={sign}")).status, 409);
}

fn a_page_is_kept_to_itself_and_a_picture_only_by_its_reader(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let started = server.start(&token, &start_body(template)).ok();
    let sign = started["token"].as_str().expect("a token").to_owned();
    let page = look(&server, &local(&started["sign_url"]));
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy");
    assert!(
        policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(
        page.header("cross-origin-opener-policy"),
        "",
        "it would cut window.opener"
    );
    let html = text(&page);
    let picture = html
        .split("src=\"")
        .find(|part| part.starts_with("/sign/pages/"))
        .expect("a page");
    let picture = picture.split('"').next().expect("an address").replace("&amp;", "&");
    let answer = look(&server, &picture);
    assert_eq!((answer.status, answer.header("content-type")), (200, "image/webp"));
    assert_eq!(answer.header("cache-control"), "private, max-age=31536000, immutable");
    assert_eq!(look(&server, &picture.replace("/1?", "/2?")).status, 404);
    is_kept_by_browsers(&server, &picture);
    // The page's texts for screen readers.
    let words = html
        .split("data-src=\"")
        .find(|part| part.starts_with("/sign/texts/"))
        .and_then(|part| part.split('"').next())
        .expect("a page's text")
        .replace("&amp;", "&");
    let answer = look(&server, &words);
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "application/json")
    );
    assert_eq!(answer.header("cache-control"), "private, max-age=31536000, immutable");
    let said: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
    assert_eq!(said["lines"], json!([]), "the page has a line and no letter");
    assert_eq!(look(&server, &words.replace("/1?", "/2?")).status, 404);
    assert_eq!(
        look(&server, &format!("/sign/file?token={sign}&name=employer")).status,
        404
    );
    // Each language in the URL works, whatever the browser prefers.
    for language in ["ko", "en", "ja"] {
        let page = look(&server, &format!("/mail/sign?token={sign}&lang={language}"));
        assert_eq!(page.header("content-language"), language);
    }
    // Viewing the pages left no trace.
    let history = server
        .get(&format!("/api/v3/workflows/{}", started["workflow_id"]), &token)
        .ok()["history"]
        .clone();
    assert!(!history.to_string().contains("viewed"), "{history}");
}

/// A mail scanner follows links without cookies. A browser prefetches them (`<link rel=prefetch>`, speculation rules),
/// and runs the scripts of a page that nobody sees yet.
fn what_is_looked_at_ahead_or_by_a_scanner_changes_nothing(database: &TestDatabase) {
    let server = Server::new(database);
    let complete = completed(&server);
    let token = server.token("acme", "owner@example.com");
    let template = complete["template_id"].as_i64().expect("a template");
    let started = server.start(&token, &start_body(template)).ok();
    let of_api = |id: &Value| server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    let histories = || [&complete["workflow_id"], &started["workflow_id"]].map(|id| of_api(id)["history"].clone());
    let before = histories();
    let sign = started["token"].as_str().expect("a token");
    let addresses = [
        local(&started["sign_url"]),
        format!("/sign/file?token={sign}&name=employer"),
        local(&complete["download_url"]),
        local(&complete["certificate_url"]),
        first_picture(&server, &complete["download_url"]),
    ];
    let file = local(&complete["download_url"]).replace("/mail/view?", "/mail/file?");
    for header in [
        None,
        Some(("sec-purpose", "prefetch")),
        Some(("sec-purpose", "prefetch;prerender")),
        Some(("purpose", "prefetch")),
        Some(("x-purpose", "preview")),
        Some(("x-moz", "prefetch")),
    ] {
        let ask = |method: &str, address: &str| {
            let request = server.request(method, address, None);
            server.send(
                header
                    .into_iter()
                    .fold(request, |request, (name, value)| request.header(name, value)),
            )
        };
        for address in &addresses {
            for method in ["GET", "HEAD"] {
                let answer = ask(method, address);
                assert!(
                    [200, 404].contains(&answer.status),
                    "{method} {address}: {}",
                    answer.status
                );
            }
        }
        assert_eq!(ask("HEAD", &file).status, if header.is_some() { 503 } else { 200 });
        if let Some((name, value)) = header {
            // Requests that leave a trace wait until a person is there.
            let answer = ask("GET", &file);
            assert_eq!(
                (answer.status, answer.header("retry-after")),
                (503, "1"),
                "{name}: {value}"
            );
            let viewed = server.request("POST", "/sign/viewed", None).header("link-token", sign);
            assert_eq!(server.send(viewed.header(name, value)).status, 503, "{name}: {value}");
        }
        assert_eq!(histories(), before, "{header:?}");
    }
    let viewed = server.request("POST", "/sign/viewed", None).header("link-token", sign);
    assert_eq!(server.send(viewed).status, 204);
    assert_eq!(look(&server, &file).status, 200);
    let after = histories();
    assert!(after[0] != before[0] && after[1] != before[1], "{after:?}");
}

fn an_expired_document_and_a_link_past_its_time_are_gone(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let started = server.start(&token, &start_body(template)).ok();
    let other = server.start(&token, &start_body(template)).ok();
    for values in [values_of(1), values_of(2)] {
        server
            .act(&token, &other["workflow_id"], "approve", &json!({"field_list": values}))
            .ok();
    }
    let complete = server
        .get(&format!("/api/v3/workflows/{}", other["workflow_id"]), &token)
        .ok();
    server.clock.advance(60 * 24 * 3600);
    let page = look(&server, &local(&started["sign_url"]).replace("lang=ko", "lang=en"));
    assert_eq!(page.status, 410);
    assert!(text(&page).contains("This document has expired"), "{}", text(&page));
    let sign = started["token"].as_str().expect("a token");
    send(&server, "POST", "/sign/approve", sign, &json!({})).problem(409);
    for address in ["download_url", "certificate_url"] {
        let page = look(&server, &local(&complete[address]).replace("lang=ko", "lang=en"));
        assert_eq!(page.status, 410, "{address}");
        assert!(text(&page).contains("This link no longer works"), "{address}");
    }
}
