//! Contacts that people have proved to be theirs.
//!
//! Anyone can enter someone else's address: in a public link, as a placeholder in an embedded document, when assigning
//! a document to someone else. Two recipients with equal contacts are therefore not necessarily the same person. Only a
//! [`ProvedContact`] may be used to look up other documents for a contact.

use jiff::Timestamp;

use crate::contact::Contact;
use crate::event::{Event, EventKind};
use crate::ids::RecipientId;
use crate::workflow::Recipient;

/// A link that we send only to its recipient's own contact, and never put into a response, a webhook or a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveredLink {
    /// The recipient who proved the contact.
    pub recipient: RecipientId,
    /// The version of the recipient's links at that time.
    pub version: u32,
}

/// A contact whose messages the person in this session has shown they can read.
///
/// It can only be created from one of the proofs below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvedContact(Contact);

impl ProvedContact {
    /// Proves the contact by a link that was delivered to it and is still valid. A correction or a reassignment
    /// increments the version, so an earlier link proves nothing about the new contact.
    pub fn by_delivered_link(recipient: &Recipient, link: DeliveredLink) -> Option<Self> {
        let is_theirs = link.recipient == recipient.id && link.version == recipient.link_version;
        is_theirs.then(|| Self(recipient.contact.clone()))
    }

    /// Proves the contact by a one-time code entered in this session at `entered`, if the code was sent to the contact
    /// itself. A code sent to `mobile` proves only that number. `events` is the workflow's audit trail.
    pub fn by_one_time_code(
        recipient: &Recipient,
        events: impl IntoIterator<Item = Event>,
        entered: Timestamp,
    ) -> Option<Self> {
        let mut went_to_contact = false;
        for Event { at, event, .. } in events {
            match event {
                EventKind::RecipientCorrected { recipient: named, .. }
                | EventKind::HandedOver { recipient: named, .. }
                    if named.id == recipient.id =>
                {
                    went_to_contact = false;
                }
                // `entered` has no fractions of a second, but two codes are at least a minute apart.
                EventKind::OneTimeCodeSent { recipient: to_whom, to }
                    if to_whom == recipient.id && at.as_second() <= entered.as_second() =>
                {
                    went_to_contact = to.is_none();
                }
                _ => {}
            }
        }
        went_to_contact.then(|| Self(recipient.contact.clone()))
    }

    /// Returns a key that is equal for the same contact ([`Contact::key`]).
    pub fn key(&self) -> String {
        self.0.key()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Actor, NamedRecipient};
    use crate::workflow::Progress;

    const ID: RecipientId = RecipientId(7);

    fn recipient() -> Recipient {
        Recipient {
            id: ID,
            order: 1,
            place: 1,
            role: None,
            name: "Kim".to_owned(),
            contact: Contact::Email("kim@example.com".to_owned()),
            mobile: Some("010-1234-5678".to_owned()),
            company: None,
            language: None,
            link_version: 3,
            progress: Progress::Waiting,
        }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn event(second: i64, event: EventKind) -> Event {
        Event {
            at: at(second),
            actor: Actor::SERVICE,
            event,
        }
    }

    fn sent(second: i64, recipient: RecipientId, to: Option<&str>) -> Event {
        let to = to.map(Into::into);
        event(second, EventKind::OneTimeCodeSent { recipient, to })
    }

    fn corrected(second: i64) -> Event {
        let recipient = NamedRecipient {
            id: ID,
            order: 1,
            name: "Lee".into(),
            contact: "lee@example.com".into(),
            phone: None,
            company: None,
        };
        event(
            second,
            EventKind::RecipientCorrected {
                recipient,
                mobile: None,
            },
        )
    }

    #[test]
    fn a_delivered_link_proves_the_contact_of_its_own_recipient_at_its_own_version() {
        let link = |recipient, version| DeliveredLink { recipient, version };
        let proved = ProvedContact::by_delivered_link(&recipient(), link(ID, 3));
        assert_eq!(proved.map(|proved| proved.key()), Some("kim@example.com".to_owned()));
        for other in [link(ID, 2), link(ID, 4), link(RecipientId(8), 3)] {
            assert_eq!(ProvedContact::by_delivered_link(&recipient(), other), None);
        }
    }

    #[test]
    fn a_code_proves_the_contact_only_if_it_was_the_one_sent_there() {
        let proved =
            |events: Vec<Event>, entered| ProvedContact::by_one_time_code(&recipient(), events, at(entered)).is_some();
        let mobile = Some("010-1234-5678");
        assert!(proved(vec![sent(10, ID, None)], 20));
        assert!(proved(vec![sent(10, ID, None)], 10));
        assert!(!proved(vec![], 20), "no code was sent");
        assert!(!proved(vec![sent(10, ID, mobile)], 20), "it went to the other number");
        assert!(!proved(vec![sent(10, RecipientId(8), None)], 20), "it was another's");
        assert!(
            !proved(vec![sent(10, ID, None), corrected(15)], 20),
            "it went to the old address"
        );
        // Each session proves only the contact to which its own code was sent.
        let both = || vec![sent(10, ID, mobile), sent(80, ID, None)];
        assert!(!proved(both(), 20));
        assert!(proved(both(), 90));
        let both = || vec![sent(10, ID, None), sent(80, ID, mobile)];
        assert!(proved(both(), 20));
        assert!(!proved(both(), 90));
    }
}
