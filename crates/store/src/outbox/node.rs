//! The processes that claim work, and whether they are alive.

use crate::sql::node as sql;
use crate::starts::bulk;
use crate::{Error, Transaction, outbox, values};
use jiff::Timestamp;

/// A process that claims work, as it last reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The name under which it holds leases.
    pub name: String,
    /// Increases as long as the node is alive.
    pub beat: i64,
}

/// Reports that a node is alive. Returns its beat.
pub fn beat(tx: &mut dyn Transaction, name: &str) -> Result<i64, Error> {
    tx.query_one(&sql::BEAT, values![name])?.get("beat")
}

pub fn all(tx: &mut dyn Transaction) -> Result<Vec<Node>, Error> {
    tx.query(&sql::ALL, values![])?
        .iter()
        .map(|row| {
            Ok(Node {
                name: row.get("name")?,
                beat: row.get("beat")?,
            })
        })
        .collect()
}

/// Removes a dead node and makes everything it had claimed due now. Returns how much. `None` if the node has reported
/// since, or another node has removed it.
pub fn take_over(tx: &mut dyn Transaction, dead: &Node, now: Timestamp) -> Result<Option<u64>, Error> {
    if tx.execute(&sql::REMOVE, values![dead.name.as_str(), dead.beat])? == 0 {
        return Ok(None);
    }
    release(tx, &dead.name, now).map(Some)
}

/// Removes a node that is shutting down and makes everything it still holds due now. Returns how much.
pub fn leave(tx: &mut dyn Transaction, name: &str, now: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::LEAVE, values![name])?;
    release(tx, name, now)
}

fn release(tx: &mut dyn Transaction, name: &str, now: Timestamp) -> Result<u64, Error> {
    let deliveries = outbox::release_owner(tx, name, now)?;
    Ok(deliveries + bulk::release_owner(tx, name)?)
}
