//! Files embedded in a document: those that exceed our verifier's limits are refused before anyone signs.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::Language;
use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{Answer, Server, start_body, token_of_writer_at};

testkit::on_both_databases!(
    the_files_inside_a_document_have_one_measure_and_what_is_sealed_is_verified,
    a_start_that_gives_too_much_is_refused,
);

/// Two steps, with three files by the first signer and two by the second, one of which is not embedded.
fn attachments() -> Value {
    let field = |number: u32, name: &str, step: u32, embed: bool| {
        json!({"name": name, "kind": "attachment", "step": step, "page": 1, "x": 100_000, "y": 60_000 * number,
            "width": 500_000, "height": 40_000, "embed": embed})
    };
    json!({"name": "Files", "steps": [{"order": 1}, {"order": 2}], "fields": [
        field(1, "one", 1, true), field(2, "two", 1, true), field(3, "three", 1, true),
        field(4, "four", 2, true), field(5, "beside", 2, false),
    ]})
}

/// Returns this many megabytes of incompressible data in base64.
fn file(megabytes: f64) -> String {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
    let length = (megabytes * 1e6) as usize;
    let bytes: Vec<u8> = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    })
    .flatten()
    .take(length)
    .collect();
    BASE64_STANDARD.encode(bytes)
}

fn send(server: &Server, path: &str, link: &str, language: &str, body: &Value) -> Answer {
    let request = server.request("POST", path, None).header("link-token", link);
    server.send(request.header("accept-language", language).json(body))
}

fn the_files_inside_a_document_have_one_measure_and_what_is_sealed_is_verified(database: &TestDatabase) {
    // Lower the limit for uploaded PDFs, because a sealed one may be larger.
    let server = Server::with(database, |settings, _| settings.largest_document = 1_000_000);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let template = server.template(&company, &attachments());
    let id = server.start(&token, &start_body(template)).ok()["workflow_id"].clone();
    let links = [0, 1].map(|place| token_of_writer_at(&server, &company, &id, place));
    let upload = |place: usize, language: &str, name: &str, data: &str| {
        let body = json!({"name": name, "file_name": format!("{name}.bin"), "data": data});
        send(&server, "/sign/files", &links[place], language, &body)
    };
    let approve = |place: usize, revision: u64| {
        send(&server, "/sign/consent", &links[place], "en", &json!({}));
        send(
            &server,
            "/sign/approve",
            &links[place],
            "en",
            &json!({"values": [], "revision": revision}),
        )
    };
    let nine = file(9.0);
    upload(0, "en", "one", &nine).ok();
    upload(0, "en", "two", &nine).ok();
    for (language, text) in [
        (
            Language::En,
            "The files in this document can take up 25 MB in total, and 7 MB are left. Send a smaller file.",
        ),
        (
            Language::Ko,
            "이 문서 안에 넣는 파일은 모두 합쳐 25MB까지이며, 이 파일에는 7MB가 남아 있습니다. 더 작은 파일을 보내 주세요.",
        ),
        (
            Language::Ja,
            "この文書に埋め込むファイルは合計 25 MB までで、このファイルに使えるのは残り 7 MB です。より小さいファイルを送信してください。",
        ),
    ] {
        let problem = upload(0, language.code(), "three", &nine).problem(422);
        let expected = json!([{"path": "three", "code": "embedded-too-large", "message": text}]);
        assert_eq!(problem["errors"], expected);
    }
    // The refused file is not stored. A smaller file that replaces another is counted once.
    let saved = upload(0, "en", "two", &file(8.5)).ok();
    assert_eq!(upload(0, "en", "three", &file(7.6)).faults().len(), 1);
    assert!(saved["revision"].is_u64());
    let saved = upload(0, "en", "three", &file(7.4)).ok();
    approve(0, saved["revision"].as_u64().expect("a revision")).ok();
    // The next signer has the remaining space. Files that are not embedded do not count.
    let problem = upload(1, "en", "four", &file(0.2)).problem(422);
    assert_eq!(problem["errors"][0]["code"], "embedded-too-large");
    let saved = upload(1, "en", "beside", &nine).ok();
    let done = approve(1, saved["revision"].as_u64().expect("a revision")).ok();
    assert_eq!(done["status"], "Complete");

    let document = server.get(&format!("/api/v3/workflows/{id}/document"), &token);
    assert_eq!(document.status, 200);
    assert!(document.body.len() > 24_900_000, "{}", document.body.len());
    let request = server.request("POST", "/api/v3/verify", Some(&token));
    let request = request
        .header("content-type", "application/pdf")
        .body(document.body.clone());
    let verdict = server.send(request).ok();
    assert_eq!(verdict["holds"], true, "{verdict}");
    assert_eq!(server.check(&document.body).status, 200);
    let limit = usize::try_from(server.app.settings.largest_sealed()).expect("a number");
    assert_eq!(server.check(&vec![0; limit + 1]).status, 413);
}

fn a_start_that_gives_too_much_is_refused(database: &TestDatabase) {
    let server = Server::with(database, |_, http| http.json_limit = 64 * 1024 * 1024);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let template = server.template(&company, &attachments());
    let mut body = start_body(template);
    let give = |sizes: [f64; 3]| {
        let names = ["one", "two", "three"];
        let each = names.iter().zip(sizes);
        Value::from(
            each.map(|(name, size)| json!({"name": name, "value": file(size)}))
                .collect::<Vec<_>>(),
        )
    };
    body["field_list"] = give([8.0, 9.0, 8.1]);
    // The largest file is named.
    let problem = server.start(&token, &body).problem(422);
    let text = "The files in this document can take up 25 MB in total, and 8.9 MB are left. Send a smaller file.";
    let expected = json!([{"path": "field_list[1].value", "code": "embedded-too-large", "message": text}]);
    assert_eq!(problem["errors"], expected);
    body["field_list"] = give([8.0, 8.5, 8.5]);
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    // A program that approves for a signer has the same limit.
    let more = json!({"field_list": [{"name": "three", "value": file(9.0)}]});
    let faults = server.act(&token, &id, "approve", &more).faults();
    assert_eq!(
        faults,
        [("field_list[0].value".to_owned(), "embedded-too-large".to_owned())]
    );
    server.act(&token, &id, "approve", &json!({"field_list": []})).ok();
}
