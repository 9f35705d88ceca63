//! The field values of workflows, and signers' drafts.

use std::collections::BTreeMap;

use domain::{BlobHash, CompanyId, FieldValue, RecipientId, WorkflowId};
use jiff::Timestamp;

use crate::files::upload;
use crate::sql::workflow_value as sql;
use crate::{Error, HeldWorkflow, Statement, Transaction, values};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredValue {
    /// The signer who entered the value. `None` for the sender.
    pub recipient: Option<RecipientId>,
    pub value: FieldValue,
    /// The salt of the value's hash in the audit trail.
    pub salt: Vec<u8>,
    pub written_at: Timestamp,
}

/// Returns a short hash of a value in the form used for searches, because long texts do not fit into an index.
pub fn wire_hash(compared: &str) -> i64 {
    let hash = BlobHash::of(compared.as_bytes()).0;
    let mut head = [0; 8];
    for (to, from) in head.iter_mut().zip(hash) {
        *to = from;
    }
    i64::from_be_bytes(head)
}

/// Adds a value of a workflow that is being started.
pub fn insert(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    workflow: WorkflowId,
    field: &str,
    stored: &StoredValue,
) -> Result<(), Error> {
    leave(held, &sql::INSERT, company, workflow, field, stored)
}

/// Writes a value, replacing the previous one.
pub fn write(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    workflow: WorkflowId,
    field: &str,
    stored: &StoredValue,
) -> Result<(), Error> {
    leave(held, &sql::WRITE, company, workflow, field, stored)
}

fn leave(
    held: &mut HeldWorkflow<'_>,
    statement: &'static Statement,
    company: &CompanyId,
    workflow: WorkflowId,
    field: &str,
    stored: &StoredValue,
) -> Result<(), Error> {
    let compared = stored.value.compared();
    let value = serde_json::to_string(&stored.value).map_err(|error| Error::Parameter {
        statement: statement.name(),
        position: 5,
        detail: error.to_string(),
    })?;
    held.execute_later(
        statement,
        values![
            workflow,
            company,
            field,
            stored.recipient,
            value,
            compared.as_str(),
            wire_hash(&compared),
            stored.salt.as_slice(),
            stored.written_at,
        ],
    )
}

/// Returns a workflow's values, by field.
pub fn load(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflow: WorkflowId,
) -> Result<BTreeMap<String, StoredValue>, Error> {
    tx.query(&sql::LOAD, values![company, workflow])?
        .iter()
        .map(|row| {
            let stored = StoredValue {
                recipient: row.get("recipient_id")?,
                value: row.parse("value", |text| serde_json::from_str(text))?,
                salt: row.get("salt")?,
                written_at: row.get("written_at")?,
            };
            Ok((row.get("field_name")?, stored))
        })
        .collect()
}

pub fn delete(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    workflow: WorkflowId,
    field: &str,
) -> Result<(), Error> {
    held.execute(&sql::DELETE, values![company, workflow, field]).map(drop)
}

/// Stores a signer's draft (JSON), replacing the previous one.
pub fn save_draft(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    recipient: RecipientId,
    draft: &str,
    at: Timestamp,
) -> Result<(), Error> {
    held.execute_one(&sql::SAVE_DRAFT, values![recipient, company, draft, at])
}

/// Returns a signer's draft (JSON).
pub fn draft(tx: &mut dyn Transaction, company: &CompanyId, recipient: RecipientId) -> Result<Option<String>, Error> {
    tx.query_optional(&sql::LOAD_DRAFT, values![company, recipient])?
        .map(|row| row.get("field_values"))
        .transpose()
}

/// Deletes a signer's draft. Its files become loose.
pub fn delete_draft(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    recipient: RecipientId,
    at: Timestamp,
) -> Result<(), Error> {
    held.execute(&sql::DELETE_DRAFT, values![company, recipient])?;
    upload::end_draft(held, company, recipient, at)
}

/// Deletes the drafts of a workflow that has ended. Their files become loose.
pub fn delete_drafts(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    workflow: WorkflowId,
    at: Timestamp,
) -> Result<(), Error> {
    held.execute_later(&sql::DELETE_DRAFTS, values![company, workflow])?;
    upload::end_workflow(held, company, workflow, at)
}
