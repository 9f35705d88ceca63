//! The runner: takes what is due from the outbox, does the outside work, and records what came of it.
//!
//! **Actors.** One loop a process decides everything: which deliveries are claimed, which are started, when results are
//! written. The outside work runs in tasks of its own, with no transaction open; reading and writing the database runs on
//! threads for blocking work, at most one claim and one batch of results at a time. Several processes may run on one
//! database; the leases keep them apart.
//!
//! **Guarantees.**
//! - At least once: a result is written only while the lease is still held. A process that dies loses its leases: at the
//!   next start on the same machine at once, on another at the lease's end.
//! - One dead receiver never slows the others: of all tasks one receiver gets at most a tenth, what is claimed for it
//!   beyond that waits in its own lane, and while its lane is full nothing more is claimed for it.
//! - Nor does one company, with however many dead receivers, slow another: it gets at most a quarter of the tasks, and while
//!   it has claimed its share nothing more is claimed for it. What waits in a lane for its receiver's tenth does not count:
//!   one dead receiver does not use up its company's share.
//! - Claims and results do not wait for the disk: what a machine that stops has lost of them is claimed, and made, again.
//! - No wake-up is lost: the bell leaves a mark that is seen at the next look, and the loop looks by itself as well.
//! - First tries of a workflow go out in order (the claim's own rule); after each batch of results the loop looks again.
//!
//! **What may fail.** A delivery that cannot be sent at all (its secret is gone, its body undecipherable) counts as a
//! failed try and ends as a dead letter; its endpoint has not failed by it. A database that is away costs time only: leases end, and everything is tried
//! again.

use std::collections::{HashMap, HashSet, VecDeque};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use app::mail::OutgoingMail;
use app::{App, Purpose, WebhookSecret};
use domain::public_address::CallbackUrl;
use domain::{ClientId, CompanyId, WorkflowId, one_time_code};
use failpoint::Place;
use jiff::{SignedDuration, Timestamp};
use store::outbox::{self, Claim, Claimed, ClaimedChannel, Finished, Outcome, Try};
use tokio::sync::Notify;
use tokio::task::{JoinError, JoinHandle, JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep_until};

use crate::guarded_client::GuardedClient;
use crate::mailer::Mailer;
use crate::messenger::{Messengers, Outgoing, Report, Verdict as MessageVerdict};
use crate::node;
use crate::schedule::{MOST_TRIES, next_try};
use crate::webhook::{self, Verdict, Webhook};

/// So much of an answer is kept for the history, in characters.
const LONGEST_ANSWER: usize = 1_000;
/// So many deliveries are told to the chains at once.
const NOTED_AT_ONCE: u32 = 200;

/// How the runner works.
#[derive(Debug, Clone)]
pub struct RunnerSettings {
    /// So many deliveries are under way at once.
    pub workers: usize,
    /// So many of them to one receiver.
    pub per_receiver: usize,
    /// So many of them of one company.
    pub per_company: usize,
    /// So many are claimed at once.
    pub batch: u32,
    /// How long a claim holds.
    pub lease: SignedDuration,
    /// A lease that is nearer to its end than this is not begun with any more: longer than any try takes.
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
    /// The latest moment at which was claimed, in microseconds: the clock must not be before it.
    latest_claim: AtomicI64,
}

/// A claimed delivery with the secrets that sign it.
struct Ready {
    claimed: Claimed,
    secrets: Arc<Vec<WebhookSecret>>,
}

/// What a task came back with.
struct Done {
    claimed: Claimed,
    result: TaskResult,
}

impl Done {
    /// The delivery and its try, where the receiver took it.
    fn taken(&self) -> Option<(&Claimed, &Try)> {
        match &self.result {
            TaskResult::Tried {
                made,
                outcome: Outcome::Delivered,
            } => Some((&self.claimed, made)),
            _ => None,
        }
    }
}

/// Why a webhook got no answer.
enum NoAnswer {
    /// It was sent, or no connection could be made.
    NoneCame(String),
    /// It could not be sent at all.
    NotSent(String),
}

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

