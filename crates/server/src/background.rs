//! Background work that nobody waits for: deliveries, expiring workflows, reminders, due timestamps, the revocation
//! list, expired rows.
//!
//! Jobs run on blocking threads, one run of a job at a time. A failure is logged and the job runs again at its next
//! time. Everything here may run twice or in several processes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use app::{App, Error};
use delivery::guarded_client::{GuardedClient, Limits, SystemLookup};
use delivery::nodes::{self, Nodes};
use delivery::{Egress, MailSettings, Mailer, Messengers, Runner, RunnerSettings, node};
use metrics::metrics;
use tokio::sync::{Notify, watch};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{MissedTickBehavior, interval};

use crate::output::Failure;

/// The longest delay before a workflow expires if nobody opens it.
const EXPIRY_EVERY: Duration = Duration::from_secs(5);
/// The number of workflows that expire in one run. Any others follow immediately.
const EXPIRE_AT_ONCE: u32 = 100;
const CLEANING_EVERY: Duration = Duration::from_mins(10);
/// Checkpoints are written once an hour. The job runs more often, so that a failed checkpoint is written soon.
const CHECKPOINTS_EVERY: Duration = Duration::from_mins(10);
/// The longest delay before an unneeded file is removed once it is due.
const LOOSE_FILES_EVERY: Duration = Duration::from_mins(1);
/// The pause between two rounds of bulk sends.
const BULK_EVERY: Duration = Duration::from_millis(500);
/// How often a company's history is trimmed. It may exceed its limit by the deliveries made in this time.
const HISTORY_EVERY: Duration = Duration::from_mins(1);
/// The number of one-time codes erased in one transaction.
const ERASE_AT_ONCE: u32 = 500;
/// The limit on such transactions before other work gets its turn. After an upgrade all old messages are checked.
const MOST_ROUNDS_OF_ERASING: u32 = 20;
/// The longest delay before a missing timestamp is retried once it is due.
const TIMESTAMPS_EVERY: Duration = Duration::from_mins(1);
/// The number of timestamps added in one run. Any others follow immediately.
const TIMESTAMPS_AT_ONCE: u32 = 20;
/// The longest delay of a reminder.
const REMINDERS_EVERY: Duration = Duration::from_mins(5);
/// The number of workflows that one run checks. Any others follow immediately.
const REMIND_AT_ONCE: u32 = 100;
/// The longest delay before a change can be found by search, unless there is a backlog.
const INDEXING_EVERY: Duration = Duration::from_secs(1);
/// The number of documents indexed in one transaction. Meanwhile, other changes to these documents wait.
const INDEX_AT_ONCE: u32 = 50;
/// The limit on such transactions before other work gets its turn. After an upgrade all documents are indexed.
const MOST_ROUNDS_OF_INDEXING: u32 = 20;
const TEMPLATE_FAULTS_EVERY: Duration = Duration::from_mins(1);
/// How often we check whether the revocation list is outdated.
const LIST_EVERY: Duration = Duration::from_hours(1);
/// The longest delay before owners are warned that a seal certificate is about to expire.
const SEAL_ENDS_EVERY: Duration = Duration::from_hours(1);

type Job = fn(&App) -> Result<(), Error>;

/// The interval, the name in the log, and the job.
const JOBS: &[(Duration, &str, Job)] = &[
    (EXPIRY_EVERY, "expiring workflows", expire),
    (TIMESTAMPS_EVERY, "adding timestamps", add_timestamps),
    (LIST_EVERY, "renewing the revocation list", renew_list),
    (
        SEAL_ENDS_EVERY,
        "warning of expiring seal certificates",
        warn_of_seal_ends,
    ),
    (HISTORY_EVERY, "trimming the delivery history", forget),
    (INDEXING_EVERY, "indexing search texts", index_texts),
    (REMINDERS_EVERY, "reminding writers", remind),
    (
        TEMPLATE_FAULTS_EVERY,
        "storing mail template errors",
        App::keep_template_faults,
    ),
    (LOOSE_FILES_EVERY, "removing unused files", remove_loose_files),
    (CHECKPOINTS_EVERY, "writing checkpoints", write_checkpoints),
    (CLEANING_EVERY, "removing expired data", clean),
];

pub struct Background(JoinSet<()>);

impl Background {
    /// Waits until all jobs have ended after the stop signal.
    pub async fn finished(mut self) {
        while let Some(ended) = self.0.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "background work failed");
            }
        }
    }
}

/// For a process without its own runner: notifies the runners of other processes that something may wait in the outbox.
/// Rings during a notification count as one. If a ring is lost with the process, the runners find the work when they
/// poll.
pub async fn tell_of_rings(app: Arc<App>, ended: watch::Receiver<bool>) {
    let rung = Arc::new(Notify::new());
    let ringing = Arc::clone(&rung);
    app.bell.listen(move || ringing.notify_one());
    let mut end = Box::pin(told(ended));
    loop {
        tokio::select! {
            () = &mut end => return,
            () = rung.notified() => {}
        }
        let store = app.store.clone();
        match spawn_blocking(move || store.announce()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "the runners could not be notified; they will poll the outbox"),
            Err(error) => tracing::error!(%error, "announcing panicked"),
        }
    }
}

