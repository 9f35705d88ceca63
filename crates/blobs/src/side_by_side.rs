//! Work on many files at the same time. With a bucket, most of it is waiting for answers.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::{Blobs, Place};

/// Requests to a bucket at the same time. More would only wait for each other on most networks.
const REQUESTS: usize = 16;

impl Blobs {
    /// How many files to work on at the same time: a folder's disk gains nothing from more than one.
    pub fn at_once(&self) -> usize {
        match self.place {
            Place::Folder(_) => 1,
            Place::Bucket(_) => REQUESTS,
        }
    }
}

/// Does the work for each item, several at once; the results in the order of the items. The first failure ends it.
pub fn side_by_side<T: Sync, R: Send, E: Send>(
    at_once: usize,
    items: &[T],
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    if at_once <= 1 || items.len() <= 1 {
        return items.iter().map(work).collect();
    }
    let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let done = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..at_once.min(items.len()) {
            scope.spawn(|| {
                while !has_failed.load(Ordering::Relaxed) {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(place) else { return };
                    let result = work(item);
                    has_failed.fetch_or(result.is_err(), Ordering::Relaxed);
                    done.lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((place, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_the_items_however_many_are_at_work() {
        let items: Vec<u32> = (0..500).collect();
        for at_once in [1, 2, 16, 1000] {
            let doubled = side_by_side(at_once, &items, |item| Ok::<_, ()>(item * 2)).expect("no failure");
            assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_failure_ends_the_work() {
        let items: Vec<u32> = (0..10_000).collect();
        let begun = AtomicUsize::new(0);
        for at_once in [1, 8] {
            begun.store(0, Ordering::SeqCst);
            let failed = side_by_side(at_once, &items, |item| {
                begun.fetch_add(1, Ordering::SeqCst);
                if *item == 3 { Err("broken") } else { Ok(()) }
            });
            assert_eq!(failed, Err("broken"));
            assert!(begun.load(Ordering::SeqCst) < items.len());
        }
    }
}