/// One receiver's deliveries.
#[derive(Default)]
struct Lane {
    under_way: usize,
    waiting: VecDeque<Ready>,
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
                settings,
                // At the first claim it is looked whether the clock was set back while nothing ran.
                latest_claim: AtomicI64::new(i64::MAX),
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
                result = ended(&mut work.noting) => noted(&result),
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
struct Haul {
    ready: Vec<Ready>,
    /// Rows that cannot be sent, with the reason.
    unusable: Vec<Arc<Done>>,
    /// It brought as many as it could: the outbox may hold more.
    may_be_more: bool,
}

type Claiming = JoinHandle<Result<Haul, app::Error>>;
type Finishing = JoinHandle<bool>;
type Noting = JoinHandle<Result<usize, app::Error>>;

/// The loop's state.
struct Work {
    shared: Arc<Shared>,
    mode: Mode,
    lanes: HashMap<String, Lane>,
    /// How many are under way for each company.
    companies: HashMap<CompanyId, usize>,
    under_way: usize,
    tasks: JoinSet<Done>,
    /// Which task works for which receiver, and for whom.
    receivers: HashMap<tokio::task::Id, (String, CompanyId)>,
    results: Vec<Arc<Done>>,
    claiming: Option<Claiming>,
    finishing: Option<Finishing>,
    noting: Option<Noting>,
    /// Receivers that the last claim left out.
    left_out: HashSet<String>,
    /// Companies that the last claim left out.
    companies_left_out: HashSet<CompanyId>,
    look: bool,
    stopping: bool,
    next_poll: Instant,
    claims: u64,
}

impl Work {
    fn new(shared: Arc<Shared>, mode: Mode) -> Work {
        let next_poll = Instant::now() + shared.settings.poll;
        Work {
            shared,
            mode,
            lanes: HashMap::new(),
            companies: HashMap::new(),
            under_way: 0,
            tasks: JoinSet::new(),
            receivers: HashMap::new(),
            results: Vec::new(),
            claiming: None,
            finishing: None,
            noting: None,
            left_out: HashSet::new(),
            companies_left_out: HashSet::new(),
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
            && self.noting.is_none();
        let idle = !self.look && self.lanes.values().all(|lane| lane.waiting.is_empty());
        resting && (self.stopping || self.mode == Mode::UntilIdle && idle)
    }

    fn polled(&mut self) {
        self.look = true;
        self.next_poll = Instant::now() + self.shared.settings.poll;
        if self.noting.is_none() {
            let shared = Arc::clone(&self.shared);
            self.noting = Some(spawn_blocking(move || shared.note()));
        }
    }

    /// Begins with what waits in the lanes, as far as there is room.
    fn start_ready(&mut self) {
        if self.stopping {
            return;
        }
        let RunnerSettings {
            workers,
            per_receiver,
            per_company,
            ..
        } = self.shared.settings;
        for (receiver, lane) in &mut self.lanes {
            while self.under_way < workers && lane.under_way < per_receiver {
                // The first whose company has room: of a lane of several companies none waits for another's share.
                let has_room = |ready: &Ready| {
                    let under_way = self.companies.get(&ready.claimed.company);
                    under_way.is_none_or(|under_way| *under_way < per_company)
                };
                let Some(next) = lane.waiting.iter().position(has_room) else {
                    break;
                };
                let Some(ready) = lane.waiting.remove(next) else { break };
                let company = ready.claimed.company.clone();
                *self.companies.entry(company.clone()).or_default() += 1;
                lane.under_way += 1;
                self.under_way += 1;
                let shared = Arc::clone(&self.shared);
                let task = self.tasks.spawn(async move { shared.deliver(ready).await });
                self.receivers.insert(task.id(), (receiver.clone(), company));
            }
        }
    }

    /// Writes what has come back, one batch at a time: what comes meanwhile makes the next batch.
    fn start_finishing(&mut self) {
        if self.finishing.is_none() && !self.results.is_empty() {
            let (shared, results) = (Arc::clone(&self.shared), std::mem::take(&mut self.results));
            self.finishing = Some(spawn_blocking(move || shared.finish(results)));
        }
    }

    fn start_claiming(&mut self) {
        let room = self.shared.settings.workers.saturating_sub(self.under_way);
        if self.claiming.is_some() || !self.look || self.stopping || room == 0 {
            return;
        }
        self.look = false;
        self.claims += 1;
        let per_receiver = self.shared.settings.per_receiver;
        self.left_out = self
            .lanes
            .iter()
            .filter(|(_, lane)| lane.waiting.len() >= per_receiver)
            .map(|(receiver, _)| receiver.clone())
            .collect();
        let per_company = self.shared.settings.per_company;
        self.companies_left_out = self
            .shares()
            .into_iter()
            .filter(|(_, share)| *share >= per_company)
            .map(|(company, _)| company.clone())
            .collect();
        let except = self.left_out.iter().cloned().collect();
        let except_companies = self.companies_left_out.iter().cloned().collect();
        let limit = self.shared.settings.batch.min(u32::try_from(room).unwrap_or(u32::MAX));
        let (shared, number) = (Arc::clone(&self.shared), self.claims);
        self.claiming = Some(spawn_blocking(move || {
            shared.claim(number, except, except_companies, limit)
        }));
    }

    /// How much of its share each company has claimed, whether it waits or is under way: of each receiver at most as many
    /// as may be under way to it.
    fn shares(&self) -> HashMap<&CompanyId, usize> {
        let mut claimed: HashMap<(&CompanyId, &str), usize> = HashMap::new();
        for (receiver, company) in self.receivers.values() {
            *claimed.entry((company, receiver)).or_default() += 1;
        }
        for ready in self.lanes.values().flat_map(|lane| &lane.waiting) {
            let claimed_one = (&ready.claimed.company, ready.claimed.receiver.as_str());
            *claimed.entry(claimed_one).or_default() += 1;
        }
        let mut shares = HashMap::new();
        for ((company, _), count) in claimed {
            *shares.entry(company).or_default() += count.min(self.shared.settings.per_receiver);
        }
        shares
    }

    fn claimed(&mut self, result: Result<Result<Haul, app::Error>, JoinError>) {
        match result {
            Ok(Ok(haul)) => {
                self.look |= haul.may_be_more;
                self.results.extend(haul.unusable);
                for ready in haul.ready {
                    let lane = self.lanes.entry(ready.claimed.receiver.clone()).or_default();
                    lane.waiting.push_back(ready);
                }
            }
            Ok(Err(error)) => tracing::warn!(%error, "the outbox cannot be read; looking again soon"),
            Err(error) => tracing::error!(%error, "a claim panicked"),
        }
    }

    fn task_ended(&mut self, done: Result<(tokio::task::Id, Done), JoinError>) {
        self.under_way -= 1;
        let id = match done {
            Ok((id, done)) => {
                self.results.push(Arc::new(done));
                id
            }
            Err(error) => {
                tracing::error!(%error, "a delivery panicked; it is tried again when its lease ends");
                error.id()
            }
        };
        let Some((receiver, company)) = self.receivers.remove(&id) else {
            return;
        };
        if let Some(under_way) = self.companies.get_mut(&company) {
            *under_way -= 1;
            if *under_way == 0 {
                self.companies.remove(&company);
            }
        }
        // The outbox may hold more for both than the last claim was allowed to take.
        if self.companies_left_out.contains(&company) {
            let share = self.shares().get(&company).copied().unwrap_or_default();
            if share < self.shared.settings.per_company {
                self.look |= self.companies_left_out.remove(&company);
            }
        }
        if let Some(lane) = self.lanes.get_mut(&receiver) {
            lane.under_way -= 1;
            if lane.waiting.len() < self.shared.settings.per_receiver {
                self.look |= self.left_out.remove(&receiver);
            }
            if lane.waiting.is_empty() && lane.under_way == 0 {
                self.lanes.remove(&receiver);
            }
        }
    }

    fn finished(&mut self, result: Result<bool, JoinError>) {
        match result {
            // The next of a workflow's first tries may be due now.
            Ok(opened) => self.look |= opened,
            Err(error) => tracing::error!(%error, "writing results panicked; the deliveries are tried again"),
        }
    }

    /// Gives back what was claimed and not begun with.
    async fn give_back(self) {
        let left: Vec<Claimed> = self
            .lanes
            .into_values()
            .flat_map(|lane| lane.waiting)
            .map(|ready| ready.claimed)
            .collect();
        if left.is_empty() {
            return;
        }
        let shared = self.shared;
        let released = spawn_blocking(move || {
            let now = shared.app.now();
            shared.app.store.write_relaxed(move |tx| {
                for claimed in &left {
                    outbox::release(tx, claimed.id, &claimed.lease, now)?;
                }
                Ok::<_, store::Error>(())
            })
        })
        .await;
        if !matches!(released, Ok(Ok(()))) {
            tracing::warn!("deliveries could not be given back; their leases end by themselves");
        }
    }
}

fn noted(result: &Result<Result<usize, app::Error>, JoinError>) {
    match result {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::debug!(%error, "the chains are told of deliveries later"),
        Err(error) => tracing::error!(%error, "telling the chains panicked"),
    }
}

impl Shared {
    fn claim(
        &self,
        number: u64,
        except: Vec<String>,
        except_companies: Vec<CompanyId>,
        limit: u32,
    ) -> Result<Haul, app::Error> {
        let now = self.app.now();
        let claim = Claim {
            lease: format!("{}#{number}", self.settings.owner),
            owner: self.settings.owner.clone(),
            now,
            until: now.checked_add(self.settings.lease).unwrap_or(now),
            except,
            except_companies,
            limit,
        };
        let app = Arc::clone(&self.app);
        // A clock that was set back would leave everything that is due by it far away.
        let latest = self.latest_claim.fetch_max(now.as_microsecond(), Ordering::SeqCst);
        let is_back = now.as_microsecond() < latest;
        if is_back {
            tracing::debug!("due times are held against the clock: it was set back, or nothing ran before");
        }
        let (claimed, mut secrets) = self.app.store.write_relaxed(move |tx| {
            if is_back {
                outbox::count_anew(tx, now)?;
            }
            let claimed = outbox::claim(tx, &claim)?;
            let mut secrets: HashMap<ClientId, Result<Arc<Vec<WebhookSecret>>, String>> = HashMap::new();
            for delivery in &claimed {
                if let ClaimedChannel::Webhook { client, .. } = &delivery.channel
                    && !secrets.contains_key(client)
                {
                    let found = match app.webhook_secrets(tx, &delivery.company, *client, now) {
                        Ok(found) => Ok(Arc::new(found)),
                        // The database's own failures concern the whole claim.
                        Err(error @ app::Error::Unavailable { .. }) => return Err(error),
                        Err(error) => Err(format!("the signing secret cannot be read: {error}")),
                    };
                    secrets.insert(*client, found);
                }
            }
            Ok((claimed, secrets))
        })?;
        if !claimed.is_empty() {
            failpoint::reach(Place::Claimed);
        }
        if is_back {
            self.latest_claim.store(now.as_microsecond(), Ordering::SeqCst);
        }
        let mut haul = Haul {
            ready: Vec::with_capacity(claimed.len()),
            unusable: Vec::new(),
            may_be_more: claimed.len() >= limit as usize,
        };
        for claimed in claimed {
            let found = match &claimed.channel {
                ClaimedChannel::Webhook { client, .. } => secrets.get_mut(client).map(|found| found.clone()),
                ClaimedChannel::Mail | ClaimedChannel::Message => None,
            };
            match found {
                Some(Err(reason)) => haul.unusable.push(Arc::new(self.not_sent(claimed, now, 0, &reason))),
                Some(Ok(secrets)) => haul.ready.push(Ready { claimed, secrets }),
                None => haul.ready.push(Ready {
                    claimed,
                    secrets: Arc::default(),
                }),
            }
        }
        Ok(haul)
    }

