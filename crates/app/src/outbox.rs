//! Messages to people and webhooks to programs: formatting, storing until delivery, and listing.
//!
//! May use: base, links, values, templates, sealing, companies.

pub(crate) mod hidden_links;
pub mod mail;
pub(crate) mod mail_for_members;
pub mod mail_sample;
pub mod mail_template;
pub(crate) mod messages;
pub(crate) mod outgoing;
pub(crate) mod reach;
pub(crate) mod webhook;
pub(crate) mod webhook_history;
