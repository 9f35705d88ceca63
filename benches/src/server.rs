//! Measures the running server under load over HTTP: starts, last approvals, whole lifecycles with their webhooks,
//! start-up and memory.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::installation::{Installation, Server};
use tokio::sync::Notify;

use crate::machine::{idle_share, memory_of_tree, percentile};
use crate::raw_commit::RawCommit;

const COMPANY: &str = "bench";
const MEMBER: &str = "owner@example.com";
const PASSWORD: &str = "correct horse battery staple";
const LOAD: Duration = Duration::from_secs(8);

/// An endpoint that counts webhooks about completed workflows.
struct Receiver {
    address: String,
    completions: Arc<AtomicU64>,
    arrived: Arc<Notify>,
}

async fn receiver() -> Receiver {
    let completions = Arc::new(AtomicU64::new(0));
    let arrived = Arc::new(Notify::new());
    let (count, notify) = (completions.clone(), arrived.clone());
    let handler = move |body: String| async move {
        let payload: Value = serde_json::from_str(&body).unwrap_or_default();
        if payload["status"] == "Complete" {
            count.fetch_add(1, Ordering::SeqCst);
            notify.notify_waiters();
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}/hook", listener.local_addr().expect("an address"));
    let router = axum::Router::new().route("/hook", axum::routing::post(handler));
    tokio::spawn(async move { axum::serve(listener, router).await });
    Receiver {
        address,
        completions,
        arrived,
    }
}

#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    authorization: String,
    template: i64,
    callback: String,
}

impl Client {
    async fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self
            .http
            .post(format!("{}{path}", self.base))
            .header("authorization", &self.authorization)
            .json(body)
            .send()
            .await
            .expect("an answer");
        let status = answer.status();
        let text = answer.text().await.expect("a body");
        assert!(status.is_success(), "POST {path}: {status} {text}");
        serde_json::from_str(&text).expect("JSON")
    }

    pub async fn get(&self, path: &str) -> Value {
        let asked = self.http.get(format!("{}{path}", self.base));
        let answer = asked
            .header("authorization", &self.authorization)
            .send()
            .await
            .expect("an answer");
        assert!(answer.status().is_success(), "GET {path}: {}", answer.status());
        answer.json().await.expect("JSON")
    }

    pub async fn start(&self) -> i64 {
        let body = json!({
            "workflow_name": "근로계약서",
            "template_id": self.template,
            "recipient_list": [
                {"order": 1, "name": "김사장", "email": "employer@example.com"},
                {"order": 2, "name": "이직원", "email": "employee@example.com"},
            ],
            "export_api_info": {"url": self.callback, "api_type": "ALL", "is_embed": true},
        });
        self.post("/api/v3/workflows/start", &body).await["workflow_id"]
            .as_i64()
            .expect("a workflow's id")
    }

    pub async fn approve(&self, workflow: i64, order: u32) {
        let fields = testkit::contract::values_of_step(order);
        self.post(
            &format!("/api/v3/workflows/{workflow}/approve"),
            &json!({"order": order, "field_list": fields}),
        )
        .await;
    }

    async fn document_is_there(&self, workflow: i64) {
        let answer = self
            .http
            .get(format!("{}/api/v3/workflows/{workflow}/document", self.base))
            .header("authorization", &self.authorization)
            .send()
            .await
            .expect("an answer");
        assert!(answer.status().is_success(), "no document: {}", answer.status());
        answer.bytes().await.expect("the document");
    }
}

pub async fn log_in(server: &Server, template: i64, callback: &str) -> Client {
    let http = reqwest::Client::new();
    let body = json!({"header": {"request_code": "1001Q"}, "body": {"memb_email": MEMBER, "memb_pwd": PASSWORD}});
    let url = format!("{}/api/{COMPANY}/login", server.address);
    let answer: Value = http
        .post(url)
        .json(&body)
        .send()
        .await
        .expect("an answer")
        .json()
        .await
        .expect("JSON");
    let token = answer["body"]["access_token"]
        .as_str()
        .unwrap_or_else(|| panic!("no token: {answer}"));
    Client {
        http,
        base: server.address.clone(),
        authorization: format!("service {token}"),
        template,
        callback: callback.to_owned(),
    }
}

