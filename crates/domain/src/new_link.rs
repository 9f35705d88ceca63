//! When the holder of a replaced signing link may have a new one sent.
//!
//! It is sent only to the contact that the step has. So the link must have been sent to that contact as well: a person
//! whose address was corrected, or who assigned the document to somebody else, must not be able to end the links of the
//! person after them. The chain says which link was made for whom, and when links were asked for.

use jiff::{SignedDuration, Timestamp};

use crate::event::{Event, EventKind};
use crate::ids::RecipientId;
use crate::recent_times::{Limit, RecentTimes};

/// How often one link can be used to ask for another one.
const OF_A_LINK: [Limit; 2] = [(1, SignedDuration::from_mins(10)), (3, SignedDuration::from_hours(24))];
/// How often links are sent for one step.
const OF_A_STEP: [Limit; 1] = [(5, SignedDuration::from_hours(24))];
/// How often links are sent to one address, over all documents of a company.
pub const OF_AN_ADDRESS: [Limit; 2] = [(5, SignedDuration::from_hours(1)), (20, SignedDuration::from_hours(24))];

/// Why no new link is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoNewLink {
    /// This is the newest link, or the chain knows no such link.
    NotReplaced,
    /// The link was another person's, or went to another address.
    NotTheirs,
    /// Others were sent recently; one may be sent after this time.
    Wait(SignedDuration),
}

/// Whether the holder of this link may have a new one sent, by the events of an audit trail, in order.
pub fn may_be_sent(
    events: impl IntoIterator<Item = Event>,
    recipient: RecipientId,
    link_version: u32,
    at: Timestamp,
) -> Result<(), NoNewLink> {
    let place = Place::of(events, recipient, link_version).ok_or(NoNewLink::NotReplaced)?;
    if link_version >= place.version {
        return Err(NoNewLink::NotReplaced);
    }
    if link_version < place.theirs_from {
        return Err(NoNewLink::NotTheirs);
    }
    place.asked_with_link.allows(&OF_A_LINK, at).map_err(NoNewLink::Wait)?;
    place.asked.allows(&OF_A_STEP, at).map_err(NoNewLink::Wait)
}

/// A recipient's place, as the events leave it.
struct Place {
    order: u32,
    contact: crate::PersonalText,
    /// The version of the newest link.
    version: u32,
    /// The first version that was made for the present contact.
    theirs_from: u32,
    /// When new links were asked for.
    asked: RecentTimes,
    /// The same, of those who held the link in question.
    asked_with_link: RecentTimes,
}

impl Place {
    fn of(events: impl IntoIterator<Item = Event>, recipient: RecipientId, link_version: u32) -> Option<Place> {
        let mut events = events.into_iter();
        let start = events.next()?;
        let first = start
            .event
            .first_people()
            .iter()
            .find(|person| person.id == recipient)?;
        let mut place = Place {
            order: first.order,
            contact: first.contact.clone(),
            version: 1,
            theirs_from: 1,
            asked: RecentTimes::default(),
            asked_with_link: RecentTimes::default(),
        };
        for event in events {
            place.apply(&event, recipient, link_version);
        }
        Some(place)
    }

