//! Templates, intake, seal and verify.

use std::fs;

use serde_json::Value;

use crate::support::{FIELDS, Temporary, pdf};

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
