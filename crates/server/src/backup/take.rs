//! Makes a backup while the server runs.
//!
//! Files are copied first, because that takes long. The database follows, and then the files that it names and that
//! were added meanwhile. Each file is written before the row that names it (docs/adr/0005). A file named in the copy of
//! the database may have been removed before we reached it, because nothing needed it any more. In that case we copy
//! the database again, and the new copy no longer names the file. Checkpoints are copied before the database, so that
//! the database is never behind them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use app::Vault;
use blobs::{Blobs, side_by_side};
use domain::{BlobHash, Clock};
use jiff::Timestamp;
use serde_json::json;
use store::Store;

use super::database::Copier;
use super::manifest::{self, FORMAT, Manifest};
use super::repository::Repository;
use super::{BackupFault, Progress, at, durable};
use crate::environment::{SystemClock, SystemRandom};
use crate::opened::{OpenFault, Place};

/// The setting that records when the last backup was made.
pub const LAST: &str = "last-backup";
/// The folder of the files that have their own names.
pub const CHECKPOINTS: &str = "checkpoints";
/// How many files are in memory at the same time.
const IN_MEMORY: usize = 8;
/// The limit on copies of the database. Only a lost file is missing from two copies in a row.
const ROUNDS: usize = 4;

#[derive(Debug, Clone)]
pub struct Wish {
    pub folder: PathBuf,
    /// The folder for the master key, if not the backup folder itself.
    pub keys: Option<PathBuf>,
    pub without_key: bool,
    /// Reads files of earlier backups again and replaces damaged ones.
    pub read_all: bool,
}

/// A finished backup.
#[derive(Debug)]
pub struct Made {
    pub name: String,
    pub manifest: Manifest,
    /// The path of the master key, if it was copied.
    pub key: Option<PathBuf>,
    /// The number of files that earlier backups did not contain.
    pub new_files: u64,
    pub new_bytes: u64,
}

/// The source of the copy.
trait Source {
    /// Returns the files that the database names now.
    fn named(&mut self) -> Result<BTreeSet<BlobHash>, BackupFault>;
    fn checkpoints(&mut self) -> Result<BTreeMap<String, Vec<u8>>, BackupFault>;
    /// Copies the database. Returns the files that the copy names.
    fn copy_database(&mut self) -> Result<(Timestamp, BTreeSet<BlobHash>), BackupFault>;
    /// These files in their order; `None` for one that is missing or damaged.
    fn files(&mut self, hashes: &[BlobHash]) -> Result<Vec<Option<Vec<u8>>>, BackupFault>;
}

/// The destination of the copies.
struct Target<'r> {
    repository: &'r Repository,
    present: HashSet<BlobHash>,
    new_files: u64,
    new_bytes: u64,
}

impl Target<'_> {
    fn add(&mut self, hash: &BlobHash, bytes: &[u8]) -> Result<(), BackupFault> {
        if self.present.contains(hash) {
            return Ok(());
        }
        self.repository.put(hash, bytes)?;
        self.present.insert(*hash);
        self.new_files += 1;
        self.new_bytes += bytes.len() as u64;
        Ok(())
    }

    /// Copies these files. Returns those that are missing.
    fn copy(
        &mut self,
        source: &mut dyn Source,
        files: &BTreeSet<BlobHash>,
        progress: &mut Progress,
    ) -> Result<BTreeSet<BlobHash>, BackupFault> {
        let mut absent = BTreeSet::new();
        let missing: Vec<BlobHash> = files
            .iter()
            .filter(|hash| !self.present.contains(*hash))
            .copied()
            .collect();
        for (turn, hashes) in missing.chunks(IN_MEMORY).enumerate() {
            progress.step(turn * IN_MEMORY, missing.len());
            for (hash, found) in hashes.iter().zip(source.files(hashes)?) {
                match found {
                    Some(bytes) => self.add(hash, &bytes)?,
                    None => drop(absent.insert(*hash)),
                }
            }
        }
        Ok(absent)
    }
}

/// A copy of the database and its files.
#[derive(Debug)]
struct Collected {
    taken_at: Timestamp,
    files: BTreeSet<BlobHash>,
    checkpoints: BTreeMap<String, BlobHash>,
    lost: BTreeSet<BlobHash>,
}

fn collect(
    source: &mut dyn Source,
    target: &mut Target<'_>,
    progress: &mut Progress,
) -> Result<Collected, BackupFault> {
    progress.stage("copying files");
    let named = source.named()?;
    target.copy(source, &named, progress)?;
    let mut absent_before = None;
    let mut round = 0;
    loop {
        round += 1;
        let mut checkpoints = BTreeMap::new();
        for (name, bytes) in source.checkpoints()? {
            let hash = BlobHash::of(&bytes);
            target.add(&hash, &bytes)?;
            checkpoints.insert(name, hash);
        }
        progress.stage("copying the database");
        let (taken_at, named) = source.copy_database()?;
        progress.stage("copying files that were added meanwhile");
        let absent = target.copy(source, &named, progress)?;
        if absent.is_empty() || absent_before.as_ref() == Some(&absent) || round == ROUNDS {
            return Ok(Collected {
                taken_at,
                files: named.difference(&absent).copied().collect(),
                checkpoints,
                lost: absent,
            });
        }
        absent_before = Some(absent);
    }
}

