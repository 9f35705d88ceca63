//! `audit verify` and `fsck`: compare every chain with itself and with its workflow's rows, and every file with the
//! database.
//!
//! Both may run while a server is working. A use case stores its files before the transaction that refers to them, so
//! an unreferenced file may belong to a transaction that is about to commit. `fsck` removes only files that are older
//! than the grace period set by its caller. A removed file is not a fault: a use case that fails between the two steps
//! leaves one, which a job removes as well ([`crate::base::uploads`]).

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use blobs::{Removal, side_by_side};
use domain::{BlobHash, Language, WorkflowId};
use store::check::{self, Needed, Owner};

use crate::App;
use crate::base::error::Error;
use crate::base::keyed_chain;
use crate::evidence::checkpoints::CheckpointReport;

/// The result of `audit verify`.
#[derive(Debug, Clone, Default)]
pub struct AuditReport {
    /// Number of workflows checked.
    pub workflows: u64,
    /// Number of entries in their chains.
    pub entries: u64,
    /// Number of heads without a code.
    pub without_code: u64,
    /// Faults in chains and rows.
    pub faults: Vec<check::Fault>,
    /// Number of files read and compared with their names.
    pub files: u64,
    /// Faults in files.
    pub file_faults: Vec<FileFault>,
    /// The result of the comparison with the checkpoints.
    pub checkpoints: CheckpointReport,
}

/// A faulty file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileFault {
    #[error("file {hash} is missing, but {owner} needs it; restore it from a backup")]
    Missing { hash: BlobHash, owner: Owner },
    /// The content does not match the name.
    #[error("file {hash} is damaged, and {owner} needs it; restore it from a backup")]
    Damaged { hash: BlobHash, owner: Owner },
    /// The file's length differs from the one in the database.
    #[error("file {hash} has {found} bytes, but {owner} records {recorded}; restore it from a backup")]
    Length {
        hash: BlobHash,
        /// The actual length.
        found: u64,
        /// The length in the database.
        recorded: u64,
        owner: Owner,
    },
}

/// The result of `fsck`.
#[derive(Debug, Clone, Default)]
pub struct FsckReport {
    /// The findings of `audit verify`.
    pub audit: AuditReport,
    /// Unneeded files that were removed.
    pub swept: Vec<BlobHash>,
    /// Number of half-written files of killed processes that were removed.
    pub unfinished: u64,
    /// Unneeded files that are too recent to be removed, because the transaction that refers to them may be about to
    /// commit.
    pub young: Vec<BlobHash>,
}

impl AuditReport {
    /// Whether there are no faults.
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty() && self.file_faults.is_empty() && self.checkpoints.faults.is_empty()
    }
}

impl FsckReport {
    /// Whether there are no faults. Removed files are not a fault.
    pub fn is_clean(&self) -> bool {
        self.audit.is_clean()
    }
}

impl App {
    /// Checks every chain, every row that a chain covers, and every file.
    pub fn audit_verify(&self) -> Result<AuditReport, Error> {
        self.audit().map(|(report, _)| report)
    }

    fn audit(&self) -> Result<(AuditReport, HashMap<BlobHash, Needed>), Error> {
        let mut report = self.audit_chains()?;
        report.checkpoints = self.check_checkpoints()?;
        let needed = self.needed_files()?;
        let files: Vec<&Needed> = needed.values().collect();
        let faults = side_by_side(self.blobs.at_once(), &files, |file| self.file_fault(file))?;
        report.files = files.len() as u64;
        report.file_faults = faults.into_iter().flatten().collect();
        Ok((report, needed))
    }

    fn audit_chains(&self) -> Result<AuditReport, Error> {
        let mut report = AuditReport::default();
        let erased: Vec<String> = Language::ALL.map(crate::base::text::erased).into();
        let mut after = WorkflowId(0);
        loop {
            let (vault, erased) = (self.vault.clone(), erased.clone());
            let stretch = self.store.read(move |tx| {
                check::chains(tx, after, &erased, &|company, workflow, keyed| {
                    keyed_chain::is_ours(&vault, company, workflow, keyed)
                })
            })?;
            report.without_code += stretch.without_code;
            report.workflows += stretch.workflows;
            report.entries += stretch.entries;
            report.faults.extend(stretch.faults);
            match stretch.last {
                Some(last) => after = last,
                None => break,
            }
        }
        report.faults.extend(self.store.read(check::states)?);
        Ok(report)
    }

    /// Does the same as `audit verify`, and removes unneeded files written longer than `grace` ago.
    pub fn fsck(&self, grace: Duration) -> Result<FsckReport, Error> {
        let begun = SystemTime::now();
        let (audit, needed) = self.audit()?;
        let mut report = FsckReport {
            audit,
            ..FsckReport::default()
        };
        let old = begun.checked_sub(grace).unwrap_or(SystemTime::UNIX_EPOCH);
        report.unfinished = self.blobs.sweep_unfinished(old)?;
        for file in self
            .blobs
            .list()?
            .iter()
            .filter(|file| !needed.contains_key(&file.hash))
        {
            // Checks the age again, because a use case may just have stored the file again.
            match self.blobs.delete_if_older(&file.hash, old)? {
                Removal::Removed => report.swept.push(file.hash),
                Removal::Young => report.young.push(file.hash),
                // Another process was faster.
                Removal::Absent => {}
            }
        }
        Ok(report)
    }

    fn file_fault(&self, needed: &Needed) -> Result<Option<FileFault>, Error> {
        let (hash, owner) = (needed.hash, needed.owner.clone());
        Ok(match self.blobs.get(&hash) {
            Ok(bytes) => {
                let found = bytes.len() as u64;
                let recorded = needed.length.unwrap_or(found);
                (found != recorded).then_some(FileFault::Length {
                    hash,
                    found,
                    recorded,
                    owner,
                })
            }
            Err(blobs::Error::Missing(_)) => Some(FileFault::Missing { hash, owner }),
            Err(blobs::Error::Damaged(_)) => Some(FileFault::Damaged { hash, owner }),
            Err(error) => return Err(error.into()),
        })
    }

    fn needed_files(&self) -> Result<HashMap<BlobHash, Needed>, Error> {
        let mut needed: HashMap<BlobHash, Needed> = HashMap::new();
        let mut keep = |found: Vec<Needed>| {
            for file in found {
                let known = needed.entry(file.hash).or_insert_with(|| file.clone());
                known.length = known.length.or(file.length);
            }
        };
        let mut after = WorkflowId(0);
        loop {
            let (found, last) = self.store.read(move |tx| check::files_of_workflows(tx, after))?;
            keep(found);
            match last {
                Some(last) => after = last,
                None => break,
            }
        }
        keep(self.store.read(check::files_of_templates)?);
        Ok(needed)
    }
}
