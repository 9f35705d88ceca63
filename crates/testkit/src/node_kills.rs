//! Repeatedly kills one of two nodes while it delivers, and measures how long the other takes to deliver what the first
//! had claimed.

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
/// Only a hang takes this long.
const PATIENCE: Duration = Duration::from_mins(2);

/// Kills a node `kills` times. Returns how long after the kill the other node made each of the killed node's
/// deliveries. The leases of a killed node are extended by an hour, so every such delivery was taken over.
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
        // Wait until both hold a delivery. A newly started node would check which processes on its own machine are
        // dead, but these nodes represent different machines.
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

/// Reads the current holders of leases.
struct Leases(postgres::Client);

impl Leases {
    /// Returns the IDs of the events that a node is delivering.
    fn of(&mut self, node: &Server) -> BTreeSet<String> {
        let query = "SELECT event_id FROM outbox WHERE lease_owner LIKE $1";
        let rows = self.0.query(query, &[&owner(node.process_id())]).expect("an answer");
        rows.iter().map(|row| row.get(0)).collect()
    }

    /// Extends the leases of a process by an hour.
    fn prolong(&mut self, process: u32) {
        let change = "UPDATE outbox SET due_at = due_at + 3600000000 WHERE lease_owner LIKE $1";
        self.0.execute(change, &[&owner(process)]).expect("an answer");
    }
}

/// Returns a pattern for the names of a process's leases.
fn owner(process: u32) -> String {
    format!("%/{process}/%")
}

/// Starts a document and approves its first step, which sends a webhook to the receiver.
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
