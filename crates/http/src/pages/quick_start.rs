//! The four steps at the start of the API reference, in curl, and complete programs in other languages.

use domain::Language;
use serde::Serialize;

/// One or two commands for each step, separated by an empty line.
const STEPS: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../templates/quick_start/steps.sh"
));
const SENTENCES: [&str; 4] = [
    "docs-start-login",
    "docs-start-send",
    "docs-start-sign",
    "docs-start-fetch",
];
const PROGRAMS: [(&str, &str); 2] = [
    (
        "Node",
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../templates/quick_start/walk.mjs"
        )),
    ),
    (
        "Python",
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../templates/quick_start/walk.py"
        )),
    ),
];
/// The base URL in the examples.
const EXAMPLE: &str = "https://sign.example.com";

#[derive(Debug, Serialize)]
pub struct QuickStart {
    steps: Vec<Example>,
    programs: Vec<Example>,
}

#[derive(Debug, Serialize)]
struct Example {
    words: String,
    code: String,
}

impl QuickStart {
    /// Creates the values for an installation at `public_url`.
    pub fn new(language: Language, public_url: &str) -> Self {
        let here = |code: &str| code.trim_end().replace(EXAMPLE, public_url.trim_end_matches('/'));
        let steps = SENTENCES.into_iter().zip(STEPS.split("\n\n"));
        let programs = PROGRAMS.into_iter();
        Self {
            steps: steps
                .map(|(key, code)| Example {
                    words: i18n::text(language, key, &[]),
                    code: here(code),
                })
                .collect(),
            programs: programs
                .map(|(name, code)| Example {
                    words: i18n::text(language, "docs-start-program", &[("language", name)]),
                    code: here(code),
                })
                .collect(),
        }
    }
}
