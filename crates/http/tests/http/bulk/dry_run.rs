//! Tests dry runs, and errors in rows and requests.

use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::workbook::{Cell, workbook};

use super::{PATH, common, expected, form, names, sheet, work, wrong_rows};
use crate::support::{Server, pdf};

testkit::on_both_databases!(
    a_dry_run_names_every_wrong_row_and_starts_nothing,
    a_dry_run_is_understood_or_nothing_is_started,
    a_row_that_cannot_be_read_tells_all_that_is_wrong_with_it,
    a_dry_run_names_what_nobody_read,
    a_column_is_meant_by_any_spelling_of_its_name,
    what_is_wrong_for_all_rows_is_said_once,
    a_cell_without_a_value_is_not_as_if_nothing_were_said,
);

fn a_dry_run_names_every_wrong_row_and_starts_nothing(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let start = common(template);
    let sheet = sheet();
    let dry = form(
        &server,
        &token,
        "",
        &[("file", &sheet), ("start", &start), ("dry_run", b"true")],
    )
    .ok();
    assert_eq!(
        (&dry["total"], &dry["valid"], &dry["wrong"]),
        (&json!(7), &json!(3), &json!(4))
    );
    assert_eq!(wrong_rows(&dry["row_list"]), expected());
    let in_korean = form(
        &server,
        &token,
        "?dry_run=1&lang=ko",
        &[("file", &sheet), ("start", &start)],
    )
    .ok();
    let message = |answer: &Value| answer["row_list"][0]["errors"][0]["message"].clone();
    assert_ne!(message(&dry), message(&in_korean), "in the caller's language");
    assert_eq!(work(&server), 0);
    assert!(names(&server, &token).is_empty());
}

fn a_dry_run_is_understood_or_nothing_is_started(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let (sheet, start) = (sheet(), common(template));
    let mut list: Value = serde_json::from_slice(&start).expect("JSON");
    list["dry_run"] = json!(true);
    let meant = list.to_string();
    // In the same position as in a JSON body.
    let dry = form(&server, &token, "", &[("file", &sheet), ("start", meant.as_bytes())]).ok();
    assert_eq!(dry["wrong"], 4);
    for query in ["?dry_run=t", "?dry_run=maybe"] {
        let answer = form(&server, &token, query, &[("file", &sheet), ("start", &start)]);
        assert_eq!(
            answer.faults(),
            [("dry_run".to_owned(), "wrong-type".to_owned())],
            "{query}"
        );
    }
    let parts = [("file", sheet.as_slice()), ("start", &start), ("dry_run", b"t")];
    let answer = form(&server, &token, "", &parts);
    assert_eq!(answer.faults(), [("dry_run".to_owned(), "wrong-type".to_owned())]);
    assert_eq!(work(&server), 0);
    for no in ["?dry_run=false", "?dry_run=0", "?dry_run="] {
        let made = form(&server, &token, no, &[("file", &sheet), ("start", &start)]).ok();
        assert!(made["bulk_id"].is_i64(), "{no}: {made}");
    }
}

fn a_row_that_cannot_be_read_tells_all_that_is_wrong_with_it(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let start = common(template);
    let csv = "workflow_name,1.name,1.email,1.one_time_code,salary,grade\nA,Ann,ann@,perhaps,much,Z\n";
    let parts = [("file", csv.as_bytes()), ("start", start.as_slice())];
    let dry = form(&server, &token, "?dry_run=1", &parts).ok();
    let wrong = wrong_rows(&dry["row_list"]);
    assert_eq!(wrong[0].1.len(), 5, "{wrong:?}");
    let id = form(&server, &token, "", &parts).ok()["bulk_id"].clone();
    work(&server);
    let made = server.get(&format!("{PATH}/{id}?status=failed"), &token).ok();
    assert_eq!(wrong_rows(&made["row_list"]), wrong);
}

fn a_dry_run_names_what_nobody_read(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut start: Value = serde_json::from_slice(&common(template)).expect("JSON");
    start["is_embed"] = json!(true);
    let mut list = start.clone();
    list["is_preview"] = json!(true);
    list["workflow_list"] = json!([
        {"workflow_name": "A", "recipient_list": [{"order": 1, "name": "Ann", "email": "ann@example.com", "nmae": ""}]},
        {"workflow_name": "B", "coment": "x"},
    ]);
    let ask = |query: &str| server.post(&format!("{PATH}{query}"), Some(&token), &list).ok();
    assert_eq!(
        ask("?dry_run=1")["ignored_members"],
        json!([
            "workflow_list[0].recipient_list[0].nmae",
            "workflow_list[1].coment",
            "is_embed",
            "is_preview"
        ])
    );
    assert_eq!(ask("").get("ignored_members"), None, "only a dry run tells");
    let start = start.to_string();
    let sheet = sheet();
    let parts = [("file", sheet.as_slice()), ("start", start.as_bytes())];
    let dry = form(&server, &token, "?dry_run=1", &parts).ok();
    assert_eq!(dry["ignored_members"], json!(["is_embed"]));
}

