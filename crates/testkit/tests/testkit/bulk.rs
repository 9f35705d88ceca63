//! A bulk send from a workbook while the server is killed repeatedly. The dry run reports the invalid rows, the others
//! are started, and none is started twice. The test uses few rows here, and in `script/faults` as many as the
//! environment asks for ([`testkit::scale`]).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use failpoint::Place;
use serde_json::{Value, json};
use testkit::contract;
use testkit::database::TestDatabase;
use testkit::installation::{Installation, Server, binary};
use testkit::scale::Scale;
use testkit::workbook::{Cell, workbook};

testkit::on_both_databases!(a_bulk_send_survives_kill_9_without_doubles);

const PASSWORD: &str = "correct horse battery staple";
const WRONG: usize = 20;
const PATIENCE: Duration = Duration::from_mins(20);

struct Client {
    runtime: tokio::runtime::Runtime,
    http: reqwest::Client,
    authorization: String,
}

impl Client {
    fn send(&self, request: reqwest::RequestBuilder) -> Option<(u16, Value)> {
        self.runtime.block_on(async {
            let answer = request.header("authorization", &self.authorization).send().await.ok()?;
            let status = answer.status().as_u16();
            let text = answer.text().await.ok()?;
            Some((status, serde_json::from_str(&text).unwrap_or(Value::String(text))))
        })
    }

    /// Returns `None` if the server is gone.
    fn try_get(&self, server: &Server, path: &str) -> Option<Value> {
        let (status, answer) = self.send(self.http.get(format!("{}{path}", server.address)))?;
        assert_eq!(status, 200, "GET {path}: {answer}");
        Some(answer)
    }

    fn get(&self, server: &Server, path: &str) -> Value {
        self.try_get(server, path).expect("an answer")
    }

    /// Returns `None` if the server is gone.
    fn try_bulk(&self, server: &Server, query: &str, sheet: &[u8], template: i64) -> Option<Value> {
        let mut body = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.xlsx\"\r\n\r\n".to_vec();
        body.extend_from_slice(sheet);
        let start = json!({"template_id": template, "recipient_list": [{"order": 1, "name": "김사장", "email": "employer@example.com"}]});
        body.extend(
            format!("\r\n--x\r\nContent-Disposition: form-data; name=\"start\"\r\n\r\n{start}\r\n--x--\r\n").bytes(),
        );
        let request = self
            .http
            .post(format!("{}/api/v3/workflows/bulk{query}", server.address))
            .header("content-type", "multipart/form-data; boundary=x")
            .header("idempotency-key", "bulk")
            .body(body);
        let (status, answer) = self.send(request)?;
        assert_eq!(status, 200, "{answer}");
        Some(answer)
    }

