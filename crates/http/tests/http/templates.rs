//! Templates over the API: creating, changing, copying and archiving them, and what the intake reports about their
//! PDFs.

use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{Answer, Server, contract, pdf, pdf_of, plain, start_body};

testkit::on_both_databases!(
    a_template_is_made_read_listed_and_started,
    what_intake_changed_and_refused_is_said_in_the_readers_language,
    every_fault_of_the_fields_is_named_in_the_readers_language,
    a_password_opens_the_pdf_and_is_not_kept,
    the_fields_of_a_form_become_those_of_the_template,
    faults_beside_a_form_name_what_their_sender_wrote,
    a_new_version_keeps_the_pdf_unless_one_is_given,
    a_copy_is_a_template_of_its_own_and_an_archived_one_takes_no_documents,
    a_long_list_is_read_in_pages,
    what_is_wrong_with_a_form_is_named,
);

/// A multipart form with these parts. A part with a file name is a file.
fn form(members: &[(&str, Option<&str>, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, file, bytes) in members {
        let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        body.extend(format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").into_bytes());
        body.extend(*bytes);
        body.extend(b"\r\n");
    }
    body.extend(b"--x--\r\n");
    body
}

pub fn send(server: &Server, method: &str, path: &str, token: &str, members: &[(&str, Option<&str>, &[u8])]) -> Answer {
    let request = server
        .request(method, path, Some(token))
        .header("content-type", "multipart/form-data; boundary=x")
        .header("accept-language", "en")
        .body(form(members));
    server.send(request)
}

fn make(server: &Server, token: &str, pdf: &[u8], fields: &Value) -> Answer {
    let fields = fields.to_string();
    let members = [("file", Some("contract.pdf"), pdf), ("fields", None, fields.as_bytes())];
    send(server, "POST", "/api/v3/templates", token, &members)
}

/// A page whose catalog has these entries. Further objects start at number 5.
fn with_catalog(entries: &str, of_page: &str, objects: &[&str]) -> Vec<u8> {
    let mut all = vec![
        format!("<</Type/Catalog/Pages 2 0 R{entries}>>"),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<<>>{of_page}>>"),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    all.extend(objects.iter().map(|object| (*object).to_owned()));
    pdf_of(&all)
}

fn a_template_is_made_read_listed_and_started(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let made = make(&server, &token, &pdf(), &contract()).ok();
    let id = made["template_id"].as_i64().expect("a number");
    assert_eq!(
        (&made["version"], &made["name"], &made["pages"]),
        (&json!(1), &json!("Contract"), &json!(1))
    );
    assert_eq!(
        made["intake"],
        json!({
            "taken": true, "verdict": "taken", "signatures": 0, "fields": [], "changes": [], "warnings": [],
            "pages": [{"width": 612.0, "height": 792.0}],
        })
    );
    let seen = server.get(&format!("/api/v3/templates/{id}"), &token).ok();
    assert_eq!(
        (&seen["name"], &seen["version"], &seen["is_signed"]),
        (&json!("Contract"), &json!(1), &json!(false))
    );
    assert_eq!(
        (&seen["on_reject"], &seen["archived_date"]),
        (&json!("end"), &json!(""))
    );
    assert_eq!(seen["changed_by"], "owner@example.com");
    assert_eq!(seen["pages"], json!([{"width": 612.0, "height": 792.0}]));
    assert_eq!(seen["steps"], json!([{"order": 1}, {"order": 2}]));
    assert_eq!(seen["fields"].as_array().expect("fields").len(), 12);
    // The answer to a read can be sent unchanged as the next version.
    let again =
        json!({"name": seen["name"], "on_reject": seen["on_reject"], "steps": seen["steps"], "fields": seen["fields"]});
    let fields = again.to_string();
    let path = format!("/api/v3/templates/{id}");
    let next = send(&server, "PUT", &path, &token, &[("fields", None, fields.as_bytes())]).ok();
    assert_eq!(next["version"], 2);
    assert_eq!(server.get(&path, &token).ok()["fields"], seen["fields"]);

    let listed = server.get("/api/v3/templates", &token).ok();
    assert_eq!(listed["template_list"][0]["template_id"], id);
    assert_eq!(listed["next_cursor"], Value::Null);
    assert!(server.start(&token, &start_body(id)).ok()["workflow_id"].is_i64());
}

fn what_intake_changed_and_refused_is_said_in_the_readers_language(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let scripted = with_catalog("/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>", "", &[]);
    let fields = plain(1, "end").to_string();
    let members = [
        ("file", Some("a.pdf"), scripted.as_slice()),
        ("fields", None, fields.as_bytes()),
    ];
    let in_language = |language: &str| {
        let request = server
            .request("POST", &format!("/api/v3/templates?lang={language}"), Some(&token))
            .header("content-type", "multipart/form-data; boundary=x")
            .body(form(&members));
        server.send(request).ok()["intake"].clone()
    };
    let english = in_language("en");
    assert_eq!(english["verdict"], "taken_with_changes");
    assert_eq!(
        english["changes"],
        json!([{"change": "scripts_removed", "count": 1, "message": "Scripts were removed: 1."}])
    );
    assert_eq!(
        in_language("ko")["changes"][0]["message"],
        "스크립트를 지웠습니다: 1개."
    );
    assert_eq!(
        in_language("ja")["changes"][0]["message"],
        "スクリプトを削除しました: 1 件。"
    );

    let refused = make(&server, &token, b"no PDF at all", &plain(1, "end")).problem(422);
    let error = &refused["errors"][0];
    assert_eq!(
        (&error["path"], &error["code"], &error["reason"]),
        (&json!("file"), &json!("document-refused"), &json!("not_pdf"))
    );
    let message = error["message"].as_str().expect("words");
    assert!(message.contains("Print it to a new PDF"), "{message}");
    let whole = pdf();
    for of_four in 1..=2 {
        let cut = whole.get(..whole.len() * of_four / 4).expect("a part");
        let refused = make(&server, &token, cut, &plain(1, "end")).problem(422);
        let error = &refused["errors"][0];
        assert_eq!(error["reason"], "incomplete", "{of_four} of 4: {error}");
    }
    // Nothing was stored.
    assert_eq!(
        server.get("/api/v3/templates?limit=1", &token).ok()["template_list"][0]["version"],
        1
    );
}

/// Long because it is a table with a case for each error.
fn every_fault_of_the_fields_is_named_in_the_readers_language(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let refused = |language: &str, fields: &str| {
        let pdf = pdf();
        let body = form(&[("file", Some("a.pdf"), &pdf), ("fields", None, fields.as_bytes())]);
        let request = server
            .request("POST", &format!("/api/v3/templates?lang={language}"), Some(&token))
            .header("content-type", "multipart/form-data; boundary=x");
        let answer = server.send(request.body(body));
        let messages: Vec<String> = answer.problem(422)["errors"]
            .as_array()
            .expect("errors")
            .iter()
            .map(|error| error["message"].as_str().expect("a message").to_owned())
            .collect();
        (answer.faults(), messages)
    };
    let field = |changes: Value| {
        let mut field = json!({"name": "f", "kind": "text", "step": 1, "page": 1, "x": 0, "y": 0, "width": 900_000, "height": 90_000});
        field
            .as_object_mut()
            .expect("members")
            .extend(changes.as_object().expect("members").clone());
        field
    };
    let of = |fields: Value| json!({"name": "x", "steps": [{"order": 1}], "fields": fields}).to_string();
    let shared = |fields: Value| {
        let steps = json!([{"order": 1, "role": "a"}, {"order": 1, "role": "b"}, {"order": 2}]);
        json!({"name": "x", "steps": steps, "fields": fields}).to_string()
    };
    let number = |name: &str, changes: Value| {
        let mut number = field(changes);
        number["name"] = json!(name);
        number["kind"] = json!("number");
        number
    };
    let sum = |changes: Value| {
        field(json!({"kind": "calc", "role": "a"}))
            .as_object()
            .map_or(Value::Null, |sum| {
                let mut sum = sum.clone();
                sum.extend(changes.as_object().expect("members").clone());
                Value::Object(sum)
            })
    };
    let (role, later) = (json!({"role": "b"}), json!({"step": 2}));
    for (fields, path, code) in [
        ("{".to_owned(), "fields", "fields-not-json"),
        ("[]".to_owned(), "fields", "wrong-type"),
        (json!({"name": "x", "steps": {}}).to_string(), "steps", "wrong-type"),
        (json!({"steps": [{"order": 1}]}).to_string(), "fields.name", "required"),
        (
            json!({"name": " ", "steps": [{"order": 1}]}).to_string(),
            "fields.name",
            "required",
        ),
        (
            json!({"name": "x".repeat(200), "steps": [{"order": 1}]}).to_string(),
            "fields.name",
            "too-long",
        ),
        (
            json!({"name": "a\u{7}", "steps": [{"order": 1}]}).to_string(),
            "fields.name",
            "control-character",
        ),
        (
            json!({"name": "x", "steps": [{"order": 0}]}).to_string(),
            "steps[0].order",
            "out-of-range",
        ),
        (
            json!({"name": "x", "steps": [{"order": 1}, {"order": 3}]}).to_string(),
            "steps",
            "step-gap",
        ),
        (
            json!({"name": "x", "steps": [{"order": 1, "role": "a"}, {"order": 1}]}).to_string(),
            "steps[1].role",
            "role-needed",
        ),
        (
            json!({"name": "x", "steps": [{"order": 1, "role": "a"}, {"order": 1, "role": "a"}]}).to_string(),
            "steps[1].role",
            "duplicate",
        ),
        (
            json!({"name": "x", "steps": [{"order": 1, "name": "Kim", "email": "nobody"}]}).to_string(),
            "steps[0].email",
            "invalid-contact",
        ),
        (
            json!({"name": "x", "steps": [{"order": 1}], "feilds": []}).to_string(),
            "feilds",
            "unknown-member",
        ),
        (
            of(json!([field(json!({"kind": "poem"}))])),
            "fields[0].kind",
            "not-allowed",
        ),
        (of(json!([field(json!({"step": 2}))])), "fields[0].step", "unknown-step"),
        (
            of(json!([field(json!({"page": 9}))])),
            "fields[0].page",
            "page-out-of-range",
        ),
        (of(json!([field(json!({"x": 900_000}))])), "fields[0]", "box-off-page"),
        (
            of(json!([field(json!({"kind": "date"})), field(json!({}))])),
            "fields[1].name",
            "name-of-other-kind",
        ),
        (
            of(json!([field(json!({"thousands": true}))])),
            "fields[0].thousands",
            "member-not-for-kind",
        ),
        (
            of(json!([field(json!({"cells": 3, "lines": "one"}))])),
            "fields[0].cells",
            "cells-or-lines",
        ),
        (
            of(json!([field(json!({"kind": "date", "pattern": "YYYY"}))])),
            "fields[0].pattern",
            "invalid-date-pattern",
        ),
        (
            of(json!([field(json!({"color": "red"}))])),
            "fields[0].color",
            "invalid-color",
        ),
        (
            of(json!([field(json!({"font": "Comic Sans"}))])),
            "fields[0].font",
            "unknown-font",
        ),
        (
            of(json!([field(json!({"kind": "select", "options": ["a", "a"]}))])),
            "fields[0].options[1]",
            "duplicate",
        ),
        (
            of(json!([number("n", json!({"default": "ten"}))])),
            "fields[0].default",
            "invalid-number",
        ),
        (
            of(json!([field(json!({"kind": "calc", "formula": "1 +"}))])),
            "fields[0].formula",
            "formula-unreadable",
        ),
        (
            of(json!([field(json!({"kind": "calc", "formula": "g + 1"}))])),
            "fields[0].formula",
            "formula-name",
        ),
        (
            of(json!([field(json!({"kind": "calc", "formula": "f + 1"}))])),
            "fields[0].formula",
            "formula-circle",
        ),
        (shared(json!([field(json!({}))])), "fields[0].role", "field-role-needed"),
        (
            shared(json!([field(json!({"role": "a"})), field(json!({"role": "b"}))])),
            "fields[1]",
            "boxes-disagree",
        ),
        (
            shared(json!([number("n", later), sum(json!({"formula": "n"}))])),
            "fields[1].formula",
            "formula-later",
        ),
        (
            shared(json!([number("n", role), sum(json!({"formula": "n"}))])),
            "fields[1].formula",
            "formula-beside",
        ),
    ] {
        let [ko, ja, en] = ["ko", "ja", "en"].map(|language| refused(language, &fields));
        assert_eq!(en.0, [(path.to_owned(), code.to_owned())], "{fields}: {:?}", en.1);
        assert!(ko.1[0].contains(|c| ('가'..='힣').contains(&c)), "{code}: {}", ko.1[0]);
        assert!(ja.1[0].contains(|c| ('ぁ'..='ん').contains(&c)), "{code}: {}", ja.1[0]);
        assert!(en.1[0].is_ascii() || en.1[0].contains('“'), "{code}: {}", en.1[0]);
        // Every placeholder of a message is filled.
        for message in [&ko.1[0], &ja.1[0], &en.1[0]] {
            assert!(!message.contains(['{', '}']), "{code}: {message}");
        }
    }
}

fn a_password_opens_the_pdf_and_is_not_kept(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let folder = tempfile::tempdir().expect("a folder");
    let (plain_file, locked) = (folder.path().join("plain.pdf"), folder.path().join("locked.pdf"));
    std::fs::write(&plain_file, pdf()).expect("written");
    let status = std::process::Command::new("qpdf")
        .args(["--encrypt", "secret", "owner", "256", "--"])
        .args([&plain_file, &locked])
        .status()
        .expect("qpdf is there (script/bootstrap --tests)");
    assert!(status.success());
    let locked = std::fs::read(locked).expect("the file");
    let fields = plain(1, "end").to_string();
    let with_password = |password: Option<&str>| {
        let mut members = vec![
            ("file", Some("a.pdf"), locked.as_slice()),
            ("fields", None, fields.as_bytes()),
        ];
        if let Some(password) = password {
            members.push(("password", None, password.as_bytes()));
        }
        send(&server, "POST", "/api/v3/templates", &token, &members)
    };
    for (password, reason) in [(None, "needs_password"), (Some("wrong"), "wrong_password")] {
        let problem = with_password(password).problem(422);
        assert_eq!(problem["errors"][0]["reason"], reason);
    }
    let made = with_password(Some("secret")).ok();
    assert_eq!(made["intake"]["changes"][0]["change"], "decrypted");
    let id = made["template_id"].to_string();
    let seen = server.get(&format!("/api/v3/templates/{id}"), &token).ok();
    assert!(!seen.to_string().contains("secret"));
}

/// A PDF form that consists of a text field with a value and a check box.
fn pdf_form() -> Vec<u8> {
    with_catalog(
        "/AcroForm<</Fields[5 0 R 6 0 R]/DR<</Font<</Helv 4 0 R>>>>/DA(/Helv 11 Tf 0 g)>>",
        "/Annots[5 0 R 6 0 R]",
        &[
            "<</Type/Annot/Subtype/Widget/FT/Tx/T(salary)/V(3000)/Rect[72 600 300 620]/Ff 2/F 4/P 3 0 R>>",
            "<</Type/Annot/Subtype/Widget/FT/Btn/T(agree)/Rect[72 500 90 518]/F 4/P 3 0 R/AS/Off\
             /AP<</N<</Yes 7 0 R/Off 7 0 R>>>>>>",
            "<</Type/XObject/Subtype/Form/BBox[0 0 18 18]/Length 0>>stream\n\nendstream",
        ],
    )
}

/// Uploads a PDF form and turns its form fields into template fields. `fields` adds the rest.
fn import_form(server: &Server, token: &str, pdf: &[u8], fields: Option<&Value>) -> Answer {
    let fields = fields.map(Value::to_string);
    let mut members = vec![
        ("file", Some("급여.pdf"), pdf),
        ("form_fields", None, b"import".as_slice()),
    ];
    if let Some(fields) = &fields {
        members.push(("fields", None, fields.as_bytes()));
    }
    send(server, "POST", "/api/v3/templates", token, &members)
}

/// The steps and roles of [`pdf_form`], and a field that the form lacks.
fn beside_the_form() -> Value {
    json!({
        "name": "Pay", "steps": [{"order": 1}, {"order": 2, "role": "employee"}],
        "fields": [
            {"name": "agree", "step": 2, "role": "employee", "required": true},
            {"name": "sign", "kind": "signature", "step": 2, "role": "employee", "page": 1,
             "x": 100_000, "y": 800_000, "width": 300_000, "height": 60_000},
        ],
    })
}

fn the_fields_of_a_form_become_those_of_the_template(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let import = |fields| import_form(&server, &token, &pdf_form(), fields);
    let shown = |answer: &Value| {
        let id = answer["template_id"].to_string();
        server.get(&format!("/api/v3/templates/{id}"), &token).ok()
    };
    let alone = import(None).ok();
    assert_eq!(alone["name"], "급여");
    let found: Vec<&Value> = alone["intake"]["fields"].as_array().expect("fields").iter().collect();
    assert_eq!(
        (found.len(), &found[0]["name"], &found[1]["kind"]),
        (2, &json!("salary"), &json!("check"))
    );
    let seen = shown(&alone);
    assert_eq!(seen["steps"], json!([{"order": 1}]));
    assert_eq!(
        (
            &seen["fields"][0]["default"],
            &seen["fields"][0]["required"],
            &seen["fields"][0]["step"]
        ),
        (&json!("3000"), &json!(true), &json!(1))
    );

    // Steps, roles and the missing field come from the request.
    let seen = shown(&import(Some(&beside_the_form())).ok());
    let fields: Vec<(&Value, &Value, &Value)> = seen["fields"]
        .as_array()
        .expect("fields")
        .iter()
        .map(|field| (&field["name"], &field["step"], &field["role"]))
        .collect();
    let employee = json!("employee");
    assert_eq!(
        fields,
        [
            (&json!("salary"), &json!(1), &Value::Null),
            (&json!("agree"), &json!(2), &employee),
            (&json!("sign"), &json!(2), &employee),
        ]
    );
}

fn faults_beside_a_form_name_what_their_sender_wrote(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let import = |fields: &Value| import_form(&server, &token, &pdf_form(), Some(fields));
    let mut wrong = beside_the_form();
    wrong["fields"][0]["name"] = json!("agreed");
    assert_eq!(
        import(&wrong).faults(),
        [("fields[0].name".to_owned(), "unknown-form-field".to_owned())]
    );
    wrong = beside_the_form();
    wrong["fields"][0]["step"] = json!(3);
    wrong["fields"][1]["kind"] = json!("stamp");
    let faults = import(&wrong).faults();
    let places: Vec<&str> = faults.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(places, ["fields[0].step", "fields[1].kind"]);
    let none = import_form(&server, &token, &crate::support::pdf(), None);
    assert_eq!(none.faults(), [("fields".to_owned(), "no-form-fields".to_owned())]);
}

fn a_new_version_keeps_the_pdf_unless_one_is_given(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, id) = server.with_company("acme");
    let running = server.start(&token, &start_body(id)).ok()["workflow_id"].to_string();
    let path = format!("/api/v3/templates/{id}");
    let fields = plain(1, "return").to_string();
    let kept = send(&server, "PUT", &path, &token, &[("fields", None, fields.as_bytes())]).ok();
    assert_eq!((&kept["version"], kept.get("intake")), (&json!(2), None));
    let wide = pdf_of(&[
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 1000 500]/Resources<<>>>>".to_owned(),
    ]);
    let members = [
        ("file", Some("b.pdf"), wide.as_slice()),
        ("fields", None, fields.as_bytes()),
    ];
    let replaced = send(&server, "PUT", &path, &token, &members).ok();
    assert_eq!(
        (&replaced["version"], &replaced["intake"]["verdict"]),
        (&json!(3), &json!("taken"))
    );
    let seen = server.get(&path, &token).ok();
    assert_eq!(
        (&seen["on_reject"], &seen["pages"][0]["width"]),
        (&json!("return"), &json!(1000.0))
    );
    // Running workflows keep their version.
    let workflow = server.get(&format!("/api/v3/workflows/{running}"), &token).ok();
    assert_eq!(workflow["status"], "Playing");
    let members = [
        ("file", Some("b.pdf"), b"no PDF".as_slice()),
        ("fields", None, fields.as_bytes()),
    ];
    send(&server, "PUT", &path, &token, &members).problem(422);
    assert_eq!(server.get(&path, &token).ok()["version"], 3);
    send(&server, "PUT", "/api/v3/templates/999", &token, &members).problem(404);
}

fn a_copy_is_a_template_of_its_own_and_an_archived_one_takes_no_documents(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, id) = server.with_company("acme");
    let act =
        |id: i64, what: &str, body: &Value| server.post(&format!("/api/v3/templates/{id}/{what}"), Some(&token), body);
    let archived = act(id, "archive", &json!({})).ok();
    assert_eq!(archived["template_id"], id);
    assert_eq!(act(id, "archive", &json!({})).ok(), archived, "twice is once");
    assert_eq!(server.start(&token, &start_body(id)).problem(409)["code"], "archived");
    assert_eq!(server.get("/api/v3/templates", &token).ok()["template_list"], json!([]));
    let all = server.get("/api/v3/templates?archived=true", &token).ok();
    assert_eq!(all["template_list"][0]["archived_date"], archived["archived_date"]);

    let copy = act(id, "copy", &json!({"name": " Contract 2027 "})).ok();
    let copied = copy["template_id"].as_i64().expect("a number");
    assert_ne!(copied, id);
    assert_eq!((&copy["name"], &copy["version"]), (&json!("Contract 2027"), &json!(1)));
    let (old, new) = (
        server.get(&format!("/api/v3/templates/{id}"), &token).ok(),
        server.get(&format!("/api/v3/templates/{copied}"), &token).ok(),
    );
    assert_eq!((&old["fields"], &old["name"]), (&new["fields"], &json!("Contract")));
    assert_eq!(new["archived_date"], "");
    server.start(&token, &start_body(copied)).ok();
    let unnamed = server
        .send(server.request("POST", &format!("/api/v3/templates/{id}/copy"), Some(&token)))
        .ok();
    assert_eq!(unnamed["name"], "Contract");
    let long = "x".repeat(129);
    assert_eq!(
        act(id, "copy", &json!({ "name": long })).faults(),
        [("name".to_owned(), "too-long".to_owned())]
    );
    act(999, "copy", &json!({})).problem(404);
}

