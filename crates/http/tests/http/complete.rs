//! Tests the main flow from login to the sealed files.

use app::ImportTemplate;
use document::text::fonts::Fonts;
use domain::Role;
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::demo::{NON_DISCLOSURE_AGREEMENT_FIELDS, non_disclosure_agreement};
use testkit::operator::operator;

use crate::support::{Answer, BASE, PNG, Server, contract_of_three, network, pdf, start_body, trusted, values_of};

testkit::on_both_databases!(
    two_writers_complete_a_document,
    after_three_writers_one_after_the_other_every_signature_is_valid,
    a_program_that_downloads_in_a_loop_is_recorded_once_an_hour,
    the_english_contract_of_the_demo_is_signed_to_its_end,
    links_to_finished_files_open_in_the_language_of_their_mail,
);

fn links_to_finished_files_open_in_the_language_of_their_mail(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["language"] = json!("ja");
    body["export_api_info"] = Value::Null;
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    for step in [1, 2] {
        server
            .act(&token, &id, "approve", &json!({"field_list": values_of(step)}))
            .ok();
    }
    let mut languages = std::collections::BTreeSet::new();
    for mail in server.mails() {
        let links: Vec<&str> = mail
            .text
            .split_whitespace()
            .filter(|word| word.contains("/mail/view?"))
            .collect();
        let own = format!("&lang={}", mail.language);
        assert!(
            links.iter().all(|link| link.ends_with(&own)),
            "{}: {links:?}",
            mail.language
        );
        if !links.is_empty() {
            languages.insert(mail.language);
        }
    }
    // The signers' mails use the document's language, and the sender's the company's.
    assert_eq!(languages.into_iter().collect::<Vec<_>>(), ["ja", "ko"]);
}

fn two_writers_complete_a_document(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let id = server.start(&token, &start_body(template)).ok()["workflow_id"].clone();
    let path = format!("/api/v3/workflows/{id}");
    for file in ["document", "certificate"] {
        let problem = server.get(&format!("{path}/{file}"), &token).problem(409);
        assert_eq!(
            (&problem["code"], &problem["state"]),
            (&json!("not-complete"), &json!("Playing")),
            "{file}"
        );
    }
    let seen = server.get(&path, &token).ok();
    assert_eq!(
        (&seen["download_url"], &seen["certificate_url"]),
        (&json!(""), &json!(""))
    );
    complete(&server, &token, &id);
    for file in ["document", "certificate"] {
        let answer = server.get(&format!("{path}/{file}"), &token);
        assert_eq!((answer.status, answer.header("content-type")), (200, "application/pdf"));
        assert!(
            answer
                .header("content-disposition")
                .starts_with("attachment; filename=\"")
        );
        assert_eq!(answer.header("cache-control"), "no-store");
        let verdict = trusted(&answer.body, &server);
        assert!(verdict.holds_strictly(), "{file}: {verdict:?}");
    }
    let seen = server.get(&path, &token).ok();
    assert!(
        seen["download_url"]
            .as_str()
            .is_some_and(|url| url.starts_with(&format!("{BASE}/mail/view?token=")))
    );
    assert_eq!(seen["playing_url"], "");
    let all = |list: &str, member: &str| -> Vec<String> {
        let entries = seen[list].as_array().expect("a list");
        entries
            .iter()
            .filter_map(|entry| entry[member].as_str().map(str::to_owned))
            .collect()
    };
    let events = all("history", "event");
    assert_eq!(events[0], "started");
    for event in ["completed", "downloaded"] {
        assert!(events.iter().any(|seen| seen == event), "{events:?}");
    }
    let names = "employer salary start_date grade shift agree employee sign";
    assert_eq!(all("field_list", "name").join(" "), names);
    let file = server.get(&format!("{path}/fields/sign/file"), &token);
    assert!(file.body.starts_with(b"\x89PNG"));
    for missing in ["salary", "nothing", "copy", "a%00b"] {
        server
            .get(&format!("{path}/fields/{missing}/file"), &token)
            .problem(404);
    }
}

