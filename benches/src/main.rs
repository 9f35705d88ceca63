//! `script/bench`: measures the running product, and compares each figure with something measured in the same run.
//!
//! An absolute figure means little on a shared machine, so each figure is a ratio to raw durable commits on the same
//! disk, to a raw HTTP client, or to a peer. Before each part, the program prints the idle share of the processors.
//! Arguments name the parts to measure (`store`, `document`, `memory`, `pages`, `delivery`, `search`, `server`,
//! `logins`, `uploads`, or only the `starts` or the `kills` of `delivery`). The default is all parts.

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

mod delivery;
mod document;
mod logins;
mod machine;
mod memory;
mod pages;
mod peer;
mod raw_commit;
mod search;
mod server;
mod store;
mod uploads;

fn main() {
    if let [_, flag, task, folder] = std::env::args().collect::<Vec<_>>().as_slice()
        && flag == "--task"
    {
        return memory::do_task(task, std::path::Path::new(folder));
    }
    let folder = tempfile::tempdir().expect("a folder for the bench");
    println!("| figure | measured | beside | ratio |");
    println!("|---|---|---|---|");
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |part: &str| wanted.is_empty() || wanted.iter().any(|name| name == part);
    println!(
        "| idle share of the processors before | {:.0} % | | |",
        machine::idle_share() * 100.0
    );
    if is_wanted("document") {
        document::measure(folder.path());
    }
    if is_wanted("memory") {
        memory::measure(folder.path());
    }
    if is_wanted("pages") {
        pages::measure(folder.path());
    }
    if is_wanted("delivery") {
        delivery::measure(folder.path());
    } else if is_wanted("starts") {
        delivery::starts(folder.path());
    } else if is_wanted("kills") {
        delivery::killed_nodes();
    }
    if is_wanted("logins") {
        runtime().block_on(logins::measure(
            &testkit::installation::binary(),
            &folder.path().join("logins"),
        ));
    }
    if is_wanted("uploads") {
        let data = folder.path().join("uploads");
        runtime().block_on(uploads::measure(&testkit::installation::binary(), &data));
    }
    if is_wanted("search") {
        runtime().block_on(search::measure(folder.path()));
    }
    if !is_wanted("store") && !is_wanted("server") {
        return;
    }
    let raw = raw_commit::measure(folder.path());
    println!(
        "| raw durable SQLite commit, one connection | {:.3} ms median, {:.0}/s | | |",
        raw.median_ms, raw.rate
    );
    if is_wanted("store") {
        store::measure(folder.path(), &raw);
    }
    if is_wanted("server") {
        runtime().block_on(server::measure(
            &testkit::installation::binary(),
            &folder.path().join("data"),
            &raw,
        ));
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}
