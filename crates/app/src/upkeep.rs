//! What the program does for all workflows: sweep what has had its day, check every chain, say which files are needed.

use std::collections::BTreeSet;

use domain::chain::{self, ChainFault};
use domain::{BlobHash, CompanyId, WorkflowId};
use jiff::SignedDuration;
use jiff::Timestamp;

use crate::App;
use crate::error::Error;
use crate::start::PreviewContent;

/// Workflows that are checked in one transaction.
const AT_ONCE: u32 = 100;

/// What a check of all chains found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChainReport {
    /// Chains that were checked.
    pub workflows: u64,
    /// Entries in them.
    pub entries: u64,
    /// What does not hold.
    pub faults: Vec<ChainFaultReport>,
}

/// A chain that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainFaultReport {
    /// Whose.
    pub company: CompanyId,
    /// Of which workflow.
    pub workflow: WorkflowId,
    /// What is wrong.
    pub fault: BrokenChain,
}

/// Why a chain does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrokenChain {
    /// It breaks in itself.
    #[error(transparent)]
    Chain(#[from] ChainFault),
    /// Its end is another than the workflow knows: entries were cut off or added.
    #[error("the chain ends at entry {found}, the workflow knows entry {known}, or another of that number")]
    Head {
        /// The last entry.
        found: u64,
        /// What the workflow knows.
        known: u64,
    },
}

impl App {
    /// Checks the chain of every workflow of every company.
    pub fn verify_chains(&self) -> Result<ChainReport, Error> {
        let mut report = ChainReport::default();
        let mut after = WorkflowId(0);
        loop {
            let (part, last) = self.store.read(move |tx| {
                let mut part = ChainReport::default();
                let mut last = None;
                for (company, id) in store::workflow::ids_after(tx, after, AT_ONCE)? {
                    last = Some(id);
                    part.workflows += 1;
                    let entries = store::audit::load(tx, &company, id)?;
                    part.entries += entries.len() as u64;
                    let known = store::workflow::load(tx, &company, id)?.map(|stored| stored.head);
                    let fault = match chain::verify(&company, id, &entries) {
                        Err(fault) => Some(BrokenChain::Chain(fault)),
                        Ok(head) if Some(head) != known => Some(BrokenChain::Head {
                            found: head.sequence,
                            known: known.map_or(0, |known| known.sequence),
                        }),
                        Ok(_) => None,
                    };
                    part.faults.extend(fault.map(|fault| ChainFaultReport { company, workflow: id, fault }));
                }
                Ok::<_, Error>((part, last))
            })?;
            report.workflows += part.workflows;
            report.entries += part.entries;
            report.faults.extend(part.faults);
            match last {
                Some(last) => after = last,
                None => return Ok(report),
            }
        }
    }

    /// Every file that any workflow or preview needs.
    pub fn referenced_blobs(&self) -> Result<BTreeSet<BlobHash>, Error> {
        let now = self.now();
        let (hashes, previews) = self.store.read(move |tx| {
            let hashes = store::workflow::referred_blobs(tx)?;
            Ok::<_, Error>((hashes, store::preview::contents(tx, now)?))
        })?;
        let mut all: BTreeSet<BlobHash> = hashes.into_iter().collect();
        for content in previews {
            let content: PreviewContent =
                serde_json::from_str(&content).map_err(|error| Error::internal("reading a preview", error))?;
            all.extend(content.values.values().filter_map(|value| value.file()).map(|file| file.hash));
        }
        Ok(all)
    }

    /// Workflows that are complete without a sealed document, or the other way round. There must be none.
    pub fn unsound_workflows(&self) -> Result<Vec<(CompanyId, WorkflowId)>, Error> {
        self.store.read(|tx| store::workflow::unsound(tx).map_err(Error::from))
    }

    /// Forgets kept answers and previews that have had their day, and says how many.
    pub fn sweep_workflow_leftovers(&self) -> Result<u64, Error> {
        let now = self.now();
        let since = now.checked_sub(SignedDuration::from_hours(24)).unwrap_or(Timestamp::MIN);
        self.store.write(move |tx| {
            let answers = store::idempotency::sweep(tx, since)?;
            let previews = store::preview::sweep(tx, now)?;
            Ok::<_, Error>(answers + previews)
        })
    }
}
