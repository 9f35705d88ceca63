//! Content-addressed files: named by their SHA-256, durable when [`Blobs::put`] returns.
//!
//! **Actors.** Use-cases put a file before the transaction that refers to it, so that no row ever
//! names a file that is not there. What fails between the two leaves a file that nobody refers to: a
//! row was written before it was put, by which a job finds and removes it. `fsck` finds all such files
//! by [`Blobs::list`] and sweeps them once they are old enough.
//!
//! **Guarantees.** `put` returns when content, name and folders are on the disk; the same bytes
//! twice are one file. `get` never answers bytes whose hash is not their name.
//!
//! **How.** `object_store` does the work, on a local folder now: `ab/abcdef…` by the first byte
//! of the hash, written beside its place as `abcdef…#1` first: what a killed process leaves under
//! such a name [`Blobs::sweep_unfinished`] removes. It is asynchronous inside; the face here is blocking, with a small runtime of its
//! own, for callers that are on a blocking thread anyway (never from an async task).
#![deny(missing_docs)]

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

/// The name of the file that [`Blobs::probe`] writes: no file's, so that no listing has it.
const PROBE: &str = "probe";
/// As long as a small document.
const PROBE_BYTES: usize = 256 * 1024;

/// What can go wrong with files.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder cannot be used.
    #[error("the file store at {path} cannot be opened: {source}; check that it exists and is writable")]
    Open {
        /// Where.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Whether there is a file cannot be seen.
    #[error("the file {path} cannot be looked at: {source}; check the permissions of the file store, and its disk")]
    Look {
        /// Where.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// There is no room for a file, or none may be written.
    #[error("the file store cannot write: {0}; make room on its disk, or make it writable")]
    Full(#[source] object_store::Error),
    /// The store refuses.
    #[error("the file store refuses: {0}; check space and permissions")]
    Store(#[source] object_store::Error),
    /// There is no such file.
    #[error("there is no file {0}; put it back from a backup")]
    Missing(BlobHash),
    /// The file is not what its name says.
    #[error("the file {0} is damaged; put it back from a backup")]
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

/// Whether the system says that there is no room, or that nothing may be written.
fn is_full(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | ReadOnlyFilesystem)
}

/// One file of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub hash: BlobHash,
    /// Its length in bytes.
    pub length: u64,
    /// When it was last written.
    pub written: SystemTime,
}

/// What became of a file that was to be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// It is gone.
    Removed,
    /// There was none.
    Absent,
    /// It was written not long enough ago.
    Young,
}

/// Makes the names of files that are taken aside one process's own.
static ASIDE: AtomicU64 = AtomicU64::new(0);

/// Files by their content. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Blobs {
    folder: Arc<Path>,
    store: Arc<dyn ObjectStore>,
    runtime: Arc<Runtime>,
}

impl Blobs {
    /// Files in a folder of this machine, which is made where it does not exist.
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

    /// Keeps bytes; the same bytes twice are one file. They are written again all the same: a
    /// file that another thread is putting at this moment has its name before it is durable, and
    /// one that the disk has damaged is mended.
    pub fn put(&self, bytes: &[u8]) -> Result<BlobHash, Error> {
        let hash = BlobHash::of(bytes);
        let payload = PutPayload::from(bytes.to_vec());
        failpoint::reach(Place::BeforeFile);
        self.runtime.block_on(self.store.put(&location(&hash), payload))?;
        failpoint::reach(Place::AfterFile);
        Ok(hash)
    }

    /// Writes a small file, which is made durable and removed again: whether there is room.
    pub fn probe(&self) -> Result<(), Error> {
        let location = Location::from(PROBE);
        let payload = PutPayload::from(vec![0; PROBE_BYTES]);
        self.runtime.block_on(async {
            let written = self.store.put(&location, payload).await;
            // What could not be written as a whole is removed as well.
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

    /// Whether there is such a file. Its content is not looked at. Each start asks, so the folder is asked here and now,
    /// without the two changes of thread that the store's own way takes.
    pub fn exists(&self, hash: &BlobHash) -> Result<bool, Error> {
        let path = self.folder.join(location(hash).as_ref());
        match path.metadata() {
            Ok(found) => Ok(found.is_file()),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
            Err(source) => Err(Error::Look { path, source }),
        }
    }

    /// All files. What is in the folder under another kind of name is none of ours, and left out.
    pub fn list(&self) -> Result<Vec<Listed>, Error> {
        let mut listing = self.store.list(None);
        self.runtime.block_on(async {
            let mut files = Vec::new();
            // The stream's own trait, without the crate of helpers around it.
            while let Some(file) = std::future::poll_fn(|context| listing.as_mut().poll_next(context)).await {
                files.extend(listed(&file?));
            }
            Ok(files)
        })
    }

    /// Removes a file that was last written before `time`: its time is read anew, since it may have been put again after it
    /// was listed. It may be put again between that look and its end, too, by any process: so it is first taken out of its
    /// place as one step, looked at there, and put back where it is young. (A store that is no folder must delete under the
    /// condition that the file is still the one that was looked at.)
    pub fn delete_if_older(&self, hash: &BlobHash, time: SystemTime) -> Result<Removal, Error> {
        let path = self.folder.join(location(hash).as_ref());
        match is_older(&path, time) {
            Ok(true) => {}
            Ok(false) => return Ok(Removal::Young),
            Err(source) => return absent_or(path, source),
        }
        // Of the kind of name that a file on its way has, so that what a killed process leaves here is swept with them.
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

    /// Removes what puts that never ended have left, last written before `time`; says how many.
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
                // One that is not there any more has become a file in the meantime.
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

    /// Removes a file. That it is not there is no error.
    pub fn delete(&self, hash: &BlobHash) -> Result<(), Error> {
        match self.runtime.block_on(self.store.delete(&location(hash))) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Makes the folder and all that it will ever have below it, so that no later put has to make one and wait until that is
/// durable too. Files may hold signatures and contracts: the folders are for their owner alone.
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

/// Whether a name is that of a file on its way: its hash, `#`, and a number.
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
    fn a_full_disk_is_told_as_one() {
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
