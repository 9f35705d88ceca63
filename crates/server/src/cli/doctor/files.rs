//! The file store: whether it can be used, and whether it is the one with this installation's files.

use blobs::Blobs;
use store::Store;

use super::Findings;
use crate::bucket_owner;
use crate::cli::Context;

/// How many files are looked for.
const LOOKED_FOR: usize = 20;

/// Opens the file store; `None` if it cannot be used at all.
pub(super) fn files(context: &Context, store: &Store, findings: &mut Findings) -> Option<Blobs> {
    let check = "files";
    let place = &context.place;
    let remedy = if place.files_folder().is_some() {
        "make the user that runs countersign the owner of the folder"
    } else {
        "check files.url, files.endpoint, files.region and the access key, which must be allowed to list the bucket and to \
         read, write and delete its objects"
    };
    let blobs = match place.open_files() {
        Ok(blobs) => blobs,
        Err(error) => {
            findings.wrong(check, error.to_string(), remedy);
            return None;
        }
    };
    // A folder is on a disk that is checked.
    let probed = if place.files_folder().is_some() {
        Ok(())
    } else {
        blobs.probe()
    };
    let found = probed.map_err(app::Error::from).and_then(|()| {
        let is_of_another = place.files_folder().is_none() && bucket_owner::is_of_another(store, &blobs)?;
        Ok((is_of_another, missing_files(&blobs, store)?))
    });
    match found {
        Err(error) => findings.wrong(check, error.to_string(), remedy),
        Ok((true, _)) => findings.wrong(
            check,
            format!("{} contains the files of another installation", blobs.named()),
            "set files.url to a prefix of its own",
        ),
        Ok((false, 0)) => findings.good(check, format!("{} can be used", blobs.named())),
        Ok((false, missing)) => findings.wrong(
            check,
            format!("{missing} of the files that the database names are not in {}", blobs.named()),
            "if the files are elsewhere, change files.url back and move them with `countersign blobs move`; otherwise restore \
             them from a backup (`countersign fsck` names them)",
        ),
    }
    Some(blobs)
}

/// How many of some files that the database names are not in the file store: perhaps it is another one.
pub fn missing_files(blobs: &Blobs, store: &Store) -> Result<usize, app::Error> {
    let needed = store.read(store::check::files_of_templates)?;
    let mut missing = 0;
    for file in needed.iter().rev().take(LOOKED_FOR) {
        missing += usize::from(!blobs.exists(&file.hash)?);
    }
    Ok(missing)
}
