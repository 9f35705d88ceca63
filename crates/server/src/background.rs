//! Background work that nobody waits for: deliveries, workflows whose time runs out, reminders, due timestamps, the
//! revocation list, expired rows.
//!
//! Jobs run on blocking threads, one run of a job at a time. A failure is logged and the job runs again at its next
//! time: everything here may run twice or in several processes.

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

/// How late a workflow may expire if nobody touches it.
const EXPIRY_EVERY: Duration = Duration::from_secs(5);
/// How many workflows expire in one run; more follow at once.
const EXPIRE_AT_ONCE: u32 = 100;
const CLEANING_EVERY: Duration = Duration::from_mins(10);
/// A checkpoint is written once an hour; the job looks more often, so that none is late after a failure.
const CHECKPOINTS_EVERY: Duration = Duration::from_mins(10);
/// How late an unneeded file may be removed once its time is over.
const LOOSE_FILES_EVERY: Duration = Duration::from_mins(1);
/// The pause between two rounds of bulk sends.
const BULK_EVERY: Duration = Duration::from_millis(500);
/// How often a company's history is trimmed. It may exceed its bound by the deliveries of this time.
const HISTORY_EVERY: Duration = Duration::from_mins(1);
/// How many one-time codes are erased in one transaction.
const ERASE_AT_ONCE: u32 = 500;
/// The most such transactions before other work gets its turn: after an upgrade all old messages are checked.
const MOST_ROUNDS_OF_ERASING: u32 = 20;
/// How late a missing timestamp may be retried once it is due.
const TIMESTAMPS_EVERY: Duration = Duration::from_mins(1);
/// How many timestamps are added in one run; more follow at once.
const TIMESTAMPS_AT_ONCE: u32 = 20;
/// How late a reminder may go out.
const REMINDERS_EVERY: Duration = Duration::from_mins(5);
/// How many workflows one run checks; more follow at once.
const REMIND_AT_ONCE: u32 = 100;
/// How late a change can be found, but for a backlog.
const INDEXING_EVERY: Duration = Duration::from_secs(1);
/// How many documents are indexed in one transaction, for which others who change one of them wait.
const INDEX_AT_ONCE: u32 = 50;
/// The most such transactions before other work gets its turn: after an upgrade all documents are indexed.
const MOST_ROUNDS_OF_INDEXING: u32 = 20;
const TEMPLATE_FAULTS_EVERY: Duration = Duration::from_mins(1);
/// How often we check whether the revocation list is old.
const LIST_EVERY: Duration = Duration::from_hours(1);
/// How late owners may be warned that a seal certificate ends.
const SEAL_ENDS_EVERY: Duration = Duration::from_hours(1);

type Job = fn(&App) -> Result<(), Error>;

/// How often, what the log calls it, and the job.
const JOBS: &[(Duration, &str, Job)] = &[
    (EXPIRY_EVERY, "expiring workflows", expire),
    (TIMESTAMPS_EVERY, "adding timestamps", add_timestamps),
    (LIST_EVERY, "renewing the revocation list", renew_list),
    (
        SEAL_ENDS_EVERY,
        "warning of seal certificates that end",
        warn_of_seal_ends,
    ),
    (HISTORY_EVERY, "bounding the history of deliveries", forget),
    (INDEXING_EVERY, "indexing what is searched", index_texts),
    (REMINDERS_EVERY, "reminding writers", remind),
    (
        TEMPLATE_FAULTS_EVERY,
        "keeping faults of mail templates",
        App::keep_template_faults,
    ),
    (
        LOOSE_FILES_EVERY,
        "removing files that nothing needs",
        remove_loose_files,
    ),
    (CHECKPOINTS_EVERY, "writing checkpoints", write_checkpoints),
    (CLEANING_EVERY, "removing what has had its day", clean),
];

pub struct Background(JoinSet<()>);

impl Background {
    /// Waits until everything has ended after the signal.
    pub async fn finished(mut self) {
        while let Some(ended) = self.0.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "background work failed");
            }
        }
    }
}

/// For a process without its own runner: notifies other processes' runners that something may wait in the outbox. Rings
/// during a notification count as one. If a ring is lost with the process, the runners' own looks make up for it.
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
            Ok(Err(error)) => tracing::debug!(%error, "the runners could not be notified; they will look on their own"),
            Err(error) => tracing::error!(%error, "announcing panicked"),
        }
    }
}

/// Starts everything; it ends when `ended` turns true.
pub fn start(
    app: Arc<App>,
    egress: &Egress,
    mail: Option<MailSettings>,
    messengers: Option<Messengers>,
    ended: watch::Receiver<bool>,
) -> Result<Background, Failure> {
    let rules = app.settings.webhook.clone();
    let client = GuardedClient::through(egress, rules, Limits::default(), Arc::new(SystemLookup))
        .map_err(|error| Failure::Other(format!("the webhook client cannot be made: {error}")))?;
    let mailer = mail
        .map(|settings| Mailer::new(&settings))
        .transpose()
        .map_err(|error| Failure::Other(error.to_string()))?;
    // Deliveries that processes without a runner have left in the outbox.
    let bell = app.bell.clone();
    if let Err(error) = app.store.listen(move || bell.ring()) {
        tracing::warn!(%error, "announcements cannot be heard; the runner looks at the outbox on its own");
    }
    let runner = Runner::new(Arc::clone(&app), client, mailer, messengers, RunnerSettings::default());
    let mut work = JoinSet::new();
    let recovering = Arc::clone(&app);
    work.spawn_blocking(move || {
        if let Err(error) = recovering.recover_bulk_starts(node::is_dead) {
            tracing::warn!(%error, "bulk sends of dead processes could not be released; they are taken over later");
        }
    });
    for (period, doing, job) in JOBS {
        work.spawn(every(*period, ended.clone(), Arc::clone(&app), doing, *job));
    }
    // Others take over claims from a node that does not beat, so it beats until both of these have ended.
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
    // An error means that the sender is gone, and with it the server.
    let _ = ended.wait_for(|ended| *ended).await;
}

/// Runs a job again and again until the end.
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

/// One round: the end of the server is asked for between two.
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
        tracing::debug!(removed, "removed files that nothing needed");
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
