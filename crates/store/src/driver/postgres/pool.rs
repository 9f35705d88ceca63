//! A process's connections, each lent for the duration of a transaction.

use std::collections::VecDeque;
use std::sync::mpsc::{SendError, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::session::Session;
use crate::driver::store::Load;

/// The idle connections. The most recently used one is lent first, because its caches are warm. Callers get connections
/// in the order in which they asked, or learn in time that there is none.
pub(super) struct Pool(Mutex<Lending>);

struct Lending {
    idle: Vec<Slot>,
    /// Empty while any connection is idle.
    waiting: VecDeque<SyncSender<Slot>>,
}

/// A place for a connection. Empty until a caller needs one, and after a connection was given up.
pub(super) type Slot = Option<Session>;

impl Pool {
    /// Creates a pool that first lends the slots in this order.
    pub(super) fn new(mut slots: Vec<Slot>) -> Pool {
        slots.reverse();
        Pool(Mutex::new(Lending {
            idle: slots,
            waiting: VecDeque::new(),
        }))
    }

    /// Returns how many of `all` connections are lent, and how many callers wait. A caller that gave up is counted
    /// until the next connection returns.
    pub(super) fn load(&self, all: usize) -> Load {
        let lending = self.lending();
        let free = lending.idle.len();
        Load {
            in_use: all.saturating_sub(free),
            free,
            waiting: lending.waiting.len(),
        }
    }

    /// Removes and returns every slot that is not lent.
    pub(super) fn take_idle(&self) -> Vec<Slot> {
        std::mem::take(&mut self.lending().idle)
    }

    fn lending(&self) -> MutexGuard<'_, Lending> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lends a connection. `None` if all are in use for longer than `patience`.
    pub(super) fn lend(&self, patience: Duration) -> Option<Lent<'_>> {
        let mut lending = self.lending();
        let lent = |slot| Lent { pool: self, slot };
        if let Some(slot) = lending.idle.pop() {
            return Some(lent(slot));
        }
        let (handed_over, mine) = sync_channel(1);
        lending.waiting.push_back(handed_over);
        drop(lending);
        if let Ok(slot) = mine.recv_timeout(patience) {
            return Some(lent(slot));
        }
        // A slot may have arrived at the last moment. Nobody passes on a slot while we hold this lock, nor later to a
        // caller that has left.
        let _lending = self.lending();
        let late = mine.try_recv().ok();
        drop(mine);
        late.map(lent)
    }
}

/// A slot that always returns to the pool on drop.
pub(super) struct Lent<'pool> {
    pool: &'pool Pool,
    /// The connection, if the next borrower can use it.
    pub(super) slot: Slot,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut slot = self.slot.take();
        let mut lending = self.pool.lending();
        while let Some(waits) = lending.waiting.pop_front() {
            match waits.send(slot) {
                Ok(()) => return,
                Err(SendError(back)) => slot = back,
            }
        }
        lending.idle.push(slot);
    }
}
