//! Uploads by strangers over HTTP. They are limited per link and per company before anything is decoded, and by free
//! disk space.

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{Answer, PNG, Server, start_body, values_of};

testkit::on_both_databases!(
    a_link_keeps_forty_files_and_refuses_more_with_words,
    below_five_percent_of_free_disk_nothing_new_is_taken_and_what_was_begun_is_finished,
);

/// Starts a workflow and approves the first step. Returns its ID and the second signer's link.
fn link_of_second(server: &Server, token: &str, template: i64) -> (Value, String) {
    let started = server.start(token, &start_body(template)).ok();
    let id = started["workflow_id"].clone();
    let values = json!({"order": 1, "field_list": values_of(1)});
    server.act(token, &id, "approve", &values).ok();
    let turn = server.get(&format!("/api/v3/workflows/{id}"), token).ok();
    let address = turn["playing_url"].as_str().expect("an address");
    let link = address.split_once("token=").expect("a token").1;
    (id, link.split('&').next().unwrap_or(link).to_owned())
}

fn send(server: &Server, method: &str, path: &str, link: &str, body: &Value) -> Answer {
    let request = server.request(method, path, None).header("link-token", link);
    server.send(request.header("accept-language", "en").json(body))
}

/// An image whose file has `more` extra bytes, which are ignored.
fn picture(more: usize) -> Value {
    let mut file = BASE64_STANDARD.decode(PNG).expect("base64");
    file.resize(file.len() + more, 0);
    json!({"name": "sign", "data": BASE64_STANDARD.encode(file)})
}

#[test]
fn a_flood_of_pictures_by_one_link_is_answered_at_once_and_keeps_nobody_waiting() {
    const FLOOD: usize = 30;
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, template) = server.with_company("acme");
    let (_, other_token, other_template) = server.with_company("other");
    let (_, link) = link_of_second(&server, &token, template);
    let decoding = server.hold_pictures();
    let (tell, answers) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..FLOOD {
            let (tell, server, link) = (tell.clone(), &server, &link);
            scope.spawn(move || {
                let answer = send(server, "POST", "/sign/files", link, &picture(48_000));
                tell.send(answer).expect("the test listens");
            });
        }
        // Two are processed and four wait. The others are refused at once, although no image is done yet.
        for _ in 0..FLOOD - 6 {
            let refused = answers.recv().expect("an answer");
            let problem = refused.problem(503);
            assert_eq!(refused.header("retry-after"), "5", "{problem}");
        }
        assert!(server.pictures_made() <= 2, "{}", server.pictures_made());
        server.start(&other_token, &start_body(other_template)).ok();
        let text = json!({"values": [{"name": "employee", "value": "山田太郎"}]});
        assert_eq!(
            send(&server, "PUT", "/sign/drafts", &link, &text).status,
            200,
            "nor its own texts"
        );
        drop(decoding);
        let left: Vec<u16> = (0..6).map(|_| answers.recv().expect("an answer").status).collect();
        let done = left.iter().filter(|status| **status == 200).count();
        assert!(done >= 2, "{left:?}");
    });
    let last = send(&server, "POST", "/sign/files", &link, &picture(48_000));
    assert_eq!(last.status, 200, "afterwards there is room again");
}

fn a_link_keeps_forty_files_and_refuses_more_with_words(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let (_, link) = link_of_second(&server, &token, template);
    let attach = |number: usize| {
        let body =
            json!({"name": "copy", "file_name": "copy.txt", "data": BASE64_STANDARD.encode(format!("{number}"))});
        send(&server, "POST", "/sign/files", &link, &body)
    };
    for number in 0..40 {
        assert_eq!(attach(number).status, 200, "{number}");
    }
    let refused = attach(40);
    assert_eq!(refused.faults(), [("data".to_owned(), "files-too-large".to_owned())]);
    let problem = refused.problem(422);
    let message = problem["errors"][0]["message"].as_str().unwrap_or_default();
    assert!(message.contains("40 files") && message.contains("50 MB"), "{message}");
    assert!(message.contains("smaller"), "the remedy: {message}");
}

fn below_five_percent_of_free_disk_nothing_new_is_taken_and_what_was_begun_is_finished(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let (id, link) = link_of_second(&server, &token, template);
    assert_eq!(send(&server, "POST", "/sign/files", &link, &picture(0)).status, 200);
    server.disk.fill(true);
    for refused in [
        server.start(&token, &start_body(template)),
        send(&server, "POST", "/sign/files", &link, &picture(0)),
    ] {
        refused.problem(503);
        assert_eq!(refused.header("retry-after"), "60");
    }
    let text = json!({"values": [{"name": "employee", "value": "山田太郎"}, {"name": "agree", "value": "Y"}]});
    let saved = send(&server, "PUT", "/sign/drafts", &link, &text).ok();
    assert_eq!(send(&server, "POST", "/sign/consent", &link, &json!({})).status, 204);
    let shown = json!({"revision": saved["revision"]});
    let approved = send(&server, "POST", "/sign/approve", &link, &shown).ok();
    assert_eq!(approved["status"], "Complete", "what people have begun they can finish");
    let document = server.get(&format!("/api/v3/workflows/{id}/document"), &token);
    assert_eq!(document.status, 200);
    server.disk.fill(false);
    server.start(&token, &start_body(template)).ok();
}
