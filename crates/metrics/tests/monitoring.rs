//! The dashboard, the alert rules and the guide name only metrics that exist, and the dashboard shows nearly all of
//! them.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn file(path: &str) -> String {
    fs::read_to_string(format!("{ROOT}/{path}")).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The words in a text that look like our metrics.
fn metrics_in(text: &str) -> BTreeSet<String> {
    text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
        .filter(|word| word.starts_with("countersign_"))
        .map(str::to_owned)
        .collect()
}

fn unknown(text: &str) -> Vec<String> {
    let found = metrics_in(text);
    assert!(found.len() > 5, "the file was not read: {found:?}");
    found.difference(&metrics::names()).cloned().collect()
}

/// The expressions of the dashboard's panels.
fn expressions(dashboard: &Value) -> Vec<String> {
    let panels = dashboard["panels"].as_array().expect("panels");
    let targets = panels.iter().flat_map(|panel| {
        let targets = panel["targets"].as_array().expect("targets");
        assert!(!targets.is_empty() && panel["title"].is_string(), "{panel}");
        targets
    });
    let expression = |target: &Value| target["expr"].as_str().expect("an expression").to_owned();
    targets.map(expression).collect()
}

#[test]
fn the_dashboard_shows_only_metrics_that_exist_and_nearly_all_of_them() {
    let dashboard: Value = serde_json::from_str(&file("packaging/monitoring/dashboard.json")).expect("JSON");
    let expressions = expressions(&dashboard).join("\n");
    assert_eq!(unknown(&expressions), Vec::<String>::new());
    let shown = metrics_in(&expressions);
    let base = |name: &str| {
        let ends = ["_bucket", "_sum", "_count"];
        let end = ends.iter().find_map(|end| name.strip_suffix(end));
        end.unwrap_or(name).to_owned()
    };
    let shown: BTreeSet<String> = shown.iter().map(|name| base(name)).collect();
    let all: BTreeSet<String> = metrics::names().iter().map(|name| base(name)).collect();
    let left_out: Vec<&String> = all.difference(&shown).collect();
    // Only alerts use these two.
    assert_eq!(
        left_out,
        [
            "countersign_readings_failed_total",
            "countersign_timestamps_oldest_due_seconds"
        ]
    );
}

#[test]
fn the_alert_rules_use_only_metrics_that_exist_and_say_what_to_do() {
    let rules = file("packaging/monitoring/alerts.yaml");
    assert_eq!(unknown(&rules), Vec::<String>::new());
    let count = |start: &str| {
        rules
            .lines()
            .filter(|line| line.trim_start().starts_with(start))
            .count()
    };
    let alerts = count("- alert: Countersign");
    assert!(alerts > 10, "{alerts}");
    for part in ["expr: ", "labels: {severity: ", "summary: \"", "description: \""] {
        assert_eq!(count(part), alerts, "{part}");
    }
}

#[test]
fn the_guide_lists_every_metric_and_no_other() {
    let guide = file("docs/operations.md");
    let listed: BTreeSet<String> = guide
        .lines()
        .filter(|line| line.starts_with("| `countersign_"))
        .map(str::to_owned)
        .collect();
    let exist: BTreeSet<String> = metrics::documented()
        .map(|(name, help)| format!("| `countersign_{name}` | {help} |"))
        .collect();
    assert_eq!(listed, exist);
}

#[test]
fn a_misspelt_metric_is_found() {
    let good = (0..6).fold(String::new(), |all, number| format!("{all} countersign_x{number}"));
    assert_eq!(unknown(&good).len(), 6);
    assert_eq!(
        metrics_in("sum(rate(countersign_seals_total{level=\"none\"}[5m])) / countersign_build_info"),
        BTreeSet::from([
            "countersign_build_info".to_owned(),
            "countersign_seals_total".to_owned()
        ])
    );
}
