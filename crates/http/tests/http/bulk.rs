//! Tests bulk sends: dry runs, started rows, and that nothing is started twice.

use serde_json::{Value, json};
use testkit::workbook::{Cell, workbook};

use crate::support::{Answer, Server};

mod dry_run;
mod requests;
mod rows;

const PATH: &str = "/api/v3/workflows/bulk";

/// Sends a form with a sheet and the start that applies to all rows.
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

/// A workbook for the usual template. Rows 2, 3 and 8 are valid, the others are not.
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

/// Returns the names of all documents, including duplicates.
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

/// Runs the job until no work is left.
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