pub fn make(place: &Place, wish: &Wish, progress: &mut Progress) -> Result<Made, BackupFault> {
    outside(&wish.folder, &place.data)?;
    if let Some(keys) = &wish.keys {
        outside(keys, &place.data)?;
    }
    let settings = place.configuration.store(&place.data)?;
    let store = place.open_as_is()?;
    let (schema, expected) = (store.read(store::backup::schema)?, Store::newest_schema());
    if schema != expected {
        return Err(BackupFault::Schema {
            found: schema,
            expected,
        });
    }
    let (key, installation) = proved_key(place, &store)?;
    let copier = Copier::new(&store, &settings)?;
    let repository = Repository::for_backups_of(&wish.folder, &installation)?;
    let mut target = Target {
        present: repository.files()?,
        repository: &repository,
        new_files: 0,
        new_bytes: 0,
    };
    if wish.read_all {
        forget_damaged(&mut target, progress)?;
    }
    let name = name_of(SystemClock.now());
    let folder = repository.unfinished(&name)?;
    let mut source = Installation {
        store: store.clone(),
        blobs: place.open_files()?,
        database: folder.join(copier.kind().file()),
        copier,
    };
    let collected = collect(&mut source, &mut target, progress)?;
    repository.sync_files()?;
    let (database, database_length) = durable::settle(&source.database)?;
    let manifest = Manifest {
        format: FORMAT,
        program: crate::cli::VERSION.to_owned(),
        schema,
        installation,
        taken_at: collected.taken_at,
        finished_at: SystemClock.now(),
        database: source.copier.kind(),
        database_length,
        pg_dump: source.copier.pg_dump(),
        files: collected.files.len() as u64,
        checkpoints: collected.checkpoints,
        key: fingerprint(&key),
        lost: collected.lost,
    };
    let mut files = collected.files;
    files.extend(manifest.checkpoints.values());
    manifest::write(&folder, &name, &manifest, database, &files)?;
    let key = if wish.without_key {
        None
    } else {
        let path = repository.key_file(wish.keys.as_deref(), &manifest.key);
        keep_key(&path, &key)?;
        Some(path)
    };
    repository.finish(&name)?;
    note(&store, &manifest, &wish.folder);
    Ok(Made {
        name,
        manifest,
        key,
        new_files: target.new_files,
        new_bytes: target.new_bytes,
    })
}

struct Installation {
    store: Store,
    blobs: Blobs,
    copier: Copier,
    /// The path for the copy of the database.
    database: PathBuf,
}

impl Source for Installation {
    fn named(&mut self) -> Result<BTreeSet<BlobHash>, BackupFault> {
        Ok(self.store.read(store::backup::named_files)?)
    }

    fn checkpoints(&mut self) -> Result<BTreeMap<String, Vec<u8>>, BackupFault> {
        let mut found = BTreeMap::new();
        let (_, companies) = self.blobs.list_named(CHECKPOINTS)?;
        for company in companies {
            // The segments come last, so that every segment a checkpoint names is copied.
            for folder in [
                format!("{CHECKPOINTS}/{company}"),
                format!("{CHECKPOINTS}/{company}/segments"),
            ] {
                for file in self.blobs.list_named(&folder)?.0 {
                    let name = format!("{folder}/{file}");
                    // A missing one was the oldest, which is no longer needed.
                    if let Some(bytes) = self.blobs.get_named(&name)? {
                        found.insert(name, bytes);
                    }
                }
            }
        }
        Ok(found)
    }

    fn copy_database(&mut self) -> Result<(Timestamp, BTreeSet<BlobHash>), BackupFault> {
        let taken_at = SystemClock.now();
        Ok((taken_at, self.copier.copy(&self.database)?))
    }

    fn files(&mut self, hashes: &[BlobHash]) -> Result<Vec<Option<Vec<u8>>>, BackupFault> {
        side_by_side(self.blobs.at_once(), hashes, |hash| match self.blobs.get(hash) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(blobs::Error::Missing(_) | blobs::Error::Damaged(_)) => Ok(None),
            Err(error) => Err(error.into()),
        })
    }
}

/// Returns the master key, after checking that it belongs to the database, and the installation's name.
fn proved_key(place: &Place, store: &Store) -> Result<(Vec<u8>, String), BackupFault> {
    let path = place.configuration.master_key_file(&place.data);
    if !app::installation::is_set_up(store)? {
        return Err(OpenFault::NoInstallation(place.named()).into());
    }
    if !path.exists() {
        return Err(OpenFault::MasterKeyMissing(path).into());
    }
    let vault = Vault::open(&path, Arc::new(SystemRandom))?;
    app::installation::set_up(store, &vault, &SystemClock)?;
    let key = std::fs::read(&path).map_err(at(&path))?;
    let root = app::installation::root_certificate(store)?;
    Ok((key, fingerprint(root.as_bytes())))
}

