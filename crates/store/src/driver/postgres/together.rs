//! Serves callers with the same request at the same moment: one of them does the work for all.
//!
//! A caller that arrives while nobody is serving begins immediately, alone. Callers that arrive meanwhile wait. When
//! the current one is done, the first of them serves all who wait. So nobody waits only to form a group, and the more
//! callers arrive, the less often the work is done. Work for a caller always begins after the caller arrived, so its
//! result includes everything that had happened by then.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The maximum number of callers served at once, so that each message stays small.
const MOST: usize = 64;

/// Work done for several callers together, by kind.
pub(super) struct Together<Key, Wish, Answer>(Mutex<HashMap<Key, Waiting<Wish, Answer>>>);

/// The callers that wait while one is serving. The entry only exists while somebody serves.
struct Waiting<Wish, Answer> {
    waiters: VecDeque<Waiter<Wish, Answer>>,
    /// The number of tickets issued so far, which is also the next ticket.
    tickets: u64,
}

struct Waiter<Wish, Answer> {
    ticket: u64,
    wish: Wish,
    told: Told<Wish, Answer>,
}

/// A waiter's place in the queue.
struct Place<Wish, Answer> {
    ticket: u64,
    hears: Arc<Ear<Wish, Answer>>,
}

enum Word<Wish, Answer> {
    Answer(Answer),
    /// It is this waiter's turn to serve its own wish and those of the others.
    Turn(Wish),
    /// The caller that was serving has failed.
    Broken,
}

/// Receives one message. A channel would work, but it spins for a while before it sleeps, and here many threads wait on
/// few processors.
struct Ear<Wish, Answer> {
    word: Mutex<Option<Word<Wish, Answer>>>,
    said: Condvar,
}

impl<Wish, Answer> Ear<Wish, Answer> {
    fn word(&self) -> MutexGuard<'_, Option<Word<Wish, Answer>>> {
        self.word.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self) -> Word<Wish, Answer> {
        let heard = self.said.wait_while(self.word(), |word| word.is_none());
        heard
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .unwrap_or(Word::Broken)
    }

    fn hear_within(&self, patience: Duration) -> Option<Word<Wish, Answer>> {
        let heard = self
            .said
            .wait_timeout_while(self.word(), patience, |word| word.is_none());
        heard.unwrap_or_else(PoisonError::into_inner).0.take()
    }
}

/// The sending side of an [`Ear`]. The ear always gets a message, even if the sender fails.
struct Told<Wish, Answer>(Option<Arc<Ear<Wish, Answer>>>);

impl<Wish, Answer> Told<Wish, Answer> {
    fn tell(mut self, word: Word<Wish, Answer>) {
        self.say(word);
    }

    fn say(&mut self, word: Word<Wish, Answer>) {
        if let Some(ear) = self.0.take() {
            *ear.word() = Some(word);
            ear.said.notify_one();
        }
    }
}

impl<Wish, Answer> Drop for Told<Wish, Answer> {
    fn drop(&mut self) {
        self.say(Word::Broken);
    }
}

pub(super) enum Served<Own, Wish, Answer> {
    /// The caller served its own wish.
    Here(Own),
    /// Another caller served the wish.
    Elsewhere(Answer),
    /// Nobody began to serve the wish within the patience, so it is returned.
    Late(Wish),
    /// The caller that served the wish has failed. We do not know how far it got.
    Broken,
}

