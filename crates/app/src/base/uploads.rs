//! Limits the files in the store, and removes those that nothing needs.
//!
//! - **No file is stored without a claim** ([`FileClaim`]). The claim is written before the file, and taken over by the
//!   transaction that writes the rows that need the file. If the use case or its process fails, the file is either
//!   needed
//!   or known to be loose. (Files of a draft are counted as uploads instead: [`store::upload`].)
//! - **Each link has a limit** on files and bytes at a time, including replaced files until they are removed.
//! - **A job removes what nothing needs** some time after it became loose: files of drafts whose workflow has ended,
//!   replaced files, files of removed values, and files whose rows were never written. Equal bytes are one file. The
//!   job
//!   removes it only if no company needs it and it was not recently stored again ([`store::loose_file`],
//!   [`blobs::Blobs::delete_if_older`]).
//! - **The disk keeps a reserve**: if it has too little free space, we accept no new files and no new workflows.
//!   Signers
//!   can still complete documents that they have started.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use blobs::{Removal, side_by_side};
use domain::{BlobHash, CompanyId};
use jiff::{SignedDuration, Timestamp};
use store::Transaction;

use crate::App;
use crate::base::error::{Error, Fault, FaultCode};

/// Maximum number of bytes stored for one link.
pub(crate) const MOST_BYTES: u64 = 50_000_000;
/// Maximum number of files stored for one link.
pub(crate) const MOST_FILES: u64 = 40;
/// Time that a file stays loose before it is removed.
const LOOSE_FOR: SignedDuration = SignedDuration::from_mins(15);
/// Seconds to wait before a retry if the disk is nearly full. Longer than usual because people or jobs have to free
/// space.
const ROOM_RETRY: u64 = 60;
/// Number of uploads that one transaction checks.
const AT_ONCE: u32 = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Space {
    /// A folder on the disk.
    pub place: String,
    /// Bytes available to us.
    pub free: u64,
    /// Size of the disk in bytes.
    pub total: u64,
}

impl Space {
    /// Whether less than this percentage is free.
    pub fn is_short(&self, percent: u64) -> bool {
        u128::from(self.free) * 100 < u128::from(self.total) * u128::from(percent)
    }
}

/// Reports the free space of the disks that we write to.
pub trait FreeSpace: Send + Sync {
    /// Returns every known disk. A disk that cannot be queried is left out.
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
    /// Checks that there is room for new data. Returns `Unavailable` if a disk is nearly full.
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

    /// Stores files under a claim and renews it. Returns the names of the files in the same order.
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
        // If the machine crashes right after this, `fsck` finds the files.
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

    /// Stores one file under a claim. Returns its name.
    pub(crate) fn keep_file(&self, claim: &mut FileClaim, file: &[u8]) -> Result<BlobHash, Error> {
        let kept = self.keep_files(claim, [file])?;
        Ok(kept.first().copied().unwrap_or_else(|| BlobHash::of(file)))
    }

    /// Removes files that have been loose for long enough, and returns their number. Several processes may run this at
    /// the same time. A file that cannot be removed is retried later, and does not block the others.
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
                    // The file was just stored again. If it stays loose, a later run removes it.
                    Ok(Removal::Young) => {}
                    Err(error) => {
                        tracing::warn!(%error, "an unused file could not be removed; we will try again");
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
    /// Creates a claim without files.
    pub(crate) fn of(company: &CompanyId) -> FileClaim {
        FileClaim {
            company: company.clone(),
            number: 0,
            files: BTreeSet::new(),
        }
    }

    /// Takes over the claim in the transaction that writes the rows that need the files. Fails if the clean-up has
    /// removed some of them in the meantime. The caller then starts again.
    pub(crate) fn take_over(&self, tx: &mut dyn Transaction) -> Result<(), Error> {
        self.on_all(|| store::loose_file::take_over(tx, &self.company, self.number))
    }

    /// Keeps the files for the rows of this transaction until the given time. After that they are removed.
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

/// The fault for a link that exceeds its limit.
pub(crate) fn beyond_measure(path: &str) -> Fault {
    Fault::new(path, FaultCode::FilesTooLarge)
        .with("megabytes", MOST_BYTES / 1_000_000)
        .with("files", MOST_FILES)
        .with("minutes", LOOSE_FOR.as_mins())
}
