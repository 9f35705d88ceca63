//! Writes checkpoints: every hour, the heads of each company's chains go to the file store, authenticated and linked.
//!
//! `audit verify` compares the database with the last checkpoint. So it detects deleted workflows, truncated or
//! rewritten chains, and a database that was replaced by an older one ([`domain::checkpoint`]). The files are in
//! `checkpoints/COMPANY/` in the file store: one for each checkpoint, and the segments that it lists.
//!
//! Several servers may run the job. A checkpoint's file is created only if its number is not in use, so of two servers
//! that write at the same time, one wins. A server never overwrites what it cannot confirm: if the last checkpoint is
//! damaged, it writes no more until the operator restarts checkpoints ([`App::restart_checkpoints`]).

use std::collections::BTreeMap;

use domain::checkpoint::{Checkpoint, KeyedCheckpoint, KnownHead, Segment};
use domain::{BlobHash, CompanyId, WorkflowId};
use jiff::{SignedDuration, Timestamp};
use store::check::Mismatch;

use crate::App;
use crate::base::actor::Actor;
use crate::base::audit_log::Action;
use crate::base::error::Error;
use crate::base::keyed_chain;
use crate::base::vault::Purpose;

const FOLDER: &str = "checkpoints";
/// Slightly less than an hour, so that an hourly job does not skip every other run.
const AT_SOONEST: SignedDuration = SignedDuration::from_mins(55);
/// Number of checkpoints to keep: two days.
const KEPT: usize = 48;
const AT_ONCE: u32 = 1_000;

/// A difference between a checkpoint and the database, or a defect of the checkpoints.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointFault {
    /// A workflow is missing.
    #[error(
        "workflow {workflow} of company {company} is in checkpoint {checkpoint} but no longer in the database: \
        it was deleted, or the database is older than the checkpoint"
    )]
    Deleted {
        company: CompanyId,
        workflow: WorkflowId,
        /// The number of the checkpoint.
        checkpoint: u64,
    },
    /// A chain is shorter than it was.
    #[error(
        "workflow {workflow} of company {company} has {found} entries, but had {recorded} at checkpoint \
        {checkpoint}: its rows or the whole database are older than the checkpoint"
    )]
    RolledBack {
        company: CompanyId,
        workflow: WorkflowId,
        /// The number of its last entry now.
        found: u64,
        /// The number of its last entry at the checkpoint.
        recorded: u64,
        /// The number of the checkpoint.
        checkpoint: u64,
    },
    /// A chain differs from the one at the checkpoint.
    #[error(
        "workflow {workflow} of company {company}: entry {entry} differs from the one at checkpoint \
            {checkpoint}"
    )]
    Rewritten {
        company: CompanyId,
        workflow: WorkflowId,
        entry: u64,
        /// The number of the checkpoint.
        checkpoint: u64,
    },
    /// The files of the checkpoints do not match.
    #[error(
        "{file}: {reason}; restore it from a backup, or accept the database as it is with `countersign audit restart`"
    )]
    Damaged {
        /// The file in the file store.
        file: String,
        reason: &'static str,
    },
}

/// The result of comparing the checkpoints with the database.
#[derive(Debug, Clone, Default)]
pub struct CheckpointReport {
    /// Number of companies with a checkpoint.
    pub companies: u64,
    /// The oldest time at which one of these companies wrote its last checkpoint.
    pub since: Option<Timestamp>,
    /// Companies whose checkpoints were restarted by the operator, with the time of the restart.
    pub restarted: Vec<(CompanyId, Timestamp)>,
    pub faults: Vec<CheckpointFault>,
}

struct Last {
    checkpoint: Checkpoint,
    file: BlobHash,
    restarted_at: Option<Timestamp>,
}

/// Reason why a company's checkpoints cannot be used.
enum Unusable {
    Damaged(CheckpointFault),
    Failed(Error),
}

impl From<Error> for Unusable {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl App {
    /// Writes a checkpoint for each company whose last one is old enough. Returns their number.
    pub fn write_checkpoints(&self) -> Result<u64, Error> {
        self.key_heads()?;
        let mut written = 0;
        for company in self.store.read(|tx| store::company::list(tx).map_err(Error::from))? {
            match self.write_checkpoint(&company.id) {
                Ok(is_new) => written += u64::from(is_new),
                Err(Unusable::Damaged(fault)) => {
                    tracing::error!(company = %company.id, %fault, "no checkpoint was written, because an earlier one is damaged");
                }
                Err(Unusable::Failed(error)) => return Err(error),
            }
        }
        Ok(written)
    }

