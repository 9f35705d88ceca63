//! A process's connections, each lent for the duration of a transaction.

use std::collections::VecDeque;
use std::sync::mpsc::{SendError, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::session::Session;
use crate::driver::store::Load;

/// The idle connections. The most recently used one goes out first, because its caches are warm. Callers get a
/// connection in the order in which they came, or an answer in time that there is none.
pub(super) struct Pool(Mutex<Lending>);

struct Lending {
    idle: Vec<Slot>,
    /// Empty as long as a connection is idle.
    waiting: VecDeque<SyncSender<Slot>>,
}

/// Room for a connection. Empty until a caller needs one, and after one was given up.
pub(super) type Slot = Option<Session>;

impl Pool {
    /// The slots are lent in the given order first.
    pub(super) fn new(mut slots: Vec<Slot>) -> Pool {
        slots.reverse();
        Pool(Mutex::new(Lending {
            idle: slots,
            waiting: VecDeque::new(),
        }))
    }

    /// How many of `all` connections are lent, and how many callers wait. A caller that gave up is counted until the
    /// next connection returns.
    pub(super) fn load(&self, all: usize) -> Load {
        let lending = self.lending();
        let free = lending.idle.len();
        Load {
            in_use: all.saturating_sub(free),
            free,
            waiting: lending.waiting.len(),
        }
    }

    /// Removes everything that is not lent now.
    pub(super) fn take_idle(&self) -> Vec<Slot> {
        std::mem::take(&mut self.lending().idle)
    }

    fn lending(&self) -> MutexGuard<'_, Lending> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None` if all are in use for longer than `patience`.
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
        // It may have arrived at the last moment. Nobody passes on a slot while we hold this lock, nor later to a
        // caller who has left.
        let _lending = self.lending();
        let late = mine.try_recv().ok();
        drop(mine);
        late.map(lent)
    }
}

/// A slot that returns to the pool in any case.
pub(super) struct Lent<'pool> {
    pool: &'pool Pool,
    /// The connection, if the next user can use it.
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
