//! The dependency rules between the crates, and what may be linked into the binary at all.
//!
//! Reads `cargo metadata`, so a new dependency between crates that the plan does not allow fails here with its name,
//! and so does a dependency under a licence that `deny.toml` does not list. Within a crate, `rooms` checks the order of
//! its rooms, and `actors` checks that each use case asks who acts.

mod actors;
mod rooms;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// The allowed dependencies between our crates. Nothing else may depend on `server`. Only `server` and `testkit` choose
/// a database.
const MAY_DEPEND_ON: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("failpoint", &[]),
    ("metrics", &[]),
    ("document", &["domain"]),
    ("sheets", &[]),
    ("document-worker", &["domain", "document", "sheets"]),
    ("store", &["domain", "failpoint"]),
    ("blobs", &["domain", "failpoint"]),
    ("i18n", &["domain"]),
    (
        "app",
        &[
            "domain",
            "metrics",
            "failpoint",
            "document",
            "sheets",
            "store",
            "blobs",
            "i18n",
        ],
    ),
    ("delivery", &["domain", "metrics", "failpoint", "store", "i18n", "app"]),
    ("http", &["domain", "metrics", "document", "store", "i18n", "app"]),
    (
        "server",
        &[
            "domain",
            "metrics",
            "document",
            "document-worker",
            "sheets",
            "store",
            "blobs",
            "i18n",
            "app",
            "delivery",
            "http",
        ],
    ),
    ("fuzz-targets", &["domain", "document"]),
    (
        "benches",
        &["domain", "document", "store", "blobs", "app", "delivery", "testkit"],
    ),
    (
        "testkit",
        &[
            "domain",
            "failpoint",
            "document",
            "document-worker",
            "sheets",
            "store",
            "blobs",
            "i18n",
            "app",
            "delivery",
            "http",
        ],
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
        let Some(name) = short(text(package, "name")) else {
            continue;
        };
        let Some(allowed) = rules.get(name) else {
            faults.push(format!("`{name}` has no rule: add it to MAY_DEPEND_ON"));
            continue;
        };
        seen.insert(name);
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            // Tests may use the test kit, because the rule only covers what is shipped.
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
    faults.extend(
        rules
            .keys()
            .filter(|name| !seen.contains(*name))
            .map(|name| format!("no crate `{name}`")),
    );
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Returns the crates that the binary links, as (name, licence). From `cargo tree`, because `cargo metadata` also lists
/// optional dependencies that no feature enables.
fn linked() -> Vec<(String, String)> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--package",
            "countersign-server",
            "--edges",
            "normal",
            "--locked",
            "--offline",
        ])
        .args([
            "--target",
            "x86_64-unknown-linux-gnu",
            "--prefix",
            "none",
            "--format",
            "{p}\t{l}",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo tree runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: BTreeSet<String> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(str::to_owned)
        .collect();
    let linked: Vec<_> = lines
        .iter()
        .filter_map(|line| line.split_once('\t'))
        .map(|(package, licence)| {
            (
                package.split(' ').next().unwrap_or_default().to_owned(),
                licence.trim_end_matches(" (*)").to_owned(),
            )
        })
        .collect();
    assert!(
        linked.iter().any(|(name, _)| name == "aws-lc-rs"),
        "the tree was not read"
    );
    linked
}

#[test]
fn nothing_banned_is_linked() {
    for (name, _) in linked() {
        for (banned, reason) in BANNED {
            assert_ne!(name, *banned, "{reason}");
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
    let mut faults = Vec::new();
    for (name, licence) in linked() {
        // An expression is met if each of its AND parts has an allowed alternative.
        let met = licence.replace('/', " OR ").split(" AND ").all(|part| {
            part.split(" OR ")
                .any(|one| allowed.contains(one.trim().trim_matches(['(', ')'])))
        });
        if !met {
            faults.push(format!("{name}: {licence:?}"));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
