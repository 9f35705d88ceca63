//! Signatures that another program made, by algorithms and formats that ours does not use for sealing.

use std::path::Path;
use std::process::Command;

use document::seal::seal;
use document::verify::{Fault, SignatureKind, TrustedRoots, verify};

use crate::samples::{HOUSE, References, details, now, unsigned};

/// Ten files signed by pyHanko, with their names, and the root that vouches for all signers.
fn signed_by_pyhanko(references: References) -> (Vec<(String, Vec<u8>)>, TrustedRoots) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("plain.pdf"), unsigned(references)).expect("written");
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(crate_folder.join("../../.tools/venv/bin/python"))
        .arg(crate_folder.join("tests/document/sign_as_others.py"))
        .arg(folder.path())
        .output()
        .expect("pyHanko is there (script/bootstrap --tests)");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).expect("names");
    let files = names
        .lines()
        .map(|name| {
            let file = std::fs::read(folder.path().join(format!("{name}.pdf"))).expect("the file");
            (name.to_owned(), file)
        })
        .collect();
    let root = std::fs::read_to_string(folder.path().join("root.pem")).expect("the root");
    (files, TrustedRoots::from_pem(&root).expect("the root"))
}

#[test]
fn signatures_of_every_algorithm_and_format_are_verified() {
    for references in [References::Table, References::Stream] {
        let (files, roots) = signed_by_pyhanko(references);
        assert_eq!(files.len(), 10);
        for (name, pdf) in files {
            let verdict = verify(&pdf, &roots, now());
            let faults: Vec<String> = verdict.all_faults().map(|(_, fault)| fault.to_string()).collect();
            assert!(verdict.holds_strictly(), "{name}: {}", faults.join("\n"));
            let last = verdict.signatures.last().expect("a signature");
            assert_eq!(last.reason.as_deref(), Some("계약"), "{name}");
            assert_eq!(last.location.as_deref(), Some("서울"), "{name}");
            if name == "certified" {
                assert_eq!(last.kind, SignatureKind::Certification { level: 2 });
            }

            // Nobody vouches for them where their root is not given.
            let verdict = verify(&pdf, &HOUSE.roots(), now());
            assert!(!verdict.holds(), "{name}");
            assert!(
                verdict
                    .all_faults()
                    .all(|(_, fault)| matches!(fault, Fault::UntrustedSigner { .. })),
                "{name}: {:?}",
                verdict.faults
            );

            // A changed page is found out whoever signed.
            let mut changed = pdf;
            let at = changed.windows(4).position(|window| window == b"/Pag").expect("a page");
            changed[at + 1] = b'p';
            assert!(!verify(&changed, &roots, now()).holds(), "{name}");
        }
    }
}

/// Trouble 10: what somebody signed before stays valid below our seal.
#[test]
fn a_file_that_another_program_signed_is_approved_and_both_signatures_hold() {
    let (files, mut roots) = signed_by_pyhanko(References::Table);
    for root in HOUSE.roots().certificates() {
        roots.add(root.clone());
    }
    for (name, pdf) in files.into_iter().filter(|(name, _)| name != "certified") {
        let sealed = seal(&pdf, &HOUSE.key, &details(false)).expect("sealed");
        assert!(sealed.starts_with(&pdf), "{name}");
        let verdict = verify(&sealed, &roots, now());
        let faults: Vec<String> = verdict.all_faults().map(|(_, fault)| fault.to_string()).collect();
        assert!(verdict.holds_strictly(), "{name}: {}", faults.join("\n"));
    }
}
