//! The files of `../shared/faults`, or of the folder that `COUNTERSIGN_FAULTS` names: forgeries that were made of others' files,
//! and one that was called forged and is none. The same are made anew in `stray_entries`, for where that folder is not.

use std::path::{Path, PathBuf};

use document::intake::{Change, Limits, Refused, inspect};
use document::verify::{Fault, How, TrustedRoots, Verdict, verify};
use jiff::Timestamp;

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("COUNTERSIGN_FAULTS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/faults"),
        PathBuf::from,
    );
    let is_there = folder.is_dir();
    if !is_there {
        eprintln!(
            "skipped: {} is not there; COUNTERSIGN_FAULTS names the folder",
            folder.display()
        );
    }
    is_there.then_some(folder)
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The verdict some days after all of them were signed.
fn judge(folder: &Path, name: &str, trust: &str) -> Verdict {
    let pem = String::from_utf8(read(folder, trust)).expect("a certificate");
    let roots = TrustedRoots::from_pem(&pem).expect("a certificate");
    let at: Timestamp = "2026-12-02T00:00:00Z".parse().expect("a time");
    verify(&read(folder, name), &roots, at)
}

#[test]
fn forged_files_of_others_are_named_forged_and_not_taken() {
    let Some(folder) = folder() else { return };
    for (name, trust) in [
        ("U_forged_called_genuine.pdf", "Z_trust_countersign_root.pem"),
        (
            "Z_sealed_then_forged_verify_says_genuine.pdf",
            "Z_trust_countersign_root.pem",
        ),
        ("Z_certified_then_forged_no_key_needed.pdf", "Z_trust_test_signer.pem"),
        ("Z_forged_then_second_signature.pdf", "Z_trust_test_signer.pem"),
    ] {
        let verdict = judge(&folder, name, trust);
        assert!(!verdict.holds());
        let is_named = |(_, fault): (Option<&str>, &Fault)| matches!(fault, Fault::ForgedReferences { .. });
        assert!(verdict.all_faults().any(is_named), "{name}: {verdict:#?}");
        let taken = inspect(read(&folder, name), &Limits::default());
        assert!(taken.is_err(), "{name} was taken");
    }
    let sound = judge(&folder, "U_sealed.pdf", "Z_trust_countersign_root.pem");
    assert!(sound.unsound().next().is_none(), "{sound:#?}");
}

/// The sender of these signed a table in which an unused number leads to the beginning of the file.
#[test]
fn files_of_others_that_were_signed_with_a_stray_entry_are_damaged_and_not_taken() {
    let Some(folder) = folder() else { return };
    for (name, trust) in [
        ("Z_sealed_by_countersign.pdf", "Z_trust_countersign_root.pem"),
        ("Z_sender_signed_upload.pdf", "Z_trust_test_signer.pem"),
    ] {
        let verdict = judge(&folder, name, trust);
        let unsound: Vec<&Fault> = verdict.unsound().map(|(_, fault)| fault).collect();
        let is_damaged = matches!(unsound.as_slice(), [Fault::DamagedStructure { .. }]);
        assert!(is_damaged, "{name}: {verdict:#?}");
        let taken = inspect(read(&folder, name), &Limits::default());
        assert_eq!(taken.err(), Some(Refused::SignedAndDamaged), "{name}");
    }
}

#[test]
fn a_shared_appearance_is_told_under_the_read_only_field_too() {
    let Some(folder) = folder() else { return };
    let verdict = judge(
        &folder,
        "T_shared_appearance_called_genuine.pdf",
        "Z_trust_test_signer.pem",
    );
    let told: Vec<&str> = verdict.signatures[0]
        .later
        .iter()
        .filter(|change| change.how == How::FilledIn)
        .filter_map(|change| change.field.as_deref())
        .collect();
    assert_eq!(told, ["Sig2", "tx"], "{verdict:#?}");
}

#[test]
fn white_space_behind_a_file_of_others_is_no_change() {
    let Some(folder) = folder() else { return };
    let verdict = judge(&folder, "trail_nl.pdf", "trail_nl_cert.pem");
    assert!(verdict.holds_strictly(), "{verdict:#?}");
}

/// A page that is a hundred-thousandth of a point wider, and a clip around what is drawn exactly in it.
#[test]
fn rounding_is_no_reason_to_refuse_a_file() {
    let Some(folder) = folder() else { return };
    for name in [
        "P_cairo_vector_refused_f32.pdf",
        "P_inline_image_and_clipped_rect_refused.pdf",
    ] {
        let taken =
            inspect(read(&folder, name), &Limits::default()).unwrap_or_else(|refused| panic!("{name}: {refused}"));
        assert_eq!((taken.changes, taken.warnings), (Vec::new(), Vec::new()), "{name}");
    }
}

#[test]
fn a_form_without_looks_becomes_part_of_the_page() {
    let Some(folder) = folder() else { return };
    for name in ["form_letter_noap.pdf", "form_letter_need.pdf"] {
        let taken =
            inspect(read(&folder, name), &Limits::default()).unwrap_or_else(|refused| panic!("{name}: {refused}"));
        let is_flattened = |change: &Change| matches!(change, Change::FormFlattened { .. });
        assert!(taken.changes.iter().any(is_flattened), "{name}: {:?}", taken.changes);
    }
}

/// `COUNTERSIGN_CORPUS` names a folder of PDFs that nobody here wrote: which of the signed ones have a structure that is not sound.
#[test]
fn signed_files_of_the_corpus_are_listed_by_their_structure() {
    let Some(folder) = std::env::var_os("COUNTERSIGN_CORPUS") else {
        eprintln!("skipped: COUNTERSIGN_CORPUS does not name a folder of PDFs");
        return;
    };
    let mut waiting = vec![PathBuf::from(folder)];
    let (mut files, mut signed) = (Vec::new(), 0);
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            if entry.path().is_dir() {
                waiting.push(entry.path());
            } else if entry.path().extension().is_some_and(|end| end == "pdf") {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    for path in files {
        let pdf = std::fs::read(&path).expect("a file");
        let verdict = document::verify::verify_soundness(pdf);
        if verdict.signatures.is_empty() {
            continue;
        }
        signed += 1;
        let faults: Vec<String> = verdict.unsound().map(|(_, fault)| fault.to_string()).collect();
        println!("{}: {faults:?}", path.display());
    }
    println!("{signed} signed files");
}
