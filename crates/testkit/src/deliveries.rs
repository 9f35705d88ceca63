//! Deliveries taken out of the outbox by hand, without a runner.

use jiff::{SignedDuration, Timestamp};
use store::outbox::{self, Claim, Claimed};
use store::{Error, Transaction};

/// Claims what is due, of each lane at most so many, whatever shares a runner would give.
pub fn claim_due(
    tx: &mut dyn Transaction,
    lease: &str,
    owner: &str,
    now: Timestamp,
    of_each: u32,
) -> Result<Vec<Claimed>, Error> {
    let lanes = outbox::due_lanes(tx, now)?;
    let claim = Claim {
        lease: lease.to_owned(),
        owner: owner.to_owned(),
        now,
        until: now + SignedDuration::from_secs(90),
        lanes: lanes.into_iter().map(|due| (due.lane, of_each)).collect(),
    };
    Ok(outbox::claim(tx, &claim)?.claimed)
}
