//! What strangers send is bounded, and goes when nothing needs it any more.
//!
//! - **A link has its measure**: so many files and so many bytes are kept for it at a time, those that were replaced
//!   included until they are gone.
//! - **What nothing needs is removed** by a job, some time after it became loose: files of drafts whose workflow ended, that
//!   were replaced or not taken over, and of what was not written after all. The time leaves whoever has just put a file
//!   room to write the row that names it. The same bytes are one file: it goes only where nothing of any company needs it,
//!   and not while somebody has just put it again ([`store::upload`], [`blobs::Blobs::delete_if_older`]).
//! - **The disk keeps a reserve**: where less than some percent of it is free, no new files and no new workflows are taken.
//!   What people have begun to sign they can finish.

use std::time::{Duration, SystemTime};

use blobs::Removal;
use domain::{BlobHash, CompanyId};
use jiff::{SignedDuration, Timestamp};

use crate::App;
use crate::error::{Error, Fault, FaultCode};

/// The most bytes that are kept for one link.
pub(crate) const MOST_BYTES: u64 = 50_000_000;
/// The most files that are kept for one link.
pub(crate) const MOST_FILES: u64 = 40;
/// So long a file is loose before it is removed.
pub(crate) const LOOSE_FOR: SignedDuration = SignedDuration::from_mins(15);
/// Seconds after which to try again where the disk is nearly full: room is made by a person, or by what is removed.
const ROOM_RETRY: u64 = 60;
/// So many uploads are looked at in one transaction.
const AT_ONCE: u32 = 200;

/// What one disk has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Space {
    /// A folder on it.
    pub place: String,
    /// Bytes that are free for us.
    pub free: u64,
    /// Of so many.
    pub total: u64,
}

impl Space {
    /// Are less than so many percent free?
    pub fn is_short(&self, percent: u64) -> bool {
        u128::from(self.free) * 100 < u128::from(self.total) * u128::from(percent)
    }
}

/// Tells how much room the disks have to which we write.
pub trait FreeSpace: Send + Sync {
    /// Each disk that is known; one that cannot be asked is left out.
    fn spaces(&self) -> Vec<Space>;
}

/// A disk is nearly full.
#[derive(Debug, thiserror::Error)]
#[error(
    "only {free} of {total} bytes are free on the disk of {place}; new files and new documents are refused until {percent} % are \
     free: make room, or give it a larger disk"
)]
struct NearlyFull {
    place: String,
    free: u64,
    total: u64,
    percent: u64,
}

impl App {
    /// Is there room for something new? `Unavailable` where a disk is nearly full.
    pub fn check_room(&self) -> Result<(), Error> {
        let percent = self.settings.least_free_percent;
        match self.space.spaces().into_iter().find(|space| space.is_short(percent)) {
            None => Ok(()),
            Some(Space { place, free, total }) => Err(Error::Unavailable {
                retry_after: ROOM_RETRY,
                cause: Some(Box::new(NearlyFull {
                    place,
                    free,
                    total,
                    percent,
                })),
            }),
        }
    }

    /// What was kept for something that was not written is removed later, unless something else needs it. What cannot be
    /// noted `fsck` finds.
    pub(crate) fn leave_behind(&self, company: &CompanyId, files: Vec<BlobHash>) {
        if files.is_empty() {
            return;
        }
        let (company, at) = (company.clone(), self.now());
        let noted = self.store.write(move |tx| {
            for hash in &files {
                store::upload::leave(tx, &company, (*hash, 0), at)?;
            }
            Ok::<_, Error>(())
        });
        if let Err(error) = noted {
            tracing::debug!(%error, "files that nothing needs are left for fsck");
        }
    }

    /// Removes files of uploads that nothing has needed for long; how many. Several processes may do it at once.
    pub fn remove_loose_files(&self) -> Result<u64, Error> {
        let before = self.now().checked_sub(LOOSE_FOR).unwrap_or(Timestamp::MIN);
        let since_epoch = u64::try_from(before.as_microsecond()).unwrap_or_default();
        let old = SystemTime::UNIX_EPOCH + Duration::from_micros(since_epoch);
        let mut removed = 0;
        loop {
            let (claimed, unneeded) = self
                .store
                .write(move |tx| store::upload::claim(tx, before, AT_ONCE).map_err(Error::from))?;
            for loose in unneeded {
                match self.blobs.delete_if_older(&loose.hash, old)? {
                    Removal::Removed => removed += 1,
                    Removal::Absent => {}
                    // Somebody has just put it again, and may be about to name it. If not, it is loose once more.
                    Removal::Young => self.leave_behind(&loose.company, vec![loose.hash]),
                }
            }
            if claimed < AT_ONCE {
                return Ok(removed);
            }
        }
    }
}

/// What a link has beyond its measure.
pub(crate) fn beyond_measure(path: &str) -> Fault {
    Fault::new(path, FaultCode::FilesTooLarge)
        .with("megabytes", MOST_BYTES / 1_000_000)
        .with("files", MOST_FILES)
        .with("minutes", LOOSE_FOR.as_mins())
}
