//! The kill test: `kill -9` under load, repeatedly. Nothing the server answered may be lost.
//!
//! Callers start workflows and approve them over HTTP. At a random moment, or at a [`Place`] that a guarantee depends
//! on, the server gets SIGKILL and starts again on the same data, and the load continues. The ledger here contains what
//! the server has *answered*. A request that was running at the kill is in doubt and is repeated: a start with the same
//! `Idempotency-Key`, or an approval that may now be refused because the first one was kept. At the end everything is
//! completed, and then the following must be true:
//! - Every answered start and approval exists, and no start happened twice.
//! - Every approval reached the receiver at least once, with one `webhook-id` per event and one body per ID.
//! - `audit verify` and `fsck` find nothing wrong.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use failpoint::Place;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::contract;
use crate::installation::{Installation, Server};

const COMPANY: &str = "kill";
const MEMBER: &str = "owner@example.com";
const PASSWORD: &str = "correct horse battery staple";
const STEPS: u32 = 2;
/// Longer than the lease that a killed server holds on a delivery.
const ALL_DELIVERED: Duration = Duration::from_mins(10);

#[derive(Debug, Clone)]
pub struct Plan {
    pub kills: Vec<Kill>,
    pub callers: u32,
}

#[derive(Debug, Clone, Copy)]
pub enum Kill {
    /// After a random number of answered requests, at most this many.
    AfterAnswers(u32),
    /// When the place is reached for the n-th time. n is random, up to this number.
    At(Place, u32),
}

/// Each kill is followed by a check of the latest work. After this many kills, everything is checked.
const LOOK_AT_ALL: usize = 20;
/// A server under load reaches each place much sooner.
const REACHED: Duration = Duration::from_mins(10);

#[derive(Debug, Clone, Copy)]
pub struct Summary {
    pub kills: usize,
    /// Workflows that were started and completed.
    pub workflows: usize,
    pub answered: u64,
    /// Requests that were running at a kill.
    pub in_doubt: u64,
    /// The number of these requests that were kept.
    pub kept: u64,
    /// The number of events that the receiver got.
    pub events: usize,
    /// The number of their deliveries, which is larger if some were sent again.
    pub deliveries: u64,
}

/// Carries out the plan's kills on the installation's server, and checks its guarantees.
///
/// # Panics If a guarantee was broken, with what is missing.
pub fn run(installation: &Installation, plan: Plan) -> Summary {
    installation.run(&["company", "add", COMPANY, "--name", "Kill test"], "");
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
    let template = contract::import(installation, COMPANY);
    tokio::runtime::Runtime::new()
        .expect("a runtime")
        .block_on(rounds(installation, plan, template))
}

async fn rounds(installation: &Installation, plan: Plan, template: i64) -> Summary {
    let receiver = Receiver::start().await;
    let ledger = Arc::new(Ledger::default());
    let mut server = installation.serve();
    // One sign-in for all rounds, because an answered token must survive the kill too.
    let authorization = log_in(&server).await;
    let kills = plan.kills.len();
    for (round, kill) in plan.kills.into_iter().enumerate() {
        if let Kill::At(place, most) = kill {
            server.kill();
            let times = 1 + random_below(most);
            let armed = installation
                .clone()
                .with(failpoint::VARIABLE, &format!("{}:{times}", place.name()));
            let Some(armed) = armed.try_serve() else {
                // The server reached the failpoint before it listened.
                server = installation.serve();
                continue;
            };
            server = armed;
        }
        let client = Client::new(&server, &authorization, template, &receiver.address);
        let may_end = Arc::new(AtomicBool::new(matches!(kill, Kill::At(..))));
        let callers: Vec<_> = (0..plan.callers)
            .map(|_| tokio::spawn(load(client.clone(), Arc::clone(&ledger), Arc::clone(&may_end))))
            .collect();
        match kill {
            Kill::AfterAnswers(most) => {
                ledger.wait_for_answers(random_below(most)).await;
                // A random pause, so that the kill does not always follow an answer directly.
                tokio::time::sleep(Duration::from_millis(random_below(50).into())).await;
                may_end.store(true, Ordering::SeqCst);
                server.kill();
            }
            Kill::At(place, _) => {
                let ended = tokio::task::spawn_blocking(move || server.ends_within(REACHED)).await;
                assert!(ended.expect("no panic"), "the server never came to {place:?}");
            }
        }
        for caller in callers {
            caller.await.expect("a caller");
        }
        if round % 3 == 1 && matches!(kill, Kill::AfterAnswers(_)) {
            kill_while_starting(installation).await;
        }
        let look_at_all = kills <= LOOK_AT_ALL || round % LOOK_AT_ALL == 0;
        if look_at_all {
            installation.run(&["audit", "verify"], "");
        }
        server = installation.serve();
        let client = Client::new(&server, &authorization, template, &receiver.address);
        client.check_known(&ledger, look_at_all).await;
    }
    let client = Client::new(&server, &authorization, template, &receiver.address);
    client.finish(&ledger).await;
    client.check_known(&ledger, true).await;
    client.check_list(&ledger).await;
    let expected: Vec<i64> = ledger.finished().iter().filter_map(|document| document.id).collect();
    receiver.wait_for(&expected).await;
    let (events, deliveries) = receiver.check();
    server.kill();
    installation.run(&["audit", "verify"], "");
    installation.run(&["fsck"], "");
    Summary {
        kills,
        workflows: expected.len(),
        answered: ledger.answered.load(Ordering::SeqCst),
        in_doubt: ledger.in_doubt.load(Ordering::SeqCst),
        kept: ledger.kept.load(Ordering::SeqCst),
        events,
        deliveries,
    }
}

