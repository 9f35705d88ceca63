//! Backups: a folder with one database copy for each backup, and files that all of them share.
//!
//! ```text
//! DIR/countersign-backup.json        of which installation
//! DIR/files/ab/abcdef…               files by their hash, as in the file store
//! DIR/snapshots/TIME/database.…      SQLite's file, or what pg_dump wrote
//! DIR/snapshots/TIME/manifest.json   what it is
//! DIR/snapshots/TIME/SHA256SUMS      every file that belongs to it; `sha256sum -c` reads it from DIR
//! DIR/keys/master-….key              unless --keys names another folder
//! ```
//!
//! **Guarantees.** A snapshot has its name only once it is whole, durable and read back. A file has its name only once its
//! content was read back from the disk. What is missing or damaged in the installation itself is named in the manifest.
//! See docs/adr/0040.

use std::io;
use std::path::{Path, PathBuf};

pub mod check;
pub mod database;
pub mod durable;
pub mod manifest;
mod programs;
pub mod prune;
pub mod repository;
pub mod restore;
pub mod take;

/// The reasons why a backup cannot be made, read or restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupFault {
    #[error("{path}: {source}")]
    File { path: PathBuf, source: io::Error },
    #[error(
        "the disk of {path} is full or cannot be written ({source}); free space (`countersign backup prune`) and run the \
         command again: it goes on where it was"
    )]
    Full { path: PathBuf, source: io::Error },
    #[error("{backup} and {data} overlap; choose a folder outside the installation, preferably on another machine")]
    Inside { backup: PathBuf, data: PathBuf },
    #[error("{0} is not empty and contains no backup; choose an empty folder, or one that contains backups")]
    NotABackup(PathBuf),
    #[error("there is no backup in {0}; run `countersign backup {0}` to make one")]
    NoBackup(PathBuf),
    #[error("there is no backup {name} in {folder}; run `countersign backup list {folder}` to see the backups")]
    NoSnapshot { folder: PathBuf, name: String },
    #[error("{0} contains backups of another installation; use a separate folder for each installation")]
    OtherInstallation(PathBuf),
    #[error("{0} was written by a newer version of countersign; use that version")]
    Newer(PathBuf),
    #[error("another `countersign backup` is working on {0}; wait until it has finished")]
    Busy(PathBuf),
    #[error("{path} {reason}")]
    Damaged { path: PathBuf, reason: String },
    #[error("{path} was written, but its content differs when read back, so the disk is damaged; use another disk")]
    NotReadBack { path: PathBuf },
    #[error(
        "the database has schema {found}, and this program has {expected}; back up with the program that runs the server, \
         or stop the server and run `countersign migrate`"
    )]
    Schema { found: i64, expected: i64 },
    #[error(
        "the backup has schema version {found}, but this program only supports up to {known}; restore it with countersign {program} or later"
    )]
    NewerSchema { found: i64, known: i64, program: String },
    #[error("this is a backup of {found}, but the settings name {configured}; {remedy}")]
    OtherDatabase {
        found: &'static str,
        configured: String,
        remedy: &'static str,
    },
    #[error(
        "{what} contains data already; restore into an empty installation: another --data folder, and for PostgreSQL an empty database"
    )]
    NotEmpty { what: String },
    #[error("{0} contains an unfinished restore of another backup; empty the folder first")]
    OtherRestore(PathBuf),
    #[error("the master key {0} is missing; pass its folder with --keys FOLDER")]
    NoKey(PathBuf),
    #[error(
        "{program} is not installed; install the PostgreSQL client programs, version {needed} or later (on Debian: `apt install postgresql-client-{needed}`)"
    )]
    NoProgram { program: &'static str, needed: u64 },
    #[error(
        "{program} {found} is too old; install version {needed} or later (on Debian: `apt install postgresql-client-{needed}`)"
    )]
    OldProgram {
        program: &'static str,
        found: u64,
        needed: u64,
    },
    #[error("{program} failed: {said}")]
    Program { program: &'static str, said: String },
    #[error(
        "no scratch database can be made: {0}; let the role make databases (ALTER ROLE … CREATEDB), or check the backup with \
         database.url of another server"
    )]
    NoScratch(String),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Blobs(#[from] blobs::Error),
    #[error(transparent)]
    Open(#[from] crate::opened::OpenFault),
    #[error(transparent)]
    App(#[from] app::Error),
}

impl From<app::VaultError> for BackupFault {
    fn from(error: app::VaultError) -> BackupFault {
        BackupFault::Open(error.into())
    }
}

impl From<crate::configuration::ConfigurationFault> for BackupFault {
    fn from(error: crate::configuration::ConfigurationFault) -> BackupFault {
        BackupFault::Open(error.into())
    }
}

/// Returns the error for a file or folder that the operating system refuses.
pub fn at(path: &Path) -> impl FnOnce(io::Error) -> BackupFault {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let path = path.to_owned();
    move |source| match source.kind() {
        StorageFull | QuotaExceeded | ReadOnlyFilesystem => BackupFault::Full { path, source },
        _ => BackupFault::File { path, source },
    }
}

/// Reports progress on standard error, for people.
#[derive(Debug)]
pub struct Progress {
    is_quiet: bool,
    last: std::time::Instant,
}

/// The pause between two lines about the same stage.
const EVERY: std::time::Duration = std::time::Duration::from_secs(5);

impl Progress {
    pub fn new(is_quiet: bool) -> Progress {
        Progress {
            is_quiet,
            last: std::time::Instant::now(),
        }
    }

    /// Starts the next stage of the work.
    pub fn stage(&mut self, text: &str) {
        self.last = std::time::Instant::now();
        crate::output::remark(self.is_quiet, text);
    }

    /// Reports from time to time how much of the stage is done.
    pub fn step(&mut self, done: usize, of: usize) {
        if self.last.elapsed() >= EVERY {
            self.stage(&format!("  {done} of {of}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_named_with_its_remedy() {
        let fault = |kind: io::ErrorKind| at(Path::new("/backup/files"))(kind.into()).to_string();
        let full = fault(io::ErrorKind::StorageFull);
        assert!(
            full.contains("/backup/files is full") && full.contains("countersign backup prune"),
            "{full}"
        );
        assert!(!fault(io::ErrorKind::PermissionDenied).contains("full"));
    }
}
