//! Writes a workflow back after a change.

use domain::{CompanyId, Entry, KeyedHead, Progress, Recipient, RecipientId, State, Workflow, WorkflowId};
use jiff::Timestamp;

use super::StoredWorkflow;
use crate::chain::held_workflow::head_sequence;
use crate::sql::workflow as sql;
use crate::{Error, HeldWorkflow, Transaction, values};

/// Writes the workflow, the new entries of its chain with their head, and the recipients that differ. Returns the
/// workflow, which this transaction holds, or `None` if another change came first. A new person in a recipient's place
/// starts fresh: no other statement names recipients, so they see nothing that the earlier person did or wrote.
pub fn update<'t>(
    tx: &'t mut dyn Transaction,
    before: &StoredWorkflow,
    after: &Workflow,
    (entries, head): (&[Entry], &KeyedHead),
    end_comment: Option<&str>,
    acting: Option<(RecipientId, Option<&str>)>,
    at: Timestamp,
) -> Result<Option<HeldWorkflow<'t>>, Error> {
    let (turn, ended_by) = match after.state {
        State::Playing { order } | State::Canceled { order, .. } | State::Expired { order, .. } => (order, None),
        State::Complete { .. } => (after.last_order(), None),
        State::Rejected { order, recipient, .. } => (order, Some(recipient)),
    };
    let written = tx.execute(
        &sql::UPDATE,
        values![
            &after.company,
            after.id,
            before.workflow.revision,
            after.expires_at,
            after.state.status().code(),
            turn,
            after.state.ended_at(),
            ended_by,
            end_comment.or(before.end_comment.as_deref()),
            after.first_step_reported,
            head_sequence(head.head),
            head.head.hash,
            after.revision,
            head_sequence(before.head.head),
            head.code.clone(),
        ],
    )?;
    if written != 1 {
        return Ok(None);
    }
    let mut locked = HeldWorkflow::written(tx, head.clone());
    crate::chain::audit::insert(&mut locked, &after.company, after.id, entries)?;
    for recipient in &after.recipients {
        update_recipient(&mut locked, (before, after), recipient, acting, at)?;
    }
    Ok(Some(locked))
}

/// Writes a recipient if they differ. Links and codes of the earlier person stop working.
fn update_recipient(
    held: &mut HeldWorkflow<'_>,
    (before, after): (&StoredWorkflow, &Workflow),
    recipient: &Recipient,
    acting: Option<(RecipientId, Option<&str>)>,
    at: Timestamp,
) -> Result<(), Error> {
    let (company, id) = (&before.workflow.company, before.workflow.id);
    let old = before.workflow.recipient(recipient.id);
    let is_replaced = old.is_some_and(|old| recipient.replaces(old));
    let old_comment = before.writer(recipient.id).and_then(|writer| writer.comment.as_deref());
    let comment = match acting {
        Some((id, comment)) if id == recipient.id => comment,
        _ if is_replaced => None,
        _ => old_comment,
    };
    if old == Some(recipient) && comment == old_comment {
        return Ok(());
    }
    let (progress, progressed_at) = match recipient.progress {
        Progress::Waiting => ("waiting", None),
        Progress::Approved { at } => ("approved", Some(at)),
        Progress::Rejected { at } => ("rejected", Some(at)),
    };
    held.execute_one(
        &sql::UPDATE_RECIPIENT,
        values![
            company,
            id,
            recipient.id,
            &recipient.name,
            recipient.contact.as_given(),
            recipient.contact.phone(),
            recipient.link_version,
            progress,
            progressed_at,
            comment,
            recipient.contact.key(),
            recipient.mobile.as_deref(),
            recipient.company.as_deref(),
        ],
    )?;
    // Without a return, which changes the turn, the same person only has a new link. What is theirs stays, also the count of
    // wrong codes: otherwise each new link would allow as many tries again.
    let is_returned = before.workflow.turn() != after.turn();
    let is_asked_anew = |old: &Recipient| old.link_version != recipient.link_version;
    if is_replaced || (is_returned && old.is_some_and(is_asked_anew)) {
        held.execute_one(&sql::RESET_ACCESS, values![company, id, recipient.id])?;
    }
    if is_replaced {
        crate::workflows::workflow_value::delete_draft(held, company, recipient.id, at)?;
    }
    Ok(())
}

/// Hides a finished workflow. `false` if it is in progress or already hidden.
pub fn discard(held: &mut HeldWorkflow<'_>, company: &CompanyId, id: WorkflowId, at: Timestamp) -> Result<bool, Error> {
    let is_hidden = held.execute(&sql::DISCARD, values![company, id, at])? == 1;
    if is_hidden {
        crate::workflows::search::forget(held, company, id)?;
    }
    Ok(is_hidden)
}
