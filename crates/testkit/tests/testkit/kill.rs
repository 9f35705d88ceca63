//! `kill -9` under load, on each database: five rounds here, as many as `COUNTERSIGN_KILL_ROUNDS` says in `script/faults`.

use testkit::database::TestDatabase;
use testkit::installation::{Installation, binary};
use testkit::kill::{Plan, run};

testkit::on_both_databases!(what_was_answered_survives_kill_9);

fn what_was_answered_survives_kill_9(database: &TestDatabase) {
    let rounds =
        std::env::var("COUNTERSIGN_KILL_ROUNDS").map_or(5, |rounds| rounds.parse().expect("a number of rounds"));
    let folder = tempfile::tempdir().expect("a folder");
    let mut installation = Installation::new(&binary(), folder.path());
    if let Some(url) = database.url() {
        installation = installation.with("COUNTERSIGN_DATABASE__URL", url);
    }
    let summary = run(
        &installation,
        Plan {
            rounds,
            callers: 8,
            most_answers: 60,
        },
    );
    assert!(summary.workflows > 0, "the load did nothing: {summary:?}");
    println!("{summary:?}");
}
