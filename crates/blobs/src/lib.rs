//! Content-addressed files: named by their SHA-256, durable when [`Blobs::put`] returns.
//!
//! **Actors.** Use-cases put a file before the transaction that refers to it, so no row ever names a missing file. A
//! failure between the two leaves an unreferenced file. A row written before the put lets a job find and remove it.
//! `fsck` finds all such files with [`Blobs::list`] and removes them once they are old enough.
//!
//! **Guarantees.** When `put` returns, content, name and folders are on disk; putting the same bytes twice gives one
//! file. `get` never returns bytes whose hash is not their name.
//!
//! **How.** `object_store` does the work, currently in a local folder: `ab/abcdef…` by the first byte of the hash. It
//! first writes `abcdef…#1` next to the final name; [`Blobs::sweep_unfinished`] removes what a killed process leaves
//! under such a name. `object_store` is asynchronous; this interface blocks, with a small runtime of its own, for
//! callers on a blocking thread (never from an async task).

mod linked;
mod named;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use domain::BlobHash;
use failpoint::Place;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Location;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload};
use tokio::runtime::Runtime;

/// The file that [`Blobs::probe`] writes. It is not a valid file name here, so no listing contains it.
const PROBE: &str = "probe";
/// As large as a small document.
const PROBE_BYTES: usize = 256 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the file store at {path} cannot be opened: {source}; check that it exists and is writable")]
    Open { path: PathBuf, source: std::io::Error },
    /// We cannot see whether the file exists.
    #[error("the file {path} cannot be accessed: {source}; check the file store's permissions and disk")]
    Look { path: PathBuf, source: std::io::Error },
    /// The disk is full or cannot be written.
    #[error("the file store cannot write: {0}; make room on its disk, or make it writable")]
    Full(#[source] object_store::Error),
    /// Any other error of the store.
    #[error("the file store failed: {0}; check its free space and permissions")]
    Store(#[source] object_store::Error),
    #[error("the file {0} is missing; restore it from a backup")]
    Missing(BlobHash),
    /// The file's content does not match its name.
    #[error("the file {0} is damaged; restore it from a backup")]
    Damaged(BlobHash),
}

impl From<object_store::Error> for Error {
    fn from(error: object_store::Error) -> Error {
        let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
        while let Some(inner) = cause {
            if let Some(system) = inner.downcast_ref::<std::io::Error>()
                && is_full(system)
            {
                return Error::Full(error);
            }
            cause = inner.source();
        }
        Error::Store(error)
    }
}

/// Whether the system reports that the disk is full or cannot be written.
fn is_full(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | ReadOnlyFilesystem)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    pub hash: BlobHash,
    /// In bytes.
    pub length: u64,
    pub written: SystemTime,
}

/// The result of removing a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    Removed,
    /// The file did not exist.
    Absent,
    /// The file was written too recently.
    Young,
}

/// Makes the names of files that we set aside unique within this process.
static ASIDE: AtomicU64 = AtomicU64::new(0);

/// Files by their content. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Blobs {
    folder: Arc<Path>,
    store: Arc<dyn ObjectStore>,
    runtime: Arc<Runtime>,
}

impl Blobs {
    /// Files in a folder of this machine, created if it does not exist.
    pub fn local(folder: impl AsRef<Path>) -> Result<Blobs, Error> {
        let folder = folder.as_ref();
        let cannot_open = |source| Error::Open {
            path: folder.to_owned(),
            source,
        };
        create_folders(folder).map_err(cannot_open)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("blobs")
            .build()
            .map_err(cannot_open)?;
        Ok(Blobs {
            folder: Arc::from(folder),
            store: Arc::new(LocalFileSystem::new_with_prefix(folder)?.with_fsync(true)),
            runtime: Arc::new(runtime),
        })
    }

    /// Stores bytes; the same bytes twice are one file. We write even if the file exists: another thread may be putting
    /// it right now, when it has its name but is not durable yet, and writing again repairs a file that the disk has
    /// damaged.
    pub fn put(&self, bytes: &[u8]) -> Result<BlobHash, Error> {
        let hash = BlobHash::of(bytes);
        let payload = PutPayload::from(bytes.to_vec());
        failpoint::reach(Place::BeforeFile);
        self.runtime.block_on(self.store.put(&location(&hash), payload))?;
        failpoint::reach(Place::AfterFile);
        Ok(hash)
    }

    /// Writes a small file durably and removes it again, to check that the disk has room.
    pub fn probe(&self) -> Result<(), Error> {
        let location = Location::from(PROBE);
        let payload = PutPayload::from(vec![0; PROBE_BYTES]);
        self.runtime.block_on(async {
            let written = self.store.put(&location, payload).await;
            // Also remove a file that could only be written in part.
            let removed = self.store.delete(&location).await;
            written?;
            removed
        })?;
        Ok(())
    }

    /// The bytes, checked against the hash.
    pub fn get(&self, hash: &BlobHash) -> Result<Vec<u8>, Error> {
        let found = self.runtime.block_on(async {
            let found = self.store.get(&location(hash)).await?;
            found.bytes().await
        });
        let bytes = found.map_err(|error| named(error, hash))?;
        if BlobHash::of(&bytes) == *hash {
            Ok(bytes.into())
        } else {
            Err(Error::Damaged(*hash))
        }
    }

    /// Does not look at the content. Every start of a workflow calls this, so it asks the folder directly, without the
    /// two thread switches of the store's own method.
    pub fn exists(&self, hash: &BlobHash) -> Result<bool, Error> {
        let path = self.folder.join(location(hash).as_ref());
        match path.metadata() {
            Ok(found) => Ok(found.is_file()),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
            Err(source) => Err(Error::Look { path, source }),
        }
    }

