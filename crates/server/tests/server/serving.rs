//! `serve`: its first line of output, its first response, and its end.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use store::Settings;
use testkit::database::TestDatabase;
use testkit::database_proxy::DatabaseProxy;
use testkit::installation::Server;
use testkit::receiver::Receiver;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::{EMAIL, PASSWORD, Temporary};

/// Runs one HTTP exchange. Returns status and body.
fn exchange(url: &str, method: &str, token: Option<&str>, body: &str) -> (u16, Vec<u8>) {
    let (host, path) = url.trim_start_matches("http://").split_once('/').expect("a path");
    let authorization = token.map_or_else(String::new, |token| format!("Authorization: service {token}\r\n"));
    let request = format!(
        "{method} /{path} HTTP/1.1\r\nHost: {host}\r\n{authorization}Content-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let mut connection = TcpStream::connect(host).expect("a connection");
    connection.write_all(request.as_bytes()).expect("a request");
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer).expect("an answer");
    let end = answer.windows(4).position(|part| part == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .expect("a status");
    assert!(
        !head.to_ascii_lowercase().contains("transfer-encoding: chunked"),
        "a body of known length: {head}"
    );
    (status, answer.split_off(end + 4))
}

pub fn get(url: &str, token: Option<&str>) -> (u16, Vec<u8>) {
    exchange(url, "GET", token, "")
}

pub fn post(url: &str, token: Option<&str>, body: &Value) -> (u16, Value) {
    let (status, body) = exchange(url, "POST", token, &body.to_string());
    (status, serde_json::from_slice(&body).expect("JSON"))
}

pub fn patch(url: &str, token: Option<&str>, body: &Value) -> (u16, Value) {
    let (status, body) = exchange(url, "PATCH", token, &body.to_string());
    (status, serde_json::from_slice(&body).expect("JSON"))
}

pub fn login_answer(address: &str, company: &str, email: &str, password: &str) -> (u16, Value) {
    let body = json!({"header": {"request_code": "1001Q"}, "body": {"memb_email": email, "memb_pwd": password}});
    post(&format!("{address}/api/{company}/login"), None, &body)
}

pub fn login(address: &str, company: &str, email: &str, password: &str) -> String {
    let (status, answer) = login_answer(address, company, email, password);
    assert_eq!(
        (status, &answer["header"]["result_code"]),
        (200, &json!("00")),
        "{answer}"
    );
    answer["body"]["access_token"].as_str().expect("a token").to_owned()
}

#[test]
fn the_first_line_names_an_address_that_answers_at_once() {
    let here = Temporary::with_company();
    let server = here.serve();
    assert!(server.address.starts_with("http://127.0.0.1:"), "{}", server.address);
    login(&server.address, "ACME", EMAIL, PASSWORD);
    let (status, wrong) = login_answer(&server.address, "acme", EMAIL, "wrong password");
    assert_eq!((status, &wrong["header"]["result_code"]), (200, &json!("10")));
}

#[test]
fn what_the_operator_changes_counts_at_once_in_the_running_server() {
    let here = Temporary::with_company();
    let server = here.serve();
    here.run(&["company", "set", "acme", "--api", "off"], "");
    let (_, off) = login_answer(&server.address, "acme", EMAIL, PASSWORD);
    assert_eq!(off["header"]["result_code"], "95");
    here.run(&["company", "set", "acme", "--api", "on"], "");
    login(&server.address, "acme", EMAIL, PASSWORD);
}

#[test]
fn a_signal_ends_the_server_with_success_and_its_data_stay() {
    let here = Temporary::with_company();
    let mut process = here
        .command(&["serve", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a server");
    let mut first = [0; 12];
    process
        .stdout
        .as_mut()
        .expect("a pipe")
        .read_exact(&mut first)
        .expect("its first line");
    assert_eq!(&first, b"listening on");
    let killed = Command::new("kill")
        .args(["-TERM", &process.id().to_string()])
        .status()
        .expect("kill");
    assert!(killed.success());
    let ended = process.wait_with_output().expect("its end");
    let log = String::from_utf8_lossy(&ended.stderr);
    assert!(
        ended.status.success() && !log.contains("ERROR") && !log.contains("panicked"),
        "{log}"
    );
    assert_eq!(here.json(&["company", "list"], "")[0]["company"], "acme");
}

#[test]
fn a_second_server_on_one_folder_is_refused_and_commands_are_not() {
    let here = Temporary::with_company();
    let server = here.serve();
    let said = here.say(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!((said.code, said.output.as_str()), (Some(1), ""));
    for named in [
        format!("process {}", server.process_id()),
        server.address.clone(),
        "PostgreSQL".to_owned(),
    ] {
        assert!(said.error.contains(&named), "{named}: {}", said.error);
    }
    here.run(&["company", "list"], "");
    server.kill();
    here.serve();
}

#[test]
fn a_port_in_use_and_a_wrong_address_are_named() {
    let here = Temporary::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    let said = here.say(&["serve", "--listen", &address]);
    assert_eq!((said.code, said.output.as_str()), (Some(1), ""));
    assert!(said.error.contains(&address), "{}", said.error);
    assert_eq!(here.say(&["serve", "--listen", "nowhere"]).code, Some(1));
}

/// The web process accepts starts and approvals, the worker delivers them, and each works without the other.
#[test]
fn the_work_is_split_over_two_processes_on_postgresql() {
    let database = TestDatabase::postgres();
    let temporary = Temporary::new().on(&database);
    temporary.run(&["migrate"], "");
    temporary.add_company();
    let template = testkit::contract::import(&temporary, "acme");
    let receiver = Receiver::start();
    let web = temporary.serve_as("web");
    let token = login(&web.address, "acme", EMAIL, PASSWORD);
    let approved = |name: &str| {
        let start = json!({
            "workflow_name": name,
            "template_id": template,
            "recipient_list": [
                {"order": 1, "name": "김사장", "email": "employer@example.com"},
                {"order": 2, "name": "이직원", "email": "employee@example.com"},
            ],
            "export_api_info": {"url": receiver.url("/hook"), "api_type": "ALL", "is_embed": true},
        });
        let (status, started) = post(&format!("{}/api/v3/workflows/start", web.address), Some(&token), &start);
        assert_eq!(status, 200, "{started}");
        let path = format!("{}/api/v3/workflows/{}/approve", web.address, started["workflow_id"]);
        let approval = json!({"order": 1, "field_list": testkit::contract::values_of_step(1), "comment": name});
        let (status, answer) = post(&path, Some(&token), &approval);
        assert_eq!(status, 200, "{answer}");
    };
    approved("before the worker");
    assert_eq!(receiver.connections(), 0, "the web side sends nothing");
    let worker = temporary.serve_as("worker");
    receiver.wait_for(1);
    approved("while it works");
    receiver.wait_for(2);
    worker.kill();
    approved("after the worker");
    let _worker = temporary.serve_as("worker");
    // Anything the killed worker sent but did not record is sent again, in any order.
    let comments = (3..10)
        .map(|count| {
            let webhooks = receiver.wait_for(count);
            let comment = |webhook: &testkit::receiver::Received| webhook.json()["comment"].as_str().map(str::to_owned);
            webhooks.iter().filter_map(comment).collect::<BTreeSet<_>>()
        })
        .find(|comments| comments.len() > 2)
        .expect("the third arrives, or the receiver's patience ends");
    let expected = ["before the worker", "while it works", "after the worker"];
    assert_eq!(comments, expected.map(str::to_owned).into());
}

/// Returns everything the server answers to these bytes until it closes.
pub fn raw(address: &str, request: &[u8]) -> String {
    let mut connection = TcpStream::connect(address.trim_start_matches("http://")).expect("a connection");
    connection.write_all(request).expect("a request");
    let mut answer = Vec::new();
    let _ = connection.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn a_request_that_two_readers_may_read_differently_is_answered_with_400() {
    let here = Temporary::with_company();
    let server = here.serve();
    for request in [
        "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\nConnection: close\r\n\r\n",
        "GET /healthz HTTP/1.1\nHost: a\nConnection: close\n\n",
        "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\n",
        "POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ] {
        let answer = raw(&server.address, request.as_bytes());
        assert!(answer.starts_with("HTTP/1.1 400 "), "{request:?}: {answer}");
    }
    let good = raw(
        &server.address,
        b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    );
    assert!(good.starts_with("HTTP/1.1 200 "), "{good}");
}

/// Like [`raw`], but sends a health check from another loopback address.
fn healthz_from(local: &str, address: &str) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
        let local = format!("{local}:0").parse().expect("an address");
        socket.bind(local).expect("an address of this machine");
        let address = address.parse().expect("an address");
        let mut connection = socket.connect(address).await.expect("a connection");
        let request = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        connection.write_all(request).await.expect("a request");
        let mut answer = String::new();
        connection.read_to_string(&mut answer).await.expect("an answer");
        answer
    })
}

/// A server that may open 512 files keeps answering when clients try to open more connections than that.
#[test]
fn with_few_files_connections_leave_room_for_answering() {
    let here = Temporary::with_company();
    let command = here.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "ulimit -n 512 && exec \"$@\"", "sh"])
        .arg(command.get_program())
        .args(command.get_args())
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let server = Server::begin(limited).expect("it serves");
    let address = server.address.trim_start_matches("http://").to_owned();
    // One address has 32 of 128 places. Further connections get an error.
    let mut flood = Vec::new();
    let mut refused = 0;
    for _ in 0..600 {
        let mut connection = TcpStream::connect(&address).expect("a connection");
        if flood.len() >= 32 {
            let mut answer = String::new();
            let _ = connection.read_to_string(&mut answer);
            refused += usize::from(answer.starts_with("HTTP/1.1 503 "));
        }
        flood.push(connection);
    }
    assert!(refused > 500, "{refused}");
    assert!(healthz_from("127.0.0.2", &address).starts_with("HTTP/1.1 200 "));
    // The database and the files can still be used.
    drop(flood);
    login(&server.address, "acme", EMAIL, PASSWORD);
}

