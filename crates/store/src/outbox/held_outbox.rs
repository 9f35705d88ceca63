//! Holds everything in the outbox after a restore, because the installation that made the backup may have sent it
//! already.
//!
//! The hold is one row of `setting`. While it exists, no claim finds anything due ([`crate::outbox::due_lanes`]), in
//! any process on the database. New messages are added as usual, and wait too.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::companies::setting;
use crate::sql::{backup as sql, delivery};
use crate::{Error, Transaction, values};

/// The statement that finds due deliveries contains the same name.
const HELD: &str = "outgoing-held";
const RESTORED: &str = "restored";
/// The text that customers see for a dropped message.
const DROPPED: &str = "dropped by the operator after a backup was restored";

/// The source of a restored installation's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restored {
    pub at: Timestamp,
    /// The moment whose state the backup contains.
    pub backup_of: Timestamp,
}

/// The messages that wait to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    pub kind: String,
    pub count: u64,
    /// When the oldest of them was added.
    pub oldest: Timestamp,
}

/// Records that a backup was restored, and holds everything in the outbox.
pub fn hold(tx: &mut dyn Transaction, restored: Restored) -> Result<(), Error> {
    let text = serde_json::json!(restored).to_string();
    setting::put(tx, RESTORED, text.as_bytes())?;
    setting::put(tx, HELD, text.as_bytes())
}

/// Returns the restore that holds messages. `None` if messages are sent.
pub fn held(tx: &mut dyn Transaction) -> Result<Option<Restored>, Error> {
    read(tx, HELD)
}

/// Returns the last restore, if there was one.
pub fn restored(tx: &mut dyn Transaction) -> Result<Option<Restored>, Error> {
    read(tx, RESTORED)
}

fn read(tx: &mut dyn Transaction, name: &str) -> Result<Option<Restored>, Error> {
    let Some(value) = setting::find(tx, name)? else {
        return Ok(None);
    };
    let unknown = Restored {
        at: Timestamp::UNIX_EPOCH,
        backup_of: Timestamp::UNIX_EPOCH,
    };
    // The row holds the messages, even if its content is unreadable.
    Ok(Some(serde_json::from_slice(&value).unwrap_or(unknown)))
}

/// Releases everything. Returns whether it was held.
pub fn release(tx: &mut dyn Transaction) -> Result<bool, Error> {
    Ok(tx.execute(&sql::RELEASE, &[])? == 1)
}

pub fn waiting(tx: &mut dyn Transaction) -> Result<Vec<Waiting>, Error> {
    let rows = tx.query(&sql::WAITING, &[])?;
    rows.iter()
        .map(|row| {
            Ok(Waiting {
                kind: row.get("kind")?,
                count: row.get("waiting")?,
                oldest: row.get("oldest")?,
            })
        })
        .collect()
}

/// Drops a portion of the messages that were added before a time, after a known ID. Returns how many, and the last ID,
/// or `None` if there were no more.
pub fn drop_portion(
    tx: &mut dyn Transaction,
    before: Timestamp,
    after: i64,
    limit: u32,
    now: Timestamp,
) -> Result<(u64, Option<i64>), Error> {
    let (mut dropped, mut last) = (0, None);
    for row in tx.query(&sql::WAITING_SINCE, values![before, after, limit])? {
        let (id, tries_made): (i64, i64) = (row.get("id")?, row.get("tries_made")?);
        last = Some(id);
        if tx.execute(&sql::DROP, values![id, now])? == 1 {
            dropped += 1;
            tx.execute_later(
                &delivery::INSERT_TRY,
                values![id, tries_made + 1, now, 0_i64, Option::<i64>::None, DROPPED, ""],
            )?;
        }
    }
    Ok((dropped, last))
}
