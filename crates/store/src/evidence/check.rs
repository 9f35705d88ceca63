//! Checks the consistency of the database for `fsck` and `audit verify`, for all companies. [`crate::compare`] compares
//! rows with chains.
//!
//! Workflows are read in stretches, each in one transaction, so that checking a large installation neither fills the
//! memory nor blocks a running server. Every function only reads.
//!
//! A state without its proof, or half of a transition, cannot come from a crash, because each transition is one
//! transaction. The cause is a damaged database, a manual edit, or a bug of ours, so each finding is an error, never a
//! note.

use std::collections::BTreeMap;

use domain::chain::ChainFault;
use domain::checkpoint::KnownHead;
use domain::replay::Replay;
use domain::{BlobHash, ChainFormat, CompanyId, Entry, Head, KeyedHead, TemplateId, WorkflowId};

use crate::chain::audit;
use crate::evidence::compare::Rows;
use crate::sql::check as sql;
use crate::{Error, Row, Statement, Transaction, values};

/// The maximum number of workflows in a stretch.
const STRETCH: i64 = 200;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("workflow {workflow} of company {company}: {kind}")]
pub struct Fault {
    pub company: CompanyId,
    pub workflow: WorkflowId,
    pub kind: FaultKind,
}

/// The kinds of inconsistency.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// The chain is broken.
    #[error("its chain is broken: {0}")]
    Chain(ChainFault),
    /// Entries were cut off, or added past the workflow's own record.
    #[error("its chain ends at entry {found}, but the workflow's row records entry {recorded}, or another hash")]
    ChainEnd {
        /// The last entry of the chain.
        found: u64,
        /// The last entry according to the row.
        recorded: u64,
    },
    /// The head's code was not made with the master key.
    #[error("the head of its chain was not written by this installation: its code does not match")]
    HeadCode,
    /// The chain and the row have different states.
    #[error("its chain says {chain}, but its row says {row}")]
    State {
        /// The state according to the chain.
        chain: &'static str,
        /// The state according to the row.
        row: String,
    },
    /// A column does not match the chain.
    #[error("table {table}, row {row}, column {column} differs from entry {entry} of its chain")]
    Differs {
        table: &'static str,
        /// The row's key in its table.
        row: String,
        column: String,
        /// The entry that proves the expected value.
        entry: u64,
    },
    /// A row is missing.
    #[error("table {table}: row {row} is missing, although entry {entry} of its chain says that it exists")]
    RowMissing {
        table: &'static str,
        /// The row's key in its table.
        row: String,
        /// The entry that proves the row.
        entry: u64,
    },
    /// A row exists that no entry proves.
    #[error("table {table}: no entry of its chain mentions row {row}")]
    RowUnknown {
        table: &'static str,
        /// The row's key in its table.
        row: String,
    },
    /// A text next to the chain is missing, although no entry says that it was erased.
    #[error("entry {entry} of its chain lacks a text that no entry reports as erased")]
    TextMissing { entry: u64 },
    /// A column cannot be read.
    #[error("column {column} {detail}")]
    Unreadable { column: String, detail: String },
    /// Complete without sealed files, or sealed files without Complete.
    #[error("it is complete without its sealed files, or has sealed files without being complete")]
    Seal,
    /// Complete, although someone has not approved.
    #[error("it is complete, although not all signers have approved")]
    NotAllApproved,
    /// The steps are not in order.
    #[error("its signers' progress does not match the current step")]
    OutOfTurn,
    /// It is nobody's turn, so the workflow cannot continue.
    #[error("it is in progress, but it is nobody's turn")]
    NobodysTurn,
}

/// The result for one stretch of workflows.
#[derive(Debug, Clone, Default)]
pub struct Chains {
    /// The number of workflows that were checked.
    pub workflows: u64,
    /// The number of entries in their chains.
    pub entries: u64,
    /// The number of heads without a code. Workflows of earlier versions have none until they are used again.
    pub without_code: u64,
    /// The inconsistencies in these workflows.
    pub faults: Vec<Fault>,
    /// The last workflow of the stretch. `None` if there were no more.
    pub last: Option<WorkflowId>,
}

/// Returns whether this installation made the code of a workflow's head.
pub type IsOurs<'i> = &'i dyn Fn(&CompanyId, WorkflowId, &KeyedHead) -> bool;

