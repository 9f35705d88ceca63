//! `kill -9` under load, on each database: a few times here, and in `script/faults` as often as the environment asks
//! for ([`testkit::scale`]).

use failpoint::Place;
use testkit::database::TestDatabase;
use testkit::installation::{Installation, binary};
use testkit::kill::{Kill, Plan, run};
use testkit::scale::Scale;

testkit::on_both_databases!(
    what_was_answered_survives_kill_9,
    what_was_answered_survives_kill_9_at_each_failpoint,
);

fn survives(database: &TestDatabase, kills: Vec<Kill>) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut installation = Installation::new(&binary(), folder.path());
    if let Some(url) = database.url() {
        installation = installation.with("COUNTERSIGN_DATABASE__URL", url);
    }
    let summary = run(&installation, Plan { kills, callers: 8 });
    assert!(summary.workflows > 0, "the load did nothing: {summary:?}");
    println!("{summary:?}");
}

fn what_was_answered_survives_kill_9(database: &TestDatabase) {
    let kills = (0..Scale::Kills.count()).map(|_| Kill::AfterAnswers(60)).collect();
    survives(database, kills);
}

fn what_was_answered_survives_kill_9_at_each_failpoint(database: &TestDatabase) {
    // About a second of load reaches the place this many times.
    let most = |place| match place {
        Place::BeforeCommit | Place::AfterCommit => 24,
        Place::BeforeFile | Place::AfterFile | Place::Claimed | Place::Answered | Place::Recorded => 6,
        Place::Sealed => 3,
    };
    let round = || Place::ALL.map(|place| Kill::At(place, most(place)));
    let kills = (0..Scale::KillsAtEachPlace.count()).flat_map(|_| round()).collect();
    survives(database, kills);
}
