//! The runner: takes what is due from the outbox, does the outside work, and records what came of it.
//!
//! **Actors.** One loop a process decides everything: which deliveries are claimed, which are started, when results are
//! written. The outside work runs in tasks of its own, with no transaction open; reading and writing the database runs on
//! threads for blocking work, at most one claim and one batch of results at a time. Several processes may run on one
//! database; the leases keep them apart.
//!
//! **Guarantees.**
//! - At least once: a result is written only while the lease is still held. A process that dies loses its leases: at the
//!   next start on the same machine at once, to another within seconds (`nodes`).
//! - One dead receiver never slows the others, nor one company another, nor a letter a webhook: `shares` says which bounds
//!   that means. Claimed is what may begin now, and of receivers that answer quickly the next round.
//! - What is not claimed costs nothing: a claim looks once at each lane (a receiver and a company) in which something waits,
//!   however much that is. Where nothing is due that may begin, nothing is written.
//! - Claims and results do not wait for the disk: what a machine that stops has lost of them is claimed, and made, again.
//! - No wake-up is lost: the bell leaves a mark that is seen at the next look, and the loop looks by itself as well.
//! - First tries of a workflow go out in order (the claim's own rule); after each batch of results the loop looks again.
//! - Each try is signed by the secrets that hold at its own moment, however long it has waited for its turn.
//! - No try lasts longer than its lease allows: what has not come back by then is given up, and its place is free. What it
//!   waits for here before its receiver is asked is not held against the receiver.
//!
//! **What may fail.** A delivery that cannot be sent at all (its secret is gone, its body undecipherable) counts as a
//! failed try and ends as a dead letter; its endpoint has not failed by it. A database that is away costs time only: leases
//! end, and everything is tried again.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::future::Future;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use app::mail::OutgoingMail;
use app::outbox::Told;
use app::{App, Purpose, SigningSecrets, WebhookSecret};
use domain::excerpt::excerpt_of;
use domain::public_address::CallbackUrl;
use domain::{ClientId, CompanyId, one_time_code};
use failpoint::Place;
use jiff::{SignedDuration, Timestamp};
use store::outbox::{self, Claim, Claimed, ClaimedChannel, DeliveryId, Finished, Lane, Outcome, Try};
use tokio::sync::Notify;
use tokio::task::{JoinError, JoinHandle, JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep_until, timeout};

use crate::customer_words::CustomerWords;
use crate::guarded_client::GuardedClient;
use crate::mailer::Mailer;
use crate::messenger::{Messengers, Outgoing, Report, Verdict as MessageVerdict};
use crate::node;
use crate::schedule::{MOST_TRIES, next_try};
use crate::shares::{Bounds, Call, Plan, Shares};
use crate::webhook::{self, Verdict, Webhook};

/// In place of what a server said of a one-time code: some quote what they were sent, and members read the history.
const NOT_KEPT: &str = "not kept: it may quote the code";
/// So much of a fault is kept for the history, in characters.
const LONGEST_FAULT: usize = 1_000;
/// For so long a database that does not answer is asked to take results; what comes meanwhile is written after them.
const RESULTS_WAIT: Duration = Duration::from_secs(20);
const RESULTS_PAUSE: Duration = Duration::from_millis(250);
/// So many deliveries are told to the chains at once.
const NOTED_AT_ONCE: u32 = 200;
/// For so long a client's secrets are taken as they were read: so long after a rotation its secret signs at the latest.
const SECRETS_KEPT: SignedDuration = SignedDuration::from_secs(1);

/// How the runner works.
#[derive(Debug, Clone)]
pub struct RunnerSettings {
    /// So many webhooks are under way at once.
    pub workers: usize,
    /// So many deliveries to one receiver: a host, the mail server, a gateway.
    pub per_receiver: usize,
    /// So many webhooks of one company.
    pub per_company: usize,
    /// So many are claimed at once.
    pub batch: u32,
    /// How long a claim holds.
    pub lease: SignedDuration,
    /// A lease that is nearer to its end than this is not begun with any more; no try lasts longer.
    pub margin: SignedDuration,
    /// How often the loop looks by itself.
    pub poll: Duration,
    /// How far the telling of the chains follows behind.
    pub note_after: SignedDuration,
    /// The name that leases are held by.
    pub owner: String,
}

impl Default for RunnerSettings {
    fn default() -> Self {
        RunnerSettings {
            workers: 160,
            per_receiver: 16,
            per_company: 40,
            batch: 64,
            lease: SignedDuration::from_secs(90),
            margin: SignedDuration::from_secs(45),
            poll: Duration::from_secs(1),
            note_after: SignedDuration::from_secs(5),
            owner: node::this_process(),
        }
    }
}

/// Delivers what the outbox holds.
pub struct Runner {
    shared: Arc<Shared>,
    wake: Arc<Notify>,
}

struct Shared {
    app: Arc<App>,
    client: GuardedClient,
    mailer: Option<Mailer>,
    messengers: Option<Messengers>,
    settings: RunnerSettings,
    /// The secrets that were read lately, and when.
    secrets: Mutex<HashMap<ClientId, KeptSecrets>>,
    /// Held by the one delivery that reads secrets: a database that stalls holds one thread, not one for each.
    reading: tokio::sync::Mutex<()>,
    /// The leases of claims in doubt, whose answer did not come: what they took is not known here.
    claims_in_doubt: Mutex<Vec<String>>,
    /// The latest moment at which was claimed, in microseconds: the clock must not be before it.
    latest_claim: AtomicI64,
    /// What the shares count time from.
    made: Instant,
}

