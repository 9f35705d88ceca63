//! A prefix of a bucket belongs to one installation, because the `fsck` of another one would remove its files.
//!
//! The first installation that opens a prefix writes its name there. A copy that was restored from a backup has the same
//! name; `restore` itself refuses a prefix with files.

use blobs::Blobs;
use store::Store;

use crate::backup::take::fingerprint;
use crate::opened::OpenFault;

/// The file with the name of the installation.
const OWNER: &str = "installation";

/// Makes the prefix ours, or finds that it is another installation's. A bucket that is away is asked at the next start.
pub fn claim(store: &Store, blobs: &Blobs) -> Result<(), OpenFault> {
    let ours = name(store)?;
    let claimed = match blobs.get_named(OWNER) {
        Ok(None) => blobs.put_named(OWNER, ours.as_bytes()).map(drop),
        Ok(Some(_)) => Ok(()),
        Err(error) => Err(error),
    };
    match claimed.and_then(|()| belongs_to_another(blobs, &ours)) {
        Ok(false) => Ok(()),
        Ok(true) => Err(OpenFault::FilesOfAnother(blobs.named())),
        Err(error) if error.is_temporary() => {
            tracing::warn!(%error, "we could not see whose bucket it is");
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether the prefix is another installation's. Changes nothing.
pub fn is_of_another(store: &Store, blobs: &Blobs) -> Result<bool, app::Error> {
    Ok(belongs_to_another(blobs, &name(store)?)?)
}

fn belongs_to_another(blobs: &Blobs, ours: &str) -> Result<bool, blobs::Error> {
    Ok(blobs.get_named(OWNER)?.is_some_and(|found| found != ours.as_bytes()))
}

fn name(store: &Store) -> Result<String, app::Error> {
    let root = app::installation::root_certificate(store)?;
    Ok(fingerprint(root.as_bytes()))
}
