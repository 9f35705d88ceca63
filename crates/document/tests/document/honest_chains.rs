//! Additions by honest programs: every chain of validation data, document timestamps and further signatures made by
//! pyHanko is genuine, whatever forgeries we test.

use std::path::Path;
use std::process::Command;

use document::sealing::validation_data::add_validation_data;
use document::sealing::{seal, seal_with_timestamp};
use document::verify::{TrustedRoots, verify};
use testkit::scale::Scale;
use testkit::time_stamp_authority::Revocation;

use crate::raw_revision::{RawRevision, Said, Style, object_stream};
use crate::samples::{HOUSE, References, details, now, sealed, signed_by_others, unsigned};
use crate::timestamps::{authority, data};

const CLOSED: usize = 2;
const OPEN: usize = 4;

/// A hybrid file (7.5.8.4), with parts that only programs with support for object streams see.
fn hybrid() -> Vec<u8> {
    let plain = unsigned(References::Table);
    let document = lopdf::Document::load_mem(&plain).expect("readable");
    let root = document.trailer.get(b"Root").and_then(lopdf::Object::as_reference);
    let [container, member] = [1, 2].map(|more| document.max_id + more);
    let mut revision = RawRevision::new(&plain, root.expect("a root").0);
    for key in ["Info", "ID"] {
        let value = document.trailer.get(key.as_bytes()).expect("an entry");
        revision.add_to_trailer(key, value);
    }
    revision.named(container, &object_stream(&[(member, b"<</Hidden true>>".to_vec())]));
    revision.rows.push((member, Said::Free));
    revision.hidden.push((member, Said::Within(container, 0)));
    revision.finish(Style::Hybrid, member + 1)
}

/// Named files to extend.
fn bases() -> Vec<(&'static str, Vec<u8>, usize)> {
    let (_, authority) = authority(Revocation::List);
    let stamped = seal_with_timestamp(unsigned(References::Table), &HOUSE.key, &details(true), &authority);
    let stamped = stamped.expect("sealed");
    let archived = add_validation_data(&stamped, &data(&authority, now())).expect("extended");
    let approved = signed_by_others(&unsigned(References::Stream), &HOUSE.key);
    let sealed_further = seal(&approved, &HOUSE.key, &details(false)).expect("sealed");
    vec![
        ("closed-table", sealed(References::Table), CLOSED),
        ("closed-stream", sealed(References::Stream), CLOSED),
        ("closed-validated", archived, CLOSED),
        ("closed-further", sealed_further, CLOSED),
        (
            "closed-hybrid",
            seal(hybrid(), &HOUSE.key, &details(true)).expect("sealed"),
            CLOSED,
        ),
        (
            "open-table",
            signed_by_others(&unsigned(References::Table), &HOUSE.key),
            OPEN,
        ),
        ("open-stream", approved, OPEN),
        ("open-hybrid", signed_by_others(&hybrid(), &HOUSE.key), OPEN),
    ]
}

#[test]
fn every_chain_that_another_program_makes_is_genuine() {
    let depth = Scale::ChainSteps.count();
    let folder = tempfile::tempdir().expect("a folder");
    let mut expected = 0;
    for (name, pdf, steps) in bases() {
        std::fs::write(folder.path().join(format!("{name}.pdf")), pdf).expect("written");
        expected += steps.pow(depth);
    }
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(crate_folder.join("../../.tools/venv/bin/python"))
        .arg(crate_folder.join("tests/document/chain_as_others.py"))
        .arg(folder.path())
        .arg(depth.to_string())
        .output()
        .expect("pyHanko is there (script/bootstrap --tests)");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let root = std::fs::read_to_string(folder.path().join("root.pem")).expect("the root");
    let roots = TrustedRoots::from_pem(&(HOUSE.root.certificate_pem() + &root)).expect("the roots");
    let names = String::from_utf8(output.stdout).expect("names");
    let mut refused = Vec::new();
    for name in names.lines() {
        let pdf = std::fs::read(folder.path().join(format!("{name}.pdf"))).expect("the file");
        let verdict = verify(&pdf, &roots, now());
        if !verdict.holds() {
            let faults: Vec<String> = verdict.all_faults().map(|(_, fault)| fault.to_string()).collect();
            refused.push(format!("{name}: {}", faults.join("; ")));
        }
        // Unsigned bytes after each of them are detected.
        if verify(&[&pdf, &b"%\n"[..]].concat(), &roots, now()).holds() {
            refused.push(format!("{name} with a comment behind it holds"));
        }
    }
    println!("{} chains", names.lines().count());
    assert_eq!(names.lines().count(), expected);
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
