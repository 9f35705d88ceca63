//! Options with which an operator can have a PDF accepted: as a copy without its signatures, or rebuilt from a damaged
//! file.

use std::fs;

use serde_json::Value;

use crate::support::{FIELDS, Temporary, pdf};

/// Inspects and imports a file, first unchanged and then with the option that the refusal names.
fn assert_taken_with(here: &Temporary, file: &str, reason: &str, option: &str, warning: &str) {
    for (language, offer) in [("ko", "명령줄"), ("en", "command line"), ("ja", "コマンドライン")] {
        let refused = here.say(&["document", "inspect", file, "--language", language]);
        assert_eq!(refused.code, Some(1));
        let is_offered = refused.output.contains(offer) && refused.output.contains(option);
        assert!(is_offered, "{language}: {}", refused.output);
    }
    let inspected = here.say(&["document", "inspect", file, "--json"]).output;
    let inspected: Value = serde_json::from_str(&inspected).expect("JSON");
    assert_eq!(inspected["reason"]["reason"], reason, "{inspected}");
    let fields = here.file("fields.json", FIELDS.as_bytes());
    let fields = fields.to_str().expect("a path");
    let import = ["template", "import", "--company", "acme", file, "--fields", fields];
    let refused = here.say(&import);
    assert!(
        refused.code == Some(1) && refused.error.contains(option),
        "{}",
        refused.error
    );
    let imported = here.json(&[import.as_slice(), &[option]].concat(), "");
    assert_eq!(imported["intake"]["warnings"][0]["warning"], warning, "{imported}");
}

#[test]
fn a_signed_file_that_nothing_can_be_added_to_is_imported_as_a_copy() {
    let here = Temporary::with_company();
    let (input, sealed) = (here.file("in.pdf", &pdf()), here.path("sealed.pdf"));
    let (input, sealed) = (input.to_str().expect("a path"), sealed.to_str().expect("a path"));
    here.run(&["document", "seal", "--company", "acme", input, sealed], "");
    assert_taken_with(
        &here,
        sealed,
        "certification_forbids",
        "--without-signatures",
        "signatures_removed",
    );
}

#[test]
fn a_damaged_file_is_imported_by_somebody_who_accepts_what_was_rebuilt() {
    let here = Temporary::with_company();
    let mut damaged = pdf();
    let end = damaged.windows(9).rposition(|window| window == b"startxref");
    damaged.splice(end.expect("an end").., b"startxref\n7\n%%EOF".to_vec());
    let file = here.path("damaged.pdf");
    fs::write(&file, damaged).expect("written");
    assert_taken_with(
        &here,
        file.to_str().expect("a path"),
        "rebuilt",
        "--accept-rebuilt",
        "rebuilt",
    );
}
