//! Templates, intake, seal and verify.

use std::fs;

use serde_json::{Value, json};
use testkit::contract;

use crate::serving::{get, login, post};
use crate::support::{EMAIL, FIELDS, PASSWORD, Temporary, pdf, pdf_with};

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
fn every_fault_of_an_import_is_named_once_on_a_line_of_its_own() {
    let here = Temporary::with_company();
    let wrong = r#"{"name": "x", "steps": [{"order": 1}, {"order": 3}], "fields": [
        {"name": "a", "kind": "text", "step": 1, "page": 2, "x": 0, "y": 0, "width": 100, "height": 100},
        {"name": "a", "kind": "poem", "step": 1, "page": 1, "x": 0, "y": 0, "width": 100, "height": 100},
        {"name": "b", "kind": "text", "step": 2, "page": 1, "x": 0, "y": 0, "width": 2000000, "height": 100}]}"#;
    let (file, fields) = (
        here.file("contract.pdf", &pdf()),
        here.file("fields.json", wrong.as_bytes()),
    );
    let (file, fields) = (file.to_str().expect("a path"), fields.to_str().expect("a path"));
    let said = here.say(&["template", "import", "--company", "acme", file, "--fields", fields]);
    assert_eq!(said.code, Some(1));
    let lines: Vec<&str> = said.error.lines().map(str::trim).collect();
    assert_eq!(lines[0], "countersign: 6 faults:", "{}", said.error);
    for (place, what) in [
        ("steps", "Step 2 is missing."),
        ("fields[0].page", "The document has only 1 page."),
        ("fields[1].kind", "This must be one of: text, "),
        ("fields[1].name", "A field of another kind already has this name."),
        ("fields[2].step", "There is no such step or role."),
        ("fields[2].width", "This must be from 1 to 1000000."),
    ] {
        let begin = format!("{fields}: {place}: ");
        let found: Vec<&&str> = lines.iter().filter(|line| line.starts_with(&begin)).collect();
        assert!(found.len() == 1 && found[0].contains(what), "{place}: {}", said.error);
    }
    // Errors in the PDF are shown next to errors in the fields, and a single error on the first line.
    let text = here.file("contract.txt", b"no PDF");
    let text = text.to_str().expect("a path");
    let said = here.say(&["template", "import", "--company", "acme", text, "--fields", fields]);
    assert!(
        said.error.contains(&format!("{text}: ")) && said.error.contains("fields[1].kind"),
        "{}",
        said.error
    );
    let said = here.say(&["company", "add", "acme", "--name", "Again"]);
    assert_eq!(
        said.error.trim_end(),
        "countersign: A company with this ID already exists."
    );
}

#[test]
fn a_template_is_replaced_under_its_id_archived_and_taken_back() {
    let here = Temporary::with_company();
    let other = FIELDS.replace("계약", "새 계약");
    let (file, first, second) = (
        here.file("contract.pdf", &pdf()),
        here.file("first.json", FIELDS.as_bytes()),
        here.file("second.json", other.as_bytes()),
    );
    let path = |path: &std::path::Path| path.to_str().expect("a path").to_owned();
    let (file, first, second) = (path(&file), path(&first), path(&second));
    let import = |fields| {
        vec![
            "template",
            "import",
            "--company",
            "acme",
            file.as_str(),
            "--fields",
            fields,
        ]
    };
    let replace = |fields, id| [import(fields), vec!["--replace", id]].concat();
    let id = here.run(&import(&first), "");
    let replaced = here.json(&replace(&second, &id), "");
    assert_eq!(
        (&replaced["template_id"].to_string(), &replaced["version"]),
        (&id, &Value::from(2))
    );
    let list = || here.json(&["template", "list", "--company", "acme"], "");
    let listed = list();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!(
        (&listed[0]["name"], &listed[0]["version"]),
        (&Value::from("새 계약"), &Value::from(2))
    );

    for (word, archived) in [
        ("archive", true),
        ("archive", true),
        ("unarchive", false),
        ("unarchive", false),
    ] {
        here.run(&["template", word, "--company", "acme", &id], "");
        assert_eq!(list()[0]["archived_at"].is_string(), archived, "{word}");
    }
    for line in [
        vec!["template", "archive", "--company", "acme", "4711"],
        vec!["template", "unarchive", "--company", "acme", "4711"],
        replace(&first, "4711"),
    ] {
        let said = here.say(&line);
        assert_eq!(
            (said.code, said.error.lines().next()),
            (Some(1), Some("countersign: Not found: template.")),
            "{line:?}"
        );
    }
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
    assert!(
        refused.output.contains("Not accepted") && refused.output.contains("Print it to a new PDF"),
        "{}",
        refused.output
    );
    let korean = here.say(&["document", "inspect", bad.to_str().expect("a path"), "--language", "ko"]);
    assert!(korean.output.contains("받지 않았습니다"), "{}", korean.output);
    assert_eq!(here.say(&["document", "inspect", "no-such-file.pdf"]).code, Some(2));
}