/// Starts all background work. It ends when `ended` turns true.
pub fn start(
    app: Arc<App>,
    egress: &Egress,
    mail: Option<MailSettings>,
    messengers: Option<Messengers>,
    ended: watch::Receiver<bool>,
) -> Result<Background, Failure> {
    let rules = app.settings.webhook.clone();
    let client = GuardedClient::through(egress, rules, Limits::default(), Arc::new(SystemLookup))
        .map_err(|error| Failure::Other(format!("the webhook client cannot be created: {error}")))?;
    let mailer = mail
        .map(|settings| Mailer::new(&settings))
        .transpose()
        .map_err(|error| Failure::Other(error.to_string()))?;
    // Deliveries left in the outbox by processes without a runner.
    let bell = app.bell.clone();
    if let Err(error) = app.store.listen(move || bell.ring()) {
        tracing::warn!(%error, "notifications could not be received; the runner will poll the outbox");
    }
    let runner = Runner::new(Arc::clone(&app), client, mailer, messengers, RunnerSettings::default());
    let mut work = JoinSet::new();
    let recovering = Arc::clone(&app);
    work.spawn_blocking(move || {
        if let Err(error) = recovering.recover_bulk_starts(node::is_dead) {
            tracing::warn!(%error, "bulk sends of dead processes could not be released; they will be taken over later");
        }
    });
    for (period, doing, job) in JOBS {
        work.spawn(every(*period, ended.clone(), Arc::clone(&app), doing, *job));
    }
    // Other nodes take over claims from a node without a heartbeat, so the heartbeat continues until both of these have
    // ended.
    let delivering = runner.run(told(ended.clone()));
    let starting_many = every(BULK_EVERY, ended, Arc::clone(&app), "starting many", start_many);
    work.spawn(nodes::alive_while(
        Nodes::new(app, node::this_process()),
        || tokio::time::sleep(nodes::BEAT),
        async {
            tokio::join!(delivering, starting_many);
        },
    ));
    Ok(Background(work))
}

async fn told(mut ended: watch::Receiver<bool>) {
    // An error means that the sender is gone, and the server with it.
    let _ = ended.wait_for(|ended| *ended).await;
}

/// Runs a job repeatedly until the server stops.
async fn every(period: Duration, ended: watch::Receiver<bool>, app: Arc<App>, doing: &'static str, job: Job) {
    let mut time = interval(period);
    time.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut end = Box::pin(told(ended));
    loop {
        tokio::select! {
            () = &mut end => return,
            _ = time.tick() => {}
        }
        let shared = Arc::clone(&app);
        let begun = Instant::now();
        let ended = spawn_blocking(move || job(&shared)).await;
        let outcome = if matches!(ended, Ok(Ok(()))) { "done" } else { "failed" };
        metrics::took(&metrics().jobs, &metrics::Job { job: doing, outcome }, begun.elapsed());
        match ended {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, doing, "a job failed; it will run again"),
            Err(error) => tracing::error!(%error, doing, "a job failed; it will run again"),
        }
    }
}

fn expire(app: &App) -> Result<(), Error> {
    while app.expire_due(EXPIRE_AT_ONCE)? >= EXPIRE_AT_ONCE {}
    Ok(())
}

fn index_texts(app: &App) -> Result<(), Error> {
    for _ in 0..MOST_ROUNDS_OF_INDEXING {
        if app.index_texts(INDEX_AT_ONCE)? < INDEX_AT_ONCE {
            break;
        }
    }
    Ok(())
}

fn remind(app: &App) -> Result<(), Error> {
    while app.remind_due(REMIND_AT_ONCE)? >= REMIND_AT_ONCE {}
    Ok(())
}

fn add_timestamps(app: &App) -> Result<(), Error> {
    while app.add_due_timestamps(TIMESTAMPS_AT_ONCE)? >= TIMESTAMPS_AT_ONCE {}
    Ok(())
}

fn renew_list(app: &App) -> Result<(), Error> {
    app.revocation_list().map(drop)
}

fn warn_of_seal_ends(app: &App) -> Result<(), Error> {
    app.warn_of_seal_ends().map(drop)
}

/// Runs one round. The job checks between two rounds whether the server is stopping.
fn start_many(app: &App) -> Result<(), Error> {
    app.run_bulk_starts(&node::this_process()).map(drop)
}

fn forget(app: &App) -> Result<(), Error> {
    for _ in 0..MOST_ROUNDS_OF_ERASING {
        if app.erase_codes(ERASE_AT_ONCE)? < ERASE_AT_ONCE as usize {
            break;
        }
    }
    app.forget_deliveries().map(drop)
}

fn remove_loose_files(app: &App) -> Result<(), Error> {
    let removed = app.remove_loose_files()?;
    if removed > 0 {
        tracing::debug!(removed, "unused files were removed");
    }
    Ok(())
}

fn write_checkpoints(app: &App) -> Result<(), Error> {
    let written = app.write_checkpoints()?;
    if written > 0 {
        tracing::debug!(written, "checkpoints were written");
    }
    Ok(())
}

fn clean(app: &App) -> Result<(), Error> {
    let access = app.clean_access()?;
    let workflows = app.sweep_workflow_leftovers()?;
    let bulk_starts = app.sweep_bulk_starts()?;
    tracing::debug!(?access, workflows, bulk_starts, "removed expired rows");
    Ok(())
}
