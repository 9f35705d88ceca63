//! Reads the files in `../shared/faults` that concern reading: forgeries break a rule, and valid files are read.

use document::pdf::Objects as _;
use document::pdf::defect::DeviationKind;
use document::pdf::rebuild::{Rebuilt, Repair};
use document::pdf::{File, Rule};

use super::shared;

fn read(name: &str) -> Option<Vec<u8>> {
    let folder = shared("faults", "COUNTERSIGN_FAULTS")?;
    Some(std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}")))
}

#[test]
fn forged_files_of_others_break_a_rule() {
    for name in [
        "U_forged_called_genuine.pdf",
        "Z_sealed_then_forged_verify_says_genuine.pdf",
        "Z_certified_then_forged_no_key_needed.pdf",
        "Z_forged_then_second_signature.pdf",
    ] {
        let Some(bytes) = read(name) else { return };
        let is_named = match File::open(bytes, None) {
            Err(defect) => defect.rule == Rule::StrayEntry,
            Ok(file) => file
                .deviations()
                .iter()
                .any(|deviation| deviation.kind == DeviationKind::EntryAtZero),
        };
        assert!(is_named, "{name}");
    }
}

#[test]
fn good_files_of_others_are_read_to_their_content() {
    for name in [
        "U_sealed.pdf",
        "P_cairo_vector_refused_f32.pdf",
        "P_inline_image_and_clipped_rect_refused.pdf",
        "P_indirect_filter_refused.pdf",
        "P_indirect_decodeparms_refused.pdf",
        "trail_nl.pdf",
        "F_signed_upload_mediabox.pdf",
    ] {
        let Some(bytes) = read(name) else { return };
        let file = File::open(bytes, None).unwrap_or_else(|defect| panic!("{name}: {defect}"));
        file.read_all().unwrap_or_else(|defect| panic!("{name}: {defect}"));
        assert_eq!(file.deviations(), [], "{name}");
        let view = file.latest();
        for page in view.pages().expect("pages") {
            let content = view
                .content(page, 1 << 24)
                .unwrap_or_else(|defect| panic!("{name}: {defect}"));
            assert!(!content.is_empty(), "{name}");
        }
    }
}

/// Each of these files was once sealed as blank.
#[test]
fn content_of_damaged_files_is_read_or_named_as_lost() {
    for name in [
        "C_no_length_no_mediabox.pdf",
        "C_no_length_no_mediabox_taken_blank.pdf",
        "C_no_length_dangling_taken_blank.pdf",
        "C_no_endstream_taken_blank.pdf",
        "A_indirect_filter_no_mediabox.pdf",
        "B_indirect_filter_dangling_free.pdf",
        "E_indirect_filter_empty_cropbox.pdf",
        "B_unknown_filter.pdf",
    ] {
        let Some(bytes) = read(name) else { return };
        let content = |view: document::pdf::View<'_>| {
            let page = *view.pages().ok()?.first()?;
            view.content(page, 1 << 20).ok().filter(|content| !content.is_empty())
        };
        let strict = File::open(bytes.clone(), None).and_then(|file| file.read_all().map(|()| file));
        let is_read = if let Ok(file) = strict {
            // A filter that we cannot decode causes an error when the content is read.
            content(file.latest()).is_some() || name == "B_unknown_filter.pdf"
        } else {
            let rebuilt = Rebuilt::read(bytes, None).unwrap_or_else(|defect| panic!("{name}: {defect}"));
            let is_lost = |repair: &Repair| matches!(repair, Repair::Lost(_));
            assert!(!rebuilt.repairs().is_empty(), "{name}");
            content(rebuilt.view()).is_some() || rebuilt.repairs().iter().any(is_lost)
        };
        assert!(is_read, "{name}");
    }
}
