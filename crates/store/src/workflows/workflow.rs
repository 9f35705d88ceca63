//! Workflows, their signers and their sealed documents.
//!
//! [`load`] reads a workflow as the domain defines it, with its other columns. [`update`] writes it back only if its
//! revision is still the one that was read, so of two simultaneous changes one wins and the other is refused. A change
//! also writes the entries of the chain, so no state exists without its proof.

use domain::{BlobHash, KeyedHead, Links, OnReject, RecipientId, Workflow};
use jiff::Timestamp;

use crate::Error;

mod checks;
mod due;
mod list;
mod load;
mod sealed;
mod start;
mod update;

pub use checks::{
    count_access_failure, count_one_time_failure, hold_writer, reset_access, set_access, set_consented,
    set_one_time_code, set_viewed, use_one_time_code,
};
pub use due::{forget_reminder_looks, overdue, reminder_looks, set_expiry_look, set_reminder_look};
pub use list::{ListFilter, ListedSigner, ListedWorkflow, list, next_for, signers_of, undelivered_of, with_value};
pub use load::{company_of, load, of_recipient};
pub use sealed::{
    DueTimestamp, SealedDocument, due_timestamps, forget_blob, insert_sealed, put_timestamp_off, refer_to_blob,
    refers_to_blob, replace_sealed, sealed,
};
pub use start::{
    NewWorkflow, Party, Reserved, StartContext, insert, party, reserve, start_context, start_context_with_numbers,
};
pub use update::{discard, update};

/// A workflow with its other columns.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredWorkflow {
    /// Without the value of the webhooks' Authorization header, which is in `authorization`.
    pub workflow: Workflow,
    /// The value of the webhooks' Authorization header, encrypted by the vault.
    pub authorization: Option<Vec<u8>>,
    pub head: KeyedHead,
    /// The comment of the signer who declined, or of the person who canceled.
    pub end_comment: Option<String>,
    /// The company's name as shown in the signers' fields. Its current name may not fit into them.
    pub company_name: String,
    /// The links to the finished files and to the sender's view.
    pub links: Links,
    /// The time since which it is hidden.
    pub discarded_at: Option<Timestamp>,
    /// The fonts that were added when the workflow was started. `None` if an earlier version started it.
    pub added_fonts: Option<Vec<BlobHash>>,
    /// In the order of the recipients.
    pub writers: Vec<Writer>,
}

/// A recipient with the other columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writer {
    pub id: RecipientId,
    /// The comment on their approval or rejection.
    pub comment: Option<String>,
    /// The access code, if the sender set one.
    pub access: Option<AccessCode>,
    /// The number of wrong access codes since the last right one.
    pub access_failures: u32,
    /// When they entered the right access code.
    pub access_at: Option<Timestamp>,
    /// When they first viewed the document.
    pub viewed_at: Option<Timestamp>,
    /// When they agreed to sign electronically.
    pub consented_at: Option<Timestamp>,
    /// Whether they must enter a code that we send them.
    pub asks_one_time_code: bool,
    /// The latest code that was sent to them.
    pub one_time_code: Option<OneTimeCode>,
    /// The number of wrong tries of the latest code.
    pub one_time_failures: u32,
}

/// How we check the signer's identity, in addition to the link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checks {
    /// A code that the sender set.
    pub access: Option<AccessCode>,
    /// A code that we send to the signer's own address.
    pub one_time_code: bool,
}

/// A one-time code as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneTimeCode {
    /// Makes equal codes differ.
    pub salt: Vec<u8>,
    /// A message authentication code of salt and code.
    pub code: Vec<u8>,
    pub sent_at: Timestamp,
    /// When the code was entered. A code works once.
    pub used_at: Option<Timestamp>,
    /// The hash of the form in which the code was entered.
    pub used_by: Option<Vec<u8>>,
}

/// An access code as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessCode {
    /// Makes equal codes differ.
    pub salt: Vec<u8>,
    /// A message authentication code of salt and code.
    pub code: Vec<u8>,
    /// The sender's hint.
    pub hint: Option<String>,
}

impl Writer {
    /// Whether the recipient must enter a code of either kind before they see anything.
    pub fn must_enter_code(&self) -> bool {
        self.access.is_some() || self.asks_one_time_code
    }
}

impl StoredWorkflow {
    pub fn writer(&self, id: RecipientId) -> Option<&Writer> {
        self.writers.iter().find(|writer| writer.id == id)
    }
}

pub(crate) const fn on_reject_word(on_reject: OnReject) -> &'static str {
    match on_reject {
        OnReject::End => "end",
        OnReject::Return => "return",
    }
}

pub(crate) fn json<T: serde::Serialize>(
    statement: &'static crate::Statement,
    position: usize,
    value: &T,
) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::Parameter {
        statement: statement.name(),
        position,
        detail: error.to_string(),
    })
}
