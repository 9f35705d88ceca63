//! The only way from async code to the use cases.
//!
//! A use case is synchronous code that may wait for the disk or hash a password, so it runs on tokio's blocking
//! threads. Only a limited number run at once. A flood of requests waits here and eventually gets a 503, instead of
//! starting more and more threads. A turn belongs to its work: if the client disconnects, the turn ends when the work
//! does.
//!
//! Requesters share the threads by the rule of [`domain::turns`]. The requester is set once for each request
//! ([`answering`]), so handlers do not have to pass it.

use std::time::Instant;

use app::Error;
use domain::Requester;
use domain::turns::Bounds;
use metrics::{GoingOn, metrics};

use super::shares::{Shares, Turn};

tokio::task_local! {
    static REQUESTER: Requester;
}

/// Runs `answer` so that all its work on blocking threads counts for this requester.
pub async fn answering<F: Future>(requester: Requester, answer: F) -> F::Output {
    REQUESTER.scope(requester, answer).await
}

pub fn requester() -> Requester {
    REQUESTER
        .try_with(Requester::clone)
        .unwrap_or_else(|_| Requester::unknown())
}

/// Maximum number of waiting requests of one link. A page with many images requests all of them at once.
const WAITING_OF_LINK: usize = 128;
/// Maximum number of waiting requests of a company, or of a network of strangers.
const WAITING_OF_GROUP: usize = 1_000;

#[derive(Debug, Clone)]
pub struct Blocking(Shares);

impl Blocking {
    /// Runs up to `bound` use cases at once (at least one), and up to a sixteenth of them for one link.
    pub fn new(bound: usize) -> Self {
        Self(Shares::new(Bounds {
            places: bound,
            of_link: bound / 16,
            waiting_of_one: WAITING_OF_LINK,
            waiting_of_group: WAITING_OF_GROUP,
        }))
    }

    /// Runs `work` on a blocking thread.
    ///
    /// Fails with the error of `work`, with `Unavailable` if no thread became free in time, and with `Internal` if
    /// `work` panicked (the panic hook has logged it).
    pub async fn run<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T, Error> + Send + 'static,
    {
        let turn = self.turn().await?;
        let span = tracing::Span::current();
        let task = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let _working = GoingOn::begin(&metrics().use_cases_now, "working");
            span.in_scope(work)
        });
        let begun = Instant::now();
        let result = match task.await {
            Ok(result) => result,
            Err(failure) => Err(Error::internal("waiting for a blocking task", failure)),
        };
        let labels = metrics::Outcome {
            outcome: result.as_ref().err().map_or("done", outcome_of),
        };
        metrics::took(&metrics().use_cases, &labels, begun.elapsed());
        result
    }

    async fn turn(&self) -> Result<Turn, Error> {
        let _waiting = GoingOn::begin(&metrics().use_cases_now, "waiting");
        let begun = Instant::now();
        let turn = self.0.turn(&requester()).await;
        metrics().use_case_wait.observe(begun.elapsed().as_secs_f64());
        turn
    }
}

/// Returns the outcome of failed work, for metrics.
fn outcome_of(error: &Error) -> &'static str {
    match error {
        Error::Unavailable { .. } => "unavailable",
        Error::Internal { .. } | Error::OutcomeUnknown(_) | Error::FileLost(_) => "failed",
        _ => "refused",
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use domain::{ClientNetwork, CompanyId, LinkHolder, RecipientId};

    use super::*;

    const THREADS: usize = 64;

    fn company(id: &str) -> Requester {
        Requester::Company(CompanyId::parse(id).expect("a company id"))
    }

    fn link(id: &str, signer: i64) -> Requester {
        Requester::Link {
            company: CompanyId::parse(id).expect("a company id"),
            holder: LinkHolder::Signer(RecipientId(signer)),
        }
    }

    fn visitor(id: &str, number: u8) -> Requester {
        Requester::Link {
            company: CompanyId::parse(id).expect("a company id"),
            holder: LinkHolder::Visitor {
                link: 1,
                network: network(number),
            },
        }
    }

    fn network(number: u8) -> ClientNetwork {
        ClientNetwork::of(IpAddr::V4(Ipv4Addr::new(192, 0, 2, number)))
    }

    /// Each greedy requester sends as many requests as there are threads, and their work does not end before the test
    /// does.
    async fn prove_that_others_get_a_thread(greedy: &[Requester], others: &[Requester]) {
        let threads = Blocking::new(THREADS);
        let (open, gate) = std::sync::mpsc::channel::<()>();
        let (gate, begun) = (Arc::new(Mutex::new(gate)), Arc::new(AtomicUsize::new(0)));
        let mut flood = Vec::new();
        for requester in greedy {
            for _ in 0..THREADS {
                let (threads, gate, begun) = (threads.clone(), Arc::clone(&gate), Arc::clone(&begun));
                flood.push(tokio::spawn(answering(requester.clone(), async move {
                    let held = threads.run(move || {
                        begun.fetch_add(1, Ordering::SeqCst);
                        // Blocks until the sender is dropped.
                        let _ = gate.lock().map(|gate| gate.recv());
                        Ok(())
                    });
                    held.await
                })));
            }
            // The next requester gets the remaining threads.
            for _ in 0..THREADS {
                tokio::task::yield_now().await;
            }
        }
        for other in others {
            let work = answering(other.clone(), threads.run(|| Ok(())));
            work.await
                .unwrap_or_else(|error| panic!("{other:?} beside {greedy:?}: {error}"));
        }
        assert!(begun.load(Ordering::SeqCst) < THREADS);
        flood.iter().for_each(tokio::task::JoinHandle::abort);
        drop(open);
    }

    #[tokio::test]
    async fn nobody_takes_the_threads_of_the_others() {
        let everybody = [
            company("flood"),
            link("flood", 1),
            link("flood", 2),
            visitor("flood", 1),
            Requester::Stranger(network(1)),
            company("second"),
            link("second", 3),
            Requester::Stranger(network(2)),
        ];
        let others = [company("other"), link("other", 9), Requester::Stranger(network(9))];
        // Each requester in turn acts as the first one, which takes the most.
        for first in 0..everybody.len() {
            let mut greedy = everybody.to_vec();
            greedy.rotate_left(first);
            prove_that_others_get_a_thread(&greedy, &others).await;
            greedy.reverse();
            prove_that_others_get_a_thread(&greedy, &others).await;
        }
    }

    #[tokio::test]
    async fn one_signer_or_visitor_leaves_threads_to_the_others_of_the_same_company_and_link() {
        let others = [company("acme"), link("acme", 2), visitor("acme", 2)];
        prove_that_others_get_a_thread(&[link("acme", 1), visitor("acme", 1)], &others).await;
        prove_that_others_get_a_thread(&[company("acme")], &others[1..]).await;
    }

    #[tokio::test]
    async fn a_panic_is_a_failed_request_and_frees_its_place() {
        let blocking = Blocking::new(1);
        let failed: Result<(), Error> = blocking.run(|| panic!("on purpose")).await;
        assert!(matches!(failed, Err(Error::Internal { .. })), "{failed:?}");
        assert!(blocking.run(|| Ok(())).await.is_ok());
    }
}