/// Checks the next stretch of workflows: each chain on its own and against the head and its code in the workflow's row,
/// and the workflow's rows against the chain. `erased` are the words that replace erased texts in rows.
pub fn chains(
    tx: &mut dyn Transaction,
    after: WorkflowId,
    erased: &[String],
    is_ours: IsOurs<'_>,
) -> Result<Chains, Error> {
    let mut checked = Chains::default();
    let workflows = tx.query(&sql::WORKFLOWS, values![after, STRETCH])?;
    let Some(last) = workflows.last() else {
        return Ok(checked);
    };
    let rows = Rows::load(tx, after, last.get("id")?)?;
    for row in &workflows {
        let (company, workflow): (CompanyId, WorkflowId) = (row.get("company_id")?, row.get("id")?);
        checked.workflows += 1;
        checked.last = Some(workflow);
        let found = match chain(tx, row, &company, workflow, is_ours) {
            Ok(chain) => {
                checked.entries += chain.entries;
                checked.without_code += u64::from(chain.is_uncoded);
                match chain.replay {
                    Ok(replay) => differences(row, &rows, (&company, workflow), &replay, chain.format, erased),
                    Err(kind) => vec![kind],
                }
            }
            // A column that was edited into something unreadable.
            Err(Error::Column { column, detail, .. }) => vec![FaultKind::Unreadable { column, detail }],
            Err(error) => return Err(error),
        };
        checked.faults.extend(found.into_iter().map(|kind| Fault {
            company: company.clone(),
            workflow,
            kind,
        }));
    }
    Ok(checked)
}

/// A chain that was checked on its own.
struct CheckedChain {
    entries: u64,
    format: ChainFormat,
    is_uncoded: bool,
    /// The state after the chain's events, or what is wrong with the chain.
    replay: Result<Replay, FaultKind>,
}

fn chain(
    tx: &mut dyn Transaction,
    row: &Row,
    company: &CompanyId,
    workflow: WorkflowId,
    is_ours: IsOurs<'_>,
) -> Result<CheckedChain, Error> {
    let keyed = audit::head(row)?;
    let (recorded, format) = (keyed.head, keyed.head.format);
    let entries = audit::load(tx, company, workflow)?;
    let is_uncoded = format == ChainFormat::One && keyed.code.is_none();
    let replay = match domain::chain::verify(Head::genesis_of(format, company, workflow), &entries) {
        Err(fault) => Err(FaultKind::Chain(fault)),
        _ if !is_uncoded && !is_ours(company, workflow, &keyed) => Err(FaultKind::HeadCode),
        Ok(head) if head != recorded => Err(FaultKind::ChainEnd {
            found: head.sequence,
            recorded: recorded.sequence,
        }),
        Ok(_) => replay(&entries),
    };
    Ok(CheckedChain {
        entries: entries.len() as u64,
        format,
        is_uncoded,
        replay,
    })
}

fn replay(entries: &[Entry]) -> Result<Replay, FaultKind> {
    let replay = Replay::of(entries).ok_or(FaultKind::Chain(ChainFault::Payload(1)))?;
    let is_unexplained = |entry: &&Entry| {
        let erased = entry.erased_texts();
        erased.iter().any(|text| !replay.erased.contains(text))
    };
    match entries.iter().find(is_unexplained) {
        Some(entry) => Err(FaultKind::TextMissing { entry: entry.sequence }),
        None => Ok(replay),
    }
}

fn differences(
    row: &Row,
    rows: &Rows,
    whose: (&CompanyId, WorkflowId),
    replay: &Replay,
    format: ChainFormat,
    erased: &[String],
) -> Vec<FaultKind> {
    let mut found = rows.differences(row, whose, replay, format, erased);
    let (proved, _) = replay.status.is;
    let recorded = row.get::<String>("status").unwrap_or_default();
    if proved.code() != recorded {
        found.push(FaultKind::State {
            chain: proved.code(),
            row: recorded,
        });
    }
    found
}

/// How a chain differs from one of its earlier heads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    /// The workflow is missing.
    Gone,
    /// The chain ends at this entry, before the earlier head.
    Shorter(u64),
    /// The chain has a different entry in the place of the earlier head.
    Another,
}

/// Returns the heads that the chains do not contain.
pub fn against_heads(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    heads: &[KnownHead],
) -> Result<Vec<(KnownHead, Mismatch)>, Error> {
    let (Some(first), Some(last)) = (heads.first(), heads.last()) else {
        return Ok(Vec::new());
    };
    let most = u32::try_from(last.workflow.get() - first.workflow.get() + 1).unwrap_or(u32::MAX);
    let after = WorkflowId(first.workflow.get() - 1);
    let rows = crate::chain::checkpoint::heads(tx, company, after, most)?;
    let now: BTreeMap<WorkflowId, Head> = rows.into_iter().map(|(id, keyed)| (id, keyed.head)).collect();
    let mut found = Vec::new();
    for head in heads {
        let mismatch = match now.get(&head.workflow) {
            None => Some(Mismatch::Gone),
            Some(now) if now.sequence < head.sequence => Some(Mismatch::Shorter(now.sequence)),
            Some(now) if now.sequence == head.sequence => (now.hash != head.hash).then_some(Mismatch::Another),
            Some(_) => {
                let hash = crate::chain::checkpoint::hash_at(tx, company, head.workflow, head.sequence)?;
                (hash != Some(head.hash)).then_some(Mismatch::Another)
            }
        };
        found.extend(mismatch.map(|mismatch| (*head, mismatch)));
    }
    Ok(found)
}

