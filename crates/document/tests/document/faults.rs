//! Tests with the files in `../shared/faults`, or in the folder named by `COUNTERSIGN_FAULTS`. They are forgeries based
//! on real files, and one file wrongly called forged. `stray_entries` builds the same files in case that folder is
//! missing.

use std::path::{Path, PathBuf};

use document::intake::{Change, Intake, Limits, Rebuilding, Refused, Warning, Wishes, inspect, inspect_as};
use document::verify::{Fault, How, TrustedRoots, Verdict, verify};
use jiff::Timestamp;

use crate::judges::structure_complaints;
use crate::pages::text;
use crate::samples::take_rebuilt;

pub fn folder() -> Option<PathBuf> {
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

pub fn read(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn taken(folder: &Path, name: &str) -> Intake {
    let taken = take_rebuilt(&read(folder, name)).unwrap_or_else(|refused| panic!("{name}: {refused}"));
    assert_eq!(structure_complaints(&taken.pdf), Vec::<String>::new(), "{name}");
    taken
}

/// Returns the verdict a few days after all files were signed.
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

/// The sender signed these files with a table in which an unused number points to the start of the file.
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
        assert!(matches!(taken.err(), Some(Refused::SignedAndDamaged { .. })), "{name}");
    }
}

#[test]
fn a_shared_appearance_is_named_under_the_read_only_field_too() {
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

/// Covers a page wider by a hundred-thousandth of a point, a clip exactly around the drawing, and filters in objects of
/// their own.
#[test]
fn files_that_keep_the_rules_are_taken_as_they_are() {
    let Some(folder) = folder() else { return };
    for name in [
        "P_cairo_vector_refused_f32.pdf",
        "P_inline_image_and_clipped_rect_refused.pdf",
        "P_indirect_filter_refused.pdf",
        "P_indirect_decodeparms_refused.pdf",
        "B_indirect_filter_dangling_free.pdf",
    ] {
        let taken = taken(&folder, name);
        assert_eq!((taken.changes, taken.warnings), (Vec::new(), Vec::new()), "{name}");
    }
}

#[test]
fn numbers_are_written_as_the_upload_spells_them() {
    let Some(folder) = folder() else { return };
    let taken = taken(&folder, "P_cairo_vector_refused_f32.pdf");
    let has = |number: &[u8]| taken.pdf.windows(number.len()).any(|window| window == number);
    assert!(has(b"595.275574") && has(b"841.889771"));
}

#[test]
fn what_a_page_draws_is_read_wherever_its_filter_and_its_length_stand() {
    let Some(folder) = folder() else { return };
    for name in [
        "A_indirect_filter_no_mediabox.pdf",
        "B_indirect_filter_dangling_free.pdf",
        "C_no_length_dangling_taken_blank.pdf",
        "C_no_length_no_mediabox.pdf",
        "C_no_length_no_mediabox_taken_blank.pdf",
        "E_indirect_filter_empty_cropbox.pdf",
        "P_indirect_filter_refused.pdf",
    ] {
        let taken = taken(&folder, name);
        assert_eq!(text(&taken.pdf), "Invoice 4711, total 1,234.56 EUR", "{name}");
        let lost = u32::from(name.contains("dangling"));
        let is_told =
            |warning: &Warning| matches!(warning, Warning::Rebuilt { guessed: 1, lost: told, .. } if *told == lost);
        let was_rebuilt = name.starts_with("C_no_length");
        assert_eq!(
            taken.warnings.iter().any(is_told),
            was_rebuilt,
            "{name}: {:?}",
            taken.warnings
        );
        // The sender must review the rebuilt parts before sending.
        let refused = inspect(read(&folder, name), &Limits::default()).err();
        match refused {
            Some(Refused::Rebuilt {
                guessed,
                lost: told,
                parts,
                ..
            }) => {
                assert!(was_rebuilt && (guessed, told) == (1, lost), "{name}");
                assert_eq!(parts[0].part, Rebuilding::LengthGuessed, "{name}");
                assert_eq!(parts.len(), usize::try_from(1 + lost).expect("few"), "{name}");
            }
            refused => assert!(!was_rebuilt && refused.is_none(), "{name}: {refused:?}"),
        }
    }
}

#[test]
fn lost_content_refuses_a_file() {
    let Some(folder) = folder() else { return };
    let refused = |name: &str| inspect(read(&folder, name), &Limits::default()).err();
    assert_eq!(refused("C_no_endstream_taken_blank.pdf"), Some(Refused::Incomplete));
}

#[test]
fn encrypted_files_open_with_the_right_password_whosever_it_is() {
    let Some(folder) = folder() else { return };
    let name = "P_owner_password_foo_user_baz_aes128.pdf";
    for (password, opens) in [("foo", true), ("baz", true), ("bar", false)] {
        let wishes = Wishes {
            password: Some(password.to_owned()),
            ..Wishes::default()
        };
        let opened = inspect_as(read(&folder, name), &Limits::default(), &wishes);
        match opened {
            Ok(taken) => assert!(opens && text(&taken.pdf).contains("Secret!"), "{password}"),
            Err(refused) => assert!(!opens && refused == Refused::WrongPassword, "{password}: {refused}"),
        }
    }
    assert_eq!(
        inspect(read(&folder, name), &Limits::default()).err(),
        Some(Refused::NeedsPassword)
    );
    let taken = taken(&folder, "P_direct_encrypt_dict_not_pdf.pdf");
    assert!(taken.changes.contains(&Change::Decrypted), "{:?}", taken.changes);
}

#[test]
fn an_annotation_on_a_layer_that_is_off_is_removed() {
    let Some(folder) = folder() else { return };
    let taken = taken(&folder, "layer_annot_off.pdf");
    assert_eq!(taken.changes, [Change::HiddenLayersRemoved { count: 1 }]);
    assert_eq!(text(&taken.pdf), "Visible");
    let has = |word: &[u8]| taken.pdf.windows(word.len()).any(|window| window == word);
    assert!(!has(b"SECRET"));
}

/// Viewers draw a tick here although its appearance has no box.
#[test]
fn a_tick_whose_look_has_no_box_is_drawn() {
    let Some(folder) = folder() else { return };
    let taken = taken(&folder, "C_checked_box_lost.pdf");
    assert!(
        taken.changes.contains(&Change::AppearancesMade { count: 1 }),
        "{:?}",
        taken.changes
    );
}

#[test]
fn a_signed_file_is_kept_byte_for_byte_or_refused_with_the_rule_that_it_breaks() {
    let Some(folder) = folder() else { return };
    let name = "F_signed_upload_mediabox.pdf";
    let signed = read(&folder, name);
    assert_eq!(inspect(signed.clone(), &Limits::default()).expect("taken").pdf, signed);
    let name = "R_upload_signing_page_99999_sealed_100.pdf";
    let refused = inspect(read(&folder, name), &Limits::default()).err();
    let Some(Refused::SignedAndDamaged { detail, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert!(detail.contains("cross-reference"), "{detail}");
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

/// `COUNTERSIGN_CORPUS` names a folder of third-party PDFs. Lists the signed ones with an unsound structure.
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

/// Filling in and sealing may break conformance to the claimed standards, and no validator is available to check.
#[test]
fn claims_of_standards_are_removed_and_reported() {
    let Some(folder) = folder() else { return };
    for (name, claims) in [("pdfa1.pdf", "PDF/A-1B"), ("tagged.pdf", "PDF/UA-1")] {
        let taken = inspect(read(&folder, name), &Limits::default()).expect("taken");
        let told = |warning: &Warning| matches!(warning, Warning::ClaimsRemoved { claims: told } if told.contains(&claims.to_owned()));
        assert!(taken.warnings.iter().any(told), "{name}: {:?}", taken.warnings);
        let again = inspect(taken.pdf, &Limits::default()).expect("taken again");
        assert_eq!(again.warnings, [], "{name}");
    }
}
