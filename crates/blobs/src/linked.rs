//! Links files from another folder on the same disk, for example from a backup that is being checked.

use std::io::ErrorKind;
use std::path::Path;

use domain::BlobHash;

use crate::{Blobs, Error, Place, location};

impl Blobs {
    /// Adds a file whose content the caller has checked. Creates a second name for the same bytes if both folders are
    /// on one disk, otherwise a copy. Removing it here does not affect the other name, because nothing is ever written
    /// into an existing file.
    pub fn link(&self, hash: &BlobHash, from: &Path) -> Result<(), Error> {
        let Place::Folder(folder) = &self.place else {
            let bytes = std::fs::read(from).map_err(|source| Error::Open {
                path: from.to_owned(),
                source,
            })?;
            #[expect(
                clippy::disallowed_methods,
                reason = "as for every linked file, its caller knows what names it"
            )]
            return self.put(&bytes).map(drop);
        };
        let to = folder.join(location(hash).as_ref());
        match std::fs::hard_link(from, &to) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(_) => std::fs::copy(from, &to)
                .map(drop)
                .map_err(|source| Error::Open { path: to, source }),
        }
    }
}