    /// Accepts the database as it is and ignores earlier checkpoints. Meant for use after a deliberate restore from a
    /// backup.
    pub fn restart_checkpoints(&self, actor: &Actor) -> Result<(), Error> {
        let by = actor.must_operate()?;
        let company = by.company();
        let logged = by.logs(Action::CheckpointsRestarted, self.now());
        self.store.write(move |tx| logged.write(tx))?;
        self.key_heads()?;
        let names = self.checkpoint_names(company)?;
        let last = match names.last() {
            Some(name) => self.blobs.get_named(&path(company, name))?.map(|bytes| (name, bytes)),
            None => None,
        };
        let (segments, count) = self
            .list_heads(company, &BTreeMap::new())
            .map_err(|error| match error {
                Unusable::Failed(error) => error,
                Unusable::Damaged(fault) => Error::internal("listing heads", fault),
            })?;
        let mut checkpoint = Checkpoint::after(None, company.clone(), self.now(), count, segments);
        checkpoint.is_restart = true;
        if let Some((name, bytes)) = last {
            checkpoint.number = number_of(name).unwrap_or_default().saturating_add(1);
            checkpoint.previous = Some(BlobHash::of(&bytes));
        }
        self.put_checkpoint(checkpoint)?;
        Ok(())
    }

    /// Compares the database with the last checkpoint of each company.
    pub(crate) fn check_checkpoints(&self) -> Result<CheckpointReport, Error> {
        let mut report = CheckpointReport::default();
        let (_, companies) = self.blobs.list_named(FOLDER)?;
        for company in companies.iter().filter_map(|id| CompanyId::parse(id).ok()) {
            let last = match self.last_checkpoint(&company) {
                Ok(None) => continue,
                Ok(Some(last)) => last,
                Err(Unusable::Damaged(fault)) => {
                    report.faults.push(fault);
                    continue;
                }
                Err(Unusable::Failed(error)) => return Err(error),
            };
            report.companies += 1;
            let at = Timestamp::from_microsecond(last.checkpoint.at).unwrap_or(Timestamp::MIN);
            report.since = Some(report.since.map_or(at, |since| since.min(at)));
            report
                .restarted
                .extend(last.restarted_at.map(|at| (company.clone(), at)));
            for segment in &last.checkpoint.segments {
                match self.segment(&company, segment) {
                    Ok(heads) => report
                        .faults
                        .extend(self.mismatches(&company, last.checkpoint.number, heads)?),
                    Err(Unusable::Damaged(fault)) => report.faults.push(fault),
                    Err(Unusable::Failed(error)) => return Err(error),
                }
            }
        }
        Ok(report)
    }

    fn mismatches(
        &self,
        company: &CompanyId,
        checkpoint: u64,
        heads: Vec<KnownHead>,
    ) -> Result<Vec<CheckpointFault>, Error> {
        let whose = company.clone();
        let found = self
            .store
            .read(move |tx| store::check::against_heads(tx, &whose, &heads).map_err(Error::from))?;
        let company = || company.clone();
        let faults = found.into_iter().map(|(head, mismatch)| match mismatch {
            Mismatch::Gone => CheckpointFault::Deleted {
                company: company(),
                workflow: head.workflow,
                checkpoint,
            },
            Mismatch::Shorter(found) => CheckpointFault::RolledBack {
                company: company(),
                workflow: head.workflow,
                found,
                recorded: head.sequence,
                checkpoint,
            },
            Mismatch::Another => CheckpointFault::Rewritten {
                company: company(),
                workflow: head.workflow,
                entry: head.sequence,
                checkpoint,
            },
        });
        Ok(faults.collect())
    }

    /// Adds codes to the heads of workflows from earlier versions, which are trusted on first use.
    fn key_heads(&self) -> Result<(), Error> {
        let mut after = WorkflowId(0);
        loop {
            let uncoded = self
                .store
                .read(move |tx| store::checkpoint::uncoded(tx, after, AT_ONCE).map_err(Error::from))?;
            let Some((_, last)) = uncoded.last() else {
                return Ok(());
            };
            after = *last;
            for (company, workflow) in uncoded {
                let vault = self.vault.clone();
                self.store.write(move |tx| {
                    let Some(mut held) = store::hold(tx, &company, workflow)? else {
                        return Ok(());
                    };
                    if keyed_chain::is_uncoded(held.head()) {
                        let code = keyed_chain::code(&vault, &company, workflow, held.head().head);
                        store::checkpoint::key(&mut held, &company, workflow, code)?;
                    }
                    Ok::<_, Error>(())
                })?;
            }
        }
    }

