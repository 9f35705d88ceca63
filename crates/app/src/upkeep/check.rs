//! `audit verify` and `fsck`: every chain against itself and its workflow's rows, every file against the database.
//!
//! Both may run while a server is working. A use-case keeps its files before the transaction that names them, so a file
//! that nothing names may be one whose transaction is just coming: `fsck` sweeps only what has lain longer than the
//! grace that its caller gives. A removed file is not a fault: a use-case that fails between the two leaves one, which
//! a job removes as well ([`crate::base::uploads`]).

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use blobs::{Removal, side_by_side};
use domain::{BlobHash, Language, WorkflowId};
use store::check::{self, Needed, Owner};

use crate::App;
use crate::base::error::Error;
use crate::base::keyed_chain;
use crate::evidence::checkpoints::CheckpointReport;

/// What `audit verify` found.
#[derive(Debug, Clone, Default)]
pub struct AuditReport {
    /// How many workflows were looked at.
    pub workflows: u64,
    /// How many entries their chains have.
    pub entries: u64,
    /// How many heads have no code yet.
    pub without_code: u64,
    /// What is wrong with chains and rows.
    pub faults: Vec<check::Fault>,
    /// How many files were read and compared with their names.
    pub files: u64,
    /// What is wrong with files.
    pub file_faults: Vec<FileFault>,
    /// What the checkpoints show.
    pub checkpoints: CheckpointReport,
}

/// A file that is not as it must be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileFault {
    /// The file is missing.
    #[error("file {hash} is missing; {owner} needs it: restore it from a backup")]
    Missing { hash: BlobHash, owner: Owner },
    /// Its content does not match its name.
    #[error("file {hash} is damaged; {owner} needs it: restore it from a backup")]
    Damaged { hash: BlobHash, owner: Owner },
    /// The file's length differs from the one in the database.
    #[error("file {hash} has {found} bytes, but {owner} records {recorded}")]
    Length {
        hash: BlobHash,
        /// Its length.
        found: u64,
        /// The length in the database.
        recorded: u64,
        owner: Owner,
    },
}

/// What `fsck` found.
#[derive(Debug, Clone, Default)]
pub struct FsckReport {
    /// The findings of `audit verify`.
    pub audit: AuditReport,
    /// Files that nothing needs: removed.
    pub swept: Vec<BlobHash>,
    /// How many half-written files of killed processes were removed.
    pub unfinished: u64,
    /// Files that nothing needs, too young to be removed: the transaction that names them may be coming.
    pub young: Vec<BlobHash>,
}

impl AuditReport {
    /// Whether everything is as it should be.
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty() && self.file_faults.is_empty() && self.checkpoints.faults.is_empty()
    }
}

impl FsckReport {
    /// Whether nothing is wrong. Removed files are not a fault.
    pub fn is_clean(&self) -> bool {
        self.audit.is_clean()
    }
}

impl App {
    /// Checks every chain, every row that a chain proves, and every file.
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

    /// Like `audit verify`, and removes unneeded files written longer than `grace` ago.
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
            // Its age is checked again now: a use-case may just have stored it again.
            match self.blobs.delete_if_older(&file.hash, old)? {
                Removal::Removed => report.swept.push(file.hash),
                Removal::Young => report.young.push(file.hash),
                // Another process was first.
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