fn a_long_list_is_read_in_pages(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, first) = server.with_company("acme");
    for _ in 0..4 {
        server
            .post(&format!("/api/v3/templates/{first}/copy"), Some(&token), &json!({}))
            .ok();
    }
    let mut seen = Vec::new();
    let mut path = "/api/v3/templates?limit=2".to_owned();
    loop {
        let page = server.get(&path, &token).ok();
        let lines = page["template_list"].as_array().expect("lines");
        seen.extend(lines.iter().map(|line| line["template_id"].as_i64().expect("a number")));
        let Some(cursor) = page["next_cursor"].as_str() else {
            break;
        };
        path = format!("/api/v3/templates?limit=2&cursor={cursor}");
    }
    let mut ordered = seen.clone();
    ordered.sort_unstable_by(|a, b| b.cmp(a));
    ordered.dedup();
    assert_eq!((seen.len(), &seen), (5, &ordered));
    let wrong = server.get("/api/v3/templates?limit=0&cursor=x&archived=maybe", &token);
    let places: Vec<String> = wrong.faults().into_iter().map(|(path, _)| path).collect();
    assert_eq!(places, ["limit", "cursor", "archived"]);
}

fn what_is_wrong_with_a_form_is_named(database: &TestDatabase) {
    let server = Server::with(database, |settings, _| settings.largest_document = 64 * 1024);
    server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let post = |members: &[(&str, Option<&str>, &[u8])]| send(&server, "POST", "/api/v3/templates", &token, members);
    let places = |answer: &Answer| answer.faults();
    let required = |path: &str| (path.to_owned(), "required".to_owned());
    assert_eq!(places(&post(&[])), [required("file"), required("fields")]);
    assert_eq!(
        places(&post(&[("form_fields", None, b"all"), ("name", None, b"\xff")])),
        [
            ("form_fields".to_owned(), "not-allowed".to_owned()),
            ("name".to_owned(), "wrong-type".to_owned()),
            required("file"),
            required("fields"),
        ]
    );
    // Errors in both files are reported together.
    let wrong = plain(0, "end").to_string();
    let both = post(&[("file", Some("a.pdf"), b"no PDF"), ("fields", None, wrong.as_bytes())]);
    let paths: Vec<String> = both.faults().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["file", "steps"]);
    let large = vec![b' '; 65 * 1024];
    let fields = plain(1, "end").to_string();
    post(&[("file", Some("a.pdf"), &large), ("fields", None, fields.as_bytes())]).problem(413);
    let json = server.post("/api/v3/templates", Some(&token), &json!({"file": "x"}));
    let problem = json.problem(415);
    assert_eq!(problem["code"], "unsupported");
    let detail = problem["detail"].as_str().expect("a detail");
    assert!(detail.contains("multipart/form-data"), "{detail}");
}