    fn write_checkpoint(&self, company: &CompanyId) -> Result<bool, Unusable> {
        let now = self.now();
        let last = self.last_checkpoint(company)?;
        let is_recent = |last: &Last| {
            let at = Timestamp::from_microsecond(last.checkpoint.at).unwrap_or(Timestamp::MIN);
            // Setting the clock back does not stop checkpoints.
            (SignedDuration::ZERO..AT_SOONEST).contains(&now.duration_since(at))
        };
        if last.as_ref().is_some_and(is_recent) {
            return Ok(false);
        }
        let mut before = BTreeMap::new();
        for segment in last.iter().flat_map(|last| &last.checkpoint.segments) {
            before.insert(segment.number, *segment);
        }
        let (segments, count) = self.list_heads(company, &before)?;
        if last.is_none() && segments.is_empty() {
            return Ok(false);
        }
        let previous = last.as_ref().map(|last| (&last.checkpoint, last.file));
        let checkpoint = Checkpoint::after(previous, company.clone(), now, count, segments);
        let is_new = self.put_checkpoint(checkpoint)?;
        if is_new {
            self.remove_old_checkpoints(company)?;
        }
        Ok(is_new)
    }

    /// Advances the heads of the previous checkpoint to the current ones, and writes them as segments.
    fn list_heads(
        &self,
        company: &CompanyId,
        before: &BTreeMap<i64, Segment>,
    ) -> Result<(Vec<Segment>, u64), Unusable> {
        let mut waiting: BTreeMap<i64, Segment> = before.clone();
        let mut segments = Vec::new();
        let (mut count, mut after) = (0, WorkflowId(0));
        let mut pending: Vec<(WorkflowId, domain::KeyedHead)> = Vec::new();
        loop {
            let whose = company.clone();
            let rows = self
                .store
                .read(move |tx| store::checkpoint::heads(tx, &whose, after, AT_ONCE).map_err(Error::from))?;
            let is_last = rows.len() < AT_ONCE as usize;
            after = rows.last().map_or(after, |(id, _)| *id);
            pending.extend(rows);
            // A segment is complete when a workflow of a later segment has been read.
            let open = if is_last {
                i64::MAX
            } else {
                KnownHead::segment_of(after)
            };
            loop {
                let of_row = pending.first().map(|(id, _)| KnownHead::segment_of(*id));
                let next = of_row.into_iter().chain(waiting.keys().next().copied()).min();
                let Some(number) = next.filter(|number| *number < open) else {
                    break;
                };
                let rest = pending.split_off(pending.partition_point(|(id, _)| KnownHead::segment_of(*id) == number));
                let rows = std::mem::replace(&mut pending, rest);
                let known = match waiting.remove(&number) {
                    Some(segment) => self.segment(company, &segment)?,
                    None => Vec::new(),
                };
                let heads = self.moved_on(company, known, &rows)?;
                count += heads.len() as u64;
                if !heads.is_empty() {
                    segments.push(self.put_segment(company, number, &heads)?);
                }
            }
            if is_last {
                return Ok((segments, count));
            }
        }
    }

    /// Advances each head of a segment along its own chain. A head that cannot be advanced stays unchanged.
    fn moved_on(
        &self,
        company: &CompanyId,
        known: Vec<KnownHead>,
        rows: &[(WorkflowId, domain::KeyedHead)],
    ) -> Result<Vec<KnownHead>, Error> {
        let mut heads: BTreeMap<WorkflowId, KnownHead> = known.into_iter().map(|head| (head.workflow, head)).collect();
        let ours = rows
            .iter()
            .filter(|(id, keyed)| keyed_chain::is_ours(&self.vault, company, *id, keyed));
        let mut moved = Vec::new();
        for (id, keyed) in ours {
            let new = KnownHead {
                workflow: *id,
                sequence: keyed.head.sequence,
                hash: keyed.head.hash,
            };
            match heads.get(id) {
                None => drop(heads.insert(*id, new)),
                Some(old) if *old == new => {}
                Some(old) => moved.push((*old, new)),
            }
        }
        let (whose, before) = (company.clone(), moved.iter().map(|(old, _)| *old).collect::<Vec<_>>());
        let broken = self
            .store
            .read(move |tx| store::check::against_heads(tx, &whose, &before).map_err(Error::from))?;
        for (old, new) in moved {
            if !broken.iter().any(|(head, _)| head.workflow == old.workflow) {
                heads.insert(old.workflow, new);
            }
        }
        Ok(heads.into_values().collect())
    }