/// Calls `work` in `callers` loops for the duration of a load. Returns the number of calls per second.
pub async fn rate<F, Work>(callers: usize, client: &Client, work: F) -> f64
where
    F: Fn(Client) -> Work + Clone + Send + Sync + 'static,
    Work: Future<Output = ()> + Send,
{
    let begin = Instant::now();
    let mut loops = Vec::new();
    for _ in 0..callers {
        let (client, work) = (client.clone(), work.clone());
        loops.push(tokio::spawn(async move {
            let mut done = 0_u64;
            while begin.elapsed() < LOAD {
                work(client.clone()).await;
                done += 1;
            }
            done
        }));
    }
    let mut done = 0;
    for one in loops {
        done += one.await.expect("a caller's loop");
    }
    done as f64 / begin.elapsed().as_secs_f64()
}

/// Creates a company with a member and a template. Returns the template's ID.
pub fn set_up(installation: &Installation) -> i64 {
    installation.run(&["company", "add", COMPANY, "--name", "Bench"], "");
    installation.run(
        &[
            "member",
            "add",
            "--company",
            COMPANY,
            "--email",
            MEMBER,
            "--role",
            "owner",
        ],
        PASSWORD,
    );
    testkit::contract::import(installation, COMPANY)
}

/// Measures everything and prints the rows. The function is long because all rows come from one run of one server.
pub async fn measure(binary: &Path, data: &Path, raw: &RawCommit) {
    let installation = Installation::new(binary, data);
    let template = set_up(&installation);

    let mut startups = Vec::new();
    for _ in 0..10 {
        let begin = Instant::now();
        let server = installation.serve();
        let answer = reqwest::get(format!("{}/healthz", server.address))
            .await
            .expect("an answer");
        assert!(answer.status().is_success(), "not healthy: {}", answer.status());
        startups.push(begin.elapsed().as_secs_f64() * 1e3);
        server.kill();
    }
    println!(
        "| start of the process to its first answer | {:.0} ms median of 10 | at most 200 ms | |",
        percentile(&mut startups, 0.5)
    );

    let server = installation.serve();
    tokio::time::sleep(Duration::from_secs(5)).await;
    println!(
        "| idle memory, server and its children | {:.0} MiB | at most 80 MiB | |",
        memory_of_tree(server.process_id())
    );

    let receiver = receiver().await;
    let client = log_in(&server, template, &receiver.address).await;
    for _ in 0..50 {
        client.start().await;
    }

    println!("| idle share before the load | {:.0} % | | |", idle_share() * 100.0);
    let mut starts = Vec::new();
    for _ in 0..500 {
        let begin = Instant::now();
        client.start().await;
        starts.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    let median = percentile(&mut starts, 0.5);
    println!(
        "| start, one caller | {median:.2} ms median, {:.2} ms p99 | raw commit | {:.1} times (at most 10) |",
        percentile(&mut starts, 0.99),
        median / raw.median_ms
    );
    let many = rate(32, &client, |client| async move {
        client.start().await;
    })
    .await;
    println!(
        "| start, 32 callers | {many:.0}/s | raw commits | {:.2} of them (at least 0.5) |",
        many / raw.rate
    );

    let mut finals = Vec::new();
    for _ in 0..100 {
        let workflow = client.start().await;
        client.approve(workflow, 1).await;
        let begin = Instant::now();
        client.approve(workflow, 2).await;
        client.document_is_there(workflow).await;
        finals.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    println!(
        "| last approval to the sealed document in hand, one caller | {:.1} ms median, {:.1} ms p99 | under 20 ms | |",
        percentile(&mut finals, 0.5),
        percentile(&mut finals, 0.99)
    );

    let before = receiver.completions.load(Ordering::SeqCst);
    let begin = Instant::now();
    let approved = rate(8, &client, |client| async move {
        let workflow = client.start().await;
        client.approve(workflow, 1).await;
        client.approve(workflow, 2).await;
    })
    .await;
    let expected = (approved * begin.elapsed().as_secs_f64()).round() as u64;
    let deadline = Instant::now() + Duration::from_mins(1);
    while receiver.completions.load(Ordering::SeqCst) < before + expected && Instant::now() < deadline {
        let _ = tokio::time::timeout(Duration::from_millis(100), receiver.arrived.notified()).await;
    }
    let arrived = receiver.completions.load(Ordering::SeqCst) - before;
    println!(
        "| whole lifecycles, 8 callers, until every webhook is received | {:.0}/s ({arrived} of {expected}) | at least 40/s | |",
        arrived as f64 / begin.elapsed().as_secs_f64()
    );
    println!(
        "| memory after the load | {:.0} MiB | | |",
        memory_of_tree(server.process_id())
    );
}
