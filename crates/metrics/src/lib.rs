//! Every metric of the service, with its name and help text.
//!
//! The table below is the only place that creates metrics, so tests can compare it with the dashboard, the alert rules
//! and the documentation. Labels are words from the source, or numbers. Their types accept no text made at run time, so
//! no company, address or name can become a label.
//!
//! Counters and durations are recorded where things happen. The server sets everything else when the metrics are read
//! (`server::watch`).

mod labels;

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

pub use labels::{Build, Cache, Certificate, Check, Delivery, Job, Outcome, Queue, Request, Seal, State, Volume};

/// The prefix of all names.
const PREFIX: &str = "countersign";

/// The media type of [`as_text`].
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A number of seconds, or another fractional value.
pub type Amount = Gauge<f64, AtomicU64>;
/// One gauge for each state of something.
pub type States = Family<State, Gauge>;
/// Histograms of durations, by labels.
pub type Durations<L> = Family<L, Histogram, fn() -> Histogram>;

/// How a metric appears: the suffixes added to its name.
trait Exposed {
    const ENDS: &'static [&'static str];
}

impl Exposed for Counter {
    const ENDS: &'static [&'static str] = &["_total"];
}

impl<N, A> Exposed for Gauge<N, A> {
    const ENDS: &'static [&'static str] = &[""];
}

impl Exposed for Histogram {
    const ENDS: &'static [&'static str] = &["_bucket", "_sum", "_count"];
}

impl<S, M: Exposed, C> Exposed for Family<S, M, C> {
    const ENDS: &'static [&'static str] = M::ENDS;
}

/// Buckets from five milliseconds to a minute, for requests, use cases, seals, deliveries and jobs.
fn durations() -> Histogram {
    Histogram::new([0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0])
}

macro_rules! table {
    ($($field:ident: $kind:ty = $make:expr, $name:literal, $help:literal;)*) => {
        /// All metrics. Each field has the name and help text of its line in the table.
        pub struct Metrics {
            $(pub $field: $kind,)*
        }

        /// Each metric's name without the prefix, its help text, and the suffixes added to its name.
        const TABLE: &[(&str, &str, &[&str])] = &[$(($name, $help, <$kind as Exposed>::ENDS)),*];

        impl Metrics {
            fn registered() -> (Self, Registry) {
                let mut registry = Registry::with_prefix(PREFIX);
                let all = Self { $($field: $make,)* };
                $(registry.register($name, $help, all.$field.clone());)*
                (all, registry)
            }
        }
    };
}

table! {
    build: Family<Build, Gauge> = Family::default(),
        "build_info", "Always 1; the labels contain the version and commit of this process";
    check_ok: Family<Check, Gauge> = Family::default(),
        "check_ok", "1 if this check of /readyz passes, else 0";

    requests: Durations<Request> = Family::new_with_constructor(durations),
        "http_request_duration_seconds", "Duration of requests, by route and status class";
    use_cases: Durations<Outcome> = Family::new_with_constructor(durations),
        "use_case_duration_seconds", "Time requests spent running on a thread, without the wait for it";
    use_case_wait: Histogram = durations(),
        "use_case_wait_seconds", "Time requests spent waiting for a thread";
    use_cases_now: Family<State, Gauge> = Family::default(),
        "use_cases", "Requests that are running on a thread or waiting for one";
    jobs: Durations<Job> = Family::new_with_constructor(durations),
        "job_duration_seconds", "Duration of background jobs";

    outbox_waiting: Family<Queue, Gauge> = Family::default(),
        "outbox_waiting", "Messages in the outbox that are due now or later, counted up to 10000";
    outbox_overdue: Family<Queue, Amount> = Family::default(),
        "outbox_oldest_due_seconds", "Time since the oldest due message in the outbox became due";
    bulk_rows_waiting: Gauge = Gauge::default(),
        "bulk_rows_waiting", "Rows of bulk sends that are waiting to start, counted up to 10000";
    timestamps_due: Gauge = Gauge::default(),
        "timestamps_due", "Sealed documents that are due for a timestamp, counted up to 10000";
    timestamps_overdue: Amount = Gauge::default(),
        "timestamps_oldest_due_seconds", "Time since the oldest of these timestamps became due";
    deliveries: Durations<Delivery> = Family::new_with_constructor(durations),
        "delivery_duration_seconds", "Duration of tries to deliver a webhook, mail or text message, by outcome";

    seals: Durations<Seal> = Family::new_with_constructor(durations),
        "seal_duration_seconds", "Duration of sealing, by level; `none` if no seal was made";
    certificate_days: Family<Certificate, Amount> = Family::default(),
        "certificate_days_left", "Days until a certificate expires, for the 50 that expire first; the number is its key's ID";

    workers: Family<State, Gauge> = Family::default(),
        "document_workers", "Document workers that are busy or idle, and jobs waiting for one";
    workers_replaced: Counter = Counter::default(),
        "document_workers_replaced", "Document workers that were replaced, usually because a job ended them";
    cache: Family<Cache, Counter> = Family::default(),
        "cache_lookups", "Cache lookups, by hit or miss";
    database: Family<State, Gauge> = Family::default(),
        "database_connections", "Database connections in use or free, and callers waiting for one";

    disk_free: Family<Volume, Gauge> = Family::default(),
        "disk_free_bytes", "Free bytes on the disks of the data folder and the file store";
    disk_size: Family<Volume, Gauge> = Family::default(),
        "disk_size_bytes", "Bytes on these disks that the service can use in total";
    readings_failed: Counter = Counter::default(),
        "readings_failed", "Failed readings of the numbers from the database, which then keep their last values";
}

