//! Places where the kill test ends the process: between two effects whose order a guarantee depends on.
//!
//! A build with debug assertions reads `COUNTERSIGN_FAILPOINT=PLACE:TIMES` once. When the process reaches that place
//! for the TIMES-th time, it gets SIGKILL. No destructor runs and no buffer is flushed, as with an external `kill -9`
//! at that moment. In release builds the call does nothing.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// All statements of a transaction have run, but it is not committed.
    BeforeCommit,
    /// A transaction is committed, but nobody has been notified.
    AfterCommit,
    /// A file is about to be written.
    BeforeFile,
    /// A file is durable, but no row refers to it.
    AfterFile,
    /// A document and its certificate are sealed and durable, but the workflow is not complete.
    Sealed,
    /// A delivery is claimed but not sent.
    Claimed,
    /// An endpoint or server has responded, but the response is not recorded.
    Answered,
    /// The results of deliveries are recorded.
    Recorded,
}

impl Place {
    pub const ALL: [Place; 8] = [
        Place::BeforeCommit,
        Place::AfterCommit,
        Place::BeforeFile,
        Place::AfterFile,
        Place::Sealed,
        Place::Claimed,
        Place::Answered,
        Place::Recorded,
    ];

    /// Returns the name used in the environment variable.
    pub const fn name(self) -> &'static str {
        match self {
            Place::BeforeCommit => "before-commit",
            Place::AfterCommit => "after-commit",
            Place::BeforeFile => "before-file",
            Place::AfterFile => "after-file",
            Place::Sealed => "sealed",
            Place::Claimed => "claimed",
            Place::Answered => "answered",
            Place::Recorded => "recorded",
        }
    }
}

/// The environment variable that sets the place and count.
pub const VARIABLE: &str = "COUNTERSIGN_FAILPOINT";

/// Marks that the process has reached this place, and ends the process if so configured.
#[cfg(not(debug_assertions))]
pub const fn reach(_: Place) {}

/// Marks that the process has reached this place, and ends the process if so configured.
#[cfg(debug_assertions)]
pub fn reach(place: Place) {
    armed::reach(place);
}

#[cfg(debug_assertions)]
mod armed {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU32, Ordering};

    use rustix::process::{Signal, getpid, kill_process};

    use crate::{Place, VARIABLE};

    static ARMED: OnceLock<Option<(String, AtomicU32)>> = OnceLock::new();

    pub fn reach(place: Place) {
        let armed = ARMED.get_or_init(|| {
            let value = std::env::var(VARIABLE).ok()?;
            let (name, times) = value.split_once(':')?;
            Some((name.to_owned(), AtomicU32::new(times.parse().ok()?)))
        });
        let Some((name, left)) = armed else { return };
        if name == place.name() && left.fetch_sub(1, Ordering::SeqCst) == 1 {
            while kill_process(getpid(), Signal::KILL).is_ok() {
                // Wait here, because the signal may take a moment to arrive.
                std::thread::park();
            }
        }
    }
}