fn complete(server: &Server, token: &str, id: &Value) {
    let first = json!({"field_list": values_of(1)});
    server.act(token, id, "approve", &first).ok();
    let last = json!({"field_list": values_of(2), "comment": "좋습니다"});
    assert_eq!(server.act(token, id, "approve", &last).ok()["status"], "Complete");
}

/// Asks the API to verify a body of this type.
fn verify(server: &Server, token: &str, media_type: &str, body: Vec<u8>) -> Answer {
    let request = server.request("POST", "/api/v3/verify", Some(token));
    server.send(request.header("content-type", media_type).body(body))
}

#[test]
fn the_api_verifies_finished_files_sent_as_a_body_or_in_a_form() {
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, template) = server.with_company("acme");
    let id = server.start(&token, &start_body(template)).ok()["workflow_id"].clone();
    complete(&server, &token, &id);
    for file in ["document", "certificate"] {
        let bytes = server.get(&format!("/api/v3/workflows/{id}/{file}"), &token).body;
        let said = verify(&server, &token, "application/pdf", bytes.clone()).ok();
        assert_eq!(
            (&said["holds"], &said["holds_strictly"]),
            (&json!(true), &json!(true)),
            "{said}"
        );
        assert_eq!(said["signatures"][0]["kind"], "certification");
        let mut form = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n".to_vec();
        form.extend_from_slice(&bytes);
        form.extend_from_slice(b"\r\n--x--\r\n");
        let said_of_form = verify(&server, &token, "multipart/form-data; boundary=x", form).ok();
        assert_eq!(said_of_form, said);
        let longer = [bytes, b"\n% more\n".to_vec()].concat();
        let said = verify(&server, &token, "application/pdf", longer).ok();
        assert_eq!(said["holds"], false, "{said}");
    }
}

#[test]
fn the_page_names_times_in_the_browsers_zone_and_the_api_in_the_companys() {
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, template) = server.with_company("acme");
    let id = server.start(&token, &start_body(template)).ok()["workflow_id"].clone();
    complete(&server, &token, &id);
    let document = server.get(&format!("/api/v3/workflows/{id}/document"), &token).body;
    let said = verify(&server, &token, "application/pdf", document.clone()).ok();
    assert_eq!(said["times"], "모든 시각은 Asia/Seoul (UTC+09:00) 기준입니다.");
    assert!(!said["signatures"].to_string().contains("한국 시간"), "{said}");
    let page = |zone: &str| {
        let zone = format!("--x\r\nContent-Disposition: form-data; name=\"zone\"\r\n\r\n{zone}\r\n");
        let file = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n";
        let body = [zone.as_bytes(), file.as_bytes(), &document, b"\r\n--x--\r\n"].concat();
        let request = server.request("POST", "/verify?lang=en", None);
        let request = request.header("content-type", "multipart/form-data; boundary=x");
        server.send(request.body(body)).html()
    };
    assert!(page("Asia/Tokyo").contains("Times are in Asia/Tokyo (UTC+09:00)."));
    for unknown in ["", "Mars/Olympus"] {
        let shown = page(unknown);
        assert!(
            shown.contains("Times are in UTC.") && shown.matches("UTC").count() == 1,
            "{shown}"
        );
    }
}

