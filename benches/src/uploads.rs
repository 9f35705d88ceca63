//! Measures a flood of uploads through one link, of pictures that are small to send and large to decode: how it affects
//! others, and how much memory remains in use afterwards.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::installation::{Installation, Server};

use crate::machine::{idle_share, memory_of_tree, percentile};

const MEMBER: &str = "owner@example.com";
const PASSWORD: &str = "correct horse battery staple";
/// Number of simultaneous uploads.
const FLOOD: usize = 200;
/// Duration of the flood, and of each measurement of the other requests.
const LOAD: Duration = Duration::from_secs(20);
/// Time after which memory must be back to normal.
const REST: Duration = Duration::from_mins(1);

/// The people and programs of a company, which work in a loop.
#[derive(Clone)]
struct Company {
    http: reqwest::Client,
    base: String,
    authorization: String,
    template: i64,
}

impl Company {
    fn set_up(installation: &Installation, id: &str) -> i64 {
        installation.run(&["company", "add", id, "--name", id], "");
        let member = ["member", "add", "--company", id, "--email", MEMBER, "--role", "owner"];
        installation.run(&member, PASSWORD);
        testkit::contract::import(installation, id)
    }

    async fn log_in(server: &Server, id: &str, template: i64) -> Self {
        let http = reqwest::Client::new();
        let body = json!({"header": {"request_code": "1001Q"}, "body": {"memb_email": MEMBER, "memb_pwd": PASSWORD}});
        let login = http.post(format!("{}/api/{id}/login", server.address)).json(&body);
        let answer: Value = login.send().await.expect("an answer").json().await.expect("JSON");
        let token = answer["body"]["access_token"].as_str().expect("a token");
        Self {
            http,
            base: server.address.clone(),
            authorization: format!("service {token}"),
            template,
        }
    }

    /// Starts a document. Returns its ID and the link of its first signer.
    async fn start(&self) -> (i64, String) {
        let body = json!({
            "workflow_name": "근로계약서",
            "template_id": self.template,
            "recipient_list": [
                {"order": 1, "name": "김사장", "email": "employer@example.com"},
                {"order": 2, "name": "이직원", "email": "employee@example.com"},
            ],
            "export_api_info": {"url": "https://127.0.0.1:9/hook", "api_type": "ALL", "is_embed": true},
        });
        let request = self
            .http
            .post(format!("{}/api/v3/workflows/start", self.base))
            .json(&body);
        let answer = request.header("authorization", &self.authorization).send().await;
        let answer: Value = answer.expect("an answer").json().await.expect("JSON");
        let id = answer["workflow_id"].as_i64();
        let link = answer["token"].as_str().map(str::to_owned);
        id.zip(link).unwrap_or_else(|| panic!("no start: {answer}"))
    }

    async fn look(&self, id: i64) {
        let request = self.http.get(format!("{}/api/v3/workflows/{id}", self.base));
        let answer = request.header("authorization", &self.authorization).send().await;
        assert!(answer.expect("an answer").status().is_success(), "no workflow");
    }

    /// Sends a picture through a link. If it is refused, returns the seconds to wait before a retry.
    async fn upload(&self, link: &str, body: &str) -> Option<u64> {
        let request = self.http.post(format!("{}/sign/files", self.base));
        let request = request
            .header("content-type", "application/json")
            .header("link-token", link);
        let answer = request.body(body.to_owned()).send().await.expect("an answer");
        let again = answer
            .headers()
            .get("retry-after")
            .and_then(|wait| wait.to_str().ok()?.parse().ok());
        match answer.status().as_u16() {
            200 => None,
            429 | 503 => Some(again.unwrap_or(1)),
            status => panic!("an upload was answered {status}"),
        }
    }

