//! Places that all requesters share by the rule of [`domain::turns`]. A waiting request occupies no thread.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use app::Error;
use domain::Requester;
use domain::turns::{Bounds, Ticket, Turns};
use tokio::sync::oneshot;

/// Time that a request waits for its turn before it gets a 503.
const PATIENCE: Duration = Duration::from_secs(10);
/// The `Retry-After` of that 503, in seconds.
const COME_BACK_IN: u64 = 5;

/// A limited number of places. Cheap to clone, because all clones share them.
#[derive(Debug, Clone)]
pub struct Shares(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    turns: Turns,
    /// Wakes the requests whose turn has started.
    waiting: HashMap<Ticket, oneshot::Sender<()>>,
}

impl Inner {
    fn begin(&mut self) {
        while let Some(ticket) = self.turns.begin_next() {
            if let Some(waits) = self.waiting.remove(&ticket) {
                // A request that has been dropped meanwhile is about to end its turn.
                let _ = waits.send(());
            }
        }
    }
}

/// A turn, or the wait for one. It ends when dropped, so move it into the work.
#[derive(Debug)]
pub struct Turn {
    shares: Shares,
    requester: Requester,
    ticket: Ticket,
}

impl Shares {
    pub fn new(bounds: Bounds) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            turns: Turns::new(bounds),
            waiting: HashMap::new(),
        })))
    }

    /// Waits for a place for this requester. `Unavailable` if too many of their requests wait, or if it takes too long.
    pub async fn turn(&self, requester: &Requester) -> Result<Turn, Error> {
        let (tell, begun) = oneshot::channel();
        let turn = {
            let mut inner = self.lock();
            let ticket = inner.turns.wait(requester).ok_or(Error::busy(COME_BACK_IN))?;
            inner.waiting.insert(ticket, tell);
            inner.begin();
            Turn {
                shares: self.clone(),
                requester: requester.clone(),
                ticket,
            }
        };
        match tokio::time::timeout(PATIENCE, begun).await {
            Ok(Ok(())) => Ok(turn),
            _ => Err(Error::busy(COME_BACK_IN)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut inner = self.shares.lock();
        inner.waiting.remove(&self.ticket);
        inner.turns.end(&self.requester, self.ticket);
        inner.begin();
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use domain::{ClientNetwork, CompanyId};
    use tokio::time::Instant;

    use super::*;

    fn shares(places: usize, waiting: usize) -> Shares {
        Shares::new(Bounds {
            places,
            of_link: 1,
            waiting_of_one: waiting,
            waiting_of_group: waiting,
        })
    }

    fn company(id: &str) -> Requester {
        Requester::Company(CompanyId::parse(id).expect("a company id"))
    }

    fn is_forgotten(shares: &Shares) -> bool {
        let inner = shares.lock();
        inner.waiting.is_empty() && inner.turns.is_idle()
    }

    #[tokio::test(start_paused = true)]
    async fn a_requester_who_waits_too_long_is_asked_to_come_back() {
        let shares = shares(1, 4);
        let held = shares.turn(&company("acme")).await.expect("the only place");
        let began = Instant::now();
        let refused = shares.turn(&company("other")).await;
        assert!(matches!(refused, Err(Error::Unavailable { .. })), "{refused:?}");
        assert_eq!(began.elapsed(), PATIENCE);
        drop(held);
        drop(shares.turn(&company("other")).await.expect("it is free"));
        assert!(is_forgotten(&shares));
    }

    #[tokio::test(start_paused = true)]
    async fn where_enough_wait_others_are_sent_away_at_once() {
        let shares = shares(1, 1);
        let held = shares.turn(&company("acme")).await.expect("the only place");
        let waiting = {
            let shares = shares.clone();
            tokio::spawn(async move { shares.turn(&company("acme")).await })
        };
        tokio::task::yield_now().await;
        let began = Instant::now();
        assert!(shares.turn(&company("acme")).await.is_err());
        assert_eq!(began.elapsed(), Duration::ZERO, "nobody waits in vain");
        drop(held);
        assert!(waiting.await.expect("no panic").is_ok());
        assert!(is_forgotten(&shares));
    }

    /// If a client disconnects, its request is dropped at any point.
    #[tokio::test(start_paused = true)]
    async fn nothing_is_remembered_of_those_who_hang_up() {
        let shares = shares(1, 8);
        let stranger = |number| Requester::Stranger(ClientNetwork::of(IpAddr::V4(Ipv4Addr::new(192, 0, 2, number))));
        let held = shares.turn(&company("acme")).await.expect("the only place");
        let waiting: Vec<_> = (0..8)
            .map(|number| {
                let shares = shares.clone();
                tokio::spawn(async move { shares.turn(&stranger(number)).await.map(drop) })
            })
            .collect();
        tokio::task::yield_now().await;
        assert_eq!(shares.lock().waiting.len(), 8);
        waiting.iter().for_each(tokio::task::JoinHandle::abort);
        for gone in waiting {
            assert!(gone.await.expect_err("it was aborted").is_cancelled());
        }
        assert!(shares.lock().waiting.is_empty());
        // Also drop a request whose turn has started but that has not noticed yet.
        let mut late = tokio::spawn({
            let shares = shares.clone();
            async move { shares.turn(&company("late")).await }
        });
        tokio::select! {
            biased;
            _ = &mut late => panic!("it waits"),
            () = tokio::task::yield_now() => {}
        }
        drop(held);
        late.abort();
        drop(late.await);
        assert!(is_forgotten(&shares));
    }
}
