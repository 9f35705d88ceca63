//! Generates thousands of forged files. The verifier must accept none of them.
//!
//! All readings must agree: a file that differs from a signed one in more than an honest change must not be called
//! genuine. `COUNTERSIGN_FORGERIES` sets the number of files.

use document::verify::{SignatureReport, verify};
use testkit::scale::Scale;

use crate::forger::base::{BASES, Base, shown};
use crate::forger::{Forger, Random, forge};
use crate::samples::now;

/// Whether the whole file is called genuine and still contains one of the signatures of `base`. If none is left,
/// someone with a key has signed a document of their own.
fn is_accepted(pdf: &[u8], base: &Base) -> bool {
    let verdict = verify(pdf, &BASES.1, now());
    let is_of_base = |signature: &SignatureReport| base.covered.contains(&(signature.field.clone(), signature.covered));
    verdict.holds() && verdict.signatures.iter().any(is_of_base)
}

/// The validation data that disguises a forgery is accepted by itself, so no forgery is refused merely because of its
/// disguise.
#[test]
fn what_a_forger_dresses_up_as_is_accepted() {
    for base in &BASES.0 {
        assert!(is_accepted(&base.pdf, base), "{} {:?}", base.name, base.style);
        let mut forger = Forger::at(base, Random(1));
        for _ in 0..2 {
            let store = forger.fresh();
            let mut revision = forger.begin();
            forger.dress(&mut revision, store);
            if base.dictionary(base.root).has(b"DSS") {
                // An unreferenced object.
                assert_eq!(revision.rows.pop().map(|(number, _)| number), Some(store));
                let at = revision
                    .bytes
                    .windows(5)
                    .rposition(|window| window == b" 0 ob")
                    .expect("it");
                let start = revision.bytes[..at]
                    .iter()
                    .rposition(|byte| *byte == b'\n')
                    .expect("a line");
                revision.bytes.truncate(start + 1);
            }
            forger.end_as(revision, base.style);
        }
        let verdict = verify(&forger.bytes, &BASES.1, now());
        assert!(verdict.holds(), "{} {:?}: {verdict:#?}", base.name, base.style);
        let mut padded = base.pdf.clone();
        padded.extend(b"\r\n \0\x0c\t\n");
        assert!(is_accepted(&padded, base), "{} {:?}", base.name, base.style);
    }
}

#[test]
fn no_forged_file_is_accepted() {
    let count = u64::from(Scale::Forgeries.count());
    let first: u64 = std::env::var("COUNTERSIGN_FORGERY").map_or(0, |seed| seed.parse().expect("a seed"));
    let (mut accepted, mut read, mut differ) = (Vec::new(), 0_u64, 0_u64);
    for seed in first..first + count {
        let (pdf, base, done) = forge(seed);
        if is_accepted(&pdf, base) {
            let later: Vec<String> = verify(&pdf, &BASES.1, now())
                .signatures
                .iter()
                .flat_map(|signature| &signature.later)
                .map(ToString::to_string)
                .collect();
            accepted.push(format!("{seed}: {} {:?}, {done:?}, {later:?}", base.name, base.style));
        }
        if seed % 10 == 0 {
            let readings = shown(&pdf);
            read += u64::from(readings[0].is_some());
            differ += u64::from(readings.iter().zip(&base.shown).any(|(new, old)| new != old));
        }
    }
    let sample = count.div_ceil(10);
    println!(
        "{} of {count} forged files are accepted; of {sample} looked at more closely a lenient reader reads {read}, and \
         {differ} show something else in one of two readings",
        accepted.len()
    );
    // A forgery that nobody can read, or that shows nothing different, deceives nobody.
    assert!(
        read * 10 > sample * 7 && differ * 10 > sample * 6,
        "{read} and {differ} of {sample}"
    );
    assert!(
        accepted.is_empty(),
        "COUNTERSIGN_FORGERY=SEED tries one again\n{}",
        accepted.join("\n")
    );
}
