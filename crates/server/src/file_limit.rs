//! The number of files this process may open, and how many of them connections may use.
//!
//! A connection is an open file, and so is everything needed to answer one: the database, stored documents, the pipes
//! of document workers, calls to other servers. If connections used them all, we would accept requests that we cannot
//! answer. So we raise the system's limit as far as possible, and reserve what the rest needs.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// We never ask for more, because programs that a token's module starts may close every descriptor up to the limit.
const HIGHEST: u64 = 65_536;
/// More connections than this cost more memory than they are worth.
const MOST_CONNECTIONS: u64 = 4_096;
/// For the log, listening sockets, the runtime's own files, name lookups and a token's module.
const OWN: u64 = 128;
/// A connection to PostgreSQL needs a socket and its runtime. One to SQLite needs the file, its log and an index.
const OF_DATABASE_CONNECTION: u64 = 4;
/// Pipes for input, output and errors, with both ends open during the start.
const OF_WORKER: u64 = 8;
/// One stored file to read and one to write.
const OF_REQUEST: u64 = 2;
/// A call to another server, and a connection kept for the next one.
const OF_DELIVERY: u64 = 2;

/// The number of files that are open in addition to connections, by use.
#[derive(Debug, Clone, Copy)]
pub struct Needs {
    pub database_connections: usize,
    pub document_workers: usize,
    pub concurrent_requests: usize,
    pub deliveries: usize,
}

/// The number of files that may be open, and their use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLimit {
    /// The number of files that may be open.
    pub files: u64,
    /// The number of files reserved for everything except connections.
    pub reserved: u64,
}

impl Needs {
    fn files(self) -> u64 {
        [
            (self.database_connections, OF_DATABASE_CONNECTION),
            (self.document_workers, OF_WORKER),
            (self.concurrent_requests, OF_REQUEST),
            (self.deliveries, OF_DELIVERY),
        ]
        .into_iter()
        .map(|(count, each)| u64::try_from(count).unwrap_or(u64::MAX).saturating_mul(each))
        .fold(OWN, u64::saturating_add)
    }
}

impl FileLimit {
    /// Raises this process's limit as far as the system allows.
    pub fn raise(needs: Needs) -> FileLimit {
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let raised = attainable(current, maximum);
        let wanted = Rlimit {
            current: Some(raised),
            maximum,
        };
        let files = match setrlimit(Resource::Nofile, wanted) {
            Ok(()) => raised,
            Err(error) => {
                tracing::debug!(%error, "the limit of open files could not be raised");
                current.unwrap_or(raised)
            }
        };
        FileLimit {
            files,
            reserved: needs.files(),
        }
    }

    /// Returns the limit that a server could reach if it started with this process's limits.
    pub fn attainable(needs: Needs) -> FileLimit {
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        FileLimit {
            files: attainable(current, maximum),
            reserved: needs.files(),
        }
    }

    /// Returns how many connections may be open. If there are not enough files for everything, a quarter of them.
    pub fn connections(self) -> usize {
        let left = self.files.saturating_sub(self.reserved).max(self.files / 4);
        usize::try_from(left.clamp(1, MOST_CONNECTIONS)).unwrap_or(1)
    }

    /// Whether everything else may run out of files while all connections are in use.
    pub fn is_too_low(self) -> bool {
        self.files < self.reserved.saturating_add(self.files / 4)
    }
}

/// A limit that is already above [`HIGHEST`] stays. `None` means unlimited.
fn attainable(current: Option<u64>, maximum: Option<u64>) -> u64 {
    let highest = maximum.unwrap_or(HIGHEST).min(HIGHEST);
    current.unwrap_or(HIGHEST).max(highest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEEDS: Needs = Needs {
        database_connections: 8,
        document_workers: 2,
        concurrent_requests: 64,
        deliveries: 200,
    };

    #[test]
    fn connections_leave_what_the_rest_needs_and_of_too_little_three_quarters() {
        let reserved = NEEDS.files();
        for (files, connections, is_too_low) in [
            (65_536, 4_096, false),
            (4_096, 4_096 - reserved, false),
            (1_024, 1_024 - reserved, false),
            (256, 64, true),
            (1, 1, true),
        ] {
            let limit = FileLimit { files, reserved };
            assert_eq!(limit.connections() as u64, connections, "{files}");
            assert_eq!(limit.is_too_low(), is_too_low, "{files}");
        }
    }

    #[test]
    fn the_limit_is_raised_to_what_the_system_allows_and_never_lowered() {
        for (current, maximum, raised) in [
            (Some(1_024), Some(4_096), 4_096),
            (Some(1_024), Some(1_048_576), HIGHEST),
            (Some(1_024), None, HIGHEST),
            (Some(100_000), Some(1_048_576), 100_000),
            (None, None, HIGHEST),
        ] {
            assert_eq!(attainable(current, maximum), raised, "{current:?} {maximum:?}");
        }
    }
}