fn a_column_is_meant_by_any_spelling_of_its_name(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let dry = |header: &str| {
        let csv = format!("{header}\nA,Ann,ann@example.com,Bob,bob@example.com,Acme\n");
        let start = common(template);
        form(
            &server,
            &token,
            "?dry_run=1",
            &[("file", csv.as_bytes()), ("start", &start)],
        )
    };
    for header in [
        "Workflow_Name,1.NAME,１．email,2.name,2.Email,Employer",
        "ＷＯＲＫＦＬＯＷ＿ＮＡＭＥ,1.name,1.email,2.name,2.email,Field：ＥＭＰＬＯＹＥＲ",
    ] {
        let checked = dry(header).ok();
        assert_eq!(
            (&checked["valid"], &checked["wrong"]),
            (&json!(1), &json!(0)),
            "{checked}"
        );
    }
    assert_eq!(
        dry("workflow_name,1.name,1.email,2.name,2.email,2.Name").faults(),
        [("2.Name".to_owned(), "duplicate".to_owned())]
    );
}

/// A document must not be sent without its access code because a formula found no value.
fn a_cell_without_a_value_is_not_as_if_nothing_were_said(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let row = |password, salary| {
        let texts = ["계약", "Ann", "ann@example.com", "Bob", "bob@example.com"].map(Cell::Text);
        texts.into_iter().chain([password, salary]).collect::<Vec<_>>()
    };
    let header = [
        "workflow_name",
        "1.name",
        "1.email",
        "2.name",
        "2.email",
        "1.password",
        "salary",
    ];
    let sheet = workbook(&[
        header.map(Cell::Text).to_vec(),
        row(Cell::Error("#N/A"), Cell::Number("1000")),
        row(Cell::Formula("VLOOKUP(B3,X:Y,2)"), Cell::Error("#REF!")),
        row(Cell::Text("12345"), Cell::Nothing),
    ]);
    let accepted = form(&server, &token, "", &[("file", &sheet), ("start", &common(template))]).ok();
    assert_eq!(work(&server), 1);
    let failed = server
        .get(&format!("{PATH}/{}?status=failed", accepted["bulk_id"]), &token)
        .ok();
    let fault = |path: &str| (path.to_owned(), "sheet-cell".to_owned());
    assert_eq!(
        wrong_rows(&failed["row_list"]),
        [
            (2, vec![fault("1.password")]),
            (3, vec![fault("1.password"), fault("salary")]),
        ]
    );
    assert_eq!(names(&server, &token), ["계약"]);
}

fn what_is_wrong_for_all_rows_is_said_once(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let wrong = json!({
        "template_id": template, "language": "fr", "expiry_date": "2025-01-01 00:00:00", "comment": "\u{10ffff}",
        "recipient_list": [{"order": 1, "name": "Ann", "email": "ann@"}, {"order": 3, "name": "Eve", "email": "eve@example.com"}],
        "field_list": [{"name": "emploier", "value": "x"}, {"name": "grade", "value": "Z"}],
        "cc_list": [{"name": "Copy"}],
        "export_api_info": {"api_type": "SOME", "is_embed": false},
    });
    let expected = [
        ("cc_list[0].email", "required"),
        ("comment", "missing-glyph"),
        ("expiry_date", "past-date-time"),
        ("export_api_info.api_type", "not-allowed"),
        ("export_api_info.url", "required"),
        ("field_list[0].name", "unknown-field"),
        ("field_list[1].value", "invalid-option"),
        ("language", "invalid-language"),
        ("recipient_list[0].email", "invalid-contact"),
        ("recipient_list[1].order", "unknown-step"),
    ]
    .map(|(path, code)| (path.to_owned(), code.to_owned()));
    let mut list = wrong.clone();
    list["workflow_list"] = json!([{"workflow_name": "one"}, {"workflow_name": "two"}]);
    let start = wrong.to_string();
    for query in ["", "?dry_run=1"] {
        let path = format!("{PATH}{query}");
        assert_eq!(server.post(&path, Some(&token), &list).faults(), expected, "{query}");
        let parts: [(&str, &[u8]); 2] = [("file", b"workflow_name\none\n"), ("start", start.as_bytes())];
        assert_eq!(form(&server, &token, query, &parts).faults(), expected, "{query}");
    }
    let wrong_offset = server.post(
        &format!("{PATH}?offset=soon"),
        Some(&token),
        &json!({
            "template_id": template, "workflow_list": [{}],
        }),
    );
    assert_eq!(
        wrong_offset.faults(),
        [("offset".to_owned(), "invalid-offset".to_owned())]
    );
    // Members left to the rows are not reported as missing.
    let shared = json!({
        "template_id": template, "expiry_date": "2026-01-31",
        "recipient_list": [{"order": 1, "password": "4711"}, {"order": 2, "name": "Bob"}],
        "workflow_list": [
            {"workflow_name": "one", "recipient_list": [
                {"order": 1, "name": "Ann", "email": "ann@example.com"}, {"order": 2, "name": "Bob", "email": "bob@example.com"},
            ]},
            {"recipient_list": [{"order": 1, "name": "Ann", "email": "ann@example.com"}]},
        ],
    });
    let dry = server.post(&format!("{PATH}?dry_run=1"), Some(&token), &shared).ok();
    assert_eq!(
        wrong_rows(&dry["row_list"]),
        [(
            2,
            vec![
                ("recipient_list[1].email".to_owned(), "required".to_owned()),
                ("workflow_name".to_owned(), "required".to_owned()),
            ]
        )]
    );
}

