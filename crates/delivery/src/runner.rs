//! The runner claims due deliveries from the outbox, makes the calls, and records the results.
//!
//! **Actors.** One loop per process decides which deliveries to claim, which to start and when to write results. The
//! calls run in their own tasks, with no transaction open. Database work runs on blocking threads, at most one claim
//! and one batch of results at a time. Several processes may share a database; leases keep them apart.
//!
//! **Guarantees.**
//! - At least once: a result is written only while its lease is still held. A process that dies loses its leases: at
//!   once if it starts again on the same machine, otherwise to another node within seconds (`nodes`).
//! - A dead receiver never slows the others, one company never slows another, and mails never slow webhooks; `shares`
//!   defines the bounds. The runner claims what may begin now, plus the next round of receivers that answer quickly.
//! - A backlog costs nothing: a claim looks once at each lane (a receiver and a company) with something waiting,
//!   however much that is. If nothing due may begin, nothing is written.
//! - Claims and results do not wait for the disk: if a crash of the machine loses them, they are claimed and delivered
//!   again.
//! - No wake-up is lost: the bell leaves a mark that the next look sees, and the loop also looks on its own.
//! - First tries of a workflow go out in order (the claim enforces this); after each batch of results the loop looks
//!   again.
//! - Each try is signed with the secrets that are valid at that moment, however long it has waited.
//! - No try outlasts its lease: a call that has not returned by then is given up, and its place is free. Time that a
//!   try spends waiting inside this process does not count against the receiver.
//!
//! **What may fail.** A delivery that cannot be sent at all (its secret is gone, its body cannot be decrypted) counts
//! as a failed try and ends as a dead letter; this does not count against its endpoint. A database outage only costs
//! time: leases expire, and everything is tried again.

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

/// How many deliveries we record in the audit trails at once.
const NOTED_AT_ONCE: u32 = 200;

#[derive(Debug, Clone)]
pub struct RunnerSettings {
    pub workers: usize,
    /// How many deliveries run at once to one receiver: a host, the mail server, a gateway.
    pub per_receiver: usize,
    /// How many webhooks of one company run at once.
    pub per_company: usize,
    /// How many deliveries one claim takes.
    pub batch: u32,
    /// How long a claim lasts.
    pub lease: SignedDuration,
    /// We start nothing whose lease expires sooner than this, and no try lasts longer.
    pub margin: SignedDuration,
    /// How often the loop looks on its own.
    pub poll: Duration,
    /// How far recording in the audit trails lags behind.
    pub note_after: SignedDuration,
    /// The name that holds the leases.
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
    /// Recently read secrets, with the time of reading.
    secrets: Mutex<HashMap<ClientId, KeptSecrets>>,
    /// Locked by the one delivery that reads secrets, so a stalled database blocks one thread instead of one per
    /// delivery.
    reading: tokio::sync::Mutex<()>,
    /// Leases of claims whose answer was lost: we do not know what they claimed.
    claims_in_doubt: Mutex<Vec<String>>,
    /// The time of the latest claim, in microseconds. A clock before this was set back.
    latest_claim: AtomicI64,
    /// The start of the time scale for the shares.
    made: Instant,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Until `stop` completes.
    Forever,
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
            tracing::debug!("another runner of this process already hears the bell; this one looks on its own");
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

    /// Works until `stop` completes, then finishes what is in progress and gives back the rest.
    pub async fn run(self, stop: impl Future<Output = ()> + Send) {
        self.recover().await;
        self.work(Mode::Forever, stop).await;
    }

    /// Works until nothing is due now; for tests and for one-shot programs.
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
            Ok(Ok(count)) => tracing::info!(count, "took back deliveries of a process that has ended"),
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
                // Results first, because they free places.
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
