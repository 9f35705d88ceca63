//! Everything we send out: webhooks to customers' servers, and mails and text messages to people.
//!
//! A use-case writes what must be sent to the outbox, in the transaction that decided it. This crate delivers it.
//! [`runner`] claims what is due and records the result; [`webhook`], [`mailer`] and [`messenger`] make one try;
//! [`bounce`] reads returned mails; [`bucket_client`] carries files to a bucket; [`guarded_client`] is the only way to call an address that a stranger chose;
//! [`schedule`] decides when to repeat a failed try.
//!
//! We lose nothing, and promise only what we can keep: each delivery arrives at least once, with the same id and the
//! same bytes on every try, or ends as a dead letter that the history shows.

pub mod bounce;
pub mod bucket_client;
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
mod tls_fault;
pub mod webhook;

pub use bucket_client::BucketConnector;
pub use egress::Egress;
pub use guarded_client::GuardedClient;
pub use mailer::{MailLogin, MailSettings, MailTls, Mailer, OAuthSettings, RefreshToken};
pub use messenger::Messengers;
pub use network::{GuardedNetwork, SourceRules};
pub use runner::{Runner, RunnerSettings};
