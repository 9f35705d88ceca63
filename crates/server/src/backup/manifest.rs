//! The contents of a snapshot: its manifest, and the hashes of its files in the format of `sha256sum`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use domain::BlobHash;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::repository::{Repository, relative};
use super::{BackupFault, at, durable};

/// The format version of a backup. A later format gets another number.
pub const FORMAT: u32 = 1;
pub const SUMS: &str = "SHA256SUMS";
pub const MANIFEST: &str = "manifest.json";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DatabaseKind {
    Sqlite,
    Postgres,
}

impl DatabaseKind {
    pub fn name(self) -> &'static str {
        match self {
            DatabaseKind::Sqlite => "an SQLite database",
            DatabaseKind::Postgres => "a PostgreSQL database",
        }
    }

    /// Returns the copy's name in the snapshot's folder.
    pub fn file(self) -> &'static str {
        match self {
            DatabaseKind::Sqlite => "database.sqlite",
            DatabaseKind::Postgres => "database.pgdump",
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// The version of the program that made the backup.
    pub program: String,
    /// The database's last migration.
    pub schema: i64,
    pub installation: String,
    /// Everything acknowledged before this moment is in the backup.
    pub taken_at: Timestamp,
    pub finished_at: Timestamp,
    pub database: DatabaseKind,
    /// In bytes.
    pub database_length: u64,
    /// The version of `pg_dump`.
    #[serde(default)]
    pub pg_dump: Option<u64>,
    /// The number of files that the database names.
    pub files: u64,
    /// Small files with names of their own, written before `taken_at`.
    pub checkpoints: BTreeMap<String, BlobHash>,
    /// Identifies the master key.
    pub key: String,
    /// Files that were already missing from the installation.
    #[serde(default)]
    pub lost: BTreeSet<BlobHash>,
}

/// A complete backup.
#[derive(Debug)]
pub struct Snapshot {
    pub name: String,
    pub folder: PathBuf,
    pub manifest: Manifest,
    /// The hash of the database's copy.
    pub database: BlobHash,
    /// Hashes of the files, including those of the checkpoints.
    pub files: BTreeSet<BlobHash>,
}

impl Snapshot {
    pub fn database_file(&self) -> PathBuf {
        self.folder.join(self.manifest.database.file())
    }

    /// Reads a snapshot and compares its manifest with the recorded hash.
    pub fn read(repository: &Repository, name: &str) -> Result<Snapshot, BackupFault> {
        let folder = repository.snapshot_folder(name);
        let path = folder.join(SUMS);
        let text = std::fs::read_to_string(&path).map_err(missing_or_at(&path))?;
        let (mut files, mut own) = (BTreeSet::new(), BTreeMap::new());
        for (number, line) in (1..).zip(text.lines()) {
            match read_line(line, name) {
                Some(Listed::File(hash)) => drop(files.insert(hash)),
                Some(Listed::Own(file, hash)) => drop(own.insert(file.to_owned(), hash)),
                None => {
                    return Err(BackupFault::Damaged {
                        path,
                        reason: format!("is damaged: line {number} cannot be read"),
                    });
                }
            }
        }
        let manifest = read_manifest(&folder, own.get(MANIFEST))?;
        let of_checkpoints: BTreeSet<&BlobHash> = manifest.checkpoints.values().collect();
        let expected = manifest.files + of_checkpoints.len() as u64;
        // A checkpoint file never equals a file of the database, because their formats differ.
        let database = own.get(manifest.database.file()).copied();
        match database {
            Some(database) if files.len() as u64 == expected => Ok(Snapshot {
                name: name.to_owned(),
                folder,
                manifest,
                database,
                files,
            }),
            _ => Err(BackupFault::Damaged {
                path,
                reason: format!("is cut short: it lists {} of {expected} files", files.len()),
            }),
        }
    }
}

/// Writes manifest and hashes into a snapshot's folder.
pub fn write(
    folder: &Path,
    name: &str,
    manifest: &Manifest,
    database: BlobHash,
    files: &BTreeSet<BlobHash>,
) -> Result<(), BackupFault> {
    let path = folder.join(MANIFEST);
    let mut text = serde_json::to_string_pretty(manifest).map_err(|error| BackupFault::Damaged {
        path: path.clone(),
        reason: format!("cannot be written: {error}"),
    })?;
    text.push('\n');
    durable::write(&path, text.as_bytes())?;
    let mut sums = String::new();
    for hash in files {
        let _ = writeln!(sums, "{hash}  {}", relative(hash));
    }
    for (file, hash) in [
        (manifest.database.file(), database),
        (MANIFEST, BlobHash::of(text.as_bytes())),
    ] {
        let _ = writeln!(sums, "{hash}  snapshots/{name}/{file}");
    }
    durable::write(&folder.join(SUMS), sums.as_bytes())?;
    durable::sync_folder(folder)
}

enum Listed<'l> {
    File(BlobHash),
    Own(&'l str, BlobHash),
}

fn read_line<'l>(line: &'l str, snapshot: &str) -> Option<Listed<'l>> {
    let (hash, path) = line.split_once("  ")?;
    let hash = BlobHash::parse(hash)?;
    if path == relative(&hash) {
        return Some(Listed::File(hash));
    }
    let file = path
        .strip_prefix("snapshots/")?
        .strip_prefix(snapshot)?
        .strip_prefix('/')?;
    (!file.contains('/')).then_some(Listed::Own(file, hash))
}

fn read_manifest(folder: &Path, expected: Option<&BlobHash>) -> Result<Manifest, BackupFault> {
    let path = folder.join(MANIFEST);
    let bytes = std::fs::read(&path).map_err(missing_or_at(&path))?;
    let damaged = |reason: &str| BackupFault::Damaged {
        path: path.clone(),
        reason: reason.to_owned(),
    };
    if expected != Some(&BlobHash::of(&bytes)) {
        return Err(damaged("is damaged: its content differs from what was written"));
    }
    let value: serde_json::Value =
        serde_json::from_slice(&bytes).map_err(|_| damaged("is damaged: it is not valid JSON"))?;
    if value["format"].as_u64() != Some(FORMAT.into()) {
        return Err(BackupFault::Newer(path));
    }
    serde_json::from_value(value).map_err(|error| damaged(&format!("cannot be read: {error}")))
}

fn missing_or_at(path: &Path) -> impl FnOnce(std::io::Error) -> BackupFault {
    let path = path.to_owned();
    move |error| {
        if error.kind() == std::io::ErrorKind::NotFound {
            BackupFault::Damaged {
                path,
                reason: "is missing".to_owned(),
            }
        } else {
            at(&path)(error)
        }
    }
}
