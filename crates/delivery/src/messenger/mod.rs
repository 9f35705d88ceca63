//! Sends messages to telephone numbers, through the gateways that the operator chose.
//!
//! **Actors.** A [`Description`] says how to call a gateway: address, headers, body, and how to read its answer. The
//! built-in [`profiles`] are such descriptions and nothing more. [`Messengers`] has all configured gateways, in the
//! order in which we ask them.
//!
//! **Guarantees.**
//! - A value never changes the shape of a request. It goes into one string of a JSON document or one field of a form,
//!   which we serialise afterwards; into an address percent-encoded; into a header without control characters.
//! - Every request goes through [`GuardedClient`]: no private address unless the operator allowed it for this gateway,
//!   no redirects, a deadline, and a limit on what we read.
//! - Credentials appear in no `Debug` output, and we remove them from the words that a gateway answers.
//! - Later tries send the same request except for time and salt, with the same id if the gateway accepts one.
//!
//! **One try** asks the gateways that serve the number, one after the other, until one accepts the message. We ask the
//! next one only if the previous one has certainly not accepted it: it refused, we never reached it, or it is
//! overloaded. If a gateway may have accepted the message (no answer in time, an internal error), the try ends and the
//! schedule repeats it: a duplicate is better than no message, but one message is better than two. If all gateways
//! refuse, the delivery has failed.

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

/// The kinds of messages that people with telephone numbers get. Each kind can have its own template.
pub fn kinds() -> impl Iterator<Item = &'static str> + Clone {
    let kinds = MailKind::ALL.into_iter().filter(|kind| !kind.is_for_members());
    kinds.map(MailKind::word)
}

/// How long one try may take over all gateways. It is shorter than the margin of any lease.
const LONGEST_TRY: Duration = Duration::from_secs(40);

/// A message that is ready to be sent.
#[derive(Debug, Clone, Copy)]
pub struct Outgoing<'m> {
    pub mail: &'m OutgoingMail,
    /// The same on every try.
    pub event_id: &'m str,
    pub at: Timestamp,
}

/// The result of a try at one gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The gateway's name in the configuration.
    pub gateway: String,
    /// The HTTP status, if an answer arrived.
    pub status: Option<u16>,
    pub verdict: Verdict,
    /// The gateway's id of the message, if it gave one.
    pub message_id: Option<String>,
    /// The gateway's own words, or why we could not reach it.
    pub words: String,
    /// How long the gateway asks us to wait.
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
    /// Gateway, id and words on one line, as the history stores them.
    pub fn line(&self) -> String {
        let id = self.message_id.as_deref().map(|id| format!("{id} "));
        format!("{}: {}{}", self.gateway, id.unwrap_or_default(), self.words)
            .trim_end_matches([' ', ':'])
            .to_owned()
    }
}

/// All gateways, in the order in which we ask them.
#[derive(Clone)]
pub struct Messengers {
    gateways: Arc<Vec<Gateway>>,
    random: Arc<dyn Random>,
}

impl Messengers {
    /// Uses this egress, and resolves names as the operating system does.
    pub fn through(
        egress: &Egress,
        settings: Vec<GatewaySettings>,
        random: Arc<dyn Random>,
    ) -> Result<Messengers, GatewayFault> {
        Messengers::made(egress, settings, random, &(Arc::new(SystemLookup) as Arc<dyn Lookup>))
    }

    /// Uses its own name lookup and no proxy.
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

    /// In the order in which we ask them.
    pub fn gateways(&self) -> &[Gateway] {
        &self.gateways
    }

    /// Prefixes of the numbers that at least one gateway reaches with this kind of message.
    pub fn reaches(&self, kind: &str) -> Vec<String> {
        let carrying = self.gateways.iter().filter(|gateway| gateway.carries(kind));
        carrying.flat_map(Gateway::reaches).collect()
    }

    /// What each gateway carries, in their order.
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

    /// Sends through one gateway, whichever numbers it serves. `None` if it does not exist or cannot carry the message.
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
                Err(_) => gateway.unanswered("no time was left in this try".to_owned(), Verdict::Unknown),
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