#[test]
fn the_api_says_in_the_callers_language_that_a_file_has_no_seal_and_refuses_what_is_no_file() {
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, _) = server.with_company("acme");
    assert_eq!(verify(&server, &token, "application/pdf", pdf()).ok()["holds"], false);
    // The language comes from the URL, otherwise from the header, otherwise from the company.
    for (query, accepted, title) in [
        ("?lang=ja", Some("en"), "封印がありません"),
        ("", Some("en"), "No seal"),
        ("?lang=xx", None, "봉인이 없습니다"),
    ] {
        let mut request = server
            .request("POST", &format!("/api/v3/verify{query}"), Some(&token))
            .header("content-type", "application/pdf");
        if let Some(accepted) = accepted {
            request = request.header("accept-language", accepted);
        }
        let said = server.send(request.body(pdf())).ok();
        assert_eq!(said["title"], title, "{query} {accepted:?}");
    }
    assert_eq!(
        verify(&server, &token, "application/pdf", Vec::new()).faults(),
        [("file".to_owned(), "required".to_owned())]
    );
    verify(&server, &token, "text/plain", b"x".to_vec()).problem(415);
}

fn after_three_writers_one_after_the_other_every_signature_is_valid(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let template = server.template(&company, &contract_of_three());
    let writers: Vec<_> = (1..=3)
        .map(|order| json!({"order": order, "name": format!("Writer {order}"), "email": format!("w{order}@example.com")}))
        .collect();
    let body = json!({"workflow_name": "Three", "template_id": template, "recipient_list": writers});
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    for order in 1..=3 {
        let values = json!({"order": order, "field_list": [{"name": format!("sign{order}"), "value": PNG}]});
        server.act(&token, &id, "approve", &values).ok();
    }
    for file in ["document", "certificate"] {
        let answer = server.get(&format!("/api/v3/workflows/{id}/{file}"), &token);
        let verdict = trusted(&answer.body, &server);
        assert!(verdict.holds_strictly(), "{file}: {verdict:?}");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("file.pdf");
        std::fs::write(&path, &answer.body).expect("the file is written");
        let judged = std::process::Command::new("pdfsig")
            .arg(&path)
            .output()
            .expect("pdfsig runs (script/bootstrap --tests)");
        let said = String::from_utf8_lossy(&judged.stdout).into_owned();
        let signatures = said.matches("- Signature Validation:").count();
        assert_eq!(signatures, verdict.signatures.len(), "{said}");
        assert!(signatures > 0, "{said}");
        assert_eq!(
            said.matches("- Signature Validation: Signature is Valid.").count(),
            signatures,
            "{said}"
        );
    }
}

fn a_program_that_downloads_in_a_loop_is_recorded_once_an_hour(database: &TestDatabase) {
    let server = Server::with(database, |_, http| http.trusted_proxies = vec![network("127.0.0.1")]);
    let (company, token, template) = server.with_company("acme");
    let id = server.start(&token, &start_body(template)).ok()["workflow_id"].clone();
    let path = format!("/api/v3/workflows/{id}");
    for order in [1, 2] {
        server
            .act(&token, &id, "approve", &json!({"field_list": values_of(order)}))
            .ok();
    }
    let told = || {
        let seen = server.get(&path, &token).ok();
        seen["history"].to_string().matches("downloaded").count()
    };
    let take = |file: &str, token: &str, address: &str| {
        let request = server.request("GET", &format!("{path}/{file}"), Some(token));
        let answer = server.send(request.header("x-forwarded-for", address));
        assert_eq!((answer.status, answer.header("content-type")), (200, "application/pdf"));
    };
    for _ in 0..10 {
        take("document", &token, "192.0.2.1");
    }
    assert_eq!(told(), 1, "the same file, by the same member, from the same address");
    take("certificate", &token, "192.0.2.1");
    assert_eq!(told(), 2, "another file");
    server.member(&company, "auditor@example.com", Role::Auditor);
    take("document", &server.token("acme", "auditor@example.com"), "192.0.2.1");
    assert_eq!(told(), 3, "another member");
    server.clock.advance(3_599);
    take("document", &token, "192.0.2.1");
    assert_eq!(told(), 3, "within the hour");
    server.clock.advance(1);
    take("document", &token, "192.0.2.1");
    assert_eq!(told(), 4, "an hour later");
    for number in 2..40 {
        take("document", &token, &format!("192.0.2.{number}"));
    }
    assert_eq!(told(), 4 + 19, "twenty an hour, from however many addresses");
}

