//! Files that are proven to be on the disk.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use domain::BlobHash;
use sha2::{Digest, Sha256};

use super::{BackupFault, at};

/// The suffix of files that are not complete yet.
pub const DRAFT: &str = ".draft";

/// Writes a file that other users cannot read, reads it back from the disk, and only then gives it its name. The folder
/// is not synced.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), BackupFault> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(DRAFT);
    let draft = Path::new(&draft);
    let mut file = private().truncate(true).open(draft).map_err(at(draft))?;
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .map_err(at(draft))?;
    forget_cached(&file);
    drop(file);
    let (found, _) = hash_of(draft).map_err(at(draft))?;
    if found != BlobHash::of(bytes) {
        return Err(BackupFault::NotReadBack { path: draft.to_owned() });
    }
    std::fs::rename(draft, path).map_err(at(path))
}

/// Makes a file written by another program durable. Returns its hash and length as read from the disk.
pub fn settle(path: &Path) -> Result<(BlobHash, u64), BackupFault> {
    let file = File::options().read(true).write(true).open(path).map_err(at(path))?;
    make_private(&file).and_then(|()| file.sync_all()).map_err(at(path))?;
    forget_cached(&file);
    hash_of(path).map_err(at(path))
}

/// Returns the hash and length of a file.
pub fn hash_of(path: &Path) -> io::Result<(BlobHash, u64)> {
    let mut file = File::open(path)?;
    let (mut hash, mut length) = (Sha256::new(), 0);
    let mut part = vec![0; 128 * 1024];
    loop {
        match file.read(&mut part) {
            Ok(0) => return Ok((BlobHash(hash.finalize().into()), length)),
            Ok(read) => {
                hash.update(part.get(..read).unwrap_or_default());
                length += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Makes the entries of a folder durable.
pub fn sync_folder(folder: &Path) -> Result<(), BackupFault> {
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(at(folder))
}

/// Creates a folder and its parents, accessible only to their owner.
pub fn create_folder(folder: &Path) -> Result<(), BackupFault> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(at(folder))
}

/// Opens a file to lock it. Its content does not matter.
pub fn lock_file(path: &Path) -> io::Result<File> {
    private().read(true).truncate(false).open(path)
}

/// Options to open a file for writing that other users cannot read.
fn private() -> std::fs::OpenOptions {
    let mut options = File::options();
    options.create(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(unix)]
fn make_private(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn make_private(_: &File) -> io::Result<()> {
    Ok(())
}

/// Drops a file from the page cache, so that reading it reads the disk. A file system without support for this answers
/// from memory.
fn forget_cached(file: &File) {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed) {
        tracing::debug!(%error, "a file is read back from memory");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = file;
}
