//! `outbox`: messages that are held after a restore.

use std::process::ExitCode;

use clap::Subcommand;
use domain::Clock;
use jiff::Timestamp;
use serde_json::json;
use store::Store;
use store::held_outbox;

use super::Context;
use crate::environment::SystemClock;
use crate::output::{Failure, counted, joined, print};
use crate::restored::{REMEDY, said};

/// Show, send or drop messages that are held after a restore
#[derive(Debug, Subcommand)]
pub enum Outbox {
    /// Show which messages are waiting, and whether they are held
    Status,
    /// Send everything that is held
    Release,
    /// Drop the messages that were waiting in the backup, and send those added since the restore
    Drop {
        /// Drop messages from before this time instead (such as 2026-11-30T08:00:00Z)
        #[arg(long, value_name = "TIME")]
        before: Option<Timestamp>,
    },
}

/// The number of messages that one transaction drops.
const AT_ONCE: u32 = 500;

impl Outbox {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let store = context.open()?.app.store.clone();
        match self {
            Outbox::Status => status(context, &store),
            Outbox::Release => {
                must_be_held(&store)?;
                release(&store)?;
                print(
                    context.json,
                    &json!({"released": true}),
                    "All held messages are now being sent.",
                );
                Ok(ExitCode::SUCCESS)
            }
            Outbox::Drop { before } => {
                let held = must_be_held(&store)?;
                let before = before.unwrap_or(held.at);
                let dropped = drop_before(&store, before)?;
                release(&store)?;
                let line = format!(
                    "Dropped {} from before {before:.0}. Later ones are now being sent.",
                    counted(dropped, "message", "messages")
                );
                print(
                    context.json,
                    &json!({"dropped": dropped, "before": before, "released": true}),
                    &line,
                );
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

fn must_be_held(store: &Store) -> Result<held_outbox::Restored, Failure> {
    store
        .read(held_outbox::held)?
        .ok_or_else(|| Failure::Other("nothing is held; messages are sent as they arrive".to_owned()))
}

fn release(store: &Store) -> Result<(), Failure> {
    store.write(held_outbox::release)?;
    // Without this, the servers would notice a second later.
    store.announce()?;
    Ok(())
}

fn drop_before(store: &Store, before: Timestamp) -> Result<u64, Failure> {
    let (mut dropped, mut after) = (0, 0);
    loop {
        let now = SystemClock.now();
        let (more, last) = store.write(move |tx| held_outbox::drop_portion(tx, before, after, AT_ONCE, now))?;
        dropped += more;
        match last {
            Some(last) => after = last,
            None => return Ok(dropped),
        }
    }
}

fn status(context: &Context, store: &Store) -> Result<ExitCode, Failure> {
    let (held, waiting) =
        store.read(|tx| Ok::<_, store::Error>((held_outbox::held(tx)?, held_outbox::waiting(tx)?)))?;
    let kinds: Vec<_> = waiting
        .iter()
        .map(|waiting| json!({"kind": waiting.kind, "count": waiting.count, "oldest": waiting.oldest}))
        .collect();
    let mut lines = Vec::new();
    match held {
        Some(held) => lines.extend([said(held), REMEDY.to_owned()]),
        None => lines.push("Nothing is held. Messages are sent as they arrive.".to_owned()),
    }
    for waiting in &waiting {
        lines.push(format!(
            "{} {} waiting, the oldest since {:.0}",
            waiting.count, waiting.kind, waiting.oldest
        ));
    }
    if waiting.is_empty() {
        lines.push("Nothing waits.".to_owned());
    }
    print(context.json, &json!({"held": held, "waiting": kinds}), &joined(&lines));
    Ok(ExitCode::SUCCESS)
}
