//! The backup folder: the installation it belongs to, the processes that use it now, and the files that snapshots
//! share.

use std::collections::{BTreeSet, HashSet};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use domain::BlobHash;
use serde::{Deserialize, Serialize};

use super::manifest::{FORMAT, Snapshot};
use super::{BackupFault, at, durable};

const MARKER: &str = "countersign-backup.json";
const LOCK: &str = "backup.lock";
const FILES: &str = "files";
const SNAPSHOTS: &str = "snapshots";
pub const KEYS: &str = "keys";
/// The prefix of snapshots that are incomplete or being removed.
const UNFINISHED: &str = "unfinished-";
/// The prefix of folders in which a backup is checked.
pub const SCRATCH: &str = "check-";

#[derive(Debug, Serialize, Deserialize)]
struct Marker {
    format: u32,
    installation: String,
}

/// How a process uses the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Exclusive access.
    Write,
    /// Shared with other readers.
    Read,
    /// A short read without a lock, because the files it reads never change.
    Look,
}

/// A backup folder, locked until this is dropped.
#[derive(Debug)]
pub struct Repository {
    root: PathBuf,
    _lock: File,
}

/// Returns a file's relative path as used in `SHA256SUMS`.
pub fn relative(hash: &BlobHash) -> String {
    let name = hash.to_string();
    let folder = name.get(..2).unwrap_or_default();
    format!("{FILES}/{folder}/{name}")
}

impl Repository {
    /// Opens the folder to add backups of an installation. Creates it if it is missing or empty.
    pub fn for_backups_of(root: &Path, installation: &str) -> Result<Repository, BackupFault> {
        durable::create_folder(root)?;
        if !root.join(MARKER).exists() {
            let mut entries = root.read_dir().map_err(at(root))?;
            // Every disk has a `lost+found` in its root, and a folder where another backup has just begun contains a
            // lock.
            let is_foreign = |entry: &std::fs::DirEntry| entry.file_name() != "lost+found" && entry.file_name() != LOCK;
            if entries.any(|entry| entry.as_ref().map_or(true, is_foreign)) {
                return Err(BackupFault::NotABackup(root.to_owned()));
            }
        }
        let lock = lock(root, Use::Write)?;
        if !root.join(MARKER).exists() {
            let marker = Marker {
                format: FORMAT,
                installation: installation.to_owned(),
            };
            let text = serde_json::to_vec(&marker).unwrap_or_default();
            durable::write(&root.join(MARKER), &text)?;
            durable::sync_folder(root)?;
        }
        if read_marker(root)?.installation != installation {
            return Err(BackupFault::OtherInstallation(root.to_owned()));
        }
        let repository = Repository {
            root: root.to_owned(),
            _lock: lock,
        };
        for folder in (0..=u8::MAX).map(|byte| root.join(FILES).join(format!("{byte:02x}"))) {
            durable::create_folder(&folder)?;
        }
        durable::create_folder(&root.join(SNAPSHOTS))?;
        repository.sweep()?;
        Ok(repository)
    }

