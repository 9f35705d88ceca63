//! Workflows, their writers and their sealed documents.
//!
//! [`load`] brings a workflow as the domain knows it, with what surrounds it; [`update`] writes it back over the revision
//! that was read, so of two that decide at the same moment one wins and the other is told. Whoever writes, appends to the
//! chain in the same statement's row: a state without its proof cannot be.

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
pub(crate) use list::holding;
pub use list::{ListFilter, ListedWorkflow, list, next_for, with_value};
pub use load::{company_of, load, of_recipient};
pub use sealed::{
    DueTimestamp, SealedDocument, due_timestamps, forget_blob, insert_sealed, put_timestamp_off, refer_to_blob,
    refers_to_blob, replace_sealed, sealed,
};
pub use start::{Party, Reserved, StartContext, insert, party, reserve, start_context, start_context_with_numbers};
pub use update::{discard, update};

/// A workflow with what surrounds it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredWorkflow {
    /// The workflow. The export's authorization value is not in it, but beside it.
    pub workflow: Workflow,
    /// The webhooks' Authorization value, encrypted by the vault.
    pub authorization: Option<Vec<u8>>,
    /// Where its chain ends.
    pub head: KeyedHead,
    /// The last words: of the writer who rejected, or of whoever cancelled.
    pub end_comment: Option<String>,
    /// The company's name as the writers' fields show it: the present one may not fit there.
    pub company_name: String,
    /// The links to its files and the sender's view.
    pub links: Links,
    /// Since when it is hidden.
    pub discarded_at: Option<Timestamp>,
    /// The fonts that it was started with, besides those of the program; none if an earlier version started it.
    pub added_fonts: Option<Vec<BlobHash>>,
    /// What surrounds each recipient, in the recipients' order.
    pub writers: Vec<Writer>,
}

/// What surrounds a recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writer {
    /// The recipient.
    pub id: RecipientId,
    /// The words that came with his approval or rejection.
    pub comment: Option<String>,
    /// His access code, where the sender gave one.
    pub access: Option<AccessCode>,
    /// Wrong codes since the last right one.
    pub access_failures: u32,
    /// When he gave the right code.
    pub access_at: Option<Timestamp>,
    /// When he first saw the document.
    pub viewed_at: Option<Timestamp>,
    /// When he agreed to sign electronically.
    pub consented_at: Option<Timestamp>,
    /// Must he give a code that is sent to his own address?
    pub asks_one_time_code: bool,
    /// The newest code that was sent to him.
    pub one_time_code: Option<OneTimeCode>,
    /// Wrong tries of it.
    pub one_time_failures: u32,
}

/// How it is made sure who opens the document, besides the link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checks {
    /// By a code that the sender gave.
    pub access: Option<AccessCode>,
    /// By a code that is sent to the writer's own address.
    pub one_time_code: bool,
}

/// A one-time code, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneTimeCode {
    /// Makes equal codes differ.
    pub salt: Vec<u8>,
    /// An authentication code of salt and code.
    pub code: Vec<u8>,
    /// When it was sent.
    pub sent_at: Timestamp,
    /// When it was entered: once.
    pub used_at: Option<Timestamp>,
    /// The hash of what the form contained in which it was entered.
    pub used_by: Option<Vec<u8>>,
}

/// An access code, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessCode {
    /// Makes equal codes differ.
    pub salt: Vec<u8>,
    /// An authentication code of salt and code.
    pub code: Vec<u8>,
    /// The sender's hint.
    pub hint: Option<String>,
}

impl Writer {
    /// Whether the recipient has to enter a code, whichever it is, before they see anything.
    pub fn must_enter_code(&self) -> bool {
        self.access.is_some() || self.asks_one_time_code
    }
}

impl StoredWorkflow {
    /// What surrounds a recipient.
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
