//! The copy of the database at one moment, and the files that it names.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use domain::BlobHash;
use store::{Settings, Store};

use super::manifest::{DatabaseKind, Snapshot};
use super::programs::Programs;
use super::{BackupFault, at, durable};

/// How to copy the database named in the settings.
pub enum Copier {
    Sqlite(PathBuf),
    Postgres {
        store: Store,
        programs: Programs,
        /// The version of `pg_dump`.
        version: u64,
    },
}

impl Copier {
    pub fn new(store: &Store, settings: &Settings) -> Result<Copier, BackupFault> {
        match settings {
            Settings::Sqlite { path } => Ok(Copier::Sqlite(path.clone())),
            Settings::Postgres { .. } => {
                let programs = Programs::of(settings)?;
                let server = store.read(store::backup::server_version)?;
                let version = programs.version("pg_dump", server)?;
                programs.version("pg_restore", version)?;
                Ok(Copier::Postgres {
                    store: store.clone(),
                    programs,
                    version,
                })
            }
        }
    }

    pub fn kind(&self) -> DatabaseKind {
        match self {
            Copier::Sqlite(_) => DatabaseKind::Sqlite,
            Copier::Postgres { .. } => DatabaseKind::Postgres,
        }
    }

    pub fn pg_dump(&self) -> Option<u64> {
        match self {
            Copier::Sqlite(_) => None,
            Copier::Postgres { version, .. } => Some(*version),
        }
    }

    /// Copies the current database into a file. Returns the files that the copy names.
    pub fn copy(&self, to: &Path) -> Result<BTreeSet<BlobHash>, BackupFault> {
        match self {
            Copier::Sqlite(from) => copy_sqlite(from, to),
            Copier::Postgres { store, programs, .. } => {
                let (programs, to) = (programs.clone(), to.to_owned());
                let archive = to.clone();
                let named = store.read(move |tx| {
                    let snapshot = store::backup::export_snapshot(tx)?;
                    let mut arguments: Vec<OsString> = ["--format=custom", "--no-password"].map(OsString::from).into();
                    arguments.push(format!("--snapshot={snapshot}").into());
                    arguments.push("--file".into());
                    arguments.push(to.clone().into());
                    programs.run("pg_dump", &arguments)?;
                    Ok::<_, BackupFault>(store::backup::named_files(tx)?)
                })?;
                self.read_back(&archive)?;
                Ok(named)
            }
        }
    }

    /// Reads the whole archive, as a restore would.
    fn read_back(&self, archive: &Path) -> Result<(), BackupFault> {
        let Copier::Postgres { programs, .. } = self else {
            return Ok(());
        };
        let to = OsString::from("--file=/dev/null");
        programs.run("pg_restore", &[to, archive.into()])
    }
}

fn copy_sqlite(from: &Path, to: &Path) -> Result<BTreeSet<BlobHash>, BackupFault> {
    remove_sqlite(to)?;
    Store::copy_sqlite(from, to)?;
    let copy = Store::open(&Settings::Sqlite { path: to.to_owned() })?;
    let named = copy.read(store::backup::named_files)?;
    close_sqlite(copy, to)?;
    Ok(named)
}

/// Closes a database so that its one file contains everything.
pub fn close_sqlite(store: Store, path: &Path) -> Result<(), BackupFault> {
    store.leave_no_traces()?;
    drop(store);
    remove_beside(path, &["-wal", "-shm"])
}

/// Removes the database of an earlier attempt.
pub fn remove_sqlite(path: &Path) -> Result<(), BackupFault> {
    remove_beside(path, &["", "-wal", "-shm"])
}

fn remove_beside(path: &Path, ends: &[&str]) -> Result<(), BackupFault> {
    for end in ends {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        match std::fs::remove_file(&name) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(at(Path::new(&name))(error)),
        }
    }
    Ok(())
}

/// Copies a snapshot's SQLite database to a new place.
pub fn bring_sqlite(snapshot: &Snapshot, to: &Path) -> Result<(), BackupFault> {
    let from = snapshot.database_file();
    remove_sqlite(to)?;
    std::fs::copy(&from, to).map_err(at(to))?;
    if durable::settle(to)?.0 != snapshot.database {
        return Err(BackupFault::Damaged {
            path: from,
            reason: "is damaged: its content differs from what was backed up".to_owned(),
        });
    }
    Ok(())
}

/// Restores a snapshot's archive into the empty PostgreSQL database of the settings, completely or not at all.
pub fn bring_postgres(snapshot: &Snapshot, settings: &Settings) -> Result<(), BackupFault> {
    let programs = Programs::of(settings)?;
    let archive = snapshot.database_file();
    programs.version("pg_restore", snapshot.manifest.pg_dump.unwrap_or_default())?;
    if durable::hash_of(&archive).map_err(at(&archive))?.0 != snapshot.database {
        return Err(BackupFault::Damaged {
            path: archive,
            reason: "is damaged: its content differs from what was backed up".to_owned(),
        });
    }
    let mut arguments: Vec<OsString> = [
        "--single-transaction",
        "--exit-on-error",
        "--no-owner",
        "--no-privileges",
        "--no-password",
    ]
    .map(OsString::from)
    .into();
    arguments.push(format!("--dbname={}", programs.database()).into());
    arguments.push(archive.into());
    programs.run("pg_restore", &arguments)
}

/// A database that exists only while a backup is checked.
pub struct ScratchDatabase {
    programs: Programs,
    pub name: String,
}

impl ScratchDatabase {
    pub fn create(settings: &Settings) -> Result<ScratchDatabase, BackupFault> {
        let programs = Programs::of(settings)?;
        let nanoseconds = jiff::Timestamp::now().as_nanosecond();
        let name = format!("countersign_check_{}_{nanoseconds}", std::process::id());
        let beside = format!("--maintenance-db={}", programs.database());
        match programs.run("createdb", &["--no-password", "--template=template0", &beside, &name]) {
            Ok(()) => Ok(ScratchDatabase { programs, name }),
            Err(BackupFault::Program { said, .. }) => Err(BackupFault::NoScratch(said)),
            Err(fault) => Err(fault),
        }
    }
}

impl Drop for ScratchDatabase {
    fn drop(&mut self) {
        let beside = format!("--maintenance-db={}", self.programs.database());
        if let Err(fault) = self.programs.run(
            "dropdb",
            &["--no-password", "--if-exists", "--force", &beside, &self.name],
        ) {
            tracing::warn!(%fault, database = self.name, "a temporary database could not be removed");
        }
    }
}
