//! Provides the disks of the data folder and of the files to the use cases.

use std::path::PathBuf;

use app::{FreeSpace, Space};

/// The folders that we write to. Several may be on one disk.
#[derive(Debug)]
pub struct Volumes(Vec<PathBuf>);

impl Volumes {
    pub fn of(folders: impl IntoIterator<Item = PathBuf>) -> Volumes {
        Volumes(folders.into_iter().collect())
    }
}

impl FreeSpace for Volumes {
    fn spaces(&self) -> Vec<Space> {
        let of_folder = |folder: &PathBuf| {
            let found = rustix::fs::statvfs(folder)
                .inspect_err(|error| tracing::debug!(%error, folder = %folder.display(), "the free space could not be determined"))
                .ok()?;
            Some(Space {
                place: folder.display().to_string(),
                // As in `df`, space reserved for the superuser counts neither as free nor as part of the whole.
                free: found.f_bavail.saturating_mul(found.f_frsize),
                total: found
                    .f_blocks
                    .saturating_sub(found.f_bfree)
                    .saturating_add(found.f_bavail)
                    .saturating_mul(found.f_frsize),
            })
        };
        self.0.iter().filter_map(of_folder).collect()
    }
}
