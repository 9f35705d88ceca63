//! Limits how often an address may do something expensive. Each address has one time window, in memory.
//!
//! Each process counts separately and loses its counts when it ends, because the purpose is to stop floods. The table
//! has a maximum size. If it is full of addresses with open windows, we empty it and start again. Only a flood from
//! very many addresses can cause that.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use domain::ClientNetwork;
use jiff::{SignedDuration, Timestamp};

/// Maximum number of addresses that we remember.
const MOST_ADDRESSES: usize = 50_000;

/// Counts by address. Cheap to clone, because all clones share the counts.
#[derive(Debug, Clone)]
pub struct Rate {
    most: u32,
    window: SignedDuration,
    counted: Arc<Mutex<HashMap<ClientNetwork, Window>>>,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    began: Timestamp,
    count: u32,
}

impl Rate {
    /// Allows `most` actions per window.
    pub fn new(most: u32, window_seconds: i64) -> Self {
        Self {
            most: most.max(1),
            window: SignedDuration::from_secs(window_seconds.max(1)),
            counted: Arc::default(),
        }
    }

    /// Counts an action, or returns the time to wait.
    pub fn count(&self, address: IpAddr, now: Timestamp) -> Result<(), SignedDuration> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that was set back also ends every window.
        let left = |window: &Window| {
            let passed = now.duration_since(window.began);
            (!passed.is_negative() && passed < self.window).then(|| self.window.saturating_sub(passed))
        };
        if counted.len() >= MOST_ADDRESSES {
            counted.retain(|_, window| left(window).is_some());
            if counted.len() >= MOST_ADDRESSES {
                counted.clear();
            }
        }
        let window = counted
            .entry(ClientNetwork::of(address))
            .or_insert(Window { began: now, count: 0 });
        match left(window) {
            Some(wait) if window.count >= self.most => Err(wait),
            Some(_) => {
                window.count += 1;
                Ok(())
            }
            None => {
                *window = Window { began: now, count: 1 };
                Ok(())
            }
        }
    }

    /// Removes an action from the count, if it should not have been counted.
    pub fn take_back(&self, address: IpAddr) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(window) = counted.get_mut(&ClientNetwork::of(address)) {
            window.count = window.count.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).expect("a time")
    }

    fn wait(rate: &Rate, address: &str, second: i64) -> Option<i64> {
        let wait = rate.count(address.parse().expect("an address"), at(second)).err();
        wait.map(|wait| wait.as_secs())
    }

    #[test]
    fn each_address_has_its_window() {
        let rate = Rate::new(2, 600);
        assert_eq!(wait(&rate, "192.0.2.1", 0), None);
        assert_eq!(wait(&rate, "192.0.2.1", 100), None);
        assert_eq!(wait(&rate, "192.0.2.1", 100), Some(500));
        assert_eq!(wait(&rate, "192.0.2.2", 100), None);
        assert_eq!(wait(&rate, "192.0.2.1", 600), None, "a new window");
        assert_eq!(wait(&rate, "::ffff:192.0.2.1", 600), None);
        assert_eq!(
            wait(&rate, "192.0.2.1", 600),
            Some(600),
            "the same address, however it is written"
        );
        assert_eq!(wait(&rate, "192.0.2.1", -50), None, "the clock was set back");
    }

    #[test]
    fn a_window_ends_at_the_moment_that_was_announced() {
        let rate = Rate::new(1, 600);
        let address = "192.0.2.1".parse().expect("an address");
        let began = at(0) + SignedDuration::from_millis(900);
        rate.count(address, began).expect("the first");
        let later = began + SignedDuration::from_millis(1_200);
        let wait = rate.count(address, later).expect_err("too often");
        assert_eq!(wait, SignedDuration::from_millis(598_800));
        assert!(
            rate.count(address, later + wait - SignedDuration::from_millis(1))
                .is_err()
        );
        rate.count(address, later + wait).expect("a new window");
    }

    #[test]
    fn what_did_not_count_is_taken_back() {
        let rate = Rate::new(1, 600);
        for second in 0..5 {
            assert_eq!(wait(&rate, "192.0.2.1", second), None);
            rate.take_back("192.0.2.1".parse().expect("an address"));
        }
        assert_eq!(wait(&rate, "192.0.2.1", 5), None);
        assert_eq!(wait(&rate, "192.0.2.1", 6), Some(594));
        rate.take_back("192.0.2.9".parse().expect("an address that was never counted"));
    }

    #[test]
    fn a_visitor_with_a_network_of_their_own_is_one_visitor() {
        let rate = Rate::new(1, 600);
        assert_eq!(wait(&rate, "2001:db8::1", 0), None);
        assert_eq!(wait(&rate, "2001:db8::ffff:2", 0), Some(600));
        assert_eq!(wait(&rate, "2001:db8:0:1::1", 0), None);
    }

    #[test]
    fn the_table_does_not_grow_without_end() {
        let rate = Rate::new(1, 600);
        for number in 0..u32::try_from(MOST_ADDRESSES).expect("few") + 10 {
            rate.count(IpAddr::V4(number.into()), at(0)).expect("the first of each");
        }
        let counted = rate.counted.lock().expect("unharmed");
        assert!(counted.len() <= MOST_ADDRESSES, "{}", counted.len());
    }
}