    /// Opens a folder with backups.
    pub fn open(root: &Path, purpose: Use) -> Result<Repository, BackupFault> {
        if !root.join(MARKER).exists() {
            return Err(BackupFault::NoBackup(root.to_owned()));
        }
        let lock = lock(root, purpose)?;
        read_marker(root)?;
        Ok(Repository {
            root: root.to_owned(),
            _lock: lock,
        })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn file(&self, hash: &BlobHash) -> PathBuf {
        self.root.join(relative(hash))
    }

    /// Adds a file and proves that it is on the disk.
    pub fn put(&self, hash: &BlobHash, bytes: &[u8]) -> Result<(), BackupFault> {
        durable::write(&self.file(hash), bytes)
    }

    /// Makes the names of added files durable.
    pub fn sync_files(&self) -> Result<(), BackupFault> {
        (0..=u8::MAX).try_for_each(|byte| durable::sync_folder(&self.root.join(FILES).join(format!("{byte:02x}"))))
    }

    /// Returns the files in the folder.
    pub fn files(&self) -> Result<HashSet<BlobHash>, BackupFault> {
        let mut found = HashSet::new();
        for byte in 0..=u8::MAX {
            let folder = self.root.join(FILES).join(format!("{byte:02x}"));
            for entry in folder.read_dir().map_err(at(&folder))? {
                let name = entry.map_err(at(&folder))?.file_name();
                found.extend(name.to_str().and_then(BlobHash::parse));
            }
        }
        Ok(found)
    }

    pub fn snapshot_folder(&self, name: &str) -> PathBuf {
        self.root.join(SNAPSHOTS).join(name)
    }

    /// Returns the folder in which a snapshot is made.
    pub fn unfinished(&self, name: &str) -> Result<PathBuf, BackupFault> {
        let folder = self.snapshot_folder(&format!("{UNFINISHED}{name}"));
        durable::create_folder(&folder)?;
        Ok(folder)
    }

    /// Renames a complete snapshot to its final name.
    pub fn finish(&self, name: &str) -> Result<(), BackupFault> {
        let folder = self.snapshot_folder(name);
        std::fs::rename(self.unfinished(name)?, &folder).map_err(at(&folder))?;
        durable::sync_folder(&self.root.join(SNAPSHOTS))
    }

    /// Removes a snapshot but not its files, even if no other snapshot needs them.
    pub fn remove(&self, name: &str) -> Result<(), BackupFault> {
        let aside = self.snapshot_folder(&format!("{UNFINISHED}{name}"));
        std::fs::rename(self.snapshot_folder(name), &aside).map_err(at(&aside))?;
        std::fs::remove_dir_all(&aside).map_err(at(&aside))
    }

    /// Returns the names of the snapshots, oldest first.
    pub fn names(&self) -> Result<Vec<String>, BackupFault> {
        let folder = self.root.join(SNAPSHOTS);
        let mut names = Vec::new();
        for entry in folder.read_dir().map_err(at(&folder))? {
            let entry = entry.map_err(at(&folder))?;
            if let Ok(name) = entry.file_name().into_string()
                && !name.starts_with(UNFINISHED)
                && entry.path().is_dir()
            {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Returns the snapshot with this name, or the latest one.
    pub fn snapshot(&self, name: Option<&str>) -> Result<Snapshot, BackupFault> {
        let names = self.names()?;
        let found = match name {
            Some(name) => names.iter().find(|known| *known == name),
            None => names.last(),
        };
        match (found, name) {
            (Some(found), _) => Snapshot::read(self, found),
            (None, Some(name)) => Err(BackupFault::NoSnapshot {
                folder: self.root.clone(),
                name: name.to_owned(),
            }),
            (None, None) => Err(BackupFault::NoBackup(self.root.clone())),
        }
    }

    /// Returns the path of the master key that a manifest names.
    pub fn key_file(&self, keys: Option<&Path>, key: &str) -> PathBuf {
        let folder = keys.map_or_else(|| self.root.join(KEYS), Path::to_owned);
        folder.join(format!("master-{key}.key"))
    }

    /// Removes files that no snapshot names. Returns their number and total size in bytes.
    pub fn remove_unneeded(&self, needed: &BTreeSet<BlobHash>) -> Result<(u64, u64), BackupFault> {
        let (mut removed, mut bytes) = (0, 0);
        for hash in self.files()?.iter().filter(|hash| !needed.contains(*hash)) {
            let path = self.file(hash);
            bytes += path.metadata().map_or(0, |found| found.len());
            std::fs::remove_file(&path).map_err(at(&path))?;
            removed += 1;
        }
        Ok((removed, bytes))
    }

    /// Removes what killed processes left behind.
    fn sweep(&self) -> Result<(), BackupFault> {
        let snapshots = self.root.join(SNAPSHOTS);
        for (folder, prefix) in [(&snapshots, UNFINISHED), (&self.root, SCRATCH)] {
            for entry in folder.read_dir().map_err(at(folder))? {
                let entry = entry.map_err(at(folder))?;
                let name = entry.file_name();
                if name.to_string_lossy().starts_with(prefix) && entry.path().is_dir() {
                    std::fs::remove_dir_all(entry.path()).map_err(at(&entry.path()))?;
                }
            }
        }
        for byte in 0..=u8::MAX {
            let folder = self.root.join(FILES).join(format!("{byte:02x}"));
            for entry in folder.read_dir().map_err(at(&folder))? {
                let path = entry.map_err(at(&folder))?.path();
                if path.to_string_lossy().ends_with(durable::DRAFT) {
                    std::fs::remove_file(&path).map_err(at(&path))?;
                }
            }
        }
        Ok(())
    }
}

fn read_marker(root: &Path) -> Result<Marker, BackupFault> {
    let path = root.join(MARKER);
    let bytes = std::fs::read(&path).map_err(at(&path))?;
    let marker: Marker = serde_json::from_slice(&bytes).map_err(|_| BackupFault::Damaged {
        path: path.clone(),
        reason: "is damaged".to_owned(),
    })?;
    if marker.format == FORMAT {
        Ok(marker)
    } else {
        Err(BackupFault::Newer(path))
    }
}

fn lock(root: &Path, purpose: Use) -> Result<File, BackupFault> {
    let path = root.join(LOCK);
    // A backup on a read-only disk can still be read.
    let opened = match purpose {
        Use::Write => durable::lock_file(&path),
        Use::Read | Use::Look => File::open(&path).or_else(|_| durable::lock_file(&path)),
    };
    let file = opened.map_err(at(&path))?;
    let locked = match purpose {
        Use::Write => file.try_lock(),
        Use::Read => file.try_lock_shared(),
        Use::Look => return Ok(file),
    };
    match locked {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(BackupFault::Busy(root.to_owned())),
        Err(TryLockError::Error(source)) => Err(at(&path)(source)),
    }
}
