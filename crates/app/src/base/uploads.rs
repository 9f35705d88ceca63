//! Files in the store are limited, and removed when nothing needs them.
//!
//! - **No file is stored without a claim** ([`FileClaim`]). The claim is written before the file, and the transaction that
//!   writes the rows that need the file takes it over. Whatever happens to the use-case or its process, the file is either
//!   needed or known to be loose. (The files of a draft are announced as uploads, which are counted: [`store::upload`].)
//! - **Each link has a limit** of files and bytes at a time, including replaced ones until they are gone.
//! - **A job removes what nothing needs** some time after it became loose: files of drafts whose workflow ended, replaced
//!   files, files of removed values, and files whose rows were never written. Equal bytes are one file: it is removed only
//!   if nothing of any company needs it, and not if it was just stored again ([`store::loose_file`],
//!   [`blobs::Blobs::delete_if_older`]).
//! - **The disk keeps a reserve**: if too little of it is free, we accept no new files and no new workflows. Signers can
//!   finish what they have begun.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use blobs::{Removal, side_by_side};
use domain::{BlobHash, CompanyId};
use jiff::{SignedDuration, Timestamp};
use store::Transaction;

use crate::App;
use crate::base::error::{Error, Fault, FaultCode};

/// The most bytes that are kept for one link.
pub(crate) const MOST_BYTES: u64 = 50_000_000;
/// The most files that are kept for one link.
pub(crate) const MOST_FILES: u64 = 40;
/// How long a file stays loose before it is removed.
const LOOSE_FOR: SignedDuration = SignedDuration::from_mins(15);
/// Seconds after which to try again if the disk is nearly full, because people or removals have to make room.
const ROOM_RETRY: u64 = 60;
/// How many uploads one transaction checks.
const AT_ONCE: u32 = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Space {
    /// A folder on it.
    pub place: String,
    /// Bytes that are free for us.
    pub free: u64,
    /// Bytes of the disk as a whole.
    pub total: u64,
}

impl Space {
    /// Whether less than this share is free, in percent.
    pub fn is_short(&self, percent: u64) -> bool {
        u128::from(self.free) * 100 < u128::from(self.total) * u128::from(percent)
    }
}

/// Tells how much space the disks that we write to have.
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
    /// Whether there is room for something new: `Unavailable` if a disk is nearly full.
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

    /// Keeps files under a claim, which is as good as new afterwards; their names in the same order.
    pub(crate) fn keep_files<'f>(
        &self,
        claim: &mut FileClaim,
        files: impl IntoIterator<Item = &'f [u8]>,
    ) -> Result<Vec<BlobHash>, Error> {
        let files: Vec<(BlobHash, &[u8])> = files.into_iter().map(|file| (BlobHash::of(file), file)).collect();
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let has_more = !claim.files.is_empty();
        if !has_more {
            let mut number = [0; 8];
            self.random.fill(&mut number);
            // Positive, because 0 means no claim.
            claim.number = (i64::from_be_bytes(number) & i64::MAX).max(1);
        }
        let hashes: Vec<BlobHash> = files.iter().map(|(hash, _)| *hash).collect();
        claim.files.extend(&hashes);
        let (company, number, at, announced) = (claim.company.clone(), claim.number, self.now(), hashes.clone());
        // If the machine itself stops in the next moments, `fsck` finds the files.
        self.store.write_relaxed(move |tx| {
            for hash in &announced {
                store::loose_file::announce(tx, &company, number, *hash, at)?;
            }
            if has_more {
                store::loose_file::hold_later(tx, &company, number, at)?;
            }
            Ok::<_, Error>(())
        })?;
        #[expect(clippy::disallowed_methods, reason = "each is announced above")]
        side_by_side(self.blobs.at_once(), &files, |(_, file)| self.blobs.put(file))?;
        Ok(hashes)
    }

    /// Keeps one file under a claim; its name.
    pub(crate) fn keep_file(&self, claim: &mut FileClaim, file: &[u8]) -> Result<BlobHash, Error> {
        let kept = self.keep_files(claim, [file])?;
        Ok(kept.first().copied().unwrap_or_else(|| BlobHash::of(file)))
    }

    /// Removes files that nothing has needed for long; how many. Several processes may do it at once. A file that cannot be
    /// removed is tried again later, and keeps no other from being removed.
    pub fn remove_loose_files(&self) -> Result<u64, Error> {
        let now = self.now();
        let before = now.checked_sub(LOOSE_FOR).unwrap_or(Timestamp::MIN);
        let since_epoch = u64::try_from(before.as_microsecond()).unwrap_or_default();
        let old = SystemTime::UNIX_EPOCH + Duration::from_micros(since_epoch);
        let (mut removed, mut failed) = (0, None);
        loop {
            let loose = self
                .store
                .write(move |tx| store::loose_file::begin_removal(tx, before, now, AT_ONCE).map_err(Error::from))?;
            let mut gone = Vec::new();
            for file in loose.files {
                match self.blobs.delete_if_older(&file.hash, old) {
                    Ok(Removal::Removed) => {
                        removed += 1;
                        gone.push(file);
                    }
                    Ok(Removal::Absent) => gone.push(file),
                    // It was just stored again. If nothing comes to need it, it is removed later.
                    Ok(Removal::Young) => {}
                    Err(error) => {
                        tracing::warn!(%error, "a file that nothing needs could not be removed; it is tried again");
                        failed = Some(error);
                    }
                }
            }
            self.store.write_relaxed(move |tx| {
                gone.iter()
                    .try_for_each(|file| store::loose_file::forget(tx, file, now))
            })?;
            if !loose.is_more {
                return failed.map_or(Ok(removed), |error| Err(error.into()));
            }
        }
    }
}

/// Stored files that no row needs yet. They are removed later, unless the transaction that writes their rows takes over
/// the claim.
#[derive(Debug, Clone)]
#[must_use = "files whose claim is not taken over are removed"]
pub(crate) struct FileClaim {
    company: CompanyId,
    /// Irrelevant while there are no files.
    number: i64,
    files: BTreeSet<BlobHash>,
}

impl FileClaim {
    /// A claim on no files yet.
    pub(crate) fn of(company: &CompanyId) -> FileClaim {
        FileClaim {
            company: company.clone(),
            number: 0,
            files: BTreeSet::new(),
        }
    }

    /// This transaction writes the rows that need the files. It fails if the clean-up has removed some of them
    /// meanwhile; the caller then starts again.
    pub(crate) fn take_over(&self, tx: &mut dyn Transaction) -> Result<(), Error> {
        self.on_all(|| store::loose_file::take_over(tx, &self.company, self.number))
    }

    /// The rows that this transaction writes need the files until then; after that, they are removed.
    pub(crate) fn hold_until(&self, tx: &mut dyn Transaction, until: Timestamp) -> Result<(), Error> {
        self.on_all(|| store::loose_file::hold(tx, &self.company, self.number, until))
    }

    fn on_all(&self, act: impl FnOnce() -> Result<u64, store::Error>) -> Result<(), Error> {
        if self.files.is_empty() || act()? == self.files.len() as u64 {
            Ok(())
        } else {
            Err(Error::busy(1))
        }
    }
}

/// The error for a link that exceeds its limit.
pub(crate) fn beyond_measure(path: &str) -> Fault {
    Fault::new(path, FaultCode::FilesTooLarge)
        .with("megabytes", MOST_BYTES / 1_000_000)
        .with("files", MOST_FILES)
        .with("minutes", LOOSE_FOR.as_mins())
}
