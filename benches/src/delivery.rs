//! Measures webhooks, from the commit of an event until the endpoint receives it.
//!
//! Callers commit events with their deliveries, as use cases do. The runner in the same process claims, posts and
//! records them, and an endpoint on the loopback address records when each one arrives. Each caller waits until its
//! event arrives before it commits the next, so the delay includes no queueing. For comparison, the same run measures a
//! plain HTTP client that posts the same bytes to the same endpoint with the same concurrency. It then measures the
//! running server: workflows that 32 callers start on PostgreSQL compared with raw inserts, and the time from a restart
//! until the interrupted deliveries of a killed server are repeated.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver as Signals, SyncSender, sync_channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use app::{App, Parts, Purpose, Settings, Vault};
use axum::http::HeaderMap;
use blobs::Blobs;
use delivery::{GuardedClient, Runner, RunnerSettings};
use domain::public_address::AddressRules;
use domain::{ClientId, Clock, CompanyId, Random, WorkflowId};
use jiff::Timestamp;
use store::Store;
use store::outbox::{self, NewChannel, NewDelivery};
use testkit::database::TestDatabase;
use testkit::installation::{Installation, binary};
use testkit::node_kills::deliveries_after_kills;
use testkit::receiver::{Answer, Receiver};
use testkit::stand_ins::{EnoughSpace, NoDocuments, NoNetwork};
use testkit::world::CountingRandom;
use tokio::runtime::Runtime;

use crate::machine::{idle_share, percentile};
use crate::server;

const CLIENT: &str = "3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10";
/// Duration of the measurement for each number of callers.
const LOAD: Duration = Duration::from_secs(5);
/// Number of times that one of two nodes is killed.
const KILLS: u32 = 5;
/// A delivery that takes longer has failed.
const PATIENCE: Duration = Duration::from_mins(1);

/// Prints the table's rows for SQLite in `folder` and, if the tests' server is available, for PostgreSQL.
pub fn measure(folder: &Path) {
    let has_postgres = std::env::var_os("COUNTERSIGN_TEST_POSTGRES").is_some();
    let mut databases = vec![("SQLite", TestDatabase::sqlite())];
    if has_postgres {
        databases.push(("PostgreSQL", TestDatabase::postgres()));
    }
    for (name, database) in &databases {
        println!(
            "| idle share of the processors before | {:.0} % | | |",
            idle_share() * 100.0
        );
        let house = House::on(database.open(), folder);
        for callers in [1, 8, 32] {
            report(name, &house, callers);
        }
        beside_a_black_hole(name, &house);
    }
    if has_postgres {
        starts(folder);
        killed_nodes();
    }
    redelivery(folder);
}

/// Measures the time until another node makes the deliveries of a killed node.
pub fn killed_nodes() {
    let mut took: Vec<f64> = deliveries_after_kills(&binary(), KILLS)
        .iter()
        .map(Duration::as_secs_f64)
        .collect();
    let (median, longest) = (percentile(&mut took, 0.5), percentile(&mut took, 1.0));
    println!(
        "| PostgreSQL: deliveries of a node that was killed, made by the other after | {median:.1} s median, {longest:.1} s longest of {} \
         (at most 10 s) | {KILLS} kills | |",
        took.len()
    );
}

fn report(name: &str, house: &House, callers: usize) {
    let raw = raw_posts(house, callers);
    let Load { mut delays, rate } = load(house, callers, LOAD);
    let (median, p99) = (percentile(&mut delays, 0.5), percentile(&mut delays, 0.99));
    let target = match callers {
        1 => " (median at most 2.5 ms)",
        8 => " (at least 2000/s)",
        _ => "",
    };
    println!(
        "| {name}: deliveries, {callers} callers | {rate:.0}/s; commit to receiver {median:.2} ms median, {p99:.2} ms p99 | raw POSTs {raw:.0}/s | {:.2}{target} |",
        rate / raw
    );
}

