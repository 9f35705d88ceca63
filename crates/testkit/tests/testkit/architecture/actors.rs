//! Who acts: a use-case for members or the operator takes an `Actor`, which reveals its company only after it was asked
//! what it may do. So no method that other crates can call takes a company's ID or a `Caller`, except those below.

use std::collections::BTreeSet;

use super::rooms::{code, files_of, impls, is_of_name};

/// Methods of `App` that take a company's ID, and in whose name they run.
const WITHOUT_AN_ACTOR: &[(&str, &str)] = &[
    ("operator", "makes the operator for a company"),
    (
        "company",
        "what the pages of strangers, jobs and the command line show of a company",
    ),
    ("company_look", "public: the look of pages that strangers open"),
    ("company_logo", "public: the logo in mails and on pages"),
    ("webhook_secrets", "the job that delivers webhooks"),
    ("endpoint_stopped", "the job that delivers webhooks"),
    ("seal_key", "the certificate, not the key: `doctor` and other jobs"),
    (
        "usable_seal_key",
        "the certificate, not the key: `doctor` and other jobs",
    ),
    ("lack_of_seal_proofs", "`doctor`, for all companies"),
];

/// The public methods of `App` in a file, each with its parameters.
fn public_methods(text: &str) -> Vec<(String, String)> {
    let mut methods = Vec::new();
    for block in impls(&code(text), &["App".to_owned()]) {
        for part in block.split("    pub fn ").skip(1) {
            let name: String = part.chars().take_while(|character| is_of_name(*character)).collect();
            let parameters = part.split(" {\n").next().unwrap_or_default();
            let parameters = parameters.rsplit_once("->").map_or(parameters, |(before, _)| before);
            methods.push((name, parameters.to_owned()));
        }
    }
    methods
}

fn names_a_company(parameters: &str) -> bool {
    let words: BTreeSet<&str> = parameters.split(|character| !is_of_name(character)).collect();
    words.contains("CompanyId") || words.contains("Caller")
}

#[test]
fn a_use_case_learns_the_company_only_from_an_actor_who_may() {
    let mut found = BTreeSet::new();
    let mut with_an_actor = 0;
    for text in files_of("app").values() {
        for (name, parameters) in public_methods(text) {
            with_an_actor += usize::from(parameters.contains("&Actor"));
            if names_a_company(&parameters) {
                found.insert(name);
            }
        }
    }
    let allowed = WITHOUT_AN_ACTOR.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(found, allowed, "take an `Actor`, or say in whose name the method runs");
    assert!(with_an_actor >= 60, "{with_an_actor}: the source was not read");
}

#[test]
fn no_request_from_the_network_acts_as_the_operator() {
    for name in ["http", "delivery"] {
        for (file, text) in files_of(name) {
            assert!(!code(&text).contains(".operator("), "{name}: {file}");
        }
    }
}

#[test]
fn a_method_with_a_company_or_a_caller_is_found() {
    let found = |text: &str| -> Vec<bool> {
        let methods = public_methods(&format!("impl App {{\n{text}}}\n"));
        methods
            .iter()
            .map(|(_, parameters)| names_a_company(parameters))
            .collect()
    };
    assert_eq!(
        found("    pub fn a(&self, company: &CompanyId) -> X {\n    }\n"),
        [true]
    );
    assert_eq!(
        found("    pub fn a(\n        &self,\n        caller: &Caller,\n    ) {\n    }\n"),
        [true]
    );
    assert_eq!(
        found("    pub fn a(&self, actor: &Actor) -> Result<CompanyId, Error> {\n    }\n"),
        [false]
    );
    assert_eq!(
        found("    pub(crate) fn a(&self, company: &CompanyId) {\n    }\n"),
        [false; 0]
    );
}
