//! The memory that a flood leaves in use in a running server, and the peak for a document that contains large files.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::serving::{login, login_answer, post};
use crate::support::{EMAIL, Temporary, pdf};

const GUESSERS: usize = 100;
/// The maximum increase after a flood.
const MOST_MB: f64 = 64.0;

/// The files inside one document may have at most 25 MB together.
const FILES: usize = 3;
const FILE_BYTES: usize = 8_333_333;
/// The maximum memory for sealing the document, as a multiple of its size. Measured: 3.0 to 4.7, depending on what the
/// allocator still keeps. One more copy of the files would add 1, and base64 of them 1.3.
const MOST_TIMES: f64 = 6.0;

/// Returns the resident memory of a process, in MB.
fn resident(process: u32) -> f64 {
    memory(process, "VmRSS:")
}

/// Returns the peak memory of a process since the peak was reset.
fn peak(process: u32) -> f64 {
    memory(process, "VmHWM:")
}

fn forget_peak(process: u32) {
    std::fs::write(format!("/proc/{process}/clear_refs"), "5").expect("Linux");
}

fn memory(process: u32, which: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix(which));
    let kib: f64 = line
        .and_then(|line| line.trim().strip_suffix(" kB"))
        .and_then(|kib| kib.trim().parse().ok())
        .expect("its memory");
    kib * 1024.0 / 1e6
}

#[test]
fn a_hundred_wrong_logins_at_once_leave_no_more_memory_than_64_mb() {
    let here = Temporary::with_company();
    let server = here.serve();
    let before = resident(server.process_id());
    let start = Barrier::new(GUESSERS);
    let hashed = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for number in 0..GUESSERS {
            let (start, hashed, address) = (&start, &hashed, &server.address);
            scope.spawn(move || {
                start.wait();
                // A different account each time, so that each try costs a hash.
                let (status, answer) = login_answer(address, "acme", &format!("nobody{number}@example.com"), "a guess");
                let code = &answer["header"]["result_code"];
                // On a busy machine some requests wait too long for their turn, and the client must retry.
                let is_busy = (status, code) == (503, &json!("99"));
                assert!(is_busy || (status, code) == (200, &json!("10")), "{status} {answer}");
                hashed.fetch_add(usize::from(!is_busy), Ordering::Relaxed);
            });
        }
    });
    let hashed = hashed.into_inner();
    assert!(hashed >= 10, "only {hashed} of {GUESSERS} were tried");
    let after = resident(server.process_id());
    assert!(after - before < MOST_MB, "{before:.0} MB before, {after:.0} MB after");
}

/// Returns incompressible bytes in base64.
fn file(number: usize) -> String {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_add(number as u64);
    let bytes = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    let bytes: Vec<u8> = bytes.flatten().take(FILE_BYTES).collect();
    BASE64_STANDARD.encode(bytes)
}

#[test]
fn sealing_a_document_with_25_mb_of_files_takes_bounded_memory() {
    let here = Temporary::with_company();
    let field = |step: usize, kind: &str| {
        json!({"name": format!("field {step}"), "kind": kind, "step": step, "page": 1, "x": 100_000,
            "y": 100_000 * step, "width": 500_000, "height": 40_000})
    };
    let mut fields: Vec<Value> = (1..=FILES).map(|step| field(step, "attachment")).collect();
    for field in &mut fields {
        field["embed"] = json!(true);
    }
    fields.push(field(FILES + 1, "text"));
    let steps: Vec<Value> = (1..=FILES + 1).map(|order| json!({"order": order})).collect();
    let fields = json!({"name": "Files", "steps": steps, "fields": fields}).to_string();
    let (fields, document) = (
        here.file("files.json", fields.as_bytes()),
        here.file("files.pdf", &pdf()),
    );
    let template = here.run(
        &[
            "template",
            "import",
            "--company",
            "acme",
            &document.to_string_lossy(),
            "--fields",
            &fields.to_string_lossy(),
        ],
        "",
    );
    let server = here.serve();
    let token = login(&server.address, "acme", EMAIL, crate::support::PASSWORD);
    let post = |path: &str, body: &Value| {
        let (status, answer) = post(
            &format!("{}/api/v3/workflows/{path}", server.address),
            Some(&token),
            body,
        );
        assert_eq!(status, 200, "{answer}");
        answer
    };
    let recipients: Vec<Value> = (1..=FILES + 1)
        .map(|order| json!({"order": order, "name": "Signer", "email": format!("signer{order}@example.com")}))
        .collect();
    let started = post(
        "start",
        &json!({"workflow_name": "Files", "template_id": template.trim(), "recipient_list": recipients}),
    );
    let approve = |step: usize, value: &str| {
        let values = json!([{"name": format!("field {step}"), "value": value}]);
        let path = format!("{}/approve", started["workflow_id"]);
        post(&path, &json!({"order": step, "field_list": values}))
    };
    for step in 1..=FILES {
        approve(step, &file(step));
    }
    let process = server.process_id();
    let before = resident(process);
    forget_peak(process);
    let done = approve(FILES + 1, "done");
    assert_eq!(done["status"], "Complete");
    let most = peak(process) - before;
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let times = most * 1e6 / (FILES * FILE_BYTES) as f64;
    eprintln!("sealing 25 MB of files took {most:.0} MB more than before ({before:.0} MB), {times:.1} times the files");
    assert!(times < MOST_TIMES, "{most:.0} MB more than before ({before:.0} MB)");
}
