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

/// So many deliveries are told to the chains at once.
const NOTED_AT_ONCE: u32 = 200;

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
