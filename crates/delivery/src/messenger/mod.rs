//! Messages to telephone numbers, through the gateways that the operator chose.
//!
//! **Actors.** A gateway is described ([`Description`]): address, headers, body, and how its answer is read. The ready
//! ones are such descriptions and nothing more ([`profiles`]). [`Messengers`] holds all that are configured, in the order
//! in which they are asked.
//!
//! **Guarantees.**
//! - A value never changes the shape of a request: it is put into one string of a JSON document or one field of a form,
//!   which are written out afterwards; into an address percent-encoded; into a header without control characters.
//! - Everything goes through [`GuardedClient`]: no private address unless the operator allowed it for this gateway, no
//!   redirect, a deadline, a bound on what is read.
//! - Credentials stand in no `Debug`, and are taken out of the words that a gateway answers.
//! - What is sent on a later try is the same but for time and salt, with the same id where the gateway takes one.
//!
//! **One try** asks the gateways that serve the number, one after the other, until one has taken the message. The next is
//! asked only where the one before has certainly not taken it: it refused, it was never reached, or it has too much to do.
//! A gateway that may have taken it (no answer in time, an error of its own) ends the try, and the schedule repeats it:
//! better a message twice than none, better once than twice. If all refuse, it is over.

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

/// The kinds of messages that people with telephone numbers get, as templates are chosen by them.
pub fn kinds() -> impl Iterator<Item = &'static str> + Clone {
    let kinds = MailKind::ALL.into_iter().filter(|kind| !kind.is_for_members());
    kinds.map(MailKind::word)
}

/// How long one try may take over all gateways; shorter than any lease's margin.
const LONGEST_TRY: Duration = Duration::from_secs(40);

/// A message that is ready to go.
#[derive(Debug, Clone, Copy)]
pub struct Outgoing<'m> {
    /// What it says and to whom.
    pub mail: &'m OutgoingMail,
    /// The same on every try.
    pub event_id: &'m str,
    /// Now.
    pub at: Timestamp,
}

/// What became of a try at one gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The gateway's name in the configuration.
    pub gateway: String,
    /// The HTTP status, where an answer came.
    pub status: Option<u16>,
    /// What it means.
    pub verdict: Verdict,
    /// The gateway's id of the message, where it gave one.
    pub message_id: Option<String>,
    /// The gateway's own words, or what went wrong on the way to it.
    pub words: String,
    /// How long it asks to be left alone.
    pub retry_after: Option<String>,
}

/// What a gateway's answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It has taken the message.
    Taken,
    /// It will never take this message.
    Refused,
    /// It has not taken it now: it was not reached, or has too much to do.
    NotNow,
    /// It may have taken it.
    Unknown,
}

impl Report {
    /// Gateway, id and words on one line, as the history keeps them.
    pub fn line(&self) -> String {
        let id = self.message_id.as_deref().map(|id| format!("{id} "));
        format!("{}: {}{}", self.gateway, id.unwrap_or_default(), self.words)
            .trim_end_matches([' ', ':'])
            .to_owned()
    }
}

/// All gateways, in the order in which they are asked.
#[derive(Clone)]
pub struct Messengers {
    gateways: Arc<Vec<Gateway>>,
    random: Arc<dyn Random>,
}

impl Messengers {
    /// Gateways that are reached by this way out, and resolve names as the operating system does.
    pub fn through(
        egress: &Egress,
        settings: Vec<GatewaySettings>,
        random: Arc<dyn Random>,
    ) -> Result<Messengers, GatewayFault> {
        Messengers::made(egress, settings, random, &(Arc::new(SystemLookup) as Arc<dyn Lookup>))
    }

    /// Gateways with their own way to resolve names, reached without a proxy.
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

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.gateways.is_empty()
    }

    /// The gateways, in their order.
    pub fn gateways(&self) -> &[Gateway] {
        &self.gateways
    }

    /// Beginnings of the numbers to which one of them takes a kind of message.
    pub fn reaches(&self, kind: &str) -> Vec<String> {
        let carrying = self.gateways.iter().filter(|gateway| gateway.carries(kind));
        carrying.flat_map(Gateway::reaches).collect()
    }

    /// What each of them is asked to take, in their order.
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

    /// Asks the gateways that serve the number until one has taken the message. None where none serves it.
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

    /// Sends through one gateway, whichever numbers it serves; none where it does not exist or cannot carry the message.
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