impl<Key: Clone + Eq + Hash, Wish, Answer> Together<Key, Wish, Answer> {
    pub(super) fn new() -> Self {
        Together(Mutex::new(HashMap::new()))
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Key, Waiting<Wish, Answer>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a wish served by the caller whose turn it is. `serve` gets the caller's wish and those of the others, and
    /// answers them in the same order.
    pub(super) fn serve<Own>(
        &self,
        key: &Key,
        wish: Wish,
        patience: Duration,
        serve: impl FnOnce(Wish, Vec<Wish>) -> (Own, Vec<Answer>),
    ) -> Served<Own, Wish, Answer> {
        let wish = match self.begin_or_wait(key, wish) {
            Ok(wish) => wish,
            Err(place) => match self.wait(key, &place, patience) {
                Ok(Word::Turn(wish)) => wish,
                Ok(Word::Answer(answer)) => return Served::Elsewhere(answer),
                Ok(Word::Broken) => return Served::Broken,
                Err(wish) => return Served::Late(wish),
            },
        };
        let turn = Turn { all: self, key };
        // On busy processors, some callers that are about to arrive have not run yet.
        std::thread::yield_now();
        let (wishes, hearers): (Vec<_>, Vec<_>) = turn
            .others()
            .into_iter()
            .map(|waiter| (waiter.wish, waiter.told))
            .unzip();
        let (own, answers) = serve(wish, wishes);
        // The next turn begins before the served callers continue.
        drop(turn);
        for (told, answer) in hearers.into_iter().zip(answers) {
            told.tell(Word::Answer(answer));
        }
        Served::Here(own)
    }

    fn begin_or_wait(&self, key: &Key, wish: Wish) -> Result<Wish, Place<Wish, Answer>> {
        let mut all = self.all();
        let Waiting { waiters, tickets } = match all.entry(key.clone()) {
            Entry::Occupied(waiting) => waiting.into_mut(),
            Entry::Vacant(nobody) => {
                nobody.insert(Waiting {
                    waiters: VecDeque::new(),
                    tickets: 0,
                });
                return Ok(wish);
            }
        };
        let hears = Arc::new(Ear {
            word: Mutex::new(None),
            said: Condvar::new(),
        });
        let (ticket, told) = (*tickets, Told(Some(Arc::clone(&hears))));
        *tickets += 1;
        waiters.push_back(Waiter { ticket, wish, told });
        Err(Place { ticket, hears })
    }

    /// Returns the wish if nobody has begun to serve it for `patience`.
    fn wait(&self, key: &Key, place: &Place<Wish, Answer>, patience: Duration) -> Result<Word<Wish, Answer>, Wish> {
        if let Some(word) = place.hears.hear_within(patience) {
            return Ok(word);
        }
        if let Some(waiting) = self.all().get_mut(key) {
            let mine = waiting.waiters.iter().position(|waiter| waiter.ticket == place.ticket);
            if let Some(waiter) = mine.and_then(|mine| waiting.waiters.remove(mine)) {
                return Err(waiter.wish);
            }
        }
        // The wish was included in someone's turn, or it is this caller's turn.
        Ok(place.hears.hear())
    }
}

/// The turn of a serving caller. It is passed on even if the caller fails.
struct Turn<'all, Key: Clone + Eq + Hash, Wish, Answer> {
    all: &'all Together<Key, Wish, Answer>,
    key: &'all Key,
}

impl<Key: Clone + Eq + Hash, Wish, Answer> Turn<'_, Key, Wish, Answer> {
    /// Takes the other callers that have waited so far.
    fn others(&self) -> Vec<Waiter<Wish, Answer>> {
        match self.all.all().get_mut(self.key) {
            Some(waiting) => {
                let most = waiting.waiters.len().min(MOST - 1);
                waiting.waiters.drain(..most).collect()
            }
            None => Vec::new(),
        }
    }
}