#[test]
fn a_file_that_is_no_sheet_is_named_and_refused() {
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, template) = server.with_company("acme");
    let start = common(template);
    let open_document = [
        b"PK\x03\x04".as_slice(),
        &[0; 26],
        b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
    ]
    .concat();
    for (file, kind) in [
        (pdf().as_slice(), "This is a PDF file."),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "This is a PDF file."),
        (b"\x89PNG\r\n\x1a\n", "This is a picture."),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "(XLS)"),
        (&open_document, "OpenDocument"),
        (b"\x7fELF\x02\x00\xff", "not a readable CSV file or XLSX workbook"),
    ] {
        let problem = form(&server, &token, "", &[("file", file), ("start", &start)]).problem(422);
        let [error] = problem["errors"].as_array().expect("errors").as_slice() else {
            panic!("{problem}");
        };
        assert_eq!(
            (&error["path"], &error["code"]),
            (&json!("file"), &json!("sheet-unreadable"))
        );
        let words = error["message"].as_str().expect("words");
        assert!(
            words.contains(kind) && words.contains("XLSX") && words.contains("CSV"),
            "{words}"
        );
    }
}

#[test]
fn what_is_wrong_with_the_request_as_a_whole_is_refused() {
    let server = Server::with(&TestDatabase::sqlite(), |settings, _| {
        settings.bulk.rows = 2;
        settings.bulk.bytes = 10_000;
    });
    let (_, token, template) = server.with_company("acme");
    let start = common(template);
    let faults = |parts: &[(&str, &[u8])]| form(&server, &token, "", parts).faults();
    let one = |path: &str, code: &str| vec![(path.to_owned(), code.to_owned())];
    assert_eq!(faults(&[("start", &start)]), one("file", "required"));
    assert_eq!(faults(&[("file", b"a\nb\n")]), one("start", "required"));
    assert_eq!(
        faults(&[("file", b"a\nb\n"), ("start", b"{")]),
        one("start", "not-json-text")
    );
    assert_eq!(
        faults(&[("file", b"a\nb\n"), ("start", b"[1]")]),
        one("start", "wrong-type")
    );
    assert_eq!(
        faults(&[("file", b"a\nb\n"), ("start", b"{}")]),
        one("template_id", "required")
    );
    assert_eq!(
        faults(&[("file", b"a\nb\n"), ("start", &common(template + 1))]),
        one("template_id", "unknown-template")
    );
    let sheet = |file: &[u8]| faults(&[("file", file), ("start", &start)]);
    assert_eq!(sheet(b"workflow_name\n"), one("file", "sheet-empty"));
    assert_eq!(sheet(b"\n"), one("file", "sheet-empty"));
    // Text in an unknown encoding: here half a UTF-16 character, and bytes that never occur in text.
    assert_eq!(sheet(b"\xff\xfea\x00\n"), one("file", "sheet-not-utf8"));
    assert_eq!(sheet(b"\xff\xff\n"), one("file", "sheet-not-utf8"));
    assert_eq!(sheet(b"PK\x03\x04"), one("file", "sheet-unreadable"));
    assert_eq!(sheet(b"workflow_name\na\nb\nc\n"), one("file", "too-many"));
    assert_eq!(
        sheet(b"workflow_name,3.name,1.boss.name,1.shoe,nothing,workflow_name\na\n"),
        [
            ("3.name".to_owned(), "unknown-field".to_owned()),
            ("1.boss.name".to_owned(), "unknown-field".to_owned()),
            ("1.shoe".to_owned(), "unknown-field".to_owned()),
            ("nothing".to_owned(), "unknown-field".to_owned()),
            ("workflow_name".to_owned(), "duplicate".to_owned()),
        ]
    );
    let large = vec![b'a'; 100_000];
    form(&server, &token, "", &[("file", &large), ("start", &start)]).problem(413);
    let list = |body: Value| server.post(PATH, Some(&token), &body);
    assert_eq!(
        list(json!({"template_id": template, "workflow_list": [{}, {}, {}]})).faults(),
        one("workflow_list", "too-many")
    );
    assert_eq!(
        list(json!({"template_id": template})).faults(),
        one("workflow_list", "required")
    );
    assert!(names(&server, &token).is_empty());
}
