//! Shares of the server's capacity: the limits of one requester, and the places left for others.

use std::io::Read as _;
use std::sync::mpsc;

use serde_json::json;
use testkit::database::TestDatabase;

use crate::support::{Server, pdf, start_body};

/// Returns a signer's link as a header.
fn link(server: &Server) -> String {
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["export_api_info"] = json!({"url": "https://h.example.com/", "api_type": "ALL", "is_embed": true});
    let started = server.start(&token, &body).ok();
    format!("link-token: {}\r\n", started["token"].as_str().expect("a link"))
}

#[test]
fn requesters_are_identified_while_all_threads_are_at_work() {
    let server = Server::with(&TestDatabase::sqlite(), |_, http| http.concurrent_requests = 1);
    server.company("acme");
    let verdicts = server.hold_verdicts();
    std::thread::scope(|scope| {
        let stranger = scope.spawn(|| server.check(&pdf()).status);
        while server.verdicts_asked() == 0 {
            std::thread::yield_now();
        }
        server.get("/api/v3/workflows", "no-token-of-ours").problem(401);
        drop(verdicts);
        assert_eq!(stranger.join().expect("no panic"), 200);
    });
}

#[test]
fn a_signers_long_texts_do_not_wait_for_the_places_of_files() {
    let server = Server::new(&TestDatabase::sqlite());
    let link = link(&server);
    let head = format!(
        "POST /sign/files HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{link}\
         transfer-encoding: chunked\r\n\r\n1\r\n{{\r\n"
    );
    // Two have a place and four wait, so one is refused immediately. By then, all places are taken.
    let (refused, is_refused) = mpsc::channel();
    let drips: Vec<_> = (0..7).map(|_| server.sent(head.as_bytes())).collect();
    for connection in &drips {
        let (refused, mut connection) = (refused.clone(), connection.try_clone().expect("the same connection"));
        std::thread::spawn(move || {
            let mut status = [0; 12];
            let _ = connection.read_exact(&mut status);
            let _ = refused.send(status);
        });
    }
    assert_eq!(&is_refused.recv().expect("an answer"), b"HTTP/1.1 503");
    let text = "가".repeat(60_000);
    let body = json!({"values": [{"name": "no such field", "value": text}], "revision": 0, "page": "a"}).to_string();
    let draft = format!(
        "PUT /sign/drafts HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{link}content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = server.raw(draft.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 422"), "{answer}");
    drop(drips);
}