    fn apply(&mut self, event: &Event, recipient: RecipientId, link_version: u32) {
        match &event.event {
            EventKind::RecipientCorrected { recipient: person, .. }
            | EventKind::HandedOver { recipient: person, .. }
                if person.id == recipient =>
            {
                self.version = self.version.saturating_add(1);
                if person.contact != self.contact {
                    self.contact = person.contact.clone();
                    self.theirs_from = self.version;
                }
            }
            EventKind::Returned {
                from_order, to_order, ..
            } if [*from_order, *to_order].contains(&self.order) => {
                self.version = self.version.saturating_add(1);
            }
            EventKind::NewLinkRequested {
                recipient: of,
                link_version: with,
            } if *of == recipient => {
                self.version = self.version.saturating_add(1);
                self.asked.add(&OF_A_STEP, event.at);
                if *with == link_version {
                    self.asked_with_link.add(&OF_A_LINK, event.at);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Actor, NamedRecipient};
    use crate::ids::TemplateId;
    use crate::value::BlobHash;

    const PLACE: RecipientId = RecipientId(7);
    const OTHER: RecipientId = RecipientId(8);

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_second(minutes * 60).unwrap()
    }

    fn event(minutes: i64, event: EventKind) -> Event {
        Event {
            at: at(minutes),
            actor: Actor::SERVICE,
            event,
        }
    }

    fn person(id: RecipientId, order: u32, contact: &str) -> NamedRecipient {
        NamedRecipient {
            id,
            order,
            name: "김민준".into(),
            contact: contact.into(),
            phone: None,
            company: None,
        }
    }

    fn start() -> Event {
        let recipients = vec![
            person(PLACE, 1, "minjun@example.com"),
            person(OTHER, 2, "jihun@example.com"),
        ];
        event(
            0,
            EventKind::Started {
                template: TemplateId(1),
                version: 1,
                document: BlobHash::of(b"document"),
                signed_original: None,
                recipients,
                terms: None,
            },
        )
    }

    fn corrected(contact: &str) -> Event {
        let recipient = person(PLACE, 1, contact);
        event(
            1,
            EventKind::RecipientCorrected {
                recipient,
                mobile: None,
            },
        )
    }

    fn returned() -> Event {
        event(
            2,
            EventKind::Returned {
                recipient: OTHER,
                from_order: 2,
                to_order: 1,
                reason: None,
            },
        )
    }

    fn asked(minutes: i64, recipient: RecipientId, link_version: u32) -> Event {
        event(
            minutes,
            EventKind::NewLinkRequested {
                recipient,
                link_version,
            },
        )
    }

    fn judged(events: Vec<Event>, link_version: u32, minutes: i64) -> Result<(), NoNewLink> {
        let events = std::iter::once(start()).chain(events);
        may_be_sent(events, PLACE, link_version, at(minutes))
    }

    fn wait(minutes: i64) -> Result<(), NoNewLink> {
        Err(NoNewLink::Wait(SignedDuration::from_mins(minutes)))
    }

    #[test]
    fn only_a_replaced_link_asks_for_another_one() {
        assert_eq!(judged(vec![], 1, 5), Err(NoNewLink::NotReplaced));
        assert_eq!(judged(vec![returned()], 1, 5), Ok(()));
        assert_eq!(judged(vec![returned()], 2, 5), Err(NoNewLink::NotReplaced));
        assert_eq!(judged(vec![returned()], 9, 5), Err(NoNewLink::NotReplaced));
        assert_eq!(may_be_sent([], PLACE, 1, at(5)), Err(NoNewLink::NotReplaced));
    }

    #[test]
    fn a_link_that_went_to_another_address_asks_for_nothing() {
        let changed = || vec![corrected("seojun@example.com")];
        assert_eq!(judged(changed(), 1, 5), Err(NoNewLink::NotTheirs));
        let mut later = changed();
        later.push(returned());
        assert_eq!(judged(later.clone(), 1, 5), Err(NoNewLink::NotTheirs));
        assert_eq!(judged(later, 2, 5), Ok(()));
        // Only the name was corrected.
        assert_eq!(judged(vec![corrected("minjun@example.com")], 1, 5), Ok(()));
    }

    #[test]
    fn a_link_waits_ten_minutes_and_asks_three_times_a_day() {
        let events = |times: &[i64]| {
            let asked = times.iter().map(|time| asked(*time, PLACE, 1));
            std::iter::once(returned()).chain(asked).collect()
        };
        assert_eq!(judged(events(&[10]), 1, 15), wait(5));
        assert_eq!(judged(events(&[10]), 1, 20), Ok(()));
        // Another link of the same step.
        assert_eq!(judged(events(&[10]), 2, 15), Ok(()));
        assert_eq!(judged(events(&[10, 20, 30]), 1, 60), wait(1_390));
    }

    #[test]
    fn a_step_has_five_links_a_day_whichever_link_asks() {
        let asked = (1..=5).map(|version| asked(i64::from(version) * 20, PLACE, version));
        let events: Vec<Event> = std::iter::once(returned()).chain(asked).collect();
        assert_eq!(judged(events.clone(), 6, 200), wait(1_260));
        assert_eq!(judged(events, 6, 1_460), Ok(()));
        let others = (1..=5).map(|version| super::tests::asked(100, OTHER, version));
        let events = std::iter::once(returned()).chain(others).collect();
        assert_eq!(judged(events, 1, 101), Ok(()), "another step's links");
    }
}