    /// Returns the final state of the bulk send. `None` if the server goes away first.
    fn end_of_bulk(&self, server: &Server, id: &Value) -> Option<Value> {
        let began = Instant::now();
        loop {
            let progress = self.try_get(server, &format!("/api/v3/workflows/bulk/{id}?limit=1"))?;
            if progress["status"] == "finished" {
                return Some(progress);
            }
            assert!(began.elapsed() < PATIENCE, "{progress}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Starts a server with the company `bulk`, and logs a client in.
fn served(installation: &Installation) -> (Server, Client) {
    installation.run(&["company", "add", "bulk", "--name", "Bulk"], "");
    let owner = ["--company", "bulk", "--email", "owner@example.com", "--role", "owner"];
    installation.run(&[&["member", "add"], owner.as_slice()].concat(), PASSWORD);
    let server = installation.serve();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let http = reqwest::Client::builder()
        .timeout(Duration::from_mins(5))
        .build()
        .expect("a client");
    let login =
        json!({"header": {"request_code": "1001Q"}, "body": {"memb_email": "owner@example.com", "memb_pwd": PASSWORD}});
    let answer: Value = runtime.block_on(async {
        let sent = http
            .post(format!("{}/api/bulk/login", server.address))
            .json(&login)
            .send()
            .await;
        sent.expect("an answer").json().await.expect("JSON")
    });
    let token = answer["body"]["access_token"].as_str().expect("a token");
    let client = Client {
        authorization: format!("service {token}"),
        runtime,
        http,
    };
    (server, client)
}

fn name_of(row: usize) -> String {
    format!("document {row:05}")
}

/// A workbook with this many rows. Some have an invalid e-mail address.
fn sheet(rows: usize, is_wrong: impl Fn(usize) -> bool) -> Vec<u8> {
    let texts: Vec<[String; 3]> = (1..=rows)
        .map(|number| {
            let email = if is_wrong(number) {
                "nobody@".to_owned()
            } else {
                format!("employee{number}@example.com")
            };
            [name_of(number), "이직원".to_owned(), email]
        })
        .collect();
    let mut cells = vec![["workflow_name", "2.name", "2.email"].map(Cell::Text).to_vec()];
    cells.extend(
        texts
            .iter()
            .map(|row| row.iter().map(|text| Cell::Text(text)).collect()),
    );
    workbook(&cells)
}

/// Returns how many documents there are of each name.
fn documents(client: &Client, server: &Server) -> BTreeMap<String, u32> {
    let mut names: BTreeMap<String, u32> = BTreeMap::new();
    let mut cursor = String::new();
    loop {
        let page = client.get(server, &format!("/api/v3/workflows?limit=100{cursor}"));
        for one in page["workflow_list"].as_array().expect("a list") {
            *names
                .entry(one["workflow_name"].as_str().expect("a name").to_owned())
                .or_default() += 1;
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return names,
        }
    }
}

fn a_bulk_send_survives_kill_9_without_doubles(database: &TestDatabase) {
    let rows = Scale::BulkRows.count() as usize;
    let folder = tempfile::tempdir().expect("a folder");
    let mut installation = Installation::new(&binary(), folder.path());
    if let Some(url) = database.url() {
        installation = installation.with("COUNTERSIGN_DATABASE__URL", url);
    }
    let (mut server, client) = served(&installation);
    let template = contract::import(&installation, "bulk");
    let is_wrong = |number: usize| number.is_multiple_of(rows / WRONG);
    let sheet = sheet(rows, is_wrong);

    let dry = client
        .try_bulk(&server, "?dry_run=true", &sheet, template)
        .expect("an answer");
    assert_eq!((&dry["total"], &dry["wrong"]), (&json!(rows), &json!(WRONG)));
    let named: Vec<u64> = dry["row_list"]
        .as_array()
        .expect("rows")
        .iter()
        .filter_map(|row| row["row"].as_u64())
        .collect();
    let wrong: Vec<u64> = (1..=rows)
        .filter(|number| is_wrong(*number))
        .map(|number| number as u64 + 1)
        .collect();
    assert_eq!(named, wrong, "by the row numbers of the sheet");

    // Each of these servers dies at a commit after about another quarter of the rows is processed. The last one
    // survives.
    let commits = format!("{}:{}", Place::AfterCommit.name(), rows / 4);
    let armed = installation.clone().with(failpoint::VARIABLE, &commits);
    let mut kills = 0;
    let mut accepted: Option<Value> = None;
    let done = loop {
        server.kill();
        server = if kills < 3 { armed.serve() } else { installation.serve() };
        // A repeated request after a lost answer creates nothing twice.
        if let Some(answer) = client.try_bulk(&server, "", &sheet, template) {
            let id = accepted.get_or_insert_with(|| answer["bulk_id"].clone());
            assert_eq!(answer["bulk_id"], *id);
            if let Some(done) = client.end_of_bulk(&server, id) {
                break done;
            }
        }
        kills += 1;
    };
    assert!(kills > 0, "no server reached that many commits");
    assert_eq!(
        (&done["started"], &done["failed"], &done["waiting"]),
        (&json!(rows - WRONG), &json!(WRONG), &json!(0))
    );
    let wanted: BTreeMap<String, u32> = (1..=rows)
        .filter(|number| !is_wrong(*number))
        .map(|number| (name_of(number), 1))
        .collect();
    assert_eq!(documents(&client, &server), wanted);
    server.kill();
    installation.run(&["audit", "verify"], "");
    println!("{rows} rows, {WRONG} wrong, {kills} kills");
}