/// Identifies random bytes without revealing them.
pub fn fingerprint(bytes: &[u8]) -> String {
    let hash = BlobHash::of(bytes).to_string();
    hash.get(..16).unwrap_or_default().to_owned()
}

/// A snapshot's name, which sorts by time and is a valid file name on every system.
fn name_of(at: Timestamp) -> String {
    format!("{at:.3}").replace(':', "-")
}

fn keep_key(path: &Path, key: &[u8]) -> Result<(), BackupFault> {
    if std::fs::read(path).is_ok_and(|kept| kept == key) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    durable::create_folder(folder)?;
    durable::write(path, key)?;
    durable::sync_folder(folder)
}

/// Reads every file of earlier backups. Damaged files are copied again.
fn forget_damaged(target: &mut Target<'_>, progress: &mut Progress) -> Result<(), BackupFault> {
    progress.stage("reading the files of earlier backups");
    let known: Vec<BlobHash> = target.present.iter().copied().collect();
    for (done, hash) in known.iter().enumerate() {
        let path = target.repository.file(hash);
        if durable::hash_of(&path).map_err(at(&path))?.0 != *hash {
            target.present.remove(hash);
        }
        progress.step(done + 1, known.len());
    }
    Ok(())
}

/// Records the backup in the database for `doctor`. The backup is valid even if this fails.
fn note(store: &Store, manifest: &Manifest, folder: &Path) {
    let value = json!({"at": manifest.taken_at, "folder": folder.display().to_string()}).to_string();
    if let Err(error) = store.write(move |tx| store::setting::put(tx, LAST, value.as_bytes())) {
        tracing::warn!(%error, "the backup could not be recorded in the database, so `countersign doctor` will not list it");
    }
}

/// Refuses a folder inside the data folder, and one that contains it.
fn outside(folder: &Path, data: &Path) -> Result<(), BackupFault> {
    let (backup, data) = (resolved(folder).map_err(at(folder))?, resolved(data).map_err(at(data))?);
    if backup.starts_with(&data) || data.starts_with(&backup) {
        return Err(BackupFault::Inside { backup, data });
    }
    Ok(())
}

/// Resolves the links in a path, as far as it exists.
fn resolved(path: &Path) -> std::io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    for above in path.ancestors() {
        if let Ok(known) = above.canonicalize() {
            let rest = path.strip_prefix(above).unwrap_or(Path::new(""));
            return Ok(known.join(rest));
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An installation from which a file is removed during the backup.
    #[derive(Default)]
    struct Changing {
        files: BTreeMap<BlobHash, Vec<u8>>,
        /// The files named by each copy of the database.
        copies: Vec<BTreeSet<BlobHash>>,
        taken: usize,
    }

    impl Source for Changing {
        fn named(&mut self) -> Result<BTreeSet<BlobHash>, BackupFault> {
            Ok(BTreeSet::new())
        }

        fn checkpoints(&mut self) -> Result<BTreeMap<String, Vec<u8>>, BackupFault> {
            Ok(BTreeMap::new())
        }

        fn copy_database(&mut self) -> Result<(Timestamp, BTreeSet<BlobHash>), BackupFault> {
            let named = self.copies[self.taken.min(self.copies.len() - 1)].clone();
            self.taken += 1;
            Ok((Timestamp::UNIX_EPOCH, named))
        }

        fn files(&mut self, hashes: &[BlobHash]) -> Result<Vec<Option<Vec<u8>>>, BackupFault> {
            Ok(hashes.iter().map(|hash| self.files.get(hash).cloned()).collect())
        }
    }

    fn collected(source: &mut Changing) -> Collected {
        let folder = tempfile::tempdir().expect("a folder");
        let repository = Repository::for_backups_of(&folder.path().join("b"), "one").expect("a repository");
        let mut target = Target {
            repository: &repository,
            present: repository.files().expect("no files"),
            new_files: 0,
            new_bytes: 0,
        };
        let collected = collect(source, &mut target, &mut Progress::new(true)).expect("a backup");
        let found: BTreeSet<BlobHash> = repository.files().expect("files").into_iter().collect();
        assert_eq!(found, collected.files);
        collected
    }

    #[test]
    fn a_file_that_was_removed_after_the_database_was_copied_makes_it_be_copied_again() {
        let (kept, removed) = (BlobHash::of(b"kept"), BlobHash::of(b"removed"));
        let mut source = Changing {
            files: [(kept, b"kept".to_vec())].into(),
            copies: vec![[kept, removed].into(), [kept].into()],
            taken: 0,
        };
        let collected = collected(&mut source);
        assert_eq!((source.taken, collected.files), (2, [kept].into()));
        assert!(collected.lost.is_empty());
    }

    #[test]
    fn a_file_that_the_installation_has_lost_is_named_and_the_rest_is_backed_up() {
        let (kept, lost) = (BlobHash::of(b"kept"), BlobHash::of(b"lost"));
        let mut source = Changing {
            files: [(kept, b"kept".to_vec())].into(),
            copies: vec![[kept, lost].into()],
            taken: 0,
        };
        let collected = collected(&mut source);
        assert_eq!(
            (source.taken, collected.files, collected.lost),
            (2, [kept].into(), [lost].into())
        );
    }
}
