//! The one door between the async world and the use-cases.
//!
//! A use-case is plain synchronous code that may wait for the disk or hash a password; it runs on
//! tokio's blocking threads. The number that run at once is bounded, so that a flood of requests
//! waits here (and after a while is answered 503) rather than in an unbounded pool of threads.
//! The permit travels with the work: a client that hangs up frees it only when the work is done.
//!
//! Of the threads nobody has all: each [`Party`] has its share, and waits for it apart from the others. Who the party of a
//! request is, its frame says once ([`Party::answering`]); so no handler, and no new route, has to think of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use app::Error;
use domain::CompanyId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long a request waits for its turn before it is told to come back.
const PATIENCE: Duration = Duration::from_secs(10);

/// Who is behind a request, as far as its frame tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Party {
    /// A company's programs and members, by their access tokens.
    Company(CompanyId),
    /// The holder of a link, and the company whose link it is.
    Link {
        /// The link.
        own: String,
        /// The company.
        company: CompanyId,
    },
    /// Anybody else.
    Stranger,
}

tokio::task_local! {
    static PARTY: Party;
}

impl Party {
    /// Answers a request of this party: what it does on threads counts as its own.
    pub async fn answering<F: Future>(self, answer: F) -> F::Output {
        PARTY.scope(self, answer).await
    }
}

/// So many more of one link wait for its share: a page of many pictures asks for all of them at once.
const WAITING_OF_LINK: usize = 256;
/// And of one company, or of all strangers.
const WAITING_OF_MANY: usize = 2_000;

/// How many threads one party may have at the same time.
#[derive(Debug, Clone)]
struct Shares {
    companies: SharedQueue,
    links_of_company: SharedQueue,
    links: SharedQueue,
    strangers: SharedQueue,
}

impl Shares {
    /// Of so many threads a company has three quarters and all strangers together the same; all links of a company have
    /// half, and one link a sixteenth.
    fn of(threads: usize) -> Self {
        let unbounded = || Queue::new(Semaphore::MAX_PERMITS, 0);
        let shared = |inside: usize, waiting| {
            let inside = inside.max(1);
            SharedQueue::new(unbounded(), Share { inside, waiting })
        };
        Self {
            companies: shared(threads * 3 / 4, WAITING_OF_MANY),
            links_of_company: shared(threads / 2, WAITING_OF_MANY),
            links: shared(threads / 16, WAITING_OF_LINK),
            strangers: shared(threads * 3 / 4, WAITING_OF_MANY),
        }
    }

    /// What the party holds while its work is done.
    async fn turn(&self, party: &Party) -> Result<Vec<SharedTurn>, Error> {
        Ok(match party {
            Party::Company(company) => vec![self.companies.turn(company.as_str()).await?],
            Party::Link { own, company } => {
                let own = self.links.turn(own).await?;
                vec![self.links_of_company.turn(company.as_str()).await?, own]
            }
            Party::Stranger => vec![self.strangers.turn("").await?],
        })
    }
}

/// A bounded number of blocking threads.
#[derive(Debug, Clone)]
pub struct Blocking {
    permits: Arc<Semaphore>,
    shares: Shares,
    patience: Duration,
}

impl Blocking {
    /// At most `bound` use-cases at the same time (at least one).
    pub fn new(bound: usize) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(bound.max(1))),
            shares: Shares::of(bound),
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
        let share = match PARTY.try_with(Party::clone) {
            Ok(party) => Some(self.shares.turn(&party).await?),
            // Before it is known who asks, and what nobody asks for.
            Err(_) => None,
        };
        let turn = tokio::time::timeout(self.patience, self.permits.clone().acquire_owned()).await;
        let Ok(Ok(permit)) = turn else {
            return Err(Error::busy(2));
        };
        let span = tracing::Span::current();
        let task = tokio::task::spawn_blocking(move || {
            let _held = (permit, share);
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
    async fn nobody_takes_the_threads_of_the_others() {
        let blocking = Blocking::new(16);
        let company = |name: &str| CompanyId::parse(name).expect("a company id");
        let link = |own: &str, company: &CompanyId| Party::Link {
            own: own.to_owned(),
            company: company.clone(),
        };
        let flood = company("flood");
        let (open, gate) = std::sync::mpsc::channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        let mut under_way = Vec::new();
        // As many as there are threads, of each: of one link, of other links of its company, of the company, of strangers.
        let parties = [
            link("1", &flood),
            link("2", &flood),
            Party::Company(flood.clone()),
            Party::Stranger,
        ];
        let at_work = Arc::new(Mutex::new(Vec::<Party>::new()));
        for party in parties.iter().flat_map(|party| std::iter::repeat_n(party, 16)) {
            let (threads, gate, at_work, of) =
                (blocking.clone(), Arc::clone(&gate), Arc::clone(&at_work), party.clone());
            under_way.push(tokio::spawn(party.clone().answering(async move {
                let work = move || {
                    at_work.lock().expect("unharmed").push(of);
                    // Until the sender is dropped.
                    let _ = gate.lock().map(|gate| gate.recv());
                    Ok(())
                };
                threads.run(work).await
            })));
            tokio::task::yield_now().await;
            if blocking.permits.available_permits() == 0 {
                break;
            }
        }
        let shares = &blocking.shares;
        let held = |queue: &SharedQueue, of: &str| {
            let own = queue.own.lock().expect("unharmed");
            own.get(of)
                .map_or(0, |own| queue.share.inside - own.inside.available_permits())
        };
        assert_eq!(held(&shares.links, "1"), 1, "of 16 threads one link has one");
        assert_eq!(held(&shares.links_of_company, "flood"), 2);
        assert_eq!(held(&shares.companies, "flood"), 12);
        drop(open);
        for work in under_way {
            work.await.expect("no panic").expect("all have their turn");
        }
        let done = at_work.lock().expect("unharmed").len();
        assert!(done >= 48, "{done}");
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