/// How results of a kind are written, all in one transaction; whether that may have been done before.
type Write = fn(&Shared, Vec<Arc<Done>>, bool) -> Result<(), app::Error>;

/// A client's secrets, and when they were read.
type KeptSecrets = (Timestamp, Arc<SigningSecrets>);

/// What a task came back with.
struct Done {
    claimed: Claimed,
    result: TaskResult,
}

impl Done {
    /// Whether the receiver took it.
    fn is_delivered(&self) -> bool {
        matches!(
            self.result,
            TaskResult::Tried {
                outcome: Outcome::Delivered,
                ..
            }
        )
    }

    /// The delivery and its try, where the receiver took it and that can be recorded with others of the kind.
    fn taken(&self) -> Option<(&Claimed, &Try)> {
        match &self.result {
            TaskResult::Tried {
                made,
                outcome: Outcome::Delivered,
            } if self.claimed.fits_batch() => Some((&self.claimed, made)),
            _ => None,
        }
    }

    /// How long its receiver was asked, if it was.
    fn took(&self) -> Option<Duration> {
        match &self.result {
            TaskResult::Tried {
                outcome: Outcome::NotSent(_),
                ..
            }
            | TaskResult::Kept
            | TaskResult::NotBegun => None,
            TaskResult::Tried { made, .. } => Some(Duration::from_micros(u64::try_from(made.duration).unwrap_or(0))),
        }
    }

    /// Whether its receiver was not tried at all, for reasons of ours.
    fn is_ours(&self) -> bool {
        matches!(self.result, TaskResult::Kept | TaskResult::NotBegun)
    }
}

/// Why a webhook got no answer.
enum NoAnswer {
    /// It was sent, or no connection could be made.
    NoneCame(String),
    /// It could not be sent at all.
    NotSent(String),
}

/// The database did not answer: the deliveries are made again when their leases end.
struct NotWritten;

enum TaskResult {
    Tried {
        made: Try,
        outcome: Outcome,
    },
    /// There is no mail server, or no messenger for the number: the outbox page shows it.
    Kept,
    /// Not begun with: it waited too long for its turn, and the lease is about to end.
    NotBegun,
}

/// Why a client's secrets are not there.
enum SecretsFault {
    /// The database does not answer now.
    Unavailable,
    /// They are gone, or cannot be decrypted.
    Unreadable(String),
}

/// When a try began, by the clock that tells the time and by one that never goes back.
#[derive(Clone, Copy)]
struct Began {
    at: Timestamp,
    moment: Instant,
}

impl Began {
    /// At the present moment, which is this.
    fn at(at: Timestamp) -> Began {
        Began {
            at,
            moment: Instant::now(),
        }
    }

    /// Microseconds since then.
    fn duration(self) -> i64 {
        i64::try_from(self.moment.elapsed().as_micros()).unwrap_or(i64::MAX)
    }
}

/// How long [`Runner::work`] goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Until told to stop.
    Forever,
    /// Until nothing is due.
    UntilIdle,
}

impl Runner {
    /// A runner for the app's outbox. It hears the app's bell from now on.
    pub fn new(
        app: Arc<App>,
        client: GuardedClient,
        mailer: Option<Mailer>,
        messengers: Option<Messengers>,
        settings: RunnerSettings,
    ) -> Runner {
        let wake = Arc::new(Notify::new());
        let listener = Arc::clone(&wake);
        if !app.bell.listen(move || listener.notify_one()) {
            tracing::debug!("another runner of this process hears the bell already; this one looks by itself");
        }
        Runner {
            shared: Arc::new(Shared {
                app,
                client,
                mailer,
                messengers,
                secrets: Mutex::default(),
                reading: tokio::sync::Mutex::default(),
                claims_in_doubt: Mutex::default(),
                settings,
                // At the first claim it is looked whether the clock was set back while nothing ran.
                latest_claim: AtomicI64::new(i64::MAX),
                made: Instant::now(),
            }),
            wake,
        }
    }

    /// Works until `stop` is there, then lets what is under way come to its end and gives back the rest.
    pub async fn run(self, stop: impl Future<Output = ()> + Send) {
        self.recover().await;
        self.work(Mode::Forever, stop).await;
    }

    /// Works until nothing is due at the present moment; for tests and for programs that do one thing.
    pub async fn run_until_idle(&self) {
        self.work(Mode::UntilIdle, std::future::pending()).await;
    }

    /// Gives back what dead processes of this machine had claimed.
    pub async fn recover(&self) {
        let shared = Arc::clone(&self.shared);
        let released = spawn_blocking(move || {
            let now = shared.app.now();
            let (store, own) = (shared.app.store.clone(), shared.settings.owner.clone());
            store.write_relaxed(move |tx| {
                let mut released = 0;
                for owner in outbox::lease_owners(tx)? {
                    if owner != own && node::is_dead(&owner) {
                        released += outbox::release_owner(tx, &owner, now)?;
                    }
                }
                Ok::<_, store::Error>(released)
            })
        })
        .await;
        match released {
            Ok(Ok(0)) => {}
            Ok(Ok(count)) => tracing::info!(count, "deliveries of a process that is no more were taken back"),
            Ok(Err(error)) => tracing::warn!(%error, "the leases of dead processes could not be read"),
            Err(error) => tracing::error!(%error, "reading leases panicked"),
        }
    }

