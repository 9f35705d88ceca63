//! The runner claims due deliveries from the outbox, makes the calls, and records the results.
//!
//! **Tasks.** One loop per process decides which deliveries to claim, which to start and when to write results. The
//! calls run in their own tasks, with no transaction open. Database work runs on blocking threads, at most one claim
//! and one batch of results at a time. Several processes may share a database, because leases keep them apart.
//!
//! **Guarantees.**
//! - Each delivery is made at least once: a result is written only while its lease is still held. A process that dies
//!   loses its leases, at once if it starts again on the same machine, otherwise to another node within seconds
//!   (`nodes`).
//! - A dead receiver never slows the others, one company never slows another, and mails never slow webhooks. `shares`
//!   defines the limits. The runner claims what can start now, plus the next round for receivers that answer quickly.
//! - The cost of a claim does not depend on the size of the backlog: it looks once at each lane (a receiver and a
//!   company) with waiting deliveries. If no due delivery can start, nothing is written.
//! - Claims and results do not wait for the disk: if a crash of the machine loses them, they are claimed and delivered
//!   again.
//! - No wake-up is lost: the bell leaves a mark that the next poll sees, and the loop also polls without it.
//! - First tries of a workflow are sent in order (the claim enforces this). After each batch of results the loop polls
//!   again.
//! - Each try is signed with the secrets that are valid at that moment, even if the delivery has waited for a long
//!   time.
//! - No try outlasts its lease: a call that has not returned by then is cancelled, and its slot is free again. Time
//!   that a try spends waiting inside this process does not count against the receiver.
//!
//! **Failures.** A delivery that cannot be sent at all (its secret is gone, its body cannot be decrypted) counts as a
//! failed try and ends as a dead letter, but does not count against its endpoint. A database outage only delays
//! deliveries: leases expire, and everything is tried again.

mod claims;
mod results;
mod secrets;
mod tries;
mod work;

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use app::App;
use domain::ClientId;
use jiff::SignedDuration;
use store::outbox;
use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until};

use self::secrets::KeptSecrets;
use self::work::{Work, ended};
use crate::guarded_client::GuardedClient;
use crate::mailer::Mailer;
use crate::messenger::Messengers;
use crate::node;

/// Number of deliveries recorded in the audit trails at once.
const NOTED_AT_ONCE: u32 = 200;

#[derive(Debug, Clone)]
pub struct RunnerSettings {
    pub workers: usize,
    /// Maximum number of concurrent deliveries to one receiver: a host, the mail server, or a gateway.
    pub per_receiver: usize,
    /// Maximum number of concurrent webhooks of one company.
    pub per_company: usize,
    /// Maximum number of deliveries in one claim.
    pub batch: u32,
    /// Duration of a claim.
    pub lease: SignedDuration,
    /// No delivery is started if its lease expires sooner than this, and no try lasts longer.
    pub margin: SignedDuration,
    /// Time between two polls if nothing wakes the loop.
    pub poll: Duration,
    /// Delay before deliveries are recorded in the audit trails.
    pub note_after: SignedDuration,
    /// Name under which the leases are held.
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

/// Delivers the contents of the outbox.
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
    /// Recently read secrets, with the time when they were read.
    secrets: Mutex<HashMap<ClientId, KeptSecrets>>,
    /// Locked by the delivery that is reading secrets, so a stalled database blocks one thread instead of one per
    /// delivery.
    reading: tokio::sync::Mutex<()>,
    /// Leases of claims that may have succeeded although we got no answer from the database.
    claims_in_doubt: Mutex<Vec<String>>,
    /// The time of the latest claim, in microseconds. An earlier clock time means that the clock was set back.
    latest_claim: AtomicI64,
    /// Zero of the time scale for the shares.
    made: Instant,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Runs until `stop` completes.
    Forever,
    UntilIdle,
}

impl Runner {
    /// Creates a runner for the app's outbox. From now on it listens for the app's bell.
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
            tracing::debug!("another runner of this process already receives notifications, so this one polls");
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
                // The first claim checks whether the clock was set back while no runner was running.
                latest_claim: AtomicI64::new(i64::MAX),
                made: Instant::now(),
            }),
            wake,
        }
    }

    /// Works until `stop` completes, then finishes running deliveries and releases the rest.
    pub async fn run(self, stop: impl Future<Output = ()> + Send) {
        self.recover().await;
        self.work(Mode::Forever, stop).await;
    }

    /// Works until nothing is due. For tests and one-shot programs.
    pub async fn run_until_idle(&self) {
        self.work(Mode::UntilIdle, std::future::pending()).await;
    }

    /// Releases the claims of dead processes on this machine.
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
            Ok(Ok(count)) => tracing::info!(count, "deliveries of a process that ended were released"),
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
                // Results first, because they free slots.
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
