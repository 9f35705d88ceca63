//! What a flood leaves behind in the running server.

use std::sync::Barrier;

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
    std::thread::scope(|scope| {
        for number in 0..GUESSERS {
            let (start, address) = (&start, &server.address);
            scope.spawn(move || {
                start.wait();
                // Another account each time, so each try costs a hash.
                let (status, answer) = login_answer(address, "acme", &format!("nobody{number}@example.com"), "a guess");
                assert_eq!(
                    (status, &answer["header"]["result_code"]),
                    (200, &json!("10")),
                    "{answer}"
                );
            });
        }
    });
    let after = resident(server.process_id());
    assert!(after - before < MOST_MB, "{before:.0} MB before, {after:.0} MB after");
}