struct Now;

impl Clock for Now {
    fn now(&self) -> Timestamp {
        domain::time::cut(Timestamp::now())
    }

    fn elapsed(&self) -> Duration {
        static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
        FIRST.elapsed()
    }
}

/// A company with its outbox, a runner, and an endpoint that records when each event arrives.
struct House {
    company: CompanyId,
    events: AtomicU64,
    arrivals: Arc<Arrivals>,
    receiver: SocketAddr,
    /// Runs the product's own threads and those of the endpoint.
    ours: Runtime,
    theirs: Runtime,
    /// Dropped last, after the threads that use it.
    app: Arc<App>,
}

/// The waiting caller for each event.
#[derive(Default)]
struct Arrivals(Mutex<HashMap<String, SyncSender<Instant>>>);

impl Arrivals {
    fn expect(&self, event: &str) -> Signals<Instant> {
        let (told, arrived) = sync_channel(1);
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(event.to_owned(), told);
        arrived
    }

    fn came(&self, event: &str) {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(event);
        // Nobody waits for a second delivery of an event.
        if let Some(told) = told {
            let _ = told.send(Instant::now());
        }
    }
}

/// Starts an endpoint on this host that answers at once.
async fn receiver(arrivals: Arc<Arrivals>, host: &str) -> SocketAddr {
    let handler = move |headers: HeaderMap, body: axum::body::Bytes| async move {
        let id = headers.get("webhook-id").and_then(|id| id.to_str().ok());
        arrivals.came(id.unwrap_or_default());
        drop(body);
    };
    let listener = tokio::net::TcpListener::bind((host, 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let router = axum::Router::new().route("/hook", axum::routing::post(handler));
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

impl House {
    fn on(store: Store, folder: &Path) -> House {
        let random: Arc<dyn Random> = Arc::new(CountingRandom::default());
        let app = Arc::new(App::new(Parts {
            store,
            blobs: Blobs::local(folder.join("files of deliveries")).expect("a folder of files"),
            documents: Arc::new(NoDocuments),
            space: Arc::new(EnoughSpace),
            clock: Arc::new(Now),
            network: Arc::new(NoNetwork),
            tokens: Arc::new(app::key_tokens::NoTokens),
            vault: Vault::new(&[7; 32], Arc::clone(&random)),
            random,
            settings: Settings::default(),
        }));
        let company = CompanyId::parse("bench").expect("a company's id");
        let at = Now.now();
        let row = testkit::rows::company(&company, at);
        let secret = app.vault.encrypt(Purpose::WebhookSecret, &[42; 32]);
        let client = ClientId::parse(CLIENT).expect("a UUID");
        app.store
            .write(move |tx| {
                store::company::insert(tx, &row)?;
                store::api_client::insert(tx, &row.id, client, "default", true, &secret, at)
            })
            .expect("a company");
        let arrivals = Arc::new(Arrivals::default());
        let theirs = threads();
        let receiver = theirs.block_on(receiver(Arc::clone(&arrivals), "127.0.0.1"));
        let ours = threads();
        let rules = AddressRules {
            allow_private: true,
            ..AddressRules::default()
        };
        let client = GuardedClient::new(rules).expect("a client");
        let runner = Runner::new(Arc::clone(&app), client, None, None, RunnerSettings::default());
        ours.spawn(runner.run(std::future::pending()));
        House {
            company,
            events: AtomicU64::new(0),
            arrivals,
            receiver,
            ours,
            theirs,
            app,
        }
    }

    /// Builds the delivery of an event of typical size.
    fn delivery(&self, receiver: SocketAddr) -> NewDelivery {
        let number = self.events.fetch_add(1, Ordering::SeqCst);
        NewDelivery {
            company: self.company.clone(),
            workflow: Some(WorkflowId(i64::try_from(number).unwrap_or(i64::MAX))),
            event_id: format!("msg_{number}"),
            channel: NewChannel::Webhook {
                url: format!("http://{receiver}/hook"),
                client: ClientId::parse(CLIENT).expect("a UUID"),
                authorization: Some(
                    self.app
                        .vault
                        .encrypt(Purpose::WebhookAuthorization, b"Basic Y291bnRlcg=="),
                ),
            },
            body: self.app.vault.encrypt(Purpose::OutboxBody, &body(number)),
            created_at: Now.now(),
        }
    }

    /// Commits an event and wakes the runner.
    fn commit(&self, new: NewDelivery) {
        self.app
            .store
            .write(move |tx| outbox::enqueue(tx, &new))
            .expect("the store takes it");
        self.app.bell.ring();
    }
}

fn threads() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
}

fn body(number: u64) -> Vec<u8> {
    let values = (0..10)
        .map(|field| format!(r#"{{"name":"field{field}","value":"홍길동","email":"employee@example.com","order":1}}"#))
        .collect::<Vec<_>>()
        .join(",");
    format!(r#"{{"workflow_id":{number},"status":"Playing","field_list":[{values}]}}"#).into_bytes()
}

struct Load {
    /// Time from the end of the commit to the arrival, in milliseconds.
    delays: Vec<f64>,
    /// Events per second.
    rate: f64,
}

/// Runs this number of callers. Each commits an event as soon as its previous one has arrived.
fn load(house: &House, callers: usize, time: Duration) -> Load {
    let begin = Instant::now();
    let delays: Vec<f64> = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..callers)
            .map(|_| {
                scope.spawn(|| {
                    let mut delays = Vec::new();
                    while begin.elapsed() < time {
                        let new = house.delivery(house.receiver);
                        let arrived = house.arrivals.expect(&new.event_id);
                        house.commit(new);
                        let committed = Instant::now();
                        let came = arrived.recv_timeout(PATIENCE).expect("it arrives");
                        // The event may arrive before the commit returns to the caller.
                        delays.push(came.saturating_duration_since(committed).as_secs_f64() * 1e3);
                    }
                    delays
                })
            })
            .collect();
        callers
            .into_iter()
            .flat_map(|caller| caller.join().expect("a caller"))
            .collect()
    });
    Load {
        rate: delays.len() as f64 / begin.elapsed().as_secs_f64(),
        delays,
    }
}

/// Measures the requests per second that a plain HTTP client posts at this concurrency.
fn raw_posts(house: &House, at_once: usize) -> f64 {
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let url = format!("http://{}/hook", house.receiver);
    let begin = Instant::now();
    let done: usize = house.ours.block_on(async {
        let mut loops = Vec::new();
        for _ in 0..at_once {
            let (client, url) = (client.clone(), url.clone());
            loops.push(tokio::spawn(async move {
                let mut done = 0;
                while begin.elapsed() < LOAD / 2 {
                    let sent = client
                        .post(&url)
                        .header("webhook-id", "raw")
                        .body(body(done as u64))
                        .send();
                    sent.await.expect("an answer").bytes().await.expect("a body");
                    done += 1;
                }
                done
            }));
        }
        let mut done = 0;
        for one in loops {
            done += one.await.expect("a loop");
        }
        done
    });
    done as f64 / begin.elapsed().as_secs_f64()
}

/// Measures a hundred endpoints that receive ten events a second each, next to an endpoint that never answers and
/// receives as many events as ten of them.
fn beside_a_black_hole(name: &str, house: &House) {
    let hole = Receiver::start();
    hole.answer_always(Answer::Silence);
    let good: Vec<SocketAddr> = house.theirs.block_on(async {
        let mut good = Vec::new();
        // Uses separate hosts because the limit of an endpoint covers all its ports.
        for number in 1..=100 {
            good.push(receiver(Arc::clone(&house.arrivals), &format!("127.0.1.{number}")).await);
        }
        good
    });
    let over = AtomicBool::new(false);
    let mut delays: Vec<f64> = std::thread::scope(|scope| {
        let filling = scope.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                house.commit(house.delivery(hole.address()));
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        // The endpoint that never answers ties up all the connections it can before the others begin.
        std::thread::sleep(Duration::from_secs(1));
        let mut waiting = Vec::new();
        let begin = Instant::now();
        for round in 0..50_u32 {
            for receiver in &good {
                let new = house.delivery(*receiver);
                let arrived = house.arrivals.expect(&new.event_id);
                house.commit(new);
                waiting.push((Instant::now(), arrived));
            }
            let next = begin + Duration::from_millis(100) * (round + 1);
            std::thread::sleep(next.saturating_duration_since(Instant::now()));
        }
        let delays = waiting
            .into_iter()
            .map(|(committed, arrived)| {
                let came = arrived.recv_timeout(PATIENCE).unwrap_or_else(|_| committed + PATIENCE);
                came.saturating_duration_since(committed).as_secs_f64() * 1e3
            })
            .collect();
        over.store(true, Ordering::SeqCst);
        filling.join().expect("the filling");
        delays
    });
    println!(
        "| {name}: 100 good receivers beside one that never answers | {:.2} ms median, {:.2} ms p99 | under 2000 ms | {} connections to it |",
        percentile(&mut delays, 0.5),
        percentile(&mut delays, 0.99),
        hole.connections()
    );
}

/// Measures the workflows that 32 callers start on PostgreSQL, compared with rows that 32 connections insert one by
/// one.
pub fn starts(folder: &Path) {
    let database = TestDatabase::postgres();
    let url = database.url().expect("PostgreSQL").to_owned();
    let inserts = raw_inserts(&url, 32);
    let installation =
        Installation::new(&binary(), &folder.join("starts on PostgreSQL")).with("COUNTERSIGN_DATABASE__URL", &url);
    let template = server::set_up(&installation);
    let running = installation.serve();
    let rate = threads().block_on(async {
        let client = server::log_in(&running, template, "http://127.0.0.1:9/hook").await;
        for _ in 0..50 {
            client.start().await;
        }
        server::rate(32, &client, |client| async move {
            client.start().await;
        })
        .await
    });
    println!(
        "| PostgreSQL: starts, 32 callers | {rate:.0}/s | raw inserts of one row, 32 connections {inserts:.0}/s | {:.2} (at least 0.2) |",
        rate / inserts
    );
    let same = raw_transactions(&url, 32);
    println!(
        "| PostgreSQL: the same | {rate:.0}/s | raw transactions of the rows of a start, 32 connections {same:.0}/s | {:.2} |",
        rate / same
    );
}

/// Measures how often per second this many connections insert the rows of one start in a single round trip: the
/// workflow, two signers and the first entry of the audit trail, with all their keys, references and indexes.
fn raw_transactions(url: &str, connections: usize) -> f64 {
    let connect = || postgres::Client::connect(url, postgres::NoTls).expect("the PostgreSQL of the tests answers");
    let mut client = connect();
    let prepared = [
        raw_insert(&mut client, "workflow", "id", "SELECT max(id) FROM workflow"),
        raw_insert(&mut client, "recipient", "workflow_id", "SELECT min(id) FROM recipient"),
        raw_insert(&mut client, "recipient", "workflow_id", "SELECT max(id) FROM recipient"),
        raw_insert(
            &mut client,
            "audit_entry",
            "workflow_id",
            "SELECT max(workflow_id) FROM audit_entry",
        ),
    ];
    let begin = Instant::now();
    let done: i64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..=connections)
            .map(|connection| {
                let prepared = &prepared;
                scope.spawn(move || {
                    let mut client = connect();
                    for (number, insert) in prepared.iter().enumerate() {
                        client
                            .batch_execute(&format!("PREPARE raw{number} (BIGINT) AS {insert}"))
                            .expect("a statement");
                    }
                    let first = i64::try_from(connection).expect("few connections") * 1_000_000_000;
                    let mut done = 0;
                    while begin.elapsed() < LOAD / 2 {
                        let id = first + done;
                        let executes: Vec<String> = (0..prepared.len())
                            .map(|number| format!("EXECUTE raw{number} ({id});"))
                            .collect();
                        client
                            .batch_execute(&format!(
                                "BEGIN ISOLATION LEVEL REPEATABLE READ; {} COMMIT",
                                executes.join(" ")
                            ))
                            .expect("a transaction");
                        done += 1;
                    }
                    done
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a connection"))
            .sum()
    });
    done as f64 / begin.elapsed().as_secs_f64()
}

/// Builds an INSERT that copies an existing row, except for its ID and the number in `key`, which is the parameter.
fn raw_insert(client: &mut postgres::Client, table: &str, key: &str, like: &str) -> String {
    let columns: Vec<String> = client
        .query(
            "SELECT column_name::text FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1",
            &[&table],
        )
        .expect("the columns")
        .iter()
        .map(|row| row.get(0))
        .collect();
    let own = if table == "audit_entry" { "workflow_id" } else { "id" };
    let quoted: Vec<String> = columns
        .iter()
        .map(|column| format!("quote_nullable({column}::text)"))
        .collect();
    let row = client
        .query_one(
            &format!(
                "SELECT {} FROM {table} WHERE {own} = ({like}) LIMIT 1",
                quoted.join(", ")
            ),
            &[],
        )
        .expect("a row of a start");
    let value = |(place, column): (usize, &String)| match column.as_str() {
        column if column == key => "$1".to_owned(),
        "id" => format!("nextval('{table}_id')"),
        _ => row.get(place),
    };
    let values: Vec<String> = columns.iter().enumerate().map(value).collect();
    format!(
        "INSERT INTO {table} ({}) VALUES ({})",
        columns.join(", "),
        values.join(", ")
    )
}

fn raw_inserts(url: &str, connections: usize) -> f64 {
    let connect = || postgres::Client::connect(url, postgres::NoTls).expect("the PostgreSQL of the tests answers");
    connect()
        .batch_execute("CREATE TABLE raw (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text TEXT NOT NULL)")
        .expect("a table");
    let begin = Instant::now();
    let done: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..connections)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = connect();
                    let insert = client
                        .prepare("INSERT INTO raw (text) VALUES ($1)")
                        .expect("a statement");
                    let mut done = 0;
                    while begin.elapsed() < LOAD / 2 {
                        client.execute(&insert, &[&"a row"]).expect("an insert");
                        done += 1;
                    }
                    done
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a connection"))
            .sum()
    });
    done as f64 / begin.elapsed().as_secs_f64()
}

/// Measures the time from the start of a server until it repeats the interrupted deliveries of a killed one.
fn redelivery(folder: &Path) {
    let installation = Installation::new(&binary(), &folder.join("killed"));
    let template = server::set_up(&installation);
    let receiver = Receiver::start();
    receiver.answer_always(Answer::Silence);
    let mut running = installation.serve();
    let callback = receiver.url("/hook");
    let runtime = threads();
    let mut times = Vec::new();
    for _ in 0..5 {
        let before = receiver.received().len();
        runtime.block_on(async {
            let client = server::log_in(&running, template, &callback).await;
            let workflow = client.start().await;
            client.approve(workflow, 1).await;
        });
        receiver.wait_for(before + 1);
        running.kill();
        let known = receiver.received().len();
        let begin = Instant::now();
        running = installation.serve();
        let again = receiver.wait_for(known + 1);
        times.push(again[known].at.saturating_duration_since(begin).as_secs_f64() * 1e3);
    }
    println!(
        "| after kill -9: from the restart to the first redelivery | {:.0} ms median of 5, {:.0} ms at most | at most 2000 ms | |",
        percentile(&mut times, 0.5),
        percentile(&mut times, 1.0)
    );
}
