//! `script/bench`: figures of the running product, each beside something measured in the same run.
//!
//! A figure alone says little on a machine that others use too, so each is a ratio: to raw durable commits of the same
//! disk, to a raw HTTP client, to a peer. The idle share of the processors is printed before each part.

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

mod document;
mod machine;
mod pages;
mod raw_commit;
mod server;
mod store;

fn main() {
    let folder = tempfile::tempdir().expect("a folder for the bench");
    println!("| figure | measured | beside | ratio |");
    println!("|---|---|---|---|");
    println!(
        "| idle share of the processors before | {:.0} % | | |",
        machine::idle_share() * 100.0
    );
    let raw = raw_commit::measure(folder.path());
    println!(
        "| raw durable SQLite commit, one connection | {:.3} ms median, {:.0}/s | | |",
        raw.median_ms, raw.rate
    );
    store::measure(folder.path(), &raw);
    document::measure(folder.path());
    pages::measure(folder.path());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(server::measure(
        &testkit::installation::binary(),
        &folder.path().join("data"),
        &raw,
    ));
}
