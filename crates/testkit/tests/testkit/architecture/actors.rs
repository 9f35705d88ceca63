//! Checks how use cases know who acts. A use case for members or the operator takes an `Actor`, which reveals its
//! company only after a check of its permissions. So no method that other crates can call takes a company's ID or a
//! `Caller`, except those below. An actor's changes are in the audit log: every method that takes an actor either only
//! reads, or names an `Action`.

use std::collections::{BTreeMap, BTreeSet};

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

/// Methods that take an `Actor` and change nothing that belongs in the audit log.
const ONLY_READ: &[&str] = &[
    "audit_log",
    "bulk",
    "bulk_sheet",
    "certificate",
    "client_secret",
    "clients",
    "document",
    "document_detail",
    "documents",
    "export_endpoints",
    "exports",
    "failed_messages",
    "failing_endpoints",
    "field_file",
    "list_templates",
    "members",
    "outbox_message",
    "outbox_messages",
    "public_link",
    "public_links",
    "seal_end_to_warn_of",
    "seal_key_details",
    "search_with_value",
    "template",
    "templates",
    "test_webhook",
    "tokens",
    "unrecorded_file",
    "view_template",
    "workflow",
    "workflows",
];

/// Returns the public methods of `App` in a file, each with its parameters.
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

/// Returns every method of `App`, public or not, with its text without spaces.
fn methods() -> BTreeMap<String, String> {
    let mut methods = BTreeMap::new();
    for text in files_of("app").values() {
        for block in impls(&code(text), &["App".to_owned()]) {
            let mut name = String::new();
            for line in block.lines() {
                let begins = line.strip_prefix("    ").filter(|rest| !rest.starts_with(' '));
                if let Some((_, rest)) = begins.and_then(|rest| rest.split_once("fn ")) {
                    name = rest.chars().take_while(|character| is_of_name(*character)).collect();
                }
                let text: &mut String = methods.entry(name.clone()).or_default();
                text.extend(line.chars().filter(|character| !character.is_whitespace()));
            }
        }
    }
    methods
}

/// Returns the methods that write an entry, either themselves or through a method that they call with their actor or
/// permit.
fn logging(methods: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut logging: BTreeSet<String> = methods
        .iter()
        .filter(|(_, text)| text.contains("Action::") || text.contains("logging_start("))
        .map(|(name, _)| name.clone())
        .collect();
    loop {
        let more: Vec<String> = methods
            .iter()
            .filter(|(name, text)| {
                let calls = |callee: &String| {
                    ["actor", "by"]
                        .iter()
                        .any(|first| text.contains(&format!("self.{callee}({first},")))
                };
                !logging.contains(*name) && logging.iter().any(calls)
            })
            .map(|(name, _)| name.clone())
            .collect();
        if more.is_empty() {
            return logging;
        }
        logging.extend(more);
    }
}

#[test]
fn what_an_actor_changes_is_in_the_audit_log() {
    let methods = methods();
    let logging = logging(&methods);
    let (mut silent, mut reading) = (BTreeSet::new(), BTreeSet::new());
    for text in files_of("app").values() {
        for (name, parameters) in public_methods(text) {
            if parameters.contains("&Actor") && !logging.contains(&name) {
                let is_known = ONLY_READ.contains(&name.as_str());
                if is_known { &mut reading } else { &mut silent }.insert(name);
            }
        }
    }
    assert!(
        silent.is_empty(),
        "write an entry (`Permit::logs`), or say that they only read: {silent:?}"
    );
    let expected = ONLY_READ.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(
        reading, expected,
        "a method that writes an entry, or is gone, does not only read"
    );
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
