//! Sends messages to telephone numbers, through the gateways that the operator chose.
//!
//! **Parts.** A [`Description`] says how to call a gateway: address, headers, body, and how to read its response. The
//! built-in [`profiles`] are just such descriptions. [`Messengers`] has all configured gateways, in the order in which
//! we try them.
//!
//! **Guarantees.**
//! - A value never changes the structure of a request. It is inserted into one string of a JSON document or one field
//!   of a
//!   form, which we serialise afterwards, into an address percent-encoded, or into a header without control characters.
//! - Every request is sent by [`GuardedClient`]: no private address unless the operator allowed it for this gateway,
//!   no redirects, a deadline, and a limit on the response.
//! - Credentials appear in no `Debug` output, and we remove them from a gateway's response.
//! - Later tries send the same request except for time and salt, with the same ID if the gateway accepts one.
//!
//! **One try** sends the message to the gateways that serve the number, one after the other, until one accepts it. We
//! try the next one only if the previous one has certainly not accepted the message: it refused, we never reached it,
//! or it is overloaded. If a gateway may have accepted the message (no response in time, an internal error), the try
//! ends and the schedule repeats it. A duplicate is better than no message, but one message is better than two. If all
//! gateways refuse, the delivery has failed.

mod compose;
mod description;
mod gateway;
pub mod profiles;

use std::sync::Arc;
use std::time::Duration;

use app::GatewayReach;
use app::mail::{MailKind, OutgoingMail};
use domain::Random;
use domain::contact::{Dialled, dialled};
use jiff::Timestamp;

use crate::egress::Egress;
use crate::guarded_client::{Lookup, SystemLookup};

pub use description::{Description, Format, Gateway as GatewaySettings, Method, Reading, SignatureText};
pub use gateway::{Gateway, GatewayFault};

/// Returns the kinds of messages that people with telephone numbers get. Each kind can have its own template.
pub fn kinds() -> impl Iterator<Item = &'static str> + Clone {
    let kinds = MailKind::ALL.into_iter().filter(|kind| !kind.is_for_members());
    kinds.map(MailKind::word)
}

/// Time limit of one try over all gateways. It is shorter than the margin of any lease.
const LONGEST_TRY: Duration = Duration::from_secs(40);

/// A message that is ready to be sent.
#[derive(Debug, Clone, Copy)]
pub struct Outgoing<'m> {
    pub mail: &'m OutgoingMail,
    /// The ID of the event, which is the same on every try.
    pub event_id: &'m str,
    pub at: Timestamp,
}

/// The result of a try at one gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The gateway's name in the configuration.
    pub gateway: String,
    /// The HTTP status, if a response arrived.
    pub status: Option<u16>,
    pub verdict: Verdict,
    /// The gateway's ID of the message, if it returned one.
    pub message_id: Option<String>,
    /// The gateway's own text, or the reason why we could not reach it.
    pub words: String,
    /// Requested wait before the next try, as sent by the gateway.
    pub retry_after: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Taken,
    /// The gateway will never accept this message.
    Refused,
    /// The gateway has not accepted the message yet: we could not reach it, or it is overloaded.
    NotNow,
    /// The gateway may have accepted the message.
    Unknown,
}

impl Report {
    /// Formats gateway, id and message on one line, as the history stores them.
    pub fn line(&self) -> String {
        let id = self.message_id.as_deref().map(|id| format!("{id} "));
        format!("{}: {}{}", self.gateway, id.unwrap_or_default(), self.words)
            .trim_end_matches([' ', ':'])
            .to_owned()
    }
}

/// All gateways, in the order in which we try them.
#[derive(Clone)]
pub struct Messengers {
    gateways: Arc<Vec<Gateway>>,
    random: Arc<dyn Random>,
}

impl Messengers {
    /// Sends through this egress, and resolves names as the operating system does.
    pub fn through(
        egress: &Egress,
        settings: Vec<GatewaySettings>,
        random: Arc<dyn Random>,
    ) -> Result<Messengers, GatewayFault> {
        Messengers::made(egress, settings, random, &(Arc::new(SystemLookup) as Arc<dyn Lookup>))
    }

    /// Resolves names with `lookup`, and uses no proxy.
    pub fn with(
        settings: Vec<GatewaySettings>,
        random: Arc<dyn Random>,
        lookup: &Arc<dyn Lookup>,
    ) -> Result<Messengers, GatewayFault> {
        Messengers::made(&Egress::direct(), settings, random, lookup)
    }

    fn made(
        egress: &Egress,
        settings: Vec<GatewaySettings>,
        random: Arc<dyn Random>,
        lookup: &Arc<dyn Lookup>,
    ) -> Result<Messengers, GatewayFault> {
        let mut gateways = settings
            .into_iter()
            .map(|settings| Gateway::new(egress, settings, lookup))
            .collect::<Result<Vec<_>, _>>()?;
        gateways.sort_by(|one, other| one.place().cmp(&other.place()));
        Ok(Messengers {
            gateways: Arc::new(gateways),
            random,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.gateways.is_empty()
    }

    pub fn gateways(&self) -> &[Gateway] {
        &self.gateways
    }

    /// Returns the prefixes of the numbers that at least one gateway reaches with this kind of message.
    pub fn reaches(&self, kind: &str) -> Vec<String> {
        let carrying = self.gateways.iter().filter(|gateway| gateway.carries(kind));
        carrying.flat_map(Gateway::reaches).collect()
    }

    /// Lists each gateway with the kinds of messages and the numbers it serves, in the order in which we try them.
    pub fn roster(&self) -> Vec<GatewayReach> {
        let gateways = self.gateways.iter();
        gateways
            .map(|gateway| GatewayReach {
                name: gateway.name().to_owned(),
                kinds: kinds().filter(|kind| gateway.carries(kind)).collect(),
                numbers: gateway.reaches(),
            })
            .collect()
    }

    /// Asks the gateways that serve the number until one accepts the message. `None` if no gateway serves it.
    pub async fn send(&self, message: Outgoing<'_>) -> Option<Vec<Report>> {
        let number = dialled(&message.mail.to)?;
        let serving: Vec<&Gateway> = self
            .gateways
            .iter()
            .filter(|gateway| gateway.serves(&message.mail.to, message.mail))
            .collect();
        if serving.is_empty() {
            return None;
        }
        Some(self.ask(&serving, &number, message).await)
    }

    /// Sends through one gateway, regardless of the numbers it serves. `None` if it does not exist or cannot carry the
    /// message.
    pub async fn send_through(&self, name: &str, message: Outgoing<'_>) -> Option<Vec<Report>> {
        let number = dialled(&message.mail.to)?;
        let gateway = self.gateways.iter().find(|gateway| gateway.name() == name)?;
        Some(self.ask(&[gateway], &number, message).await)
    }

    async fn ask(&self, gateways: &[&Gateway], number: &Dialled, message: Outgoing<'_>) -> Vec<Report> {
        let until = tokio::time::Instant::now() + LONGEST_TRY;
        let mut reports = Vec::new();
        for gateway in gateways {
            let mut salt = [0; 16];
            self.random.fill(&mut salt);
            let report = match tokio::time::timeout_at(until, gateway.send(number, message, &salt)).await {
                Ok(report) => report,
                Err(_) => gateway.unanswered("this try ran out of time".to_owned(), Verdict::Unknown),
            };
            let asks_next = matches!(report.verdict, Verdict::Refused | Verdict::NotNow);
            reports.push(report);
            if !asks_next {
                break;
            }
        }
        reports
    }
}
