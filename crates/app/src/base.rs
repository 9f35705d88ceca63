//! What every use case builds on: errors, actors, keys, ports to the outside, and files that are being stored.
//!
//! Depends on no other module of this crate.

pub(crate) mod actor;
pub(crate) mod audit_log;
pub(crate) mod browser;
pub(crate) mod callback;
pub(crate) mod caller;
pub mod consent;
pub(crate) mod contact_count;
pub(crate) mod documents;
pub(crate) mod error;
pub(crate) mod event_text;
pub(crate) mod field_labels;
pub(crate) mod found;
pub mod installation;
pub mod intake_text;
pub mod key_tokens;
pub(crate) mod keyed_chain;
pub(crate) mod listing;
pub mod network;
pub(crate) mod origin;
pub(crate) mod seal_refusal;
pub(crate) mod signer_error;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod text;
pub(crate) mod uploads;
pub mod vault;
pub(crate) mod verdict_words;
pub(crate) mod webhook_secret;
