//! Content-addressed files: named by their SHA-256, durable when [`Blobs::put`] returns.
//!
//! **Actors.** Use-cases put a file before the transaction that refers to it, so no row ever names a missing file. A
//! failure between the two leaves an unreferenced file. A row written before the put lets a job find and remove it.
//! `fsck` finds all such files with [`Blobs::list`] and removes them once they are old enough.
//!
//! **Guarantees.** When `put` returns, content, name and folders are on disk; putting the same bytes twice gives one
//! file. `get` never returns bytes whose hash is not their name.
//!
//! **How.** `object_store` does the work, in a folder of this machine ([`folder`]) or in a bucket of an S3 service
//! ([`bucket`]): `ab/abcdef…` by the first byte of the hash. `object_store` is asynchronous; this interface blocks, with
//! a small runtime of its own, for callers on a blocking thread (never from an async task).

mod bucket;
mod folder;
mod linked;
mod named;
mod side_by_side;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use domain::BlobHash;
use failpoint::Place as StopPlace;
use object_store::path::Path as Location;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload};
use tokio::runtime::Runtime;

use bucket::Bucket;
pub use bucket::{BucketSettings, Encryption, Patience};
pub use side_by_side::side_by_side;

/// The file that [`Blobs::probe`] writes. It is not a valid file name here, so no listing contains it.
const PROBE: &str = "probe";
/// In a folder: as large as a small document.
const PROBE_BYTES: usize = 256 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the file store at {path} cannot be opened: {source}; check that it exists and is writable")]
    Open { path: PathBuf, source: std::io::Error },
    /// We cannot determine whether the file exists.
    #[error("the file {path} cannot be accessed: {source}; check the file store's permissions and disk")]
    Look { path: PathBuf, source: std::io::Error },
    /// The disk is full or cannot be written.
    #[error("the file store cannot write: {0}; free space on its disk, or make it writable")]
    Full(#[source] object_store::Error),
    /// Any other error of the folder.
    #[error("the file store failed: {0}; check its free space and permissions")]
    Store(#[source] object_store::Error),
    /// The bucket cannot be used with these settings.
    #[error("files.url: {0}")]
    Settings(String),
    /// The bucket does not do what we ask for now. Nothing was done, or it can be done again.
    #[error("the bucket {bucket} cannot be used: {source}; check its name, endpoint, credentials and the network")]
    Away {
        bucket: Arc<str>,
        source: object_store::Error,
    },
    /// The bucket did not answer a check in time.
    #[error("the bucket {0} did not answer in time; check the network and the service")]
    Slow(Arc<str>),
    /// The same bytes are being removed; the removal takes a moment.
    #[error("the file {0} is being removed at this moment; try again")]
    Removing(BlobHash),
    #[error("the file {0} is missing; restore it from a backup")]
    Missing(BlobHash),
    /// The file's content does not match its name.
    #[error("the file {0} is damaged; restore it from a backup")]
    Damaged(BlobHash),
}

impl Error {
    /// Whether the same may work a little later.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Error::Away { .. } | Error::Slow(_) | Error::Removing(_))
    }

    fn of_folder(error: object_store::Error) -> Error {
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
    /// Length in bytes.
    pub length: u64,
    pub written: SystemTime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    Removed,
    Absent,
    /// The file was written too recently.
    Young,
}

/// Files by their content. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Blobs {
    place: Place,
    store: Arc<dyn ObjectStore>,
    runtime: Arc<Runtime>,
}

/// Where the files are.
#[derive(Clone, Debug)]
enum Place {
    Folder(Arc<Path>),
    Bucket(Arc<Bucket>),
}

impl Blobs {
    /// Stores bytes under their hash. The same bytes twice are one file. We write even if the file exists, because
    /// another thread may be putting it right now, when the name exists but is not durable yet. Writing again also
    /// repairs a file that the disk has damaged.
    pub fn put(&self, bytes: &[u8]) -> Result<BlobHash, Error> {
        let hash = BlobHash::of(bytes);
        let payload = PutPayload::from(bytes.to_vec());
        failpoint::reach(StopPlace::BeforeFile);
        match &self.place {
            Place::Folder(_) => drop(self.wait(self.store.put(&location(&hash), payload))?),
            Place::Bucket(bucket) => self.runtime.block_on(bucket.put(&hash, &payload))?,
        }
        failpoint::reach(StopPlace::AfterFile);
        Ok(hash)
    }

    /// Writes a small file durably and removes it again, to check that the disk has room, or that the bucket can be used.
    pub fn probe(&self) -> Result<(), Error> {
        if let Place::Bucket(bucket) = &self.place {
            return self.runtime.block_on(bucket.probe());
        }
        let location = Location::from(PROBE);
        let payload = PutPayload::from(vec![0; PROBE_BYTES]);
        self.wait(async {
            let written = self.store.put(&location, payload).await;
            // Also removes a file that was only partially written.
            let removed = self.store.delete(&location).await;
            written?;
            removed
        })
    }

