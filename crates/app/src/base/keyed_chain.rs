//! Appends to a workflow's chain, with salts for its new texts and an authentication code for its new head.
//!
//! The code is an HMAC with a key derived from the master key. Somebody with access to only the database can change a
//! chain and recompute its hashes, but not the code. A head with a wrong code stays wrong: no later entry makes it
//! valid again.

use domain::{ChainFormat, CompanyId, Entry, Event, Head, KeyedHead, WorkflowId};

use crate::base::vault::{Purpose, Vault};

/// Appends events to a chain. Returns the new entries and the new head.
pub(crate) fn append(
    vault: &Vault,
    company: &CompanyId,
    workflow: WorkflowId,
    before: &KeyedHead,
    events: impl IntoIterator<Item = Event>,
) -> (Vec<Entry>, KeyedHead) {
    let mut head = before.head;
    let mut entries = Vec::new();
    for event in events {
        let (entry, next) = head.append(&event, vault.random());
        entries.push(entry);
        head = next;
    }
    let is_trusted = is_uncoded(before) || before.head.sequence == 0 || is_ours(vault, company, workflow, before);
    let code = if is_trusted {
        Some(code(vault, company, workflow, head))
    } else {
        before.code.clone()
    };
    (entries, KeyedHead { head, code })
}

/// Returns the head of a new workflow before its first entry.
pub(crate) fn genesis(company: &CompanyId, workflow: WorkflowId) -> KeyedHead {
    KeyedHead {
        head: Head::genesis(company, workflow),
        code: None,
    }
}

/// Whether this installation created the head's code.
pub(crate) fn is_ours(vault: &Vault, company: &CompanyId, workflow: WorkflowId, keyed: &KeyedHead) -> bool {
    let statement = keyed.head.statement(company, workflow);
    let code = keyed.code.as_deref();
    code.is_some_and(|code| vault.tag_matches(Purpose::ChainHead, &statement, code))
}

/// Whether the head comes from an earlier version without codes. Such a head is trusted on first use.
pub(crate) fn is_uncoded(keyed: &KeyedHead) -> bool {
    keyed.code.is_none() && keyed.head.format == ChainFormat::One
}

pub(crate) fn code(vault: &Vault, company: &CompanyId, workflow: WorkflowId, head: Head) -> Vec<u8> {
    vault
        .tag(Purpose::ChainHead, &head.statement(company, workflow))
        .to_vec()
}
