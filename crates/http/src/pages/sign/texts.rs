//! The texts that the browser code needs.
//!
//! The code replaces numbers at `{name}` itself, so these arguments are passed as their own names.

use std::collections::BTreeMap;

use domain::Language;

const PLAIN: &[&str] = &[
    "sign-field-required",
    "sign-field-optional",
    "sign-field-filled",
    "sign-field-change",
    "sign-field-remove",
    "sign-guide-next",
    "sign-guide-skip",
    "sign-guide-later",
    "sign-progress-none",
    "sign-rule-number",
    "sign-rule-date",
    "sign-rule-refused",
    "sign-rule-choose",
    "sign-rule-check",
    "sign-rule-picture",
    "sign-rule-file",
    "sign-draft-saving",
    "sign-draft-saved",
    "sign-draft-offline",
    "sign-draft-failed",
    "sign-draft-offline-open",
    "sign-draft-failed-open",
    "sign-pad-not-kept",
    "sign-transfer-again",
    "sign-transfer-cancel",
    "sign-file-unreadable",
    "sign-settle-changed-picture",
    "sign-settle-stays-empty",
    "sign-settle-holds-picture",
    "sign-settle-ticked",
    "sign-settle-not-ticked",
    "sign-settle-empty",
    "sign-pad-title-signature",
    "sign-pad-title-initials",
    "sign-pad-title-seal",
    "sign-pad-title-company-seal",
    "sign-pad-title-image",
    "sign-pad-empty",
    "sign-pad-not-picture",
    "sign-pad-too-large",
    "sign-pad-choices-failed",
    "sign-pad-no-name",
    "sign-pad-no-ink",
    "sign-reject-needed",
    "sign-failed",
    "sign-failed-offline",
    "sign-done-next",
    "sign-done-others",
    "sign-done-complete",
    "sign-decline-reason",
    "sign-done-rejected-title",
    "sign-done-rejected",
    "sign-done-returned",
    "sign-done-returned-title",
    "sign-field-today",
    "sign-done-preview-title",
    "sign-done-preview",
    "sign-done-preview-rejected",
];

/// Texts that depend on whether the signer signs or approves ([`super::view::act`]).
const OF_THE_ACT: &[&str] = &["sign-approve", "sign-done-title"];

const WITH_PLACES: &[(&str, &[&str])] = &[
    ("sign-progress", &["done", "total"]),
    ("sign-guide-count", &["at", "total"]),
    ("sign-guide-open", &["count", "fields"]),
    ("sign-page-go", &["page"]),
    ("sign-transfer-sending", &["file", "percent"]),
    ("sign-transfer-waiting", &["file"]),
    ("sign-transfer-sent", &["file"]),
    ("sign-transfer-cancelled", &["file"]),
    ("sign-rule-too-long", &["limit"]),
    ("sign-rule-decimals", &["limit"]),
    ("sign-file-refused", &["file", "reason"]),
    ("sign-settle-theirs", &["value"]),
    ("sign-settle-mine", &["value"]),
    ("sign-settle-changed", &["value", "before"]),
    ("sign-settle-holds", &["value"]),
    ("sign-settle-told", &["fields"]),
    ("sign-done-next-named", &["names"]),
    ("sign-done-redirecting", &["host"]),
];

pub fn for_script(language: Language, act: &str) -> BTreeMap<&'static str, String> {
    let plain = PLAIN.iter().map(|key| (*key, i18n::text(language, key, &[])));
    let of_act = OF_THE_ACT
        .iter()
        .map(|key| (*key, i18n::text(language, key, &[("act", act)])));
    let with_places = WITH_PLACES.iter().map(|(key, names)| {
        let places: Vec<(&str, String)> = names.iter().map(|name| (*name, format!("{{{name}}}"))).collect();
        let arguments: Vec<(&str, &str)> = places.iter().map(|(name, place)| (*name, place.as_str())).collect();
        (*key, i18n::text(language, key, &arguments))
    });
    plain.chain(of_act).chain(with_places).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_gets_sentences_with_their_places() {
        for language in Language::ALL {
            let texts = for_script(language, "sign");
            for key in texts.keys() {
                assert!(i18n::has(language, key), "{key}");
            }
            let unfilled: Vec<_> = texts.iter().filter(|(_, text)| text.contains("{$")).collect();
            assert!(unfilled.is_empty(), "{unfilled:?}");
            assert!(texts["sign-progress"].contains("{done}") && texts["sign-progress"].contains("{total}"));
            assert!(texts["sign-rule-too-long"].contains("{limit}"));
            assert_ne!(texts["sign-approve"], for_script(language, "approve")["sign-approve"]);
        }
    }
}