/// Uses a page from `../shared/faults`, or from the folder in `COUNTERSIGN_FAULTS`. The page is quick to read, but
/// needs more memory to render than a worker has.
#[test]
fn inspect_and_import_refuse_the_same_file_with_the_same_limit() {
    let folder = std::env::var_os("COUNTERSIGN_FAULTS").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/faults"),
        std::path::PathBuf::from,
    );
    let file = folder.join("I_inspect_takes_import_refuses.pdf");
    if !file.is_file() {
        eprintln!(
            "skipped: {} is not there; COUNTERSIGN_FAULTS names the folder",
            file.display()
        );
        return;
    }
    let file = file.to_str().expect("a path");
    let here = Temporary::with_company();
    let fields = json!({
        "name": "demanding", "steps": [{"order": 1, "role": "tenant"}],
        "fields": [{"name": "a", "kind": "text", "step": 1, "role": "tenant", "page": 1,
            "x": 100_000, "y": 100_000, "width": 200_000, "height": 50_000}],
    });
    let fields = here.file("fields.json", fields.to_string().as_bytes());
    let fields = fields.to_str().expect("a path");
    let inspected = here.say(&["document", "inspect", file]);
    let imported = here.say(&["template", "import", "--company", "acme", "--fields", fields, file]);
    for (said, code) in [(&inspected.output, inspected.code), (&imported.error, imported.code)] {
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("more than 512 MB of memory"), "{said}");
    }
}

#[test]
fn inspect_asks_for_a_password_and_takes_it_from_a_file() {
    let here = Temporary::new();
    let (open, locked) = (here.file("open.pdf", &pdf()), here.path("locked.pdf"));
    let status = std::process::Command::new("qpdf")
        .args(["--encrypt", "secret", "owner", "256", "--"])
        .args([&open, &locked])
        .status()
        .expect("qpdf can be run; script/bootstrap --tests installs it");
    assert!(status.success());
    let locked = locked.to_str().expect("a path");
    let asked = here.say(&["document", "inspect", locked]);
    assert_eq!(asked.code, Some(1));
    assert!(asked.output.contains("Enter the password"), "{}", asked.output);
    let password = here.file("password", b"secret\n");
    let password = password.to_str().expect("a path");
    let taken = here.json(&["document", "inspect", locked, "--password-file", password], "");
    assert_eq!(
        (&taken["taken"], &taken["verdict"]),
        (&json!(true), &json!("taken_with_changes"))
    );
    assert_eq!(taken["changes"][0]["change"], "decrypted");
}

/// Creates a form with one field, `full name`.
fn form_file(here: &Temporary) -> String {
    let field = "/Annots [<< /Subtype /Widget /FT /Tx /T (full name) /Rect [50 500 250 520] >>] ";
    let form = here.file("application.pdf", &pdf_with(field));
    form.to_str().expect("a path").to_owned()
}

#[test]
fn the_fields_of_a_form_take_steps_from_the_fields_file_and_its_report_is_that_of_inspect() {
    let here = Temporary::with_company();
    let form = form_file(&here);
    let import = |fields: &Value| {
        let fields = here.file("fields.json", fields.to_string().as_bytes());
        let fields = fields.to_str().expect("a path").to_owned();
        [
            "template",
            "import",
            "--company",
            "acme",
            &form,
            "--form-fields",
            "--fields",
            &fields,
        ]
        .map(str::to_owned)
    };
    let steps = json!([{"order": 1}, {"order": 2}]);
    let arguments = import(&json!({"steps": steps, "fields": [{"name": "full name", "step": 2}]}));
    let imported = here.json(&arguments.each_ref().map(String::as_str), "");
    assert_eq!(
        (&imported["version"], &imported["name"]),
        (&json!(1), &json!("application"))
    );
    assert_eq!(imported["intake"], here.json(&["document", "inspect", &form], ""));

    let arguments = import(&json!({"steps": steps, "fields": [{"name": "nick name", "step": 2}]}));
    let said = here.say(&arguments.each_ref().map(String::as_str));
    assert!(
        said.code == Some(1) && said.error.contains("fields.json: fields[0].name: "),
        "{}",
        said.error
    );
}

