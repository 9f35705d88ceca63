//! Erases a person from finished workflows: the texts next to their chains, and their rows.

use domain::{ChainFormat, CompanyId, Entry, Recipient, RecipientId, Status, Workflow, WorkflowId};

use crate::chain::audit;
use crate::sql::erasure as sql;
use crate::{Error, HeldWorkflow, Transaction, values};

/// A workflow whose chain mentions a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mentioning {
    pub id: WorkflowId,
    /// The workflow's state.
    pub status: Status,
    pub format: ChainFormat,
}

/// Returns the `LIKE … ESCAPE '!'` pattern for texts that contain this one.
fn holding(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.chars() {
        if matches!(character, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

/// Returns the next workflows of a company whose chains contain one of two texts. Case is ignored for the letters that
/// the database can fold.
pub fn mentioning(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    after: WorkflowId,
    texts: [&str; 2],
    most: u32,
) -> Result<Vec<Mentioning>, Error> {
    let [one, other] = texts.map(holding);
    tx.query(&sql::MENTIONING, values![company, after, one, other, most])?
        .iter()
        .map(|row| {
            let number: i64 = row.get("chain_format")?;
            Ok(Mentioning {
                id: row.get("id")?,
                status: row.parse("status", |word| Status::parse(word).ok_or("no state"))?,
                format: ChainFormat::parse(number).ok_or_else(|| row.fault("chain_format", "is unknown".to_owned()))?,
            })
        })
        .collect()
}

/// Replaces the texts next to the chain with the entry's own.
pub fn set_texts(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    workflow: WorkflowId,
    entry: &Entry,
) -> Result<(), Error> {
    let sequence = i64::try_from(entry.sequence).unwrap_or(i64::MAX);
    held.execute_one(
        &sql::SET_TEXTS,
        values![company, workflow, sequence, audit::texts(entry)?],
    )
}

/// Updates the texts of a finished workflow and its recipients. `findable` are the recipients who can still be found by
/// their contact. `about` contains the comment and hint of each recipient.
pub fn set_rows(
    held: &mut HeldWorkflow<'_>,
    workflow: &Workflow,
    end_comment: Option<&str>,
    findable: &[RecipientId],
    about: impl Fn(RecipientId) -> (Option<String>, Option<String>),
) -> Result<(), Error> {
    let (company, id) = (&workflow.company, workflow.id);
    let copies = crate::workflows::workflow::json(&sql::SET_WORKFLOW, 6, &workflow.copies)?;
    let comment = workflow.comment.as_deref();
    held.execute_one(
        &sql::SET_WORKFLOW,
        values![company, id, &workflow.name, comment, end_comment, copies],
    )?;
    // The remaining texts are indexed later.
    crate::workflows::search::forget(held, company, id)?;
    for recipient in &workflow.recipients {
        let Recipient { name, contact, .. } = recipient;
        let key = if findable.contains(&recipient.id) {
            contact.key()
        } else {
            String::new()
        };
        let (comment, hint) = about(recipient.id);
        held.execute_one(
            &sql::SET_RECIPIENT,
            values![
                company,
                id,
                recipient.id,
                name,
                contact.as_given(),
                contact.phone(),
                key,
                recipient.mobile.as_deref(),
                comment,
                hint,
                recipient.company.as_deref(),
            ],
        )?;
    }
    Ok(())
}

/// Deletes a finished workflow's messages and webhooks that are finished too. Returns how many are left.
pub fn delete_messages(held: &mut HeldWorkflow<'_>, company: &CompanyId, workflow: WorkflowId) -> Result<u64, Error> {
    held.execute(&sql::DELETE_MESSAGES, values![company, workflow])?;
    held.query_one(&sql::MESSAGES_LEFT, values![company, workflow])?
        .get("messages")
}