    fn last_checkpoint(&self, company: &CompanyId) -> Result<Option<Last>, Unusable> {
        let mut last: Option<Last> = None;
        for name in self.checkpoint_names(company)? {
            let file = path(company, &name);
            let Some(bytes) = self.blobs.get_named(&file).map_err(Error::from)? else {
                continue;
            };
            let damaged = |reason| {
                Unusable::Damaged(CheckpointFault::Damaged {
                    file: file.clone(),
                    reason,
                })
            };
            let read = serde_json::from_slice::<KeyedCheckpoint>(&bytes).ok();
            let Some(KeyedCheckpoint { checkpoint, code }) = read else {
                return Err(damaged("it is not a checkpoint"));
            };
            let code = hex::decode(code).unwrap_or_default();
            let is_ours = self
                .vault
                .tag_matches(Purpose::Checkpoint, &checkpoint.statement(), &code);
            if !is_ours || !checkpoint.is_sound(company) || number_of(&name) != Some(checkpoint.number) {
                return Err(damaged("it was not written by this installation, or it was changed"));
            }
            if !checkpoint.is_restart
                && let Some(before) = &last
                && (checkpoint.previous != Some(before.file) || checkpoint.number != before.checkpoint.number + 1)
            {
                return Err(damaged("it does not follow the checkpoint before it"));
            }
            let restarted_at = if checkpoint.is_restart {
                Timestamp::from_microsecond(checkpoint.at).ok()
            } else {
                last.and_then(|last| last.restarted_at)
            };
            last = Some(Last {
                checkpoint,
                file: BlobHash::of(&bytes),
                restarted_at,
            });
        }
        Ok(last)
    }

    /// Returns the names of a company's checkpoints since the last restart, oldest first.
    fn checkpoint_names(&self, company: &CompanyId) -> Result<Vec<String>, Error> {
        let (mut names, _) = self.blobs.list_named(&format!("{FOLDER}/{company}"))?;
        names.retain(|name| number_of(name).is_some());
        Ok(names)
    }

    fn segment(&self, company: &CompanyId, segment: &Segment) -> Result<Vec<KnownHead>, Unusable> {
        let file = segment_path(company, &segment.hash);
        let bytes = self.blobs.get_named(&file).map_err(Error::from)?;
        let damaged = |reason| {
            Unusable::Damaged(CheckpointFault::Damaged {
                file: file.clone(),
                reason,
            })
        };
        let bytes = bytes.ok_or_else(|| damaged("it is missing"))?;
        if BlobHash::of(&bytes) != segment.hash {
            return Err(damaged("it was changed"));
        }
        KnownHead::read(&bytes).ok_or_else(|| damaged("it was changed"))
    }

    fn put_segment(&self, company: &CompanyId, number: i64, heads: &[KnownHead]) -> Result<Segment, Error> {
        let bytes = KnownHead::write(heads);
        let hash = BlobHash::of(&bytes);
        // If the file already exists, it has the same content.
        self.blobs.put_named(&segment_path(company, &hash), &bytes)?;
        Ok(Segment { number, hash })
    }

    fn put_checkpoint(&self, checkpoint: Checkpoint) -> Result<bool, Error> {
        let file = path(&checkpoint.company, &format!("{:010}.json", checkpoint.number));
        let code = hex::encode(self.vault.tag(Purpose::Checkpoint, &checkpoint.statement()));
        let keyed = KeyedCheckpoint { checkpoint, code };
        let bytes = serde_json::to_vec(&keyed).map_err(|error| Error::internal("writing a checkpoint", error))?;
        Ok(self.blobs.put_named(&file, &bytes)?)
    }

    /// Removes checkpoints that are no longer needed, and segments that no remaining checkpoint lists.
    fn remove_old_checkpoints(&self, company: &CompanyId) -> Result<(), Error> {
        let mut names = self.checkpoint_names(company)?;
        let kept = names.split_off(names.len().saturating_sub(KEPT));
        if names.is_empty() {
            return Ok(());
        }
        for name in names {
            self.blobs.delete_named(&path(company, &name))?;
        }
        let mut needed = std::collections::BTreeSet::new();
        for name in kept {
            let bytes = self.blobs.get_named(&path(company, &name))?.unwrap_or_default();
            let keyed = serde_json::from_slice::<KeyedCheckpoint>(&bytes)
                .map_err(|error| Error::internal("reading a checkpoint", error))?;
            needed.extend(keyed.checkpoint.segments.iter().map(|segment| segment.hash.to_string()));
        }
        let (segments, _) = self.blobs.list_named(&format!("{FOLDER}/{company}/segments"))?;
        for segment in segments.iter().filter(|segment| !needed.contains(*segment)) {
            self.blobs
                .delete_named(&format!("{FOLDER}/{company}/segments/{segment}"))?;
        }
        Ok(())
    }
}

fn path(company: &CompanyId, name: &str) -> String {
    format!("{FOLDER}/{company}/{name}")
}

fn segment_path(company: &CompanyId, hash: &BlobHash) -> String {
    format!("{FOLDER}/{company}/segments/{hash}")
}

fn number_of(name: &str) -> Option<u64> {
    name.strip_suffix(".json")?.parse().ok()
}
