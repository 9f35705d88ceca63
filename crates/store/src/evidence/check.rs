//! The database against itself: what `fsck` and `audit verify` find, all companies. [`crate::compare`] compares rows with chains.
//!
//! Read a stretch of workflows at a time, each in one transaction, so that checking a large installation neither fills
//! the memory nor blocks a running server. Every function reads only.
//!
//! A state without its proof, or half of a transition, cannot come from a crash (each transition is one transaction), only
//! from a damaged database, an edit by hand, or a fault of ours: so each finding is a fault, never a note.

use std::collections::BTreeMap;

use domain::chain::ChainFault;
use domain::checkpoint::KnownHead;
use domain::replay::Replay;
use domain::{BlobHash, ChainFormat, CompanyId, Entry, Head, KeyedHead, TemplateId, WorkflowId};

use crate::chain::audit;
use crate::evidence::compare::Rows;
use crate::sql::check as sql;
use crate::{Error, Row, Statement, Transaction, values};

/// How many workflows a stretch has at most.
const STRETCH: i64 = 200;

/// An inconsistency.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("workflow {workflow} of company {company}: {kind}")]
pub struct Fault {
    pub company: CompanyId,
    pub workflow: WorkflowId,
    pub kind: FaultKind,
}

/// The inconsistency.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// The chain is broken.
    #[error("its chain is broken: {0}")]
    Chain(ChainFault),
    /// Entries were cut off, or added past the workflow's own record.
    #[error("its chain ends at entry {found}, but the workflow's row records entry {recorded}, or another hash")]
    ChainEnd {
        /// Where the chain ends.
        found: u64,
        /// Where the row says that it ends.
        recorded: u64,
    },
    /// The head was written by someone without the master key.
    #[error("the head of its chain was not written by this installation: its code does not match")]
    HeadCode,
    /// The chain and the row have different states.
    #[error("its chain says {chain}, its row {row}")]
    State {
        /// The state according to the chain.
        chain: &'static str,
        /// The state according to the row.
        row: String,
    },
    /// A column says something else than the chain.
    #[error("table {table}, row {row}, column {column} differs from entry {entry} of its chain")]
    Differs {
        table: &'static str,
        /// The row's key in it.
        row: String,
        column: String,
        /// The entry that says what it must be.
        entry: u64,
    },
    /// A row is gone.
    #[error("table {table}: row {row} is missing; entry {entry} of its chain says that it exists")]
    RowMissing {
        table: &'static str,
        /// The row's key in it.
        row: String,
        /// The entry that says so.
        entry: u64,
    },
    /// A row was added.
    #[error("table {table}: no entry of its chain mentions row {row}")]
    RowUnknown {
        table: &'static str,
        /// The row's key in it.
        row: String,
    },
    /// A text next to the chain is gone, although no entry says that it was erased.
    #[error("entry {entry} of its chain lacks a text that no entry says was erased")]
    TextMissing { entry: u64 },
    /// A column cannot be read at all.
    #[error("column {column} {detail}")]
    Unreadable { column: String, detail: String },
    /// Complete without sealed files, or sealed files without Complete.
    #[error("it is complete without its sealed files, or has sealed files without being complete")]
    Seal,
    /// Complete, although someone has not approved.
    #[error("it is complete though not all have approved")]
    NotAllApproved,
    /// The steps are not in order.
    #[error("its writers' progress does not match the current step")]
    OutOfTurn,
    /// It cannot continue.
    #[error("it is in progress, but it is nobody's turn")]
    NobodysTurn,
}

/// The workflows in a stretch, and where the next one begins.
#[derive(Debug, Clone, Default)]
pub struct Chains {
    /// How many workflows were looked at.
    pub workflows: u64,
    /// How many entries their chains have.
    pub entries: u64,
    /// How many heads have no code yet: of workflows of earlier versions, until they are used next.
    pub without_code: u64,
    /// What is wrong with them.
    pub faults: Vec<Fault>,
    /// The last of them. `None` if there were no more.
    pub last: Option<WorkflowId>,
}

/// Whether the code of a workflow's head is the one that this installation makes.
pub type IsOurs<'i> = &'i dyn Fn(&CompanyId, WorkflowId, &KeyedHead) -> bool;

/// Checks the chains of the next stretch of workflows: each in itself, against the head in the workflow's row and its
/// code, and the workflow's rows against it. `erased` are the words in rows for erased texts.
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

/// A chain that was checked in itself.
struct CheckedChain {
    entries: u64,
    format: ChainFormat,
    is_uncoded: bool,
    /// The state after its events, or what is wrong with it.
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

/// How a chain differs from an earlier head of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    /// The workflow is gone.
    Gone,
    /// The chain ends at this entry, before that head.
    Shorter(u64),
    /// It has another entry at that place.
    Another,
}

/// Those of the heads that the chains do not contain.
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

/// Looks for halves of transitions.
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

/// A file that is needed, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needed {
    /// The file.
    pub hash: BlobHash,
    /// Its length, if the database knows it.
    pub length: Option<u64>,
    pub owner: Owner,
}

/// What needs a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Owner {
    /// A workflow: its document, certificate, signatures, pictures.
    #[error("workflow {1} of company {0}")]
    Workflow(CompanyId, WorkflowId),
    /// A template: its PDF and the images of its pages.
    #[error("version {2} of template {1} of company {0}")]
    Template(CompanyId, TemplateId, u32),
    /// A preview.
    #[error("a preview")]
    Preview,
}

/// The files that the next stretch of workflows needs, and the last of these workflows.
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

/// The files that templates and previews need.
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

/// Every member `hash` with a file's name in a JSON text, at any depth.
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