/// Kills the server while it starts. An interrupted start must not harm the next one.
async fn kill_while_starting(installation: &Installation) {
    let mut process = installation
        .command(&["serve", "--listen", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("the server starts");
    tokio::time::sleep(Duration::from_millis(random_below(200).into())).await;
    process.kill().expect("the server can be killed");
    process.wait().expect("the server is gone");
}

/// Returns a random number from 0 to below `end`. A new hasher is seeded at random, which is random enough here.
fn random_below(end: u32) -> u32 {
    u32::try_from(RandomState::new().hash_one(0) % u64::from(end.max(1))).unwrap_or_default()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A workflow, with the progress that the server has confirmed.
#[derive(Debug, Clone)]
struct Document {
    name: String,
    id: Option<i64>,
    approved: u32,
    /// The next request was sent, but its answer never arrived.
    in_doubt: bool,
}

#[derive(Default)]
struct Ledger {
    waiting: Mutex<VecDeque<Document>>,
    finished: Mutex<Vec<Document>>,
    started: AtomicU64,
    answered: AtomicU64,
    answer: Notify,
    in_doubt: AtomicU64,
    kept: AtomicU64,
    /// The number of finished documents that were checked.
    looked_at: AtomicUsize,
}

impl Ledger {
    /// Takes a document to continue with, or a new one if few are waiting.
    fn take(&self, callers_may_start: bool) -> Option<Document> {
        let mut waiting = lock(&self.waiting);
        if callers_may_start && waiting.len() < 8 {
            let number = self.started.fetch_add(1, Ordering::SeqCst);
            return Some(Document {
                name: format!("document {number}"),
                id: None,
                approved: 0,
                in_doubt: false,
            });
        }
        waiting.pop_front()
    }

    fn put_back(&self, document: Document) {
        if document.approved == STEPS {
            lock(&self.finished).push(document);
        } else {
            lock(&self.waiting).push_back(document);
        }
    }

    fn count_answer(&self) {
        self.answered.fetch_add(1, Ordering::SeqCst);
        self.answer.notify_waiters();
    }

    /// Waits for this many more responses, or long enough to notice that the server does not respond.
    async fn wait_for_answers(&self, more: u32) {
        let goal = self.answered.load(Ordering::SeqCst) + u64::from(more);
        let enough = async {
            loop {
                let answer = self.answer.notified();
                if self.answered.load(Ordering::SeqCst) >= goal {
                    return;
                }
                answer.await;
            }
        };
        let in_time = tokio::time::timeout(Duration::from_mins(10), enough).await;
        assert!(
            in_time.is_ok(),
            "the server answers too little: {} of {goal}",
            self.answered.load(Ordering::SeqCst)
        );
    }

    fn finished(&self) -> Vec<Document> {
        lock(&self.finished).clone()
    }

    /// Returns everything, or the documents finished since the last check.
    fn to_look_at(&self, everything: bool) -> Vec<Document> {
        let finished = self.finished();
        let looked_at = self.looked_at.swap(finished.len(), Ordering::SeqCst);
        let mut documents: Vec<_> = finished
            .into_iter()
            .skip(if everything { 0 } else { looked_at })
            .collect();
        documents.extend(lock(&self.waiting).iter().cloned());
        documents
    }
}

/// Runs one caller until the server is gone, which must not happen too early.
async fn load(client: Client, ledger: Arc<Ledger>, may_end: Arc<AtomicBool>) {
    while let Some(mut document) = ledger.take(true) {
        let outcome = client.advance(&mut document, &ledger).await;
        if let Err(error) = outcome {
            assert!(
                may_end.load(Ordering::SeqCst),
                "the server was not killed, and yet: {error}"
            );
            document.in_doubt = true;
            ledger.in_doubt.fetch_add(1, Ordering::SeqCst);
            ledger.put_back(document);
            return;
        }
        ledger.count_answer();
        ledger.put_back(document);
    }
}

async fn log_in(server: &Server) -> String {
    let body = json!({"header": {"request_code": "1001Q"}, "body": {"memb_email": MEMBER, "memb_pwd": PASSWORD}});
    let url = format!("{}/api/{COMPANY}/login", server.address);
    let answer = reqwest::Client::new()
        .post(url)
        .json(&body)
        .send()
        .await
        .expect("an answer to the login");
    let answer: Value = answer.json().await.expect("a JSON answer");
    let token = answer["body"]["access_token"]
        .as_str()
        .unwrap_or_else(|| panic!("no token: {answer}"));
    format!("service {token}")
}

#[derive(Clone)]
struct Client {
    http: reqwest::Client,
    address: String,
    authorization: String,
    template: i64,
    callback: String,
}

impl Client {
    fn new(server: &Server, authorization: &str, template: i64, callback: &str) -> Client {
        Client {
            http: reqwest::Client::builder()
                .timeout(Duration::from_mins(10))
                .build()
                .expect("a client"),
            address: server.address.clone(),
            authorization: authorization.to_owned(),
            template,
            callback: callback.to_owned(),
        }
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Result<(StatusCode, Value), reqwest::Error> {
        let answer = request.header("authorization", &self.authorization).send().await?;
        let status = answer.status();
        let text = answer.text().await?;
        Ok((status, serde_json::from_str(&text).unwrap_or(Value::String(text))))
    }

    async fn get(&self, path: &str) -> Value {
        let request = self.http.get(format!("{}{path}", self.address));
        let (status, answer) = self.send(request).await.expect("an answer");
        assert!(status.is_success(), "GET {path}: {status} {answer}");
        answer
    }

    /// Does the next step of a document. An error means that there was no answer.
    async fn advance(&self, document: &mut Document, ledger: &Ledger) -> Result<(), reqwest::Error> {
        match document.id {
            None => self.start(document).await?,
            Some(id) => self.approve(id, document, ledger).await?,
        }
        document.in_doubt = false;
        Ok(())
    }

    async fn start(&self, document: &mut Document) -> Result<(), reqwest::Error> {
        let body = json!({
            "workflow_name": document.name,
            "template_id": self.template,
            "recipient_list": [
                {"order": 1, "name": "김사장", "email": "employer@example.com"},
                {"order": 2, "name": "이직원", "email": "employee@example.com"},
            ],
            // Half of them with mails to the signers, half without.
            "export_api_info": {"url": self.callback, "api_type": "ALL", "is_embed": document.name.ends_with(['0', '2', '4', '6', '8'])},
        });
        let request = self
            .http
            .post(format!("{}/api/v3/workflows/start", self.address))
            .header("idempotency-key", &document.name)
            .json(&body);
        let (status, answer) = self.send(request).await?;
        assert!(status.is_success(), "start of {document:?}: {status} {answer}");
        document.id = Some(answer["workflow_id"].as_i64().expect("a workflow_id"));
        Ok(())
    }

    async fn approve(&self, id: i64, document: &mut Document, ledger: &Ledger) -> Result<(), reqwest::Error> {
        let order = document.approved + 1;
        let body = json!({"order": order, "field_list": contract::values_of_step(order)});
        let request = self
            .http
            .post(format!("{}/api/v3/workflows/{id}/approve", self.address))
            .json(&body);
        let (status, answer) = self.send(request).await?;
        if status == StatusCode::CONFLICT && document.in_doubt {
            // The document was kept before the kill, so it must be visible.
            let request = self.http.get(format!("{}/api/v3/workflows/{id}", self.address));
            let (_, seen) = self.send(request).await?;
            assert_eq!(
                approved_steps(&seen),
                order,
                "an approval refused as done before is not there: {seen}"
            );
            ledger.kept.fetch_add(1, Ordering::SeqCst);
        } else {
            assert!(status.is_success(), "approval of {document:?}: {status} {answer}");
        }
        document.approved = order;
        Ok(())
    }

    /// Completes everything that is waiting.
    async fn finish(&self, ledger: &Ledger) {
        while let Some(mut document) = ledger.take(false) {
            self.advance(&mut document, ledger).await.expect("an answer");
            ledger.put_back(document);
        }
    }

    /// Checks that everything answered exists, and that anything beyond that was in doubt.
    async fn check_known(&self, ledger: &Ledger, everything: bool) {
        for document in ledger.to_look_at(everything) {
            let Some(id) = document.id else { continue };
            let seen = self.get(&format!("/api/v3/workflows/{id}")).await;
            let approved = approved_steps(&seen);
            let at_most = document.approved + u32::from(document.in_doubt);
            assert!(
                (document.approved..=at_most).contains(&approved),
                "{document:?}: {approved} steps are approved: {seen}"
            );
            let status = if approved == STEPS { "Complete" } else { "Playing" };
            assert_eq!(seen["status"], status, "{document:?}: half a state: {seen}");
        }
    }

    /// Checks that the list contains each document once, and no others.
    async fn check_list(&self, ledger: &Ledger) {
        let mut listed: BTreeMap<String, u32> = BTreeMap::new();
        let mut cursor = String::new();
        loop {
            let page = self.get(&format!("/api/v3/workflows?limit=100{cursor}")).await;
            for workflow in page["workflow_list"].as_array().expect("a list") {
                *listed
                    .entry(workflow["workflow_name"].as_str().unwrap_or_default().to_owned())
                    .or_default() += 1;
            }
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        let known: BTreeMap<String, u32> = ledger
            .finished()
            .into_iter()
            .map(|document| (document.name, 1))
            .collect();
        assert!(
            listed == known,
            "the list and the ledger differ: {listed:?} and {known:?}"
        );
    }
}

fn approved_steps(workflow: &Value) -> u32 {
    let steps = workflow["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    let approved = steps.iter().filter(|step| step["status"] == "approved").count();
    u32::try_from(approved).unwrap_or(u32::MAX)
}

/// The workflow and step that each webhook reports.
type Step = (i64, i64);

/// The deliveries under one `webhook-id`.
#[derive(Debug)]
struct Delivered {
    body: String,
    times: u64,
}

/// Accepts webhooks and records them.
struct Receiver {
    address: String,
    received: Arc<Received>,
}

#[derive(Default)]
struct Received {
    events: Mutex<HashMap<Step, HashMap<String, Delivered>>>,
    arrived: Notify,
}

impl Receiver {
    async fn start() -> Receiver {
        let received = Arc::new(Received::default());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}/hook", listener.local_addr().expect("an address"));
        let router = axum::Router::new()
            .route("/hook", axum::routing::post(take))
            .with_state(Arc::clone(&received));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Receiver { address, received }
    }

    /// Waits until a webhook has arrived for each step of these workflows.
    async fn wait_for(&self, workflows: &[i64]) {
        let missing = || -> Vec<Step> {
            let events = lock(&self.received.events);
            let steps = workflows
                .iter()
                .flat_map(|id| (1..=i64::from(STEPS)).map(|order| (*id, order)));
            steps.filter(|step| !events.contains_key(step)).collect()
        };
        let all = async {
            loop {
                let arrived = self.received.arrived.notified();
                if missing().is_empty() {
                    return;
                }
                arrived.await;
            }
        };
        let in_time = tokio::time::timeout(ALL_DELIVERED, all).await;
        assert!(
            in_time.is_ok(),
            "no webhook came for these steps (workflow, order): {:?}",
            missing()
        );
    }

    /// Checks that each event has one ID. Returns the number of events and of their deliveries.
    fn check(&self) -> (usize, u64) {
        let events = lock(&self.received.events);
        let twice: Vec<_> = events.iter().filter(|(_, ids)| ids.len() > 1).collect();
        assert!(twice.is_empty(), "events with more than one webhook-id: {twice:?}");
        let deliveries = events
            .values()
            .flat_map(HashMap::values)
            .map(|delivered| delivered.times)
            .sum();
        (events.len(), deliveries)
    }
}

async fn take(State(received): State<Arc<Received>>, headers: HeaderMap, body: String) -> StatusCode {
    let id = headers
        .get("webhook-id")
        .and_then(|id| id.to_str().ok())
        .unwrap_or_default()
        .to_owned();
    let payload: Value = serde_json::from_str(&body).unwrap_or_default();
    let (Some(workflow), Some(order)) = (payload["workflow_id"].as_i64(), payload["order"].as_i64()) else {
        // The test sees this as an event that never arrived.
        return StatusCode::BAD_REQUEST;
    };
    let mut events = lock(&received.events);
    let delivered = events
        .entry((workflow, order))
        .or_default()
        .entry(id)
        .or_insert_with(|| Delivered {
            body: body.clone(),
            times: 0,
        });
    delivered.times += 1;
    // A different body under a known ID is stored as another event, which the check then finds.
    if delivered.body != body {
        let different = format!("{body:?} differs");
        events
            .entry((workflow, order))
            .or_default()
            .insert(different, Delivered { body, times: 1 });
    }
    drop(events);
    received.arrived.notify_waiters();
    StatusCode::OK
}
