//! The connections of a process, lent for as long as a transaction takes.

use std::collections::VecDeque;
use std::sync::mpsc::{SendError, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::session::Session;

/// Connections that nobody uses at present. The one that was used last goes out first: what it needs is still at hand. Who
/// waits for one gets it in the order of coming, or is told in time that there is none.
pub(super) struct Pool(Mutex<Lending>);

struct Lending {
    idle: Vec<Slot>,
    /// Nobody waits while one is idle.
    waiting: VecDeque<SyncSender<Slot>>,
}

/// Room for a connection; empty until somebody needs one, and where it was given up.
pub(super) type Slot = Option<Session>;

impl Pool {
    /// The slots in the order in which they are lent first.
    pub(super) fn new(mut slots: Vec<Slot>) -> Pool {
        slots.reverse();
        Pool(Mutex::new(Lending {
            idle: slots,
            waiting: VecDeque::new(),
        }))
    }

    /// Takes away what is not lent at present.
    pub(super) fn take_idle(&self) -> Vec<Slot> {
        std::mem::take(&mut self.lending().idle)
    }

    fn lending(&self) -> MutexGuard<'_, Lending> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing where all are in use for longer than `patience`.
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
        // It may have come at the last moment. Nobody hands over while this is looked at, nor after it to one who is gone.
        let _lending = self.lending();
        let late = mine.try_recv().ok();
        drop(mine);
        late.map(lent)
    }
}

/// A slot that goes back, whatever becomes of its user.
pub(super) struct Lent<'pool> {
    pool: &'pool Pool,
    /// The connection, where it is fit for the next user.
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
