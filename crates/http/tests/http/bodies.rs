//! Tests bodies that are refused, that never arrive, or that come from unknown senders.

use serde_json::json;
use testkit::database::TestDatabase;

use crate::support::{Server, network, pdf, start_body};

testkit::on_both_databases!(
    a_body_that_will_not_be_taken_is_refused_unread,
    a_body_that_does_not_arrive_as_a_whole_is_400,
    a_body_of_another_coding_is_415,
);

const MEBIBYTE: u64 = 1024 * 1024;

/// Returns the first line of the response to a JSON request of which only the head is sent.
fn answer_to_head(server: &Server, method: &str, path: &str, headers: &str, length: u64) -> String {
    answer_of(server, method, path, &format!("{JSON}{headers}"), length)
}

/// Returns the first line of the response to a request with any content of which only the head is sent.
fn answer_of(server: &Server, method: &str, path: &str, headers: &str, length: u64) -> String {
    let head = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n{headers}content-length: {length}\r\n\r\n");
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
    let forged = "link-token: AQAAAAAAAAAqAAAAAQ\r\n".to_owned();
    let program = format!("authorization: service {token}\r\n");
    let start = ("POST", "/api/v3/workflows/start");
    let mut wanted = vec![
        // The token is missing and the body is large. The missing token is reported.
        (start, String::new(), 20 * MEBIBYTE, 401),
        (start, program, 33 * MEBIBYTE, 413),
    ];
    for (method, path, limit) in [
        ("PUT", "/sign/drafts", MEBIBYTE),
        ("POST", "/sign/approve", MEBIBYTE),
        ("POST", "/sign/reject", MEBIBYTE),
        ("POST", "/sign/files", 15 * MEBIBYTE),
    ] {
        // The link is forged, so the body is not awaited.
        wanted.push(((method, path), forged.clone(), 1000, 404));
        wanted.push(((method, path), link.clone(), limit + 1, 413));
    }
    // Send all at once, because the server waits a while for the rest of each body.
    std::thread::scope(|scope| {
        for ((method, path), headers, length, status) in &wanted {
            let server = &server;
            scope.spawn(move || {
                let answer = answer_to_head(server, method, path, headers, *length);
                let status = format!("HTTP/1.1 {status}");
                assert!(answer.starts_with(&status), "{method} {path}: {answer}");
            });
        }
    });
}

/// The body exceeds the buffers in between, so the connection would break if the server did not read it.
#[test]
fn a_client_that_sends_too_much_gets_the_refusal() {
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, _) = server.with_company("acme");
    let large = vec![b' '; 40 * 1024 * 1024];
    let token = Some(token.as_str());
    for (token, path, status) in [
        (token, "/api/v3/workflows/start", 413),
        (token, "/api/v3/workflows/bulk", 413),
        // The body is sent to a route that reads none of it.
        (None, "/api/v3/workflows/start", 401),
        (token, "/api/v3/workflows/1/approv", 404),
        (token, "/api/v3/workflows/start/", 404),
        (token, "/api/v3/exports", 405),
        (token, "/api/v3/templates", 415),
    ] {
        let request = server.request("POST", path, token);
        let request = request.header("content-type", "application/json").body(large.clone());
        server.send(request).problem(status);
    }
    // A refused login has status 200.
    let request = server.request("POST", "/api/acme/login", None);
    let request = request.header("content-type", "application/json").body(large.clone());
    assert_eq!(server.send(request).ok()["header"]["result_code"], "12");
    let mut form = b"--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n".to_vec();
    let most = usize::try_from(server.app.settings.largest_sealed()).expect("a number");
    // Includes the additional space that a form needs.
    form.resize(form.len() + most + 64 * 1024, b' ');
    let request = server.request("POST", "/verify?lang=en", None);
    let request = request.header("content-type", "multipart/form-data; boundary=x");
    let answer = server.send(request.body(form));
    assert_eq!(answer.status, 413);
    let page = String::from_utf8(answer.body).expect("a page");
    assert!(page.contains("The file is too large."), "{page}");
}

/// Without a boundary, a form is one endless part.
#[test]
fn a_form_that_never_begins_is_refused_by_its_length() {
    let server = Server::new(&TestDatabase::sqlite());
    let headers = "content-type: multipart/form-data; boundary=x\r\nconnection: close\r\n";
    let line = answer_of(&server, "POST", "/verify", headers, 2_000_000_000);
    assert!(line.starts_with("HTTP/1.1 413"), "{line}");
}

