//! Restores a backup into an empty installation.
//!
//! A marker in the data folder says that a restore is under way. While it exists, no command opens the installation. An
//! interrupted restore continues where it stopped, because each file gets its name only when it is complete, and the
//! database comes last. The marker is removed once the outbox is held, so no server can send anything before that.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use blobs::{Blobs, side_by_side};
use domain::{BlobHash, Clock};
use serde::{Deserialize, Serialize};
use store::held_outbox::{self, Restored};
use store::{Settings, Store};

use super::manifest::{DatabaseKind, Manifest, Snapshot};
use super::repository::Repository;
use super::{BackupFault, Progress, at, database, durable};
use crate::environment::SystemClock;
use crate::opened::{Place, UNFINISHED_RESTORE};

/// How many files are restored between two lines about the progress.
const A_TURN: usize = 256;

/// How files get into the new installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Copy,
    /// As hard links to the same bytes, for a scratch installation. The caller has checked the files.
    Link,
}

/// Describes the restore that is under way.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Mark {
    installation: String,
    snapshot: String,
}

/// Restores a snapshot into the installation at this place. It must be empty or contain the same unfinished restore.
pub fn run(
    place: &Place,
    repository: &Repository,
    snapshot: &Snapshot,
    keys: Option<&Path>,
    how: How,
    progress: &mut Progress,
) -> Result<(), BackupFault> {
    let manifest = &snapshot.manifest;
    let settings = place.configuration.store(&place.data)?;
    fits(manifest, &settings)?;
    let key = key(repository, manifest, keys)?;
    place.make_folder()?;
    let mark = Mark {
        installation: manifest.installation.clone(),
        snapshot: snapshot.name.clone(),
    };
    begin(place, &settings, &mark, &key)?;
    progress.stage("restoring files");
    files(place, repository, snapshot, how, progress)?;
    let path = place.configuration.master_key_file(&place.data);
    if std::fs::read(&path).map_or(true, |kept| kept != key) {
        durable::write(&path, &key)?;
        durable::sync_folder(path.parent().unwrap_or(Path::new(".")))?;
    }
    progress.stage("restoring the database");
    let restored = Restored {
        at: SystemClock.now(),
        backup_of: manifest.taken_at,
    };
    match &settings {
        Settings::Sqlite { path } => sqlite(snapshot, path, restored)?,
        Settings::Postgres { .. } => postgres(snapshot, &settings, restored)?,
    }
    let mark = place.data.join(UNFINISHED_RESTORE);
    std::fs::remove_file(&mark).map_err(at(&mark))?;
    durable::sync_folder(&place.data)
}

/// Checks whether this program with these settings can use the backup.
fn fits(manifest: &Manifest, settings: &Settings) -> Result<(), BackupFault> {
    let known = Store::newest_schema();
    if manifest.schema > known {
        return Err(BackupFault::NewerSchema {
            found: manifest.schema,
            known,
            program: manifest.program.clone(),
        });
    }
    let remedy = match (manifest.database, settings) {
        (DatabaseKind::Sqlite, Settings::Sqlite { .. }) | (DatabaseKind::Postgres, Settings::Postgres { .. }) => {
            return Ok(());
        }
        (DatabaseKind::Sqlite, _) => "remove database.url from the settings",
        (DatabaseKind::Postgres, _) => "set database.url to an empty PostgreSQL database",
    };
    Err(BackupFault::OtherDatabase {
        found: manifest.database.name(),
        configured: settings.to_string(),
        remedy,
    })
}

/// Returns the backup's master key.
pub fn key(repository: &Repository, manifest: &Manifest, keys: Option<&Path>) -> Result<Vec<u8>, BackupFault> {
    let path = repository.key_file(keys, &manifest.key);
    if !path.exists() {
        return Err(BackupFault::NoKey(path));
    }
    let key = std::fs::read(&path).map_err(at(&path))?;
    if super::take::fingerprint(&key) != manifest.key {
        return Err(BackupFault::Damaged {
            path,
            reason: "is not the master key of this backup".to_owned(),
        });
    }
    Ok(key)
}