    /// All files. Anything in the folder with another kind of name is not ours and is left out.
    pub fn list(&self) -> Result<Vec<Listed>, Error> {
        let mut listing = self.store.list(None);
        self.runtime.block_on(async {
            let mut files = Vec::new();
            // `poll_fn` uses the stream's own trait, which saves a crate of helpers.
            while let Some(file) = std::future::poll_fn(|context| listing.as_mut().poll_next(context)).await {
                files.extend(listed(&file?));
            }
            Ok(files)
        })
    }

    /// Removes a file that was last written before `time`. It reads the file's time again, because the file may have
    /// been put again after it was listed. Another process may also put it between that check and the removal, so we
    /// first move the file aside in one step, check it there, and put it back if it is young. (A store that is not a
    /// folder must delete on the condition that the file is unchanged.)
    pub fn delete_if_older(&self, hash: &BlobHash, time: SystemTime) -> Result<Removal, Error> {
        let path = self.folder.join(location(hash).as_ref());
        match is_older(&path, time) {
            Ok(true) => {}
            Ok(false) => return Ok(Removal::Young),
            Err(source) => return absent_or(path, source),
        }
        // Named like an unfinished file, so that `sweep_unfinished` also removes what a killed process leaves here.
        let number = ASIDE.fetch_add(1, Ordering::Relaxed);
        let aside = path.with_file_name(format!("{hash}#{}{number:06}", std::process::id()));
        if let Err(source) = std::fs::rename(&path, &aside) {
            return absent_or(path, source);
        }
        let open = |source| Error::Open {
            path: aside.clone(),
            source,
        };
        if is_older(&aside, time).map_err(open)? {
            std::fs::remove_file(&aside).map_err(open)?;
            return Ok(Removal::Removed);
        }
        std::fs::rename(&aside, &path).map_err(open)?;
        Ok(Removal::Young)
    }

    /// Removes what unfinished puts have left, if last written before `time`. Returns how many.
    pub fn sweep_unfinished(&self, time: SystemTime) -> Result<u64, Error> {
        let open = |path: &Path| {
            let path = path.to_owned();
            move |source| Error::Open { path, source }
        };
        let mut swept = 0;
        for first_byte in 0..=u8::MAX {
            let folder = self.folder.join(format!("{first_byte:02x}"));
            for entry in std::fs::read_dir(&folder).map_err(open(&folder))? {
                let entry = entry.map_err(open(&folder))?;
                if !entry.file_name().to_str().is_some_and(is_unfinished) {
                    continue;
                }
                // If it no longer exists, it has become a file in the meantime.
                let written = match entry.metadata().and_then(|metadata| metadata.modified()) {
                    Ok(written) => written,
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                    Err(error) => return Err(open(&entry.path())(error)),
                };
                if written <= time {
                    match std::fs::remove_file(entry.path()) {
                        Ok(()) => swept += 1,
                        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                        Err(error) => return Err(open(&entry.path())(error)),
                    }
                }
            }
        }
        Ok(swept)
    }

    /// Removes a file. A missing file is not an error.
    pub fn delete(&self, hash: &BlobHash) -> Result<(), Error> {
        match self.runtime.block_on(self.store.delete(&location(hash))) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Creates the folder and all its subfolders, so no later put has to create one and wait until it is durable. Files may
/// contain signatures and contracts, so only their owner can open the folders.
fn create_folders(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    for first_byte in 0..=u8::MAX {
        builder.create(folder.join(format!("{first_byte:02x}")))?;
    }
    std::fs::File::open(folder)?.sync_all()
}

fn is_older(path: &Path, time: SystemTime) -> std::io::Result<bool> {
    Ok(path.metadata()?.modified()? <= time)
}

fn absent_or(path: PathBuf, source: std::io::Error) -> Result<Removal, Error> {
    match source.kind() {
        ErrorKind::NotFound => Ok(Removal::Absent),
        _ => Err(Error::Look { path, source }),
    }
}

fn location(hash: &BlobHash) -> Location {
    let name = hash.to_string();
    let shard = name.get(..2).unwrap_or_default();
    Location::from(format!("{shard}/{name}"))
}

/// Whether a name is that of an unfinished file: its hash, `#`, and a number.
fn is_unfinished(name: &str) -> bool {
    name.split_once('#').is_some_and(|(hash, number)| {
        BlobHash::parse(hash).is_some() && !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}

fn listed(file: &ObjectMeta) -> Option<Listed> {
    let hash = BlobHash::parse(file.location.filename()?)?;
    (location(&hash) == file.location).then(|| Listed {
        hash,
        length: file.size,
        written: file.last_modified.into(),
    })
}

fn named(error: object_store::Error, hash: &BlobHash) -> Error {
    match error {
        object_store::Error::NotFound { .. } => Error::Missing(*hash),
        error => Error::Store(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(kind: std::io::ErrorKind) -> Error {
        object_store::Error::Generic {
            store: "LocalFileSystem",
            source: Box::new(std::io::Error::from(kind)),
        }
        .into()
    }

    #[test]
    fn a_full_disk_is_reported_as_one() {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem, StorageFull};
        assert!(matches!(refused(StorageFull), Error::Full(_)));
        assert!(matches!(refused(ReadOnlyFilesystem), Error::Full(_)));
        assert!(matches!(refused(PermissionDenied), Error::Store(_)));
    }

    #[test]
    fn a_probe_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let blobs = Blobs::local(folder.path()).expect("a file store");
        blobs.probe().expect("there is room");
        assert_eq!(blobs.list().expect("a list"), []);
        assert!(!folder.path().join(PROBE).exists());
    }
}