    /// Returns the times of each action during a load, in milliseconds.
    async fn measured(&self, signature: &str) -> BTreeMap<&'static str, Vec<f64>> {
        let mut times: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
        let (begin, mut refused) = (Instant::now(), 0);
        while begin.elapsed() < LOAD {
            let at = Instant::now();
            let (id, link) = self.start().await;
            times.entry("start").or_default().push(milliseconds(at));
            let at = Instant::now();
            self.look(id).await;
            times.entry("look").or_default().push(milliseconds(at));
            let at = Instant::now();
            refused += u32::from(self.upload(&link, signature).await.is_some());
            times.entry("signature").or_default().push(milliseconds(at));
        }
        if refused > 0 {
            println!("| signatures of the other company that were refused | {refused} | 0 | |");
        }
        times
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// Returns the first signer's field for a signature or seal.
fn signature_field() -> String {
    let fields = testkit::contract::fields();
    let all = fields["fields"].as_array().expect("fields");
    let takes = |field: &&Value| field["step"] == 1 && ["signature", "seal"].iter().any(|kind| field["kind"] == *kind);
    let found = all.iter().find(takes).expect("a signature in the first step");
    found["name"].as_str().expect("a name").to_owned()
}

/// Returns a PNG of 20 million pixels in a few kilobytes, encoded as a page sends it.
fn bomb(field: &str) -> String {
    use base64::prelude::{BASE64_STANDARD, Engine};
    let mut file = std::io::Cursor::new(Vec::new());
    image::RgbImage::from_pixel(10_000, 2_000, image::Rgb([10, 20, 30]))
        .write_to(&mut file, image::ImageFormat::Png)
        .expect("a picture");
    json!({"name": field, "data": BASE64_STANDARD.encode(file.into_inner())}).to_string()
}

/// Runs 200 uploads at a time through one link while the other requests are measured. Senders honour `Retry-After`.
fn flood(
    company: &Company,
    link: &str,
    body: &str,
    ended: &Arc<AtomicBool>,
) -> (Arc<AtomicU64>, Vec<tokio::task::JoinHandle<()>>) {
    let taken = Arc::new(AtomicU64::new(0));
    let senders = (0..FLOOD).map(|_| {
        let (company, link, body) = (company.clone(), link.to_owned(), body.to_owned());
        let (ended, taken) = (Arc::clone(ended), Arc::clone(&taken));
        tokio::spawn(async move {
            while !ended.load(Ordering::SeqCst) {
                match company.upload(&link, &body).await {
                    None => drop(taken.fetch_add(1, Ordering::SeqCst)),
                    Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
                }
            }
        })
    });
    let senders = senders.collect();
    (taken, senders)
}

/// Measures everything and prints the rows.
pub async fn measure(binary: &Path, data: &Path) {
    let installation = Installation::new(binary, data);
    let (flooding, other) = (
        Company::set_up(&installation, "flooding"),
        Company::set_up(&installation, "other"),
    );
    let server = installation.serve();
    let flooding = Company::log_in(&server, "flooding", flooding).await;
    let other = Company::log_in(&server, "other", other).await;
    let field = signature_field();
    let signature = json!({"name": field, "data": testkit::contract::PNG}).to_string();
    let (_, link) = flooding.start().await;
    // Warms up everything first: workers, fonts and templates.
    flooding.upload(&link, &signature).await;
    other.measured(&signature).await;
    let memory = memory_of_tree(server.process_id());
    println!("| idle share before the uploads | {:.0} % | | |", idle_share() * 100.0);
    let mut idle = other.measured(&signature).await;

    let ended = Arc::new(AtomicBool::new(false));
    let body = bomb(&field);
    let (taken, senders) = flood(&flooding, &link, &body, &ended);
    let peak = {
        let (ended, process) = (Arc::clone(&ended), server.process_id());
        std::thread::spawn(move || {
            let mut peak = 0_f64;
            while !ended.load(Ordering::SeqCst) {
                peak = peak.max(memory_of_tree(process));
                std::thread::sleep(Duration::from_millis(50));
            }
            peak
        })
    };
    let mut flooded = other.measured(&signature).await;
    ended.store(true, Ordering::SeqCst);
    senders.iter().for_each(tokio::task::JoinHandle::abort);
    let peak = peak.join().expect("the memory is watched");
    for (act, times) in &mut flooded {
        let idle = percentile(idle.get_mut(act).expect("the same acts"), 0.95);
        let flooded = percentile(times, 0.95);
        println!(
            "| another company's {act} during {FLOOD} uploads of {} kB by one link | {flooded:.1} ms p95 | idle {idle:.1} ms | \
             {:.1} times (at most 2) |",
            body.len() / 1000,
            flooded / idle
        );
    }
    println!(
        "| pictures of 20 million pixels taken meanwhile | {} | | |",
        taken.load(Ordering::SeqCst)
    );
    tokio::time::sleep(REST).await;
    let after = memory_of_tree(server.process_id());
    println!(
        "| memory of the server and its children: before, most, {} s later | {memory:.0}, {peak:.0}, {after:.0} MiB | | \
         {:+.0} MiB (at most 64) |",
        REST.as_secs(),
        after - memory
    );
}