    /// Returns the bytes, checked against the hash.
    pub fn get(&self, hash: &BlobHash) -> Result<Vec<u8>, Error> {
        let bytes = self.bytes(hash)?;
        if BlobHash::of(&bytes) == *hash {
            return Ok(bytes);
        }
        if let Place::Bucket(_) = self.place {
            // The network may have damaged what the bucket has as it should be.
            let again = self.bytes(hash)?;
            if BlobHash::of(&again) == *hash {
                return Ok(again);
            }
        }
        Err(Error::Damaged(*hash))
    }

    /// Like [`Blobs::get`], for files that many people read one after the other: those of a bucket stay in memory for a
    /// while, up to the limit of its settings.
    pub fn get_often(&self, hash: &BlobHash) -> Result<Arc<[u8]>, Error> {
        let Place::Bucket(bucket) = &self.place else {
            return Ok(self.get(hash)?.into());
        };
        if let Some(known) = bucket.cache.get(hash) {
            return Ok(known);
        }
        let bytes: Arc<[u8]> = self.get(hash)?.into();
        bucket.cache.insert(*hash, Arc::clone(&bytes));
        Ok(bytes)
    }

    fn bytes(&self, hash: &BlobHash) -> Result<Vec<u8>, Error> {
        let found = self.runtime.block_on(async {
            let found = self.store.get(&location(hash)).await?;
            found.bytes().await
        });
        match found {
            Ok(bytes) => Ok(bytes.into()),
            Err(object_store::Error::NotFound { .. }) => {
                self.must_exist()?;
                Err(Error::Missing(*hash))
            }
            Err(error) => Err(self.fault(error)),
        }
    }

    /// Does not look at the content.
    pub fn exists(&self, hash: &BlobHash) -> Result<bool, Error> {
        match &self.place {
            Place::Folder(folder) => folder::exists(folder, hash),
            Place::Bucket(bucket) => Ok(self.runtime.block_on(bucket.find(hash))?.is_some()),
        }
    }

    /// All files. Anything with another kind of name is not ours and is left out.
    pub fn list(&self) -> Result<Vec<Listed>, Error> {
        let mut listing = self.store.list(None);
        self.wait(async {
            let mut files = Vec::new();
            // `poll_fn` uses the stream's own trait, which saves a crate of helpers.
            while let Some(file) = std::future::poll_fn(|context| listing.as_mut().poll_next(context)).await {
                files.extend(listed(&file?));
            }
            Ok(files)
        })
    }

    /// Removes a file that was last written before `time`, unless somebody puts it again meanwhile, in this or in another
    /// process.
    pub fn delete_if_older(&self, hash: &BlobHash, time: SystemTime) -> Result<Removal, Error> {
        match &self.place {
            Place::Folder(folder) => folder::delete_if_older(folder, hash, time),
            Place::Bucket(bucket) => self.runtime.block_on(bucket.delete_if_older(hash, time)),
        }
    }

    /// Removes what killed processes have left unfinished, if last written before `time`. Returns how many.
    pub fn sweep_unfinished(&self, time: SystemTime) -> Result<u64, Error> {
        match &self.place {
            Place::Folder(folder) => folder::sweep_unfinished(folder, time),
            Place::Bucket(bucket) => self.runtime.block_on(bucket.sweep_marks(time)),
        }
    }

    /// Removes a file. A missing file is not an error.
    pub fn delete(&self, hash: &BlobHash) -> Result<(), Error> {
        if let Place::Bucket(bucket) = &self.place {
            bucket.cache.invalidate(hash);
        }
        match self.runtime.block_on(self.store.delete(&location(hash))) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.fault(error)),
        }
    }

    /// Where the files are, for people.
    pub fn named(&self) -> String {
        match &self.place {
            Place::Folder(folder) => folder.display().to_string(),
            Place::Bucket(bucket) => bucket.name.to_string(),
        }
    }

    fn wait<T>(&self, work: impl Future<Output = object_store::Result<T>>) -> Result<T, Error> {
        self.runtime.block_on(work).map_err(|error| self.fault(error))
    }

    /// A bucket that is gone says of each file that it does not exist; that must not pass for a lost file.
    fn must_exist(&self) -> Result<(), Error> {
        match &self.place {
            Place::Folder(_) => Ok(()),
            Place::Bucket(bucket) => self.runtime.block_on(bucket.must_exist()),
        }
    }

    fn fault(&self, error: object_store::Error) -> Error {
        match &self.place {
            Place::Folder(_) => Error::of_folder(error),
            Place::Bucket(bucket) => bucket.fault(error),
        }
    }
}

fn location(hash: &BlobHash) -> Location {
    let name = hash.to_string();
    let shard = name.get(..2).unwrap_or_default();
    Location::from(format!("{shard}/{name}"))
}

fn listed(file: &ObjectMeta) -> Option<Listed> {
    let hash = BlobHash::parse(file.location.filename()?)?;
    (location(&hash) == file.location).then(|| Listed {
        hash,
        length: file.size,
        written: file.last_modified.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(kind: std::io::ErrorKind) -> Error {
        Error::of_folder(object_store::Error::Generic {
            store: "LocalFileSystem",
            source: Box::new(std::io::Error::from(kind)),
        })
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
