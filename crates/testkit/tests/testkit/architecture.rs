//! The rules of dependency between the crates, and what may be linked into the binary at all.
//!
//! Reads `cargo metadata`, so a new `use` of a crate that the house's plan does not allow fails here with its name,
//! and so does a dependency under a licence that `deny.toml` does not list.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// Who may know whom among our own crates. Nobody else may know `server`; only `server` and `testkit` choose a database.
const MAY_DEPEND_ON: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("document", &["domain"]),
    ("document-worker", &["domain", "document"]),
    ("store", &["domain"]),
    ("blobs", &["domain"]),
    ("i18n", &["domain"]),
    ("app", &["domain", "document", "store", "blobs", "i18n"]),
    ("delivery", &["domain", "store", "i18n", "app"]),
    ("http", &["domain", "document", "store", "i18n", "app"]),
    (
        "server",
        &["domain", "document", "document-worker", "store", "blobs", "i18n", "app", "delivery", "http"],
    ),
    (
        "testkit",
        &["domain", "document", "document-worker", "store", "blobs", "i18n", "app", "delivery", "http"],
    ),
];

/// Crates that must not be linked, and why.
const BANNED: &[(&str, &str)] = &[
    ("ring", "aws-lc-rs is the one provider of cryptography"),
    ("openssl-sys", "TLS is rustls"),
    ("native-tls", "TLS is rustls"),
];

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo metadata runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn short(name: &str) -> Option<&str> {
    name.strip_prefix("countersign-")
}

#[test]
fn our_crates_know_only_whom_the_design_allows() {
    let metadata = metadata();
    let rules: BTreeMap<&str, &[&str]> = MAY_DEPEND_ON.iter().copied().collect();
    let mut seen = BTreeSet::new();
    let mut faults = Vec::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let Some(name) = short(text(package, "name")) else { continue };
        let Some(allowed) = rules.get(name) else {
            faults.push(format!("`{name}` has no rule: add it to MAY_DEPEND_ON"));
            continue;
        };
        seen.insert(name);
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            // Tests may use the test kit; the rule is about what is shipped.
            if dependency["kind"] == "dev" {
                continue;
            }
            if let Some(other) = short(text(dependency, "name"))
                && !allowed.contains(&other)
            {
                faults.push(format!("`{name}` must not depend on `{other}`"));
            }
        }
    }
    faults.extend(rules.keys().filter(|name| !seen.contains(*name)).map(|name| format!("no crate `{name}`")));
    assert!(faults.is_empty(), "{faults:#?}");
}

/// What the binary links: the nodes that `countersign-server` reaches without dev- and build-dependencies.
fn linked(metadata: &Value) -> Vec<&Value> {
    let nodes: BTreeMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .map(|node| (text(node, "id"), node))
        .collect();
    let packages: BTreeMap<&str, &Value> = metadata["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .map(|package| (text(package, "id"), package))
        .collect();
    let root = packages
        .iter()
        .find(|(_, package)| text(package, "name") == "countersign-server")
        .map(|(id, _)| *id)
        .expect("the server crate");
    let mut reached = BTreeSet::new();
    let mut waiting = vec![root];
    while let Some(id) = waiting.pop() {
        if !reached.insert(id) {
            continue;
        }
        for dependency in nodes[id]["deps"].as_array().expect("deps") {
            let normal = dependency["dep_kinds"].as_array().expect("kinds").iter().any(|kind| kind["kind"].is_null());
            if normal {
                waiting.push(text(dependency, "pkg"));
            }
        }
    }
    reached.into_iter().map(|id| packages[id]).collect()
}

#[test]
fn nothing_banned_is_linked() {
    let metadata = metadata();
    for package in linked(&metadata) {
        for (name, reason) in BANNED {
            assert_ne!(text(package, "name"), *name, "{reason}");
        }
    }
}

#[test]
fn every_licence_is_one_that_deny_toml_lists() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let deny = std::fs::read_to_string(format!("{root}/deny.toml")).expect("deny.toml");
    let allowed: BTreeSet<&str> = deny
        .split_once("allow = [")
        .and_then(|(_, rest)| rest.split_once(']'))
        .map(|(list, _)| list.split('"').skip(1).step_by(2).collect())
        .expect("the list of licences");
    assert!(allowed.contains("MIT"), "the list was not read");
    let metadata = metadata();
    let mut faults = Vec::new();
    for package in linked(&metadata) {
        let licence = text(package, "license");
        // An expression is met when each of its AND parts has an alternative that is allowed.
        let met = !licence.is_empty()
            && licence.replace('/', " OR ").split(" AND ").all(|part| {
                part.split(" OR ").any(|one| allowed.contains(one.trim().trim_matches(|c| c == '(' || c == ')')))
            });
        if !met {
            faults.push(format!("{} {}: {licence:?}", text(package, "name"), text(package, "version")));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
