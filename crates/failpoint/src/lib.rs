//! Places at which the kill test ends the process: between two effects whose order a promise rests on.
//!
//! A build with debug assertions reads `COUNTERSIGN_FAILPOINT=PLACE:TIMES` once; where the place is
//! reached for that time, the process gets SIGKILL: no destructor runs, no buffer is written, as with `kill -9` from outside at that very
//! moment. Other builds, those that are shipped, hold none of this: the call is empty.
#![deny(missing_docs)]

/// A place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// All statements of a transaction have run, and it is not committed.
    BeforeCommit,
    /// A transaction is committed, and nobody was told.
    AfterCommit,
    /// A file is about to be written.
    BeforeFile,
    /// A file is durable, and no row names it.
    AfterFile,
    /// A document and its certificate are sealed and durable, and the workflow is not complete.
    Sealed,
    /// A delivery is claimed, and was not sent.
    Claimed,
    /// A receiver has answered, and that is not recorded.
    Answered,
    /// The results of deliveries are recorded.
    Recorded,
}

impl Place {
    /// Every place.
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

    /// Its name in the environment.
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

/// The variable that says where and when.
pub const VARIABLE: &str = "COUNTERSIGN_FAILPOINT";

/// Says that the process has come here; it ends here where it was told to.
#[cfg(not(debug_assertions))]
pub const fn reach(_: Place) {}

/// Says that the process has come here; it ends here where it was told to.
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
                // The signal may take a moment; nothing more happens here.
                std::thread::park();
            }
        }
    }
}
