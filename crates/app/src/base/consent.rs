//! The statement with which a signer agrees to sign electronically.
//!
//! The audit trail contains its hash, and the certificate names its version, found by that hash. Every version that was
//! ever shown stays in [`PUBLISHED`], and a test fails if the statement changes but the version does not.

use domain::{BlobHash, Language};

/// Version of the current statement. It must change with the words.
pub const VERSION: &str = "2026-11-3";

/// Version, language, and SHA-256 of each statement.
const PUBLISHED: [(&str, Language, &str); 9] = [
    (
        "2026-11",
        Language::Ko,
        "609bf3ec5972e2ef0e50671b30284a0c723b3d85e2175893a40a34d646c825f1",
    ),
    (
        "2026-11",
        Language::En,
        "acb91bd600f23fb1717f819d8059ae201484768bb900f8a9b17b24ea7107ff59",
    ),
    (
        "2026-11",
        Language::Ja,
        "a6c542a6983828cde471b472487d260d126d110e33968497b8e150ac36631818",
    ),
    (
        "2026-11-2",
        Language::Ko,
        "c28c35fe89f16934705057fcb97e343a7270db5cff83b91efa9e9e3c70fc0630",
    ),
    (
        "2026-11-2",
        Language::En,
        "ce8710a6f4f96ef396a66e2c8d2c04ca0736055e606f2c56a1599f24ba2b8808",
    ),
    (
        "2026-11-2",
        Language::Ja,
        "b753f7364f9004e7713ee55eb86a6c90c78ee0394b681c86a1f0d5ffec1e01dc",
    ),
    (
        "2026-11-3",
        Language::Ko,
        "54c3dc2c50e93bae3ca20c865d64532adbe41d331402c778d9cea73e50f65be5",
    ),
    (
        "2026-11-3",
        Language::En,
        "c08aed6ce3e05db25c9312e8f54969a019c5292b471e90369f90d7793e9e5149",
    ),
    (
        "2026-11-3",
        Language::Ja,
        "1d8ca07475bf6be3512e9e9170e6693f265727634205e5feb0755db3b63cba92",
    ),
];

/// The statement to agree to, as the page shows it.
pub fn statement(language: Language) -> String {
    let keys = [
        "sign-consent-title",
        "sign-consent-text",
        "sign-consent-point-agree",
        "sign-consent-point-copy",
        "sign-consent-point-evidence",
        "sign-consent-point-decline",
    ];
    let mut lines: Vec<String> = keys.iter().map(|key| i18n::text(language, key, &[])).collect();
    lines.push(i18n::text(language, "sign-consent-version", &[("version", VERSION)]));
    lines.join("\n")
}

/// Returns the version and language of the statement with this hash.
pub(crate) fn version_of(statement: &BlobHash) -> Option<(&'static str, Language)> {
    PUBLISHED
        .iter()
        .find(|(_, _, hash)| BlobHash::parse(hash).as_ref() == Some(statement))
        .map(|(version, language, _)| (*version, *language))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_their_version() {
        for language in Language::ALL {
            let hash = BlobHash::of(statement(language).as_bytes());
            assert_eq!(
                version_of(&hash),
                Some((VERSION, language)),
                "the words were changed: raise VERSION and add {hash} to PUBLISHED; what stands there stays"
            );
        }
        assert_eq!(version_of(&BlobHash::of(b"other words")), None);
    }
}
