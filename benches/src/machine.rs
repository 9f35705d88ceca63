//! Measures how busy the machine is during a measurement. Figures from a busy machine mean little, so every table
//! includes this.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Duration of a task, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Took {
    /// In real time.
    pub wall: f64,
    /// Processor time of the thread that did the work. Compare this one on a shared machine.
    pub processor: f64,
}

impl Took {
    pub fn median(samples: &[Self]) -> Self {
        let of = |part: fn(&Self) -> f64| percentile(&mut samples.iter().map(part).collect::<Vec<_>>(), 0.5);
        Self {
            wall: of(|took| took.wall),
            processor: of(|took| took.processor),
        }
    }
}

/// Measures the work of this thread.
pub struct Stopwatch {
    wall: Instant,
    processor: f64,
}

impl Stopwatch {
    pub fn start() -> Self {
        Self {
            wall: Instant::now(),
            processor: processor_ms(),
        }
    }

    pub fn took(&self) -> Took {
        Took {
            wall: self.wall.elapsed().as_secs_f64() * 1e3,
            processor: processor_ms() - self.processor,
        }
    }
}

fn processor_ms() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// The share of processor time that was idle over the next half second, from 0 to 1 (Linux, `/proc/stat`).
pub fn idle_share() -> f64 {
    let before = processor_times();
    sleep(Duration::from_millis(500));
    let after = processor_times();
    let idle = after.0.saturating_sub(before.0) as f64;
    let all = after.1.saturating_sub(before.1) as f64;
    if all == 0.0 { 1.0 } else { idle / all }
}

/// Returns the idle and the total clock ticks since boot.
fn processor_times() -> (u64, u64) {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let ticks: Vec<u64> = stat
        .lines()
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .skip(1)
        .filter_map(|tick| tick.parse().ok())
        .collect();
    let idle = ticks.get(3).copied().unwrap_or(0) + ticks.get(4).copied().unwrap_or(0);
    (idle, ticks.iter().take(8).sum())
}

/// Resident memory of a process, in MB.
pub fn resident_mb(pid: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib: Option<f64> = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse().ok());
    kib.unwrap_or(0.0) * 1024.0 / 1e6
}

/// Proportional resident memory of a process and its children, in MiB. Shared pages are counted once.
pub fn memory_of_tree(pid: u32) -> f64 {
    let mut sum = proportional_kib(pid);
    for child in children(pid) {
        sum += memory_of_tree(child) * 1024.0;
    }
    sum / 1024.0
}

fn proportional_kib(pid: u32) -> f64 {
    fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))
        .unwrap_or_default()
        .lines()
        .find_map(|line| {
            line.strip_prefix("Pss:")?
                .trim()
                .strip_suffix(" kB")?
                .trim()
                .parse()
                .ok()
        })
        .unwrap_or(0.0)
}

fn children(pid: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|list| {
            list.split_whitespace()
                .filter_map(|id| id.parse().ok())
                .collect::<Vec<u32>>()
        })
        .collect()
}

/// Returns the value below which this share of the samples lies. Sorts the samples in place.
pub fn percentile(samples: &mut [f64], share: f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    let index = ((samples.len() as f64 - 1.0) * share).round() as usize;
    samples.get(index).copied().unwrap_or(f64::NAN)
}
