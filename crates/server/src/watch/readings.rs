//! The numbers that are read when the metrics are requested: queues, workers, connections, disks, certificates.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use app::{App, Error, FreeSpace as _};
use jiff::SignedDuration;
use metrics::{Certificate, Check, Queue, State, Volume, metrics};

use crate::cli::VERSION;
use crate::documents::Workers;
use crate::volumes::Volumes;

/// The maximum age of numbers from the database.
const QUEUES_KEPT: Duration = Duration::from_secs(5);
/// Long, because the certificates of all companies must be read, and their remaining time is counted in days.
const CERTIFICATES_KEPT: Duration = Duration::from_mins(10);
/// Counting stops at this number.
const MOST_COUNTED: u32 = 10_000;
const MOST_CERTIFICATES: usize = 50;
const SECONDS_A_DAY: f64 = 86_400.0;

pub(super) struct Readings {
    app: Arc<App>,
    workers: Arc<Workers>,
    data: PathBuf,
    files: Option<PathBuf>,
    last: Mutex<LastRead>,
}

/// When numbers were last read from the database.
#[derive(Debug, Default)]
struct LastRead {
    queues: Option<Instant>,
    certificates: Option<Instant>,
}

impl Readings {
    pub(super) fn new(app: Arc<App>, workers: Arc<Workers>, data: PathBuf, files: Option<PathBuf>) -> Readings {
        let (version, commit) = release(VERSION);
        metrics()
            .build
            .get_or_create(&metrics::Build { version, commit })
            .set(1);
        Readings {
            app,
            workers,
            data,
            files,
            last: Mutex::default(),
        }
    }

    /// Reads everything that is not recent, unless another thread is doing so. Numbers that need no database come
    /// first.
    pub(super) fn update(&self) {
        let Ok(mut last) = self.last.try_lock() else { return };
        self.read_load();
        read_disk("data", &self.data);
        if let Some(files) = &self.files {
            read_disk("files", files);
        }
        for check in self.app.readiness().checks {
            let labels = Check { check: check.name };
            metrics()
                .check_ok
                .get_or_create(&labels)
                .set(i64::from(check.fault.is_none()));
        }
        again(&mut last.queues, QUEUES_KEPT, || self.read_queues());
        again(&mut last.certificates, CERTIFICATES_KEPT, || self.read_certificates());
    }

    fn read_load(&self) {
        let set = |gauges: &metrics::States, state, count| {
            gauges.get_or_create(&State { state }).set(number(count));
        };
        let load = self.app.store.load();
        set(&metrics().database, "in_use", load.in_use);
        set(&metrics().database, "free", load.free);
        set(&metrics().database, "waiting", load.waiting);
        if let Some(load) = self.workers.load() {
            set(&metrics().workers, "busy", load.busy);
            set(&metrics().workers, "idle", load.idle);
            set(&metrics().workers, "waiting", load.waiting);
            let counted = metrics().workers_replaced.get();
            metrics().workers_replaced.inc_by(load.replaced.saturating_sub(counted));
        }
    }

    fn read_queues(&self) -> Result<(), Error> {
        let queues = self.app.queues(MOST_COUNTED)?;
        for (kind, queue) in [
            ("webhook", queues.webhooks),
            ("mail", queues.mails),
            ("message", queues.messages),
        ] {
            let labels = Queue { kind };
            metrics()
                .outbox_waiting
                .get_or_create(&labels)
                .set(i64::from(queue.waiting));
            metrics()
                .outbox_overdue
                .get_or_create(&labels)
                .set(seconds(queue.overdue));
        }
        metrics().bulk_rows_waiting.set(i64::from(queues.bulk_rows));
        metrics().timestamps_due.set(i64::from(queues.timestamps));
        metrics().timestamps_overdue.set(seconds(queues.timestamps_overdue));
        Ok(())
    }

    fn read_certificates(&self) -> Result<(), Error> {
        let ends = self.app.certificate_ends(MOST_CERTIFICATES)?;
        let now = self.app.now();
        metrics().certificate_days.clear();
        for end in ends {
            let labels = Certificate {
                certificate: end.key,
                of: if end.key == 0 { "root" } else { "seal" },
            };
            let days = seconds(end.at.duration_since(now)) / SECONDS_A_DAY;
            metrics().certificate_days.get_or_create(&labels).set(days);
        }
        Ok(())
    }
}

fn read_disk(volume: &'static str, folder: &Path) {
    for space in Volumes::of([folder.to_owned()]).spaces() {
        let bytes = |bytes| i64::try_from(bytes).unwrap_or(i64::MAX);
        metrics()
            .disk_free
            .get_or_create(&Volume { volume })
            .set(bytes(space.free));
        metrics()
            .disk_size
            .get_or_create(&Volume { volume })
            .set(bytes(space.total));
    }
}

/// Reads numbers unless they are recent. If reading fails, the next call tries again.
fn again(last: &mut Option<Instant>, kept: Duration, read: impl FnOnce() -> Result<(), Error>) {
    if last.is_some_and(|at| at.elapsed() < kept) {
        return;
    }
    match read() {
        Ok(()) => *last = Some(Instant::now()),
        Err(error) => {
            metrics().readings_failed.inc();
            tracing::warn!(%error, "the numbers for the metrics could not be read");
        }
    }
}

fn seconds(duration: SignedDuration) -> f64 {
    duration.as_secs_f64()
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Splits `0.1.0 (1a2b3c4d, 2026-11-30)` into version and commit.
fn release(version: &'static str) -> (&'static str, &'static str) {
    let Some((version, rest)) = version.split_once(" (") else {
        return (version, "unknown");
    };
    (version, rest.split(',').next().unwrap_or("unknown"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_names_version_and_commit() {
        assert_eq!(release("0.1.0 (1a2b3c4d, 2026-11-30)"), ("0.1.0", "1a2b3c4d"));
        assert_eq!(release("0.1.0"), ("0.1.0", "unknown"));
    }
}