#[test]
fn a_client_that_waited_before_it_sent_too_much_gets_the_refusal() {
    use std::io::{Read, Write};
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, _) = server.with_company("acme");
    let headers = format!("{JSON}authorization: service {token}\r\nexpect: 100-continue\r\n");
    let mut connection = server.sent(&chunked("POST", "/api/v3/workflows/start", &headers, ""));
    let mut read = [0; 1024];
    let length = connection.read(&mut read).expect("an answer");
    assert!(read[..length].starts_with(b"HTTP/1.1 100"), "{:?}", &read[..length]);
    let chunk = format!("{:x}\r\n{}\r\n", 1024 * 1024, " ".repeat(1024 * 1024));
    for _ in 0..40 {
        connection.write_all(chunk.as_bytes()).expect("the line holds");
    }
    connection.write_all(b"0\r\n\r\n").expect("the line holds");
    let length = connection.read(&mut read).expect("an answer");
    let answer = String::from_utf8_lossy(&read[..length]);
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

/// A request in chunks, of which only these arrive.
fn chunked(method: &str, path: &str, headers: &str, chunks: &str) -> Vec<u8> {
    format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\
         transfer-encoding: chunked\r\n\r\n{chunks}"
    )
    .into_bytes()
}

const JSON: &str = "content-type: application/json\r\n";

#[test]
fn strangers_who_drip_leave_the_known_their_places() {
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, template) = server.with_company("acme");
    let body = start_body(template).to_string();
    let start = || {
        let headers = format!("{JSON}authorization: service {token}\r\n");
        let chunks = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
        server.raw(&chunked("POST", "/api/v3/workflows/start", &headers, &chunks))
    };
    // Forms and JSON, for links and sessions. A sender without a valid token is a stranger.
    let forged = format!("{JSON}link-token: AQAAAAAAAAAqAAAAAQ\r\n");
    let mut verdicts = Vec::new();
    for (method, path, headers) in [
        (
            "POST",
            "/mail/sign",
            "content-type: application/x-www-form-urlencoded\r\n",
        ),
        (
            "POST",
            "/sign/access-code",
            "content-type: application/x-www-form-urlencoded\r\n",
        ),
        (
            "POST",
            "/sign/one-time-code",
            "content-type: application/x-www-form-urlencoded\r\n",
        ),
        (
            "POST",
            "/sign-out",
            "content-type: application/x-www-form-urlencoded\r\n",
        ),
        ("PUT", "/sign/drafts", JSON),
        ("POST", "/sign/files", forged.as_str()),
    ] {
        for _ in 0..14 {
            verdicts.push(server.sent(&chunked(method, path, headers, "1\r\na\r\n")));
        }
        let answer = start();
        assert!(answer.starts_with("HTTP/1.1 200"), "beside {path}: {answer}");
    }
    drop(verdicts);
}

#[test]
fn signers_who_drip_leave_their_companys_programs_and_other_signers_their_places() {
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, template) = server.with_company("acme");
    let body = start_body(template).to_string();
    let link = |company_token: &str, template: i64| {
        let mut body = start_body(template);
        body["export_api_info"] = json!({"url": "https://h.example.com/", "api_type": "ALL", "is_embed": true});
        let started = server.start(company_token, &body).ok();
        format!("{JSON}link-token: {}\r\n", started["token"].as_str().expect("a link"))
    };
    let held: Vec<_> = (0..5)
        .map(|_| link(&token, template))
        .flat_map(|link| (0..4).map(move |_| chunked("PUT", "/sign/drafts", &link, "1\r\na\r\n")))
        .map(|request| server.sent(&request))
        .collect();
    let headers = format!("{JSON}authorization: service {token}\r\n");
    let chunks = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    let answer = server.raw(&chunked("POST", "/api/v3/workflows/start", &headers, &chunks));
    assert!(
        answer.starts_with("HTTP/1.1 200"),
        "a program of the same company: {answer}"
    );
    let (_, other, template) = server.with_company("other");
    let nothing = chunked("PUT", "/sign/drafts", &link(&other, template), "2\r\n[]\r\n0\r\n\r\n");
    let answer = server.raw(&nothing);
    assert!(
        !answer.starts_with("HTTP/1.1 503"),
        "another company's signer: {answer}"
    );
    drop(held);
}

