//! The operator's view: readiness, metrics, request IDs, and no personal data.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::PathBuf;

use serde_json::{Value, json};
use testkit::contract;
use testkit::installation::Server;
use testkit::receiver::Receiver;
use testkit::smtp_sink::SmtpSink;

use crate::serving::{get, login, login_answer, post, raw};
use crate::support::{EMAIL, PASSWORD, Temporary};

/// A running server, its log, and the address of its metrics.
struct Watched {
    server: Server,
    log: PathBuf,
    metrics: String,
}

impl Watched {
    fn start(here: &Temporary) -> Watched {
        let log = here.path("log");
        let mut command = here.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.stderr(File::create(&log).expect("a log"));
        let server = Server::begin(command).expect("a server");
        // Written before the first line on standard output.
        let text = fs::read_to_string(&log).expect("the log");
        let metrics = text
            .lines()
            .find_map(|line| line.split_once("metrics on ")?.1.strip_suffix("/metrics"))
            .unwrap_or_default()
            .to_owned();
        Watched { server, log, metrics }
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.log).expect("the log")
    }

    fn numbers(&self) -> String {
        let (status, text) = get(&format!("{}/metrics", self.metrics), None);
        assert_eq!(status, 200);
        String::from_utf8(text).expect("text")
    }

    /// Returns the statuses of `/readyz` on both addresses, and the body on the operator's one.
    fn ready(&self) -> (u16, u16, Value) {
        let (public, said) = get(&format!("{}/readyz", self.server.address), None);
        let said: Value = serde_json::from_slice(&said).expect("JSON");
        assert_eq!(said.get("checks"), None, "the public address gives no reasons");
        let (own, reasons) = get(&format!("{}/readyz", self.metrics), None);
        (public, own, serde_json::from_slice(&reasons).expect("JSON"))
    }
}

fn with_metrics(here: Temporary) -> Temporary {
    here.with("COUNTERSIGN_METRICS__LISTEN", "127.0.0.1:0")
}

fn failing(readiness: &Value) -> Vec<&str> {
    let checks = readiness["checks"].as_array().expect("checks");
    let failing = checks.iter().filter(|check| check["status"] == "failing");
    failing.filter_map(|check| check["check"].as_str()).collect()
}

const SIGNERS: [(&str, &str); 2] = [
    ("남궁카나리아", "kanaria.namgung@example.com"),
    ("Zebedee Quillfeather", "zebedee.quillfeather@example.com"),
];
const WORKFLOW: &str = "Nightjar severance agreement";
const AUTHORIZATION: &str = "Bearer wren-and-plover-8841";
const COMMENT: &str = "I agree to everything but page seven";

/// Starts a document and approves both steps. Returns the answer to the start.
fn approved(address: &str, template: i64, token: &str, receiver: &Receiver, is_embed: bool) -> Value {
    let signers = SIGNERS.iter().zip(1..);
    let recipients: Vec<Value> = signers
        .map(|((name, email), order)| json!({"order": order, "name": name, "email": email}))
        .collect();
    let export =
        json!({"url": receiver.url("/hook"), "api_type": "ALL", "is_embed": is_embed, "authorization": AUTHORIZATION});
    let start = json!({
        "workflow_name": WORKFLOW, "template_id": template, "recipient_list": recipients, "export_api_info": export,
    });
    let (status, started) = post(&format!("{address}/api/v3/workflows/start"), Some(token), &start);
    assert_eq!(status, 200, "{started}");
    if let Some(url) = started["sign_url"].as_str() {
        assert_eq!(get(url, None).0, 200);
    }
    for order in [1, 2] {
        let approval = json!({"order": order, "field_list": contract::values_of_step(order), "comment": COMMENT});
        let path = format!("{address}/api/v3/workflows/{}/approve", started["workflow_id"]);
        let (status, answer) = post(&path, Some(token), &approval);
        assert_eq!(status, 200, "{answer}");
    }
    started
}

