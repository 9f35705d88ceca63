//! Runs each fuzz target with its seeds and some mutations of them. This shows that the targets compile, reach the code
//! they test, and find nothing. `script/fuzz` runs them for longer.

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use countersign_fuzz_targets::{Seed, TARGETS, as_in_the_worker, reader, seeds};

/// Pseudorandom numbers that are the same every time (`SplitMix64`).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit.max(1)).expect("a length")).expect("a place")
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }
}

/// Makes one to three changes: flips a bit, replaces a byte, removes bytes, inserts bytes from elsewhere, or cuts off
/// the end.
fn mutated(seed: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=numbers.below(3) {
        let place = numbers.below(bytes.len());
        let end = (place + 1 + numbers.below(12)).min(bytes.len());
        match numbers.below(5) {
            _ if bytes.is_empty() => {}
            0 => bytes[place] ^= 1 << numbers.below(8),
            1 => bytes[place] = numbers.byte(),
            2 => drop(bytes.drain(place..end)),
            3 => {
                let part = bytes[place..end].to_vec();
                let to = numbers.below(bytes.len());
                bytes.splice(to..to, part);
            }
            _ => bytes.truncate(place),
        }
    }
    bytes
}

/// Tries the seeds of a target, which must all reach the code under test, and `mutations` of them.
fn try_out(target: &str, mutations: usize) {
    let (_, run) = TARGETS.into_iter().find(|(name, _)| *name == target).expect("a target");
    let seeds: Vec<Seed> = seeds().into_iter().filter(|seed| seed.target == target).collect();
    assert!(!seeds.is_empty());
    for seed in &seeds {
        assert!(run(&seed.bytes), "{target} does not look at {:?}", seed.name);
    }
    let mut numbers = Numbers(2026);
    for (round, seed) in (0..mutations).zip(seeds.iter().cycle()) {
        let input = mutated(&seed.bytes, &mut numbers);
        let kept = catch_unwind(|| run(&input)).is_ok();
        assert!(
            kept,
            "{target}, round {round}, from {:?}: {}",
            seed.name,
            input.escape_ascii()
        );
    }
}

#[test]
fn cms_keeps_its_promises() {
    try_out("cms", 200);
}

#[test]
fn fields_keep_their_promises() {
    try_out("fields", 200);
}

#[test]
fn intake_keeps_its_promises() {
    try_out("intake", 16);
}

#[test]
fn overlay_keeps_its_promises() {
    try_out("overlay", 40);
}

#[test]
fn reader_keeps_its_promises() {
    try_out("reader", 200);
}

/// `COUNTERSIGN_CORPUS` names a folder of third-party PDFs.
#[test]
fn reader_keeps_its_promises_with_files_of_others() {
    let folder = std::env::var_os("COUNTERSIGN_CORPUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        PathBuf::from,
    );
    if !folder.is_dir() {
        eprintln!(
            "skipped: {} is not there; COUNTERSIGN_CORPUS names the folder",
            folder.display()
        );
        return;
    }
    let mut waiting = vec![folder];
    let (mut files, mut sound, mut broken) = (0, 0, Vec::new());
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|end| end == "pdf") {
                files += 1;
                let bytes = std::fs::read(&path).expect("a file");
                match catch_unwind(|| reader(&bytes)) {
                    Ok(is_sound) => sound += u32::from(is_sound),
                    Err(_) => broken.push(path),
                }
            }
        }
    }
    println!("{files} files, {sound} keep the rules");
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn verify_keeps_its_promises() {
    try_out("verify", 60);
}

#[test]
fn every_target_is_tried_here_and_by_the_fuzzer() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let read = |path: &str| std::fs::read_to_string(format!("{root}/{path}")).expect("it is read");
    let (here, manifest, script) = (include_str!("main.rs"), read("fuzz/Cargo.toml"), read("script/fuzz"));
    let listed = script
        .split_once("targets=(")
        .and_then(|(_, rest)| rest.split_once("targets=("))
        .and_then(|(_, rest)| rest.split_once(')'))
        .map(|(list, _)| list.split_whitespace().collect::<Vec<_>>())
        .expect("the script lists its targets");
    for (target, _) in TARGETS {
        assert!(
            here.contains(&format!("try_out(\"{target}\", ")),
            "{target} is not tried"
        );
        assert!(
            manifest.contains(&format!("path = \"targets/{target}.rs\"")),
            "{target} is not built"
        );
        assert!(listed.contains(&target), "script/fuzz leaves {target} out");
        let wrapper = read(&format!("fuzz/targets/{target}.rs"));
        assert!(
            wrapper.contains(&format!("{{ {target}(data); }}")),
            "fuzz/targets/{target}.rs runs another one"
        );
    }
}

#[test]
fn only_panics_of_foreign_crates_are_passed_over() {
    assert_eq!(as_in_the_worker(|| 1), Some(1));
    // This panics in a third-party crate.
    let foreign = || jiff::Span::new().days(i64::MAX);
    assert!(as_in_the_worker(foreign).is_none());
    assert!(catch_unwind(|| as_in_the_worker(|| panic!("ours"))).is_err());
    assert!(catch_unwind(foreign).is_err(), "outside of the worker it counts");
}
