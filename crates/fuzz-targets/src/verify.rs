//! Treats any bytes as a sealed file. Any file that verifies must be one that the key sealed. Up to the end of its last
//! signature's range, only the spelling of the signature's value may differ, and the page must look as it did when
//! sealed.

use std::sync::OnceLock;

use document::pages::render::page_image;
use document::verify::{SignatureKind, verify as verify_file};

use crate::as_in_the_worker;
use crate::materials::{now, seal_key};
use crate::seeds;

/// Returns the files that the key sealed, with their rendered first pages.
fn sealed() -> &'static Vec<(Vec<u8>, Vec<u8>)> {
    static SEALED: OnceLock<Vec<(Vec<u8>, Vec<u8>)>> = OnceLock::new();
    SEALED.get_or_init(|| {
        seeds::sealed()
            .into_iter()
            .map(|(_, file, _)| {
                let look = page_image(&file, 1, 30.0).expect("it can be shown");
                (file, look)
            })
            .collect()
    })
}

/// Verifies any bytes as a sealed file. True if it is valid.
pub fn verify(data: &[u8]) -> bool {
    let Some(verdict) = as_in_the_worker(|| verify_file(data, &seal_key().roots, now())) else {
        return false;
    };
    assert_eq!(verdict.length, data.len() as u64);
    if !verdict.holds_strictly() {
        return false;
    }
    let last = verdict.signatures.last().expect("what holds has a signature");
    assert_ne!(
        last.kind,
        SignatureKind::DocumentTimestamp,
        "nobody here stamps documents"
    );
    let covered = usize::try_from(last.covered).expect("a length");
    let found = sealed().iter().find(|(file, _)| is_same(file, data, covered));
    let (_, look) = found.expect("what holds was sealed");
    if let Some(Ok(shown)) = as_in_the_worker(|| page_image(data, 1, 30.0)) {
        assert_eq!(&shown, look, "what holds looks as it was sealed");
    }
    true
}

/// Whether two files agree in the range of the last signature, except for the hexadecimal digits of values.
fn is_same(file: &[u8], other: &[u8], covered: usize) -> bool {
    match (file.get(..covered), other.get(..covered)) {
        (Some(file), Some(other)) => file
            .iter()
            .zip(other)
            .all(|(a, b)| a == b || (a.is_ascii_hexdigit() && b.is_ascii_hexdigit())),
        _ => false,
    }
}
