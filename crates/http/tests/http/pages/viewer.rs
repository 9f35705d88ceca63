//! The viewer, the original document and the verify page.

use serde_json::json;
use testkit::database::TestDatabase;

use super::{completed, first_picture, is_kept_by_browsers, look, text};
use crate::support::{REFUSED_BY_WORKERS, Server, pdf, start_body, values_of};

testkit::on_both_databases!(
    the_original_is_taken_by_its_writer_and_the_chain_says_so,
    the_verify_page_takes_a_file_and_nothing_else,
    the_viewers_pictures_are_made_once_and_kept_by_browsers,
);

fn the_original_is_taken_by_its_writer_and_the_chain_says_so(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let started = server.start(&token, &start_body(template)).ok();
    let id = started["workflow_id"].clone();
    let sign = started["token"].as_str().expect("a token").to_owned();
    let noted = || {
        let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
        seen["history"].to_string().matches("original_taken").count()
    };
    // Programs that follow links download nothing.
    for method in ["GET", "HEAD"] {
        let answer = server.send(server.request(method, &format!("/sign/document?token={sign}"), None));
        assert_eq!(answer.status, 405, "{method}");
    }
    assert_eq!(noted(), 0);
    let browser = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client");
    let take = |token: &str| {
        let request = browser
            .post(server.address_of("/sign/document"))
            .header("content-type", "application/x-www-form-urlencoded");
        server.send(request.body(format!("token={token}")))
    };
    let answer = take(&sign);
    assert_eq!(answer.status, 303);
    assert_eq!(noted(), 1);
    // The program that downloads the file has neither the form nor the page's cookies. It may ignore headers, but sees
    // the URL.
    let address = answer.header("location").to_owned();
    assert!(!address.contains(&sign), "{address}");
    let name = "%EA%B7%BC%EB%A1%9C%EA%B3%84%EC%95%BD%EC%84%9C%201.pdf";
    assert_eq!(address.rsplit('/').next(), Some(name));
    for method in ["HEAD", "GET", "GET"] {
        let answer = server.send(server.request(method, &address, None));
        assert_eq!(answer.status, 200, "{method}");
        assert_eq!(answer.header("content-type"), "application/pdf");
        assert!(answer.header("content-disposition").starts_with("attachment"));
        assert_eq!(answer.header("cache-control"), "no-store");
        assert!(method == "HEAD" || answer.body.starts_with(b"%PDF"));
    }
    let changed = address.replacen("/sign/document/", "/sign/document/A", 1);
    assert_eq!(look(&server, &changed).status, 404, "another ticket");
    assert_eq!((take(&sign).status, noted()), (303, 1), "told already");
    server.clock.advance(299);
    assert_eq!(look(&server, &address).status, 200);
    server.clock.advance(1);
    assert_eq!(look(&server, &address).status, 404, "five minutes later");
    server.clock.advance(3_300);
    assert_eq!((take(&sign).status, noted()), (303, 2), "an hour later");
    // A signer can still find the finished document. Before the end, there is nothing to show.
    let used = |path: &str| text(&look(&server, path));
    let address = format!("/mail/sign?token={sign}&lang=en");
    server
        .act(&token, &id, "approve", &json!({"field_list": values_of(1)}))
        .ok();
    assert!(!used(&address).contains("/mail/view"));
    server
        .act(&token, &id, "approve", &json!({"field_list": values_of(2)}))
        .ok();
    assert!(used(&address).contains("Open the finished document"));
    // The lifetime of these links.
    server.clock.advance(60 * 24 * 3600);
    assert!(!used(&address).contains("Open the finished document"));
}