fn the_english_contract_of_the_demo_is_signed_to_its_end(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let pdf = non_disclosure_agreement(&Fonts::embedded().expect("the fonts")).expect("the agreement");
    let import = ImportTemplate {
        pdf: &pdf,
        fields: NON_DISCLOSURE_AGREEMENT_FIELDS.as_bytes(),
    };
    let template = server
        .app
        .import_template(&operator(&server.app, &company), &import)
        .expect("a template")
        .id;
    let mut body = start_body(template.get());
    body["language"] = json!("en");
    let started = server.start(&token, &body).ok();
    assert_eq!(started["language"], "en-US");
    let id = started["workflow_id"].clone();
    let fields: Value = serde_json::from_str(NON_DISCLOSURE_AGREEMENT_FIELDS).expect("JSON");
    for order in [1, 2] {
        let values: Vec<Value> = fields["fields"]
            .as_array()
            .expect("fields")
            .iter()
            .filter(|field| field["step"] == order)
            .map(|field| {
                let value = match field["kind"].as_str().expect("a kind") {
                    "date" => "2026-02-01",
                    "check" => "Y",
                    "signature" => PNG,
                    _ => "Acme Research Ltd",
                };
                json!({"name": field["name"], "value": value})
            })
            .collect();
        server.act(&token, &id, "approve", &json!({"field_list": values})).ok();
    }
    for file in ["document", "certificate"] {
        let answer = server.get(&format!("/api/v3/workflows/{id}/{file}"), &token);
        assert!(trusted(&answer.body, &server).holds_strictly(), "{file}");
    }
}

/// A person with both files wants to know that they are of one document, and when things happened there.
#[test]
fn the_page_says_whether_document_and_certificate_belong_together_with_times_in_the_documents_zone() {
    const BELONGS: &str = "The history certificate belongs to this document.";
    const FOREIGN: &str = "The history certificate does NOT belong to this document.";
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, template) = server.with_company("acme");
    let both = || {
        let body = start_body(template);
        let path = "/api/v3/workflows/start?offset=-03:30";
        let id = server.post(path, Some(&token), &body).ok()["workflow_id"].clone();
        complete(&server, &token, &id);
        ["document", "certificate"].map(|file| server.get(&format!("/api/v3/workflows/{id}/{file}"), &token).body)
    };
    let (first, second) = (both(), both());
    let page = |files: [&[u8]; 2]| {
        let mut body = b"--x\r\nContent-Disposition: form-data; name=\"zone\"\r\n\r\nAsia/Tokyo\r\n".to_vec();
        for file in files {
            body.extend(b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n");
            body.extend(file);
            body.extend(b"\r\n");
        }
        body.extend(b"--x--\r\n");
        let request = server.request("POST", "/verify?lang=en", None);
        let request = request.header("content-type", "multipart/form-data; boundary=x");
        server.send(request.body(body)).html()
    };
    // In any order.
    for files in [[&*first[0], &*first[1]], [&*first[1], &*first[0]]] {
        let shown = page(files);
        assert!(shown.contains(BELONGS) && !shown.contains(FOREIGN), "{shown}");
        assert!(shown.contains("chain unbroken"), "{shown}");
        assert!(shown.contains("Times are in UTC-03:30."), "{shown}");
        assert!(!shown.contains("Asia/Tokyo"), "{shown}");
    }
    for files in [[&*first[0], &*second[1]], [&*first[1], &*second[1]]] {
        let shown = page(files);
        assert!(shown.contains(FOREIGN) && !shown.contains(BELONGS), "{shown}");
    }
    let shown = page([&first[0], &second[0]]);
    assert!(!shown.contains(FOREIGN) && !shown.contains(BELONGS), "{shown}");
}