/// Signs and downloads two documents, one of them with mails, and makes other requests fail. Returns the ID of one
/// document, and all secrets that were handed out.
fn signed(address: &str, template: i64, receiver: &Receiver, mails: &SmtpSink) -> (i64, Vec<String>) {
    let token = login(address, "acme", EMAIL, PASSWORD);
    approved(address, template, &token, receiver, false);
    let started = approved(address, template, &token, receiver, true);
    let (id, signing) = (started["workflow_id"].as_i64().expect("an id"), &started["token"]);
    receiver.wait_for(4);
    mails.wait_for(4);
    let (status, _) = get(&format!("{address}/api/v3/workflows/{id}/document"), Some(&token));
    assert_eq!(status, 200);
    // Errors must not reveal what was sent either.
    login_answer(address, "acme", SIGNERS[0].1, COMMENT);
    get(
        &format!("{address}/mail/sign?token={}", COMMENT.replace(' ', "-")),
        None,
    );
    let twice = json!({"order": 9, "comment": COMMENT});
    post(
        &format!("{address}/api/v3/workflows/{id}/approve"),
        Some(&token),
        &twice,
    );
    (id, vec![token.clone(), signing.as_str().expect("a token").to_owned()])
}

#[test]
fn names_addresses_values_and_tokens_of_a_signing_appear_neither_in_the_log_nor_in_the_metrics() {
    let (receiver, mails) = (Receiver::start(), SmtpSink::start());
    let here = with_metrics(Temporary::with_company())
        .with("COUNTERSIGN_MAIL__SMTP__HOST", "127.0.0.1")
        .with("COUNTERSIGN_MAIL__SMTP__PORT", &mails.address().port().to_string())
        .with("COUNTERSIGN_MAIL__SMTP__TLS", "none")
        .with("COUNTERSIGN_MAIL__SMTP__FROM", "sign@example.com");
    let template = contract::import(&here, "acme");
    let watched = Watched::start(&here);
    let (id, secrets) = signed(&watched.server.address, template, &receiver, &mails);
    let numbers = watched.numbers();
    for line in [
        "countersign_http_request_duration_seconds_count{method=\"POST\",route=\"/api/v3/workflows/start\",status=\"2xx\"} 2\n",
        "countersign_http_request_duration_seconds_count{method=\"GET\",route=\"/mail/sign\",status=\"2xx\"} 1\n",
        "countersign_check_ok{check=\"database\"} 1\n",
        "countersign_outbox_waiting{kind=\"mail\"} ",
        "countersign_delivery_duration_seconds_count{kind=\"mail\",outcome=\"delivered\"} ",
        "countersign_delivery_duration_seconds_count{kind=\"webhook\",outcome=\"delivered\"} 4\n",
        "countersign_seal_duration_seconds_count{level=\"B-B\"} ",
        "countersign_certificate_days_left{certificate=\"0\",of=\"root\"} ",
        "countersign_disk_free_bytes{volume=\"files\"} ",
        "countersign_database_connections{state=\"free\"} ",
        "countersign_job_duration_seconds_count{job=\"expiring workflows\",outcome=\"done\"} ",
    ] {
        assert!(numbers.contains(line), "{line}\n{numbers}");
    }
    assert!(!numbers.contains("acme") && !numbers.contains("에이스"), "{numbers}");
    lose_files(&here);
    let path = format!("/api/v3/workflows/{id}/document");
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: service {}\r\nConnection: close\r\n\r\n",
        secrets[0]
    );
    let answer = raw(&watched.server.address, request.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 500 "), "{answer}");
    let (_, id) = answer.split_once("x-request-id: ").expect("an id");
    let id = id.lines().next().expect("an id");
    assert!(answer.contains(&format!("\"request_id\":\"{id}\"")), "{answer}");
    let log = watched.log();
    let said = log.lines().find(|line| line.contains(id)).unwrap_or_default();
    assert!(said.contains("a file is lost"), "{log}");

    let values: Vec<Value> = [1, 2].into_iter().map(contract::values_of_step).collect();
    let values = values.iter().filter_map(Value::as_array).flatten();
    let canaries: Vec<String> = values
        .filter_map(|value| value["value"].as_str())
        // Shorter values, such as `Y`, appear in any text, and a date may be today's.
        .filter(|value| value.len() >= 7 && !value.starts_with("2026-"))
        .chain(SIGNERS.iter().flat_map(|(name, email)| [*name, *email]))
        .chain([WORKFLOW, AUTHORIZATION, COMMENT, EMAIL, PASSWORD])
        .map(str::to_owned)
        .chain(secrets)
        .collect();
    assert!(canaries.len() > 12, "{canaries:?}");
    for canary in canaries {
        assert!(!log.contains(&canary), "{canary} is in the log: {log}");
        assert!(!numbers.contains(&canary), "{canary} is in the metrics");
    }
}

