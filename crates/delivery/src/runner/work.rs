//! The loop's state: claimed deliveries, running tasks, and what to do next.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use app::Told;
use jiff::Timestamp;
use store::outbox::{self, Claimed, DeliveryId, Lane};
use tokio::task::{JoinError, JoinHandle, JoinSet, spawn_blocking};
use tokio::time::Instant;

use super::results::Done;
use super::{Mode, Shared};
use crate::shares::{Bounds, Call, Shares};

/// Waits for a task, if there is one.
pub(super) async fn ended<T>(task: &mut Option<JoinHandle<T>>) -> Result<T, JoinError> {
    match task {
        Some(running) => {
            let result = running.await;
            *task = None;
            result
        }
        None => std::future::pending().await,
    }
}

#[derive(Default)]
pub(super) struct Haul {
    pub(super) ready: Vec<Claimed>,
    /// Deliveries that cannot be sent, with the reason.
    pub(super) unusable: Vec<Arc<Done>>,
    /// More can be claimed now.
    pub(super) may_be_more: bool,
    /// More may become available to claim when a task ends.
    pub(super) is_more_later: bool,
    /// Whether other deliveries occupy the slots of those that were left out.
    pub(super) must_yield: bool,
}

type Claiming = JoinHandle<Result<Haul, app::Error>>;

type Finishing = JoinHandle<bool>;

/// Work that returns whether there may be more to do.
type Chore = JoinHandle<Result<bool, app::Error>>;

/// Work that records deliveries in the audit trails. Returns how far it got, if some are left.
type Noting = JoinHandle<Result<Option<Told>, app::Error>>;

/// Background work besides the deliveries, done one portion at a time.
pub(super) struct Chores {
    pub(super) noting: Option<Noting>,
    pub(super) letting_go: Option<Chore>,
    /// The audit trails may be incomplete from this delivery on.
    pub(super) must_note: Option<Told>,
    /// Some deliveries may still be held for an endpoint that is on.
    pub(super) must_let_go: bool,
}

impl Chores {
    fn are_under_way(&self) -> bool {
        self.noting.is_some() || self.letting_go.is_some()
    }
}

/// Reason why the last claim left out deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeftOut {
    Nothing,
    /// There was no room for them.
    HasNoRoom,
    /// There was no room for them, and other deliveries occupy some of their slots.
    WaitsForOthers,
}

pub(super) struct Work {
    pub(super) shared: Arc<Shared>,
    pub(super) mode: Mode,
    pub(super) shares: Arc<Mutex<Shares>>,
    /// Claimed deliveries that wait for their turn.
    pub(super) waiting: HashMap<Lane, VecDeque<Claimed>>,
    pub(super) under_way: usize,
    pub(super) tasks: JoinSet<Done>,
    /// The lane and call of each running task.
    pub(super) calls: HashMap<tokio::task::Id, (Lane, Call)>,
    pub(super) results: Vec<Arc<Done>>,
    pub(super) claiming: Option<Claiming>,
    pub(super) finishing: Option<Finishing>,
    pub(super) chores: Chores,
    pub(super) left_out: LeftOut,
    /// Number of tasks that have ended until now, and until the last claim began.
    pub(super) ended: u64,
    pub(super) ended_before_claim: u64,
    pub(super) look: bool,
    pub(super) stopping: bool,
    pub(super) next_poll: Instant,
    pub(super) claims: u64,
}

