//! Caches parts of pages in memory up to a limit: pictures of completed files, and texts of pages.
//!
//! A file never changes under its hash, so cached parts never become stale. Only the limit removes parts, least
//! recently used first. Several requests for one part create it once: the first creates it, the others wait and get the
//! same result, even if it is a failure. A failure is not cached, so the next request tries again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use domain::BlobHash;

use crate::base::documents::DocumentFault;

/// Identifies a cached part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Part {
    pub(crate) file: BlobHash,
    pub(crate) kind: PartKind,
    /// The page, from 1.
    pub(crate) page: u32,
}

/// The kind of a cached part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PartKind {
    /// The page's picture, at `template::PAGE_IMAGE_DPI`.
    Picture,
    /// The page's text, as JSON (`document::pages::text_layer::PageText`).
    Text,
}

type Made = Result<Arc<[u8]>, DocumentFault>;

/// Caches parts of pages.
#[derive(Debug)]
pub(crate) struct PageCache {
    most_bytes: u64,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    slots: HashMap<Part, Slot>,
    /// The size of all cached parts.
    bytes: u64,
    /// Number of requests, used to sort the parts by last use.
    asked: u64,
}

#[derive(Debug)]
struct Slot {
    made: Arc<OnceLock<Made>>,
    /// Size of the part, or 0 while it is being created.
    bytes: u64,
    last_asked: u64,
}

impl PageCache {
    /// Creates a cache of at most this many bytes. 0 caches nothing, but simultaneous requests still share one result.
    pub(crate) fn new(most_bytes: u64) -> Self {
        Self {
            most_bytes,
            kept: Mutex::default(),
        }
    }

    /// Returns the part, if it is cached.
    pub(crate) fn get(&self, part: Part) -> Option<Arc<[u8]>> {
        let mut kept = self.lock();
        kept.asked += 1;
        let asked = kept.asked;
        let slot = kept.slots.get_mut(&part)?;
        let made = slot.made.get()?.as_ref().ok()?;
        let made = Arc::clone(made);
        slot.last_asked = asked;
        Some(made)
    }

    /// Returns the part. Calls `make` unless another caller has created it or is creating it.
    pub(in crate::templates) fn get_or_make(
        &self,
        part: Part,
        make: impl FnOnce() -> Result<Vec<u8>, DocumentFault>,
    ) -> Made {
        let cell = {
            let mut kept = self.lock();
            kept.asked += 1;
            let asked = kept.asked;
            let slot = kept.slots.entry(part).or_insert_with(|| Slot {
                made: Arc::default(),
                bytes: 0,
                last_asked: asked,
            });
            slot.last_asked = asked;
            Arc::clone(&slot.made)
        };
        let mut made_here = false;
        let result = cell
            .get_or_init(|| {
                made_here = true;
                make().map(Arc::from)
            })
            .clone();
        if made_here {
            self.keep(part, &cell, &result);
        }
        result
    }

    /// Stores a created part or forgets a failed one, and drops parts beyond the limit.
    fn keep(&self, part: Part, made: &Arc<OnceLock<Made>>, result: &Made) {
        let mut kept = self.lock();
        // Another request may have inserted the part in the meantime.
        let is_ours = kept.slots.get(&part).is_some_and(|slot| Arc::ptr_eq(&slot.made, made));
        if !is_ours {
            return;
        }
        let Ok(bytes) = result else {
            kept.slots.remove(&part);
            return;
        };
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX).max(1);
        if let Some(slot) = kept.slots.get_mut(&part) {
            slot.bytes = length;
        }
        kept.bytes = kept.bytes.saturating_add(length);
        while kept.bytes > self.most_bytes {
            let oldest = kept
                .slots
                .iter()
                .filter(|(_, slot)| slot.bytes > 0)
                .min_by_key(|(_, slot)| slot.last_asked)
                .map(|(part, slot)| (*part, slot.bytes));
            let Some((oldest, bytes)) = oldest else { return };
            kept.slots.remove(&oldest);
            kept.bytes = kept.bytes.saturating_sub(bytes);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::{Barrier, mpsc};

    use super::*;

    fn part(page: u32) -> Part {
        Part {
            file: BlobHash([7; 32]),
            kind: PartKind::Picture,
            page,
        }
    }

    /// Requests a page of `length` bytes. Returns whether this call created it.
    fn ask(cache: &PageCache, page: u32, length: usize) -> bool {
        let mut made = false;
        let bytes = cache.get_or_make(part(page), || {
            made = true;
            Ok(vec![1; length])
        });
        assert_eq!(bytes.expect("made").len(), length);
        made
    }

    #[test]
    fn what_was_asked_for_longest_ago_is_let_go_first() {
        let cache = PageCache::new(250);
        assert!(ask(&cache, 1, 100));
        assert!(ask(&cache, 2, 100));
        assert!(!ask(&cache, 1, 100));
        assert!(ask(&cache, 3, 100));
        assert!(!ask(&cache, 1, 100));
        assert!(!ask(&cache, 3, 100));
        assert!(ask(&cache, 2, 100));
        assert!(cache.lock().bytes <= 250);
    }

    #[test]
    fn what_is_larger_than_the_bound_is_answered_and_not_kept() {
        let cache = PageCache::new(99);
        assert!(ask(&cache, 1, 100));
        assert!(ask(&cache, 1, 100));
        assert_eq!(cache.lock().bytes, 0);
        assert!(cache.lock().slots.is_empty());
    }

    #[test]
    fn several_requests_at_the_same_time_make_it_once() {
        let cache = PageCache::new(1000);
        let made = AtomicU32::new(0);
        let begin = Barrier::new(8);
        let (go, wait) = mpsc::channel::<()>();
        let wait = Mutex::new(wait);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    begin.wait();
                    let bytes = cache.get_or_make(part(1), || {
                        made.fetch_add(1, Ordering::SeqCst);
                        // Blocks until the test continues, so that the other requests can only wait.
                        wait.lock().expect("one maker").recv().expect("a word");
                        Ok(vec![9; 10])
                    });
                    assert_eq!(bytes.expect("made").as_ref(), [9; 10]);
                });
            }
            go.send(()).expect("somebody makes it");
        });
        assert_eq!(made.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_failure_is_not_kept() {
        let cache = PageCache::new(1000);
        let failed = cache.get_or_make(part(1), || Err(DocumentFault::Busy));
        assert!(matches!(failed, Err(DocumentFault::Busy)));
        assert!(ask(&cache, 1, 10));
    }
}