/// Moves all stored files away.
fn lose_files(here: &Temporary) {
    fs::rename(here.data().join("files"), here.path("lost")).expect("the files move");
}

/// Puts a file in place of the folder, even if the server keeps recreating the folder.
fn block_files(here: &Temporary) {
    let files = here.data().join("files");
    for number in 0.. {
        if fs::write(&files, "no folder").is_ok() {
            break;
        }
        fs::rename(&files, here.path(&format!("moved{number}"))).expect("the folder moves");
    }
}

#[test]
fn the_public_address_says_whether_it_is_ready_and_only_the_operators_says_why() {
    let here = with_metrics(Temporary::with_company());
    let watched = Watched::start(&here);
    assert_eq!(get(&format!("{}/metrics", watched.server.address), None).0, 404);
    let (public, own, said) = watched.ready();
    assert_eq!((public, own, &said["status"]), (200, 200, &json!("ready")), "{said}");
    // Readiness is cached for a second, so we ask another server without the files.
    watched.server.kill();
    let watched = Watched::start(&here);
    block_files(&here);
    let (public, own, said) = watched.ready();
    assert_eq!((public, own, &said["status"]), (503, 503, &json!("unready")), "{said}");
    assert_eq!(failing(&said), ["files"]);
    for address in [&watched.server.address, &watched.metrics] {
        assert_eq!(get(&format!("{address}/livez"), None).0, 200);
    }
    let numbers = watched.numbers();
    assert!(
        numbers.contains("countersign_check_ok{check=\"files\"} 0\n"),
        "{numbers}"
    );
}

#[test]
fn a_nearly_full_disk_is_reported_and_keeps_no_signer_away() {
    let here = with_metrics(Temporary::with_company()).with("COUNTERSIGN_DOCUMENTS__LEAST_FREE_PERCENT", "101");
    let watched = Watched::start(&here);
    let (public, own, said) = watched.ready();
    assert_eq!((public, own, &said["status"]), (200, 200, &json!("degraded")), "{said}");
    assert_eq!(failing(&said), ["disk"]);
}

#[test]
fn an_address_for_metrics_that_is_in_use_stops_nobody() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    let here = Temporary::with_company().with("COUNTERSIGN_METRICS__LISTEN", &address);
    let watched = Watched::start(&here);
    assert_eq!(get(&format!("{}/readyz", watched.server.address), None).0, 200);
    assert!(
        watched.log().contains(&format!("cannot listen on {address}")),
        "{}",
        watched.log()
    );
    let none = Temporary::with_company().with("COUNTERSIGN_METRICS__LISTEN", "");
    let watched = Watched::start(&none);
    assert_eq!(
        (watched.metrics.as_str(), watched.log().contains("cannot listen")),
        ("", false)
    );
}

#[test]
fn every_answer_has_an_id_also_one_to_a_request_that_is_none() {
    let here = Temporary::with_company();
    let server = here.serve();
    let ids: Vec<String> = [
        "GET /livez HTTP/1.1\r\nHost: a\r\nX-Request-Id: chosen\r\nConnection: close\r\n\r\n",
        "GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    ]
    .iter()
    .map(|request| {
        let answer = raw(&server.address, request.as_bytes());
        let (_, id) = answer
            .split_once("x-request-id: ")
            .unwrap_or_else(|| panic!("{answer}"));
        id.lines().next().unwrap_or_default().to_owned()
    })
    .collect();
    assert!(ids.iter().all(|id| id.len() == 36), "{ids:?}");
}
