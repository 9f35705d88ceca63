//! Which people messages and one-time codes can reach.

use domain::{Contact, Recipient, Region};

use crate::App;

/// A gateway, and which messages it can be asked to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayReach {
    /// Its name in the configuration.
    pub name: String,
    /// The kinds of messages that it carries: `request`, `code` …
    pub kinds: Vec<&'static str>,
    /// Beginnings of the numbers that it reaches; `+` alone is every number.
    pub numbers: Vec<String>,
}

impl GatewayReach {
    /// Whether the gateway would accept a kind of message to a number.
    pub fn serves(&self, kind: &str, number: &str) -> bool {
        let is_reached = |beginning: &String| number.starts_with(beginning.as_str());
        self.kinds.contains(&kind) && self.numbers.iter().any(is_reached)
    }
}

impl App {
    /// Where a signer's one-time codes are sent.
    pub(crate) fn code_contact(&self, recipient: &Recipient, region: Region) -> Contact {
        let mobile = recipient
            .mobile
            .as_deref()
            .and_then(|mobile| Contact::parse(mobile, region).ok())
            .filter(|mobile| mobile.phone().is_some_and(|number| self.has_messenger_to(number)));
        match (&recipient.contact, mobile) {
            (Contact::Email(_), Some(mobile)) => mobile,
            _ => recipient.contact.clone(),
        }
    }

    fn has_messenger_to(&self, number: &str) -> bool {
        let beginnings = &self.settings.codes_to;
        beginnings
            .iter()
            .any(|beginning| number.starts_with(beginning.as_str()))
    }

    /// Whether a code can be sent to this person at all: if nothing delivers it, they could never sign.
    pub(crate) fn code_reaches(&self, recipient: &Recipient, region: Region) -> bool {
        match self.code_contact(recipient, region).phone() {
            Some(number) => self.has_messenger_to(number),
            None => self.settings.codes_by_mail,
        }
    }
}