#[test]
fn doctor_says_when_too_few_files_may_be_open() {
    let here = Temporary::with_company();
    let command = here.command(&["doctor"]);
    let said = |limit: &str| {
        let output = Command::new("sh")
            .args(["-c", &format!("ulimit -n {limit} && exec \"$@\""), "sh"])
            .arg(command.get_program())
            .args(command.get_args())
            .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .output()
            .expect("a shell");
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    let (is_healthy, few) = said("256");
    assert!(
        !is_healthy && few.contains("256 files can be open at once, for up to 64 connections"),
        "{few}"
    );
    assert!(few.contains("LimitNOFILE=65536"), "{few}");
    let (_, enough) = said("4096");
    assert!(
        enough.contains("good  open files") && enough.contains("4096 files can be open"),
        "{enough}"
    );
}

#[test]
fn the_unit_restarts_the_service_and_lets_it_open_enough_files() {
    let unit = include_str!("../../../../packaging/debian/countersign.service");
    for setting in ["Restart=on-failure\n", "RestartSec=", "LimitNOFILE=65536\n"] {
        assert!(unit.contains(setting), "{setting}");
    }
}

#[test]
fn a_container_learns_whether_its_server_is_healthy() {
    let here = Temporary::with_company();
    let server = here.serve();
    let address = server.address.trim_start_matches("http://").to_owned();
    let check = || here.say(&["healthcheck", "--address", &address]);
    assert_eq!(check().code, Some(0));
    drop(server);
    let unhealthy = check();
    assert_eq!(unhealthy.code, Some(1));
    assert!(
        unhealthy.error.contains(&format!("{address} does not answer")),
        "{}",
        unhealthy.error
    );
}

#[test]
fn a_package_gets_manual_pages_and_completions() {
    let here = Temporary::new();
    let folder = here.path("manual");
    here.run(&["manual", folder.to_str().expect("a path")], "");
    let text = |file: &str| std::fs::read_to_string(folder.join(file)).expect(file);
    assert!(text("countersign.1").contains("countersign"));
    assert!(text("countersign-template-import.1").contains("FIELDS"));
    for file in ["countersign.bash", "countersign.fish", "_countersign"] {
        assert!(text(file).contains("doctor"), "{file}");
    }
}

#[test]
fn serve_waits_for_a_database_that_starts_later() {
    let database = TestDatabase::postgres();
    drop(database.open());
    let proxy = DatabaseProxy::to(database.settings());
    let Settings::Postgres { url, .. } = proxy.settings() else {
        unreachable!("the proxy is for PostgreSQL");
    };
    let here = Temporary::new().with("COUNTERSIGN_DATABASE__URL", url.expose());
    proxy.set_reachable(false);
    let mut serve = here
        .command(&["serve", "--listen", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut log = BufReader::new(serve.stderr.take().expect("a pipe")).lines();
    let says = |line: std::io::Result<String>| line.expect("a line").contains("waiting up to 60 s for the database");
    assert!(log.by_ref().any(says), "the log says that it waits");
    proxy.set_reachable(true);
    std::thread::spawn(move || log.for_each(drop));
    let mut first = String::new();
    let mut output = BufReader::new(serve.stdout.take().expect("a pipe"));
    output.read_line(&mut first).expect("a line");
    assert!(first.starts_with("listening on "), "{first}");
    let address = first.trim_start_matches("listening on ").trim().to_owned();
    // There is no company: the address at which a browser creates the first one follows, with its code.
    let mut second = String::new();
    output.read_line(&mut second).expect("a line");
    assert!(second.contains(&format!("{address}/first-run?token=")), "{second}");
    serve.kill().expect("a running server");
    serve.wait().expect("its end");

    // The server does not wait if the database refuses the connection.
    let wrong = Temporary::new().with("COUNTERSIGN_DATABASE__URL", &format!("{}_absent", url.expose()));
    let said = wrong.say(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(said.code, Some(1));
    assert!(
        !said.error.contains("waiting") && said.error.contains("does not exist"),
        "{}",
        said.error
    );
}
