//! Measures a flood of wrong logins at one company: how it affects another company's program, and how much memory
//! remains in use afterwards.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::installation::{Installation, Server};

use crate::machine::{percentile, resident_mb};

const PASSWORD: &str = "plover lantern quay 47";
const OWNER: &str = "owner@example.com";
/// Number of simultaneous guesses, and of callers that keep guessing.
const GUESSES: u64 = 100;
const GUESSERS: u64 = 100;
/// Maximum number of requests of each kind.
const SAMPLES: usize = 200;
const LONGEST: Duration = Duration::from_secs(20);
/// Time that the server rests before its memory is measured again.
const REST: Duration = Duration::from_mins(1);

/// Prints the table's rows.
pub async fn measure(binary: &Path, data: &Path) {
    // Each guess costs a hash because it appears to come from one of a hundred addresses.
    let installation = Installation::new(binary, data)
        .with("COUNTERSIGN_LOGIN__PER_ADDRESS", "1000000")
        .with("COUNTERSIGN_LOG__FILTER", "warn");
    for company in ["attacked", "other"] {
        installation.run(&["company", "add", company, "--name", "Bench"], "");
        let member = [
            "member",
            "add",
            "--company",
            company,
            "--email",
            OWNER,
            "--role",
            "owner",
        ];
        installation.run(&member, PASSWORD);
    }
    let server = installation.serve();
    let http = reqwest::Client::new();
    let token = log_in(&http, &server, "other", OWNER, PASSWORD).await.expect("a token");
    tokio::time::sleep(Duration::from_secs(5)).await;

    let before = resident_mb(server.process_id());
    let guesses: Vec<_> = (0..GUESSES).map(|number| guess(&http, &server, number)).collect();
    for guess in guesses {
        guess.await.expect("an answer");
    }
    let after = resident_mb(server.process_id());
    tokio::time::sleep(REST).await;
    let later = resident_mb(server.process_id());
    println!(
        "| memory after {GUESSES} wrong logins at once | {after:.0} MB, {later:.0} MB a minute later | before | {:+.0} MB (at most 64) |",
        later - before
    );

    let list = || async {
        let begin = Instant::now();
        let url = format!("{}/api/v3/workflows", server.address);
        let asked = http.get(url).header("authorization", format!("service {token}"));
        assert!(asked.send().await.expect("an answer").status().is_success());
        begin.elapsed().as_secs_f64() * 1e3
    };
    let log_in_again = || async {
        let begin = Instant::now();
        log_in(&http, &server, "other", OWNER, PASSWORD).await.expect("a token");
        begin.elapsed().as_secs_f64() * 1e3
    };
    let idle = [p95(list).await, p95(log_in_again).await];
    let (stop, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(GUESSES)));
    let flood: Vec<_> = (0..GUESSERS)
        .map(|_| {
            let (http, address) = (reqwest::Client::new(), server.address.clone());
            let (stop, count) = (Arc::clone(&stop), Arc::clone(&count));
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let email = format!("nobody{}@example.com", count.fetch_add(1, Ordering::Relaxed));
                    let _ = log_in_at(&http, &address, "attacked", &email, "a guess").await;
                }
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let begin = (Instant::now(), count.load(Ordering::Relaxed));
    let flooded = [p95(list).await, p95(log_in_again).await];
    let rate = (count.load(Ordering::Relaxed) - begin.1) as f64 / begin.0.elapsed().as_secs_f64();
    stop.store(true, Ordering::Relaxed);
    for guesser in flood {
        guesser.await.expect("a guesser's loop");
    }
    for (name, idle, flooded) in [("a list", idle[0], flooded[0]), ("a login", idle[1], flooded[1])] {
        println!(
            "| another company's p95 of {name} under {rate:.0} wrong logins a second | {flooded:.1} ms | idle: {idle:.1} ms | {:.1} times (at most 2) |",
            flooded / idle
        );
    }
}

async fn p95<F, Work>(work: F) -> f64
where
    F: Fn() -> Work,
    Work: Future<Output = f64>,
{
    let mut samples = Vec::new();
    let begin = Instant::now();
    while samples.len() < SAMPLES && begin.elapsed() < LONGEST {
        samples.push(work().await);
    }
    percentile(&mut samples, 0.95)
}

fn guess(http: &reqwest::Client, server: &Server, number: u64) -> tokio::task::JoinHandle<Option<String>> {
    let (http, address) = (http.clone(), server.address.clone());
    let email = format!("nobody{number}@example.com");
    tokio::spawn(async move { log_in_at(&http, &address, "attacked", &email, "a guess").await })
}

async fn log_in(http: &reqwest::Client, server: &Server, company: &str, email: &str, password: &str) -> Option<String> {
    log_in_at(http, &server.address, company, email, password).await
}

async fn log_in_at(
    http: &reqwest::Client,
    address: &str,
    company: &str,
    email: &str,
    password: &str,
) -> Option<String> {
    let body = json!({"header": {"request_code": "1001Q"}, "body": {"memb_email": email, "memb_pwd": password}});
    let asked = http.post(format!("{address}/api/{company}/login")).json(&body);
    let answer: serde_json::Value = asked.send().await.expect("an answer").json().await.expect("JSON");
    answer["body"]["access_token"].as_str().map(str::to_owned)
}
