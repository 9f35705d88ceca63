//! What a flood leaves behind in the running server.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use crate::serving::login_answer;
use crate::support::Temporary;

const GUESSERS: usize = 100;
/// The most that may be left.
const MOST_MB: f64 = 64.0;

/// Resident memory of a process, in MB.
fn resident(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
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
                // Another account each time, so each try costs a hash.
                let (status, answer) = login_answer(address, "acme", &format!("nobody{number}@example.com"), "a guess");
                let code = &answer["header"]["result_code"];
                // On a busy machine some wait too long for their turn and are asked to come back.
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