    async fn work(&self, mode: Mode, stop: impl Future<Output = ()> + Send) {
        let mut work = Work::new(Arc::clone(&self.shared), mode);
        let mut stop = std::pin::pin!(stop);
        loop {
            work.start_ready();
            work.start_finishing();
            work.start_claiming();
            work.start_chores();
            if work.is_over() {
                break;
            }
            let stopping = work.stopping;
            tokio::select! {
                // Results first: they make room.
                biased;
                Some(done) = work.tasks.join_next_with_id() => work.task_ended(done),
                result = ended(&mut work.finishing) => work.finished(result),
                result = ended(&mut work.claiming) => work.claimed(result),
                result = ended(&mut work.chores.noting) => work.noted(result),
                result = ended(&mut work.chores.letting_go) => work.let_go(result),
                () = &mut stop, if !stopping => work.stopping = true,
                () = self.wake.notified(), if !stopping => work.look = true,
                () = sleep_until(work.next_poll), if !stopping && mode == Mode::Forever => work.polled(),
            }
        }
        work.give_back().await;
    }
}

/// The end of a task that may not be there.
async fn ended<T>(task: &mut Option<JoinHandle<T>>) -> Result<T, JoinError> {
    match task {
        Some(running) => {
            let result = running.await;
            *task = None;
            result
        }
        None => std::future::pending().await,
    }
}

/// What one claim brought.
#[derive(Default)]
struct Haul {
    ready: Vec<Claimed>,
    /// Rows that cannot be sent, with the reason.
    unusable: Vec<Arc<Done>>,
    /// There is more that may be claimed now.
    may_be_more: bool,
    /// There may be more when a task has ended.
    is_more_later: bool,
    /// Others have the places of what was left out.
    must_yield: bool,
}

type Claiming = JoinHandle<Result<Haul, app::Error>>;
type Finishing = JoinHandle<bool>;
/// Whether there may be more to do.
type Chore = JoinHandle<Result<bool, app::Error>>;
/// How far the chains were told of deliveries, where that is not all.
type Noting = JoinHandle<Result<Option<Told>, app::Error>>;
/// What is done beside the deliveries, a portion at a time.
struct Chores {
    noting: Option<Noting>,
    letting_go: Option<Chore>,
    /// The chains may be behind, after this delivery.
    must_note: Option<Told>,
    /// Something may still be held for an endpoint that is on.
    must_let_go: bool,
}

impl Chores {
    fn are_under_way(&self) -> bool {
        self.noting.is_some() || self.letting_go.is_some()
    }
}

/// What the last claim left out of what is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeftOut {
    Nothing,
    /// What has no room now.
    HasNoRoom,
    /// Of that, something whose places others have.
    WaitsForOthers,
}

/// The loop's state.
struct Work {
    shared: Arc<Shared>,
    mode: Mode,
    shares: Arc<Mutex<Shares>>,
    /// What was claimed and waits for its turn.
    waiting: HashMap<Lane, VecDeque<Claimed>>,
    under_way: usize,
    tasks: JoinSet<Done>,
    /// Which task is which lane's call.
    calls: HashMap<tokio::task::Id, (Lane, Call)>,
    results: Vec<Arc<Done>>,
    claiming: Option<Claiming>,
    finishing: Option<Finishing>,
    chores: Chores,
    left_out: LeftOut,
    /// So many tasks have ended, and had when the last claim began.
    ended: u64,
    ended_before_claim: u64,
    look: bool,
    stopping: bool,
    next_poll: Instant,
    claims: u64,
}

