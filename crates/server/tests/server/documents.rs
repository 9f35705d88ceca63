//! Templates, intake, seal and verify.

use std::fs;

use serde_json::{Value, json};
use testkit::contract;

use crate::serving::{get, login, post};
use crate::support::{EMAIL, FIELDS, PASSWORD, Temporary, pdf};

#[test]
fn an_import_prints_the_template_id_alone() {
    let here = Temporary::with_company();
    let (file, fields) = (
        here.file("contract.pdf", &pdf()),
        here.file("fields.json", FIELDS.as_bytes()),
    );
    let (file, fields) = (file.to_str().expect("a path"), fields.to_str().expect("a path"));
    let printed = here.run(
        &["template", "import", "--company", "acme", file, "--fields", fields],
        "",
    );
    let id: i64 = printed.parse().expect("the id alone");
    let listed = here.json(&["template", "list", "--company", "acme"], "");
    assert_eq!(
        (listed[0]["template_id"].as_i64(), listed[0]["name"].as_str()),
        (Some(id), Some("계약"))
    );
}

#[test]
fn wrong_fields_are_named_with_their_places_and_nothing_is_kept() {
    let here = Temporary::with_company();
    let wrong = FIELDS
        .replace("\"kind\": \"text\"", "\"kind\": \"poem\"")
        .replace("\"page\": 1", "\"page\": 0");
    let (file, fields) = (
        here.file("contract.pdf", &pdf()),
        here.file("fields.json", wrong.as_bytes()),
    );
    let (file, fields) = (file.to_str().expect("a path"), fields.to_str().expect("a path"));
    let said = here.say(&["template", "import", "--company", "acme", file, "--fields", fields]);
    assert_eq!((said.code, said.output.as_str()), (Some(1), ""));
    assert!(
        said.error.contains("fields[0].kind") && said.error.contains("fields[0].page"),
        "{}",
        said.error
    );
    assert_eq!(
        here.json(&["template", "list", "--company", "acme"], ""),
        Value::Array(Vec::new())
    );
}

#[test]
fn inspect_tells_taken_refused_and_unreadable_apart() {
    let here = Temporary::new();
    let good = here.file("good.pdf", &pdf());
    let taken = here.json(&["document", "inspect", good.to_str().expect("a path")], "");
    assert_eq!(
        (&taken["taken"], taken["pages"].as_array().map(Vec::len)),
        (&Value::Bool(true), Some(1))
    );
    let bad = here.file("bad.pdf", b"no PDF at all");
    let refused = here.say(&["document", "inspect", bad.to_str().expect("a path")]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.output.contains("refused"), "{}", refused.output);
    assert_eq!(here.say(&["document", "inspect", "no-such-file.pdf"]).code, Some(2));
}

#[test]
fn a_sealed_document_verifies_here_and_elsewhere_with_the_root_alone() {
    let here = Temporary::with_company();
    let (input, sealed) = (here.file("in.pdf", &pdf()), here.path("sealed.pdf"));
    let (input, sealed) = (input.to_str().expect("a path"), sealed.to_str().expect("a path"));
    here.run(&["document", "seal", "--company", "acme", input, sealed], "");
    let verdict = here.json(&["verify", sealed], "");
    assert_eq!(verdict["holds"], true, "{verdict}");
    assert_eq!(verdict["signatures"][0]["signer"]["common_name"], "주식회사 에이스");

    let elsewhere = Temporary::new();
    let unknown = elsewhere.say(&["verify", sealed]);
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.output.contains("signer not verified"), "{}", unknown.output);
    let root = elsewhere.file("root.pem", here.run(&["root"], "").as_bytes());
    let trusted = elsewhere.say(&["verify", sealed, "--trust", root.to_str().expect("a path")]);
    assert_eq!(trusted.code, Some(0), "{}", trusted.output);
    assert!(!elsewhere.data().exists(), "verifying makes no installation");
}

#[test]
fn a_changed_unsigned_or_missing_file_does_not_verify() {
    let here = Temporary::with_company();
    let (input, sealed) = (here.file("in.pdf", &pdf()), here.path("sealed.pdf"));
    let (input, sealed) = (input.to_str().expect("a path"), sealed.to_str().expect("a path"));
    here.run(&["document", "seal", "--company", "acme", input, sealed], "");
    let mut bytes = fs::read(sealed).expect("the sealed file");
    let place = bytes
        .windows(4)
        .position(|part| part == b"720 ")
        .expect("the line's place");
    bytes[place] = b'6';
    let changed = here.file("changed.pdf", &bytes);
    let said = here.say(&["verify", changed.to_str().expect("a path")]);
    assert_eq!(said.code, Some(1));
    assert!(said.output.contains("NOT"), "{}", said.output);
    assert_eq!(here.say(&["verify", input]).code, Some(1), "unsigned");
    assert_eq!(here.say(&["verify", "no-such-file.pdf"]).code, Some(2));
}

/// Starts the contract, has both approve, and fetches the sealed document and its certificate.
fn complete(here: &Temporary, address: &str, template: i64) -> [Vec<u8>; 2] {
    let token = login(address, "acme", EMAIL, PASSWORD);
    let start = json!({
        "workflow_name": "근로계약서",
        "template_id": template,
        "recipient_list": [
            {"order": 1, "name": "김민준", "email": "employer@example.com"},
            {"order": 2, "name": "山田太郎", "email": "employee@example.com"},
        ],
    });
    let (status, started) = post(&format!("{address}/api/v3/workflows/start"), Some(&token), &start);
    assert_eq!(status, 200, "{started}");
    let workflow = format!("{address}/api/v3/workflows/{}", started["workflow_id"]);
    for order in [1, 2] {
        let approval = json!({"order": order, "field_list": contract::values_of_step(order)});
        let (status, approved) = post(&format!("{workflow}/approve"), Some(&token), &approval);
        assert_eq!(status, 200, "{approved}");
    }
    assert_eq!(here.json(&["audit", "verify"], "")["clean"], true);
    ["document", "certificate"].map(|file| {
        let (status, bytes) = get(&format!("{workflow}/{file}"), Some(&token));
        assert_eq!(status, 200, "{file}");
        bytes
    })
}

#[test]
fn document_certificate_and_chain_verify_elsewhere_and_belong_to_each_other() {
    let here = Temporary::with_company();
    let template = contract::import(&here, "acme");
    let server = here.serve();
    let [document, certificate] = complete(&here, &server.address, template);
    let [other, _] = complete(&here, &server.address, template);

    let elsewhere = Temporary::new();
    let file = |name: &str, bytes: &[u8]| elsewhere.file(name, bytes).to_str().expect("a path").to_owned();
    let root = file("root.pem", here.run(&["root"], "").as_bytes());
    let (document, certificate, other) = (
        file("document.pdf", &document),
        file("certificate.pdf", &certificate),
        file("other.pdf", &other),
    );
    let verify = |document: &str| {
        elsewhere.say(&[
            "verify",
            document,
            "--certificate",
            &certificate,
            "--trust",
            &root,
            "--json",
        ])
    };
    let said = verify(&document);
    let verdict: Value = serde_json::from_str(&said.output).expect("JSON");
    assert_eq!((said.code, &verdict["holds"]), (Some(0), &json!(true)), "{verdict}");
    assert_eq!(verdict["certificate"]["chain"]["holds"], true, "{verdict}");
    let said = verify(&other);
    let verdict: Value = serde_json::from_str(&said.output).expect("JSON");
    assert_eq!(
        (said.code, &verdict["certificate"]["belongs"]),
        (Some(1), &json!(false)),
        "{verdict}"
    );
}