static ALL: LazyLock<(Metrics, Registry)> = LazyLock::new(Metrics::registered);

/// Returns the metrics of this process.
pub fn metrics() -> &'static Metrics {
    &ALL.0
}

/// Returns all metrics in the `OpenMetrics` text format, which Prometheus reads.
pub fn as_text() -> String {
    let mut all = String::new();
    // Writing into a string cannot fail.
    let _ = text::encode(&mut all, &ALL.1);
    all
}

/// Returns the names of all time series, with the prefix.
pub fn names() -> BTreeSet<String> {
    let of_metric = |(name, _, ends): &(&str, &str, &'static [&'static str])| {
        let name = format!("{PREFIX}_{name}");
        ends.iter().map(move |end| format!("{name}{end}"))
    };
    TABLE.iter().flat_map(of_metric).collect()
}

/// Returns the names without prefix and suffixes, with their help texts, for the documentation.
pub fn documented() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.iter().map(|(name, help, _)| (*name, *help))
}

/// Records a duration under these labels.
pub fn took<L>(durations: &Durations<L>, labels: &L, time: Duration)
where
    L: Clone + std::hash::Hash + Eq,
{
    durations.get_or_create(labels).observe(time.as_secs_f64());
}

impl Cache {
    pub fn of(cache: &'static str, was_kept: bool) -> Self {
        Self {
            cache,
            result: if was_kept { "hit" } else { "miss" },
        }
    }
}

/// Counts an activity in progress until it is dropped.
#[derive(Debug)]
pub struct GoingOn(Gauge);

impl GoingOn {
    pub fn begin(gauges: &States, state: &'static str) -> Self {
        let gauge = gauges.get_or_create_owned(&State { state });
        gauge.inc();
        Self(gauge)
    }
}

impl Drop for GoingOn {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_output_belongs_to_a_metric_of_the_table() {
        metrics()
            .cache
            .get_or_create(&Cache {
                cache: "pages",
                result: "hit",
            })
            .inc();
        took(
            &metrics().jobs,
            &Job {
                job: "a job",
                outcome: "done",
            },
            Duration::from_millis(7),
        );
        metrics().timestamps_due.set(3);
        let (text, names) = (as_text(), names());
        let mut lines = 0;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let name = line.split(['{', ' ']).next().unwrap_or_default();
            assert!(names.contains(name), "{line}");
            lines += 1;
        }
        assert!(lines > 10, "{text}");
        assert!(text.contains("countersign_timestamps_due 3\n"), "{text}");
        assert!(text.ends_with("# EOF\n"), "{text}");
    }

    #[test]
    fn what_goes_on_is_counted_until_it_ends() {
        let gauges = Family::default();
        let now = |gauges: &Family<State, Gauge>| gauges.get_or_create(&State { state: "waiting" }).get();
        let (one, two) = (GoingOn::begin(&gauges, "waiting"), GoingOn::begin(&gauges, "waiting"));
        assert_eq!(now(&gauges), 2);
        drop((one, two));
        assert_eq!(now(&gauges), 0);
    }
}