/// Finds incomplete transitions.
pub fn states(tx: &mut dyn Transaction) -> Result<Vec<Fault>, Error> {
    let rules: [(&'static Statement, FaultKind); 4] = [
        (&crate::sql::workflow::UNSOUND, FaultKind::Seal),
        (&sql::NOT_ALL_APPROVED, FaultKind::NotAllApproved),
        (&sql::OUT_OF_TURN, FaultKind::OutOfTurn),
        (&sql::NOBODYS_TURN, FaultKind::NobodysTurn),
    ];
    let mut faults = Vec::new();
    for (statement, kind) in rules {
        for row in tx.query(statement, values![])? {
            let kind = kind.clone();
            faults.push(Fault {
                company: row.get("company_id")?,
                workflow: row.get("id")?,
                kind,
            });
        }
    }
    Ok(faults)
}

/// A file that is needed, and its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needed {
    /// The file's hash.
    pub hash: BlobHash,
    /// The file's length, if the database contains it.
    pub length: Option<u64>,
    pub owner: Owner,
}

/// The object that needs a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Owner {
    /// A workflow, for its document, certificate, signatures and images.
    #[error("workflow {1} of company {0}")]
    Workflow(CompanyId, WorkflowId),
    /// A template, for its PDF and the images of its pages.
    #[error("version {2} of template {1} of company {0}")]
    Template(CompanyId, TemplateId, u32),
    /// A preview.
    #[error("a preview")]
    Preview,
}

/// Returns the files that the next stretch of workflows needs, and the last of these workflows.
pub fn files_of_workflows(
    tx: &mut dyn Transaction,
    after: WorkflowId,
) -> Result<(Vec<Needed>, Option<WorkflowId>), Error> {
    let rows = tx.query(&sql::WORKFLOWS, values![after, STRETCH])?;
    let Some(last) = rows.last() else {
        return Ok((Vec::new(), None));
    };
    let last: WorkflowId = last.get("id")?;
    let mut needed = Vec::new();
    for row in tx.query(&sql::REFERENCES, values![after, last])? {
        needed.push(Needed {
            hash: row.get("hash")?,
            length: None,
            owner: owner(&row)?,
        });
    }
    for row in tx.query(&sql::SEALED, values![after, last])? {
        for (hash, length) in [
            ("document_hash", "document_length"),
            ("certificate_hash", "certificate_length"),
        ] {
            // A column that was edited into something unreadable is reported by the comparison with the chain.
            if let (Ok(hash), Ok(length)) = (row.get(hash), row.get(length)) {
                needed.push(Needed {
                    hash,
                    length: Some(length),
                    owner: owner(&row)?,
                });
            }
        }
    }
    for statement in [&sql::VALUES, &sql::DRAFTS] {
        for row in tx.query(statement, values![after, last])? {
            let owner = owner(&row)?;
            for hash in named_files(&row).unwrap_or_default() {
                needed.push(Needed {
                    hash,
                    length: None,
                    owner: owner.clone(),
                });
            }
        }
    }
    Ok((needed, Some(last)))
}

/// Returns the files that templates and previews need.
pub fn files_of_templates(tx: &mut dyn Transaction) -> Result<Vec<Needed>, Error> {
    let mut needed = Vec::new();
    for row in tx.query(&sql::TEMPLATES, values![])? {
        let owner = Owner::Template(row.get("company_id")?, row.get("template_id")?, row.get("version")?);
        // A column that was edited into something unreadable is reported by the comparison with the chains.
        let images = row.parse("page_images", |text| serde_json::from_str::<Vec<BlobHash>>(text));
        let mut hashes = images.unwrap_or_default();
        hashes.extend(row.get::<BlobHash>("pdf"));
        needed.extend(hashes.into_iter().map(|hash| Needed {
            hash,
            length: None,
            owner: owner.clone(),
        }));
    }
    for row in tx.query(&sql::PREVIEWS, values![])? {
        let hashes = named_files(&row).unwrap_or_default();
        needed.extend(hashes.into_iter().map(|hash| Needed {
            hash,
            length: None,
            owner: Owner::Preview,
        }));
    }
    Ok(needed)
}

fn owner(row: &Row) -> Result<Owner, Error> {
    Ok(Owner::Workflow(row.get("company_id")?, row.get("workflow_id")?))
}

/// Returns every member `hash` that contains a file's name, at any depth of a JSON text.
fn named_files(row: &Row) -> Result<Vec<BlobHash>, Error> {
    let json: serde_json::Value = row.parse("content", |text| serde_json::from_str(text))?;
    let mut found = Vec::new();
    let mut waiting = vec![&json];
    while let Some(value) = waiting.pop() {
        match value {
            serde_json::Value::Array(items) => waiting.extend(items),
            serde_json::Value::Object(members) => {
                found.extend(members.get("hash").and_then(|hash| BlobHash::parse(hash.as_str()?)));
                waiting.extend(members.values());
            }
            _ => {}
        }
    }
    Ok(found)
}
