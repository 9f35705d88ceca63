//! Everything that leaves the house: webhooks to customers' servers, mails and messages to people.
//!
//! A use-case puts what is to be told into the outbox, in the transaction that decided it; this crate takes it from there.
//! [`runner`] claims what is due and records what came of it, [`webhook`], [`mailer`] and [`messenger`] make one try, [`bounce`] reads
//! what comes back of mails, [`guarded_client`]
//! is the only way by which an address that a stranger chose is called, [`schedule`] says when a failed try is repeated.
//!
//! Nothing is lost and nothing is promised that cannot be kept: each delivery arrives at least once, with the same id and
//! the same bytes on every try, or ends as a dead letter that history shows.
#![deny(missing_docs)]

pub mod bounce;
mod connector;
pub mod customer_words;
pub mod egress;
pub mod guarded_client;
pub mod mailer;
pub mod messenger;
pub mod network;
pub mod node;
pub mod nodes;
pub mod runner;
pub mod schedule;
mod shares;
pub mod webhook;

pub use egress::Egress;
pub use guarded_client::GuardedClient;
pub use mailer::{MailSettings, MailTls, Mailer};
pub use messenger::Messengers;
pub use network::{GuardedNetwork, SourceRules};
pub use runner::{Runner, RunnerSettings};