#[test]
fn strangers_files_leave_room_for_everybody_else() {
    let server = Server::with(&TestDatabase::sqlite(), |_, http| {
        http.concurrent_requests = 3;
    });
    let (_, token, template) = server.with_company("acme");
    let verdicts = server.hold_verdicts();
    let body: Vec<u8> = {
        let mut body = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n".to_vec();
        body.extend(pdf());
        body.extend(b"\r\n--x--\r\n");
        body
    };
    let head = format!(
        "POST /verify HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: multipart/form-data; boundary=x\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    let request = [head.into_bytes(), body].concat();
    let waiting: Vec<_> = (0..12).map(|_| server.sent(&request)).collect();
    while server.verdicts_asked() == 0 {
        std::thread::yield_now();
    }
    // The server stays responsive while strangers wait.
    assert_eq!(server.send(server.request("GET", "/healthz", None)).status, 200);
    server.start(&token, &start_body(template)).ok();
    assert_eq!(server.get("/api/v3/workflows", &token).status, 200);
    assert_eq!(server.verdicts_asked(), 1, "one at a time");
    drop(verdicts);
    for mut connection in waiting {
        use std::io::Read;
        let mut head = [0; 12];
        connection.read_exact(&mut head).expect("an answer");
        assert_eq!(&head, b"HTTP/1.1 200");
    }
}

/// A network's files fill only its own queue.
#[test]
fn a_stranger_with_many_files_does_not_keep_another_stranger_from_a_verdict() {
    let server = Server::with(&TestDatabase::sqlite(), |_, http| {
        http.trusted_proxies = vec![network("127.0.0.1")];
    });
    let verdicts = server.hold_verdicts();
    let check = |address: &str| {
        let body = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n".to_vec();
        let body = [body, pdf(), b"\r\n--x--\r\n".to_vec()].concat();
        let request = server
            .request("POST", "/verify", None)
            .header("x-forwarded-for", address)
            .header("content-type", "multipart/form-data; boundary=x");
        server.send(request.body(body)).status
    };
    std::thread::scope(|scope| {
        let (refused, is_refused) = std::sync::mpsc::channel();
        for number in 0..30 {
            let (refused, check) = (refused.clone(), &check);
            scope.spawn(move || {
                let status = check(&format!("2001:db8::{number}"));
                if status == 503 {
                    let _ = refused.send(());
                }
            });
        }
        // Three uploads have a place, one of which is being verified, and sixteen wait. All others are refused.
        for _ in 0..11 {
            is_refused.recv().expect("one that is sent away");
        }
        let other = scope.spawn(|| check("2001:db8:0:1::1"));
        drop(verdicts);
        assert_eq!(other.join().expect("no panic"), 200);
    });
}

fn a_body_that_does_not_arrive_as_a_whole_is_400(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, _) = server.with_company("acme");
    let headers = format!("{JSON}authorization: service {token}\r\n");
    let malformed = server.raw(&chunked(
        "POST",
        "/api/v3/workflows/start",
        &headers,
        "ZZ\r\n{}\r\n0\r\n\r\n",
    ));
    assert!(malformed.starts_with("HTTP/1.1 400"), "{malformed}");
    assert!(malformed.contains("application/problem+json"), "{malformed}");
    let truncated = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\nabc";
    let form = |path: &str, token| {
        server.send(
            server
                .request("POST", path, token)
                .header("content-type", "multipart/form-data; boundary=x")
                .body(truncated),
        )
    };
    assert_eq!(form("/verify", None).status, 400);
    assert_eq!(form("/api/v3/verify", Some(&token)).problem(400)["code"], "broken-body");
    assert_eq!(server.check(&pdf()).status, 200);
}

fn a_body_of_another_coding_is_415(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let start = |name: &str, value: &str| {
        let request = server.request("POST", "/api/v3/workflows/start", Some(&token));
        server.send(request.header(name, value).body(start_body(template).to_string()))
    };
    for (name, value) in [
        ("content-encoding", "gzip"),
        ("content-encoding", "identity, br"),
        ("content-type", "application/json; charset=euc-kr"),
        ("content-type", "application/json;charset=\"iso-2022-jp\""),
        ("content-type", "text/plain"),
    ] {
        assert_eq!(
            start(name, value).problem(415)["code"],
            "unsupported",
            "{name}: {value}"
        );
    }
    for (name, value) in [
        ("content-encoding", "identity"),
        ("content-type", "application/json; charset=UTF-8"),
        ("content-type", "application/json; charset=\"utf-8\""),
    ] {
        start(name, value).ok();
    }
    let empty_key = server.request("POST", "/api/v3/workflows/start", Some(&token));
    let answer = server.send(empty_key.header("idempotency-key", "").json(&start_body(template)));
    assert_eq!(answer.faults(), [("Idempotency-Key".to_owned(), "required".to_owned())]);
}

#[test]
fn the_links_of_a_page_never_lead_to_another_site() {
    let server = Server::new(&TestDatabase::sqlite());
    for path in ["//evil.example/a", "///evil.example/a", "//evil.example/%5C?x=1"] {
        let page = server.send(server.request("GET", path, None));
        let text = String::from_utf8(page.body).expect("text");
        assert_eq!(page.status, 404);
        assert!(text.contains("lang=en"), "{text}");
        for start in ["\"//", "\"/\\", "\"&#x2f;&#x2f;", "\"&#x2f;\\"] {
            assert!(!text.contains(&format!("href={start}")), "{path}: {text}");
        }
    }
}