impl Work {
    fn new(shared: Arc<Shared>, mode: Mode) -> Work {
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

    fn is_over(&self) -> bool {
        let resting = self.under_way == 0
            && self.results.is_empty()
            && self.claiming.is_none()
            && self.finishing.is_none()
            && !self.chores.are_under_way();
        let idle = !self.look && !self.chores.must_let_go && self.waiting.values().all(VecDeque::is_empty);
        resting && (self.stopping || self.mode == Mode::UntilIdle && idle)
    }

    fn polled(&mut self) {
        self.look = true;
        locked(&self.shares).look_at_all();
        self.chores.must_note.get_or_insert((Timestamp::MIN, DeliveryId(0)));
        self.chores.must_let_go = true;
        self.next_poll = Instant::now() + self.shared.settings.poll;
    }

    /// Begins with the chores that are to be done; each comes again for as long as there is more.
    fn start_chores(&mut self) {
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

    /// Begins with what waits, unless the next claim is to share out what is free, since others wait for it.
    fn start_ready(&mut self) {
        if self.left_out != LeftOut::WaitsForOthers || !(self.look || self.claiming.is_some()) {
            self.begin();
        }
    }

    /// Begins with what waits, as far as there is room, by turns.
    fn begin(&mut self) {
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

    /// Writes what has come back, one batch at a time: what comes meanwhile makes the next batch.
    fn start_finishing(&mut self) {
        if self.finishing.is_none() && !self.results.is_empty() {
            let (shared, results) = (Arc::clone(&self.shared), std::mem::take(&mut self.results));
            self.finishing = Some(spawn_blocking(move || shared.finish(results)));
        }
    }

    fn start_claiming(&mut self) {
        if self.claiming.is_some() || !self.look || self.stopping {
            return;
        }
        self.look = false;
        self.claims += 1;
        self.ended_before_claim = self.ended;
        let (claimer, shares, number) = (Arc::clone(&self.shared), Arc::clone(&self.shares), self.claims);
        self.claiming = Some(spawn_blocking(move || claimer.claim(number, &shares)));
    }

    fn claimed(&mut self, result: Result<Result<Haul, app::Error>, JoinError>) {
        match result {
            Ok(Ok(haul)) => {
                self.look |= haul.may_be_more;
                // What ended meanwhile has made room that the claim did not see.
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
            Ok(Err(error)) => tracing::warn!(%error, "nothing could be claimed; looking again soon"),
            Err(error) => tracing::error!(%error, "a claim panicked"),
        }
    }

    fn task_ended(&mut self, done: Result<(tokio::task::Id, Done), JoinError>) {
        self.under_way -= 1;
        self.ended += 1;
        let (id, took, is_ours) = match done {
            Ok((id, done)) => {
                let (took, is_ours) = (done.took(), done.is_ours());
                self.results.push(Arc::new(done));
                (id, took, is_ours)
            }
            Err(error) => {
                tracing::error!(%error, "a delivery panicked; it is tried again when its lease ends");
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
        // There is room for what had none.
        self.look |= self.left_out != LeftOut::Nothing;
    }

    fn noted(&mut self, result: Result<Result<Option<Told>, app::Error>, JoinError>) {
        if let Some(told) = done(result, "the chains are told of deliveries later") {
            self.chores.must_note = Some(told);
        }
    }

    fn let_go(&mut self, result: Result<Result<bool, app::Error>, JoinError>) {
        let is_more = done(result, "what was held for an endpoint is let go later");
        self.chores.must_let_go |= is_more;
        self.look |= is_more;
    }

    fn finished(&mut self, result: Result<bool, JoinError>) {
        match result {
            // The next of a workflow's first tries may be due now.
            Ok(opened) => {
                if opened {
                    locked(&self.shares).look_at_all();
                }
                self.look |= opened;
            }
            Err(error) => tracing::error!(%error, "writing results panicked; the deliveries are tried again"),
        }
    }

    /// Gives back what was claimed and not begun with.
    async fn give_back(self) {
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
            tracing::warn!("deliveries could not be given back; their leases end by themselves");
        }
    }
}

/// What a chore answers; nothing where it failed.
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

fn locked(shares: &Mutex<Shares>) -> MutexGuard<'_, Shares> {
    shares.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn claim(&self, number: u64, shares: &Mutex<Shares>) -> Result<Haul, app::Error> {
        let now = self.app.now();
        // A clock that was set back would leave everything that is due by it far away.
        let latest = self.latest_claim.fetch_max(now.as_microsecond(), Ordering::SeqCst);
        if now.as_microsecond() < latest {
            tracing::debug!("due times are held against the clock: it was set back, or nothing ran before");
            let store = &self.app.store;
            store.write_relaxed(move |tx| outbox::count_anew(tx, now).map_err(app::Error::from))?;
            self.latest_claim.store(now.as_microsecond(), Ordering::SeqCst);
        }
        self.release_in_doubt(now)?;
        let due = self
            .app
            .store
            .read_one(move |tx| outbox::due_lanes(tx, now).map_err(app::Error::from))?;
        let Plan {
            lanes,
            has_left_out,
            must_yield,
            is_full,
        } = locked(shares).plan(&due, self.settings.batch as usize, self.made.elapsed());
        if lanes.is_empty() {
            return Ok(Haul {
                is_more_later: has_left_out,
                must_yield,
                ..Haul::default()
            });
        }
        let lease = format!("{}#{number}", self.settings.owner);
        let claim = Claim {
            lease: lease.clone(),
            owner: self.settings.owner.clone(),
            now,
            until: now.checked_add(self.settings.lease).unwrap_or(now),
            lanes,
        };
        let lanes_asked = claim.lanes.clone();
        let mut room: HashMap<Lane, u32> = lanes_asked.iter().cloned().collect();
        let taken = self
            .app
            .store
            .write_one_relaxed(move |tx| outbox::claim(tx, &claim).map_err(app::Error::from))
            .inspect_err(|error| {
                if matches!(error, app::Error::OutcomeUnknown(_)) {
                    self.claims_in_doubt().push(lease.clone());
                }
            })?;
        if !taken.claimed.is_empty() {
            failpoint::reach(Place::Claimed);
        }
        let unreadable = self.read_secrets(&taken.claimed, now);
        let mut haul = Haul {
            ready: Vec::with_capacity(taken.claimed.len()),
            must_yield,
            ..Haul::default()
        };
        let has_claimed = !taken.claimed.is_empty();
        let mut without_secrets = Vec::new();
        for claimed in taken.claimed {
            if let Some(room) = room.get_mut(&claimed.lane()) {
                *room = room.saturating_sub(1);
            }
            let reason = match &claimed.channel {
                ClaimedChannel::Webhook { client, .. } => unreadable.get(client),
                ClaimedChannel::Mail | ClaimedChannel::Message => None,
            };
            match reason {
                None => haul.ready.push(claimed),
                Some(SecretsFault::Unavailable) => without_secrets.push(claimed),
                Some(SecretsFault::Unreadable(reason)) => {
                    let result = self.not_sent(&claimed, Began::at(now), reason);
                    haul.unusable.push(Arc::new(Done { claimed, result }));
                }
            }
        }
        if !without_secrets.is_empty() {
            self.give_back(without_secrets);
        }
        let held = self.hold(taken.stopped, &lease, now);
        let asked = lanes_asked.into_iter();
        let gave_nothing = asked
            .filter(|(lane, allowed)| room.get(lane) == Some(allowed))
            .map(|(lane, _)| lane);
        let is_blocked = locked(shares).gave_nothing(gave_nothing);
        haul.may_be_more = held > 0 || !haul.unusable.is_empty() || is_full && (has_claimed || is_blocked);
        // A lane that gave all that there was room for may have more.
        haul.is_more_later = has_left_out || room.values().any(|left| *left == 0);
        Ok(haul)
    }

    /// Gives back what claims in doubt may have taken. One that the server was still at, whatever it waited for, is given back
    /// by its lease's end.
    fn release_in_doubt(&self, now: Timestamp) -> Result<(), app::Error> {
        let in_doubt = self.claims_in_doubt().clone();
        if in_doubt.is_empty() {
            return Ok(());
        }
        let (owner, leases) = (self.settings.owner.clone(), in_doubt.clone());
        self.app.store.write_relaxed(move |tx| {
            for lease in &leases {
                outbox::release_claim(tx, &owner, lease, now)?;
            }
            Ok::<_, app::Error>(())
        })?;
        self.claims_in_doubt().retain(|lease| !in_doubt.contains(lease));
        Ok(())
    }

    fn claims_in_doubt(&self) -> MutexGuard<'_, Vec<String>> {
        self.claims_in_doubt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds what was met for stopped endpoints, and more of what waits for them, so that it need not be met one by one. How
    /// many.
    fn hold(&self, stopped: BTreeMap<(CompanyId, String), Vec<DeliveryId>>, lease: &str, now: Timestamp) -> u64 {
        let mut held = 0;
        for ((company, url), met) in stopped {
            let (store, lease) = (&self.app.store, lease.to_owned());
            match store.write_relaxed(move |tx| outbox::hold_claimed(tx, (&company, &url), &met, &lease, now)) {
                Ok(more) => held += more,
                Err(error) => tracing::warn!(%error, "what waits for a stopped endpoint is held when it is met again"),
            }
        }
        held
    }

    /// Gives back what cannot begin now through no fault of its own. Where that fails, too, it waits for its lease's end.
    fn give_back(&self, claimed: Vec<Claimed>) {
        let later = self.app.now() + SignedDuration::from_secs(1);
        let given_back = self.app.store.write_relaxed(move |tx| {
            for claimed in &claimed {
                outbox::release(tx, claimed.id, &claimed.lease, later)?;
            }
            Ok::<_, store::Error>(())
        });
        if let Err(error) = given_back {
            tracing::warn!(%error, "what was claimed could not be given back; it is tried when its lease ends");
        }
    }

    /// Reads the secrets that sign these webhooks, unless they are known. Answers the clients whose cannot be read.
    fn read_secrets(&self, claimed: &[Claimed], now: Timestamp) -> HashMap<ClientId, SecretsFault> {
        let mut asked = HashSet::new();
        let mut faults = HashMap::new();
        for delivery in claimed {
            let ClaimedChannel::Webhook { client, .. } = delivery.channel else {
                continue;
            };
            if asked.insert(client)
                && self.kept_secrets(client, now).is_none()
                && let Err(fault) = self.secrets(&delivery.company, client, now)
            {
                faults.insert(client, fault);
            }
        }
        faults
    }

    /// A client's secrets, where they were read lately.
    fn kept_secrets(&self, client: ClientId, now: Timestamp) -> Option<Arc<SigningSecrets>> {
        let kept = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, secrets) = kept.get(&client).filter(|(at, _)| are_fresh(*at, now))?;
        Some(Arc::clone(secrets))
    }

    /// Reads a client's secrets, and keeps them for a moment.
    fn secrets(
        &self,
        company: &CompanyId,
        client: ClientId,
        now: Timestamp,
    ) -> Result<Arc<SigningSecrets>, SecretsFault> {
        let (app, company) = (Arc::clone(&self.app), company.clone());
        let read = self
            .app
            .store
            .read_one(move |tx| app.webhook_secrets(tx, &company, client, now));
        match read {
            Ok(secrets) => {
                let secrets = Arc::new(secrets);
                let mut kept = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
                kept.retain(|_, (at, _)| are_fresh(*at, now));
                kept.insert(client, (now, Arc::clone(&secrets)));
                Ok(secrets)
            }
            Err(error @ app::Error::Unavailable { .. }) => {
                tracing::warn!(%error, "a client's secrets cannot be read; looking again soon");
                Err(SecretsFault::Unavailable)
            }
            Err(error) => Err(SecretsFault::Unreadable(format!(
                "the signing secret cannot be read: {error}"
            ))),
        }
    }

    fn note(&self, after: Told) -> Result<Option<Told>, app::Error> {
        let now = self.app.now();
        let until = now.checked_sub(self.settings.note_after).unwrap_or(now);
        self.app.note_deliveries(until, Some(after), NOTED_AT_ONCE)
    }

    /// Lets go the next portion of what is held for an endpoint that is on again.
    fn let_go(&self) -> Result<bool, app::Error> {
        let store = &self.app.store;
        let Some((company, url)) = store.read_one(|tx| outbox::letting_go(tx).map_err(app::Error::from))? else {
            return Ok(false);
        };
        let now = self.app.now();
        store.write_relaxed(move |tx| outbox::let_go(tx, &company, &url, now).map_err(app::Error::from))?;
        Ok(true)
    }

    /// Makes the try; `asks` is told the moment from which its receiver is asked, and nobody waits for us.
    async fn deliver(self: Arc<Self>, claimed: Claimed, asks: impl FnOnce(Duration)) -> Done {
        let longest = self.settings.margin.unsigned_abs();
        let secrets = match &claimed.channel {
            ClaimedChannel::Webhook { client, .. } => {
                let read = timeout(longest, self.signing_secrets(&claimed.company, *client)).await;
                Some(read.unwrap_or(Err(SecretsFault::Unavailable)))
            }
            ClaimedChannel::Mail | ClaimedChannel::Message => None,
        };
        asks(self.made.elapsed());
        let began = Began::at(self.app.now());
        let is_late = claimed.lease_until.duration_since(began.at) < self.settings.margin;
        let secrets = match secrets {
            Some(Err(SecretsFault::Unreadable(reason))) => {
                let result = self.not_sent(&claimed, began, &reason);
                return Done { claimed, result };
            }
            Some(Err(SecretsFault::Unavailable)) => None,
            Some(Ok(secrets)) => Some(secrets.at(began.at)),
            None => Some(Vec::new()),
        };
        let result = match secrets {
            Some(secrets) if !is_late => {
                // Each kind has nearer limits of its own, but for what it waits for here, such as the database.
                let tried = timeout(longest, self.attempt(&claimed, &secrets, began)).await;
                tried.unwrap_or_else(|_| {
                    let outcome = self.again_in_time(&claimed, claimed.lane().is_of_codes(), None);
                    let reason = format!("it did not end within {} s", longest.as_secs_f32());
                    unanswered(began, &reason, outcome)
                })
            }
            _ => TaskResult::NotBegun,
        };
        Done { claimed, result }
    }

    async fn attempt(&self, claimed: &Claimed, secrets: &[WebhookSecret], began: Began) -> TaskResult {
        match &claimed.channel {
            ClaimedChannel::Webhook { url, authorization, .. } => {
                let answer = self
                    .post(claimed, url, authorization.as_deref(), secrets, began.at)
                    .await;
                let duration = began.duration();
                failpoint::reach(Place::Answered);
                match answer {
                    Ok(answer) => self.answered(claimed, began.at, duration, &answer),
                    Err(NoAnswer::NoneCame(reason)) => self.failed(claimed, began, &reason),
                    Err(NoAnswer::NotSent(reason)) => self.not_sent(claimed, began, &reason),
                }
            }
            ClaimedChannel::Mail => self.mail(claimed, began).await,
            ClaimedChannel::Message => self.message(claimed, began).await,
        }
    }

    /// The secrets of a client that hold now.
    async fn signing_secrets(
        self: &Arc<Self>,
        company: &CompanyId,
        client: ClientId,
    ) -> Result<Arc<SigningSecrets>, SecretsFault> {
        if let Some(secrets) = self.kept_secrets(client, self.app.now()) {
            return Ok(secrets);
        }
        let _reading = self.reading.lock().await;
        let now = self.app.now();
        // Who read before may have read these.
        if let Some(secrets) = self.kept_secrets(client, now) {
            return Ok(secrets);
        }
        let (shared, company) = (Arc::clone(self), company.clone());
        let read = spawn_blocking(move || shared.secrets(&company, client, now)).await;
        read.unwrap_or_else(|error| {
            tracing::error!(%error, "reading a client's secrets panicked");
            Err(SecretsFault::Unavailable)
        })
    }

    async fn post(
        &self,
        claimed: &Claimed,
        url: &str,
        authorization: Option<&[u8]>,
        secrets: &[WebhookSecret],
        at: Timestamp,
    ) -> Result<crate::guarded_client::Answer, NoAnswer> {
        let vault = &self.app.vault;
        let undecipherable = |error: app::VaultError| NoAnswer::NotSent(error.to_string());
        let url = CallbackUrl::stored(url).ok_or_else(|| NoAnswer::NotSent("the URL cannot be read".to_owned()))?;
        let body = vault
            .decrypt(Purpose::OutboxBody, &claimed.body)
            .map_err(undecipherable)?;
        let authorization = authorization
            .map(|sealed| vault.decrypt(Purpose::WebhookAuthorization, sealed))
            .transpose()
            .map_err(undecipherable)?;
        let webhook = Webhook {
            url: &url,
            event_id: &claimed.event_id,
            authorization: authorization.as_ref().map(|value| value.as_slice()),
            secrets,
            body: body.to_vec(),
        };
        webhook.send(&self.client, at).await.map_err(|fault| {
            if fault.is_before_sending() {
                NoAnswer::NotSent(fault.to_string())
            } else {
                NoAnswer::NoneCame(fault.to_string())
            }
        })
    }

    fn answered(
        &self,
        claimed: &Claimed,
        at: Timestamp,
        duration: i64,
        answer: &crate::guarded_client::Answer,
    ) -> TaskResult {
        let outcome = match webhook::verdict(answer) {
            Verdict::Success => Outcome::Delivered,
            Verdict::Gone => Outcome::Gone,
            Verdict::Failure => self.again(claimed, answer.retry_after.as_deref()),
        };
        let made = Try {
            at,
            duration,
            code: Some(answer.status),
            fault: None,
            answer: excerpt_of(&String::from_utf8_lossy(&answer.start)),
        };
        TaskResult::Tried { made, outcome }
    }

    fn failed(&self, claimed: &Claimed, began: Began, reason: &str) -> TaskResult {
        unanswered(began, reason, self.again(claimed, None))
    }

    /// What cannot be sent at all says nothing about its receiver.
    fn not_sent(&self, claimed: &Claimed, began: Began, reason: &str) -> TaskResult {
        let next = match self.again(claimed, None) {
            Outcome::Retry(due_at) => Some(due_at),
            _ => None,
        };
        unanswered(began, reason, Outcome::NotSent(next))
    }

    async fn mail(&self, claimed: &Claimed, began: Began) -> TaskResult {
        let Some(mailer) = &self.mailer else {
            return TaskResult::Kept;
        };
        let mail = match OutgoingMail::open(&claimed.body, &self.app.vault) {
            Ok(mail) => mail,
            Err(error) => return self.failed(claimed, began, &error.to_string()),
        };
        let logo = match self.logo(&claimed.company, &mail).await {
            Ok(logo) => logo,
            Err(reason) => return self.failed(claimed, began, &reason),
        };
        let sent = mailer.send(&mail, logo, &claimed.event_id, claimed.created_at).await;
        let duration = began.duration();
        match sent {
            Ok(answer) => {
                let made = Try {
                    at: began.at,
                    duration,
                    code: Some(250),
                    fault: None,
                    answer: quoted(&mail, answer),
                };
                TaskResult::Tried {
                    made,
                    outcome: Outcome::Delivered,
                }
            }
            Err(fault) => {
                tracing::info!(fault = quoted(&mail, &fault), "a mail was not sent");
                let outcome = if fault.is_permanent {
                    Outcome::Dead
                } else {
                    self.again_in_time(claimed, mail.is_secret, None)
                };
                let made = Try {
                    at: began.at,
                    duration,
                    code: fault.code,
                    fault: Some(quoted(&mail, fault.words)),
                    answer: String::new(),
                };
                TaskResult::Tried { made, outcome }
            }
        }
    }

    async fn message(&self, claimed: &Claimed, began: Began) -> TaskResult {
        let Some(messengers) = &self.messengers else {
            return TaskResult::Kept;
        };
        let mail = match OutgoingMail::open(&claimed.body, &self.app.vault) {
            Ok(mail) => mail,
            Err(error) => return self.failed(claimed, began, &error.to_string()),
        };
        let message = Outgoing {
            mail: &mail,
            event_id: &claimed.event_id,
            at: began.at,
        };
        let Some(mut reports) = messengers.send(message).await else {
            return TaskResult::Kept;
        };
        for report in &mut reports {
            report.words = quoted(&mail, &report.words);
        }
        let is_taken = reports.iter().any(|report| report.verdict == MessageVerdict::Taken);
        let is_refused = reports.iter().all(|report| report.verdict == MessageVerdict::Refused);
        let outcome = if is_taken {
            Outcome::Delivered
        } else if is_refused {
            Outcome::Dead
        } else {
            let asked = reports.iter().find_map(|report| report.retry_after.as_deref());
            self.again_in_time(claimed, mail.is_secret, asked)
        };
        let words: Vec<String> = reports.iter().map(Report::line).collect();
        let words = told(words.join("\n"));
        let (fault, answer) = if is_taken {
            (None, words)
        } else {
            (Some(words), String::new())
        };
        let made = Try {
            at: began.at,
            duration: began.duration(),
            code: reports.iter().rev().find_map(|report| report.status),
            fault,
            answer,
        };
        TaskResult::Tried { made, outcome }
    }

    /// The logo that a mail shows; none where it was taken away long ago.
    async fn logo(&self, company: &CompanyId, mail: &OutgoingMail) -> Result<Option<Vec<u8>>, String> {
        let Some(hash) = mail.logo_hash() else {
            return Ok(None);
        };
        let (app, company) = (Arc::clone(&self.app), company.clone());
        match spawn_blocking(move || app.company_logo(&company, &hash)).await {
            Ok(Ok(png)) => Ok(Some(png)),
            Ok(Err(app::Error::NotFound(_))) => Ok(None),
            Ok(Err(error)) => Err(format!("the company's logo cannot be read: {error}")),
            Err(error) => Err(format!("the company's logo cannot be read: {error}")),
        }
    }

    /// The same for what a person gets: a code that nobody can give any more is no use to anybody.
    fn again_in_time(&self, claimed: &Claimed, is_secret: bool, retry_after: Option<&str>) -> Outcome {
        match self.again(claimed, retry_after) {
            Outcome::Retry(due_at) if is_secret && !one_time_code::is_alive(claimed.created_at, None, due_at) => {
                Outcome::Dead
            }
            outcome => outcome,
        }
    }

    /// When a failed delivery is tried again, if it is.
    fn again(&self, claimed: &Claimed, retry_after: Option<&str>) -> Outcome {
        let made = claimed.tries.saturating_add(1).min(MOST_TRIES);
        let (event, now) = (claimed.created_at, self.app.now());
        next_try(made, event, now, retry_after, self.app.random.as_ref()).map_or(Outcome::Dead, Outcome::Retry)
    }

    /// Writes results: what was taken first, so that an endpoint that has just taken something is not stopped. Whether a
    /// workflow's next first try may have become due.
    fn finish(&self, results: Vec<Arc<Done>>) -> bool {
        let (taken, mut others): (Vec<_>, Vec<_>) = results.into_iter().partition(|done| done.taken().is_some());
        others.sort_by_key(|done| !done.is_delivered());
        let Ok(has_opened) = self.write_all_or_each(taken, Self::write_taken) else {
            // The others would be written no more than these.
            let count = others.len();
            tracing::warn!(count, "nor were those of deliveries that failed");
            return false;
        };
        self.write_all_or_each(others, Self::write_others).unwrap_or(false) || has_opened
    }

    /// Writes results in one transaction; where that fails, each in its own, so that one cannot hold up the others. A database
    /// that does not answer is asked again for all, for as long as a commit waits for it: asked for each, it would keep those
    /// to come waiting until their leases end. Whether a workflow's next first try may have become due.
    fn write_all_or_each(&self, results: Vec<Arc<Done>>, write: Write) -> Result<bool, NotWritten> {
        if results.is_empty() {
            return Ok(false);
        }
        // A workflow's later webhooks wait for the first try of this one.
        let is_first = |done: &Arc<Done>| !done.claimed.first_try_done && done.claimed.workflow.is_some();
        let opens = |results: &[Arc<Done>]| results.iter().any(is_first);
        let (began, mut may_be_written) = (Instant::now(), false);
        loop {
            match write(self, results.clone(), may_be_written) {
                Ok(()) => {
                    failpoint::reach(Place::Recorded);
                    return Ok(opens(&results));
                }
                Err(error @ (app::Error::Unavailable { .. } | app::Error::OutcomeUnknown(_))) => {
                    may_be_written |= matches!(error, app::Error::OutcomeUnknown(_));
                    if began.elapsed() >= RESULTS_WAIT {
                        let count = results.len();
                        tracing::warn!(%error, count, "results could not be written; the deliveries are made again");
                        return Err(NotWritten);
                    }
                    tracing::warn!(%error, "results could not be written; trying again");
                    std::thread::sleep(RESULTS_PAUSE);
                }
                Err(error) => {
                    tracing::warn!(%error, "results could not be written together; writing each");
                    break;
                }
            }
        }
        let mut opened = false;
        for done in results {
            let id = done.claimed.id;
            match write(self, vec![Arc::clone(&done)], may_be_written) {
                Ok(()) => opened |= opens(&[done]),
                Err(error) => {
                    tracing::warn!(%error, %id, "a result could not be written; the delivery is tried again");
                }
            }
        }
        Ok(opened)
    }

    /// Writes what receivers took.
    fn write_taken(&self, results: Vec<Arc<Done>>, may_be_written: bool) -> Result<(), app::Error> {
        let now = self.app.now();
        self.app.store.write_one_relaxed(move |tx| {
            let taken: Vec<(&Claimed, &Try)> = results.iter().filter_map(|done| done.taken()).collect();
            let recorded = outbox::finish_taken(tx, &taken, now)?;
            for (claimed, _) in taken.iter().filter(|(claimed, _)| !recorded.contains(&claimed.id)) {
                lease_lost(claimed, may_be_written);
            }
            Ok(())
        })
    }

    /// Writes what else came of deliveries.
    fn write_others(&self, mut results: Vec<Arc<Done>>, may_be_written: bool) -> Result<(), app::Error> {
        let (app, now) = (Arc::clone(&self.app), self.app.now());
        // In one order, so that no two workers wait for each other's endpoints.
        results.sort_by(|one, other| one.claimed.endpoint().cmp(&other.claimed.endpoint()));
        self.app.store.write_relaxed(move |tx| {
            for done in &results {
                let Done { claimed, result } = done.as_ref();
                let finished = match result {
                    TaskResult::NotBegun => {
                        outbox::release(tx, claimed.id, &claimed.lease, now)?;
                        continue;
                    }
                    TaskResult::Kept => {
                        outbox::keep(tx, claimed, now)?;
                        continue;
                    }
                    TaskResult::Tried { made, outcome } => outbox::finish(tx, claimed, made, *outcome, now)?,
                };
                let (Finished::LeaseLost { stopped } | Finished::Recorded { stopped, .. }) = finished;
                if matches!(finished, Finished::LeaseLost { .. }) {
                    lease_lost(claimed, may_be_written);
                }
                if let (Some(reason), ClaimedChannel::Webhook { url, .. }) = (stopped, &claimed.channel) {
                    tracing::warn!(company = %claimed.company, reason = reason.word(), "an endpoint was stopped");
                    app.endpoint_stopped(tx, &claimed.company, url, reason, now)?;
                }
            }
            Ok(())
        })
    }
}

fn unanswered(began: Began, reason: &str, outcome: Outcome) -> TaskResult {
    let made = Try {
        at: began.at,
        duration: began.duration(),
        code: None,
        fault: Some(told(reason)),
        answer: String::new(),
    };
    TaskResult::Tried { made, outcome }
}

/// Whether secrets that were read then may be used now.
fn are_fresh(read_at: Timestamp, now: Timestamp) -> bool {
    now >= read_at && now.duration_since(read_at) < SECRETS_KEPT
}

/// A result holds only while its lease does. One that may have been written before has ended its lease itself.
fn lease_lost(claimed: &Claimed, may_be_written: bool) {
    if may_be_written {
        tracing::debug!(id = %claimed.id, "a result was in doubt: it was written, or its lease is lost");
    } else {
        tracing::warn!(id = %claimed.id, "a delivery took longer than its lease; it is made again");
    }
}

/// Our own words about a failed delivery, as the history keeps them: without control characters, which a terminal would obey.
fn told(words: impl std::fmt::Display) -> String {
    let is_shown = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let words = CustomerWords::of(words).to_string();
    words.chars().filter(is_shown).take(LONGEST_FAULT).collect()
}

/// What the history keeps of what a mail server or gateway said of `mail`.
fn quoted(mail: &OutgoingMail, words: impl std::fmt::Display) -> String {
    if mail.is_secret {
        NOT_KEPT.to_owned()
    } else {
        excerpt_of(&CustomerWords::of(words).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_FAULT, told};

    #[test]
    fn what_is_kept_of_a_fault_steers_no_terminal_and_has_an_end() {
        assert_eq!(told("a\u{1b}[31mbc\0\u{9b}2J\r\n\td"), "a[31mbc2J\n\td");
        assert_eq!(told("가".repeat(LONGEST_FAULT + 1)).chars().count(), LONGEST_FAULT);
    }
}
