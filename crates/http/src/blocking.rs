//! The one door between the async world and the use-cases.
//!
//! A use-case is plain synchronous code that may wait for the disk or hash a password; it runs on
//! tokio's blocking threads. The number that run at once is bounded, so that a flood of requests
//! waits here (and after a while is answered 503) rather than in an unbounded pool of threads.
//! The permit travels with the work: a client that hangs up frees it only when the work is done.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use app::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long a request waits for its turn before it is told to come back.
const PATIENCE: Duration = Duration::from_secs(10);

/// A bounded number of blocking threads.
#[derive(Debug, Clone)]
pub struct Blocking {
    permits: Arc<Semaphore>,
    patience: Duration,
}

impl Blocking {
    /// At most `bound` use-cases at the same time (at least one).
    pub fn new(bound: usize) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(bound.max(1))),
            patience: PATIENCE,
        }
    }

    /// Runs `work` on a blocking thread.
    ///
    /// Fails with what `work` fails with; with `Unavailable` where no thread came free in time;
    /// with `Internal` where `work` panicked (the panic itself has been logged by the hook).
    pub async fn run<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T, Error> + Send + 'static,
    {
        let turn = tokio::time::timeout(self.patience, self.permits.clone().acquire_owned()).await;
        let Ok(Ok(permit)) = turn else {
            return Err(Error::busy(2));
        };
        let span = tracing::Span::current();
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            span.in_scope(work)
        });
        match task.await {
            Ok(result) => result,
            Err(failure) => Err(Error::internal("waiting for a use-case", failure)),
        }
    }
}

/// A queue in front of the use-cases that anybody may ask for: few are let in at a time, a bounded number waits, first come,
/// first served, and who waits holds no thread. So a flood of them leaves the threads to everybody else.
#[derive(Debug, Clone)]
pub struct Queue {
    inside: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    patience: Duration,
}

impl Queue {
    /// At most `inside` (at least one) at a time, and `waiting` before them.
    pub fn new(inside: usize, waiting: usize) -> Self {
        Self {
            inside: Arc::new(Semaphore::new(inside.max(1))),
            waiting: Arc::new(Semaphore::new(waiting)),
            patience: PATIENCE,
        }
    }

    /// Whether nobody is in it, waits for it, or is about to: nobody else holds it.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.inside) == 1
    }

    /// A turn, which ends when it is dropped: hand it to the work. `Unavailable` where too many wait, or it took too long.
    pub async fn turn(&self) -> Result<OwnedSemaphorePermit, Error> {
        if let Ok(turn) = Arc::clone(&self.inside).try_acquire_owned() {
            return Ok(turn);
        }
        let Ok(_waits) = self.waiting.try_acquire() else {
            return Err(Error::busy(5));
        };
        match tokio::time::timeout(self.patience, Arc::clone(&self.inside).acquire_owned()).await {
            Ok(Ok(turn)) => Ok(turn),
            _ => Err(Error::busy(5)),
        }
    }
}

/// How much of something that all share one of them may have.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// At the same time; at least one.
    pub inside: usize,
    /// And waiting before them.
    pub waiting: usize,
}

/// A queue of which each of many (companies, holders of links) has its share: whoever waits for his own waits apart, and
/// leaves the turns to the others.
#[derive(Debug, Clone)]
pub struct SharedQueue {
    all: Queue,
    share: Share,
    own: Arc<Mutex<HashMap<String, Queue>>>,
}

/// A turn in a shared queue, until it is dropped.
#[derive(Debug)]
pub struct SharedTurn {
    // Given back in this order: the turn of all, the own one, and then the table forgets who has nothing more in it.
    all: Option<OwnedSemaphorePermit>,
    own: Option<OwnedSemaphorePermit>,
    of: String,
    queue: SharedQueue,
}

impl SharedQueue {
    /// A queue of which each has this share.
    pub fn new(all: Queue, share: Share) -> Self {
        Self {
            all,
            share,
            own: Arc::default(),
        }
    }

    /// A turn for one of them. `Unavailable` where too many of his wait, or of all, or it took too long.
    pub async fn turn(&self, of: &str) -> Result<SharedTurn, Error> {
        let own = {
            let mut table = self.own.lock().unwrap_or_else(PoisonError::into_inner);
            let new = || Queue::new(self.share.inside, self.share.waiting);
            table.entry(of.to_owned()).or_insert_with(new).clone()
        };
        let mut turn = SharedTurn {
            all: None,
            own: None,
            of: of.to_owned(),
            queue: self.clone(),
        };
        turn.own = Some(own.turn().await?);
        drop(own);
        turn.all = Some(self.all.turn().await?);
        Ok(turn)
    }
}

impl Drop for SharedTurn {
    fn drop(&mut self) {
        drop(self.all.take());
        drop(self.own.take());
        let mut table = self.queue.own.lock().unwrap_or_else(PoisonError::into_inner);
        if table.get(&self.of).is_some_and(Queue::is_idle) {
            table.remove(&self.of);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_waits_too_long_is_told_to_come_back() {
        let blocking = Blocking::new(1);
        let held = blocking.permits.clone().acquire_owned().await.expect("the only permit");
        let refused = blocking.run(|| Ok(())).await;
        assert!(matches!(refused, Err(Error::Unavailable { .. })), "{refused:?}");
        drop(held);
        assert!(blocking.run(|| Ok(())).await.is_ok());
    }

    #[tokio::test]
    async fn a_panic_is_a_failed_request_and_frees_its_place() {
        let blocking = Blocking::new(1);
        let failed: Result<(), Error> = blocking.run(|| panic!("on purpose")).await;
        assert!(matches!(failed, Err(Error::Internal { .. })), "{failed:?}");
        assert!(blocking.run(|| Ok(())).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_queue_lets_few_in_lets_some_wait_and_sends_the_others_away_at_once() {
        let queue = Queue::new(1, 1);
        let inside = queue.turn().await.expect("the only turn");
        let waiting = {
            let queue = queue.clone();
            tokio::spawn(async move { queue.turn().await })
        };
        tokio::task::yield_now().await;
        let began = tokio::time::Instant::now();
        assert!(matches!(queue.turn().await, Err(Error::Unavailable { .. })));
        assert_eq!(began.elapsed(), Duration::ZERO, "nobody waits in vain");
        drop(inside);
        assert!(waiting.await.expect("no panic").is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn one_takes_only_his_share_of_a_shared_queue() {
        let share = Share { inside: 2, waiting: 1 };
        let queue = SharedQueue::new(Queue::new(3, 8), share);
        let first = queue.turn("acme").await.expect("a turn");
        let second = queue.turn("acme").await.expect("another");
        let third = {
            let queue = queue.clone();
            tokio::spawn(async move { queue.turn("acme").await })
        };
        tokio::task::yield_now().await;
        assert!(matches!(queue.turn("acme").await, Err(Error::Unavailable { .. })));
        let other = queue.turn("other").await.expect("others have theirs at once");
        assert!(!third.is_finished());
        drop(second);
        let third = third.await.expect("no panic").expect("a turn after it");
        drop((other, third, first));
        assert!(queue.own.lock().expect("unharmed").is_empty(), "nobody is remembered");
    }
}
