//! Tests every file in `../shared/faults`: intake's answer to each file in its table, and the verifier's verdict on the
//! signed ones. Detailed expectations are in `faults`, `annotations`, `reader` and `signed_uploads`.

use std::collections::BTreeSet;
use std::path::Path;

use document::intake::{Limits, inspect};
use document::marks::extend;
use document::marks::stamp::{Mark, MarkContent};
use document::sealing::seal;
use document::text::fonts::Fonts;
use document::verify::{Fault, TrustedRoots, Verdict, verify};
use domain::field::Placement;

use crate::faults::{folder, read};
use crate::samples::{HOUSE, details, now};
use crate::signed_uploads;

/// Each file with intake's answer: accepted, or the reason for its refusal.
const ANSWERS: [(&str, &str); 49] = [
    ("A_indirect_filter_no_mediabox.pdf", "taken_with_warnings"),
    ("B_indirect_filter_dangling_free.pdf", "taken"),
    ("B_unknown_filter.pdf", "unreadable_content"),
    ("C_checked_box_lost.pdf", "taken_with_changes"),
    ("C_no_endstream_taken_blank.pdf", "incomplete"),
    // Accepted if the sender accepts the rebuilt parts.
    ("C_no_length_dangling_taken_blank.pdf", "rebuilt"),
    ("C_no_length_no_mediabox.pdf", "rebuilt"),
    // Blank, as it was when sealed.
    ("C_no_length_no_mediabox_s.pdf", "certification_forbids"),
    ("C_no_length_no_mediabox_taken_blank.pdf", "rebuilt"),
    ("E_indirect_filter_empty_cropbox.pdf", "taken_with_warnings"),
    ("F_sealed_breaks_earlier_signature_for_pyhanko.pdf", "lock_forbids"),
    ("F_signed_upload_mediabox.pdf", "taken_with_warnings"),
    // Reading is quick, but rendering needs more memory than a worker has. A server test covers this.
    ("I_inspect_takes_import_refuses.pdf", "-"),
    ("P_cairo_vector_refused_f32.pdf", "taken"),
    ("P_direct_encrypt_dict_not_pdf.pdf", "taken_with_changes"),
    ("P_indirect_decodeparms_refused.pdf", "taken"),
    ("P_indirect_filter_refused.pdf", "taken"),
    ("P_inline_image_and_clipped_rect_refused.pdf", "taken"),
    // Accepted with either password.
    ("P_owner_password_foo_user_baz_aes128.pdf", "needs_password"),
    ("R_sealed_shows_100.pdf", "broken_signature"),
    ("R_upload_signing_page_99999_sealed_100.pdf", "signed_and_damaged"),
    ("T_shared_appearance_called_genuine.pdf", "certification_forbids"),
    ("U_forged_called_genuine.pdf", "broken_signature"),
    ("U_sealed.pdf", "certification_forbids"),
    ("Z_certified_then_forged_no_key_needed.pdf", "broken_signature"),
    ("Z_forged_then_second_signature.pdf", "broken_signature"),
    ("Z_sealed_by_countersign.pdf", "signed_and_damaged"),
    ("Z_sealed_then_forged_verify_says_genuine.pdf", "broken_signature"),
    ("Z_sender_signed_upload.pdf", "signed_and_damaged"),
    ("an_Circle.pdf", "taken_with_changes"),
    ("an_FreeText.pdf", "taken_with_changes"),
    ("an_Highlight.pdf", "taken_with_changes"),
    ("an_Polygon.pdf", "taken_with_changes"),
    ("an_Square.pdf", "taken_with_changes"),
    ("an_StrikeOut.pdf", "taken_with_changes"),
    ("an_freetext.pdf", "taken_with_changes"),
    ("an_ink.pdf", "taken_with_changes"),
    ("an_noview_print.pdf", "annotation_prints_unseen"),
    ("an_strikeout.pdf", "taken_with_changes"),
    ("annots.pdf", "taken_with_warnings"),
    ("form_letter_need.pdf", "taken_with_changes"),
    ("form_letter_noap.pdf", "taken_with_changes"),
    ("h_Alternates.pdf", "taken_with_changes"),
    ("h_noview_print.pdf", "annotation_prints_unseen"),
    ("layer_annot_off.pdf", "taken_with_changes"),
    ("pdfa1.pdf", "taken_with_warnings"),
    ("s_form_text_need.pdf", "signed_with_unseen"),
    ("tagged.pdf", "taken_with_warnings"),
    ("trail_nl.pdf", "taken_with_warnings"),
];

