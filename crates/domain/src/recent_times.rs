//! How often something happened lately, and how long it must wait until it may happen again.

use jiff::{SignedDuration, Timestamp};

/// At most so many times within this period.
pub type Limit = (usize, SignedDuration);

/// When something happened, newest last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecentTimes(Vec<Timestamp>);

impl RecentTimes {
    pub fn at(times: Vec<Timestamp>) -> RecentTimes {
        RecentTimes(times)
    }

    pub fn times(&self) -> &[Timestamp] {
        &self.0
    }

    /// Whether it may happen again now; if not, how long to wait.
    pub fn allows(&self, limits: &[Limit], at: Timestamp) -> Result<(), SignedDuration> {
        let waits = limits.iter().filter_map(|(most, period)| {
            let oldest = self.0.iter().rev().nth(most.checked_sub(1)?)?;
            remaining(*oldest, *period, at)
        });
        waits.max().map_or(Ok(()), Err)
    }

    /// Adds one, and forgets those that no limit needs.
    pub fn add(&mut self, limits: &[Limit], at: Timestamp) {
        self.0.push(at);
        let needed = limits.iter().map(|(most, _)| *most).max().unwrap_or_default();
        let kept = self.0.len().min(needed);
        self.0.drain(..self.0.len() - kept);
    }
}

/// What is left of a period that began at `since`. Setting the clock back does not make it longer.
pub fn remaining(since: Timestamp, length: SignedDuration, at: Timestamp) -> Option<SignedDuration> {
    let left = length.checked_sub(at.duration_since(since)).unwrap_or(length);
    Some(left.min(length)).filter(SignedDuration::is_positive)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: [Limit; 2] = [(2, SignedDuration::from_secs(10)), (3, SignedDuration::from_secs(100))];

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    #[test]
    fn each_limit_has_its_period_and_the_longest_wait_counts() {
        let mut times = RecentTimes::default();
        let wait = |seconds| Err(SignedDuration::from_secs(seconds));
        for (second, allowed) in [(0, Ok(())), (1, Ok(())), (2, wait(8)), (10, Ok(()))] {
            assert_eq!(times.allows(&LIMITS, at(second)), allowed, "{second}");
            if allowed.is_ok() {
                times.add(&LIMITS, at(second));
            }
        }
        assert_eq!(times.allows(&LIMITS, at(10)), wait(90));
        assert_eq!(times.allows(&LIMITS, at(-1_000)), wait(100), "the clock was set back");
        assert_eq!(times.allows(&LIMITS, at(100)), Ok(()));
        times.add(&LIMITS, at(100));
        assert_eq!(times.times(), [at(1), at(10), at(100)]);
    }
}