#[test]
fn a_form_is_imported_without_a_fields_file_under_the_name_of_its_file() {
    let here = Temporary::with_company();
    let form = form_file(&here);
    let id = here.run(&["template", "import", "--company", "acme", &form], "");
    let listed = here.json(&["template", "list", "--company", "acme"], "");
    assert_eq!(listed[0]["template_id"].to_string(), id);
    assert_eq!(listed[0]["name"], "application");
    let plain = here.file("plain.pdf", &pdf());
    let said = here.say(&[
        "template",
        "import",
        "--company",
        "acme",
        plain.to_str().expect("a path"),
    ]);
    assert!(
        said.code == Some(1) && said.error.contains("FIELDS.json"),
        "{}",
        said.error
    );
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

    // This installation knows its own revocations. Elsewhere the list must be passed.
    let renew = [
        "company",
        "key",
        "renew",
        "--company",
        "acme",
        "--revoke",
        "key-compromise",
    ];
    here.run(&renew, "");
    for (language, said) in [
        ("ko", "폐지된 인증서로 서명되었습니다"),
        ("en", "Signed with a revoked certificate"),
        ("ja", "失効した証明書で署名されています"),
    ] {
        let revoked = here.say(&["verify", sealed, "--language", language]);
        assert_eq!(revoked.code, Some(1));
        assert!(revoked.output.contains(said), "{}", revoked.output);
    }
    assert_eq!(here.say(&["--json", "verify", sealed]).code, Some(1));
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
    // The intake's whole message is in the reader's language.
    for (language, reason) in [
        ("ko", "서명된 내용이 변경되었습니다."),
        ("ja", "署名された内容が変更されています。"),
    ] {
        let changed = changed.to_str().expect("a path");
        let refused = here.say(&["document", "inspect", changed, "--language", language]);
        assert!(refused.output.contains(reason), "{}", refused.output);
    }
    assert_eq!(here.say(&["verify", input]).code, Some(1), "unsigned");
    assert_eq!(here.say(&["verify", "no-such-file.pdf"]).code, Some(2));
}

/// A file that pyHanko signed with an approval signature that locks nothing.
fn signed_elsewhere() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("plain.pdf"), pdf()).expect("written");
    let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = std::process::Command::new(repository.join(".tools/venv/bin/python"))
        .arg(repository.join("crates/document/tests/document/sign_as_others.py"))
        .arg(folder.path())
        .output()
        .expect("pyHanko is there (script/bootstrap --tests)");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).expect("names");
    let name = names.lines().find(|name| *name != "certified").expect("a signed file");
    fs::read(folder.path().join(format!("{name}.pdf"))).expect("the file")
}

/// Known trouble 10.
#[test]
fn a_file_that_somebody_signed_before_is_warned_of_kept_and_completed_with_all_signatures_valid() {
    let here = Temporary::with_company();
    let upload = signed_elsewhere();
    let (file, fields) = (
        here.file("signed.pdf", &upload),
        here.file("fields.json", FIELDS.as_bytes()),
    );
    let (file, fields) = (file.to_str().expect("a path"), fields.to_str().expect("a path"));
    let said = here.say(&["template", "import", "--company", "acme", file, "--fields", fields]);
    assert_eq!(said.code, Some(0), "{}", said.error);
    assert!(said.error.contains("is already signed"), "{}", said.error);
    let template: i64 = said.output.trim().parse().expect("the id alone");

    let server = here.serve();
    let address = &server.address;
    let token = login(address, "acme", EMAIL, PASSWORD);
    let start = json!({
        "workflow_name": "계약", "template_id": template,
        "recipient_list": [{"order": 1, "name": "김민준", "email": "kim@example.com"}],
    });
    let (status, started) = post(&format!("{address}/api/v3/workflows/start"), Some(&token), &start);
    assert_eq!(status, 200, "{started}");
    let workflow = format!("{address}/api/v3/workflows/{}", started["workflow_id"]);
    let approval = json!({"order": 1, "field_list": [{"name": "name", "value": "김민준"}]});
    let (status, approved) = post(&format!("{workflow}/approve"), Some(&token), &approval);
    assert_eq!(status, 200, "{approved}");
    let (status, document) = get(&format!("{workflow}/document"), Some(&token));
    assert_eq!(status, 200);
    assert!(document.starts_with(&upload), "kept byte for byte");
    let document = here.file("document.pdf", &document);
    let judged = std::process::Command::new("pdfsig")
        .arg("-nocert")
        .arg(&document)
        .output()
        .expect("pdfsig can be run; script/bootstrap --tests installs it");
    let judged = String::from_utf8_lossy(&judged.stdout).into_owned();
    let valid = judged.matches("Signature is Valid.").count();
    assert!(
        valid >= 2 && valid == judged.matches("Signature Validation:").count(),
        "{judged}"
    );
}

/// Starts the contract, has both signers approve, and downloads the sealed document and its certificate.
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