fn the_verify_page_takes_a_file_and_nothing_else(database: &TestDatabase) {
    let server = Server::with(database, |settings, _| settings.largest_document = 10_000);
    let parts = |files: &[&[u8]]| {
        let mut body = Vec::new();
        for file in files {
            body.extend_from_slice(b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n");
            body.extend_from_slice(file);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(b"--x--\r\n");
        let request = server
            .request("POST", "/verify?lang=en", None)
            .header("content-type", "multipart/form-data; boundary=x");
        server.send(request.body(body))
    };
    let part = |bytes: &[u8]| parts(&[bytes]);
    assert!(text(&part(&pdf())).contains("No seal"));
    // A document and its certificate are checked together.
    let both = text(&parts(&[&pdf(), b"no PDF at all"]));
    assert!(
        both.contains("No seal") && both.contains("This file cannot be read"),
        "{both}"
    );
    let many = parts(&[b"a", b"b", b"c"]);
    assert_eq!(many.status, 422);
    assert!(text(&many).contains("up to 2 files"));
    assert!(text(&part(b"no PDF at all")).contains("This file cannot be read"));
    // A file that the workers refuse has the same verdict here and through the API.
    assert!(text(&part(REFUSED_BY_WORKERS)).contains("This file cannot be read"));
    let (_, token, _) = server.with_company("acme");
    let asked = server
        .request("POST", "/api/v3/verify", Some(&token))
        .header("content-type", "application/pdf")
        .header("accept-language", "en");
    let said = server.send(asked.body(REFUSED_BY_WORKERS)).ok();
    assert_eq!(
        (
            said["outcome"].as_str(),
            said["title"].as_str(),
            said["holds"].as_bool()
        ),
        (Some("unreadable"), Some("This file cannot be read"), Some(false)),
        "{said}"
    );
    assert_eq!(part(b"").status, 422);
    assert_eq!(
        server
            .send(server.request("POST", "/verify", None).body("file=x"))
            .status,
        422
    );
    // The size limit includes the bytes that sealing adds to an upload.
    let most = usize::try_from(server.app.settings.largest_sealed()).expect("a number");
    assert_eq!(part(&vec![0; most + 1]).status, 413);
    assert_eq!(parts(&[&vec![0; most], b"a"]).status, 413);
}

/// The pages of a finished file are rendered only once.
fn the_viewers_pictures_are_made_once_and_kept_by_browsers(database: &TestDatabase) {
    let server = Server::new(database);
    let complete = completed(&server);
    for file in ["download_url", "certificate_url"] {
        let picture = first_picture(&server, &complete[file]);
        let before = server.rendered();
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let answer = look(&server, &picture);
                    assert_eq!((answer.status, answer.header("content-type")), (200, "image/webp"));
                });
            }
        });
        is_kept_by_browsers(&server, &picture);
        assert_eq!(server.rendered() - before, 1, "{file}");
        assert_eq!(look(&server, &picture.replace("/1?", "/99?")).status, 404);
        let words = look(&server, &picture.replace("/pages/", "/texts/"));
        assert_eq!((words.status, words.header("content-type")), (200, "application/json"));
        if file == "certificate_url" {
            assert!(text(&words).contains("SHA-256"), "{}", text(&words));
        }
    }
}

/// A reader who scrolls through a long document leaves most pages before they are loaded.
#[test]
fn a_picture_that_nobody_waits_for_any_more_is_not_made() {
    use std::io::Read;
    let server = Server::with(&TestDatabase::sqlite(), |_, http| http.workers = 1);
    let complete = completed(&server);
    let [document, certificate] =
        ["download_url", "certificate_url"].map(|file| first_picture(&server, &complete[file]));
    let ask = |address: &str| server.sent(format!("GET {address} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes());
    let before = server.rendered();
    let pictures = server.hold_pictures();
    let mut first = ask(&document);
    while server.rendered() == before {
        std::thread::yield_now();
    }
    for _ in 0..3 {
        let mut gone = ask(&certificate);
        // Wait for a response to another request. By then, this request is waiting.
        assert_eq!(server.send(server.request("GET", "/healthz", None)).status, 200);
        gone.shutdown(std::net::Shutdown::Write).expect("a hang-up");
        assert_eq!(gone.read(&mut [0; 1]).expect("the server hangs up, too"), 0);
    }
    drop(pictures);
    let mut head = [0; 12];
    first.read_exact(&mut head).expect("an answer");
    assert_eq!(&head, b"HTTP/1.1 200");
    assert_eq!(look(&server, &document).status, 200);
    assert_eq!(server.rendered() - before, 1, "none of those that hung up");
    assert_eq!(look(&server, &certificate).status, 200);
    assert_eq!(server.rendered() - before, 2);
}