    fn note(&self) -> Result<usize, app::Error> {
        let now = self.app.now();
        let until = now.checked_sub(self.settings.note_after).unwrap_or(now);
        self.app.note_deliveries(until, NOTED_AT_ONCE)
    }

    async fn deliver(&self, ready: Ready) -> Done {
        let Ready { claimed, secrets } = ready;
        let at = self.app.now();
        let began = Instant::now();
        let duration = || i64::try_from(began.elapsed().as_micros()).unwrap_or(i64::MAX);
        if claimed.lease_until.duration_since(at) < self.settings.margin {
            return Done {
                claimed,
                result: TaskResult::NotBegun,
            };
        }
        match &claimed.channel {
            ClaimedChannel::Webhook { url, authorization, .. } => {
                let answer = self.post(&claimed, url, authorization.as_deref(), &secrets, at).await;
                let duration = duration();
                failpoint::reach(Place::Answered);
                match answer {
                    Ok(answer) => self.answered(claimed, at, duration, &answer),
                    Err(NoAnswer::NoneCame(reason)) => self.failed(claimed, at, duration, &reason),
                    Err(NoAnswer::NotSent(reason)) => self.not_sent(claimed, at, duration, &reason),
                }
            }
            ClaimedChannel::Mail => self.mail(claimed, at, duration).await,
            ClaimedChannel::Message => self.message(claimed, at, duration).await,
        }
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

    fn answered(&self, claimed: Claimed, at: Timestamp, duration: i64, answer: &crate::guarded_client::Answer) -> Done {
        let outcome = match webhook::verdict(answer) {
            Verdict::Success => Outcome::Delivered,
            Verdict::Gone => Outcome::Gone,
            Verdict::Failure => self.again(&claimed, answer.retry_after.as_deref()),
        };
        let made = Try {
            at,
            duration,
            code: Some(answer.status),
            fault: None,
            answer: shown(&String::from_utf8_lossy(&answer.start)),
        };
        Done {
            claimed,
            result: TaskResult::Tried { made, outcome },
        }
    }

    fn failed(&self, claimed: Claimed, at: Timestamp, duration: i64, reason: &str) -> Done {
        let outcome = self.again(&claimed, None);
        unanswered(claimed, at, duration, reason, outcome)
    }

    /// What cannot be sent at all says nothing about its receiver.
    fn not_sent(&self, claimed: Claimed, at: Timestamp, duration: i64, reason: &str) -> Done {
        let next = match self.again(&claimed, None) {
            Outcome::Retry(due_at) => Some(due_at),
            _ => None,
        };
        unanswered(claimed, at, duration, reason, Outcome::NotSent(next))
    }

    async fn mail(&self, claimed: Claimed, at: Timestamp, duration: impl Fn() -> i64) -> Done {
        let Some(mailer) = &self.mailer else {
            return Done {
                claimed,
                result: TaskResult::Kept,
            };
        };
        let mail = match OutgoingMail::open(&claimed.body, &self.app.vault) {
            Ok(mail) => mail,
            Err(error) => return self.failed(claimed, at, duration(), &error.to_string()),
        };
        let logo = match self.logo(&claimed.company, &mail).await {
            Ok(logo) => logo,
            Err(reason) => return self.failed(claimed, at, duration(), &reason),
        };
        let sent = mailer.send(&mail, logo, &claimed.event_id, claimed.created_at).await;
        let duration = duration();
        match sent {
            Ok(answer) => {
                let made = Try {
                    at,
                    duration,
                    code: Some(250),
                    fault: None,
                    answer: shown(&answer),
                };
                Done {
                    claimed,
                    result: TaskResult::Tried {
                        made,
                        outcome: Outcome::Delivered,
                    },
                }
            }
            Err(fault) => {
                let outcome = if fault.is_permanent {
                    Outcome::Dead
                } else {
                    self.again_in_time(&claimed, &mail, None)
                };
                let made = Try {
                    at,
                    duration,
                    code: fault.code,
                    fault: Some(shown(&fault.words)),
                    answer: String::new(),
                };
                Done {
                    claimed,
                    result: TaskResult::Tried { made, outcome },
                }
            }
        }
    }

    async fn message(&self, claimed: Claimed, at: Timestamp, duration: impl Fn() -> i64) -> Done {
        let kept = |claimed| Done {
            claimed,
            result: TaskResult::Kept,
        };
        let Some(messengers) = &self.messengers else {
            return kept(claimed);
        };
        let mail = match OutgoingMail::open(&claimed.body, &self.app.vault) {
            Ok(mail) => mail,
            Err(error) => return self.failed(claimed, at, duration(), &error.to_string()),
        };
        let message = Outgoing {
            mail: &mail,
            event_id: &claimed.event_id,
            at,
        };
        let Some(reports) = messengers.send(message).await else {
            return kept(claimed);
        };
        let is_taken = reports.iter().any(|report| report.verdict == MessageVerdict::Taken);
        let is_refused = reports.iter().all(|report| report.verdict == MessageVerdict::Refused);
        let outcome = if is_taken {
            Outcome::Delivered
        } else if is_refused {
            Outcome::Dead
        } else {
            let asked = reports.iter().find_map(|report| report.retry_after.as_deref());
            self.again_in_time(&claimed, &mail, asked)
        };
        let words: Vec<String> = reports.iter().map(Report::line).collect();
        let words = shown(&words.join("\n"));
        let (fault, answer) = if is_taken {
            (None, words)
        } else {
            (Some(words), String::new())
        };
        let made = Try {
            at,
            duration: duration(),
            code: reports.iter().rev().find_map(|report| report.status),
            fault,
            answer,
        };
        Done {
            claimed,
            result: TaskResult::Tried { made, outcome },
        }
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
    fn again_in_time(&self, claimed: &Claimed, mail: &OutgoingMail, retry_after: Option<&str>) -> Outcome {
        match self.again(claimed, retry_after) {
            Outcome::Retry(due_at) if mail.is_secret && !one_time_code::is_alive(claimed.created_at, None, due_at) => {
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

    /// Writes results in one transaction; where that fails, each in its own, so that one cannot hold up the others.
    /// Whether a workflow's next first try may have become due.
    fn finish(&self, results: Vec<Arc<Done>>) -> bool {
        match self.write(results.clone()) {
            Ok(opened) => {
                failpoint::reach(Place::Recorded);
                return opened;
            }
            Err(error) => tracing::warn!(%error, "results could not be written together; writing each"),
        }
        let mut opened = false;
        for done in results {
            let id = done.claimed.id;
            match self.write(vec![done]) {
                Ok(one) => opened |= one,
                Err(error) => {
                    tracing::warn!(%error, %id, "a result could not be written; the delivery is tried again");
                }
            }
        }
        opened
    }

    /// Answers whether a workflow's next first try waits now.
    fn write(&self, results: Vec<Arc<Done>>) -> Result<bool, app::Error> {
        let (app, now) = (Arc::clone(&self.app), self.app.now());
        self.app.store.write_relaxed(move |tx| {
            // Successes first, all at once: an endpoint that has just taken something is not stopped.
            let taken: Vec<(&Claimed, &Try)> = results.iter().filter_map(|done| done.taken()).collect();
            if !taken.is_empty() {
                let recorded = outbox::finish_taken(tx, &taken, now)?;
                for (claimed, _) in taken.iter().filter(|(claimed, _)| !recorded.contains(&claimed.id)) {
                    lease_lost(claimed);
                }
            }
            for done in results.iter().filter(|done| done.taken().is_none()) {
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
                match (finished, &claimed.channel) {
                    (Finished::LeaseLost, _) => lease_lost(claimed),
                    (
                        Finished::Recorded {
                            stopped: Some(reason), ..
                        },
                        ClaimedChannel::Webhook { url, .. },
                    ) => {
                        tracing::warn!(company = %claimed.company, reason = reason.word(), "an endpoint was stopped");
                        app.endpoint_stopped(tx, &claimed.company, url, reason, now)?;
                    }
                    (Finished::Recorded { .. }, _) => {}
                }
            }
            let mut opening: Vec<WorkflowId> = results
                .iter()
                .filter(|done| !done.claimed.first_try_done)
                .filter_map(|done| done.claimed.workflow)
                .collect();
            opening.sort_unstable();
            opening.dedup();
            Ok(outbox::first_try_waits(tx, &opening)?)
        })
    }
}

fn unanswered(claimed: Claimed, at: Timestamp, duration: i64, reason: &str, outcome: Outcome) -> Done {
    let made = Try {
        at,
        duration,
        code: None,
        fault: Some(shown(reason)),
        answer: String::new(),
    };
    Done {
        claimed,
        result: TaskResult::Tried { made, outcome },
    }
}

fn lease_lost(claimed: &Claimed) {
    tracing::warn!(id = %claimed.id, "a delivery took longer than its lease; it is made again");
}

/// What the history keeps of an answer.
fn shown(text: &str) -> String {
    text.chars().filter(|c| *c != '\0').take(LONGEST_ANSWER).collect()
}