impl<Key: Clone + Eq + Hash, Wish, Answer> Drop for Turn<'_, Key, Wish, Answer> {
    fn drop(&mut self) {
        let mut all = self.all.all();
        let Some(waiting) = all.get_mut(self.key) else { return };
        match waiting.waiters.pop_front() {
            Some(next) => next.told.tell(Word::Turn(next.wish)),
            None => drop(all.remove(self.key)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::sync_channel;
    use std::time::Duration;

    use super::{MOST, Served, Together};

    const LONG: Duration = Duration::from_mins(2);

    fn waiting(together: &Together<(), usize, usize>) -> usize {
        together.all().get(&()).map_or(0, |waiting| waiting.waiters.len())
    }

    /// Keeps `together` busy until the `come` callers that it starts are waiting.
    fn beside_one_who_serves(
        come: usize,
        then: impl FnOnce(&Together<(), usize, usize>),
    ) -> Vec<(usize, Option<usize>)> {
        let together = Together::new();
        let served = AtomicUsize::new(0);
        let (begun, has_begun) = sync_channel(0);
        let (may_end, end) = sync_channel::<()>(0);
        let answers = std::thread::scope(|scope| {
            let first = &together;
            scope.spawn(move || {
                first.serve(&(), 0, LONG, |_, others: Vec<usize>| {
                    assert!(others.is_empty());
                    begun.send(()).expect("the test waits");
                    end.recv().expect("the test goes on");
                    ((), Vec::new())
                });
            });
            has_begun.recv().expect("one serves");
            let waiters: Vec<_> = (1..=come)
                .map(|wish| {
                    let (together, served) = (&together, &served);
                    let waiter = scope.spawn(move || {
                        let outcome = together.serve(&(), wish, LONG, |wish, others| {
                            served.fetch_add(1, Ordering::Relaxed);
                            (wish * 2, others.into_iter().map(|wish| wish * 2).collect())
                        });
                        match outcome {
                            Served::Here(own) => (wish, Some(own)),
                            Served::Elsewhere(answer) => (wish, Some(answer)),
                            Served::Late(_) | Served::Broken => (wish, None),
                        }
                    });
                    while waiting(together) < wish {
                        std::thread::yield_now();
                    }
                    waiter
                })
                .collect();
            then(&together);
            may_end.send(()).expect("it waits");
            waiters
                .into_iter()
                .map(|waiter| waiter.join().expect("an answer"))
                .collect()
        });
        assert_eq!(served.load(Ordering::Relaxed), come.div_ceil(MOST));
        assert!(together.all().is_empty(), "nothing is left of them");
        answers
    }

    #[test]
    fn those_who_wait_are_served_at_once_each_with_their_own() {
        for (wish, answer) in beside_one_who_serves(2 * MOST + 1, |_| ()) {
            assert_eq!(answer, Some(wish * 2));
        }
    }

    #[test]
    fn one_who_waits_too_long_is_not_served_and_takes_no_turn() {
        let answers = beside_one_who_serves(1, |together| {
            let impatient = together.serve(&(), 7, Duration::from_millis(1), |_, _| unreachable!("nobody's turn"));
            assert!(matches!(impatient, Served::<(), _, _>::Late(7)));
            assert_eq!(waiting(together), 1);
        });
        assert_eq!(answers, [(1, Some(2))]);
    }

    #[test]
    fn a_caller_who_fails_passes_the_turn_on_and_those_it_carried_learn_of_it() {
        let together = Together::<(), usize, usize>::new();
        let (begun, has_begun) = sync_channel(0);
        let (may_fail, fail) = sync_channel::<()>(0);
        std::thread::scope(|scope| {
            let all = &together;
            let first = scope.spawn(move || {
                all.serve(&(), 0, LONG, |_, _| -> ((), Vec<usize>) {
                    begun.send(()).expect("the test waits");
                    fail.recv().expect("the test goes on");
                    panic!("the test's own panic")
                });
            });
            has_begun.recv().expect("one serves");
            // The next one to serve also fails, after including the other.
            let next: Vec<_> = [1, 2]
                .into_iter()
                .map(|wish| {
                    let next = scope.spawn(move || {
                        all.serve(&(), wish, LONG, |_, _| -> ((), Vec<usize>) {
                            panic!("the test's own panic")
                        })
                    });
                    while waiting(all) < wish {
                        std::thread::yield_now();
                    }
                    next
                })
                .collect();
            may_fail.send(()).expect("it waits");
            assert!(first.join().is_err());
            let mut next = next.into_iter();
            assert!(next.next().is_some_and(|failing| failing.join().is_err()));
            let taken_along = next.next().expect("the other").join();
            assert!(matches!(taken_along, Ok(Served::Broken)));
        });
        let after = together.serve(&(), 3, LONG, |wish, _| (wish, Vec::new()));
        assert!(matches!(after, Served::Here(3)));
        assert!(together.all().is_empty());
    }
}
