//! Claims deliveries from the outbox manually, without a runner.

use jiff::{SignedDuration, Timestamp};
use store::outbox::{self, Claim, Claimed, MOST_OF_LANE};
use store::{Error, Transaction};

/// Claims due deliveries, at most `of_each` per lane, ignoring a runner's shares, in a transaction that does not wait
/// for the disk.
pub fn claim_due(
    tx: &mut dyn Transaction,
    lease: &str,
    owner: &str,
    now: Timestamp,
    of_each: u32,
) -> Result<Vec<Claimed>, Error> {
    let (mut all, mut left) = (Vec::new(), of_each);
    while left > 0 {
        let room = left.min(MOST_OF_LANE);
        let lanes = outbox::due_lanes(tx, now)?;
        let claim = Claim {
            lease: lease.to_owned(),
            owner: owner.to_owned(),
            now,
            until: now + SignedDuration::from_secs(90),
            lanes: lanes.into_iter().map(|due| (due.lane, room)).collect(),
        };
        let taken = outbox::claim(tx, &claim)?;
        for ((company, url), met) in &taken.stopped {
            outbox::hold_claimed(tx, (company, url), met, lease, now)?;
        }
        all.extend(taken.claimed);
        left -= room;
    }
    Ok(all)
}
