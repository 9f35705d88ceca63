//! The links to a workflow's finished files and to the sender's view. A signer's signing link is separate and has its
//! own version.
//!
//! A link can only be built from [`LiveLinks`], and [`Links`] provides none while the links are revoked. So no page,
//! response or mail can contain a new working link before someone renews the links.

use jiff::{SignedDuration, Timestamp};

/// The state of a workflow's links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Links {
    version: u32,
    revoked_at: Option<Timestamp>,
    renewed_at: Option<Timestamp>,
}

/// Links that work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveLinks {
    version: u32,
    renewed_at: Option<Timestamp>,
}

impl Links {
    /// Creates the state from its stored columns.
    pub const fn new(version: u32, revoked_at: Option<Timestamp>, renewed_at: Option<Timestamp>) -> Self {
        Self {
            version,
            revoked_at,
            renewed_at,
        }
    }

    /// Returns the working links. `None` while the links are revoked.
    pub const fn live(self) -> Option<LiveLinks> {
        match self.revoked_at {
            Some(_) => None,
            None => Some(LiveLinks {
                version: self.version,
                renewed_at: self.renewed_at,
            }),
        }
    }

    /// Returns the working links if a link with this version still works.
    pub fn opened_by(self, version: u32) -> Option<LiveLinks> {
        self.live().filter(|live| live.version == version)
    }
}

impl LiveLinks {
    /// The links of a newly started workflow.
    pub const FIRST: Self = Self {
        version: 1,
        renewed_at: None,
    };

    /// The version in tokens. Incrementing it invalidates all earlier links.
    pub const fn version(self) -> u32 {
        self.version
    }

    /// Returns when the links of a workflow that ended at `ended` expire: `days` after its end or their renewal.
    pub fn until(self, ended: Timestamp, days: i64) -> Timestamp {
        let from = self.renewed_at.map_or(ended, |renewed| renewed.max(ended));
        SignedDuration::try_from_hours(days.saturating_mul(24))
            .and_then(|life| from.checked_add(life).ok())
            .unwrap_or(Timestamp::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_second(day * 24 * 60 * 60).unwrap()
    }

    #[test]
    fn revoked_links_are_opened_by_no_version_and_make_no_address() {
        let links = Links::new(2, Some(at(1)), Some(at(0)));
        assert_eq!(links.live(), None);
        assert!((0..4).all(|version| links.opened_by(version).is_none()));
    }

    #[test]
    fn only_the_present_version_opens() {
        let links = Links::new(2, None, None);
        assert_eq!(links.opened_by(2), links.live());
        assert_eq!((links.opened_by(1), links.opened_by(3)), (None, None));
    }

    #[test]
    fn links_work_for_so_many_days_from_the_end_or_from_a_later_renewal() {
        let until = |renewed: Option<i64>| {
            let links = Links::new(1, None, renewed.map(at));
            links.live().unwrap().until(at(10), 30)
        };
        assert_eq!(until(None), at(40));
        assert_eq!(until(Some(5)), at(40), "renewed while it was under way");
        assert_eq!(until(Some(35)), at(65));
        assert_eq!(LiveLinks::FIRST.until(at(10), i64::MAX), Timestamp::MAX);
    }
}