fn tag(value: &impl serde::Serialize, key: &str) -> String {
    let value = serde_json::to_value(value).expect("it is written");
    let name = if key.is_empty() { &value } else { &value[key] };
    name.as_str().expect("a name").to_owned()
}

#[test]
fn every_file_of_the_table_of_faults_is_answered_as_it_must_be() {
    let Some(folder) = folder() else { return };
    let mut others = Vec::new();
    for (name, expected) in ANSWERS.iter().filter(|(_, expected)| *expected != "-") {
        let said = match inspect(read(&folder, name), &Limits::default()) {
            Ok(taken) => tag(&taken.report().verdict, ""),
            Err(reason) => tag(&reason, "reason"),
        };
        if said != *expected {
            others.push((name, said));
        }
    }
    assert!(others.is_empty(), "other answers: {others:#?}");
    let known: BTreeSet<String> = ANSWERS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let files = std::fs::read_dir(&folder).expect("a folder").flatten();
    let there: BTreeSet<String> = files
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "pdf"))
        .collect();
    assert_eq!(there, known, "a file has no answer");
}

fn judge(folder: &Path, name: &str) -> Verdict {
    let roots = ["Z_trust_countersign_root.pem", "Z_trust_test_signer.pem"].map(|trust| {
        let pem = String::from_utf8(read(folder, trust)).expect("a certificate");
        TrustedRoots::from_pem(&pem).expect("a certificate")
    });
    let at = "2026-12-02T00:00:00Z".parse().expect("a time");
    let [first, second] = roots.map(|roots| verify(&read(folder, name), &roots, at));
    if first.unsound().next().is_some() {
        first
    } else {
        second
    }
}

/// The entered value is missing, and viewers show a different value than the signing page did.
#[test]
fn a_sealed_file_that_shows_another_value_than_was_signed_does_not_hold() {
    let Some(folder) = folder() else { return };
    let verdict = judge(&folder, "R_sealed_shows_100.pdf");
    assert!(!verdict.holds());
    let is_named = |(_, fault): (Option<&str>, &Fault)| {
        matches!(fault, Fault::ForgedReferences { .. } | Fault::DamagedStructure { .. })
    };
    assert!(verdict.all_faults().any(is_named), "{verdict:#?}");
}

/// Numbers longer than 32 bits are written unchanged. Earlier code rounded them.
#[test]
fn a_signature_of_others_over_long_numbers_is_as_good_for_pyhanko_after_our_seal() {
    let Some(folder) = folder() else { return };
    let upload = folder.join("F_signed_upload_mediabox.pdf");
    let pdf = read(&folder, "F_signed_upload_mediabox.pdf");
    let taken = inspect(pdf.clone(), &Limits::default()).expect("taken");
    let mark = Mark {
        page: 1,
        placement: Placement {
            x: 100_000,
            y: 100_000,
            width: 100_000,
            height: 100_000,
        },
        content: MarkContent::Check,
    };
    let stamped = extend::stamp(taken.pdf, &Fonts::embedded().expect("fonts"), &[mark]).expect("stamped");
    let sealed = seal(stamped, &HOUSE.key, &details(false)).expect("sealed");
    assert!(String::from_utf8_lossy(&sealed[pdf.len()..]).contains("595.275574"));
    let ours = tempfile::tempdir().expect("a folder");
    let after = ours.path().join("sealed.pdf");
    std::fs::write(&after, sealed).expect("written");
    let rounded = folder.join("F_sealed_breaks_earlier_signature_for_pyhanko.pdf");
    let root = folder.join("Z_trust_test_signer.pem");
    let judged = signed_uploads::judged(&root, now(), &[&upload, &after, &rounded]);
    let [before, after, rounded] = judged.as_slice() else {
        panic!("{judged:?}")
    };
    assert!(!before.is_empty());
    for (field, before) in before {
        assert!(before.intact && before.valid && before.allowed, "{field}: {before:?}");
        assert_eq!(after.get(field), Some(before), "{field}");
        let is_broken = rounded.get(field).is_some_and(|rounded| !rounded.allowed);
        assert!(is_broken, "pyHanko would not notice: {rounded:?}");
    }
}