impl Work {
    pub(super) fn new(shared: Arc<Shared>, mode: Mode) -> Work {
        let next_poll = Instant::now() + shared.settings.poll;
        let bounds = Bounds {
            workers: shared.settings.workers,
            per_receiver: shared.settings.per_receiver,
            per_company: shared.settings.per_company,
        };
        Work {
            shared,
            mode,
            shares: Arc::new(Mutex::new(Shares::new(bounds))),
            waiting: HashMap::new(),
            under_way: 0,
            tasks: JoinSet::new(),
            calls: HashMap::new(),
            results: Vec::new(),
            claiming: None,
            finishing: None,
            chores: Chores {
                noting: None,
                letting_go: None,
                must_note: None,
                must_let_go: true,
            },
            left_out: LeftOut::Nothing,
            ended: 0,
            ended_before_claim: 0,
            look: true,
            stopping: false,
            next_poll,
            claims: 0,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        let resting = self.under_way == 0
            && self.results.is_empty()
            && self.claiming.is_none()
            && self.finishing.is_none()
            && !self.chores.are_under_way();
        let idle = !self.look && !self.chores.must_let_go && self.waiting.values().all(VecDeque::is_empty);
        resting && (self.stopping || self.mode == Mode::UntilIdle && idle)
    }

    pub(super) fn polled(&mut self) {
        self.look = true;
        locked(&self.shares).look_at_all();
        self.chores.must_note.get_or_insert((Timestamp::MIN, DeliveryId(0)));
        self.chores.must_let_go = true;
        self.next_poll = Instant::now() + self.shared.settings.poll;
    }

    /// Starts pending chores. Each repeats as long as there is more to do.
    pub(super) fn start_chores(&mut self) {
        if self.stopping {
            return;
        }
        if self.chores.noting.is_none()
            && let Some(after) = self.chores.must_note.take()
        {
            let shared = Arc::clone(&self.shared);
            self.chores.noting = Some(spawn_blocking(move || shared.note(after)));
        }
        if self.chores.letting_go.is_none() && std::mem::take(&mut self.chores.must_let_go) {
            let shared = Arc::clone(&self.shared);
            self.chores.letting_go = Some(spawn_blocking(move || shared.let_go()));
        }
    }

    /// Starts waiting deliveries, unless others wait for the free slots and the next claim must distribute those.
    pub(super) fn start_ready(&mut self) {
        if self.left_out != LeftOut::WaitsForOthers || !(self.look || self.claiming.is_some()) {
            self.begin();
        }
    }

    /// Starts waiting deliveries in turn, as far as there is room.
    pub(super) fn begin(&mut self) {
        if self.stopping || self.waiting.is_empty() {
            return;
        }
        let now = self.shared.made.elapsed();
        let turns = locked(&self.shares).may_begin(now);
        for (lane, count) in turns {
            let Some(waiting) = self.waiting.get_mut(&lane) else {
                continue;
            };
            for claimed in waiting.drain(..count.min(waiting.len())) {
                let call = locked(&self.shares).began(&lane, now);
                self.under_way += 1;
                let shared = Arc::clone(&self.shared);
                let (counted, of) = (Arc::clone(&self.shares), lane.clone());
                let asks = move |now| locked(&counted).asks(&of, call, now);
                let task = self.tasks.spawn(async move { shared.deliver(claimed, asks).await });
                self.calls.insert(task.id(), (lane.clone(), call));
            }
        }
        self.waiting.retain(|_, waiting| !waiting.is_empty());
    }

    /// Writes results one batch at a time. Results that arrive meanwhile form the next batch.
    pub(super) fn start_finishing(&mut self) {
        if self.finishing.is_none() && !self.results.is_empty() {
            let (shared, results) = (Arc::clone(&self.shared), std::mem::take(&mut self.results));
            self.finishing = Some(spawn_blocking(move || shared.finish(results)));
        }
    }

    pub(super) fn start_claiming(&mut self) {
        if self.claiming.is_some() || !self.look || self.stopping {
            return;
        }
        self.look = false;
        self.claims += 1;
        self.ended_before_claim = self.ended;
        let (claimer, shares, number) = (Arc::clone(&self.shared), Arc::clone(&self.shares), self.claims);
        self.claiming = Some(spawn_blocking(move || claimer.claim(number, &shares)));
    }

    pub(super) fn claimed(&mut self, result: Result<Result<Haul, app::Error>, JoinError>) {
        match result {
            Ok(Ok(haul)) => {
                self.look |= haul.may_be_more;
                // The claim did not see the room freed by tasks that ended meanwhile.
                self.look |= haul.is_more_later && self.ended != self.ended_before_claim;
                self.left_out = match (haul.must_yield, haul.is_more_later) {
                    (true, _) => LeftOut::WaitsForOthers,
                    (false, true) => LeftOut::HasNoRoom,
                    (false, false) => LeftOut::Nothing,
                };
                self.results.extend(haul.unusable);
                for claimed in haul.ready {
                    let lane = claimed.lane();
                    locked(&self.shares).claimed(&lane, claimed.tries > 0);
                    self.waiting.entry(lane).or_default().push_back(claimed);
                }
                self.begin();
            }
            Ok(Err(error)) => tracing::warn!(%error, "deliveries could not be claimed; we will try again soon"),
            Err(error) => tracing::error!(%error, "a claim panicked"),
        }
    }

    pub(super) fn task_ended(&mut self, done: Result<(tokio::task::Id, Done), JoinError>) {
        self.under_way -= 1;
        self.ended += 1;
        let (id, took, is_ours) = match done {
            Ok((id, done)) => {
                done.count();
                let (took, is_ours) = (done.took(), done.is_ours());
                self.results.push(Arc::new(done));
                (id, took, is_ours)
            }
            Err(error) => {
                tracing::error!(%error, "a delivery panicked; it will be tried again when its lease expires");
                (error.id(), None, true)
            }
        };
        if let Some((lane, call)) = self.calls.remove(&id) {
            let mut shares = locked(&self.shares);
            if is_ours {
                shares.withdrawn(&lane, call);
            } else {
                shares.ended(&lane, call, took, self.shared.made.elapsed());
            }
        }
        // There may now be room for deliveries that were left out.
        self.look |= self.left_out != LeftOut::Nothing;
    }

    pub(super) fn noted(&mut self, result: Result<Result<Option<Told>, app::Error>, JoinError>) {
        if let Some(told) = done(
            result,
            "deliveries could not be recorded in audit trails; we will try again",
        ) {
            self.chores.must_note = Some(told);
        }
    }

    pub(super) fn let_go(&mut self, result: Result<Result<bool, app::Error>, JoinError>) {
        let is_more = done(
            result,
            "webhooks held for an endpoint could not be released; we will try again",
        );
        self.chores.must_let_go |= is_more;
        self.look |= is_more;
    }

    pub(super) fn finished(&mut self, result: Result<bool, JoinError>) {
        match result {
            // The workflow's next first try may be due now.
            Ok(opened) => {
                if opened {
                    locked(&self.shares).look_at_all();
                }
                self.look |= opened;
            }
            Err(error) => tracing::error!(%error, "writing results panicked; the deliveries will be repeated"),
        }
    }

    /// Releases deliveries that were claimed but not started.
    pub(super) async fn give_back(self) {
        let left: Vec<Claimed> = self.waiting.into_values().flatten().collect();
        let shared = self.shared;
        let released = spawn_blocking(move || {
            let now = shared.app.now();
            shared.release_in_doubt(now)?;
            if left.is_empty() {
                return Ok(());
            }
            shared.app.store.write_relaxed(move |tx| {
                for claimed in &left {
                    outbox::release(tx, claimed.id, &claimed.lease, now)?;
                }
                Ok::<_, app::Error>(())
            })
        })
        .await;
        if !matches!(released, Ok(Ok(()))) {
            tracing::warn!("deliveries could not be released; they will be tried when their leases expire");
        }
    }
}

/// Returns the result of a chore, or `otherwise` if it failed.
fn done<T: Default>(result: Result<Result<T, app::Error>, JoinError>, otherwise: &str) -> T {
    match result {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            tracing::debug!(%error, "{otherwise}");
            T::default()
        }
        Err(error) => {
            tracing::error!(%error, "{otherwise}: it panicked");
            T::default()
        }
    }
}

pub(super) fn locked(shares: &Mutex<Shares>) -> MutexGuard<'_, Shares> {
    shares.lock().unwrap_or_else(PoisonError::into_inner)
}
