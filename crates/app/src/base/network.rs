//! The port through which sealing reaches the network: time-stamp authorities, revocation lists, OCSP responders and
//! issuer certificates.
//!
//! Use cases know this port, and the program connects it to the guarded client. There are two kinds of addresses, with
//! different rules. A time-stamp authority ([`TimeStampAuthority`]) was chosen by the operator, and may be in the
//! operator's own network. An address in a certificate ([`SourceAddress`]) was written by a stranger, and may not.
//! Neither type can be converted into the other.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub use document::pki::revocation::SourceAddress;
use document::pki::timestamp::Policy;
pub use document::pki::timestamp::QUERY_MEDIA_TYPE;
use domain::Clock;
use domain::public_address::CallbackUrl;
use jiff::Timestamp;

use crate::base::webhook_secret::WebhookSecret;

/// Sends HTTP requests and waits for the responses. Any status other than 200 is a fault.
pub trait Network: Send + Sync {
    /// Sends a request to a time-stamp authority (RFC 3161, 3.4).
    fn ask_authority(&self, authority: &TimeStampAuthority, request: Vec<u8>) -> Result<Vec<u8>, NetworkFault>;

    /// Fetches an address from a certificate, and waits no longer than `within`.
    fn fetch(&self, address: &SourceAddress, within: Duration) -> Result<Vec<u8>, NetworkFault>;

    /// Sends a request body of this media type to an address from a certificate, and waits no longer than `within`.
    fn ask(
        &self,
        address: &SourceAddress,
        media_type: &'static str,
        question: Vec<u8>,
        within: Duration,
    ) -> Result<Vec<u8>, NetworkFault>;

    /// Sends a webhook once, under the same address rules as a delivery.
    fn try_webhook(&self, trial: &WebhookTrial) -> Result<WebhookAnswer, NetworkFault>;
}

/// A webhook that is sent while a person waits for the result.
pub struct WebhookTrial {
    pub url: CallbackUrl,
    pub event_id: String,
    /// The value of the Authorization header.
    pub authorization: Option<String>,
    /// The secrets that sign the webhook.
    pub secrets: Vec<WebhookSecret>,
    pub body: Vec<u8>,
    pub at: Timestamp,
}

/// The response of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookAnswer {
    pub status: u16,
    /// The first bytes of the body.
    pub start: Vec<u8>,
}

/// Reason why there is no response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{url}: {reason}")]
pub struct NetworkFault {
    /// The address of the request.
    pub url: String,
    pub reason: String,
}

/// The time limit for all requests together, counted from the first one.
pub struct Patience {
    lasts: Duration,
    clock: Arc<dyn Clock>,
    began: OnceLock<Duration>,
}

impl Patience {
    /// Creates a limit of this duration, counted from the first request.
    pub fn of(lasts: Duration, clock: Arc<dyn Clock>) -> Self {
        Self {
            lasts,
            clock,
            began: OnceLock::new(),
        }
    }

    /// Returns the time limit for one address: half of the remaining time, so that an unresponsive address leaves time
    /// for the next. `None` if no time is left.
    pub fn for_one(&self) -> Option<Duration> {
        let now = self.clock.elapsed();
        // Another thread may have started after `now`. The full time is then left, but not more.
        let waited = now.saturating_sub(*self.began.get_or_init(|| now));
        let left = self.lasts.saturating_sub(waited);
        (!left.is_zero()).then_some(left / 2)
    }
}

#[derive(Clone)]
pub struct TimeStampAuthority {
    pub url: String,
    /// The policy to request. `None` uses the authority's default.
    pub policy: Option<Policy>,
    /// The value of the Authorization header, if the authority needs one.
    pub authorization: Option<String>,
}

impl std::fmt::Debug for TimeStampAuthority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TimeStampAuthority")
            .field("url", &self.url)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    const WHOLE: Duration = Duration::from_secs(10);

    /// A clock that shows this number of seconds.
    struct Seconds(AtomicU64);

    impl Clock for Seconds {
        fn now(&self) -> Timestamp {
            Timestamp::UNIX_EPOCH
        }

        fn elapsed(&self) -> Duration {
            Duration::from_secs(self.0.load(Ordering::SeqCst))
        }
    }

    #[test]
    fn each_address_leaves_time_for_the_next_and_all_together_have_an_end() {
        let clock = Arc::new(Seconds(AtomicU64::new(100)));
        let patience = Patience::of(WHOLE, Arc::clone(&clock) as _);
        let mut after = |seconds: u64| {
            clock.0.store(100 + seconds, Ordering::SeqCst);
            patience.for_one().map(|time| time.as_secs())
        };
        assert_eq!(
            [0, 4, 8, 10, 11].map(&mut after),
            [Some(5), Some(3), Some(1), None, None]
        );
    }

    /// When two threads send the first requests, the one that read the clock earlier may be second.
    #[test]
    fn requests_at_the_same_moment_wait_no_longer_than_the_first() {
        let clock = Arc::new(Seconds(AtomicU64::new(100)));
        let patience = Patience::of(WHOLE, Arc::clone(&clock) as _);
        assert_eq!(patience.for_one(), Some(WHOLE / 2));
        clock.0.store(99, Ordering::SeqCst);
        assert_eq!(patience.for_one(), Some(WHOLE / 2));
    }
}
