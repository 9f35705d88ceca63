//! The members' list of documents: what is under way, whom each waits for, and what failed.

use std::collections::{BTreeMap, BTreeSet};

use domain::{MemberId, Status, WorkflowId};
use jiff::Timestamp;
use store::workflow::{ListFilter, ListedSigner, ListedWorkflow};

use crate::App;
use crate::base::actor::Actor;
use crate::base::error::{Error, Fault};
use crate::workflow::workflow_view::{ListRequest, finds_nothing, list_filter};

/// The length of a page.
const PER_PAGE: u32 = 50;

/// Which documents the list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DocumentTab {
    #[default]
    All,
    InProgress,
    Complete,
    /// Declined, cancelled or expired.
    Ended,
}

impl DocumentTab {
    pub const ALL: [Self; 4] = [Self::All, Self::InProgress, Self::Complete, Self::Ended];

    /// The tab in an address.
    pub const fn code(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::InProgress => "in-progress",
            Self::Complete => "complete",
            Self::Ended => "ended",
        }
    }

    /// The tab of an address; all documents if there is no such tab.
    pub fn read(code: &str) -> Self {
        Self::ALL.into_iter().find(|tab| tab.code() == code).unwrap_or_default()
    }

    fn statuses(self) -> Vec<Status> {
        match self {
            Self::All => Vec::new(),
            Self::InProgress => vec![Status::Playing],
            Self::Complete => vec![Status::Complete],
            Self::Ended => vec![Status::Rejected, Status::Canceled, Status::Expired],
        }
    }
}

/// A document of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRow {
    pub id: WorkflowId,
    pub name: String,
    pub status: Status,
    /// The sender's name.
    pub sender: String,
    /// Names of the signers whose turn it is.
    pub waits_for: Vec<String>,
    /// The current step, or the one at which it ended.
    pub step: u32,
    pub steps: u32,
    /// When it last changed hands: started, signed, returned or ended.
    pub changed_at: Timestamp,
    pub expires_at: Timestamp,
    /// Whether a mail or text message about it was given up.
    pub has_failed_message: bool,
    /// Whether a webhook about it was given up.
    pub has_failed_webhook: bool,
}

/// A page of the list, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentPage {
    pub rows: Vec<DocumentRow>,
    /// Pass it as the cursor to get the next page.
    pub older: Option<i64>,
}

/// Everything about the listed workflows that is not in their rows.
struct Beside {
    signers: BTreeMap<WorkflowId, Vec<ListedSigner>>,
    undelivered: BTreeSet<(WorkflowId, bool)>,
    members: BTreeMap<MemberId, String>,
}

impl App {
    /// A page of the company's documents. Reads `template_id`, `from`, `to`, `text` and `cursor` of the request.
    pub fn documents(&self, actor: &Actor, tab: DocumentTab, request: &ListRequest) -> Result<DocumentPage, Error> {
        let by = actor.must_read()?;
        let mut faults: Vec<Fault> = Vec::new();
        let filter = list_filter(by, request, &mut faults);
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        if finds_nothing(request, &filter) {
            return Ok(DocumentPage::default());
        }
        let filter = ListFilter {
            statuses: tab.statuses(),
            limit: PER_PAGE.saturating_add(1),
            skip: 0,
            ..filter
        };
        let company = by.company().clone();
        let (mut rows, beside) = self.store.read(move |tx| {
            let rows = store::workflow::list(tx, &company, &filter)?;
            let ids: Vec<WorkflowId> = rows.iter().map(|row| row.id).collect();
            let mut signers: BTreeMap<_, Vec<_>> = BTreeMap::new();
            for signer in store::workflow::signers_of(tx, &company, &ids)? {
                signers.entry(signer.workflow).or_default().push(signer);
            }
            let undelivered = store::workflow::undelivered_of(tx, &company, &ids)?;
            let members = store::member::list(tx, &company)?;
            let beside = Beside {
                signers,
                undelivered: undelivered.into_iter().collect(),
                members: members.into_iter().map(|member| (member.id, member.name)).collect(),
            };
            Ok::<_, Error>((rows, beside))
        })?;
        let more = rows.len() > PER_PAGE as usize;
        rows.truncate(PER_PAGE as usize);
        Ok(DocumentPage {
            older: rows.last().filter(|_| more).map(|row| row.id.get()),
            rows: rows.into_iter().map(|row| beside.row(row)).collect(),
        })
    }
}

impl Beside {
    fn row(&self, listed: ListedWorkflow) -> DocumentRow {
        let signers = self.signers.get(&listed.id).map_or(&[][..], Vec::as_slice);
        let at_turn = signers
            .iter()
            .filter(|signer| listed.status == Status::Playing && signer.step == listed.turn)
            // In a step with several signers, those who have signed wait for the others.
            .filter(|signer| signer.progressed_at.is_none());
        let last_act = signers.iter().filter_map(|signer| signer.progressed_at).max();
        DocumentRow {
            sender: self.members.get(&listed.sender).cloned().unwrap_or_default(),
            waits_for: at_turn.map(|signer| signer.name.clone()).collect(),
            step: listed.turn,
            steps: signers.iter().map(|signer| signer.step).max().unwrap_or_default(),
            changed_at: [Some(listed.started_at), listed.ended_at, last_act]
                .into_iter()
                .flatten()
                .max()
                .unwrap_or(listed.started_at),
            has_failed_message: self.undelivered.contains(&(listed.id, false)),
            has_failed_webhook: self.undelivered.contains(&(listed.id, true)),
            id: listed.id,
            name: listed.name,
            status: listed.status,
            expires_at: listed.expires_at,
        }
    }
}
