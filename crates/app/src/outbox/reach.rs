//! Determines which people can receive messages and one-time codes.

use domain::{Contact, Recipient, Region};

use crate::App;

/// A gateway, and the messages that it can send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayReach {
    /// The gateway's name in the configuration.
    pub name: String,
    /// The kinds of messages that the gateway sends: `request`, `code` …
    pub kinds: Vec<&'static str>,
    /// Prefixes of the numbers that the gateway reaches. `+` alone stands for every number.
    pub numbers: Vec<String>,
}

impl GatewayReach {
    /// Whether the gateway accepts this kind of message to this number.
    pub fn serves(&self, kind: &str, number: &str) -> bool {
        let is_reached = |beginning: &String| number.starts_with(beginning.as_str());
        self.kinds.contains(&kind) && self.numbers.iter().any(is_reached)
    }
}

impl App {
    /// Returns the contact that receives a signer's one-time codes.
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

    /// Whether a code can be sent to this person. Without one, they could never sign.
    pub(crate) fn code_reaches(&self, recipient: &Recipient, region: Region) -> bool {
        match self.code_contact(recipient, region).phone() {
            Some(number) => self.has_messenger_to(number),
            None => self.settings.codes_by_mail,
        }
    }
}
