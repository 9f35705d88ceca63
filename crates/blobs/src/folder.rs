//! Files in a folder of this machine.
//!
//! `object_store` first writes `abcdef…#1` next to the final name, syncs it and renames it. [`sweep_unfinished`] removes
//! what a killed process leaves under such a name.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use domain::BlobHash;
use object_store::local::LocalFileSystem;

use crate::{Blobs, Error, Place, Removal, location};

/// Makes the names of files that we set aside unique within this process.
static ASIDE: AtomicU64 = AtomicU64::new(0);

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
        let store = LocalFileSystem::new_with_prefix(folder).map_err(Error::of_folder)?;
        Ok(Blobs {
            place: Place::Folder(Arc::from(folder)),
            store: Arc::new(store.with_fsync(true)),
            runtime: Arc::new(runtime),
        })
    }
}

/// Every start of a workflow calls this, so it asks the folder directly, without the two thread switches of the store's
/// own method.
pub(crate) fn exists(folder: &Path, hash: &BlobHash) -> Result<bool, Error> {
    let path = folder.join(location(hash).as_ref());
    match path.metadata() {
        Ok(found) => Ok(found.is_file()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
        Err(source) => Err(Error::Look { path, source }),
    }
}

/// Reads the file's time again, because the file may have been put again after it was listed. Another process may also
/// put it between that check and the removal, so we first move the file aside in one step, check it there, and put it
/// back if it is young.
pub(crate) fn delete_if_older(folder: &Path, hash: &BlobHash, time: SystemTime) -> Result<Removal, Error> {
    let path = folder.join(location(hash).as_ref());
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

/// Removes what unfinished puts have left, if last written before `time`.
pub(crate) fn sweep_unfinished(folder: &Path, time: SystemTime) -> Result<u64, Error> {
    let open = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Open { path, source }
    };
    let mut swept = 0;
    for first_byte in 0..=u8::MAX {
        let folder = folder.join(format!("{first_byte:02x}"));
        for entry in std::fs::read_dir(&folder).map_err(open(&folder))? {
            let entry = entry.map_err(open(&folder))?;
            if !entry.file_name().to_str().is_some_and(is_unfinished) {
                continue;
            }
            // If it no longer exists, it has become a file in the meantime.
            let written = match entry.metadata().and_then(|metadata| metadata.modified()) {
                Ok(written) => written,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(open(&entry.path())(error)),
            };
            if written <= time {
                match std::fs::remove_file(entry.path()) {
                    Ok(()) => swept += 1,
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    Err(error) => return Err(open(&entry.path())(error)),
                }
            }
        }
    }
    Ok(swept)
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

/// Whether a name is that of an unfinished file: its hash, `#`, and a number.
fn is_unfinished(name: &str) -> bool {
    name.split_once('#').is_some_and(|(hash, number)| {
        BlobHash::parse(hash).is_some() && !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}
