//! Notes about backups for operators: when the last one was made, and whether messages are held since a restore.

use jiff::Timestamp;
use serde::Deserialize;
use store::Store;
use store::held_outbox::{self, Restored};

use crate::backup::take::LAST;

/// Advice on how to release the messages.
pub const REMEDY: &str = "`countersign outbox status` shows what waits; `countersign outbox release` sends it, `countersign outbox drop` \
                          gives up what waited in the backup";

/// Says that messages are held.
pub fn said(held: Restored) -> String {
    format!(
        "no mail, text message or webhook goes out: a backup of {:.0} was restored at {:.0}, and the installation that made it \
         may have sent them already",
        held.backup_of, held.at
    )
}

/// Logs a warning if messages are held.
pub fn warn(store: &Store) -> Result<(), store::Error> {
    if let Some(held) = store.read(held_outbox::held)? {
        tracing::warn!("{}; {REMEDY}", said(held));
    }
    Ok(())
}

#[derive(Deserialize)]
struct LastBackup {
    at: Timestamp,
    folder: String,
}

/// Returns the time and folder of the last backup.
pub fn last_backup(store: &Store) -> Result<Option<(Timestamp, String)>, store::Error> {
    let found = store.read(|tx| store::setting::find(tx, LAST))?;
    let read = |bytes: Vec<u8>| serde_json::from_slice::<LastBackup>(&bytes).ok();
    Ok(found.and_then(read).map(|last| (last.at, last.folder)))
}
