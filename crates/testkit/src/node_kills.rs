//! One of two nodes is killed while it delivers, over and over: what it held, and how long the other took to deliver it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::contract;
use crate::database::TestDatabase;
use crate::installation::{Installation, Server};
use crate::receiver::{Answer, Receiver};

const MEMBER: &str = "owner@example.com";
const PASSWORD: &str = "correct horse battery staple";
/// Only what hangs takes this long.
const PATIENCE: Duration = Duration::from_mins(2);

/// Kills a node so many times, and says of each delivery that one held how long after the kill the other made it. The leases
/// of a killed node are made an hour longer, so whatever is delivered was taken over.
pub fn deliveries_after_kills(binary: &Path, kills: u32) -> Vec<Duration> {
    let database = TestDatabase::postgres();
    let folder = tempfile::tempdir().expect("a folder");
    let url = database.url().expect("PostgreSQL");
    let installation = Installation::new(binary, folder.path()).with("COUNTERSIGN_DATABASE__URL", url);
    installation.run(&["company", "add", "acme", "--name", "Acme"], "");
    let owner = [
        "member",
        "add",
        "--company",
        "acme",
        "--email",
        MEMBER,
        "--role",
        "owner",
    ];
    installation.run(&owner, PASSWORD);
    let template = contract::import(&installation, "acme");
    let web = installation.serve_as("web");
    let mut leases = Leases(postgres::Client::connect(url, postgres::NoTls).expect("the database"));

    let (tell, told) = channel();
    let receiver = Receiver::listen("127.0.0.1:0", move |request| {
        let _ = tell.send((request.header("webhook-id").to_owned(), Instant::now()));
    });
    let mut documents = 0;
    let mut node = installation.serve_as("worker");
    let mut took: Vec<Duration> = Vec::new();
    for _ in 0..kills {
        receiver.answer_always(Answer::Silence);
        let other = installation.serve_as("worker");
        // Until both hold something: a node that has only just started would look by itself which processes of its own
        // machine are dead, and nodes are on machines of their own.
        let held = loop {
            documents += 1;
            let name = format!("document {documents}");
            approve(&web.address, template, &receiver.url("/hook"), &name);
            let asked = told.recv_timeout(PATIENCE).expect("a node asks the receiver");
            assert!(documents < 1_000, "one node does everything: {asked:?}");
            let (of_node, of_other) = (leases.of(&node), leases.of(&other));
            if !of_node.is_empty() && !of_other.is_empty() {
                break of_node;
            }
        };
        receiver.answer_always(Answer::status(200));
        let number = node.process_id();
        node.kill();
        let killed = Instant::now();
        leases.prolong(number);
        let mut missing = held;
        while !missing.is_empty() {
            let (delivered, at) = told.recv_timeout(PATIENCE).expect("the other node asks it again");
            if missing.remove(&delivered) {
                took.push(at.duration_since(killed));
            }
        }
        node = other;
    }
    took.sort();
    took
}

/// Who holds what at the moment.
struct Leases(postgres::Client);

impl Leases {
    /// The events that a node is delivering, by their ids.
    fn of(&mut self, node: &Server) -> BTreeSet<String> {
        let query = "SELECT event_id FROM outbox WHERE lease_owner LIKE $1";
        let rows = self.0.query(query, &[&owner(node.process_id())]).expect("an answer");
        rows.iter().map(|row| row.get(0)).collect()
    }

    /// Makes the leases of a process an hour longer.
    fn prolong(&mut self, process: u32) {
        let change = "UPDATE outbox SET due_at = due_at + 3600000000 WHERE lease_owner LIKE $1";
        self.0.execute(change, &[&owner(process)]).expect("an answer");
    }
}

/// What the names of a process's leases look like.
fn owner(process: u32) -> String {
    format!("%/{process}/%")
}

/// Starts a document and approves its first step, which is told to the receiver.
fn approve(address: &str, template: i64, callback: &str, name: &str) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let http = reqwest::Client::new();
        let post = async |path: &str, token: &str, body: Value| -> Value {
            let request = http.post(format!("{address}{path}")).header("authorization", token);
            let answer = request.json(&body).send().await.expect("an answer");
            assert!(answer.status().is_success(), "{path}: {}", answer.status());
            answer.json().await.expect("JSON")
        };
        let login = json!({"header": {"request_code": "1001Q"}, "body": {"memb_email": MEMBER, "memb_pwd": PASSWORD}});
        let login = post("/api/acme/login", "", login).await;
        let token = format!("service {}", login["body"]["access_token"].as_str().expect("a token"));
        let start = json!({
            "workflow_name": name,
            "template_id": template,
            "recipient_list": [
                {"order": 1, "name": "김사장", "email": "employer@example.com"},
                {"order": 2, "name": "이직원", "email": "employee@example.com"},
            ],
            "export_api_info": {"url": callback, "api_type": "ALL", "is_embed": true},
        });
        let started = post("/api/v3/workflows/start", &token, start).await;
        let path = format!("/api/v3/workflows/{}/approve", started["workflow_id"]);
        let approval = json!({"order": 1, "field_list": contract::values_of_step(1)});
        post(&path, &token, approval).await;
    });
}