/// Marks the restore as under way if the place is empty or contains the same restore.
fn begin(place: &Place, settings: &Settings, mark: &Mark, key: &[u8]) -> Result<(), BackupFault> {
    let path = place.data.join(UNFINISHED_RESTORE);
    match std::fs::read(&path) {
        Ok(found) if serde_json::from_slice::<Mark>(&found).is_ok_and(|found| found == *mark) => return Ok(()),
        Ok(_) => return Err(BackupFault::OtherRestore(place.data.clone())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(at(&path)(error)),
    }
    is_empty(place, settings, key)?;
    durable::write(&path, &serde_json::to_vec(mark).unwrap_or_default())?;
    durable::sync_folder(&place.data)
}

fn is_empty(place: &Place, settings: &Settings, key: &[u8]) -> Result<(), BackupFault> {
    let not_empty = |what: String| Err(BackupFault::NotEmpty { what });
    let key_file = place.configuration.master_key_file(&place.data);
    if key_file.exists() && std::fs::read(&key_file).map_err(at(&key_file))? != key {
        return not_empty(key_file.display().to_string());
    }
    match settings {
        Settings::Sqlite { path } if path.exists() => return not_empty(path.display().to_string()),
        Settings::Sqlite { .. } => {}
        Settings::Postgres { .. } => {
            if !Store::open(settings)?.read(store::backup::is_empty)? {
                return not_empty(settings.to_string());
            }
        }
    }
    if place.files_folder().is_none_or(|folder| folder.exists()) {
        let files = place.open_files()?;
        if !files.list()?.is_empty() {
            return not_empty(files.named());
        }
    }
    Ok(())
}

fn files(
    place: &Place,
    repository: &Repository,
    snapshot: &Snapshot,
    how: How,
    progress: &mut Progress,
) -> Result<(), BackupFault> {
    let blobs = place.open_files()?;
    let checkpoints = &snapshot.manifest.checkpoints;
    let of_checkpoints: BTreeSet<&BlobHash> = checkpoints.values().collect();
    let named: Vec<&BlobHash> = snapshot
        .files
        .iter()
        .filter(|hash| !of_checkpoints.contains(hash))
        .collect();
    for (turn, hashes) in named.chunks(A_TURN).enumerate() {
        progress.step(turn * A_TURN, named.len());
        side_by_side(blobs.at_once(), hashes, |hash| file(&blobs, repository, hash, how))?;
    }
    for (name, hash) in checkpoints {
        blobs.put_named(name, &read(repository, hash)?)?;
    }
    Ok(())
}

fn file(blobs: &Blobs, repository: &Repository, hash: &BlobHash, how: How) -> Result<(), BackupFault> {
    if how == How::Link {
        blobs.link(hash, &repository.file(hash))?;
    } else if !blobs.exists(hash)? {
        let bytes = read(repository, hash)?;
        #[expect(clippy::disallowed_methods, reason = "the database that is restored next names it")]
        blobs.put(&bytes)?;
    }
    Ok(())
}

/// Reads a file of the backup and checks that its content is unchanged.
fn read(repository: &Repository, hash: &BlobHash) -> Result<Vec<u8>, BackupFault> {
    let path = repository.file(hash);
    let bytes = std::fs::read(&path).map_err(at(&path))?;
    if BlobHash::of(&bytes) == *hash {
        Ok(bytes)
    } else {
        Err(BackupFault::Damaged {
            path,
            reason: "is damaged: its content differs from what was backed up".to_owned(),
        })
    }
}

/// The file gets its name last, once its outbox is held.
fn sqlite(snapshot: &Snapshot, path: &Path, restored: Restored) -> Result<(), BackupFault> {
    if path.exists() {
        return Ok(());
    }
    let draft = PathBuf::from(format!("{}{}", path.display(), durable::DRAFT));
    database::bring_sqlite(snapshot, &draft)?;
    let store = Store::open(&Settings::Sqlite { path: draft.clone() })?;
    hold(&store, restored)?;
    database::close_sqlite(store, &draft)?;
    durable::settle(&draft)?;
    std::fs::rename(&draft, path).map_err(at(path))?;
    durable::sync_folder(path.parent().unwrap_or(Path::new(".")))
}

fn postgres(snapshot: &Snapshot, settings: &Settings, restored: Restored) -> Result<(), BackupFault> {
    let store = Store::open(settings)?;
    // The restore is one transaction, so either everything is there already, or nothing.
    if store.read(store::backup::is_empty)? {
        database::bring_postgres(snapshot, settings)?;
    }
    hold(&store, restored)
}

fn hold(store: &Store, restored: Restored) -> Result<(), BackupFault> {
    store.migrate()?;
    Ok(store.write(move |tx| held_outbox::hold(tx, restored))?)
}
