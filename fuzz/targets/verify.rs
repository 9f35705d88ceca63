//! Any bytes as a sealed file. Whatever holds is one of the files that the key sealed: up to what its last signature covers,
//! only the signature's value may be written otherwise, and the page looks as it was sealed.
#![no_main]

use std::sync::OnceLock;

use countersign_fuzz::{as_in_the_worker, folder, now, seal_key, watch_panics};
use document::render::page_image;
use document::verify::{SignatureKind, verify};
use libfuzzer_sys::fuzz_target;

/// The files that the key sealed, and how their first pages look.
fn sealed() -> &'static Vec<(Vec<u8>, Vec<u8>)> {
    static SEALED: OnceLock<Vec<(Vec<u8>, Vec<u8>)>> = OnceLock::new();
    SEALED.get_or_init(|| {
        let names = ["plain-table", "plain-stream", "form-table", "form-stream"];
        let kinds = ["", "approved-", "long-"];
        let mut sealed = Vec::new();
        for name in kinds.iter().flat_map(|kind| names.map(|name| format!("{kind}{name}"))) {
            let file = std::fs::read(folder().join("seeds/verify").join(name)).expect("`seeds` was run");
            let look = page_image(&file, 1, 30.0).expect("it can be shown");
            sealed.push((file, look));
        }
        sealed
    })
}

fuzz_target!(init: { watch_panics(); sealed(); }, |data: &[u8]| {
    let Some(verdict) = as_in_the_worker(|| verify(data, &seal_key().roots, now())) else {
        return;
    };
    assert_eq!(verdict.length, data.len() as u64);
    if !verdict.holds_strictly() {
        return;
    }
    let last = verdict.signatures.last().expect("what holds has a signature");
    assert_ne!(last.kind, SignatureKind::DocumentTimestamp, "nobody here stamps documents");
    let covered = usize::try_from(last.covered).expect("a length");
    let found = sealed().iter().find(|(file, _)| is_same(file, data, covered));
    let (_, look) = found.expect("what holds was sealed");
    if let Some(Ok(shown)) = as_in_the_worker(|| page_image(data, 1, 30.0)) {
        assert_eq!(&shown, look, "what holds looks as it was sealed");
    }
});

/// Whether two files agree in all that the last signature covers: all but the hexadecimal digits of values.
fn is_same(file: &[u8], other: &[u8], covered: usize) -> bool {
    match (file.get(..covered), other.get(..covered)) {
        (Some(file), Some(other)) => file
            .iter()
            .zip(other)
            .all(|(a, b)| a == b || (a.is_ascii_hexdigit() && b.is_ascii_hexdigit())),
        _ => false,
    }
}
